//! A campaign on a four-node Slurm cluster: submitted, disturbed, submitted again, collected. Tasks
//! are killed and one node is lost permanently; at the end every point exists once.

use std::collections::BTreeMap;
use std::path::Path;

use dyno::base::rng::Seed;
use dyno::store::Bundle;
use serde_json::{Value, json};

use super::bench::{Bench, bundles, files, is};
use super::slurm::{Slurm, processes};
use crate::support::{seed, size, until};

const PATIENCE: u64 = 600;

/// Kills a task's program, if it is running; returns whether it was.
fn kill(folder: &Path, number: &str) -> bool {
    let task = format!("fleet task {} {number} ", folder.join("c").display());
    let found: Vec<_> = processes().filter(|process| process.has(&task)).collect();
    for process in &found {
        assert!(!process.has(super::SECRET), "the environment of whoever submits stays there");
        process.kill();
    }
    !found.is_empty()
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
        // Measured points remain, whatever happens later.
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

    bench.collect(&slurm);
    for file in files(&folder) {
        let text = std::fs::read(&file).expect("read");
        let text = String::from_utf8_lossy(&text);
        assert!(!text.contains(super::SECRET), "{} holds a secret", file.display());
    }
}
