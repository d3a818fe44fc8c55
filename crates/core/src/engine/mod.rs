//! Engines: how a request is executed. One file or folder each, and one line in `ALL`.
//!
//! The block engines (`psync`, `uring`, `libaio`) share `blockfile` (opening files and devices),
//! `block_buffers`, `pages` and `dedupe` (memory and data patterns), and `block_commands` (FUA,
//! flush, trim and write zeroes). `verify` compares every read with what was acknowledged, and
//! `recheck` compares all blocks after a kill. `sql` has a folder for each dialect, `rocksdb`
//! embeds RocksDB, `diskann` DiskANN, and `null` completes at once.

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
#[cfg(test)]
mod tests_recorded;
pub mod uring;
pub mod verify;

use std::any::Any;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use crate::base::clock::Clock;
use crate::base::error::{Error, Result, failed};
use crate::base::registry::Registry;
use crate::lab::folder::data::{DatasetFolder, ServerContents};
use crate::measure::sql::TransactionScript;
use crate::measure::{AddressSpace, AnyIoContext};
use crate::plan::{Info, Knobs, Stream};
use crate::record::{Fact, Observed, ServerShare};

/// Every engine, in the order in which they are listed.
pub static ALL: Registry<&'static dyn Engine> =
    Registry::new(&[&null::Null, &psync::Psync, &uring::Uring, &libaio::Libaio, &rocksdb::RocksDb]);

/// The targets of one engine's own type, which a worker on several drives receives as `dyn`.
fn all_of<'t, T: Target>(targets: &[&'t dyn Target]) -> Result<Vec<&'t T>> {
    let own = |target: &&'t dyn Target| (*target as &'t dyn Any).downcast_ref::<T>();
    let all: Option<Vec<&T>> = targets.iter().map(own).collect();
    all.ok_or_else(|| {
        failed(
            "a worker received drives of different engines",
            "this is a bug in Dyno: please report it",
        )
    })
}

/// The error if an engine whose I/O contexts use one drive gets several.
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

/// A way to execute requests.
pub trait Engine: Sync {
    /// Its name, family, knobs and depth.
    fn info(&self) -> &'static Info;

    /// The maximum memory of Dyno's process used by an open dataset, excluding the page cache.
    fn memory_bytes(&self, knobs: &Knobs) -> u64 {
        let _ = knobs;
        0
    }

    /// The address space of a dataset with these knobs; None if only the drive
    /// determines it.
    fn planned_space(&self, knobs: &Knobs) -> Option<AddressSpace> {
        let _ = knobs;
        None
    }

    /// An error if this program was built without it: what is missing, and how to build it.
    fn check_build(&self) -> Result<()> {
        Ok(())
    }

    /// Refuses knobs that this kernel does not support, before anything is prepared.
    fn check_kernel(&self, knobs: &Knobs) -> Result<()> {
        let _ = knobs;
        Ok(())
    }

    /// Opens a dataset. All refusals happen here, before a worker starts.
    fn open(&self, site: &DatasetAccess<'_>) -> Result<Box<dyn Target>>;
}

/// Which dataset to open, and how.
pub struct DatasetAccess<'a> {
    /// Location of the dataset.
    pub home: &'a DatasetLocation,
    /// The engine's own knobs, resolved.
    pub knobs: &'a Knobs,
    /// Whether it is created, only read, or read and written.
    pub access: Access,
    /// The clock of the run.
    pub clock: Clock,
}

/// Location of a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatasetLocation {
    /// Its own folder on the drive's filesystem. With `Access::Create` it exists and contains only
    /// its marker.
    Folder(DatasetFolder),
    /// A block device that the guard has approved. Before opening it, `guard::verify` checks that
    /// it is still the same device.
    Device {
        /// The device's node.
        path: PathBuf,
        /// The serial number in the plan.
        serial: String,
    },
    /// Nowhere: the engine stores no data.
    Nowhere,
}

/// Planned use of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Recreate it, to be filled.
    Create,
    /// Open it read-only.
    ReadOnly,
    /// Open it for reading and writing.
    ReadWrite,
}

/// An open dataset, shared by the workers of all streams that use it.
pub trait Target: Any + Send + Sync {
    /// The address space for workloads.
    fn space(&self) -> AddressSpace;

    /// Those of these tables that are not in the database, if it is on a server that Dyno did not
    /// start: a fill makes them, and an unfinished one must remove them again.
    fn missing_tables(&self, tables: &[String]) -> Result<Vec<String>> {
        let _ = tables;
        Ok(Vec::new())
    }

    /// Drops tables that an unfinished fill made.
    fn drop_tables(&self, tables: &[String]) -> Result<()> {
        let _ = tables;
        Ok(())
    }

    /// Opens worker `thread`'s I/O context and allocates everything that it will need.
    fn io_context(&self, stream: &Stream, thread: u32) -> Result<Box<dyn AnyIoContext>>;

    /// Opens worker `thread`'s single I/O context on several drives' targets of this engine,
    /// including this one: slots from 0 on belong to the first, those from the stream's depth on to
    /// the second, and so on. Implemented by engines with a depth above 1.
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

    /// Opens worker `thread`'s I/O context for a transactional workload, executed by `script`.
    fn script_io_context(
        &self,
        stream: &Stream,
        thread: u32,
        script: Box<dyn TransactionScript>,
    ) -> Result<Box<dyn AnyIoContext>> {
        drop(script);
        self.io_context(stream, thread)
    }

    /// A signal ends its load: ops that take long end, if they can. May be called repeatedly.
    fn interrupt(&self) {}

    /// Waits until background work (compaction, flushes) is done, or `stop` is set.
    fn settle(&self, stop: &AtomicBool) -> Result<()> {
        let _ = stop;
        Ok(())
    }

    /// If blocks are verified and a run that wrote them did not end: compares all blocks with the
    /// acknowledged writes and returns their number. `look_on` receives the bytes compared so far
    /// and in total.
    fn recheck(&self, stop: &AtomicBool, look_on: &mut dyn FnMut(u64, u64)) -> Result<Option<u64>> {
        let _ = (stop, look_on);
        Ok(None)
    }

    /// Makes all writes durable, after a fill, or until `stop` is set.
    fn sync(&self, stop: &AtomicBool) -> Result<()> {
        let _ = stop;
        Ok(())
    }

    /// After a load: waits, or until `stop` is set, for writes that were accepted before they
    /// reached the drive. The error of any of them is the load's.
    fn write_back(&self, stop: &AtomicBool) -> Result<()> {
        let _ = stop;
        Ok(())
    }

    /// The measured window opens: the engine's own counters start here.
    fn window_opens(&self) {}

    /// The measured window has closed: the engine's counters over it, and its state.
    fn window_closed(&self) -> Vec<Fact> {
        Vec::new()
    }

    /// Its observations over the window, called once it has closed.
    fn observed(&self) -> Vec<Observed> {
        Vec::new()
    }

    /// Bytes written since it was opened or since the server started: `user` bytes from the
    /// application, and each part of `record::gauge::written::engine::PARTS` that exists. Empty for
    /// engines that write exactly the user's bytes.
    fn written(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// Location and identity of the data, from properties that no load changes, for existing
    /// servers, where others manage the data. `questions` are queries of the workload that filled
    /// it.
    fn server_contents(&self, questions: &[String]) -> Result<Option<ServerContents>> {
        let _ = questions;
        Ok(None)
    }

    /// Versions and options for the disclosure.
    fn facts(&self) -> Vec<Fact> {
        Vec::new()
    }

    /// Resources of the server that Dyno started for it, as reported by the kernel.
    fn server(&self) -> Option<ServerShare> {
        None
    }
}
