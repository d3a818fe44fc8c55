//! The core of Dyno: what a plan says, what makes the load and times it, and where the results are
//! kept. It knows no statistics of comparisons, no page and no command.

#![cfg_attr(not(test), warn(missing_docs))]

pub mod base;
pub mod catalogue;
pub mod engine;
pub mod lab;
pub mod measure;
pub mod meter;
pub mod plan;
pub mod record;
pub mod run;
pub mod stats;
pub mod store;
pub mod workload;

/// What a plan may name: every engine, workload and meter there is.
pub fn plan_catalogue() -> plan::Catalogue {
    plan::Catalogue {
        engines: engine::ALL.iter().map(|e| e.info()).collect(),
        workloads: workload::ALL.iter().map(|w| w.info()).collect(),
        meters: meter::ALL.iter().map(|m| m.info()).collect(),
    }
}
