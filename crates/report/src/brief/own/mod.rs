//! The user's additions: brief.toml, references, stated facts.

pub(in crate::brief) mod declared;
pub(in crate::brief) mod options;
pub mod own_text;
pub(in crate::brief) mod references;
pub(in crate::brief) mod specification;
