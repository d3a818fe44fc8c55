//! The sections of a brief, in order. A new one is a file here and a line in `ALL`.

pub mod analysis;
pub mod bottlenecks;
pub mod caveats;
pub mod conclusion;
pub mod findings;
pub mod results;
pub mod setup;
pub mod steps;
pub mod summary;

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
    /// It is reference material.
    pub appendix: bool,
    /// Empty if the facts contain nothing for it.
    pub blocks: fn(Language, &Facts) -> Vec<Block>,
}

/// The sections of a fleet's brief, by id: those that do not list every subject.
pub const OF_FLEETS: [&str; 3] =
    [setup::fleet::SECTION.id, setup::method::SECTION.id, setup::server::SECTION.id];

/// Every section, in the order of a brief.
pub static ALL: Registry<Section> = Registry::new(&[
    summary::SECTION,
    results::SECTION,
    setup::fleet::SECTION,
    setup::hosts::SECTION,
    steps::tpcc::SECTION,
    steps::kv_cache::SECTION,
    steps::replay::SECTION,
    setup::database_servers::SECTION,
    steps::load_at_limit::SECTION,
    steps::multiples::SECTION,
    steps::equal_load::SECTION,
    steps::durable::SECTION,
    setup::conditions::SECTION,
    findings::SECTION,
    steps::differences::SECTION,
    steps::figures::SECTION,
    steps::energy::SECTION,
    steps::write_cost::SECTION,
    bottlenecks::SECTION,
    steps::outliers::SECTION,
    setup::drives::SECTION,
    setup::preparation::SECTION,
    conclusion::SECTION,
    caveats::SECTION,
    setup::method::SECTION,
    setup::data::SECTION,
    setup::server::SECTION,
    setup::disclosure::SECTION,
]);
