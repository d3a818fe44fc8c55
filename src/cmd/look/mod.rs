//! Commands that show results.

pub mod catalogue;
pub mod claims;
pub mod compare;
pub mod serve;
pub(in crate::cmd) mod serve_run;
pub mod show;
pub mod trend;
