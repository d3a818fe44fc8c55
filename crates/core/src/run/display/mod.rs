//! What is seen of a run while it goes on.

pub mod live;
pub mod progress;
pub(in crate::run) mod time;
pub(in crate::run) mod time_left;
