//! Notes as text: what the reader should know in addition to claims and caveats.

use crate::analysis::facts::{Comparisons, MeasuredFacts, Subjects};
use crate::analysis::keys::{StepKey, ValueKey};
use crate::analysis::notes::{CommonShift, OfModels, OutlyingDrive, OutlyingRepeat};
use crate::brief::block::Block;
use crate::brief::number_format;
use crate::brief::text::wording::with_interval;
use crate::language::Language;
use crate::say;
use crate::terms::place::step_at;
use dyno_core::record::gauge::errors::ErrorCounter;
use dyno_core::stats::percent::{cut_off, rounded_out};
use dyno_core::stats::specimens::Components;

/// All notes of a brief.
pub fn all(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
) -> Vec<String> {
    let shifts = comparisons.shifts.iter().map(|one| moved(l, measured, one));
    let outlying = comparisons.outlying.iter().map(|one| apart(l, subjects, measured, one));
    let models = comparisons.models.iter().map(|one| of_models(l, measured, one));
    let alone =
        comparisons.outlying_repeats.iter().map(|one| moved_alone(l, subjects, measured, one));
    shifts
        .chain(alone)
        .chain(outlying)
        .chain(device_errors(l, subjects, measured))
        .chain(models)
        .collect()
}

/// The same as a part of a document; None if there are none.
pub fn blocks(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
) -> Vec<Block> {
    Block::titled_list(say!(l, "notes"), all(l, subjects, measured, comparisons))
}

/// "4 KiB reads at depth 8", to which the rest refers.
fn of_place(
    l: Language,
    measured: &MeasuredFacts,
    step: StepKey,
    value: ValueKey,
    sentence: String,
) -> String {
    let step = &measured.steps[step];
    let place = step_at(l, step, &[value]);
    say!(l, "of-step", step = place, sentence)
}

/// "4 KiB reads at depth 8: repeat 2 ran at 0.35 × for both subjects; …"
fn moved(l: Language, measured: &MeasuredFacts, one: &CommonShift) -> String {
    let factor = l.number(&format!("{:.2}", one.factor));
    let (repeat, subjects) = (one.repeat, one.subjects);
    let said = match one.latency {
        true => {
            say!(l, "note-moved-p99", repeat, factor, subjects)
        }
        false => {
            say!(l, "note-moved-ops", repeat, factor, subjects)
        }
    };
    of_place(l, measured, one.step, one.value, said)
}

/// "4 KiB reads at depth 8: repeat 3 of A ran at 0.30 × its others; …"
fn moved_alone(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    one: &OutlyingRepeat,
) -> String {
    let factor = l.number(&format!("{:.2}", one.factor));
    let (repeat, subject) = (one.repeat, &subjects[one.subject].name);
    let said = match one.latency {
        true => say!(l, "note-moved-alone-p99", repeat, factor, subject),
        false => say!(l, "note-moved-alone-ops", repeat, factor, subject),
    };
    of_place(l, measured, one.step, one.value, said)
}

fn apart(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    one: &OutlyingDrive,
) -> String {
    let step = &measured.steps[one.step];
    let drive = subjects[one.subject].drives.get(one.drive).cloned().unwrap_or_default();
    say!(
        l,
        "note-apart",
        place = step_at(l, step, &[one.value]),
        subject = &subjects[one.subject].name,
        drive,
        others = one.others,
        ops = number_format::count(l, one.ops_per_s),
        usual = number_format::count(l, one.others_per_s)
    )
}

/// "4 KiB reads at depth 8, A: the drive or its link counted errors: 3 corrected PCIe errors"
fn device_errors(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<String> {
    let mut all = Vec::new();
    for step in &measured.steps {
        for cell in step.cells.iter().filter(|cell| !cell.errors.is_empty()) {
            let errors = cell.errors.iter().map(|(counter, n)| counted(l, *counter, *n));
            all.push(say!(
                l,
                "note-device-errors",
                place = step_at(l, step, &[cell.value]),
                subject = &subjects[cell.subject].name,
                errors = l.list(&errors.collect::<Vec<_>>())
            ));
        }
    }
    all
}

fn counted(l: Language, counter: ErrorCounter, count: u64) -> String {
    match counter {
        ErrorCounter::Media => say!(l, "errors-media", count),
        ErrorCounter::Log => say!(l, "errors-log", count),
        ErrorCounter::LinkCorrectable => say!(l, "errors-link-correctable", count),
        ErrorCounter::LinkNonFatal => say!(l, "errors-link-nonfatal", count),
        ErrorCounter::LinkFatal => say!(l, "errors-link-fatal", count),
    }
}

/// "… drive for drive, M 7600 delivers 5.1 % [2.0, 8.3] more ops/s than C P5, 8 drives each, …; …"
fn of_models(l: Language, measured: &MeasuredFacts, one: &OfModels) -> String {
    let found = &one.found;
    let above = found.ratio >= 1.0;
    let (ratio, low, high) = match above {
        true => (found.ratio, found.low, found.high),
        false => (1.0 / found.ratio, 1.0 / found.high, 1.0 / found.low),
    };
    let (first, second) =
        if above { (&one.names.0, &one.names.1) } else { (&one.names.1, &one.names.0) };
    let (a, b) = if above { found.specimens } else { (found.specimens.1, found.specimens.0) };
    let drives = match a == b {
        true => say!(l, "drives-each", count = a),
        false => say!(l, "drives-of-two", first = a, other = b),
    };
    let drives = scatter(l, drives, &found.scatter);
    let percent = |factor: f64| (factor - 1.0) * 100.0;
    let ends = (cut_off(percent(low), 1), rounded_out(percent(high), 1));
    let by = with_interval(l, [cut_off(percent(ratio), 1), ends.0, ends.1], "%");
    let said = match low > 1.0 {
        true => {
            say!(l, "note-models", better = first, by, worse = second, drives)
        }
        false => {
            say!(l, "note-models-open", first, other = second, by, drives)
        }
    };
    of_place(l, measured, one.step, one.value, said)
}

/// "8 drives each, which differ by 2.1 % from one another, and their repeats by 0.9 %"
fn scatter(l: Language, drives: String, of: &Components) -> String {
    let percent = |share: f64| l.number(&format!("{:.2} %", share * 100.0));
    let by = percent(of.drives);
    match of.repeats {
        Some(repeats) => {
            say!(l, "drives-and-repeats", drives, by, repeats = percent(repeats))
        }
        None => say!(l, "drives-scatter", drives, by),
    }
}
