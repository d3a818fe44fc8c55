//! Arithmetic on figures that were imported without repeats. Their scatter is unknown, so nothing
//! here is a claim.

use crate::analysis::facts::{SetupFacts, StepFacts, Subjects};
use crate::analysis::keys::{StepKey, SubjectKey};
use crate::analysis::points::metric::Metric;
use crate::stats::Better;
use crate::stats::family::FEWEST;
use crate::stats::percent::{Formula, cut_off, said, times_as_good};

/// The largest lead of one subject over another in a metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// The step.
    pub step: StepKey,
    /// The metric.
    pub metric: Metric,
    /// The leading subject.
    pub better: SubjectKey,
    /// The other.
    pub worse: SubjectKey,
    /// Index of the axis value.
    pub value: usize,
    /// The ratio there: above 1.
    pub times: f64,
}

impl Gap {
    /// The difference, formatted like a percentage in claims; with more decimals if it would be
    /// zero.
    pub fn percent(&self) -> String {
        let formula = match self.metric.better() {
            Better::Higher => Formula::Gain,
            Better::Lower => Formula::Reduction,
        };
        let percent = formula.of(self.times);
        if percent < 0.1 { cut_off(percent, 3) } else { said(percent) }
    }
}

/// Whether there are only imported figures with too few repeats.
pub fn is_published(setup: &SetupFacts, steps: &[StepFacts]) -> bool {
    let mut cells = steps.iter().flat_map(|s| &s.cells);
    setup.is_imported() && cells.all(|c| c.repeats.len() < FEWEST)
}

/// The point with the largest lead of `better` over `worse`; None if it leads nowhere.
pub fn greatest(
    step: &StepFacts,
    metric: &Metric,
    (better, worse): (SubjectKey, SubjectKey),
) -> Option<Gap> {
    let figure = |subject: SubjectKey, value: usize| {
        Some(metric.of(step, step.cell(subject, value)?)?.0.value)
    };
    let times = |value: usize| {
        times_as_good(figure(better, value)?, figure(worse, value)?, metric.better())
    };
    let ahead = (0..step.values.len()).filter_map(|v| Some((v, times(v).filter(|t| *t > 1.0)?)));
    let (value, times) = ahead.reduce(|most, own| if own.1 > most.1 { own } else { most })?;
    Some(Gap { step: step.key, metric: metric.clone(), better, worse, value, times })
}

/// The largest lead of the brief's subject over each rival, then of each rival over it.
pub fn of_subject(subjects: &Subjects, step: &StepFacts, metric: &Metric) -> [Vec<Gap>; 2] {
    let own = subjects.headline;
    let gaps = |pair: &dyn Fn(SubjectKey) -> (SubjectKey, SubjectKey)| {
        subjects.rivals().filter_map(|rival| greatest(step, metric, pair(rival))).collect()
    };
    [gaps(&|rival| (own, rival)), gaps(&|rival| (rival, own))]
}
