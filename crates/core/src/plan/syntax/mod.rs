//! The text of a plan: TOML with positions, overrides, and mistakes.

pub(in crate::plan) mod fields;
pub(in crate::plan) mod mistakes;
pub(in crate::plan) mod node;
