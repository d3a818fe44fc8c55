//! Power, energy and work per watt, if a meter measured power, with the power class in each row.

use super::Section;
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::power::{MOST_DELAY_S, PowerFacts};
use crate::brief::block::{Block, Table};
use crate::brief::number_format::{self, NONE};
use crate::chart;
use crate::chart::step::name;
use crate::language::Language;
use crate::say;
use crate::stats::Estimate;

/// Power, energy and work per watt.
pub const SECTION: Section =
    Section { id: "energy", title: |l| say!(l, "section-energy"), appendix: true, blocks };

/// What matters most comes first, since a terminal leaves out what does not fit.
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

fn blocks(facts: &Facts) -> Vec<Block> {
    let mut out = Vec::new();
    for step in &facts.steps {
        let Some(table) = table(facts, step) else { continue };
        out.push(Block::chapter(&step.title));
        out.extend(figures(facts, step));
        out.push(table.block());
    }
    if !out.is_empty() {
        out.insert(
            0,
            Block::note(say!(facts.language, "energy-how", seconds = MOST_DELAY_S.to_string())),
        );
        out.push(Block::list(notes(facts)));
    }
    out
}

/// Those with which the step does not lead.
fn figures(facts: &Facts, step: &StepFacts) -> Option<Block> {
    let leading = chart::choice::leading(facts, step);
    let led = |figure: &chart::Figure| leading.iter().any(|own| own.is(figure));
    let own: Vec<_> =
        chart::of_step(SECTION.id, facts, step).into_iter().filter(|f| !led(f)).collect();
    (!own.is_empty()).then_some(Block::Figures(own))
}

/// A row for each cell and instrument, where there is one.
pub fn table(facts: &Facts, step: &StepFacts) -> Option<Table> {
    let rows = rows(facts, step);
    (!rows.is_empty()).then(|| Table::of(3, &head(facts.language, step), rows))
}

fn rows(facts: &Facts, step: &StepFacts) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for cell in &step.cells {
        for power in &cell.power {
            let l = facts.language;
            let mut row = vec![step.values[cell.value].text(l), name(facts, cell)];
            row.extend(of(l, power));
            all.push(row);
        }
    }
    all
}

fn of(l: Language, p: &PowerFacts) -> Vec<String> {
    let shown = |e: &Option<Estimate>, show: &dyn Fn(f64) -> String| {
        e.as_ref().map_or(NONE.into(), |e| show(e.value))
    };
    vec![
        format!("{} ({})", p.class, p.kind),
        number_format::watts(l, p.mean_watts.value),
        number_format::spread(l, &p.mean_watts),
        shown(&p.ops_per_watt, &|v| number_format::count(l, v)),
        p.ops_per_watt.as_ref().map_or(NONE.into(), |e| number_format::spread(l, e)),
        shown(&p.joules_per_op, &|v| number_format::joules(l, v)),
        shown(&p.mb_per_watt, &|v| number_format::count(l, v)),
        shown(&p.joules, &|v| number_format::joules(l, v)),
        p.rest_watts.map_or(NONE.into(), |w| number_format::watts(l, w)),
        number_format::watts(l, p.min_watts),
        number_format::watts(l, p.max_watts),
        number_format::watts(l, p.p99_watts.value),
    ]
}

/// What is to be said of the instruments: how late they are, and what they left out.
pub fn notes(facts: &Facts) -> Vec<String> {
    let l = facts.language;
    let mut all: Vec<String> = Vec::new();
    for step in &facts.steps {
        for cell in &step.cells {
            let subject = &facts.subjects[cell.subject];
            for p in &cell.power {
                let who = format!("{subject}, {} ({})", p.class, p.kind);
                let late = match p.late_s {
                    Some(late_s) => {
                        let late = l.number(&format!("{late_s:.2} s"));
                        say!(l, "meter-late", meter = &who, late = late)
                    }
                    None => say!(l, "meter-unknown-delay", meter = &who),
                };
                if !all.contains(&late) {
                    all.push(late);
                }
                if p.joules.is_none() {
                    let at = step.values[cell.value].text(l);
                    let covered = format!("{:.0} %", p.covered * 100.0);
                    all.push(say!(
                        l,
                        "meter-too-little",
                        meter = who,
                        step = &step.title,
                        at = at,
                        covered = covered
                    ));
                }
            }
        }
    }
    all
}
