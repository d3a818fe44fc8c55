//! Differences between resolved plans, field by field, as typed data: which field, and both values
//! with their units.
//!
//! The plans' typed model is compared through its JSON form, so fields added later are included.
//! The unit of a value follows from the field: its name ends in it (`duration_ns`), or the engine
//! or workload declares the kind of its knob.

use std::collections::HashMap;
use std::mem::discriminant;
use std::sync::LazyLock;

use serde_json::Value;

use dyno_core::plan::{KnobKind, Load};
use dyno_core::record::setup::HostField;

/// A field in which two resolved plans differ.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDifference {
    /// The path in the notation of an override: "step.streams.io.workload.knobs.block".
    pub path: String,
    /// The field.
    pub field: PlanField,
    /// Its values in the two plans.
    pub values: [PlanValue; 2],
}

/// A field of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanField {
    /// The version of the measuring method.
    Method,
    /// The program that measured imported figures.
    Tool,
    /// A field of the hosts.
    Host(HostField),
    /// Length of the measured window.
    Window,
    /// Length of the warm-up.
    WarmUp,
    /// Workers of a stream.
    Threads,
    /// Requests in flight for each worker.
    QueueDepth,
    /// Copies of a stream on each drive.
    Instances,
    /// Size of a request.
    BlockSize,
    /// Closed loop, or the rate.
    Load,
    /// The engine.
    Engine,
    /// The workload.
    Workload,
    /// The meters.
    Meters,
    /// Another field, in the words of the plan: "theta", "preparation steady excursion".
    Named(String),
}

/// A value of a field, with its unit.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanValue {
    /// The plan lacks the field.
    Absent,
    /// On or off.
    Switch(bool),
    /// A number without a unit.
    Number(f64),
    /// A time.
    Nanoseconds(u64),
    /// A size.
    Bytes(u64),
    /// Sizes of requests with their weights.
    Sizes(Vec<(u64, f64)>),
    /// Closed loop, or a rate.
    Load(Load),
    /// A word of the plan.
    Word(String),
    /// Several, each with its name if it has one.
    Parts(Vec<(String, PlanValue)>),
}

/// Structural parts of a path, which a reader does not need.
const NESTS: [&str; 6] = ["step", "stream", "streams", "engine", "workload", "knobs"];

/// The version of the measuring method, as a path: `vary` cannot permit comparing samples with
/// different meanings.
pub const METHOD: &str = "version of the measuring method";

/// The program of imported figures, as a path.
pub const TOOL: &str = "measured with";

impl FieldDifference {
    fn of(path: &[String], values: [&Value; 2]) -> FieldDifference {
        let key = path.last().map_or("", String::as_str);
        FieldDifference {
            path: path.join("."),
            field: PlanField::of(path),
            values: values.map(|value| PlanValue::of(key, value)),
        }
    }

    /// Whether `vary` names the field: by its path, by the end of the path ("read.block"), or by a
    /// containing part.
    pub fn is_named_by(&self, vary: &str) -> bool {
        names(vary, &self.path)
    }
}

fn names(vary: &str, path: &str) -> bool {
    let parts: Vec<&str> = path.split('.').filter(|p| !NESTS.contains(p)).collect();
    let asked: Vec<&str> = vary.split('.').filter(|p| !NESTS.contains(p)).collect();
    !asked.is_empty() && parts.windows(asked.len()).any(|w| w == asked)
}

/// The paths of all fields of the JSON form of a plan, as in `FieldDifference`.
pub fn paths(plan: &Value) -> Vec<String> {
    fn walk(value: &Value, path: &mut Vec<String>, found: &mut Vec<String>) {
        let parts: Vec<(&str, &Value)> = match value {
            Value::Object(fields) => fields.iter().map(|(key, value)| (&**key, value)).collect(),
            Value::Array(all) if named(all) => {
                all.iter().filter_map(|value| Some((name(value)?, value))).collect()
            }
            _ => Vec::new(),
        };
        if parts.is_empty() {
            found.push(path.join("."));
        }
        for (key, value) in parts {
            path.push(key.to_string());
            walk(value, path, found);
            path.pop();
        }
    }
    let mut found = Vec::new();
    walk(plan, &mut Vec::new(), &mut found);
    found
}

/// The same as a user of `vary` writes a path: without its structural parts.
pub fn short(path: &str) -> String {
    let parts: Vec<&str> = path.split('.').filter(|p| !NESTS.contains(p)).collect();
    parts.join(".")
}

/// Whether `vary` names any of these paths.
pub fn names_any(vary: &str, paths: &[String]) -> bool {
    paths.iter().any(|path| names(vary, path))
}

impl PlanField {
    fn of(path: &[String]) -> PlanField {
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        match parts[..] {
            [METHOD] => PlanField::Method,
            [TOOL] => PlanField::Tool,
            ["meters", ..] => PlanField::Meters,
            ["step", "duration_ns" | "window_ns"] => PlanField::Window,
            ["step", "warmup_ns"] => PlanField::WarmUp,
            ["step", "streams", _, "threads"] => PlanField::Threads,
            ["step", "streams", _, "depth"] => PlanField::QueueDepth,
            ["step", "streams", _, "instances"] => PlanField::Instances,
            ["step", "streams", _, "load"] => PlanField::Load,
            ["step", "streams", _, "engine", "name"] => PlanField::Engine,
            ["step", "streams", _, "workload", "name"] => PlanField::Workload,
            ["step", "streams", _, "workload", "knobs", "block"] => PlanField::BlockSize,
            ["step", "streams", _, ..] => PlanField::named(&parts[3..]),
            _ => PlanField::named(&parts),
        }
    }

    fn named(parts: &[&str]) -> PlanField {
        let own = parts.iter().filter(|part| !NESTS.contains(part));
        let own: Vec<String> = own.map(|part| without_unit(part).replace('_', " ")).collect();
        PlanField::Named(own.join(" "))
    }
}

/// "settle" of "settle_ns": the value has the unit.
fn without_unit(key: &str) -> &str {
    key.strip_suffix("_ns").or(key.strip_suffix("_bytes")).unwrap_or(key)
}

/// The kinds of knobs by name; None if engines and workloads with a knob of the name do not agree.
static KNOB_KINDS: LazyLock<HashMap<&str, Option<KnobKind>>> = LazyLock::new(|| {
    let catalogue = dyno_core::plan_catalogue();
    let all = catalogue.engines.iter().chain(&catalogue.workloads).flat_map(|info| info.knobs);
    let mut kinds = HashMap::new();
    for knob in all {
        let known = kinds.entry(knob.name).or_insert(Some(knob.kind));
        *known = known.filter(|kind| discriminant(kind) == discriminant(&knob.kind));
    }
    kinds
});

/// The kind of a knob, if all engines and workloads with a knob of this name agree.
fn knob_kind(name: &str) -> Option<KnobKind> {
    *KNOB_KINDS.get(name)?
}

impl PlanValue {
    /// The value of a field of this name.
    pub fn of(key: &str, value: &Value) -> PlanValue {
        if key == "load"
            && let Ok(load) = serde_json::from_value(value.clone())
        {
            return PlanValue::Load(load);
        }
        match value {
            Value::Null => PlanValue::Absent,
            Value::Bool(on) => PlanValue::Switch(*on),
            Value::Number(number) => {
                let (is_time, is_size) = match knob_kind(key) {
                    Some(KnobKind::Time) => (true, false),
                    Some(KnobKind::Bytes) => (false, true),
                    _ => (key.ends_with("_ns"), key.ends_with("_bytes") || key == "bytes"),
                };
                match number.as_u64() {
                    Some(ns) if is_time => PlanValue::Nanoseconds(ns),
                    Some(bytes) if is_size => PlanValue::Bytes(bytes),
                    _ => PlanValue::Number(number.as_f64().unwrap_or(f64::NAN)),
                }
            }
            Value::String(word) => PlanValue::Word(word.clone()),
            Value::Array(all) => {
                let sizes = serde_json::from_value(value.clone()).ok();
                match sizes.filter(|_| knob_kind(key) == Some(KnobKind::Sizes)) {
                    Some(sizes) => PlanValue::Sizes(sizes),
                    None => {
                        let parts = all.iter().map(|v| (String::new(), PlanValue::of(key, v)));
                        PlanValue::Parts(parts.collect())
                    }
                }
            }
            Value::Object(fields) => {
                let mut parts = Vec::new();
                for (name, value) in fields {
                    let own = PlanValue::of(name, value);
                    let name = without_unit(name).replace('_', " ");
                    match own {
                        PlanValue::Absent => {}
                        // "knobs block 4 KiB" says no more than "block 4 KiB".
                        PlanValue::Parts(inner) if value.is_object() => parts.extend(inner),
                        own => parts.push((name, own)),
                    }
                }
                PlanValue::Parts(parts)
            }
        }
    }

    /// The parts that differ from those of the other values; a value without parts is returned
    /// unchanged.
    pub fn without_common(&self, others: &[&PlanValue]) -> PlanValue {
        let PlanValue::Parts(parts) = self else { return self.clone() };
        let in_all = |part: &(String, PlanValue)| {
            others.iter().all(|other| match other {
                PlanValue::Parts(other) => other.contains(part),
                _ => false,
            })
        };
        let own: Vec<_> = parts.iter().filter(|part| !in_all(part)).cloned().collect();
        if own.is_empty() { self.clone() } else { PlanValue::Parts(own) }
    }
}

/// Every field in which two JSON forms of plans differ.
pub fn between(a: &Value, b: &Value) -> Vec<FieldDifference> {
    let mut found = Vec::new();
    walk(a, b, &mut Vec::new(), &mut found);
    found
}

fn walk(a: &Value, b: &Value, path: &mut Vec<String>, found: &mut Vec<FieldDifference>) {
    let is_load = path.last().is_some_and(|key| key == "load");
    match (a, b) {
        (Value::Object(own), Value::Object(other)) if !is_load => {
            let mut keys: Vec<&String> = own.keys().chain(other.keys()).collect();
            keys.sort();
            keys.dedup();
            for key in keys {
                path.push(key.clone());
                walk(
                    own.get(key).unwrap_or(&Value::Null),
                    other.get(key).unwrap_or(&Value::Null),
                    path,
                    found,
                );
                path.pop();
            }
        }
        (Value::Array(own), Value::Array(other)) if named(own) && named(other) => {
            let mut names: Vec<&str> = own.iter().chain(other).filter_map(name).collect();
            names.sort_unstable();
            names.dedup();
            for wanted in names {
                let of = |all: &[Value]| {
                    all.iter().find(|v| name(v) == Some(wanted)).cloned().unwrap_or_default()
                };
                path.push(wanted.to_string());
                walk(&of(own), &of(other), path, found);
                path.pop();
            }
        }
        _ if a == b => {}
        _ => found.push(FieldDifference::of(path, [a, b])),
    }
}

fn name(value: &Value) -> Option<&str> {
    value.get("name")?.as_str()
}

/// A list whose members are identified by name, such as streams.
fn named(all: &[Value]) -> bool {
    !all.is_empty() && all.iter().all(|v| name(v).is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_difference_is_named_by_its_path_its_end_or_what_it_lies_in() {
        let path = "step.streams.io.workload.knobs.block";
        let path: Vec<String> = path.split('.').map(String::from).collect();
        let block = FieldDifference::of(&path, [&Value::Null, &Value::Null]);
        for vary in ["io.block", "block", "step.stream.io.workload.block", "io"] {
            assert!(block.is_named_by(vary), "{vary}");
        }
        for vary in ["writer.block", "depth", "", "step"] {
            assert!(!block.is_named_by(vary), "{vary}");
        }
    }

    #[test]
    fn values_have_the_units_of_their_fields_and_knobs() {
        let sizes = json!([[65536, 1.0]]);
        assert_eq!(PlanValue::of("block", &sizes), PlanValue::Sizes(vec![(65536, 1.0)]));
        assert_eq!(PlanValue::of("warmup_ns", &json!(5)), PlanValue::Nanoseconds(5));
        assert_eq!(PlanValue::of("memory_bytes", &json!(7)), PlanValue::Bytes(7));
        assert_eq!(PlanValue::of("load", &json!("closed")), PlanValue::Load(Load::Closed));
        assert_eq!(PlanValue::of("theta", &json!(0.99)), PlanValue::Number(0.99));
        let [a, b] = [5, 6].map(|n| {
            PlanValue::of("", &json!({"round_ns": n, "stream": {"depth": 8}, "cpus": null}))
        });
        let part = |ns| ("round".to_string(), PlanValue::Nanoseconds(ns));
        assert_eq!(a.without_common(&[&a, &b]), PlanValue::Parts(vec![part(5)]));
        assert_eq!(b.without_common(&[&a, &b]), PlanValue::Parts(vec![part(6)]));
        assert_eq!(a.without_common(&[&a, &a]), a);
    }
}
