//! Block traces: requests with the times at which they arrived. A trace of any format is compiled
//! once into a compact file, which is read as a stream (docs/trace.md).
//!
//! `request` has the words; `formats` reads what others recorded, `sort` puts it in order and
//! `compile` joins the two; `profile` says what a trace is like, `generate` makes a synthetic one,
//! `anonymise` takes names and places away. `writer` and `reader` are the compiled file: `layout`
//! has its ends, `block` a few thousand requests, `column` one field of a block, and
//! `device_ends` where the request before on each device ended.

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
