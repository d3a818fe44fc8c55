//! `dyno bench`: one load on one or several targets, without a plan file. The load is given by
//! fio's option names, as a fio command line, or as a fio job file; all three become jobs of fio's
//! and are converted as `dyno convert` converts them. The run is that of `dyno run`.

mod load_options;
mod targets;

use std::io::{Write, stdout};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::analysis::Question;
use crate::base::clock::wall_ns;
use crate::base::error::{Context, Result, exit, misused, refused};
use crate::base::output::columns;
use crate::base::stderr::note;
use crate::brief::bench::BenchScreen;
use crate::brief::block::Block;
use crate::cmd::convert;
use crate::cmd::convert::draft::ProtocolDraft;
use crate::cmd::convert::fate::Fate;
use crate::cmd::json::{self, OutputFormat};
use crate::cmd::look::show::ShownBundle;
use crate::cmd::measure::consent::{self, Directories};
use crate::cmd::measure::run::{self, Display, PartEnd};
use crate::language::Language;
use crate::plan::{self, Plan};
use crate::render::terminal::terminal;
use crate::store::limits;
use crate::{brief, bundles, say};
use load_options::LoadOptions;
pub use load_options::with_options_of_fio;
use targets::BenchTarget;

/// The targets and the load.
#[derive(Args)]
pub struct BenchArgs {
    /// Directories and block devices to measure; several are compared. A fio job file is the load,
    /// and names its targets if no others are given
    #[arg(value_name = "TARGET | JOB.fio")]
    targets: Vec<PathBuf>,
    #[command(flatten)]
    load: LoadOptions,
    /// Repeats, each of the whole runtime [default: 1; 3 if several targets are compared]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeats: Option<u32>,
    /// Serial number of a device on which everything may be erased, if the load writes to it
    /// (`dyno drives` lists them); of one that is not empty, also its contents: SERIAL=xfs,
    /// 'SERIAL=unknown data'. Repeatable
    #[arg(long, value_name = "SERIAL[=CONTENTS]", allow_hyphen_values = true)]
    erase: Vec<String>,
    /// Measure although options that define the load are not carried over
    #[arg(long)]
    lossy: bool,
    /// With a job file of another user: allow it this action, as for `dyno run`; repeatable
    #[arg(long, value_name = "ACTION:THING", allow_hyphen_values = true)]
    allow: Vec<String>,
    /// Control run: allow targets that share a physical device
    #[arg(long)]
    same_device: bool,
    /// Keep the bundle, which every other command reads [default: none is kept]
    #[arg(short, long, value_name = "BUNDLE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    format: OutputFormat,
    #[command(flatten)]
    display: Display,
    /// fio's command line as the load, after --: fio --name=a --rw=randread …
    #[arg(last = true, value_name = "fio …")]
    command: Vec<String>,
}

/// The most lines of the result.
const MOST_LINES: usize = 25;

/// Repeats that show a difference between targets.
const REPEATS_TO_COMPARE: u32 = 3;

/// Measures, and prints the result. Returns the exit code, as `dyno run`.
pub fn bench(args: &BenchArgs, out: &mut dyn Write) -> Result<u8> {
    let folder = Scratch::make()?;
    let (plan, job) = plan(args, &folder.0)?;
    limits::check_plan(&plan)?;
    if let Some(job) = &job {
        let own = if args.targets.len() > 1 { Directories::Own } else { Directories::Named };
        consent::ask_of_file(std::slice::from_ref(&plan), job, own, &args.allow)?;
    }
    let bundle = args.output.clone().unwrap_or_else(|| folder.0.join("bench.dyno"));
    let progress = args.display.progress();
    let end = run::quietly(plan, &bundle, &progress)?;
    let summary = match end {
        PartEnd::Measured(summary) => summary,
        PartEnd::Interrupted(code) => {
            match &args.output {
                Some(kept) => {
                    let kept = kept.display();
                    note(&format!("Interrupted. Continue with: dyno run --resume {kept}"));
                }
                None => note("Interrupted; without -o, no bundle is kept"),
            }
            return Ok(code);
        }
    };
    let l = Language::default();
    let question = Question { joins_sessions: true, ..Question::default() };
    let facts = bundles::facts(std::slice::from_ref(&bundle), &question)?;
    match args.format.json {
        true => json::print(&ShownBundle::of(l, &facts), out)?,
        false => {
            let shown = brief::bench::bench(l, &facts);
            out.write_all(fitted(l, shown, columns(stdout())).as_bytes())?;
        }
    }
    if let Some(kept) = &args.output {
        note(&format!("Next: dyno compare {}", kept.display()));
    }
    Ok(if summary.failed > 0 { exit::NOT_ALL } else { 0 })
}

/// The figures, and as many sentences as fit.
fn fitted(l: Language, shown: BenchScreen, columns: usize) -> String {
    let with = |sentences: &[String]| {
        let list = (!sentences.is_empty()).then(|| Block::list(sentences.to_vec()));
        terminal(&[&shown.figures[..], list.as_slice()].concat(), columns)
    };
    let all = shown.sentences.len();
    let some = |count: usize| {
        let more = (count < all).then(|| say!(l, "bench-more", count = all - count));
        with(&[&shown.sentences[..count], more.as_slice()].concat())
    };
    let fitting = (0..=all).rev().map(some).find(|text| text.lines().count() <= MOST_LINES);
    fitting.unwrap_or_else(|| some(0))
}

/// A folder for the plan and, without -o, for the bundle; removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn make() -> Result<Scratch> {
        let name = format!("dyno-bench-{}-{}", std::process::id(), wall_ns());
        let path = std::env::temp_dir().join(name);
        let made = std::fs::DirBuilder::new().mode(0o700).create(&path);
        made.with_context(|| format!("making {}", path.display())).map(|()| Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Otherwise the folder for temporary files is emptied by the system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The plan, and the job file that it comes from.
fn plan(args: &BenchArgs, folder: &Path) -> Result<(Plan, Option<PathBuf>)> {
    let is_job = |path: &&PathBuf| path.is_file();
    let (jobs, mut named): (Vec<&PathBuf>, Vec<&PathBuf>) =
        args.targets.iter().partition(|path| is_job(path));
    let (mut draft, swept, job) = match (&jobs[..], &args.command[..]) {
        ([], []) => {
            let load = args.load.draft()?;
            let mut draft = convert::draft_of_command(&load.arguments)?;
            (draft.title, draft.source) = (load.title.clone(), "dyno bench".to_string());
            (draft, Some(load), None)
        }
        ([job], []) => (convert::draft_of_file(job)?, None, Some(job.to_path_buf())),
        ([], command) => (convert::draft_of_command(command)?, None, None),
        _ => {
            let what = "several loads were given";
            return Err(misused(what, "name one job file, or one command line after --"));
        }
    };
    if swept.is_none() && args.load.are_given() {
        let what = "the load is a job of fio's, and options of a load were given too";
        return Err(misused(what, "write them in the job, or leave the job out"));
    }
    if swept.is_none() {
        convert::report(&draft);
    }
    lost(&draft, args.lossy)?;
    let places: Vec<PathBuf> = draft.places.iter().map(PathBuf::from).collect();
    if named.is_empty() {
        match (&swept, &places[..]) {
            (None, [_]) => named.extend(&places),
            (None, [_, ..]) => {
                let list = draft.places.join(", ");
                let what = format!("the jobs are for several places: {list}");
                return Err(misused(what, "name the targets: all jobs run on each of them"));
            }
            _ => {
                let what = "no target was named";
                return Err(misused(what, "as in dyno bench /mnt/a, or dyno bench /dev/nvme0n1"));
            }
        }
    }
    let targets: Vec<BenchTarget> =
        named.into_iter().map(|path| BenchTarget::of(path)).collect::<Result<_>>()?;
    if let Some(swept) = &swept {
        whole_devices(args, &targets, &mut draft);
        swept.sweep(&mut draft)?;
    }
    // A device that may not be written to is read as it is.
    let all_written = targets.iter().all(|target| target.may_be_written(&args.erase));
    draft.datasets.iter_mut().for_each(|dataset| dataset.filled = all_written);
    let protocol = folder.join("bench.toml");
    std::fs::write(&protocol, draft.to_toml("dyno bench")).context("writing the protocol")?;
    targets::check_consent(&targets, &args.erase, writes(&draft))?;
    let repeats = match (args.repeats, targets.len()) {
        (Some(repeats), _) => repeats,
        (None, 1) => 1,
        (None, _) => REPEATS_TO_COMPARE,
    };
    let text = format!(
        "protocol = \"bench.toml\"\nrepeats = {repeats}\nsame_device = {}\n{}",
        args.same_device,
        targets::subjects(&targets, &args.erase)
    );
    let file = folder.join("plan.toml");
    std::fs::write(&file, text).context("writing the plan")?;
    Ok((plan::load(&file, &crate::plan_catalogue())?, job))
}

/// Without --size, a load uses all of a device, if every target is one.
fn whole_devices(args: &BenchArgs, targets: &[BenchTarget], draft: &mut ProtocolDraft) {
    if !args.load.has_size() && targets.iter().all(BenchTarget::is_device) {
        draft.datasets.iter_mut().for_each(|dataset| dataset.bytes = 0);
    }
}

/// Refuses a load that is not the one that was asked for.
fn lost(draft: &ProtocolDraft, accepted: bool) -> Result<()> {
    let all: Vec<&str> = draft.of(Fate::Lost).map(|lost| lost.text.as_str()).collect();
    if accepted || all.is_empty() {
        return Ok(());
    }
    let what = format!("options that define the load are not carried over: {}", all.join(", "));
    Err(refused(what, "leave them out, or add --lossy to measure the load without them"))
}

fn writes(draft: &ProtocolDraft) -> bool {
    let reads_only = |knobs: &[(&str, String)]| {
        let is = |name: &str, text: &str| knobs.iter().any(|(k, v)| *k == name && v == text);
        is("read", "100") && !knobs.iter().any(|(key, _)| *key == "trim")
    };
    draft.steps.iter().flat_map(|step| &step.streams).any(|stream| !reads_only(&stream.knobs))
}
