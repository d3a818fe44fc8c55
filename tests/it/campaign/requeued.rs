//! Tasks that Slurm itself restarts: one that is requeued, and one whose node failed and came back.
//! Nothing is submitted a second time.

use serde_json::Value;

use super::bench::{Bench, is};
use super::slurm::Slurm;
use crate::support::until;

const PATIENCE: u64 = 300;

/// Enough points to take longer than the 11 s after which Slurm notices a missing job on a node
/// that comes back (BatchStartTimeout, and ten seconds for messages).
const MISSED: u64 = 3;

/// A subject that is measured as long as the test needs for its disturbance.
fn longer(bench: &Bench) {
    let protocol = bench.path().join("mixed.toml");
    let text = std::fs::read_to_string(&protocol).expect("read");
    std::fs::write(protocol, text.replace("300ms", "5s")).expect("written");
}

/// Makes Slurm start a requeued job early, which it holds for two minutes, once it is held.
/// Immediately would be too early: the node still refuses the job's number then.
fn hasten(slurm: &Slurm, job: &str) {
    until("the job to be in the queue again", PATIENCE, || {
        let queue = ["--noheader", "--format=%r", "--jobs", job];
        let reason = slurm.command("squeue").args(queue).output().expect("ran");
        String::from_utf8_lossy(&reason.stdout).trim() == "BeginTime"
    });
    let soon = [format!("jobid={job}"), "starttime=now+5".to_string()];
    let moved = slurm.command("scontrol").arg("update").args(soon).output().expect("ran");
    assert!(moved.status.success(), "{moved:?}");
}

/// The only task, and its number of attempts.
fn task(bench: &Bench, slurm: &Slurm) -> (Value, usize) {
    let attempts = std::fs::read_to_string(bench.path().join("c/tasks/1/attempts.jsonl"));
    let begun = attempts.unwrap_or_default().matches("\"code\":null").count();
    (bench.status(slurm)[0].clone(), begun)
}

#[test]
fn a_task_that_slurm_requeues_goes_on_with_its_bundle() {
    let Some(mut slurm) = Slurm::start() else { return };
    let Some(bench) = Bench::new(1, 0) else { return };
    longer(&bench);
    slurm.well(bench.path(), &["fleet", "submit", "c.toml"]);
    let record = std::fs::read_to_string(bench.path().join("c/campaign.json")).expect("read");
    let record: Value = serde_json::from_str(&record).expect("JSON");
    let job = format!("{}_1", record["arrays"][0]["job"]);
    let begun = |times: usize, measured: u64| {
        let (task, attempts) = task(&bench, &slurm);
        attempts == times
            && is(&task, &["running"])
            && task["points_done"].as_u64() >= Some(measured)
    };
    until("a point to be measured", PATIENCE, || begun(1, 1));
    let requeued = slurm.command("scontrol").args(["requeue", &job]).output().expect("ran");
    assert!(requeued.status.success(), "{requeued:?}");
    hasten(&slurm, &job);
    until("the requeued task to go on", PATIENCE, || begun(2, 1 + MISSED));

    let host = task(&bench, &slurm).0["host"].as_str().expect("a host").to_string();
    slurm.lose(&host);
    slurm.begin_after_boot(&host);
    hasten(&slurm, &job);
    until("the task to be measured", PATIENCE, || is(&task(&bench, &slurm).0, &["measured"]));
    assert_eq!(task(&bench, &slurm).1, 3, "begun, requeued, and begun again on the node");
    bench.collect(&slurm);
}
