//! A subject held against the first one, and the sentences that may be made of it. Where the interval of a difference
//! spans zero, or where there is none, nothing is claimed.

use super::facts::{CellFacts, Facts, StepFacts};
use super::fairness;
use super::measure::Measure;
use super::reading::RATE_KEPT;
use super::words;
use crate::plan::Field;
use crate::stats::{Better, Comparison, compare};

/// (subject ÷ first − 1), in percent.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub percent: f64,
    /// The 95 % interval; nothing where there are too few observations for one.
    pub interval: Option<(f64, f64)>,
    /// p99 response times at points that ask for a rate; otherwise ops/s.
    pub measure: Measure,
    /// Whether the two were treated alike, so that one may be put above the other.
    pub is_fair: bool,
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
    fn of(comparison: &Comparison, measure: Measure, is_fair: bool) -> Option<Difference> {
        let ratio = &comparison.ratio;
        let percent = |ratio: f64| (ratio - 1.0) * 100.0;
        let interval = ratio.has_interval().then(|| (percent(ratio.low), percent(ratio.high)));
        (ratio.n > 0).then(|| Difference { percent: percent(ratio.value), interval, measure, is_fair })
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
        let what = if self.measure == Measure::P99 { "p99 " } else { "" };
        let Some((low, high)) = self.interval else {
            return format!("{what}{}  ", words::signed_percent(self.percent));
        };
        // A narrow interval needs a decimal to be seen at all.
        let number = |percent: f64| match high - low < 2.0 && percent.abs() < 99.95 {
            true => format!("{}{:.1}", if percent < 0.0 { '−' } else { '+' }, percent.abs()),
            false => words::signed(percent),
        };
        let mark = match self.verdict() {
            _ if !self.is_fair => '‡',
            Verdict::More => '▲',
            Verdict::Less => '▼',
            Verdict::NoClaim => '≈',
        };
        format!("{what}{} % [{}, {}] {mark}", number(self.percent), number(low), number(high))
    }
}

/// The cell held against the first subject at the same axis value: ops/s in closed loop; p99 response time in open
/// loop, where ops/s are as asked.
pub fn difference(facts: &Facts, step: &StepFacts, cell: &CellFacts) -> Option<Difference> {
    let first = step.cell(0, cell.value).filter(|_| cell.subject != 0)?;
    let is_fair = fairness::bars(facts, 0, cell.subject).is_none();
    let measure = if [cell, first].iter().any(|c| is_asked(c)) { Measure::P99 } else { Measure::Ops };
    Difference::of(&held(step, cell, first, &measure)?, measure, is_fair)
}

/// Whether a rate was asked for.
fn is_asked(cell: &CellFacts) -> bool {
    cell.total.as_ref().is_some_and(|t| t.asked.is_some())
}

/// One cell over another.
pub fn held(step: &StepFacts, cell: &CellFacts, other: &CellFacts, measure: &Measure) -> Option<Comparison> {
    let (mine, theirs) = (measure.of(step, cell)?, measure.of(step, other)?);
    let better = measure.better();
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
    if unsteady(facts, cell.subject) {
        return Some("its drive had not come to a steady state".to_string());
    }
    if let Some(percent) = cell.drift_percent {
        return Some(format!("its ops/s drifted by {} over the window", words::signed_percent(percent)));
    }
    if let Some(verdict) = cell.limit.as_ref().filter(|v| v.limit.bars_ranking()) {
        return Some(format!("it was limited by {}: {}", verdict.limit.name(), verdict.evidence));
    }
    let reached = total.achieved().filter(|share| *share < RATE_KEPT)?;
    Some(format!("it reached {:.1} % of the asked rate", reached * 100.0))
}

/// Whether a drive of the subject was prepared until steady, and last was not.
fn unsteady(facts: &Facts, subject: usize) -> bool {
    let own = || {
        facts.prepared.iter().filter(|(s, _)| *s == subject).filter_map(|(_, p)| Some((p.drive, p.steady.as_ref()?)))
    };
    own().any(|(drive, _)| own().rfind(|(d, _)| *d == drive).is_some_and(|(_, state)| !state.reached()))
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

pub fn footnote(first: &str) -> String {
    format!(
        "Difference = (subject ÷ {first} − 1) × 100 %, of ops/s, or of p99 response time where a rate was asked for; in \
         brackets its own 95 % interval. Seen from the other side it is ({first} ÷ subject − 1) × 100 %: +25 % one way is \
         −20 % the other. ▲ more, ▼ less, ≈ the interval spans zero, ‡ not ranked, since the two were not treated alike. A mark stands for its own row; sentences are made \
         only of differences that stay clear of chance once all those of a step are counted, and none without an interval."
    )
}

/// What may be said of a step, made from its comparisons alone: of ops/s where no rate was asked for, of p99, and of ops/s
/// per watt. All comparisons of one figure in a step are one family, whose verdicts are corrected for its size; marked points are left
/// out.
pub fn sentences(facts: &Facts, step: &StepFacts) -> Vec<String> {
    let mut all = Vec::new();
    for subject in 1..facts.subjects.len() {
        if let Some(unfair) = fairness::bars(facts, 0, subject) {
            all.push(unfair.said(facts));
            continue;
        }
        let barred =
            |c: &&CellFacts| c.is_not_the_drives() || step.cell(0, c.value).is_some_and(CellFacts::is_not_the_drives);
        let values: Vec<usize> =
            facts.cells_of(step, subject).into_iter().flatten().filter(barred).map(|c| c.value).collect();
        if !values.is_empty() {
            let (name, first, at) = (&facts.subjects[subject], &facts.subjects[0], place(step, &values));
            all.push(format!("{name} and {first} are not ranked{at}: something other than the drive set the numbers."));
        }
    }
    for measure in Measure::of_step(step) {
        let found = family(facts, step, &measure);
        for subject in 1..facts.subjects.len() {
            let cells: Vec<&Held> = found.iter().filter(|h| h.subject == subject).collect();
            all.extend(about(step, &measure, &facts.subjects[subject], &facts.subjects[0], &cells));
        }
    }
    all
}

/// How the comparisons of one figure of a subject with the first one ended.
pub struct Ended {
    pub subject: usize,
    pub what: String,
    pub points: usize,
    pub better: usize,
    pub worse: usize,
    pub open: usize,
    pub bare: usize,
    pub marked: usize,
}

/// For each figure and subject of a step; figures that were not measured are left out.
pub fn tallies(facts: &Facts, step: &StepFacts) -> Vec<Ended> {
    let mut all = Vec::new();
    let measures = Measure::of_step(step).into_iter().filter(|m| !(step.open_loop && *m == Measure::Ops));
    for measure in measures {
        let found = family(facts, step, &measure);
        for subject in 1..facts.subjects.len() {
            let own = || found.iter().filter(|h| h.subject == subject);
            let unfair = fairness::bars(facts, 0, subject).is_some();
            let marked = |value: &usize| {
                let pair = [step.cell(0, *value), step.cell(subject, *value)];
                unfair || pair.iter().flatten().any(|c| marked(facts, step, c).is_some())
            };
            let marked = (0..step.values.len()).filter(marked).count();
            let points = own().count() + marked;
            let count = |verdict, bare: bool| own().filter(|h| h.verdict == verdict && h.has_interval != bare).count();
            let (more, less) = (count(Verdict::More, false), count(Verdict::Less, false));
            let (better, worse) = if measure.better() == Better::Lower { (less, more) } else { (more, less) };
            let (open, bare) = (count(Verdict::NoClaim, false), count(Verdict::NoClaim, true));
            all.push(Ended { subject, what: measure.name(step), points, better, worse, open, bare, marked });
        }
    }
    all.retain(|t| t.points > 0);
    all
}

/// Every subject against the first at every axis value, as one family.
fn family(facts: &Facts, step: &StepFacts, measure: &Measure) -> Vec<Held> {
    let mut found: Vec<(usize, usize, Comparison)> = Vec::new();
    for cell in step.cells.iter().filter(|c| c.subject > 0) {
        let pair = step.cell(0, cell.value).filter(|first| comparable(facts, step, cell, first, measure));
        let held = pair.and_then(|first| held(step, cell, first, measure)).filter(|c| c.ratio.n > 0);
        found.extend(held.map(|comparison| (cell.subject, cell.value, comparison)));
    }
    let family: Vec<Comparison> = found.iter().map(|(.., c)| c.clone()).collect();
    let verdicts = compare::holm(&family, Better::Higher);
    found.into_iter().zip(verdicts).map(|((subject, value, c), v)| Held::of(subject, value, &c, v)).collect()
}

/// Whether anything may be said of a pair: the subjects were treated alike, neither cell is marked, and where a rate was
/// asked for, ops/s are as asked.
pub fn comparable(facts: &Facts, step: &StepFacts, a: &CellFacts, b: &CellFacts, measure: &Measure) -> bool {
    (*measure != Measure::Ops || !(is_asked(a) || is_asked(b)))
        && fairness::bars(facts, a.subject, b.subject).is_none()
        && [a, b].iter().all(|c| marked(facts, step, c).is_none())
}

/// A comparison after the correction for how many were made.
struct Held {
    subject: usize,
    value: usize,
    ratio: f64,
    verdict: Verdict,
    has_interval: bool,
}

impl Held {
    fn of(subject: usize, value: usize, comparison: &Comparison, verdict: compare::Verdict) -> Held {
        let verdict = match verdict {
            compare::Verdict::Better => Verdict::More,
            compare::Verdict::Worse => Verdict::Less,
            _ => Verdict::NoClaim,
        };
        let ratio = &comparison.ratio;
        Held { subject, value, ratio: ratio.value, verdict, has_interval: ratio.has_interval() }
    }
}

fn about(step: &StepFacts, measure: &Measure, subject: &str, first: &str, cells: &[&Held]) -> Vec<String> {
    let (mut all, what) = (Vec::new(), measure.name(step));
    let mut say = |group: Vec<&Held>, up: bool, before: &str| {
        if !group.is_empty() {
            let ratios: Vec<f64> = group.iter().map(|h| h.ratio).collect();
            let values: Vec<usize> = group.iter().map(|h| h.value).collect();
            all.push(format!(
                "{before}{}{}.",
                claim(measure, &what, subject, first, &ratios, up),
                place(step, &values)
            ));
        }
    };
    let of = |verdict| cells.iter().copied().filter(|h| h.verdict == verdict).collect::<Vec<&Held>>();
    say(of(Verdict::More), true, "");
    say(of(Verdict::Less), false, "");
    let (open, bare): (Vec<&Held>, Vec<&Held>) = of(Verdict::NoClaim).into_iter().partition(|h| h.has_interval);
    let (above, below) = bare.into_iter().filter(|h| h.ratio != 1.0).partition(|h: &&Held| h.ratio > 1.0);
    say(above, true, "By the figures alone, ");
    say(below, false, "By the figures alone, ");
    if !open.is_empty() {
        let at = place(step, &open.iter().map(|h| h.value).collect::<Vec<_>>());
        all.push(format!(
            "{subject} and {first} cannot be told apart in {what}{at}: the difference is not clear of chance."
        ));
    }
    all
}

/// Ratios of two and more are said as factors, smaller ones in percent.
fn claim(measure: &Measure, what: &str, subject: &str, first: &str, ratios: &[f64], up: bool) -> String {
    let (low, high) = ratios.iter().fold((f64::MAX, f64::MIN), |(l, h), r| (l.min(*r), h.max(*r)));
    let (big, small) = if up { (subject, first) } else { (first, subject) };
    let (from, to) = if up { (low, high) } else { (1.0 / high, 1.0 / low) };
    let of_ops = measure.better() == Better::Higher;
    if from >= 2.0 {
        let factor = span(&format!("{from:.1}"), &format!("{to:.1}"), " ×");
        return match of_ops {
            false => format!("{big} has {factor} the {what} of {small}"),
            true => format!("{big} does {factor} the {what} of {small}"),
        };
    }
    let (near, far) = if up { (low - 1.0, high - 1.0) } else { (1.0 - high, 1.0 - low) };
    let percent = span(&share(near), &share(far), " %");
    match (of_ops, up) {
        (true, true) => format!("{subject} does {percent} more {what} than {first}"),
        (true, false) => format!("{subject} does {percent} fewer {what} than {first}"),
        (false, true) => format!("{subject} has a {what} that is {percent} longer than that of {first}"),
        (false, false) => format!("{subject} has a {what} that is {percent} shorter than that of {first}"),
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
