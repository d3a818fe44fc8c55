//! Differences in test conditions: how subjects differ apart from the drive, and the grade of each
//! difference.

mod measured;
mod recorded;
#[cfg(test)]
pub mod tests;
mod unknown;

use crate::analysis::comparability::alike;
use crate::analysis::difference::{Barred, Condition, ConditionValue, Difference, Grade};
use crate::analysis::facts::{
    CellFacts, Facts, GroupOwner, MeasuredFacts, ReportStatements, SetupFacts, StepFacts, Subjects,
};
use crate::analysis::keys::{SubjectKey, TestKey};
use crate::analysis::plan_difference::PlanValue;
use dyno_core::record::key::{FactHeading, FactKey, dyno, engine};
use dyno_core::record::setup::{DriveField, DriveSetup, HostField, SetupValue, WriteCacheState};
pub use unknown::{not_given, unknown};

/// Fields of a drive that should be the same, and the grade of a difference.
const DRIVES_ALIKE: &[(DriveField, Grade)] = &[
    (DriveField::LogicalBlock, Grade::Disqualifying),
    (DriveField::Metadata, Grade::Disqualifying),
    (DriveField::Filesystem, Grade::Confounder),
    (DriveField::MountOptions, Grade::Confounder),
    (DriveField::LinkSpeed, Grade::Confounder),
    (DriveField::LinkLanes, Grade::Confounder),
    (DriveField::NumaNode, Grade::Confounder),
    (DriveField::Scheduler, Grade::Confounder),
    (DriveField::Queue, Grade::Confounder),
    (DriveField::WriteCache, Grade::Confounder),
    (DriveField::Capacity, Grade::Harmless),
];

/// Facts of engines that should be the same.
const ENGINES_ALIKE: &[FactKey] =
    &[engine::VERSION, engine::OPTIONS, engine::BLOCK_CACHE, engine::SETTINGS];

/// Fields of a host that should be the same.
const HOSTS_ALIKE: &[(HostField, Grade)] = &[
    (HostField::Server, Grade::Disqualifying),
    (HostField::Bios, Grade::Confounder),
    (HostField::CpuModel, Grade::Disqualifying),
    (HostField::Smt, Grade::Confounder),
    (HostField::Governor, Grade::Confounder),
    (HostField::Mitigations, Grade::Confounder),
    (HostField::Memory, Grade::Confounder),
    (HostField::KernelRelease, Grade::Confounder),
    (HostField::KernelCommandLine, Grade::Confounder),
];

/// A larger difference in temperature at the start, in degrees Celsius, or in utilisation, in
/// percent of the size, may affect a drive's performance.
const WARMER_CELSIUS: f64 = 5.0;
const FULLER_PERCENT: f64 = 5.0;

/// Values of a field, each with its subject.
type SubjectValues = Vec<(SubjectKey, SetupValue)>;

/// The heading of an engine's facts, and their step if they belong to one.
type EnginePlace<'a> = (&'a str, Option<&'a str>);

/// Values, each with the subjects that have it.
type ValuesOfSubjects = Vec<(ConditionValue, Vec<SubjectKey>)>;

/// Every pair of subjects that may not be compared in a test, and the reason: different test
/// conditions, or different resolved steps.
pub fn barred(facts: &Facts) -> Vec<Barred> {
    let mut all = Vec::new();
    // A fleet's pairs are not compared.
    for test in facts.tests.keys().filter(|_| !facts.subjects.are_a_fleet()) {
        let view = TestView::of(facts, test);
        for pair in facts.subjects.pairs().filter(|(a, b)| view.has(*a) && view.has(*b)) {
            all.extend(barred_in(facts, &view, pair));
        }
    }
    all
}

/// The same for a pair in a test.
fn barred_in(facts: &Facts, view: &TestView<'_>, pair: (SubjectKey, SubjectKey)) -> Vec<Barred> {
    let mut all = Vec::new();
    let (test, among) = (view.test, [pair.0, pair.1]);
    let found = differences_between(facts, view, &among, true).into_iter();
    let differences: Vec<Difference> = found.filter(|d| d.grade == Grade::Disqualifying).collect();
    if !differences.is_empty() {
        all.push(Barred { pair, test, step: None, differences });
    }
    for step in facts.measured.steps_of(test) {
        let vary = &facts.statements.vary;
        let unlike = alike::likeness(&view.subjects, &facts.setup, vary, step, pair).unlike;
        let unlike = unlike.into_iter().map(|d| d.between(pair));
        let differences: Vec<Difference> = unlike.chain(recorded::of_step(step, &among)).collect();
        if !differences.is_empty() {
            all.push(Barred { pair, test, step: Some(step.key), differences });
        }
    }
    all
}

/// The subjects as they were in a test.
struct TestView<'f> {
    test: TestKey,
    subjects: Subjects,
    measured: &'f MeasuredFacts,
    /// Those that have a part in it.
    among: Vec<SubjectKey>,
}

impl TestView<'_> {
    fn of(facts: &Facts, test: TestKey) -> TestView<'_> {
        TestView {
            test,
            subjects: facts.subjects.in_test(test),
            measured: &facts.measured,
            among: facts.subjects.of_test(test).collect(),
        }
    }

    fn has(&self, subject: SubjectKey) -> bool {
        self.among.contains(&subject)
    }

    fn steps(&self) -> impl Iterator<Item = &StepFacts> + Clone {
        self.measured.steps_of(self.test)
    }
}

/// The grade of a difference between hosts: they may be compared only if permitted by `vary`.
fn grade_of_hosts(
    subjects: &Subjects,
    statements: &ReportStatements,
    among: &[SubjectKey],
    grade: Grade,
) -> Grade {
    let mut runs = among.iter().map(|s| subjects[*s].run);
    let first = runs.next();
    match runs.any(|r| Some(r) != first) {
        false => grade,
        true if statements.vary.iter().any(|v| v == "host") => Grade::Harmless,
        true => Grade::Disqualifying,
    }
}

/// The grade of a difference between engines: one that follows from the knobs of a single subject,
/// or from permitted ones, does not make a different test.
fn grade_of_engines(
    subjects: &Subjects,
    statements: &ReportStatements,
    among: &[SubjectKey],
    key: FactKey,
) -> Grade {
    let own_knobs = |subject: &SubjectKey| !subjects[*subject].knobs.is_empty();
    let is_permitted = among.iter().any(own_knobs) || !statements.vary.is_empty();
    match engine::OF_KNOBS.contains(&key) && is_permitted {
        true => Grade::Harmless,
        false => Grade::Disqualifying,
    }
}

/// Every difference, worst first, once for all tests in which it is the same; none for a fleet's
/// subjects.
pub fn differences(facts: &Facts) -> Vec<Difference> {
    let mut all: Vec<Difference> = Vec::new();
    for test in facts.tests.keys().filter(|_| !facts.subjects.are_a_fleet()) {
        let view = TestView::of(facts, test);
        let own = differences_between(facts, &view, &view.among, true).into_iter();
        for one in own.chain(recorded::all(view.steps(), &view.among)) {
            let same = |known: &&mut Difference| {
                (known.grade, &known.what, &known.values) == (one.grade, &one.what, &one.values)
            };
            match all.iter_mut().find(same) {
                Some(known) => known.tests.push(test),
                None => all.push(Difference { tests: vec![test], ..one }),
            }
        }
    }
    for difference in &mut all {
        // A step belongs to one test, and its title is in the condition.
        if difference.tests.len() == facts.tests.len() || difference.what.is_of_step() {
            difference.tests.clear();
        }
    }
    all.sort_by_key(|d| d.grade);
    all
}

/// Differences that rule out a comparison of groups of these subjects; `same_hosts`: every group
/// was measured on the same hosts.
pub fn disqualifying(facts: &Facts, among: &[SubjectKey], same_hosts: bool) -> Vec<Difference> {
    let of = |test| {
        let view = TestView::of(facts, test);
        let found = differences_between(facts, &view, among, !same_hosts).into_iter();
        found
            .filter(|d| d.grade == Grade::Disqualifying)
            .chain(recorded::all(view.steps(), among))
            .collect::<Vec<_>>()
    };
    facts.tests.keys().flat_map(of).collect()
}

fn differences_between(
    facts: &Facts,
    view: &TestView<'_>,
    among: &[SubjectKey],
    of_hosts: bool,
) -> Vec<Difference> {
    let Facts { setup, statements, .. } = facts;
    let subjects = &view.subjects;
    let mut all: Vec<Difference> = Vec::new();
    all.extend(drive_counts(subjects, among));
    for (field, grade) in DRIVES_ALIKE {
        let seen = drive_values(subjects, among, |drive| drive.value(*field));
        let what = Condition::Drive(*field);
        all.extend(unequal_sets(&seen).map(|values| Difference::new(*grade, what, values)));
    }
    all.extend(engines(facts, view, among));
    all.extend(versions(subjects, setup, among));
    for (field, grade) in HOSTS_ALIKE.iter().filter(|_| of_hosts) {
        let value = |subject: &SubjectKey| {
            Some((*subject, setup.run_of(&subjects[*subject]).host.value(*field)?))
        };
        let seen: SubjectValues = among.iter().filter_map(value).collect();
        let grade = grade_of_hosts(subjects, statements, among, *grade);
        let what = Condition::Host(*field);
        all.extend(unequal_sets(&seen).map(|values| Difference::new(grade, what, values)));
    }
    all.extend(firmware(subjects, among));
    all.extend(write_caches(subjects, among));
    all.extend(prepared(setup, view.test, among));
    all.extend(fuller(subjects, among));
    all.extend(warmer(view.steps(), among));
    all.extend(measured::all((subjects, setup), view, among));
    all.sort_by_key(|d| d.grade);
    // Steps with the same plan have the same differences.
    all.dedup();
    all
}

/// The values of a field over the drives of each subject; a drive of which it is unknown has none.
fn drive_values<V>(
    subjects: &Subjects,
    among: &[SubjectKey],
    value: impl Fn(&DriveSetup) -> Option<V>,
) -> Vec<(SubjectKey, V)> {
    let mut all = Vec::new();
    for &subject in among {
        let own = subjects[subject].setups.iter().filter_map(&value);
        all.extend(own.map(|value| (subject, value)));
    }
    all
}

/// Every value with the subjects that have it, if the subjects' sets of values are unequal: each
/// subject may have several drives. A subject without a known value is not compared.
fn unequal_sets(seen: &[(SubjectKey, SetupValue)]) -> Option<ValuesOfSubjects> {
    let distinct = distinct(seen.iter().map(|(subject, value)| (*subject, value)))?;
    let mut known: Vec<SubjectKey> = seen.iter().map(|(subject, _)| *subject).collect();
    known.dedup();
    let unequal = distinct.iter().any(|(_, whose)| whose.len() < known.len());
    unequal.then(|| shown(&distinct))
}

fn shown(distinct: &[(&SetupValue, Vec<SubjectKey>)]) -> ValuesOfSubjects {
    let values: Vec<&SetupValue> = distinct.iter().map(|(value, _)| *value).collect();
    let of = |(value, whose): &(&SetupValue, Vec<SubjectKey>)| {
        (ConditionValue::Setup(without_common(value, &values)), whose.clone())
    };
    distinct.iter().map(of).collect()
}

/// The numbers of drives, if they differ. Imported subjects have no known drives.
fn drive_counts(subjects: &Subjects, among: &[SubjectKey]) -> Option<Difference> {
    let known = among.iter().filter(|subject| !subjects[**subject].drives.is_empty());
    let counts = known.map(|subject| (*subject, subjects[*subject].drives.len()));
    let values = distinct(counts)?.into_iter();
    let values = values.map(|(count, whose)| (ConditionValue::Drives(count), whose)).collect();
    Some(Difference::new(Grade::Confounder, Condition::DriveCount, values))
}

/// Versions and settings of engines: those of a step are compared with the same step's, and those
/// of a run with other runs'.
fn engines(facts: &Facts, view: &TestView<'_>, among: &[SubjectKey]) -> Vec<Difference> {
    let (Facts { setup, statements, .. }, subjects) = (facts, &view.subjects);
    let of_test = |step: &str| view.steps().any(|own| own.name == step);
    let mut all = Vec::new();
    for key in ENGINES_ALIKE {
        // Values by heading and step, in the order of the disclosure.
        let mut found: Vec<(EnginePlace<'_>, SubjectValues)> = Vec::new();
        for group in setup.disclosure.iter().filter(|group| !group.is_of_dyno()) {
            if group.owner.step().is_some_and(|step| !of_test(step)) {
                continue;
            }
            let rows = group.rows.iter().filter(|(name, _)| name == key.name);
            let own: Vec<SubjectKey> = match &group.owner {
                GroupOwner::Step(subject, _) | GroupOwner::Server(subject, ..) => {
                    among.iter().copied().filter(|s| s == subject).collect()
                }
                GroupOwner::Run(run) => {
                    among.iter().copied().filter(|s| subjects[*s].run == *run).collect()
                }
                GroupOwner::Points => Vec::new(),
            };
            let place = (group.name.as_str(), group.owner.step());
            for (_, value) in rows {
                let values = own.iter().map(|s| (*s, SetupValue::Text(value.clone())));
                match found.iter_mut().find(|(known, _)| *known == place) {
                    Some((_, known)) => known.extend(values),
                    None => found.push((place, values.collect())),
                }
            }
        }
        for ((heading, _), seen) in found {
            let grade = grade_of_engines(subjects, statements, among, *key);
            let what = Condition::Fact(heading.to_string(), key.name.to_string());
            all.extend(unequal_sets(&seen).map(|values| Difference::new(grade, what, values)));
        }
    }
    all
}

/// The versions of Dyno that measured.
fn versions(subjects: &Subjects, setup: &SetupFacts, among: &[SubjectKey]) -> Option<Difference> {
    let version = |subject: &SubjectKey| {
        let run = setup.runs.get(subjects[*subject].run)?;
        let version = SetupValue::Text(run.dyno_version.clone());
        (!run.is_imported()).then_some((*subject, version))
    };
    let seen: SubjectValues = among.iter().filter_map(version).collect();
    let what = Condition::Fact(FactHeading::Dyno.name().into(), dyno::VERSION.name.into());
    Some(Difference::new(Grade::Confounder, what, unequal_sets(&seen)?))
}

/// Every value once, with its subjects; empty if there is only one value. The values of a subject
/// follow one another.
fn distinct<V: PartialEq>(
    seen: impl Iterator<Item = (SubjectKey, V)>,
) -> Option<Vec<(V, Vec<SubjectKey>)>> {
    let mut distinct: Vec<(V, Vec<SubjectKey>)> = Vec::new();
    for (subject, value) in seen {
        match distinct.iter_mut().find(|(known, _)| *known == value) {
            Some((_, whose)) if whose.last() == Some(&subject) => {}
            Some((_, whose)) => whose.push(subject),
            None => distinct.push((value, vec![subject])),
        }
    }
    (distinct.len() > 1).then_some(distinct)
}

/// Of several settings, only those that differ; the same for a text of settings, "a=1 b=2".
fn without_common(value: &SetupValue, all: &[&SetupValue]) -> SetupValue {
    match value {
        SetupValue::Settings(own) => {
            let in_all = |setting: &(String, String)| {
                all.iter().all(|other| match other {
                    SetupValue::Settings(other) => other.contains(setting),
                    _ => false,
                })
            };
            SetupValue::Settings(own.iter().filter(|s| !in_all(s)).cloned().collect())
        }
        SetupValue::Text(text) => {
            let texts = || {
                all.iter().filter_map(|other| match other {
                    SetupValue::Text(text) => Some(text.as_str()),
                    _ => None,
                })
            };
            let is_list =
                |v: &str| v.split_whitespace().filter(|word| word.contains('=')).count() > 1;
            if !texts().all(is_list) {
                return value.clone();
            }
            let in_all = |word: &&str| texts().all(|v| v.split_whitespace().any(|w| w == *word));
            let own = text.split_whitespace().filter(|word| !in_all(word));
            SetupValue::Text(own.collect::<Vec<_>>().join(" "))
        }
        _ => value.clone(),
    }
}

/// Different models naturally have different firmware; for the same model it may explain a
/// difference.
fn firmware(subjects: &Subjects, among: &[SubjectKey]) -> Option<Difference> {
    let seen = drive_values(subjects, among, |drive| drive.value(DriveField::Firmware));
    let values = unequal_sets(&seen)?;
    let mut models = drive_values(subjects, among, |drive| drive.model.clone());
    models.dedup_by(|a, b| a.1 == b.1);
    let grade = if models.len() == 1 { Grade::Confounder } else { Grade::Harmless };
    Some(Difference::new(grade, Condition::Drive(DriveField::Firmware), values))
}

/// A volatile write cache that is on makes a different test than one that is off, between subjects,
/// between drives and over a run; the lack of one is a property of the drive.
fn write_caches(subjects: &Subjects, among: &[SubjectKey]) -> Option<Difference> {
    let mut seen = Vec::new();
    for &subject in among {
        let states = subjects[subject].setups.iter().flat_map(DriveSetup::volatile_cache_states);
        let switchable = states.filter(|state| *state != WriteCacheState::Absent);
        seen.extend(switchable.map(|state| (subject, SetupValue::WriteCache(vec![state]))));
    }
    let distinct = distinct(seen.iter().map(|(subject, state)| (*subject, state)))?;
    let what = Condition::Drive(DriveField::VolatileCache);
    Some(Difference::new(Grade::Disqualifying, what, shown(&distinct)))
}

/// The preparation of the drives: if it differs, so does the test.
fn prepared(setup: &SetupFacts, test: TestKey, among: &[SubjectKey]) -> Option<Difference> {
    let of = |subject: SubjectKey| {
        let mut all: Vec<(String, PlanValue)> = Vec::new();
        for p in setup.prepared_for(test, subject) {
            let asked = serde_json::from_str(&p.asked).unwrap_or(serde_json::Value::Null);
            let done = (p.action.clone(), PlanValue::of("", &asked));
            // For each drive of a group.
            if !all.contains(&done) {
                all.push(done);
            }
        }
        all
    };
    let found = distinct(among.iter().map(|s| (*s, of(*s))))?;
    let values = found.iter().map(|(all, whose)| {
        let own = all.iter().map(|(action, asked)| {
            let others = found.iter().flat_map(|(other, _)| other);
            let same = others.filter(|(other, _)| other == action).map(|(_, asked)| asked);
            (action.clone(), asked.without_common(&same.collect::<Vec<_>>()))
        });
        (ConditionValue::Prepared(own.collect()), whose.clone())
    });
    let values = values.collect();
    Some(Difference::new(Grade::Disqualifying, Condition::Preparation, values))
}

/// The used share of the drives.
fn fuller(subjects: &Subjects, among: &[SubjectKey]) -> Option<Difference> {
    let shares = drive_values(subjects, among, |drive| drive.filled_share);
    let (low, high) = bounds(shares.iter().map(|(_, share)| share * 100.0))?;
    if high - low <= FULLER_PERCENT {
        return None;
    }
    let seen = drive_values(subjects, among, |drive| drive.value(DriveField::Filled));
    let what = Condition::Drive(DriveField::Filled);
    Some(Difference::new(Grade::Confounder, what, unequal_sets(&seen)?))
}

/// The drives' temperatures at the start of the windows, if measured.
fn warmer<'f>(steps: impl Iterator<Item = &'f StepFacts>, among: &[SubjectKey]) -> Vec<Difference> {
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
        let difference = Difference::new(Grade::Confounder, what, values);
        (high - low > WARMER_CELSIUS).then_some(difference)
    };
    steps.filter_map(of).collect()
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |held, v| {
        held.map_or(Some((v, v)), |(low, high): (f64, f64)| Some((low.min(v), high.max(v))))
    })
}
