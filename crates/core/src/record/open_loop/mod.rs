//! What an open loop was meant to be, beside the tallies of what it was: `pacing` is how well Dyno
//! kept its own schedules, `replayed` a recorded load,
//! `cached_blocks` the cache that a recording's blocks went through.

pub mod cached_blocks;
pub mod pacing;
pub mod replayed;
