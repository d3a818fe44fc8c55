//! What a brief says first: one sentence of who is better, at what and by how much, or why nobody
//! can be ranked; then a few findings more. Everything here follows from the comparisons of
//! `analysis`; nothing is weighed anew.

use super::{number_format, published, wording};
use crate::analysis::caveats::Caveat;
use crate::analysis::claims;
use crate::analysis::compare::{Comparison, Standing};
use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::analysis::lead::{self, Outcome};
use crate::analysis::metric::{Asked, Metric};
use crate::language::Language;
use crate::stats::limit::Verdict;

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
        if let Some(findings) = published::findings(facts, MOST_FINDINGS) {
            return Lead { sentence: published::NO_RANK.to_string(), findings, step, ranks: false };
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
        let also = if outcome.best.is_none() { undecided(facts, outcome) } else { String::new() };
        let sentence = format!("{title}: {}{also}.", wording::joined(facts, &here));
        return Some((sentence, here.into_iter().map(key).collect()));
    }
    // Nothing where the protocol looks first: the strongest of what is claimed elsewhere, and that
    // it is elsewhere.
    let all = claims::all(facts);
    let rank = |c: &Comparison| (c.step != outcome.step, c.metric != outcome.metric);
    let strongest = all.iter().map(|c| c.comparison).min_by_key(|c| rank(c))?;
    let mut sentence =
        format!("{}: {}.", facts.steps[strongest.step].title, wording::sentence(facts, strongest));
    if let Some(c) = outcome.all.first() {
        let open = if c.step == strongest.step { open(facts, c) } else { not_shown(facts, c) };
        sentence.push_str(&format!(" {open}"));
    }
    Some((sentence, vec![key(strongest)]))
}

/// "Where the rate is low A has the lower p99 …": all crossovers of the leading metric, one after
/// the other.
fn crossed(facts: &Facts, outcome: &Outcome<'_>) -> Option<String> {
    let first = outcome.crossovers.first()?;
    let mut sentence = format!("{}.", wording::crossover(facts, first));
    if outcome.crossovers.len() > 1 {
        let others = outcome.crossovers.len() - 1;
        sentence.push_str(&format!(
            " The better one changes {others} more time{}.",
            if others > 1 { "s" } else { "" }
        ));
    }
    Some(sentence)
}

/// Where nobody is better than all: who is not distinguished.
fn undecided(facts: &Facts, outcome: &Outcome<'_>) -> String {
    let open: Vec<String> = outcome
        .all
        .iter()
        .filter(|c| !c.is_claimed())
        .map(|c| {
            format!(
                "{} and {}",
                facts.subjects[c.better.min(c.worse)],
                facts.subjects[c.better.max(c.worse)]
            )
        })
        .collect();
    match &open[..] {
        [] => String::new(),
        pairs => format!("; {} cannot be distinguished there", pairs.join(", nor ")),
    }
}

fn not_shown(facts: &Facts, c: &Comparison) -> String {
    format!("{}: {}", facts.steps[c.step].title, open(facts, c))
}

/// "A and B cannot be distinguished by ops/s at 4 threads; the difference is 0.4 % [−2.0, 3.0]."
pub fn open(facts: &Facts, c: &Comparison) -> String {
    let step = &facts.steps[c.step];
    let (a, b) = (&facts.subjects[c.better.min(c.worse)], &facts.subjects[c.better.max(c.worse)]);
    let what = format!("{}{}", wording::metric(&c.metric, step), wording::at(facts, c));
    match c.standing {
        Standing::NotTheDrives => {
            format!("{a} and {b} cannot be ranked by {what}, which the drives did not limit.")
        }
        _ if c.high > WIDE => {
            format!(
                "{a} and {b} cannot be distinguished by {what}: {} repeats are too few to decide.",
                c.repeats
            )
        }
        _ => format!(
            "{a} and {b} cannot be distinguished by {what}; the difference is {}.",
            wording::difference(c)
        ),
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
            Some(crossover) => format!("{}.", wording::crossover(facts, crossover)),
            None => format!("{}: {}.", facts.steps[c.step].title, wording::sentence(facts, c)),
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
fn alone(facts: &Facts, step: Option<usize>) -> Lead {
    let sentence = match facts.subjects.len() {
        0 | 1 => "No drive can be ranked here, because one subject was measured alone: measure it \
                  beside another (two `--subject`s)."
            .to_string(),
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
    let figure = wording::printed_with_unit(&metric, step, cell)?;
    let name = &facts.subjects[subject];
    Some(format!("{}: {name}, {figure}{}.", step.title, wording::place(step, &[value])))
}

/// When, how often, on what: a line.
pub fn conditions(facts: &Facts) -> String {
    let mut parts = Vec::new();
    let imported = facts.protocol.starts_with("imported");
    let most =
        facts.steps.iter().flat_map(|s| &s.cells).map(|c| c.repeats.len()).max().unwrap_or(0);
    if imported {
        let repeats = if published::is_published(facts) {
            "As published, without repeats"
        } else {
            "As imported"
        };
        return format!(
            "{repeats}: under the conditions that the source states, which Dyno did not see."
        );
    }
    parts.push(match most {
        1 => "Measured once".to_string(),
        n => format!("Measured {n} times"),
    });
    let windows: Vec<u64> = facts.steps.iter().map(|s| s.window_ns).filter(|ns| *ns > 0).collect();
    if let (Some(least), Some(longest)) = (windows.iter().min(), windows.iter().max()) {
        let time = crate::base::units::duration;
        let window = if least == longest {
            time(*least)
        } else {
            format!("{} to {}", time(*least), time(*longest))
        };
        parts.push(format!("{window} a point"));
    }
    parts.extend(host(facts));
    if !facts.comparisons.is_empty() {
        parts.push(
            "ranges in brackets are 95 % intervals that hold together for the whole brief"
                .to_string(),
        );
    }
    format!("{}.", parts.join("; "))
}

/// The processor and the kernel, where one of each is known.
fn host(facts: &Facts) -> Vec<String> {
    use crate::record::key::{cpu, kernel};
    let of = |(group, key): (&str, crate::record::key::Key)| {
        let found = facts.disclosure.iter().filter(|g| g.name == group).flat_map(|g| &g.rows);
        found.filter(|(name, _)| name == key.name).map(|(_, value)| value.clone()).next()
    };
    [of(("CPU", cpu::MODEL)), of(("Kernel", kernel::RELEASE)).map(|r| format!("kernel {r}"))]
        .into_iter()
        .flatten()
        .collect()
}

/// Why nothing is claimed, and what to change.
pub fn no_claim(facts: &Facts) -> String {
    let cells = || facts.steps.iter().flat_map(|s| &s.cells);
    let measured = cells().filter(|c| c.total.is_some()).count();
    let few =
        cells().filter(|c| c.caveats.iter().any(|c| matches!(c, Caveat::FewRepeats(_)))).count();
    let verdicts: Vec<_> = cells().filter_map(CellFacts::not_the_drive).collect();
    let why = match facts.barred.first() {
        _ if measured == 0 => "no point was measured to its end; the section Caveats has the \
                               causes"
            .to_string(),
        _ if few == measured => {
            "every point was measured fewer than three times: repeat it (`--repeats 5`) before \
             comparing"
                .to_string()
        }
        Some(bar) if facts.comparisons.is_empty() => {
            wording::barred(facts, bar).trim_end_matches('.').to_string()
        }
        _ if 2 * verdicts.len() > measured => not_limited(&verdicts, measured),
        _ if facts.comparisons.is_empty() && !facts.metrics.is_empty() => {
            format!("no two subjects can be compared in {}", asked(facts))
        }
        _ if facts.comparisons.is_empty() => {
            "no two subjects can be compared at any point; the section Caveats has the \
             causes"
                .to_string()
        }
        _ => "no difference is larger than chance allows; more repeats narrow the intervals \
             (`--repeats 10`)"
            .to_string(),
    };
    format!("No drive can be ranked here, because {why}.")
}

/// "9 of 12 points were not limited by the drive, most of them by the processors: …", with what to
/// change.
fn not_limited(verdicts: &[&Verdict], measured: usize) -> String {
    let count = |name: &str| verdicts.iter().filter(|v| v.limit.name() == name).count();
    let most = verdicts.iter().max_by_key(|v| count(v.limit.name()));
    let by = most.map_or(String::new(), |v| match count(v.limit.name()) == verdicts.len() {
        true => format!(", but by {}", v.limit.name()),
        false => format!(", most of them by {}", v.limit.name()),
    });
    let change = most
        .and_then(|v| Some(Language::ENGLISH.text(v.remedy.as_ref()?)))
        .unwrap_or("“Bottleneck” says what to change".to_string());
    format!("{} of {measured} points were not limited by the drive{by}: {change}", verdicts.len())
}

/// "reader-4:p99 and J/op"
fn asked(facts: &Facts) -> String {
    let of =
        |a: &Asked| a.part.as_ref().map_or(a.word.clone(), |part| format!("{part}:{}", a.word));
    number_format::list(&facts.metrics.iter().map(of).collect::<Vec<_>>())
}
