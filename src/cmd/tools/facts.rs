//! `dyno facts`: the facts that a run would disclose about this host and the drives of the given
//! paths.

use std::io::Write;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::clock::Clock;
use crate::base::error::Result;
use crate::cmd::json::OutputFormat;
use crate::cmd::{json, selftest_result};
use crate::plan::{Drive, DrivePlace, Subject};
use crate::record::Fact;
use crate::{lab, run};

/// Prints the facts by heading; unreadable ones are omitted.
pub fn facts(paths: &[PathBuf], format: OutputFormat, out: &mut dyn Write) -> Result<()> {
    let drive = |path: &PathBuf| match path.is_dir() {
        true => DrivePlace::Directory(path.clone()),
        false => DrivePlace::Device { path: path.clone(), serial: String::new() },
    };
    let subject = |path: &PathBuf| Subject {
        name: path.display().to_string(),
        drives: vec![Drive {
            place: drive(path),
            erase: false,
            erase_signatures: Vec::new(),
            connections: Vec::new(),
            namespaces: Vec::new(),
        }],
        ..Subject::default()
    };
    let subjects: Vec<Subject> = paths.iter().map(subject).collect();
    let gathered = [
        lab::machine::facts::gather(&subjects),
        run::facts(Clock::start())?,
        selftest_result::facts(),
    ];
    let gathered = gathered.concat();
    if format.json {
        return json::print(&Disclosed::of(gathered), out);
    }
    let mut group = String::new();
    for fact in gathered {
        if fact.group != group {
            writeln!(out, "{}{}", if group.is_empty() { "" } else { "\n" }, fact.group)?;
            group.clone_from(&fact.group);
        }
        writeln!(out, "  {:32} {}", fact.name, fact.value)?;
    }
    Ok(())
}

/// Facts about a host and its drives, as disclosed by a run.
#[derive(Serialize, JsonSchema)]
pub struct Disclosed {
    facts: Vec<FactRow>,
}

/// A fact.
#[derive(Serialize, JsonSchema)]
struct FactRow {
    /// Heading: "Host", "CPU", "Drive Micron 7600", "Self-test".
    group: String,
    /// The property.
    name: String,
    /// The printed value, with its unit.
    value: String,
}

impl Disclosed {
    /// These facts, in order.
    pub fn of(facts: Vec<Fact>) -> Disclosed {
        let row = |Fact { group, name, value }| FactRow { group, name, value };
        Disclosed { facts: facts.into_iter().map(row).collect() }
    }
}
