//! The figures of steps.

pub(in crate::chart) mod bars;
pub(in crate::chart) mod curve;
pub mod durable;
pub(in crate::chart) mod panels;
pub(in crate::chart) mod percentiles;
pub(in crate::chart) mod rounds;
pub mod steady;
pub(in crate::chart) mod timeline;
pub mod trace;
pub mod trend;
