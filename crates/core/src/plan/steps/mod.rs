//! A protocol's parts, resolved: its streams, sweeps, searches and preparation.

pub(in crate::plan) mod arrival;
pub mod headline;
pub(in crate::plan) mod knobs;
pub(in crate::plan) mod matrix;
pub(in crate::plan) mod overrides;
pub(in crate::plan) mod powercut;
pub(in crate::plan) mod prepare;
pub(in crate::plan) mod protocol;
pub(in crate::plan) mod scale;
pub(in crate::plan) mod stream;
pub(in crate::plan) mod sweep;
pub(in crate::plan) mod title;
pub mod vary;
