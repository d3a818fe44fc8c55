//! Points without figures: a stream that completed nothing, writes that never reached the drive.
//! They fail with their cause, are measured again by `--resume`, and no view keeps or drops them
//! differently from another.

use std::process::Command;

use dyno::plan::Plan;
use dyno::record::{METHOD, Outcome};
use serde_json::Value;

use crate::made::{self, Figures};
use crate::support::{LoopDevice, dyno, dyno_well, points, said, skip};

/// Two subjects of five repeats: B is 10 % faster, and completed nothing in one repeat.
fn with_a_standstill(folder: &std::path::Path, name: &str, of: &str) -> std::path::PathBuf {
    let plan = made::plan(folder, &made::step("reads", "", ""), 2, 5);
    let path = folder.join(name);
    made::write(&path, &plan, &mut |key| {
        let still = key.subject == of && key.repeat == 4;
        let scatter = 1.0 + 0.002 * f64::from(key.repeat * 7 % 5);
        let faster = if key.subject == "B" { 1.1 } else { 1.0 };
        let ops_per_s = if still { 0.0 } else { 4e4 * faster * scatter };
        Some(Figures { ops_per_s, p99_ns: 2e5, ..Figures::default() })
    });
    path
}

#[test]
fn a_repeat_without_an_op_bars_the_ratio_and_every_view_says_that_it_failed() {
    let made = made::folder();
    let folder = made.path();
    let still = with_a_standstill(folder, "still.dyno", "B");
    let whole = with_a_standstill(folder, "whole.dyno", "none");
    let claimed = |path| made::claims(&[path], &[])["claims"].as_array().map(Vec::len);
    assert!(claimed(&whole) > Some(0), "10 % at 0.3 % scatter are shown");
    assert_eq!(claimed(&still), Some(0));
    let shown = dyno_well(folder, &["show", "still.dyno"]);
    assert!(shown.contains("no op was completed: not measured"), "{shown}");
    let compared = dyno_well(folder, &["compare", "still.dyno"]);
    assert!(compared.contains("no op was completed: not measured"), "{compared}");
    // The gate can say nothing of the drive that stood still.
    let args = ["gate", "whole.dyno", "still.dyno", "--worse-than", "50%", "--measure", "ops/s"];
    let gate = dyno(folder, &args);
    assert_eq!(gate.status.code(), Some(2), "{}", said(&gate));
}

#[test]
fn a_point_that_completes_nothing_fails_with_its_cause_and_is_measured_again_by_resume() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("a")).unwrap();
    // The op that is due at the start belongs to the warm-up, the next one comes after the window.
    let protocol = made::step("seldom", "warmup = \"100ms\"", "rate = \"0.1/s\"");
    let protocol = format!("title = \"T\"\nsource = \"test\"\n{protocol}");
    std::fs::write(dir.path().join("p.toml"), protocol).unwrap();
    let args = ["run", "./p.toml", "-s", "A=a", "--repeats", "1", "-o", "b.dyno"];
    let resume = ["run", "--resume", "b.dyno"];
    for args in [&args[..], &resume] {
        let output = dyno(dir.path(), args);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        let [point] = &points(&dir.path().join("b.dyno"))[..] else { panic!("one point") };
        let Outcome::Failed { cause } = &point.outcome else { panic!("{:?}", point.outcome) };
        assert!(cause.contains("stream 'io' completed no op in the window of 1"), "{cause}");
    }
}

#[test]
fn a_load_sweep_whose_maximum_completed_nothing_measures_it_and_its_points_again() {
    let made = made::folder();
    let folder = made.path();
    let sweep = "sweep = { axis = \"io.load\", percent = [50, 100] }";
    let plan = made::plan(folder, &made::step("load", sweep, "arrival = \"poisson\""), 1, 1);
    let plan = Plan { method: METHOD, ..plan };
    // Not on the subject's drive.
    let elsewhere = tempfile::tempdir().unwrap();
    let path = elsewhere.path().join("b.dyno");
    made::write(&path, &plan, &mut |key| {
        let at_maximum = key.axis.as_ref().is_some_and(|axis| axis.value.is_maximum());
        let nothing = "stream 'io' completed no op";
        let failure = Some(if at_maximum { nothing } else { "the maximum was not measured" });
        Some(Figures { failure, ..Figures::default() })
    });
    dyno_well(elsewhere.path(), &["run", "--resume", "b.dyno"]);
    let points = points(&path);
    assert_eq!(points.len(), 3);
    for point in &points {
        assert!(point.outcome == Outcome::Measured && !point.did_nothing(), "{:?}", point.key);
    }
}

#[test]
fn an_imported_zero_is_not_measured() {
    let dir = tempfile::tempdir().unwrap();
    let table = "subject,threads,iops\nA,1,1000\nA,2,2000\nB,1,1100\nB,2,0\n";
    std::fs::write(dir.path().join("t.csv"), table).unwrap();
    let mapping = r#"
title = "T"
source = "test"
class = "read"
subject = "subject"
axis = { column = "threads", field = "threads" }
[figures]
ops_per_s = { column = "iops", unit = "ops/s" }
"#;
    std::fs::write(dir.path().join("m.toml"), mapping).unwrap();
    let import = ["import", "csv", "t.csv", "--mapping", "m.toml", "-o", "b.dyno"];
    dyno_well(dir.path(), &import);
    let failed: Vec<_> = points(&dir.path().join("b.dyno"))
        .into_iter()
        .filter(|point| point.outcome != Outcome::Measured)
        .map(|point| point.key.subject)
        .collect();
    assert_eq!(failed, ["B"]);
    let shown = dyno_well(dir.path(), &["show", "b.dyno"]);
    assert!(shown.contains("the source gives no completed op: not measured"), "{shown}");
}

/// A loop device whose backing file cannot grow beyond what its filesystem in memory holds.
struct Refusing {
    folder: tempfile::TempDir,
    device: Option<LoopDevice>,
}

impl Refusing {
    fn new() -> Option<Refusing> {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("m");
        std::fs::create_dir(&at).unwrap();
        let mut mount = Command::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "-o", "size=8m", "tmpfs"]).arg(&at).status();
        if !mounted.is_ok_and(|status| status.success()) {
            skip("only root may mount a filesystem in memory");
            return None;
        }
        let mut made = Refusing { folder, device: None };
        let file = at.join("back.img");
        std::fs::File::create(&file).unwrap().set_len(64 << 20).unwrap();
        made.device = LoopDevice::over(&file);
        made.device.is_some().then_some(made)
    }
}

impl Drop for Refusing {
    fn drop(&mut self) {
        self.device = None;
        let _ = Command::new("umount").arg("-l").arg(self.folder.path().join("m")).status();
    }
}

#[test]
fn buffered_writes_that_the_device_refuses_fail_the_point() {
    let Some(bench) = Refusing::new() else { return };
    let (dir, device) = (bench.folder.path(), bench.device.as_ref().unwrap());
    for engine in ["psync", "uring", "libaio"] {
        let protocol = format!(
            "title = \"T\"\nsource = \"test\"\n[dataset.file]\nengine = \"{engine}\"\nsize = \
             \"32MiB\"\ndirect = false\n[[step]]\nname = \"w\"\nduration = \"1s\"\n\
             [[step.stream]]\nname = \"io\"\nengine = \"{engine}\"\nworkload = {{ kind = \
             \"sequential\", read = 0, block = \"128KiB\" }}\n"
        );
        std::fs::write(dir.join("p.toml"), protocol).unwrap();
        let serial = dir.join("m/back.img");
        let plan = format!(
            "protocol = \"p.toml\"\nrepeats = 1\n[[subject]]\nname = \"A\"\ndrives = [{{ device = \
             \"{}\", serial = \"{}\", erase = true }}]\n",
            device.display(),
            serial.display()
        );
        std::fs::write(dir.join("plan.toml"), plan).unwrap();
        let _ = std::fs::remove_file(dir.join("b.dyno"));
        let output = dyno(dir, &["run", "plan.toml", "-o", "b.dyno"]);
        if said(&output).contains("io_uring") {
            skip("io_uring is not available here");
            continue;
        }
        assert_eq!(output.status.code(), Some(2), "{engine}: {}", said(&output));
        let [point] = &points(&dir.join("b.dyno"))[..] else { panic!("one point") };
        let Outcome::Failed { cause } = &point.outcome else { panic!("{engine}: measured") };
        assert!(cause.contains("were accepted but did not reach it"), "{engine}: {cause}");
    }
}

#[test]
fn a_mix_of_which_the_reads_completed_none_has_no_figure_of_reads() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("a")).unwrap();
    // One op of ten thousand reads: with this seed none of the few that are due.
    let protocol = "title = \"T\"\nsource = \"test\"\n[[step]]\nname = \"s\"\nduration = \"1s\"\n\
                    [[step.stream]]\nname = \"io\"\nengine = \"null\"\nrate = \"20/s\"\nworkload = \
                    { kind = \"random\", read = 0.01 }\n";
    std::fs::write(dir.path().join("p.toml"), protocol).unwrap();
    let args = ["run", "./p.toml", "-s", "A=a", "--repeats", "1", "-o", "b.dyno"];
    let output = dyno(dir.path(), &args);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let shown: Value =
        serde_json::from_str(&dyno_well(dir.path(), &["show", "b.dyno", "--json"])).unwrap();
    let cause = shown["failures"][0]["cause"].as_str().unwrap_or_default();
    assert!(cause.contains("completed no read in the window"), "{shown}");
}
