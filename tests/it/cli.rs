//! The binary as its users see it: refusals before anything is touched, interruption and
//! resumption, repetition.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::{DYNO, dyno_well, points_so_far, two_drives};

/// Two steps, three points each, on the null engine: 6 points per subject and repeat, 12 for two
/// subjects.
const PROTOCOL: &str = r#"
title = "Null"
source = "test"
[[step]]
name = "a"
duration = "300ms"
sweep = { axis = "io.threads", values = [1, 2, 3] }
[[step.stream]]
name = "io"
engine = { kind = "null", latency = "1ms" }
workload = "random"
[[step]]
name = "b"
duration = "300ms"
sweep = { axis = "io.depth", values = [1, 2, 4] }
[[step.stream]]
name = "io"
engine = { kind = "null", latency = "1ms" }
workload = { kind = "random", read = 70 }
"#;

struct Bench {
    dir: tempfile::TempDir,
}

impl Bench {
    fn new() -> Bench {
        let dir = two_drives();
        std::fs::write(dir.path().join("null.toml"), PROTOCOL).unwrap();
        Bench { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(DYNO);
        command.current_dir(self.dir.path()).args(args).stdin(Stdio::null());
        command
    }

    fn dyno(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    #[track_caller]
    fn ok(&self, args: &[&str]) -> String {
        dyno_well(self.dir.path(), args)
    }

    /// The keys of a bundle's points: everything in a row of `dyno export` up to the repeat.
    fn keys(&self, bundle: &str) -> Vec<String> {
        let rows = self.ok(&["export", bundle]);
        let key = |row: &str| row.split(',').take(5).collect::<Vec<_>>().join(",");
        let mut keys: Vec<String> = rows.lines().skip(1).map(key).collect();
        keys.sort();
        keys.dedup();
        keys
    }
}

const RUN: [&str; 8] =
    ["run", "./null.toml", "--subject", "X=x", "--subject", "Y=y", "--set", "repeats=1"];

#[test]
fn killed_in_the_middle_and_resumed_a_run_has_the_points_of_one_that_was_not() {
    let bench = Bench::new();
    bench.ok(&[&RUN[..], &["--output", "whole.dyno"]].concat());
    let mut child = bench.command(&[&RUN[..], &["--output", "cut.dyno"]].concat()).spawn().unwrap();
    wait_for_points(&bench.path("cut.dyno"), 5);
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = bench.keys("cut.dyno").len();
    assert!((5..12).contains(&kept), "{kept} points survived the kill");
    bench.ok(&["run", "--resume", "cut.dyno"]);
    assert_eq!(bench.keys("cut.dyno"), bench.keys("whole.dyno"));
    assert_eq!(bench.keys("whole.dyno").len(), 12);
}

/// Waits until the bundle has `n` points.
fn wait_for_points(bundle: &Path, n: usize) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    loop {
        let points = points_so_far(bundle);
        if points >= n {
            return;
        }
        assert!(std::time::Instant::now() < deadline, "only {points} points after 30 s");
        // Without a pause, because the points are short.
        std::thread::yield_now();
    }
}

#[test]
fn an_interrupt_keeps_what_is_finished_and_says_how_to_go_on() {
    let bench = Bench::new();
    let mut command = bench.command(&[&RUN[..], &["--output", "cut.dyno"]].concat());
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    wait_for_points(&bench.path("cut.dyno"), 2);
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stderr).contains("dyno run --resume cut.dyno"));
    bench.ok(&["run", "--resume", "cut.dyno"]);
    assert_eq!(bench.keys("cut.dyno").len(), 12);
}

#[test]
fn a_bundle_repeats_its_experiment() {
    let bench = Bench::new();
    bench.ok(&[&RUN[..], &["--output", "first.dyno"]].concat());
    bench.ok(&["run", "first.dyno", "--output", "second.dyno"]);
    assert_eq!(bench.keys("first.dyno"), bench.keys("second.dyno"));
}

#[test]
fn a_bundle_may_not_lie_on_the_drive_under_test_nor_replace_a_file() {
    let bench = Bench::new();
    let refused = bench.dyno(&[&RUN[..], &["--output", "x/run.dyno"]].concat());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("is under test"), "{refused:?}");
    std::fs::write(bench.path("taken"), "mine").unwrap();
    let refused = bench.dyno(&[&RUN[..], &["--output", "taken"]].concat());
    assert!(!refused.status.success());
    assert_eq!(std::fs::read_to_string(bench.path("taken")).unwrap(), "mine");
}

#[test]
fn what_is_shown_is_made_of_the_bundle() {
    let bench = Bench::new();
    bench.ok(&[&RUN[..], &["--output", "b.dyno", "--repeats", "2"]].concat());
    let shown = bench.ok(&["show", "b.dyno"]);
    assert!(shown.contains('X') && shown.contains("threads of io"), "{shown}");
    assert!(bench.ok(&["compare", "b.dyno"]).contains("ops/s"));
    bench.ok(&["report", "b.dyno", "-o", "brief.html", "--figures", "figures"]);
    let html = std::fs::read_to_string(bench.path("brief.html")).unwrap();
    assert!(
        html.contains("<svg") && !html.contains("http://") || html.contains("www.w3.org"),
        "a self-contained page"
    );
    let figures: Vec<_> = std::fs::read_dir(bench.path("figures")).unwrap().flatten().collect();
    let ends = |end: &str| {
        figures.iter().filter(|f| f.file_name().to_string_lossy().ends_with(end)).count()
    };
    assert!(ends(".svg") > 0 && ends(".svg") == ends(".png"));
}

#[test]
fn bad_plans_are_refused_with_line_and_remedy_before_anything_is_touched() {
    let bench = Bench::new();
    let plan = "protocol = \"./null.toml\"\nrepeats = 1\nrepeat = 2\n[override]\n\
                \"step.a.duration\" = \"5\"\n\
                [[subject]]\nname = \"X\"\ndrives = [{ path = \"x\" }]\n[[subject]]\nname = \"Y\"\n\
                drives = [{ path = \"gone\" }]\n";
    std::fs::write(bench.path("plan.toml"), plan).unwrap();
    for command in
        [&["run", "plan.toml", "--output", "b.dyno"][..], &["plan", "check", "plan.toml"]]
    {
        let output = bench.dyno(command);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        for part in ["plan.toml:3:1", "repeats", "plan.toml:5:", "plan.toml:11:", "gone"] {
            assert!(said.contains(part), "'{part}' is not in:\n{said}");
        }
    }
    assert!(!bench.path("b.dyno").exists() && !bench.path("x/dyno-data").exists());
}

/// What a new user types, and the remedy that the answer must contain.
#[test]
fn mistakes_of_the_command_line_are_answered_with_the_right_form() {
    let bench = Bench::new();
    let cases: [(&[&str], i32, &[&str]); 9] = [
        (&["run", "null.toml", "--subject", "A"], 64, &["'A' has no value", "--subject A=/mnt/a"]),
        (
            &["run", "quick", "--subject", "A=a", "--set", "step.read.duration"],
            64,
            &["--set: 'step.read.duration' has no value", "--set step.readrandom.duration=5s"],
        ),
        (&["run", "null.toml"], 64, &["null.toml is a protocol", "--subject A=/mnt/a"]),
        (&["run", "quick", "--dry-run"], 1, &["--subject A=/mnt/a --subject B=/mnt/b"]),
        (&["rnu", "quick"], 64, &["use `dyno run`"]),
        (&["benchmark"], 64, &["use `dyno bench`"]),
        (&["protocols", "show", "quik"], 1, &["did you mean 'quick'?"]),
        (&["plan", "check", "quick"], 1, &["--subject A=/mnt/a --subject B=/mnt/b"]),
        (&["convert", "/etc/hostname"], 1, &["neither a fio job file nor a vdbench"]),
    ];
    for (args, code, expected) in cases {
        let answer = bench.dyno(args);
        let said = String::from_utf8_lossy(&answer.stderr).replace('\n', " ");
        assert_eq!(answer.status.code(), Some(code), "{args:?}: {said}");
        for text in expected {
            assert!(said.contains(text), "{args:?}: {text} in {said}");
        }
    }
}
