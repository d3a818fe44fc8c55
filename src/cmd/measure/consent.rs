//! A bundle from someone else is data, and so is a plan file: actions of its plan other than
//! generating load (commands, servers and their settings, files and addresses that are read, drives
//! that are erased, directories that are written to) require permission on the command line, by
//! `--allow`, or by `--set` for values that the bundle hides. A permission is for one action on one
//! thing: `--allow read:./power.csv` does not permit executing that file.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::base::error::{Result, failed, refused};
use crate::base::private;
use crate::base::text::visible;
use crate::plan::subjects::meters::is_hidden;
use crate::plan::{self, Component, DrivePlace, Plan, RequestFamily, Stream};
use crate::record::Run;
use crate::{engine, meter, workload};

/// A kind of action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// Executes a program.
    Run,
    /// Reads a file.
    Read,
    /// Contacts a server or a host, with the user's credentials.
    Connect,
    /// Starts a database server.
    Start,
    /// Gives an engine a setting of its own.
    Set,
    /// Makes and mounts a filesystem with options.
    Filesystem,
    /// Writes into a directory.
    Write,
    /// Erases a drive.
    Erase,
    /// Uses a meter that this Dyno does not have.
    Meter,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Action::Run => "run",
            Action::Read => "read",
            Action::Connect => "connect",
            Action::Start => "start",
            Action::Set => "set",
            Action::Filesystem => "filesystem",
            Action::Write => "write",
            Action::Erase => "erase",
            Action::Meter => "meter",
        })
    }
}

/// An action of a plan on a thing.
#[derive(Debug, PartialEq, Eq)]
struct ConsentItem {
    action: Action,
    /// The file, command, server, setting or drive.
    thing: String,
    /// "run the command …".
    what: String,
}

impl ConsentItem {
    /// Its name for `--allow`: "run:./power.csv".
    fn name(&self) -> String {
        format!("{}:{}", self.action, self.thing)
    }
}

/// What a plan does, in the order of a message.
#[derive(Default)]
struct ConsentItems(Vec<ConsentItem>);

impl ConsentItems {
    fn add(&mut self, action: Action, thing: impl Into<String>, what: String) {
        let item = ConsentItem { action, thing: thing.into(), what };
        if !self.0.contains(&item) {
            self.0.push(item);
        }
    }

    /// Whether `--allow` names it: with its action, or by the thing alone if the plan does only one
    /// kind of thing with it.
    fn is_allowed(&self, item: &ConsentItem, allow: &[String]) -> bool {
        let name = item.name();
        let others = || self.0.iter().filter(|other| other.action != item.action);
        let only = || others().all(|o| o.thing != item.thing && o.name() != item.thing);
        allow.iter().any(|given| *given == name || *given == item.thing && only())
    }
}

/// The meters' knobs that `--set` can supply again: they define what a meter queries.
const SETTABLE: &[&str] = &["command", "url", "file", "sensor"];

/// Applies the values of `--set` to the plan of a bundle, and refuses actions that were not
/// permitted. The rest of a run that this user started on this host, with these plans, needs no
/// permission again, and its directories need none either if all of it is measured again.
pub fn ask(
    runs: &mut [Run],
    bundle: &Path,
    (set, allow): (&[String], &[String]),
    part: RunPart,
) -> Result<()> {
    let is_own = runs.iter().all(is_own);
    let mut named = Vec::new();
    for pair in set {
        for run in &mut *runs {
            named.push(put(&mut run.plan, pair)?);
        }
    }
    let mut hidden: Vec<String> = Vec::new();
    // All tests have the same subjects.
    for (path, part) in runs.iter().flat_map(|run| meters(&run.plan)) {
        if is_hidden(part) && !hidden.contains(&path) {
            hidden.push(path);
        }
    }
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
    // Its actions were permitted when the run was started.
    if is_own && part == RunPart::Rest {
        return Ok(());
    }
    let directories = if is_own { Directories::Own } else { Directories::Named };
    let plans = runs.iter().map(|run| &run.plan);
    refuse(things(plans, &named, directories), bundle, allow, "")
}

/// What is measured of a bundle's plan.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RunPart {
    /// All of it, into another bundle.
    Whole,
    /// The rest of an interrupted run.
    Rest,
}

/// The same for a plan file that is not this user's own. `directories`: whether it names them
/// itself.
pub fn ask_of_file(
    plans: &[Plan],
    file: &Path,
    named: Directories,
    allow: &[String],
) -> Result<()> {
    let elsewhere = plan::files_of(file).into_iter().find_map(|file| provenance(&file));
    if elsewhere.is_none() && allow.is_empty() {
        return Ok(());
    }
    let why = elsewhere.map(|why| format!(" ({why})")).unwrap_or_default();
    refuse(things(plans, &[], named), file, allow, &why)
}

/// Refuses a plan file that is not this user's own, for commands that execute what it names.
pub fn must_be_own(file: &Path) -> Result<()> {
    match plan::files_of(file).into_iter().find_map(|file| provenance(&file)) {
        None => Ok(()),
        Some(why) => Err(refused(
            format!("{} comes from elsewhere: {why}", file.display()),
            "read what it does, then make a copy of your own",
        )),
    }
}

fn refuse(items: ConsentItems, source: &Path, allow: &[String], why: &str) -> Result<()> {
    let missing: Vec<&ConsentItem> =
        items.0.iter().filter(|item| !items.is_allowed(item, allow)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let each: Vec<&str> = missing.iter().map(|item| item.what.as_str()).collect();
    Err(refused(
        format!(
            "the plan in {}{why} would {}, which the command line does not allow",
            source.display(),
            each.join("; ")
        ),
        format!("if this is intended, add {}", arguments(&missing)),
    ))
}

/// Why a file is not this user's own: it belongs to another user than the user, root, or the user
/// who called sudo; others may write to it; or a browser has recorded its address.
fn provenance(file: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(file).ok()?;
    let called = std::env::var("SUDO_UID").ok().and_then(|user| user.parse().ok());
    let own = [Some(0), Some(rustix::process::geteuid().as_raw()), called];
    let name = file.display();
    if !own.contains(&Some(found.uid())) {
        return Some(format!("{name} belongs to user {}", found.uid()));
    }
    if found.mode() & 0o002 != 0 {
        return Some(format!("others may write to {name}"));
    }
    let mut address = [0; 1024];
    let noted = rustix::fs::getxattr(file, "user.xdg.origin.url", &mut address[..]).ok()?;
    let address = String::from_utf8_lossy(&address[..noted]);
    Some(format!("{name} was downloaded from {}", visible(&address)))
}

/// The list of runs that this user started on this host.
const RUNS: &str = "runs";

/// Identifies a run by its start and the digest of its plan, as the bundle stores it.
fn identity(run: &Run) -> String {
    let mut stored = run.plan.clone();
    plan::subjects::meters::hide(&mut stored);
    let digest = Sha256::digest(json!(stored).to_string());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    json!([run.started_unix_ns, digest]).to_string()
}

/// Records that this user started the run: its actions are this user's choice.
pub fn remember(run: &Run) {
    private::remember(RUNS, &identity(run));
}

/// Whether this user started that run on this host, with these directories.
pub fn is_own(run: &Run) -> bool {
    private::recall(RUNS).contains(&identity(run))
}

/// Who chose the directories under test.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Directories {
    /// The user, on the command line or in an earlier part of the run.
    Own,
    /// The plan.
    Named,
}

/// The arguments for continuing a plan written by the user from its bundle.
pub fn to_go_on(plans: &[Plan]) -> String {
    if private::folder().is_some() {
        return String::new();
    }
    // The run is not remembered.
    let things = things(plans, &[], Directories::Named);
    let arguments = arguments(&things.0.iter().collect::<Vec<_>>());
    if arguments.is_empty() { arguments } else { format!(" {arguments}") }
}

/// The names for `--allow` of all actions of a plan.
pub fn names(plan: &Plan) -> Vec<String> {
    things([plan], &[], Directories::Named).0.iter().map(ConsentItem::name).collect()
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
    let quoted = |name: &String| format!("--allow '{}'", name.replace('\'', "'\\''"));
    let mut names: Vec<String> = Vec::new();
    for name in things.iter().map(|item| item.name()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.iter().map(quoted).collect::<Vec<_>>().join(" ")
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

/// The program is one word, whatever is in its name.
fn command_line(words: &[String]) -> String {
    let quoted = |(at, word): (usize, &String)| match at == 0 && word.contains(char::is_whitespace)
    {
        true => format!("\"{word}\""),
        false => word.clone(),
    };
    words.iter().enumerate().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Whether any drive is a device: no filesystem is made in a directory.
fn bare(plan: &Plan) -> bool {
    let drives = || plan.subjects.iter().flat_map(|subject| &subject.drives);
    drives().any(|drive| matches!(drive.place, DrivePlace::Device { .. }))
}

/// Every stream of the plan, also with the values that a subject or a sweep gives it.
fn streams(plan: &Plan) -> Vec<Stream> {
    let protocol = &plan.protocol;
    let mut streams: Vec<Stream> =
        protocol.steps.iter().flat_map(|step| step.streams.clone()).collect();
    streams.extend(protocol.prepare.iter().map(|load| load.stream.clone()));
    streams.extend(protocol.preparation.steady.iter().map(|steady| steady.stream.clone()));
    for subject in &plan.subjects {
        for step in &protocol.steps {
            streams.extend(plan::steps_at(step, subject).flat_map(|step| step.streams));
        }
    }
    streams
}

/// The plans' actions, except those permitted by setting their values.
fn things<'p>(
    plans: impl IntoIterator<Item = &'p Plan>,
    named: &[String],
    own: Directories,
) -> ConsentItems {
    let mut items = ConsentItems::default();
    plans.into_iter().for_each(|plan| of_plan(plan, named, own, &mut items));
    items
}

fn of_plan(plan: &Plan, named: &[String], own: Directories, items: &mut ConsentItems) {
    for (path, part) in meters(plan).filter(|(path, _)| !named.contains(path)) {
        of_meter(&path, part, items);
    }
    let protocol = &plan.protocol;
    let streams = streams(plan);
    let fills = protocol.datasets.iter().flat_map(|dataset| &dataset.fill);
    for load in streams.iter().map(|s| &s.workload).chain(fills.map(|fill| &fill.workload)) {
        if let Some(file) = workload::recording(load) {
            items.add(Action::Read, file, format!("read the trace {file}"));
        }
    }
    for part in protocol.datasets.iter().map(|d| &d.engine).chain(streams.iter().map(|s| &s.engine))
    {
        of_engine(part, items);
    }
    if let Some(filesystem) = protocol.preparation.filesystem.as_ref().filter(|_| bare(plan)) {
        let given = [&filesystem.mkfs[..], std::slice::from_ref(&filesystem.mount)].concat();
        let given: Vec<String> = given.into_iter().filter(|word| !word.is_empty()).collect();
        if !given.is_empty() {
            let given = given.join(" ");
            let what = format!("make and mount a filesystem with {given}");
            items.add(Action::Filesystem, given, what);
        }
    }
    let mut variables = BTreeSet::new();
    for drive in plan.subjects.iter().flat_map(|s| &s.drives) {
        variables.extend(drive.connections.iter().cloned());
        match &drive.place {
            DrivePlace::Device { path, serial } if drive.erase => {
                let what = format!("erase everything on {} (serial {serial})", path.display());
                let thing =
                    if serial.is_empty() { path.display().to_string() } else { serial.clone() };
                items.add(Action::Erase, thing, what);
            }
            DrivePlace::Directory(path) if own == Directories::Named && !plan.keeps_no_data() => {
                let path = path.display().to_string();
                let what = format!("write to dyno-data in the directory {path}");
                items.add(Action::Write, path, what);
            }
            _ => {}
        }
    }
    for variable in variables {
        let what = format!("connect to the server in the environment variable {variable}");
        items.add(Action::Connect, variable, what);
    }
}

fn of_meter(path: &str, part: &Component, items: &mut ConsentItems) {
    let text = |knob: &str| part.knobs.text(knob).unwrap_or_default().to_string();
    match part.name.as_str() {
        "exec" => {
            let command = command_line(&part.knobs.words("command").unwrap_or_default());
            let what = format!("run the command '{command}' ({path})");
            items.add(Action::Run, command, what);
        }
        "csv" => {
            let what = format!("read the file {} ({path})", text("file"));
            items.add(Action::Read, text("file"), what);
        }
        "redfish" => {
            let what = format!("send your credentials to {} ({path})", text("url"));
            items.add(Action::Connect, text("url"), what);
        }
        "hwmon" if text("sensor").starts_with('/') => {
            let what = format!("read the file {} ({path})", text("sensor"));
            items.add(Action::Read, text("sensor"), what);
        }
        name if meter::find(name).is_none() => {
            items.add(Action::Meter, name, format!("read a meter '{name}'"));
        }
        _ => {}
    }
}

fn of_engine(part: &Component, items: &mut ConsentItems) {
    if engine::find(&part.name).is_some_and(|e| e.info().family == RequestFamily::Sql) {
        let name = &part.name;
        match part.knobs.text("server").unwrap_or("own") {
            "existing" => {
                let what = format!("write to an existing server: {name}");
                items.add(Action::Connect, name, what);
            }
            _ => items.add(Action::Start, name, format!("start a server: {name}")),
        }
        if let Ok(program) = part.knobs.text("program") {
            items.add(Action::Run, program, format!("start the program {program}"));
        }
        if let Some(variable) = part.knobs.text("connection").ok().filter(|name| !name.is_empty()) {
            let what = format!("connect to the server in the environment variable {variable}");
            items.add(Action::Connect, variable, what);
        }
    }
    if let Ok(Some(journal)) = engine::verify::directory(&part.knobs) {
        let journal = journal.display().to_string();
        let what = format!("write journals into {journal}");
        items.add(Action::Write, journal, what);
    }
    for knob in ["options", "table"] {
        for (name, value) in part.knobs.options(knob).unwrap_or_default() {
            let setting = format!("{}.{name}={value}", part.name);
            let what = format!("run {} with {name}={value}", part.name);
            items.add(Action::Set, setting, what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two actions on each of these things.
    fn items() -> ConsentItems {
        let mut items = ConsentItems::default();
        items.add(Action::Read, "./power.csv", "read the file ./power.csv".into());
        items.add(Action::Run, "./power.csv", "run the command './power.csv'".into());
        items.add(Action::Erase, "S1", "erase /dev/sda".into());
        items.add(Action::Run, "read:S2", "run the command 'read:S2'".into());
        items.add(Action::Read, "S2", "read the file S2".into());
        items
    }

    /// The items that these arguments permit.
    fn allowed(given: &[&str]) -> Vec<String> {
        let (items, given) = (items(), given.iter().map(|g| g.to_string()).collect::<Vec<_>>());
        let all = items.0.iter().filter(|item| items.is_allowed(item, &given));
        all.map(ConsentItem::name).collect()
    }

    #[test]
    fn a_permission_is_for_one_action_on_one_thing() {
        assert_eq!(allowed(&["read:./power.csv"]), ["read:./power.csv"]);
        assert_eq!(allowed(&["run:./power.csv"]), ["run:./power.csv"]);
        assert_eq!(allowed(&["erase:S1"]), ["erase:S1"]);
        assert_eq!(allowed(&["S1"]), ["erase:S1"], "one kind of action, so the thing is enough");
        assert!(allowed(&["./power.csv", "erase", "read", "run:S1", "erase:S"]).is_empty());
        assert_eq!(allowed(&["read:S2"]), ["read:S2"], "and not the command of that name");
    }

    #[test]
    fn a_program_whose_name_has_spaces_is_another_than_one_with_arguments() {
        let words = |text: &[&str]| text.iter().map(|w| w.to_string()).collect::<Vec<_>>();
        assert_eq!(command_line(&words(&["./read", "all"])), "./read all");
        assert_eq!(command_line(&words(&["./read all"])), "\"./read all\"");
    }
}
