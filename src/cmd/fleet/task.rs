//! `dyno fleet task`: runs tasks of a campaign on their host, from a job's script or any other
//! launcher. It starts or continues a task's run, and records the result in the campaign's folder.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::base::clock::Clock;
use crate::base::error::{Context, Result, describe, exit_code, failed, refused};
use crate::base::file;
use crate::base::text::say;
use crate::cmd::measure::run;
use crate::fleet::folder;
use crate::fleet::record::{Attempt, CampaignRecord, TaskRecord};

/// The host's name in Slurm, in the environment of its jobs.
const SLURM: &str = "SLURMD_NODENAME";

/// Records that the environment's file was read.
const READ: &str = "DYNO_CAMPAIGN_ENVIRONMENT";

/// The task.
#[derive(Args)]
pub struct TaskArgs {
    /// The campaign's folder
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The task's number [default: all tasks of this host, in the order of rounds and places]
    #[arg(value_name = "NUMBER")]
    number: Option<usize>,
    /// This host's name in the campaign [default: Slurm's, or the host's own without a domain]
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
}

/// The interval between looks at the folder while another host's task of the same drive is due.
const LOOK_EVERY_NS: u64 = 1_000_000_000;

/// Runs it; the exit code is that of `dyno run`, of several tasks the greatest.
pub fn task(args: &TaskArgs) -> Result<u8> {
    let folder = &args.folder;
    folder::check(folder)?;
    let record = CampaignRecord::of(folder)?;
    let here = match &args.host {
        Some(host) => host.clone(),
        None => this_host()?,
    };
    let tasks = match args.number {
        Some(number) => vec![record.task(number)?],
        None => record.tasks.iter().filter(|task| task.host() == here).collect(),
    };
    if let Some(task) = tasks.iter().find(|task| task.host() != here) {
        return Err(refused(
            format!("task {} is one of {}, and this is {here}", task.number, task.host()),
            "run it on its host, or name this host as the campaign does: --host NAME",
        ));
    }
    if tasks.is_empty() {
        return Err(failed(
            format!("the campaign has no task on {here}"),
            "name this host as the campaign does: --host NAME",
        ));
    }
    if let Some(file) = record.environment.as_deref().filter(|_| std::env::var_os(READ).is_none()) {
        return Err(again_with(file)?);
    }
    let mut worst = 0;
    let mut first_error = None;
    for task in tasks.into_iter().filter(|task| task.given_up.is_none()) {
        match measure(&record, task, folder, &here) {
            Ok(code) => worst = worst.max(code),
            // Asked for one task, or stopped by a signal.
            Err(error) if args.number.is_some() || exit_code(&error) >= 128 => return Err(error),
            Err(error) => first_error = first_error.or(Some(error)),
        }
        if worst >= 128 {
            break;
        }
    }
    first_error.map_or(Ok(worst), Err)
}

/// Starts or continues one task. Refused, without a trace in the campaign's folder, while an
/// attempt at the same task is running anywhere.
fn measure(record: &CampaignRecord, task: &TaskRecord, folder: &Path, here: &str) -> Result<u8> {
    let lock = task.lock(folder)?;
    if lock.is_none() {
        return Err(refused(
            format!("task {} is already running", task.number),
            format!("wait for it: dyno fleet status {}", folder.display()),
        ));
    }
    let _drive = if task.shared { Some(drive(record, task, folder)?) } else { None };
    note(folder, task, here, None, None)?;
    let bundles = task.bundles(folder);
    let (bundle, earlier) = bundles.split_last().context("a task without a host")?;
    let earlier: Vec<PathBuf> = earlier.iter().filter(|path| path.exists()).cloned().collect();
    // One killed during its creation contains nothing yet.
    if bundle.metadata().is_ok_and(|found| found.len() == 0) {
        std::fs::remove_file(bundle).with_context(|| format!("removing {}", bundle.display()))?;
    }
    let ended = run::go_on(&task.plan(folder), bundle, &earlier);
    let (code, cause) = match &ended {
        Ok(code) => (*code, None),
        Err(error) => (exit_code(error), Some(describe(error).0)),
    };
    note(folder, task, here, Some(code), cause)?;
    ended
}

/// Waits until no other host measures the task's drive, and until the tasks of earlier rounds have
/// been attempted; returns the drive's lock. Under Slurm, an array depends on those before it, and
/// one that was cancelled is never attempted.
fn drive(record: &CampaignRecord, task: &TaskRecord, folder: &Path) -> Result<File> {
    let first = record.tasks.iter().find(|other| other.subject == task.subject).unwrap_or(task);
    let path = first.folder(folder).join("drive.lock");
    let locking = || format!("locking {}", path.display());
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    let file = options.open(&path).with_context(locking)?;
    let by_slurm = std::env::var_os(SLURM).is_some();
    let clock = Clock::start();
    let mut reported = None;
    loop {
        let mut due = None;
        for other in record.earlier(task).filter(|other| other.given_up.is_none() && !by_slurm) {
            let attempts = other.attempts(folder)?;
            if attempts.last().is_none_or(|last| last.code.is_none()) {
                due = Some(other);
                break;
            }
        }
        let wait = match due {
            Some(other) => format!("task {} (round {})", other.number, other.round),
            None if folder::lock(&file).with_context(locking)? => return Ok(file),
            None => "another task of the same drive".to_string(),
        };
        if reported.as_ref() != Some(&wait) {
            say(&format!("Task {} waits for {wait}", task.number));
            reported = Some(wait);
        }
        clock.sleep_until(clock.now_ns() + LOOK_EVERY_NS);
    }
}

fn note(
    folder: &Path,
    task: &TaskRecord,
    host: &str,
    code: Option<u8>,
    cause: Option<String>,
) -> Result<()> {
    let unix_ns = jiff::Timestamp::now().as_nanosecond().max(0) as u64;
    task.note(folder, &Attempt { unix_ns, host: host.to_string(), code, cause })
}

/// This host's name in Slurm; otherwise its own without a domain.
fn this_host() -> Result<String> {
    if let Ok(name) = std::env::var(SLURM) {
        return Ok(name);
    }
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    Ok(name.split('.').next().unwrap_or_default().to_string())
}

/// Re-executes the same command with the variables of a file added to the environment; only returns
/// on failure.
fn again_with(path: &Path) -> Result<crate::base::error::Error> {
    let opened = file::open(path)
        .with_context(|| format!("opening the campaign's environment {}", path.display()))?;
    let found = opened.metadata().context("looking at the campaign's environment")?;
    let own = [0, rustix::process::geteuid().as_raw()].contains(&found.uid());
    if !own || found.mode() & 0o077 != 0 {
        return Err(refused(
            format!("{} belongs to another user, or others may read it", path.display()),
            "it holds secrets: chown it to the user of the jobs, and chmod 600",
        ));
    }
    let text = file::read_text(path, file::MOST_TEXT)?;
    let mut command =
        std::process::Command::new(std::env::current_exe().context("finding Dyno's own program")?);
    command.args(std::env::args_os().skip(1)).env(READ, path);
    for line in
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let Some((name, value)) = line.split_once('=') else {
            // The line itself may be a secret.
            return Err(failed(
                format!("{} has a line that is not NAME=VALUE", path.display()),
                "write one variable a line",
            ));
        };
        command.env(name.trim(), value.trim());
    }
    Ok(crate::base::error::Error::new(command.exec()).context("starting Dyno again"))
}
