//! The formats of traces, one file each: which begins how, and what its lines or records say. Units
//! and documents of each are in docs/trace.md.
//!
//! `lines` reads texts line by line with bounded memory, `fields` their numbers, `byte_window`
//! files and pipes of records, and `parsed` is what all hand on: requests, and what was refused.

mod alibaba;
mod blkparse;
mod blktrace;
mod byte_window;
mod fields;
mod fio_iolog;
mod lines;
mod msr;
pub mod parsed;
mod tencent;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_blktrace;
#[cfg(test)]
mod tests_samples;

use std::path::{Path, PathBuf};

pub use blktrace::records;
pub use lines::{Beginning, each as each_line};

use crate::base::error::Result;
use crate::base::registry::Registry;
use parsed::RequestSink;

/// One format.
pub trait TraceFormat: Sync {
    /// Its name, as messages print it.
    fn name(&self) -> &'static str;
    /// Whether a file that begins so has it.
    fn recognises(&self, beginning: &Beginning) -> bool;
    /// The files that belong to the one that was named.
    fn files(&self, named: &Path) -> Result<Vec<PathBuf>> {
        Ok(vec![named.to_path_buf()])
    }
    /// Reads one file.
    fn read(&self, file: &Path, sink: &mut RequestSink) -> Result<()>;
}

/// In the order in which a file is tried; its beginning is that of one format at most.
pub static ALL: Registry<&dyn TraceFormat> = Registry::new(&[
    &fio_iolog::FioIolog,
    &blktrace::Blktrace,
    &blkparse::Blkparse,
    &msr::MsrCambridge,
    &alibaba::Alibaba,
    &tencent::Tencent,
]);

/// The format of a file; none where no format begins so.
pub fn of_file(path: &Path) -> Result<Option<&'static dyn TraceFormat>> {
    let beginning = lines::beginning(path)?;
    Ok(ALL.iter().find(|format| format.recognises(&beginning)))
}
