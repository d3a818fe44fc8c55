//! The locations of datasets, and their creation: once, for reuse by later points and runs.
//!
//! In a directory Dyno stores everything in `dyno-data/` (`lab::data`): a folder for each dataset
//! and instance (`db.0/`), with a marker that identifies it once the fill is complete and durable.
//! A folder with a different marker, or with files that have changed since it was closed, is
//! recreated; one without a marker is not Dyno's.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::clock::Clock;
use crate::base::error::{Context, Result, bail, failed};
use crate::engine::{self, Access, DatasetAccess, DatasetLocation, Target, verify};
use crate::lab::folder::data::{DatasetFolder, DatasetMarker, ServerContents};
use crate::lab::folder::{data, files};
use crate::lab::server::release;
use crate::plan::{
    Arrival, Component, Dataset, Drive, DrivePlace, Field, Fill, Load, Plan, PlannedSlice as Slice,
    RequestFamily, Step, Stream, Subject,
};
use crate::record::{Class, Fact};
use crate::run::context::RunContext;
use crate::run::datasets::{servers, snapshot, space};
use crate::run::display::progress::Progress;
use crate::run::display::time::RunClock;
use crate::run::worker_group::{self, LoadSpan, WorkerGroup};
use crate::workload;

/// The location of a stream's dataset on a drive. On a drive with namespaces, a stream whose target
/// is a namespace uses it, and any other runs as one instance per namespace.
pub fn home(drive: &Drive, dataset: &str, instance: u32, target: Slice) -> Result<DatasetLocation> {
    let index = if target.is_whole() { instance } else { target.index.saturating_sub(1) };
    let namespace = drive.namespaces.get(index as usize);
    Ok(match &drive.place {
        _ if dataset.is_empty() => DatasetLocation::Nowhere,
        DrivePlace::Directory(path) => {
            DatasetLocation::Folder(DatasetFolder::of(path, dataset, instance)?)
        }
        DrivePlace::Device { path, serial } => DatasetLocation::Device {
            path: namespace.unwrap_or(path).clone(),
            serial: serial.clone(),
        },
    })
}

/// Opens a dataset through an engine.
pub fn open(
    engine: &Component,
    home: &DatasetLocation,
    access: Access,
    clock: Clock,
) -> Result<Box<dyn Target>> {
    let found = engine::find(&engine.name).ok_or_else(|| {
        failed(format!("unknown engine '{}'", engine.name), "`dyno list` prints the available ones")
    })?;
    found.open(&DatasetAccess { home, knobs: &engine.knobs, access, clock })
}

/// Restores a dataset to its filled state, if the plan requires it and it was written to since.
pub fn restore(
    subject: &str,
    dataset: &Dataset,
    folder: &DatasetFolder,
    clock: Clock,
    progress: &Progress,
) -> Result<()> {
    if !dataset.restore || !snapshot::was_written(folder) {
        return Ok(());
    }
    progress.activity(&format!("{subject}: restoring dataset '{}'", dataset.name));
    release(folder.shown(), clock)?;
    snapshot::put_back(folder)
}

/// From here on the files of a dataset may differ from its marker, and the load may empty it. A
/// server writes to its files under any load.
pub fn begin_use(
    dataset: &Dataset,
    folder: &DatasetFolder,
    access: Access,
    empties: bool,
) -> Result<()> {
    if dataset.restore && access == Access::ReadWrite {
        snapshot::will_be_written(folder)?;
    }
    let changes = access != Access::ReadOnly || !is_of_blocks(dataset);
    match folder.marker() {
        Some(marker) if changes && !(marker.open && (marker.emptied || !empties)) => {
            let emptied = marker.emptied || empties;
            folder.write_marker(&DatasetMarker { open: true, emptied, ..marker })
        }
        _ => Ok(()),
    }
}

fn is_of_blocks(dataset: &Dataset) -> bool {
    engine::find(&dataset.engine.name).is_some_and(|e| e.info().family == RequestFamily::Block)
}

/// Records the state of the datasets' files, now that they are closed.
pub fn end_use(homes: &[DatasetLocation]) -> Result<()> {
    for home in homes {
        let DatasetLocation::Folder(folder) = home else { continue };
        if let Some(marker) =
            folder.marker().filter(|marker| marker.open && !marker.described.is_empty())
        {
            let files = files::look(folder)?;
            let emptied = marker.emptied
                || of_blocks(&marker) && files::holed(&marker.files, &files).is_some();
            folder.write_marker(&DatasetMarker { open: false, emptied, files, ..marker })?;
        }
    }
    Ok(())
}

/// Whether a marker belongs to a dataset of a block engine.
fn of_blocks(marker: &DatasetMarker) -> bool {
    serde_json::from_str(&marker.described).is_ok_and(|dataset: Dataset| is_of_blocks(&dataset))
}

fn classes(stream: &Stream) -> Vec<Class> {
    let found = workload::find(&stream.workload.name);
    found.map(|workload| workload.classes(&stream.workload.knobs)).unwrap_or_default()
}

/// Whether a stream discards blocks or sets them to zero: reads of them need not reach the drive.
pub fn empties(stream: &Stream) -> bool {
    classes(stream).iter().any(|class| [Class::TRIM, Class::WRITE_ZEROES].contains(class))
}

/// Whether a stream's figures depend on existing blocks in the dataset: it reads them, or only
/// discards them.
pub fn needs_blocks(stream: &Stream) -> bool {
    let all = classes(stream);
    all.contains(&Class::READ) || all == [Class::TRIM]
}

/// Whether any of the step's streams may write to its dataset.
pub fn writes(step: &Step) -> bool {
    step.streams.iter().any(stream_writes)
}

/// Whether a stream's workload may write.
pub fn stream_writes(stream: &Stream) -> bool {
    workload::find(&stream.workload.name).is_none_or(|w| w.writes(&stream.workload.knobs))
}

/// Prepares a subject's copies of a dataset on each of its drives, in as many instances as any step
/// needs.
pub fn make_ready(
    RunContext { plan, time, progress }: RunContext<'_>,
    subject: &Subject,
    dataset: &Dataset,
) -> Result<Vec<Fact>> {
    let instances = instances(plan, &dataset.name);
    let mut facts = Vec::new();
    let copies = |drive: &Drive| instances.max(drive.namespaces.len() as u32);
    let (mut place, of) = (0, subject.drives.iter().map(|drive| copies(drive) as usize).sum());
    for drive in &subject.drives {
        for instance in 0..copies(drive) {
            let copy = (instance, place, of);
            place += 1;
            let engine = servers::of_copy(dataset, drive, copy)?;
            let home = home(drive, &dataset.name, instance, Slice::default())?;
            if dataset.restore && !matches!(home, DatasetLocation::Folder(_)) {
                let what = format!("dataset '{}' cannot be restored on a device", dataset.name);
                return Err(failed(
                    what,
                    "give the subject a directory on a filesystem, or leave restore out",
                ));
            }
            Filling { subject: &subject.name, dataset, engine: &engine, seed: plan.seed }
                .unless_there(&home, time, progress)?;
            if facts.is_empty() {
                if let DatasetLocation::Folder(folder) = &home {
                    begin_use(dataset, folder, Access::ReadOnly, false)?;
                }
                facts = open(&engine, &home, Access::ReadOnly, time.clock)?.facts();
                end_use(&[home])?;
            }
        }
    }
    Ok(facts)
}

/// The maximum number of copies of a dataset needed by any point.
pub fn instances(plan: &Plan, dataset: &str) -> u32 {
    plan.protocol.steps.iter().map(|step| instances_of(step, dataset)).max().unwrap_or(0)
}

/// The maximum number of copies of a dataset needed by any point of a step.
fn instances_of(step: &Step, dataset: &str) -> u32 {
    let of_stream = |stream: &Stream| {
        let sweep =
            step.sweep.as_ref().filter(|s| s.field == Field::Instances && s.stream == stream.name);
        let swept = sweep.iter().flat_map(|s| &s.values).map(|&value| value as u32).max();
        swept.unwrap_or(stream.instances)
    };
    step.streams.iter().filter(|s| s.dataset == dataset).map(of_stream).max().unwrap_or(0)
}

const INTERRUPTED: &str = "interrupted while filling; the next run starts this dataset again";

/// A subject's dataset to be filled.
struct Filling<'a> {
    subject: &'a str,
    dataset: &'a Dataset,
    /// The dataset's knobs, with those specific to this copy's server.
    engine: &'a Component,
    seed: u64,
}

impl Filling<'_> {
    fn unless_there(
        &self,
        home: &DatasetLocation,
        time: RunClock<'_>,
        progress: &Progress,
    ) -> Result<()> {
        let Filling { subject, dataset, .. } = self;
        let Some(fill) = &dataset.fill else { return Ok(()) };
        let doing = |what: String| progress.activity(&format!("{subject}: {what}"));
        let DatasetLocation::Folder(folder) = home else {
            doing(format!("filling dataset '{}'", dataset.name));
            return self.execute(fill, home, time, progress).map(drop);
        };
        let described = serde_json::to_string_pretty(dataset).context("describing the dataset")?;
        adopt(dataset, folder, &described)?;
        match self.found(folder, &described, time.clock, progress)? {
            DatasetState::Whole => match self.elsewhere(folder, home, time.clock)? {
                None => return Ok(()),
                Some(how) => doing(format!(
                    "dataset '{}' is not in this database and is filled there: {how}",
                    dataset.name
                )),
            },
            DatasetState::Nothing => {}
            DatasetState::Emptied => doing(format!(
                "an earlier load discarded blocks of dataset '{}', which is recreated",
                dataset.name
            )),
            DatasetState::Damaged(how) => {
                doing(format!("dataset '{}' is damaged ({how}) and is recreated", dataset.name))
            }
        }
        release(folder.shown(), time.clock)?;
        let marker = lay_out(folder)?;
        doing(format!("filling dataset '{}'", dataset.name));
        let server_contents = self.execute(fill, home, time, progress)?;
        let files = files::look(folder)?;
        let whole = DatasetMarker {
            described,
            open: false,
            emptied: false,
            files,
            server_contents,
            ..marker
        };
        if dataset.restore {
            doing(format!("keeping a copy of dataset '{}'", dataset.name));
            snapshot::keep(folder, &whole)?;
        }
        folder.write_marker(&whole)
    }

    fn found(
        &self,
        folder: &DatasetFolder,
        described: &str,
        clock: Clock,
        progress: &Progress,
    ) -> Result<DatasetState> {
        let copy = snapshot::copy_of(folder);
        let whole = |folder: &DatasetFolder| -> Result<DatasetState> {
            let Some(marker) = folder.marker().filter(|m| m.described == described) else {
                return Ok(DatasetState::Nothing);
            };
            // After a killed load, holes may be its own.
            let damage = match marker.open && marker.emptied {
                true => None,
                false => files::damage(&marker.files, &files::look(folder)?, marker.open),
            };
            let unknown = self.unknown(folder)?;
            if let (Some(how), None) = (&damage, &unknown) {
                self.is_verified(folder, how)?;
            }
            Ok(match damage.or(unknown) {
                Some(how) => DatasetState::Damaged(how),
                None if marker.emptied => DatasetState::Emptied,
                None => DatasetState::Whole,
            })
        };
        if !self.dataset.restore {
            return whole(folder);
        }
        // The copy counts; its source may have been modified or damaged since.
        let of_copy = whole(&copy)?;
        if matches!(of_copy, DatasetState::Whole) {
            if !snapshot::was_written(folder) && !matches!(whole(folder)?, DatasetState::Whole) {
                snapshot::will_be_written(folder)?;
            }
            restore(self.subject, self.dataset, folder, clock, progress)?;
        }
        Ok(of_copy)
    }

    /// If the dataset is to be verified and its contents are unknown.
    fn unknown(&self, folder: &DatasetFolder) -> Result<Option<String>> {
        let home = DatasetLocation::Folder(folder.clone());
        let journal = verify::journal_of(&self.dataset.engine.knobs, &home)?;
        Ok(match journal {
            Some(path) if !verify::is_known(&path, &home)? => {
                Some(format!("its journal {} is missing or another's", path.display()))
            }
            _ => None,
        })
    }

    /// If it is verified, a modification while the dataset was closed is a finding, and it is not
    /// recreated.
    fn is_verified(&self, folder: &DatasetFolder, how: &str) -> Result<()> {
        let home = DatasetLocation::Folder(folder.clone());
        match verify::journal_of(&self.dataset.engine.knobs, &home)? {
            None => Ok(()),
            Some(journal) => Err(failed(
                format!(
                    "data verification: {} was changed since it was closed: {how}",
                    folder.shown().display()
                ),
                format!(
                    "find out what wrote there; the data and the journal {} are the evidence. To \
                     measure meanwhile, use another directory",
                    journal.display()
                ),
            )),
        }
    }

    fn execute(
        &self,
        fill: &Fill,
        home: &DatasetLocation,
        time: RunClock<'_>,
        progress: &Progress,
    ) -> Result<Option<ServerContents>> {
        let dataset = self.dataset;
        let target = open(self.engine, home, Access::Create, time.clock)?;
        let stream = stream_of(dataset, fill);
        let mut group = WorkerGroup::new(&stream, &*target, None, self.seed)?;
        group.passes = 1.0;
        let ops = pass_ops(&group, &stream, &*target)?;
        let forever = LoadSpan { warmup_ns: 0, duration_ns: u64::MAX / 4 };
        let stop = AtomicBool::new(false);
        let tables = group.workload.tables(&fill.workload.knobs);
        let made = target.missing_tables(&tables)?;
        let groups = [group];
        progress.filling(self.subject, space::fill_bytes(dataset).unwrap_or(0));
        let filled = worker_group::run(time, &groups, forever, &stop, &mut |load| {
            while (load.running)() {
                if time.stopped() {
                    stop.store(true, Relaxed);
                    target.interrupt();
                }
                progress.fill(groups[0].issued(), ops);
                time.wait_towards(u64::MAX);
            }
            Ok(())
        });
        if filled.is_err() || time.stopped() {
            drop_again(&*target, &made)?;
        }
        filled?;
        progress.filled();
        if time.stopped() {
            bail!(INTERRUPTED);
        }
        progress.activity(&format!("settling dataset '{}'", dataset.name));
        target.settle(time.stop)?;
        target.sync(time.stop)?;
        if time.stopped() {
            bail!(INTERRUPTED);
        }
        target.server_contents(&questions(dataset))
    }

    /// The difference between the database and the one in which the dataset was filled, if there is
    /// one.
    fn elsewhere(
        &self,
        folder: &DatasetFolder,
        home: &DatasetLocation,
        clock: Clock,
    ) -> Result<Option<String>> {
        if !is_on_a_server_of_others(self.dataset) {
            return Ok(None);
        }
        let target = open(self.engine, home, Access::ReadOnly, clock)?;
        differs(self.dataset, folder, &*target)
    }
}

/// Removes the tables that an unfinished fill made on a server of others: the next fill makes them
/// again, and refuses those that it finds.
fn drop_again(target: &dyn Target, made: &[String]) -> Result<()> {
    if made.is_empty() {
        return Ok(());
    }
    let all = made.join(", ");
    target.drop_tables(made).map_err(|error| {
        let what = format!("the unfinished fill left tables in the database: {error}");
        failed(what, format!("before the next run: DROP TABLE {all}"))
    })
}

fn is_on_a_server_of_others(dataset: &Dataset) -> bool {
    dataset.engine.knobs.text("server").is_ok_and(|server| server == "existing")
}

/// Queries whose results the dataset's loads do not change.
fn questions(dataset: &Dataset) -> Vec<String> {
    let workload = dataset.fill.as_ref().map(|fill| &fill.workload);
    let found = workload.and_then(|part| Some((workload::find(&part.name)?, &part.knobs)));
    found.map(|(workload, knobs)| workload.lasting(knobs)).unwrap_or_default()
}

fn differs(
    dataset: &Dataset,
    folder: &DatasetFolder,
    target: &dyn Target,
) -> Result<Option<String>> {
    let Some(marker) = folder.marker().filter(|marker| !marker.described.is_empty()) else {
        return Ok(None);
    };
    let Some(now) = target.server_contents(&questions(dataset))? else { return Ok(None) };
    Ok(match marker.server_contents {
        None => Some("its marker does not say in which server it was filled".to_string()),
        Some(was) => was.differs(&now),
    })
}

/// Refuses a database other than the one in which the dataset was filled, before it is measured.
pub fn check_laid(dataset: &Dataset, folder: &DatasetFolder, target: &dyn Target) -> Result<()> {
    if dataset.fill.is_none() || !is_on_a_server_of_others(dataset) {
        return Ok(());
    }
    match differs(dataset, folder, target)? {
        None => Ok(()),
        Some(how) => Err(failed(
            format!("dataset '{}' is not in this database: {how}", dataset.name),
            "point the connection string at the server and database that it was filled in, or run \
             again to have it filled in this one",
        )),
    }
}

/// Recreates the dataset's folder, with a marker for an unfinished fill.
fn lay_out(folder: &DatasetFolder) -> Result<DatasetMarker> {
    let old = folder.old_marker().is_some();
    snapshot::forget(folder, old)?;
    folder.remove(old)?;
    forget_old(folder)?;
    std::fs::create_dir_all(folder.path())
        .with_context(|| format!("making {}", folder.shown().display()))?;
    let marker = DatasetMarker { id: data::identity()?, open: true, ..DatasetMarker::default() };
    folder.write_marker(&marker)?;
    Ok(marker)
}

/// The existing parts of a dataset.
enum DatasetState {
    Whole,
    Nothing,
    Damaged(String),
    /// A load discarded blocks of it since it was filled.
    Emptied,
}

/// Adds a marker to a dataset made before markers existed, if it is the plan's.
fn adopt(dataset: &Dataset, folder: &DatasetFolder, described: &str) -> Result<()> {
    if folder.old_marker().as_deref() != Some(described) {
        return Ok(());
    }
    let copy = snapshot::copy_of(folder);
    let places: &[&DatasetFolder] = if dataset.restore { &[folder, &copy] } else { &[folder] };
    for place in places {
        if place.exists() && place.marker().is_none() {
            let files = files::look(place)?;
            place.write_marker(&DatasetMarker {
                id: data::identity()?,
                described: described.into(),
                files,
                ..DatasetMarker::default()
            })?;
        }
    }
    Ok(())
}

/// Files next to a dataset without a marker do not belong to the new one.
fn forget_old(folder: &DatasetFolder) -> Result<()> {
    if folder.old_marker().is_none() {
        return Ok(());
    }
    let old = folder.beside("json");
    std::fs::remove_file(old.path()).with_context(|| format!("removing {}", old.shown().display()))
}

/// The stream that fills a dataset.
pub fn stream_of(dataset: &Dataset, fill: &Fill) -> Stream {
    Stream {
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
        target: Slice::default(),
        cpus: None,
        drives_per_worker: 1,
    }
}

/// The ops of one pass over all workers; an endless workload cannot fill.
fn pass_ops(group: &WorkerGroup<'_>, stream: &Stream, target: &dyn Target) -> Result<u64> {
    let mut ops = 0;
    for thread in 0..stream.threads {
        let source = group.source(target.space(), thread)?;
        ops += source.pass().ok_or_else(|| {
            failed(
                format!(
                    "workload '{}' has no end, so it cannot fill a dataset",
                    stream.workload.name
                ),
                "fill with sequential, fillseq, fillrandom or filluniquerandom",
            )
        })?;
    }
    Ok(ops)
}
