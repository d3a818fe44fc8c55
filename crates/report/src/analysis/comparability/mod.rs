//! Who may be compared, and what bars or limits a claim.

pub mod alike;
pub mod caveats;
pub mod conditions;
pub mod specimens;
pub mod together;
