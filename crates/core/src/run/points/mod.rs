//! One point: its load, its steady state, its repeats and its searches.

pub(in crate::run) mod ceiling;
pub(in crate::run) mod completed;
pub mod floor;
pub(in crate::run) mod maxima;
pub(in crate::run) mod precondition;
pub mod search;
pub(in crate::run) mod steady;
pub mod stopping_rule;
pub(in crate::run) mod telemetry;
pub mod verification;
pub(in crate::run) mod worst_period;
