//! Drives: what they are, and what is done to a whole one.

pub(in crate::lab) mod controller;
pub mod drives;
pub mod exclusive;
pub mod filesystem;
pub mod namespaces;
pub mod purge;
pub mod shared;
pub mod write_cache;
pub mod write_counter;
