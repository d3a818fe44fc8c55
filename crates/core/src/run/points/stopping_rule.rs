//! Decides whether a point has been repeated often enough: until the interval of its headline
//! figure is as narrow as the plan requires.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::base::histogram::Histogram;
use crate::plan::{Axis, Field, Order, Plan, PointKey};
use crate::record::{Censored, Outcome, Point};
use crate::stats::level::Repeats;

/// The headline streams' ops/s; their p99 response time if they have a target rate, which fixes
/// ops/s.
pub fn headline(point: &Point) -> Option<f64> {
    if point.outcome != Outcome::Measured {
        return None;
    }
    let cells = || point.cells.iter().filter(|c| c.headline);
    if cells().all(|c| c.asked.is_none()) {
        let ops: u64 = cells().flat_map(|c| &c.tallies).map(|t| t.ops).sum();
        let window_ns = point.window_ns?.max(1);
        return (ops > 0).then(|| ops as f64 / (window_ns as f64 / 1e9));
    }
    // If there are several classes, the one with the most requests is the most precise.
    let tallies = || cells().flat_map(|c| &c.tallies);
    let class = tallies().max_by_key(|t| t.ops)?.class;
    let (mut all, mut censored) = (Histogram::new(), None);
    for tally in tallies().filter(|t| t.class == class) {
        all.merge(tally.response());
        censored = Censored::merged(censored, tally.censored);
    }
    // A lower bound is not a measurement.
    let measured = all.percentile_ns(0.99).filter(|ns| !censored.is_some_and(|c| c.bounds(*ns)));
    measured.map(|ns| ns as f64)
}

/// The measured headline figures, by groups of points that stop together. Each is examined once, so
/// that very long runs are not slowed down.
#[derive(Default)]
pub struct Figures(HashMap<StopTogether, ComparedPoints>);

/// Points that are compared stop together, so that they have the same number of repeats: those of
/// all subjects if they alternate. The points of a load sweep also stop together, because each
/// repeat needs its own maximum.
#[derive(PartialEq, Eq, Hash)]
struct StopTogether {
    step: String,
    /// None if subjects alternate.
    subject: Option<String>,
    at: PointAt,
}

#[derive(PartialEq, Eq, Hash)]
enum PointAt {
    Value(Option<u64>),
    Loads,
}

impl StopTogether {
    fn of(plan: &Plan, key: &PointKey) -> StopTogether {
        let loads = key.axis.as_ref().is_some_and(|axis| axis.field == Field::LoadPercent);
        let subject = (plan.order != Order::Interleaved).then(|| key.subject.clone());
        let at = if loads { PointAt::Loads } else { PointAt::Value(axis_bits(&key.axis)) };
        StopTogether { step: key.step.clone(), subject, at }
    }
}

#[derive(Default)]
struct ComparedPoints {
    cells: HashMap<(String, Option<u64>), RepeatedFigures>,
    subjects: HashSet<String>,
    /// The last repeat for which the rule was evaluated, and the first for which it was satisfied.
    looked: u32,
    enough: Option<u32>,
}

/// A subject's figures at one value of the axis.
#[derive(Default)]
struct RepeatedFigures {
    /// Figures that are not evaluated yet.
    new: BTreeMap<u32, f64>,
    repeats: Repeats,
}

impl Figures {
    /// Records a repeat's headline figure.
    pub fn note(&mut self, plan: &Plan, key: &PointKey, figure: f64) {
        let group = self.0.entry(StopTogether::of(plan, key)).or_default();
        group.subjects.insert(key.subject.clone());
        let cell = (key.subject.clone(), axis_bits(&key.axis));
        group.cells.entry(cell).or_default().new.insert(key.repeat, figure);
    }

    /// Whether this point can be skipped. Its repeat comes after all earlier ones of its group.
    pub fn enough(&mut self, plan: &Plan, key: &PointKey) -> bool {
        let Some(until) = plan.until else { return false };
        let Some(group) = self.0.get_mut(&StopTogether::of(plan, key)) else { return false };
        let subjects = if plan.order == Order::Interleaved { plan.subjects.len() } else { 1 };
        while group.enough.is_none() && group.looked + 1 < key.repeat {
            group.looked += 1;
            let narrow = group.narrow(until.percent);
            if narrow && group.subjects.len() == subjects && group.looked >= until.at_least {
                group.enough = Some(group.looked);
            }
        }
        // Once satisfied, the rule stays satisfied.
        group.enough.is_some_and(|repeats| repeats < key.repeat)
    }
}

impl ComparedPoints {
    /// Whether the evaluated repeats are complete, without failures, and narrow the figures down
    /// sufficiently.
    fn narrow(&mut self, percent: f64) -> bool {
        let mut all = true;
        for cell in self.cells.values_mut() {
            let figure = cell.new.remove(&self.looked);
            figure.into_iter().for_each(|figure| cell.repeats.add(figure));
            let width = cell
                .repeats
                .relative_percent()
                .filter(|_| cell.repeats.count() == self.looked as usize);
            all &= width.is_some_and(|width| width <= percent);
        }
        all
    }
}

fn axis_bits(axis: &Option<Axis>) -> Option<u64> {
    axis.as_ref().map(|a| a.value.as_f64().to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Plan, Until};

    fn plan(order: Order) -> Plan {
        let json = serde_json::json!({
            "protocol": {
                "name": "", "title": "", "source": "", "datasets": [], "prepare": [], "steps": [],
            },
            "subjects": [
                { "name": "A", "drives": [], "meters": [] },
                { "name": "B", "drives": [], "meters": [] },
            ],
            "repeats": 9,
            "order": order,
            "seed": 1,
        });
        let plan: Plan = serde_json::from_value(json).expect("a plan");
        Plan { until: Some(Until { percent: 2.0, at_least: 3 }), ..plan }
    }

    fn key(subject: &str, field: Field, value: f64, repeat: u32) -> PointKey {
        let axis = Some(Axis { name: "x".into(), field, value: value.into() });
        PointKey { subject: subject.into(), step: "a".into(), axis, repeat }
    }

    /// Repeats 1, 2, … of one cell.
    fn figures(subject: &str, field: Field, value: f64, measured: &[f64]) -> Vec<(PointKey, f64)> {
        (1..)
            .zip(measured)
            .map(|(repeat, figure)| (key(subject, field, value, repeat), *figure))
            .collect()
    }

    fn enough(plan: &Plan, figures: &[(PointKey, f64)], key: &PointKey) -> bool {
        let mut all = Figures::default();
        figures.iter().for_each(|(key, figure)| all.note(plan, key, *figure));
        all.enough(plan, key)
    }

    const NARROW: [f64; 3] = [100.0, 100.2, 99.8];
    const WIDE: [f64; 3] = [100.0, 120.0, 80.0];

    #[test]
    fn subjects_in_turn_stop_together_and_for_good() {
        let threads = Field::Threads;
        let narrow =
            [figures("A", threads, 8.0, &NARROW), figures("B", threads, 8.0, &NARROW)].concat();
        let wide =
            [figures("A", threads, 8.0, &NARROW), figures("B", threads, 8.0, &WIDE)].concat();
        let asks = |order, figures: &[(PointKey, f64)], repeat| {
            enough(&plan(order), figures, &key("A", threads, 8.0, repeat))
        };
        assert!(!asks(Order::Interleaved, &narrow, 3), "three are measured in any case");
        assert!(asks(Order::Interleaved, &narrow, 4) && asks(Order::Interleaved, &narrow, 9));
        assert!(!asks(Order::Interleaved, &wide, 4), "B is not there yet");
        assert!(asks(Order::Blocked, &wide, 4), "A is measured by itself");
        assert!(
            !asks(Order::Interleaved, &figures("A", threads, 8.0, &NARROW), 4),
            "nothing is known of B"
        );
        assert!(
            !enough(&plan(Order::Blocked), &narrow, &key("A", threads, 16.0, 4)),
            "another point"
        );
        assert!(
            !asks(Order::Blocked, &figures("A", threads, 8.0, &NARROW[..2]), 4),
            "a repeat failed"
        );
    }

    #[test]
    fn a_load_sweep_stops_as_a_whole_since_each_repeat_needs_its_maximum() {
        let load = Field::LoadPercent;
        let maximum = figures("A", load, f64::INFINITY, &NARROW);
        let half = |measured: &[f64]| figures("A", load, 50.0, measured);
        let asks = |figures: &[(PointKey, f64)]| {
            enough(&plan(Order::Blocked), figures, &key("A", load, f64::INFINITY, 4))
        };
        assert!(asks(&[maximum.clone(), half(&NARROW)].concat()));
        assert!(!asks(&[maximum, half(&WIDE)].concat()));
    }

    #[test]
    fn very_many_points_are_each_looked_at_once() {
        // As in a run: queried before each point, recorded after it. Quadratic time would take
        // hours.
        let loads = Field::LoadPercent;
        for (field, values, repeats) in
            [(Field::Threads, 20_000u32, 5), (loads, 20_000, 5), (loads, 1, 100_000)]
        {
            let plan = Plan {
                until: Some(Until { percent: 0.0, at_least: 3 }),
                repeats,
                ..plan(Order::Interleaved)
            };
            let mut figures = Figures::default();
            for repeat in 1..=repeats {
                for (value, subject) in (0..values).flat_map(|value| [(value, "A"), (value, "B")]) {
                    let key = key(subject, field, f64::from(value), repeat);
                    assert!(!figures.enough(&plan, &key), "{key:?}");
                    figures.note(&plan, &key, 100.0 + f64::from(repeat % 3));
                }
            }
        }
    }
}
