//! `dyno fleet submit`: writes the job arrays of a campaign's tasks into its folder and submits
//! them to Slurm. If run again, it submits tasks that are neither measured nor queued.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use toml::Table;

use super::layout::{CampaignLayout, program};
use super::words::no_longer_balanced;
use crate::base::clock::Clock;
use crate::base::error::{Context, Result, failed, refused};
use crate::base::file;
use crate::base::units::plural;
use crate::fleet::folder;
use crate::fleet::record::{Array, CampaignRecord, TaskRecord};
use crate::fleet::slurm::{self, ArrayScript, SlurmJob, index_offset};
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
    let begun = CampaignRecord::find(&folder::of(&args.campaign))?;
    let layout = match begun {
        Some(_) => CampaignLayout::remaining(&args.campaign)?,
        None => CampaignLayout::of(&args.campaign, false)?,
    };
    folder::make(&layout.folder)?;
    let folder = layout.folder.canonicalize().context("finding the campaign's folder")?;
    let mut record = match begun {
        Some(record) => record,
        None => begin(&layout)?,
    };
    same(&args.campaign, &layout, &folder)?;
    // Of two concurrent submissions the second is refused.
    let _lock = lab::folder::lock::bundle(&folder.join(SUBMITTED), Clock::start())?;
    give_up(&mut record, &args.lost, &layout)?;
    drop_tasks(&mut record, &layout);
    record.keep(&folder)?;
    let jobs = slurm::jobs(&record)?;
    let standings = standings(&record, &jobs, &folder)?;
    let open = |state: TaskState| {
        matches!(state, TaskState::Idle | TaskState::Failed | TaskState::Interrupted)
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
    let queue = if args.dry_run { None } else { Some(&jobs) };
    let begun = arrays(&mut record, &due, &layout, &folder, queue)?;
    let (what, arrays) = (plural(due.len(), "task"), plural(begun.len(), "array"));
    layout.shared().iter().try_for_each(|line| writeln!(out, "{line}"))?;
    no_longer_balanced(&record).iter().try_for_each(|line| writeln!(out, "{line}"))?;
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
            given_up: None,
            shared: specimen.shared,
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

/// Stores the campaign's file and its protocol in the folder. A file that differs from the
/// submitted one is refused unless only drives were taken out of it, or how jobs are started was
/// changed: points of another load would not belong to the campaign.
fn same(path: &Path, layout: &CampaignLayout, folder: &Path) -> Result<()> {
    let changed = |stored: &Path| {
        refused(
            format!(
                "the campaign or its protocol has changed since it was submitted: see {}",
                stored.display()
            ),
            "submit the new one under another name, or restore the submitted version; only drives \
             may be taken out, and [slurm], find, environment and the drives of a [[host]] changed",
        )
    };
    let text = file::read_text(path, file::MOST_TEXT)?;
    let stored = folder.join(SUBMITTED);
    if stored.exists() {
        let before = file::read_text(&stored, file::MOST_TEXT)?;
        if before != text && !continues(&before, &text)? {
            return Err(changed(&stored));
        }
    }
    if let Some((name, text)) = &layout.campaign.protocol {
        let stored = folder.join("protocol").join(name);
        if !stored.exists() {
            folder::replace(&stored, text.as_bytes())?;
        } else if file::read_text(&stored, file::MOST_TEXT)? != *text {
            return Err(changed(&stored));
        }
    }
    folder::replace(&stored, text.as_bytes())
}

/// Whether a campaign's file defines the same load on the same hosts as an earlier version, with
/// no more drives.
fn continues(before: &str, now: &str) -> Result<bool> {
    let read = |text: &str| toml::from_str::<Table>(text).context("reading the campaign's file");
    let (mut before, mut now) = (read(before)?, read(now)?);
    let mut subjects = Vec::new();
    for file in [&mut before, &mut now] {
        ["slurm", "find", "environment"].into_iter().for_each(|key| drop(file.remove(key)));
        for host in tables(file, "host") {
            host.remove("drives");
        }
        let mut of_file: BTreeMap<String, (Table, BTreeSet<String>)> = BTreeMap::new();
        for subject in tables(file, "subject") {
            let mut drives = BTreeSet::new();
            for key in ["serial", "erase"] {
                let listed = subject.remove(key).unwrap_or(toml::Value::Array(Vec::new()));
                match listed {
                    toml::Value::Array(all) => {
                        drives.extend(all.iter().map(|one| format!("{key}: {one}")));
                    }
                    toml::Value::Table(all) => {
                        drives.extend(all.iter().map(|(serial, how)| format!("{serial}: {how}")));
                    }
                    one => drives.extend([format!("{key}: {one}")]),
                }
            }
            let name = subject.get("name").map(ToString::to_string).unwrap_or_default();
            of_file.insert(name, (subject.clone(), drives));
        }
        file.remove("subject");
        subjects.push(of_file);
    }
    let [before_subjects, now_subjects] = [&subjects[0], &subjects[1]];
    let fewer = now_subjects.iter().all(|(name, (table, drives))| {
        before_subjects.get(name).is_some_and(|(was, had)| was == table && drives.is_subset(had))
    });
    Ok(before == now && fewer)
}

/// The tables of an array of tables.
fn tables<'t>(file: &'t mut Table, key: &str) -> impl Iterator<Item = &'t mut Table> {
    let all = file.get_mut(key).and_then(toml::Value::as_array_mut);
    all.into_iter().flatten().filter_map(toml::Value::as_table_mut)
}

/// Gives up the tasks of drives that are no longer in the campaign's file.
fn drop_tasks(record: &mut CampaignRecord, layout: &CampaignLayout) {
    for task in &mut record.tasks {
        let known = layout.specimens.iter().any(|specimen| specimen.name == task.subject)
            || layout.missing.contains_key(&task.subject);
        task.given_up = (!known).then(|| "it is no longer in the campaign's file".to_string());
    }
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
    let specimen = layout.specimens.iter().find(named).with_context(|| {
        let why = layout.missing.get(&task.subject).map(String::as_str);
        why.unwrap_or("no host has it any more").to_string()
    })?;
    let name = |home: &&SpecimenLocation| layout.hosts[home.host].name.clone();
    let homes: Vec<&SpecimenLocation> =
        specimen.homes.iter().filter(|home| !record.lost.contains(&name(home))).collect();
    if let Some(home) = homes.iter().find(|home| name(home) == task.host()) {
        return Ok((specimen.clone(), (*home).clone()));
    }
    // First one on which it was measured least often, so that it is on as many hosts as planned.
    let load = |home: &&&SpecimenLocation| {
        let here = |other: &&TaskRecord| other.host() == name(home);
        let own = |other: &&TaskRecord| other.subject == task.subject;
        (
            record.tasks.iter().filter(here).filter(own).count(),
            record.tasks.iter().filter(here).count(),
        )
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
/// it; returns the scripts and a message for each. Without the queue's jobs, nothing is submitted.
fn arrays(
    record: &mut CampaignRecord,
    due: &[usize],
    layout: &CampaignLayout,
    folder: &Path,
    queue: Option<&BTreeMap<usize, SlurmJob>>,
) -> Result<Vec<(PathBuf, String)>> {
    let exclusive = layout.exclusive();
    let program = program(&layout.campaign)?;
    // Two hosts must not measure one drive at the same time: its rounds are then sequential.
    let in_rounds = layout.specimens.iter().any(|specimen| specimen.shared);
    let earlier = record.arrays.clone();
    let mut begun: Vec<(PathBuf, String)> = Vec::new();
    let mut jobs: Vec<(usize, Array)> = Vec::new();
    for group in groups(record, due, in_rounds) {
        let tasks: Vec<&TaskRecord> = group.iter().map(|at| &record.tasks[*at]).collect();
        let (host, round) = (tasks[0].host().to_string(), tasks[0].round);
        let before = |(of, array): &&(usize, Array)| {
            (exclusive && array.host == host) || (in_rounds && *of < round)
        };
        // Those of earlier calls that may still measure a drive of this array.
        let measures_the_same = |array: &&Array| {
            array.tasks.iter().filter_map(|number| record.task(*number).ok()).any(|other| {
                let alive = |jobs: &BTreeMap<usize, SlurmJob>| {
                    jobs.get(&other.number).is_some_and(SlurmJob::is_alive)
                };
                queue.is_some_and(alive)
                    && tasks.iter().any(|task| task.shared && task.subject == other.subject)
            })
        };
        let after: Vec<u64> = earlier
            .iter()
            .filter(measures_the_same)
            .chain(jobs.iter().filter(before).map(|(_, array)| array))
            .map(|array| array.job)
            .collect();
        let script = ArrayScript {
            campaign: &record.campaign,
            folder,
            program: &program,
            slurm: &layout.campaign.slurm,
            exclusive,
            tasks: &tasks,
            after: &after,
        };
        let name = format!("{host}-{}.sh", earlier.len() + begun.len() + 1);
        let path = folder.join("jobs").join(name);
        folder::replace(&path, script.text()?.as_bytes())?;
        let numbers: Vec<usize> = tasks.iter().map(|task| task.number).collect();
        if queue.is_none() {
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

/// Tasks of one array: on one host with the same generic resources and the same offset of their
/// indices, in order.
fn groups(record: &CampaignRecord, due: &[usize], in_rounds: bool) -> Vec<Vec<usize>> {
    let rounds: BTreeSet<usize> = match in_rounds {
        true => due.iter().map(|at| record.tasks[*at].round).collect(),
        false => BTreeSet::from([0]),
    };
    let hosts: BTreeSet<&str> = due.iter().map(|at| record.tasks[*at].host()).collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for round in rounds {
        for host in &hosts {
            let mut last = None;
            let here = |at: &&usize| {
                let task = &record.tasks[**at];
                task.host() == *host && (!in_rounds || task.round == round)
            };
            for at in due.iter().filter(here) {
                let task = &record.tasks[*at];
                let kind = Some((&task.gres, index_offset(task.number)));
                match (groups.last_mut(), last == kind) {
                    (Some(group), true) => group.push(*at),
                    _ => groups.push(vec![*at]),
                }
                last = kind;
            }
        }
    }
    groups
}
