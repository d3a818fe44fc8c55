//! Results by step.

pub mod differences;
pub mod durable;
pub mod energy;
pub mod equal_load;
pub mod figures;
pub mod kv_cache;
pub mod load_at_limit;
pub mod multiples;
pub mod outliers;
pub mod replay;
mod replay_model;
pub mod tpcc;
pub mod vector_search;
pub mod write_cost;
