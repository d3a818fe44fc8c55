//! The parts of a report, in the order in which they appear. A new one is a file here and a line in `ALL`.

pub mod carried;
pub mod conclusion;
pub mod data;
pub mod disclosure;
pub mod drives;
pub mod energy;
pub mod equal;
pub mod fairness;
pub mod findings;
pub mod limits;
pub mod marks;
pub mod method;
pub mod preparation;
pub mod server;
pub mod steps;
pub mod tpcc;

use crate::analysis::facts::Facts;

/// A part of the report.
pub trait Section: Sync {
    fn info(&self) -> Info;

    /// The body as HTML; nothing where the facts hold nothing to say.
    fn html(&self, facts: &Facts) -> Option<String>;
}

pub struct Info {
    /// Anchor in the page.
    pub id: &'static str,
    pub title: &'static str,
}

pub static ALL: &[&dyn Section] = &[
    &findings::Findings,
    &steps::Steps,
    &tpcc::TpcC,
    &carried::Carried,
    &equal::Equal,
    &energy::Energy,
    &limits::Limits,
    &fairness::Fairness,
    &drives::Drives,
    &preparation::Preparation,
    &conclusion::Conclusion,
    &marks::Marks,
    &method::Method,
    &data::Data,
    &server::Server,
    &disclosure::Disclosure,
];
