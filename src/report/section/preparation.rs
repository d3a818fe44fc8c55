//! What the drives were prepared with, and whether they had come to a steady state before they were measured.

use std::fmt::Write;

use super::{Info, Section};
use crate::record::SteadyState;
use crate::report::facts::Facts;
use crate::report::figure::rounds::{Fit, Rounds, RoundsSeries};
use crate::report::html::{Table, escape};
use crate::report::words;

pub struct Preparation;

impl Section for Preparation {
    fn info(&self) -> Info {
        Info { id: "preparation", title: "Preparation" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        let mut out = warning(facts);
        let states: Vec<(String, &SteadyState)> = steady_states(facts);
        if !states.is_empty() {
            out.push_str("<div class=figures>\n");
            for (_, first) in one_of_each_metric(&states) {
                let alike = states.iter().filter(|(_, s)| s.metric == first.metric && s.round_ns == first.round_ns);
                let _ = writeln!(out, "<figure>{}</figure>", figure(first, alike));
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
    for (name, state) in steady_states(facts).iter().filter(|(_, s)| !s.reached()) {
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

/// The last steady state of each drive, under a name of its own.
fn steady_states(facts: &Facts) -> Vec<(String, &SteadyState)> {
    let mut all: Vec<((usize, u32), &SteadyState)> = Vec::new();
    for (subject, prepared) in &facts.prepared {
        let Some(state) = &prepared.steady else { continue };
        let of = (*subject, prepared.drive);
        match all.iter_mut().find(|(known, _)| *known == of) {
            Some(known) => known.1 = state,
            None => all.push((of, state)),
        }
    }
    let several = |subject: usize| all.iter().filter(|((s, _), _)| *s == subject).count() > 1;
    let name = |subject: usize, drive: u32| match several(subject) {
        true => format!("{}, drive {}", facts.subjects[subject], drive + 1),
        false => facts.subjects[subject].clone(),
    };
    all.iter().map(|((subject, drive), state)| (name(*subject, *drive), *state)).collect()
}

fn one_of_each_metric<'a>(states: &[(String, &'a SteadyState)]) -> Vec<(String, &'a SteadyState)> {
    let mut kinds: Vec<(String, &SteadyState)> = Vec::new();
    for (name, state) in states {
        if !kinds.iter().any(|(_, s)| s.metric == state.metric && s.round_ns == state.round_ns) {
            kinds.push((name.clone(), state));
        }
    }
    kinds
}

fn figure<'a>(first: &SteadyState, states: impl Iterator<Item = &'a (String, &'a SteadyState)>) -> String {
    let series = states.map(|(name, state)| RoundsSeries {
        name: name.clone(),
        values: state.rounds.clone(),
        fit: state.window.as_ref().map(|w| Fit {
            first_round: w.first_round,
            rounds: w.values.len(),
            mean: w.mean,
            intercept: w.intercept,
            slope_per_round: w.slope_per_round,
            band: w.mean * state.rule.excursion / 2.0,
        }),
    });
    let round = crate::base::units::duration(first.round_ns);
    let band = first.rule.excursion * 50.0;
    Rounds {
        title: "Coming to a steady state".to_string(),
        subtitle: format!(
            "{} in rounds of {round}; last rounds with their fit and mean ± {band:.0} %",
            first.metric.name()
        ),
        y_label: first.metric.unit().to_string(),
        series: series.collect(),
    }
    .svg()
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
