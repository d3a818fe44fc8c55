//! Checks a resolved plan from a bundle like a plan file: names, counts, knobs, and that everything
//! named exists. A bundle may have been edited or forged.

use crate::base::error::{Result, failed};
use crate::plan::Catalogue;
use crate::plan::info::{DefaultValue, Info, KnobKind};
use crate::plan::model::{Arrival, Component, DrivePlace, Load, Plan, Step, Stream, Sweep};
use crate::plan::steps::headline::{FIGURES, is_metric};
use crate::plan::steps::stream::{MOST_DRIVES, MOST_INSTANCES, MOST_THREADS};
use crate::plan::steps::sweep::KNOBS as SWEPT_KNOBS;
use crate::plan::syntax::fields::unprintable;

/// Not a user's mistake: the plan parser never produces it.
fn wrong(what: impl std::fmt::Display) -> crate::base::error::Error {
    failed(
        format!("the plan in the bundle was not made by Dyno: {what}"),
        "obtain the plan from whoever measured it",
    )
}

/// Refuses anything that a plan file could not express.
pub fn recheck(plan: &Plan, catalogue: &Catalogue) -> Result<()> {
    let protocol = &plan.protocol;
    label("protocol", &protocol.name)?;
    label("title", &protocol.title)?;
    count("repeats", plan.repeats, 100_000)?;
    unique("subject", plan.subjects.iter().map(|s| &s.name))?;
    for subject in &plan.subjects {
        label("subject", &subject.name)?;
        for drive in &subject.drives {
            let path = drive.place.path();
            if !path.is_absolute() || unprintable(&path.to_string_lossy()).is_some() {
                return Err(wrong(format!(
                    "the drive {path:?} of '{}' has no absolute path",
                    subject.name
                )));
            }
            if !drive.namespaces.is_empty() {
                return Err(wrong(format!("the drive {path:?} names its namespaces")));
            }
            if let (DrivePlace::Directory(_), false) = (&drive.place, path.is_dir()) {
                return Err(failed(
                    format!("{} is not a directory", path.display()),
                    "make it, or measure elsewhere",
                ));
            }
        }
    }
    unique("dataset", protocol.datasets.iter().map(|d| &d.name))?;
    for dataset in &protocol.datasets {
        name("dataset", &dataset.name)?;
        part(&dataset.engine, &catalogue.engines)?;
        if let Some(fill) = &dataset.fill {
            part(&fill.workload, &catalogue.workloads)?;
            count("threads", fill.threads, MOST_THREADS)?;
        }
    }
    let datasets: Vec<&str> = protocol.datasets.iter().map(|d| d.name.as_str()).collect();
    let prepared = protocol.prepare.iter().map(|c| &c.stream);
    let mut prepared = prepared.chain(protocol.preparation.steady.iter().map(|s| &s.stream));
    prepared.try_for_each(|s| stream(s, &datasets, catalogue))?;
    unique("step", protocol.steps.iter().map(|s| &s.name))?;
    for step in &protocol.steps {
        name("step", &step.name)?;
        label("title", &step.title)?;
        if let Some(unknown) = step.figures.iter().find(|f| !FIGURES.contains(&f.as_str())) {
            return Err(wrong(format!("there is no figure '{unknown}'")));
        }
        unique("stream", step.streams.iter().map(|s| &s.name))?;
        step.streams.iter().try_for_each(|s| stream(s, &datasets, catalogue))?;
        step.sweep.iter().try_for_each(|sweep| swept_knob(sweep, step, catalogue))?;
    }
    if let Some(headline) = &protocol.headline {
        let word = headline.metric.rsplit(':').next().unwrap_or_default();
        if !protocol.steps.iter().any(|s| s.name == headline.step) || !is_metric(word) {
            return Err(wrong(format!("it leads with {} of '{}'", headline.metric, headline.step)));
        }
    }
    let mut meters = plan.meters.iter().chain(plan.subjects.iter().flat_map(|s| &s.meters));
    meters.try_for_each(|m| part(m, &catalogue.meters).map(drop))
}

/// A swept knob is one that a plan file could sweep, with values that it could have.
fn swept_knob(sweep: &Sweep, step: &Step, catalogue: &Catalogue) -> Result<()> {
    let Some(knob) = &sweep.knob else { return Ok(()) };
    let of = step.streams.iter().find(|stream| stream.name == sweep.stream);
    let of = of.filter(|_| SWEPT_KNOBS.contains(&knob.name.as_str()));
    let of = of.ok_or_else(|| wrong(format!("it sweeps '{}'", knob.name)))?;
    for (written, value) in &knob.values {
        label("value", written)?;
        let mut workload = of.workload.clone();
        workload.knobs.0.insert(knob.name.clone(), value.clone());
        part(&workload, &catalogue.workloads)?;
    }
    Ok(())
}

fn label(what: &str, text: &str) -> Result<()> {
    match unprintable(text) {
        _ if text.trim().is_empty() => Err(wrong(format!("a {what} has no name"))),
        Some(c) => Err(wrong(format!(
            "the {what} {text:?} contains U+{:04X}, which is not printable",
            c as u32
        ))),
        None => Ok(()),
    }
}

fn name(what: &str, text: &str) -> Result<()> {
    label(what, text)?;
    if text.contains(['.', '/', '\\']) {
        return Err(wrong(format!("the {what} '{text}' contains a full stop or a slash")));
    }
    Ok(())
}

fn count(what: &str, value: u32, most: u32) -> Result<()> {
    if (1..=most).contains(&value) {
        Ok(())
    } else {
        Err(wrong(format!("{value} {what}; 1 to {most} are allowed")))
    }
}

fn unique<'a>(what: &str, names: impl Iterator<Item = &'a String>) -> Result<()> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(wrong(format!("there are two {what}s named '{name}'")));
        }
    }
    Ok(())
}

fn stream(stream: &Stream, datasets: &[&str], catalogue: &Catalogue) -> Result<()> {
    name("stream", &stream.name)?;
    let engine = part(&stream.engine, &catalogue.engines)?;
    let workload = part(&stream.workload, &catalogue.workloads)?;
    if !engine.family.suits(workload.family) {
        return Err(wrong(format!("the engine '{}' cannot do '{}'", engine.name, workload.name)));
    }
    if !stream.dataset.is_empty() && !datasets.contains(&stream.dataset.as_str()) {
        return Err(wrong(format!("there is no dataset '{}'", stream.dataset)));
    }
    count("threads", stream.threads, MOST_THREADS)?;
    count("instances", stream.instances, MOST_INSTANCES)?;
    count("drives a worker", stream.drives_per_worker, MOST_DRIVES)?;
    count("requests in flight", stream.depth, engine.max_depth.max(1))?;
    if let Arrival::Bursts(bursts) = stream.arrival
        && !bursts.is_sound()
    {
        return Err(wrong(format!("stream '{}' has bursts of {bursts:?}", stream.name)));
    }
    let target = stream.target;
    if target.of > 0 && !(1..=target.of).contains(&target.index) {
        return Err(wrong(format!(
            "stream '{}' works on part {} of {}",
            stream.name, target.index, target.of
        )));
    }
    match stream.load {
        Load::PercentOfMaximum(percent) if !percent.is_finite() || percent <= 0.0 => {
            Err(wrong(format!("a load of {percent} %")))
        }
        _ => Ok(()),
    }
}

/// An engine or workload must exist, with its own knobs, each of its type and within its range.
fn part(part: &Component, known: &[&'static Info]) -> Result<&'static Info> {
    let info = known.iter().copied().find(|info| info.name == part.name);
    let info = info.ok_or_else(|| wrong(format!("there is no '{}'", part.name)))?;
    for (knob, value) in &part.knobs.0 {
        let Some(knob) = info.knobs.iter().find(|k| k.name == knob) else {
            return Err(wrong(format!("'{}' has no '{knob}'", info.name)));
        };
        let texts = |v: &serde_json::Value| {
            v.as_array().is_some_and(|all| all.iter().all(|t| t.is_string()))
        };
        let fits = match knob.kind {
            KnobKind::Bool => value.is_boolean(),
            KnobKind::Int { min, max } => value.as_u64().is_some_and(|n| (min..=max).contains(&n)),
            KnobKind::Float { min, max } => {
                value.as_f64().is_some_and(|n| (min..=max).contains(&n))
            }
            KnobKind::Bytes | KnobKind::Time => value.is_u64(),
            KnobKind::Text => value.is_string(),
            KnobKind::Words => texts(value),
            KnobKind::Choice(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            KnobKind::Sizes => {
                value.as_array().is_some_and(|all| !all.is_empty())
                    && part.knobs.sizes(knob.name).is_ok()
            }
            KnobKind::Options => {
                value.as_object().is_some_and(|all| all.values().all(|v| v.is_string()))
            }
        };
        if !fits {
            return Err(wrong(format!("'{}' of '{}' cannot be {value}", knob.name, info.name)));
        }
    }
    let needed = info
        .knobs
        .iter()
        .find(|k| matches!(k.default, DefaultValue::Required) && part.knobs.get(k.name).is_none());
    match needed {
        Some(knob) => Err(wrong(format!("'{}' needs '{}'", info.name, knob.name))),
        None => Ok(info),
    }
}
