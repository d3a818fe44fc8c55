//! Arithmetic on figures that were imported without repeats, as published or rounded as printed.
//! Their scatter is unknown, so nothing here is a claim.

use crate::analysis::claim::claims::changes;
use crate::analysis::comparison::{Crossover, Gap};
use crate::analysis::facts::{
    CellFacts, Comparisons, MeasuredFacts, SetupFacts, StepFacts, Subjects,
};
use crate::analysis::keys::{StepKey, SubjectKey, ValueKey, unordered};
use crate::analysis::points::metric::{Metric, PointFigure};
use crate::analysis::points::point_summary::RATE_KEPT;
use dyno_core::plan::Field;
use dyno_core::stats::Better;
use dyno_core::stats::family::FEWEST;
use dyno_core::stats::percent::{Formula, times_as_good};

/// Whether there are only imported figures with too few repeats.
pub fn is_published(setup: &SetupFacts, measured: &MeasuredFacts) -> bool {
    let mut cells = measured.steps.iter().flat_map(|s| &s.cells);
    setup.is_imported() && cells.all(|c| c.repeats.len() < FEWEST)
}

/// The point with the largest lead of `better` over `worse`; None if it leads nowhere.
fn greatest(
    step: &StepFacts,
    metric: &Metric,
    (better, worse): (SubjectKey, SubjectKey),
) -> Option<Gap> {
    let figure = |subject: SubjectKey, value: ValueKey| {
        Some(metric.of(step, step.cell(subject, value)?)?.0.value)
    };
    let times = |value: ValueKey| {
        if metric.is_given_at(step, value) {
            return None;
        }
        times_as_good(figure(better, value)?, figure(worse, value)?, metric.better())
    };
    let ahead = step.values.keys().filter_map(|v| Some((v, times(v).filter(|t| *t > 1.0)?)));
    let (value, times) = ahead.reduce(|most, own| if own.1 > most.1 { own } else { most })?;
    Some(Gap { step: step.key, metric: metric.clone(), better, worse, value, times })
}

impl Metric {
    /// Whether it is a rate that was set by the load at an axis value: a share of the subject's own
    /// maximum, or a target that every subject reached.
    pub fn is_given_at(&self, step: &StepFacts, value: ValueKey) -> bool {
        let Some(axis) = &step.axis else { return false };
        let of_rate = matches!(self.figure, PointFigure::Ops | PointFigure::Bytes);
        let asked = step.values[value].number;
        if !of_rate || !asked.is_finite() {
            return false;
        }
        match axis.field {
            // Its greatest share is the maximum, also of a table that calls it 100 %.
            Field::LoadPercent => step.values.last_key() != Some(value),
            Field::OpsPerSec | Field::BytesPerSec => {
                let rate = |cell: &CellFacts| {
                    let total = cell.total.as_ref()?;
                    match axis.field {
                        Field::BytesPerSec => total.bytes_per_s.as_ref().map(|e| e.value),
                        _ => total.ops_per_s.as_ref().map(|e| e.value),
                    }
                };
                let own = step.cells.iter().filter(|cell| cell.value == value);
                own.filter_map(rate).all(|rate| rate >= asked * RATE_KEPT)
            }
            _ => false,
        }
    }
}

/// The largest lead of each subject over each other in every metric of every step; none for a
/// fleet's subjects.
pub fn gaps(subjects: &Subjects, measured: &MeasuredFacts) -> Vec<Gap> {
    let pairs = subjects.pairs().filter(|_| !subjects.are_a_fleet());
    let pairs: Vec<_> = pairs.flat_map(|(a, b)| [(a, b), (b, a)]).collect();
    let of = |step, metric| pairs.iter().filter_map(move |pair| greatest(step, metric, *pair));
    let steps = measured.steps.iter();
    steps.flat_map(|step| step.metrics.iter().flat_map(move |m| of(step, m))).collect()
}

/// A cell's figure, rounded as a report prints it, in the metric's base unit.
pub type Rounded = fn(&Metric, &StepFacts, &CellFacts) -> Option<f64>;

/// The figures of two cells, rounded in the same way and in one unit.
pub type RoundedPair = fn(&Metric, &StepFacts, (&CellFacts, &CellFacts)) -> Option<[f64; 2]>;

/// Two subjects of a step, and the axis value at which they are compared.
pub type PairAt = ((SubjectKey, SubjectKey), ValueKey);

/// The quotient of two figures as printed, superior first, as in the formulas.
pub struct PrintedDifference {
    /// The better direction.
    better: Better,
    /// The superior subject.
    pub subject: SubjectKey,
    /// The other one.
    pub rival: SubjectKey,
    /// Superior ÷ inferior.
    times: f64,
    /// Significant digits of the less precise figure, if given by their source.
    digits: Option<u32>,
}

impl PrintedDifference {
    /// The difference of a pair in a metric at an axis value; the lower key precedes if they are
    /// equal.
    pub fn of(
        step: &StepFacts,
        metric: &Metric,
        (pair, value): PairAt,
        rounded: RoundedPair,
    ) -> Option<PrintedDifference> {
        let (a, b) = unordered(pair.0, pair.1);
        let cells = (step.cell(a, value)?, step.cell(b, value)?);
        let written = |cell| metric.of(step, cell)?.0.digits;
        let digits = [cells.0, cells.1].into_iter().filter_map(written).min();
        let [of_a, of_b] = rounded(metric, step, cells)?;
        let better = metric.better();
        let times = times_as_good(of_a, of_b, better)?;
        Some(match times >= 1.0 {
            true => PrintedDifference { better, subject: a, rival: b, times, digits },
            false => {
                let times = times_as_good(of_b, of_a, better)?;
                PrintedDifference { better, subject: b, rival: a, times, digits }
            }
        })
    }

    /// The formula that claims use, and the other one.
    pub fn formulas(&self) -> (Formula, Formula) {
        match self.better {
            Better::Higher => (Formula::Gain, Formula::Reduction),
            Better::Lower => (Formula::Reduction, Formula::Gain),
        }
    }

    /// The result by a formula, in the digits of its source: "21.23 %".
    pub fn result(&self, formula: Formula) -> String {
        formula.result_in(self.times, self.digits)
    }
}

/// Which of a pair has the better figure as printed, and the factor by which; None if equal.
pub fn better_at(
    step: &StepFacts,
    metric: &Metric,
    ((a, b), value): PairAt,
    rounded: Rounded,
) -> Option<(SubjectKey, f64)> {
    let of = |subject: SubjectKey| rounded(metric, step, step.cell(subject, value)?);
    let (of_a, of_b) = (of(a)?, of(b)?);
    let a_is_better = (of_a > of_b) == (metric.better() == Better::Higher);
    let better = if a_is_better { a } else { b };
    (of_a != of_b).then_some((better, (of_a / of_b).max(of_b / of_a)))
}

/// The positions on the axis at which the better one of a pair changes, in any metric of the step.
pub fn crossovers(
    step: &StepFacts,
    pair: (SubjectKey, SubjectKey),
    rounded: Rounded,
) -> Vec<Crossover> {
    let of = |metric: &Metric| {
        let better = |at| Some((at, better_at(step, metric, (pair, at), rounded)?.0));
        changes(step.key, metric, step.values.keys().filter_map(better))
    };
    step.metrics.iter().flat_map(of).collect()
}

impl Comparisons {
    /// The largest lead of the brief's subject over each rival, then of each rival over it.
    pub fn gaps_of(&self, subjects: &Subjects, step: StepKey, metric: &Metric) -> [Vec<&Gap>; 2] {
        let own = |gap: &&Gap| gap.step == step && gap.metric == *metric;
        let gaps = |of: fn(&Gap) -> SubjectKey| {
            self.gaps.iter().filter(own).filter(|gap| of(gap) == subjects.headline).collect()
        };
        [gaps(|gap| gap.better), gaps(|gap| gap.worse)]
    }
}
