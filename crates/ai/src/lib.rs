//! Loads of training, of language models and of vector search: accelerators that read samples,
//! caches of keys and values, and queries of an index.

#![cfg_attr(not(test), warn(missing_docs))]

pub mod diskann;
pub mod kv_cache;
pub mod training_read;
pub mod vector;

use dyno_core::engine::Engine;
use dyno_core::workload::Workload;

/// The engines, in the order in which they are listed.
pub const ENGINES: [&dyn Engine; 1] = [&diskann::DiskAnn];

/// The workloads, in the order in which they are listed.
pub const WORKLOADS: [&dyn Workload; 4] =
    [&training_read::TrainingRead, &kv_cache::KvCache, &vector::VectorLoad, &vector::VectorQueries];
