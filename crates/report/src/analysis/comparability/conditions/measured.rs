//! Conditions that only the run itself shows: the order of measurement, shared devices, unsteady
//! drives, missing repeats, points that drifted or were not limited by the drive. They are also
//! reported if they apply to all subjects, because they may not have affected them equally.

use super::{Condition, ConditionValue, Difference, Grade, TestView, ValuesOfSubjects};
use crate::analysis::comparability::caveats::unsteady;
use crate::analysis::facts::{CellFacts, RunFacts, SetupFacts, StepFacts, Subjects};
use crate::analysis::keys::{RunKey, SubjectKey, TestKey};
use dyno_core::plan::Order;
use dyno_core::record::key::devices;
use dyno_core::stats::runs::trend::Drift;

/// All of them.
pub fn all(
    (subjects, setup): (&Subjects, &SetupFacts),
    view: &TestView<'_>,
    among: &[SubjectKey],
) -> Vec<Difference> {
    let drifted = |c: &CellFacts| matches!(c.drift, Drift::Drifted { .. });
    let limited = CellFacts::is_not_the_drives;
    let own = [
        (Condition::SharedDevice, shared_device(subjects, setup, among)),
        (Condition::SteadyState, steadiness(setup, view.test, among)),
        (Condition::MissingRepeats, missing(subjects, setup, view, among)),
        (Condition::Drift, counted(view, among, drifted)),
        (Condition::Bottleneck, counted(view, among, limited)),
    ];
    let stated = own
        .into_iter()
        .filter_map(|(what, values)| Some(Difference::new(Grade::Confounder, what, values?)));
    in_time(subjects, setup, among).into_iter().chain(stated).collect()
}

/// Whether changes over time affected all of them equally.
fn in_time(subjects: &Subjects, setup: &SetupFacts, among: &[SubjectKey]) -> Option<Difference> {
    let mut runs: Vec<RunKey> = among.iter().map(|s| subjects[*s].run).collect();
    runs.dedup();
    let of_runs = || runs.iter().filter_map(|r| setup.runs.get(*r));
    let (what, value) = if among.len() > 1 && runs.len() > 1 {
        let times = of_runs().map(|r: &RunFacts| r.started_unix_ns).collect();
        (Condition::OwnRuns, ConditionValue::Times(times))
    } else if among.len() > 1 && of_runs().any(|r| r.order == Order::Blocked) {
        (Condition::OneAfterOther, ConditionValue::Unequally)
    } else {
        return None;
    };
    Some(Difference::new(Grade::Confounder, what, of_nobody(value)))
}

/// A value that belongs to no subject in particular.
fn of_nobody(value: ConditionValue) -> ValuesOfSubjects {
    vec![(value, Vec::new())]
}

/// "A and B: nvme0n1"
fn shared_device(
    subjects: &Subjects,
    setup: &SetupFacts,
    among: &[SubjectKey],
) -> Option<ValuesOfSubjects> {
    let runs = || among.iter().filter_map(|s| setup.runs.get(subjects[*s].run));
    let of_devices = setup.disclosure.iter().filter(|group| group.name == devices::GROUP);
    let rows = of_devices.flat_map(|group| &group.rows);
    let stated = rows.filter(|(name, _)| name == devices::SHARED);
    let shared: Vec<String> =
        stated.flat_map(|(_, value)| value.split("; ").map(str::to_string)).collect();
    let whole = among.len() == subjects.len();
    match shared.is_empty() {
        _ if among.len() < 2 || !whole => None,
        false => Some(of_nobody(ConditionValue::Devices(shared))),
        true => runs().any(|run| run.shares_device).then(|| of_nobody(ConditionValue::OneDevice)),
    }
}

/// "steady (A), not steady, excursion 151.7 % (B)"; None if all that should be steady were.
fn steadiness(setup: &SetupFacts, test: TestKey, among: &[SubjectKey]) -> Option<ValuesOfSubjects> {
    if !among.iter().any(|subject| unsteady(setup, test, *subject)) {
        return None;
    }
    let state = |subject: &SubjectKey| {
        let own = setup.prepared_for(test, *subject);
        let last: Vec<_> = own.filter_map(|p| p.steady.as_ref()).collect();
        let missed = last.iter().rfind(|state| !state.reached());
        let value = match missed.map(|state| state.window.as_ref()) {
            _ if last.is_empty() => ConditionValue::NotUntilSteady,
            _ if !unsteady(setup, test, *subject) => ConditionValue::Steady,
            None | Some(None) => ConditionValue::NotSteady(None),
            Some(Some(window)) => ConditionValue::NotSteady(Some(window.excursion)),
        };
        (value, vec![*subject])
    };
    Some(among.iter().map(state).collect())
}

/// "2 of 15 (B)": repeats of points in the plan, or measured for another subject.
fn missing(
    subjects: &Subjects,
    setup: &SetupFacts,
    view: &TestView<'_>,
    among: &[SubjectKey],
) -> Option<ValuesOfSubjects> {
    // The values of a search are not known in advance.
    let steps = || view.steps().filter(|step| step.search.is_none());
    let of = |subject: SubjectKey| {
        let (mut all, mut found) = (0, 0);
        for (step, value) in steps().flat_map(|s| s.values.keys().map(move |v| (s, v))) {
            let have = |s: SubjectKey| step.cell(s, value).map_or(0, |cell| cell.repeats.len());
            let most = among.iter().map(|s| have(*s)).max().unwrap_or(0);
            all += most.max(asked(subjects, setup, step, subject));
            found += have(subject);
        }
        (subject, all - found, all)
    };
    shares(among.iter().map(|subject| of(*subject)))
}

/// The repeats required by the plan; None if it permits fewer, and for points that it does not
/// contain.
fn asked(subjects: &Subjects, setup: &SetupFacts, step: &StepFacts, subject: SubjectKey) -> usize {
    let run = setup.runs.get(subjects[subject].run);
    let of_plan = |run: &RunFacts| run.resolved.protocol.step(&step.own_name).is_some();
    run.filter(|run| run.until_percent.is_none() && of_plan(run))
        .map_or(0, |run| run.repeats as usize)
}

/// "3 of 12 (A)": points with a property.
fn counted(
    view: &TestView<'_>,
    among: &[SubjectKey],
    holds: fn(&CellFacts) -> bool,
) -> Option<ValuesOfSubjects> {
    let of = |subject: SubjectKey| {
        let cells = || view.steps().flat_map(|s| &s.cells).filter(|c| c.subject == subject);
        (subject, cells().filter(|c| holds(c)).count(), cells().count())
    };
    shares(among.iter().map(|subject| of(*subject)))
}

/// Count and total for each subject; None if all counts are zero.
fn shares(of: impl Iterator<Item = (SubjectKey, usize, usize)>) -> Option<ValuesOfSubjects> {
    let found: Vec<_> = of.collect();
    let any = found.iter().any(|(_, count, _)| *count > 0);
    let value = |(subject, count, all)| (ConditionValue::Share(count, all), vec![subject]);
    any.then(|| found.into_iter().map(value).collect())
}
