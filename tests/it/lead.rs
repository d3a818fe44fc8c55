//! The first page's words: imported figures as arithmetic, the subject of the brief with its losses
//! beside its gains, and the cause where nobody can be ranked.

use std::path::Path;

use dyno::plan::{SteadyMetric, SteadyRule};
use dyno::record::{PreparationStep, Sink, SteadyState, SteadyWindow};
use dyno::store::BundleWriter;

use crate::made::{self, Figures};
use crate::support::{dyno, dyno_well, said};

/// The brief as Markdown up to its first section.
fn first_page(dir: &Path, args: &[&str]) -> String {
    dyno_well(dir, &[&["report", "b.dyno", "-o", "b.md"], args].concat());
    let text = std::fs::read_to_string(dir.join("b.md")).expect("a brief");
    text.split("\n## ").next().unwrap_or_default().to_string()
}

fn whole(dir: &Path) -> String {
    std::fs::read_to_string(dir.join("b.md")).expect("a brief")
}

fn import(dir: &Path, tables: &[&str]) {
    let data = |name: &str| format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let tables: Vec<String> = tables.iter().map(|name| data(name)).collect();
    let mapping = data("mapping.toml");
    let mut args = vec!["import", "csv"];
    args.extend(tables.iter().map(String::as_str));
    args.extend(["--mapping", &mapping, "-o", "b.dyno"]);
    dyno_well(dir, &args);
}

const READS: &str = "micron-7600-random-read.csv";
const MIXED: &str = "micron-7600-read-while-writing.csv";

#[test]
fn a_published_table_is_said_measure_by_measure_where_its_differences_are_greatest() {
    let folder = made::folder();
    let dir = folder.path();
    import(dir, &[READS]);
    let first = first_page(dir, &[]);
    for said in [
        "As published, without repeats: Micron 7600 completes 892,202 ops/s at 96 threads, 21 % \
         more than Samsung PM9D3a (735,914) and 21 % more than Kioxia CD8P-R (735,861).",
        "- Micron 7600 has a p99 read latency of 169 µs at 96 threads, 36 % lower than Samsung \
         PM9D3a (268 µs) and 32 % lower than Kioxia CD8P-R (249 µs). Kioxia CD8P-R has a p99 read \
         latency of 399 µs at 128 threads, 4.3 % lower than Micron 7600 (417 µs).",
        "- Micron 7600 reaches 85,000 ops/s/W at 96 threads, 23 % more than Samsung PM9D3a \
         (68,800) and 77 % more than Kioxia CD8P-R (47,800).",
    ] {
        assert!(first.contains(said), "“{said}” is not in {first}");
    }
    // Nothing is claimed, and nobody who has a table can repeat it. The appendix has a legend.
    assert!(!whole(dir).contains("--repeats"), "{}", whole(dir));
    let body = whole(dir).split("\n## Appendix").next().unwrap_or_default().to_string();
    for never in ["▲", "No drive can be ranked", "delivers"] {
        assert!(!body.contains(never), "“{never}” in {body}");
    }
    assert!(
        first.contains("ops/s; as published: Micron 7600 +21 % vs Kioxia CD8P-R at 96 threads]"),
        "no call-out in the figure: {first}"
    );
}

#[test]
fn two_published_tables_are_told_apart_and_another_subject_has_its_own_losses() {
    let folder = made::folder();
    let dir = folder.path();
    import(dir, &[READS, MIXED]);
    let first = first_page(dir, &[]);
    let lead = "As published, without repeats, in RocksDB random reads: Micron 7600 completes \
                892,202 ops/s at 96 threads, 21 % more than Samsung PM9D3a (735,914)";
    assert!(first.contains(lead), "{first}");
    for line in first.lines().filter(|line| !line.starts_with(['#', '!'])) {
        assert!(line.matches(": ").count() < 2, "two colons: {line}");
    }
    // Nothing is claimed of published figures, so that there is no list of claims.
    assert!(!whole(dir).contains("All claims"), "{}", whole(dir));
    // Tables of every point are written as CSV on request.
    assert!(!whole(dir).contains("All differences"), "{}", whole(dir));
    assert!(whole(dir).contains("dyno export --table points"), "{}", whole(dir));
    let of_mixed = "- RocksDB random reads while one thread writes: Micron 7600 completes 885,709 \
                    ops/s at 128 threads, 22 % more than Samsung PM9D3a (721,339) and 21 % more \
                    than Kioxia CD8P-R (731,964).";
    assert!(first.contains(of_mixed), "{first}");
    std::fs::write(dir.join("brief.toml"), "subject = \"Kioxia CD8P-R\"\n").expect("written");
    let first = first_page(dir, &["--brief", "brief.toml"]);
    let own = "in RocksDB random reads: Kioxia CD8P-R completes 834,537 ops/s at 128 threads, \
               1.1 % more than Samsung PM9D3a (825,305). Micron 7600 completes 892,202 ops/s at 96 \
               threads, 21 % more than Kioxia CD8P-R (735,861)";
    assert!(first.contains(own), "{first}");
}

/// Three subjects at two depths, five repeats: B carries a fifth less than A, C a tenth more.
fn three(dir: &Path) {
    let step = made::step("reads", "sweep = { axis = \"io.depth\", values = [4, 8] }", "");
    let plan = made::plan(dir, &step, 3, 5);
    let mut rng = made::rng(81, 0);
    made::write(&dir.join("b.dyno"), &plan, &mut |key| {
        let better = match key.subject.as_str() {
            "A" => 1.0,
            "B" => 0.8,
            _ => 1.1,
        };
        let noise = (0.003 * rng.normal()).exp();
        let ops_per_s = 400_000.0 * better * noise;
        Some(Figures { ops_per_s, p99_ns: 90_000.0 / better / noise, ..Figures::default() })
    });
}

#[test]
fn the_subject_of_the_brief_comes_first_and_its_losses_stand_beside_its_gains() {
    let folder = made::folder();
    let dir = folder.path();
    three(dir);
    let first = first_page(dir, &[]);
    let sentence = first.lines().find(|l| l.starts_with("reads: ")).unwrap_or_default();
    let at = |words: &str| sentence.find(words).unwrap_or_else(|| panic!("{words}: {first}"));
    assert!(at("A delivers ") < at("more ops/s than B") && at("than B") < at(". C delivers "));
    at("more ops/s than A at depth 8");
    // The same in p99, a gain and a loss.
    for finding in ["- reads: A has ", "lower p99 read latency than B", "- reads: C has "] {
        assert!(first.contains(finding), "{finding}: {first}");
    }
    // Rivals among themselves are no matter of the first page, nor of its figure.
    assert!(!first.contains("C delivers 3") && !first.contains("C +3"), "{first}");
    assert!(first.contains("claimed: A +2") && first.contains(", C +9."), "{first}");

    std::fs::write(dir.join("brief.toml"), "subject = \"C\"\n").expect("written");
    let first = first_page(dir, &["--brief", "brief.toml"]);
    let sentence = first.lines().find(|l| l.starts_with("reads: ")).unwrap_or_default();
    assert!(sentence.starts_with("reads: C delivers ") && !sentence.contains(". A"), "{first}");
    assert!(sentence.contains("more ops/s than B and "), "{first}");

    std::fs::write(dir.join("brief.toml"), "subject = \"D\"\n").expect("written");
    let refused = dyno(dir, &["report", "b.dyno", "-o", "b.md", "--brief", "brief.toml"]);
    assert!(
        !refused.status.success() && said(&refused).contains("about 'D'"),
        "{}",
        said(&refused)
    );
}

#[test]
fn the_figure_calls_out_the_difference_that_the_sentence_states() {
    let folder = made::folder();
    let dir = folder.path();
    let step = made::step("reads", "sweep = { axis = \"io.depth\", values = [2, 4, 8] }", "");
    let mut rng = made::rng(83, 0);
    made::write(&dir.join("b.dyno"), &made::plan(dir, &step, 2, 5), &mut |key| {
        let depth = key.axis.as_ref().map_or(0.0, |axis| axis.value.as_f64());
        // A's lead is largest at the smallest depth; at the largest, B drifts.
        let lead = if depth < 3.0 { 1.6 } else { 1.2 };
        let of_a = if key.subject == "A" { lead } else { 1.0 };
        let drifts = key.subject == "B" && depth > 4.0;
        let ops_per_s = 40_000.0 * of_a * (0.003 * rng.normal()).exp();
        let second = |s: u32| ops_per_s * if drifts && s >= 20 { 0.5 } else { 1.0 };
        let seconds = (0..40).map(second).collect();
        Some(Figures { ops_per_s, p99_ns: 90_000.0, seconds, ..Figures::default() })
    });
    let first = first_page(dir, &[]);
    assert!(first.contains("reads: A delivers ") && first.contains("than B at depth 4"), "{first}");
    let called = first.split("claimed: A +").nth(1).unwrap_or_default();
    assert!(called.starts_with(['1', '2']) && called.contains("at depth 4"), "{first}");
}

/// Three repeats of A and B, of which B drifts where that is asked for.
fn two(dir: &Path, drifts: bool) {
    let plan = made::plan(dir, &made::step("reads", "", ""), 2, 3);
    let mut rng = made::rng(82, 0);
    made::write(&dir.join("b.dyno"), &plan, &mut |key| {
        let noise = (0.01 * rng.normal()).exp();
        let falls = drifts && key.subject == "B";
        let second = |s: u32| {
            let share = if falls && s >= 20 { 0.5 } else { 1.0 };
            40_000.0 * share * noise * (0.002 * rng.normal()).exp()
        };
        let seconds = (0..40).map(second).collect();
        Some(Figures { ops_per_s: 40_000.0, p99_ns: 90_000.0, seconds, ..Figures::default() })
    });
}

/// A subject whose last rounds differ by so much.
fn unsteady(subject: &str, excursion: f64) -> PreparationStep {
    let window = SteadyWindow {
        first_round: 8,
        values: vec![4e4, 1e4],
        mean: 2.5e4,
        excursion,
        slope_per_round: 0.0,
        intercept: 2.5e4,
        slope: 0.02,
        steady: false,
    };
    let state = SteadyState {
        metric: SteadyMetric::Iops,
        round_ns: 60_000_000_000,
        rule: SteadyRule::default(),
        rounds: vec![1e4; 9],
        window: Some(window),
    };
    PreparationStep {
        subject: subject.into(),
        drive: 0,
        action: "steady state".into(),
        asked: String::new(),
        outcome: "not steady after 9 rounds".into(),
        filesystem_uuid: None,
        steady: Some(state),
        ended_unix_ns: 1,
    }
}

fn note(dir: &Path, prepared: &[PreparationStep]) {
    let (mut writer, _) = BundleWriter::resume(&dir.join("b.dyno")).expect("the bundle");
    writer.prepared(prepared).expect("noted");
}

/// Words of the longest sentence of a text.
fn longest_sentence(text: &str) -> usize {
    let words = |sentence: &str| {
        sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
    };
    text.lines().flat_map(|line| line.split(". ")).map(words).max().unwrap_or(0)
}

#[test]
fn a_cause_of_several_subjects_and_what_to_do_about_it_are_said_once_in_short_sentences() {
    let folder = made::folder();
    let dir = folder.path();
    two(dir, false);
    note(dir, &[unsteady("A", 0.327), unsteady("B", 0.432)]);
    let first = first_page(dir, &[]);
    let sentence = "No drive can be ranked here. A and B had not reached steady state (excursion \
                    32.7 % and 43.2 %, at most 20.0 % is allowed): run longer preconditioning.";
    assert!(first.contains(sentence), "{first}");
    assert_eq!(whole(dir).matches("run longer preconditioning").count(), 1, "{}", whole(dir));
    assert!(longest_sentence(&first) <= 30, "{first}");
    // Nothing is claimed, so that there is no list of claims.
    assert!(!whole(dir).contains("All claims"), "{}", whole(dir));
}

#[test]
fn a_drive_that_was_not_steady_is_named_in_the_sentence_with_what_to_do() {
    let folder = made::folder();
    let dir = folder.path();
    two(dir, false);
    let prepared = unsteady("B", 1.517);
    // What was asked of both is the same; A came to rest.
    let mut steady = PreparationStep { subject: "A".into(), ..prepared.clone() };
    steady.steady.iter_mut().flat_map(|s| &mut s.window).for_each(|w| w.steady = true);
    note(dir, &[steady, prepared]);
    let first = first_page(dir, &[]);
    let sentence = "No drive can be ranked here. B had not reached steady state (excursion \
                    151.7 %, \
                    at most 20.0 % is allowed): run longer preconditioning.";
    assert!(first.contains(sentence), "{first}");
    assert!(!first.contains("Caveats"), "{first}");
    let again = "No two subjects could be compared here. B had not reached steady state (exc";
    assert!(whole(dir).contains(again), "{}", whole(dir));
}

#[test]
fn a_drift_and_a_failure_are_named_in_the_sentence() {
    let folder = made::folder();
    let dir = folder.path();
    two(dir, true);
    let first = first_page(dir, &[]);
    let begins = "No drive can be ranked here. The ops/s of B drifted by up to −5";
    assert!(first.contains(begins) && first.contains("run longer preconditioning"), "{first}");

    let folder = made::folder();
    let dir = folder.path();
    let plan = made::plan(dir, &made::step("reads", "", ""), 2, 3);
    made::write(&dir.join("b.dyno"), &plan, &mut |_| {
        let failure = Some("the device went away");
        Some(Figures { ops_per_s: 1.0, p99_ns: 9e4, failure, ..Figures::default() })
    });
    let first = first_page(dir, &[]);
    let begins = "because no point was measured to its end. The first: A, reads";
    assert!(first.contains(begins) && first.contains("the device went away"), "{first}");
}
