//! Placement. On drives with FDP in QEMU (`labs/placement`): what each handle's reclaim unit
//! received is what Dyno wrote by it, the protocol `placement` runs with and without hints, and
//! hints are refused where nothing would follow them. On the tests' own drive, whose block device
//! carries no hints: what handles of their own do to the write amplification that Dyno measures.

use std::path::{Path, PathBuf};

use dyno::analysis::Question;
use dyno::analysis::keys::{StepKey, SubjectKey, ValueKey};
use dyno::bundles;
use dyno::plan::specification::Specification;
use dyno::plan::{OwnKnob, PartOf};
use dyno::record::gauge::written::CounterSource;
use dyno::record::{Class, Point, Sample};
use dyno::store::Bundle;

use super::ftl::Ftl;
use super::theory::cache_writes;
use super::two::{Two, amplification};
use crate::made;
use crate::replay::tables;
use crate::support::{dyno_well, lab};

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
    ["one", "other"].map(|stream| bytes(&points[0].point, stream) / 512)
}

/// Bytes that a stream wrote.
fn bytes(point: &Point, stream: &str) -> u64 {
    let cells = point.cells.iter().filter(|cell| cell.stream == stream);
    let tallies = cells.flat_map(|cell| &cell.tallies).filter(|t| t.class == Class::WRITE);
    tallies.map(|tally| tally.bytes).sum()
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
    the_protocol_ran(folder, &said);
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

/// `placement` on one drive: without hints all goes to the first handle, with hints the large
/// objects to the second.
fn the_protocol_ran(folder: &Path, said: &str) {
    let path = folder.join("protocol.dyno");
    let facts = bundles::facts(std::slice::from_ref(&path), &Question::default()).unwrap();
    let cells = &facts.measured.steps[StepKey(0)].cells;
    assert_eq!(cells.len(), 2, "{said}");
    for cell in cells {
        let writes = cell.writes.as_ref().expect("counters");
        assert_eq!(writes.source(), Some(CounterSource::Fdp));
        let (waf, _) = writes.amplification.as_ref().expect("more than a capacity was written");
        assert_eq!(waf.value, 1.0, "QEMU's drive writes each byte once: {said}");
    }
    let large: u64 = Bundle::open(&path)
        .unwrap()
        .points()
        .unwrap()
        .iter()
        .filter(|own| own.point.key.subject == "With placement")
        .map(|own| bytes(&own.point, "large") / 512)
        .sum();
    let (before, after) = (available(folder, "protocol-before"), available(folder, "protocol"));
    let fell: Vec<i64> =
        before.iter().zip(&after).map(|(before, after)| *before as i64 - *after as i64).collect();
    assert!(fell[1] >= large as i64 && large > 1_000, "{fell:?}, {large}: {said}");
    assert_eq!(fell[2..], [0, 0], "{said}");
    let text = std::fs::read_to_string(folder.join("protocol.md")).unwrap();
    for subject in ["Without placement", "With placement"] {
        assert!(text.contains(subject), "{text}");
    }
}

/// The streams of the protocol `placement`, through the block layer.
const CACHE: &str = "[[step.stream]]\nname = \"small\"\nengine = \"uring\"\ndepth = 4\nrate = \
                     \"600/s\"\nworkload = { kind = \"random\", read = 0, block = \"4KiB\", \
                     span = 4 }\n[[step.stream]]\nname = \"large\"\nengine = \"uring\"\ndepth = \
                     4\nrate = \"112/s\"\nworkload = { kind = \"sequential\", read = 0, block = \
                     \"64KiB\", from = 4, span = 96 }\n";

#[test]
fn a_drive_that_keeps_short_lived_objects_apart_is_measured_with_the_lower_amplification() {
    // 4 % are 17 blocks of 64 KiB.
    const PAGES: u32 = 25 * 17 * 16;
    const TURNS: u64 = PAGES as u64 / 8;
    let drive = |ranges: &[u32]| {
        let mut ftl = Ftl::placing(PAGES, 128, 64, ranges);
        (0..PAGES).for_each(|page| ftl.write(page));
        cache_writes(&mut ftl, PAGES / 25, 0..TURNS);
        ftl
    };
    let drives = || [drive(&[]), drive(&[PAGES / 25])];
    // The drives' difference, at the rates that are asked for: a busy machine misses them.
    let [mixed, apart] = drives().map(|mut ftl| {
        let before = ftl.counts();
        cache_writes(&mut ftl, PAGES / 25, TURNS..4 * TURNS);
        ftl.amplification_since(before)
    });
    assert!(apart < 1.1 && mixed > 1.5 * apart, "{mixed} mixed, {apart} apart");
    let Some(two) = Two::measured(drives(), CACHE) else { return };
    let facts = two.facts();
    for subject in [0, 1] {
        let cell = facts.measured.steps[StepKey(0)].cell(SubjectKey(subject), ValueKey(0)).unwrap();
        // Of all repeats together, whose amplifications differ.
        let layers = cell.writes.as_ref().expect("counters").layers();
        let (counted, truth) = (layers.media.unwrap() / layers.host.unwrap(), two.truth(subject));
        assert!((counted / truth - 1.0).abs() < 0.01, "{counted} for {truth}");
    }
    let measured = [0, 1].map(|subject| amplification(&facts, subject));
    assert!(measured[1] < 1.1 && measured[0] > measured[1], "{measured:?}");
}

/// Readings of a window of a second, in which a drive of 1 GB receives 2 GB: a thousand, because
/// those of a log that is read rarely could hide large updates.
fn counters(amplification: f64) -> Vec<Sample> {
    let at = |ms: i64, name: &str, value: f64| Sample {
        at_ns: ms * 1_000_000,
        meter: "nvme".into(),
        name: format!("nvme0n1_fdp_{name}_written_bytes"),
        value,
    };
    let read =
        |(ms, bytes): (i64, f64)| [at(ms, "host", bytes), at(ms, "media", amplification * bytes)];
    let window = (0..=1_000).map(|ms| (ms, 1e12 + 1e9 + 2e6 * ms as f64));
    let all = [(-1_000, 1e12)].into_iter().chain(window).chain([(2_000, 1e12 + 3e9)]);
    all.flat_map(read).collect()
}

#[test]
fn the_brief_states_the_amplification_with_and_without_hints_and_claims_their_difference() {
    let folder = made::folder();
    let subjects = ["Without placement", "With placement"];
    let mut plan = made::builtin(folder.path(), "placement", &subjects, 5);
    plan.same_device = true;
    plan.subjects[0].overrides = ["small", "large"].map(without_hints).to_vec();
    let stated = Specification { capacity: Some("1GB".into()), ..Specification::default() };
    plan.stated = subjects.map(|name| (name.to_string(), stated.clone())).into();
    made::write(&folder.path().join("b.dyno"), &plan, &mut |key| {
        let known = if key.subject == subjects[0] { 2.6 } else { 1.425 };
        let scatter = 1.0 + 0.004 * (f64::from(key.repeat) - 3.0);
        let streams = [36_621.0, 3_433.0].map(|ops_per_s| made::Figures {
            ops_per_s,
            p99_ns: 2e5,
            asked: Some(ops_per_s),
            ..made::Figures::default()
        });
        let readings = counters(known * scatter);
        Some(made::Figures { streams: streams.to_vec(), readings, ..made::Figures::default() })
    });
    let report = |language: &str| {
        dyno_well(folder.path(), &["report", "b.dyno", "-o", "b.md", "--language", language]);
        std::fs::read_to_string(folder.path().join("b.md")).unwrap()
    };
    let text = report("en");
    let claimed = "With placement has 45.19 % \\[44.96, 45.43] lower write amplification than \
                   Without placement (Without placement with placement\\_hints = false)";
    assert!(text.contains(claimed), "{text}");
    let cover = text.lines().find(|line| line.contains("cover-1.svg")).expect("a figure");
    assert!(cover.contains("write amplification"), "{cover}");
    let row = |cells: &[&str]| {
        let has = |own: &Vec<&str>| own.windows(cells.len()).any(|window| window == cells);
        tables(&text).iter().flatten().any(has)
    };
    assert!(row(&["Without placement", "40,054", "200.1", "", "2.60"]), "{text}");
    // NVMe commands are not in the kernel's counts: the host's are those of the drive.
    let of_drive = |waf, media| ["10", media, "5", waf, "±0.8 %", "3.00 ×", "FDP statistics"];
    assert!(row(&of_drive("2.60", "26.0")) && row(&of_drive("1.42", "14.2")), "{text}");
    for (language, reduction) in [("ja", "書き込み増幅率"), ("pt-BR", "amplificação de gravação")]
    {
        let text = report(language);
        assert!(text.contains(reduction) && text.contains("45"), "{language}: {text}");
    }
}

fn without_hints(stream: &str) -> OwnKnob {
    OwnKnob {
        step: "cache".into(),
        stream: stream.into(),
        of: PartOf::Engine,
        knob: "placement_hints".into(),
        value: false.into(),
    }
}
