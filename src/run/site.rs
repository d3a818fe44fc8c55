//! Where datasets live, and how they are made ready: laid out once, found again by later points and later runs.
//!
//! In a directory Dyno keeps everything in `dyno-data/`: a folder for each dataset and instance (`db.0/`) and beside it
//! `db.0.json`, written when the fill is complete and durable, which says what is in there. A folder without that file,
//! or with one that says something else, is Dyno's own unfinished or outdated work and is laid out anew.

use std::path::{Path, PathBuf};

use super::crew::{Gang, Span};
use super::kept;
use super::point::Bench;
use crate::base::error::{Context, Result, bail, failed};
use crate::engine::{self, Access, Home, Site, Target};
use crate::lab::server::release;
use crate::plan::{self, Arrival, Dataset, Drive, Field, Fill, Load, Part, Place, Step, Stream, Subject};
use crate::record::{Class, Fact};
use crate::workload;

/// The folder in a directory under test that is Dyno's; it writes nothing outside.
pub const FOLDER: &str = "dyno-data";

/// Where a stream's dataset lives on a drive. On one with namespaces, a stream whose target is one of them works there,
/// and any other in as many instances as there are, each on its own.
pub fn home(drive: &Drive, dataset: &str, instance: u32, target: plan::Target) -> Home {
    let index = if target.is_whole() { instance } else { target.index.saturating_sub(1) };
    let namespace = drive.namespaces.get(index as usize);
    match &drive.place {
        _ if dataset.is_empty() => Home::Nowhere,
        Place::Directory(path) => Home::Folder(path.join(FOLDER).join(format!("{dataset}.{instance}"))),
        Place::Device { path, serial } => {
            Home::Device { path: namespace.unwrap_or(path).clone(), serial: serial.clone() }
        }
    }
}

/// Opens a dataset through an engine.
pub fn open(bench: &Bench<'_>, engine: &Part, home: &Home, access: Access) -> Result<Box<dyn Target>> {
    let found = engine::find(&engine.name)
        .ok_or_else(|| failed(format!("unknown engine '{}'", engine.name), "`dyno list` names those that there are"))?;
    found.open(&Site { home, knobs: &engine.knobs, access, clock: bench.clock })
}

/// Opens the dataset of a stream for a point, as it was filled where the plan says so.
pub fn open_for(
    bench: &Bench<'_>,
    subject: &Subject,
    stream: &Stream,
    home: &Home,
    access: Access,
) -> Result<Box<dyn Target>> {
    let dataset = bench.plan.protocol.datasets.iter().find(|dataset| dataset.name == stream.dataset);
    if let (Some(dataset), Home::Folder(folder)) = (dataset.filter(|dataset| dataset.restore), home) {
        put_back(bench, subject, dataset, folder)?;
        if access == Access::ReadWrite {
            kept::will_be_written(folder)?;
        }
    }
    open(bench, &stream.engine, home, access)
}

fn put_back(bench: &Bench<'_>, subject: &Subject, dataset: &Dataset, folder: &Path) -> Result<()> {
    if !kept::was_written(folder) {
        return Ok(());
    }
    bench.progress.activity(&format!("{}: restoring dataset '{}'", subject.name, dataset.name));
    release(folder, bench.clock)?;
    kept::put_back(folder)
}

/// Whether any of the step's streams may write to its dataset.
pub fn writes(step: &Step) -> bool {
    step.streams.iter().any(stream_writes)
}

/// Whether a stream's workload may write.
pub fn stream_writes(stream: &Stream) -> bool {
    workload::find(&stream.workload.name)
        .is_none_or(|w| w.info().writes && w.classes(&stream.workload.knobs)[..] != [Class::Read])
}

/// Makes a subject's copy of a dataset ready on each of its drives, in as many instances as any step asks for.
pub fn make_ready(bench: &Bench<'_>, subject: &Subject, dataset: &Dataset) -> Result<Vec<Fact>> {
    let steps = bench.plan.protocol.steps.iter();
    let instances = steps.map(|step| instances_of(step, &dataset.name)).max().unwrap_or(0);
    let mut facts = Vec::new();
    for drive in &subject.drives {
        for instance in 0..instances.max(drive.namespaces.len() as u32) {
            let home = home(drive, &dataset.name, instance, plan::Target::default());
            if dataset.restore && !matches!(home, Home::Folder(_)) {
                let what = format!("dataset '{}' cannot be restored on a device", dataset.name);
                return Err(failed(what, "give the subject a directory on a filesystem, or leave restore out"));
            }
            fill_unless_there(bench, subject, dataset, &home)?;
            if facts.is_empty() {
                facts = open(bench, &dataset.engine, &home, Access::ReadOnly)?.facts();
            }
        }
    }
    Ok(facts)
}

/// The most copies of a dataset that any point of a step asks for.
fn instances_of(step: &Step, dataset: &str) -> u32 {
    let of_stream = |stream: &Stream| {
        let sweep = step.sweep.as_ref().filter(|s| s.field == Field::Instances && s.stream == stream.name);
        let swept = sweep.iter().flat_map(|s| &s.values).map(|&value| value as u32).max();
        swept.unwrap_or(stream.instances)
    };
    step.streams.iter().filter(|s| s.dataset == dataset).map(of_stream).max().unwrap_or(0)
}

fn fill_unless_there(bench: &Bench<'_>, subject: &Subject, dataset: &Dataset, home: &Home) -> Result<()> {
    let Some(fill) = &dataset.fill else { return Ok(()) };
    let described = serde_json::to_string_pretty(dataset).context("describing the dataset")?;
    let marker = match home {
        Home::Folder(folder) => Some(kept::beside(folder, "json")),
        Home::Device { .. } | Home::Nowhere => None,
    };
    if let (Some(marker), Home::Folder(folder)) = (&marker, home) {
        let complete = folder.is_dir() || dataset.restore && kept::copy_of(folder).is_dir();
        if complete && std::fs::read_to_string(marker).is_ok_and(|found| found == described) {
            return if dataset.restore { put_back(bench, subject, dataset, folder) } else { Ok(()) };
        }
        release(folder, bench.clock)?;
        remove_unfinished(marker, folder)?;
        std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    }
    bench.progress.activity(&format!("{}: filling dataset '{}'", subject.name, dataset.name));
    carry_out_fill(bench, dataset, fill, home)?;
    if let (true, Home::Folder(folder)) = (dataset.restore, home) {
        bench.progress.activity(&format!("{}: keeping a copy of dataset '{}'", subject.name, dataset.name));
        kept::keep(folder)?;
    }
    if let Some(marker) = marker {
        std::fs::write(&marker, described).with_context(|| format!("writing {}", marker.display()))?;
    }
    Ok(())
}

fn remove_unfinished(marker: &PathBuf, folder: &PathBuf) -> Result<()> {
    if marker.exists() {
        std::fs::remove_file(marker).with_context(|| format!("removing {}", marker.display()))?;
    }
    kept::forget(folder)?;
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("removing {}", folder.display()))?;
    }
    Ok(())
}

fn carry_out_fill(bench: &Bench<'_>, dataset: &Dataset, fill: &Fill, home: &Home) -> Result<()> {
    let target = open(bench, &dataset.engine, home, Access::Create)?;
    let stream = Stream {
        name: "fill".to_string(),
        engine: dataset.engine.clone(),
        workload: fill.workload.clone(),
        dataset: dataset.name.clone(),
        threads: fill.threads,
        depth: fill.depth,
        load: Load::Closed,
        arrival: Arrival::Fixed,
        instances: 1,
        headline: false,
        target: plan::Target::default(),
    };
    let mut gang = Gang::new(&stream, &*target, None, bench.plan.seed)?;
    gang.passes = 1.0;
    let ops = pass_ops(&gang, &stream, &*target)?;
    let forever = Span { warmup_ns: 0, duration_ns: u64::MAX / 4 };
    let stop = std::sync::atomic::AtomicBool::new(false);
    let gangs = [gang];
    super::crew::run(bench.clock, &gangs, forever, &stop, &mut |_, running| {
        while running() {
            if bench.stop.load(std::sync::atomic::Ordering::Relaxed) {
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
            }
            bench.progress.fill(gangs[0].issued(), ops);
            bench.clock.sleep_until(bench.clock.now_ns() + 50_000_000);
        }
        Ok(())
    })?;
    if bench.stop.load(std::sync::atomic::Ordering::Relaxed) {
        bail!("interrupted while filling; the next run starts this dataset again");
    }
    bench.progress.activity(&format!("settling dataset '{}'", dataset.name));
    target.settle(bench.stop)?;
    target.sync()
}

/// The ops of one pass over all workers; a workload without an end cannot fill anything.
fn pass_ops(gang: &Gang<'_>, stream: &Stream, target: &dyn Target) -> Result<u64> {
    let mut ops = 0;
    for thread in 0..stream.threads {
        let source = gang.source(target.space(), thread)?;
        ops += source.pass().ok_or_else(|| {
            failed(
                format!("workload '{}' has no end, so it cannot fill a dataset", stream.workload.name),
                "fill with sequential, fillseq, fillrandom or filluniquerandom",
            )
        })?;
    }
    Ok(ops)
}
