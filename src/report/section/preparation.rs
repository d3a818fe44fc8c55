//! What the drives were prepared with, and whether they had come to a steady state before they were measured.

use std::fmt::Write;

use super::{Info, Section};
use crate::analysis::facts::Facts;
use crate::record::SteadyState;
use crate::report::html::{Table, escape};
use crate::report::{steady, words};

pub struct Preparation;

impl Section for Preparation {
    fn info(&self) -> Info {
        Info { id: "preparation", title: "Preparation" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        let mut out = warning(facts);
        let states = steady::states(facts);
        if !states.is_empty() {
            out.push_str("<div class=figures>\n");
            for drawing in steady::drawings(facts) {
                let _ = writeln!(out, "<figure>{}</figure>", drawing.svg);
            }
            out.push_str("</div>\n");
            out.push_str(&verdicts(&states));
        }
        if !facts.prepared.is_empty() {
            let mut table = Table::new(5, &["subject", "drive", "", "done", "at"]);
            for (subject, p) in &facts.prepared {
                let drive = (p.drive + 1).to_string();
                let row = [&facts.subjects[*subject], &drive, &p.action, &p.outcome, &words::moment(p.ended_unix_ns)];
                table.row("", &row.map(String::clone));
            }
            out.push_str(&table.html());
        }
        (!out.is_empty()).then_some(out)
    }
}

/// Points on drives that were not steady are shown like the others, so it is said first.
fn warning(facts: &Facts) -> String {
    let mut out = String::new();
    for (name, state) in steady::states(facts).iter().filter(|(_, s)| !s.reached()) {
        let rounds = state.rounds.len();
        let _ = writeln!(
            out,
            "<p class=bad>{} did not come to a steady state within {rounds} rounds. Its points were measured all the \
             same, and may say more about where its preparation stopped than about the drive.</p>",
            escape(name)
        );
    }
    out
}

fn verdicts(states: &[(String, &SteadyState)]) -> String {
    let head = ["drive", "verdict", "rounds", "window", "mean", "excursion", "allowed", "slope", "allowed"];
    let mut table = Table::new(2, &head);
    for (name, state) in states {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let mut row = vec![name.clone(), if state.reached() { "steady" } else { "NOT steady" }.to_string()];
        row.push(state.rounds.len().to_string());
        let (excursion, slope) = (percent(state.rule.excursion), percent(state.rule.slope));
        match &state.window {
            Some(w) => {
                let window = format!("{} to {}", w.first_round, w.first_round + w.values.len() - 1);
                let mean = format!("{:.0} {}", w.mean, state.metric.unit());
                row.extend([window, mean, percent(w.excursion), excursion, percent(w.slope), slope]);
            }
            None => {
                let none = || words::NONE.to_string();
                row.extend([none(), none(), none(), excursion, none(), slope]);
            }
        }
        table.row(if state.reached() { "" } else { "bad" }, &row);
    }
    table.html()
}
