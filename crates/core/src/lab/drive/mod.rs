//! Drives: their properties, and operations on whole drives.

pub mod atomic;
pub mod contents;
pub(in crate::lab) mod controller;
pub mod drives;
pub mod exclusive;
pub mod filesystem;
pub mod namespace_commands;
pub mod namespaces;
pub mod purge;
pub mod shared;
pub mod write_cache;
pub mod write_counter;
