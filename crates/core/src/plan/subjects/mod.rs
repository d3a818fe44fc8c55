//! What is compared, and what is stated of it.

pub mod meters;
pub(in crate::plan) mod own;
pub(in crate::plan) mod subject;
