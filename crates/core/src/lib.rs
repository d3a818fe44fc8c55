//! The core of Dyno: the meaning of a plan, the generation and timing of load, and the storage of
//! results. Independent of comparisons, pages and commands.

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

/// Everything that a plan may refer to: engines, workloads and meters.
pub fn plan_catalogue() -> plan::Catalogue {
    plan::Catalogue {
        engines: engine::ALL.iter().map(|e| e.info()).collect(),
        workloads: workload::ALL.iter().map(|w| w.info()).collect(),
        meters: meter::ALL.iter().map(|m| m.info()).collect(),
        check: run::planned::check,
    }
}
