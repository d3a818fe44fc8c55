//! Display of a running run.

pub mod live;
pub mod progress;
pub(in crate::run) mod time;
pub mod time_left;
