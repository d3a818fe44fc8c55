//! Creates an index: copies it from another drive of the run that has one with the same knobs, or
//! builds it.
//!
//! The library inserts vectors on all processors at once, so no two builds give the same graph.
//! Drives are compared by the same index, so the second one's is a copy of the first one's. The
//! checksum of each is disclosed.

use std::hash::Hasher;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use diskann::ANNResult;
use diskann::graph::config::{Builder, MaxDegree};
use diskann::utils::ONE;
use diskann_disk::build::builder::build::DiskIndexBuilder;
use diskann_disk::data_model::AdHoc;
use diskann_disk::disk_index_build_parameter::{MemoryBudget, NumPQChunks};
use diskann_disk::storage::DiskIndexWriter;
use diskann_disk::{DiskIndexBuildParameters, QuantizationType};
use diskann_providers::model::IndexConfiguration;
use diskann_vector::distance::Metric;
use rustix::fs::OFlags;
use twox_hash::XxHash3_64;

use super::build_progress::{BuildProgress, WatchedFiles};
use super::layout::{
    CHECKSUM, COMPRESSED, GRAPH, IndexKnobs, PIVOTS, PREFIX, QUERIES, TRUTH, VECTORS, create,
    open_file, unusable,
};
use super::size::BLOCK;
use super::vectors;
use dyno_core::base::error::{Context, Result, failed};
use dyno_core::lab::folder::data::DatasetFolder;

/// Files that determine the result of a query, in the order of the checksum, and the vectors from
/// which they were built.
const FILES: [&str; 6] = [GRAPH, PIVOTS, COMPRESSED, QUERIES, TRUTH, VECTORS];

/// Seed of the library's clustering.
const SEED: u64 = 1;

/// Memory limit of a build, GiB. It exceeds any host's memory, so that indexes are built in memory.
const MEMORY_GIB: f64 = 1e9;

const CHUNK: usize = 1 << 20;

/// Indexes that this process has opened, by the paths of their folders. No descriptor is held,
/// because it would keep the drive's filesystem mounted.
static KNOWN: Mutex<Vec<(IndexKnobs, PathBuf)>> = Mutex::new(Vec::new());

/// Allows other drives of this run to copy the index in a folder.
pub fn note(folder: &DatasetFolder, knobs: IndexKnobs) {
    let new = (knobs, folder.shown().to_path_buf());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|(_, path)| *path != new.1);
    known.push(new);
}

/// Creates the index in a dataset's empty folder.
pub fn lay_out(
    folder: &DatasetFolder,
    knobs: IndexKnobs,
    progress: &Arc<BuildProgress>,
) -> Result<()> {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let others = known.iter().filter(|(own, path)| *own == knobs && path != folder.shown());
    for (_, path) in others {
        let Some(other) = reopened(path) else { continue };
        if copied(&other, folder, (knobs, progress)).unwrap_or(false) {
            return Ok(());
        }
        progress.check()?;
    }
    vectors::write(folder, knobs, progress)?;
    build(folder, knobs, progress).map_err(|cause| {
        failed(
            format!("the index in {} could not be built: {cause}", folder.shown().display()),
            "check free space and memory: the build holds all vectors and the graph in memory",
        )
    })?;
    let mut checksum = XxHash3_64::new();
    for name in FILES {
        each_chunk(folder, name, &mut |chunk| {
            checksum.write(chunk);
            Ok(progress.check()?)
        })?;
    }
    store(folder, checksum.finish())
}

/// The folder of a known index, if it is still one.
fn reopened(path: &Path) -> Option<DatasetFolder> {
    let (dataset, instance) = path.file_name()?.to_str()?.rsplit_once('.')?;
    let directory = path.parent()?.parent()?;
    let folder = DatasetFolder::of(directory, dataset, instance.parse().ok()?).ok()?;
    let filled = folder.marker().is_some_and(|marker| !marker.described.is_empty());
    (folder.shown() == path && filled).then_some(folder)
}

/// Copies the files of another folder. Returns whether they were copied and match its checksum. The
/// copy does not share blocks, as a copy by the kernel may, because each drive needs its own.
fn copied(
    from: &DatasetFolder,
    to: &DatasetFolder,
    (knobs, progress): (IndexKnobs, &BuildProgress),
) -> Result<bool> {
    let (mut checksum, mut bytes) = (XxHash3_64::new(), 0);
    let all =
        knobs.graph_bytes() + (knobs.vectors * (4 * knobs.dimensions + knobs.pq_bytes)) as u64;
    for name in FILES {
        let mut copy = create(to, name)?;
        each_chunk(from, name, &mut |chunk| {
            progress.check()?;
            checksum.write(chunk);
            bytes += chunk.len();
            progress.whole(bytes as f64 / all as f64);
            copy.write_all(chunk).with_context(|| format!("copying {name}"))
        })?;
    }
    let same = checksum.finish() == stored(from)?;
    if same {
        store(to, checksum.finish())?;
    }
    Ok(same)
}

fn each_chunk(
    folder: &DatasetFolder,
    name: &str,
    each: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let (mut file, mut chunk) = (open_file(folder, name, OFlags::RDONLY)?, vec![0; CHUNK]);
    let reading = || format!("reading {}", folder.shown().join(name).display());
    loop {
        match file.read(&mut chunk).with_context(reading)? {
            0 => return Ok(()),
            read => each(&chunk[..read])?,
        }
    }
}

fn store(folder: &DatasetFolder, checksum: u64) -> Result<()> {
    let stored = write!(create(folder, CHECKSUM)?, "{checksum:016x}");
    stored.with_context(|| format!("writing {}", folder.shown().join(CHECKSUM).display()))
}

/// The checksum of an index, as stored when it was created.
pub fn stored(folder: &DatasetFolder) -> Result<u64> {
    let mut text = String::new();
    let read = open_file(folder, CHECKSUM, OFlags::RDONLY)?.take(64).read_to_string(&mut text);
    read.with_context(|| format!("reading {}", folder.shown().join(CHECKSUM).display()))?;
    u64::from_str_radix(&text, 16).map_err(|_| unusable(folder, "it has no checksum"))
}

fn build(
    folder: &DatasetFolder,
    knobs: IndexKnobs,
    progress: &Arc<BuildProgress>,
) -> ANNResult<()> {
    let path = |name| folder.path().join(name).to_string_lossy().into_owned();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (degree, slack) = (knobs.degree, MaxDegree::default_slack());
    let graph = Builder::new_with(degree, slack, knobs.build_list, Metric::L2.into(), |graph| {
        graph.saturate_after_prune(true);
    });
    let (vectors, dimensions) = (knobs.vectors, knobs.dimensions);
    let index =
        IndexConfiguration::new(Metric::L2, dimensions, vectors, ONE, threads, graph.build()?);
    let parameters = DiskIndexBuildParameters::new(
        MemoryBudget::try_from_gb(MEMORY_GIB)?,
        QuantizationType::FP,
        NumPQChunks::new_with(knobs.pq_bytes, dimensions)?,
    );
    let writer = DiskIndexWriter::new(path(VECTORS), path(PREFIX), None, BLOCK as usize)?;
    let files = WatchedFiles { progress: Arc::clone(progress), knobs };
    DiskIndexBuilder::<AdHoc<f32>, _>::new(
        &files,
        parameters,
        index.with_pseudo_rng_from_seed(SEED),
        writer,
    )?
    .build()
}

/// Version of the library.
pub fn version() -> String {
    let lock = include_str!("../../../../Cargo.lock");
    let own = lock.split("name = \"diskann-disk\"").nth(1);
    own.and_then(|rest| rest.split('"').nth(1)).unwrap_or("unknown").to_string()
}
