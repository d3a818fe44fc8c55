//! The slowest requests of a point: stored in the bundle, exported, shown, and in the brief.
//! tests/measured/outliers.rs tests their causes.

use dyno::store::Bundle;

use crate::support::dyno_well;

/// One worker in open loop on an engine that does not respond for 300 ms, 200 ms into the window.
const PROTOCOL: &str = "title = \"T\"\nsource = \"t\"\n[[step]]\nname = \"s\"\nduration = \"2s\"\n\
    [[step.stream]]\nname = \"io\"\nrate = \"2000/s\"\nworkload = \"random\"\n\
    engine = { kind = \"null\", latency = \"10us\", stall_at = \"200ms\", stall = \"300ms\" }\n";

#[test]
fn the_slowest_thousand_are_kept_with_what_distinguishes_them_and_are_in_every_output() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("p.toml"), PROTOCOL).expect("written");
    std::fs::create_dir(dir.path().join("drive")).expect("a folder");
    let run = ["run", "./p.toml", "-s", "X=drive", "--repeats", "1", "--output", "b.dyno"];
    dyno_well(dir.path(), &run);
    let bundle = Bundle::open(&dir.path().join("b.dyno")).expect("a bundle");
    let stored = bundle.points().expect("points").remove(0);
    let ops = bundle.slow_ops(stored.id).expect("its slowest ops");
    assert_eq!(ops.len(), 1_000);
    assert!(ops.windows(2).all(|pair| pair[0].response_ns >= pair[1].response_ns));
    let longest = &stored.point.cells[0].tallies[0];
    assert_eq!(ops[0].response_ns, longest.response().max_ns, "the slowest of all");
    // The op during the stall, and those due after it.
    let stalled =
        ops.iter().find(|op| op.late_ns < op.response_ns / 2).expect("the one that met it");
    assert!(stalled.response_ns >= 290_000_000, "{stalled:?}");
    assert!(ops.iter().filter(|op| 2 * op.late_ns > op.response_ns).count() >= 400);
    assert!(ops.iter().all(|op| op.size == 4096 && op.address % 4096 == 0 && op.in_flight == 1));
    assert!(!stalled.direct && stalled.evidence.is_some(), "no engine of blocks: {stalled:?}");

    let csv = dyno_well(dir.path(), &["export", "b.dyno", "--table", "slow-ops"]);
    assert_eq!(csv.lines().count(), 1_001);
    assert!(
        !csv.lines().any(|row| row.contains(",drive,at-drive,")),
        "nothing is the drive's here"
    );
    let shown = dyno_well(dir.path(), &["show", "b.dyno"]);
    let shown: String = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    // One request in a hundred.
    let outliers = format!(": slowest {} from", longest.ops / 100);
    assert!(shown.contains(&outliers) && shown.contains("drive 0.0 %"), "{shown}");
    dyno_well(dir.path(), &["report", "b.dyno", "-o", "b.md"]);
    let brief = std::fs::read_to_string(dir.path().join("b.md")).expect("a brief");
    assert!(brief.contains("Outliers") && brief.contains("queue depth 1"), "{brief}");
}
