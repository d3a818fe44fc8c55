//! Clock, random numbers, zipfian ranks, units, histogram, errors, sealed blocks. The bottom of the
//! import diagram: imports no other room.
//!
//! All access to files, terminals and external texts goes through `output`, `folder`, `file`,
//! `private`, `stderr`, `text` and `secret`; `registry` is a list of all items of one kind, to
//! which a library user can add; `block_seal` is the format of self-identifying blocks, for data
//! verification and power cuts.

pub mod block_seal;
pub mod clock;
pub mod error;
pub mod file;
pub mod folder;
pub mod histogram;
pub mod output;
pub mod private;
pub mod registry;
pub mod rng;
pub mod secret;
pub mod stderr;
pub mod text;
pub mod units;
pub mod zipf;
