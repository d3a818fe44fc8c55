//! Caveats in sentences.

use std::collections::HashMap;

use crate::analysis::comparability::caveats::{self, Caveat};
use crate::analysis::facts::{CellFacts, MeasuredFacts, ReportStatements, StepFacts, Subjects};
use crate::analysis::keys::{StepKey, SubjectKey, ValueKey};
use crate::analysis::limits::bottleneck::{Bottleneck, BottleneckVerdict};
use crate::analysis::points::metric::PointPart;
use crate::brief::number_format;
use crate::brief::text::bottleneck_text;
use crate::language::Language;
use crate::say;
use crate::terms::place::step_at;

/// The text for a bottleneck's verdict: with its remedy, or only the evidence if a table of
/// bottlenecks has the remedy.
pub type VerdictText = fn(Language, &BottleneckVerdict) -> String;

/// A caveat as text.
pub fn caveat(l: Language, caveat: &Caveat, why: VerdictText) -> String {
    match caveat {
        Caveat::NotMeasured => say!(l, "caveat-not-measured"),
        Caveat::Failed(n) => say!(l, "caveat-failed", count = *n),
        Caveat::NotSteady => say!(l, "caveat-not-steady"),
        Caveat::NoFlush => say!(l, "caveat-no-flush"),
        Caveat::Drifted(percent) => {
            say!(l, "caveat-drifted", change = number_format::signed_percent(l, *percent))
        }
        Caveat::MissedRate(share) => {
            say!(l, "caveat-missed-rate", share = number_format::share_in_words(l, *share))
        }
        Caveat::BackgroundMissedRate(stream, share) => {
            let share = number_format::share_in_words(l, *share);
            say!(l, "caveat-stream-missed-rate", stream = stream, share = share)
        }
        Caveat::Late(share) => {
            say!(l, "caveat-late", share = number_format::share_in_words(l, *share))
        }
        Caveat::LittlesLaw(share) => {
            say!(l, "caveat-littles-law", share = number_format::share(l, *share))
        }
        Caveat::FewRepeats(n) => say!(l, "caveat-few-repeats", count = *n),
        Caveat::FewFigures(n) => say!(l, "caveat-few-figures", count = *n),
        Caveat::NotTheDrive(verdict) if verdict.limit == Bottleneck::NoDrive => {
            say!(l, "caveat-no-drive", why = why(l, verdict))
        }
        Caveat::NotTheDrive(verdict) => {
            let limit = bottleneck_text::limit(l, verdict.limit);
            say!(l, "caveat-not-the-drive", limit = limit, why = why(l, verdict))
        }
    }
}

/// Every caveat of every cell, with common ones stated once.
pub fn caveats(
    l: Language,
    subjects: &Subjects,
    statements: &ReportStatements,
    measured: &MeasuredFacts,
    why: VerdictText,
) -> Vec<String> {
    let few = |c: &Caveat| matches!(c, Caveat::FewRepeats(_) | Caveat::FewFigures(_));
    let cells = || measured.steps.iter().flat_map(|s| &s.cells);
    let all_few = cells().next().is_some() && cells().all(|c| c.caveats.iter().any(few));
    let mut all = Vec::new();
    if all_few {
        let first = cells().flat_map(|c| &c.caveats).find_map(|c| match c {
            Caveat::FewRepeats(n) => Some(say!(l, "caveat-every-point-few-repeats", count = *n)),
            Caveat::FewFigures(n) => Some(say!(l, "caveat-every-point-few-figures", count = *n)),
            _ => None,
        });
        all.extend(first);
    }
    // A caveat that applies to several points of a subject is stated once.
    let (mut known, mut of) = (HashMap::new(), Vec::<Vec<(StepKey, ValueKey)>>::new());
    for step in &measured.steps {
        let parts = statements.parts_asked(step);
        for cell in &step.cells {
            let own = cell.caveats.iter().filter(|c| !(all_few && few(c)));
            let own = own.map(|c| caveat(l, c, why));
            for said in own.chain(of_parts(l, cell, &parts, why)) {
                let at = (step.key, cell.value);
                let known = *known.entry((cell.subject, said)).or_insert(of.len());
                match of.get_mut(known) {
                    Some(places) => places.push(at),
                    None => of.push(vec![at]),
                }
            }
        }
    }
    let mut said: Vec<_> = known.into_iter().collect();
    said.sort_by_key(|(_, index)| *index);
    let line = |((subject, text), index): ((SubjectKey, String), usize)| {
        let (places, subject) = (places(l, measured, &of[index]), &subjects[subject].name);
        say!(l, "caveat-of", places = places, subject = subject, caveat = text)
    };
    all.extend(said.into_iter().map(line));
    all
}

/// The caveats of the requested parts: "reader-4: ops/s drifted by −50 % over the window".
fn of_parts(l: Language, cell: &CellFacts, parts: &[PointPart], why: VerdictText) -> Vec<String> {
    let of = |part: &PointPart| {
        let name = part.name().unwrap_or_default();
        let all = part.of(cell).map(caveats::of_load).unwrap_or_default();
        all.iter()
            .map(|c| say!(l, "of-step", step = &name, sentence = caveat(l, c, why)))
            .collect::<Vec<_>>()
    };
    parts.iter().flat_map(of).collect()
}

/// "Reads at 1 and 2 threads; Writes": points, step by step.
fn places(l: Language, measured: &MeasuredFacts, points: &[(StepKey, ValueKey)]) -> String {
    let of_step = |step: &StepFacts| {
        let own = points.iter().filter(|(of, _)| *of == step.key);
        let values: Vec<ValueKey> = own.map(|(_, value)| *value).collect();
        (!values.is_empty()).then(|| step_at(l, step, &values))
    };
    let all: Vec<String> = measured.steps.iter().filter_map(of_step).collect();
    l.clauses(&all)
}
