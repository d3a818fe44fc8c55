//! What the drives were prepared with, and whether they had come to a steady state before they were
//! measured.

use super::Section;
use crate::analysis::facts::Facts;
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format;
use crate::chart::steady;
use crate::record::SteadyState;
use crate::say;

/// How drives were prepared.
pub const SECTION: Section = Section {
    id: "preparation",
    title: |l| say!(l, "section-preparation"),
    appendix: true,
    blocks,
};

fn blocks(facts: &Facts) -> Vec<Block> {
    let mut out = warnings(facts);
    let states = steady::states(facts);
    if !states.is_empty() {
        out.push(Block::Figures(steady::figures(facts)));
        out.push(verdicts(&states).block());
    }
    if !facts.prepared.is_empty() {
        let rows = facts.prepared.iter().map(|(subject, p)| {
            let (drive, at) = ((p.drive + 1).to_string(), number_format::moment(p.ended_unix_ns));
            [&facts.subjects[*subject], &drive, &p.action, &p.outcome, &at]
                .map(String::clone)
                .to_vec()
        });
        out.push(Table::of(5, &["subject", "drive", "", "done", "at"], rows.collect()).block());
    }
    out
}

/// Points on drives that were not steady are shown like the others, so it is said first.
fn warnings(facts: &Facts) -> Vec<Block> {
    let states = steady::states(facts);
    let warning = |(name, state): &(String, &SteadyState)| {
        Block::warning(format!(
            "{name} did not come to a steady state within {} rounds. Its points were measured all \
             the same, and may say more about where its preparation stopped than about the drive.",
            state.rounds.len()
        ))
    };
    states.iter().filter(|(_, s)| !s.reached()).map(warning).collect()
}

fn verdicts(states: &[(String, &SteadyState)]) -> Table {
    let head = [
        "drive",
        "verdict",
        "rounds",
        "window",
        "mean",
        "excursion",
        "allowed",
        "slope",
        "allowed",
    ];
    let mut table = Table::new(2, &head);
    for (name, state) in states {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let mut row =
            vec![name.clone(), if state.reached() { "steady" } else { "NOT steady" }.to_string()];
        row.push(state.rounds.len().to_string());
        let (excursion, slope) = (percent(state.rule.excursion), percent(state.rule.slope));
        match &state.window {
            Some(w) => {
                let window = format!("{} to {}", w.first_round, w.first_round + w.values.len() - 1);
                let mean = format!("{:.0} {}", w.mean, state.metric.unit());
                row.extend([
                    window,
                    mean,
                    percent(w.excursion),
                    excursion,
                    percent(w.slope),
                    slope,
                ]);
            }
            None => {
                let none = || number_format::NONE.to_string();
                row.extend([none(), none(), none(), excursion, none(), slope]);
            }
        }
        table.row(if state.reached() { Mark::None } else { Mark::Bad }, row);
    }
    table
}
