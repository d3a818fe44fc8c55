//! Parsers of trace formats, one file each: how to detect the format, and the fields of its lines
//! or records. docs/trace.md lists the units and sources of each format.
//!
//! `lines` reads text line by line with bounded memory, `fields` parses numbers, `byte_window`
//! reads files and pipes of records, and `parsed` is the output of all parsers: requests and
//! refused lines.

mod alibaba;
mod blkparse;
mod blktrace;
mod byte_window;
mod fields;
mod fio_iolog;
mod fiu;
mod lines;
mod msr;
pub mod parsed;
mod spc;
mod systor;
mod tectonic;
mod tencent;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_blktrace;
#[cfg(test)]
mod tests_samples;
mod vscsi;

use std::path::{Path, PathBuf};

pub use blktrace::records;
pub use lines::{Beginning, each as each_line};

use dyno_core::base::error::Result;
use dyno_core::base::registry::Registry;
use parsed::RequestSink;

/// A trace format.
pub trait TraceFormat: Sync {
    /// Name in messages.
    fn name(&self) -> &'static str;
    /// Whether a file with this start has the format.
    fn recognises(&self, beginning: &Beginning) -> bool;
    /// All files of the trace to which the named file belongs.
    fn files(&self, named: &Path) -> Result<Vec<PathBuf>> {
        Ok(vec![named.to_path_buf()])
    }
    /// Reads one file.
    fn read(&self, file: &Path, sink: &mut RequestSink) -> Result<()>;
}

/// All formats, in the order in which they are tried. A file's start matches at most one format.
pub static ALL: Registry<&dyn TraceFormat> = Registry::new(&[
    &fio_iolog::FioIolog,
    &blktrace::Blktrace,
    &blkparse::Blkparse,
    &msr::MsrCambridge,
    &alibaba::Alibaba,
    &tencent::Tencent,
    &spc::Spc,
    &systor::Systor,
    &fiu::Fiu,
    &tectonic::Tectonic,
    &vscsi::Vscsi,
]);

/// Detects the format of a file; None if no format matches.
pub fn of_file(path: &Path) -> Result<Option<&'static dyn TraceFormat>> {
    let beginning = lines::beginning(path)?;
    Ok(ALL.iter().find(|format| format.recognises(&beginning)))
}
