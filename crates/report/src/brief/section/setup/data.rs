//! The full data: every cell, stream and class with all its percentiles.

use crate::analysis::facts::{MeasuredFacts, SetupFacts, StepFacts, Subjects};
use crate::analysis::points::point_summary::{ClassSummary, PERCENTILES, RepeatSummary};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format;
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::metric_text::class_of_latency;
use crate::brief::text::table_cell::{TableCell, texts};
use crate::chart::step::name;
use crate::language::Language;
use crate::say;

/// All cells, streams and classes.
pub const SECTION: Section =
    Section::appendix("data", |l| say!(l, "section-data"), SectionBlocks::Setup(blocks));

fn blocks(
    l: Language,
    subjects: &Subjects,
    setup: &SetupFacts,
    measured: &MeasuredFacts,
) -> Vec<Block> {
    let how = match setup.is_imported() {
        true => say!(l, "data-how-imported"),
        false => say!(l, "data-how"),
    };
    let mut out = vec![Block::note(how)];
    for step in &measured.steps {
        out.extend([Block::chapter(step.title.text(l)), table(l, subjects, setup, step).block()]);
    }
    out
}

fn table(l: Language, subjects: &Subjects, setup: &SetupFacts, step: &StepFacts) -> Table {
    let mut head = vec![
        step.axis_text(l),
        say!(l, "column-subject"),
        say!(l, "column-stream"),
        say!(l, "column-class"),
        say!(l, "column-repeats"),
    ];
    head.extend(["ops/s", "±", "MB/s"].map(String::from));
    head.push(say!(l, "mean"));
    head.extend(PERCENTILES.iter().map(|(name, _)| name.to_string()));
    head.push(say!(l, "column-max"));
    let mut rows = Vec::new();
    for cell in &step.cells {
        for (stream, headline, summary) in &cell.streams {
            for class in summary.rows() {
                let at = step.values[cell.value].text(l);
                let mut row = texts([at, name(subjects, cell), stream.clone()]);
                // A file with one figure does not state the number of measurements.
                let repeats = match (setup.runs[cell.run].is_imported(), cell.repeats.len()) {
                    (true, 1) => number_format::NONE.to_string(),
                    (_, repeats) => repeats.to_string(),
                };
                row.extend(numbers(l, repeats, step.is_open_loop(), summary, class));
                rows.push((if *headline { Mark::None } else { Mark::Side }, row));
            }
        }
    }
    Table::measured(l, 4, &head, rows)
}

fn numbers(
    l: Language,
    repeats: String,
    open_loop: bool,
    summary: &RepeatSummary,
    class: &ClassSummary,
) -> Vec<TableCell> {
    let times = class.user_latency();
    let name = class_of_latency(l, class, open_loop);
    let one = summary.classes.len() == 1;
    let rate = if one { &summary.ops_per_s } else { &class.ops_per_s }.as_ref();
    let mut row = texts([name, repeats]);
    row.push(TableCell::rate(rate).marked(&number_format::given_up(l, class.given_up)));
    row.push(number_format::spread(l, rate).into());
    row.push(TableCell::megabytes(class.bytes_per_s.as_ref()));
    row.push(TableCell::mean(Some(times)));
    row.extend((0..PERCENTILES.len()).map(|at| TableCell::percentile(Some(times), at)));
    row.push(TableCell::largest(times));
    row
}
