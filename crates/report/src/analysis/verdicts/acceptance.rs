//! Compares delivered drives with a reference sample of their model: first what they are and
//! whether they are sound, then whether they behave like it, at a stated rate of false rejections
//! over the whole delivery. A drive is identified by its serial number, in however many bundles.

use std::collections::BTreeSet;

use crate::analysis::claim::compare::observations;

use crate::analysis::difference::Difference;
use crate::analysis::facts::{CellFacts, Facts, MeasuredFacts, StepFacts};
use crate::analysis::keys::{DriveKey, RunKey, StepKey, SubjectKey, unordered};
use crate::analysis::points::metric::{Metric, PointPart};
use dyno_core::record::setup::DriveSetup;
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

/// One drive.
#[derive(Clone, Debug, Default)]
pub struct JudgedDrive {
    /// The names of its bundles' files.
    pub file: String,
    /// The subject's name, and the drive's number if the subject is a group.
    pub name: String,
    /// What the drive reported.
    pub setup: DriveSetup,
    /// Its points that ended with an error, as the repeat and the cause.
    pub failures: Vec<(u32, String)>,
    /// Why its figures may not be compared with the reference's.
    pub unlike: Vec<Difference>,
    /// By measure: the figure of each repeat; empty if not measured or not usable.
    pub figures: Vec<Vec<f64>>,
}

/// A larger share of a delivered drive's rated writes, in percent, rejects it, unless a drive of
/// the reference is as worn.
pub const MOST_WORN_PERCENT: u8 = 5;

/// What rejects a drive whatever its figures.
#[derive(Clone, Debug, PartialEq)]
pub enum DriveFlaw {
    /// It is of another model: its own, and those of the reference.
    Model(String, Vec<String>),
    /// It has another capacity: its own, and those of the reference, in bytes.
    Capacity(u64, Vec<u64>),
    /// Its health log has media errors.
    MediaErrors(u64),
    /// Its health log has critical warnings (the bits of NVMe's Critical Warning).
    Warning(u8),
    /// It is worn: percentage used, and the limit.
    Worn(u8, u8),
    /// Points ended with an error: their number, and the repeat and cause of the first.
    Errors(usize, u32, String),
}

/// What is stated beside a drive's verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum DriveNote {
    /// It has other firmware: its own, and that of the reference.
    Firmware(String, Vec<String>),
    /// Its link is another: its own, and that of the reference.
    Link(String, Vec<String>),
    /// Its serial number is unknown, so that a drive in several bundles counts several times.
    NoSerial,
    /// Its model is unknown.
    NoModel,
    /// It is a drive of the reference, and not judged by itself.
    OfReference,
}

/// A drive of the delivery with what was found.
pub struct DeliveredVerdict {
    /// The drive.
    pub drive: JudgedDrive,
    /// What rejects it whatever its figures.
    pub flaws: Vec<DriveFlaw>,
    /// What is stated beside it.
    pub notes: Vec<DriveNote>,
    /// The verdict of each measure.
    pub verdicts: Vec<DriveVerdict>,
}

impl DeliveredVerdict {
    /// Whether it is rejected.
    pub fn is_rejected(&self) -> bool {
        !self.flaws.is_empty() || self.behaves_otherwise()
    }

    /// Whether a measure rejects it.
    pub fn behaves_otherwise(&self) -> bool {
        self.verdicts.iter().any(|verdict| matches!(verdict, DriveVerdict::Rejected(_)))
    }

    /// Whether some measure could not judge it, and nothing rejects it.
    pub fn is_open(&self) -> bool {
        let accepted = |verdict: &DriveVerdict| matches!(verdict, DriveVerdict::Accepted(_));
        !self.is_rejected() && !self.verdicts.iter().all(accepted)
    }
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
    /// The delivery's drives.
    pub drives: Vec<DeliveredVerdict>,
    /// The probability that any drive of a good delivery is rejected, in any measure.
    pub miss: f64,
}

impl Acceptance {
    /// Drives that are rejected.
    pub fn rejected(&self) -> usize {
        self.drives.iter().filter(|drive| drive.is_rejected()).count()
    }

    /// Drives that some measure could not judge, and nothing rejects.
    pub fn open(&self) -> usize {
        self.drives.iter().filter(|drive| drive.is_open()).count()
    }
}

/// The measures: each requested metric at every axis value of its step. `steps` and `at` are the
/// requested steps and axis values; all if empty.
pub fn measures(measured: &MeasuredFacts, steps: &[String], at: &[String]) -> Vec<JudgedFigure> {
    let mut all = Vec::new();
    let meant = |step: &&StepFacts| steps.is_empty() || steps.contains(&step.name);
    for step in measured.steps.iter().filter(meant) {
        let mut labels: Vec<String> = step.values.iter().map(|v| v.label.clone()).collect();
        if labels.is_empty() {
            labels.push(String::new());
        }
        for label in labels.into_iter().filter(|label| at.is_empty() || at.contains(label)) {
            let whole = step.metrics.iter().filter(|m| m.part == PointPart::Whole);
            all.extend(whole.map(|metric| JudgedFigure {
                step: step.name.clone(),
                title: step.title.written.clone(),
                at: label.clone(),
                metric: metric.clone(),
            }));
        }
    }
    all
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
            let errors = facts.measured.failures.iter();
            let errors = errors.filter(|end| end.subject == subject && !end.fell_behind);
            let barred = |like: SubjectKey| {
                let mut bars = facts.comparisons.barred.iter();
                bars.find(|bar| bar.pair == unordered(like, subject))
            };
            let own = &facts.subjects[subject];
            found.push(JudgedDrive {
                file: facts.setup.runs[run].file.clone(),
                name: format!("{}{number}", own.own_name),
                setup: own.setup_of(drive as u32).cloned().unwrap_or_default(),
                failures: errors.map(|end| (end.repeat, end.cause.clone())).collect(),
                unlike: like
                    .filter(|like| *like != subject)
                    .and_then(barred)
                    .map(|bar| bar.differences.clone())
                    .unwrap_or_default(),
                figures,
            });
        }
    }
    found
}

/// A drive in several bundles is one drive with all its repeats.
pub fn merged(all: Vec<JudgedDrive>) -> Vec<JudgedDrive> {
    let mut found: Vec<JudgedDrive> = Vec::new();
    for one in all {
        let same = |known: &&mut JudgedDrive| {
            known.setup.serial.is_some() && known.setup.serial == one.setup.serial
        };
        let Some(known) = found.iter_mut().find(same) else {
            found.push(one);
            continue;
        };
        known.file = format!("{}, {}", known.file, one.file);
        known.failures.extend(one.failures);
        known.unlike.extend(one.unlike);
        known.figures.iter_mut().zip(one.figures).for_each(|(own, more)| own.extend(more));
    }
    found
}

/// What rejects a drive whatever its figures.
fn flaws(drive: &JudgedDrive, reference: &[JudgedDrive]) -> Vec<DriveFlaw> {
    let setup = &drive.setup;
    let mut found = Vec::new();
    let models = values(reference, |of| of.model.as_ref().map(|model| model.trim().to_string()));
    if let Some(own) = setup.model.as_ref().map(|model| model.trim().to_string())
        && !models.is_empty()
        && !models.contains(&own)
    {
        found.push(DriveFlaw::Model(own, models));
    }
    let capacities = values(reference, |of| of.capacity_bytes);
    if let Some(own) = setup.capacity_bytes.filter(|own| !capacities.contains(own))
        && !capacities.is_empty()
    {
        found.push(DriveFlaw::Capacity(own, capacities));
    }
    if let Some(log) = &setup.health {
        let worn = values(reference, |of| of.health.as_ref().map(|log| log.used_percent));
        let most = worn.into_iter().max().unwrap_or(0).max(MOST_WORN_PERCENT);
        found.extend((log.media_errors > 0).then_some(DriveFlaw::MediaErrors(log.media_errors)));
        let warning = log.critical_warning;
        found.extend((warning > 0).then_some(DriveFlaw::Warning(warning)));
        let used = log.used_percent;
        found.extend((used > most).then_some(DriveFlaw::Worn(used, most)));
    }
    if let Some((repeat, cause)) = drive.failures.first() {
        found.push(DriveFlaw::Errors(drive.failures.len(), *repeat, cause.clone()));
    }
    found
}

/// What is stated beside a drive's verdict.
fn notes(drive: &JudgedDrive, reference: &[JudgedDrive]) -> Vec<DriveNote> {
    let setup = &drive.setup;
    let link =
        |of: &DriveSetup| Some(format!("{}, {} lanes", of.link_speed.as_deref()?, of.link_lanes?));
    let other =
        |own: Option<String>, of: Vec<String>, note: fn(String, Vec<String>) -> DriveNote| {
            own.filter(|own| !of.is_empty() && !of.contains(own)).map(|own| note(own, of))
        };
    let mut found = Vec::new();
    let firmware = values(reference, |of| of.firmware.clone());
    found.extend(other(setup.firmware.clone(), firmware, DriveNote::Firmware));
    found.extend(other(link(setup), values(reference, link), DriveNote::Link));
    let models = values(reference, |of| of.model.clone());
    found.extend((setup.model.is_none() && !models.is_empty()).then_some(DriveNote::NoModel));
    found.extend(setup.serial.is_none().then_some(DriveNote::NoSerial));
    found.extend(is_of(drive, reference).then_some(DriveNote::OfReference));
    found
}

/// Whether it is one of the reference's drives.
fn is_of(drive: &JudgedDrive, reference: &[JudgedDrive]) -> bool {
    let own = &drive.setup.serial;
    own.is_some() && reference.iter().any(|known| known.setup.serial == *own)
}

/// The distinct known values of the reference's drives.
fn values<V: Ord>(reference: &[JudgedDrive], of: impl Fn(&DriveSetup) -> Option<V>) -> Vec<V> {
    reference
        .iter()
        .filter_map(|drive| of(&drive.setup))
        .collect::<BTreeSet<V>>()
        .into_iter()
        .collect()
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
    let barred = like.is_some_and(|like| facts.comparisons.bar(step, like, subject).is_some());
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
    let judged = |drive: JudgedDrive| {
        let of_reference = is_of(&drive, reference);
        let of = |(number, judge): (&usize, &Judge)| match of_reference {
            true => DriveVerdict::Missing,
            false => verdict(&drive.figures[*number], judge),
        };
        let verdicts = numbers.iter().zip(&judges).map(of).collect();
        let (flaws, notes) = (flaws(&drive, reference), notes(&drive, reference));
        DeliveredVerdict { drive, flaws, notes, verdicts }
    };
    let drives = delivered.into_iter().map(judged).collect();
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
    use dyno_core::record::setup::HealthLog;

    fn measure(figure: PointFigure) -> JudgedFigure {
        let (step, title, at) = ("read".into(), "Reads".into(), String::new());
        JudgedFigure { step, title, at, metric: Metric::total(figure) }
    }

    fn drive(name: &str, figures: &[&[f64]]) -> JudgedDrive {
        let figures = figures.iter().map(|f| f.to_vec()).collect();
        let setup = DriveSetup {
            serial: Some(name.to_string()).filter(|name| name != "r"),
            model: Some("M 7450".into()),
            capacity_bytes: Some(960),
            ..DriveSetup::default()
        };
        JudgedDrive { name: name.into(), setup, figures, ..JudgedDrive::default() }
    }

    fn of_setup(name: &str, change: impl Fn(&mut DriveSetup)) -> JudgedDrive {
        let mut drive = drive(name, &[&[103.0; 3]]);
        change(&mut drive.setup);
        drive
    }

    #[test]
    fn what_a_drive_is_and_its_health_are_judged_before_its_figures() {
        let health = |used_percent, media_errors, critical_warning| {
            Some(HealthLog { used_percent, media_errors, critical_warning, ..HealthLog::default() })
        };
        let delivered = vec![
            of_setup("fine", |_| {}),
            of_setup("model", |setup| setup.model = Some("M 7500".into())),
            of_setup("size", |setup| setup.capacity_bytes = Some(1_920)),
            of_setup("errors", |setup| setup.health = health(1, 3, 0)),
            of_setup("warning", |setup| setup.health = health(1, 0, 4)),
            of_setup("worn", |setup| setup.health = health(40, 0, 0)),
            JudgedDrive {
                failures: vec![(3, "Input/output error".into())],
                ..drive("failed", &[&[103.0; 2]])
            },
        ];
        let found = judge(vec![measure(PointFigure::Ops)], &sample(), delivered, 0.05);
        let flaws: Vec<&[DriveFlaw]> = found.drives.iter().map(|d| &d.flaws[..]).collect();
        let of_reference = || vec!["M 7450".to_string()];
        let expected: [&[DriveFlaw]; 7] = [
            &[],
            &[DriveFlaw::Model("M 7500".into(), of_reference())],
            &[DriveFlaw::Capacity(1_920, vec![960])],
            &[DriveFlaw::MediaErrors(3)],
            &[DriveFlaw::Warning(4)],
            &[DriveFlaw::Worn(40, 5)],
            &[DriveFlaw::Errors(1, 3, "Input/output error".into())],
        ];
        assert_eq!(flaws, expected);
        assert_eq!((found.rejected(), found.open()), (6, 0));
    }

    #[test]
    fn a_drive_in_several_bundles_is_one_and_one_of_the_reference_is_not_judged() {
        let reference = merged((0..4).map(|_| drive("R1", &[&[100.0; 3]])).collect());
        assert_eq!(reference.iter().map(|r| r.figures[0].len()).collect::<Vec<_>>(), [12]);
        let mut reference = sample();
        reference[0].setup.serial = Some("R0".into());
        let delivered = vec![drive("R0", &[&[103.0; 3]])];
        let found = judge(vec![measure(PointFigure::Ops)], &reference, delivered, 0.05);
        assert!(found.drives[0].notes.contains(&DriveNote::OfReference));
        assert_eq!((found.rejected(), found.open()), (0, 1));
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
            .map(|d| d.verdicts.iter().map(|v| matches!(v, DriveVerdict::Rejected(_))).collect())
            .collect();
        let (no, yes) = (false, true);
        assert_eq!(rejected, [[no, no], [yes, no], [no, yes], [no, no]]);
        assert_eq!((found.rejected(), found.open()), (2, 0));
    }

    #[test]
    fn nothing_is_said_of_a_drive_with_fewer_repeats_or_none() {
        let delivered = vec![drive("few", &[&[103.0; 2]]), drive("none", &[&[]])];
        let found = judge(vec![measure(PointFigure::Ops)], &sample(), delivered, 0.05);
        let verdicts: Vec<&DriveVerdict> = found.drives.iter().map(|d| &d.verdicts[0]).collect();
        assert_eq!(verdicts, [&DriveVerdict::TooFew(2), &DriveVerdict::Missing]);
        assert_eq!((found.rejected(), found.open()), (0, 2));
    }

    #[test]
    fn two_reference_drives_judge_nothing() {
        let found = judge(vec![measure(PointFigure::Ops)], &sample()[..2], Vec::new(), 0.05);
        assert!(found.judges.is_empty());
    }
}
