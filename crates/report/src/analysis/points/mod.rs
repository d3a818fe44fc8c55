//! Points as numbers.

pub mod axis;
pub mod metric;
pub mod point_numbers;
pub mod point_summary;
pub mod replay;
pub mod reported;
