//! From bundles to something to read. `facts` queries once; text, page and figures are pure functions of it.

pub mod csv;
pub mod difference;
pub mod draw;
pub mod facts;
pub mod figure;
pub mod html;
pub mod reading;
pub mod section;
pub mod text;
mod told;
pub mod words;

#[cfg(test)]
mod tests;

pub use facts::Facts;
