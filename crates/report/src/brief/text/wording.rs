//! Comparisons and claims as text and numbers. Every report prints differences with `difference`,
//! so a comparison has the same number and interval everywhere.

use crate::analysis::claim::compare::{ComparedFigure, Comparison, Standing, StepPlace};
use crate::analysis::comparison::{Claim, ClaimScope, Crossover, MeanOver};
use crate::analysis::difference::{Barred, Condition, ConditionValue, Difference};
use crate::analysis::facts::{
    CellFacts, Comparisons, MeasuredFacts, RunFacts, StepFacts, Subjects,
};
use crate::analysis::limits::bottleneck::Bottleneck;
use crate::analysis::points::metric::{Metric, PointFigure};
use crate::brief::number_format;
use crate::brief::text::metric_text::printed_latency;
pub use crate::brief::text::metric_text::{
    metric, printed, printed_both, printed_value, printed_values, printed_with_unit,
};
use crate::brief::text::{condition_text, plan_text};
use crate::language::Language;
use crate::say;
use crate::terms::place;
pub use crate::terms::place::place;
use dyno_core::base::units;
use dyno_core::plan::OwnKnob;
use dyno_core::stats::Better;
use dyno_core::stats::percent::Formula;

/// "21 % [19, 24]": the value rounded towards the weaker claim, interval limits outwards. A claimed
/// interval is never printed as touching zero.
pub fn difference(l: Language, comparison: &Comparison) -> String {
    let at_least = if comparison.standing == Standing::AtLeast { "≥ " } else { "" };
    format!("{at_least}{}", bare_difference(l, comparison))
}

/// Why a difference has no interval.
fn without_interval(l: Language, comparison: &Comparison) -> String {
    match comparison.standing {
        Standing::OrderNotGiven => say!(l, "order-not-given"),
        _ => say!(l, "in-separate-runs"),
    }
}

/// The same without the mark for a lower bound.
fn bare_difference(l: Language, comparison: &Comparison) -> String {
    match comparison.printed() {
        Some(printed) => with_interval(l, printed, comparison.formula().unit()),
        None => without_interval(l, comparison),
    }
}

/// A value with its unit and its interval.
pub fn with_interval(l: Language, [value, low, high]: [String; 3], unit: &str) -> String {
    // If the decimal sign is a comma, a comma between the limits would be misread.
    let between = if l.number("0.5").contains(',') { "; " } else { ", " };
    l.number(&format!("{value} {unit} [{low}{between}{high}]"))
}

/// A difference in a sentence: "at least 3 % [3, 9]".
fn by(l: Language, comparison: &Comparison) -> String {
    let difference = bare_difference(l, comparison);
    match comparison.standing {
        Standing::AtLeast => say!(l, "at-least", difference),
        _ => difference,
    }
}

/// A comparison in a table: the better subject, the difference, and its standing; for a latency,
/// which one.
pub fn in_table(l: Language, subjects: &Subjects, comparison: &Comparison) -> String {
    let what = if comparison.metric.is_latency() {
        format!("{} ", comparison.metric.text(l))
    } else {
        String::new()
    };
    standing_of(l, subjects, comparison, &what)
}

/// The same under a column head that names the figure.
pub fn standing(l: Language, subjects: &Subjects, comparison: &Comparison) -> String {
    standing_of(l, subjects, comparison, "")
}

fn standing_of(l: Language, subjects: &Subjects, comparison: &Comparison, what: &str) -> String {
    let by_how_much = difference(l, comparison);
    match comparison.standing {
        Standing::NotShown => format!("{what}{by_how_much} ≈"),
        Standing::NotTheDrives => format!("{what}{by_how_much} ‡"),
        Standing::SeparateRuns | Standing::OrderNotGiven => by_how_much,
        Standing::Claimed | Standing::AtLeast => {
            format!("{} {what}{by_how_much} ▲", subjects[comparison.better].name)
        }
    }
}

/// The meaning of the marks of `in_table`, if any comparison has one.
pub fn footnote(l: Language, comparisons: &Comparisons) -> Option<String> {
    let marked = comparisons.all.iter().any(|c| c.standing.has_interval());
    marked.then(|| say!(l, "difference-footnote"))
}

/// The comparison in a cell of a table: ops/s with the brief's subject, or p99 with a target rate.
pub fn of_cell<'a>(
    subjects: &'a Subjects,
    comparisons: &'a Comparisons,
    step: &StepFacts,
    cell: &CellFacts,
) -> Option<&'a Comparison> {
    let asked = |c: &CellFacts| c.total.as_ref().is_some_and(|t| t.asked.is_some());
    let metric = if asked(cell) { Metric::p99() } else { Metric::total(PointFigure::Ops) };
    let by = ComparedFigure { step, metric: &metric, at: StepPlace::Value(cell.value) };
    comparisons.between(by, subjects.headline, cell.subject)
}

/// The place of a comparison in its step: " at 96 threads", " averaged over 6 points".
pub fn at(l: Language, step: &StepFacts, comparison: &Comparison) -> String {
    match (comparison.at, comparison.over) {
        (StepPlace::Value(value), _) => place(l, step, &[value]),
        (StepPlace::Load(ops), _) => {
            say!(l, "at-equal-load-of", load = number_format::count(l, ops))
        }
        (StepPlace::Latency(ns), _) => {
            say!(l, "at-equal-p99-of", latency = number_format::time(l, ns))
        }
        (StepPlace::Limit, _) => say!(l, "within-the-latency-limit"),
        (StepPlace::Mean, MeanOver::Points(count)) => say!(l, "on-average-over", count),
        (StepPlace::Mean, MeanOver::Loads(count)) => {
            say!(l, "on-average-over-loads", count)
        }
    }
}

/// "A delivers 21 % [19, 24] more ops/s than B at 96 threads".
pub fn sentence(
    l: Language,
    subjects: &Subjects,
    step: &StepFacts,
    comparison: &Comparison,
) -> String {
    joined(l, subjects, step, &[comparison])
}

/// The same for several rivals of one subject, by one metric at one place: "… more ops/s than B and
/// 30 % [27, 33] more than C …".
pub fn joined(
    l: Language,
    subjects: &Subjects,
    step: &StepFacts,
    comparisons: &[&Comparison],
) -> String {
    let Some(first) = comparisons.first() else { return String::new() };
    let better = &subjects[first.better].name;
    let what = metric(l, &first.metric, step);
    let at = at(l, step, first) + &varied(l, subjects, step, first);
    let lower = first.metric.better() == Better::Lower;
    use PointFigure::{JoulesPerOp, JoulesPerTb, Watts};
    let energy = matches!(first.metric.figure, JoulesPerOp(_) | JoulesPerTb(_) | Watts(_));
    // A factor is worded as that of a rival.
    if let [one] = comparisons
        && one.formula() != Formula::Factor
    {
        let (by, worse) = (by(l, one), &subjects[one.worse].name);
        return match (energy, lower) {
            (true, _) => {
                say!(l, "claim-less", better, by, what, worse, at)
            }
            (_, true) => {
                say!(l, "claim-lower", better, by, what, worse, at)
            }
            _ => {
                say!(l, "claim-more", better, by, what, worse, at)
            }
        };
    }
    let rival = |(i, c): (usize, &&Comparison)| {
        let (by, worse) = (by(l, c), &subjects[c.worse].name);
        let times = c.formula() == Formula::Factor;
        match (i, energy, lower) {
            (0, ..) if times => say!(l, "rival-times-of", by, what = &what, worse),
            _ if times => say!(l, "rival-times", by, worse),
            (0, true, _) => say!(l, "rival-less-of", by, what = &what, worse),
            (0, _, true) => say!(l, "rival-lower-of", by, what = &what, worse),
            (0, ..) => say!(l, "rival-more-of", by, what = &what, worse),
            (_, true, _) => say!(l, "rival-less", by, worse),
            (_, _, true) => say!(l, "rival-lower", by, worse),
            _ => say!(l, "rival-more", by, worse),
        }
    };
    let rivals = l.list(&comparisons.iter().enumerate().map(rival).collect::<Vec<_>>());
    match (energy, lower) {
        (true, _) => say!(l, "claims-less", better, rivals, at),
        (_, true) => say!(l, "claims-lower", better, rivals, at),
        _ => say!(l, "claims-more", better, rivals, at),
    }
}

/// Permitted differences, and a subject's own knobs: " (step.read.block 65536, against 4096)".
fn varied(l: Language, subjects: &Subjects, step: &StepFacts, comparison: &Comparison) -> String {
    let pair = [comparison.better, comparison.worse];
    let varied = comparison.varied.iter().map(|d| plan_text::difference(l, d)).collect();
    let mut each = plan_text::at_most(l, varied);
    let streams = step.cells.first().map_or(0, |cell| cell.streams.len());
    for subject in pair {
        let subject = &subjects[subject];
        let own: Vec<&OwnKnob> = subject.knobs.iter().filter(|k| k.step == step.name).collect();
        let named = |knob| say!(l, "with-knob", subject = &subject.name, knob);
        each.extend(own_knobs(&own, streams).into_iter().map(named));
    }
    if each.is_empty() { String::new() } else { say!(l, "aside", what = l.clauses(&each)) }
}

/// A subject's own knobs in a step with this number of streams, in the order of its plan. A knob
/// with the same value in every stream is stated once.
fn own_knobs(own: &[&OwnKnob], streams: usize) -> Vec<String> {
    let mut all = Vec::new();
    for knob in own {
        let alike = own.iter().filter(|k| (&k.knob, &k.value) == (&knob.knob, &knob.value));
        let text = match streams > 1 && alike.count() == streams {
            true => format!("{} = {}", knob.knob, knob.value),
            false => format!("{}.{} = {}", knob.stream, knob.knob, knob.value),
        };
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// A claim as a sentence with its basis.
pub fn claim(
    l: Language,
    subjects: &Subjects,
    step: &StepFacts,
    claim: &Claim,
) -> (String, String) {
    let comparison = &claim.comparison;
    let mut basis = vec![step.title.text(l)];
    basis.extend(calculation(l, step, comparison));
    let (repeats, comparisons) = (comparison.repeats, claim.family);
    basis.push(say!(l, "claim-family", repeats, comparisons));
    if let Some((better, worse)) = comparison.sessions {
        basis.push(say!(l, "claim-sessions", better, worse));
    }
    basis.extend(claim.scope.as_ref().map(|scope| drives(l, scope)));
    if claim.of_points > 1 {
        basis.push(say!(l, "claim-largest-of", points = claim.of_points));
    }
    if step.is_untested_for_drift() {
        let window = units::duration(step.window_ns.unwrap_or(0));
        basis.push(say!(l, "claim-untested", window));
    }
    if comparison.standing == Standing::AtLeast {
        let better = &subjects[comparison.better].name;
        let in_memory = |cell: &CellFacts| {
            let limit = cell.limit.as_ref().map(|verdict| verdict.limit);
            cell.subject == comparison.better && limit == Some(Bottleneck::NoDrive)
        };
        basis.push(match step.cells.iter().any(in_memory) {
            true => say!(l, "claim-no-drive", better),
            false => say!(l, "claim-host-limited", better),
        });
    }
    (sentence(l, subjects, step, comparison), l.clauses(&basis))
}

/// The drives for which a claim holds.
fn drives(l: Language, scope: &ClaimScope) -> String {
    match scope {
        ClaimScope::OneDevice => say!(l, "on-one-device"),
        ClaimScope::TwoDrives => say!(l, "of-these-two-drives"),
        ClaimScope::OfGroups(a, b) => say!(l, "of-two-drives", first = a, other = b),
        ClaimScope::Each(count) => say!(l, "drives-each", count = *count),
        ClaimScope::TheseDrives => say!(l, "of-these-drives"),
    }
}

/// Two figures as printed, each in the metric's base unit and as text.
type PrintedPair = [(f64, String); 2];

/// The figures of a comparison at a point, as printed: those in the table, unless the difference is
/// between other figures, which are then stated.
fn compared_figures(
    l: Language,
    step: &StepFacts,
    comparison: &Comparison,
) -> Option<(PrintedPair, Option<String>)> {
    let StepPlace::Value(value) = comparison.at else { return None };
    let metric = &comparison.metric;
    let cells = (step.cell(comparison.better, value)?, step.cell(comparison.worse, value)?);
    let shown = printed_both(l, metric, step, cells)?;
    let given = |cell: &CellFacts| metric.of(step, cell).is_some_and(|(e, _)| e.digits.is_some());
    let adjusted = comparison.levels.filter(|_| !given(cells.0) && !given(cells.1));
    let adjusted = adjusted.and_then(|(own, other)| printed_values(l, metric, own, other));
    Some(match adjusted {
        Some(adjusted) if adjusted != shown => {
            let all = |cell: &CellFacts| cell.repeats.len() == comparison.repeats;
            let how = match all(cells.0) && all(cells.1) {
                true => say!(l, "adjusted-for-order"),
                false => say!(l, "of-common-repeats"),
            };
            (adjusted, Some(how))
        }
        _ => (shown, None),
    })
}

/// "120,000 and 100,000", the subject with the lower key first; None for a mean.
pub fn figures_beside(l: Language, step: &StepFacts, comparison: &Comparison) -> Option<String> {
    let ([(_, own), (_, other)], _) = compared_figures(l, step, comparison)?;
    Some(match comparison.better < comparison.worse {
        true => say!(l, "figures-beside", own, other),
        false => say!(l, "figures-beside", own = other, other = own),
    })
}

/// "892,202 against 735,861 ops/s"; for latencies also the absolute difference: "169 against 277
/// µs, 108 µs less".
fn calculation(l: Language, step: &StepFacts, comparison: &Comparison) -> Option<String> {
    let metric = &comparison.metric;
    let ([(own, own_text), (other, other_text)], how) = compared_figures(l, step, comparison)?;
    let formula = comparison.formula();
    let times = dyno_core::stats::percent::times_as_good(own, other, metric.better())?;
    let sum = format!(
        "{} = {}",
        formula.calculation(metric.better(), &own_text, &other_text),
        l.number(&formula.result(times))
    );
    let sum = match metric.is_latency() {
        true => {
            let less = printed_latency(l, (other - own).max(0.0)).1;
            say!(l, "calculation-less", calculation = sum, difference = less)
        }
        false => sum,
    };
    Some(match how {
        Some(how) => say!(l, "calculation-how", calculation = sum, how),
        None => sum,
    })
}

/// "Reads beside writes: A has the lower p99 read latency up to 400 MB/s, B from 640 MB/s on".
pub fn crossover(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    crossover: &Crossover,
) -> String {
    let step = &measured.steps[crossover.step];
    of_step(l, step, crossed(l, subjects, step, crossover))
}

/// A sentence about a step, after its name: "4 KiB reads: …".
pub fn of_step(l: Language, step: &StepFacts, sentence: String) -> String {
    say!(l, "of-step", step = &step.title, sentence)
}

/// A sentence with its full stop.
pub fn stopped(l: Language, sentence: String) -> String {
    say!(l, "full-stop", sentence)
}

/// Sentences joined by spaces.
pub fn sentences(l: Language, all: impl IntoIterator<Item = String>) -> String {
    all.into_iter().collect::<Vec<_>>().join(&say!(l, "between-sentences"))
}

/// The same within the step's own part.
pub fn crossed(
    l: Language,
    subjects: &Subjects,
    step: &StepFacts,
    crossover: &Crossover,
) -> String {
    let amount = |value| place::amount(l, step, value);
    let (from, until) = (amount(crossover.from), amount(crossover.until));
    let (before, after) = (&subjects[crossover.before].name, &subjects[crossover.after].name);
    let what = metric(l, &crossover.metric, step);
    match crossover.metric.better() {
        Better::Lower => say!(l, "crossed-lower", before, what, until, after, from),
        Better::Higher => say!(l, "crossed-higher", before, what, until, after, from),
    }
}

/// Start of a run; for imported figures, if the source gives it.
pub fn when_measured(l: Language, run: &RunFacts) -> String {
    match run.is_imported() && run.started_unix_ns == 0 {
        true => say!(l, "date-not-given"),
        false => l.moment(run.started_unix_ns),
    }
}

/// Why subjects are not compared, pair by pair.
pub fn not_comparable(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
) -> Vec<String> {
    comparisons.barred.iter().map(|bar| barred(l, subjects, measured, bar)).collect()
}

/// Why two subjects are not compared.
pub fn barred(l: Language, subjects: &Subjects, measured: &MeasuredFacts, bar: &Barred) -> String {
    let (first, other) = (&subjects[bar.pair.0].name, &subjects[bar.pair.1].name);
    let each = differences(l, subjects, bar);
    match bar.step {
        Some(step) => say!(
            l,
            "not-comparable-in",
            other,
            first,
            step = &measured.steps[step].title,
            differences = each
        ),
        None => say!(l, "not-comparable", other, first, differences = each),
    }
}

/// The same in one clause for the first page, with the names of what differs: its values are in the
/// section of differences.
pub fn barred_by(l: Language, subjects: &Subjects, bar: &Barred) -> String {
    let (first, other) = (&subjects[bar.pair.0].name, &subjects[bar.pair.1].name);
    let name = |d: &Difference| match &d.what {
        Condition::Plan(field) => plan_text::field(l, field),
        other => condition_text::condition(l, other),
    };
    let mut names: Vec<String> = bar.differences.iter().map(name).collect();
    names.dedup();
    let names = l.list(&plan_text::at_most(l, names));
    say!(l, "barred-by", first, other, names)
}

/// The differences between them: "RocksDB: version differs, 9.1 (A), 9.2 (B)".
pub fn differences(l: Language, subjects: &Subjects, bar: &Barred) -> String {
    let differs = |d: &Difference| match (&d.what, &d.values[..]) {
        // In the order of the sentence, which names the second subject first.
        (Condition::Plan(field), [(ConditionValue::Plan(a), _), (ConditionValue::Plan(b), _)]) => {
            plan_text::against(l, field, [b, a])
        }
        _ => {
            let values = condition_text::values(l, subjects, d);
            say!(l, "differs", what = condition_text::condition(l, &d.what), values)
        }
    };
    let all = bar.differences.iter().map(differs).collect();
    plan_text::at_most(l, all).join(&say!(l, "between-clauses"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::keys::{StepKey, SubjectKey};
    use dyno_core::plan::model::PartOf;

    fn of(metric: Metric, factors: (f64, f64, f64), standing: Standing) -> String {
        let (factor, low, high) = factors;
        let (better, worse, repeats) = (SubjectKey(0), SubjectKey(1), 5);
        difference(
            Language::ENGLISH,
            &Comparison {
                step: StepKey(0),
                metric,
                at: StepPlace::Mean,
                better,
                worse,
                factor,
                interval: Some((low, high)),
                levels: None,
                repeats,
                sessions: None,
                standing,
                over: MeanOver::Points(2),
                varied: Vec::new(),
            },
        )
    }

    /// A plan may set them knob by knob or stream by stream.
    #[test]
    fn an_own_knob_that_every_stream_has_is_stated_once_in_either_order_of_the_plan() {
        let knob = |stream: &str, knob: &str, value: u64| OwnKnob {
            step: "mixed".into(),
            stream: stream.into(),
            of: PartOf::Engine,
            knob: knob.into(),
            value: value.into(),
        };
        let [a, b] = [knob("read", "sqpoll", 1), knob("write", "sqpoll", 1)];
        let [c, d] = [knob("read", "batch", 8), knob("write", "batch", 8)];
        assert_eq!(own_knobs(&[&a, &b, &c, &d], 2), ["sqpoll = 1", "batch = 8"]);
        assert_eq!(own_knobs(&[&a, &c, &b, &d], 2), ["sqpoll = 1", "batch = 8"]);
        assert_eq!(own_knobs(&[&a, &c, &b], 2), ["sqpoll = 1", "read.batch = 8"]);
    }

    #[test]
    fn digits_follow_the_interval_and_a_claim_never_touches_zero() {
        let ops = || Metric::total(PointFigure::Ops);
        assert_eq!(of(ops(), (1.2124, 1.19, 1.235), Standing::Claimed), "21.2 % [19.0, 23.5]");
        assert_eq!(of(ops(), (4.3115, 1.85, 9.84), Standing::Claimed), "330 % [80, 890]");
        assert_eq!(of(ops(), (1.05, 1.000_4, 1.11), Standing::Claimed), "5.0 % [0.04, 11.0]");
        assert_eq!(of(ops(), (3.0, 2.5, 3.6), Standing::AtLeast), "≥ 150 % [150, 260]");
        assert_eq!(of(ops(), (10.0, 9.9, 10.1), Standing::Claimed), "900 % [890, 910]");
        assert_eq!(of(ops(), (42.3, 40.1, 44.9), Standing::Claimed), "42.3 × [40.1, 44.9]");
        assert_eq!(
            of(Metric::p99(), (42.3, 40.1, 44.9), Standing::Claimed),
            "97.63 % [97.50, 97.78]"
        );
        assert_eq!(of(ops(), (1.004, 0.98, 1.03), Standing::NotShown), "0.4 % [−2.0, 3.0]");
        assert_eq!(of(Metric::p99(), (2.0, 1.9, 2.1), Standing::Claimed), "50.0 % [47.3, 52.4]");
    }
}
