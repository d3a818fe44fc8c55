//! Differences in test conditions, and conditions not given by a source, as text.

use crate::analysis::difference::{Condition, ConditionValue, Difference, NotGiven};
use crate::analysis::facts::Subjects;
use crate::analysis::plan_difference::PlanValue;
use crate::brief::text::{plan_text, setup_text};
use crate::language::{Language, Name, Number};
use crate::say;
use crate::terms::names;
use dyno_core::record::key::FactHeading;

/// The name of a condition: a setting, a field of the host or the drive.
pub fn condition(l: Language, what: &Condition) -> String {
    match what {
        Condition::Fact(heading, name) => {
            say!(l, "difference-fact", heading = Name::fact(heading), fact = Name::fact(name))
        }
        Condition::Drive(field) => {
            let heading = Name::fact(FactHeading::Drive.name());
            say!(l, "difference-fact", heading, fact = Name::fact(field.name()))
        }
        Condition::Host(field) => setup_text::host_field(l, *field),
        Condition::DriveCount => say!(l, "difference-drive-count"),
        Condition::Plan(field) => plan_text::field(l, field),
        Condition::Preparation => say!(l, "difference-preparation"),
        Condition::Temperature(step) => say!(l, "difference-temperature", step),
        Condition::RecordedLoad(step) => say!(l, "difference-recorded-load", step),
        Condition::VectorSearch(step) => say!(l, "difference-vector-search", step),
        Condition::OwnRuns => say!(l, "difference-own-runs"),
        Condition::OneAfterOther => say!(l, "difference-one-after-other"),
        Condition::SharedDevice => say!(l, "difference-device"),
        Condition::SteadyState => say!(l, "difference-steady"),
        Condition::MissingRepeats => say!(l, "difference-repeats"),
        Condition::Drift => say!(l, "difference-drift"),
        Condition::Bottleneck => say!(l, "difference-bottleneck"),
    }
}

/// "512 bytes (A), 4096 bytes (B)".
pub fn values(l: Language, subjects: &Subjects, difference: &Difference) -> String {
    let each = difference.values.iter().map(|(own, whose)| {
        let whose: Vec<&str> = whose.iter().map(|key| subjects[*key].name.as_str()).collect();
        match whose.is_empty() {
            true => value(l, own),
            false => say!(l, "value-of", value = value(l, own), subjects = whose.join(", ")),
        }
    });
    joined(l, each)
}

fn joined(l: Language, each: impl Iterator<Item = String>) -> String {
    let all = each.reduce(|first, other| say!(l, "values-and", first, other));
    all.unwrap_or_default()
}

fn value(l: Language, value: &ConditionValue) -> String {
    match value {
        ConditionValue::Plan(value) => plan_text::value(l, value),
        ConditionValue::Text(text) => text.clone(),
        ConditionValue::Setup(value) => setup_text::value(l, value),
        ConditionValue::Drives(count) => say!(l, "difference-drives", count = *count),
        ConditionValue::Devices(pairs) => {
            l.clauses(&pairs.iter().map(|pair| names::shared_device(l, pair)).collect::<Vec<_>>())
        }
        ConditionValue::Prepared(actions) if actions.is_empty() => {
            say!(l, "difference-nothing-done")
        }
        ConditionValue::Prepared(actions) => {
            joined(l, actions.iter().map(|(action, asked)| prepared(l, action, asked)))
        }
        ConditionValue::Temperature(celsius) => l.number(&format!("{celsius:.0} °C")),
        ConditionValue::Times(times) => {
            let times: Vec<String> = times.iter().map(|ns| l.moment(*ns)).collect();
            times.join(", ")
        }
        ConditionValue::Unequally => say!(l, "difference-unequally"),
        ConditionValue::OneDevice => say!(l, "difference-one-device"),
        ConditionValue::NotUntilSteady => say!(l, "difference-not-until-steady"),
        ConditionValue::Steady => say!(l, "difference-was-steady"),
        ConditionValue::NotSteady(None) => say!(l, "difference-was-not-steady"),
        ConditionValue::NotSteady(Some(excursion)) => {
            let excursion = Number(format!("{:.1} %", excursion * 100.0));
            say!(l, "difference-excursion", excursion)
        }
        ConditionValue::Share(count, all) => {
            say!(l, "difference-share", count = *count, all = *all)
        }
    }
}

fn prepared(l: Language, action: &str, asked: &PlanValue) -> String {
    match asked {
        PlanValue::Absent => say!(l, "done", action = names::done(action)),
        asked => {
            let asked = plan_text::value(l, asked);
            say!(l, "done-as-asked", action = names::done(action), asked)
        }
    }
}

/// A condition that a source does not give.
pub fn not_given(l: Language, what: NotGiven) -> String {
    match what {
        NotGiven::Loop => say!(l, "not-given-loop"),
        NotGiven::Window => say!(l, "not-given-window"),
        NotGiven::Warmup => say!(l, "not-given-warmup"),
        NotGiven::Timing => say!(l, "not-given-timing"),
        NotGiven::Order => say!(l, "not-given-order"),
        NotGiven::Repeats => say!(l, "not-given-repeats"),
        NotGiven::Preparation => say!(l, "not-given-preparation"),
        NotGiven::Host => say!(l, "not-given-host"),
        NotGiven::Drives => say!(l, "not-given-drives"),
    }
}
