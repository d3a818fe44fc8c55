//! `dyno fleet plan`: what a campaign would do, before anything is submitted: the tasks with their
//! drive, host, order and duration, and what is erased. Runs nothing.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::json::{self, OutputFormat};
use super::layout::{CampaignLayout, place};
use super::words::{balance, columns};
use crate::base::error::Result;
use crate::base::units::{bytes, duration, plural};
use crate::cmd::plan_numbers::{fill_bytes, paced_bytes};
use crate::fleet::tasks::spreads;
use crate::plan::DrivePlace;
use crate::run::prepare;

/// The campaign.
#[derive(Args)]
pub struct PlanArgs {
    /// Campaign file
    #[arg(value_name = "CAMPAIGN")]
    campaign: PathBuf,
    /// First query each host for its drives (`dyno drives --json`, through srun or the campaign's
    /// own command) and store the answers in the campaign's folder
    #[arg(long)]
    find: bool,
    #[command(flatten)]
    format: OutputFormat,
}

/// Prints the tasks.
pub fn plan(args: &PlanArgs, out: &mut dyn Write) -> Result<()> {
    let layout = CampaignLayout::of(&args.campaign, args.find)?;
    let planned = planned(&layout)?;
    match args.format.json {
        true => json::print(&planned, out),
        false => describe(&layout, &planned, out),
    }
}

/// What `dyno fleet plan --json` prints.
#[derive(Serialize, JsonSchema)]
pub struct PlannedCampaign {
    /// Name of the campaign.
    campaign: String,
    /// Name of the protocol.
    protocol: String,
    title: String,
    /// Number of measurements of each specimen, each on its next host.
    rounds: u32,
    /// A task has exclusive use of its host.
    exclusive: bool,
    /// Points over all tasks.
    points: u64,
    /// Points and times are upper bounds: a search, or repeats until an interval is narrow.
    at_most: bool,
    hosts: Vec<HostRow>,
    tasks: Vec<TaskRow>,
    /// The preparation of each drive, as text.
    preparation: Vec<String>,
    /// The distribution of subjects over hosts and places, and what could not be balanced, as text.
    balance: Vec<String>,
    /// Drives that several hosts report, as text.
    shared: Vec<String>,
}

/// A host.
#[derive(Serialize, JsonSchema)]
struct HostRow {
    name: String,
    tasks: usize,
    /// Load of its tasks in sequence, without filling datasets.
    load_ns: u64,
}

/// A task: one run on one host.
#[derive(Serialize, JsonSchema)]
struct TaskRow {
    /// From 1.
    number: usize,
    host: String,
    /// From 1.
    round: usize,
    /// Place in its host's order of that round, from 1.
    place: usize,
    /// Name of its specimen, as in its plan.
    subject: String,
    /// The directory; null for a device.
    path: Option<PathBuf>,
    /// The block device; null for a directory.
    device: Option<PathBuf>,
    /// The device's serial number.
    serial: Option<String>,
    /// Everything on it is erased.
    erased: bool,
    points: u64,
    /// Warm-ups, windows, conditioning and steady rounds, without filling datasets.
    load_ns: u64,
    /// Time limit given to Slurm.
    limit_ns: u64,
    /// Bytes written by filling its datasets.
    dataset_bytes: u64,
    /// Maximum bytes written by rate-limited writers over all its points.
    paced_bytes: u64,
}

fn planned(layout: &CampaignLayout) -> Result<PlannedCampaign> {
    let (mut tasks, mut at_most) = (Vec::new(), false);
    let mut preparation = Vec::new();
    for task in &layout.tasks {
        let (cost, plan) = (layout.cost(task)?, layout.plan(task)?);
        at_most |= cost.at_most;
        for words in prepare::in_words(&plan) {
            if !preparation.contains(&words) {
                preparation.push(words);
            }
        }
        let drive = &layout.home(task)?.drive;
        let (path, device, serial) = match &drive.place {
            DrivePlace::Directory(path) => (Some(path.clone()), None, None),
            DrivePlace::Device { path, serial } => (None, Some(path.clone()), Some(serial.clone())),
        };
        tasks.push(TaskRow {
            number: task.number,
            host: layout.hosts[task.host].name.clone(),
            round: task.round,
            place: task.place,
            subject: layout.specimen(task).name.clone(),
            erased: device.is_some() && drive.erase,
            path,
            device,
            serial,
            points: cost.points,
            load_ns: cost.load_ns,
            limit_ns: cost.limit_ns,
            dataset_bytes: fill_bytes(&plan),
            paced_bytes: plan.subjects.first().map_or(0, |s| paced_bytes(&plan, s) as u64),
        });
    }
    let spreads = spreads(&layout.specimens, &layout.tasks, layout.hosts.len());
    let of_host = |name: &String| {
        let own = || tasks.iter().filter(|task| task.host == *name);
        let load_ns = own().map(|task| task.load_ns).fold(0, u64::saturating_add);
        HostRow { name: name.clone(), tasks: own().count(), load_ns }
    };
    let campaign = &layout.campaign;
    Ok(PlannedCampaign {
        campaign: campaign.name.clone(),
        protocol: campaign.plan.protocol.name.clone(),
        title: campaign.plan.protocol.title.clone(),
        rounds: campaign.rounds,
        exclusive: layout.exclusive(),
        points: tasks.iter().map(|task| task.points).sum(),
        at_most,
        hosts: layout.hosts.iter().map(|host| of_host(&host.name)).collect(),
        preparation,
        balance: balance(layout, &spreads),
        shared: layout.shared(),
        tasks,
    })
}

fn describe(layout: &CampaignLayout, planned: &PlannedCampaign, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "{} ({})", planned.title, planned.protocol)?;
    let up_to = if planned.at_most { "up to " } else { "" };
    writeln!(
        out,
        "{}: {} on {}, {}: {}, {up_to}{}\n",
        planned.campaign,
        plural(layout.specimens.len(), "subject"),
        plural(planned.hosts.len(), "host"),
        plural(planned.rounds as usize, "round"),
        plural(planned.tasks.len(), "task"),
        plural(planned.points as usize, "point"),
    )?;
    let bound = if planned.at_most { "at most" } else { "at least" };
    let mut rows = vec![
        ["task", "host", "round", "place", "subject", "points", bound, "drive"].map(str::to_string),
    ];
    for (row, task) in planned.tasks.iter().zip(&layout.tasks) {
        let erased = if row.erased { ": EVERYTHING ON IT IS ERASED" } else { "" };
        rows.push([
            row.number.to_string(),
            row.host.clone(),
            row.round.to_string(),
            row.place.to_string(),
            row.subject.clone(),
            row.points.to_string(),
            duration(row.load_ns),
            format!("{}{erased}", place(&layout.home(task)?.drive.place)),
        ]);
    }
    columns(&rows, out)?;
    writeln!(out)?;
    for host in &planned.hosts {
        let tasks = plural(host.tasks, "task");
        writeln!(out, "{}: {tasks}, {bound} {}", host.name, duration(host.load_ns))?;
    }
    let alone = match planned.exclusive {
        true => "Each task has its host for itself",
        false => "Tasks may share a host, and disturb one another",
    };
    writeln!(out, "{alone}; without filling datasets and settling.")?;
    if !planned.preparation.is_empty() {
        writeln!(out, "First, for each drive: {}", planned.preparation.join("; "))?;
    }
    let filled = planned.tasks.iter().map(|task| task.dataset_bytes + task.paced_bytes).max();
    if let Some(filled) = filled.filter(|bytes| *bytes > 0) {
        writeln!(out, "Each task writes up to {} of datasets and paced load", bytes(filled))?;
    }
    let mut erased: Vec<&str> =
        planned.tasks.iter().filter(|t| t.erased).filter_map(|t| t.serial.as_deref()).collect();
    erased.sort_unstable();
    erased.dedup();
    match &erased[..] {
        [] => writeln!(out, "No drive is erased.")?,
        all => writeln!(out, "Erased: {}", all.join(", "))?,
    }
    let mut lines = planned.shared.iter().chain(&planned.balance);
    lines.try_for_each(|line| writeln!(out, "{line}"))?;
    Ok(())
}
