//! From bundles to something to read. `facts` queries once; text, page and figures are pure functions of it.

pub mod audit;
pub mod claims;
pub mod csv;
pub mod difference;
pub mod draw;
mod equal;
pub mod facts;
pub mod figure;
mod group;
pub mod html;
pub mod reading;
pub mod section;
pub mod text;
pub mod words;

#[cfg(test)]
mod tests;

pub use facts::Facts;
