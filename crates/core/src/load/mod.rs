//! Making load and timing it: everything that happens between the barrier and the join.
//!
//! `op` is a request, `lane` the seam that engines implement, `pacer` says when a request is due,
//! `recorder` counts it, `slots` are what is in flight, `slowest` keeps the slowest, `tally` is
//! what a turn's completions come to, `job` what a worker is given, `worker` the loop that joins
//! them. Nothing here knows an engine, a workload, a plan file or a bundle.

pub mod job;
pub mod lane;
pub mod op;
pub mod pacer;
pub mod recorder;
pub mod slots;
pub mod slowest;
pub mod sql;
pub mod tally;
pub mod worker;

pub use lane::{Done, Lane, Wait};
pub use op::{Cycles, Op, OpKind, Source, Space};
pub use worker::AnyLane;
