//! Whether a point has been repeated often enough: until its headline figure's interval is as narrow as the plan asks.

use std::collections::BTreeMap;

use crate::base::histogram::Histogram;
use crate::plan::{Axis, Field, Order, Plan, PointKey};
use crate::record::{Outcome, Point};
use crate::stats::estimate;

/// The headline figures that were measured.
pub type Figures = Vec<(PointKey, f64)>;

/// The headline streams' ops/s; their p99 response time where they were asked for a rate, and so ops/s are as asked.
pub fn headline(point: &Point) -> Option<f64> {
    if point.outcome != Outcome::Measured {
        return None;
    }
    let cells = || point.cells.iter().filter(|c| c.headline);
    if cells().all(|c| c.asked.is_none()) {
        let ops: u64 = cells().flat_map(|c| &c.tallies).map(|t| t.ops).sum();
        return (ops > 0).then(|| ops as f64 / (point.window_ns.max(1) as f64 / 1e9));
    }
    // Of classes there may be several; the one with the most requests is the most precise.
    let tallies = || cells().flat_map(|c| &c.tallies);
    let class = tallies().max_by_key(|t| t.ops)?.class;
    let mut all = Histogram::new();
    tallies().filter(|t| t.class == class).for_each(|t| all.merge(t.response()));
    all.percentile_ns(0.99).map(|ns| ns as f64)
}

/// Whether this point needs no measuring. Points that are compared stop together, so that they have the same repeats:
/// those of all subjects where they take turns. The points of a load sweep stop together too, since each repeat needs its
/// own maximum.
pub fn enough(plan: &Plan, figures: &Figures, key: &PointKey) -> bool {
    let Some(until) = plan.until else { return false };
    let own: Vec<&(PointKey, f64)> = figures.iter().filter(|(k, _)| together(plan, k, key)).collect();
    // Once there were enough, there are for good.
    (until.at_least..key.repeat).any(|repeats| narrow(plan, &own, repeats, until.percent))
}

/// Whether the first so many repeats are there, without one that failed, and narrow the figures down far enough.
fn narrow(plan: &Plan, figures: &[&(PointKey, f64)], repeats: u32, percent: f64) -> bool {
    let mut cells: BTreeMap<(&str, Option<u64>), Vec<f64>> = BTreeMap::new();
    for (key, figure) in figures.iter().filter(|(key, _)| key.repeat <= repeats) {
        cells.entry((&key.subject, axis_bits(&key.axis))).or_default().push(*figure);
    }
    let mut subjects: Vec<&str> = cells.keys().map(|(subject, _)| *subject).collect();
    subjects.dedup();
    let all = if plan.order == Order::Interleaved { plan.subjects.len() } else { 1 };
    let holds = |values: &Vec<f64>| {
        let width = estimate::from_repeats(values, "").and_then(|e| e.relative_percent());
        values.len() as u32 == repeats && width.is_some_and(|width| width <= percent)
    };
    subjects.len() == all && cells.values().all(holds)
}

fn together(plan: &Plan, a: &PointKey, b: &PointKey) -> bool {
    let loads = |axis: &Option<Axis>| axis.as_ref().is_some_and(|a| a.field == Field::LoadPercent);
    a.step == b.step
        && (plan.order == Order::Interleaved || a.subject == b.subject)
        && (loads(&a.axis) && loads(&b.axis) || axis_bits(&a.axis) == axis_bits(&b.axis))
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
            "protocol": { "name": "", "title": "", "source": "", "datasets": [], "prepare": [], "steps": [] },
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
    fn figures(subject: &str, field: Field, value: f64, measured: &[f64]) -> Figures {
        (1..).zip(measured).map(|(repeat, figure)| (key(subject, field, value, repeat), *figure)).collect()
    }

    const NARROW: [f64; 3] = [100.0, 100.2, 99.8];
    const WIDE: [f64; 3] = [100.0, 120.0, 80.0];

    #[test]
    fn subjects_in_turn_stop_together_and_for_good() {
        let threads = Field::Threads;
        let narrow = [figures("A", threads, 8.0, &NARROW), figures("B", threads, 8.0, &NARROW)].concat();
        let wide = [figures("A", threads, 8.0, &NARROW), figures("B", threads, 8.0, &WIDE)].concat();
        let asks = |order, figures: &Figures, repeat| enough(&plan(order), figures, &key("A", threads, 8.0, repeat));
        assert!(!asks(Order::Interleaved, &narrow, 3), "three are measured in any case");
        assert!(asks(Order::Interleaved, &narrow, 4) && asks(Order::Interleaved, &narrow, 9));
        assert!(!asks(Order::Interleaved, &wide, 4), "B is not there yet");
        assert!(asks(Order::Blocked, &wide, 4), "A is measured by itself");
        assert!(!asks(Order::Interleaved, &figures("A", threads, 8.0, &NARROW), 4), "nothing is known of B");
        assert!(!enough(&plan(Order::Blocked), &narrow, &key("A", threads, 16.0, 4)), "another point");
        assert!(!asks(Order::Blocked, &figures("A", threads, 8.0, &NARROW[..2]), 4), "a repeat failed");
    }

    #[test]
    fn a_load_sweep_stops_as_a_whole_since_each_repeat_needs_its_maximum() {
        let load = Field::LoadPercent;
        let maximum = figures("A", load, f64::INFINITY, &NARROW);
        let half = |measured: &[f64]| figures("A", load, 50.0, measured);
        let asks = |figures: &Figures| enough(&plan(Order::Blocked), figures, &key("A", load, f64::INFINITY, 4));
        assert!(asks(&[maximum.clone(), half(&NARROW)].concat()));
        assert!(!asks(&[maximum, half(&WIDE)].concat()));
    }
}
