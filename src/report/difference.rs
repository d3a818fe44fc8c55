//! A subject held against the first one, and the sentences that may be made of it. Where the interval of a difference
//! spans zero, or where there is none, nothing is claimed.

use super::facts::{CellFacts, Facts, StepFacts};
use super::reading::{ClassSummary, P99};
use super::words;
use crate::plan::Field;
use crate::stats::{Better, Comparison, Estimate, compare};

/// (subject ÷ first − 1), in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    pub percent: f64,
    /// The 95 % interval; nothing where there are too few observations for one.
    pub interval: Option<(f64, f64)>,
    /// Of p99 response times, at points that ask for a rate; otherwise of ops/s.
    pub of_p99: bool,
}

/// Which way a difference points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    More,
    Less,
    /// The interval spans zero, or there is none.
    NoClaim,
}

impl Difference {
    /// Nothing where the two are not comparable.
    fn of(comparison: &Comparison, of_p99: bool) -> Option<Difference> {
        let ratio = &comparison.ratio;
        let percent = |ratio: f64| (ratio - 1.0) * 100.0;
        let interval = ratio.has_interval().then(|| (percent(ratio.low), percent(ratio.high)));
        (ratio.n > 0).then(|| Difference { percent: percent(ratio.value), interval, of_p99 })
    }

    pub fn verdict(&self) -> Verdict {
        match self.interval {
            Some((low, _)) if low > 0.0 => Verdict::More,
            Some((_, high)) if high < 0.0 => Verdict::Less,
            _ => Verdict::NoClaim,
        }
    }

    /// "+12 % [+11, +14] ▲", or "p99 +12 % …"
    pub fn show(&self) -> String {
        let what = if self.of_p99 { "p99 " } else { "" };
        let Some((low, high)) = self.interval else {
            return format!("{what}{}  ", words::signed_percent(self.percent));
        };
        // A narrow interval needs a decimal to be seen at all.
        let number = |percent: f64| match high - low < 2.0 && percent.abs() < 99.95 {
            true => format!("{}{:.1}", if percent < 0.0 { '−' } else { '+' }, percent.abs()),
            false => words::signed(percent),
        };
        let mark = match self.verdict() {
            Verdict::More => '▲',
            Verdict::Less => '▼',
            Verdict::NoClaim => '≈',
        };
        format!("{what}{} % [{}, {}] {mark}", number(self.percent), number(low), number(high))
    }

    fn ratio(&self) -> f64 {
        1.0 + self.percent / 100.0
    }
}

/// The cell held against the first subject at the same axis value: ops/s in closed loop; p99 response time in open
/// loop, where ops/s are as asked.
pub fn difference(step: &StepFacts, cell: &CellFacts) -> Option<Difference> {
    let first = step.cell(0, cell.value).filter(|_| cell.subject != 0)?;
    let of_p99 = [cell, first].iter().any(|c| c.total.as_ref().is_some_and(|t| t.asked.is_some()));
    Difference::of(&held(step, cell, first, of_p99)?, of_p99)
}

/// One cell over another, in ops/s or p99.
pub fn held(step: &StepFacts, cell: &CellFacts, other: &CellFacts, of_p99: bool) -> Option<Comparison> {
    let (mine, theirs) = (measure(step, cell, of_p99)?, measure(step, other, of_p99)?);
    let better = if of_p99 { Better::Lower } else { Better::Higher };
    let paired = cell.bundle == other.bundle && cell.interleaved && cell.repeats == other.repeats;
    // One repeat has no spread of its own; the estimates know what there was within it.
    Some(match mine.1.len().min(theirs.1.len()) {
        0 | 1 => compare::estimates(mine.0, theirs.0, better),
        _ => compare::repeats(mine.1, theirs.1, paired, better),
    })
}

/// Why nothing may be claimed of a cell.
pub fn marked(facts: &Facts, step: &StepFacts, cell: &CellFacts) -> Option<String> {
    let at = &step.values[cell.value].label;
    let subject = &facts.subjects[cell.subject];
    let Some(total) = &cell.total else { return Some("it was not measured".to_string()) };
    let failed = |f: &&super::facts::Failure| f.subject == *subject && f.step == step.title && f.at == *at;
    let failures = facts.failures.iter().filter(failed).count();
    if failures > 0 {
        return Some(format!("{failures} of its repeats failed"));
    }
    if let Some(percent) = cell.drift_percent {
        return Some(format!("its ops/s drifted by {} over the window", words::signed_percent(percent)));
    }
    if let Some(verdict) = cell.limit.as_ref().filter(|v| v.limit.bars_ranking()) {
        return Some(format!("it was limited by {}: {}", verdict.limit.name(), verdict.evidence));
    }
    let reached = total.achieved().filter(|share| *share < 0.99)?;
    Some(format!("it reached {:.1} % of the asked rate", reached * 100.0))
}

/// Every marked cell and why.
pub fn all_marks(facts: &Facts) -> Vec<String> {
    let mut all = Vec::new();
    for step in &facts.steps {
        for cell in &step.cells {
            let Some(why) = marked(facts, step, cell) else { continue };
            all.push(format!("{}{}, {}: {why}", step.title, place(step, &[cell.value]), facts.subjects[cell.subject]));
        }
    }
    all
}

/// What is compared: its estimate, and the repeats behind it.
fn measure<'a>(step: &StepFacts, cell: &'a CellFacts, of_p99: bool) -> Option<(&'a Estimate, &'a [f64])> {
    let total = cell.total.as_ref()?;
    if !of_p99 {
        return Some((&total.ops_per_s, &total.by_repeat));
    }
    let times = total.class(step.class).map(ClassSummary::felt)?;
    Some((times.percentiles_ns[P99].as_ref()?, &times.p99_by_repeat))
}

pub fn footnote(first: &str) -> String {
    format!(
        "Difference = (subject ÷ {first} − 1) × 100 %, of ops/s, or of p99 response time where a rate was asked for; in \
         brackets its 95 % interval. Seen from the other side it is ({first} ÷ subject − 1) × 100 %: +25 % one way is \
         −20 % the other. ▲ more, ▼ less, ≈ the interval spans zero, so no claim; without an interval none is made \
         either."
    )
}

/// What may be said of a step, made from its differences alone.
pub fn sentences(facts: &Facts, step: &StepFacts) -> Vec<String> {
    let mut all = Vec::new();
    for subject in 1..facts.subjects.len() {
        let cells = || facts.cells_of(step, subject).into_iter().flatten();
        let other = |c: &CellFacts| step.cell(0, c.value).is_some_and(CellFacts::is_not_the_drives);
        let (barred, ranked): (Vec<&CellFacts>, Vec<&CellFacts>) =
            cells().partition(|c| c.is_not_the_drives() || other(c));
        if !barred.is_empty() {
            let values: Vec<usize> = barred.iter().map(|c| c.value).collect();
            let (name, first, at) = (&facts.subjects[subject], &facts.subjects[0], place(step, &values));
            all.push(format!("{name} and {first} are not ranked{at}: something other than the drive set the numbers."));
        }
        let cells = ranked.into_iter();
        let found: Vec<(usize, Difference)> = cells.filter_map(|c| difference(step, c).map(|d| (c.value, d))).collect();
        for of_p99 in [false, true] {
            let alike: Vec<_> = found.iter().filter(|(_, d)| d.of_p99 == of_p99).copied().collect();
            all.extend(about(step, &facts.subjects[subject], &facts.subjects[0], &alike));
        }
    }
    all
}

fn about(step: &StepFacts, subject: &str, first: &str, found: &[(usize, Difference)]) -> Vec<String> {
    let of = |verdict| found.iter().filter(|(_, d)| d.verdict() == verdict).copied().collect::<Vec<_>>();
    let (more, less) = (of(Verdict::More), of(Verdict::Less));
    let open: Vec<usize> =
        of(Verdict::NoClaim).into_iter().filter(|(_, d)| d.interval.is_some()).map(|(value, _)| value).collect();
    let bare = found.iter().filter(|(_, d)| d.interval.is_none()).count();
    let mut all = Vec::new();
    for (group, up) in [(&more, true), (&less, false)] {
        if !group.is_empty() {
            let ratios: Vec<f64> = group.iter().map(|(_, d)| d.ratio()).collect();
            let values: Vec<usize> = group.iter().map(|(value, _)| *value).collect();
            all.push(format!("{}{}.", claim(group[0].1.of_p99, subject, first, &ratios, up), place(step, &values)));
        }
    }
    if !open.is_empty() {
        let what = if found[0].1.of_p99 { "p99 response time" } else { "operations a second" };
        let at = place(step, &open);
        all.push(format!("{subject} and {first} cannot be told apart in {what}{at}: the interval spans zero."));
    }
    if bare > 0 && all.is_empty() {
        all.push(format!("{subject} against {first}: too few observations for an interval, so nothing is claimed."));
    }
    all
}

/// Ratios of two and more are said as factors, smaller ones in percent.
fn claim(of_p99: bool, subject: &str, first: &str, ratios: &[f64], up: bool) -> String {
    let (low, high) = ratios.iter().fold((f64::MAX, f64::MIN), |(l, h), r| (l.min(*r), h.max(*r)));
    let (big, small) = if up { (subject, first) } else { (first, subject) };
    let (from, to) = if up { (low, high) } else { (1.0 / high, 1.0 / low) };
    if from >= 2.0 {
        let factor = span(&format!("{from:.1}"), &format!("{to:.1}"), " ×");
        return match of_p99 {
            true => format!("{big} has {factor} the p99 response time of {small}"),
            false => format!("{big} does {factor} the operations of {small}"),
        };
    }
    let (near, far) = if up { (low - 1.0, high - 1.0) } else { (1.0 - high, 1.0 - low) };
    let percent = span(&share(near), &share(far), " %");
    match (of_p99, up) {
        (false, true) => format!("{subject} does {percent} more operations a second than {first}"),
        (false, false) => format!("{subject} does {percent} fewer operations a second than {first}"),
        (true, true) => format!("The p99 response time of {subject} is {percent} longer than that of {first}"),
        (true, false) => format!("The p99 response time of {subject} is {percent} shorter than that of {first}"),
    }
}

fn share(ratio: f64) -> String {
    let percent = ratio * 100.0;
    if percent < 9.95 { format!("{percent:.1}") } else { format!("{percent:.0}") }
}

/// "3.1 to 3.3 ×", or "3.1 ×" where both ends read alike.
fn span(from: &str, to: &str, unit: &str) -> String {
    if from == to { format!("{from}{unit}") } else { format!("{from} to {to}{unit}") }
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
        Field::Block => ("block size", "blocks of ", ""),
    };
    if labels.len() == step.values.len() && labels.len() > 2 {
        return format!(" at every {each} ({} to {})", labels[0], labels[labels.len() - 1]);
    }
    let after = if labels == ["1"] { after.trim_end_matches('s') } else { after };
    format!(" at {before}{}{after}", words::list(&labels))
}
