//! Workloads: the requests that are made. One file each under `block/` and `kv/`, and one line in
//! `ALL`.

pub mod block;
pub mod kv;
mod offsets;
pub mod oltp;
pub mod tpcc;

use crate::base::error::Result;
use crate::base::registry::Registry;
use crate::base::rng::Seed;
use crate::measure::sql::TransactionScript;
use crate::measure::{AddressSpace, OpGenerator};
use crate::plan::{Info, Knobs};
use crate::record::Class;

/// Every workload, in display order.
pub static ALL: Registry<&'static dyn Workload> = Registry::new(&[
    &block::random::Random,
    &block::sequential::Sequential,
    &kv::fill::FILL_SEQ,
    &kv::fill::FILL_RANDOM,
    &kv::fill::FILL_UNIQUE_RANDOM,
    &kv::fill::OVERWRITE,
    &kv::read::READ_RANDOM,
    &kv::read::READ_SEQ,
    &kv::read::SEEK_RANDOM,
    &kv::readwrite::ReadRandomWriteRandom,
    &kv::readwrite::UpdateRandom,
    &kv::mixgraph::MixGraph,
    &kv::ycsb::YcsbLoad,
    &kv::ycsb::Ycsb,
    &oltp::load::OltpLoad,
    &oltp::mix::READ_WRITE,
    &oltp::mix::READ_ONLY,
    &oltp::mix::WRITE_ONLY,
    &oltp::mix::POINT_SELECT,
    &oltp::mix::UPDATE_INDEX,
    &oltp::mix::UPDATE_NON_INDEX,
    &oltp::mix::INSERT,
    &oltp::mix::DELETE,
    &tpcc::load::TpccLoad,
    &tpcc::Tpcc,
    &tpcc::consistency::TpccCheck,
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

    /// The classes of op with these knobs, beginning with the one that its result is about. An op
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

    /// Whether its ops become due by the cycles of waiting clients, so that response times are
    /// recorded separately.
    fn waits(&self, knobs: &Knobs) -> bool {
        let _ = knobs;
        false
    }

    /// For transactional workloads: the statements that one thread sends for each op.
    fn script(&self, share: &GeneratorInputs<'_>) -> Result<Option<Box<dyn TransactionScript>>> {
        let _ = share;
        Ok(None)
    }
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
    /// This thread's share of so many items that are distributed in turn.
    pub fn dealt(&self, things: u64) -> u64 {
        let (threads, thread) = (u64::from(self.threads), u64::from(self.thread));
        (things + threads - 1 - thread) / threads
    }
}
