//! The record in a campaign's folder: its tasks, the host of each of their parts, the arrays that
//! were submitted, and the result of every attempt at a task.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::folder;
use dyno_core::base::error::{Context, Result, failed};
use dyno_core::base::file;

/// The record's file in the campaign's folder.
const FILE: &str = "campaign.json";
/// A task's attempts, an object a line.
const ATTEMPTS: &str = "attempts.jsonl";

/// A campaign that was submitted.
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
    /// Hosts that were given up.
    pub lost: Vec<String>,
    /// By number, which begins at 1.
    pub tasks: Vec<TaskRecord>,
    /// Job arrays, the oldest first.
    pub arrays: Vec<Array>,
}

/// A task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskRecord {
    /// Number, from 1.
    pub number: usize,
    /// What it measures, as its plan calls it.
    pub subject: String,
    /// The campaign's `[[subject]]` table.
    pub group: String,
    /// From 1.
    pub round: usize,
    /// From 1.
    pub place: usize,
    /// How many points it has.
    pub points: u64,
    /// Fewer may do.
    pub at_most: bool,
    /// The plan's own estimate.
    pub load_ns: u64,
    /// Time limit that Slurm is given.
    pub limit_ns: u64,
    /// Generic resources that it asks for.
    pub gres: Option<String>,
    /// The hosts that it is measured on, one after the other: a further one where one was lost.
    pub hosts: Vec<String>,
}

/// An array of jobs on one host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Array {
    /// Slurm's number of it.
    pub job: u64,
    /// Its host.
    pub host: String,
    /// The tasks, by which its elements are numbered.
    pub tasks: Vec<usize>,
}

/// The beginning or end of an attempt at a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// When, nanoseconds since 1970.
    pub unix_ns: u64,
    /// The host.
    pub host: String,
    /// Exit code of `dyno run`; none at the beginning.
    pub code: Option<u8>,
    /// Why it failed.
    pub cause: Option<String>,
}

impl CampaignRecord {
    /// Of a campaign's folder; none where nothing was submitted yet.
    pub fn find(folder: &Path) -> Result<Option<CampaignRecord>> {
        let path = folder.join(FILE);
        // A link may lead out of a folder that is served.
        if !path.symlink_metadata().is_ok_and(|found| found.is_file()) {
            return Ok(None);
        }
        let text = file::read_text(&path, file::MOST_TEXT)?;
        let record = serde_json::from_str(&text);
        record.map(Some).with_context(|| format!("reading {}", path.display()))
    }

    /// The same where there must be one.
    pub fn of(folder: &Path) -> Result<CampaignRecord> {
        CampaignRecord::find(folder)?.ok_or_else(|| {
            failed(
                format!("{} has no campaign that was submitted", folder.display()),
                "submit it: dyno fleet submit CAMPAIGN.toml",
            )
        })
    }

    /// Keeps it in the folder.
    pub fn keep(&self, folder: &Path) -> Result<()> {
        let mut text = serde_json::to_vec_pretty(self).context("writing the campaign's record")?;
        text.push(b'\n');
        folder::replace(&folder.join(FILE), &text)
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

/// How a task stands by its attempts alone, in a word, and why it failed.
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
    /// The host that it is on now.
    pub fn host(&self) -> &str {
        self.hosts.last().map_or("", String::as_str)
    }

    /// Its own folder.
    pub fn folder(&self, campaign: &Path) -> PathBuf {
        campaign.join("tasks").join(self.number.to_string())
    }

    /// Its plan on the host that it is on now.
    pub fn plan(&self, campaign: &Path) -> PathBuf {
        self.folder(campaign).join(format!("plan-{}.toml", self.hosts.len()))
    }

    /// Its bundles, one for each host that it was on.
    pub fn bundles(&self, campaign: &Path) -> Vec<PathBuf> {
        let bundle = |part: usize| self.folder(campaign).join(format!("run-{part}.dyno"));
        (1..=self.hosts.len()).map(bundle).collect()
    }

    /// Every attempt's beginning and end, in their order. A line that is cut is left out.
    pub fn attempts(&self, campaign: &Path) -> Result<Vec<Attempt>> {
        let path = self.folder(campaign).join(ATTEMPTS);
        if !path.symlink_metadata().is_ok_and(|found| found.is_file()) {
            return Ok(Vec::new());
        }
        let text = file::read_text(&path, file::MOST_TEXT)?;
        Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    /// Adds a line to them.
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
