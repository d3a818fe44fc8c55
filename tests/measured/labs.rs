//! The lab of NVMe drives: real drives in QEMU, whose true speeds are known because the lab sets
//! them (`it::labs` has the parts that need no quiet machine). Without QEMU this is reported and
//! counted as not tested.
//!
//! A virtual machine may itself be stopped by its host, with the lab's drives, which no clock in
//! the guest can detect. The lab watches for that from outside (`still.csv`): measurements during a
//! stop show nothing about the drives, which is reported and counted as not tested. A shorter stop
//! can only reduce ops: rates have a tight upper limit; a tight limit on both sides applies to the
//! median latency, which stops do not change, and which at a full queue is the queue divided by the
//! rate. Little's law connects rates and latencies.

use std::path::Path;
use std::process::Command;

use dyno::analysis::difference::Grade;
use dyno::analysis::facts::Facts;
use dyno::analysis::keys::StepKey;
use dyno::analysis::limits::bottleneck::Bottleneck;
use dyno::brief::text::{bottleneck_text, condition_text};
use dyno::language::Language;
use dyno::store::Bundle;

use crate::support::quiet::on_a_quiet_machine;
use crate::support::{dyno_well, nvme_lab, size, skip};

const A_OPS_PER_S: f64 = 1500.0;
const B_OPS_PER_S: f64 = 1000.0;
/// Concurrent requests in the lab's `ratio-protocol.toml`.
const DEPTH: f64 = 16.0;

/// The result of a step on a subject, all classes of op together.
#[derive(Debug)]
struct Measured {
    ops_per_s: f64,
    /// The classes' medians, weighted by their shares of the ops.
    median_s: f64,
    /// Little's law: ops/s × mean latency.
    under_way: f64,
}

fn measured(csv: &str, subject: &str, step: &str) -> Measured {
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| {
        header.iter().position(|h| *h == name).unwrap_or_else(|| panic!("no {name} in {header:?}"))
    };
    let (subject_at, step_at, class_at) = (column("subject"), column("step"), column("class"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    // The row of all ops repeats those of reads and writes.
    let is_own = |row: &&Vec<&str>| {
        row[subject_at] == subject && row[step_at] == step && row[class_at] != "all"
    };
    let own = || rows.iter().filter(is_own);
    let number = |row: &[&str], name: &str| row[column(name)].parse::<f64>().unwrap();
    let times_rate = |name: &str| {
        own().map(|row| number(row, "ops_per_s") * number(row, name) / 1e9).sum::<f64>()
    };
    let ops_per_s = own().map(|row| number(row, "ops_per_s")).sum();
    Measured {
        ops_per_s,
        median_s: times_rate("service_p50_ns") / ops_per_s,
        under_way: times_rate("service_mean_ns"),
    }
}

#[track_caller]
fn within(share: f64, told: f64, truth: f64, what: &str) {
    assert!((told / truth - 1.0).abs() <= share, "{what}: {told}, in truth {truth}");
}

/// A rate limited by a throttle, minus the possible effect of the machine's stops.
#[track_caller]
fn held_to(limit: f64, lost: f64, ops_per_s: f64, what: &str) {
    let allowed = (0.97 - lost) * limit..=1.03 * limit;
    assert!(allowed.contains(&ops_per_s), "{what}: {ops_per_s} ops/s, not within {allowed:?}");
}

/// When a processor of the machine under the lab stood still: (end in seconds since 1970, length in
/// seconds).
struct Still(Vec<(f64, f64)>);

impl Still {
    fn load(folder: &Path) -> Still {
        let text = std::fs::read_to_string(folder.join("still.csv")).unwrap();
        let pair = |line: &str| {
            line.split_once(',').map(|(end, s)| (end.parse().unwrap(), s.parse().unwrap())).unwrap()
        };
        Still(text.lines().map(pair).collect())
    }

    /// The maximum share of a window affected by stops: of every processor, because any may have
    /// been needed, and those nearby, because the guest's clock is only set to the second. None,
    /// with a message, if there are many.
    fn lost(&self, from_s: f64, until_s: f64, window_s: f64, what: &str) -> Option<f64> {
        let (from_s, until_s) = (from_s - 1.1, until_s + 1.1);
        let overlap =
            |(end, length): &(f64, f64)| (end.min(until_s) - (end - length).max(from_s)).max(0.0);
        let (still_s, all_s) = (self.0.iter().map(overlap).sum::<f64>(), until_s - from_s);
        if still_s > 0.2 * all_s {
            skip(format!("{what}; processors stood still for {still_s:.1} s of {all_s:.1} s"));
            return None;
        }
        Some(still_s / window_s)
    }
}

/// At a drive with this many ops per second, a full queue waits as long as that many take.
fn check_ratio(bundle: &Path, still: &Still) {
    let csv = dyno_well(Path::new("."), &["export", &bundle.to_string_lossy()]);
    let points = Bundle::open(bundle).unwrap().points().unwrap();
    for step in ["read", "mixed"] {
        let of = |subject: &str, limit: f64| {
            let (found, what) = (measured(&csv, subject, step), format!("{step} on {subject}"));
            println!("{what}: {found:?}");
            let point = points
                .iter()
                .map(|p| &p.point)
                .find(|p| p.key.subject == subject && p.key.step == step)
                .unwrap();
            let (from_s, window_s) =
                (point.started_unix_ns as f64 / 1e9, point.window_ns.unwrap() as f64 / 1e9);
            let lost = still.lost(from_s, from_s + window_s, window_s, &what)?;
            held_to(limit, lost, found.ops_per_s, &what);
            within(
                0.05,
                found.median_s,
                DEPTH / limit,
                &format!("{what}, the median latency in seconds"),
            );
            // A stop at an edge of the window affects ops that are only partly in it.
            within(0.03 + lost, found.under_way, DEPTH, &format!("{what}, ops under way"));
            Some((found, lost))
        };
        if let (Some((a, lost_a)), Some((b, lost_b))) = (of("A", A_OPS_PER_S), of("B", B_OPS_PER_S))
        {
            let (truth, what) = (A_OPS_PER_S / B_OPS_PER_S, format!("{step}, A against B"));
            within(0.05, b.median_s / a.median_s, truth, &what);
            within(0.05 + lost_a + lost_b, a.ops_per_s / b.ops_per_s, truth, &what);
        }
    }
}

/// Both drives were formatted by NVMe and reached a steady state at the throttle's limit.
fn check_preparation(bundle: &Path, still: &Still) {
    let prepared = Bundle::open(bundle).unwrap().prepared().unwrap();
    let of = |subject: &str, action: &str| {
        let found = prepared.iter().find(|p| p.subject == subject && p.action == action);
        found.unwrap_or_else(|| panic!("no {action} of {subject} in {prepared:?}"))
    };
    for (subject, limit) in [("A", A_OPS_PER_S), ("B", B_OPS_PER_S)] {
        assert!(
            of(subject, "purge").outcome.starts_with("NVMe format, user data erased"),
            "{prepared:?}"
        );
        assert!(of(subject, "condition 1").outcome.contains("ops of random"), "{prepared:?}");
        let found = of(subject, "steady state");
        let (state, ended_s) = (found.steady.as_ref().unwrap(), found.ended_unix_ns as f64 / 1e9);
        let seconds = |rounds: usize| rounds as f64 * state.round_ns as f64 / 1e9;
        let what = format!("{subject}'s steady state");
        let from_s = ended_s - seconds(state.rounds.len());
        if let Some(lost) = still.lost(from_s, ended_s, seconds(state.rule.window), &what) {
            assert!(state.reached(), "{state:?}");
            held_to(limit, lost, state.window.as_ref().unwrap().mean, &what);
        }
    }
    for state in Bundle::open(bundle).unwrap().states().unwrap() {
        assert_eq!(state.counter, "NVMe data units written");
        assert!(state.written_bytes > 64 << 20, "{state:?}");
    }
}

/// The throttled drives determine every figure, unless a busy machine left the guest no processors
/// to load them: that is then the verdict, and reported.
fn check_limits(bundle: &Path) -> Facts {
    let facts = dyno::bundles::facts(&[bundle.to_path_buf()], &Default::default()).unwrap();
    for (step, cell) in
        facts.measured.steps.iter().flat_map(|step| step.cells.iter().map(move |cell| (step, cell)))
    {
        let verdict = cell.limit.as_ref().expect("a verdict");
        let what = format!("{} on {}: {verdict:?}", step.name, facts.subjects[cell.subject].name);
        println!("{what}");
        let evidence = bottleneck_text::evidence(Language::ENGLISH, verdict);
        let shares =
            evidence.split(" %").filter_map(|part| part.rsplit(' ').next()?.parse::<f64>().ok());
        assert!(shares.fold(0.0, f64::max) <= 100.0, "{what}");
        match verdict.limit {
            Bottleneck::Drive => assert!(!cell.is_not_the_drives()),
            Bottleneck::Cpu | Bottleneck::Standstill => skip(format!(
                "what the drives limit; this machine had no processors for it: {what}"
            )),
            _ => panic!("{what}"),
        }
    }
    facts
}

/// One of 32 writers is at the drive for all of them, which wait for its log flush: that takes 20
/// ms, and so does a write, so the drive is the bottleneck, and the evidence states the share of
/// flushes.
fn check_flushes(bundle: &Path) {
    let facts = check_limits(bundle);
    let verdict = facts.measured.steps[StepKey(0)].cells[0].limit.as_ref().expect("a verdict");
    if verdict.limit == Bottleneck::Drive {
        let evidence = bottleneck_text::evidence(Language::ENGLISH, verdict);
        assert!(evidence.contains("% of the window, in flushes for "), "{evidence}");
    }
}

/// A database read past the page cache is limited by the throttled drives; the disclosure has
/// QEMU's names, and B's other block size, set by the lab, disqualifies the comparison.
fn check_database(bundle: &Path) {
    let facts = check_limits(bundle);
    let found = &facts.comparisons.conditions;
    let l = Language::ENGLISH;
    let block = found
        .iter()
        .find(|d| condition_text::condition(l, &d.what) == "Drive: Logical block size")
        .expect("the formats distinguished");
    assert_eq!(
        (block.grade, condition_text::values(l, &facts.subjects, block)),
        (Grade::Disqualifying, "512 bytes (A), 4096 bytes (B)".to_string())
    );

    let bundle = bundle.to_string_lossy();
    let page = bundle.replace(".dyno", ".html");
    dyno_well(Path::new("."), &["report", &bundle, "--output", &page]);
    let page = std::fs::read_to_string(page).unwrap();
    let firmware = Command::new("qemu-system-x86_64").arg("--version").output().unwrap();
    let firmware = String::from_utf8_lossy(&firmware.stdout)
        .split_whitespace()
        .nth(3)
        .unwrap_or_default()
        .to_string();
    // A drive reports eight characters of it.
    let firmware = &firmware[..firmware.len().min(8)];
    for told in
        ["Model<td>QEMU NVMe Ctrl", "Serial, A<td>AAAA1111", "Serial, B<td>BBBB2222", firmware]
    {
        assert!(page.contains(told), "'{told}' is not in the brief");
    }
    let compared = dyno_well(Path::new("."), &["compare", &bundle]);
    let unranked = "B and A are not comparable: Drive: Logical block size differs, 512 bytes (A), \
                    4096 bytes (B)";
    assert!(
        compared.split_whitespace().collect::<Vec<_>>().join(" ").contains(unranked),
        "{compared}"
    );
}

#[test]
fn in_qemu_the_known_ratio_is_found_and_the_drives_are_what_limits() {
    on_a_quiet_machine(|| {
        let folder = tempfile::tempdir().unwrap();
        let part = size("speeds-short", "speeds");
        if nvme_lab(part, folder.path()).is_none() {
            return;
        }
        let bundle = |name: &str| folder.path().join(name);
        let still = Still::load(folder.path());
        check_ratio(&bundle("ratio.dyno"), &still);
        check_preparation(&bundle("ratio.dyno"), &still);
        check_limits(&bundle("ratio.dyno"));
        // Everyday runs have `limits::synced_writes_…` and the database's conditions from records.
        if part == "speeds-short" {
            return;
        }
        check_database(&bundle("database.dyno"));
        check_flushes(&bundle("durable.dyno"));
    });
}
