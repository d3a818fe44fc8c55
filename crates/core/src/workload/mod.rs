//! Workloads: generators of requests. One file each under `block/` and `kv/`, or a folder, and one
//! line in `ALL`.

pub mod block;
pub mod kv;
pub mod last_few;
mod offsets;

use crate::base::error::{Result, failed};
use crate::base::registry::Registry;
use crate::base::rng::Seed;
use crate::measure::pacer::ReplayTimes;
use crate::measure::sql::TransactionScript;
use crate::measure::{AddressSpace, OpGenerator};
use crate::plan::{Component, Info, Knobs, Load, Stream};
use crate::record::{Accelerators, CachedBlocks, Class, RemappedTrace, Replayed};

/// Every workload, in display order.
pub static ALL: Registry<&'static dyn Workload> = Registry::new(&[
    &block::random::Random,
    &block::sequential::Sequential,
    &kv::fill::FILL_SEQ,
    &kv::fill::FILL_RANDOM,
    &kv::fill::FILL_UNIQUE_RANDOM,
    &kv::rewrite::OVERWRITE,
    &kv::read::READ_RANDOM,
    &kv::read::READ_SEQ,
    &kv::read::SEEK_RANDOM,
    &kv::readwrite::ReadRandomWriteRandom,
    &kv::rewrite::UPDATE_RANDOM,
    &kv::mixgraph::MixGraph,
    &kv::ycsb::YcsbLoad,
    &kv::ycsb::Ycsb,
]);

/// The class of whole transactions, for results that do not distinguish kinds.
pub const TRANSACTION: Class = Class::new("transaction");

/// The workload with that name.
pub fn find(name: &str) -> Option<&'static dyn Workload> {
    ALL.iter().find(|w| w.info().name == name)
}

/// A kind of requests.
pub trait Workload: Sync {
    /// Queries whose results no load changes on a dataset filled by this workload: they distinguish
    /// it from other datasets and sizes.
    fn lasting(&self, _knobs: &Knobs) -> Vec<String> {
        Vec::new()
    }

    /// Its name, family and knobs.
    fn info(&self) -> &'static Info;

    /// The classes of op with these knobs, starting with the one of the workload's result. An op
    /// refers to its class by index.
    fn classes(&self, knobs: &Knobs) -> Vec<Class>;

    /// Whether it writes with these knobs.
    fn writes(&self, knobs: &Knobs) -> bool {
        self.info().writes.with(knobs)
    }

    /// The mean bytes per op, for rates given in bytes and for estimates of the bytes written.
    fn mean_op_bytes(&self, knobs: &Knobs, space: AddressSpace) -> Result<f64>;

    /// One thread's requests. Anything that does not fit the address space (a block larger than the
    /// file) is refused here.
    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>>;

    /// Refuses knobs that cannot be combined, or that the planned data do not allow: an error of
    /// the run is one of `dyno plan check` as well. A load that reads a recording checks its knobs
    /// alone.
    fn check(&self, share: &GeneratorInputs<'_>) -> Result<()> {
        self.source(share)?;
        self.script(share)?;
        Ok(())
    }

    /// Knobs that must be equal to those of the fill of its dataset: how many data there are.
    fn as_filled(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether its ops become due by the cycles of waiting clients, so that response times are
    /// recorded separately.
    fn waits(&self, knobs: &Knobs) -> bool {
        let _ = knobs;
        false
    }

    /// For readers of training samples: the accelerators that `threads` threads supply.
    fn accelerators(&self, knobs: &Knobs, threads: u32) -> Result<Option<Accelerators>> {
        let _ = (knobs, threads);
        Ok(None)
    }

    /// For a recorded load: its properties. An error means that the recording cannot be read, or
    /// that nothing of it is selected.
    fn recorded(&self, knobs: &Knobs) -> Result<Option<RecordedLoad>> {
        let _ = knobs;
        Ok(None)
    }

    /// The file that it replays, if it does not ship with Dyno.
    fn recording<'k>(&self, knobs: &'k Knobs) -> Option<&'k str> {
        let _ = knobs;
        None
    }

    /// For a fill: the bytes that it writes, from its knobs and those of the dataset's engine; None
    /// if it fills the dataset's size.
    fn fill_bytes(&self, knobs: &Knobs, dataset: &Knobs) -> Option<u64> {
        let _ = (knobs, dataset);
        None
    }

    /// For a fill of a database: the tables that it makes.
    fn tables(&self, knobs: &Knobs) -> Vec<String> {
        let _ = knobs;
        Vec::new()
    }

    /// The mapping of a recorded load's offsets to the space; None if they are not remapped.
    fn remapped(&self, knobs: &Knobs, space: AddressSpace) -> Result<Option<RemappedTrace>> {
        let _ = (knobs, space);
        Ok(None)
    }

    /// For transactional workloads: the statements that one thread sends for each op.
    fn script(&self, share: &GeneratorInputs<'_>) -> Result<Option<Box<dyn TransactionScript>>> {
        let _ = share;
        Ok(None)
    }
}

/// A load whose requests have their own times.
pub struct RecordedLoad {
    /// When its ops are due.
    pub times: ReplayTimes,
    /// Time from its start to just after its last request, nanoseconds; None if it is not known in
    /// advance.
    pub length_ns: Option<u64>,
    /// The requests that are replayed.
    pub replayed: Replayed,
    /// For a cache of blocks: its size and contents.
    pub cache: Option<CachedBlocks>,
    /// The length of each interval of `arrivals`, nanoseconds of the load.
    pub arrivals_every_ns: f64,
    /// The number of requests that arrive in each interval, from the load's start.
    pub arrivals: Vec<u64>,
    /// Knobs that follow from the recording, such as the largest block.
    pub answers: Vec<(&'static str, serde_json::Value)>,
}

/// The properties of a stream's recorded load; none if it is not recorded.
pub fn recorded(stream: &Stream) -> Result<Option<RecordedLoad>> {
    let workload = find(&stream.workload.name);
    let found = workload.map(|workload| workload.recorded(&stream.workload.knobs));
    let found = found.transpose()?.flatten();
    match (&found, stream.load) {
        (Some(_), Load::Rate(_) | Load::PercentOfMaximum(_)) => Err(failed(
            format!("the stream '{}' replays a recorded load, and has a rate", stream.name),
            "leave `rate` out; the workload's `scale` makes the recording faster or slower",
        )),
        _ => Ok(found),
    }
}

/// The file that a workload replays, if it does not ship with Dyno.
pub fn recording(workload: &Component) -> Option<&str> {
    find(&workload.name)?.recording(&workload.knobs)
}

/// Adds the knobs that follow from its recording to a stream.
pub fn complete(stream: &mut Stream) -> Result<()> {
    if let Some(load) = recorded(stream)? {
        let answers = load.answers.into_iter().map(|(name, value)| (name.to_string(), value));
        stream.workload.knobs.0.extend(answers);
    }
    Ok(())
}

/// The input for one thread's source.
pub struct GeneratorInputs<'a> {
    /// The workload's knobs, resolved.
    pub knobs: &'a Knobs,
    /// The dataset's address space.
    pub space: AddressSpace,
    /// From 0.
    pub thread: u32,
    /// Threads of the stream.
    pub threads: u32,
    /// The thread's own family of random numbers.
    pub seed: Seed,
    /// The stream's seed, the same for all its threads, for choices that they must share (a
    /// permutation).
    pub stream_seed: Seed,
}

impl GeneratorInputs<'_> {
    /// This thread's share of `things` items that are distributed in turn.
    pub fn dealt(&self, things: u64) -> u64 {
        let (threads, thread) = (u64::from(self.threads), u64::from(self.thread));
        (things + threads - 1 - thread) / threads
    }
}
