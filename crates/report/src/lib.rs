//! The report: from bundles to facts, statements, figures and briefs.

#![cfg_attr(not(test), warn(missing_docs))]

pub use dyno_core::{base, catalogue, plan, record, stats, store};
pub use dyno_trace as trace;

pub mod analysis;
pub mod brief;
pub mod bundles;
pub mod chart;
pub mod export;
pub mod import;
pub mod language;
pub mod render;
pub mod terms;
