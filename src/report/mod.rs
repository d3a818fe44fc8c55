//! From facts to something to read: text, page and figures are pure functions of them.

pub mod audit;
mod blocks;
pub mod brief;
mod document;
pub mod draw;
mod draw_power;
mod energy;
mod equal;
pub mod figure;
mod group;
pub mod html;
mod limits;
mod markdown;
pub mod notes;
mod page;
mod pdf;
pub mod published;
pub mod section;
mod steady;
pub mod text;
mod trend_along;
pub mod wording;
pub mod words;

#[cfg(test)]
pub(crate) mod tests;

pub use crate::analysis::Facts;
pub use brief::Brief;
pub use document::Document;
pub use markdown::markdown;
pub use pdf::pdf;
