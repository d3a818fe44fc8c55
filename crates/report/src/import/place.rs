//! Steps, axes and repeats of imported observations: one rule for all importers.
//!
//! Observations with the same step name are one step. Of the fields of the load that differ among
//! them, one becomes the axis if it is a number that varies within a subject while the others are
//! equal; every other field divides the step, and is part of the names of its parts. Observations
//! of one subject with equal loads are repeats. So no two observations of unequal loads share a
//! point.

use std::collections::{BTreeMap, BTreeSet};

use super::Observation;
use super::load::{self, Load, field};
use dyno_core::base::error::{Result, failed};
use dyno_core::plan::Field;
use dyno_core::record::key::NOT_COMPARED;

/// An observation with its source.
pub struct Found {
    /// The file's name.
    pub file: String,
    /// Index in its file.
    pub at: usize,
    /// The subject.
    pub subject: String,
    /// The measurements.
    pub observation: Observation,
}

/// An observation with its place in the run.
pub struct Placed {
    /// Step name, unique for a load without its axis.
    pub step: String,
    /// The step's title.
    pub title: String,
    /// Axis and value.
    pub axis: Option<(Field, f64)>,
    /// From 1.
    pub repeat: u32,
    /// Its source.
    pub found: Found,
}

impl Placed {
    /// Its load without the axis, which all points of its step share.
    pub fn load(&self) -> BTreeMap<String, String> {
        let axis = self.axis.map(|(field, _)| load::name_of(field));
        self.found.observation.load.texts(axis)
    }
}

/// All observations with their places, and the decisions made.
pub struct Placement {
    /// In the order of the command line and the files.
    pub subjects: Vec<String>,
    /// In the order of steps, subjects, axis and repeats.
    pub placed: Vec<Placed>,
    /// Statements about what could not be compared, and why.
    pub notes: Vec<String>,
}

/// Places all observations; the order of the files does not matter.
pub fn place(mut found: Vec<Found>) -> Result<Placement> {
    let mut notes = Vec::new();
    name_by_load(&mut found, &mut notes);
    let subjects: Vec<String> = in_order(found.iter().map(|f| f.subject.clone()));
    let mut groups: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    for f in found {
        groups.entry(f.observation.step.clone()).or_default().push(f);
    }
    // The order in a file is the order of the run; across files they are sorted by name.
    let mut groups: Vec<(String, Vec<Found>)> = groups.into_iter().collect();
    groups.sort_by_cached_key(|(name, group)| (group.iter().map(|f| f.at).min(), natural(name)));
    let mut placed: Vec<Placed> = Vec::new();
    for (name, group) in groups {
        placed.extend(of_name(&name, group, &subjects, &mut notes)?);
    }
    Ok(Placement { subjects, placed, notes })
}

fn in_order(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut once: Vec<String> = Vec::new();
    for name in all {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once
}

/// A name with its numbers padded, so that 4 sorts before 16.
fn natural(name: &str) -> String {
    let (mut out, mut digits) = (String::new(), String::new());
    for c in name.chars().chain(std::iter::once('\0')) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        if !digits.is_empty() {
            out.push_str(&format!("{digits:0>20}"));
            digits.clear();
        }
        out.push(c);
    }
    out
}

/// Jobs are often named after the device, so that no two subjects have a step in common: such jobs
/// are named by their pattern. The same is done if two subjects have no name in common but equal
/// loads.
fn name_by_load(found: &mut [Found], notes: &mut Vec<String>) {
    let is_path = |name: &str| name.starts_with('/') || name.starts_with("\\\\");
    let names_of = |found: &[Found], subject: &str, load: &Load| -> BTreeSet<String> {
        let own = found.iter().filter(|f| f.subject == subject && f.observation.load == *load);
        own.map(|f| f.observation.step.clone()).collect()
    };
    // Several devices with one load under one subject are not repeats of each other.
    let unique = |f: &Found| names_of(found, &f.subject, &f.observation.load).len() == 1;
    let paths: Vec<usize> = (0..found.len())
        .filter(|i| is_path(&found[*i].observation.step) && unique(&found[*i]))
        .collect();
    rename(found, &paths, notes);
    let mut subjects_of: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for f in found.iter() {
        subjects_of.entry(&f.observation.step).or_default().insert(&f.subject);
    }
    let none_common = subjects_of.values().all(|subjects| subjects.len() == 1);
    let unique = |f: &Found| names_of(found, &f.subject, &f.observation.load).len() == 1;
    let shared = |f: &Found| {
        let load = &f.observation.load;
        !load.is_empty()
            && load.get(field::PATTERN).is_some()
            && unique(f)
            && found.iter().any(|g| g.subject != f.subject && g.observation.load == *load)
    };
    if none_common {
        let alike: Vec<usize> = (0..found.len()).filter(|i| shared(&found[*i])).collect();
        rename(found, &alike, notes);
    }
}

fn rename(found: &mut [Found], which: &[usize], notes: &mut Vec<String>) {
    for i in which {
        let Found { subject, observation, .. } = &mut found[*i];
        let name = match observation.load.get(field::PATTERN) {
            Some(pattern) => pattern.text(field::PATTERN),
            None => "load".to_string(),
        };
        let note = format!("step '{}' of {subject} is named by its load: {name}", observation.step);
        if observation.step != name && !notes.contains(&note) {
            notes.push(note);
        }
        observation.step = name;
    }
}

type Values = Vec<String>;

fn values(load: &Load, names: &[String]) -> Values {
    names.iter().map(|name| load.text(name)).collect()
}

/// The steps of observations with one name.
fn of_name(
    name: &str,
    group: Vec<Found>,
    subjects: &[String],
    notes: &mut Vec<String>,
) -> Result<Vec<Placed>> {
    let all: BTreeSet<&str> = group.iter().flat_map(|f| f.observation.load.names()).collect();
    let differs = |name: &&&str| {
        let first = group[0].observation.load.get(name);
        group.iter().any(|f| f.observation.load.get(name) != first)
    };
    let differing: Vec<String> = all.iter().filter(differs).map(|name| name.to_string()).collect();
    let axis = axis(&group, &differing);
    let axis_name = axis.map(load::name_of);
    let mut split: Vec<String> =
        differing.into_iter().filter(|name| Some(name.as_str()) != axis_name).collect();
    not_compared(name, &group, subjects, &split, notes);
    // A step's name includes the field of a run that was ended early.
    let run = field::RUN.to_string();
    if !split.contains(&run) && group[0].observation.load.get(field::RUN).is_some() {
        split.push(run);
    }
    let of_axis =
        |f: &Found| axis_name.is_some_and(|axis| f.observation.load.number(axis).is_some());
    let some_have = group.iter().any(of_axis);
    let mut parts: BTreeMap<Vec<String>, Vec<Found>> = BTreeMap::new();
    for f in group {
        let load = &f.observation.load;
        let mut key: Vec<String> = values(load, &split).iter().map(|v| natural(v)).collect();
        key.extend(axis_name.map(|axis| load.number(axis).is_some().to_string()));
        parts.entry(key).or_default().push(f);
    }
    let mut placed = Vec::new();
    for part in parts.into_values() {
        let load = &part[0].observation.load;
        let mut named = split.clone();
        // Points without a value of the axis form a separate step.
        let (axis, without) = match axis_name {
            Some(name) if load.number(name).is_none() => (None, Some(name.to_string())),
            _ => (axis, None),
        };
        named.extend(without.filter(|_| some_have));
        let suffix = suffix(load, &named);
        let titled = part.iter().map(|f| f.observation.title.as_str()).find(|t| !t.is_empty());
        // A title contains the note that the run was ended early.
        let shown: Vec<String> = named.iter().filter(|name| *name != field::RUN).cloned().collect();
        let of_title = self::suffix(load, &shown);
        let title = titled.map(|title| format!("{title}{of_title}")).unwrap_or_default();
        placed.extend(repeats((format!("{name}{suffix}"), title), axis, part, subjects)?);
    }
    Ok(placed)
}

/// ", block 4 KiB, reads 70 %"
fn suffix(load: &Load, split: &[String]) -> String {
    let part = |name: &String| format!(", {name} {}", load.text(name));
    split.iter().map(part).collect()
}

/// The axis: the one named by the source; otherwise the number with most distinct values within a
/// subject while all other fields are equal.
fn axis(group: &[Found], differing: &[String]) -> Option<Field> {
    if let Some(named) = group.iter().find_map(|f| f.observation.axis) {
        return Some(named);
    }
    let count = |name: &String| {
        let others: Vec<String> = differing.iter().filter(|own| *own != name).cloned().collect();
        let mut series: BTreeMap<(&str, Values), BTreeSet<String>> = BTreeMap::new();
        for f in group {
            let load = &f.observation.load;
            load.number(name)?;
            let key = (f.subject.as_str(), values(load, &others));
            series.entry(key).or_default().insert(load.text(name));
        }
        series.values().map(BTreeSet::len).max().filter(|n| *n > 1)
    };
    let candidates = differing.iter().filter_map(|name| {
        let (rank, field) = load::axis_of(name)?;
        Some((count(name)?, std::cmp::Reverse(rank), field))
    });
    candidates.max_by_key(|(n, rank, _)| (*n, *rank)).map(|(.., field)| field)
}

/// The fields in which subjects differ, with the values of each.
fn not_compared(
    step: &str,
    group: &[Found],
    subjects: &[String],
    split: &[String],
    notes: &mut Vec<String>,
) {
    let of = |subject: &str, name: &String| -> BTreeSet<String> {
        let own = group.iter().filter(|f| f.subject == subject);
        own.map(|f| f.observation.load.text(name)).collect()
    };
    for (i, a) in subjects.iter().enumerate() {
        for b in &subjects[i + 1..] {
            for name in split {
                let (own, other) = (of(a, name), of(b, name));
                if own.is_empty() || other.is_empty() || !own.is_disjoint(&other) {
                    continue;
                }
                let list =
                    |all: &BTreeSet<String>| all.iter().cloned().collect::<Vec<_>>().join(", ");
                notes.push(format!(
                    "{NOT_COMPARED} {step}: {name} is {} of {a}, {} of {b}",
                    list(&own),
                    list(&other)
                ));
            }
        }
    }
}

/// The points of a step: those of one subject and axis value are repeats.
fn repeats(
    (step, title): (String, String),
    axis: Option<Field>,
    part: Vec<Found>,
    subjects: &[String],
) -> Result<Vec<Placed>> {
    let value = |f: &Found| {
        let field = axis?;
        let number = f.observation.load.number(load::name_of(field))?;
        Some((field, number))
    };
    let rank = |f: &Found| subjects.iter().position(|subject| *subject == f.subject);
    let number = |axis: Option<(Field, f64)>| axis.map_or(f64::NEG_INFINITY, |a| a.1);
    let mut keyed: Vec<(Option<(Field, f64)>, Found)> =
        part.into_iter().map(|f| (value(&f), f)).collect();
    keyed.sort_by(|(a, f), (b, g)| {
        let place = rank(f).cmp(&rank(g)).then(number(*a).total_cmp(&number(*b)));
        place.then_with(|| content(&f.observation).cmp(&content(&g.observation)))
    });
    let mut placed: Vec<Placed> = Vec::new();
    for (axis, found) in keyed {
        let before = placed.last().filter(|p| p.found.subject == found.subject && p.axis == axis);
        if let Some(before) = before {
            same_run(before, &found)?;
            same_concurrency(before, &found)?;
        }
        let repeat = before.map_or(1, |before| before.repeat + 1);
        placed.push(Placed { step: step.clone(), title: title.clone(), axis, repeat, found });
    }
    Ok(placed)
}

/// A text by which observations are sorted, independent of their files.
fn content(observation: &Observation) -> (u64, String) {
    let of_cell = |cell: &dyno_core::record::Cell| {
        let counts = cell.tallies.iter().map(|t| (t.class.name(), t.ops, t.bytes));
        format!("{} {:?}", cell.stream, counts.collect::<Vec<_>>())
    };
    let cells: String = observation.point.cells.iter().map(of_cell).collect();
    let figures = observation.reported.iter().map(|r| (r.class.name(), &r.name, r.value));
    (observation.point.started_unix_ns, format!("{cells}{:?}", figures.collect::<Vec<_>>()))
}

/// Refuses a run that was given twice. Figures without counts or start may be equal by chance.
fn same_run(before: &Placed, next: &Found) -> Result<()> {
    let [a, b] = [&before.found.observation, &next.observation];
    let counted = a.point.cells.iter().any(|cell| !cell.tallies.is_empty());
    let known = counted || a.point.started_unix_ns > 0;
    if known && a.point.window_ns == b.point.window_ns && content(a) == content(b) {
        let (own, other) = (&before.found.file, &next.file);
        let places = match own == other {
            true => format!("{own}: '{}' is in it twice", a.step),
            false => format!("{own} and {other} are the same run of '{}'", a.step),
        };
        return Err(failed(
            format!("{places}: start, counts and figures are equal"),
            "give each run once; a run is not a repeat of itself",
        ));
    }
    Ok(())
}

/// Refuses runs as repeats if their numbers of ops in flight differ widely.
fn same_concurrency(before: &Placed, next: &Found) -> Result<()> {
    let of = |found: &Found| found.observation.in_flight;
    let (Some(a), Some(b)) = (of(&before.found), of(next)) else { return Ok(()) };
    if a.max(b) <= 1.5 * a.min(b) {
        return Ok(());
    }
    let (own, other) = (&before.found.file, &next.file);
    Err(failed(
        format!(
            "{own} and {other}: '{}' had about {a:.0} and {b:.0} ops in flight, so they are \
             not repeats, and the source does not give the threads",
            next.observation.step
        ),
        "name their steps, as in \"A/16 threads=FILE\"",
    ))
}
