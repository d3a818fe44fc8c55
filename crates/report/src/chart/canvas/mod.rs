//! Common parts of all figures.

pub(in crate::chart) mod axis;
pub(in crate::chart) mod colour;
pub mod fonts;
pub(in crate::chart) mod frame;
pub(in crate::chart) mod png;
pub mod theme;
