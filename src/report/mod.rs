//! From bundles to something to read. `facts` queries once; text, page and figures are pure functions of it.

mod analysis;
pub mod audit;
mod axis;
mod blocks;
pub mod brief;
pub mod claims;
pub mod difference;
mod document;
pub mod draw;
mod draw_power;
mod energy;
mod equal;
pub mod export;
pub mod facts;
pub mod fairness;
pub mod figure;
pub mod gauges;
mod group;
pub mod html;
mod limits;
mod markdown;
mod measure;
pub mod metered;
mod page;
mod pdf;
pub mod power;
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
