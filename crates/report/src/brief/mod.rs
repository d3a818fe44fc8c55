//! What a brief says: its sections, as blocks without a form, and the screens of the terminal. A
//! section is a function from facts to blocks; `wording` and `number_format` are the only places
//! where a difference or a number becomes text.

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
pub use document::{Document, Part};
pub use lead::Lead;
pub use options::{Options, Page};
