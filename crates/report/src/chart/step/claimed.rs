//! Claims at the points of a step's figures: for each subject that is better somewhere, the
//! difference that the summary states, otherwise its largest, which the figure calls out at its
//! position.

use std::cmp::Ordering;

use super::StepDrawing;
use crate::analysis::comparison::Gap;
use crate::analysis::keys::{SubjectKey, ValueKey};
use crate::analysis::points::metric::Metric;
use crate::analysis::{Comparison, Standing, StepPlace};
use crate::chart::canvas::axis::si;
use crate::chart::kinds::bars::CalledBar;
use crate::chart::kinds::curve::{CalledPoint, CurvePoint, CurveSeries};
use crate::say;
use crate::terms::place::place;
use dyno_core::stats::Better;
use dyno_core::stats::percent::Formula;

/// More call-outs than this would hide the data.
const MOST: usize = 2;

impl StepDrawing<'_> {
    /// Claimed differences in a metric at points of the figure, one per subject: that of the
    /// summary, otherwise the largest. In this order.
    fn claimed(&self, metric: &Metric) -> Vec<&Comparison> {
        let at = |c: &&Comparison| {
            matches!(c.at, StepPlace::Value(_) | StepPlace::Load(_)) && c.is_claimed()
        };
        let own = || {
            let all = self.comparisons.all.iter();
            all.filter(|c| c.step == self.step.key && c.metric == *metric).filter(at)
        };
        // The place that the first page and the summary state, if something is claimed there.
        let stated = self.comparisons.leads[self.step.key].value;
        let leads = |c: &Comparison| stated.is_some_and(|value| c.at == StepPlace::Value(value));
        let order = |a: &&Comparison, b: &&Comparison| {
            let rank = |c: &Comparison| (leads(c), c.weak_end());
            rank(a).partial_cmp(&rank(b)).unwrap_or(Ordering::Equal)
        };
        // Claims about the brief's subject precede those between rivals.
        let subject = self.subjects.headline;
        let is_of_subject = own().any(|c| c.is_with(subject));
        let kept = |c: &&Comparison| !is_of_subject || c.is_with(subject);
        let of = |better| own().filter(kept).filter(|c| c.better == better).max_by(order);
        let mut all: Vec<&Comparison> = self.subjects.keys().filter_map(of).collect();
        all.sort_by(|a, b| order(b, a));
        all.truncate(MOST);
        all
    }

    /// "+21 %", "at least +40 %"; with the rival if ambiguous.
    fn difference(&self, c: &Comparison, metric: &Metric) -> String {
        let Some([value, ..]) = c.printed() else { return String::new() };
        let sign = match c.formula() {
            Formula::Factor => "",
            _ if metric.better() == Better::Higher => "+",
            _ => "−",
        };
        let least = if c.standing == Standing::AtLeast { "≥ " } else { "" };
        let l = self.language;
        let own = format!("{least}{sign}{}", l.number(&format!("{value} {}", c.formula().unit())));
        match self.subjects.len() {
            0..=2 => own,
            _ => {
                say!(l, "claimed-against", value = own, other = &self.subjects[c.worse].name)
            }
        }
    }

    /// The largest differences of imported figures, as arithmetic: the largest lead of the brief's
    /// subject over a rival, and of a rival over it.
    fn gaps(&self, metric: &Metric) -> Vec<&Gap> {
        let of = self.comparisons.gaps_of(self.subjects, self.step.key, metric);
        let largest =
            |all: Vec<_>| all.into_iter().max_by(|a: &&Gap, b| a.times.total_cmp(&b.times));
        of.into_iter().filter_map(largest).collect()
    }

    /// "+21 %"; with the rival if ambiguous.
    fn gap(&self, gap: &Gap) -> String {
        let l = self.language;
        let sign = if gap.metric.better() == Better::Higher { "+" } else { "−" };
        let own = format!("{sign}{}", l.number(&format!("{} %", gap.percent())));
        match self.subjects.len() {
            0..=2 => own,
            _ => say!(l, "claimed-against", value = own, other = &self.subjects[gap.worse].name),
        }
    }

    /// The same as text for the caption: "; claimed: A +21 % at 96 threads".
    pub fn called_out(&self, metric: &Metric) -> String {
        let l = self.language;
        let gaps = self.gaps(metric);
        if !gaps.is_empty() {
            let said = |gap: &&Gap| {
                let (subject, value) = (&self.subjects[gap.better].name, self.gap(gap));
                format!("{subject} {value}{}", place(l, self.step, &[gap.value]))
            };
            let all: Vec<String> = gaps.iter().map(said).collect();
            return say!(l, "figure-published", differences = all.join(&say!(l, "list-comma")));
        }
        let said = |c: &&Comparison| {
            let place = match c.at {
                StepPlace::Value(value) => place(l, self.step, &[value]),
                StepPlace::Load(ops) => say!(l, "at-equal-load-of", load = l.number(&si(ops))),
                _ => String::new(),
            };
            let subject = &self.subjects[c.better].name;
            format!("{subject} {}{place}", self.difference(c, metric))
        };
        let all: Vec<String> = self.claimed(metric).iter().map(said).collect();
        let all = all.join(&say!(l, "list-comma"));
        if all.is_empty() { all } else { say!(l, "figure-claimed", differences = all) }
    }

    /// The call-outs above bars.
    pub fn called_bars(&self, metric: &Metric) -> Vec<CalledBar> {
        let bar = |c: &&Comparison| {
            let StepPlace::Value(group) = c.at else { return None };
            Some(CalledBar { series: c.better.0, group: group.0, text: self.difference(c, metric) })
        };
        let gap =
            |gap: &Gap| CalledBar { series: gap.better.0, group: gap.value.0, text: self.gap(gap) };
        let gaps = self.gaps(metric).into_iter().map(gap);
        self.claimed(metric).iter().filter_map(bar).chain(gaps).collect()
    }

    /// Call-outs at points of the curves, each at a cell's point, or between two for comparisons of
    /// loads.
    pub fn called_points(
        &self,
        metric: &Metric,
        series: &[CurveSeries],
        point: &dyn Fn(SubjectKey, ValueKey) -> Option<CurvePoint>,
    ) -> Vec<CalledPoint> {
        let place = |c: &&Comparison| {
            let at = match c.at {
                StepPlace::Value(value) => point(c.better, value).map(|p| (p.x, p.y))?,
                StepPlace::Load(ops) => on_line(series.get(c.better.0)?, ops)?,
                _ => return None,
            };
            Some(CalledPoint { series: c.better.0, at, text: self.difference(c, metric) })
        };
        let gap = |gap: &Gap| {
            let at = point(gap.better, gap.value).map(|p| (p.x, p.y))?;
            Some(CalledPoint { series: gap.better.0, at, text: self.gap(gap) })
        };
        let gaps = self.gaps(metric).into_iter().filter_map(gap);
        self.claimed(metric).iter().filter_map(place).chain(gaps).collect()
    }
}

/// The position on a drawn line.
fn on_line(series: &CurveSeries, x: f64) -> Option<(f64, f64)> {
    let pair = series.points.windows(2).find(|pair| pair[0].x <= x && x <= pair[1].x)?;
    let share = (x - pair[0].x) / (pair[1].x - pair[0].x).max(f64::MIN_POSITIVE);
    Some((x, pair[0].y + share * (pair[1].y - pair[0].y)))
}
