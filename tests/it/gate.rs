//! `dyno gate` on bundles with known truth: its output, its exit codes, the JUnit report, and its
//! error rate.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use dyno::base::rng::Rng;
use dyno::record::PointKey;
use dyno::stats::Better;
use dyno::stats::family::{Observation, Sheet, one_sided};
use dyno::stats::runs::gate::{RatioChange, ShownChange};
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

#[test]
fn a_scripts_exit_code_says_worse_not_worse_not_shown_and_no_verdict() {
    let made = made::folder();
    let folder = made.path();
    bundle(folder, "base.dyno", 2, &|_| 1.0);
    bundle(folder, "same.dyno", 2, &|_| 1.01);
    let slower = |key: &PointKey| {
        let depth = key.axis.as_ref().map_or(0.0, |a| a.value.as_f64());
        if depth == 8.0 && key.subject == "B" { 1.10 } else { 1.0 }
    };
    bundle(folder, "slower.dyno", 2, &slower);
    bundle(folder, "near.dyno", 2, &|_| 1.05);
    let of = |new: &str, args: &[&str]| gate(folder, &[&["base.dyno", new], args].concat());
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
    for name in ["runs", "few"] {
        std::fs::create_dir(folder.join(name)).expect("made");
    }
    for run in 0..12 {
        let off = 0.99 + 0.005 * f64::from(run * 7 % 5);
        bundle(folder, &format!("runs/{run:02}.dyno"), 1, &|_| off);
    }
    for run in 0..2 {
        bundle(folder, &format!("few/{run}.dyno"), 1, &|_| 1.0);
    }
    std::fs::write(folder.join("runs/broken.dyno"), "no bundle").expect("written");
    bundle(folder, "runs/same.dyno", 1, &|_| 1.0);
    bundle(folder, "slower.dyno", 1, &|_| 1.2);
    // Within the scatter of runs nothing is shown, however little its own repeats scatter.
    bundle(folder, "near.dyno", 1, &|_| 1.05);
    let of = |base: &str, new: &str| {
        gate(folder, &[&[base, new, "--last", "10", "--json"], &P99[..]].concat())
    };
    for (new, expected) in [("runs/same.dyno", 0), ("slower.dyno", 1), ("near.dyno", 2)] {
        let (code, text) = of("runs", new);
        assert_eq!(code, expected, "{new}: {text}");
        let found: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(found["unit"], "runs");
        assert_eq!(found["base"].as_array().expect("files").len(), 10, "{text}");
        assert!(!found["base"].to_string().contains("same.dyno"), "not its own base: {text}");
    }
    let (code, text) = of("few", "slower.dyno");
    assert_eq!(code, 65, "{text}");
    assert!(text.contains("has 2 whole earlier runs"), "{text}");
    let (code, _) = gate(folder, &[&["runs", "slower.dyno", "--last", "2"], &P99[..]].concat());
    assert_eq!(code, 64);
}

#[test]
fn less_is_worse_of_rates_and_more_of_latencies() {
    let made = made::folder();
    let folder = made.path();
    bundle(folder, "base.dyno", 1, &|_| 1.0);
    bundle(folder, "slower.dyno", 1, &|_| 1.2);
    for measure in ["p99", "ops/s"] {
        let args = ["--measure", measure, "--worse-than", "5 %"];
        let of = |pair: [&str; 2]| gate(folder, &[&pair[..], &args].concat()).0;
        assert_eq!(of(["base.dyno", "slower.dyno"]), 1, "{measure}");
        assert_eq!(of(["slower.dyno", "base.dyno"]), 0, "{measure}");
    }
}

#[test]
fn what_the_new_run_lacks_or_did_otherwise_is_never_passed() {
    let made = made::folder();
    let folder = made.path();
    bundle(folder, "base.dyno", 1, &|_| 1.0);
    let without = |key: &PointKey| {
        if key.axis.as_ref().is_some_and(|a| a.value.as_f64() == 8.0) { 0.0 } else { 1.0 }
    };
    bundle(folder, "lacks.dyno", 1, &without);
    let twice = |key: &PointKey| if key.repeat <= 2 { 1.0 } else { 0.0 };
    bundle(folder, "twice.dyno", 1, &twice);
    let plan = made::plan(
        folder,
        &made::step("reads", "sweep = { axis = \"io.depth\", values = [1, 8, 32] }", "threads = 2"),
        1,
        5,
    );
    let even = Figures { ops_per_s: 4e4, p99_ns: 2e5, ..Figures::default() };
    made::write(&folder.join("other.dyno"), &plan, &mut |_| Some(even.clone()));
    for (new, why) in [
        ("lacks.dyno", "not measured in the new run"),
        ("twice.dyno", "2 repeats; it takes 3 at least"),
        ("other.dyno", "threads"),
    ] {
        let (code, text) = gate(folder, &[&["base.dyno", new], &P99[..]].concat());
        assert_eq!(code, 2, "{new}: {text}");
        assert!(text.contains(why), "{new}: {text}");
    }
    let vary = [&["base.dyno", "other.dyno"], &P99[..], &["--vary", "io.threads"]].concat();
    let (code, text) = gate(folder, &vary);
    assert!(code != 65 && !text.contains("not comparable"), "{text}");
}

#[test]
fn the_json_has_every_figure_and_the_repeats_that_would_do() {
    let made = made::folder();
    let folder = made.path();
    bundle(folder, "base.dyno", 1, &|_| 1.0);
    bundle(folder, "near.dyno", 1, &|_| 1.035);
    let args = [&["gate", "base.dyno", "near.dyno", "--json"], &P99[..]].concat();
    let args = [&args[..], &["--measure", "ops/s"]].concat();
    let out = dyno(folder, &args);
    assert_eq!(out.status.code(), Some(2), "{}", said(&out));
    let found = json(&out);
    assert_eq!((&found["verdict"], &found["worse_than"]), (&"not shown".into(), &0.05.into()));
    let figures = found["figures"].as_array().expect("figures");
    assert_eq!(figures.len(), 8, "{found:#}");
    for figure in figures {
        let of = |name: &str| figure[name].as_f64().expect("a number");
        let truth = if figure["metric"] == "p99" { 1.035 } else { 1.0 / 1.035 };
        assert!((of("ratio") / truth - 1.0).abs() < 0.005, "{figure:#}");
        assert!(of("low") <= of("ratio") && of("ratio") <= of("high"), "{figure:#}");
        assert_eq!(figure["n"], 5);
    }
    let open = figures.iter().filter(|f| f["verdict"] == "not shown" && f["mean"] == false);
    let more: Vec<u64> = open.map(|f| f["enough"].as_u64().expect("repeats")).collect();
    assert!(!more.is_empty() && more.iter().all(|n| (6..=100).contains(n)), "{more:?}");
}

/// Read by a crate for the format, by Python's XML parser (counting elements), and by a validator.
#[test]
fn the_junit_report_is_read_back_with_its_failures_and_skips() {
    let made = made::folder();
    let folder = made.path();
    bundle(folder, "base.dyno", 2, &|_| 1.0);
    let of = |key: &PointKey| match key.axis.as_ref().map_or(0.0, |a| a.value.as_f64()) {
        8.0 => 1.2,
        32.0 => 0.0,
        _ => 1.0,
    };
    bundle(folder, "new.dyno", 2, &of);
    let args = [&["base.dyno", "new.dyno", "--junit", "gate.xml"], &P99[..]].concat();
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
    bundle(folder, "base.dyno", 1, &|_| 1.0);
    bundle(folder, "slower.dyno", 1, &|_| 1.2);
    let mut command = Command::new(DYNO);
    command.current_dir(folder).args(["gate", "base.dyno", "slower.dyno"]).args(P99);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("started");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("ended").code(), Some(1));
}

/// The number of gates that report "worse" for a new run with this true loss, through the function
/// behind every verdict. Three percent scatter and five repeats.
fn alarms(
    trials: u64,
    points: usize,
    better: Better,
    (truth, limit): (f64, f64),
    seed: u64,
) -> u64 {
    let factor = if better == Better::Higher { 1.0 - truth } else { 1.0 + truth };
    let worse = |trial: &u64| {
        let mut rng = rng(seed, *trial);
        let run = |rng: &mut Rng, level: f64, block: u32| -> Vec<Observation> {
            let value = |rng: &mut Rng| level * (0.03 * rng.normal()).exp();
            (0..5).map(|i| Observation { value: value(rng), block: block + i, place: 0 }).collect()
        };
        let cells = (0..points)
            .map(|_| vec![run(&mut rng, 1000.0, 0), run(&mut rng, 1000.0 * factor, 100)])
            .collect();
        let comparable = vec![vec![(0, 1)]; points];
        let sheet = Sheet { cells, comparable, resolution: 0.0 };
        one_sided(&[sheet]).iter().map(|r| r.inverted()).any(|r| {
            let (ratio, low, high, n) = (r.ratio, r.low, r.high, r.repeats);
            let change = RatioChange { ratio, low, high, n, degrees: r.degrees };
            change.shows(better, limit) == ShownChange::Worse
        })
    };
    (0..trials).filter(worse).count() as u64
}

/// At most the expected count of n, plus chance at one in 3,000.
fn most(n: u64, chance: f64) -> u64 {
    let n = n as f64;
    (n * chance + 3.4 * (n * chance * (1.0 - chance)).sqrt()) as u64
}

#[test]
fn a_loss_of_just_the_limit_is_called_worse_in_at_most_5_of_100_gates_and_ten_per_cent_are_found() {
    let trials = size(200, 4_000);
    for points in [1, 3, 10] {
        for better in [Better::Higher, Better::Lower] {
            let at_limit = alarms(trials, points, better, (0.05, 0.05), 41);
            let found = alarms(trials, points, better, (0.10, 0.02), 42);
            println!("{points} points, {better:?}: {at_limit} and {found} of {trials}");
            assert!(at_limit <= most(trials, 0.05), "{points} {better:?}: {at_limit}");
            let missed = trials - found;
            assert!(missed <= most(trials, 0.05), "{points} {better:?}: {missed} missed");
        }
    }
}

/// The same through the program, with bundles of both figures.
#[test]
fn the_program_alarms_and_finds_as_its_statistics_do() {
    let trials = size(4, 300);
    let made = made::folder();
    let folder = made.path();
    let sweep = "sweep = { axis = \"io.depth\", values = [1, 8, 32] }";
    let plan = made::plan(folder, &made::step("reads", sweep, ""), 1, 5);
    let write = |name: &str, rng: &mut Rng, loss: f64| {
        let path = folder.join(name);
        let _ = std::fs::remove_file(&path);
        made::write(&path, &plan, &mut |_| {
            let ops_per_s = 4e4 * (1.0 - loss) * (0.03 * rng.normal()).exp();
            let p99_ns = 2e5 * (1.0 + loss) * (0.03 * rng.normal()).exp();
            Some(Figures { ops_per_s, p99_ns, ..Figures::default() })
        });
    };
    let (mut alarms, mut missed) = (0, 0);
    for trial in 0..trials {
        let rng = &mut rng(43, trial);
        write("base.dyno", rng, 0.0);
        write("limit.dyno", rng, 0.05);
        write("lost.dyno", rng, 0.10);
        let code = |new: &str, measure: &str, limit: &str| {
            let args = ["base.dyno", new, "--measure", measure, "--worse-than", limit];
            let (code, text) = gate(folder, &args);
            assert!(code <= 2, "{text}");
            code
        };
        for measure in ["p99", "ops/s"] {
            alarms += u64::from(code("limit.dyno", measure, "5%") == 1);
            missed += u64::from(code("lost.dyno", measure, "2%") != 1);
        }
    }
    let of = trials * 2;
    println!("{alarms} false alarms and {missed} losses missed of {of}");
    assert!(alarms <= most(of, 0.05) && missed <= most(of, 0.05), "{alarms}, {missed} of {of}");
}
