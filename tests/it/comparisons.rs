//! Comparisons: several protocols over the same subjects, in one run, one bundle and one report.

use std::path::Path;
use std::process::{Command, Output};

use dyno::plan::Order;
use dyno::record::{Outcome, PointKey};
use dyno::store::Bundle;

use crate::support::{DYNO, dyno, dyno_well, said, two_drives, until};

/// A protocol with a step on the null engine.
fn null(step: &str, duration: &str) -> String {
    format!(
        "title = \"Null {step}\"\nsource = \"test\"\n[[step]]\nname = \"{step}\"\n\
         duration = \"{duration}\"\nsweep = {{ axis = \"io.depth\", values = [1, 2] }}\n\
         [[step.stream]]\nname = \"io\"\nengine = {{ kind = \"null\", latency = \"1ms\" }}\n\
         workload = \"random\"\n"
    )
}

/// A protocol that fills a dataset of this size, of which another has one of the same name.
fn filled(step: &str, size: &str) -> String {
    format!(
        "title = \"File {step}\"\nsource = \"test\"\n[dataset.file]\nengine = \"psync\"\n\
         size = \"{size}\"\ndirect = false\nfill = {{ kind = \"sequential\", read = 0 }}\n\
         [[step]]\nname = \"{step}\"\nduration = \"200ms\"\n[[step.stream]]\nname = \"io\"\n\
         engine = \"psync\"\nworkload = \"random\"\n"
    )
}

const PAIR: &str = "[[subject]]\nname = \"X\"\ndrives = [{ path = \"x\" }]\n[[subject]]\n\
                    name = \"Y\"\ndrives = [{ path = \"y\" }]\n";

/// A folder with the protocols `one`, `two` and `three`, and a plan.
fn bench(plan: &str) -> tempfile::TempDir {
    let dir = two_drives();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).expect(name);
    write("one.toml", &null("a", "200ms"));
    write("two.toml", &filled("b", "1MiB"));
    write("three.toml", &filled("c", "2MiB"));
    write("plan.toml", &format!("same_device = true\n{plan}\n{PAIR}"));
    dir
}

fn tests(bundle: &Path) -> Vec<Bundle> {
    Bundle::open_tests(bundle).expect("a bundle")
}

fn keys(test: &Bundle) -> Vec<PointKey> {
    let points = test.points().expect("points");
    assert!(points.iter().all(|stored| stored.point.outcome == Outcome::Measured));
    points.into_iter().map(|stored| stored.point.key).collect()
}

fn refused(dir: &Path, args: &[&str]) -> String {
    let output: Output = dyno(dir, args);
    assert!(!output.status.success(), "{args:?}");
    said(&output)
}

const LISTED: &str = "protocols = [\"./one.toml\", { protocol = \"./two.toml\", repeats = 2, \
    order = \"blocked\" }, \"./three.toml\"]\nrepeats = 1\n\
    [override]\n\"one.step.a.duration\" = \"100ms\"\n";

#[test]
fn a_plan_of_several_protocols_is_one_run_one_bundle_and_one_report() {
    let dir = bench(LISTED);
    let says = dyno_well(dir.path(), &["plan", "check", "plan.toml"]);
    assert!(says.contains("Test 2 of 3: File b (two)"), "{says}");
    assert!(says.contains("All 3 tests: 10 points"), "{says}");
    let run = dyno(dir.path(), &["run", "plan.toml", "--output", "all.dyno"]);
    let shown = said(&run);
    assert!(run.status.success(), "{shown}");
    assert!(shown.contains("test 1 of 3") && shown.contains("test 3 of 3"), "{shown}");
    assert!(shown.contains("10 points measured, 0 failed"), "{shown}");
    let tests = tests(&dir.path().join("all.dyno"));
    let of = |test: &Bundle| {
        let plan = &test.run().plan;
        let comparison = plan.comparison.as_ref().map(|c| c.name.clone());
        (plan.protocol.name.clone(), comparison, plan.repeats, plan.order, keys(test).len())
    };
    let plan = Some("plan".to_string());
    let expected = [
        ("one".to_string(), plan.clone(), 1, Order::Interleaved, 4),
        ("two".to_string(), plan.clone(), 2, Order::Blocked, 4),
        ("three".to_string(), plan, 1, Order::Interleaved, 2),
    ];
    assert_eq!(tests.iter().map(of).collect::<Vec<_>>(), expected);
    assert_eq!(tests[0].run().plan.protocol.steps[0].duration_ns, 100_000_000);
    for test in &tests {
        assert!(test.host().expect("a host").memory_bytes.is_some(), "each has its own setup");
        assert_eq!(test.drives().expect("drives").len(), 2);
        // Datasets of one name but different sizes: each test fills its own, for each subject.
        let fills =
            test.prepared().expect("read").iter().filter(|p| p.action == "fill file").count();
        assert_eq!(fills, 2 * test.run().plan.protocol.datasets.len());
    }
    let csv = dyno_well(dir.path(), &["export", "all.dyno"]);
    for step in ["a", "b", "c"] {
        let is_of = |line: &&str| line.split(',').any(|cell| cell == step);
        assert!(csv.lines().filter(is_of).count() > 1, "{csv}");
    }
    let report = dyno_well(dir.path(), &["show", "all.dyno"]);
    for step in ["\na\n", "\nb\n", "\nc\n"] {
        assert!(report.contains(step), "{report}");
    }
    let listed = dyno_well(dir.path(), &["catalogue", "."]);
    assert!(listed.contains("10"), "{listed}");
}

#[test]
fn a_comparison_killed_in_its_second_test_continues_there() {
    let two = ["\"./one.toml\"", "\"./slow.toml\""].join(", ");
    let dir = bench(&format!("protocols = [{two}]\nrepeats = 2\n"));
    std::fs::write(dir.path().join("slow.toml"), null("s", "800ms")).expect("written");
    let bundle = dir.path().join("cut.dyno");
    let mut command = Command::new(DYNO);
    command.current_dir(dir.path()).args(["run", "plan.toml", "--output", "cut.dyno", "-q"]);
    let mut child = command.spawn().expect("started");
    let so_far = || {
        let tests = Bundle::open_tests(&bundle).ok()?;
        Some(tests.get(1)?.points().ok()?.len())
    };
    until("points of the second test", 60, || so_far().is_some_and(|points| points >= 2));
    child.kill().expect("killed");
    child.wait().expect("ended");
    let before: Vec<Vec<PointKey>> = tests(&bundle).iter().map(keys).collect();
    assert_eq!(before[0].len(), 8);
    assert!((2..8).contains(&before[1].len()), "killed before its end: {}", before[1].len());
    let resumed = dyno(dir.path(), &["run", "--resume", "cut.dyno"]);
    let shown = said(&resumed);
    assert!(resumed.status.success(), "{shown}");
    assert!(!shown.contains("test 1 of 2") && shown.contains("test 2 of 2"), "{shown}");
    let after: Vec<Vec<PointKey>> = tests(&bundle).iter().map(keys).collect();
    assert_eq!(after[0], before[0], "nothing is measured again");
    assert_eq!((after[1].len(), &after[1][..before[1].len()]), (8, &before[1][..]));
    let again = dyno(dir.path(), &["run", "--resume", "cut.dyno"]);
    assert!(said(&again).contains("0 points measured, 0 failed"), "{}", said(&again));
}

#[test]
fn tests_and_steps_of_a_comparison_can_be_selected() {
    let dir = bench(LISTED);
    let names = |output: &str| {
        let tests = tests(&dir.path().join(output));
        tests.iter().map(|test| test.run().plan.protocol.name.clone()).collect::<Vec<_>>()
    };
    let run = ["run", "plan.toml", "--output"];
    dyno_well(dir.path(), &[&run[..], &["only.dyno", "--only", "one"]].concat());
    assert_eq!(names("only.dyno"), ["one"]);
    dyno_well(dir.path(), &[&run[..], &["skip.dyno", "--skip", "one"]].concat());
    assert_eq!(names("skip.dyno"), ["two", "three"]);
    dyno_well(dir.path(), &[&run[..], &["step.dyno", "--step", "c"]].concat());
    assert_eq!(names("step.dyno"), ["three"]);
    dyno_well(dir.path(), &["run", "skip.dyno", "--only", "two", "--output", "again.dyno"]);
    assert_eq!(names("again.dyno"), ["two"]);
    for (args, says) in [
        (["--only", "on"], "there is no test 'on'"),
        (["--skip", "four"], "there is no test 'four'"),
        (["--step", "d"], "there is no step 'd'"),
    ] {
        let says_so = refused(dir.path(), &[&["plan", "check", "plan.toml"][..], &args].concat());
        assert!(says_so.contains(says), "{says_so}");
    }
    let all = ["--skip", "one", "--skip", "two", "--skip", "three"];
    let says = refused(dir.path(), &[&["plan", "check", "plan.toml"][..], &all].concat());
    assert!(says.contains("leaves nothing to measure"), "{says}");
}

#[test]
fn a_comparison_of_its_own_file_has_a_title_values_and_scales() {
    let dir = bench("protocol = \"./pages.toml\"\nrepeats = 1\n");
    let pages = "title = \"Pages\"\nsource = \"test\"\nprotocols = [\"./one.toml\", \
                 { protocol = \"./two.toml\", repeats = 4 }]\n\
                 [override]\n\"one.step.a.sweep.values\" = [1]\n\
                 [scale.tiny]\n\"one.step.a.duration\" = \"50ms\"\n";
    std::fs::write(dir.path().join("pages.toml"), pages).expect("written");
    dyno_well(dir.path(), &["run", "plan.toml", "--output", "plan.dyno"]);
    let tests = tests(&dir.path().join("plan.dyno"));
    let comparison = tests[0].run().plan.comparison.clone().expect("one");
    assert_eq!((comparison.name.as_str(), comparison.title.as_str()), ("pages", "Pages"));
    assert_eq!(tests[1].run().plan.repeats, 1, "the plan takes precedence over the comparison");
    assert_eq!(keys(&tests[0]).len(), 2);
    let line = ["plan", "check", "./pages.toml", "--same-device", "-s", "X=x", "-s", "Y=y"];
    let says = dyno_well(dir.path(), &line);
    assert!(says.contains("All 2 tests: 18 points"), "{says}");
    let says = refused(dir.path(), &[&line[..], &["--set", "thre.step.c.duration=1s"]].concat());
    assert!(says.contains("there is no test 'thre'"), "{says}");
    let says = refused(dir.path(), &[&line[..], &["--set", "two.step.x.duration=1s"]].concat());
    assert!(says.contains("finds no 'x'"), "{says}");
    std::fs::write(dir.path().join("pages.toml"), pages.replace("./two", "./one"))
        .expect("written");
    assert!(refused(dir.path(), &line).contains("'one' is listed twice"));
}
