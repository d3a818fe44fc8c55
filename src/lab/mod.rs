//! The bench that the drives lie on: what may be touched, and the facts of host and drives.

pub mod drives;
pub mod facts;
pub mod guard;
mod host;
pub mod server;
