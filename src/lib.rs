//! Dyno, a dynamometer for SSDs. `main.rs` is a thin binary over this library; ARCHITECTURE.md is
//! its map.
//!
//! Imports run one way, downwards. What follows from other lines is left out: `run` imports
//! `record` too. tests/tidy/ holds this against the code.
//!
//! ```text
//! main → cmd
//! cmd → export, import, run, web
//! web → bundles, catalogue, fleet, render
//! bundles → analysis, store
//! catalogue → lab, store
//! run → engine, meter, stats, workload
//! render → brief
//! export → brief, store
//! brief → chart
//! chart → analysis
//! analysis → stats
//! import → store
//! engine → lab, load
//! workload → load
//! lab → record
//! load → record
//! meter → record
//! stats → language, record
//! fleet → store
//! store → record
//! record → plan
//! plan → base
//! language → base
//! ```

#![cfg_attr(not(test), warn(missing_docs))]

pub mod analysis;
pub mod base;
pub mod brief;
pub mod bundles;
pub mod catalogue;
pub mod chart;
pub mod cmd;
pub mod engine;
pub mod export;
pub mod fleet;
pub mod import;
pub mod lab;
pub mod language;
pub mod load;
pub mod meter;
pub mod plan;
pub mod record;
pub mod render;
pub mod run;
pub mod stats;
pub mod store;
pub mod web;
pub mod workload;
