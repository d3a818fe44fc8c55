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
        dyno_sql::ENGINES.into_iter().for_each(|one| engine::ALL.add(one));
        dyno_sql::WORKLOADS.into_iter().for_each(|one| workload::ALL.add(one));
    });
}

/// Everything that a plan may refer to: engines, workloads and meters.
pub fn plan_catalogue() -> Catalogue {
    register();
    dyno_core::plan_catalogue()
}
