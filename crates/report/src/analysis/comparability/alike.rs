//! Compares resolved steps: two points may be compared only if these agree in every field except
//! the subject's own.

use std::collections::HashMap;

use serde_json::Value;

use crate::analysis::difference::{Condition, ConditionValue, Difference, Grade};
use crate::analysis::facts::{Facts, SetupFacts, StepFacts, Subjects};
use crate::analysis::keys::{Keyed, SubjectKey, TestKey};
use crate::analysis::plan_difference::{self, FieldDifference, METHOD, TOOL};
use dyno_core::base::error::{Result, misused};
use dyno_core::plan::{Plan, PointPlan, Subject, nearest};
use dyno_core::record::RunContents;

impl FieldDifference {
    /// The field as a difference in the conditions of two subjects.
    pub fn between(self, pair: (SubjectKey, SubjectKey)) -> Difference {
        let [a, b] = self.values.map(ConditionValue::Plan);
        let values = vec![(a, vec![pair.0]), (b, vec![pair.1])];
        Difference::new(Grade::Disqualifying, Condition::Plan(self.field), values)
    }
}

/// The fields of a resolved plan that affect a step's numbers, for one subject at one point,
/// excluding the subject itself.
fn decisive(plan: &Plan, point: &PointPlan) -> Value {
    let mut step = serde_json::to_value(&point.step).unwrap_or_default();
    if let Value::Object(fields) = &mut step {
        // The point is at one of the sweep's values, which is in its stream; the others are other
        // points.
        fields.remove("sweep");
        // The presentation in a brief does not affect the measurement.
        fields.remove("figures");
    }
    let used: Vec<_> = plan
        .protocol
        .datasets
        .iter()
        .filter(|d| point.step.streams.iter().any(|s| s.dataset == d.name))
        .collect();
    let meters: Vec<&str> =
        plan.meters.iter().chain(&point.subject.meters).map(|m| m.name.as_str()).collect();
    serde_json::json!({
        METHOD: plan.method,
        "step": step,
        "dataset": used,
        "condition": plan.protocol.prepare,
        "prepare": plan.protocol.preparation,
        "meters": meters,
        "watched": !plan.unwatched,
    })
}

/// Refuses a path of `vary` that names no field of the plan of any of these runs: it would permit
/// nothing.
pub fn check_vary(runs: &[RunContents], vary: &[String]) -> Result<()> {
    let plans: Vec<&Plan> = runs.iter().map(|run| &run.run.plan).collect();
    let of_step = |plan: &&Plan| {
        let subject = plan.subjects.first().map_or(String::new(), |s| s.name.clone());
        let steps = plan.protocol.steps.iter().map(|step| step.name.clone());
        let points = steps.filter_map(|step| first_point(plan, &step, &subject));
        points.flat_map(|point| plan_difference::paths(&decisive(plan, &point))).collect::<Vec<_>>()
    };
    let asked: Vec<&String> = vary.iter().filter(|path| *path != "host").collect();
    // The fields of imported figures are their source's.
    if asked.is_empty() || plans.iter().any(|plan| plan.imported.is_some()) {
        return Ok(());
    }
    let known: Vec<String> = plans.iter().flat_map(of_step).collect();
    let unknown = asked.into_iter().find(|path| !plan_difference::names_any(path, &known));
    let Some(unknown) = unknown else { return Ok(()) };
    let mut short: Vec<String> = known.iter().map(|path| plan_difference::short(path)).collect();
    short.sort();
    short.dedup();
    let near = nearest(unknown, short.iter().map(String::as_str));
    let next = match near {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("there are host, {}", short.join(", ")),
    };
    Err(misused(format!("--vary {unknown}: the plans have no field of this name"), next))
}

/// Every field in which the plans of two points differ, except the subjects' own knobs.
pub fn differences(a: (&Plan, &PointPlan), b: (&Plan, &PointPlan)) -> Vec<FieldDifference> {
    plan_difference::between(&decisive(a.0, a.1), &decisive(b.0, b.1))
}

/// Why two subjects of different runs may not be compared in a step at an axis value, or the
/// permitted differences.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Likeness {
    /// Differences that are not permitted: they rule out the comparison.
    pub unlike: Vec<FieldDifference>,
    /// Permitted differences.
    pub varied: Vec<FieldDifference>,
}

/// Records the permitted differences between the plans of each compared pair, which are the same at
/// all of a step's points.
pub fn note_varied(facts: &mut Facts) {
    let Facts { subjects, setup, statements, measured, comparisons, .. } = facts;
    let in_tests: Keyed<TestKey, Subjects> =
        facts.tests.keys().map(|test| subjects.in_test(test)).collect();
    let mut known = HashMap::new();
    for c in &mut comparisons.all {
        let (step, pair) = (&measured.steps[c.step], (c.better, c.worse));
        let own = &in_tests[step.test];
        let of_pair = || likeness(own, setup, &statements.vary, step, pair).varied;
        c.varied.clone_from(known.entry((c.step, pair)).or_insert_with(of_pair));
    }
}

/// Compares the plans of a step of two subjects, as they were in its test. All axis values of a
/// step have the same fields, so one represents all.
pub fn likeness(
    subjects: &Subjects,
    setup: &SetupFacts,
    vary: &[String],
    step: &StepFacts,
    (a, b): (SubjectKey, SubjectKey),
) -> Likeness {
    let run = |subject: SubjectKey| &setup.run_of(&subjects[subject]).resolved;
    if subjects[a].run == subjects[b].run {
        return Likeness::default();
    }
    if [a, b].iter().any(|subject| run(*subject).imported.is_some()) {
        return Likeness {
            unlike: imported_differently(run(a), run(b), &step.own_name),
            ..Likeness::default()
        };
    }
    let point = |subject: SubjectKey| {
        first_point(run(subject), &step.own_name, &subjects[subject].own_name)
    };
    let points = [a, b].map(point);
    let [Some(of_a), Some(of_b)] = &points else { return Likeness::default() };
    let named =
        |d: &FieldDifference| d.path != METHOD && vary.iter().any(|vary| d.is_named_by(vary));
    let (varied, unlike) = differences((run(a), of_a), (run(b), of_b)).into_iter().partition(named);
    Likeness { unlike, varied }
}

/// Known differences between the sources of imported figures, or between one and Dyno.
fn imported_differently(a: &Plan, b: &Plan, step: &str) -> Vec<FieldDifference> {
    let known = |plan: &Plan| {
        let run = plan.imported.as_ref();
        let step = run.and_then(|run| run.steps.iter().find(|own| own.name == step));
        serde_json::json!({
            TOOL: run.map_or("Dyno", |run| &run.tool),
            "step": step.map(|step| serde_json::json!({
                "window_ns": step.window_ns, "loop": step.loop_kind, "timing": step.timing,
                "load": step.load,
            })),
        })
    };
    plan_difference::between(&known(a), &known(b))
}

/// The step as resolved for all points of a subject, before the sweep sets its field.
pub fn first_point(plan: &Plan, step: &str, subject: &str) -> Option<PointPlan> {
    let step = plan.protocol.step(step)?.clone();
    let subject: Subject = plan.subjects.iter().find(|s| s.name == subject)?.clone();
    let key = dyno_core::plan::PointKey {
        subject: subject.name.clone(),
        step: step.name.clone(),
        axis: None,
        repeat: 1,
    };
    Some(PointPlan { key, subject, step })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every leaf of a value, with its path of keys and indices.
    fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                fields.iter().for_each(|(key, v)| leaves(v, &format!("{path}/{key}"), found))
            }
            Value::Array(all) if !all.is_empty() => {
                all.iter().enumerate().for_each(|(i, v)| leaves(v, &format!("{path}/{i}"), found));
            }
            _ => found.push(path.to_string()),
        }
    }

    fn other(value: &Value) -> Value {
        match value {
            Value::Bool(truth) => Value::Bool(!truth),
            Value::Number(n) => serde_json::json!(n.as_f64().unwrap_or(0.0) + 1.0),
            Value::String(text) => Value::String(format!("{text}x")),
            _ => Value::String("another".to_string()),
        }
    }

    /// New fields of the plan's model are covered automatically: the test walks its serialised
    /// form.
    #[test]
    fn steps_that_differ_in_any_one_field_are_not_alike_and_both_values_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let subjects = [("A".to_string(), folder.path().to_path_buf())];
        for protocol in ["noisy-neighbour", "rocksdb-threads", "tpcc"] {
            let catalogue = dyno_loads::plan_catalogue();
            let plan =
                dyno_core::plan::from_command_line(protocol, &subjects, &[], None, &catalogue)
                    .expect("a plan");
            for step in &plan.protocol.steps {
                let point = first_point(&plan, &step.name, "A").expect("a point");
                let whole = decisive(&plan, &point);
                let mut found = Vec::new();
                leaves(&whole, "", &mut found);
                assert!(found.len() > 20, "{protocol}: {found:?}");
                // A stream or dataset with another name is a different one, as its own fields show.
                for leaf in found.iter().filter(|l| !l.ends_with("/name")) {
                    let mut changed = whole.clone();
                    let at = changed.pointer_mut(leaf).expect("a leaf");
                    *at = other(at);
                    let differences = plan_difference::between(&whole, &changed);
                    let [one] = &differences[..] else {
                        panic!("{protocol} {leaf}: {differences:?}")
                    };
                    assert!(one.values[0] != one.values[1], "{leaf}: {one:?}");
                    assert!(one.is_named_by(&one.path), "{leaf}: {one:?}");
                }
            }
        }
    }
}
