//! Dyno's own load on an NVMe drive of a virtual machine, recorded by the kernel's block tracer
//! (`dyno trace record`), replayed from the recording, and recorded again.

use std::path::Path;

use dyno::record::PacingFloor;
use dyno::store::Bundle;
use dyno::trace::{Reader, Request, RequestKind};

use crate::support::quiet::on_a_quiet_machine;
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
fn in_qemu_a_recording_has_every_request_and_its_replay_is_the_same_load_at_the_same_times() {
    if size("no machine", "one") == "no machine" {
        return skip("an emulated machine takes a minute for each attempt: `make soak` boots it");
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
        assert!(recorded.iter().all(|count| *count > 5), "{recorded:?}");
        let reader = Reader::open(&path).expect("a trace");
        assert_eq!(reader.summary().missing, 0, "{said}");
        let number = |device: &str| device.split(',').all(|part| part.parse::<u32>().is_ok());
        let device = &reader.summary().devices[0].name;
        assert!(if name == "plain" { number(device) } else { device == "device 1" }, "{device}");
        // 200 /s for three seconds.
        let of_load = load.iter().filter(|request| request.length == 4096).count();
        assert!(of_load >= 500, "{of_load}: {said}");
        if name == "plain" {
            let changes =
                |r: &&Request| matches!(r.kind, RequestKind::Write | RequestKind::Discard);
            let end = load.iter().filter(changes).map(Request::end).max();
            assert!(end <= Some(16 << 20), "Dyno's own dataset: {end:?}");
        }
    }
    assert!(said.contains("has no request"), "an idle second: {said}");
    if round_trip(folder.path()).is_some_and(|differences| differences.within_the_floor()) {
        return;
    }
    // The requests are those of the trace on any machine; their times only on an undisturbed one.
    on_a_quiet_machine(|| {
        let folder = tempfile::tempdir().expect("a folder");
        lab("labs/traces", &[], folder.path()).expect("the lab again");
        let differences = round_trip(folder.path());
        let within = differences.as_ref().is_some_and(TimeDifferences::within_the_floor);
        assert!(within, "{differences:?}");
    });
}

/// How far the times of two recordings of one load differ.
#[derive(Debug)]
struct TimeDifferences {
    median_ns: u64,
    p95_ns: u64,
    floor: PacingFloor,
}

impl TimeDifferences {
    /// Within five times the pacing floor that the run measured on that machine, if that is above
    /// 10 µs in the median and 100 µs in p95.
    fn within_the_floor(&self) -> bool {
        self.median_ns <= 5 * self.floor.median_ns.max(10_000)
            && self.p95_ns <= 5 * self.floor.p95_ns.max(100_000)
    }
}

/// The recorded load, replayed from the recording and recorded again: the same requests in the same
/// order, and none is lost. Returns how far their times differ; none if the machine was so slow
/// that requests were left when the replay ended, which are counted as backlog.
fn round_trip(folder: &Path) -> Option<TimeDifferences> {
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
        return None;
    }
    // Before the replay are the marks of the second recording, and what a run reads at first.
    let recorded = bare(&first);
    let found = second.windows(first.len()).find(|window| bare(window) == recorded);
    let again = found.expect("all requests of the first recording in their order, nothing between");
    let floor = bundle.facts().expect("facts").iter().find_map(PacingFloor::of_fact);
    let floor = floor.expect("the pacing floor of that machine");
    let since = |all: &[Request], n: usize| all[n].at_ns - all[0].at_ns;
    let mut off: Vec<u64> =
        (0..first.len()).map(|n| since(&first, n).abs_diff(since(again, n))).collect();
    off.sort_unstable();
    let at = |share: f64| off[(off.len() as f64 * share) as usize];
    let differences = TimeDifferences { median_ns: at(0.5), p95_ns: at(0.95), floor };
    println!("{} requests: {differences:?}", first.len());
    Some(differences)
}
