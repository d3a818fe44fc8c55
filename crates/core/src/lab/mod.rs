//! The host and the drives under test: what may be touched, and their facts.
//!
//! Permission: `guard` refuses whatever must not be touched; `pin` holds drives under test by
//! descriptor, `lock` admits one run at a time, `exclusive` claims a device for a destructive step;
//! `shared` finds the physical devices of drives and their sharing. docs/security.md has the
//! promises.
//!
//! Files: `data` is `dyno-data`, the folder that belongs to Dyno, `files` and `file_state` record
//! the state of a dataset's files, and `beneath` works below an open folder without following
//! names.
//!
//! Preparation: `purge`, `nvme`, `controller`, `namespaces`, `filesystem`, `write_cache` and
//! `write_counter`; `contents` recognises what a run left. Servers: `server` starts, limits, stops
//! and cleans up after database servers. Facts: `host`, `facts`, `drives`, `processors`, `process`.
//! Several hosts: `clocks` compares their clocks. `feed` is the location of a run's live feed: in
//! memory.

pub mod drive;
mod fd;
pub mod folder;
pub mod guard;
mod holders;
pub mod machine;
pub(crate) mod nvme;
#[cfg(test)]
#[path = "tests_scripted.rs"]
mod scripted;
pub mod server;
