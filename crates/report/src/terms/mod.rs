//! Terms of the analysis in each language: axes and their values, metrics, titles of protocols and
//! steps, names of facts. Figures and texts use the same terms.

pub mod axis;
mod metric;
pub mod names;
pub mod place;
