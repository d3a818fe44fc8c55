//! Drives and datasets: preparation, opening, and the effects of an earlier part of the run.

pub mod before;
pub(in crate::run) mod caches;
pub(in crate::run) mod dataset;
pub(in crate::run) mod servers;
pub(in crate::run) mod snapshot;
pub mod space;
pub(in crate::run) mod target_key;
pub(in crate::run) mod targets;
pub(in crate::run) mod task;
