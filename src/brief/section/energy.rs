//! Power, energy and work per watt, where a meter measured power, with the class that the watts are
//! of in each row.

use super::Section;
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::power::{MOST_DELAY_S, PowerFacts};
use crate::brief::block::{Block, Table};
use crate::brief::number_format::{self, NONE};
use crate::chart;
use crate::chart::step::name;
use crate::say;
use crate::stats::Estimate;

/// Power, energy and work per watt.
pub const SECTION: Section =
    Section { id: "energy", title: |l| say!(l, "section-energy"), appendix: true, blocks };

/// After the axis; what matters most comes first, since a terminal leaves out what does not fit.
const HEAD: [&str; 13] = [
    "subject", "power of", "W", "±", "ops/s/W", "±", "J/op", "MB/s/W", "energy", "idle", "min",
    "max", "p99",
];

fn blocks(facts: &Facts) -> Vec<Block> {
    let mut out = Vec::new();
    for step in &facts.steps {
        let Some(table) = table(facts, step) else { continue };
        out.push(Block::chapter(&step.title));
        out.extend(figures(facts, step));
        out.push(table.block());
    }
    if !out.is_empty() {
        out.insert(0, Block::note(how()));
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
    (!rows.is_empty()).then(|| Table::of(3, &[&[step.axis_label()], &HEAD[..]].concat(), rows))
}

/// How the numbers come about.
fn how() -> String {
    format!(
        "Power is of what the third column names, as its instrument shows it; classes are never \
         compared. Energy is the trapezoid over the readings' own times, over the measured window \
         as late as the instrument shows the load: the delay, up to {MOST_DELAY_S} s, at which its \
         readings follow the ops/s best, the same for all points of an instrument. It is not given \
         where readings leave more than 1 % of the window out. Idle power is not subtracted."
    )
}

fn rows(facts: &Facts, step: &StepFacts) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for cell in &step.cells {
        for power in &cell.power {
            let mut row = vec![step.values[cell.value].label.clone(), name(facts, cell)];
            row.extend(of(power));
            all.push(row);
        }
    }
    all
}

fn of(p: &PowerFacts) -> Vec<String> {
    let shown = |e: &Option<Estimate>, show: &dyn Fn(f64) -> String| {
        e.as_ref().map_or(NONE.into(), |e| show(e.value))
    };
    vec![
        format!("{} ({})", p.class, p.kind),
        number_format::watts(p.mean_watts.value),
        number_format::spread(&p.mean_watts),
        shown(&p.ops_per_watt, &number_format::count),
        p.ops_per_watt.as_ref().map_or(NONE.into(), number_format::spread),
        shown(&p.joules_per_op, &number_format::joules),
        shown(&p.mb_per_watt, &number_format::count),
        shown(&p.joules, &number_format::joules),
        p.rest_watts.map_or(NONE.into(), number_format::watts),
        number_format::watts(p.min_watts),
        number_format::watts(p.max_watts),
        number_format::watts(p.p99_watts.value),
    ]
}

/// What is to be said of the instruments: how late they are, and what they left out.
pub fn notes(facts: &Facts) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for step in &facts.steps {
        for cell in &step.cells {
            let subject = &facts.subjects[cell.subject];
            for p in &cell.power {
                let who = format!("{subject}, {} ({})", p.class, p.kind);
                let late = match p.late_s {
                    Some(late_s) => {
                        format!("{who}: shows the load {late_s:.2} s late, which is set right.")
                    }
                    None => format!(
                        "{who}: does not follow the load closely enough to find whether it is late."
                    ),
                };
                if !all.contains(&late) {
                    all.push(late);
                }
                if p.joules.is_none() {
                    let at = &step.values[cell.value].label;
                    let covered = p.covered * 100.0;
                    all.push(format!(
                        "{who}, {} {at}: readings cover {covered:.0} % of the window, too little \
                         for energy.",
                        step.title
                    ));
                }
            }
        }
    }
    all
}
