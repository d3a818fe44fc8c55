//! Curves of latency against load held against each other: their knees, and their loads at equal latency.

use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::point_summary::{ClassSummary, P99};
use super::words::{self, NONE};
use crate::base::units;
use crate::plan::Field;
use crate::stats::curve::{At, at_equal_latency, knee, latency_ratio};

pub const HEAD: [&str; 7] =
    ["subject", "knee, ops/s", "knee, p99", "at p99 of", "ops/s there", "÷ first's", "p99 ÷ first's at equal load"];

pub const HOW: &str = "The knee is the measured point that lies farthest below the straight line between the curve's ends, \
both axes scaled alike; none where it sags by less than a tenth. The load at equal latency is read off the straight line \
between two measured points, at the p99 of the first subject's knee, or halfway up what both curves reach. The last column is the \
area between the two curves of p99 (of its logarithm, on straight lines between points) over the loads that both carry, as \
a mean ratio. Read off, they have no interval, and nothing is claimed from them.";

/// A row for each subject of a step that was swept in open loop.
pub fn rows(facts: &Facts, step: &StepFacts) -> Vec<Vec<String>> {
    let axis = step.axis.as_ref().map(|a| a.field);
    if step.values.len() < 4 || !matches!(axis, Some(Field::LoadPercent | Field::OpsPerSec)) {
        return Vec::new();
    }
    let curves: Vec<Vec<At>> = (0..facts.subjects.len()).map(|subject| curve(facts, step, subject)).collect();
    let row = |(subject, own): (usize, &Vec<At>)| {
        let mut row = vec![facts.subjects[subject].clone()];
        row.extend(
            knee(own).map_or([NONE, NONE].map(String::from), |k| [words::count(k.load), units::latency(k.latency)]),
        );
        let equal = if subject == 0 { None } else { at_equal_latency(&curves[0], own) };
        row.extend(equal.map_or([NONE; 3].map(String::from), |e| {
            [units::latency(e.latency), words::count(e.other_load), format!("{:.2}", e.other_load / e.load)]
        }));
        let area = if subject == 0 { None } else { latency_ratio(&curves[0], own) };
        row.push(area.map_or(NONE.to_string(), |ratio| format!("{ratio:.2}")));
        row
    };
    let all: Vec<Vec<String>> = curves.iter().enumerate().map(row).collect();
    if all.iter().all(|row| row[1..].iter().all(|cell| cell == NONE)) { Vec::new() } else { all }
}

/// p99 against ops/s; without the maximum, whose closed loop has another kind of latency.
fn curve(facts: &Facts, step: &StepFacts, subject: usize) -> Vec<At> {
    let cells = facts.cells_of(step, subject).into_iter().flatten();
    let paced = cells.filter(|c| step.values[c.value].number.is_finite());
    let point = |total: &crate::analysis::point_summary::Summary| {
        let latency = total.class(step.class).map(ClassSummary::user_latency)?.percentiles_ns[P99].as_ref()?.value;
        Some(At { load: total.ops_per_s.value, latency })
    };
    paced.filter_map(|c| c.total.as_ref().and_then(point)).collect()
}
