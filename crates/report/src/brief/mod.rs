//! The text of a report: its sections, as blocks without markup, and the terminal output.
//!
//! A section is a function from facts to blocks (`section`). `lead` writes the first page,
//! `screens` the output of commands, `options`, `references` and `specification` read brief.toml.
//! Only `wording` and `number_format` turn a difference or a number into text, so it has the same
//! digits and the same interval everywhere.

pub mod acceptance;
pub mod bench;
mod kernel_parameters;
pub mod number_format;
pub mod own;
pub mod text;

pub mod block;
mod document;
pub mod fleet;
pub mod gate;
mod lead;
mod prose;
pub mod screens;
pub mod section;
pub mod trace;
pub mod trend;

pub use block::Block;
pub use document::{Brief, BriefSection};
pub use lead::Lead;
pub use own::options::{BriefOptions, PaperSize};
