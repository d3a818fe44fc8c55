//! From files to a bundle: repeats are numbered, and the plan states what was imported from where.

use std::path::Path;

use super::{ImportFormat, ImportedFile, ImportedPoint};
use crate::base::error::{Result, failed};
use crate::base::output::New;
use crate::plan::{ImportedRun, ImportedStep, Order, Plan, Protocol, Subject};
use crate::record::{Fact, Outcome, Run, Sink};
use crate::store::BundleWriter;

/// Writes the contents of files of one format (file name, subject if the file has none, contents)
/// to a new bundle; returns the number of points.
pub fn import(
    format: &dyn ImportFormat,
    found: Vec<(String, String, ImportedFile)>,
    path: &Path,
) -> Result<usize> {
    let info = format.info();
    let files: Vec<String> = found.iter().map(|(file, ..)| file.clone()).collect();
    let mut facts = vec![
        Fact::new("Imported", "from", format!("{} ({})", files.join(", "), info.name)),
        Fact::new(
            "Imported",
            "measured by",
            "others, not by Dyno; what their source does not give is unknown",
        ),
        Fact::new("Imported", "missing", info.missing.join("; ")),
    ];
    let (mut title, mut source) = (None, None);
    let mut entries: Vec<ImportedPoint> = Vec::new();
    for (_, subject, part) in found {
        title = title.or(part.title);
        source = source.or(part.source);
        facts.extend(part.facts);
        for mut entry in part.entries {
            entry.point.key.subject = entry.subject.take().unwrap_or_else(|| subject.clone());
            let same = |e: &&ImportedPoint| same_place(e, &entry);
            entry.point.key.repeat = entries.iter().filter(same).count() as u32 + 1;
            entries.push(entry);
        }
    }
    if !entries.iter().any(ImportedPoint::did_work) {
        return Err(failed(
            format!("{}: none of its runs completed an op", files.join(", ")),
            "import a file with results",
        ));
    }
    for entry in entries.iter_mut().filter(|entry| !entry.did_work()) {
        if entry.point.outcome == Outcome::Measured {
            let cause = "the source gives no completed op: not measured".to_string();
            entry.point.outcome = Outcome::Failed { cause };
        }
    }
    let started = entries.iter().map(|e| e.point.started_unix_ns).max().unwrap_or(0);
    let title = title.unwrap_or_else(|| format!("Imported from {}", info.name));
    let plan = plan(info.name, title, source.unwrap_or_default(), &entries);
    let run =
        Run { plan, started_unix_ns: started, dyno_version: env!("CARGO_PKG_VERSION").to_string() };
    // Files with a name are complete bundles.
    let new = New::begin(path)?;
    let mut writer = BundleWriter::create(new.beside(), &run, &facts)?;
    for entry in &entries {
        writer.begin(&entry.point.key)?;
        entry.reported.iter().try_for_each(|reported| writer.reported(reported))?;
        writer.end(&entry.point)?;
    }
    drop(writer);
    new.finish()?;
    Ok(entries.len())
}

fn same_place(a: &ImportedPoint, b: &ImportedPoint) -> bool {
    let place = |e: &ImportedPoint| (e.point.key.subject.clone(), e.step.clone(), e.axis);
    place(a) == place(b)
}

fn plan(tool: &str, title: String, source: String, entries: &[ImportedPoint]) -> Plan {
    let mut subjects: Vec<Subject> = Vec::new();
    let mut steps: Vec<ImportedStep> = Vec::new();
    for entry in entries {
        let name = &entry.point.key.subject;
        if !subjects.iter().any(|s| s.name == *name) {
            subjects.push(Subject { name: name.clone(), ..Subject::default() });
        }
        match steps.iter_mut().find(|s| s.name == entry.step) {
            None => steps.push(step(entry)),
            Some(known) => agree(known, &step(entry)),
        }
    }
    let repeats = entries.iter().map(|e| e.point.key.repeat).max().unwrap_or(1);
    let protocol =
        Protocol { name: format!("imported-{tool}"), title, source, ..Protocol::default() };
    let imported = Some(ImportedRun { tool: tool.to_string(), steps });
    let order = Order::NotGiven;
    Plan { protocol, subjects, repeats, order, unwatched: true, imported, ..Plan::default() }
}

fn step(entry: &ImportedPoint) -> ImportedStep {
    let mut streams: Vec<String> = Vec::new();
    for cell in &entry.point.cells {
        if !streams.contains(&cell.stream) {
            streams.push(cell.stream.clone());
        }
    }
    ImportedStep {
        name: entry.step.clone(),
        title: entry.title.clone(),
        field: entry.axis.map(|(field, _)| field),
        streams,
        window_ns: entry.point.window_ns,
        loop_kind: entry.loop_kind,
        timing: entry.timing,
    }
}

/// A step's properties are those common to all its points; windows computed from a count and a rate
/// are equal to the second.
fn agree(known: &mut ImportedStep, other: &ImportedStep) {
    let second = |ns: Option<u64>| ns.map(|ns| (ns as f64 / 1e9).round());
    if second(known.window_ns) != second(other.window_ns) {
        known.window_ns = None;
    }
    if known.loop_kind != other.loop_kind {
        known.loop_kind = None;
    }
    if known.timing != other.timing {
        known.timing = None;
    }
}
