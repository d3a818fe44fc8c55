//! `dyno list`: every engine and workload with its knobs, made from what they declare of
//! themselves.

use std::io::Write;

use crate::base::error::Result;
use crate::plan::{DefaultValue, Info, Kind};

/// Prints the registries.
pub fn list(out: &mut dyn Write) -> Result<()> {
    let catalogue = super::catalogue();
    writeln!(out, "Engines")?;
    catalogue.engines.iter().try_for_each(|info| entry(out, info))?;
    writeln!(out, "\nWorkloads")?;
    catalogue.workloads.iter().try_for_each(|info| entry(out, info))?;
    writeln!(out, "\nMeters")?;
    catalogue.meters.iter().try_for_each(|info| entry(out, info))
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

fn kind(kind: Kind) -> String {
    match kind {
        Kind::Text => "text".into(),
        Kind::Bool => "true or false".to_string(),
        Kind::Int { min, max } if max == u64::MAX => format!("whole number from {min}"),
        Kind::Int { min, max } => format!("whole number from {min} to {max}"),
        Kind::Float { min, max } => format!("number from {min} to {max}"),
        Kind::Bytes => "size".to_string(),
        Kind::Time => "time".to_string(),
        Kind::Words => "list of words".to_string(),
        Kind::Choice(words) => words.join(" | "),
        Kind::Sizes => "size, or sizes with weights".to_string(),
        Kind::Options => "table of options".to_string(),
    }
}
