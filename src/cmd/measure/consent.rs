//! A bundle from someone else is data: actions of its plan other than generating load (commands,
//! servers and their settings, files and addresses that are read, drives that are erased) require
//! permission on the command line, by `--allow`, or by `--set` for values that the bundle hides.

use std::path::Path;

use serde_json::{Value, json};

use crate::base::error::{Result, failed, refused};
use crate::base::text::visible;
use crate::plan::subjects::meters::is_hidden;
use crate::plan::{self, Component, Drive, DrivePlace, Plan, RequestFamily};
use crate::{engine, meter, workload};

/// An action of a plan.
struct ConsentItem {
    /// "run the command …".
    what: String,
    /// Its name for `--allow`.
    name: String,
}

/// The meters' knobs that `--set` can supply again: they define what a meter queries.
const SETTABLE: &[&str] = &["command", "url", "file", "sensor"];

/// Applies the values of `--set` to the plan of a bundle, and refuses actions that were not
/// permitted.
pub fn ask(plan: &mut Plan, bundle: &Path, set: &[String], allow: &[String]) -> Result<()> {
    let mut named = Vec::new();
    for pair in set {
        named.push(put(plan, pair)?);
    }
    let hidden: Vec<String> =
        meters(plan).filter(|(_, part)| is_hidden(part)).map(|(path, _)| path).collect();
    if !hidden.is_empty() {
        let each = |path: &String| format!("--set '{path}=[\"…\", \"…\"]'");
        let next =
            format!("give them again: {}", hidden.iter().map(each).collect::<Vec<_>>().join(" "));
        let what = format!(
            "{} hides what its plan's meters run or ask: {}",
            bundle.display(),
            hidden.join(", ")
        );
        return Err(refused(what, next));
    }
    let things = things(plan, &named);
    let missing: Vec<&ConsentItem> =
        things.iter().filter(|thing| !allow.contains(&thing.name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let each: Vec<&str> = missing.iter().map(|thing| thing.what.as_str()).collect();
    Err(refused(
        format!(
            "the plan in {} would {}, which the command line does not allow",
            bundle.display(),
            each.join("; ")
        ),
        format!("if this is intended, add {}", arguments(&missing)),
    ))
}

/// The arguments for continuing a plan written by the user from its bundle.
pub fn to_go_on(plan: &Plan) -> String {
    let things = things(plan, &[]);
    let arguments = arguments(&things.iter().collect::<Vec<_>>());
    if arguments.is_empty() { arguments } else { format!(" {arguments}") }
}

/// The names for `--allow` of all actions of a plan.
pub fn names(plan: &Plan) -> Vec<String> {
    things(plan, &[]).into_iter().map(|thing| thing.name).collect()
}

/// The meters' values hidden in a bundle of this plan, in the notation of `--set`.
pub fn given_anew(plan: &Plan) -> Vec<String> {
    let mut stored = plan.clone();
    plan::subjects::meters::hide(&mut stored);
    let hidden: Vec<bool> = meters(&stored).map(|(_, part)| is_hidden(part)).collect();
    let own = meters(plan).zip(hidden).filter(|(_, hidden)| *hidden);
    own.filter_map(|((path, part), _)| {
        let value = part.knobs.get(knob(part))?;
        Some(format!("{path}={}", value.as_str().map_or_else(|| value.to_string(), str::to_string)))
    })
    .collect()
}

fn arguments(things: &[&ConsentItem]) -> String {
    let quoted = |thing: &&ConsentItem| format!("--allow '{}'", thing.name.replace('\'', "'\\''"));
    things.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Every meter with its path for `--set`.
fn meters(plan: &Plan) -> impl Iterator<Item = (String, &Component)> {
    let own = plan.meters.iter().enumerate().map(|(i, part)| (format!("meter.{}", i + 1), part));
    let of_subjects = plan.subjects.iter().flat_map(|subject| {
        let path = |i: usize| format!("subject.{}.meter.{}", subject.name, i + 1);
        subject.meters.iter().enumerate().map(move |(i, part)| (path(i), part))
    });
    own.chain(of_subjects).map(|(path, part)| (format!("{path}.{}", knob(part)), part))
}

/// The knob that defines what a meter queries.
fn knob(part: &Component) -> &'static str {
    SETTABLE.iter().copied().find(|name| part.knobs.get(name).is_some()).unwrap_or("kind")
}

/// `--set meter.1.command=…`; returns the path.
fn put(plan: &mut Plan, pair: &str) -> Result<String> {
    let known: Vec<String> = meters(plan).map(|(path, _)| path).collect();
    let Some((path, value)) =
        pair.split_once('=').filter(|(path, _)| known.iter().any(|k| k == path))
    else {
        let next = match known.is_empty() {
            true => "a bundle is repeated as it is, and this one has no meters".to_string(),
            false => {
                format!("of a bundle only what its meters run may be set: {}", known.join(", "))
            }
        };
        return Err(failed(format!("--set {} sets nothing", visible(pair)), next));
    };
    let (owner, knob) = path.rsplit_once('.').unwrap_or((path, ""));
    let value = match knob {
        "command" => words(value),
        _ => json!(value),
    };
    let (owner, number) = owner.rsplit_once('.').unwrap_or((owner, "1"));
    let index = number.parse::<usize>().unwrap_or(1) - 1;
    let subject = owner.strip_prefix("subject.").and_then(|rest| rest.strip_suffix(".meter"));
    let list = match subject {
        Some(name) => plan.subjects.iter_mut().find(|s| s.name == name).map(|s| &mut s.meters),
        None => Some(&mut plan.meters),
    };
    if let Some(part) = list.and_then(|list| list.get_mut(index)) {
        part.knobs.0.insert(knob.to_string(), value);
    }
    Ok(path.to_string())
}

/// A list as in a plan, or words separated by spaces.
fn words(text: &str) -> Value {
    serde_json::from_str::<Vec<String>>(text)
        .map_or_else(|_| json!(text.split_whitespace().collect::<Vec<_>>()), |words| json!(words))
}

/// Whether any drive is a device: no filesystem is made in a directory.
fn bare(plan: &Plan) -> bool {
    let is_device = |drive: &Drive| matches!(drive.place, DrivePlace::Device { .. });
    plan.subjects.iter().flat_map(|subject| &subject.drives).any(is_device)
}

/// The plan's actions, except those permitted by setting their values.
fn things(plan: &Plan, named: &[String]) -> Vec<ConsentItem> {
    let mut things: Vec<ConsentItem> = Vec::new();
    let mut add = |what: String, name: String| {
        if !things.iter().any(|thing| thing.name == name) {
            things.push(ConsentItem { what, name });
        }
    };
    for (path, part) in meters(plan).filter(|(path, _)| !named.contains(path)) {
        let text = |knob: &str| part.knobs.text(knob).unwrap_or_default().to_string();
        let of_ours = meter::find(&part.name).is_some();
        match part.name.as_str() {
            "exec" => {
                let command = part.knobs.words("command").unwrap_or_default().join(" ");
                add(format!("run the command '{command}' ({path})"), command);
            }
            "csv" => add(format!("read the file {} ({path})", text("file")), text("file")),
            "redfish" => {
                add(format!("send your credentials to {} ({path})", text("url")), text("url"))
            }
            "hwmon" if text("sensor").starts_with('/') => {
                add(format!("read the file {} ({path})", text("sensor")), text("sensor"));
            }
            name if !of_ours => add(format!("read a meter '{name}'"), name.to_string()),
            _ => {}
        }
    }
    let protocol = &plan.protocol;
    let steps = || protocol.steps.iter().flat_map(|s| &s.streams);
    let streams = || steps().chain(protocol.prepare.iter().map(|c| &c.stream));
    for file in streams().filter_map(|s| workload::recording(&s.workload)) {
        add(format!("read the trace {file}"), file.to_string());
    }
    for part in protocol.datasets.iter().map(|d| &d.engine).chain(streams().map(|s| &s.engine)) {
        if engine::find(&part.name).is_some_and(|e| e.info().family == RequestFamily::Sql) {
            let server = part.knobs.text("server").unwrap_or("own");
            let what =
                if server == "existing" { "write to an existing server" } else { "start a server" };
            add(format!("{what}: {}", part.name), part.name.clone());
            if let Ok(program) = part.knobs.text("program") {
                add(format!("start the program {program}"), program.to_string());
            }
        }
        if let Ok(Some(journal)) = engine::verify::directory(&part.knobs) {
            let journal = journal.display().to_string();
            add(format!("write journals into {journal}"), journal);
        }
        for knob in ["options", "table"] {
            for (name, value) in part.knobs.options(knob).unwrap_or_default() {
                let setting = format!("{name}={value}");
                add(format!("run {} with {setting}", part.name), setting);
            }
        }
    }
    if let Some(filesystem) = protocol.preparation.filesystem.as_ref().filter(|_| bare(plan)) {
        let given = [&filesystem.mkfs[..], std::slice::from_ref(&filesystem.mount)].concat();
        let given: Vec<String> = given.into_iter().filter(|word| !word.is_empty()).collect();
        if !given.is_empty() {
            add(format!("make and mount a filesystem with {}", given.join(" ")), given.join(" "));
        }
    }
    for drive in plan.subjects.iter().flat_map(|s| &s.drives).filter(|d| d.erase) {
        if let DrivePlace::Device { path, serial } = &drive.place {
            let what = format!("erase everything on {} (serial {serial})", path.display());
            add(what, if serial.is_empty() { path.display().to_string() } else { serial.clone() });
        }
    }
    things
}
