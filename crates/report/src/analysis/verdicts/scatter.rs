//! The run-to-run scatter of a load on a host, from bundles, and the smallest difference that a
//! plan's repeats can show with it. Movements common to all subjects of a repeat are excluded, as
//! in comparisons.

use crate::analysis::claim::compare::observations;
use crate::analysis::facts::{MeasuredFacts, StepFacts};
use crate::analysis::points::metric::{Metric, PointFigure};
use dyno_core::plan::{Plan, axes_of};
use dyno_core::stats::detectable::{Detectable, PlannedBrief, detectable};
use dyno_core::stats::family::{FEWEST, Observation};
use dyno_core::stats::moments::variance;

/// The scatter of a metric in a step, as the standard deviation of the logarithm of one run; None
/// with fewer than three repeats.
pub fn of_step(step: &StepFacts, metric: &Metric) -> Option<f64> {
    pooled(&variances(step, metric))
}

/// The same over all steps of the facts.
pub fn of_all(measured: &MeasuredFacts, metric: &Metric) -> Option<f64> {
    let all: Vec<(f64, f64)> =
        measured.steps.iter().flat_map(|step| variances(step, metric)).collect();
    pooled(&all)
}

/// For each point, variances with their degrees of freedom: of pairs of subjects if they
/// alternated, otherwise of each subject alone.
fn variances(step: &StepFacts, metric: &Metric) -> Vec<(f64, f64)> {
    let mut all = Vec::new();
    for value in step.values.keys() {
        let cells = step.cells.iter().filter(|c| c.value == value);
        let own: Vec<Vec<Observation>> = cells.map(|c| observations(step, c, metric)).collect();
        let mut paired = false;
        for (i, a) in own.iter().enumerate() {
            for b in &own[..i] {
                let differences = differences(a, b);
                if differences.len() >= FEWEST {
                    paired = true;
                    all.push((variance(&differences) / 2.0, (differences.len() - 1) as f64));
                }
            }
        }
        if !paired {
            let logs = own.iter().map(|o| o.iter().map(|o| o.value.ln()).collect::<Vec<f64>>());
            all.extend(
                logs.filter(|l| l.len() >= FEWEST).map(|l| (variance(&l), (l.len() - 1) as f64)),
            );
        }
    }
    all
}

/// The variance of the differences between the logarithms of two subjects in the same blocks.
fn differences(a: &[Observation], b: &[Observation]) -> Vec<f64> {
    let of = |o: &Observation| Some((o.value / b.iter().find(|p| p.block == o.block)?.value).ln());
    a.iter().filter_map(of).collect()
}

fn pooled(all: &[(f64, f64)]) -> Option<f64> {
    let degrees: f64 = all.iter().map(|(_, degrees)| degrees).sum();
    (degrees > 0.0).then(|| (all.iter().map(|(v, d)| v * d).sum::<f64>() / degrees).sqrt())
}

/// The comparisons of a plan's brief: the points of its longest step, all pairs of subjects, ops/s
/// and p99.
pub fn planned(plan: &Plan) -> PlannedBrief {
    let most = plan.protocol.steps.iter().map(|step| axes_of(step).len()).max().unwrap_or(0);
    let subjects = plan.subjects.len().max(2);
    PlannedBrief {
        repeats: plan.repeats as usize,
        points: most,
        pairs: subjects * (subjects - 1) / 2,
        steps: plan.protocol.steps.len(),
        measures: 2,
    }
}

/// The differences that a plan's repeats can show with the scatter of an earlier bundle: for each
/// common step, or from all of its steps together if there is none.
pub fn shown(plan: &Plan, measured: &MeasuredFacts) -> Vec<(Option<String>, f64, Detectable)> {
    let metric = Metric::total(PointFigure::Ops);
    let planned = planned(plan);
    let of = |name: Option<String>, scatter: Option<f64>| {
        let scatter = scatter?;
        Some((name, scatter, detectable(scatter, planned)?))
    };
    let shared =
        plan.protocol.steps.iter().filter_map(|s| measured.steps.iter().find(|e| e.name == s.name));
    let each: Vec<_> = shared
        .filter_map(|step| of(Some(step.title.written.clone()), of_step(step, &metric)))
        .collect();
    if each.is_empty() { of(None, of_all(measured, &metric)).into_iter().collect() } else { each }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(value: f64, block: u32) -> Observation {
        Observation { value, block, place: 0, session: 0 }
    }

    #[test]
    fn what_all_subjects_of_a_repeat_have_in_common_is_no_scatter() {
        // Repeat 2 ran at half for both.
        let a = [run(100.0, 1), run(50.0, 2), run(101.0, 3)];
        let b = [run(200.0, 1), run(100.0, 2), run(200.0, 3)];
        let found = differences(&a, &b);
        assert!(found.len() == 3 && variance(&found) < 1e-4, "{found:?}");
        assert_eq!(differences(&a, &[run(1.0, 7)]), [] as [f64; 0]);
        assert_eq!(pooled(&[(0.04, 2.0), (0.01, 6.0)]), Some(0.0175f64.sqrt()));
        assert_eq!(pooled(&[]), None);
    }
}
