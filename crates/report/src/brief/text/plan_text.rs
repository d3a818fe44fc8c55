//! Fields and values of plans as text: "window 1 s against 2 s".

use crate::analysis::plan_difference::{FieldDifference, PlanField, PlanValue};
use crate::brief::text::setup_text;
use crate::language::{Language, Number};
use crate::say;
use dyno_core::base::units;
use dyno_core::plan::Load;

/// Maximum number of differences, or parts of a value, that a sentence lists.
const MOST: usize = 5;

/// "window 1 s against 2 s".
pub fn difference(l: Language, d: &FieldDifference) -> String {
    against(l, &d.field, [&d.values[0], &d.values[1]])
}

/// The same for a field with two values.
pub fn against(l: Language, of: &PlanField, values: [&PlanValue; 2]) -> String {
    let [first, other] = values.map(|own| value(l, own));
    say!(l, "plan-difference", field = field(l, of), first, other)
}

/// The first of several clauses, and the number of the others.
pub fn at_most(l: Language, mut all: Vec<String>) -> Vec<String> {
    let more = all.len().saturating_sub(MOST);
    if more > 0 {
        all.truncate(MOST);
        all.push(say!(l, "plan-differences-more", count = more));
    }
    all
}

/// The name of a field.
pub fn field(l: Language, field: &PlanField) -> String {
    match field {
        PlanField::Method => say!(l, "difference-method"),
        PlanField::Tool => say!(l, "plan-tool"),
        PlanField::Host(field) => setup_text::host_field(l, *field),
        PlanField::Window => say!(l, "plan-window"),
        PlanField::WarmUp => say!(l, "plan-warm-up"),
        PlanField::Threads => say!(l, "plan-threads"),
        PlanField::QueueDepth => say!(l, "plan-queue-depth"),
        PlanField::Instances => say!(l, "plan-instances"),
        PlanField::BlockSize => say!(l, "plan-block-size"),
        PlanField::Load => say!(l, "plan-load"),
        PlanField::Engine => say!(l, "plan-engine"),
        PlanField::Workload => say!(l, "plan-workload"),
        PlanField::Meters => say!(l, "plan-meters"),
        PlanField::Named(name) => name.clone(),
    }
}

/// A value with its unit.
pub fn value(l: Language, value: &PlanValue) -> String {
    match value {
        PlanValue::Absent => say!(l, "setup-none"),
        PlanValue::Switch(true) => say!(l, "fact-value-on"),
        PlanValue::Switch(false) => say!(l, "fact-value-off"),
        PlanValue::Number(number) => l.number(&number.to_string()),
        PlanValue::Nanoseconds(ns) => l.number(&units::duration(*ns)),
        PlanValue::Bytes(bytes) => l.number(&units::bytes(*bytes)),
        PlanValue::Sizes(sizes) => match &sizes[..] {
            [(bytes, _)] => l.number(&units::bytes(*bytes)),
            several => {
                let whole: f64 = several.iter().map(|(_, weight)| weight).sum();
                let each = several.iter().map(|(bytes, weight)| {
                    let share = weight / whole * 100.0;
                    l.number(&format!("{} {share:.0} %", units::bytes(*bytes)))
                });
                l.sequence(&at_most(l, each.collect()))
            }
        },
        PlanValue::Load(Load::Closed) => say!(l, "plan-closed-loop"),
        PlanValue::Load(Load::Rate(rate)) => l.number(&rate.to_string()),
        PlanValue::Load(Load::PercentOfMaximum(percent)) => {
            say!(l, "plan-share-of-maximum", share = Number(format!("{percent} %")))
        }
        PlanValue::Word(word) => word.clone(),
        PlanValue::Parts(parts) if parts.is_empty() => say!(l, "setup-none"),
        PlanValue::Parts(parts) => {
            let each = parts.iter().map(|(name, own)| match name.is_empty() {
                true => self::value(l, own),
                false => say!(l, "plan-part", name, value = self::value(l, own)),
            });
            l.sequence(&at_most(l, each.collect()))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::analysis::plan_difference::between;

    #[test]
    fn differences_between_plans_are_stated_with_units_and_never_as_json() {
        let plan = |window_ns: u64, depth: u32, block: u64, load: serde_json::Value| {
            json!({"step": {
                "duration_ns": window_ns,
                "streams": [{
                    "name": "io", "depth": depth, "load": load,
                    "workload": {"name": "random", "knobs": {"block": [[block, 1.0]]}},
                }],
            }})
        };
        let rate = json!({"rate": {"ops_per_sec": 5000.0}});
        let found = between(
            &plan(1_000_000_000, 1, 65_536, json!("closed")),
            &plan(2_000_000_000, 8, 4096, rate),
        );
        let said: Vec<String> = found.iter().map(|d| difference(Language::ENGLISH, d)).collect();
        let expected = [
            "window 1 s against 2 s",
            "queue depth 1 against 8",
            "load closed loop against 5,000 ops/s",
            "block size 64 KiB against 4 KiB",
        ];
        assert_eq!(said, expected);
        for l in Language::all() {
            let all = found.iter().map(|d| difference(l, d));
            assert!(all.clone().all(|said| !said.contains(['{', '[', '"'])), "{}", l.tag());
        }
        let many = (0..8).map(|i| i.to_string()).collect();
        assert_eq!(at_most(Language::ENGLISH, many)[5], "3 more");
    }
}
