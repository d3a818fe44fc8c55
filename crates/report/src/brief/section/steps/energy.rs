//! Power, energy and work per watt, if a meter measured power, with the power class in each row.

use crate::analysis::facts::{Facts, MeasuredFacts, StepFacts, Subjects};
use crate::analysis::limits::power::{MOST_DELAY_S, PowerFacts, PowerReadings};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format;
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::table_cell::{TableCell, texts};
use crate::chart::step::name;
use crate::chart::{self, StepDrawing};
use crate::language::{Language, Name};
use crate::say;
use dyno_core::stats::Estimate;
use dyno_core::stats::energy::{ENOUGH, MOST_OPEN};

/// Power, energy and work per watt.
pub const SECTION: Section =
    Section::appendix("energy", |l| say!(l, "section-energy"), SectionBlocks::Whole(blocks));

/// Most important first, because a terminal omits columns that do not fit.
fn head(l: Language, step: &StepFacts) -> Vec<String> {
    let mut head = vec![step.axis_text(l), say!(l, "column-subject"), say!(l, "column-power-of")];
    head.extend(["W", "±", "ops/s/W", "±", "J/op", "MB/s/W"].map(String::from));
    head.extend([
        say!(l, "column-energy"),
        say!(l, "column-idle"),
        say!(l, "column-min"),
        say!(l, "column-max"),
    ]);
    head.push("p99".to_string());
    head
}

fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    let mut out = Vec::new();
    for step in &facts.measured.steps {
        let Some(table) = table(l, &facts.subjects, step) else { continue };
        out.push(Block::chapter(step.title.text(l)));
        let drawing = StepDrawing::of(l, &facts.subjects, &facts.comparisons, step);
        // Metrics other than the step's headline.
        out.extend(Block::figures(chart::choice::beside(SECTION.id, &drawing)));
        out.push(table.block());
    }
    if !out.is_empty() {
        let how = match facts.setup.is_imported() {
            true => say!(l, "energy-how-imported"),
            false => say!(l, "energy-how", seconds = MOST_DELAY_S.to_string()),
        };
        out.insert(0, Block::note(how));
        let notes = notes(l, &facts.subjects, &facts.measured);
        if !notes.is_empty() {
            out.push(Block::list(notes));
        }
    }
    out
}

/// A row for each cell and instrument, if there is one.
pub fn table(l: Language, subjects: &Subjects, step: &StepFacts) -> Option<Table> {
    let rows = rows(l, subjects, step);
    (!rows.is_empty()).then(|| Table::measured(l, 3, &head(l, step), rows))
}

fn rows(l: Language, subjects: &Subjects, step: &StepFacts) -> Vec<(Mark, Vec<TableCell>)> {
    let mut all = Vec::new();
    for cell in &step.cells {
        for power in &cell.power {
            let mut row = texts([step.values[cell.value].text(l), name(subjects, cell)]);
            row.extend(of(l, power));
            all.push((Mark::None, row));
        }
    }
    all
}

fn of(l: Language, p: &PowerFacts) -> Vec<TableCell> {
    let count = |e: &Option<Estimate>| TableCell::rate(e.as_ref());
    let read = p.readings.as_ref();
    let watts = |pick: fn(&PowerReadings) -> f64| TableCell::fixed(read.map(pick));
    vec![
        instrument(l, p).into(),
        TableCell::rate(Some(&p.mean_watts)),
        number_format::spread(l, Some(&p.mean_watts)).into(),
        count(&p.ops_per_watt),
        number_format::spread(l, p.ops_per_watt.as_ref()).into(),
        TableCell::joules(p.joules_per_op.as_ref()),
        count(&p.mb_per_watt),
        TableCell::joules(read.and_then(|r| r.joules.as_ref())),
        TableCell::fixed(p.rest_watts),
        watts(|r| r.min_watts),
        watts(|r| r.max_watts),
        watts(|r| r.p99_watts.value),
    ]
}

/// The class of power, and its meter: "drive (exec)".
fn instrument(l: Language, p: &PowerFacts) -> String {
    let (class, kind) = (Name::power_class(&p.class), Name::meter_kind(&p.kind));
    say!(l, "with-detail", what = class, detail = kind)
}

/// Notes on the instruments: their delays, and gaps.
pub fn notes(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for step in &measured.steps {
        for cell in &step.cells {
            let subject = &subjects[cell.subject].name;
            for p in &cell.power {
                let Some(read) = &p.readings else { continue };
                let who = l.sequence(&[subject.clone(), instrument(l, p)]);
                let late = match read.late_s {
                    Some(late_s) => {
                        let late = l.number(&format!("{late_s:.2} s"));
                        say!(l, "meter-late", meter = &who, late)
                    }
                    None => say!(l, "meter-unknown-delay", meter = &who),
                };
                if !all.contains(&late) {
                    all.push(late);
                }
                let at = step.values[cell.value].text(l);
                if read.open > MOST_OPEN {
                    let open = number_format::share(l, read.open);
                    let (meter, step) = (&who, &step.title);
                    all.push(say!(l, "meter-delay-open", meter, step, at = &at, open));
                }
                if read.covered < ENOUGH {
                    let covered = format!("{:.0} %", read.covered * 100.0);
                    all.push(say!(
                        l,
                        "meter-too-little",
                        meter = who,
                        step = &step.title,
                        at,
                        covered
                    ));
                }
            }
        }
    }
    all
}
