//! One figure over many runs.

pub mod changes;
pub mod gate;
pub mod trend;
