//! Judgements of published claims in words, with the arithmetic written out.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::analysis::facts::Facts;
use crate::analysis::point_summary::{ClassSummary, P99};
use crate::base::units;
use crate::stats::Better;
use crate::stats::audit::{Figure, Formula, Judgement, Pair, Stated, Table, Verdict};

/// What claims are held against: the figures of one published table, or of one step of a bundle.
pub struct Dataset {
    pub name: String,
    /// What a row's place counts, such as "threads".
    pub at_label: String,
    pub metrics: BTreeMap<String, Table>,
}

impl Dataset {
    /// The figures of a metric, or those of the first column divided by those of the second.
    pub fn table(&self, metric: &str, ratio: Option<&[String; 2]>) -> Table {
        let of = |name: &str| self.metrics.get(name).cloned().unwrap_or_default();
        let Some([over, under]) = ratio else { return of(metric) };
        let under = of(under);
        let divided = of(over).rows.into_iter().filter_map(|(subject, at, a)| {
            let b = under.rows.iter().find(|(s, p, _)| *s == subject && *p == at)?.2;
            let value = a.value / b.value;
            let rounding = value * (a.rounding / a.value + b.rounding / b.value);
            Some((subject, at, Figure { value, rounding }))
        });
        Table { rows: divided.collect() }
    }
}

/// A bundle's steps: `ops_per_s` and `p99_us` of the headline streams. They were measured, so nothing is rounded.
pub fn of_bundle(facts: &Facts) -> Vec<Dataset> {
    let dataset = |step: &crate::analysis::facts::StepFacts| {
        let mut metrics: BTreeMap<String, Table> = BTreeMap::new();
        for cell in &step.cells {
            let Some(total) = &cell.total else { continue };
            let p99 = total.class(step.class).map(ClassSummary::user_latency).and_then(|l| l.percentiles_ns[P99].as_ref());
            let figures = [("ops_per_s", Some(total.ops_per_s.value)), ("p99_us", p99.map(|e| e.value / 1e3))];
            for (name, value) in figures {
                let Some(value) = value else { continue };
                let at = step.values[cell.value].number.to_string();
                let row = (facts.subjects[cell.subject].clone(), at, Figure { value, rounding: 0.0 });
                metrics.entry(name.to_string()).or_default().rows.push(row);
            }
        }
        Dataset { name: step.name.clone(), at_label: step.axis_label().to_string(), metrics }
    };
    facts.steps.iter().map(dataset).collect()
}

/// The judgement, a line for each thing found.
pub fn describe(stated: &Stated, judged: &Judgement, metric: &str, at_label: &str) -> String {
    let verdicts: Vec<&str> = judged.verdicts.iter().map(|v| v.words()).collect();
    let mut out = format!("   {}\n", verdicts.join("; ").to_uppercase());
    let mut line = |text: String| {
        let _ = writeln!(out, "     {text}");
    };
    let Some(about) = &judged.about else {
        line(format!("no {metric} of {} where the claim says", stated.subject));
        return out;
    };
    let sum = |pair: &Pair, formula| {
        format!("{}, {} = {}", place(pair, at_label), formula_name(formula), sum(stated, pair, formula))
    };
    if stated.value.is_some() {
        line(sum(about, stated.formula));
        if judged.verdicts.contains(&Verdict::RoundsUp) {
            let weaker = weaker(about.by(stated.formula), stated.decimals);
            line(format!("rounded towards the weaker claim it is {weaker}{}", unit(stated.formula)));
        }
        let (low, high) = about.range(stated.formula, stated.better);
        if high - low > 0.3 && stated.formula != Formula::Factor {
            line(format!(
                "the printed figures are rounded themselves: anything from {low:.1} to {high:.1} % fits them"
            ));
        }
    }
    if let Some(maximum) = &judged.maximum {
        line(format!("the maximum is elsewhere: {}", sum(maximum, stated.formula)));
    }
    for (pair, formula) in &judged.occurs {
        line(format!("the stated value occurs: {}", sum(pair, *formula)));
    }
    if stated.value.is_some() && !judged.verdicts.contains(&Verdict::WrongFormula) && stated.better == Better::Lower {
        let other = if stated.formula == Formula::Gain { Formula::Reduction } else { Formula::Gain };
        line(format!("by the other formula: {} = {}", formula_name(other), self::sum(stated, about, other)));
    }
    for pair in &judged.worse {
        let (own, other) = (figure(pair.own.value), figure(pair.other.value));
        let what = format!("{metric} {own} against {other}");
        line(format!("elsewhere {} is worse: {}, {what}", stated.subject, place(pair, at_label)));
    }
    out
}

fn formula_name(formula: Formula) -> &'static str {
    formula.name()
}

fn place(pair: &Pair, at_label: &str) -> String {
    format!("{} {at_label} against {}", pair.at, pair.rival)
}

/// "892,202 ÷ 735,861 − 1 = 21.25 %".
fn sum(stated: &Stated, pair: &Pair, formula: Formula) -> String {
    let (own, other) = (figure(pair.own.value), figure(pair.other.value));
    let (superior, inferior) = if stated.better == Better::Higher { (own, other) } else { (other, own) };
    let value = pair.by(formula);
    match formula {
        Formula::Gain => format!("{superior} ÷ {inferior} − 1 = {value:.2} %"),
        Formula::Reduction => format!("1 − {inferior} ÷ {superior} = {value:.2} %"),
        Formula::Factor => format!("{superior} ÷ {inferior} = {value:.3} ×"),
    }
}

fn unit(formula: Formula) -> &'static str {
    if formula == Formula::Factor { " ×" } else { " %" }
}

/// Cut off after as many decimals as were printed: never more than was found.
fn weaker(value: f64, decimals: u32) -> String {
    let scale = 10f64.powi(decimals as i32);
    format!("{:.*}", decimals as usize, (value * scale + 1e-9).floor() / scale)
}

/// A figure as a table prints it.
fn figure(value: f64) -> String {
    match value {
        _ if value.fract() == 0.0 || value >= 1e4 => units::grouped(value.round() as u64),
        _ if value >= 100.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}
