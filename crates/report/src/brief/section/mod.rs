//! The sections of a brief, in order. A new one is a file here and a line in `ALL`.

pub mod analysis;
pub mod bottlenecks;
pub mod caveats;
pub mod conclusion;
pub mod counts;
pub mod findings;
pub mod results;
pub mod setup;
pub mod steps;
pub mod summary;

use super::block::Block;
use crate::analysis::facts::{Comparisons, Facts, MeasuredFacts, SetupFacts, Subjects};
use crate::language::Language;
use dyno_core::base::registry::Registry;

/// A part of a brief.
#[derive(Clone, Copy)]
pub struct Section {
    /// The anchor in a page, and its name in brief.toml.
    pub id: &'static str,
    /// Its heading in a brief.
    pub title: fn(Language) -> String,
    /// It is reference material.
    pub appendix: bool,
    /// Its contents.
    pub blocks: SectionBlocks,
}

/// The blocks of a section, by the facts that it reads; empty if they contain nothing for it.
#[derive(Clone, Copy)]
pub enum SectionBlocks {
    /// The figures.
    Figures(fn(Language, &Subjects, &MeasuredFacts) -> Vec<Block>),
    /// The figures and the conditions of their measurement.
    Setup(fn(Language, &Subjects, &SetupFacts, &MeasuredFacts) -> Vec<Block>),
    /// The figures and their comparisons.
    Compared(fn(Language, &Subjects, &MeasuredFacts, &Comparisons) -> Vec<Block>),
    /// All facts.
    Whole(fn(Language, &Facts) -> Vec<Block>),
}

impl SectionBlocks {
    /// The blocks for these facts.
    pub fn of(self, l: Language, facts: &Facts) -> Vec<Block> {
        let Facts { subjects, setup, measured, comparisons, .. } = facts;
        match self {
            SectionBlocks::Figures(blocks) => blocks(l, subjects, measured),
            SectionBlocks::Setup(blocks) => blocks(l, subjects, setup, measured),
            SectionBlocks::Compared(blocks) => blocks(l, subjects, measured, comparisons),
            SectionBlocks::Whole(blocks) => blocks(l, facts),
        }
    }
}

impl Section {
    /// A section of the main part.
    pub const fn main(
        id: &'static str,
        title: fn(Language) -> String,
        blocks: SectionBlocks,
    ) -> Section {
        Section { id, title, appendix: false, blocks }
    }

    /// Reference material.
    pub const fn appendix(
        id: &'static str,
        title: fn(Language) -> String,
        blocks: SectionBlocks,
    ) -> Section {
        Section { id, title, appendix: true, blocks }
    }
}

/// The sections of a fleet's brief, by id: those that do not list every subject.
pub const OF_FLEETS: [&str; 3] =
    [setup::fleet::SECTION.id, setup::method::SECTION.id, setup::server::SECTION.id];

/// Appendices that list every point or pair: on a long page only if brief.toml names them, because
/// `dyno export` writes their figures as CSV.
pub const ON_REQUEST: [&str; 4] = [
    steps::differences::SECTION.id,
    steps::figures::SECTION.id,
    steps::energy::SECTION.id,
    setup::data::SECTION.id,
];

/// Every section, in the order of a brief.
pub static ALL: Registry<Section> = Registry::new(&[
    summary::SECTION,
    conclusion::SECTION,
    results::SECTION,
    setup::fleet::SECTION,
    setup::hosts::SECTION,
    steps::tpcc::SECTION,
    steps::training::SECTION,
    steps::kv_cache::SECTION,
    steps::vector_search::SECTION,
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
    counts::SECTION,
    caveats::SECTION,
    setup::method::SECTION,
    setup::data::SECTION,
    setup::server::SECTION,
    setup::disclosure::SECTION,
]);
