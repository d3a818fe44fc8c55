//! The course of a subject's figures along a step's axis: from the first load to the peak, the end
//! of the tested range, and the point from which the processors were the bottleneck instead of the
//! drive.

use crate::analysis::facts::{CellFacts, StepFacts, Subjects};
use crate::analysis::keys::{SubjectKey, ValueKey};
use crate::analysis::limits::bottleneck::Bottleneck;
use crate::analysis::points::metric::{Metric, PointFigure};
use crate::brief::number_format;
use crate::brief::text::wording;
use crate::language::Language;
use crate::say;
use dyno_core::plan::Field;

/// The increase at the end of a sweep above which its peak may be beyond.
const STILL_RISES: f64 = 1.01;

/// "A goes from 669,000 ops/s at 10 % load (mean 70 µs, p99 110 µs) to a peak of …", for each
/// subject limited by the drive at each point.
pub fn from_start_to_peak(l: Language, subjects: &Subjects, step: &StepFacts) -> Vec<String> {
    subjects.keys().filter_map(|subject| of_subject(l, subjects, step, subject)).collect()
}

fn of_subject(
    l: Language,
    subjects: &Subjects,
    step: &StepFacts,
    subject: SubjectKey,
) -> Option<String> {
    let all = loads(step, subject)?;
    let first = all.first()?;
    let peak = all.iter().max_by(|a, b| ops(a).total_cmp(&ops(b)))?;
    if peak.value == first.value {
        return None;
    }
    let latency = |cell: &CellFacts, metric: &Metric| super::latency_of(l, step, metric, cell);
    let (p99, mean) = (Metric::p99(), Metric::total(PointFigure::Mean));
    let from = number_format::count(l, ops(first));
    let to = number_format::count(l, ops(peak));
    let place = |cell: &CellFacts| wording::place(l, step, &[cell.value]);
    let (first_at, at) = (place(first), place(peak));
    let subject = &subjects[subject].name;
    let tails = (latency(first, &p99), latency(peak, &p99));
    let means = (latency(first, &mean), latency(peak, &mean));
    Some(match (means, tails) {
        ((Some(mean), Some(mean_there)), (Some(p99), Some(p99_there))) => {
            say!(l, "course", subject, from, first_at, mean, p99, to, mean_there, p99_there, at)
        }
        ((Some(mean), Some(there)), _) => {
            say!(l, "course-of-mean", subject, from, first_at, mean, to, there, at)
        }
        (_, (Some(p99), Some(there))) => {
            say!(l, "course-of-p99", subject, from, first_at, p99, to, there, at)
        }
        _ => return None,
    })
}

/// The cells of a load that rises along the axis; None if one was not limited by the drive, because
/// the peak is then not the drive's.
fn loads(step: &StepFacts, subject: SubjectKey) -> Option<Vec<&CellFacts>> {
    match step.axis.as_ref()?.field {
        Field::Threads
        | Field::Depth
        | Field::Instances
        | Field::OpsPerSec
        | Field::LoadPercent => {}
        Field::BytesPerSec | Field::Rates | Field::Scale | Field::Block | Field::Knob => {
            return None;
        }
    }
    // The closed loop of a load sweep's maximum has a different kind of latency than its shares.
    let is_of_the_axis = |cell: &&CellFacts| step.values[cell.value].number.is_finite();
    let cells = step.cells_of(subject).into_iter().flatten().filter(is_of_the_axis);
    let all: Vec<&CellFacts> =
        cells.filter(|c| c.total.is_some() && !c.missed_its_rate()).collect();
    let is_the_drives = !all.iter().any(|c| c.is_not_the_drives());
    // Of some imported figures the rates are not known.
    let has_rates = all.iter().all(|c| ops(c) > 0.0);
    (is_the_drives && has_rates && all.len() > 1).then_some(all)
}

fn ops(cell: &CellFacts) -> f64 {
    let ops = cell.total.as_ref().and_then(|total| total.ops_per_s.as_ref());
    ops.map_or(0.0, |ops| ops.value)
}

/// "Thread counts above 128 were not tested: the ops/s of A and B still rise there".
pub fn beyond(l: Language, subjects: &Subjects, step: &StepFacts) -> Option<String> {
    let field = step.axis.as_ref()?.field;
    let last = step.values.last_key()?;
    let rises = |subject: &SubjectKey| {
        let before =
            last.0.checked_sub(1).map(ValueKey).and_then(|value| step.cell(*subject, value));
        let (Some(before), Some(cell)) = (before, step.cell(*subject, last)) else { return false };
        // Where the intervals meet, or the drive is not the limit, nothing rises for certain.
        let interval = |cell: &CellFacts| {
            let level = cell.total.as_ref()?.ops_per_s.as_ref()?;
            Some((level.low, level.high))
        };
        let is_apart = interval(before)
            .zip(interval(cell))
            .is_some_and(|((_, before), (cell, _))| cell > before);
        let is_the_drives = !before.is_not_the_drives() && !cell.is_not_the_drives();
        ops(before) > 0.0 && ops(cell) > ops(before) * STILL_RISES && is_apart && is_the_drives
    };
    let rising = names_of(subjects, &rises);
    let most = step.values[last].text(l);
    match field {
        _ if rising.is_empty() => None,
        Field::Threads => Some(say!(l, "beyond-threads", most, subjects = l.list(&rising))),
        Field::Depth => Some(say!(l, "beyond-depth", most, subjects = l.list(&rising))),
        Field::Instances => Some(say!(l, "beyond-instances", most, subjects = l.list(&rising))),
        _ => None,
    }
}

/// "From 96 threads on the processors were saturated (A and B)", for points up to the end of the
/// axis.
pub fn saturated(l: Language, subjects: &Subjects, step: &StepFacts) -> Option<String> {
    let is_saturated = |subject: SubjectKey, value: ValueKey| {
        let limit = step.cell(subject, value).and_then(|c| c.limit.as_ref());
        limit.is_some_and(|verdict| verdict.limit == Bottleneck::Cpu)
    };
    let from = |subject: SubjectKey| {
        let values = step.values.keys().rev();
        values.take_while(|value| is_saturated(subject, *value)).last()
    };
    let first = subjects.keys().filter_map(from).min()?;
    let alike = names_of(subjects, &|subject: &SubjectKey| from(*subject).is_some());
    Some(said_of_processors(l, step, first, &l.list(&alike)))
}

fn said_of_processors(l: Language, step: &StepFacts, first: ValueKey, subjects: &str) -> String {
    let from = step.values[first].text(l);
    match step.axis.as_ref().map(|axis| axis.field) {
        _ if Some(first) == step.values.last_key() => {
            let at = wording::place(l, step, &[first]);
            say!(l, "saturated-at", at, subjects)
        }
        Some(Field::Threads) => say!(l, "saturated-threads", from, subjects),
        _ => {
            let axis = step.axis_text(l);
            say!(l, "saturated-from", axis, from, subjects)
        }
    }
}

fn names_of(subjects: &Subjects, of: &dyn Fn(&SubjectKey) -> bool) -> Vec<String> {
    subjects.keys().filter(of).map(|s| subjects[s].name.clone()).collect()
}
