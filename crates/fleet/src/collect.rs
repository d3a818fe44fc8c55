//! Checks a campaign's bundles: each is complete, belongs to the campaign's plan, and every point
//! exists once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::record::{CampaignRecord, TaskRecord};
use super::slurm::SlurmJob;
use dyno_core::base::error::{Context, Result, describe};
use dyno_core::plan::{self, Plan, PointKey};
use dyno_core::record::Outcome;
use dyno_core::store::Bundle;

/// A bundle of a task.
#[derive(Clone, Debug)]
pub struct TaskBundle {
    /// Its path, as written by the task.
    pub path: PathBuf,
    /// The host on which it was measured.
    pub host: String,
    /// Its measured points.
    pub measured: usize,
}

/// A task's bundles.
#[derive(Clone, Debug, Default)]
pub struct CheckedTask {
    /// The bundles with points, in order.
    pub parts: Vec<TaskBundle>,
    /// Points that no bundle contains as measured.
    pub missing: Vec<String>,
    /// Other problems.
    pub wrong: Vec<String>,
}

/// Checks the bundles of every task, in order. `jobs` is Slurm's information, if available: bundles
/// of tasks that may still run are skipped.
pub fn check(
    record: &CampaignRecord,
    jobs: Option<&BTreeMap<usize, SlurmJob>>,
    folder: &Path,
) -> Result<Vec<CheckedTask>> {
    let mut first = None;
    let mut all = Vec::new();
    for task in &record.tasks {
        let last = task.attempts(folder)?.pop().map(|attempt| attempt.code);
        let runs = match jobs {
            // Slurm lists a job for a moment after its run has measured everything, which the exit
            // code of the last attempt shows.
            Some(jobs) => {
                last != Some(Some(0)) && jobs.get(&task.number).is_some_and(SlurmJob::runs)
            }
            None => last == Some(None),
        };
        all.push(match runs {
            true => CheckedTask {
                missing: vec!["which its run continues".into()],
                ..CheckedTask::default()
            },
            false => of(task, folder, &mut first)?,
        });
    }
    Ok(all)
}

fn of(task: &TaskRecord, folder: &Path, first: &mut Option<Plan>) -> Result<CheckedTask> {
    let mut checked = CheckedTask::default();
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let mut own: Option<Plan> = None;
    for (path, host) in task.bundles(folder).into_iter().zip(&task.hosts) {
        if !path.exists() {
            continue;
        }
        let (plan, keys) = match read(&path) {
            Ok(read) => read,
            Err(error) => {
                checked.wrong.push(describe(&error).0);
                continue;
            }
        };
        let of_first = first.get_or_insert_with(|| plan.clone());
        if !alike(&plan, of_first) || plan.subjects.iter().any(|s| s.name != task.subject) {
            let what = format!("{} is not of this campaign's plan", path.display());
            checked.wrong.push(what);
            continue;
        }
        keys.iter().for_each(|key| *times.entry(words(key)).or_default() += 1);
        if !keys.is_empty() {
            let part = TaskBundle { path, host: host.clone(), measured: keys.len() };
            checked.parts.push(part);
        }
        own = Some(plan);
    }
    let twice = times.iter().filter(|(_, times)| **times > 1).map(|(key, _)| key);
    checked.wrong.extend(twice.map(|key| format!("{key} was measured twice")));
    checked.missing = match own {
        // A search, or an interval that was narrow enough, skips points.
        Some(_) if task.at_most => {
            let whole = task.attempts(folder)?.last().is_some_and(|last| last.code == Some(0));
            if whole { Vec::new() } else { vec!["what its run did not come to".to_string()] }
        }
        Some(plan) => {
            let all = plan::points(&plan).map(|point| words(&point.key));
            all.filter(|key| !times.contains_key(key)).collect()
        }
        None => vec![format!("all {}", task.points)],
    };
    Ok(checked)
}

/// A bundle's plan, and its measured points.
fn read(path: &Path) -> Result<(Plan, Vec<PointKey>)> {
    let reading = || format!("reading {}", path.display());
    let bundle = Bundle::open(path).with_context(reading)?;
    let mut keys = Vec::new();
    bundle
        .each_point(&mut |stored| {
            if stored.point.outcome == Outcome::Measured {
                keys.push(stored.point.key.clone());
            }
            Ok(())
        })
        .with_context(reading)?;
    Ok((bundle.run().plan.clone(), keys))
}

/// Whether two plans are the same except for their subjects and derived values.
fn alike(one: &Plan, other: &Plan) -> bool {
    let bare = |plan: &Plan| {
        let mut plan = Plan { subjects: Vec::new(), stated: Default::default(), ..plan.clone() };
        let streams = plan.protocol.steps.iter_mut().flat_map(|step| &mut step.streams);
        // Workers are pinned by default if a subject is a device.
        streams.for_each(|stream| stream.cpus = None);
        plan
    };
    bare(one) == bare(other)
}

/// "a, io.threads = 2, repeat 1".
fn words(key: &PointKey) -> String {
    let axis = key.axis.as_ref().map(|axis| match axis.value.number() {
        Some(value) => format!(", {} = {value}", axis.name),
        None => format!(", {} at its maximum", axis.name),
    });
    format!("{}{}, repeat {}", key.step, axis.unwrap_or_default(), key.repeat)
}
