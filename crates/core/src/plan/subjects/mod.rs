//! What is compared, and what is stated of it.

pub(in crate::plan) mod cpus;
pub mod meters;
pub(in crate::plan) mod own;
pub mod specification;
pub(in crate::plan) mod subject;
