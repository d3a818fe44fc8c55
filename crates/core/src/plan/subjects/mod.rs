//! Subjects, and their stated properties.

pub mod meters;
pub(in crate::plan) mod own;
pub(in crate::plan) mod subject;
