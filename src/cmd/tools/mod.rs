//! Commands about the program and the machine.

pub mod drives;
pub mod facts;
pub(in crate::cmd) mod flags;
pub mod reference;
pub mod version;
