//! Separate questions: gates, acceptance, fleets, trends, self-tests, durability, outliers.

pub mod acceptance;
pub mod durability;
pub mod fleet;
pub mod gate;
pub mod scatter;
pub mod selftest;
pub mod trend;
