//! Execution of plans, from outside: the state of a resumed run, the order of points, knobs of a
//! single subject, and the record of standstills of Dyno itself.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use dyno::base::units::Rate;
use dyno::plan::AxisValue;
use dyno::record::{Outcome, OwnLateness, PacingFloor, Standstill, observed};
use dyno::store::Bundle;

use crate::support::{dyno_well, two_drives, until};

/// A folder with a protocol, a plan and two directories under test.
struct Bench(tempfile::TempDir);

impl Bench {
    /// `steps` follow the protocol's head, `plan` the name of the protocol.
    fn new(steps: &str, plan: &str) -> Bench {
        let bench = Bench(two_drives());
        std::fs::write(
            bench.path("null.toml"),
            format!("title = \"Null\"\nsource = \"test\"\n{steps}"),
        )
        .unwrap();
        std::fs::write(bench.path("plan.toml"), format!("protocol = \"./null.toml\"\n{plan}"))
            .unwrap();
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
        command.current_dir(self.0.path()).args(args).stdin(Stdio::null());
        command
    }

    fn dyno(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    #[track_caller]
    fn ok(&self, args: &[&str]) -> String {
        dyno_well(self.0.path(), args)
    }
}

fn points(bundle: &Path) -> Vec<dyno::record::Point> {
    let stored = Bundle::open(bundle).and_then(|bundle| bundle.points()).unwrap_or_default();
    stored.into_iter().map(|stored| stored.point).collect()
}

#[test]
fn a_resumed_load_sweep_knows_its_maximum_also_where_its_stream_has_a_rate_of_its_own() {
    let steps = "[[step]]\nname = \"load\"\nduration = \"500ms\"\n\
        sweep = { axis = \"io.load\", percent = [20, 40] }\n\
        [[step.stream]]\nname = \"io\"\nengine = { kind = \"null\", latency = \"1ms\" }\n\
        workload = \"random\"\n\
        rate = \"100/s\"\n";
    let plan = "repeats = 1\n[[subject]]\nname = \"X\"\ndrives = [{ path = \"x\" }]\n";
    let bench = Bench::new(steps, plan);
    let bundle = bench.path("cut.dyno");
    let mut child = bench.command(&["run", "plan.toml", "--output", "cut.dyno"]).spawn().unwrap();
    until("the maximum", 30, || !points(&bundle).is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(points(&bundle).len() < 3, "killed before its end");
    bench.ok(&["run", "--resume", "cut.dyno"]);
    let points = points(&bundle);
    assert!(points.iter().all(|point| point.outcome == Outcome::Measured), "{points:?}");
    let at = |value: AxisValue| {
        let found = points
            .iter()
            .find(|point| point.key.axis.as_ref().is_some_and(|axis| axis.value == value));
        found.unwrap_or_else(|| panic!("{value:?}"))
    };
    let maximum = at(AxisValue::Maximum);
    assert_eq!(maximum.cells[0].asked, None, "the maximum is a closed loop");
    for percent in [20.0, 40.0] {
        let Some(Rate::OpsPerSec(asked)) = at(AxisValue::Number(percent)).cells[0].asked else {
            panic!("no rate")
        };
        let share = asked / dyno::run::ops_per_s(maximum, "io");
        assert!((share - percent / 100.0).abs() < 1e-9, "{percent} % is {share} of the maximum");
    }
}

const READS: &str = "[[step]]\nname = \"a\"\nduration = \"300ms\"\n[[step.stream]]\nname = \"io\"\n\
    engine = { kind = \"null\", latency = \"1ms\" }\nworkload = \"random\"\n";

const PAIR: &str = "[[subject]]\nname = \"X\"\ndrives = [{ path = \"x\" }]\n[[subject]]\n\
                    name = \"Y\"\ndrives = [{ path = \"y\" }]\n";

#[test]
fn a_plan_that_does_not_say_is_repeated_five_times_and_three_where_points_are_long() {
    let bench = Bench::new(READS, PAIR);
    let says = bench.ok(&["plan", "check", "plan.toml"]);
    assert!(says.contains("10 points: 2 subjects × 5 repeats, interleaved"), "{says}");
    assert!(says.contains("5 repeats: the default if no point takes more than 10 m"), "{says}");
    let long = Bench::new(&READS.replace("300ms", "9m\"\nwarmup = \"61s"), PAIR);
    let says = long.ok(&["plan", "check", "plan.toml"]);
    assert!(says.contains("3 repeats: the default if a point takes more than 10 m"), "{says}");
    let few = Bench::new(READS, &format!("repeats = 2\n{PAIR}"));
    let says = few.ok(&["plan", "check", "plan.toml"]);
    assert!(says.contains("Too few repeats to compare subjects"), "{says}");
    let line = ["plan", "check", "./null.toml", "-s", "X=x", "--repeats", "4"];
    let says = few.ok(&line);
    assert!(says.contains("4 repeats: set by the plan"), "{says}");
}

#[test]
fn what_varies_is_kept_in_the_plan_and_an_unknown_field_is_a_mistake() {
    let bench = Bench::new(
        READS,
        &format!("vary = [\"io.threads\", \"io.engine.latency\", \"host\"]\nrepeats = 1\n{PAIR}"),
    );
    bench.ok(&["run", "plan.toml", "--output", "b.dyno"]);
    let plan = Bundle::open(&bench.path("b.dyno")).unwrap().run().plan.clone();
    assert_eq!(plan.vary, ["io.threads", "io.engine.latency", "host"]);
    let bench = Bench::new(READS, &format!("vary = [\"io.thread\"]\n{PAIR}"));
    let refused = bench.dyno(&["plan", "check", "plan.toml"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("did you mean 'io.threads'?"), "{said}");
    assert!(said.contains("plan.toml:2:9"), "{said}");
}

/// The median service time of each subject's points, in milliseconds.
fn medians(bundle: &Path, subject: &str) -> Vec<f64> {
    let own = points(bundle).into_iter().filter(|point| point.key.subject == subject);
    own.map(|point| point.cells[0].tallies[0].service.quantile_ns(0.5).unwrap() as f64 / 1e6)
        .collect()
}

#[test]
fn a_subject_may_have_knobs_of_its_own_and_the_other_keeps_the_protocols() {
    let own = PAIR.replace(
        "[[subject]]\nname = \"Y\"",
        "[subject.override]\n\"step.a.stream.io.engine.latency\" = \"20ms\"\n[[subject]]\n\
         name = \"Y\"",
    );
    let bench = Bench::new(READS, &format!("repeats = 2\n{own}"));
    let says = bench.ok(&["plan", "check", "plan.toml"]);
    assert!(says.contains("X alone: a.io.engine.latency = 20000000"), "{says}");
    bench.ok(&["run", "plan.toml", "--output", "plan.dyno"]);
    let line = [
        "--subject",
        "X=x,latency=20ms",
        "--subject",
        "Y=y",
        "--repeats",
        "2",
        "--output",
        "line.dyno",
    ];
    bench.ok(&[&["run", "./null.toml"], &line[..]].concat());
    let [plan, line] = ["plan.dyno", "line.dyno"]
        .map(|name| Bundle::open(&bench.path(name)).unwrap().run().plan.clone());
    assert_eq!(plan.subjects[0].overrides, line.subjects[0].overrides);
    assert_eq!((plan.subjects[0].overrides.len(), plan.subjects[1].overrides.len()), (1, 0));
    for bundle in ["plan.dyno", "line.dyno"].map(|name| bench.path(name)) {
        let (x, y) = (medians(&bundle, "X"), medians(&bundle, "Y"));
        assert!(x.iter().all(|ms| *ms >= 19.9) && y.iter().all(|ms| *ms < 10.0), "{x:?} {y:?}");
    }
}

#[test]
fn what_is_no_knob_of_a_stream_may_not_be_a_subjects_own() {
    for (path, says) in [
        ("latncy", "did you mean 'latency'?"),
        ("step.a.duration", "cannot be set for a single subject"),
        ("step.a.stream.io.threads", "cannot be set for a single subject"),
        ("step.a.stream.oi.engine.latency", "finds no 'oi'"),
        ("step.a.stream.io.engine.speed", "no key 'speed'"),
    ] {
        let bench =
            Bench::new(READS, &format!("{PAIR}[subject.override]\n\"{path}\" = \"20ms\"\n"));
        let refused = bench.dyno(&["plan", "check", "plan.toml"]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            !refused.status.success() && said.contains(says) && said.contains("plan.toml:9:1"),
            "{path}: {said}"
        );
    }
}

#[test]
fn two_subjects_on_one_device_are_refused_unless_it_is_a_control_run_or_nothing_is_kept() {
    let data = "[dataset.file]\nengine = \"psync\"\nsize = \"1MiB\"\ndirect = false\n\
        fill = { kind = \"sequential\", read = 0 }\n\
        [[step]]\nname = \"a\"\nduration = \"200ms\"\n[[step.stream]]\nname = \"io\"\n\
        engine = \"psync\"\nworkload = \"random\"\n";
    let bench = Bench::new(data, &format!("repeats = 1\n{PAIR}"));
    for words in
        [&["plan", "check", "plan.toml"][..], &["run", "plan.toml", "--output", "refused.dyno"]]
    {
        let refused = bench.dyno(words);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success(), "{words:?}");
        assert!(
            said.contains("'X' and 'Y' share a physical device") && said.contains("--same-device"),
            "{said}"
        );
    }
    assert!(!bench.path("refused.dyno").exists());
    bench.ok(&["run", "plan.toml", "--same-device", "--output", "flag.dyno"]);
    let bundle = Bundle::open(&bench.path("flag.dyno")).unwrap();
    assert!(bundle.run().plan.same_device);
    let shared = bundle
        .facts()
        .unwrap()
        .into_iter()
        .find(|fact| fact.name == dyno::record::key::devices::SHARED);
    assert!(shared.is_some_and(|fact| fact.value.starts_with("X and Y: ")));
    let control = Bench::new(data, &format!("same_device = true\n{PAIR}"));
    control.ok(&["plan", "check", "plan.toml"]);
    // The null engine stores nothing; one directory serves both.
    let same = PAIR.replace("path = \"y\"", "path = \"x\"");
    Bench::new(READS, &same).ok(&["plan", "check", "plan.toml"]);
}

/// Every standstill of a bundle's only point.
fn standstills(bundle: &Path) -> Vec<Standstill> {
    let bundle = Bundle::open(bundle).unwrap();
    let id = bundle.points().unwrap()[0].id;
    bundle.samples(id).unwrap().iter().filter_map(Standstill::of_sample).collect()
}

#[test]
fn a_window_in_which_dyno_was_stopped_says_when_and_how_long_and_what_its_loop_overslept() {
    let open = "engine = \"null\"\nrate = \"100/s\"";
    let steps = READS
        .replace("300ms", "5s")
        .replace("engine = { kind = \"null\", latency = \"1ms\" }", open);
    let bench =
        Bench::new(&steps, "repeats = 1\n[[subject]]\nname = \"X\"\ndrives = [{ path = \"x\" }]\n");
    let run = ["run", "plan.toml", "--progress", "json", "--output", "b.dyno"];
    let mut child = bench.command(&run).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    lines.find(|line| line.contains("\"event\":\"rate\"")).expect("the window's first second");
    let signal = |name: &str| {
        assert!(
            Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success()
        )
    };
    let stopped = Instant::now();
    signal("-STOP");
    // The length of the standstill under test.
    std::thread::sleep(Duration::from_secs(2));
    signal("-CONT");
    let length = stopped.elapsed().as_secs_f64();
    assert!(child.wait().unwrap().success());
    let stood = standstills(&bench.path("b.dyno"));
    let longest = stood.iter().map(|stood| stood.length_ns as f64 / 1e9).fold(0.0, f64::max);
    assert!((longest / length - 1.0).abs() < 0.1, "stopped for {length} s: {stood:?}");
    eprintln!("stopped for {length:.3} s, stored: {longest:.3} s");
    let point = points(&bench.path("b.dyno")).remove(0);
    let overslept =
        observed::all::<OwnLateness>(&point.observed).next().expect("an op was waited for");
    assert!((overslept.longest_ns as f64 / 1e9 / length - 1.0).abs() < 0.1, "{overslept:?}");
    assert!(
        point.cells[0].late >= 100,
        "what fell due meanwhile was late as well: {}",
        point.cells[0].late
    );
    assert!(stood.iter().all(|stood| (0..5_000_000_000).contains(&stood.at_ns)), "{stood:?}");
}

#[test]
fn a_run_discloses_its_pacing_floor() {
    let bench = Bench::new(READS, PAIR);
    bench.ok(&["run", "./null.toml", "-s", "X=x", "--repeats", "1", "--output", "b.dyno"]);
    let observed = Bundle::open(&bench.path("b.dyno")).unwrap().observed().unwrap();
    let floor = observed::all::<PacingFloor>(&observed).next().expect("measured at the start");
    assert!(floor.median_ns > 0 && floor.ops > 0, "{floor:?}");
    eprintln!("{floor:?}");
}

#[test]
fn two_streams_on_the_null_engine_have_each_the_latency_that_was_set_for_it() {
    let stream = |name: &str, latency: &str| {
        format!(
            "[[step.stream]]\nname = \"{name}\"\n\
             engine = {{ kind = \"null\", latency = \"{latency}\" }}\n\
             workload = \"random\"\n"
        )
    };
    let (quick, slow) = (stream("quick", "20us"), stream("slow", "3ms"));
    let plan = "repeats = 1\n[[subject]]\nname = \"X\"\ndrives = [{ path = \"x\" }]\n";
    for streams in [[&quick, &slow], [&slow, &quick]].map(|both| both.map(String::as_str).concat())
    {
        let bench =
            Bench::new(&format!("[[step]]\nname = \"both\"\nduration = \"1s\"\n{streams}"), plan);
        bench.ok(&["run", "plan.toml", "--output", "b.dyno"]);
        for cell in &points(&bench.path("b.dyno"))[0].cells {
            let shortest_ns = cell.tallies[0].service.min_ns as f64;
            let set_ns = if cell.stream == "slow" { 3e6 } else { 20e3 };
            // A busy machine adds to many of them, and reduces none.
            assert!(
                (0.99 * set_ns..20.0 * set_ns).contains(&shortest_ns),
                "{}: {shortest_ns} ns",
                cell.stream
            );
        }
    }
}
