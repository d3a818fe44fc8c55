//! Bottlenecks of points with their evidence, and the meters' readings.

pub mod bottleneck;
pub mod device_errors;
pub mod meter_facts;
pub mod meter_series;
pub mod power;
pub mod slow_commands;
pub(in crate::analysis) mod verdict_inputs;
pub mod writes;
