//! `[prepare]` on loop devices: purge, filesystem, fill, loads, steady state; recorded, so that a
//! resumed run repeats only what no longer holds. Needs root and loop devices; otherwise skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use dyno::record::{Outcome, PreparationStep};
use dyno::store::Bundle;

use crate::support::{LoopDevice, points_so_far, until};

const DYNO: &str = env!("CARGO_BIN_EXE_dyno");

/// A loop device on a sparse file, with a folder for plans and bundles; removed when dropped.
struct Bench {
    folder: tempfile::TempDir,
    device: LoopDevice,
}

impl Bench {
    fn new(mib: u64) -> Option<Bench> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disk");
        fs::File::create(&file).unwrap().set_len(mib << 20).unwrap();
        let device = LoopDevice::over(&file)?;
        Some(Bench { folder, device })
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A plan for the device with this protocol.
    fn plan(&self, protocol: &str) -> PathBuf {
        fs::write(
            self.at("protocol.toml"),
            format!("title = \"T\"\nsource = \"test\"\n{protocol}"),
        )
        .unwrap();
        let (device, serial) = (self.device.display(), self.at("disk").display().to_string());
        let plan = format!(
            "protocol = \"./protocol.toml\"\nrepeats = 1\nsame_device = true\n[[subject]]\n\
             name = \"A\"\n\
             drives = [{{ device = \"{device}\", serial = \"{serial}\", erase = true }}]\n"
        );
        fs::write(self.at("plan.toml"), plan).unwrap();
        self.at("plan.toml")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(DYNO);
        command.args(args).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    /// Runs Dyno to its end; returns its exit code and output.
    fn dyno(&self, args: &[&str]) -> (Option<i32>, String) {
        let output = self.command(args).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8_lossy(&said).into_owned())
    }

    /// Resumes the run. Its plan comes from a bundle, so permission to erase must be repeated.
    fn resume(&self) -> (Option<i32>, String) {
        let serial = self.at("disk").display().to_string();
        let options = ["--allow", "-K noatime,nodiratime", "--allow", "noatime"];
        self.dyno(&[&["run", "--resume", "run.dyno", "--allow", &serial][..], &options].concat())
    }

    fn prepared(&self) -> Vec<PreparationStep> {
        Bundle::open(&self.at("run.dyno")).unwrap().prepared().unwrap()
    }

    fn actions(&self) -> Vec<String> {
        self.prepared().into_iter().map(|p| p.action).collect()
    }

    fn points(&self) -> usize {
        points_so_far(&self.at("run.dyno"))
    }

    fn is_mounted(&self) -> bool {
        // By its path: the mount source is a descriptor, shown as such in the table.
        let place = format!(" /run/dyno/{} ", self.device.file_name().unwrap().to_string_lossy());
        fs::read_to_string("/proc/mounts").unwrap().contains(&place)
    }

    /// Starts a run and kills it when its first point has been stored and the second is running.
    fn kill_in_second_point(&self, plan: &Path) {
        let mut child: Child = self
            .command(&["run", &plan.to_string_lossy(), "--output", "run.dyno"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        until("the run's first point", 120, || {
            let points = self.points();
            assert!(points >= 1 || child.try_wait().unwrap().is_none(), "no point was kept");
            points >= 1
        });
        child.kill().unwrap();
        child.wait().unwrap();
        // Writes in flight at its death are complete by then.
        let _ = Command::new("sync").status();
    }
}

const DEVICE: &str = r#"
[dataset.surface]
engine = "psync"
size = 0
direct = true
fill = { kind = "sequential", read = 0, block = "128KiB" }

[prepare]
purge = "discard"
[[prepare.condition]]
workload = { kind = "sequential", read = 0, block = "128KiB" }
engine = "psync"
passes = 2
[[prepare.condition]]
workload = { kind = "random", read = 0, block = "64KiB", span = 50 }
engine = "psync"
passes = 1
[prepare.steady]
workload = { kind = "random", read = 0, block = "4KiB" }
engine = "psync"
round = "100ms"
STEADY

[[step]]
name = "first"
duration = "500ms"
[[step.stream]]
name = "io"
engine = "psync"
workload = "random"

[[step]]
name = "second"
duration = "3s"
[[step.stream]]
name = "io"
engine = "psync"
workload = "random"
"#;

const ALL: [&str; 5] = ["purge", "fill surface", "condition 1", "condition 2", "steady state"];

#[test]
fn a_drive_is_purged_filled_conditioned_and_steady_and_the_report_says_so() {
    let Some(bench) = Bench::new(64) else { return };
    // The widest limits: a noisy machine must not affect this test.
    let plan = bench.plan(&DEVICE.replace("STEADY", "rounds = 40\nexcursion = 1.0\nslope = 1.0"));
    let (code, said) = bench.dyno(&["run", &plan.to_string_lossy(), "--output", "run.dyno"]);
    assert_eq!(code, Some(0), "{said}");
    let prepared = bench.prepared();
    assert_eq!(bench.actions(), ALL, "{said}");
    assert!(prepared[0].outcome.contains("BLKDISCARD"), "{prepared:?}");
    // Twice 64 MiB in blocks of 128 KiB; once half of 64 MiB in blocks of 64 KiB.
    assert!(prepared[2].outcome.starts_with("1,024 ops of sequential"), "{prepared:?}");
    assert!(prepared[3].outcome.starts_with("512 ops of random"), "{prepared:?}");
    let state = prepared[4].steady.as_ref().unwrap();
    let window = state.window.as_ref().unwrap();
    assert!(
        state.reached() && window.values == state.rounds[state.rounds.len() - 5..],
        "{state:?}"
    );

    let (code, said) = bench.dyno(&["report", "run.dyno", "-o", "report.html"]);
    assert_eq!(code, Some(0), "{said}");
    let page = fs::read_to_string(bench.at("report.html")).unwrap();
    for part in ["Convergence to steady state", "every block discarded", "steady after"] {
        assert!(page.contains(part), "'{part}' is not in the report");
    }
}

#[test]
fn a_steady_state_that_is_not_reached_marks_every_point_and_hides_none() {
    let Some(bench) = Bench::new(64) else { return };
    let plan = bench
        .plan(&DEVICE.replace("STEADY", "rounds = 3\nwindow = 3\nexcursion = 0.0\nslope = 0.0"));
    let (code, said) = bench.dyno(&["run", &plan.to_string_lossy(), "--output", "run.dyno"]);
    assert_eq!(code, Some(0), "{said}");
    let points = Bundle::open(&bench.at("run.dyno")).unwrap().points().unwrap();
    assert_eq!(points.len(), 2);
    for stored in points {
        let mark = stored.point.facts.iter().find(|f| f.group == "Preparation");
        assert!(
            mark.is_some_and(|m| m.value.contains("NOT steady within 3 rounds")),
            "{:?}",
            stored.point.facts
        );
    }
    let (_, said) = bench.dyno(&["report", "run.dyno", "-o", "report.html"]);
    let page = fs::read_to_string(bench.at("report.html")).unwrap();
    assert!(page.contains("A did not reach steady state within 3 rounds"), "{said}");
}

#[test]
fn a_resumed_run_prepares_again_only_what_no_longer_holds() {
    let Some(bench) = Bench::new(128) else { return };
    let plan = bench.plan(&DEVICE.replace("STEADY", "rounds = 3\nwindow = 3"));
    bench.kill_in_second_point(&plan);
    assert_eq!(bench.actions(), ALL);
    fs::copy(bench.at("run.dyno"), bench.at("copy.dyno")).unwrap();

    let (code, said) = bench.resume();
    assert_eq!(code, Some(0), "{said}");
    for action in ALL {
        assert!(said.contains(&format!("{action} still holds")), "{action}: {said}");
    }
    assert_eq!((bench.actions().len(), bench.points()), (ALL.len(), 2));

    // Someone else writes to the drive in between: what is there is not the run's.
    fs::rename(bench.at("copy.dyno"), bench.at("run.dyno")).unwrap();
    let of = format!("of={}", bench.device.display());
    let dd = |from: &str| {
        let arguments = [&format!("if={from}"), &of, "bs=1M", "count=80", "conv=fsync"];
        assert!(Command::new("dd").args(arguments).output().unwrap().status.success());
    };
    dd("/dev/urandom");
    let (code, said) = bench.resume();
    assert!(code == Some(3) && said.contains("data of an unknown kind"), "{said}");
    // Zeros are nobody's, but nothing holds any longer.
    dd("/dev/zero");
    let (code, said) = bench.resume();
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("still holds"), "{said}");
    assert_eq!(bench.actions(), [ALL, ALL].concat());
}

const FILES: &str = r#"
[dataset.file]
engine = "psync"
size = "16MiB"
fill = { kind = "sequential", read = 0, block = "128KiB" }

[prepare]
purge = "discard"
filesystem = FILESYSTEM

[[step]]
name = "first"
duration = "500ms"
[[step.stream]]
name = "io"
engine = "psync"
workload = "random"

[[step]]
name = "second"
duration = "3s"
[[step.stream]]
name = "io"
engine = "psync"
workload = "random"
"#;

#[test]
fn filesystems_are_made_mounted_and_unmounted_also_after_a_crash() {
    let with_options = r#"{ kind = "xfs", mkfs = ["-K"], mount = "noatime,nodiratime" }"#;
    for (kind, filesystem) in [("xfs", with_options), ("ext4", "\"ext4\"")] {
        let Some(bench) = Bench::new(512) else { return };
        let plan = bench.plan(&FILES.replace("FILESYSTEM", filesystem));
        bench.kill_in_second_point(&plan);
        assert!(bench.is_mounted(), "{kind}: a killed run cannot unmount");
        let made = bench.prepared()[1].outcome.clone();
        assert!(made.starts_with(&format!("{kind} made")), "{made}");

        let (code, said) = bench.resume();
        assert_eq!(code, Some(0), "{kind}: {said}");
        assert!(said.contains("filesystem still holds"), "{kind}: {said}");
        assert!(!bench.is_mounted() && bench.points() == 2, "{kind}: {said}");

        // Another run may not erase it: its plan does not name the contents.
        let (code, said) = bench.dyno(&["run", &plan.to_string_lossy(), "--output", "other.dyno"]);
        assert!(code == Some(3) && said.contains(&format!("erase = \"{kind}\"")), "{kind}: {said}");
        let named = fs::read_to_string(&plan)
            .unwrap()
            .replace("erase = true", &format!("erase = \"{kind}\""));
        fs::write(&plan, named).unwrap();
        let (code, said) = bench.dyno(&["run", &plan.to_string_lossy(), "--output", "third.dyno"]);
        assert!(code == Some(0) && !bench.is_mounted(), "{kind}: {said}");
    }
}

#[test]
fn a_drive_that_cannot_be_made_ready_fails_its_own_points_alone() {
    let Some(bench) = Bench::new(64) else { return };
    let plan = bench
        .plan(&DEVICE.replace("STEADY", "rounds = 3\nwindow = 3").replace("discard", "format"));
    let other = bench.at("other");
    fs::create_dir(&other).unwrap();
    let text = fs::read_to_string(&plan).unwrap();
    let second =
        format!("[[subject]]\nname = \"B\"\ndrives = [{{ path = \"{}\" }}]\n", other.display());
    let size =
        "[override]\n\"dataset.surface.size\" = \"8MiB\"\n\"dataset.surface.direct\" = false\n";
    fs::write(&plan, format!("{text}{second}{size}")).unwrap();
    let (code, said) = bench.dyno(&["run", &plan.to_string_lossy(), "--output", "run.dyno"]);
    assert_eq!(code, Some(2), "{said}");
    for stored in Bundle::open(&bench.at("run.dyno")).unwrap().points().unwrap() {
        let (key, outcome) = (stored.point.key, stored.point.outcome);
        match key.subject.as_str() {
            "A" => {
                assert!(
                    format!("{outcome:?}")
                        .contains("cannot be purged as the plan asks: it has discard"),
                    "{said}"
                )
            }
            _ => assert_eq!(outcome, Outcome::Measured, "{said}"),
        }
    }
    let done = bench.prepared();
    assert!(
        done.iter().all(|p| p.subject == "B")
            && done[0].outcome.contains("a directory cannot be purged"),
        "{done:?}"
    );
}

#[test]
fn mistakes_in_prepare_are_shown_where_they_stand() {
    let folder = tempfile::tempdir().unwrap();
    let protocol = folder.path().join("p.toml");
    for (prepare, says) in [
        ("purge = \"wipe\"", "'wipe' is not a valid value"),
        ("namespaces = 1", "1 is out of range"),
        ("namespaces = 4\nfilesystem = \"xfs\"", "not on its namespaces"),
        ("filesystem = \"zfs\"", "'zfs' is not a valid value"),
        ("filesystem = { mount = \"noatime\" }", "needs 'kind'"),
        (
            "steady = { workload = \"random\", engine = \"null\", rounds = 3 }",
            "3 rounds never fill a window of 5",
        ),
        (
            "steady = { workload = \"random\", engine = \"null\", metric = \"speed\" }",
            "'speed' is not a valid value",
        ),
        (
            "condition = [{ workload = \"random\", engine = \"null\" }]",
            "either 'duration' or 'passes'",
        ),
        (
            "condition = \
             [{ workload = \"random\", engine = \"null\", duration = \"1s\", passes = 2 }]",
            "either",
        ),
    ] {
        let step = "[[step]]\nname = \"s\"\nduration = \"1s\"\n[[step.stream]]\n\
                    workload = \"random\"\nengine = \"null\"\n";
        fs::write(
            &protocol,
            format!("title = \"T\"\nsource = \"t\"\n[prepare]\n{prepare}\n{step}"),
        )
        .unwrap();
        let subject = format!("A={}", folder.path().display());
        let output = Command::new(DYNO)
            .args(["plan", "check", &protocol.to_string_lossy(), "-s", &subject])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(says), "{prepare}: {said}");
    }
}

#[test]
fn the_check_tells_what_will_be_done_and_that_a_stream_means_a_namespace_that_will_be() {
    let folder = tempfile::tempdir().unwrap();
    let protocol = folder.path().join("p.toml");
    let check = |prepare: &str, target: &str| {
        let stream = format!("workload = \"random\"\nengine = \"null\"\ntarget = \"{target}\"\n");
        let step = format!("[[step]]\nname = \"s\"\nduration = \"1s\"\n[[step.stream]]\n{stream}");
        fs::write(
            &protocol,
            format!("title = \"T\"\nsource = \"t\"\n[prepare]\n{prepare}\n{step}"),
        )
        .unwrap();
        let subject = format!("A={}", folder.path().display());
        let output = Command::new(DYNO)
            .args(["plan", "check", &protocol.to_string_lossy(), "-s", &subject])
            .output();
        let output = output.unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let said = check("namespaces = 4", "namespace:1/6");
    assert!(said.contains("'random' uses one of 6 namespaces, but there will be 4"), "{said}");
    let said = check("namespaces = 6\npurge = \"any\"", "namespace:1/6");
    assert!(
        said.contains(
            "First, for each drive: 6 equal namespaces, by deleting and creating others if the \
             controller supports it; purge by the best means that it has"
        ),
        "{said}"
    );
}

/// A plan of two subjects on the device, each with its serial number; the second by a link.
fn of_two_subjects(bench: &Bench, protocol: &str, same_device: bool) -> PathBuf {
    let plan = bench.plan(protocol);
    let text = fs::read_to_string(&plan).unwrap();
    let (_, subject) = text.split_once("[[subject]]\n").unwrap();
    let link = bench.at("link");
    if !link.exists() {
        std::os::unix::fs::symlink(&*bench.device, &link).unwrap();
    }
    let (device, link) = (bench.device.display().to_string(), link.display().to_string());
    let second = subject.replace("\"A\"", "\"B\"").replace(&device, &link)
        + "[subject.override]\nsqpoll = false\n";
    let text = text.replace("same_device = true", &format!("same_device = {same_device}"));
    fs::write(&plan, format!("{text}[[subject]]\n{second}")).unwrap();
    plan
}

#[test]
fn two_subjects_of_one_device_are_prepared_and_measured_in_turn_if_the_plan_allows_it() {
    const ONE: &str = "[dataset.surface]\nengine = \"uring\"\nsize = 0\ndirect = true\n\
        fill = { kind = \"sequential\", read = 0, block = \"128KiB\" }\n[prepare]\npurge = \
        \"discard\"\n[[step]]\nname = \"s\"\nduration = \"300ms\"\n[[step.stream]]\nname = \"io\"\n\
        engine = \"uring\"\nworkload = { kind = \"random\", read = 0 }\n";
    let Some(bench) = Bench::new(16) else { return };
    let run = |plan: PathBuf, more: &[&str]| {
        bench.dyno(&[&["run", &plan.to_string_lossy(), "-o", "run.dyno"], more].concat())
    };
    let (code, said) = run(of_two_subjects(&bench, ONE, false), &[]);
    assert!(code != Some(0) && said.contains("is the same drive as one of subject 'A'"), "{said}");
    let filesystem = ONE.replace("[prepare]", "[prepare]\nfilesystem = \"ext4\"");
    let (code, said) = run(of_two_subjects(&bench, &filesystem, true), &[]);
    assert!(code != Some(0) && said.contains("prepare.filesystem cannot be done"), "{said}");
    assert!(!bench.at("run.dyno").exists(), "nothing was run");
    let plan = |key| of_two_subjects(&bench, ONE, key).to_string_lossy().into_owned();
    // The option and the plan's key are the same.
    let by_key = bench.dyno(&["plan", "check", "--json", &plan(true)]);
    let by_option = bench.dyno(&["plan", "check", "--json", &plan(false), "--same-device"]);
    assert_eq!(by_key.0, Some(0), "{}", by_key.1);
    assert_eq!(by_option, by_key);
    let (code, said) = run(of_two_subjects(&bench, ONE, false), &["--same-device"]);
    assert_eq!(code, Some(0), "{said}");
    let (_, shown) = bench.dyno(&["show", "run.dyno"]);
    assert!(shown.contains("T (control run: subjects share a device)"), "{shown}");
    let prepared: Vec<(String, String)> =
        bench.prepared().into_iter().map(|p| (p.subject, p.action)).collect();
    let of = |subject: &str, action: &str| (subject.to_string(), action.to_string());
    let each = ["A", "B"].map(|s| [of(s, "purge"), of(s, "fill surface")]).concat();
    assert_eq!(prepared, each);
    assert_eq!(bench.points(), 2, "{said}");
}
