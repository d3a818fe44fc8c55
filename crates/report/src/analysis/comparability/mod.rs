//! Which subjects may be compared, and what rules out or limits a claim.

pub mod alike;
pub mod caveats;
pub mod conditions;
pub mod specimens;
pub mod together;
