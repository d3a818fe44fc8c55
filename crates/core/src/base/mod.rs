//! The leaf of the import diagram: clock, random numbers, units, histogram, errors, sealed blocks.
//! Imports nothing of ours.

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
