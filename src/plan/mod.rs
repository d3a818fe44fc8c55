//! The plan: what a user writes, checked and resolved into points before anything is touched.
//!
//! `model` is the resolved form that the rest of the program works with and that a bundle keeps; `info` is how engines
//! and workloads declare themselves, so that parsing, help and reference pages all come from one place.

pub mod info;
pub mod model;

pub use info::{Default, Family, Info, Kind, Knob};
pub use model::*;
