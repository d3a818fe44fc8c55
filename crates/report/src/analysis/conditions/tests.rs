//! Differences between subjects that are made up here, and how they are graded.

use super::*;
use crate::analysis::facts::Group;
use crate::language::Language;
use crate::record::Prepared;

/// Two drives that differ in their block size and their model, and agree in firmware.
pub fn two_drives() -> Facts {
    let group = |name: &str, model: &str, block: &str| Group {
        name: name.into(),
        rows: [("Model", model), ("Firmware", "1.0"), ("Logical block size", block)]
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .into(),
    };
    Facts {
        runs: vec![run("ab.dyno")],
        run_of: vec![0, 0],
        subjects: vec!["A".into(), "B".into()],
        own_names: vec!["A".into(), "B".into()],
        disclosure: vec![
            group("Drive: A", "Fast", "512 bytes"),
            group("Drive: B", "Slow", "4096 bytes"),
            group("Driver", "x", "1 byte"),
        ],
        ..Facts::default()
    }
}

fn run(file: &str) -> RunFacts {
    let plan = serde_json::json!({
        "protocol": {
            "name": "", "title": "", "source": "", "datasets": [], "prepare": [], "steps": [],
        },
        "subjects": [], "repeats": 3, "order": "interleaved", "seed": 1,
    });
    RunFacts {
        file: file.into(),
        started_unix_ns: 0,
        dyno_version: String::new(),
        repeats: 3,
        until_percent: None,
        order: Order::Interleaved,
        plan: String::new(),
        pacing_floor: None,
        resolved: serde_json::from_value(plan).expect("a plan"),
    }
}

/// As they are printed.
fn rows(differences: &[Difference]) -> Vec<(Grade, String, String)> {
    let said = |message| Language::ENGLISH.text(message);
    differences.iter().map(|d| (d.grade, said(&d.what), said(&d.values))).collect()
}

#[test]
fn another_block_size_disqualifies_and_another_model_is_what_is_compared() {
    let found = differences(&two_drives());
    let (what, values) = ("Drive: Logical block size", "512 bytes (A), 4096 bytes (B)");
    assert_eq!(rows(&found), [(Grade::Disqualifying, what.into(), values.into())]);
}

/// Two subjects with nothing but these facts, each a heading and a value of "Options" or whatever
/// `name` says.
fn with(name: &str, facts: &[(&str, &str)]) -> Facts {
    let group = |(heading, value): &(&str, &str)| Group {
        name: heading.to_string(),
        rows: vec![(name.to_string(), value.to_string())],
    };
    Facts { disclosure: facts.iter().map(group).collect(), ..two_drives() }
}

#[test]
fn only_the_settings_that_differ_are_named_and_a_step_is_held_against_the_same_step() {
    let unlike = with(
        "Options",
        &[("RocksDB: A, read", "a=1 b=2 c=3"), ("RocksDB: B, read", "a=1 b=4 c=3")],
    );
    let found = barred(&unlike);
    assert_eq!((found[0].pair, found[0].step), ((0, 1), None));
    let (what, values) = ("RocksDB: Options", "b=2 (A), b=4 (B)");
    let row = (Grade::Disqualifying, what.into(), values.into());
    assert_eq!(rows(&found[0].differences), [row]);
    let steps = [("RocksDB: A, read", "a=1"), ("RocksDB: B, read", "a=1")];
    let more = [("RocksDB: A, write", "a=2"), ("RocksDB: B, write", "a=2")];
    assert_eq!(differences(&with("Options", &[steps, more].concat())), []);
}

#[test]
fn facts_of_runs_belong_to_the_subjects_of_those_runs() {
    let mut facts = with("Model", &[("CPU (a.dyno)", "fast"), ("CPU (b.dyno)", "slow")]);
    (facts.runs, facts.run_of) = (vec![run("a.dyno"), run("b.dyno")], vec![0, 1]);
    facts.subjects = vec!["X (a)".into(), "X (b)".into()];
    let found = differences(&facts);
    let rows = rows(&found);
    let (what, values) = ("CPU: Model", "fast (X (a)), slow (X (b))");
    assert_eq!(rows[0], (Grade::Disqualifying, what.into(), values.into()));
    assert_eq!(rows[1].1, "Measured in runs of their own");
}

#[test]
fn a_write_cache_that_is_on_and_one_that_is_off_are_not_compared_and_none_is_a_drives_nature() {
    let barred_with = |a: &str, b: &str| {
        barred(&with("Volatile write cache", &[("Drive: A", a), ("Drive: B", b)])).len()
    };
    assert_eq!([barred_with("on", "off"), barred_with("on", "on")], [1, 0]);
    assert_eq!([barred_with("on", "none"), barred_with("none", "off")], [0, 0]);
    // One that was switched by somebody during the run.
    let mut facts = with("Volatile write cache", &[("Drive: A", "on"), ("Drive: B", "on")]);
    facts.disclosure[1].rows.push(("Volatile write cache after".into(), "off".into()));
    let values = &barred(&facts)[0].differences[0].values;
    assert_eq!(Language::ENGLISH.text(values), "on (A, B), off (B)");
}

#[test]
fn drives_of_one_model_with_other_firmware_or_fill_are_doubted_and_other_preparation_disqualifies()
{
    let firmware = |models: [&str; 2]| {
        let mut facts = with("Firmware", &[("Drive: A", "1"), ("Drive: B", "2")]);
        for (group, model) in facts.disclosure.iter_mut().zip(models) {
            group.rows.push(("Model".into(), model.into()));
        }
        differences(&facts)[0].grade
    };
    assert_eq!([firmware(["M", "M"]), firmware(["M", "N"])], [Grade::Confounder, Grade::Harmless]);
    let filled = |b: &str| differences(&with("Filled", &[("Drive: A", "40 %"), ("Drive: B", b)]));
    assert_eq!((filled("43 %").len(), &*rows(&filled("60 %"))[0].2), (0, "40 % (A), 60 % (B)"));
    let mut facts = with("Filled", &[]);
    facts.prepared.push((
        0,
        Prepared {
            subject: "A".into(),
            drive: 0,
            action: "purge: format".into(),
            asked: String::new(),
            outcome: String::new(),
            steady: None,
            ended_unix_ns: 0,
        },
    ));
    let why = &rows(&barred(&facts)[0].differences)[0];
    assert_eq!((&*why.1, &*why.2), ("Preparation", "purge: format (A), nothing (B)"));
}
