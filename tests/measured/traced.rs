//! Dyno's own load on an NVMe drive of a virtual machine, recorded by the kernel's block tracer
//! (`dyno trace record`), replayed from the recording, and recorded again.

use std::path::Path;

use dyno::record::{Class, PacingFloor, Tally, observed};
use dyno::store::Bundle;
use dyno::trace::{Reader, Request, RequestKind};

use crate::support::{lab, requests, size, skip};

/// Requests of each kind that a drive completed, as `/sys/block/*/stat` counts them (kernel,
/// block/stat): reads, writes, discards, flushes. A flush counts as a write too.
fn completed(folder: &Path, name: &str) -> [u64; 4] {
    let counters = |when: &str| -> Vec<u64> {
        let text =
            std::fs::read_to_string(folder.join(format!("{name}.{when}"))).expect("counters");
        text.split_whitespace().map(|word| word.parse().expect("a number")).collect()
    };
    let (before, after) = (counters("before"), counters("after"));
    let [reads, writes, discards, flushes] = [0, 4, 11, 15].map(|n| after[n] - before[n]);
    [reads, writes - flushes, discards, flushes]
}

/// The lab's reads before its load.
const MARK: u32 = 12288;

#[test]
fn in_qemu_a_recording_has_every_request_and_its_replay_is_the_same_load_as_late_as_reported() {
    if size("no machine", "one") == "no machine" {
        return skip("an emulated machine takes a minute: `make soak` boots it");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let Some(said) = lab("labs/traces", &[], folder.path()) else { return };
    for name in ["plain", "anonymous"] {
        let path = folder.path().join(format!("{name}.trace"));
        let all = requests(&path);
        let marked = all.iter().rposition(|request| request.length == MARK).expect("a mark");
        let load = &all[marked + 1..];
        let recorded = RequestKind::ALL
            .map(|kind| load.iter().filter(|request| request.kind == kind).count() as u64);
        let counted = completed(folder.path(), name);
        assert_eq!(recorded, counted, "{name}: reads, writes, discards, flushes\n{said}");
        assert!(recorded.iter().all(|count| *count > 0), "{recorded:?}");
        let reader = Reader::open(&path).expect("a trace");
        assert_eq!(reader.summary().missing, 0, "{said}");
        let number = |device: &str| device.split(',').all(|part| part.parse::<u32>().is_ok());
        let device = &reader.summary().devices[0].name;
        assert!(if name == "plain" { number(device) } else { device == "device 1" }, "{device}");
        // All that Dyno counted, however much of its schedule the machine managed.
        let of_load = load.iter().filter(|request| request.length == 4096).count() as u64;
        let bundle = Bundle::open(&folder.path().join(format!("{name}.dyno"))).expect("a bundle");
        let point = &bundle.points().expect("points")[0].point;
        let data = point.cells[0].tallies.iter().filter(|tally| tally.class != Class::FLUSH);
        let counted: u64 = data.map(|tally| tally.ops).sum();
        assert!(of_load >= counted && counted > 0, "{of_load} of {counted}: {said}");
        if name == "plain" {
            let changes =
                |r: &&Request| matches!(r.kind, RequestKind::Write | RequestKind::Discard);
            let end = load.iter().filter(changes).map(Request::end).max();
            assert!(end <= Some(16 << 20), "Dyno's own dataset: {end:?}");
        }
    }
    assert!(said.contains("has no request"), "an idle second: {said}");
    round_trip(folder.path());
}

/// What the kernel saw is what Dyno reports: a request was queued between its submission and its
/// completion. Sums are exact, so this needs no rest of the machine.
fn assert_as_late_as_reported(mean_ns: f64, tallies: &[Tally]) {
    let sum = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum::<u64>() as f64;
    let count = sum(|tally| tally.response().count);
    let response_ns = sum(|tally| tally.response().sum_ns) / count;
    let late_ns = response_ns - sum(|tally| tally.service.sum_ns) / count;
    let least_ns = tallies.iter().map(|tally| tally.response().min_ns).min();
    let least_ns = least_ns.expect("a class") as f64;
    let reported = late_ns - least_ns..=response_ns;
    assert!(reported.contains(&mean_ns), "{mean_ns} ns: {reported:?}");
}

/// The recorded load, replayed from the recording and recorded again: the same requests in the same
/// order, none is lost, and they are as late as Dyno reports. An emulated drive takes milliseconds
/// for some requests, so the lateness itself is printed and not limited: on a machine,
/// `measured::replay` limits it. The times are skipped if requests were left at the end.
fn round_trip(folder: &Path) {
    let first = requests(&folder.join("plain.trace"));
    let second = requests(&folder.join("again.trace"));
    let bare = |all: &[Request]| -> Vec<(RequestKind, u64, u32)> {
        all.iter().map(|request| (request.kind, request.offset, request.length)).collect()
    };
    let bundle = Bundle::open(&folder.join("again.dyno")).expect("a bundle");
    let point = &bundle.points().expect("points")[0].point;
    let counted: u64 = point.cells[0].tallies.iter().map(|tally| tally.ops).sum();
    let backlog = point.cells[0].backlog_end;
    assert_eq!(counted + backlog, first.len() as u64, "nothing is lost");
    if backlog > 0 {
        return skip(format!(
            "the times, since {backlog} requests were left when the replay ended"
        ));
    }
    // Before the replay are the marks of the second recording, and what a run reads at first.
    let recorded = bare(&first);
    let found = second.windows(first.len()).find(|window| bare(window) == recorded);
    let again = found.expect("all requests of the first recording in their order, nothing between");
    let floor =
        observed::all::<PacingFloor>(&bundle.observed().expect("observations")).next().copied();
    let floor = floor.expect("the pacing floor of that machine");
    // Above the least difference, which is that of the recordings' beginnings. None can be early.
    let apart = |n: usize| again[n].at_ns as i64 - first[n].at_ns as i64;
    let least = (0..first.len()).map(apart).min().expect("a request");
    let mut late: Vec<u64> = (0..first.len()).map(|n| apart(n).abs_diff(least)).collect();
    late.sort_unstable();
    let at = |share: f64| late[(late.len() as f64 * share) as usize];
    let (median, p95, requests) = (at(0.5), at(0.95), first.len());
    println!("{requests} requests late by {median} ns (median), {p95} ns (p95); {floor:?}");
    let mean_ns = late.iter().sum::<u64>() as f64 / late.len() as f64;
    assert_as_late_as_reported(mean_ns, &point.cells[0].tallies);
}
