//! The bundle: one SQLite file that holds one run, whole, and that any SQLite shell can read.
//!
//! `Writer` puts a run in, one transaction a point, so that whatever ends the program costs at most
//! the point that was running. `Bundle` reads it back and trusts nothing in it. docs/schema.md
//! describes the tables.
//!
//! There is no write-ahead log: a bundle is copied and mailed around, and must be a single file at
//! any time that no point is running.

mod beside;
mod bundle;
mod glance;
mod histograms;
mod identity;
pub mod limits;
mod prepared;
mod reported;
mod schema;
mod slow_ops;
mod writer;

pub use bundle::{Bundle, StoredPoint};
pub use glance::{Glance, PointCount, glance};
pub use schema::MIGRATIONS;
pub use writer::BundleWriter;

#[cfg(test)]
mod tests;
