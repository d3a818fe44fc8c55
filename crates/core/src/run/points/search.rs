//! Searches during a run: the next point of a searched sweep to measure, and the ones not needed.

use std::collections::{HashMap, HashSet};

use crate::base::histogram::Histogram;
use crate::base::units;
use crate::plan::search::{Search, ShareLimit};
use crate::plan::{Plan, PointKey, PointPlan, Sweep};
use crate::record::{Censored, Class, Fact, Outcome, Point, Tally, WorstPeriod, key, observed};

/// Maximum share of ops that were due and not submitted; with a larger one, the load was not
/// sustained.
const BEHIND: f64 = 0.02;

/// One search: the points of a subject, step and repeat.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SearchKey {
    subject: String,
    step: String,
    repeat: u32,
}

impl SearchKey {
    fn key(key: &PointKey) -> SearchKey {
        SearchKey { subject: key.subject.clone(), step: key.step.clone(), repeat: key.repeat }
    }
}

/// The values tried so far, and whether each passed.
#[derive(Default)]
pub struct Searches {
    tried: HashMap<SearchKey, Vec<(f64, bool)>>,
    /// The values of each searched step, ascending.
    values: HashMap<String, Vec<f64>>,
    /// The indices of the searches' points among all, by the bits of their values.
    places: HashMap<SearchKey, HashMap<u64, usize>>,
    over: HashSet<SearchKey>,
}

impl Searches {
    /// Records the searches, and the indices of their points.
    pub fn begin(&mut self, plan: &Plan, all: &[PointPlan]) {
        for step in &plan.protocol.steps {
            if let Some(Sweep { search: Some(_), values, .. }) = &step.sweep {
                let mut values = values.clone();
                values.sort_by(f64::total_cmp);
                self.values.insert(step.name.clone(), values);
            }
        }
        for (place, point) in
            all.iter().enumerate().filter(|(_, p)| self.values.contains_key(&p.key.step))
        {
            if let Some(value) = point.key.axis.as_ref().and_then(|axis| axis.value.number()) {
                self.places
                    .entry(SearchKey::key(&point.key))
                    .or_default()
                    .insert(value.to_bits(), place);
            }
        }
    }

    /// The point to measure instead of this one: itself if its step is not searched; the most
    /// informative one of a search; None from the end of the search on.
    pub fn instead<'p>(
        &mut self,
        point: &'p PointPlan,
        all: &'p [PointPlan],
    ) -> Option<&'p PointPlan> {
        let Some(values) = self.values.get(&point.key.step) else { return Some(point) };
        let of = SearchKey::key(&point.key);
        if self.over.contains(&of) {
            return None;
        }
        let tried = self.tried.get(&of).map(Vec::as_slice).unwrap_or_default();
        let place = || self.places.get(&of)?.get(&Search::next(values, tried)?.to_bits());
        let next = place().and_then(|&place| all.get(place));
        if next.is_none() {
            self.over.insert(of);
        }
        next
    }

    /// Records a point's result and returns it. A point that fell behind does not pass. Any other
    /// failure shows nothing about the limit: the search ends there, and a resumed run continues
    /// it.
    pub fn note(&mut self, key: &PointKey, sweep: Option<&Sweep>, point: &Point) -> Option<Fact> {
        let Some(Sweep { search: Some(search), .. }) = sweep else { return None };
        let value = key.axis.as_ref()?.value.number()?;
        let measured = point.outcome == Outcome::Measured;
        let found = pooled(search, point).filter(|_| measured);
        let (pooled, censored) = found.unzip();
        let reached = pooled.as_ref().and_then(|pooled| pooled.percentile_ns(search.share()));
        // A lower bound within the limit does not show that the percentile is.
        let is_bound = |ns: u64| censored.flatten().is_some_and(|censored| censored.bounds(ns));
        let is_open = reached.is_some_and(|ns| ns <= search.at_most_ns && is_bound(ns));
        let unknown = reached.is_none() && measured && kept_up(point);
        let reached = reached.filter(|_| !is_open);
        let within = reached.is_some_and(|ns| ns <= search.at_most_ns);
        let worst = observed::all::<WorstPeriod>(&point.observed);
        let worst = worst.filter(|own| own.stream == search.stream).last();
        let share = |limit: &ShareLimit| {
            if let Some(worst) = &worst {
                return worst.over[limit.index()];
            }
            let [share] = pooled.as_ref()?.shares_from([limit.over_ms * 1_000_000]);
            share
        };
        let keeps = |limit: &&ShareLimit| share(limit).is_some_and(|share| limit.is_kept(share));
        let broken = search.fewer.iter().find(|limit| !keeps(limit));
        // With too few ops nothing is known, and a higher load has more of them.
        let held = unknown || within && broken.is_none();
        if measured || answered(sweep, point) {
            self.tried.entry(SearchKey::key(key)).or_default().push((value, held));
        } else {
            self.over.insert(SearchKey::key(key));
        }
        let limit = units::latency(search.at_most_ns as f64);
        if let (true, Some(broken)) = (within, broken) {
            let (ms, percent) = (broken.over_ms, broken.percent);
            let share = share(broken).map_or(f64::NAN, |share| share * 100.0);
            let period = worst.map(|worst| units::duration(worst.length_ns));
            let period = period.map_or(String::new(), |period| format!(" in the worst {period}"));
            let value = format!("{share:.2} % of the requests{period}: not fewer than {percent} %");
            return Some(Fact::new("Search", format!("{} over {ms} ms", search.stream), value));
        }
        let value = match reached {
            Some(ns) => format!(
                "{}: {} {limit}",
                units::latency(ns as f64),
                if within { "within" } else { "above" }
            ),
            None if unknown => {
                "not measured: the window has too few ops for it; a longer one has more".to_string()
            }
            None if measured || answered(sweep, point) => {
                format!("it fell behind: above {limit}")
            }
            None => "not measured: the search ended here".to_string(),
        };
        Some(Fact::new("Search", format!("{}.{}", search.stream, search.percentile), value))
    }
}

/// Whether a point that ended early still answers its search: it could not keep up.
pub fn answered(sweep: Option<&Sweep>, point: &Point) -> bool {
    let fell_behind = point.facts.iter().any(|fact| fact.name == key::load::FELL_BEHIND.name);
    sweep.is_some_and(|sweep| sweep.search.is_some()) && fell_behind
}

/// Whether the ops that were due were completed, so that a lack of ops is due to a low load.
fn kept_up(point: &Point) -> bool {
    let ops: u64 = point.cells.iter().flat_map(|cell| &cell.tallies).map(|t| t.ops).sum();
    let behind: u64 = point.cells.iter().map(|cell| cell.backlog_end).sum();
    behind as f64 <= BEHIND * ops as f64
}

/// The times of the class to which the limits apply, over all drives and instances together, and
/// the ops among them that were never submitted.
fn pooled(search: &Search, point: &Point) -> Option<(Histogram, Option<Censored>)> {
    let cells = point.cells.iter().filter(|cell| cell.stream == search.stream);
    let tallies: Vec<&Tally> = cells.flat_map(|cell| &cell.tallies).collect();
    let due = |t: &Tally| t.response().count;
    let due_of = |class| tallies.iter().filter(|t| t.class == class).map(|t| due(t)).sum::<u64>();
    let class = Class::limited(tallies.iter().map(|t| (t.class, due_of(t.class))))?;
    let (mut pooled, mut censored) = (Histogram::new(), None);
    for tally in tallies.iter().filter(|t| t.class == class) {
        pooled.merge(tally.response());
        censored = Censored::merged(censored, tally.censored);
    }
    Some((pooled, censored))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{AxisValue, Field, points};

    /// A plan of one step with a searched sweep of this many values, and its points.
    fn searched(values: usize) -> Plan {
        let stream = serde_json::json!({
            "name": "io",
            "engine": { "name": "null", "knobs": {} },
            "workload": { "name": "random", "knobs": {} },
            "dataset": "", "threads": 1, "depth": 1, "load": "closed", "arrival": "fixed",
            "instances": 1, "headline": true,
        });
        let json = serde_json::json!({
            "protocol": {
                "name": "", "title": "", "source": "", "datasets": [], "prepare": [],
                "steps": [{
                    "name": "a", "title": "", "warmup_ns": 0, "duration_ns": 1,
                    "drop_caches": false, "settle": false, "streams": [stream],
                }],
            },
            "subjects": [{ "name": "A", "drives": [], "meters": [] }],
            "repeats": 1,
            "order": "blocked",
            "seed": 1,
        });
        let mut plan: Plan = serde_json::from_value(json).expect("a plan");
        let (stream, percentile) = ("io".into(), "p99".into());
        let search =
            Search { stream, percentile, at_most_ns: 1, fewer: Vec::new(), every_ns: None };
        let values = (1..=values).map(|value| value as f64).collect();
        let (stream, field) = ("io".to_string(), Field::OpsPerSec);
        plan.protocol.steps[0].sweep =
            Some(Sweep { stream, field, values, knob: None, search: Some(search) });
        plan
    }

    #[test]
    fn a_search_measures_few_of_very_many_values_and_is_soon_over() {
        // Quadratic time would take hours for 200,000 values, and their copies in the points 300
        // GB.
        let plan = searched(200_000);
        let (all, truth) = (points(&plan).collect::<Vec<_>>(), 123_456.0);
        let mut searches = Searches::default();
        searches.begin(&plan, &all);
        let mut measured = Vec::new();
        for place in &all {
            let Some(point) = searches.instead(place, &all) else { continue };
            let value =
                point.key.axis.as_ref().and_then(|axis| axis.value.number()).expect("a value");
            measured.push(value);
            searches
                .tried
                .entry(SearchKey::key(&point.key))
                .or_default()
                .push((value, value <= truth));
        }
        assert!(
            measured.len() <= 19 && measured.contains(&truth) && measured.contains(&(truth + 1.0)),
            "{measured:?}"
        );
        assert!(matches!(all[7].key.axis.as_ref().map(|a| a.value), Some(AxisValue::Number(8.0))));
    }

    #[test]
    fn a_point_that_was_not_measured_ends_a_search_without_a_verdict_on_its_value() {
        let plan = searched(16);
        let (all, sweep) =
            (points(&plan).collect::<Vec<_>>(), plan.protocol.steps[0].sweep.clone());
        let note = |facts: Vec<Fact>| {
            let mut searches = Searches::default();
            searches.begin(&plan, &all);
            let first = searches.instead(&all[0], &all).expect("a point").key.clone();
            let outcome = Outcome::Failed { cause: "it completed nothing".into() };
            let failed = Point { outcome, facts, ..Point::begun(first.clone(), 0) };
            let fact = searches.note(&first, sweep.as_ref(), &failed).expect("a result");
            (fact.value, searches.instead(&all[1], &all).is_some())
        };
        let (said, goes_on) = note(Vec::new());
        assert!(said.contains("not measured") && !goes_on, "{said}");
        let (said, goes_on) = note(vec![key::load::FELL_BEHIND.fact("Load", "1 s")]);
        assert!(said.contains("it fell behind") && goes_on, "{said}");
    }
}
