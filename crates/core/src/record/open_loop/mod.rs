//! What an open loop was meant to be, beside the tallies of what it was: `pacing` is how well Dyno
//! kept its own schedules, `replayed` a recorded load.

pub mod pacing;
pub mod replayed;
