//! Compares delivered drives with a reference sample of their model, and rejects those that do not
//! behave like it, at a stated rate of false rejections over the whole delivery.

use crate::analysis::claim::compare::observations;
use crate::analysis::facts::{CellFacts, Facts, MeasuredFacts, StepFacts};
use crate::analysis::keys::{DriveKey, RunKey, StepKey, SubjectKey, ValueKey};
use crate::analysis::points::metric::{Metric, PointPart};
use dyno_core::stats::Better;
use dyno_core::stats::acceptance::{Delivery, Reference};

/// One figure at one point, by which every drive is judged.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedFigure {
    /// Name of the step.
    pub step: String,
    /// The step's title.
    pub title: String,
    /// The axis value, as printed; empty without a sweep.
    pub at: String,
    /// The figure.
    pub metric: Metric,
}

/// One drive of a bundle.
#[derive(Clone, Debug)]
pub struct JudgedDrive {
    /// The bundle's file name.
    pub file: String,
    /// The subject's name, and the drive's number if the subject is a group.
    pub name: String,
    /// The drive's serial number, if known.
    pub serial: Option<String>,
    /// By measure: the figure of each repeat; empty if not measured or not usable.
    pub figures: Vec<Vec<f64>>,
}

/// A measure with its reference.
pub struct Judge {
    /// The measure.
    pub measure: JudgedFigure,
    /// The reference's statistics.
    pub reference: Reference,
    /// Repeats of each of its drives, the minimum.
    pub repeats: usize,
}

impl Judge {
    fn higher(&self) -> bool {
        self.measure.metric.better() == Better::Higher
    }

    /// The figure beyond which a drive is rejected, in the metric's unit.
    pub fn limit(&self) -> f64 {
        self.reference.limit(self.higher()).exp()
    }

    /// The probability that a drive that is worse by this share is rejected.
    pub fn power(&self, loss: f64) -> f64 {
        self.reference.power(loss, self.higher())
    }
}

/// The verdict on a drive in one measure.
#[derive(Clone, Debug, PartialEq)]
pub enum DriveVerdict {
    /// On the better side of the limit: its geometric mean over the repeats.
    Accepted(f64),
    /// On the worse side.
    Rejected(f64),
    /// It has fewer repeats than the reference's drives, and therefore a larger scatter: their
    /// number.
    TooFew(usize),
    /// It was not measured, or the results may not be used.
    Missing,
}

/// All judgements of a delivery.
pub struct Acceptance {
    /// Measures, each with its limit.
    pub judges: Vec<Judge>,
    /// The delivery's drives with a verdict for each measure.
    pub drives: Vec<(JudgedDrive, Vec<DriveVerdict>)>,
    /// The probability that any drive of a good delivery is rejected, in any measure.
    pub miss: f64,
}

impl Acceptance {
    /// Drives that are rejected in at least one measure.
    pub fn rejected(&self) -> usize {
        let is = |v: &DriveVerdict| matches!(v, DriveVerdict::Rejected(_));
        self.drives.iter().filter(|(_, all)| all.iter().any(is)).count()
    }

    /// Drives that some measure could not judge, and none rejects.
    pub fn open(&self) -> usize {
        let accepted = |v: &DriveVerdict| matches!(v, DriveVerdict::Accepted(_));
        let rejected = |v: &DriveVerdict| matches!(v, DriveVerdict::Rejected(_));
        let open = |all: &Vec<DriveVerdict>| !all.iter().all(accepted) && !all.iter().any(rejected);
        self.drives.iter().filter(|(_, all)| open(all)).count()
    }
}

/// The measures: each requested metric at the representative point of its step. `steps` are the
/// requested ones; all if empty.
pub fn measures(measured: &MeasuredFacts, steps: &[String]) -> Vec<JudgedFigure> {
    let meant = |step: &&StepFacts| steps.is_empty() || steps.contains(&step.name);
    let of_step = |step: &StepFacts| {
        let metrics = step.metrics.clone();
        let whole = metrics.into_iter().filter(|m| m.part == PointPart::Whole);
        let (name, title, at) =
            (step.name.clone(), step.title.written.clone(), label(step, step.lead));
        whole
            .map(move |metric| JudgedFigure {
                step: name.clone(),
                title: title.clone(),
                at: at.clone(),
                metric,
            })
            .collect::<Vec<_>>()
    };
    measured.steps.iter().filter(meant).flat_map(of_step).collect()
}

fn label(step: &StepFacts, value: ValueKey) -> String {
    step.values.get(value).map(|value| value.label.clone()).unwrap_or_default()
}

/// The drives of one of the facts' runs. `like`: a subject of the reference, which must have been
/// measured in the same way.
pub fn specimens(
    facts: &Facts,
    run: RunKey,
    measures: &[JudgedFigure],
    like: Option<SubjectKey>,
) -> Vec<JudgedDrive> {
    let mut found = Vec::new();
    for subject in facts.subjects.keys().filter(|s| facts.subjects[*s].run == run) {
        let drives = facts.subjects[subject].drive_count();
        for drive in 0..drives {
            let part =
                if drives > 1 { PointPart::Drive(DriveKey(drive)) } else { PointPart::Whole };
            let number = if drives > 1 { format!(" ({})", drive + 1) } else { String::new() };
            let figures =
                measures.iter().map(|m| figures(facts, subject, &part, m, like)).collect();
            found.push(JudgedDrive {
                file: facts.setup.runs[run].file.clone(),
                name: format!("{}{number}", facts.subjects[subject].own_name),
                serial: facts.subjects[subject]
                    .setup_of(drive as u32)
                    .and_then(|setup| setup.serial.clone()),
                figures,
            });
        }
    }
    found
}

/// A drive's figure in each repeat.
fn figures(
    facts: &Facts,
    subject: SubjectKey,
    part: &PointPart,
    measure: &JudgedFigure,
    like: Option<SubjectKey>,
) -> Vec<f64> {
    let at = facts.measured.steps.position(|step| step.name == measure.step);
    let value = |at: StepKey| facts.measured.steps[at].values.position(|v| v.label == measure.at);
    let place = at.and_then(|at| Some((at, value(at)?)));
    let Some((at, value)) = place else { return Vec::new() };
    let step = &facts.measured.steps[at];
    let barred = like.is_some_and(|like| facts.comparisons.bar(at, like, subject).is_some());
    let metric = Metric { figure: measure.metric.figure.clone(), part: part.clone() };
    let usable = |cell: &&CellFacts| !barred && !metric.is_barred(cell);
    let Some(cell) = step.cell(subject, value).filter(usable) else { return Vec::new() };
    observations(step, cell, &metric).into_iter().map(|o| o.value).collect()
}

/// Judges a delivery. Measures with fewer than three reference drives are omitted; all measures
/// share the rate of false rejections equally.
pub fn judge(
    measures: Vec<JudgedFigure>,
    reference: &[JudgedDrive],
    delivered: Vec<JudgedDrive>,
    miss: f64,
) -> Acceptance {
    let share = Delivery { drives: delivered.len(), miss: miss / measures.len().max(1) as f64 };
    let sample = |(number, measure): (usize, JudgedFigure)| {
        let own = reference.iter().map(|s| &s.figures[number]).filter(|f| !f.is_empty());
        let (levels, repeats): (Vec<f64>, Vec<usize>) = own.map(|f| (level(f), f.len())).unzip();
        let reference = Reference::new(&levels, share)?;
        Some((number, Judge { measure, reference, repeats: repeats.into_iter().min()? }))
    };
    let (numbers, judges): (Vec<usize>, Vec<Judge>) =
        measures.into_iter().enumerate().filter_map(sample).unzip();
    let verdicts = |specimen: &JudgedDrive| {
        let of = |(number, judge): (&usize, &Judge)| verdict(&specimen.figures[*number], judge);
        numbers.iter().zip(&judges).map(of).collect()
    };
    let drives = delivered.into_iter().map(|s| (verdicts(&s), s)).map(|(v, s)| (s, v)).collect();
    Acceptance { judges, drives, miss }
}

fn level(figures: &[f64]) -> f64 {
    figures.iter().map(|f| f.ln()).sum::<f64>() / figures.len() as f64
}

fn verdict(figures: &[f64], judge: &Judge) -> DriveVerdict {
    if figures.is_empty() {
        return DriveVerdict::Missing;
    }
    if figures.len() < judge.repeats {
        return DriveVerdict::TooFew(figures.len());
    }
    let own = level(figures);
    let limit = judge.reference.limit(judge.higher());
    let within = if judge.higher() { own >= limit } else { own <= limit };
    if within { DriveVerdict::Accepted(own.exp()) } else { DriveVerdict::Rejected(own.exp()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::points::metric::PointFigure;

    fn measure(figure: PointFigure) -> JudgedFigure {
        let (step, title, at) = ("read".into(), "Reads".into(), String::new());
        JudgedFigure { step, title, at, metric: Metric::total(figure) }
    }

    fn drive(name: &str, figures: &[&[f64]]) -> JudgedDrive {
        let figures = figures.iter().map(|f| f.to_vec()).collect();
        JudgedDrive { file: "f.dyno".into(), name: name.into(), serial: None, figures }
    }

    fn sample() -> Vec<JudgedDrive> {
        (0..8)
            .map(|i| drive("r", &[&[100.0 + f64::from(i); 3], &[50.0 - f64::from(i); 3]]))
            .collect()
    }

    #[test]
    fn a_slow_drive_is_rejected_on_the_side_that_is_worse_and_a_fast_one_is_not() {
        let measures = vec![measure(PointFigure::Ops), measure(Metric::p99().figure)];
        let delivered = vec![
            drive("like", &[&[103.0; 3], &[47.0; 3]]),
            drive("slow", &[&[60.0; 3], &[47.0; 3]]),
            drive("late", &[&[103.0; 3], &[90.0; 3]]),
            drive("fast", &[&[200.0; 3], &[20.0; 3]]),
        ];
        let found = judge(measures, &sample(), delivered, 0.05);
        let rejected: Vec<Vec<bool>> = found
            .drives
            .iter()
            .map(|(_, all)| all.iter().map(|v| matches!(v, DriveVerdict::Rejected(_))).collect())
            .collect();
        let (no, yes) = (false, true);
        assert_eq!(rejected, [[no, no], [yes, no], [no, yes], [no, no]]);
        assert_eq!((found.rejected(), found.open()), (2, 0));
    }

    #[test]
    fn nothing_is_said_of_a_drive_with_fewer_repeats_or_none() {
        let delivered = vec![drive("few", &[&[103.0; 2]]), drive("none", &[&[]])];
        let found = judge(vec![measure(PointFigure::Ops)], &sample(), delivered, 0.05);
        let verdicts: Vec<&DriveVerdict> = found.drives.iter().map(|(_, all)| &all[0]).collect();
        assert_eq!(verdicts, [&DriveVerdict::TooFew(2), &DriveVerdict::Missing]);
        assert_eq!((found.rejected(), found.open()), (0, 2));
    }

    #[test]
    fn two_reference_drives_judge_nothing() {
        let found = judge(vec![measure(PointFigure::Ops)], &sample()[..2], Vec::new(), 0.05);
        assert!(found.judges.is_empty());
    }
}
