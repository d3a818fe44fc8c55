//! A step's parts individually: drives of a group, of which published tests show two, and
//! concurrent streams, which are namespaces of a drive in the noisy neighbour test.

use crate::analysis::facts::{CellFacts, StepFacts, Subjects};
use crate::analysis::keys::SubjectKey;
use crate::analysis::points::metric::{Metric, PointFigure, PointPart};
use crate::analysis::points::point_summary::{P99, PERCENTILES};
use crate::brief::text::wording;
use crate::language::Language;
use crate::say;

/// "Drive 1 of A: mean from 78 µs to 211 µs and p99 from 388 µs to 709 µs between 10 MB/s and 700
/// MB/s": the first drive of each group and the one in the middle, for eight the first and the
/// fifth.
pub fn of_drives(l: Language, subjects: &Subjects, step: &StepFacts) -> Vec<String> {
    let drives = step.cells.iter().map(|cell| cell.drives.len()).max().unwrap_or(0);
    if drives < 2 {
        return Vec::new();
    }
    let chosen = [0, drives / 2];
    let each = chosen.into_iter().flat_map(|drive| subjects.keys().map(move |s| (drive, s)));
    each.filter_map(|(drive, subject)| of_drive(l, subjects, step, drive as u32, subject)).collect()
}

fn of_drive(
    l: Language,
    subjects: &Subjects,
    step: &StepFacts,
    drive: u32,
    subject: SubjectKey,
) -> Option<String> {
    let name = &subjects[subject].name;
    let kept = |cell: &&CellFacts| cell.total.is_some() && !cell.missed_its_rate();
    let cells: Vec<&CellFacts> =
        step.cells_of(subject).into_iter().flatten().filter(kept).collect();
    let (first, last) = (cells.first()?, cells.last()?);
    let number = drive + 1;
    let text = |figure: &PointFigure, cell: &CellFacts| {
        let metric = Metric { figure: figure.clone(), part: PointPart::Drive(drive.into()) };
        super::latency_of(l, step, &metric, cell)
    };
    let both = [PointFigure::Mean, PointFigure::Percentile(P99)];
    if first.value == last.value {
        let level = |figure: &PointFigure| {
            let own = Metric::total(figure.clone()).text(l);
            Some(format!("{own} {}", text(figure, first)?))
        };
        let figures: Vec<String> = both.iter().filter_map(level).collect();
        let figures = (!figures.is_empty()).then(|| l.list(&figures))?;
        return Some(say!(l, "drive-level", drive = number, subject = name, figures));
    }
    let moved = |figure: &PointFigure| {
        let (low, high) = (text(figure, first)?, text(figure, last)?);
        let figure = Metric::total(figure.clone()).text(l);
        Some(say!(l, "moves-from-to", figure, low, high))
    };
    let moves: Vec<String> = both.iter().filter_map(moved).collect();
    let moves = (!moves.is_empty()).then(|| l.list(&moves))?;
    let (from, to) = (step.values[first.value].text(l), step.values[last.value].text(l));
    Some(say!(l, "drive-course", drive = number, subject = name, moves, from, to))
}

/// "reader-4 of A: mean 102 µs, p99 388 µs, p99.9 …, p99.99 …": for steps with several headline
/// streams, each at the representative point.
pub fn of_streams(l: Language, subjects: &Subjects, step: &StepFacts) -> Vec<String> {
    let value = step.headline_value.or(step.values.last_key()).unwrap_or_default();
    let mut all = Vec::new();
    for subject in subjects.keys() {
        let Some(cell) = step.cell(subject, value) else { continue };
        let counted: Vec<&String> = cell
            .streams
            .iter()
            .filter(|(_, headline, _)| *headline)
            .map(|(name, ..)| name)
            .collect();
        if counted.len() > 1 {
            let each =
                counted.into_iter().filter_map(|name| of_stream(l, subjects, step, cell, name));
            all.extend(each);
        }
    }
    all
}

fn of_stream(
    l: Language,
    subjects: &Subjects,
    step: &StepFacts,
    cell: &CellFacts,
    name: &str,
) -> Option<String> {
    let tails = (P99..PERCENTILES.len()).map(PointFigure::Percentile);
    let printed = |figure: PointFigure| {
        let metric = Metric { figure, part: PointPart::Stream(name.to_string()) };
        let text = super::latency_of(l, step, &metric, cell)?;
        Some(format!("{} {text}", Metric::total(metric.figure).text(l)))
    };
    let figures: Vec<String> =
        std::iter::once(PointFigure::Mean).chain(tails).filter_map(printed).collect();
    let figures = (!figures.is_empty()).then(|| figures.join(&say!(l, "list-comma")))?;
    let at = wording::place(l, step, &[cell.value]);
    Some(say!(
        l,
        "stream-levels",
        stream = name,
        subject = &subjects[cell.subject].name,
        at,
        figures
    ))
}
