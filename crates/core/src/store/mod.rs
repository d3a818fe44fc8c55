//! The bundle: one SQLite file that contains one run completely, readable by any SQLite shell.
//!
//! `BundleWriter` stores a run, one transaction per point, so that an abrupt end loses at most the
//! running point, and `bundle_file` deals with programs that lock, change or remove the file.
//! `Bundle` reads it and trusts nothing in it. docs/schema.md describes the tables.
//!
//! There is no write-ahead log: a bundle is copied and mailed, so it must be a single file whenever
//! no point is running.

mod beside;
mod bundle;
mod bundle_file;
mod glance;
mod histograms;
mod identity;
pub mod limits;
mod observations;
mod points;
mod prepared;
mod reported;
mod schema;
mod setup;
mod slow_ops;
mod writer;

pub use bundle::{Bundle, StoredPoint};
pub use bundle_file::Readers;
pub use glance::{FailedPoint, Glance, PointCount, first_failure, glance};
pub use points::PointRange;
pub use schema::{SCHEMA, VERSION};
pub use writer::{BundleWriter, RunFile};

#[cfg(test)]
mod tests;
