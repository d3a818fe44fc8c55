//! From bundles to something to read. `facts` queries once; text, page and figures are pure functions of it.

mod analysis;
pub mod audit;
mod blocks;
pub mod brief;
pub mod claims;
pub mod difference;
mod document;
pub mod draw;
mod equal;
pub mod export;
pub mod facts;
pub mod figure;
mod group;
pub mod html;
mod markdown;
mod page;
mod pdf;
pub mod reading;
pub mod section;
mod steady;
pub mod text;
mod told;
pub mod words;

#[cfg(test)]
mod tests;

pub use brief::Brief;
pub use document::Document;
pub use facts::Facts;
pub use markdown::markdown;
pub use pdf::pdf;
