//! Carrying plans out, from outside: what a resumed run still knows, in which order points are measured, what a plan may
//! give one subject alone, and what is noted when Dyno itself stands still.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use dyno::base::units::Rate;
use dyno::plan::AxisValue;
use dyno::record::Outcome;
use dyno::store::Bundle;

/// A folder with a protocol, a plan and two directories under test.
struct Bench(tempfile::TempDir);

impl Bench {
    /// `steps` follow the protocol's head, `plan` the name of the protocol.
    fn new(steps: &str, plan: &str) -> Bench {
        let bench = Bench(tempfile::tempdir().unwrap());
        ["x", "y"].iter().for_each(|drive| std::fs::create_dir(bench.path(drive)).unwrap());
        std::fs::write(bench.path("null.toml"), format!("title = \"Null\"\nsource = \"test\"\n{steps}")).unwrap();
        std::fs::write(bench.path("plan.toml"), format!("protocol = \"./null.toml\"\n{plan}")).unwrap();
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
        let output = self.dyno(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

/// Waits for a condition, for thirty seconds at most.
#[track_caller]
fn until(what: &str, mut met: impl FnMut() -> bool) {
    let give_up = Instant::now() + Duration::from_secs(30);
    while !met() {
        assert!(Instant::now() < give_up, "waited 30 s for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn points(bundle: &Path) -> Vec<dyno::record::Point> {
    let stored = Bundle::open(bundle).and_then(|bundle| bundle.points()).unwrap_or_default();
    stored.into_iter().map(|stored| stored.point).collect()
}

#[test]
fn a_resumed_load_sweep_knows_its_maximum_also_where_its_stream_has_a_rate_of_its_own() {
    let steps = "[[step]]\nname = \"load\"\nduration = \"500ms\"\nsweep = { axis = \"io.load\", percent = [20, 40] }\n\
        [[step.stream]]\nname = \"io\"\nengine = { kind = \"null\", latency = \"1ms\" }\nworkload = \"random\"\n\
        rate = \"100/s\"\n";
    let plan = "repeats = 1\n[[subject]]\nname = \"X\"\ndrives = [{ path = \"x\" }]\n";
    let bench = Bench::new(steps, plan);
    let bundle = bench.path("cut.dyno");
    let mut child = bench.command(&["run", "plan.toml", "--bundle", "cut.dyno"]).spawn().unwrap();
    until("the maximum", || !points(&bundle).is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(points(&bundle).len() < 3, "killed before its end");
    bench.ok(&["run", "--resume", "cut.dyno"]);
    let points = points(&bundle);
    assert!(points.iter().all(|point| point.outcome == Outcome::Measured), "{points:?}");
    let at = |value: AxisValue| {
        let found = points.iter().find(|point| point.key.axis.as_ref().is_some_and(|axis| axis.value == value));
        found.unwrap_or_else(|| panic!("{value:?}"))
    };
    let maximum = at(AxisValue::Maximum);
    assert_eq!(maximum.cells[0].asked, None, "the maximum is a closed loop");
    for percent in [20.0, 40.0] {
        let Some(Rate::OpsPerSec(asked)) = at(AxisValue::Number(percent)).cells[0].asked else { panic!("no rate") };
        let share = asked / dyno::run::ops_per_s(maximum, "io");
        assert!((share - percent / 100.0).abs() < 1e-9, "{percent} % is {share} of the maximum");
    }
}
