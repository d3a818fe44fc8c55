//! A recorded load compared with its model: the two steps of a protocol written by `dyno trace
//! model`.

use crate::analysis::facts::{CellFacts, MeasuredFacts, Subjects};
use crate::analysis::keys::ValueKey;
use crate::analysis::points::point_summary::{P50, P99, P999, RepeatSummary};
use crate::analysis::points::replay::{MODEL, TRACE};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format;
use crate::brief::text::table_cell::{TableCell, in_unit, texts};
use crate::chart::replay;
use crate::language::Language;
use crate::say;

/// Intervals of one second with fewer than this many have no index of dispersion.
const FEWEST_INTERVALS: usize = 10;

/// The comparison; empty if there are no such steps.
pub fn blocks(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<Block> {
    let step = |name: &str| measured.steps.iter().find(|step| step.name == name);
    let (Some(trace), Some(model)) = (step(TRACE), step(MODEL)) else { return Vec::new() };
    if trace.cells.iter().all(|cell| cell.replay.recorded.is_empty()) {
        return Vec::new();
    }
    let head = [
        say!(l, "column-subject"),
        say!(l, "column-step"),
        in_unit(l, &say!(l, "column-achieved"), "ops/s"),
        say!(l, "replay-most-a-second"),
        say!(l, "replay-idc"),
        say!(l, "replay-reads"),
        say!(l, "replay-size"),
        say!(l, "replay-response-median"),
        say!(l, "replay-response-p99"),
        say!(l, "replay-response-p999"),
    ];
    let mut rows = Vec::new();
    for (subject, named) in subjects.iter_enumerated() {
        for step in [trace, model] {
            let cell = step.cell(subject, ValueKey(0));
            let summary = cell.and_then(|cell| Some((cell, cell.total.as_ref()?)));
            rows.extend(summary.map(|(cell, total)| {
                let place = vec![named.name.clone(), step.title.text(l)];
                (Mark::None, row(l, place, cell, total))
            }));
        }
    }
    if rows.is_empty() {
        return Vec::new();
    }
    let table = [
        Block::chapter(say!(l, "replay-model")),
        Block::note(say!(l, "replay-model-how")),
        Table::measured(l, 2, &head, rows).block(),
    ];
    table
        .into_iter()
        .chain(Block::figures(replay::beside_model(l, subjects, trace, model)))
        .collect()
}

fn row(l: Language, place: Vec<String>, cell: &CellFacts, total: &RepeatSummary) -> Vec<TableCell> {
    let moved = total.moved();
    let most = cell.over_time.iter().map(|(_, ops)| *ops).fold(0.0, f64::max);
    let idc = dispersion(&cell.over_time);
    let mut row = texts(place);
    let reads = moved.read_share().map(|share| number_format::percent(l, share * 100.0, 1));
    row.extend([
        TableCell::rate(total.ops_per_s.as_ref()),
        TableCell::fixed(most),
        TableCell::fixed(idc),
        reads.into(),
        TableCell::size(moved.mean_size()),
    ]);
    let response = total.limited_class().map(|class| class.user_latency());
    row.extend([P50, P99, P999].map(|at| TableCell::percentile(response, at)));
    row
}

/// The variance of the ops of whole seconds, divided by their mean.
fn dispersion(over_time: &[(f64, f64)]) -> Option<f64> {
    // The last interval may be shorter than a second.
    let (_, whole) = over_time.split_last()?;
    if whole.len() < FEWEST_INTERVALS {
        return None;
    }
    let n = whole.len() as f64;
    let mean = whole.iter().map(|(_, ops)| ops).sum::<f64>() / n;
    let variance = whole.iter().map(|(_, ops)| (ops - mean).powi(2)).sum::<f64>() / n;
    (mean > 0.0).then(|| variance / mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_of_dispersion_is_over_whole_seconds() {
        let of = |ops: &[f64]| {
            dispersion(
                &ops.iter().zip(1u32..).map(|(n, at)| (f64::from(at), *n)).collect::<Vec<_>>(),
            )
        };
        let even = [&[100.0; 10][..], &[3.0]].concat();
        assert_eq!(of(&even), Some(0.0));
        let bursts = [&[[90.0, 110.0]; 5].concat()[..], &[3.0]].concat();
        assert_eq!(of(&bursts), Some(1.0));
        assert_eq!(of(&even[1..]), None, "fewer than ten whole seconds");
    }
}
