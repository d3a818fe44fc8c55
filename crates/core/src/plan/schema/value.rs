//! Schemas of single values: times, sizes, rates, and knobs.

use serde_json::{Map, Value, json};

use crate::plan::info::KnobKind;

pub fn text() -> Value {
    json!({ "type": "string", "minLength": 1 })
}

pub fn flag() -> Value {
    json!({ "type": "boolean" })
}

pub fn whole(min: u64, max: u64) -> Value {
    let mut schema = json!({ "type": "integer", "minimum": min });
    // Editors cannot check a limit beyond signed numbers.
    if i64::try_from(max).is_ok() {
        schema["maximum"] = json!(max);
    }
    schema
}

pub fn number(min: f64, max: f64) -> Value {
    json!({ "type": "number", "minimum": min, "maximum": max })
}

pub fn choice(words: &[&str]) -> Value {
    json!({ "enum": words })
}

pub fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

/// At least one.
pub fn some(items: Value) -> Value {
    json!({ "type": "array", "items": items, "minItems": 1 })
}

pub fn one_of<const N: usize>(schemas: [Value; N]) -> Value {
    json!({ "anyOf": schemas.to_vec() })
}

/// A table with these keys and no others.
pub fn object(keys: Vec<(&'static str, Value)>, required: &[&str]) -> Value {
    let properties: Map<String, Value> =
        keys.into_iter().map(|(key, schema)| (key.to_string(), schema)).collect();
    let mut schema =
        json!({ "type": "object", "additionalProperties": false, "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// "250ms", "1h30m".
pub fn time() -> Value {
    let pattern = r"^\s*([0-9][0-9._,]*\s*(ns|us|µs|ms|s|m|h|d)\s*)+$";
    json!({ "type": "string", "pattern": pattern, "examples": ["60s", "20m", "1h30m"] })
}

/// "4KiB", 4096.
pub fn size() -> Value {
    let pattern = r"^\s*[0-9][0-9._,]*\s*(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)?\s*$";
    let written = json!({ "type": "string", "pattern": pattern, "examples": ["4KiB", "64GiB"] });
    one_of([whole(0, u64::MAX), written])
}

/// "10MB/s", "300k/s".
pub fn rate() -> Value {
    let pattern =
        r"^\s*[0-9][0-9._,]*\s*([kKMG]?\s*(ops|op)?|B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)\s*/s\s*$";
    json!({ "type": "string", "pattern": pattern, "examples": ["10MB/s", "300k/s"] })
}

/// The value of a knob.
pub fn of_kind(kind: KnobKind) -> Value {
    match kind {
        KnobKind::Bool => flag(),
        KnobKind::Int { min, max } => whole(min, max),
        KnobKind::Float { min, max } => number(min, max),
        KnobKind::Bytes => size(),
        KnobKind::Time => time(),
        KnobKind::Text => text(),
        KnobKind::Words => json!({ "type": "array", "items": text(), "minItems": 1 }),
        KnobKind::Choice(words) => choice(words),
        KnobKind::Sizes => {
            let pair = json!({ "type": "array", "items": [size(), { "type": "number" }],
                               "minItems": 2, "maxItems": 2 });
            one_of([size(), json!({ "type": "array", "items": pair, "minItems": 1 })])
        }
        KnobKind::Options => json!({
            "type": "object",
            "additionalProperties": { "type": ["string", "number", "boolean"] },
        }),
    }
}
