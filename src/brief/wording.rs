//! Comparisons and claims in words and numbers. Every form of report prints a difference by
//! `difference`, so that one comparison has one number and one interval wherever it stands.

use super::number_format;
use crate::analysis::alike;
use crate::analysis::claims::{Claim, Crossover};
use crate::analysis::compare::{At, Comparison, Standing};
use crate::analysis::conditions::Barred;
use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::analysis::metric::{Figure, Metric, NEW_ORDER};
use crate::analysis::point_summary::PERCENTILES;
use crate::base::units;
use crate::plan::Field;
use crate::stats::percent::Formula;
use crate::stats::{Better, Estimate};

/// "21 % [19, 24]": the value rounded towards the weaker claim, the ends of the interval outwards.
/// A claimed interval is never printed as touching zero.
pub fn difference(comparison: &Comparison) -> String {
    let [value, low, high] = comparison.printed();
    let at_least = if comparison.standing == Standing::AtLeast { "≥ " } else { "" };
    format!("{at_least}{value} % [{low}, {high}]")
}

/// For a table: who is better, by how much, and how that stands; of a latency, which.
pub fn in_table(facts: &Facts, comparison: &Comparison) -> String {
    let what = if comparison.metric.is_latency() {
        format!("{} ", comparison.metric.short())
    } else {
        String::new()
    };
    standing_of(facts, comparison, &what)
}

/// The same under a column's head that says which figure it is.
pub fn standing(facts: &Facts, comparison: &Comparison) -> String {
    standing_of(facts, comparison, "")
}

fn standing_of(facts: &Facts, comparison: &Comparison, what: &str) -> String {
    let by_how_much = difference(comparison);
    match comparison.standing {
        Standing::NotShown => format!("{what}{by_how_much} ≈"),
        Standing::NotTheDrives => format!("{what}{by_how_much} ‡"),
        Standing::Claimed | Standing::AtLeast => {
            format!("{} {what}{by_how_much} ▲", facts.subjects[comparison.better])
        }
    }
}

/// What the marks of `in_table` mean.
pub fn footnote() -> String {
    "Difference: the better subject, by how much, and the simultaneous 95 % interval; a gain \
     (superior ÷ inferior − 1) where higher is better, a reduction (1 − new ÷ old) for latencies. \
     ▲ shown, ≥ a lower bound (the better subject was limited by the host, not by its drive), ≈ \
     not distinguishable, ‡ not ranked: the worse subject was not limited by its drive. All \
     intervals of a brief hold together with a probability of 95 %."
        .to_string()
}

/// The comparison that a table shows for a cell: ops/s with the first subject, or p99 where a rate
/// was asked for.
pub fn of_cell<'a>(facts: &'a Facts, step: usize, cell: &CellFacts) -> Option<&'a Comparison> {
    let asked = |c: &CellFacts| c.total.as_ref().is_some_and(|t| t.asked.is_some());
    let metric = if asked(cell) { Metric::p99() } else { Metric::total(Figure::Ops) };
    facts.comparison(step, &metric, At::Value(cell.value), 0, cell.subject)
}

/// A metric in words: "ops/s", "p99 read latency", "reader-4 p99 response time".
pub fn metric(metric: &Metric, step: &StepFacts) -> String {
    let kind = if metric.is_open_loop(step) { "response time" } else { "latency" };
    let class = metric.class(step).map_or(String::new(), |c| format!("{} ", c.name()));
    let figure = match &metric.figure {
        Figure::Mean => format!("mean {class}{kind}"),
        Figure::Percentile(i) => format!("{} {class}{kind}", PERCENTILES[*i].0),
        Figure::OpsPerWatt(i) => format!("ops/s per watt ({}, {})", i.class, i.kind),
        Figure::MbPerWatt(i) => format!("MB/s per watt ({}, {})", i.class, i.kind),
        Figure::JoulesPerOp(i) => format!("energy per op ({}, {})", i.class, i.kind),
        Figure::PerMinute(class) if *class == NEW_ORDER => "New-Orders per minute".to_string(),
        _ => Metric::total(metric.figure.clone()).short(),
    };
    metric.part.name().map_or(figure.clone(), |part| format!("{part} {figure}"))
}

/// A cell's figure as it is printed, in the metric's base unit (ns, ops/s …), and the text.
pub fn printed(metric: &Metric, step: &StepFacts, cell: &CellFacts) -> Option<(f64, String)> {
    let Estimate { value, .. } = metric.of(step, cell)?.0;
    Some(printed_value(metric, value))
}

/// A value of a metric, in its base unit, as it is printed.
pub fn printed_value(metric: &Metric, value: f64) -> (f64, String) {
    match metric.figure {
        Figure::Mean | Figure::Percentile(_) => printed_latency(value),
        Figure::JoulesPerOp(_) => (value, number_format::joules(value)),
        Figure::Bytes => printed_rate(value / 1e6),
        _ => printed_rate(value),
    }
}

/// The same with its unit: "31,630 ops/s", "169 µs".
pub fn printed_with_unit(metric: &Metric, step: &StepFacts, cell: &CellFacts) -> Option<String> {
    let (_, text) = printed(metric, step, cell)?;
    Some(match metric.figure {
        Figure::Mean | Figure::Percentile(_) => {
            format!("{} {text}", Metric::total(metric.figure.clone()).short())
        }
        Figure::JoulesPerOp(_) => format!("{text} an op"),
        Figure::PerMinute(class) => format!("{text} {}s/min", class.name()),
        Figure::OpsPerWatt(_) => format!("{text} ops/s/W"),
        Figure::MbPerWatt(_) => format!("{text} MB/s/W"),
        Figure::Ops | Figure::Bytes => {
            format!("{text} {}", Metric::total(metric.figure.clone()).short())
        }
    })
}

fn printed_rate(rate: f64) -> (f64, String) {
    match rate < 1000.0 {
        true => ((rate * 100.0).round() / 100.0, format!("{rate:.2}")),
        false => (rate.round(), units::grouped(rate.round() as u64)),
    }
}

fn printed_latency(ns: f64) -> (f64, String) {
    let tenths = (ns / 100.0).round();
    let micros = match tenths % 10.0 == 0.0 {
        true => units::grouped((tenths / 10.0) as u64),
        false => format!("{}.{}", units::grouped((tenths / 10.0) as u64), tenths % 10.0),
    };
    // Below 100 µs a tenth of a microsecond is too coarse.
    match ns < 100_000.0 && tenths * 100.0 != ns {
        true => (ns.round(), format!("{} ns", units::grouped(ns.round() as u64))),
        false => (tenths * 100.0, format!("{micros} µs")),
    }
}

/// Where a comparison was made: " at 96 threads", " averaged over 6 points (8 to 128 threads)".
pub fn at(facts: &Facts, comparison: &Comparison) -> String {
    let step = &facts.steps[comparison.step];
    match comparison.at {
        At::Value(value) => place(step, &[value]),
        At::Load(ops) => format!(" at an equal load of {} ops/s", number_format::count(ops)),
        At::Latency(ns) => format!(" at an equal p99 of {}", units::latency(ns)),
        At::Limit => " within the latency limit".to_string(),
        At::Mean => {
            let alike =
                |c: &Comparison| (c.step, &c.metric) == (comparison.step, &comparison.metric);
            let of = |c: &&Comparison| alike(c) && c.is_of(comparison.better, comparison.worse);
            let own = || facts.comparisons.iter().filter(of);
            // Of a sweep of shares the mean is over equal loads; its maximum is a point by itself.
            match own().filter(|c| matches!(c.at, At::Load(_))).count() {
                0 => format!(
                    " on average over {} points",
                    own().filter(|c| c.at != At::Mean).count()
                ),
                loads => format!(" on average over {loads} equal loads"),
            }
        }
    }
}

/// "A delivers 21 % [19, 24] more ops/s than B at 96 threads".
pub fn sentence(facts: &Facts, comparison: &Comparison) -> String {
    joined(facts, &[comparison])
}

/// The same of several rivals of one subject, by one metric at one place: "… more ops/s than B and
/// 30 % [27, 33] more than C …".
pub fn joined(facts: &Facts, comparisons: &[&Comparison]) -> String {
    let Some(first) = comparisons.first() else { return String::new() };
    let step = &facts.steps[first.step];
    let by = |c: &Comparison| difference(c).replace("≥ ", "at least ");
    let (verb, more) = match (&first.metric.figure, first.metric.better()) {
        (Figure::JoulesPerOp(_), _) => ("uses", "less"),
        (_, Better::Lower) => ("has", "lower"),
        (_, Better::Higher) => ("delivers", "more"),
    };
    let (better, what) = (&facts.subjects[first.better], metric(&first.metric, step));
    let mut clauses =
        vec![format!("{} {more} {what} than {}", by(first), facts.subjects[first.worse])];
    let others = comparisons[1..]
        .iter()
        .map(|c| format!("{} {more} than {}", by(c), facts.subjects[c.worse]));
    clauses.extend(others);
    format!(
        "{better} {verb} {}{}{}",
        number_format::list(&clauses),
        at(facts, first),
        varied(facts, first)
    )
}

/// Differences that are the question, and knobs of a subject's own: " (step.read.block 65536,
/// against 4096)".
fn varied(facts: &Facts, comparison: &Comparison) -> String {
    let step = &facts.steps[comparison.step];
    let pair = [comparison.better, comparison.worse];
    let found = alike::likeness(facts, &step.name, pair[0], pair[1]).varied;
    let mut each: Vec<String> = found
        .iter()
        .map(|d| format!("{} {}, against {}", d.path, d.values[0], d.values[1]))
        .collect();
    for subject in pair {
        let plan = &facts.runs[facts.run_of[subject]].resolved;
        let own = plan
            .subjects
            .iter()
            .filter(|s| s.name == facts.own_names[subject])
            .flat_map(|s| &s.overrides);
        for knob in own.filter(|k| k.step == step.name) {
            each.push(format!(
                "{} with {}.{} = {}",
                facts.subjects[subject], knob.stream, knob.knob, knob.value
            ));
        }
    }
    if each.is_empty() { String::new() } else { format!(" ({})", each.join("; ")) }
}

/// A claim as a sentence with what it rests on.
pub fn claim(facts: &Facts, claim: &Claim<'_>) -> (String, String) {
    let comparison = claim.comparison;
    let step = &facts.steps[comparison.step];
    let mut basis = vec![step.title.clone()];
    basis.extend(calculation(facts, comparison));
    let searched = facts.searched();
    basis.push(format!(
        "{} repeats; interval simultaneous over {searched} comparisons",
        comparison.repeats
    ));
    basis.extend(super::basis::whose(facts, comparison));
    if claim.of_points > 1 {
        basis.push(format!("the largest of {} points that show it", claim.of_points));
    }
    if step.is_untested_for_drift() {
        basis.push(format!(
            "windows of {}, too short to test for drift",
            units::duration(step.window_ns)
        ));
    }
    if comparison.standing == Standing::AtLeast {
        basis.push(format!(
            "{} was limited by the host, so its drive could show more",
            facts.subjects[comparison.better]
        ));
    }
    (sentence(facts, comparison), basis.join("; "))
}

/// "892,202 against 735,861 ops/s"; of latencies the absolute difference as well: "169 against 277
/// µs, 108 µs less".
fn calculation(facts: &Facts, comparison: &Comparison) -> Option<String> {
    let (step, At::Value(value)) = (&facts.steps[comparison.step], comparison.at) else {
        return None;
    };
    let metric = &comparison.metric;
    let cells = (step.cell(comparison.better, value)?, step.cell(comparison.worse, value)?);
    let ((own, own_text), (other, other_text)) =
        (printed(metric, step, cells.0)?, printed(metric, step, cells.1)?);
    let formula = if metric.better() == Better::Lower { Formula::Reduction } else { Formula::Gain };
    let times = crate::stats::percent::times_as_good(own, other, metric.better())?;
    let sum = format!(
        "{} = {}",
        formula.calculation(metric.better(), &own_text, &other_text),
        formula.result(times)
    );
    Some(match metric.is_latency() {
        true => format!("{sum}, {} less", printed_latency((other - own).max(0.0)).1),
        false => sum,
    })
}

/// "Reads beside writes: A has the lower p99 read latency up to 400 MB/s, B from 640 MB/s on".
pub fn crossover(facts: &Facts, crossover: &Crossover) -> String {
    format!("{}: {}", facts.steps[crossover.step].title, crossed(facts, crossover))
}

/// The same within the step's own part.
pub fn crossed(facts: &Facts, crossover: &Crossover) -> String {
    let step = &facts.steps[crossover.step];
    let (from, until) = (&step.values[crossover.from].label, &step.values[crossover.until].label);
    let better = if crossover.metric.better() == Better::Lower { "lower" } else { "higher" };
    format!(
        "{} has the {better} {} up to {until}, {} from {from} on",
        facts.subjects[crossover.before],
        metric(&crossover.metric, step),
        facts.subjects[crossover.after],
    )
}

/// Why two subjects are not compared.
pub fn barred(facts: &Facts, bar: &Barred) -> String {
    let (first, other) = (&facts.subjects[bar.pair.0], &facts.subjects[bar.pair.1]);
    let step = bar.step.map_or(String::new(), |s| format!(" in {}", facts.steps[s].title));
    let each: Vec<String> =
        bar.differences.iter().map(|d| format!("{} differs, {}", d.what, d.values)).collect();
    let vary = if bar.step.is_some() { " (if that is the question, name it: --vary)" } else { "" };
    format!("{other} and {first} are not comparable{step}: {}{vary}.", each.join("; "))
}

/// Where on the axis: " at every depth (1 to 64)", " at 8, 16 and 32 threads".
pub fn place(step: &StepFacts, values: &[usize]) -> String {
    let Some(axis) = &step.axis else { return String::new() };
    let labels: Vec<String> = values.iter().map(|v| step.values[*v].label.clone()).collect();
    let (each, before, after) = match axis.field {
        Field::Threads => ("thread count", "", " threads"),
        Field::Depth => ("depth", "depth ", ""),
        Field::OpsPerSec => ("rate", "", " ops/s asked"),
        Field::BytesPerSec => ("rate", "", " asked"),
        Field::LoadPercent => ("load", "", " load"),
        Field::Instances => ("number of instances", "", " instances"),
        Field::Rates => ("multiple of the rates", "", " the rates"),
        Field::Block => ("block size", "blocks of ", ""),
    };
    if labels.len() == step.values.len() && labels.len() > 2 {
        return format!(" at every {each} ({} to {})", labels[0], labels[labels.len() - 1]);
    }
    let after = if labels == ["1"] { after.trim_end_matches('s') } else { after };
    format!(" at {before}{}{after}", number_format::list(&labels))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_what_is_computed_with() {
        assert_eq!(printed_rate(892_201.6), (892_202.0, "892,202".to_string()));
        assert_eq!(printed_rate(12.344), (12.34, "12.34".to_string()));
        assert_eq!(printed_latency(169_000.0), (169_000.0, "169 µs".to_string()));
        assert_eq!(printed_latency(1_234_560.0), (1_234_600.0, "1,234.6 µs".to_string()));
        assert_eq!(printed_latency(8_123.4), (8_123.0, "8,123 ns".to_string()));
    }

    fn of(metric: Metric, factors: (f64, f64, f64), standing: Standing) -> String {
        let (factor, low, high) = factors;
        let (better, worse, repeats) = (0, 1, 5);
        difference(&Comparison {
            step: 0,
            metric,
            at: At::Mean,
            better,
            worse,
            factor,
            low,
            high,
            repeats,
            standing,
        })
    }

    #[test]
    fn digits_follow_the_interval_and_a_claim_never_touches_zero() {
        let ops = || Metric::total(Figure::Ops);
        assert_eq!(of(ops(), (1.2124, 1.19, 1.235), Standing::Claimed), "21.2 % [19.0, 23.5]");
        assert_eq!(of(ops(), (4.3115, 1.85, 9.84), Standing::Claimed), "330 % [80, 890]");
        assert_eq!(of(ops(), (1.05, 1.000_4, 1.11), Standing::Claimed), "5.0 % [0.04, 11.0]");
        assert_eq!(of(ops(), (3.0, 2.5, 3.6), Standing::AtLeast), "≥ 150 % [150, 260]");
        assert_eq!(of(ops(), (1.004, 0.98, 1.03), Standing::NotShown), "0.4 % [−2.0, 3.0]");
        assert_eq!(of(Metric::p99(), (2.0, 1.9, 2.1), Standing::Claimed), "50.0 % [47.3, 52.4]");
    }
}
