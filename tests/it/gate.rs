//! `dyno gate` on bundles with known truth: its output, its exit codes, the JUnit report, and its
//! error rate.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use dyno::base::rng::Rng;
use dyno::record::PointKey;
use dyno::stats::Better;
use dyno::stats::runs::gate::{HistoryScope, PointHistory, ShownChange, against_history};
use quick_junit::{Report, TestCaseStatus};
use serde_json::Value;

use crate::made::{self, Figures, rng};
use crate::support::{DYNO, dyno, said, size, skip};

/// A bundle of one step at three depths. `of` derives a run's figures from ordinary ones with 1 %
/// scatter between repeats.
fn bundle(folder: &Path, name: &str, subjects: usize, of: &dyn Fn(&PointKey) -> f64) -> PathBuf {
    let sweep = "sweep = { axis = \"io.depth\", values = [1, 8, 32] }";
    let plan = made::plan(folder, &made::step("reads", sweep, ""), subjects, 5);
    let path = folder.join(name);
    made::write(&path, &plan, &mut |key| {
        let depth = key.axis.as_ref().map_or(1.0, |a| a.value.as_f64());
        let scatter = 0.99 + 0.005 * f64::from(key.repeat * 7 % 5);
        let slower = of(key);
        (slower > 0.0).then(|| Figures {
            ops_per_s: 4e4 * depth / slower / scatter,
            p99_ns: 2e5 * slower * scatter,
            ..Figures::default()
        })
    });
    path
}

fn gate(folder: &Path, args: &[&str]) -> (i32, String) {
    let out = dyno(folder, &[&["gate"], args].concat());
    let text = [out.stdout, out.stderr].concat();
    (out.status.code().expect("an exit code"), String::from_utf8_lossy(&text).into_owned())
}

fn json(out: &Output) -> Value {
    serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(out)))
}

const P99: [&str; 4] = ["--measure", "p99", "--worse-than", "5%"];

/// Seven earlier runs of `bundle` in a folder, whose levels scatter by up to 1 %.
fn history(folder: &Path, subjects: usize) {
    std::fs::create_dir_all(folder.join("runs")).expect("made");
    for run in 0..7 {
        let off = 0.99 + 0.005 * f64::from(run * 7 % 5);
        bundle(folder, &format!("runs/{run:02}.dyno"), subjects, &|_| off);
    }
}

#[test]
fn a_scripts_exit_code_says_worse_not_worse_not_shown_and_no_verdict() {
    let made = made::folder();
    let folder = made.path();
    history(folder, 2);
    bundle(folder, "same.dyno", 2, &|_| 1.0);
    let slower = |key: &PointKey| {
        let depth = key.axis.as_ref().map_or(0.0, |a| a.value.as_f64());
        if depth == 8.0 && key.subject == "B" { 1.20 } else { 1.0 }
    };
    bundle(folder, "slower.dyno", 2, &slower);
    bundle(folder, "near.dyno", 2, &|_| 1.05);
    let of = |new: &str, args: &[&str]| gate(folder, &[&["runs", new], args].concat());
    let (code, text) = of("same.dyno", &P99);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("Not worse: no figure lost more than 5 %"), "{text}");
    let (code, text) = of("slower.dyno", &P99);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("Worse: 1 of 8 figures"), "{text}");
    let worse = |l: &&str| l.contains("  worse  ");
    assert_eq!(text.lines().filter(worse).count(), 1, "{text}");
    let (code, text) = of("near.dyno", &P99);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("not shown: "), "{text}");
    // Errors without a verdict have a different code.
    std::fs::write(folder.join("broken.dyno"), "no bundle").expect("written");
    for (new, args, code) in [
        ("missing.dyno", &P99[..], 65),
        ("broken.dyno", &P99[..], 65),
        ("same.dyno", &["--measure", "p98", "--worse-than", "5%"][..], 65),
        ("same.dyno", &["--measure", "p99", "--worse-than", "5 apples"][..], 64),
        ("same.dyno", &["--measure", "p99"][..], 64),
    ] {
        let (found, text) = of(new, args);
        assert_eq!(found, code, "{new} {args:?}: {text}");
    }
}

#[test]
fn the_newest_runs_of_a_folder_are_a_base_whose_scatter_is_that_from_run_to_run() {
    let made = made::folder();
    let folder = made.path();
    for name in ["runs", "few", "none"] {
        std::fs::create_dir(folder.join(name)).expect("made");
    }
    for run in 0..12 {
        let off = 0.99 + 0.005 * f64::from(run * 7 % 5);
        bundle(folder, &format!("runs/{run:02}.dyno"), 1, &|_| off);
    }
    for run in 0..4 {
        bundle(folder, &format!("few/{run}.dyno"), 1, &|_| 1.0);
    }
    std::fs::write(folder.join("runs/broken.dyno"), "no bundle").expect("written");
    bundle(folder, "runs/same.dyno", 1, &|_| 1.0);
    bundle(folder, "slower.dyno", 1, &|_| 1.2);
    // Within the scatter of runs nothing is shown, however little its own repeats scatter.
    bundle(folder, "near.dyno", 1, &|_| 1.05);
    let of = |base: &str, new: &str| gate(folder, &[&[base, new, "--json"], &P99[..]].concat());
    for (new, expected) in [("runs/same.dyno", 0), ("slower.dyno", 1), ("near.dyno", 2)] {
        let (code, text) = of("runs", new);
        assert_eq!(code, expected, "{new}: {text}");
        let found: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(found["base"].as_array().expect("files").len(), 10, "{text}");
        assert!(!found["base"].to_string().contains("same.dyno"), "not its own base: {text}");
    }
    let (code, text) = of("none", "slower.dyno");
    assert_eq!(code, 65, "{text}");
    assert!(text.contains("no whole earlier run"), "{text}");
    let (code, _) = gate(folder, &[&["runs", "slower.dyno", "--last", "4"], &P99[..]].concat());
    assert_eq!(code, 64);
}

/// One session shows nothing of what differs between sessions.
#[test]
fn without_a_history_figures_stand_beside_each_other_and_nothing_is_shown() {
    let made = made::folder();
    let folder = made.path();
    std::fs::create_dir(folder.join("few")).expect("made");
    for run in 0..4 {
        bundle(folder, &format!("few/{run}.dyno"), 1, &|_| 1.0);
    }
    bundle(folder, "slower.dyno", 1, &|_| 1.2);
    for (base, runs) in [("few/0.dyno", "1 earlier run;"), ("few", "4 earlier runs;")] {
        let (code, text) = gate(folder, &[&[base, "slower.dyno"], &P99[..]].concat());
        assert_eq!(code, 2, "{text}");
        assert!(text.contains("Not shown: no history") && text.contains(runs), "{text}");
        assert!(text.contains("+20") && !text.contains('['), "{text}");
    }
}

#[test]
fn less_is_worse_of_rates_and_more_of_latencies() {
    let made = made::folder();
    let folder = made.path();
    history(folder, 1);
    bundle(folder, "slower.dyno", 1, &|_| 1.2);
    bundle(folder, "faster.dyno", 1, &|_| 0.8);
    for measure in ["p99", "ops/s"] {
        let args = ["--measure", measure, "--worse-than", "5 %"];
        let of = |new: &str| gate(folder, &[&["runs", new][..], &args].concat()).0;
        assert_eq!((of("slower.dyno"), of("faster.dyno")), (1, 0), "{measure}");
    }
}

#[test]
fn what_the_new_run_lacks_or_did_otherwise_is_never_passed() {
    let made = made::folder();
    let folder = made.path();
    history(folder, 1);
    let without = |key: &PointKey| {
        if key.axis.as_ref().is_some_and(|a| a.value.as_f64() == 8.0) { 0.0 } else { 1.0 }
    };
    bundle(folder, "lacks.dyno", 1, &without);
    let plan = made::plan(
        folder,
        &made::step("reads", "sweep = { axis = \"io.depth\", values = [1, 8, 32] }", "threads = 2"),
        1,
        5,
    );
    let even = Figures { ops_per_s: 4e4, p99_ns: 2e5, ..Figures::default() };
    made::write(&folder.join("other.dyno"), &plan, &mut |_| Some(even.clone()));
    for (new, why) in [("lacks.dyno", "not measured in the new run"), ("other.dyno", "threads")] {
        let (code, text) = gate(folder, &[&["runs", new], &P99[..]].concat());
        assert_eq!(code, 2, "{new}: {text}");
        assert!(text.contains(why), "{new}: {text}");
    }
    let vary = [&["runs", "other.dyno"], &P99[..], &["--vary", "io.threads"]].concat();
    let (code, text) = gate(folder, &vary);
    assert!(code != 65 && !text.contains("not comparable"), "{text}");
}

#[test]
fn the_json_has_every_figure_and_the_runs_that_would_do() {
    let made = made::folder();
    let folder = made.path();
    history(folder, 1);
    bundle(folder, "near.dyno", 1, &|_| 1.02);
    let args = [&["gate", "runs", "near.dyno", "--json"], &P99[..]].concat();
    let args = [&args[..], &["--measure", "ops/s"]].concat();
    let out = dyno(folder, &args);
    assert_eq!(out.status.code(), Some(2), "{}", said(&out));
    let found = json(&out);
    assert_eq!((&found["verdict"], &found["worse_than"]), (&"not shown".into(), &0.05.into()));
    let figures = found["figures"].as_array().expect("figures");
    assert_eq!(figures.len(), 8, "{found:#}");
    for figure in figures {
        let of = |name: &str| figure[name].as_f64().expect("a number");
        let truth = if figure["metric"] == "p99" { 1.02 } else { 1.0 / 1.02 };
        assert!((of("ratio") / truth - 1.0).abs() < 0.005, "{figure:#}");
        assert!(of("low") <= of("ratio") && of("ratio") <= of("high"), "{figure:#}");
        assert_eq!(figure["n"], 7);
    }
    let open = figures.iter().filter(|f| f["verdict"] == "not shown" && f["mean"] == false);
    let more: Vec<u64> = open.map(|f| f["enough"].as_u64().expect("runs")).collect();
    assert!(!more.is_empty() && more.iter().all(|n| (8..=100).contains(n)), "{more:?}");
}

/// Read by a crate for the format, by Python's XML parser (counting elements), and by a validator.
#[test]
fn the_junit_report_is_read_back_with_its_failures_and_skips() {
    let made = made::folder();
    let folder = made.path();
    history(folder, 2);
    let of = |key: &PointKey| match key.axis.as_ref().map_or(0.0, |a| a.value.as_f64()) {
        8.0 => 1.2,
        32.0 => 0.0,
        _ => 1.0,
    };
    bundle(folder, "new.dyno", 2, &of);
    let args = [&["runs", "new.dyno", "--junit", "gate.xml"], &P99[..]].concat();
    for _ in 0..2 {
        // Overwrites the first one.
        assert_eq!(gate(folder, &args).0, 1);
    }
    let text = std::fs::read_to_string(folder.join("gate.xml")).expect("a report");
    let report = Report::deserialize_from_str(&text).expect("JUnit XML");
    let cases: Vec<_> = report.test_suites.iter().flat_map(|s| &s.test_cases).collect();
    let failed = |s: &TestCaseStatus| matches!(s, TestCaseStatus::NonSuccess { .. });
    let skipped = |s: &TestCaseStatus| matches!(s, TestCaseStatus::Skipped { .. });
    let count =
        |of: &dyn Fn(&TestCaseStatus) -> bool| cases.iter().filter(|c| of(&c.status)).count();
    // Two subjects at three depths, and their means.
    assert_eq!((cases.len(), count(&skipped)), (8, 2), "{text}");
    assert_eq!((report.tests, report.failures, report.errors), (8, count(&failed), 0), "{text}");
    assert!(count(&failed) >= 2, "{text}");
    let script = "import sys, xml.etree.ElementTree as E\n\
                  root = E.parse(sys.argv[1]).getroot()\n\
                  assert root.tag == 'testsuites', root.tag\n\
                  for s in root:\n\
                  \x20 assert s.tag == 'testsuite' and s.get('name')\n\
                  \x20 for kind, count in (('failure','failures'), ('error','errors')):\n\
                  \x20  assert int(s.get(count)) == len(s.findall('testcase/' + kind)), kind\n\
                  \x20 assert int(s.get('skipped')) == len(s.findall('testcase/skipped'))\n\
                  \x20 assert int(s.get('tests')) == len(s.findall('testcase'))\n\
                  \x20 for c in s.findall('testcase'):\n\
                  \x20  assert c.get('name') and c.get('classname'), c.attrib\n\
                  \x20  assert len(c) <= 1 and all(k.get('message') for k in c)\n";
    let mut python = Command::new("python3");
    python.args(["-c", script]).arg(folder.join("gate.xml"));
    let read = python.output().expect("python3 runs");
    assert!(read.status.success(), "{}\n{text}", said(&read));
    keeps_to_jenkins_schema(folder, &text);
}

/// By libxml2, against the schema of Jenkins' xUnit plugin; an invalid report is detected.
fn keeps_to_jenkins_schema(folder: &Path, report: &str) {
    const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/junit-10.xsd");
    let validates = |text: &str| {
        let file = folder.join("validated.xml");
        std::fs::write(&file, text).expect("written");
        Command::new("xmllint").args(["--noout", "--schema", SCHEMA]).arg(file).output()
    };
    let Ok(found) = validates(report) else {
        skip("xmllint is missing (Debian: libxml2-utils)");
        return;
    };
    assert!(found.status.success(), "{}\n{report}", said(&found));
    let broken = report.replace(" skipped=", " disabled=");
    let found = validates(&broken).expect("as before");
    assert!(!found.status.success() && said(&found).contains("disabled"), "{}", said(&found));
}

#[test]
fn a_reader_that_has_seen_enough_changes_no_verdict() {
    let made = made::folder();
    let folder = made.path();
    history(folder, 1);
    bundle(folder, "slower.dyno", 1, &|_| 1.2);
    let mut command = Command::new(DYNO);
    command.current_dir(folder).args(["gate", "runs", "slower.dyno"]).args(P99);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("started");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("ended").code(), Some(1));
}

/// At most the expected count of n, plus chance at one in 3,000.
fn most(n: u64, chance: f64) -> u64 {
    let n = n as f64;
    (n * chance + 3.4 * (n * chance * (1.0 - chance)).sqrt()) as u64
}

/// Ten earlier runs and a new one, whose sessions differ by 1.5 % and repeats by 3 %: the number of
/// gates that report "worse" for a true loss.
fn alarms(trials: u64, points: usize, better: Better, (truth, limit): (f64, f64)) -> u64 {
    let factor: f64 = if better == Better::Higher { 1.0 - truth } else { 1.0 + truth };
    let worse = |trial: &u64| {
        let mut rng = rng(41, *trial);
        let mut run = |points: usize| -> Vec<f64> {
            let session = 0.015 * rng.normal();
            let mut mean = || (0..5).map(|_| 0.03 * rng.normal()).sum::<f64>() / 5.0;
            (0..points).map(|_| session + mean()).collect()
        };
        let base: Vec<Vec<f64>> = (0..10).map(|_| run(points)).collect();
        let new = run(points);
        let scope = match points {
            1 => HistoryScope::Only(1),
            _ => HistoryScope::Point(points),
        };
        (0..points).any(|point| {
            let base = base.iter().map(|run| run[point]).collect();
            let of = PointHistory { base, new: new[point] + factor.ln(), scale: 1.0 };
            let change = against_history(&of, scope).expect("a history");
            change.shows(better, limit) == ShownChange::Worse
        })
    };
    (0..trials).filter(worse).count() as u64
}

#[test]
fn a_loss_of_just_the_limit_is_called_worse_in_at_most_5_of_100_gates() {
    let trials = size(400, 4_000);
    for points in [1, 3, 10] {
        for better in [Better::Higher, Better::Lower] {
            let at_limit = alarms(trials, points, better, (0.05, 0.05));
            let found = alarms(trials, points, better, (0.15, 0.02));
            println!("{points} points, {better:?}: {at_limit} and {found} of {trials}");
            assert!(at_limit <= most(trials, 0.05), "{points} {better:?}: {at_limit}");
            let missed = trials - found;
            assert!(missed <= most(trials, 0.05), "{points} {better:?}: {missed} missed");
        }
    }
}

/// The same through the program: equal runs, and one that lost 15 %.
#[test]
fn the_program_alarms_and_finds_as_its_statistics_do() {
    let trials = size(4, 150);
    let made = made::folder();
    let folder = made.path();
    std::fs::create_dir(folder.join("runs")).expect("made");
    let sweep = "sweep = { axis = \"io.depth\", values = [1, 8, 32] }";
    let plan = made::plan(folder, &made::step("reads", sweep, ""), 1, 5);
    let write = |name: &str, rng: &mut Rng, loss: f64| {
        let path = folder.join(name);
        let _ = std::fs::remove_file(&path);
        let session = (0.015 * rng.normal()).exp();
        made::write(&path, &plan, &mut |_| {
            let ops_per_s = 4e4 * session * (1.0 - loss) * (0.03 * rng.normal()).exp();
            let p99_ns = 2e5 / session * (1.0 + loss) * (0.03 * rng.normal()).exp();
            Some(Figures { ops_per_s, p99_ns, ..Figures::default() })
        });
    };
    let (mut alarms, mut missed) = (0, 0);
    for trial in 0..trials {
        let rng = &mut rng(43, trial);
        (0..10).for_each(|run| write(&format!("runs/{run}.dyno"), rng, 0.0));
        write("same.dyno", rng, 0.0);
        write("lost.dyno", rng, 0.15);
        let code = |new: &str, measure: &str, limit: &str| {
            let args = ["runs", new, "--measure", measure, "--worse-than", limit];
            let (code, text) = gate(folder, &args);
            assert!(code <= 2, "{text}");
            code
        };
        for measure in ["p99", "ops/s"] {
            alarms += u64::from(code("same.dyno", measure, "0%") == 1);
            missed += u64::from(code("lost.dyno", measure, "2%") != 1);
        }
    }
    let of = trials * 2;
    println!("{alarms} false alarms and {missed} losses missed of {of}");
    assert!(alarms <= most(of, 0.05) && missed <= most(of, 0.05), "{alarms}, {missed} of {of}");
}
