//! `dyno fleet task`: runs one task of a campaign on its host, from a job's script. It starts or
//! continues the task's run, and records the result in the campaign's folder.

use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::base::error::{Context, Result, describe, exit_code, failed, refused};
use crate::base::file;
use crate::cmd::measure::run;
use crate::fleet::folder;
use crate::fleet::record::{Attempt, CampaignRecord, TaskRecord};

/// Records that the environment's file was read.
const READ: &str = "DYNO_CAMPAIGN_ENVIRONMENT";

/// The task.
#[derive(Args)]
pub struct TaskArgs {
    /// The campaign's folder
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The task's number
    #[arg(value_name = "NUMBER")]
    number: usize,
}

/// Runs it; the exit code is that of `dyno run`.
pub fn task(args: &TaskArgs) -> Result<u8> {
    let folder = &args.folder;
    folder::check(folder)?;
    let record = CampaignRecord::of(folder)?;
    let task = record.task(args.number)?;
    let here = this_host()?;
    if here != task.host() {
        return Err(refused(
            format!("task {} is one of {}, and this is {here}", task.number, task.host()),
            "it is submitted to its host by `dyno fleet submit`",
        ));
    }
    if let Some(file) = record.environment.as_deref().filter(|_| std::env::var_os(READ).is_none()) {
        return Err(again_with(file)?);
    }
    note(folder, task, &here, None, None)?;
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
    note(folder, task, &here, Some(code), cause)?;
    ended
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
    if let Ok(name) = std::env::var("SLURMD_NODENAME") {
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
