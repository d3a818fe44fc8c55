//! Reads of training samples: the utilisation of the accelerators, and how many a subject keeps at
//! the utilisation that MLPerf Storage requires.

use crate::analysis::facts::{MeasuredFacts, Subjects};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::section::steps::{StreamFact, streams_with};
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::table_cell::{TableCell, texts};
use crate::language::Language;
use crate::say;
use dyno_core::record::Accelerators;
use dyno_core::stats::Estimate;

/// Accelerator utilisation.
pub const SECTION: Section =
    Section::main("training", |l| say!(l, "section-training"), SectionBlocks::Figures(blocks));

/// Percent: MLPerf Storage, `metric.au` of unet3d and resnet50.
const REQUIRED: f64 = 90.0;

/// A stream of a cell that supplies accelerators.
type Supplied<'f> = StreamFact<'f, Accelerators>;

fn blocks(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<Block> {
    let streams = streams_with(measured, |cell| &cell.accelerators, |own| &own.stream);
    if streams.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::note(say!(l, "training-how"))];
    blocks.extend(most_kept(l, subjects, &streams).into_iter().map(Block::text));
    blocks.push(table(l, subjects, &streams));
    blocks
}

/// Computation time ÷ whole time, percent: the samples read are those computed on.
fn utilisation(stream: &Supplied<'_>) -> Option<Estimate> {
    let most = stream.fact.most_samples_per_s();
    Some(stream.summary.ops_per_s.as_ref()?.scaled(100.0 / most, "%"))
}

fn is_kept(stream: &Supplied<'_>) -> bool {
    utilisation(stream).is_some_and(|own| own.value >= REQUIRED)
}

/// The largest number of accelerators that each subject keeps, step by step and stream by stream.
fn most_kept(l: Language, subjects: &Subjects, streams: &[Supplied<'_>]) -> Vec<String> {
    let mut seen = Vec::new();
    let mut all = Vec::new();
    for StreamFact { step, cell, fact, .. } in streams {
        let own = (&step.name, cell.subject, &fact.stream);
        if seen.contains(&own) {
            continue;
        }
        seen.push(own);
        let same = |other: &&Supplied<'_>| {
            (&other.step.name, other.cell.subject, &other.fact.stream) == own
        };
        let kept = streams.iter().filter(same).filter(|stream| is_kept(stream));
        let (subject, step) = (&subjects[cell.subject].name, &step.title);
        all.push(match kept.map(|stream| stream.fact.accelerators).max() {
            Some(count) => say!(l, "training-kept", subject, step, count),
            None => say!(l, "training-none-kept", subject, step),
        });
    }
    all
}

fn table(l: Language, subjects: &Subjects, streams: &[Supplied<'_>]) -> Block {
    let head = [
        say!(l, "column-step"),
        say!(l, "column-at"),
        say!(l, "column-subject"),
        say!(l, "training-accelerators"),
        say!(l, "training-utilisation"),
        say!(l, "training-interval"),
        say!(l, "training-samples"),
        say!(l, "training-read-mb"),
    ];
    let row = |stream: &Supplied<'_>| {
        let mut row = texts(stream.place(l, subjects));
        let used = utilisation(stream);
        let percent = |value: f64| number_format::percent(l, value, 1);
        let interval = used.as_ref().filter(|own| own.has_interval());
        row.extend(texts([
            number_format::grouped(l, stream.fact.accelerators),
            used.as_ref().map_or(NONE.to_string(), |own| percent(own.value)),
            // A share has no more than all.
            interval.map_or(NONE.to_string(), |own| {
                let (low, high) = (percent(own.low), percent(own.high.min(100.0)));
                say!(l, "range", low, high)
            }),
        ]));
        row.push(TableCell::rate(stream.summary.ops_per_s.as_ref()));
        row.push(TableCell::megabytes(stream.summary.bytes_per_s.as_ref()));
        (if is_kept(stream) { Mark::None } else { Mark::Bad }, row)
    };
    Table::measured(l, 3, &head, streams.iter().map(row).collect()).block()
}
