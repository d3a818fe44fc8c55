//! What the data bear out, as sentences: for every subject against every other, the largest difference of each step,
//! with the arithmetic. A rival's sentences are made the same way.
//!
//! Only cells that are told apart after the correction for all that were searched are claimed of (Holm), the interval of
//! a largest one allows for its having been chosen, all is rounded towards the weaker claim, and points that are marked
//! are left out.

use super::difference::{held, marked, place};
use super::facts::{CellFacts, Facts, StepFacts};
use super::reading::{ClassSummary, P99};
use crate::base::units;
use crate::stats::compare::{gain_percent, holm, maximum, reduction_percent};
use crate::stats::{Better, Comparison, Verdict};

/// One claim: the largest difference of a step that the data bear out.
pub struct Claim {
    pub subject: usize,
    pub rival: usize,
    /// The step's title and the point: "RocksDB random reads at 96 threads".
    pub place: String,
    pub of_p99: bool,
    /// The figures of subject and rival there, as printed.
    pub own: String,
    pub other: String,
    /// How many times as good, and the interval that allows for the choice.
    ratio: f64,
    low: f64,
    high: f64,
    /// How many cells were searched.
    pub searched: usize,
}

/// All claims, strongest first.
pub fn all(facts: &Facts) -> Vec<Claim> {
    let mut claims = Vec::new();
    for step in &facts.steps {
        for of_p99 in [false, true] {
            for subject in 0..facts.subjects.len() {
                claims.extend(of_subject(facts, step, subject, of_p99));
            }
        }
    }
    claims.sort_by(|a, b| b.low.total_cmp(&a.low));
    claims
}

/// The largest difference from each rival; all rivals and axis values were searched, so all are corrected for.
fn of_subject(facts: &Facts, step: &StepFacts, subject: usize, of_p99: bool) -> Vec<Claim> {
    let mut cells: Vec<(&CellFacts, &CellFacts, Comparison)> = Vec::new();
    for rival in (0..facts.subjects.len()).filter(|r| *r != subject) {
        for value in 0..step.values.len() {
            let (Some(own), Some(other)) = (step.cell(subject, value), step.cell(rival, value)) else { continue };
            // Where a rate was asked for, ops/s are as asked and say nothing.
            let asked = [own, other].iter().any(|c| c.total.as_ref().is_some_and(|t| t.asked.is_some()));
            if (asked && !of_p99) || [own, other].iter().any(|c| marked(facts, step, c).is_some()) {
                continue;
            }
            // The ratio is of how good they are, so that larger is better for both.
            let pair = if of_p99 { held(step, other, own, true) } else { held(step, own, other, false) };
            cells.extend(pair.map(|comparison| (own, other, comparison)));
        }
    }
    let family: Vec<Comparison> = cells.iter().map(|(.., c)| c.clone()).collect();
    let verdicts = holm(&family, Better::Higher);
    let mut claims = Vec::new();
    for rival in (0..facts.subjects.len()).filter(|r| *r != subject) {
        let fit: Vec<usize> =
            (0..cells.len()).filter(|&i| cells[i].1.subject == rival && verdicts[i] == Verdict::Better).collect();
        let better: Vec<Comparison> = fit.iter().map(|&i| family[i].clone()).collect();
        let Some((best, low, high)) = maximum(&better, family.len()) else { continue };
        let (own, other, comparison) = &cells[fit[best]];
        let (Some((own_value, own_text)), Some((other_value, other_text))) =
            (figure(step, own, of_p99), figure(step, other, of_p99))
        else {
            continue;
        };
        let printed = if of_p99 { other_value / own_value } else { own_value / other_value };
        claims.push(Claim {
            subject,
            rival,
            place: format!("{}{}", step.title, place(step, &[own.value])),
            of_p99,
            own: own_text,
            other: other_text,
            ratio: printed.min(comparison.ratio.value),
            low,
            high,
            searched: family.len(),
        });
    }
    claims.retain(|c| c.low > 1.0);
    claims
}

fn figure(step: &StepFacts, cell: &CellFacts, of_p99: bool) -> Option<(f64, String)> {
    let total = cell.total.as_ref()?;
    if !of_p99 {
        return Some((total.ops_per_s.value, units::grouped(total.ops_per_s.value.round() as u64)));
    }
    let p99 = total.class(step.class).map(ClassSummary::felt)?.percentiles_ns[P99].as_ref()?;
    Some((p99.value, units::latency(p99.value)))
}

/// Percent, cut off: never more than was found.
fn cut(percent: f64) -> String {
    if percent < 10.0 { format!("{:.1}", (percent * 10.0).floor() / 10.0) } else { format!("{:.0}", percent.floor()) }
}

impl Claim {
    /// "21": the difference in percent, by the formula that the sentence names first.
    pub fn percent(&self) -> String {
        cut(if self.of_p99 { reduction_percent(1.0, self.ratio) } else { gain_percent(self.ratio, 1.0) })
    }

    /// "892,202 ÷ 735,861 − 1".
    pub fn calculation(&self) -> String {
        match self.of_p99 {
            true => format!("1 − {} ÷ {}", self.own, self.other),
            false => format!("{} ÷ {} − 1", self.own, self.other),
        }
    }

    /// "19 to 23 %", with the upper end rounded up: an interval is not made narrower by printing it.
    pub fn interval(&self) -> String {
        let of = |ratio: f64| if self.of_p99 { reduction_percent(1.0, ratio) } else { gain_percent(ratio, 1.0) };
        let (low, high) = (of(self.low), of(self.high));
        let up =
            if high < 10.0 { format!("{:.1}", (high * 10.0).ceil() / 10.0) } else { format!("{:.0}", high.ceil()) };
        format!("{} to {up} %", cut(low))
    }

    /// The whole sentence.
    pub fn sentence(&self, facts: &Facts) -> String {
        let (subject, rival) = (&facts.subjects[self.subject], &facts.subjects[self.rival]);
        let what = if self.of_p99 { "lower p99 latency" } else { "more operations per second" };
        let chosen = match self.searched {
            1 => String::new(),
            n => format!(", allowing for a choice among {n} comparisons"),
        };
        let other = match self.of_p99 {
            true => {
                let gain = cut(gain_percent(self.ratio, 1.0));
                format!(" The same as a gain, {} ÷ {} − 1: {gain} %.", self.other, self.own)
            }
            false => String::new(),
        };
        format!(
            "{subject}: up to {} % {what} ({}: {}; against {rival}; 95 % interval {}{chosen}).{other}",
            self.percent(),
            self.place,
            self.calculation(),
            self.interval()
        )
    }
}
