//! The specification of an open loop, in addition to the tallies of its results: `pacing` is the
//! accuracy of Dyno's own schedules, `replayed` a recorded load, `cached_blocks` the cache through
//! which a recording's blocks went, `worst_period` the shares of slow requests in its worst hour.

pub mod cached_blocks;
pub mod pacing;
pub mod replayed;
pub mod worst_period;
