//! The user's additions: brief.toml, references, specifications.

pub(in crate::brief) mod declared;
pub(in crate::brief) mod options;
pub mod own_text;
pub(in crate::brief) mod references;
pub(in crate::brief) mod specification;
