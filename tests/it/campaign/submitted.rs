//! Files and refusals of `dyno fleet submit`, and a task as run by a job's script: without Slurm.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use dyno::store::Bundle;
use serde_json::Value;

use crate::made;
use crate::support::{DYNO, LoopDevice, dyno, dyno_well, said, until};
use crate::web::serve;

/// Two directories on two hosts; `more` are keys before the tables.
fn bench(more: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let at = dir.path().display();
    for name in ["a", "b"] {
        std::fs::create_dir(dir.path().join(name)).expect("a folder");
    }
    let campaign = format!(
        "protocol = \"./null.toml\"\nrepeats = 1\n{more}\n[slurm]\npartition = \"lab\"\n\
         gres = \"nvme:1\"\n[[host]]\nname = \"lab1\"\n[[host]]\nname = \"lab2\"\n\
         [[subject]]\nname = \"A\"\npath = \"{at}/a\"\n[[subject]]\n\
         name = \"B\"\npath = \"{at}/b\"\n"
    );
    std::fs::write(dir.path().join("null.toml"), made::NULL).expect("written");
    std::fs::write(dir.path().join("c.toml"), campaign).expect("written");
    dir
}

const SUBMIT: [&str; 4] = ["fleet", "submit", "c.toml", "--dry-run"];

/// A task as on its host.
fn task(dir: &Path, host: &str, number: &str) -> Output {
    let mut command = Command::new(DYNO);
    command.current_dir(dir).args(["fleet", "task", "c", number]).env("SLURMD_NODENAME", host);
    command.output().expect("ran")
}

#[test]
fn scripts_ask_for_what_the_campaign_says_and_take_nothing_of_the_environment() {
    let dir = bench("");
    dyno_well(dir.path(), &SUBMIT);
    let script = std::fs::read_to_string(dir.path().join("c/jobs/lab1-1.sh")).expect("a script");
    for option in [
        "array=1%1",
        "nodelist=lab1",
        "time=11",
        "requeue",
        "export=NIL",
        "partition=lab",
        "gres=nvme:1",
        "exclusive",
    ] {
        assert!(script.contains(&format!("#SBATCH --{option}\n")), "{option} in {script}");
    }
    assert!(script.contains("exec ") && script.contains(" fleet task /"), "{script}");
    let mode = |name: &str| {
        let found = std::fs::metadata(dir.path().join(name)).expect("there");
        found.permissions().mode() & 0o777
    };
    assert_eq!(
        [mode("c"), mode("c/tasks/1/plan-1.toml"), mode("c/campaign.json")],
        [0o700, 0o600, 0o600]
    );
}

#[test]
fn a_campaign_that_has_changed_and_a_folder_that_others_may_write_to_are_refused() {
    let dir = bench("");
    dyno_well(dir.path(), &SUBMIT);
    let campaign = std::fs::read_to_string(dir.path().join("c.toml")).expect("read");
    std::fs::write(dir.path().join("c.toml"), campaign.replace("repeats = 1", "repeats = 2"))
        .expect("written");
    let out = dyno(dir.path(), &SUBMIT);
    assert_eq!(out.status.code(), Some(3), "{}", said(&out));
    assert!(said(&out).contains("has changed since it was submitted"), "{}", said(&out));
    std::fs::write(dir.path().join("c.toml"), campaign).expect("written");
    let shared = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(dir.path().join("c"), shared).expect("changed");
    for out in [dyno(dir.path(), &SUBMIT), task(dir.path(), "lab1", "1")] {
        assert_eq!(out.status.code(), Some(3), "{}", said(&out));
        assert!(said(&out).contains("others may write to it"), "{}", said(&out));
    }
}

#[test]
fn a_task_runs_on_its_own_host_alone_and_again_it_has_nothing_left_to_do() {
    let dir = bench("");
    dyno_well(dir.path(), &SUBMIT);
    let out = task(dir.path(), "lab2", "1");
    assert_eq!(out.status.code(), Some(3), "{}", said(&out));
    assert!(said(&out).contains("task 1 is one of lab1, and this is lab2"), "{}", said(&out));
    let bundle = dir.path().join("c/tasks/1/run-1.dyno");
    let points = || Bundle::open(&bundle).and_then(|bundle| bundle.points()).expect("points").len();
    for _ in 0..2 {
        let out = task(dir.path(), "lab1", "1");
        assert!(out.status.success(), "{}", said(&out));
        assert_eq!(points(), 2);
    }
    let text = dyno_well(dir.path(), &["fleet", "status", "c", "--json"]);
    let status: Value = serde_json::from_str(&text).expect("JSON");
    let states: Vec<&Value> =
        status["tasks"].as_array().expect("tasks").iter().map(|task| &task["state"]).collect();
    assert_eq!(states, ["measured", "not submitted"]);
    let out = dyno(dir.path(), &["fleet", "collect", "c.toml", "-o", "all"]);
    assert_eq!(out.status.code(), Some(2), "{}", said(&out));
    assert!(said(&out).contains("Task 2 (B) lacks all 2"), "{}", said(&out));
    assert!(dir.path().join("all/0001-A.dyno").exists());
}

#[test]
fn the_page_of_campaigns_has_every_task_with_its_state_and_the_way_to_its_brief() {
    let dir = bench("");
    dyno_well(dir.path(), &SUBMIT);
    assert!(task(dir.path(), "lab1", "1").status.success());
    let page = serve(dir.path()).page("/campaigns");
    for part in [
        "Null (c)",
        "2 of 4 points measured",
        "1: A</th>",
        ">measured</span>",
        "href=\"/brief/c/tasks/1/run-1.dyno\"",
        "2: B</th>",
        ">not begun</span>",
    ] {
        assert!(page.contains(part), "'{part}' is not in {page}");
    }
}

/// A campaign of one loop device, whose drives are stated, and may therefore be stated incorrectly.
fn of_a_device(device: &Path, serial: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let drives = serde_json::json!([{ "device": device, "identities": [serial] }]);
    std::fs::write(dir.path().join("drives.json"), drives.to_string()).expect("written");
    std::fs::write(dir.path().join("mixed.toml"), super::MIXED).expect("written");
    let campaign = format!(
        "protocol = \"./mixed.toml\"\nrepeats = 3\n[[host]]\nname = \"lab1\"\n\
         drives = \"drives.json\"\n[[subject]]\nname = \"D\"\nserial = \"{serial}\"\n\
         erase = [\"{serial}\"]\n"
    );
    std::fs::write(dir.path().join("c.toml"), campaign).expect("written");
    dyno_well(dir.path(), &SUBMIT);
    dir
}

/// A loop device on a file of zeroes.
fn image(folder: &Path) -> Option<(LoopDevice, String)> {
    let file = folder.join("image");
    std::fs::File::create(&file).and_then(|file| file.set_len(16 << 20)).expect("an image");
    Some((LoopDevice::over(&file)?, file.display().to_string()))
}

#[test]
fn whatever_a_campaign_says_the_host_itself_refuses_a_drive_with_another_serial_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some((device, serial)) = image(folder.path()) else { return };
    let dir = of_a_device(&device, "S1");
    let out = task(dir.path(), "lab1", "1");
    assert!(!out.status.success() && said(&out).contains("S1"), "{}", said(&out));
    let kept = std::fs::read(&serial).expect("the image");
    assert!(kept.iter().all(|byte| *byte == 0), "nothing was written to it");
    let text = dyno_well(dir.path(), &["fleet", "status", "c", "--json"]);
    let status: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(status["tasks"][0]["state"], "failed", "{status:#}");
    assert!(status["tasks"][0]["cause"].as_str().is_some_and(|why| why.contains("S1")), "{text}");
}

#[test]
fn a_task_on_a_device_that_was_killed_goes_on_with_the_consents_of_its_plan() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some((device, serial)) = image(folder.path()) else { return };
    let dir = of_a_device(&device, &serial);
    let bundle = dir.path().join("c/tasks/1/run-1.dyno");
    let points = || Bundle::open(&bundle).and_then(|bundle| bundle.points()).map_or(0, |p| p.len());
    let mut command = Command::new(DYNO);
    command.current_dir(dir.path()).args(["fleet", "task", "c", "1"]);
    let mut child = command.env("SLURMD_NODENAME", "lab1").spawn().expect("started");
    until("a point", 120, || points() > 0);
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert!((1..6).contains(&points()), "killed in the middle");
    let out = task(dir.path(), "lab1", "1");
    assert!(out.status.success(), "{}", said(&out));
    assert_eq!(points(), 6);
    assert!(dyno(dir.path(), &["fleet", "collect", "c"]).status.success());
}

#[test]
fn a_point_that_two_bundles_of_a_task_hold_is_not_collected_and_is_said() {
    let dir = bench("");
    dyno_well(dir.path(), &SUBMIT);
    assert!(task(dir.path(), "lab1", "1").status.success());
    // As if an abandoned host had continued.
    let record = std::fs::read_to_string(dir.path().join("c/campaign.json")).expect("read");
    let mut record: Value = serde_json::from_str(&record).expect("JSON");
    record["tasks"][0]["hosts"] = serde_json::json!(["lab1", "lab2"]);
    std::fs::write(dir.path().join("c/campaign.json"), record.to_string()).expect("written");
    let of = |part: u32| dir.path().join(format!("c/tasks/1/run-{part}.dyno"));
    std::fs::copy(of(1), of(2)).expect("copied");
    let out = dyno(dir.path(), &["fleet", "collect", "c.toml"]);
    assert_eq!(out.status.code(), Some(2), "{}", said(&out));
    assert!(
        said(&out).contains("a, io.threads = 1, repeat 1 was measured twice"),
        "{}",
        said(&out)
    );
    assert!(!dir.path().join("c/collected/0001-A.dyno").exists());
}

#[test]
fn a_task_that_was_begun_elsewhere_leaves_out_what_was_measured_there() {
    let dir = bench("");
    dyno_well(dir.path(), &SUBMIT);
    let plan = "c/tasks/1/plan-1.toml";
    dyno_well(dir.path(), &["run", plan, "-o", "first.dyno", "--set", "step.a.duration=50ms"]);
    dyno_well(dir.path(), &["run", plan, "-o", "second.dyno", "--except", "first.dyno"]);
    let second = Bundle::open(&dir.path().join("second.dyno")).expect("a bundle");
    assert_eq!(second.points().expect("points").len(), 0);
}

#[test]
fn the_environment_of_a_campaign_comes_from_a_file_that_nobody_else_may_read() {
    let dir = tempfile::tempdir().expect("a folder");
    let secrets = dir.path().join("lab.env");
    std::fs::write(&secrets, "# of the power meter\nPPM_TOKEN=geheim\n").expect("written");
    let bench = bench(&format!("environment = \"{}\"", secrets.display()));
    dyno_well(bench.path(), &SUBMIT);
    let mode = |mode| {
        std::fs::set_permissions(&secrets, std::fs::Permissions::from_mode(mode)).expect("changed");
    };
    mode(0o644);
    let out = task(bench.path(), "lab1", "1");
    assert_eq!(out.status.code(), Some(3), "{}", said(&out));
    assert!(said(&out).contains("others may read it"), "{}", said(&out));
    mode(0o600);
    let out = task(bench.path(), "lab1", "1");
    assert!(out.status.success(), "{}", said(&out));
}
