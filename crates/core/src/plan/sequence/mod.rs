//! Which points there are, how often each is measured, and in which order.

pub(in crate::plan) mod cells;
pub(in crate::plan) mod order;
pub(in crate::plan) mod points;
pub(in crate::plan) mod recheck;
pub mod repeats;
