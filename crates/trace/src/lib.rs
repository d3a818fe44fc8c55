//! Block traces: requests with their arrival times. A trace of any format is compiled once into a
//! compact file, which is then read as a stream (docs/trace.md).
//!
//! `request` defines the types. `formats` parses recordings, `sort` orders their requests, and
//! `compile` combines both. `profile` computes statistics of a trace, `generate` writes a synthetic
//! trace, `anonymise` removes names and offsets. `writer` and `reader` implement the compiled file:
//! `layout` has its header and footer, `block` a group of requests, `column` one field of a block,
//! and `device_ends` the end of the previous request to each device. `replay` is the workload that
//! replays a trace.

#![cfg_attr(not(test), warn(missing_docs))]

mod anonymise;
mod block;
mod column;
mod compile;
mod device_ends;
pub mod formats;
mod generate;
mod layout;
mod profile;
mod reader;
pub mod replay;
mod request;
mod sort;
mod writer;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_published;

pub use anonymise::{EXTENT, anonymise};
pub use compile::{Compiled, compile, read_any, read_blktrace, write_file};
pub use formats::parsed::{Refusals, Refused};
pub use generate::Synthetic;
pub use layout::{KindTotal, Summary, TraceDevice, is_compiled};
pub use profile::{ArrivalSeries, BurstFit, CountDispersion, ExtentUse, LengthCount, TraceProfile};
pub use profile::{ReuseBucket, ReuseDistances};
pub use reader::Reader;
pub use request::{MOST_DEVICES, Request, RequestKind, SPACE_BYTES};
pub use writer::Writer;

use dyno_core::workload::Workload;

/// The workloads, in the order in which they are listed.
pub const WORKLOADS: [&dyn Workload; 1] = [&replay::Trace];
