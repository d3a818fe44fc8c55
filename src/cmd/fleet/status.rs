//! `dyno fleet status`: a campaign's status, from its folder and from Slurm.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::json::{self, OutputFormat};
use super::words::{columns, no_longer_balanced};
use crate::base::error::{Result, describe};
use crate::base::units::{duration, plural};
use crate::fleet::record::{CampaignRecord, TaskRecord};
use crate::fleet::state::{TaskStanding, TaskState, left_ns, standings};
use crate::fleet::{folder, slurm};

/// The campaign.
#[derive(Args)]
pub struct StatusArgs {
    /// Campaign file or folder
    #[arg(value_name = "CAMPAIGN")]
    campaign: PathBuf,
    #[command(flatten)]
    format: OutputFormat,
}

/// What `dyno fleet status --json` prints.
#[derive(Serialize, JsonSchema)]
pub struct FleetStatus {
    campaign: String,
    title: String,
    /// Tasks by state: measured, running, waiting, failed, interrupted, not submitted, given up.
    states: BTreeMap<&'static str, usize>,
    points_done: u64,
    points: u64,
    points_failed: u64,
    /// The remaining load if every host continues with its tasks in sequence.
    left_ns: u64,
    /// Abandoned hosts.
    lost: Vec<String>,
    /// What is no longer balanced as planned, as text.
    unbalanced: Vec<String>,
    /// Why Slurm's job states are unknown.
    slurm_failure: Option<String>,
    tasks: Vec<TaskStatus>,
}

/// A task.
#[derive(Serialize, JsonSchema)]
struct TaskStatus {
    number: usize,
    subject: String,
    host: String,
    round: usize,
    /// measured, running, waiting, failed, interrupted, not submitted, given up.
    state: &'static str,
    points_done: u64,
    points: u64,
    points_failed: u64,
    /// Number of attempts.
    attempts: usize,
    left_ns: u64,
    /// Why it failed, was interrupted, or waits.
    cause: Option<String>,
}

/// Prints it.
pub fn status(args: &StatusArgs, out: &mut dyn Write) -> Result<()> {
    let folder = folder::of(&args.campaign);
    let record = CampaignRecord::of(&folder)?;
    let jobs = slurm::jobs(&record);
    let slurm_failure = jobs.as_ref().err().map(|error| describe(error).0);
    let standings = standings(&record, &jobs.unwrap_or_default(), &folder)?;
    let row = |(task, standing): (&TaskRecord, &TaskStanding)| {
        let begun = |attempt: &&crate::fleet::record::Attempt| attempt.code.is_none();
        Ok(TaskStatus {
            number: task.number,
            subject: task.subject.clone(),
            host: task.host().to_string(),
            round: task.round,
            state: standing.state.name(),
            points_done: standing.done,
            points: task.points,
            points_failed: standing.failed,
            attempts: task.attempts(&folder)?.iter().filter(begun).count(),
            left_ns: standing.left_ns,
            cause: standing.cause.clone(),
        })
    };
    let tasks: Vec<TaskStatus> =
        record.tasks.iter().zip(&standings).map(row).collect::<Result<_>>()?;
    let mut states = BTreeMap::new();
    tasks.iter().for_each(|task| *states.entry(task.state).or_default() += 1);
    let status = FleetStatus {
        campaign: record.campaign.clone(),
        title: record.title.clone(),
        states,
        points_done: tasks.iter().map(|task| task.points_done).sum(),
        points: tasks.iter().map(|task| task.points).sum(),
        points_failed: tasks.iter().map(|task| task.points_failed).sum(),
        left_ns: left_ns(&record, &standings),
        lost: record.lost.clone(),
        unbalanced: no_longer_balanced(&record),
        slurm_failure,
        tasks,
    };
    match args.format.json {
        true => json::print(&status, out),
        false => describe_to(&status, args, out),
    }
}

fn describe_to(status: &FleetStatus, args: &StatusArgs, out: &mut dyn Write) -> Result<()> {
    let states: Vec<String> =
        status.states.iter().map(|(state, n)| format!("{n} {state}")).collect();
    let all = plural(status.tasks.len(), "task");
    writeln!(out, "{} ({}): {all}: {}", status.title, status.campaign, states.join(", "))?;
    let failed = match status.points_failed {
        0 => String::new(),
        n => format!(", {n} failed"),
    };
    writeln!(out, "{} of {} points measured{failed}", status.points_done, status.points)?;
    if !status.lost.is_empty() {
        writeln!(out, "Hosts given up: {}", status.lost.join(", "))?;
    }
    status.unbalanced.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    if let Some(why) = &status.slurm_failure {
        writeln!(out, "Slurm does not report the state of its jobs: {why}")?;
    }
    writeln!(out)?;
    let mut rows = vec![
        ["task", "host", "round", "subject", "state", "points", "left", "cause"]
            .map(str::to_string),
    ];
    rows.extend(status.tasks.iter().map(|task| {
        [
            task.number.to_string(),
            task.host.clone(),
            task.round.to_string(),
            task.subject.clone(),
            task.state.to_string(),
            format!("{}/{}", task.points_done, task.points),
            if task.left_ns == 0 { "-".into() } else { duration(task.left_ns) },
            task.cause.clone().unwrap_or_default(),
        ]
    }));
    columns(&rows, out)?;
    writeln!(out)?;
    let campaign = args.campaign.display();
    let queued = |task: &TaskStatus| ["running", "waiting"].contains(&task.state);
    let measured = |task: &TaskStatus| {
        [TaskState::Measured, TaskState::GivenUp].iter().any(|state| task.state == state.name())
    };
    if status.tasks.iter().all(measured) {
        writeln!(out, "Next: dyno fleet collect {campaign}")?;
    } else if status.tasks.iter().any(|task| !queued(task) && !measured(task)) {
        writeln!(
            out,
            "Next: dyno fleet submit {campaign}, which submits tasks that are not queued"
        )?;
    } else {
        writeln!(out, "At least {} of load remaining", duration(status.left_ns))?;
    }
    Ok(())
}
