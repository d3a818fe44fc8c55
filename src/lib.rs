//! Dyno, a dynamometer for SSDs. `main.rs` is a thin binary over this library; ARCHITECTURE.md is its map.
//!
//! Imports run one way (tests/tidy.rs holds this):
//!
//! ```text
//! main → cmd → run → {engine, workload, meter, lab} → load → record → plan → base
//!            → store → record          stats → record
//!            → import → store, record
//!            → export → brief
//!            → render → brief → chart → analysis → stats, record
//! ```

pub mod analysis;
pub mod base;
pub mod brief;
pub mod chart;
pub mod cmd;
pub mod engine;
pub mod export;
pub mod import;
pub mod lab;
pub mod load;
pub mod meter;
pub mod plan;
pub mod record;
pub mod render;
pub mod run;
pub mod stats;
pub mod store;
pub mod workload;
