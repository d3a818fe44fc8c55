//! A recorded load beside its model: the two steps of a protocol that `dyno trace model` wrote.

use crate::analysis::facts::{CellFacts, Facts};
use crate::analysis::points::point_summary::RepeatSummary;
use crate::base::units;
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::text::table_cell::{TableCell, texts};
use crate::chart::replay;
use crate::language::Language;
use crate::record::Class;
use crate::say;

/// The names of the steps (`src/cmd/trace/model.rs`).
const TRACE: &str = "trace";
const MODEL: &str = "model";

/// Intervals of one second with fewer than this many have no index of dispersion.
const FEWEST_INTERVALS: usize = 10;

/// The comparison; empty where there are no such steps.
pub fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    let step = |name: &str| facts.measured.steps.iter().find(|step| step.name == name);
    let (Some(trace), Some(model)) = (step(TRACE), step(MODEL)) else { return Vec::new() };
    if trace.cells.iter().all(|cell| cell.replay.recorded.is_empty()) {
        return Vec::new();
    }
    let head = [
        say!(l, "column-subject"),
        say!(l, "column-step"),
        say!(l, "column-achieved"),
        say!(l, "replay-most-a-second"),
        say!(l, "replay-idc"),
        say!(l, "replay-reads"),
        say!(l, "replay-size"),
        say!(l, "replay-response-median"),
        say!(l, "replay-response-p99"),
        say!(l, "replay-response-p999"),
    ];
    let mut rows = Vec::new();
    for (subject, named) in facts.subjects.keyed() {
        for step in [trace, model] {
            let cell = step.cell(subject, 0);
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
    let mut out = vec![
        Block::chapter(say!(l, "replay-model")),
        Block::note(say!(l, "replay-model-how")),
        Table::measured(l, 2, &head, rows).block(),
    ];
    let figures = replay::beside_model(l, facts, trace, model);
    if !figures.is_empty() {
        out.push(Block::Figures(figures));
    }
    out
}

fn row(l: Language, place: Vec<String>, cell: &CellFacts, total: &RepeatSummary) -> Vec<TableCell> {
    let of = |class| total.class(Some(class));
    let ops = |class| Some(of(class)?.ops_per_s.as_ref()?.value);
    let rate = |class| ops(class).unwrap_or(0.0);
    let bytes = |class| of(class).and_then(|own| own.bytes_per_s.as_ref()).map_or(0.0, |e| e.value);
    let moved = [Class::READ, Class::WRITE];
    let ops: f64 = moved.map(rate).iter().sum();
    let size: f64 = moved.map(bytes).iter().sum::<f64>() / ops;
    let most = cell.over_time.iter().map(|(_, ops)| *ops).fold(0.0, f64::max);
    let idc = dispersion(&cell.over_time);
    let some = |text: String| if ops > 0.0 { text } else { NONE.to_string() };
    let mut row = texts(place);
    row.extend(texts([
        format!("{}/s", number_format::ops(l, total.ops_per_s.as_ref())),
        number_format::count(l, most),
        idc.map_or(NONE.to_string(), |idc| l.number(&units::significant(idc, 3))),
        some(number_format::percent(l, rate(Class::READ) / ops * 100.0, 1)),
        some(number_format::size(l, size)),
    ]));
    let lead = total.classes.iter().max_by_key(|class| class.ops).map(|class| class.user_latency());
    row.extend(
        [0, 2, 3]
            .map(|at| TableCell::latency(lead.and_then(|all| all.percentiles_ns[at].as_ref()))),
    );
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
