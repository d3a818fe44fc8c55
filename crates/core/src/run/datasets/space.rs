//! Checks free space: the size of the datasets is compared with that of each drive before anything
//! is created.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::base::error::{Context, Result, refused};
use crate::base::units;
use crate::lab::folder::pin::shown;
use crate::lab::guard::disk::Disk;
use crate::plan::{Dataset, DrivePlace, FilesystemKind, Plan, Stream, Subject};
use crate::workload;

/// The bytes that a fill writes, if given by the knobs of engine or workload.
pub fn fill_bytes(dataset: &Dataset) -> Option<u64> {
    let fill = &dataset.fill.as_ref()?.workload;
    let knobs = &dataset.engine.knobs;
    let pair_bytes = || knobs.int("key_size").ok()?.checked_add(knobs.int("value_size").ok()?);
    if let (Ok(keys), Some(pair_bytes)) = (knobs.int("keys"), pair_bytes()) {
        return Some(keys.saturating_mul(pair_bytes));
    }
    let of_workload = workload::find(&fill.name).and_then(|w| w.fill_bytes(&fill.knobs, knobs));
    of_workload.or_else(|| knobs.int("size").ok())
}

/// The bytes to be filled for a subject: those that do not exist yet.
pub fn to_fill(plan: &Plan, subject: &Subject) -> f64 {
    let filled = || plan.protocol.datasets.iter().filter(|d| d.fill.is_some());
    let on_drive = |place: &DrivePlace| match place {
        DrivePlace::Directory(path) => filled().map(|d| missing_bytes(plan, d, path)).sum::<u64>(),
        DrivePlace::Device { .. } => filled().filter_map(fill_bytes).sum(),
    };
    subject.drives.iter().map(|drive| on_drive(&drive.place) as f64).sum()
}

/// The bytes that one pass of a load writes to a drive, if it writes like its dataset's fill.
pub fn written_as_filled(plan: &Plan, stream: &Stream) -> Option<f64> {
    let dataset = plan.protocol.datasets.iter().find(|d| d.name == stream.dataset)?;
    let fill = dataset.fill.as_ref()?;
    let same = (&fill.workload, fill.threads, fill.depth)
        == (&stream.workload, stream.threads, stream.depth);
    same.then(|| fill_bytes(dataset))?.map(|bytes| bytes as f64 * f64::from(stream.instances))
}

/// Each instance of a stream has its own dataset.
pub fn copies(plan: &Plan, dataset: &Dataset) -> u64 {
    let streams = plan.protocol.steps.iter().flat_map(|s| &s.streams);
    let streams = streams.chain(plan.protocol.prepare.iter().map(|c| &c.stream));
    let streams = streams.chain(plan.protocol.preparation.steady.iter().map(|s| &s.stream));
    let of = |s: &&Stream| s.dataset == dataset.name;
    streams.filter(of).map(|s| u64::from(s.instances)).max().unwrap_or(1)
}

/// Refuses drives without room for the datasets, with both numbers. Directories of one filesystem
/// share its space.
pub fn look(plan: &Plan, subjects: &[Subject]) -> Result<()> {
    let mut filesystems: HashMap<u64, u64> = HashMap::new();
    for subject in subjects {
        for drive in &subject.drives {
            match &drive.place {
                DrivePlace::Directory(path) => look_at_directory(plan, path, &mut filesystems),
                DrivePlace::Device { path, .. } => look_at_device(plan, path),
            }
            .with_context(|| subject.name.clone())?;
        }
    }
    Ok(())
}

/// `filesystems` is the space needed by other directories, by device number.
fn look_at_directory(plan: &Plan, path: &Path, filesystems: &mut HashMap<u64, u64>) -> Result<()> {
    let looking = || format!("looking at {}", shown(path).display());
    let own: u64 = plan
        .protocol
        .datasets
        .iter()
        .map(|d| missing_bytes(plan, d, path))
        .fold(0, u64::saturating_add);
    let needed =
        filesystems.entry(std::fs::metadata(path).with_context(looking)?.dev()).or_default();
    *needed = needed.saturating_add(own);
    let stat = rustix::fs::statvfs(path).with_context(looking)?;
    enough(path, *needed, stat.f_bavail.saturating_mul(stat.f_frsize))
}

fn look_at_device(plan: &Plan, path: &Path) -> Result<()> {
    let there = Disk::of(path)?.bytes();
    let filesystem = plan.protocol.preparation.filesystem.as_ref().map(|f| f.kind);
    let files = |d: &Dataset| fill_bytes(d).unwrap_or(0).saturating_mul(copies(plan, d) * kept(d));
    match filesystem {
        // Minimum reserve of a filesystem.
        Some(FilesystemKind::Xfs | FilesystemKind::Ext4) => enough(
            path,
            plan.protocol.datasets.iter().map(files).fold(0, u64::saturating_add),
            there / 100 * 98,
        ),
        None => plan.protocol.datasets.iter().try_for_each(|d| {
            let knob = |name: &str| d.engine.knobs.int(name).unwrap_or(0);
            enough(path, knob("offset").saturating_add(knob("size")), there)
        }),
    }
}

/// A restored dataset has a copy next to it.
fn kept(dataset: &Dataset) -> u64 {
    if dataset.restore { 2 } else { 1 }
}

/// The missing bytes of a dataset. Existing files are overwritten or reused.
fn missing_bytes(plan: &Plan, dataset: &Dataset, directory: &Path) -> u64 {
    let Some(bytes) = fill_bytes(dataset) else { return 0 };
    let missing = |instance: u64| {
        let slug = crate::lab::folder::data::slug(&dataset.name);
        let place =
            directory.join(crate::lab::folder::data::FOLDER).join(format!("{slug}.{instance}"));
        let there = on_disk(&place) + on_disk(&place.with_extension(format!("{instance}.kept")));
        bytes.saturating_mul(kept(dataset)).saturating_sub(there)
    };
    (0..copies(plan, dataset)).map(missing).fold(0, u64::saturating_add)
}

/// The space used by files below a folder; links are not followed.
fn on_disk(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() => on_disk(&entry.path()),
        Ok(found) if found.is_file() => found.blocks() * 512,
        _ => 0,
    };
    entries.map(bytes).sum()
}

fn enough(path: &Path, needed: u64, there: u64) -> Result<()> {
    if needed <= there {
        return Ok(());
    }
    let ([needed, there], path) = (units::bytes_alike([needed, there]), shown(path));
    let what = format!("{} has room for {there}, and the datasets take {needed}", path.display());
    Err(refused(what, "use smaller datasets, or free space"))
}
