//! Renderers of blocks: HTML, PDF, Markdown and the terminal. A renderer is independent of the
//! facts: `brief` determined the contents of a document, including every number.

mod bound;
mod html;
mod markdown;
pub mod paper;
pub mod terminal;
mod webfont;

#[cfg(test)]
mod tests;
#[cfg(test)]
pub mod tests_bundle;
#[cfg(test)]
mod tests_figures;
#[cfg(test)]
mod tests_languages;
#[cfg(test)]
mod tests_pages;
#[cfg(test)]
mod tests_protocols;
#[cfg(test)]
mod tests_tables;

pub use html::{SCRIPT, html};
pub use markdown::markdown;
pub use paper::pdf::pdf;
