//! Who may be compared, and what bars or limits a claim.

pub mod alike;
pub(in crate::analysis) mod caveat;
pub mod caveats;
pub mod conditions;
pub mod hosts;
pub mod specimens;
pub mod together;
