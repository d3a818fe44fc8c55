//! Campaigns: one plan measured on many hosts. `balance` assigns subjects to hosts, rounds and
//! places, `tasks` lists the resulting runs, `folder` and `record` store the campaign, `slurm`
//! submits it, `state` reports its status, and `collect` checks its bundles.

#![cfg_attr(not(test), warn(missing_docs))]

pub mod balance;
pub mod collect;
pub mod folder;
pub mod hosts;
pub mod record;
pub mod slurm;
pub mod state;
pub mod tasks;
