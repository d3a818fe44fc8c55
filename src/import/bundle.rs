//! From files to a bundle: repeats are numbered, a plan is made that says what was imported and
//! from where.

use std::path::Path;

use super::{Entry, Format, Found};
use crate::base::error::{Result, failed};
use crate::base::output::New;
use crate::plan::{
    Arrival, Drive, Knobs, Load, Order, Part, Place, Plan, Protocol, Step, Stream, Subject, Sweep,
};
use crate::record::{Fact, Run, Sink};
use crate::store::Writer;

/// Writes what files of one format held (file name, subject where the file names none, what was
/// found) into a new bundle; how many points there are.
pub fn import(
    format: &dyn Format,
    found: Vec<(String, String, Found)>,
    path: &Path,
) -> Result<usize> {
    let info = format.info();
    let files: Vec<String> = found.iter().map(|(file, ..)| file.clone()).collect();
    let mut facts = vec![
        Fact::new("Imported", "from", format!("{} ({})", files.join(", "), info.name)),
        Fact::new(
            "Imported",
            "measured by",
            "another tool, not by Dyno; what it did not report is missing here",
        ),
        Fact::new("Imported", "missing", info.missing.join("; ")),
    ];
    let (mut title, mut source) = (None, None);
    let mut entries: Vec<Entry> = Vec::new();
    for (_, subject, part) in found {
        title = title.or(part.title);
        source = source.or(part.source);
        facts.extend(part.facts);
        for mut entry in part.entries {
            entry.point.key.subject = entry.subject.take().unwrap_or_else(|| subject.clone());
            let same = |e: &&Entry| same_place(e, &entry);
            entry.point.key.repeat = entries.iter().filter(same).count() as u32 + 1;
            entries.push(entry);
        }
    }
    if entries.iter().any(|e| e.point.window_ns == super::NO_WINDOW_NS) {
        let what =
            "not reported; 1,000 s stand for it, so that counts of ops are the rate times 1,000";
        facts.push(Fact::new("Imported", "length of the window", what));
    }
    if entries.iter().any(|e| e.point.cells.iter().all(|c| c.tallies.is_empty())) {
        return Err(failed(
            format!("{}: one of its runs did no work", files.join(", ")),
            "leave that file out",
        ));
    }
    let started = entries.iter().map(|e| e.point.started_unix_ns).max().unwrap_or(0);
    let title = title.unwrap_or_else(|| format!("Imported from {}", info.name));
    let plan = plan(info.name, title, source.unwrap_or_default(), &entries);
    let run =
        Run { plan, started_unix_ns: started, dyno_version: env!("CARGO_PKG_VERSION").to_string() };
    // Files with a name are whole bundles.
    let new = New::begin(path)?;
    let mut writer = Writer::create(new.beside(), &run, &facts)?;
    for entry in &entries {
        writer.begin(&entry.point.key)?;
        entry.samples.iter().try_for_each(|sample| writer.sample(sample))?;
        entry.reported.iter().try_for_each(|reported| writer.reported(reported))?;
        writer.end(&entry.point)?;
    }
    drop(writer);
    new.finish()?;
    Ok(entries.len())
}

fn same_place(a: &Entry, b: &Entry) -> bool {
    let place = |e: &Entry| (e.point.key.subject.clone(), e.step.clone(), e.axis);
    place(a) == place(b)
}

fn plan(tool: &str, title: String, source: String, entries: &[Entry]) -> Plan {
    let mut subjects: Vec<Subject> = Vec::new();
    let mut steps: Vec<Step> = Vec::new();
    for entry in entries {
        let name = &entry.point.key.subject;
        if !subjects.iter().any(|s| s.name == *name) {
            let drives = vec![Drive {
                place: Place::Directory("imported".into()),
                erase: false,
                erase_signatures: Vec::new(),
                connections: Vec::new(),
                namespaces: Vec::new(),
            }];
            subjects.push(Subject { name: name.clone(), drives, ..Subject::default() });
        }
        if !steps.iter().any(|s| s.name == entry.step) {
            steps.push(step(tool, entry, entries));
        }
    }
    let repeats = entries.iter().map(|e| e.point.key.repeat).max().unwrap_or(1);
    let protocol = Protocol {
        name: format!("imported-{tool}"),
        title,
        source,
        headline: None,
        datasets: Vec::new(),
        prepare: Vec::new(),
        preparation: Default::default(),
        steps,
    };
    // In which order others measured is not known; blocked claims no pairing.
    Plan { protocol, subjects, repeats, order: Order::Blocked, unwatched: true, ..Plan::default() }
}

fn step(tool: &str, entry: &Entry, all: &[Entry]) -> Step {
    let part = |name: &str| Part { name: name.to_string(), knobs: Knobs::default() };
    let streams: Vec<Stream> = entry
        .point
        .cells
        .iter()
        .map(|cell| Stream {
            name: cell.stream.clone(),
            engine: part(tool),
            workload: part("imported"),
            dataset: String::new(),
            threads: cell.threads,
            depth: cell.depth,
            load: Load::Closed,
            arrival: Arrival::Fixed,
            instances: 1,
            headline: cell.headline,
            target: Default::default(),
            cpus: None,
            drives_per_worker: 1,
        })
        .collect();
    let sweep = entry.axis.map(|(field, _)| {
        let of_step =
            all.iter().filter(|e| e.step == entry.step).filter_map(|e| e.axis).map(|a| a.1);
        let mut values: Vec<f64> = of_step.filter(|v| v.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        Sweep { stream: entry.point.cells[0].stream.clone(), field, values, search: None }
    });
    Step {
        name: entry.step.clone(),
        title: entry.title.clone(),
        warmup_ns: 0,
        // Nothing, where it was not reported.
        duration_ns: Some(entry.point.window_ns)
            .filter(|ns| *ns != super::NO_WINDOW_NS)
            .unwrap_or(0),
        drop_caches: false,
        settle: false,
        max_lag_ns: None,
        figures: Vec::new(),
        sweep,
        streams,
    }
}
