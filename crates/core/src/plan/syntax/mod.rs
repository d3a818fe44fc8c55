//! The text of a plan: TOML with positions, overrides, and mistakes.

pub(in crate::plan) mod fields;
pub mod mistakes;
pub(in crate::plan) mod node;
