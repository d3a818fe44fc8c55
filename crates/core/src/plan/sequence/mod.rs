//! Points, repeats, and their order.

pub(in crate::plan) mod cells;
pub(in crate::plan) mod order;
pub(in crate::plan) mod points;
pub(in crate::plan) mod recheck;
pub mod repeats;
