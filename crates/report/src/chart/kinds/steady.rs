//! Steady states reached before the measurement, drawn round by round.

use crate::analysis::facts::{PreparedFacts, SetupFacts, Subjects};
use crate::analysis::keys::SubjectKey;
use crate::chart::kinds::rounds::{Fit, Rounds, RoundsSeries};
use crate::chart::{Chart, FigureText};
use crate::language::{Language, Name, Number};
use crate::say;
use dyno_core::base::units;
use dyno_core::record::SteadyState;

/// The last steady state of each drive, under its own name.
pub fn states<'f>(
    l: Language,
    subjects: &'f Subjects,
    setup: &'f SetupFacts,
) -> Vec<(String, &'f SteadyState)> {
    let mut all: Vec<((SubjectKey, u32), &SteadyState)> = Vec::new();
    for PreparedFacts { subject, step: prepared, .. } in &setup.prepared {
        let Some(state) = &prepared.steady else { continue };
        let of = (*subject, prepared.drive);
        match all.iter_mut().find(|(known, _)| *known == of) {
            Some(known) => known.1 = state,
            None => all.push((of, state)),
        }
    }
    let several = |subject: SubjectKey| all.iter().filter(|((s, _), _)| *s == subject).count() > 1;
    let name = |subject: SubjectKey, drive: u32| match several(subject) {
        true => {
            let subject = &subjects[subject].name;
            say!(l, "figure-drive-of", subject = subject, drive = drive + 1)
        }
        false => subjects[subject].name.clone(),
    };
    all.iter().map(|((subject, drive), state)| (name(*subject, *drive), *state)).collect()
}

/// A figure for each metric and length of round: drives with the same settings together.
pub fn figures(l: Language, subjects: &Subjects, setup: &SetupFacts) -> Vec<Chart> {
    let states = states(l, subjects, setup);
    let mut kinds: Vec<&SteadyState> = Vec::new();
    for (_, state) in &states {
        if !kinds.iter().any(|kind| alike(kind, state)) {
            kinds.push(state);
        }
    }
    let draw = |first: &&SteadyState| {
        let file = format!("steady-{}-{}", first.metric.name(), units::duration(first.round_ns));
        Chart::new(file, rounds(l, first, states.iter().filter(|(_, state)| alike(first, state))))
    };
    kinds.iter().map(draw).collect()
}

fn alike(a: &SteadyState, b: &SteadyState) -> bool {
    a.metric == b.metric && a.round_ns == b.round_ns
}

fn rounds<'a>(
    l: Language,
    first: &SteadyState,
    states: impl Iterator<Item = &'a (String, &'a SteadyState)>,
) -> Rounds {
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
    let round = Number(units::duration(first.round_ns));
    let band = Number(format!("{:.0} %", first.rule.excursion * 50.0));
    let metric = Name::tracked(first.metric.name());
    let caption = say!(l, "figure-convergence-in-rounds", metric, round, band);
    Rounds {
        text: FigureText::of(l, say!(l, "figure-convergence"), caption),
        y_label: first.metric.unit().to_string(),
        series: series.collect(),
    }
}
