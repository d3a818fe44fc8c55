//! Finds repeats in which all subjects rose or fell together, which is an effect of the host. It
//! makes levels less precise, but not ratios, which are formed within repeats. Repeats in which a
//! single subject rose or fell are also found: their ratios are less precise.

use crate::analysis::claim::pairing::Seat;
use crate::analysis::facts::{CellFacts, MeasuredFacts, SetupFacts, StepFacts};
use crate::analysis::notes::{CommonShift, OutlyingRepeat};
use crate::analysis::points::point_summary::P99;
use dyno_core::stats::spread::spread;

/// Smaller deviations are ordinary scatter.
const LEAST: f64 = 1.25;

/// The deviation must also be this many times as large as any among the other repeats.
const BEYOND: f64 = 3.0;

/// The same for a single subject, which no other confirms.
const LEAST_ALONE: f64 = 1.5;
const BEYOND_ALONE: f64 = 6.0;

/// With fewer repeats there are not enough others.
const FEWEST: usize = 3;

/// All of them, ordered by step, point and repeat.
pub fn all(measured: &MeasuredFacts, setup: &SetupFacts) -> Vec<CommonShift> {
    let mut found = Vec::new();
    for step in &measured.steps {
        // Its cells are in the order of their values.
        for of_value in step.cells.chunk_by(|a, b| a.value == b.value) {
            for run in setup.runs.keys() {
                let cells: Vec<&CellFacts> = of_value.iter().filter(|c| c.run == run).collect();
                found.extend(of_point(step, &cells).into_iter().map(
                    |(repeat, factor, latency)| CommonShift {
                        step: step.key,
                        value: of_value[0].value,
                        repeat,
                        subjects: cells.len(),
                        factor,
                        latency,
                    },
                ));
            }
        }
    }
    found
}

/// Repeats by number, their deviations, and whether those are of latencies.
fn of_point(step: &StepFacts, cells: &[&CellFacts]) -> Vec<(u32, f64, bool)> {
    let asked = cells.iter().any(|c| c.total.as_ref().is_some_and(|t| t.asked.is_some()));
    let in_turn = cells.len() > 1 && cells.iter().all(|c| c.places.iter().all(Option::is_some));
    let series: Option<Vec<Vec<(u32, f64)>>> = cells.iter().map(|c| logs(step, c, asked)).collect();
    let Some(series) = series.filter(|_| in_turn) else { return Vec::new() };
    moved(&series)
        .into_iter()
        .map(|(block, factor)| (repeat_of(cells[0], block), factor, asked))
        .collect()
}

/// Every repeat in which one subject deviated from its others, unless all did.
pub fn alone(measured: &MeasuredFacts, shifts: &[CommonShift]) -> Vec<OutlyingRepeat> {
    let mut found = Vec::new();
    for step in &measured.steps {
        for cell in &step.cells {
            let latency = cell.total.as_ref().is_some_and(|t| t.asked.is_some());
            let Some(series) = logs(step, cell, latency) else { continue };
            let of_block = |&(block, _): &(u32, f64)| {
                let by = apart(&series, block, (LEAST_ALONE, BEYOND_ALONE))?;
                let (subject, value) = (cell.subject, cell.value);
                let (repeat, factor) = (repeat_of(cell, block), by.exp());
                Some(OutlyingRepeat { step: step.key, value, subject, repeat, factor, latency })
            };
            found.extend(series.iter().filter_map(of_block));
        }
    }
    let common = |one: &OutlyingRepeat| {
        let same =
            |s: &CommonShift| (s.step, s.value, s.repeat) == (one.step, one.value, one.repeat);
        shifts.iter().any(same)
    };
    found.retain(|one| !common(one));
    found
}

/// The repeat of a block, by its number.
fn repeat_of(cell: &CellFacts, block: u32) -> u32 {
    (0..cell.repeats.len())
        .find(|i| Seat::of(cell, *i).block == block)
        .map_or(0, |i| cell.repeats[i])
}

/// For each repeat, its block and the logarithm of its figure.
fn logs(step: &StepFacts, cell: &CellFacts, latency: bool) -> Option<Vec<(u32, f64)>> {
    let total = cell.total.as_ref()?;
    let values = match latency {
        true => total.user_latency(step.class)?.measured(P99),
        false => &total.by_repeat[..],
    };
    let usable =
        values.len() == cell.repeats.len() && values.iter().all(|v| v.is_finite() && *v > 0.0);
    usable.then(|| {
        values.iter().enumerate().map(|(i, v)| (Seat::of(cell, i).block, v.ln())).collect()
    })
}

/// The blocks in which every series deviates from its own other blocks, all in the same direction,
/// with the overall factor.
pub fn moved(series: &[Vec<(u32, f64)>]) -> Vec<(u32, f64)> {
    let Some(first) = series.first().filter(|_| series.len() > 1) else { return Vec::new() };
    let of_block = |&(block, _): &(u32, f64)| {
        let apart = |own: &Vec<(u32, f64)>| apart(own, block, (LEAST, BEYOND));
        let moves: Vec<f64> = series.iter().map(apart).collect::<Option<_>>()?;
        let same = moves.iter().all(|m| *m > 0.0) || moves.iter().all(|m| *m < 0.0);
        same.then(|| (block, (moves.iter().sum::<f64>() / moves.len() as f64).exp()))
    };
    first.iter().filter_map(of_block).collect()
}

/// The deviation of a block's figure from the median of the others, if it is at least a factor and
/// this many times as large as any of theirs.
fn apart(own: &[(u32, f64)], block: u32, (least, beyond): (f64, f64)) -> Option<f64> {
    if own.len() < FEWEST {
        return None;
    }
    let value = own.iter().find(|(b, _)| *b == block)?.1;
    let others: Vec<f64> = own.iter().filter(|(b, _)| *b != block).map(|(_, log)| *log).collect();
    let around = spread(&others)?;
    let (by, reach) =
        (value - around.median, (around.max - around.median).max(around.median - around.min));
    (by.abs() >= least.ln() && by.abs() > beyond * reach).then_some(by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::base::rng::Seed;

    fn series(values: &[f64]) -> Vec<(u32, f64)> {
        values.iter().zip(1..).map(|(value, block)| (block, value.ln())).collect()
    }

    #[test]
    fn a_repeat_in_which_all_subjects_fell_is_found_and_one_in_which_only_one_did_is_not() {
        let a = series(&[100.0, 35.0, 101.0, 99.0, 100.0]);
        let b = series(&[200.0, 70.0, 204.0, 197.0, 200.0]);
        let [(block, factor)] = moved(&[a.clone(), b.clone()])[..] else { panic!("one block") };
        assert!(block == 2 && (factor - 0.35).abs() < 0.005, "{factor}");
        let steady = series(&[200.0, 199.0, 204.0, 197.0, 200.0]);
        assert_eq!(moved(&[a.clone(), steady]), []);
        // Opposite directions are not a common movement; neither is a single series.
        let rose = series(&[200.0, 500.0, 204.0, 197.0, 200.0]);
        assert_eq!((moved(&[a.clone(), rose]), moved(&[a])), (vec![], vec![]));
        assert_eq!(moved(&[series(&[100.0, 35.0]), series(&[100.0, 35.0])]), []);
    }

    #[test]
    fn an_outlying_repeat_of_one_subject_is_found_and_ordinary_scatter_is_not() {
        let limits = (LEAST_ALONE, BEYOND_ALONE);
        let own = series(&[100.0, 101.0, 30.0, 99.0, 100.0]);
        let found: Vec<(u32, f64)> =
            (1..=5).filter_map(|block| Some((block, apart(&own, block, limits)?.exp()))).collect();
        let [(3, factor)] = found[..] else { panic!("{found:?}") };
        assert!((factor - 0.3).abs() < 0.01, "{factor}");
        for (scatter, repeats) in [(0.03, 3), (0.1, 3), (0.1, 5), (0.3, 5)] {
            let named = |trial: &u64| {
                let mut rng = Seed::new(10, 0, 0).at(*trial);
                let own: Vec<(u32, f64)> =
                    (1..=repeats).map(|block| (block, scatter * rng.normal())).collect();
                (1..=repeats).any(|block| apart(&own, block, limits).is_some())
            };
            let named = (0..1_000).filter(named).count();
            println!("{scatter} with {repeats} repeats: {named} of 1,000");
            assert!(named <= 20, "{scatter} with {repeats} repeats: {named} of 1,000");
        }
    }

    #[test]
    fn of_briefs_that_nothing_moved_few_name_a_repeat_however_much_they_scatter() {
        for (scatter, repeats) in [(0.03, 3), (0.03, 5), (0.1, 5), (0.3, 5)] {
            let mut named = 0;
            for trial in 0..1_000 {
                let mut rng = Seed::new(9, 0, 0).at(trial);
                let mut one = || {
                    (1..=repeats).map(|block| (block, scatter * rng.normal())).collect::<Vec<_>>()
                };
                named += usize::from(!moved(&[one(), one()]).is_empty());
            }
            println!("{scatter} with {repeats} repeats: {named} of 1,000");
            assert!(named <= 20, "{scatter} with {repeats} repeats: {named} of 1,000");
        }
    }
}
