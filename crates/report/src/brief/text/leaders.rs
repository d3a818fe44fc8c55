//! Who is better where along the axis of a step, and where a drive leaves its level, in sentences.

use crate::analysis::claim::course::{Course, LeadRange};
use crate::analysis::comparison::Rise;
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::keys::SubjectKey;
use crate::analysis::points::metric::Metric;
use crate::brief::text::wording;
use crate::language::Language;
use crate::say;
use crate::terms::place;
use dyno_core::stats::Better;

/// Maximum number of ranges that are listed.
const MOST_RANGES: usize = 4;

/// Where a subject is better: a place on the axis, or a part of it.
#[derive(Default)]
pub struct PlaceOfBest {
    /// " at every thread count (8 to 128)"
    pub at: String,
    /// " up to 96 threads"
    pub until: String,
}

impl PlaceOfBest {
    fn until(until: String) -> PlaceOfBest {
        PlaceOfBest { until, ..PlaceOfBest::default() }
    }
}

/// "A has the higher ops/s at every thread count (8 to 128)"
pub fn better(
    l: Language,
    facts: &Facts,
    step: &StepFacts,
    (metric, subject): (&Metric, SubjectKey),
    place: PlaceOfBest,
) -> String {
    let (subject, of) = (&facts.subjects[subject].name, facts.subjects.len());
    let what = wording::metric(l, metric, step);
    let PlaceOfBest { at, until } = place;
    match metric.better() {
        Better::Higher => say!(l, "best-higher", subject, what, at, until, of),
        Better::Lower => say!(l, "best-lower", subject, what, at, until, of),
    }
}

/// Who is better along an axis, in ranges if there are few of them.
pub fn of_course(l: Language, facts: &Facts, step: &StepFacts, course: &Course) -> Option<String> {
    let ranges = course.ranges();
    let (all, metric) = (course.places.len(), &course.metric);
    if ranges.is_empty() {
        return None;
    }
    if let [one] = ranges[..] {
        let count = course.count(one.leader);
        let values: Vec<_> = course.places.iter().map(|(value, _)| *value).collect();
        let place = match count == all {
            true => PlaceOfBest { at: place::place(l, step, &values), ..PlaceOfBest::default() },
            false => PlaceOfBest::until(say!(l, "at-some", count, of = all)),
        };
        return Some(better(l, facts, step, (metric, one.leader), place));
    }
    if ranges.len() <= MOST_RANGES {
        let last = ranges.len() - 1;
        let text = |(i, range): (usize, &LeadRange)| {
            let [from, to] = [range.from, range.to].map(|value| place::amount(l, step, value));
            match i {
                0 => {
                    let until = PlaceOfBest::until(say!(l, "range-up-to", to));
                    better(l, facts, step, (metric, range.leader), until)
                }
                _ => {
                    let subject = &facts.subjects[range.leader].name;
                    match range.from == range.to {
                        _ if i == last => say!(l, "range-from-on", subject, from),
                        true => say!(l, "range-at", subject, at = from),
                        false => say!(l, "range-between", subject, from, to),
                    }
                }
            }
        };
        let each: Vec<String> = ranges.iter().enumerate().map(text).collect();
        return Some(l.sequence(&each));
    }
    // The order changes too often for ranges.
    let mut counts: Vec<(SubjectKey, usize)> =
        facts.subjects.keys().map(|s| (s, course.count(s))).filter(|(_, n)| *n > 0).collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let text = |(i, (subject, count)): (usize, &(SubjectKey, usize))| match i {
        0 => {
            let until = PlaceOfBest::until(say!(l, "at-some", count = *count, of = all));
            better(l, facts, step, (metric, *subject), until)
        }
        _ => say!(l, "best-in-also-at", subject = &facts.subjects[*subject].name, count = *count),
    };
    Some(l.sequence(&counts.iter().enumerate().map(text).collect::<Vec<_>>()))
}

/// "A's p99 read latency rises from 0.38 to 2.2 ms between 70,000 and 80,000 ops/s": where a drive
/// leaves its level.
pub fn rises(l: Language, facts: &Facts) -> Vec<String> {
    let sentence = |rise: &Rise| {
        let step = &facts.measured.steps[rise.step];
        let cell = |value| step.cell(rise.subject, value);
        let cells = (cell(rise.from)?, cell(rise.to)?);
        let [(_, low), (_, high)] = wording::printed_both(l, &rise.metric, step, cells)?;
        let said = say!(
            l,
            "rises-between",
            subject = &facts.subjects[rise.subject].name,
            what = wording::metric(l, &rise.metric, step),
            low,
            high,
            from = place::amount(l, step, rise.from),
            to = place::amount(l, step, rise.to)
        );
        Some(wording::stopped(l, said))
    };
    facts.comparisons.rises.iter().filter_map(sentence).collect()
}
