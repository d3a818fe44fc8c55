//! The record in a campaign's folder: its tasks, the host of each of their parts, the submitted
//! arrays, and the result of every attempt at a task.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::folder;
use dyno_core::base::error::{Context, Result, failed};
use dyno_core::base::file;

/// The record's file name in the campaign's folder.
const FILE: &str = "campaign.json";
/// A task's attempts, one object per line.
const ATTEMPTS: &str = "attempts.jsonl";

/// A submitted campaign.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CampaignRecord {
    /// The campaign's name.
    pub campaign: String,
    /// The protocol's title.
    pub title: String,
    /// Name of the protocol.
    pub protocol: String,
    /// A file on each host with environment variables for the runs.
    pub environment: Option<PathBuf>,
    /// Abandoned hosts.
    pub lost: Vec<String>,
    /// Tasks by number, from 1.
    pub tasks: Vec<TaskRecord>,
    /// Job arrays, oldest first.
    pub arrays: Vec<Array>,
}

/// A task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskRecord {
    /// Number, from 1.
    pub number: usize,
    /// Its specimen, as named in its plan.
    pub subject: String,
    /// Index of the campaign's `[[subject]]` table.
    pub group: String,
    /// Round, from 1.
    pub round: usize,
    /// Place, from 1.
    pub place: usize,
    /// Its number of points.
    pub points: u64,
    /// Fewer may suffice.
    pub at_most: bool,
    /// The plan's own estimate.
    pub load_ns: u64,
    /// Time limit given to Slurm.
    pub limit_ns: u64,
    /// Generic resources that it requests.
    pub gres: Option<String>,
    /// Its hosts, in order: another one is added if one was lost.
    pub hosts: Vec<String>,
    /// Why it is not measured any more: its drive is no longer in the campaign's file.
    pub given_up: Option<String>,
    /// Its drive is on several hosts, which must not measure it at the same time.
    pub shared: bool,
}

/// An array of jobs on one host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Array {
    /// Its number in Slurm.
    pub job: u64,
    /// Its host.
    pub host: String,
    /// The tasks; their numbers are the elements' indices plus `slurm::index_offset`.
    pub tasks: Vec<usize>,
}

/// The start or end of an attempt at a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// Time, nanoseconds since 1970.
    pub unix_ns: u64,
    /// The host.
    pub host: String,
    /// Exit code of `dyno run`; None at the start.
    pub code: Option<u8>,
    /// Why it failed.
    pub cause: Option<String>,
}

impl CampaignRecord {
    /// Reads the record in a campaign's folder; None if nothing was submitted yet.
    pub fn find(folder: &Path) -> Result<Option<CampaignRecord>> {
        let path = folder.join(FILE);
        // A link could lead out of a served folder.
        if !path.symlink_metadata().is_ok_and(|found| found.is_file()) {
            return Ok(None);
        }
        let text = file::read_text(&path, file::MOST_TEXT)?;
        let record = serde_json::from_str(&text);
        record.map(Some).with_context(|| format!("reading {}", path.display()))
    }

    /// The same, but an error if there is none.
    pub fn of(folder: &Path) -> Result<CampaignRecord> {
        CampaignRecord::find(folder)?.ok_or_else(|| {
            failed(
                format!("{} has no campaign that was submitted", folder.display()),
                "submit it: dyno fleet submit CAMPAIGN.toml",
            )
        })
    }

    /// Stores it in the folder.
    pub fn keep(&self, folder: &Path) -> Result<()> {
        let mut text = serde_json::to_vec_pretty(self).context("writing the campaign's record")?;
        text.push(b'\n');
        folder::replace(&folder.join(FILE), &text)
    }

    /// The tasks of the same subject in earlier rounds.
    pub fn earlier<'r>(&'r self, task: &'r TaskRecord) -> impl Iterator<Item = &'r TaskRecord> {
        let before =
            move |other: &&TaskRecord| other.subject == task.subject && other.round < task.round;
        self.tasks.iter().filter(before)
    }

    /// A task by its number.
    pub fn task(&self, number: usize) -> Result<&TaskRecord> {
        let found = self.tasks.iter().find(|task| task.number == number);
        found.ok_or_else(|| {
            failed(
                format!("the campaign has no task {number}"),
                format!("it has 1 to {}", self.tasks.len()),
            )
        })
    }
}

/// The state of a task from its attempts alone, and why it failed.
pub fn noted(attempts: &[Attempt]) -> (&'static str, Option<String>) {
    match attempts.last() {
        None => ("not begun", None),
        Some(Attempt { code: None, .. }) => ("begun", None),
        Some(Attempt { code: Some(0), .. }) => ("measured", None),
        Some(Attempt { code: Some(128..), cause, .. }) => ("interrupted", cause.clone()),
        Some(Attempt { cause, .. }) => ("failed", cause.clone()),
    }
}

impl TaskRecord {
    /// Its current host.
    pub fn host(&self) -> &str {
        self.hosts.last().map_or("", String::as_str)
    }

    /// Its own folder.
    pub fn folder(&self, campaign: &Path) -> PathBuf {
        campaign.join("tasks").join(self.number.to_string())
    }

    /// Its plan on its current host.
    pub fn plan(&self, campaign: &Path) -> PathBuf {
        self.folder(campaign).join(format!("plan-{}.toml", self.hosts.len()))
    }

    /// Its bundles, one for each of its hosts.
    pub fn bundles(&self, campaign: &Path) -> Vec<PathBuf> {
        let bundle = |part: usize| self.folder(campaign).join(format!("run-{part}.dyno"));
        (1..=self.hosts.len()).map(bundle).collect()
    }

    /// Locks the task until the file is dropped; None if an attempt is running on any host.
    pub fn lock(&self, campaign: &Path) -> Result<Option<File>> {
        let path = self.plan(campaign);
        let locking = || format!("locking {}", path.display());
        let file = File::open(&path).with_context(locking)?;
        Ok(folder::lock(&file).with_context(locking)?.then_some(file))
    }

    /// Whether an attempt is running.
    pub fn is_running(&self, campaign: &Path) -> bool {
        self.lock(campaign).is_ok_and(|lock| lock.is_none())
    }

    /// The start and end of every attempt, in order. A truncated line is ignored.
    pub fn attempts(&self, campaign: &Path) -> Result<Vec<Attempt>> {
        let path = self.folder(campaign).join(ATTEMPTS);
        if !path.symlink_metadata().is_ok_and(|found| found.is_file()) {
            return Ok(Vec::new());
        }
        let text = file::read_text(&path, file::MOST_TEXT)?;
        Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    /// Appends a line.
    pub fn note(&self, campaign: &Path, attempt: &Attempt) -> Result<()> {
        let path = self.folder(campaign).join(ATTEMPTS);
        let noting = || format!("writing {}", path.display());
        let line = format!("{}\n", serde_json::to_string(attempt).with_context(noting)?);
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
        let mut file = options.open(&path).with_context(noting)?;
        file.write_all(line.as_bytes()).and_then(|()| file.sync_all()).with_context(noting)
    }
}
