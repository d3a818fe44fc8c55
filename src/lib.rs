//! Dyno, a dynamometer for SSDs. `main.rs` is a thin binary over this library; ARCHITECTURE.md is
//! its map.
//!
//! Imports run in one direction, downwards. Arrows that follow from others are omitted: `run`
//! imports `record` too. tests/tidy/ compares this with the code.
//!
//! ```text
//! main → cmd
//! cmd → audit, export, import, loads, powercut, web
//! loads → ai, sql
//! ai → engine, trace
//! sql → engine, workload
//! powercut → run
//! audit → brief
//! web → bundles, catalogue, fleet, render
//! bundles → analysis, language, store
//! catalogue → lab, store
//! run → engine, meter, stats, workload
//! render → brief
//! export → brief, store
//! brief → chart
//! chart → terms, trace
//! terms → analysis, language
//! analysis → stats
//! trace → workload
//! import → store
//! engine → lab, measure
//! workload → measure
//! meter → lab
//! lab → record
//! measure → record
//! stats → record
//! fleet → store
//! store → record
//! record → plan
//! plan → base
//! language → base
//! ```

#![cfg_attr(not(test), warn(missing_docs))]

pub use dyno_ai as ai;
pub use dyno_audit as audit;
pub use dyno_core::{
    base, catalogue, engine, lab, measure, meter, plan, record, run, stats, store, workload,
};
pub use dyno_fleet as fleet;
pub use dyno_loads::{plan_catalogue, register};
pub use dyno_powercut as powercut;
pub use dyno_report::{
    analysis, brief, bundles, chart, export, import, language, message, render, say, terms,
};
pub use dyno_sql as sql;
pub use dyno_trace as trace;

pub mod cmd;
pub mod web;
