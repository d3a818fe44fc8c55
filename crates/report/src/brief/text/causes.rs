//! Why none can be ranked, with the remedy: the cause itself, wherever it is stated.

use crate::analysis::comparability::caveats::Caveat;
use crate::analysis::facts::{CellFacts, Facts};
use crate::analysis::limits::bottleneck::{Bottleneck, BottleneckVerdict};
use crate::analysis::points::metric::MetricRequest;
use crate::brief::number_format;
use crate::brief::text::{bottleneck_text, wording};
use crate::language::Language;
use crate::record::SteadyState;
use crate::{message, say};

/// Maximum number of causes in a sentence.
const MOST: usize = 3;

/// Why nothing is claimed, and the remedy.
pub fn no_claim(l: Language, facts: &Facts) -> String {
    let cells = || facts.steps.iter().flat_map(|s| &s.cells);
    let measured = cells().filter(|c| c.total.is_some()).count();
    let verdicts: Vec<_> = cells().filter_map(CellFacts::not_the_drive).collect();
    let none_compared = facts.comparisons.is_empty();
    // Reasons that rule out a comparison precede those that would leave a lower bound.
    let causes = if none_compared { all(l, facts, &|_| true) } else { Vec::new() };
    match facts.barred.first() {
        _ if measured == 0 => none_measured(l, facts),
        Some(bar) if none_compared => {
            say!(l, "no-rank-barred", reason = wording::barred(l, facts, bar))
        }
        _ if !causes.is_empty() => say!(l, "no-rank-because", causes = joined(l, causes)),
        _ if 2 * verdicts.len() > measured => not_limited(l, &verdicts, measured),
        _ if none_compared && !facts.metrics.is_empty() => {
            say!(l, "no-rank-not-comparable-in", metrics = asked(l, facts))
        }
        _ if none_compared => say!(l, "no-rank-never-together"),
        _ => say!(l, "no-rank-chance"),
    }
}

/// Why two subjects are not compared in a step.
pub fn of_pair(l: Language, facts: &Facts, step: usize, pair: (usize, usize)) -> Option<String> {
    if let Some(bar) = facts.bar(step, pair.0, pair.1) {
        return Some(wording::differences(l, facts, bar));
    }
    let own = |at: &(usize, usize)| at.0 == step && (at.1 == pair.0 || at.1 == pair.1);
    let causes = all(l, facts, &own);
    (!causes.is_empty()).then(|| joined(l, causes))
}

fn joined(l: Language, causes: Vec<String>) -> String {
    causes.join(&say!(l, "between-clauses"))
}

/// No point completed: the first point's own cause.
fn none_measured(l: Language, facts: &Facts) -> String {
    let Some(f) = facts.failures.first() else { return say!(l, "no-rank-nothing-measured") };
    let first = say!(
        l,
        "failed-point",
        subject = &facts.subjects[f.subject],
        step = &f.step,
        at = &f.at,
        repeat = f.repeat,
        cause = &f.cause
    );
    say!(l, "no-rank-none-measured", first = first)
}

/// The causes that rule out the points of these places (step, subject), most frequent first: for
/// each kind and subject the worst. A cause common to all subjects is stated once.
fn all(l: Language, facts: &Facts, wanted: &dyn Fn(&(usize, usize)) -> bool) -> Vec<String> {
    let of_steps = facts.steps.iter().enumerate();
    let cells: Vec<&CellFacts> = of_steps
        .flat_map(|(index, step)| step.cells.iter().map(move |cell| (index, cell)))
        .filter(|(index, cell)| wanted(&(*index, cell.subject)))
        .map(|(_, cell)| cell)
        .collect();
    let mut found: Vec<(&CellFacts, &Caveat, usize)> = Vec::new();
    for cell in &cells {
        for caveat in cell.caveats.iter().filter(|c| c.bars() && !c.is_few_repeats()) {
            let kind = std::mem::discriminant(caveat);
            let same = |(own, known, _): &&mut (&CellFacts, &Caveat, usize)| {
                own.subject == cell.subject && std::mem::discriminant(*known) == kind
            };
            match found.iter_mut().find(same) {
                Some(own) => {
                    own.2 += 1;
                    if severity(caveat) > severity(own.1) {
                        (own.0, own.1) = (cell, caveat);
                    }
                }
                None => found.push((cell, caveat, 1)),
            }
        }
    }
    found.sort_by_key(|(.., count)| std::cmp::Reverse(*count));
    let said = found.into_iter().map(|(cell, caveat, _)| cause(l, facts, cell, caveat));
    let mut all: Vec<String> = said.take(MOST).collect();
    let few = cells.iter().filter(|c| c.caveats.iter().any(Caveat::is_few_repeats)).count();
    match cells.len() {
        points if few > 0 && few == points => all.push(say!(l, "cause-few-repeats-all")),
        points if 2 * few > points => {
            all.push(say!(l, "cause-few-repeats", count = few, points = points));
        }
        _ => {}
    }
    all
}

/// The severity of a cause: for each kind, the worst is stated.
fn severity(caveat: &Caveat) -> f64 {
    match caveat {
        Caveat::Drifted(percent) => percent.abs(),
        Caveat::MissedRate(kept) | Caveat::BackgroundMissedRate(_, kept) => -kept,
        Caveat::Late(share) => *share,
        _ => 0.0,
    }
}

/// A cause with its remedy.
fn cause(l: Language, facts: &Facts, cell: &CellFacts, caveat: &Caveat) -> String {
    let subject = &facts.subjects[cell.subject];
    let share = |share: f64| number_format::share(l, share);
    match caveat {
        Caveat::NotMeasured | Caveat::Failed(_) => {
            let own = facts.failures.iter().find(|f| f.subject == cell.subject);
            let why = own.map_or_else(|| say!(l, "caveat-not-measured"), |f| f.cause.clone());
            say!(l, "cause-failed", subject = subject, why = why)
        }
        Caveat::NotSteady => {
            let states = facts.prepared.iter().filter(|(s, _)| *s == cell.subject);
            let last = states.filter_map(|(_, p)| p.steady.as_ref()).rfind(|s| !s.reached());
            let why = last.map_or_else(String::new, |state| unsteady(l, state));
            say!(l, "cause-not-steady", subject = subject, why = why)
        }
        Caveat::Drifted(percent) => {
            let change = number_format::signed_percent(l, *percent);
            say!(l, "cause-drifted", subject = subject, change = change)
        }
        Caveat::MissedRate(kept) => {
            say!(l, "cause-missed-rate", subject = subject, share = share(*kept))
        }
        Caveat::BackgroundMissedRate(stream, kept) => {
            let share = share(*kept);
            say!(l, "cause-stream-missed-rate", subject = subject, stream = stream, share = share)
        }
        Caveat::Late(late) => say!(l, "cause-late", subject = subject, share = share(*late)),
        // Neither rules out a point by itself.
        Caveat::FewRepeats(_) | Caveat::FewFigures(_) | Caveat::NotTheDrive(_) => String::new(),
    }
}

/// By how much the last rounds missed the rule: "excursion 151.7 % where 20.0 % are allowed".
fn unsteady(l: Language, state: &SteadyState) -> String {
    let percent = |share: f64| number_format::share(l, share);
    let Some(window) = &state.window else {
        return say!(l, "unsteady-too-few", rounds = state.rounds.len());
    };
    match window.excursion > state.rule.excursion {
        true => say!(
            l,
            "unsteady-excursion",
            excursion = percent(window.excursion),
            allowed = percent(state.rule.excursion)
        ),
        false => say!(
            l,
            "unsteady-slope",
            slope = percent(window.slope),
            allowed = percent(state.rule.slope)
        ),
    }
}

/// "9 of 12 points were not limited by the drive (8 by the processors): …", with the remedy.
fn not_limited(l: Language, verdicts: &[&BottleneckVerdict], measured: usize) -> String {
    let of = |limit: Bottleneck| verdicts.iter().filter(|v| v.limit == limit).count();
    let Some(most) = verdicts.iter().max_by_key(|v| of(v.limit)) else { return String::new() };
    let change = bottleneck_text::remedy(most).unwrap_or_else(|| message!("see-bottleneck"));
    let (count, same) = (verdicts.len(), of(most.limit));
    let (no_drive, limit) =
        (most.limit == Bottleneck::NoDrive, bottleneck_text::limit(l, most.limit));
    let (points, most) = (measured, same);
    match (same == count, no_drive) {
        (true, true) => {
            say!(l, "no-rank-no-drive-all", count = count, points = points, change = change)
        }
        (true, false) => say!(
            l,
            "no-rank-not-limited-all",
            count = count,
            points = points,
            limit = limit,
            change = change
        ),
        (false, true) => say!(
            l,
            "no-rank-no-drive-most",
            count = count,
            points = points,
            most = most,
            change = change
        ),
        (false, false) => say!(
            l,
            "no-rank-not-limited-most",
            count = count,
            points = points,
            most = most,
            limit = limit,
            change = change
        ),
    }
}

/// "reader-4:p99 and J/op"
fn asked(l: Language, facts: &Facts) -> String {
    let of = |a: &MetricRequest| {
        a.part.as_ref().map_or(a.word.clone(), |part| format!("{part}:{}", a.word))
    };
    l.list(&facts.metrics.iter().map(of).collect::<Vec<_>>())
}
