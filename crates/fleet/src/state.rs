//! A campaign's status: each task's state, points and failures, from its folder and from Slurm.

use std::collections::BTreeMap;
use std::path::Path;

use super::record::{CampaignRecord, TaskRecord};
use super::slurm::SlurmJob;
use dyno_core::base::error::Result;
use dyno_core::store::{Bundle, Glance, first_failure, glance};

/// The state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// All its points were measured.
    Measured,
    /// Running in Slurm.
    Running,
    /// Queued in Slurm.
    Waiting,
    /// Ended with failed points, or refused.
    Failed,
    /// Stopped or killed, or its host was lost, and not queued.
    Interrupted,
    /// Not queued and not started.
    Idle,
    /// Not measured any more: its drive is no longer in the campaign's file.
    GivenUp,
}

impl TaskState {
    /// Its printed name.
    pub fn name(self) -> &'static str {
        match self {
            TaskState::Measured => "measured",
            TaskState::Running => "running",
            TaskState::Waiting => "waiting",
            TaskState::Failed => "failed",
            TaskState::Interrupted => "interrupted",
            TaskState::Idle => "not submitted",
            TaskState::GivenUp => "given up",
        }
    }
}

/// A task with its state.
#[derive(Clone, Debug)]
pub struct TaskStanding {
    /// The state.
    pub state: TaskState,
    /// Measured points.
    pub done: u64,
    /// Failed points.
    pub failed: u64,
    /// The remaining load, by the plan's estimate.
    pub left_ns: u64,
    /// Why it failed, was interrupted, or waits.
    pub cause: Option<String>,
}

/// Every task in order.
pub fn standings(
    record: &CampaignRecord,
    jobs: &BTreeMap<usize, SlurmJob>,
    folder: &Path,
) -> Result<Vec<TaskStanding>> {
    record.tasks.iter().map(|task| standing(task, jobs.get(&task.number), folder)).collect()
}

fn standing(task: &TaskRecord, job: Option<&SlurmJob>, folder: &Path) -> Result<TaskStanding> {
    let (mut done, mut failed, mut cause) = (0, 0, None);
    for bundle in task.bundles(folder) {
        // Nothing is known yet about a bundle that was only just started.
        let Ok(seen) = look(&bundle, job.is_some_and(SlurmJob::runs)) else { continue };
        let of_these: u64 = seen.iter().map(Glance::failed).sum();
        done += seen.iter().map(Glance::measured).sum::<u64>();
        failed += of_these;
        if of_these > 0 {
            let first = first_failure(&bundle).ok().flatten();
            cause = first.map(|failed| format!("{}: {}", failed.step, failed.cause));
        }
    }
    let attempts = task.attempts(folder)?;
    let last = attempts.last();
    let alive = job.filter(|job| job.is_alive());
    let slurms = || {
        let known = job.filter(|job| !job.is_alive()).map(|job| job.state.as_str());
        known.map(|state| format!(" (Slurm: {state})")).unwrap_or_default()
    };
    let state = match (last.map(|last| last.code), alive) {
        (Some(Some(0)), _) => TaskState::Measured,
        _ if task.given_up.is_some() => {
            cause = task.given_up.clone();
            TaskState::GivenUp
        }
        // Started by another launcher than Slurm.
        (Some(None), None) if task.is_running(folder) => TaskState::Running,
        (_, Some(job)) if job.runs() => TaskState::Running,
        (_, Some(job)) => {
            cause = cause.or(Some(job.reason.clone()).filter(|reason| reason != "None"));
            TaskState::Waiting
        }
        (None, None) => TaskState::Idle,
        (Some(None), None) => {
            let host = last.map_or("", |last| &last.host);
            cause = Some(format!("killed, or {host} was lost{}", slurms()));
            TaskState::Interrupted
        }
        (Some(Some(code)), None) if code >= 128 => {
            cause = Some(format!("stopped by a signal{}", slurms()));
            TaskState::Interrupted
        }
        (Some(Some(code)), None) => {
            let said = last.and_then(|last| last.cause.clone());
            cause = said.or(cause).or(Some(format!("dyno run ended with code {code}")));
            TaskState::Failed
        }
    };
    let left = task.points.saturating_sub(done) as f64 / task.points.max(1) as f64;
    let left_ns = match state {
        TaskState::Measured | TaskState::GivenUp => 0,
        _ => (task.load_ns as f64 * left) as u64,
    };
    Ok(TaskStanding { state, done, failed, left_ns, cause })
}

/// A bundle's contents. For one left by a killed run, the unfinished point is undone first.
fn look(bundle: &Path, runs: bool) -> Result<Vec<Glance>> {
    match glance(bundle) {
        Err(_) if !runs && bundle.exists() => {
            Bundle::open_tests(bundle).and_then(|_| glance(bundle))
        }
        seen => seen,
    }
}

/// The remaining load if every host continues with its tasks one after the other.
pub fn left_ns(record: &CampaignRecord, standings: &[TaskStanding]) -> u64 {
    let mut of_host: BTreeMap<&str, u64> = BTreeMap::new();
    for (task, standing) in record.tasks.iter().zip(standings) {
        *of_host.entry(task.host()).or_default() += standing.left_ns;
    }
    of_host.into_values().max().unwrap_or(0)
}
