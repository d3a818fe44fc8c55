//! A campaign on a Slurm of four nodes: submitted, disturbed, submitted again, collected. Tasks are
//! killed and one node goes for good; in the end every point is there, once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dyno::base::rng::Seed;
use dyno::record::Outcome;
use dyno::store::Bundle;
use serde_json::{Value, json};

use super::slurm::{NODES, Slurm, processes};
use crate::support::{LoopDevice, said, seed, size, until};

const PATIENCE: u64 = 600;

/// Points of a task.
const POINTS: usize = 6;

/// The campaign's folder with what it is made of.
struct Bench {
    dir: tempfile::TempDir,
    /// Held for as long as the campaign runs.
    devices: Vec<LoopDevice>,
    /// Subjects by name.
    subjects: Vec<String>,
}

impl Bench {
    /// So many subjects are directories on each host; so many are loop devices, which every host
    /// has, and which may be erased by their serial numbers.
    fn new(directories: usize, devices: usize) -> Option<Bench> {
        let dir = tempfile::tempdir().expect("a folder");
        let at = dir.path().display().to_string();
        let mut campaign = "protocol = \"./mixed.toml\"\nrepeats = 3\n".to_string();
        NODES.iter().for_each(|node| campaign += &format!("[[host]]\nname = \"{node}\"\n"));
        let mut bench = Bench { dir, devices: Vec::new(), subjects: Vec::new() };
        for number in 0..directories {
            let name = format!("folder {number}");
            let of = |node: &&str| {
                let path = bench.dir.path().join(node).join(number.to_string());
                std::fs::create_dir_all(&path).expect("a folder");
                format!("{node} = \"{}\"", path.display())
            };
            let paths: Vec<String> = NODES.iter().map(of).collect();
            let paths = paths.join(", ");
            campaign += &format!("[[subject]]\nname = \"{name}\"\npath = {{ {paths} }}\n");
            bench.subjects.push(name);
        }
        for number in 0..devices {
            let file = bench.dir.path().join(format!("image{number}"));
            let image = std::fs::File::create(&file).and_then(|file| file.set_len(16 << 20));
            image.expect("an image");
            bench.devices.push(LoopDevice::over(&file)?);
            let (name, serial) = (format!("device {number}"), format!("{at}/image{number}"));
            campaign += &format!(
                "[[subject]]\nname = \"{name}\"\nserial = \"{serial}\"\nerase = [\"{serial}\"]\n"
            );
            bench.subjects.push(name);
        }
        std::fs::write(bench.dir.path().join("mixed.toml"), super::MIXED).expect("written");
        std::fs::write(bench.dir.path().join("c.toml"), campaign).expect("written");
        Some(bench)
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn status(&self, slurm: &Slurm) -> Vec<Value> {
        let text = slurm.well(self.path(), &["fleet", "status", "c.toml", "--json"]);
        let status: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(status["slurm_failure"], Value::Null, "{status:#}");
        status["tasks"].as_array().expect("tasks").clone()
    }
}

/// Kills the program of a task, if it runs; whether it did.
fn kill(folder: &Path, number: &str) -> bool {
    let task = format!("fleet task {} {number} ", folder.join("c").display());
    let found: Vec<_> = processes().filter(|process| process.has(&task)).collect();
    for process in &found {
        assert!(!process.has(super::SECRET), "the environment of whoever submits stays there");
        process.kill();
    }
    !found.is_empty()
}

/// Every measured point of a bundle: step, axis value and repeat.
fn points(bundle: &Path) -> Vec<String> {
    let stored = Bundle::open(bundle).and_then(|bundle| bundle.points()).expect("a bundle");
    let measured = stored.iter().filter(|stored| stored.point.outcome == Outcome::Measured);
    measured.map(|stored| format!("{:?}", stored.point.key)).collect()
}

fn is(task: &Value, states: &[&str]) -> bool {
    states.iter().any(|state| task["state"] == *state)
}

#[test]
fn a_campaign_of_which_a_third_is_killed_and_a_node_lost_has_every_point_once() {
    let Some(mut slurm) = Slurm::start() else { return };
    let directories = size(3, 8);
    let Some(bench) = Bench::new(directories, size(1, 4)) else { return };
    let folder = bench.path().join("c");
    slurm.well(bench.path(), &["fleet", "plan", "c.toml", "--find"]);
    let submitted = slurm.well(bench.path(), &["fleet", "submit", "c.toml"]);
    let tasks = bench.subjects.len();
    assert!(submitted.contains(&format!("{tasks} tasks in 4 arrays")), "{submitted}");
    let again = slurm.well(bench.path(), &["fleet", "submit", "c.toml"]);
    assert!(again.contains("Nothing to submit"), "what is in the queue is not submitted: {again}");

    let mut rng = Seed::new(seed(), 0, 0).at(0);
    let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut killed, mut lost) = (Vec::new(), false);
    let due = (tasks * 3).div_ceil(10);
    until("the campaign to be measured", PATIENCE, || {
        let status = bench.status(&slurm);
        let begun = |task: &&Value| is(task, &["running"]) && task["points_done"] != json!(0);
        let running: Vec<&Value> = status.iter().filter(begun).collect();
        let of_lab3 = running.iter().find(|task| task["host"] == "lab3");
        if let (Some(task), false) = (of_lab3, lost) {
            slurm.lose("lab3");
            lost = true;
            killed.push(task["number"].to_string());
        } else if killed.len() < due && !running.is_empty() {
            let task = running[rng.below(running.len() as u64) as usize];
            let number = task["number"].to_string();
            if !killed.contains(&number) && kill(bench.path(), &number) {
                killed.push(number);
            }
        }
        // What was measured stays, whatever happens later.
        for bundle in bundles(&folder.join("tasks")) {
            let known = seen.entry(bundle.display().to_string()).or_default();
            let Ok(now) = Bundle::open(&bundle).and_then(|bundle| bundle.points()) else {
                continue;
            };
            let now: Vec<String> = now.iter().map(|s| format!("{:?}", s.point.key)).collect();
            assert!(known.iter().all(|key| now.contains(key)), "{known:?} {now:?}");
            *known = now;
        }
        let open = |task: &Value| is(task, &["interrupted", "failed", "not submitted"]);
        if status.iter().any(open)
            || (lost && status.iter().all(|t| t["host"] == "lab3" || is(t, &["measured"])))
        {
            let mut args = vec!["fleet", "submit", "c.toml"];
            args.extend(if lost { &["--lost", "lab3"][..] } else { &[] });
            slurm.well(bench.path(), &args);
        }
        status.iter().all(|task| is(task, &["measured"]))
    });
    assert!(killed.len() >= due && lost, "{killed:?} of {tasks} were killed");

    let collected = slurm.dyno(bench.path(), &["fleet", "collect", "c.toml"]);
    assert!(collected.status.success(), "{}", said(&collected));
    assert!(said(&collected).contains("Every point of every task is there, once"));
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for bundle in bundles(&folder.join("collected")) {
        points(&bundle).into_iter().for_each(|key| *found.entry(key).or_default() += 1);
    }
    assert!(found.values().all(|times| *times == 1), "{found:#?}");
    assert_eq!(found, undisturbed(&bench), "as of a campaign that nobody disturbed");
    for file in files(&folder) {
        let text = std::fs::read(&file).expect("read");
        let text = String::from_utf8_lossy(&text);
        assert!(!text.contains(super::SECRET), "{} holds a secret", file.display());
    }
}

/// The points that the campaign's tasks come to, each once.
fn undisturbed(bench: &Bench) -> BTreeMap<String, usize> {
    let record = std::fs::read_to_string(bench.path().join("c/campaign.json")).expect("read");
    let record: Value = serde_json::from_str(&record).expect("JSON");
    let mut all = BTreeMap::new();
    for task in record["tasks"].as_array().expect("tasks") {
        let folder = bench.path().join("c/tasks").join(task["number"].to_string());
        let plan = dyno::plan::load(&folder.join("plan-1.toml"), &dyno::cmd::catalogue());
        let plan = plan.expect("a plan");
        assert!(bench.subjects.contains(&plan.subjects[0].name), "{:?}", plan.subjects);
        let keys = dyno::plan::points(&plan).into_iter().map(|point| format!("{:?}", point.key));
        all.extend(keys.map(|key| (key, 1)));
    }
    assert_eq!(all.len(), bench.subjects.len() * POINTS);
    all
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type().expect("a type").is_dir() {
            true => all.extend(files(&entry.path())),
            false => all.push(entry.path()),
        }
    }
    all
}

fn bundles(folder: &Path) -> Vec<PathBuf> {
    let is_bundle = |file: &PathBuf| file.extension().is_some_and(|end| end == "dyno");
    files(folder).into_iter().filter(is_bundle).collect()
}
