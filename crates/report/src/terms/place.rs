//! Places on the axes of sweeps, as text.

use crate::analysis::facts::StepFacts;
use crate::analysis::keys::ValueKey;
use crate::language::Language;
use crate::say;
use dyno_core::plan::Field;

/// The place on the axis: " at every depth (1 to 64)", " at 8, 16 and 32 threads".
pub fn place(l: Language, step: &StepFacts, values: &[ValueKey]) -> String {
    let Some(axis) = &step.axis else { return String::new() };
    let labels: Vec<String> = values.iter().map(|v| step.values[*v].text(l)).collect();
    if labels.len() == step.values.len() && labels.len() > 2 && axis.field != Field::Knob {
        return every(l, axis.field, &labels[0], &labels[labels.len() - 1]);
    }
    let maximum = values.iter().all(|v| step.values[*v].number.is_infinite());
    let (one, values) = (labels == ["1"], l.list(&labels));
    match axis.field {
        Field::Threads if one => say!(l, "at-one-thread"),
        Field::Threads => say!(l, "at-threads", values),
        Field::Depth => say!(l, "at-depth", values),
        Field::OpsPerSec => say!(l, "at-ops-asked", values),
        Field::BytesPerSec => say!(l, "at-rate-asked", values),
        Field::LoadPercent if maximum => say!(l, "at-maximum-load"),
        Field::LoadPercent => say!(l, "at-load", values),
        Field::Instances if one => say!(l, "at-one-instance"),
        Field::Instances => say!(l, "at-instances", values),
        Field::Rates => say!(l, "at-rates", values),
        Field::Scale => say!(l, "at-scale", values),
        Field::Knob => say!(l, "at-knob", axis = step.axis_text(l), values),
        Field::Block => say!(l, "at-blocks", values),
    }
}

/// A place on the axis with its unit: "96 threads", "70,000 ops/s", "10 MB/s".
pub fn amount(l: Language, step: &StepFacts, value: ValueKey) -> String {
    let text = step.values[value].text(l);
    let one = text == "1";
    match step.axis.as_ref().map(|axis| axis.field) {
        Some(Field::Threads) if one => say!(l, "amount-one-thread"),
        Some(Field::Threads) => say!(l, "amount-threads", value = text),
        Some(Field::Depth) => say!(l, "amount-depth", value = text),
        Some(Field::OpsPerSec) => say!(l, "amount-ops", value = text),
        Some(Field::LoadPercent) if step.values[value].number.is_finite() => {
            say!(l, "amount-load", value = text)
        }
        Some(Field::LoadPercent) => say!(l, "amount-maximum-load"),
        Some(Field::Instances) if one => say!(l, "amount-one-instance"),
        Some(Field::Instances) => say!(l, "amount-instances", value = text),
        Some(Field::Rates) => say!(l, "amount-rates", value = text),
        Some(Field::BytesPerSec | Field::Block | Field::Scale | Field::Knob) | None => text,
    }
}

/// The step and the place on its axis: "4 KiB reads at 8 and 16 threads".
pub fn step_at(l: Language, step: &StepFacts, values: &[ValueKey]) -> String {
    format!("{}{}", step.title.text(l), place(l, step, values))
}

/// " at every thread count (1 to 64)"
fn every(l: Language, field: Field, low: &str, high: &str) -> String {
    match field {
        Field::Threads => say!(l, "at-every-thread-count", low, high),
        Field::Depth => say!(l, "at-every-depth", low, high),
        Field::OpsPerSec | Field::BytesPerSec => say!(l, "at-every-rate", low, high),
        Field::LoadPercent => say!(l, "at-every-load", low, high),
        Field::Instances => say!(l, "at-every-instance-count", low, high),
        Field::Rates => say!(l, "at-every-multiple", low, high),
        Field::Scale => say!(l, "at-every-scale", low, high),
        Field::Block => say!(l, "at-every-block-size", low, high),
        // Words have no minimum and maximum, so they are listed.
        Field::Knob => String::new(),
    }
}
