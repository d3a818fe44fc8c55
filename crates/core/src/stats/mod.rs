//! From observations to statements: estimates with their uncertainty, and comparisons of two of
//! them.
//!
//! Everything here is a pure function. All intervals are of 95 %.

pub mod acceptance;
pub mod better;
pub mod changes;
pub mod curve;
pub mod detectable;
pub mod energy;
pub mod estimate;
pub mod family;
pub mod gate;
pub mod level;
pub mod moments;
pub mod never_seen;
pub mod percent;
pub mod specimens;
pub mod spread;
pub mod steady;
pub mod trend;

pub use better::Better;
pub use estimate::{Estimate, Method};
