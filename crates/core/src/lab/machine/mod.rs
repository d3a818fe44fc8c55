//! The host: its facts, processes, processors and clocks.

pub(in crate::lab) mod cgroup;
pub mod clocks;
pub mod cpu_limit;
pub mod facts;
pub mod host;
pub mod io_limit;
pub mod own_memory;
pub(in crate::lab) mod process;
pub mod processors;
pub mod task_limit;
