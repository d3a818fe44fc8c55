//! Converts files to a bundle: observations are placed, and the plan states what was imported and
//! from which file.

use std::path::Path;

use super::load::name_of;
use super::place::{Found, Placed, place};
use super::{ImportFormat, ImportedFile, Observation};
use dyno_core::base::error::{Result, failed};
use dyno_core::base::histogram::SAMPLES_ABOVE;
use dyno_core::base::output::New;
use dyno_core::plan::{Axis, Field, ImportedRun, ImportedStep, Order, Plan, Protocol, Subject};
use dyno_core::record::{Fact, Outcome, Run, Setup, Sink};
use dyno_core::store::BundleWriter;

/// A file's contents and its parameters on the command line.
pub struct ImportedFrom {
    /// The file's name.
    pub file: String,
    /// The subject, if the file names none.
    pub subject: String,
    /// The step's name, which replaces the file's own.
    pub step: Option<String>,
    /// Its contents.
    pub contents: ImportedFile,
}

/// The result of an import.
pub struct WrittenBundle {
    /// Its number of points.
    pub points: usize,
    /// What was omitted, is unknown or cannot be compared.
    pub notes: Vec<String>,
}

/// Maximum number of notes: nobody reads a longer list.
const MOST_NOTES: usize = 100;

/// Writes the contents of files of one format to a new bundle.
pub fn import(
    format: &dyn ImportFormat,
    found: Vec<ImportedFrom>,
    path: &Path,
) -> Result<WrittenBundle> {
    let info = format.info();
    let files: Vec<String> = found.iter().map(|from| from.file.clone()).collect();
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
    let mut notes: Vec<String> = Vec::new();
    let mut all: Vec<Found> = Vec::new();
    for from in found {
        let mut part = from.contents;
        title = title.or(part.title.take());
        source = source.or(part.source.take());
        facts.append(&mut part.facts);
        notes.append(&mut part.notes);
        all.extend(observed(part, from.file, from.subject, from.step, &mut notes));
    }
    if !all.iter().any(|found| found.observation.did_work()) {
        return Err(failed(
            format!("{}: none of its runs completed an op", files.join(", ")),
            "import a file with results",
        ));
    }
    let placement = place(all)?;
    notes.extend(placement.notes);
    let placed = placement.placed;
    facts.extend(loads(&placed));
    notes.sort();
    notes.dedup();
    facts.extend(notes.iter().take(MOST_NOTES).map(|note| Fact::new("Imported", "note", note)));
    let started = placed.iter().map(|p| p.found.observation.point.started_unix_ns).max();
    let title = title.unwrap_or_else(|| format!("Imported from {}", info.name));
    let mut plan = plan(info.name, &placed);
    (plan.protocol.title, plan.protocol.source) = (title, source.unwrap_or_default());
    let subject = |name: String| Subject { name, ..Subject::default() };
    plan.subjects = placement.subjects.into_iter().map(subject).collect();
    let run = Run {
        plan,
        started_unix_ns: started.unwrap_or(0),
        dyno_version: env!("CARGO_PKG_VERSION").to_string(),
    };
    // Files with a name are complete bundles.
    let new = New::begin(path)?;
    let mut writer =
        BundleWriter::create(new.beside(), &run, &Setup { facts, ..Setup::default() })?;
    let points = placed.len();
    for placed in placed {
        let mut point = placed.found.observation.point;
        point.key.subject = placed.found.subject;
        point.key.step = placed.step;
        point.key.axis = placed.axis.map(axis_of);
        point.key.repeat = placed.repeat;
        writer.begin(&point.key)?;
        let reported = &placed.found.observation.reported;
        reported.iter().try_for_each(|reported| writer.reported(reported))?;
        let samples = &placed.found.observation.samples;
        samples.iter().try_for_each(|sample| writer.sample(sample))?;
        writer.end(&point)?;
    }
    drop(writer);
    new.finish()?;
    Ok(WrittenBundle { points, notes })
}

/// The observations of a file, without those that did no work, which were not measured.
fn observed(
    part: ImportedFile,
    file: String,
    subject: String,
    step: Option<String>,
    notes: &mut Vec<String>,
) -> Vec<Found> {
    let several = part.observations.iter().any(|o| o.step != part.observations[0].step);
    let mut all = Vec::new();
    for (at, mut observation) in part.observations.into_iter().enumerate() {
        if !observation.did_work() && observation.point.outcome == Outcome::Measured {
            let cause = "the source gives no completed op: not measured".to_string();
            observation.point.outcome = Outcome::Failed { cause };
            notes.push(format!("'{}' in {file} completed no op: not measured", observation.step));
        }
        notes.extend(not_shown(&file, &observation));
        let subject = observation.subject.take().unwrap_or_else(|| subject.clone());
        match &step {
            Some(step) if several => observation.step = format!("{step}, {}", observation.step),
            Some(step) => observation.step.clone_from(step),
            None => {}
        }
        all.push(Found { file: file.clone(), at, subject, observation });
    }
    all
}

/// Percentiles of a source with too few ops above them: the rule for Dyno's own.
fn not_shown(file: &str, observation: &Observation) -> Vec<String> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for reported in &observation.reported {
        let percentile = reported.name.strip_suffix("_ns").unwrap_or(&reported.name);
        let part = percentile.strip_prefix('p').and_then(|p| p.parse::<f64>().ok());
        let (Some(part), Some(samples)) = (part, reported.samples) else { continue };
        if samples as f64 * (1.0 - part / 100.0) + 1e-6 >= SAMPLES_ABOVE as f64 {
            continue;
        }
        let of = format!("{} ({})", reported.stream, reported.class.name());
        match found.iter_mut().find(|(other, _)| *other == of) {
            Some((_, names)) => names.push(percentile.to_string()),
            None => found.push((of, vec![percentile.to_string()])),
        }
    }
    let note = |(of, names): (String, Vec<String>)| {
        format!(
            "{file}: {} of {of} kept, but not shown: fewer than {SAMPLES_ABOVE} ops lie above",
            names.join(", ")
        )
    };
    found.into_iter().map(note).collect()
}

fn axis_of((field, value): (Field, f64)) -> Axis {
    Axis { name: name_of(field).to_string(), field, value: value.into() }
}

/// The load of each step, as a fact.
fn loads(placed: &[Placed]) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    for placed in placed {
        let load = placed.load();
        let name = format!("load of {}", placed.step);
        if !load.is_empty() && !facts.iter().any(|fact| fact.name == name) {
            let all: Vec<String> = load.iter().map(|(k, v)| format!("{k} {v}")).collect();
            facts.push(Fact::new("Imported", name, all.join("; ")));
        }
    }
    facts
}

fn plan(tool: &str, placed: &[Placed]) -> Plan {
    let mut steps: Vec<ImportedStep> = Vec::new();
    for placed in placed {
        match steps.iter_mut().find(|s| s.name == placed.step) {
            None => steps.push(step(placed)),
            Some(known) => agree(known, step(placed)),
        }
    }
    let repeats = placed.iter().map(|placed| placed.repeat).max().unwrap_or(1);
    let protocol = Protocol { name: format!("imported-{tool}"), ..Protocol::default() };
    let imported = Some(ImportedRun { tool: tool.to_string(), steps });
    Plan { protocol, repeats, order: Order::NotGiven, unwatched: true, imported, ..Plan::default() }
}

fn step(placed: &Placed) -> ImportedStep {
    let observation = &placed.found.observation;
    let mut streams: Vec<String> = Vec::new();
    for cell in &observation.point.cells {
        if !streams.contains(&cell.stream) {
            streams.push(cell.stream.clone());
        }
    }
    ImportedStep {
        name: placed.step.clone(),
        title: placed.title.clone(),
        field: placed.axis.map(|(field, _)| field),
        streams,
        window_ns: observation.point.window_ns,
        loop_kind: observation.loop_kind,
        timing: observation.timing,
        load: placed.load(),
    }
}

/// A step's properties are those common to all its points; windows computed from a count and a rate
/// are equal to the second.
fn agree(known: &mut ImportedStep, other: ImportedStep) {
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
    let new = other.streams.into_iter().filter(|stream| !known.streams.contains(stream));
    known.streams.extend(new.collect::<Vec<_>>());
}
