//! Generates load and times it: everything that happens between the barrier and the join.
//!
//! `op` is a request, `io_context` the interface that engines implement, `pacer` determines when a
//! request is due (`bursts` when many are), `portion` how many a turn submits, `recorder` counts
//! them, `slots` hold those in flight, `groups` those that are also timed together, `slowest` the
//! slowest, `window` determines the figures in which an op counts, `tally` processes the
//! completions of a turn, `job` is the input of a worker, and `worker` is the loop that connects
//! them. `sql` is the interface to database servers. Nothing here depends on an engine, a workload,
//! a plan file or a bundle.
//!
//! This room is below the engines. The registry returns boxed I/O contexts, but the loop must be
//! compiled for the concrete type: because engines can import the loop, a blanket `impl
//! AnyIoContext for IoContext` provides that without an enum of all engines.

mod bursts;
mod groups;
pub mod io_context;
pub mod job;
pub mod op;
pub mod pacer;
pub mod portion;
pub mod recorder;
pub mod slots;
pub mod slowest;
pub mod sql;
pub mod tally;
mod window;
pub mod worker;

pub use io_context::{Completion, IoContext, Wait};
pub use op::{AddressSpace, BUILD_PARTS, Cycles, NextDue, Op, OpGenerator, OpKind};
pub use worker::AnyIoContext;
