//! Blocks in their forms: HTML, PDF, Markdown and the terminal. A renderer knows no facts: what stands in a document, and
//! every number in it, was settled by `brief`.

mod html;
mod layout;
mod markdown;
mod pdf;
pub mod terminal;

#[cfg(test)]
mod tests;
#[cfg(test)]
pub mod tests_bundle;

pub use html::html;
pub use markdown::markdown;
pub use pdf::pdf;
