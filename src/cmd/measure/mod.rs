//! Commands that measure.

pub(in crate::cmd) mod consent;
pub mod powercut;
pub mod run;
pub(in crate::cmd) mod run_start;
pub(in crate::cmd) mod selection;
pub mod selftest;
pub(in crate::cmd) mod selftest_device;
