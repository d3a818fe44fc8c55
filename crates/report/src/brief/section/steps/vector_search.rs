//! Searches of vector indexes: queries per second, latencies and I/Os at a recall.

use crate::analysis::facts::{CellFacts, MeasuredFacts, StepFacts, Subjects};
use crate::analysis::points::point_summary::{P99, RepeatSummary};
use crate::base::units;
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format;
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::table_cell::{TableCell, texts};
use crate::language::Language;
use crate::record::VectorSearch;
use crate::say;

/// Vector search.
pub const SECTION: Section = Section::main(
    "vector-search",
    |l| say!(l, "section-vector-search"),
    SectionBlocks::Figures(blocks),
);

/// A stream of a cell that searches an index.
struct Searched<'f> {
    step: &'f StepFacts,
    cell: &'f CellFacts,
    search: &'f VectorSearch,
    summary: &'f RepeatSummary,
}

fn blocks(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<Block> {
    let streams: Vec<Searched<'_>> = measured.steps.iter().flat_map(of_step).collect();
    if streams.is_empty() {
        return Vec::new();
    }
    let head = [
        say!(l, "column-step"),
        say!(l, "column-at"),
        say!(l, "column-subject"),
        say!(l, "vector-search-list"),
        say!(l, "vector-search-recall"),
        say!(l, "vector-search-ios"),
        say!(l, "vector-search-io-size"),
        say!(l, "vector-search-qps"),
        say!(l, "vector-search-mean"),
        say!(l, "vector-search-p99"),
    ];
    let row = |own: &Searched<'_>| {
        let Searched { step, cell, search, summary } = own;
        let mut row = texts([
            step.title.text(l),
            step.values[cell.value].text(l),
            subjects[cell.subject].name.clone(),
            number_format::grouped(l, search.search_list),
            number_format::decimal(l, search.recall(), 4),
            number_format::decimal(l, search.ios_per_query(), 1),
            units::bytes(search.io_bytes),
        ]);
        let latency = summary.limited_class().map(|class| class.user_latency());
        row.push(TableCell::rate(summary.ops_per_s.as_ref()));
        row.push(TableCell::latency(latency.and_then(|all| all.mean_ns.as_ref())));
        row.push(TableCell::latency(latency.and_then(|all| all.percentiles_ns[P99].as_ref())));
        (Mark::None, row)
    };
    vec![
        Block::note(say!(l, "vector-search-how")),
        Table::measured(l, 3, &head, streams.iter().map(row).collect()).block(),
    ]
}

fn of_step(step: &StepFacts) -> Vec<Searched<'_>> {
    let mut all = Vec::new();
    for cell in &step.cells {
        for search in &cell.searches {
            let own = cell.streams.iter().find(|(name, ..)| *name == search.stream);
            all.extend(own.map(|(.., summary)| Searched { step, cell, search, summary }));
        }
    }
    all
}
