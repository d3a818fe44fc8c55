//! The list of all engines and workloads: those of the core, and those of the crates for one field
//! each, which the core does not know.

#![cfg_attr(not(test), warn(missing_docs))]

use std::sync::Once;

use dyno_core::plan::Catalogue;
use dyno_core::{engine, workload};

/// Adds the engines and workloads of the other crates to the registries of the core, once.
pub fn register() {
    static ADDED: Once = Once::new();
    ADDED.call_once(|| {
        let engines = dyno_ai::ENGINES.into_iter().chain(dyno_sql::ENGINES);
        engines.for_each(|one| engine::ALL.add(one));
        let workloads = dyno_trace::WORKLOADS.into_iter();
        let workloads = workloads.chain(dyno_ai::WORKLOADS).chain(dyno_sql::WORKLOADS);
        workloads.for_each(|one| workload::ALL.add(one));
    });
}

/// Everything that a plan may refer to: engines, workloads and meters.
pub fn plan_catalogue() -> Catalogue {
    register();
    dyno_core::plan_catalogue()
}
