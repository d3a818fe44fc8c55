//! Slurm: the script of a job array, and Slurm's information about arrays. Nothing from the
//! submitter's environment is passed to a job.

use std::collections::BTreeMap;
use std::path::Path;

use super::hosts::output;
use super::record::{Array, CampaignRecord, TaskRecord};
use dyno_core::base::error::{Result, describe, failed};
use dyno_core::plan::campaign::Slurm;

const NS_PER_MINUTE: u64 = 60_000_000_000;

/// The greatest index of an array: Slurm's default `MaxArraySize` is 1001.
const MOST_INDEX: usize = 1000;

/// The difference between a task's number and its index in its array. Tasks of one array have the
/// same.
pub fn index_offset(number: usize) -> usize {
    number.saturating_sub(1) / MOST_INDEX * MOST_INDEX
}

/// States in which a job is, or may become, active.
const ALIVE: [&str; 12] = [
    "PENDING",
    "CONFIGURING",
    "RUNNING",
    "COMPLETING",
    "SUSPENDED",
    "STOPPED",
    "SIGNALING",
    "STAGE_OUT",
    "REQUEUED",
    "REQUEUE_FED",
    "REQUEUE_HOLD",
    "RESIZING",
];

/// The state of an array's job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlurmJob {
    /// Slurm's state: PENDING, RUNNING, NODE_FAIL.
    pub state: String,
    /// Why it waits or failed, from Slurm.
    pub reason: String,
}

impl SlurmJob {
    /// Whether it may still run.
    pub fn is_alive(&self) -> bool {
        ALIVE.contains(&self.state.as_str())
    }

    /// Whether it is running.
    pub fn runs(&self) -> bool {
        ["RUNNING", "COMPLETING", "SUSPENDED", "STOPPED"].contains(&self.state.as_str())
    }
}

/// The data for an array's script.
pub struct ArrayScript<'s> {
    /// The campaign's name.
    pub campaign: &'s str,
    /// The campaign's folder, the same path on every host.
    pub folder: &'s Path,
    /// Dyno on the hosts.
    pub program: &'s Path,
    /// The campaign's Slurm options.
    pub slurm: &'s Slurm,
    /// A task has exclusive use of its host.
    pub exclusive: bool,
    /// The tasks: on one host, with the same generic resources.
    pub tasks: &'s [&'s TaskRecord],
    /// Arrays that must end first.
    pub after: &'s [u64],
}

impl ArrayScript<'_> {
    /// The script's text; an error if a path cannot be written in one.
    pub fn text(&self) -> Result<String> {
        let first = self.tasks[0];
        let folder = word(self.folder)?;
        let offset = index_offset(first.number);
        let indices: Vec<String> =
            self.tasks.iter().map(|task| (task.number - offset).to_string()).collect();
        let limit_ns = self.tasks.iter().map(|task| task.limit_ns).max().unwrap_or(0);
        // Sequential and in order, if each has exclusive use of the host.
        let at_once = if self.exclusive { "%1" } else { "" };
        let mut options = vec![
            format!("job-name={}", job_name(self.campaign)),
            format!("array={}{at_once}", indices.join(",")),
            format!("nodelist={}", first.host()),
            "nodes=1".to_string(),
            "ntasks=1".to_string(),
            format!("time={}", limit_ns.div_ceil(NS_PER_MINUTE).max(1)),
            "requeue".to_string(),
            "open-mode=append".to_string(),
            // Slurm's own messages; the pattern has no place for a task's number.
            format!("output={folder}/jobs/%A-%a.log"),
            // `exec` below replaces the batch shell with Dyno.
            "signal=B:TERM@60".to_string(),
            EXPORT.to_string(),
        ];
        let said = [
            ("partition", &self.slurm.partition),
            ("constraint", &self.slurm.constraint),
            ("account", &self.slurm.account),
            ("qos", &self.slurm.qos),
            ("reservation", &self.slurm.reservation),
            ("gres", &first.gres),
        ];
        options.extend(
            said.iter().filter_map(|(key, word)| Some(format!("{key}={}", word.as_ref()?))),
        );
        options.extend(self.exclusive.then(|| "exclusive".to_string()));
        if !self.after.is_empty() {
            let after: Vec<String> = self.after.iter().map(u64::to_string).collect();
            options.push(format!("dependency=afterany:{}", after.join(":")));
        }
        let options: String = options.iter().map(|o| format!("#SBATCH --{o}\n")).collect();
        Ok(format!(
            "#!/bin/sh\n{options}export PATH={PATH}\n\
             task=$((SLURM_ARRAY_TASK_ID + {offset}))\n\
             exec {} fleet task {folder} $task >> {folder}/tasks/$task/log 2>&1\n",
            word(self.program)?
        ))
    }
}

/// No environment; also on the command line, where it takes precedence over `SBATCH_EXPORT`.
const EXPORT: &str = "export=NIL";

/// The search path of programs on the hosts.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The job name of a campaign.
fn job_name(campaign: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    format!("dyno-{}", campaign.chars().map(plain).collect::<String>())
}

/// A path that needs no quotes, neither in a shell nor in Slurm's file name patterns.
fn word(path: &Path) -> Result<String> {
    let text = path.display().to_string();
    let fits = |c: char| c.is_ascii_alphanumeric() || "/._-+@=,".contains(c);
    if path.is_absolute() && text.chars().all(fits) {
        return Ok(text);
    }
    Err(failed(
        format!("{text} cannot be used in a job script"),
        "use paths of the campaign and the program that \
             consist of letters, digits and . _ - + @ = ,",
    ))
}

/// Submits a script; returns the array's number.
pub fn submit(script: &Path) -> Result<u64> {
    let path = script.display().to_string();
    let said = output("sbatch", &["--parsable", &format!("--{EXPORT}"), &path])?;
    let number = said.trim().split(';').next().unwrap_or_default();
    number.parse().map_err(|_| {
        failed(format!("sbatch printed '{number}', which is not a job number"), "try it by hand")
    })
}

/// The states of the jobs of a record's arrays, by task: the most recent of each. Jobs no longer
/// known to Slurm are omitted.
pub fn jobs(record: &CampaignRecord) -> Result<BTreeMap<usize, SlurmJob>> {
    let mut found = BTreeMap::new();
    if record.arrays.is_empty() {
        return Ok(found);
    }
    let numbers: Vec<String> = record.arrays.iter().map(|a| a.job.to_string()).collect();
    let jobs = format!("--jobs={}", numbers.join(","));
    let args = ["--noheader", "--array", "--states=all", "--format=%F|%K|%T|%r", &jobs];
    let said = match output("squeue", &args) {
        // All of them are unknown to Slurm.
        Err(error) if describe(&error).0.contains("Invalid job id") => return Ok(found),
        said => said?,
    };
    let offset = |array: u64| {
        let known = record.arrays.iter().find(|known| known.job == array);
        known.and_then(|known| known.tasks.first()).map_or(0, |first| index_offset(*first))
    };
    let mut youngest: BTreeMap<usize, u64> = BTreeMap::new();
    for line in said.lines() {
        let [array, index, state, reason] = line.trim().split('|').collect::<Vec<_>>()[..] else {
            continue;
        };
        let (Ok(array), Ok(index)) = (array.parse::<u64>(), index.parse::<usize>()) else {
            continue;
        };
        let task = index + offset(array);
        if youngest.get(&task).is_none_or(|known| *known <= array) {
            youngest.insert(task, array);
            found.insert(task, SlurmJob { state: state.into(), reason: reason.into() });
        }
    }
    Ok(found)
}

/// Cancels a host's jobs.
pub fn cancel(arrays: &[&Array]) -> Result<()> {
    if arrays.is_empty() {
        return Ok(());
    }
    let numbers: Vec<String> = arrays.iter().map(|array| array.job.to_string()).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    match output("scancel", &numbers) {
        // Ended jobs need not be cancelled.
        Err(error) if describe(&error).0.contains("Invalid job id") => Ok(()),
        said => said.map(drop),
    }
}
