//! The bench that the drives lie on: what may be touched, and the facts of host and drives.

pub mod drives;
pub mod facts;
pub mod filesystem;
pub mod guard;
mod held;
mod host;
pub mod namespaces;
mod nvme;
pub mod purge;
pub mod server;
pub mod shared;
pub mod written;
