//! Whether a run may begin, and what of the host its workers and servers get.

pub mod admit;
pub(in crate::run) mod load_memory;
pub(in crate::run) mod placement;
pub(in crate::run) mod requirements;
pub(in crate::run) mod servers;
