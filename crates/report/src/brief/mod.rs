//! The text of a report: its sections, as blocks without markup, and the screens of the terminal.
//!
//! A section is a function from facts to blocks (`section`). `lead` writes the first page,
//! `screens` what commands print, `options`, `references` and `specification` read brief.toml. Only
//! `wording` and `number_format` turn a difference or a number into text, so that it has the same
//! digits and the same interval everywhere.

pub mod acceptance;

mod basis;
pub mod block;
mod causes;
pub mod caveat_text;
mod declared;
mod document;
pub mod fleet;
pub mod gate;
mod kernel_parameters;
mod lead;
mod metric_text;
pub mod notes;
pub mod number_format;
mod options;
mod outcome;
pub mod own_text;
mod place_text;
mod prose;
pub mod published;
mod references;
mod run_conditions;
pub mod screens;
pub mod section;
mod specification;
pub mod table_cell;
pub mod trend;
pub mod wording;

pub use block::Block;
pub use document::{Brief, BriefSection};
pub use lead::Lead;
pub use options::{BriefOptions, PaperSize};
