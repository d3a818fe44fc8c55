//! Statistics: estimates with their uncertainty, and comparisons. Everything here is a pure
//! function; all intervals are 95 %.
//!
//! `family` compares all subjects of a brief simultaneously, `level` and `estimate` are single
//! figures, `runs` follows a figure over many runs and finds changes. docs/claims.md and
//! docs/trends.md have the methods.

pub mod acceptance;
pub mod amplification;
pub mod better;
pub mod curve;
pub mod detectable;
pub mod energy;
pub mod estimate;
pub mod family;
pub mod level;
pub mod moments;
pub mod never_seen;
pub mod percent;
pub mod runs;
pub mod specimens;
pub mod spread;
pub mod steady;

pub use better::Better;
pub use estimate::{Estimate, IntervalMethod};
