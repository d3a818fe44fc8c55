//! Campaigns: who measures what on which host, in which order; what is kept of it in the campaign's
//! folder; Slurm; what becomes of it.

#![cfg_attr(not(test), warn(missing_docs))]

pub mod balance;
pub mod collect;
pub mod folder;
pub mod hosts;
pub mod record;
pub mod slurm;
pub mod state;
pub mod tasks;
