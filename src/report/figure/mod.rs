//! Figures: from plain data to SVG, without I/O; and from SVG to PNG.
//!
//! Every figure is a `Frame` (title, legend, y axis) with marks drawn into it. Each mark carries a `<title>`, so that a
//! browser shows its value when the pointer is over it.

pub mod axis;
pub mod bars;
pub mod curve;
pub mod fonts;
mod frame;
pub mod panels;
pub mod percentiles;
mod png;
pub mod rounds;
pub mod theme;
pub mod timeline;

pub use png::png;
