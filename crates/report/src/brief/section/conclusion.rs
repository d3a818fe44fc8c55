//! The conclusion: prose in the order of a reader's questions. Which drive for which load; what
//! another one does better; what the test cannot say.

use super::{Section, SectionBlocks};
use crate::analysis::claim::compare::{ComparedFigure, StepPlace};
use crate::analysis::claim::course::{Basis, Course, Shown, basis, of_claims};
use crate::analysis::comparison::{Comparison, Trend};
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::keys::{SubjectKey, TestKey};
use crate::brief::block::Block;
use crate::brief::text::leaders::{self, PlaceOfBest};
use crate::brief::text::{bottleneck_text, wording};
use crate::language::Language;
use crate::say;
use crate::terms::place;
use dyno_core::stats::Better;

/// The conclusion in prose.
pub const SECTION: Section =
    Section::main("conclusion", |l| say!(l, "section-conclusion"), SectionBlocks::Whole(blocks));

/// Maximum length in words; in languages without spaces, in groups of three characters.
const MOST_WORDS: usize = 150;

/// From this number of steps of one test on, their results are counted.
pub const FEWEST_COUNTED: usize = 4;

/// Maximum number of steps that a sentence names.
const MOST_TITLES: usize = 4;

/// Maximum number of subjects and steps whose other advantages are stated.
const MOST_OTHERS: usize = 5;

fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    text(l, facts).map(Block::text).into_iter().collect()
}

/// The prose; None if it would repeat the lead: of a single step with one place, or of one subject.
pub fn text(l: Language, facts: &Facts) -> Option<String> {
    let places: usize = measured(facts).map(|step| step.values.len()).sum();
    if facts.subjects.len() < 2 || facts.subjects.are_a_fleet() || places < 2 {
        return None;
    }
    let results = results(l, facts);
    if results.is_empty() {
        return None;
    }
    let limits = limits(l, facts);
    let mut left = MOST_WORDS.saturating_sub(limits.iter().map(|said| words(said)).sum());
    let mut all = Vec::new();
    let changes = leaders::rises(l, facts).into_iter().chain(trends(l, facts));
    for sentence in results.into_iter().chain(changes).chain(others(l, facts)) {
        let own = words(&sentence);
        if own <= left {
            left -= own;
            all.push(sentence);
        }
    }
    all.extend(limits);
    Some(wording::sentences(l, all))
}

fn measured(facts: &Facts) -> impl Iterator<Item = &StepFacts> {
    facts.measured.steps.iter().filter(|step| !step.cells.is_empty())
}

/// The length of a text in words.
pub fn words(text: &str) -> usize {
    let wide = text.chars().filter(|c| *c as u32 > 0x2FFF).count();
    text.split_whitespace().count() + wide / 3
}

/// Which subject is better at which load, test by test.
fn results(l: Language, facts: &Facts) -> Vec<String> {
    let several = measured(facts).count() > 1;
    let mut all = Vec::new();
    for test in facts.tests.keys() {
        let steps: Vec<&StepFacts> = measured(facts).filter(|step| step.test == test).collect();
        let counted = match steps.len() >= FEWEST_COUNTED {
            true => counted(l, facts, test, &steps),
            false => None,
        };
        match counted {
            Some(sentence) => all.push(sentence),
            None => {
                let said = steps.iter().filter_map(|step| Some((*step, of_step(l, facts, step)?)));
                all.extend(of_steps(l, said.collect(), several));
            }
        }
    }
    all
}

/// Sentences about steps, each once for the steps of which it is true, which are named if there
/// are several.
fn of_steps(l: Language, all: Vec<(&StepFacts, String)>, several: bool) -> Vec<String> {
    let mut grouped: Vec<(Vec<String>, String)> = Vec::new();
    for (step, said) in all {
        let title = step.title.text(l);
        match grouped.iter_mut().find(|(_, known)| *known == said) {
            Some((titles, _)) => titles.push(title),
            None => grouped.push((vec![title], said)),
        }
    }
    let sentence = |(titles, said): (Vec<String>, String)| {
        let said = match several {
            true if titles.len() > MOST_TITLES => {
                say!(l, "of-many-steps", count = titles.len(), sentence = said)
            }
            true => say!(l, "of-step", step = l.list(&titles), sentence = said),
            false => said,
        };
        wording::stopped(l, said)
    };
    grouped.into_iter().map(sentence).collect()
}

/// The result of a step in its headline metric, at the place of its headline.
fn at_headline(facts: &Facts, step: &StepFacts) -> Option<Shown> {
    let lead = &facts.comparisons.leads[step.key];
    let all: Vec<&Comparison> = lead.all.iter().collect();
    let course = Course::of(facts, step, &step.headline_metric);
    if course.basis == Basis::Claims {
        return of_claims(&facts.subjects, &all);
    }
    let at = step.headline_value.or(lead.value);
    let own = course.places.iter().find(|(value, _)| Some(*value) == at);
    own.or(course.places.last()).map(|(_, shown)| *shown)
}

/// "Vdbench profiles: A has the higher ops/s in 12 of 17 steps, B in 4; 1 is even."
fn counted(l: Language, facts: &Facts, test: TestKey, steps: &[&StepFacts]) -> Option<String> {
    let metric = &steps[0].headline_metric;
    if steps.iter().any(|step| step.headline_metric.figure != metric.figure) {
        return None;
    }
    let found: Vec<Shown> = steps.iter().filter_map(|step| at_headline(facts, step)).collect();
    let count = |shown: Shown| found.iter().filter(|own| **own == shown).count();
    let mut leaders: Vec<(SubjectKey, usize)> =
        facts.subjects.keys().map(|s| (s, count(Shown::Best(s)))).collect();
    leaders.retain(|(_, count)| *count > 0);
    leaders.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let what = wording::metric(l, metric, steps[0]);
    let of = found.len();
    let each = leaders.iter().enumerate().map(|(i, (subject, count))| {
        let subject = &facts.subjects[*subject].name;
        match (i, metric.better()) {
            (0, Better::Higher) => {
                say!(l, "best-in-higher", subject, what = &what, count = *count, of)
            }
            (0, Better::Lower) => {
                say!(l, "best-in-lower", subject, what = &what, count = *count, of)
            }
            _ => say!(l, "best-in-also", subject, count = *count),
        }
    });
    let mut each: Vec<String> = each.collect();
    if each.is_empty() {
        return None;
    }
    let (even, open) = (count(Shown::Even), count(Shown::Open));
    each.extend((even > 0).then(|| say!(l, "best-in-even", count = even)));
    each.extend((open > 0).then(|| say!(l, "best-in-open", count = open)));
    let said = l.sequence(&each);
    let sentence = match facts.tests.len() > 1 {
        true => say!(l, "of-step", step = facts.tests[test].title.text(l), sentence = said),
        false => said,
    };
    Some(wording::stopped(l, sentence))
}

/// "RocksDB random reads: A has the higher ops/s at every thread count (8 to 128)."
fn of_step(l: Language, facts: &Facts, step: &StepFacts) -> Option<String> {
    let metric = &step.headline_metric;
    let course = Course::of(facts, step, metric);
    if !course.ranges().is_empty() {
        return leaders::of_course(l, facts, step, &course);
    }
    let what = wording::metric(l, metric, step);
    let mut all = facts.comparisons.leads[step.key].all.iter();
    match at_headline(facts, step)? {
        Shown::Best(subject) => {
            Some(leaders::better(l, facts, step, (metric, subject), PlaceOfBest::default()))
        }
        Shown::Even => Some(say!(l, "even-in", what)),
        Shown::Open => all.any(|c| c.interval.is_some()).then(|| say!(l, "open-in", what)),
    }
}

/// The other measures: first those in which another subject is better than the one with the better
/// headline, then the rest.
fn others(l: Language, facts: &Facts) -> Vec<String> {
    let (mut losses, mut gains) = (Vec::new(), Vec::new());
    let several = measured(facts).count() > 1;
    for step in measured(facts) {
        let headline = Course::of(facts, step, &step.headline_metric);
        let leads = headline.ranges().first().map(|range| range.leader);
        for metric in step.metrics.iter().filter(|metric| **metric != step.headline_metric) {
            let course = Course::of(facts, step, metric);
            let ranges = course.ranges();
            let Some(said) = leaders::of_course(l, facts, step, &course) else { continue };
            let is_loss = ranges.iter().any(|range| Some(range.leader) != leads);
            let kind = if is_loss { &mut losses } else { &mut gains };
            kind.push((step, said));
        }
    }
    losses.truncate(MOST_OTHERS);
    [losses, gains].into_iter().flat_map(|said| of_steps(l, said, several)).collect()
}

/// "The lead of A over B in ops/s grows from 8 to 128 threads, by 12 % [5, 20]": of the steps'
/// headline metrics, if one subject is better at every end.
fn trends(l: Language, facts: &Facts) -> Vec<String> {
    let of_headline =
        |trend: &&Trend| trend.metric == facts.measured.steps[trend.step].headline_metric;
    let all = facts.comparisons.trends.iter().filter(|trend| trend.is_claimed());
    all.filter(of_headline).filter_map(|trend| grows(l, facts, trend)).collect()
}

fn grows(l: Language, facts: &Facts, trend: &Trend) -> Option<String> {
    let step = &facts.measured.steps[trend.step];
    let better = |value| {
        let by = ComparedFigure { step, metric: &trend.metric, at: StepPlace::Value(value) };
        let own = facts.comparisons.between(by, trend.gaining, trend.losing)?;
        own.is_claimed().then_some(own.better)
    };
    let ends = (step.values.first_key()?, step.values.last_key()?);
    let (first, last) = (better(ends.0)?, better(ends.1)?);
    let (what, low, high) = (
        wording::metric(l, &trend.metric, step),
        place::amount(l, step, ends.0),
        place::amount(l, step, ends.1),
    );
    let name = |subject: SubjectKey| &facts.subjects[subject].name;
    let said = match (first == last, last == trend.gaining) {
        (true, true) => {
            let (own, other) = (name(trend.gaining), name(trend.losing));
            say!(l, "lead-grows", subject = own, rival = other, what, low, high)
        }
        (true, false) => {
            let (own, other) = (name(trend.losing), name(trend.gaining));
            say!(l, "lead-shrinks", subject = own, rival = other, what, low, high)
        }
        _ => return None,
    };
    Some(wording::stopped(l, said))
}

/// What the test cannot say.
fn limits(l: Language, facts: &Facts) -> Vec<String> {
    let mut all = Vec::new();
    let bases: Vec<Basis> = measured(facts).map(|step| basis(&facts.comparisons, step)).collect();
    if bases.contains(&Basis::Published) {
        all.push(say!(l, "limit-published"));
    } else if bases.contains(&Basis::SeparateRuns) {
        all.push(say!(l, "limit-separate-runs"));
    }
    let cells = || facts.measured.steps.iter().flat_map(|step| &step.cells);
    if cells().any(|cell| cell.is_not_the_drives()) {
        all.extend(bottleneck_text::limited(l, cells()));
    }
    // Of imported figures the drives are not known.
    if facts.subjects.iter().all(|subject| subject.drives.len() == 1) {
        all.push(say!(l, "limit-specimens"));
    }
    all
}
