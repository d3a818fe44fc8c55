//! Commands that write documents and tables, or read those of others.

pub mod audit;
pub mod export;
pub mod import;
pub mod report;
