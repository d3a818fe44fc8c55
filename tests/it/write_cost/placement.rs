//! Placement hints (FDP) on drives in QEMU (`labs/placement`): what each handle's reclaim unit
//! received is what Dyno wrote by it, and hints are refused where nothing would follow them.

use std::path::{Path, PathBuf};

use dyno::analysis::Question;
use dyno::analysis::keys::StepKey;
use dyno::bundles;
use dyno::record::Class;
use dyno::record::gauge::written::CounterSource;
use dyno::store::Bundle;

use crate::support::lab;

/// Logical blocks that a handle's reclaim unit can still take, by handle.
fn available(folder: &Path, run: &str) -> Vec<u64> {
    let text = std::fs::read_to_string(folder.join(format!("{run}.json"))).unwrap();
    let drives: serde_json::Value = serde_json::from_str(&text).unwrap();
    let drive = drives
        .as_array()
        .and_then(|all| all.iter().find(|drive| drive["serial"] == "FDPA1111"))
        .unwrap_or_else(|| panic!("{text}"));
    let handles = drive["placement_handles"].as_array().unwrap_or_else(|| panic!("{text}"));
    handles.iter().map(|handle| handle["available_blocks"].as_u64().unwrap()).collect()
}

/// Logical blocks that the streams of a run wrote.
fn written(folder: &Path, run: &str) -> [u64; 2] {
    let bundle = Bundle::open(&folder.join(format!("{run}.dyno"))).unwrap();
    let points = bundle.points().unwrap();
    let of = |stream: &str| {
        let cells = points[0].point.cells.iter().filter(|cell| cell.stream == stream);
        let tallies = cells.flat_map(|cell| &cell.tallies).filter(|t| t.class == Class::WRITE);
        tallies.map(|tally| tally.bytes).sum::<u64>() / 512
    };
    ["one", "other"].map(of)
}

/// A QEMU that emulates placement: the one that `scripts/newer_qemu.sh` downloaded, otherwise this
/// system's.
fn qemu() -> PathBuf {
    let fetched =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join("../newer-qemu/usr/bin/qemu-system-x86_64");
    if fetched.exists() { fetched } else { "qemu-system-x86_64".into() }
}

#[test]
fn in_qemu_each_placement_handle_receives_what_its_stream_wrote_and_no_other() {
    let out = tempfile::tempdir().unwrap();
    let qemu = qemu();
    let Some(said) = lab("labs/placement", &["--qemu", qemu.to_str().unwrap()], out.path()) else {
        return;
    };
    let folder = out.path();
    let text = |name: &str| std::fs::read_to_string(folder.join(format!("{name}.txt"))).unwrap();
    assert!(text("drives").contains("4 handles (FDP), placement = 0 to 3"), "{said}");
    let fell = |before: &str, after: &str| {
        let (before, after) = (available(folder, before), available(folder, after));
        before.iter().zip(after).map(|(before, after)| before - after).collect::<Vec<u64>>()
    };
    // Without hints the drive takes the first handle.
    let without = fell("filled", "without");
    assert_eq!(without[1..], [0, 0, 0], "{said}");
    assert!(without[0] >= written(folder, "without").iter().sum(), "{without:?}, {said}");
    let with = fell("without", "with");
    let [one, other] = written(folder, "with");
    assert!(one > 1_000 && other > 1_000, "{one}, {other}: {said}");
    assert_eq!((with[1], with[2], with[3]), (one, 0, other), "{said}");
    // The drive's log of placement statistics counts what both wrote, and writes each byte once.
    let facts = |run: &str| {
        let path = folder.join(format!("{run}.dyno"));
        bundles::facts(&[path], &Question::default()).unwrap()
    };
    for run in ["without", "with"] {
        let facts = facts(run);
        let cell = &facts.measured.steps[StepKey(0)].cells[0];
        assert!(cell.slow_commands.is_empty(), "QEMU's drives have no log C3h");
        let writes = cell.writes.as_ref().expect("counters");
        assert_eq!(writes.source(), Some(CounterSource::Fdp));
        let blocks: u64 = written(folder, run).iter().sum();
        assert_eq!(writes.layers().host, Some(blocks as f64 * 512.0), "{run}: {said}");
        assert_eq!(writes.layers().media, writes.layers().host, "{run}");
    }
    for (run, why) in [
        ("beyond", "has 4 placement handles, and none 4"),
        ("nowhere", "has no placement handles (FDP)"),
        ("block-layer", "only NVMe commands carry a placement hint"),
        ("libaio", "only NVMe commands carry a placement hint"),
    ] {
        let said = text(run).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(why), "{run}: {said}");
    }
}
