//! The text of a plan: TOML with positions, overrides, and everything that is wrong with it.

pub(in crate::plan) mod fields;
pub(in crate::plan) mod mistakes;
pub(in crate::plan) mod node;
