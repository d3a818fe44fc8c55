//! A campaign of directories and loop devices, with six points per task, and its results.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dyno::record::Outcome;
use dyno::store::Bundle;
use serde_json::Value;

use super::slurm::{NODES, Slurm};
use crate::support::{LoopDevice, said};

/// Points of a task.
const POINTS: usize = 6;

/// The campaign's folder with its inputs.
pub struct Bench {
    dir: tempfile::TempDir,
    /// Held while the campaign runs.
    devices: Vec<LoopDevice>,
    /// Subjects by name.
    pub subjects: Vec<String>,
}

impl Bench {
    /// This many subjects are directories on each host; this many are loop devices, which exist on
    /// every host and may be erased by serial number.
    pub fn new(directories: usize, devices: usize) -> Option<Bench> {
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

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn status(&self, slurm: &Slurm) -> Vec<Value> {
        let text = slurm.well(self.path(), &["fleet", "status", "c.toml", "--json"]);
        let status: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(status["slurm_failure"], Value::Null, "{status:#}");
        status["tasks"].as_array().expect("tasks").clone()
    }

    /// Collects the campaign: every point of every task exists once.
    #[track_caller]
    pub fn collect(&self, slurm: &Slurm) {
        let collected = slurm.dyno(self.path(), &["fleet", "collect", "c.toml"]);
        assert!(collected.status.success(), "{}", said(&collected));
        assert!(said(&collected).contains("Every point of every task exists once"));
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        for bundle in bundles(&self.path().join("c/collected")) {
            points(&bundle).into_iter().for_each(|key| *found.entry(key).or_default() += 1);
        }
        assert!(found.values().all(|times| *times == 1), "{found:#?}");
        assert_eq!(found, self.undisturbed(), "as of a campaign that nobody disturbed");
    }

    /// The points of the campaign's tasks, each once.
    fn undisturbed(&self) -> BTreeMap<String, usize> {
        let record = std::fs::read_to_string(self.path().join("c/campaign.json")).expect("read");
        let record: Value = serde_json::from_str(&record).expect("JSON");
        let mut all = BTreeMap::new();
        for task in record["tasks"].as_array().expect("tasks") {
            let folder = self.path().join("c/tasks").join(task["number"].to_string());
            let plan = dyno::plan::load(&folder.join("plan-1.toml"), &dyno::plan_catalogue());
            let plan = plan.expect("a plan");
            assert!(self.subjects.contains(&plan.subjects[0].name), "{:?}", plan.subjects);
            let keys = dyno::plan::points(&plan).map(|point| format!("{:?}", point.key));
            all.extend(keys.map(|key| (key, 1)));
        }
        assert_eq!(all.len(), self.subjects.len() * POINTS);
        all
    }
}

/// Every measured point of a bundle: step, axis value and repeat.
fn points(bundle: &Path) -> Vec<String> {
    let stored = Bundle::open(bundle).and_then(|bundle| bundle.points()).expect("a bundle");
    let measured = stored.iter().filter(|stored| stored.point.outcome == Outcome::Measured);
    measured.map(|stored| format!("{:?}", stored.point.key)).collect()
}

/// Whether a task is in one of these states.
pub fn is(task: &Value, states: &[&str]) -> bool {
    states.iter().any(|state| task["state"] == *state)
}

/// Every file below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type().expect("a type").is_dir() {
            true => all.extend(files(&entry.path())),
            false => all.push(entry.path()),
        }
    }
    all
}

/// Every bundle below a folder.
pub fn bundles(folder: &Path) -> Vec<PathBuf> {
    let is_bundle = |file: &PathBuf| file.extension().is_some_and(|end| end == "dyno");
    files(folder).into_iter().filter(is_bundle).collect()
}
