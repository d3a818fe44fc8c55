//! What a brief says first: one sentence of who is better, at what and by how much, or why nobody
//! can be ranked; then a few findings more. Everything here follows from the comparisons of
//! `analysis`; nothing is weighed anew.

use super::{basis, fleet as words, published, wording};
use crate::analysis::caveats::Caveat;
use crate::analysis::claims;
use crate::analysis::compare::{Comparison, Standing};
use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::analysis::fleet;
use crate::analysis::lead::{self, Outcome};
use crate::analysis::metric::{Asked, Metric};
use crate::language::Language;
use crate::stats::limit::{Limit, Verdict};
use crate::{message, say};

/// Findings beside the first sentence.
pub const MOST_FINDINGS: usize = 3;

/// An interval that reaches this factor says nothing that a reader could use.
const WIDE: f64 = 3.0;

/// The first page in words.
pub struct Lead {
    /// Who is better, at what and by how much, with the interval; or why no drive can be ranked.
    pub sentence: String,
    /// Further findings, a sentence each, the most important first.
    pub findings: Vec<String>,
    /// The step whose figure stands beside it.
    pub step: Option<usize>,
    /// Whether the sentence ranks somebody.
    pub ranks: bool,
}

impl Lead {
    /// The first page of these facts.
    pub fn of(facts: &Facts) -> Lead {
        let step = lead::step(facts);
        if facts.is_fleet() {
            return of_fleet(facts, step);
        }
        if let Some(findings) = published::findings(facts, MOST_FINDINGS) {
            return Lead {
                sentence: say!(facts.language, "published-no-rank"),
                findings,
                step,
                ranks: false,
            };
        }
        let (Some(index), true) = (step, facts.subjects.len() > 1) else {
            return alone(facts, step);
        };
        let outcome = Outcome::of(facts, index);
        match first(facts, &outcome) {
            Some((sentence, said)) => {
                let mut findings = claims_beside(facts, index, &said);
                findings.truncate(MOST_FINDINGS);
                Lead { sentence, findings, step, ranks: true }
            }
            None => {
                let mut findings: Vec<String> =
                    outcome.all.iter().take(MOST_FINDINGS).map(|c| not_shown(facts, c)).collect();
                findings.truncate(MOST_FINDINGS);
                Lead { sentence: no_claim(facts), findings, step, ranks: false }
            }
        }
    }
}

/// A claim is known by its step, metric and pair: of several that show the same one is enough.
type Said = (usize, Metric, usize, usize);

fn key(c: &Comparison) -> Said {
    (c.step, c.metric.clone(), c.better.min(c.worse), c.better.max(c.worse))
}

/// The sentence, and what it has said.
fn first(facts: &Facts, outcome: &Outcome<'_>) -> Option<(String, Vec<Said>)> {
    let title = &facts.steps[outcome.step].title;
    if !outcome.crossovers.is_empty() {
        let said = outcome.crossovers.iter().map(|c| {
            let pair = (c.before.min(c.after), c.before.max(c.after));
            (c.step, c.metric.clone(), pair.0, pair.1)
        });
        return Some((crossed(facts, outcome)?, said.collect()));
    }
    let here = outcome.claimed();
    if !here.is_empty() {
        let (l, said) = (facts.language, wording::joined(facts, &here));
        let open = if outcome.best.is_none() { undecided(facts, outcome) } else { Vec::new() };
        let said = match open.is_empty() {
            true => said,
            false => {
                let pairs = open.join(&say!(l, "nor"));
                say!(l, "and-undecided", sentence = said, pairs = pairs)
            }
        };
        let sentence = say!(l, "of-step", step = title, sentence = wording::stopped(l, said));
        return Some((sentence, here.into_iter().map(key).collect()));
    }
    // Nothing where the protocol looks first: the strongest of what is claimed elsewhere, and that
    // it is elsewhere.
    let all = claims::all(facts);
    let rank = |c: &Comparison| (c.step != outcome.step, c.metric != outcome.metric);
    let strongest = all.iter().map(|c| c.comparison).min_by_key(|c| rank(c))?;
    let mut sentence = said_of_step(facts, strongest);
    if let Some(c) = outcome.all.first() {
        let open = if c.step == strongest.step { open(facts, c) } else { not_shown(facts, c) };
        sentence = say!(facts.language, "two-sentences", first = sentence, second = open);
    }
    Some((sentence, vec![key(strongest)]))
}

/// "4 KiB reads: A delivers 21 % [19, 24] more ops/s than B at 96 threads."
fn said_of_step(facts: &Facts, c: &Comparison) -> String {
    let sentence = wording::stopped(facts.language, wording::sentence(facts, c));
    wording::of_step(facts, c.step, sentence)
}

/// "Where the rate is low A has the lower p99 …": all crossovers of the leading metric, one after
/// the other.
fn crossed(facts: &Facts, outcome: &Outcome<'_>) -> Option<String> {
    let first = outcome.crossovers.first()?;
    let sentence = wording::stopped(facts.language, wording::crossover(facts, first));
    let others = outcome.crossovers.len() - 1;
    Some(match others {
        0 => sentence,
        _ => say!(facts.language, "changes-more-times", sentence = sentence, count = others),
    })
}

/// Where nobody is better than all: who is not distinguished.
fn undecided(facts: &Facts, outcome: &Outcome<'_>) -> Vec<String> {
    let pair = |c: &&Comparison| {
        let both = [c.better.min(c.worse), c.better.max(c.worse)];
        facts.language.list(&both.map(|s| facts.subjects[s].clone()))
    };
    outcome.all.iter().filter(|c| !c.is_claimed()).map(pair).collect()
}

fn not_shown(facts: &Facts, c: &Comparison) -> String {
    wording::of_step(facts, c.step, open(facts, c))
}

/// "A and B cannot be distinguished by ops/s at 4 threads; the difference is 0.4 % [−2.0, 3.0]."
pub fn open(facts: &Facts, c: &Comparison) -> String {
    let (l, step) = (facts.language, &facts.steps[c.step]);
    let (a, b) = (&facts.subjects[c.better.min(c.worse)], &facts.subjects[c.better.max(c.worse)]);
    let what = format!("{}{}", wording::metric(l, &c.metric, step), wording::at(facts, c));
    match c.standing {
        Standing::NotTheDrives => say!(l, "open-not-limited", first = a, other = b, what = what),
        _ if c.high > WIDE => {
            say!(l, "open-too-few", first = a, other = b, what = what, repeats = c.repeats)
        }
        _ => {
            let by = wording::difference(l, c);
            say!(l, "open-difference", first = a, other = b, what = what, difference = by)
        }
    }
}

/// What is claimed beside the first sentence: other figures of the same step, then what each other
/// step leads with, then whatever is strongest.
fn claims_beside(facts: &Facts, index: usize, said: &[Said]) -> Vec<String> {
    let mut said = said.to_vec();
    let mut out = Vec::new();
    let crossovers = claims::crossovers(facts);
    let crossed = |c: &Comparison| {
        let mut same = crossovers.iter().filter(|o| o.step == c.step && o.metric == c.metric);
        same.find(|o| c.is_of(o.before, o.after))
    };
    let mut say = |c: &Comparison| {
        if said.contains(&key(c)) {
            return;
        }
        said.push(key(c));
        // One end of the axis is not the whole of it.
        out.push(match crossed(c) {
            Some(crossover) => {
                wording::stopped(facts.language, wording::crossover(facts, crossover))
            }
            None => said_of_step(facts, c),
        });
    };
    let all = claims::all(facts);
    let own_step = all
        .iter()
        .find(|c| c.comparison.step == index && !said_metric(&c.comparison.metric, facts, index));
    own_step.into_iter().for_each(|c| say(c.comparison));
    for other in (0..facts.steps.len()).filter(|other| *other != index) {
        Outcome::of(facts, other).claimed().into_iter().take(1).for_each(&mut say);
    }
    all.iter().for_each(|c| say(c.comparison));
    out
}

fn said_metric(metric: &Metric, facts: &Facts, index: usize) -> bool {
    *metric == lead::metric(facts, &facts.steps[index])
}

/// One subject, or nothing measured.
/// Of so many subjects that models are compared: how many drives there are, what their models
/// differ by, and which drives lie apart.
fn of_fleet(facts: &Facts, step: Option<usize>) -> Lead {
    let l = facts.language;
    let Some(fleet) = step.and_then(|index| fleet::of_step(facts, index)) else {
        let sentence = say!(l, "fleet-not-shown", drives = facts.subjects.len());
        return Lead { sentence, findings: Vec::new(), step, ranks: false };
    };
    let drives: usize = fleet.models.iter().map(|m| m.specimens.len()).sum();
    let apart: usize = fleet.models.iter().map(|m| m.apart.len()).sum();
    let drives = say!(l, "fleet-drives", count = drives);
    let models = fleet.models.len();
    let sentence = say!(l, "fleet-lead", drives = drives, models = models, apart = apart);
    let mut findings: Vec<String> =
        words::sentences(facts, &fleet).into_iter().map(|said| wording::stopped(l, said)).collect();
    findings.truncate(MOST_FINDINGS);
    Lead { sentence, findings, step, ranks: false }
}

fn alone(facts: &Facts, step: Option<usize>) -> Lead {
    let sentence = match facts.subjects.len() {
        0 | 1 => say!(facts.language, "no-rank-alone"),
        _ => no_claim(facts),
    };
    let level = step.and_then(|index| level(facts, &facts.steps[index], 0));
    Lead { sentence, findings: level.into_iter().collect(), step, ranks: false }
}

/// "RocksDB random reads: Disk, 31,630 ops/s at 4 threads." Nothing where a mark disowns the
/// number.
pub fn level(facts: &Facts, step: &StepFacts, subject: usize) -> Option<String> {
    let metric = lead::metric(facts, step);
    let value = lead::value(step).or(step.values.len().checked_sub(1))?;
    let cell = step.cell(subject, value).filter(|c| !c.is_not_the_drives() && !c.is_barred())?;
    let l = facts.language;
    let figure = wording::printed_with_unit(l, &metric, step, cell)?;
    let place = wording::place(l, step, &[value]);
    Some(say!(
        l,
        "level",
        step = &step.title,
        subject = &facts.subjects[subject],
        figure = figure,
        at = place
    ))
}

/// When, how often, on what: a line.
pub fn conditions(facts: &Facts) -> String {
    let (l, mut parts) = (facts.language, Vec::new());
    let most =
        facts.steps.iter().flat_map(|s| &s.cells).map(|c| c.repeats.len()).max().unwrap_or(0);
    if facts.protocol.starts_with("imported") {
        return match published::is_published(facts) {
            true => say!(l, "conditions-published"),
            false => say!(l, "conditions-imported"),
        };
    }
    parts.push(say!(l, "measured-times", count = most));
    let windows: Vec<u64> = facts.steps.iter().map(|s| s.window_ns).filter(|ns| *ns > 0).collect();
    if let (Some(least), Some(longest)) = (windows.iter().min(), windows.iter().max()) {
        let time = crate::base::units::duration;
        let window = match least == longest {
            true => time(*least),
            false => say!(l, "range", low = time(*least), high = time(*longest)),
        };
        parts.push(say!(l, "window-a-point", window = window));
    }
    parts.extend(host(facts));
    if !facts.comparisons.is_empty() {
        parts.push(say!(l, "brackets-are-intervals"));
    }
    wording::stopped(l, l.clauses(&parts))
}

/// The processor and the kernel, where one of each is known.
fn host(facts: &Facts) -> Vec<String> {
    let l = facts.language;
    use crate::record::key::{cpu, kernel};
    let of = |(group, key): (&str, crate::record::key::Key)| {
        let found = facts.disclosure.iter().filter(|g| g.name == group).flat_map(|g| &g.rows);
        found.filter(|(name, _)| name == key.name).map(|(_, value)| value.clone()).next()
    };
    [
        of(("CPU", cpu::MODEL)),
        of(("Kernel", kernel::RELEASE)).map(|r| say!(l, "kernel", release = r)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Why nothing is claimed, and what to change.
pub fn no_claim(facts: &Facts) -> String {
    let l = facts.language;
    let cells = || facts.steps.iter().flat_map(|s| &s.cells);
    let measured = cells().filter(|c| c.total.is_some()).count();
    let few =
        cells().filter(|c| c.caveats.iter().any(|c| matches!(c, Caveat::FewRepeats(_)))).count();
    let verdicts: Vec<_> = cells().filter_map(CellFacts::not_the_drive).collect();
    let none_compared = facts.comparisons.is_empty();
    match facts.barred.first() {
        _ if measured == 0 => say!(l, "no-rank-none-measured"),
        _ if few == measured => say!(l, "no-rank-few-repeats"),
        Some(bar) if none_compared => {
            say!(l, "no-rank-barred", reason = wording::barred(facts, bar))
        }
        _ if 2 * verdicts.len() > measured => not_limited(l, &verdicts, measured),
        _ if none_compared && !facts.metrics.is_empty() => {
            say!(l, "no-rank-not-comparable-in", metrics = asked(facts))
        }
        _ if none_compared => say!(l, "no-rank-not-comparable"),
        _ => say!(l, "no-rank-chance"),
    }
}

/// "9 of 12 points were not limited by the drive (8 by the processors): …", with what to change.
fn not_limited(l: Language, verdicts: &[&Verdict], measured: usize) -> String {
    let of = |limit: Limit| verdicts.iter().filter(|v| v.limit == limit).count();
    let Some(most) = verdicts.iter().max_by_key(|v| of(v.limit)) else { return String::new() };
    let change = most.remedy.clone().unwrap_or_else(|| message!("see-bottleneck"));
    let (count, same) = (verdicts.len(), of(most.limit));
    let (no_drive, limit) = (most.limit == Limit::NoDrive, basis::limit(l, most.limit));
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
fn asked(facts: &Facts) -> String {
    let of =
        |a: &Asked| a.part.as_ref().map_or(a.word.clone(), |part| format!("{part}:{}", a.word));
    facts.language.list(&facts.metrics.iter().map(of).collect::<Vec<_>>())
}
