//! The headline of a step and of a brief: the metric, the place on the axis, and the better subject
//! there, based only on claims.

use crate::analysis::claim::claims;
use crate::analysis::claim::compare::best;
use crate::analysis::comparison::{Comparison, StepLead, StepPlace};
use crate::analysis::facts::{
    CellFacts, Comparisons, MeasuredFacts, SetupFacts, StepFacts, Subjects,
};
use crate::analysis::keys::{StepKey, SubjectKey, ValueKey};
use crate::analysis::points::metric::{Metric, MetricRequest, PointFigure};
use dyno_core::plan::model::headline::AxisPlace;
use dyno_core::plan::{Field, Protocol, Step};
use dyno_core::record::Class;

/// The protocol's headline for a step. Steps with the same kind of sweep use the same metric.
pub fn asked(step: &Step, protocol: &Protocol) -> (Option<MetricRequest>, AxisPlace) {
    let Some(headline) = &protocol.headline else { return (None, AxisPlace::of_step(step)) };
    let metric = MetricRequest::parse(&headline.metric).ok();
    if headline.step == step.name {
        return (metric, headline.at);
    }
    let field = |step: &Step| step.sweep.as_ref().map(|s| s.field);
    let leading = protocol.step(&headline.step);
    match leading.is_some_and(|leading| field(leading) == field(step)) {
        true => (
            metric.filter(|m| m.part.is_none()),
            if step.sweep.is_some() { headline.at } else { AxisPlace::Top },
        ),
        false => (None, AxisPlace::of_step(step)),
    }
}

/// The step of the brief's headline: the protocol's, or the first one measured.
pub fn step(measured: &MeasuredFacts, setup: &SetupFacts) -> Option<StepKey> {
    let named = setup
        .runs
        .first()
        .and_then(|r| r.resolved.protocol.headline.as_ref())
        .map(|h| h.step.as_str());
    let found = |name: &str| measured.steps.position(|s| s.name == name && !s.cells.is_empty());
    named.and_then(found).or_else(|| measured.steps.position(|s| !s.cells.is_empty()))
}

/// The headline metric of a step, among those of its comparisons.
pub fn metric(step: &StepFacts) -> Metric {
    let all = &step.metrics;
    let wanted = match &step.headline {
        Some(asked) => asked.in_step(step).into_iter().next(),
        None if is_paced(step) => Some(Metric::p99()),
        None => Some(Metric::total(PointFigure::Ops)),
    };
    let wanted = wanted.filter(|wanted| all.contains(wanted));
    wanted.or_else(|| all.first().cloned()).unwrap_or_else(|| Metric::total(PointFigure::Ops))
}

/// Latency distinguishes the subjects instead of throughput, because the load is set.
fn is_paced(step: &StepFacts) -> bool {
    let sets_load = |field: Field| field == Field::LoadPercent || field.sets_rates();
    step.is_open_loop() || step.axis.as_ref().is_some_and(|a| sets_load(a.field))
}

/// The axis value of a step's headline, if it is a single one.
pub fn value(step: &StepFacts) -> Option<ValueKey> {
    let last = last_of_all(step);
    match step.place {
        AxisPlace::Top => last,
        AxisPlace::Value(wanted) => step.values.position(|v| v.number == wanted).or(last),
        // A single point has no mean.
        AxisPlace::Mean if step.values.len() == 1 => last,
        AxisPlace::Mean | AxisPlace::EqualLoad | AxisPlace::EqualLatency | AxisPlace::Limit => None,
    }
}

/// The last axis value that all subjects of the step reached, if there is one.
fn last_of_all(step: &StepFacts) -> Option<ValueKey> {
    let has = |value: ValueKey| {
        let own = step.cells.iter().filter(move |cell| cell.value == value);
        own.filter(|cell| cell.total.is_some()).count()
    };
    let mut subjects: Vec<SubjectKey> = step.cells.iter().map(|cell| cell.subject).collect();
    subjects.sort_unstable();
    subjects.dedup();
    let all = step.values.keys().rev().find(|value| has(*value) == subjects.len());
    all.or(step.values.last_key())
}

fn is_at(step: &StepFacts, at: StepPlace) -> bool {
    match (step.place, at) {
        (AxisPlace::EqualLatency, StepPlace::Latency(_)) | (AxisPlace::Limit, StepPlace::Limit) => {
            true
        }
        (AxisPlace::EqualLoad | AxisPlace::Mean, StepPlace::Mean) => true,
        (_, StepPlace::Value(own)) => step.headline_value == Some(own),
        _ => false,
    }
}

/// Prefixes or reads if there are any, as readers of a brief expect; otherwise, of the workloads'
/// leading classes, the one with the most ops.
pub fn class(cells: &[CellFacts]) -> Option<Class> {
    let classes = || cells.iter().filter_map(|c| c.total.as_ref()).flat_map(|t| &t.classes);
    let there = |class: &Class| classes().any(|c| c.class == *class);
    if let Some(class) = [Class::PREFIX, Class::READ].into_iter().find(there) {
        return Some(class);
    }
    let streams = || cells.iter().flat_map(|c| &c.streams).filter(|(_, headline, _)| *headline);
    let first =
        |class: Class| streams().any(|(.., s)| s.classes.first().is_some_and(|c| c.class == class));
    classes().filter(|c| first(c.class)).max_by_key(|c| c.ops).map(|c| c.class)
}

impl StepLead {
    /// Evaluates a step at the headline of its protocol, or of its kind of sweep.
    pub fn of(subjects: &Subjects, comparisons: &Comparisons, step: &StepFacts) -> StepLead {
        let metric = step.headline_metric.clone();
        let here = |c: &&Comparison| c.step == step.key && is_at(step, c.at);
        // Loads within a limit or at equal latency are rates, even if the metric is usually
        // something else.
        let read_off = matches!(step.place, AxisPlace::Limit | AxisPlace::EqualLatency);
        let mut all: Vec<&Comparison> = comparisons
            .all
            .iter()
            .filter(here)
            .filter(|c| read_off || c.metric == metric)
            .collect();
        let mut at = step.headline_value;
        if all.is_empty() {
            all = last_compared(comparisons, step.key, &metric);
            let other = all.first().and_then(|c| match c.at {
                StepPlace::Value(value) => Some(value),
                _ => None,
            });
            at = other.or(at);
        }
        let best = best(subjects, &all);
        let own = comparisons.all.iter().filter(|c| c.step == step.key && c.metric == metric);
        let crossovers = claims::crossovers(own);
        let all = all.into_iter().cloned().collect();
        StepLead { step: step.key, metric, value: at, best, crossovers, all }
    }

    /// The claims for a subject over others, and against it; strongest first.
    pub fn claims_of(&self, subject: SubjectKey) -> [Vec<&Comparison>; 2] {
        let of = |own: &dyn Fn(&Comparison) -> SubjectKey| {
            let claimed = |c: &&Comparison| c.is_claimed() && own(c) == subject;
            let mut found: Vec<&Comparison> = self.all.iter().filter(claimed).collect();
            found.sort_by(|a, b| b.weak_end().total_cmp(&a.weak_end()));
            found
        };
        [of(&|c| c.better), of(&|c| c.worse)]
    }
}

/// If nothing could be compared at the headline's place: the last axis value with comparisons.
fn last_compared<'a>(
    comparisons: &'a Comparisons,
    index: StepKey,
    metric: &Metric,
) -> Vec<&'a Comparison> {
    let own = || comparisons.all.iter().filter(|c| c.step == index && c.metric == *metric);
    let value =
        |c: &Comparison| if let StepPlace::Value(value) = c.at { Some(value) } else { None };
    let last = own().filter_map(value).max();
    own().filter(|c| last.is_some() && value(c) == last).collect()
}
