//! Clock, random numbers, units, histogram, errors, sealed blocks. The bottom of the import
//! diagram: imports no other room.
//!
//! `output`, `file`, `private`, `stderr`, `text` and `secret` are the only ways to files, terminals
//! and texts from elsewhere; `registry` is a list of everything of one kind, which accepts
//! additions from a library user; `block_seal` is the format of blocks that identify themselves,
//! for data verification and power cuts.

pub mod block_seal;
pub mod clock;
pub mod error;
pub mod file;
pub mod histogram;
pub mod output;
pub mod private;
pub mod registry;
pub mod rng;
pub mod secret;
pub mod stderr;
pub mod text;
pub mod units;
