//! `dyno fleet collect`: checks the bundles of a campaign and copies them to one folder, with the
//! data for comparing them.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::json::{self, OutputFormat};
use crate::base::error::{Context, Result, exit};
use crate::base::folder::Folder;
use crate::base::output::New;
use crate::base::units::plural;
use crate::fleet::collect::{CheckedTask, check};
use crate::fleet::record::{CampaignRecord, TaskRecord};
use crate::fleet::{folder, slurm};
use crate::lab::folder::data::slug;

/// The index of a folder of collected bundles.
const INDEX: &str = "collected.json";

/// The campaign, and the destination.
#[derive(Args)]
pub struct CollectArgs {
    /// Campaign file or folder
    #[arg(value_name = "CAMPAIGN")]
    campaign: PathBuf,
    /// Folder to copy the bundles to [default: `collected` in the campaign's folder]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    format: OutputFormat,
}

/// The output of `dyno fleet collect --json`, also stored with the bundles.
#[derive(Serialize, JsonSchema)]
pub struct Collected {
    campaign: String,
    title: String,
    protocol: String,
    /// Every task is complete: each of its points exists once.
    whole: bool,
    /// Points measured.
    points: usize,
    /// The folder.
    folder: PathBuf,
    tasks: Vec<TaskFiles>,
}

/// A task with its bundles.
#[derive(Serialize, JsonSchema)]
struct TaskFiles {
    number: usize,
    /// Its specimen: the subject of its bundles.
    subject: String,
    /// The campaign's subject to which the specimen belongs.
    group: String,
    round: usize,
    place: usize,
    bundles: Vec<BundleFile>,
    /// Missing points, as "step, axis = value, repeat n".
    missing: Vec<String>,
    /// Errors of its bundles, which are then not collected.
    wrong: Vec<String>,
    /// Why it is not measured any more.
    given_up: Option<String>,
}

/// A bundle.
#[derive(Serialize, JsonSchema)]
struct BundleFile {
    /// Its name in the folder.
    file: String,
    /// The host on which it was measured.
    host: String,
    points: usize,
}

/// Checks and copies; exit code 2 if anything is missing or wrong.
pub fn collect(args: &CollectArgs, out: &mut dyn Write) -> Result<u8> {
    let from = folder::of(&args.campaign);
    let record = CampaignRecord::of(&from)?;
    let into = args.output.clone().unwrap_or_else(|| from.join("collected"));
    Folder::make(&into)?;
    let jobs = slurm::jobs(&record).ok();
    // Other files in the folder are kept, and not replaced.
    let ours = into.join(INDEX).exists();
    let mut tasks = Vec::new();
    for (task, checked) in record.tasks.iter().zip(check(&record, jobs.as_ref(), &from)?) {
        tasks.push(copied(task, checked, &into, ours)?);
    }
    let bundles = || tasks.iter().flat_map(|task| &task.bundles);
    let collected = Collected {
        campaign: record.campaign.clone(),
        title: record.title.clone(),
        protocol: record.protocol.clone(),
        whole: tasks.iter().all(|task| task.missing.is_empty() && task.wrong.is_empty()),
        points: bundles().map(|bundle| bundle.points).sum(),
        folder: into.clone(),
        tasks,
    };
    let index = serde_json::to_vec_pretty(&collected).context("writing the index")?;
    folder::replace(&into.join(INDEX), &index)?;
    match args.format.json {
        true => json::print(&collected, out)?,
        false => describe(&collected, out)?,
    }
    Ok(if collected.whole { 0 } else { exit::NOT_ALL })
}

/// Copies a task's bundles; none if a point occurs twice, or if one belongs to another task.
fn copied(task: &TaskRecord, checked: CheckedTask, into: &Path, ours: bool) -> Result<TaskFiles> {
    let mut bundles = Vec::new();
    let parts = if checked.wrong.is_empty() { &checked.parts[..] } else { &[] };
    for (at, part) in parts.iter().enumerate() {
        let further = if at == 0 { String::new() } else { format!("-{}", at + 1) };
        let file = format!("{:04}-{}{further}.dyno", task.number, slug(&task.subject));
        copy(&part.path, &into.join(&file), ours)?;
        bundles.push(BundleFile { file, host: part.host.clone(), points: part.measured });
    }
    Ok(TaskFiles {
        number: task.number,
        subject: task.subject.clone(),
        group: task.group.clone(),
        round: task.round,
        place: task.place,
        bundles,
        missing: checked.missing,
        wrong: checked.wrong,
        given_up: task.given_up.clone(),
    })
}

/// Copies a bundle, replacing only copies from an earlier call.
fn copy(from: &Path, to: &Path, ours: bool) -> Result<()> {
    let copying = || format!("copying {} to {}", from.display(), to.display());
    if ours && to.exists() {
        std::fs::remove_file(to).with_context(copying)?;
    }
    let new = New::begin(to)?;
    std::fs::copy(from, new.beside()).with_context(copying)?;
    new.finish()
}

fn describe(collected: &Collected, out: &mut dyn Write) -> Result<()> {
    let bundles: usize = collected.tasks.iter().map(|task| task.bundles.len()).sum();
    let folder = collected.folder.display();
    writeln!(
        out,
        "{} ({}): {} of {} in {folder}, {}",
        collected.title,
        collected.campaign,
        plural(bundles, "bundle"),
        plural(collected.tasks.len(), "task"),
        plural(collected.points, "point"),
    )?;
    for task in &collected.tasks {
        let name = format!("Task {} ({})", task.number, task.subject);
        task.wrong.iter().try_for_each(|what| writeln!(out, "{name}: {what}"))?;
        if let Some(why) = &task.given_up {
            writeln!(out, "{name} was given up: {why}")?;
        }
        match &task.missing[..] {
            [] => {}
            [one] => writeln!(out, "{name} lacks {one}")?,
            [first, rest @ ..] => {
                writeln!(out, "{name} lacks {first} and {} more", plural(rest.len(), "point"))?;
            }
        }
    }
    match collected.whole {
        true => writeln!(
            out,
            "Every point of every task exists once.\nNext: dyno compare {folder}/*.dyno"
        )?,
        false
            if collected.tasks.iter().all(|task| {
                task.given_up.is_some() || task.missing.is_empty() && task.wrong.is_empty()
            }) =>
        {
            writeln!(out, "Every other point exists once.\nNext: dyno compare {folder}/*.dyno")?;
        }
        false => writeln!(out, "Points are missing: dyno fleet submit continues with them")?,
    }
    Ok(())
}
