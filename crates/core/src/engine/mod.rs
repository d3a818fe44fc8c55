//! Engines: how a request is executed. One file or folder each, and one line in `ALL`.
//!
//! The block engines (`psync`, `uring`, `libaio`) share `blockfile` (opening files and devices),
//! `block_buffers`, `pages` and `dedupe` (memory and data patterns), and `block_commands` (FUA,
//! flush, trim and write zeroes). `verify` compares every read with what was acknowledged, and
//! `recheck` compares all blocks after a kill. `sql` has a folder for each dialect, `rocksdb`
//! embeds RocksDB, and `null` completes at once.

mod block_buffers;
mod block_commands;
mod block_target;
mod blockfile;
mod dedupe;
pub mod libaio;
pub mod null;
mod pages;
pub mod psync;
mod recheck;
pub mod rocksdb;
pub mod sql;
pub mod uring;
pub mod verify;

use std::any::Any;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use crate::base::clock::Clock;
use crate::base::error::{Error, Result, failed};
use crate::base::registry::Registry;
use crate::lab::folder::data::{DatasetFolder, Laid};
use crate::measure::sql::TransactionScript;
use crate::measure::{AddressSpace, AnyIoContext};
use crate::plan::{Info, Knobs, Stream};
use crate::record::{Fact, ServerShare};

/// Every engine, in the order in which they are listed.
pub static ALL: Registry<&'static dyn Engine> = Registry::new(&[
    &null::Null,
    &psync::Psync,
    &uring::Uring,
    &libaio::Libaio,
    &rocksdb::RocksDb,
    &sql::mysql::MySql,
    &sql::postgres::Postgres,
    &sql::sqlserver::SqlServer,
]);

/// The targets of one engine's own type, which a worker on several drives is handed as `dyn`.
fn all_of<'t, T: Target>(targets: &[&'t dyn Target]) -> Result<Vec<&'t T>> {
    let own = |target: &&'t dyn Target| (*target as &'t dyn Any).downcast_ref::<T>();
    let all: Option<Vec<&T>> = targets.iter().map(own).collect();
    all.ok_or_else(|| {
        failed(
            "a worker was handed drives of different engines",
            "this is a bug in Dyno: please report it",
        )
    })
}

/// The error of an engine whose I/O contexts are on one drive, and which is asked for one on
/// several.
fn one_drive_at_a_time(stream: &Stream) -> Error {
    failed(
        format!("a worker of '{}' drives one drive at a time", stream.engine.name),
        "leave `drives_per_worker` out of the stream",
    )
}

/// The engine of that name.
pub fn find(name: &str) -> Option<&'static dyn Engine> {
    ALL.iter().find(|e| e.info().name == name)
}

/// A way to carry requests out.
pub trait Engine: Sync {
    /// Its name, family, knobs and depth.
    fn info(&self) -> &'static Info;

    /// What an open dataset holds in the memory of Dyno's process, at most and beside the page
    /// cache.
    fn memory_bytes(&self, knobs: &Knobs) -> u64 {
        let _ = knobs;
        0
    }

    /// Opens a dataset. Everything that can be refused is refused here, before a worker starts.
    fn open(&self, site: &DatasetAccess<'_>) -> Result<Box<dyn Target>>;
}

/// Which dataset to open, and how.
pub struct DatasetAccess<'a> {
    /// Where the dataset lives.
    pub home: &'a DatasetLocation,
    /// The engine's own knobs, resolved.
    pub knobs: &'a Knobs,
    /// Whether it is laid out, only read, or read and written.
    pub access: Access,
    /// The clock of the run.
    pub clock: Clock,
}

/// Where a dataset lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatasetLocation {
    /// A folder of its own on the drive's filesystem. With `Access::Create` it exists and holds
    /// only its marker.
    Folder(DatasetFolder),
    /// A block device that the guard has passed. Whoever opens it asks `guard::verify` whether it
    /// is still the one.
    Device {
        /// The device's node.
        path: PathBuf,
        /// The serial number that the plan names.
        serial: String,
    },
    /// Nowhere: the engine keeps no data.
    Nowhere,
}

/// What will be done to a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Recreate it, to be filled.
    Create,
    /// Open it read-only.
    ReadOnly,
    /// Open it to be read and written.
    ReadWrite,
}

/// An open dataset, shared by the workers of all streams that use it.
pub trait Target: Any + Send + Sync {
    /// What workloads may address in it.
    fn space(&self) -> AddressSpace;

    /// Opens worker `thread`'s I/O context, with everything allocated that it will need.
    fn io_context(&self, stream: &Stream, thread: u32) -> Result<Box<dyn AnyIoContext>>;

    /// Opens worker `thread`'s one I/O context on several drives' targets of this engine, itself
    /// among them: the slots from 0 on are of the first, those from the stream's depth on of the
    /// second, and so on. Engines with a depth above 1 have it.
    fn io_context_on(
        &self,
        targets: &[&dyn Target],
        stream: &Stream,
        thread: u32,
    ) -> Result<Box<dyn AnyIoContext>> {
        match targets {
            [_] => self.io_context(stream, thread),
            _ => Err(one_drive_at_a_time(stream)),
        }
    }

    /// Opens worker `thread`'s I/O context for a workload of transactions, which `script` carries
    /// out.
    fn script_io_context(
        &self,
        stream: &Stream,
        thread: u32,
        script: Box<dyn TransactionScript>,
    ) -> Result<Box<dyn AnyIoContext>> {
        drop(script);
        self.io_context(stream, thread)
    }

    /// Waits until background work (compaction, flushes) is done, or `stop` is set.
    fn settle(&self, stop: &AtomicBool) -> Result<()> {
        let _ = stop;
        Ok(())
    }

    /// Where blocks are verified and a run that wrote them did not end: compares all of them with
    /// what was acknowledged, and says how many they were. `look_on` gets the bytes compared so far
    /// and all there are.
    fn recheck(&self, stop: &AtomicBool, look_on: &mut dyn FnMut(u64, u64)) -> Result<Option<u64>> {
        let _ = (stop, look_on);
        Ok(None)
    }

    /// Makes what was written durable: after a fill.
    fn sync(&self) -> Result<()> {
        Ok(())
    }

    /// The measured window opens: counters of the engine's own start here.
    fn window_opens(&self) {}

    /// The measured window has closed: what the engine counted meanwhile, and what state it is in.
    fn window_closed(&self) -> Vec<Fact> {
        Vec::new()
    }

    /// Where the data lie and what they are, by what no load changes, where others look after
    /// that too: a server that was there. `questions` are queries that the fill's workload says.
    fn laid(&self, questions: &[String]) -> Result<Option<Laid>> {
        let _ = questions;
        Ok(None)
    }

    /// Versions and options for the disclosure.
    fn facts(&self) -> Vec<Fact> {
        Vec::new()
    }

    /// What the server that Dyno started for it has of the machine, as the kernel says it.
    fn server(&self) -> Option<ServerShare> {
        None
    }
}
