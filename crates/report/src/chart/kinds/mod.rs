//! The figures that a step may get.

pub(in crate::chart) mod bars;
pub(in crate::chart) mod curve;
pub mod durable;
pub mod fleet;
pub mod multiples;
pub mod outliers;
pub(in crate::chart) mod panels;
pub(in crate::chart) mod percentiles;
pub mod power;
pub(in crate::chart) mod rounds;
pub mod steady;
pub(in crate::chart) mod timeline;
pub mod trend;
