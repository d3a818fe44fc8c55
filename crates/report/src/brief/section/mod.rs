//! The sections of a brief, in the order in which they appear. A new one is a file here and a line
//! in `ALL`.

pub mod analysis;
pub mod bottlenecks;
pub mod caveats;
pub mod conclusion;
pub mod conditions;
pub mod data;
pub mod database_servers;
pub mod differences;
pub mod disclosure;
pub mod drives;
pub mod durable;
pub mod energy;
pub mod equal_load;
pub mod figures;
pub mod findings;
pub mod fleet;
pub mod hosts;
pub mod load_at_limit;
pub mod method;
pub mod multiples;
pub mod outliers;
pub mod preparation;
pub mod results;
pub mod server;
pub mod summary;
pub mod tpcc;

use super::block::Block;
use crate::analysis::facts::Facts;
use crate::base::registry::Registry;
use crate::language::Language;

/// A part of a brief.
#[derive(Clone, Copy)]
pub struct Section {
    /// The anchor in a page, and its name in brief.toml.
    pub id: &'static str,
    /// Its heading in a brief.
    pub title: fn(Language) -> String,
    /// It is looked up and not read through.
    pub appendix: bool,
    /// Nothing where the facts hold nothing to say.
    pub blocks: fn(&Facts) -> Vec<Block>,
}

/// The sections of a brief of a fleet, by their ids: those that do not list every subject.
pub const OF_FLEETS: [&str; 3] = [fleet::SECTION.id, method::SECTION.id, server::SECTION.id];

/// Every section, in the order of a brief.
pub static ALL: Registry<Section> = Registry::new(&[
    summary::SECTION,
    results::SECTION,
    fleet::SECTION,
    hosts::SECTION,
    tpcc::SECTION,
    database_servers::SECTION,
    load_at_limit::SECTION,
    multiples::SECTION,
    equal_load::SECTION,
    durable::SECTION,
    conditions::SECTION,
    findings::SECTION,
    differences::SECTION,
    figures::SECTION,
    energy::SECTION,
    bottlenecks::SECTION,
    outliers::SECTION,
    drives::SECTION,
    preparation::SECTION,
    conclusion::SECTION,
    caveats::SECTION,
    method::SECTION,
    data::SECTION,
    server::SECTION,
    disclosure::SECTION,
]);
