//! `dyno fleet submit`: writes the job arrays of a campaign's tasks into its folder and submits
//! them to Slurm. If run again, it submits tasks that are neither measured nor queued.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::layout::{CampaignLayout, program};
use crate::base::clock::Clock;
use crate::base::error::{Context, Result, failed, refused};
use crate::base::file;
use crate::base::units::plural;
use crate::fleet::folder;
use crate::fleet::record::{Array, CampaignRecord, TaskRecord};
use crate::fleet::slurm::{self, ArrayScript};
use crate::fleet::state::{TaskState, standings};
use crate::fleet::tasks::FleetTask;
use crate::lab;
use crate::plan::campaign::{Specimen, SpecimenLocation};

/// The campaign's file as submitted.
const SUBMITTED: &str = "campaign.toml";

/// The campaign.
#[derive(Args)]
pub struct SubmitArgs {
    /// Campaign file
    #[arg(value_name = "CAMPAIGN")]
    campaign: PathBuf,
    /// Abandon this host: its remaining tasks move to other hosts that have the same directory or
    /// drive; repeatable
    #[arg(long, value_name = "HOST")]
    lost: Vec<String>,
    /// Write the scripts but do not submit them
    #[arg(long)]
    dry_run: bool,
}

/// Submits the remaining tasks.
pub fn submit(args: &SubmitArgs, out: &mut dyn Write) -> Result<()> {
    let layout = CampaignLayout::of(&args.campaign, false)?;
    folder::make(&layout.folder)?;
    let folder = layout.folder.canonicalize().context("finding the campaign's folder")?;
    same(&args.campaign, &layout, &folder)?;
    // Of two concurrent submissions the second is refused.
    let _lock = lab::folder::lock::bundle(&folder.join(SUBMITTED), Clock::start())?;
    let mut record = match CampaignRecord::find(&folder)? {
        Some(record) => record,
        None => begin(&layout)?,
    };
    give_up(&mut record, &args.lost, &layout)?;
    record.keep(&folder)?;
    let jobs = slurm::jobs(&record)?;
    let standings = standings(&record, &jobs, &folder)?;
    let open = |state: TaskState| {
        !matches!(state, TaskState::Measured | TaskState::Running | TaskState::Waiting)
    };
    let mut due = Vec::new();
    for (at, standing) in standings.iter().enumerate().filter(|(_, s)| open(s.state)) {
        match settle(&mut record, at, &layout) {
            Ok(home) => due.push((at, home)),
            Err(error) => {
                let (task, why) = (&record.tasks[at], crate::base::error::describe(&error).0);
                writeln!(out, "Task {} ({}) stays open: {why}", task.number, task.subject)?;
            }
        }
        if standing.state == TaskState::Failed {
            let why = standing.cause.as_deref().unwrap_or("it failed");
            let number = record.tasks[at].number;
            writeln!(out, "Task {number} is submitted again, after: {why}")?;
        }
    }
    record.keep(&folder)?;
    for (at, (specimen, home)) in &due {
        write_plan(&record.tasks[*at], &layout, (specimen, home), &folder)?;
    }
    let due: Vec<usize> = due.into_iter().map(|(at, _)| at).collect();
    let begun = arrays(&mut record, &due, &layout, &folder, args.dry_run)?;
    let (what, arrays) = (plural(due.len(), "task"), plural(begun.len(), "array"));
    match (due.is_empty(), args.dry_run) {
        (true, _) => writeln!(out, "Nothing to submit: every task is measured or in the queue.")?,
        (_, true) => writeln!(out, "{what} in {arrays}, not submitted: {}", listed(&begun))?,
        _ => writeln!(out, "{what} in {arrays}: {}", listed(&begun))?,
    }
    writeln!(out, "Next: dyno fleet status {}", args.campaign.display())?;
    Ok(())
}

fn listed(begun: &[(PathBuf, String)]) -> String {
    begun.iter().map(|(_, what)| what.as_str()).collect::<Vec<_>>().join(", ")
}

/// The record of a campaign that has not been submitted before.
fn begin(layout: &CampaignLayout) -> Result<CampaignRecord> {
    let campaign = &layout.campaign;
    let names = campaign.subjects();
    let task = |task: &FleetTask| {
        let (cost, specimen) = (layout.cost(task)?, layout.specimen(task));
        Ok(TaskRecord {
            number: task.number,
            subject: specimen.name.clone(),
            group: names[specimen.subject].to_string(),
            round: task.round,
            place: task.place,
            points: cost.points,
            at_most: cost.at_most,
            load_ns: cost.load_ns,
            limit_ns: cost.limit_ns,
            gres: campaign.gres(specimen).map(str::to_string),
            hosts: vec![layout.hosts[task.host].name.clone()],
        })
    };
    Ok(CampaignRecord {
        campaign: campaign.name.clone(),
        title: campaign.plan.protocol.title.clone(),
        protocol: campaign.plan.protocol.name.clone(),
        environment: campaign.environment.clone(),
        tasks: layout.tasks.iter().map(task).collect::<Result<_>>()?,
        ..CampaignRecord::default()
    })
}

/// Stores the campaign's file and its protocol in the folder, and refuses ones that differ from the
/// submitted ones: their points would not belong to one campaign.
fn same(path: &Path, layout: &CampaignLayout, folder: &Path) -> Result<()> {
    let text = file::read_text(path, file::MOST_TEXT)?;
    let protocol = layout.campaign.protocol.as_ref();
    let files = [Some((folder.join(SUBMITTED), &text))]
        .into_iter()
        .chain([protocol.map(|(name, text)| (folder.join("protocol").join(name), text))]);
    for (kept, text) in files.flatten() {
        if !kept.exists() {
            folder::replace(&kept, text.as_bytes())?;
        } else if file::read_text(&kept, file::MOST_TEXT)? != *text {
            return Err(refused(
                format!(
                    "the campaign or its protocol has changed since it was submitted: see {}",
                    kept.display()
                ),
                "submit the new one under another name, or restore the submitted version",
            ));
        }
    }
    Ok(())
}

/// Records abandoned hosts, and cancels their jobs in Slurm.
fn give_up(record: &mut CampaignRecord, lost: &[String], layout: &CampaignLayout) -> Result<()> {
    for name in lost {
        if layout.hosts.iter().all(|host| host.name != *name) {
            let known: Vec<&str> = layout.hosts.iter().map(|host| &*host.name).collect();
            return Err(failed(
                format!("the campaign has no host '{name}'"),
                format!("it has: {}", known.join(", ")),
            ));
        }
        let arrays: Vec<&Array> = record.arrays.iter().filter(|a| a.host == *name).collect();
        slurm::cancel(&arrays)?;
        if !record.lost.contains(name) {
            record.lost.push(name.clone());
        }
    }
    // Cancelled jobs are about to leave the queue.
    let lost = record.lost.clone();
    record.arrays.retain(|array| !lost.contains(&array.host));
    Ok(())
}

/// The current host of a task: its own, or another if that was abandoned.
fn settle(
    record: &mut CampaignRecord,
    at: usize,
    layout: &CampaignLayout,
) -> Result<(Specimen, SpecimenLocation)> {
    let task = &record.tasks[at];
    let named = |specimen: &&Specimen| specimen.name == task.subject;
    let specimen = layout
        .specimens
        .iter()
        .find(named)
        .with_context(|| format!("no host has '{}' any more", task.subject))?;
    let name = |home: &&SpecimenLocation| layout.hosts[home.host].name.clone();
    let homes: Vec<&SpecimenLocation> =
        specimen.homes.iter().filter(|home| !record.lost.contains(&name(home))).collect();
    if let Some(home) = homes.iter().find(|home| name(home) == task.host()) {
        return Ok((specimen.clone(), (*home).clone()));
    }
    let load = |home: &&&SpecimenLocation| {
        let here = |task: &&TaskRecord| task.host() == name(home);
        record.tasks.iter().filter(here).count()
    };
    let home = homes.iter().min_by_key(load).map(|home| (*home).clone()).with_context(|| {
        format!(
            "only {} has it, and that host was abandoned; move the drive to another host and \
             find it there with `dyno fleet plan --find`",
            task.host()
        )
    })?;
    record.tasks[at].hosts.push(name(&&home));
    Ok((specimen.clone(), home))
}

fn write_plan(
    task: &TaskRecord,
    layout: &CampaignLayout,
    (specimen, home): (&Specimen, &SpecimenLocation),
    folder: &Path,
) -> Result<()> {
    let named = match &layout.campaign.protocol {
        Some((name, _)) => folder.join("protocol").join(name).display().to_string(),
        None => layout.campaign.plan.protocol.name.clone(),
    };
    let text = layout.campaign.text_of(specimen, home, &named);
    folder::replace(&task.plan(folder), text.as_bytes())
}

/// Writes the scripts of the due tasks, submits them, and records each array as soon as Slurm has
/// it; returns the scripts and a message for each.
fn arrays(
    record: &mut CampaignRecord,
    due: &[usize],
    layout: &CampaignLayout,
    folder: &Path,
    dry_run: bool,
) -> Result<Vec<(PathBuf, String)>> {
    let exclusive = layout.exclusive();
    let program = program(&layout.campaign)?;
    // Two hosts must not measure one drive at the same time: its rounds are then sequential.
    let in_rounds = layout.specimens.iter().any(|specimen| specimen.shared);
    let mut begun: Vec<(PathBuf, String)> = Vec::new();
    let mut jobs: Vec<(usize, Array)> = Vec::new();
    for group in groups(record, due, in_rounds) {
        let tasks: Vec<&TaskRecord> = group.iter().map(|at| &record.tasks[*at]).collect();
        let (host, round) = (tasks[0].host().to_string(), tasks[0].round);
        let before = |(of, array): &&(usize, Array)| {
            (exclusive && array.host == host) || (in_rounds && *of < round)
        };
        let after: Vec<u64> = jobs.iter().filter(before).map(|(_, array)| array.job).collect();
        let script = ArrayScript {
            campaign: &record.campaign,
            folder,
            program: &program,
            slurm: &layout.campaign.slurm,
            exclusive,
            tasks: &tasks,
            after: &after,
        };
        let name = format!("{host}-{}.sh", record.arrays.len() + begun.len() + 1);
        let path = folder.join("jobs").join(name);
        folder::replace(&path, script.text()?.as_bytes())?;
        let numbers: Vec<usize> = tasks.iter().map(|task| task.number).collect();
        if dry_run {
            begun.push((path.clone(), path.display().to_string()));
            continue;
        }
        let job = slurm::submit(&path)?;
        let array = Array { job, host: host.clone(), tasks: numbers };
        jobs.push((round, array.clone()));
        record.arrays.push(array);
        record.keep(folder)?;
        begun.push((path, format!("{job} on {host}")));
    }
    Ok(begun)
}

/// Tasks of one array: on one host with the same generic resources, in order.
fn groups(record: &CampaignRecord, due: &[usize], in_rounds: bool) -> Vec<Vec<usize>> {
    let rounds: BTreeSet<usize> = match in_rounds {
        true => due.iter().map(|at| record.tasks[*at].round).collect(),
        false => BTreeSet::from([0]),
    };
    let hosts: BTreeSet<&str> = due.iter().map(|at| record.tasks[*at].host()).collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for round in rounds {
        for host in &hosts {
            let mut last: Option<&Option<String>> = None;
            let here = |at: &&usize| {
                let task = &record.tasks[**at];
                task.host() == *host && (!in_rounds || task.round == round)
            };
            for at in due.iter().filter(here) {
                let gres = &record.tasks[*at].gres;
                match (groups.last_mut(), last == Some(gres)) {
                    (Some(group), true) => group.push(*at),
                    _ => groups.push(vec![*at]),
                }
                last = Some(gres);
            }
        }
    }
    groups
}
