//! What the data bear out, as sentences: for every subject against every other, the largest difference of each step,
//! with the arithmetic. A rival's sentences are made the same way.
//!
//! Only cells that are told apart after the correction for all that were searched are claimed of (Holm), the interval of
//! a largest one allows for its having been chosen, all is rounded towards the weaker claim, and points that are marked
//! are left out.

use super::difference::{comparable, held, place};
use super::facts::{CellFacts, Facts, StepFacts};
use super::measure::Measure;
use crate::stats::compare::{holm, maximum};
use crate::stats::percent::{Formula, cut_off, rounded_out, said};
use crate::stats::{Better, Comparison, Verdict};

/// Whether a difference may be claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Clear of chance, with all that were searched counted.
    Claimed,
    NotClearOfChance,
    /// Figures without intervals, such as published ones: what they say may be repeated, not claimed.
    NoInterval,
}

/// The largest difference of a step by which one subject is better than another.
pub struct Largest {
    pub subject: usize,
    pub rival: usize,
    /// The axis value, as its label says: "96".
    pub at: String,
    /// The step's title and the point: "RocksDB random reads at 96 threads".
    pub place: String,
    pub measure: Measure,
    /// The measure in words: "operations a second", "p99 read service time".
    pub what: String,
    pub standing: Standing,
    /// The figures of subject and rival there, as printed.
    own: String,
    other: String,
    /// How many times as good, by the printed figures, and the interval that allows for the choice.
    ratio: f64,
    interval: Option<(f64, f64)>,
    /// How many cells were searched.
    searched: usize,
}

/// One pair of cells; the ratio is of how good they are, so that larger is better for both figures.
struct Pair<'a> {
    rival: usize,
    own: &'a CellFacts,
    other: &'a CellFacts,
    comparison: Comparison,
}

/// All that may be claimed, strongest first: by what is left of the difference at the weak end of its interval.
pub fn all(facts: &Facts) -> Vec<Largest> {
    let mut claims: Vec<Largest> = facts.steps.iter().flat_map(|step| of_step(facts, step)).collect();
    claims.retain(|l| l.standing == Standing::Claimed);
    claims.sort_by(|a, b| b.weakest().total_cmp(&a.weakest()));
    claims
}

/// What figures without an interval say, largest first.
pub fn as_they_stand(facts: &Facts) -> Vec<Largest> {
    let mut found: Vec<Largest> = facts.steps.iter().flat_map(|step| of_step(facts, step)).collect();
    found.retain(|l| l.standing == Standing::NoInterval);
    found.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    found
}

/// The largest difference of each figure, subject and rival of a step, whether it may be claimed or not.
pub fn of_step(facts: &Facts, step: &StepFacts) -> Vec<Largest> {
    let mut found = Vec::new();
    for measure in Measure::of_step(step) {
        for subject in 0..facts.subjects.len() {
            found.extend(of_subject(facts, step, subject, &measure));
        }
    }
    found
}

/// The largest difference from each rival; all rivals and axis values are searched, so all are corrected for.
fn of_subject(facts: &Facts, step: &StepFacts, subject: usize, measure: &Measure) -> Vec<Largest> {
    let mut pairs = Vec::new();
    for rival in (0..facts.subjects.len()).filter(|r| *r != subject) {
        for value in 0..step.values.len() {
            let (Some(own), Some(other)) = (step.cell(subject, value), step.cell(rival, value)) else { continue };
            if !comparable(facts, step, own, other, measure) {
                continue;
            }
            let (over, under) = if measure.better() == Better::Lower { (other, own) } else { (own, other) };
            let made = held(step, over, under, measure);
            pairs.extend(made.map(|comparison| Pair { rival, own, other, comparison }));
        }
    }
    let family: Vec<Comparison> = pairs.iter().map(|p| p.comparison.clone()).collect();
    let verdicts = holm(&family, Better::Higher);
    let against = |rival: usize| {
        let own = || (0..pairs.len()).filter(|&i| pairs[i].rival == rival && pairs[i].comparison.ratio.value > 1.0);
        let shown: Vec<usize> = own().filter(|&i| verdicts[i] == Verdict::Better).collect();
        let with: Vec<usize> = own().filter(|&i| family[i].ratio.has_interval()).collect();
        let bare = || own().max_by(|&a, &b| family[a].ratio.value.total_cmp(&family[b].ratio.value));
        let (standing, fit) = match (shown.is_empty(), with.is_empty()) {
            (false, _) => (Standing::Claimed, shown),
            (true, false) => (Standing::NotClearOfChance, with),
            (true, true) => return bare().map(|i| (Standing::NoInterval, i, None)),
        };
        let of: Vec<Comparison> = fit.iter().map(|&i| family[i].clone()).collect();
        maximum(&of, family.len()).map(|(best, low, high)| (standing, fit[best], Some((low, high))))
    };
    let rivals = (0..facts.subjects.len()).filter(|r| *r != subject);
    let made = |rival| {
        let (standing, i, interval) = against(rival)?;
        Largest::of(step, &pairs[i], measure, standing, interval, family.len())
    };
    rivals.filter_map(made).collect()
}

impl Largest {
    fn of(
        step: &StepFacts,
        pair: &Pair<'_>,
        measure: &Measure,
        standing: Standing,
        interval: Option<(f64, f64)>,
        searched: usize,
    ) -> Option<Largest> {
        let ((own_value, own), (other_value, other)) =
            (measure.printed(step, pair.own)?, measure.printed(step, pair.other)?);
        let ratio = match measure.better() {
            Better::Lower => other_value / own_value,
            Better::Higher => own_value / other_value,
        };
        let found = Largest {
            subject: pair.own.subject,
            rival: pair.rival,
            at: step.values[pair.own.value].label.clone(),
            place: format!("{}{}", step.title, place(step, &[pair.own.value])),
            measure: measure.clone(),
            what: measure.name(step),
            standing,
            own,
            other,
            ratio,
            interval: interval.map(|(low, high)| (low.min(ratio), high.max(ratio))),
            searched,
        };
        // A difference that printing makes vanish is none.
        (found.ratio.is_finite() && found.ratio > 1.0).then_some(found)
    }

    /// Less of it is better.
    fn is_lower_better(&self) -> bool {
        self.measure.better() == Better::Lower
    }

    fn weakest(&self) -> f64 {
        self.interval.map_or(1.0, |(low, _)| low)
    }

    /// The formula that is named first: a gain of ops/s, a reduction of latency.
    fn formula(&self) -> Formula {
        if self.is_lower_better() { Formula::Reduction } else { Formula::Gain }
    }

    fn percent(&self, ratio: f64) -> f64 {
        self.formula().of(ratio)
    }

    /// "892,202 ÷ 735,861 − 1".
    pub fn calculation(&self) -> String {
        self.formula().calculation(self.measure.better(), &self.own, &self.other)
    }

    /// "21.24 %": what the calculation comes to, cut off after two decimals.
    pub fn result(&self) -> String {
        self.formula().result(self.ratio)
    }

    /// The same difference by the other formula: "gain 58.57 %".
    pub fn by_the_other_formula(&self) -> String {
        let other = if self.is_lower_better() { Formula::Gain } else { Formula::Reduction };
        format!("{} {}", other.name(), other.result(self.ratio))
    }

    /// "19 to 23 %", with the ends rounded outwards: an interval is not made narrower by printing it.
    pub fn interval(&self) -> Option<String> {
        let (low, high) = self.interval?;
        let (low, high) = (self.percent(low), self.percent(high));
        let up = rounded_out(high, if high < 10.0 { 1 } else { 0 });
        let down = if low < 0.0 { cut_off(low, 1) } else { said(low) };
        Some(format!("{down} to {up} %"))
    }

    /// "A does up to 21 % more operations a second than B".
    pub fn said(&self, facts: &Facts) -> String {
        let (subject, rival) = (&facts.subjects[self.subject], &facts.subjects[self.rival]);
        let percent = said(self.percent(self.ratio));
        let up_to = if self.searched > 1 { "up to " } else { "" };
        match self.is_lower_better() {
            true => format!("{subject} has a {} that is {up_to}{percent} % shorter than that of {rival}", self.what),
            false => format!("{subject} does {up_to}{percent} % more {} than {rival}", self.what),
        }
    }

    /// Where, by which calculation, and how sure.
    pub fn basis(&self) -> String {
        let other = match self.is_lower_better() {
            true => {
                let calculation = Formula::Gain.calculation(Better::Lower, &self.own, &self.other);
                let gain = said(Formula::Gain.of(self.ratio));
                format!("; the same as a gain, {calculation}, is {gain} %")
            }
            false => String::new(),
        };
        let chosen = match self.searched {
            1 => String::new(),
            n => format!(", allowing for a choice among {n} comparisons"),
        };
        let interval = match self.interval() {
            Some(interval) => format!("95 % interval {interval}{chosen}"),
            None => "no interval".to_string(),
        };
        format!("{}: {} = {}{other}; {interval}", self.place, self.calculation(), self.result())
    }

    /// The whole sentence.
    pub fn sentence(&self, facts: &Facts) -> String {
        format!("{} ({}).", self.said(facts), self.basis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(measure: Measure, own: &str, other: &str, ratio: f64, interval: Option<(f64, f64)>) -> Largest {
        Largest {
            subject: 0,
            rival: 1,
            at: "96".into(),
            place: "random read at 96 threads".into(),
            measure,
            what: String::new(),
            standing: Standing::Claimed,
            own: own.into(),
            other: other.into(),
            ratio,
            interval,
            searched: 10,
        }
    }

    #[test]
    fn the_published_pair_comes_to_21_percent_and_never_to_more() {
        let ops = found(Measure::Ops, "892,202", "735,861", 892_202.0 / 735_861.0, Some((1.1999, 1.2301)));
        assert_eq!((ops.calculation().as_str(), ops.result().as_str()), ("892,202 ÷ 735,861 − 1", "21.24 %"));
        assert_eq!(ops.interval().as_deref(), Some("19 to 24 %"));
        assert_eq!(ops.by_the_other_formula(), "reduction 17.52 %");
    }

    #[test]
    fn both_latency_formulas_are_named_and_kept_apart() {
        let p99 = found(Measure::P99, "169 µs", "268 µs", 268.0 / 169.0, None);
        assert_eq!((p99.calculation().as_str(), p99.result().as_str()), ("1 − 169 µs ÷ 268 µs", "36.94 %"));
        assert_eq!((p99.by_the_other_formula().as_str(), p99.interval()), ("gain 58.57 %", None));
    }
}
