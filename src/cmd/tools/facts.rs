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
use crate::record::key::FactHeading;
use crate::record::{Fact, SelfTest, Setup};
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
    let setup = lab::machine::facts::gather(&subjects);
    let mut gathered = rows(&setup);
    let clock = Clock::start();
    gathered.extend(run::facts(clock));
    gathered.push(run::pacing_floor(clock)?.disclosed());
    gathered.extend(selftest_result::kept().iter().flat_map(SelfTest::disclosed));
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

/// The fields of the host and of the drives; a drive's heading is its path.
fn rows(setup: &Setup) -> Vec<Fact> {
    let host = setup.host.disclosed();
    let host = host.map(|(field, value)| Fact::new(field.heading().name(), field.name(), value));
    let drives = setup.drives.iter().flat_map(|drive| {
        let group = format!("{}: {}", FactHeading::Drive.name(), drive.subject);
        drive.disclosed().map(move |(field, value)| Fact::new(&group, field.name(), value))
    });
    host.chain(drives).collect()
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
        let row = |Fact { group, name, value, .. }| FactRow { group, name, value };
        Disclosed { facts: facts.into_iter().map(row).collect() }
    }
}
