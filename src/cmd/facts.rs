//! `dyno facts`: what a run would disclose of this host and of the drives under the paths given.

use std::io::Write;
use std::path::PathBuf;

use super::selftest_result;
use crate::base::clock::Clock;
use crate::base::error::Result;
use crate::plan::{Drive, Place, Subject};
use crate::{lab, run};

/// Prints the facts by heading; what cannot be read is left out.
pub fn facts(paths: &[PathBuf], out: &mut dyn Write) -> Result<()> {
    let drive = |path: &PathBuf| match path.is_dir() {
        true => Place::Directory(path.clone()),
        false => Place::Device { path: path.clone(), serial: String::new() },
    };
    let subject = |path: &PathBuf| Subject {
        name: path.display().to_string(),
        drives: vec![Drive {
            place: drive(path),
            erase: false,
            erase_signatures: Vec::new(),
            namespaces: Vec::new(),
        }],
        ..Subject::default()
    };
    let subjects: Vec<Subject> = paths.iter().map(subject).collect();
    let mut group = String::new();
    for fact in
        [lab::facts::gather(&subjects), run::facts(Clock::start())?, selftest_result::facts()]
            .concat()
    {
        if fact.group != group {
            writeln!(out, "{}{}", if group.is_empty() { "" } else { "\n" }, fact.group)?;
            group.clone_from(&fact.group);
        }
        writeln!(out, "  {:32} {}", fact.name, fact.value)?;
    }
    Ok(())
}
