//! The bench that the drives lie on: what may be touched, and the facts of host and drives.

pub mod beneath;
mod cgroup;
pub mod clocks;
mod controller;
pub mod data;
pub mod drives;
pub mod exclusive;
pub mod facts;
mod fd;
pub mod feed;
mod file_state;
pub mod files;
pub mod filesystem;
pub mod guard;
mod holders;
pub(crate) mod host;
pub mod lock;
pub mod namespaces;
pub(crate) mod nvme;
pub mod own_memory;
pub mod pin;
mod process;
pub mod processors;
pub mod purge;
#[cfg(test)]
#[path = "tests_scripted.rs"]
mod scripted;
pub mod server;
pub mod shared;
pub mod write_cache;
pub mod write_counter;
