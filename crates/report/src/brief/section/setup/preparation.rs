//! The preparation of the drives, and whether they reached steady state.

use crate::analysis::facts::{MeasuredFacts, PreparedFacts, SetupFacts, Subjects};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format;
use crate::brief::section::{Section, SectionBlocks};
use crate::chart::kinds::steady;
use crate::language::{Language, Name};
use crate::say;
use crate::terms::names;
use dyno_core::plan::SteadyMetric;
use dyno_core::record::{PreparationStep, SteadyState};

/// The preparation of the drives.
pub const SECTION: Section = Section::appendix(
    "preparation",
    |l| say!(l, "section-preparation"),
    SectionBlocks::Setup(blocks),
);

fn blocks(l: Language, subjects: &Subjects, setup: &SetupFacts, _: &MeasuredFacts) -> Vec<Block> {
    let mut out = warnings(l, subjects, setup);
    let states = steady::states(l, subjects, setup);
    if !states.is_empty() {
        out.push(Block::Figures(steady::figures(l, subjects, setup)));
        out.push(verdicts(l, &states).block());
    }
    if !setup.prepared.is_empty() {
        let rows = setup.prepared.iter().map(|PreparedFacts { subject, step: p, .. }| {
            let at = l.moment(p.ended_unix_ns);
            let drive = (p.drive + 1).to_string();
            let (action, outcome) = (done(l, &p.action), outcome(l, p));
            vec![subjects[*subject].name.clone(), drive, action, outcome, at]
        });
        let head = [
            say!(l, "column-subject"),
            say!(l, "column-drive"),
            String::new(),
            say!(l, "column-done"),
            say!(l, "column-at"),
        ];
        out.push(Table::of(5, &head, rows.collect()).block());
    }
    out
}

/// A run's stored text, translated clause by clause: a drive may have several namespaces.
fn done(l: Language, stored: &str) -> String {
    let clause = |clause: &str| say!(l, "done", action = names::done(clause));
    l.clauses(&stored.split("; ").map(clause).collect::<Vec<_>>())
}

/// A tracked metric's value, with its unit.
fn tracked(l: Language, metric: SteadyMetric, value: f64) -> String {
    match metric {
        SteadyMetric::Iops => format!("{} ops/s", number_format::count(l, value)),
        SteadyMetric::Throughput => format!("{} MB/s", number_format::megabytes(l, value)),
        SteadyMetric::Mean | SteadyMetric::P99 => number_format::time(l, value),
        SteadyMetric::Waf => number_format::decimal(l, value, 2),
    }
}

/// The result of a preparation: for rounds, whether the last ones were steady.
fn outcome(l: Language, prepared: &PreparationStep) -> String {
    let Some(state) = &prepared.steady else { return done(l, &prepared.outcome) };
    let (rounds, metric) = (state.rounds.len(), Name::tracked(state.metric.name()));
    let Some(window) = &state.window else {
        return say!(l, "too-few-rounds", metric);
    };
    let percent = |share: f64| number_format::percent(l, share * 100.0, 1);
    let (excursion, slope) = (percent(window.excursion), percent(window.slope));
    match window.steady {
        true => say!(l, "steady-after", rounds, metric, excursion, slope),
        false => say!(l, "not-steady-within", rounds, metric, excursion, slope),
    }
}

/// Points on drives that were not steady are shown like the others, so this is stated first.
fn warnings(l: Language, subjects: &Subjects, setup: &SetupFacts) -> Vec<Block> {
    let states = steady::states(l, subjects, setup);
    let warning = |(name, state): &(String, &SteadyState)| {
        let rounds = state.rounds.len();
        Block::warning(say!(l, "not-steady-warning", drive = name, rounds))
    };
    states.iter().filter(|(_, s)| !s.reached()).map(warning).collect()
}

fn verdicts(l: Language, states: &[(String, &SteadyState)]) -> Table {
    let head = [
        say!(l, "column-drive"),
        say!(l, "column-verdict"),
        say!(l, "column-rounds"),
        say!(l, "column-window"),
        say!(l, "mean"),
        say!(l, "column-excursion"),
        say!(l, "column-allowed"),
        say!(l, "column-slope"),
        say!(l, "column-allowed"),
    ];
    let mut table = Table::new(2, &head);
    for (name, state) in states {
        let percent = |share: f64| number_format::share(l, share);
        let mut row = vec![name.clone()];
        row.push(match state.reached() {
            true => say!(l, "steady"),
            false => say!(l, "not-steady"),
        });
        row.push(state.rounds.len().to_string());
        let (excursion, slope) = (percent(state.rule.excursion), percent(state.rule.slope));
        match &state.window {
            Some(w) => {
                let last = w.first_round + w.values.len() - 1;
                let (first, last) = (w.first_round.to_string(), last.to_string());
                let window = say!(l, "range", low = first, high = last);
                let mean = tracked(l, state.metric, w.mean);
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
