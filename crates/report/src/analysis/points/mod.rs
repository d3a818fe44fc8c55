//! Points in numbers.

pub mod axis;
pub(in crate::analysis) mod bare_step;
pub mod metric;
pub mod metric_values;
pub mod names;
pub mod point_numbers;
pub mod point_summary;
pub mod reported;
pub mod scatter;
