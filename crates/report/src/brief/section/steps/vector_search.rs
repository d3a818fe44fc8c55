//! Searches of vector indexes: queries per second, latencies and I/Os at a given recall.

use crate::analysis::facts::{MeasuredFacts, Subjects};
use crate::analysis::points::point_summary::P99;
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format;
use crate::brief::section::steps::{StreamFact, streams_with};
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::table_cell::{TableCell, texts};
use crate::language::Language;
use crate::say;
use dyno_core::base::units;
use dyno_core::record::VectorSearch;

/// Vector search.
pub const SECTION: Section = Section::main(
    "vector-search",
    |l| say!(l, "section-vector-search"),
    SectionBlocks::Figures(blocks),
);

fn blocks(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<Block> {
    let streams = streams_with(measured, |cell| &cell.searches, |search| &search.stream);
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
    let row = |stream: &StreamFact<'_, VectorSearch>| {
        let StreamFact { fact: search, summary, .. } = stream;
        let mut row = texts(stream.place(l, subjects));
        row.extend(texts([
            number_format::grouped(l, search.search_list),
            number_format::decimal(l, search.recall(), 4),
            number_format::decimal(l, search.ios_per_query(), 1),
            units::bytes(search.io_bytes),
        ]));
        let latency = summary.limited_class().map(|class| class.user_latency());
        row.push(TableCell::rate(summary.ops_per_s.as_ref()));
        row.extend([TableCell::mean(latency), TableCell::percentile(latency, P99)]);
        (Mark::None, row)
    };
    vec![
        Block::note(say!(l, "vector-search-how")),
        Table::measured(l, 3, &head, streams.iter().map(row).collect()).block(),
    ]
}
