//! Differences in test conditions: how subjects differ apart from the drive, and the grade of each
//! difference.

mod measured;
mod recorded;
#[cfg(test)]
pub mod tests;
mod unknown;

use std::collections::BTreeMap;

use crate::analysis::comparability::alike;
use crate::analysis::difference::{Barred, Condition, ConditionValue, Difference, Grade};
use crate::analysis::facts::{
    CellFacts, Facts, MeasuredFacts, ReportStatements, SetupFacts, StepFacts, Subjects,
};
use crate::analysis::keys::SubjectKey;
use crate::record::key::{self, FactHeading, FactKey, drive, engine};
pub use unknown::{not_given, unknown};

/// Facts that should be the same, and the grade of a difference.
const ALIKE: &[(FactKey, Grade)] = &[
    (key::drive::LOGICAL_BLOCK_SIZE, Grade::Disqualifying),
    (key::drive::METADATA, Grade::Disqualifying),
    (key::drive::FILESYSTEM, Grade::Confounder),
    (key::drive::MOUNT_OPTIONS, Grade::Confounder),
    (key::drive::LINK_SPEED, Grade::Confounder),
    (key::drive::LINK_WIDTH, Grade::Confounder),
    (key::drive::NUMA_NODE, Grade::Confounder),
    (key::drive::SCHEDULER, Grade::Confounder),
    (key::drive::QUEUE, Grade::Confounder),
    (key::drive::WRITE_CACHE, Grade::Confounder),
    (key::drive::CAPACITY, Grade::Harmless),
    (key::engine::VERSION, Grade::Disqualifying),
    (key::engine::OPTIONS, Grade::Disqualifying),
    (key::engine::BLOCK_CACHE, Grade::Disqualifying),
    (key::engine::SETTINGS, Grade::Disqualifying),
    (key::dyno::VERSION, Grade::Confounder),
    (key::host::SERVER, Grade::Disqualifying),
    (key::host::BIOS, Grade::Confounder),
    (key::cpu::MODEL, Grade::Disqualifying),
    (key::cpu::SMT, Grade::Confounder),
    (key::cpu::GOVERNOR, Grade::Confounder),
    (key::cpu::MITIGATIONS, Grade::Confounder),
    (key::memory::TOTAL, Grade::Confounder),
    (key::kernel::RELEASE, Grade::Confounder),
    (key::kernel::COMMAND_LINE, Grade::Confounder),
];

const DRIVE: &str = FactHeading::Drive.name();

/// A larger difference in temperature at the start, in degrees Celsius, or in utilisation, in
/// percent of the size, may affect a drive's performance.
const WARMER_CELSIUS: f64 = 5.0;
const FULLER_PERCENT: f64 = 5.0;

/// A subject and its value.
pub(in crate::analysis) type SubjectCondition<'a> = (SubjectKey, &'a str);

/// Values, each with the subjects that have it.
type ValuesOfSubjects = Vec<(ConditionValue, Vec<SubjectKey>)>;

fn fact(heading: &str, name: &str) -> Condition {
    Condition::Fact(heading.to_string(), name.to_string())
}

/// Every pair of subjects that may not be compared, and the reason: different test conditions, or
/// different resolved steps.
pub fn barred(facts: &Facts) -> Vec<Barred> {
    let (mut all, vary) = (Vec::new(), &facts.statements.vary);
    // A fleet's pairs are not compared.
    for pair in facts.subjects.pairs().filter(|_| !facts.subjects.are_a_fleet()) {
        let found = differences_between(facts, &[pair.0, pair.1], true).into_iter();
        let differences: Vec<Difference> =
            found.filter(|d| d.grade == Grade::Disqualifying).collect();
        if !differences.is_empty() {
            all.push(Barred { pair, step: None, differences });
        }
        for step in &facts.measured.steps {
            let unlike =
                alike::likeness(&facts.subjects, &facts.setup, vary, &step.name, pair).unlike;
            let unlike = unlike.into_iter().map(|d| d.between(pair));
            let differences: Vec<Difference> =
                unlike.chain(recorded::of_step(step, &[pair.0, pair.1])).collect();
            if !differences.is_empty() {
                all.push(Barred { pair, step: Some(step.key), differences });
            }
        }
    }
    all
}

/// The grade of a difference in a fact between subjects: two hosts may be compared only if
/// permitted by `vary`, and likewise facts that engines report about knobs of a single subject or
/// permitted ones.
fn grade_of(
    subjects: &Subjects,
    statements: &ReportStatements,
    among: &[SubjectKey],
    key: FactKey,
    grade: Grade,
) -> Grade {
    let own_knobs = |subject: &SubjectKey| !subjects[*subject].knobs.is_empty();
    if engine::OF_KNOBS.contains(&key)
        && (among.iter().any(own_knobs) || !statements.vary.is_empty())
    {
        return Grade::Harmless;
    }
    let mut runs = among.iter().map(|s| subjects[*s].run);
    let first = runs.next();
    let two_runs = runs.any(|r| Some(r) != first);
    match key.heading.is_some_and(FactHeading::is_of_host) && two_runs {
        false => grade,
        true if statements.vary.iter().any(|v| v == "host") => Grade::Harmless,
        true => Grade::Disqualifying,
    }
}

/// Every difference, worst first; none of a fleet's subjects.
pub fn differences(facts: &Facts) -> Vec<Difference> {
    let subjects = facts.subjects.keys().filter(|_| !facts.subjects.are_a_fleet());
    let subjects: Vec<SubjectKey> = subjects.collect();
    let mut all = differences_between(facts, &subjects, true);
    all.extend(recorded::all(&facts.measured, &subjects));
    all.sort_by_key(|d| d.grade);
    all
}

/// Differences that rule out a comparison of groups of these subjects; `same_hosts` were used for
/// each group.
pub fn disqualifying(facts: &Facts, among: &[SubjectKey], same_hosts: bool) -> Vec<Difference> {
    let found = differences_between(facts, among, !same_hosts).into_iter();
    found
        .filter(|d| d.grade == Grade::Disqualifying)
        .chain(recorded::all(&facts.measured, among))
        .collect()
}

fn differences_between(facts: &Facts, among: &[SubjectKey], of_hosts: bool) -> Vec<Difference> {
    let mut all: Vec<Difference> = Vec::new();
    let of_host = |key: &FactKey| key.heading.is_some_and(FactHeading::is_of_host);
    for (key, grade) in ALIKE.iter().filter(|(key, _)| of_hosts || !of_host(key)) {
        for heading in headings(&facts.setup, *key) {
            for seen in
                sightings(&facts.subjects, &facts.setup, among, heading, key.name).into_values()
            {
                all.extend(unlike(&seen).map(|values| Difference {
                    grade: grade_of(&facts.subjects, &facts.statements, among, *key, *grade),
                    what: fact(heading, key.name),
                    values,
                }));
            }
        }
    }
    all.extend(firmware(&facts.subjects, &facts.setup, among));
    all.extend(write_caches(&facts.subjects, &facts.setup, among));
    all.extend(prepared(&facts.setup, among));
    all.extend(fuller(&facts.subjects, &facts.setup, among));
    all.extend(warmer(&facts.measured, among));
    all.extend(measured::all(&facts.subjects, &facts.setup, &facts.measured, among));
    all.sort_by_key(|d| d.grade);
    // Steps with the same plan have the same differences.
    all.dedup();
    all
}

/// The headings of a fact: its own, or those of the engines that report it.
pub fn headings(setup: &SetupFacts, key: FactKey) -> Vec<&str> {
    if let Some(heading) = key.heading {
        return vec![heading.name()];
    }
    let mut found: Vec<&str> = Vec::new();
    for group in setup.disclosure.iter().filter(|g| g.rows.iter().any(|(name, _)| name == key.name))
    {
        let name = group.name.split(": ").next().unwrap_or_default();
        let name = name.split(" (").next().unwrap_or_default();
        if !found.contains(&name) && !FactHeading::ALL.iter().any(|h| h.name() == name) {
            found.push(name);
        }
    }
    found
}

/// The subjects' values of a fact, separately for each source: a drive of a group, a step.
pub fn sightings<'a>(
    subjects: &'a Subjects,
    setup: &'a SetupFacts,
    among: &[SubjectKey],
    group: &str,
    name: &str,
) -> BTreeMap<&'a str, Vec<SubjectCondition<'a>>> {
    let mut found: BTreeMap<&str, Vec<SubjectCondition<'_>>> = BTreeMap::new();
    for g in &setup.disclosure {
        let Some(label) = g.name.strip_prefix(group) else { continue };
        for &subject in among {
            let Some(place) = place_of(subjects, setup, subject, label) else { continue };
            let values = g.rows.iter().filter(|(n, _)| n == name);
            found
                .entry(place)
                .or_default()
                .extend(values.map(|(_, value)| (subject, value.as_str())));
        }
    }
    found
}

/// The source of a heading's facts, if they belong to the subject: "" for all of it, " (2)" for a
/// drive of its group, ", readrandom" for a step. `label` is the part after the heading's own name.
fn place_of<'a>(
    subjects: &Subjects,
    setup: &SetupFacts,
    subject: SubjectKey,
    label: &'a str,
) -> Option<&'a str> {
    let shown = subjects[subject].name.as_str();
    let run = &setup.runs.get(subjects[subject].run)?.file;
    // Allocates nothing, because it is called for each heading of very many runs.
    let stem = run.rsplit_once('.').map_or(run.as_str(), |(stem, _)| stem);
    let name = without_brackets(shown, stem).unwrap_or(shown);
    // Engines' facts contain the subject as displayed, and the step.
    let of_engine = label
        .strip_prefix(": ")
        .and_then(|l| l.strip_prefix(shown))
        .filter(|l| l.starts_with(", "));
    if of_engine.is_some() {
        return of_engine;
    }
    let label = match (without_brackets(label, run), setup.runs.len()) {
        (Some(own), _) => own,
        (None, 0 | 1) => label,
        // From another run.
        (None, _) => return None,
    };
    if label.is_empty() {
        return Some(label);
    }
    label
        .strip_prefix(": ")?
        .strip_prefix(name)
        .filter(|place| place.is_empty() || place.starts_with(" ("))
}

/// The text before the brackets.
fn without_brackets<'a>(text: &'a str, inside: &str) -> Option<&'a str> {
    text.strip_suffix(')')?.strip_suffix(inside)?.strip_suffix(" (")
}

/// A difference, with the subjects; None if all have the same value.
fn unlike(seen: &[SubjectCondition<'_>]) -> Option<ValuesOfSubjects> {
    let distinct = distinct(seen.iter().copied())?;
    let values: Vec<&str> = distinct.iter().map(|(value, _)| *value).collect();
    let of = |(value, whose): &(&str, Vec<SubjectKey>)| {
        (ConditionValue::Text(without_common(value, &values)), whose.clone())
    };
    Some(distinct.iter().map(of).collect())
}

/// Every value once, with whose it is; nothing where there is only one.
fn distinct<V: PartialEq>(
    seen: impl Iterator<Item = (SubjectKey, V)>,
) -> Option<Vec<(V, Vec<SubjectKey>)>> {
    let mut distinct: Vec<(V, Vec<SubjectKey>)> = Vec::new();
    for (subject, value) in seen {
        match distinct.iter_mut().find(|(known, _)| *known == value) {
            Some((_, whose)) if whose.contains(&subject) => {}
            Some((_, whose)) => whose.push(subject),
            None => distinct.push((value, vec![subject])),
        }
    }
    (distinct.len() > 1).then_some(distinct)
}

/// Of a list of settings, "a=1 b=2", only those that differ.
fn without_common(value: &str, all: &[&str]) -> String {
    let is_list = |v: &&str| v.split_whitespace().filter(|word| word.contains('=')).count() > 1;
    if !all.iter().all(is_list) {
        return value.to_string();
    }
    let in_all = |word: &&str| all.iter().all(|v| v.split_whitespace().any(|w| w == *word));
    value.split_whitespace().filter(|word| !in_all(word)).collect::<Vec<_>>().join(" ")
}

/// Different models naturally have different firmware; for the same model it may explain a
/// difference.
fn firmware(subjects: &Subjects, setup: &SetupFacts, among: &[SubjectKey]) -> Vec<Difference> {
    let models = sightings(subjects, setup, among, DRIVE, drive::MODEL.name);
    let of = |(place, seen): (&str, Vec<SubjectCondition<'_>>)| {
        let values = unlike(&seen)?;
        let same_model =
            models.get(place).is_some_and(|m| m.windows(2).all(|pair| pair[0].1 == pair[1].1));
        let grade = if same_model { Grade::Confounder } else { Grade::Harmless };
        Some(Difference { grade, what: fact(DRIVE, drive::FIRMWARE.name), values })
    };
    sightings(subjects, setup, among, DRIVE, drive::FIRMWARE.name)
        .into_iter()
        .filter_map(of)
        .collect()
}

/// A volatile write cache that is on makes a different test than one that is off, between subjects
/// and over a run; the lack of one is a property of the drive.
fn write_caches(subjects: &Subjects, setup: &SetupFacts, among: &[SubjectKey]) -> Vec<Difference> {
    let mut found = sightings(subjects, setup, among, DRIVE, drive::VOLATILE_CACHE.name);
    for (place, after) in sightings(subjects, setup, among, DRIVE, drive::VOLATILE_CACHE_AFTER.name)
    {
        found.entry(place).or_default().extend(after);
    }
    let of = |seen: Vec<SubjectCondition<'_>>| {
        let switchable: Vec<SubjectCondition<'_>> =
            seen.into_iter().filter(|s| s.1 != "none").collect();
        Some(Difference {
            grade: Grade::Disqualifying,
            what: fact(DRIVE, drive::VOLATILE_CACHE.name),
            values: unlike(&switchable)?,
        })
    };
    found.into_values().filter_map(of).collect()
}

/// The preparation of the drives: if it differs, so does the test.
fn prepared(setup: &SetupFacts, among: &[SubjectKey]) -> Option<Difference> {
    let of = |subject: SubjectKey| {
        let own = setup.prepared.iter().filter(|(s, _)| *s == subject).map(|(_, p)| p);
        let mut all: Vec<(String, String)> = Vec::new();
        for p in own {
            let done = (p.action.clone(), p.asked.clone());
            // For each drive of a group.
            if !all.contains(&done) {
                all.push(done);
            }
        }
        ConditionValue::Prepared(all)
    };
    let values = distinct(among.iter().map(|s| (*s, of(*s))))?;
    Some(Difference { grade: Grade::Disqualifying, what: Condition::Preparation, values })
}

fn fuller(subjects: &Subjects, setup: &SetupFacts, among: &[SubjectKey]) -> Vec<Difference> {
    let percent = |value: &str| value.trim_end_matches('%').trim().parse::<f64>().ok();
    let of = |seen: Vec<SubjectCondition<'_>>| {
        let (low, high) = bounds(seen.iter().filter_map(|(_, value)| percent(value)))?;
        let values = unlike(&seen).filter(|_| high - low > FULLER_PERCENT)?;
        Some(Difference { grade: Grade::Confounder, what: fact(DRIVE, drive::FILLED.name), values })
    };
    sightings(subjects, setup, among, DRIVE, drive::FILLED.name)
        .into_values()
        .filter_map(of)
        .collect()
}

/// The drives' temperatures at the start of the windows, if measured.
fn warmer(measured: &MeasuredFacts, among: &[SubjectKey]) -> Vec<Difference> {
    let of = |step: &StepFacts| {
        let at_start = |c: &CellFacts| Some((c.subject, c.celsius_over_time.first()?.1));
        let starts: Vec<(SubjectKey, f64)> =
            step.cells.iter().filter(|c| among.contains(&c.subject)).filter_map(at_start).collect();
        let (low, high) = bounds(starts.iter().map(|(_, celsius)| *celsius))?;
        let of = |(subject, celsius): &(SubjectKey, f64)| {
            (ConditionValue::Temperature(*celsius), vec![*subject])
        };
        let values = starts.iter().map(of).collect();
        let what = Condition::Temperature(step.title.clone());
        let grade = Grade::Confounder;
        (high - low > WARMER_CELSIUS).then_some(Difference { grade, what, values })
    };
    measured.steps.iter().filter_map(of).collect()
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |held, v| {
        held.map_or(Some((v, v)), |(low, high): (f64, f64)| Some((low.min(v), high.max(v))))
    })
}

/// The distinct values of a fact, each with its owner: a subject, a file, or none in particular.
pub fn values(setup: &SetupFacts, group: &str, name: &str) -> Vec<(String, String)> {
    let mut found: Vec<(Vec<&str>, &str)> = Vec::new();
    let groups = setup.disclosure.iter().filter(|g| {
        let rest = g.name.strip_prefix(group);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(": ") || rest.starts_with(" ("))
    });
    for g in groups {
        let whose = g.name[group.len()..].trim_start_matches([':', ' ']);
        for (_, value) in g.rows.iter().filter(|(n, _)| n == name) {
            match found.iter_mut().find(|(_, known)| known == value) {
                Some((all, _)) => all.push(whose),
                None => found.push((vec![whose], value)),
            }
        }
    }
    found.into_iter().map(|(whose, value)| (whose.join(", "), value.to_string())).collect()
}
