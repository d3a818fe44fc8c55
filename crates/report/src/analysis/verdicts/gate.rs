//! Compares a new run with earlier ones: for every figure of every common subject, whether it
//! became worse by more than a limit. With fewer than five earlier runs there is no history, and
//! the figures are shown without a verdict.

use std::collections::{BTreeMap, HashMap};

use crate::analysis::claim::compare::{observations, of_points};
use crate::analysis::claim::pairing::PairedSheet;
use crate::analysis::comparison::StepPlace;
use crate::analysis::difference::Barred;
use crate::analysis::facts::{Comparisons, Facts, SetupFacts, StepFacts, Subjects};
use crate::analysis::keys::{StepKey, SubjectKey};
use crate::analysis::points::metric::Metric;
use dyno_core::stats::runs::gate::{
    HistoryScope, PointHistory, RatioChange, ShownChange, against_history,
};

/// A gate's judgements.
pub struct Gate {
    /// The permitted loss, as a share: 0.05 is 5 %.
    pub limit: f64,
    /// Every point of the base, then the step's mean; by step, metric and subject.
    pub rows: Vec<Judged>,
    /// Subjects on only one side.
    pub unpaired: Vec<SubjectKey>,
    /// Subjects whose base has runs of several firmware versions.
    pub mixed: Vec<MixedFirmware>,
}

/// A subject of which the base has runs with different firmware.
#[derive(Clone, Debug, PartialEq)]
pub struct MixedFirmware {
    /// The subject in the new run.
    pub subject: SubjectKey,
    /// Each firmware with its number of base runs.
    pub base: Vec<(String, usize)>,
    /// That of the new run, if known.
    pub new: Option<String>,
}

/// One figure of one subject at one point.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The step.
    pub step: StepKey,
    /// The figure.
    pub metric: Metric,
    /// An axis value, or the mean over the step's points.
    pub at: StepPlace,
    /// The subject in the new run.
    pub subject: SubjectKey,
    /// new ÷ base; None if not compared.
    pub change: Option<RatioChange>,
    /// The verdict.
    pub verdict: GateVerdict,
}

/// The verdict on a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum GateVerdict {
    /// It did not become worse by more than the limit.
    NotWorse,
    /// It became worse by more than the limit.
    Worse,
    /// Neither is shown.
    NotShown(NoVerdictCause),
}

/// Why neither is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum NoVerdictCause {
    /// The interval includes the limit; the number of base runs that would suffice, if any.
    Scatter(Option<usize>),
    /// Too few base runs, of this number, for an interval.
    NoHistory(usize),
    /// The new run lacks the figure.
    NotInNew,
    /// No base run has the figure, although it has the point.
    NotInBase,
    /// The two were not measured in the same way.
    Barred(Barred),
    /// A caveat of one of the two points rules it out.
    Caveat,
}

/// A subject of the new run with its namesakes in the base.
struct Pair {
    base: Vec<SubjectKey>,
    new: SubjectKey,
}

/// Judges the last of the facts' runs against the previous ones.
pub fn judge(facts: &Facts, limit: f64) -> Gate {
    let pairs = pairs(&facts.subjects, &facts.setup);
    let mut compared = Vec::new();
    for step in &facts.measured.steps {
        for metric in &step.metrics {
            compared.push(of_points(facts, step, metric));
        }
    }
    let changes = of_history(facts, &compared, &pairs);
    let searched =
        changes.iter().filter(|((.., point), found)| point.is_some() && !found.barred).count();
    let mut rows = Vec::new();
    for (index, sheet) in compared.iter().enumerate() {
        for (number, pair) in pairs.iter().enumerate() {
            let of = |point: Option<usize>| changes.get(&(index, number, point));
            let step = &facts.measured.steps[sheet.step];
            let own = of_pair(step, &facts.comparisons, sheet, pair, &of, limit, searched);
            rows.extend(own);
        }
    }
    let paired = |s: &SubjectKey| pairs.iter().any(|p| p.new == *s || p.base.contains(s));
    let unpaired = facts.subjects.keys().filter(|s| !paired(s)).collect();
    let mixed = pairs.iter().filter_map(|pair| mixed_firmware(&facts.subjects, pair)).collect();
    Gate { limit, rows, unpaired, mixed }
}

/// The firmware versions of a pair's base, if there are several.
fn mixed_firmware(subjects: &Subjects, pair: &Pair) -> Option<MixedFirmware> {
    let firmware = |subject: &SubjectKey| {
        let own = subjects[*subject].setups.iter().filter_map(|drive| drive.firmware.clone());
        let mut all: Vec<String> = own.collect();
        all.sort();
        all.dedup();
        (!all.is_empty()).then(|| all.join(", "))
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    pair.base.iter().filter_map(firmware).for_each(|own| *counts.entry(own).or_default() += 1);
    (counts.len() > 1).then(|| MixedFirmware {
        subject: pair.new,
        base: counts.into_iter().collect(),
        new: firmware(&pair.new),
    })
}

impl Gate {
    /// The overall verdict: worse if any figure is; not worse if all points are. The mean of points
    /// that are not worse is not worse either, and requires nothing more.
    pub fn verdict(&self) -> ShownChange {
        let mut points = self.rows.iter().filter(|r| r.at != StepPlace::Mean).peekable();
        if self.rows.iter().any(|r| r.verdict == GateVerdict::Worse) {
            ShownChange::Worse
        } else if points.peek().is_some() && points.all(|r| r.verdict == GateVerdict::NotWorse) {
            ShownChange::NotWorse
        } else {
            ShownChange::Neither
        }
    }
}

fn pairs(subjects: &Subjects, setup: &SetupFacts) -> Vec<Pair> {
    let last = setup.runs.last_key();
    let is_new = |s: &SubjectKey| Some(subjects[*s].run) == last;
    let (new, base): (Vec<_>, Vec<_>) = subjects.keys().partition(is_new);
    let namesakes = |new: SubjectKey| {
        let same = |s: &SubjectKey| subjects[*s].own_name == subjects[new].own_name;
        Pair { base: base.iter().copied().filter(same).collect(), new }
    };
    new.into_iter().map(namesakes).filter(|p| !p.base.is_empty()).collect()
}

/// A change of a pair.
struct GateChange {
    change: RatioChange,
    /// A caveat rules out a verdict; the change is shown.
    barred: bool,
}

/// The changes by sheet, pair and point; None is the mean over the points.
type GateChanges = HashMap<(usize, usize, Option<usize>), GateChange>;

/// Run by run.
fn of_history(facts: &Facts, compared: &[PairedSheet], pairs: &[Pair]) -> GateChanges {
    let mut points = Vec::new();
    for (sheet, of) in compared.iter().enumerate() {
        for (pair, own) in pairs.iter().enumerate() {
            for point in 0..of.points.len() {
                let runs = runs(facts, of, own, point);
                points.extend(runs.map(|runs| (sheet, pair, point, runs)));
            }
        }
    }
    let mut means: Vec<(usize, usize, Runs)> = Vec::new();
    let usable = points.iter().filter(|(.., runs)| !runs.barred).count();
    for (sheet, pair, _, own) in points.iter().filter(|(.., runs)| !runs.barred) {
        match means.last_mut().filter(|m| (m.0, m.1) == (*sheet, *pair)) {
            Some((.., mean)) => mean.add(own),
            None => means.push((*sheet, *pair, own.clone())),
        }
    }
    means.retain(|(.., mean)| mean.points > 1);
    let share = match means.is_empty() {
        true => HistoryScope::Only(usable.max(1)),
        false => HistoryScope::Point(usable.max(1)),
    };
    let of_mean = HistoryScope::Mean(means.len());
    let of_points = points.into_iter().filter_map(|(sheet, pair, point, runs)| {
        let change = against_history(&runs.history(), share)?;
        Some(((sheet, pair, Some(point)), GateChange { change, barred: runs.barred }))
    });
    let of_means = means.into_iter().filter_map(|(sheet, pair, runs)| {
        let change = against_history(&runs.history(), of_mean)?;
        Some(((sheet, pair, None), GateChange { change, barred: false }))
    });
    of_points.chain(of_means).collect()
}

/// Sums of logarithms over points: for each base run, by its subject, and for the new one.
#[derive(Clone)]
struct Runs {
    base: Vec<(SubjectKey, f64)>,
    new: f64,
    scale: f64,
    points: usize,
    /// A caveat rules out a verdict.
    barred: bool,
}

impl Runs {
    /// Adds another point, which is skipped for both if a run lacks its figure.
    fn add(&mut self, other: &Runs) {
        let sum = |&(subject, log): &(SubjectKey, f64)| {
            let more = other.base.iter().find(|(s, _)| *s == subject)?.1;
            Some((subject, log + more))
        };
        self.base = self.base.iter().filter_map(sum).collect();
        self.new += other.new;
        self.scale = self.scale.max(other.scale);
        self.points += 1;
    }

    fn history(&self) -> PointHistory {
        let mean = |log: f64| log / self.points as f64;
        let base = self.base.iter().map(|(_, log)| mean(*log)).collect();
        PointHistory { base, new: mean(self.new), scale: self.scale }
    }
}

/// The runs whose figures may be compared or, if a caveat rules out all of them, those that it
/// rules out.
fn runs(facts: &Facts, of: &PairedSheet, pair: &Pair, point: usize) -> Option<Runs> {
    let step = &facts.measured.steps[of.step];
    let logs = |subject: SubjectKey| {
        let own = observations(step, step.cell(subject, of.value(point)?)?, &of.metric);
        let logs: Vec<f64> = own.iter().map(|o| o.value.ln()).collect();
        (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64, logs.len()))
    };
    let (new, repeats) = logs(pair.new)?;
    let with_figures = |fits: &dyn Fn(SubjectKey) -> bool| {
        let fitting = pair.base.iter().copied().filter(|s| fits(*s));
        fitting.filter_map(|s| Some((s, logs(s)?))).collect::<Vec<_>>()
    };
    let comparable = with_figures(&|s| of.compares(point, s, pair.new));
    let barred = comparable.is_empty();
    let alike = |s| facts.comparisons.bar(step, s, pair.new).is_none();
    let base = if barred { with_figures(&alike) } else { comparable };
    let of_base = base.iter().map(|(_, (_, n))| *n).max()?;
    let base = base.into_iter().map(|(s, (log, _))| (s, log)).collect();
    Some(Runs { base, new, scale: of_base as f64 / repeats as f64, points: 1, barred })
}

/// Every point of the base for a pair, and their mean.
fn of_pair<'a>(
    step: &StepFacts,
    comparisons: &Comparisons,
    of: &PairedSheet,
    pair: &Pair,
    change: &dyn Fn(Option<usize>) -> Option<&'a GateChange>,
    limit: f64,
    searched: usize,
) -> Vec<Judged> {
    let better = of.metric.better();
    let judged = |at: StepPlace, found: Option<&GateChange>, missing: NoVerdictCause| {
        let change = found.map(|found| &found.change);
        let verdict = match change.map(|c| (c, c.shows(better, limit))) {
            None => GateVerdict::NotShown(missing),
            Some(_) if found.is_some_and(|found| found.barred) => {
                GateVerdict::NotShown(NoVerdictCause::Caveat)
            }
            Some((_, ShownChange::Worse)) => GateVerdict::Worse,
            Some((_, ShownChange::NotWorse)) => GateVerdict::NotWorse,
            Some((c, ShownChange::Neither)) => GateVerdict::NotShown(match c.interval {
                None => NoVerdictCause::NoHistory(c.n),
                Some(_) => NoVerdictCause::Scatter(c.enough(better, limit, searched)),
            }),
        };
        let (subject, metric) = (pair.new, of.metric.clone());
        Judged { step: of.step, metric, at, subject, change: change.cloned(), verdict }
    };
    let mut rows = Vec::new();
    for point in 0..of.points.len() {
        let cell = |s: &SubjectKey| step.cell(*s, of.value(point)?);
        if pair.base.iter().any(|s| cell(s).is_some()) {
            let missing = missing((step, comparisons), of, pair, point);
            rows.push(judged(of.points[point], change(Some(point)), missing));
        }
    }
    let all_within = !rows.is_empty() && rows.iter().all(|r| r.verdict == GateVerdict::NotWorse);
    if let Some(mean) = change(None) {
        let mut row = judged(StepPlace::Mean, Some(mean), NoVerdictCause::Scatter(None));
        if all_within && row.verdict != GateVerdict::Worse {
            row.verdict = GateVerdict::NotWorse;
        }
        rows.push(row);
    }
    rows
}

/// Why a pair has no change at a point.
fn missing(
    (step, comparisons): (&StepFacts, &Comparisons),
    of: &PairedSheet,
    pair: &Pair,
    point: usize,
) -> NoVerdictCause {
    let has = |s: SubjectKey| !of.sheet.cells[point][s.0].is_empty();
    if !has(pair.new) {
        return NoVerdictCause::NotInNew;
    }
    if !pair.base.iter().any(|s| has(*s)) {
        return NoVerdictCause::NotInBase;
    }
    let comparable = |s: &&SubjectKey| of.compares(point, **s, pair.new);
    let usable = pair.base.iter().filter(|s| has(**s)).filter(comparable).count();
    match pair.base.iter().find_map(|s| comparisons.bar(step, *s, pair.new)) {
        Some(bar) if usable == 0 => NoVerdictCause::Barred(bar.clone()),
        None if usable == 0 => NoVerdictCause::Caveat,
        _ => NoVerdictCause::NoHistory(usable),
    }
}
