//! Conditions that only the run itself shows: the order of measurement, shared devices, unsteady
//! drives, missing repeats, points that drifted or were not limited by the drive. They are also
//! reported if they apply to all subjects, because they may not have affected them equally.

use super::{Condition, ConditionValue, Difference, Grade, ValuesOfSubjects};
use crate::analysis::comparability::caveats::unsteady;
use crate::analysis::facts::{CellFacts, DisclosureGroup, Facts, RunFacts, StepFacts};
use crate::analysis::keys::SubjectKey;
use crate::plan::Order;
use crate::record::key::devices;
use crate::stats::runs::trend::Drift;

/// All of them.
pub fn all(facts: &Facts, subjects: &[SubjectKey]) -> Vec<Difference> {
    let drifted = |c: &CellFacts| matches!(c.drift, Drift::Drifted { .. });
    let limited = CellFacts::is_not_the_drives;
    let own = [
        (Condition::SharedDevice, shared_device(facts, subjects)),
        (Condition::SteadyState, steadiness(facts, subjects)),
        (Condition::MissingRepeats, missing(facts, subjects)),
        (Condition::Drift, counted(facts, subjects, drifted)),
        (Condition::Bottleneck, counted(facts, subjects, limited)),
    ];
    let stated = own.into_iter().filter_map(|(what, values)| {
        Some(Difference { grade: Grade::Confounder, what, values: values? })
    });
    in_time(facts, subjects).into_iter().chain(stated).collect()
}

/// Whether changes over time affected all of them equally.
fn in_time(facts: &Facts, subjects: &[SubjectKey]) -> Option<Difference> {
    let mut runs: Vec<usize> = subjects.iter().map(|s| facts.subjects[*s].run).collect();
    runs.dedup();
    let of_runs = || runs.iter().filter_map(|r| facts.runs.get(*r));
    let (what, value) = if subjects.len() > 1 && runs.len() > 1 {
        let times = of_runs().map(|r: &RunFacts| r.started_unix_ns).collect();
        (Condition::OwnRuns, ConditionValue::Times(times))
    } else if subjects.len() > 1 && of_runs().any(|r| r.order == Order::Blocked) {
        (Condition::OneAfterOther, ConditionValue::Unequally)
    } else {
        return None;
    };
    Some(Difference { grade: Grade::Confounder, what, values: of_nobody(value) })
}

/// A value that is no subject's own.
fn of_nobody(value: ConditionValue) -> ValuesOfSubjects {
    vec![(value, Vec::new())]
}

/// "A and B: nvme0n1"
fn shared_device(facts: &Facts, subjects: &[SubjectKey]) -> Option<ValuesOfSubjects> {
    let runs = || subjects.iter().filter_map(|s| facts.runs.get(facts.subjects[*s].run));
    let of_devices = |group: &&DisclosureGroup| {
        let rest = group.name.strip_prefix(devices::GROUP);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
    };
    let rows = facts.disclosure.iter().filter(of_devices).flat_map(|group| &group.rows);
    let shared = rows.filter(|(name, _)| name == devices::SHARED).map(|(_, value)| value.as_str());
    let shared: Vec<&str> = shared.collect();
    let whole = subjects.len() == facts.subjects.len();
    match shared.is_empty() {
        _ if subjects.len() < 2 || !whole => None,
        false => Some(of_nobody(ConditionValue::Text(shared.join("; ")))),
        true => {
            runs().any(|run| run.resolved.same_device).then(|| of_nobody(ConditionValue::OneDevice))
        }
    }
}

/// "steady (A), not steady, excursion 151.7 % (B)"; None if all that should be steady were.
fn steadiness(facts: &Facts, subjects: &[SubjectKey]) -> Option<ValuesOfSubjects> {
    if !subjects.iter().any(|subject| unsteady(facts, *subject)) {
        return None;
    }
    let state = |subject: &SubjectKey| {
        let own = facts.prepared.iter().filter(|(s, _)| s == subject);
        let last = own.filter_map(|(_, p)| p.steady.as_ref());
        let last: Vec<_> = last.collect();
        let missed = last.iter().rfind(|state| !state.reached());
        let value = match missed.map(|state| state.window.as_ref()) {
            _ if last.is_empty() => ConditionValue::NotUntilSteady,
            _ if !unsteady(facts, *subject) => ConditionValue::Steady,
            None | Some(None) => ConditionValue::NotSteady(None),
            Some(Some(window)) => ConditionValue::NotSteady(Some(window.excursion)),
        };
        (value, vec![*subject])
    };
    Some(subjects.iter().map(state).collect())
}

/// "2 of 15 (B)": repeats of points in the plan, or measured for another subject.
fn missing(facts: &Facts, subjects: &[SubjectKey]) -> Option<ValuesOfSubjects> {
    // The values of a search are not known in advance.
    let steps = || facts.steps.iter().filter(|step| step.search.is_none());
    let of = |subject: SubjectKey| {
        let (mut all, mut found) = (0, 0);
        for (step, value) in steps().flat_map(|s| (0..s.values.len()).map(move |v| (s, v))) {
            let have = |s: SubjectKey| step.cell(s, value).map_or(0, |cell| cell.repeats.len());
            let most = subjects.iter().map(|s| have(*s)).max().unwrap_or(0);
            all += most.max(asked(facts, step, subject));
            found += have(subject);
        }
        (subject, all - found, all)
    };
    shares(subjects.iter().map(|subject| of(*subject)))
}

/// The repeats required by the plan; None if it permits fewer, and for points that it does not
/// contain.
fn asked(facts: &Facts, step: &StepFacts, subject: SubjectKey) -> usize {
    let run = facts.runs.get(facts.subjects[subject].run);
    let of_plan = |step: &StepFacts, plan: &crate::plan::Plan| {
        plan.protocol.steps.iter().any(|own| own.name == step.name)
    };
    run.filter(|run| run.until_percent.is_none() && of_plan(step, &run.resolved))
        .map_or(0, |run| run.repeats as usize)
}

/// "3 of 12 (A)": points with a property.
fn counted(
    facts: &Facts,
    subjects: &[SubjectKey],
    holds: fn(&CellFacts) -> bool,
) -> Option<ValuesOfSubjects> {
    let of = |subject: SubjectKey| {
        let cells = || facts.steps.iter().flat_map(|s| &s.cells).filter(|c| c.subject == subject);
        (subject, cells().filter(|c| holds(c)).count(), cells().count())
    };
    shares(subjects.iter().map(|subject| of(*subject)))
}

/// Count and total for each subject; None if all counts are zero.
fn shares(of: impl Iterator<Item = (SubjectKey, usize, usize)>) -> Option<ValuesOfSubjects> {
    let found: Vec<_> = of.collect();
    let any = found.iter().any(|(_, count, _)| *count > 0);
    let value = |(subject, count, all)| (ConditionValue::Share(count, all), vec![subject]);
    any.then(|| found.into_iter().map(value).collect())
}
