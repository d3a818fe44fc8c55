//! `dyno list`: every engine, workload and meter with its knobs, from their own declarations.

use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::{Result, describe};
use crate::cmd::json::{self, OutputFormat};
use crate::plan::{DefaultValue, Info, Knob, KnobKind};

/// Prints the registries.
pub fn list(format: OutputFormat, out: &mut dyn Write) -> Result<()> {
    let catalogue = crate::plan_catalogue();
    if format.json {
        let rows = |of: &[&'static Info]| of.iter().map(|info| PartRow::of(info)).collect();
        let document = Catalogued {
            engines: rows(&catalogue.engines),
            workloads: rows(&catalogue.workloads),
            meters: rows(&catalogue.meters),
        };
        return json::print(&document, out);
    }
    writeln!(out, "Engines")?;
    for info in &catalogue.engines {
        entry(out, info)?;
        if let Some((cause, remedies)) = missing(info.name) {
            let remedies = remedies.join("; ");
            writeln!(out, "  {:<20} not in this build: {cause}; {remedies}", "")?;
        }
    }
    writeln!(out, "\nWorkloads")?;
    catalogue.workloads.iter().try_for_each(|info| entry(out, info))?;
    writeln!(out, "\nMeters")?;
    catalogue.meters.iter().try_for_each(|info| entry(out, info))
}

/// The cause and the remedies, if this program was built without an engine.
pub fn missing(engine: &str) -> Option<(String, Vec<String>)> {
    Some(describe(&crate::engine::find(engine)?.check_build().err()?))
}

fn entry(out: &mut dyn Write, info: &Info) -> Result<()> {
    writeln!(out, "\n  {:<20} {} ({})", info.name, info.summary, info.family)?;
    if !info.source.is_empty() {
        writeln!(out, "  {:<20} source: {}", "", info.source)?;
    }
    for knob in info.knobs {
        let default = match knob.default {
            DefaultValue::Required => "required".to_string(),
            DefaultValue::Absent => "optional".to_string(),
            DefaultValue::Is(text) => format!("default {text}"),
        };
        writeln!(out, "    {:<18} {} [{}; {default}]", knob.name, knob.doc, kind(knob.kind))?;
    }
    Ok(())
}

fn kind(kind: KnobKind) -> String {
    match kind {
        KnobKind::Text => "text".into(),
        KnobKind::Bool => "true or false".to_string(),
        KnobKind::Int { min, max } if max == u64::MAX => format!("whole number from {min}"),
        KnobKind::Int { min, max } => format!("whole number from {min} to {max}"),
        KnobKind::Float { min, max } => format!("number from {min} to {max}"),
        KnobKind::Bytes => "size".to_string(),
        KnobKind::Time => "time".to_string(),
        KnobKind::Words => "list of words".to_string(),
        KnobKind::Choice(words) => words.join(" | "),
        KnobKind::Sizes => "size, or sizes with weights".to_string(),
        KnobKind::Options => "table of options".to_string(),
    }
}

/// Valid names in plans.
#[derive(Serialize, JsonSchema)]
pub struct Catalogued {
    engines: Vec<PartRow>,
    workloads: Vec<PartRow>,
    meters: Vec<PartRow>,
}

/// An engine, a workload or a meter.
#[derive(Serialize, JsonSchema)]
struct PartRow {
    name: &'static str,
    summary: &'static str,
    /// "block", "key-value", "SQL", "any": a workload runs on engines of its family.
    family: String,
    /// The source of its definition; empty if it is ours.
    source: &'static str,
    /// The maximum queue depth of an engine.
    max_depth: u32,
    knobs: Vec<KnobRow>,
}

/// A setting.
#[derive(Serialize, JsonSchema)]
struct KnobRow {
    name: &'static str,
    doc: &'static str,
    /// The type of its value, as text.
    kind: String,
    /// A plan must set it.
    required: bool,
    /// Its default, as TOML; null if it is then omitted.
    default: Option<&'static str>,
}

impl PartRow {
    fn of(info: &'static Info) -> PartRow {
        let knob = |knob: &'static Knob| KnobRow {
            name: knob.name,
            doc: knob.doc,
            kind: kind(knob.kind),
            required: knob.default == DefaultValue::Required,
            default: match knob.default {
                DefaultValue::Is(text) => Some(text),
                _ => None,
            },
        };
        PartRow {
            name: info.name,
            summary: info.summary,
            family: info.family.to_string(),
            source: info.source,
            max_depth: info.max_depth,
            knobs: info.knobs.iter().map(knob).collect(),
        }
    }
}
