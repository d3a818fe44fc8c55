//! Arithmetic on figures that were imported without repeats. Their scatter is unknown, so nothing
//! here is a claim.

use crate::analysis::comparison::Gap;
use crate::analysis::facts::{Comparisons, MeasuredFacts, SetupFacts, StepFacts, Subjects};
use crate::analysis::keys::{StepKey, SubjectKey, ValueKey};
use crate::analysis::points::metric::Metric;
use crate::stats::family::FEWEST;
use crate::stats::percent::times_as_good;

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
        times_as_good(figure(better, value)?, figure(worse, value)?, metric.better())
    };
    let ahead = step.values.keys().filter_map(|v| Some((v, times(v).filter(|t| *t > 1.0)?)));
    let (value, times) = ahead.reduce(|most, own| if own.1 > most.1 { own } else { most })?;
    Some(Gap { step: step.key, metric: metric.clone(), better, worse, value, times })
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
