//! Searches while a run goes on: which of a searched sweep's points is measured next, and which need not be.

use std::collections::HashMap;

use crate::base::histogram::Histogram;
use crate::base::units;
use crate::plan::search::{PERCENTILES, Search};
use crate::plan::{PointKey, PointPlan, Sweep};
use crate::record::{Fact, Outcome, Point, Tally};

/// One search: the points of a subject, step and repeat.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Of {
    subject: String,
    step: String,
    repeat: u32,
}

impl Of {
    fn key(key: &PointKey) -> Of {
        Of { subject: key.subject.clone(), step: key.step.clone(), repeat: key.repeat }
    }
}

/// What was tried so far, and whether it held.
#[derive(Default)]
pub struct Searches(HashMap<Of, Vec<(f64, bool)>>);

impl Searches {
    /// The point to measure in the place of this one: itself, where its step is not searched; of a search the one that
    /// tells most; none when the search is over.
    pub fn instead<'p>(&self, point: &'p PointPlan, all: &'p [PointPlan]) -> Option<&'p PointPlan> {
        let Some(Sweep { search: Some(_), values, .. }) = &point.step.sweep else { return Some(point) };
        let of = Of::key(&point.key);
        let tried = self.0.get(&of).map(Vec::as_slice).unwrap_or_default();
        let next = Search::next(values, tried)?;
        all.iter().find(|p| {
            Of::key(&p.key) == of && p.key.axis.as_ref().is_some_and(|axis| axis.value.number() == Some(next))
        })
    }

    /// Takes a point's result into account, and says it. What failed holds nothing.
    pub fn note(&mut self, key: &PointKey, sweep: Option<&Sweep>, point: &Point) -> Option<Fact> {
        let Some(Sweep { search: Some(search), .. }) = sweep else { return None };
        let value = key.axis.as_ref()?.value.number()?;
        let reached = percentile_ns(search, point).filter(|_| point.outcome == Outcome::Measured);
        let held = reached.is_some_and(|ns| ns <= search.at_most_ns);
        self.0.entry(Of::key(key)).or_default().push((value, held));
        let limit = units::latency(search.at_most_ns as f64);
        let value = match reached {
            Some(ns) => format!("{}: {} {limit}", units::latency(ns as f64), if held { "within" } else { "above" }),
            None => format!("not measured, so taken to be above {limit}"),
        };
        Some(Fact::new("Search", format!("{}.{}", search.stream, search.percentile), value))
    }
}

/// The percentile of the class that most of the stream's ops are of, over all drives and instances together.
fn percentile_ns(search: &Search, point: &Point) -> Option<u64> {
    let cells = point.cells.iter().filter(|cell| cell.stream == search.stream);
    let tallies: Vec<&Tally> = cells.flat_map(|cell| &cell.tallies).collect();
    let ops_of = |class| tallies.iter().filter(|t| t.class == class).map(|t| t.ops).sum::<u64>();
    let class = tallies.iter().map(|t| t.class).max_by_key(|&class| ops_of(class))?;
    let mut pooled = Histogram::new();
    for tally in tallies.iter().filter(|t| t.class == class) {
        pooled.merge(tally.response.as_ref().unwrap_or(&tally.service));
    }
    pooled.percentile_ns(PERCENTILES[search.index()].1)
}
