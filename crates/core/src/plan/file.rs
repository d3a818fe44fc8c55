//! From a plan file, or an equivalent command line, to a resolved plan.

use std::path::{Path, PathBuf};

use crate::base::error::describe;
use crate::base::file::folder_of;
use crate::base::{self};
use crate::plan::builtin::{comparisons, protocols};
use crate::plan::comparison::{self, Listing};
use crate::plan::cpus::Cpus;
use crate::plan::model::{DrivePlace, MethodVersion, Order, Plan, Subject};
use crate::plan::planned_steps::check_steps;
use crate::plan::sequence::repeats;
use crate::plan::steps::protocol::Resolved;
use crate::plan::steps::{matrix, overrides, powercut, protocol, scale, vary};
use crate::plan::subjects::subject::{self, DriveRules};
use crate::plan::syntax::fields::Fields;
use crate::plan::syntax::mistakes::{Mistakes, SourceSpan, remedy};
use crate::plan::syntax::node::{Node, NodeEntry, NodeValue};
use crate::plan::syntax::{fields, node};
use crate::plan::{Catalogue, declaration, specification};

/// Default duration of the idle power measurement.
const IDLE_NS: u64 = 5_000_000_000;

/// The command line's additions to the plan or protocol that it names.
#[derive(Clone, Copy, Default)]
pub struct CommandLineValues<'a> {
    /// Subjects by name, each with its directory. Relative paths start at the working directory,
    /// and the subject's own knobs may follow (`A=/path,latency=110us`).
    pub subjects: &'a [(String, PathBuf)],
    /// Values by path: the protocol's own keys, and those of a plan that are `SETTABLE`.
    pub set: &'a [(String, String)],
    /// Repeats of each point.
    pub repeats: Option<u32>,
}

/// Keys of a plan that `--set` can change; every other path is the protocol's.
const SETTABLE: &[&str] = &["seed", "order", "repeats", "scale", "meters", "vary", "same_device"];

/// Reads a plan file with one protocol. Relative paths in it start at its own folder.
pub fn load(path: &Path, catalogue: &Catalogue) -> Result<Plan, Mistakes> {
    only(load_tests(path, CommandLineValues::default(), catalogue)?)
}

/// Reads a plan file with one protocol or several, each of which becomes a plan of its own. The
/// command line takes precedence: its subjects replace those of the file, its values come after the
/// file's overrides.
pub fn load_tests(
    path: &Path,
    given: CommandLineValues<'_>,
    catalogue: &Catalogue,
) -> Result<Vec<Plan>, Mistakes> {
    let mut log = Mistakes::default();
    let folder = folder_of(path);
    let plans = parse_file(path, &mut log).and_then(|mut tree| {
        if let NodeValue::Table(entries) = &mut tree.value {
            put(given, entries, &mut log);
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        resolve_tests(&tree, (folder, stem), catalogue, &mut log)
    });
    finish(plans, log)
}

/// The plan, if it is the only one.
fn only(mut plans: Vec<Plan>) -> Result<Plan, Mistakes> {
    match (plans.pop(), plans.len()) {
        (Some(plan), 0) => Ok(plan),
        (_, others) => {
            let mut log = Mistakes::default();
            let message = format!("the plan has {} tests, and one is needed here", others + 1);
            let help = "name one protocol: protocol = \"write-pressure\"";
            log.note(SourceSpan::NOWHERE, message, "", help);
            Err(log)
        }
    }
}

/// Whether a file is a plan, which names its protocol, and not a protocol or a comparison itself,
/// which has no subjects. An unreadable one
/// counts as a plan, whose mistakes are then shown.
pub fn is_plan(path: &Path) -> bool {
    let tree = parse_file(path, &mut Mistakes::default());
    let is_procedure = |tree: &Node| {
        let lists = tree.get("protocols").is_some() && tree.get("subject").is_none();
        tree.get("protocol").is_none() && (tree.get("step").is_some() || lists)
    };
    tree.is_none_or(|tree| !is_procedure(&tree))
}

/// The files of a plan: itself, and those of its protocols and of a comparison if it names them.
pub fn files_of(path: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    add_files(path, &mut files);
    files
}

fn add_files(path: &Path, files: &mut Vec<PathBuf>) {
    if !path.is_file() || files.iter().any(|known| known == path) {
        return;
    }
    files.push(path.to_path_buf());
    let Some(tree) = parse_file(path, &mut Mistakes::default()) else { return };
    let listed = tree.get("protocols").map(Node::items).unwrap_or_default();
    let listed = listed.iter().map(|entry| entry.get("protocol").unwrap_or(entry));
    for name in tree.get("protocol").into_iter().chain(listed).filter_map(Node::as_text) {
        if name.contains('/') || name.ends_with(".toml") {
            add_files(&folder_of(path).join(name), files);
        }
    }
}

/// The tree of a plan file.
pub fn parse_file(path: &Path, log: &mut Mistakes) -> Option<Node> {
    match base::file::read_text(path, base::file::MOST_TEXT) {
        Ok(text) => {
            let source = log.source(path.display().to_string(), &text);
            node::parse(&text, source, log)
        }
        Err(error) => {
            let message = format!("no plan: {}", describe(&error).0);
            let help = "check the path; `dyno protocols` lists the built-in ones";
            log.note(SourceSpan::NOWHERE, message, "", help);
            None
        }
    }
}

/// A plan from the arguments of `dyno run PROTOCOL --subject A=/path --set step.x.duration=20m`.
pub fn from_command_line(
    protocol: &str,
    subjects: &[(String, PathBuf)],
    set: &[(String, String)],
    repeats: Option<u32>,
    catalogue: &Catalogue,
) -> Result<Plan, Mistakes> {
    let given = CommandLineValues { subjects, set, repeats };
    only(tests_from_command_line(protocol, given, catalogue)?)
}

/// The same for a protocol or a comparison: one plan for each test.
pub fn tests_from_command_line(
    protocol: &str,
    given: CommandLineValues<'_>,
    catalogue: &Catalogue,
) -> Result<Vec<Plan>, Mistakes> {
    let mut log = Mistakes::default();
    let mut entries =
        vec![argument("protocol", protocol, &format!("dyno run {protocol}"), &mut log)];
    put(given, &mut entries, &mut log);
    let at = entries[0].key_at;
    let from = (Path::new("."), String::new());
    let plans = resolve_tests(&table(at, entries), from, catalogue, &mut log);
    finish(plans, log)
}

/// Adds the command line to the tree of a plan.
fn put(given: CommandLineValues<'_>, entries: &mut Vec<NodeEntry>, log: &mut Mistakes) {
    if !given.subjects.is_empty() {
        entries.retain(|e| e.key != "subject");
        let named = |e: &NodeEntry| given.subjects.iter().any(|(name, _)| *name == e.key);
        for stated in entries.iter_mut().filter(|e| e.key == "drive") {
            if let NodeValue::Table(drives) = &mut stated.node.value {
                drives.retain(named);
            }
        }
    }
    for (name, written) in given.subjects {
        let written = written.display().to_string();
        let (path, knobs) = parted(&written);
        let at = argument_at(&format!("--subject {name}={path}"), path, log);
        // A plan's own paths start at its folder, unlike these.
        let whole = std::path::absolute(path).map_or(path.into(), |p| p.display().to_string());
        let drive = table(at, vec![entry("path", at, Node::text(at, whole))]);
        let drives = Node { at, value: NodeValue::List(vec![drive]) };
        let own = |(knob, value): &(&str, &str)| {
            argument(knob, value, &format!("--subject {name}=…,{knob}={value}"), log)
        };
        let own: Vec<NodeEntry> = knobs.iter().map(own).collect();
        let mut subject =
            vec![entry("name", at, Node::text(at, name.clone())), entry("drives", at, drives)];
        subject.push(entry("override", at, table(at, own)));
        push_subject(entries, table(at, subject), at);
    }
    let mut set = Vec::new();
    for (path, value) in given.set {
        let entry = argument(path, value, &format!("--set {path}={value}"), log);
        if SETTABLE.contains(&path.as_str()) {
            replace(entries, entry);
        } else {
            set.push(entry)
        }
    }
    if let Some(repeats) = given.repeats {
        let at = argument_at(&format!("--repeats {repeats}"), &repeats.to_string(), log);
        let node = Node { at, value: NodeValue::Whole(i128::from(repeats)) };
        replace(entries, entry("repeats", at, node));
    }
    match entries.iter_mut().find(|e| e.key == "override").map(|e| &mut e.node.value) {
        Some(NodeValue::Table(overrides)) => overrides.extend(set),
        Some(_) => {}
        None => {
            entries.push(entry("override", SourceSpan::NOWHERE, table(SourceSpan::NOWHERE, set)))
        }
    }
}

/// Also in place of what the tests of a plan have as their own.
fn replace(entries: &mut Vec<NodeEntry>, new: NodeEntry) {
    entries.retain(|e| e.key != new.key);
    let lists = entries.iter_mut().filter(|e| e.key == "protocols").map(|e| &mut e.node.value);
    for list in lists {
        let NodeValue::List(tests) = list else { continue };
        for test in tests {
            if let NodeValue::Table(own) = &mut test.value {
                own.retain(|e| e.key != new.key);
            }
        }
    }
    entries.push(new);
}

/// A subject's directory and its own knobs: "/mnt/a,latency=110us". A comma without a knob after it
/// belongs to the directory's name.
fn parted(written: &str) -> (&str, Vec<(&str, &str)>) {
    let mut path = written;
    let mut knobs = Vec::new();
    while let Some((before, last)) = path.rsplit_once(',') {
        let Some(knob) =
            last.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty())
        else {
            break;
        };
        knobs.insert(0, knob);
        path = before;
    }
    (path, knobs)
}

fn finish(plans: Option<Vec<Plan>>, log: Mistakes) -> Result<Vec<Plan>, Mistakes> {
    match plans {
        Some(plans) if log.is_empty() => Ok(plans),
        _ => Err(log),
    }
}

fn table(at: SourceSpan, entries: Vec<NodeEntry>) -> Node {
    Node { at, value: NodeValue::Table(entries) }
}

fn entry(key: &str, key_at: SourceSpan, node: Node) -> NodeEntry {
    NodeEntry { key: key.to_string(), key_at, node }
}

/// Adds an argument as a separate source; returns the position of `value`, with which it ends.
fn argument_at(shown: &str, value: &str, log: &mut Mistakes) -> SourceSpan {
    let source = log.source("command line", shown);
    SourceSpan { source, start: shown.len() - value.len(), end: shown.len() }
}

/// A key with a value from the shell: TOML if it parses as such (16, true, "20m"), otherwise a
/// string (20m).
fn argument(key: &str, value: &str, shown: &str, log: &mut Mistakes) -> NodeEntry {
    let at = argument_at(shown, value, log);
    let mut node = node::parse_value(value, at.source).unwrap_or_else(|| Node::text(at, value));
    move_to(&mut node, at);
    let key_at =
        SourceSpan { start: at.start - (key.len() + 1).min(at.start), end: at.start - 1, ..at };
    entry(key, key_at, node)
}

/// Shifts a separately parsed value to its position in the argument.
fn move_to(node: &mut Node, at: SourceSpan) {
    node.at = at;
    match &mut node.value {
        NodeValue::List(items) => items.iter_mut().for_each(|item| move_to(item, at)),
        NodeValue::Table(entries) => entries.iter_mut().for_each(|e| {
            e.key_at = at;
            move_to(&mut e.node, at);
        }),
        _ => {}
    }
}

fn push_subject(entries: &mut Vec<NodeEntry>, subject: Node, at: SourceSpan) {
    match entries.iter_mut().find(|e| e.key == "subject") {
        Some(NodeEntry { node: Node { value: NodeValue::List(items), .. }, .. }) => {
            items.push(subject)
        }
        _ => entries.push(entry("subject", at, Node { at, value: NodeValue::List(vec![subject]) })),
    }
}

/// Builds the subjects, given the protocol with its tree, or None if it has mistakes.
pub type SubjectReader<'s> =
    dyn FnMut(Option<&(Resolved, Node)>, &mut Mistakes) -> Vec<Subject> + 's;

/// The plan of each test, with the comparison that it is one of; a protocol is its only test.
fn resolve_tests(
    tree: &Node,
    (folder, stem): (&Path, String),
    catalogue: &Catalogue,
    log: &mut Mistakes,
) -> Option<Vec<Plan>> {
    let named = tree.get("protocol").and_then(Node::as_text);
    let listed = match (tree.get("protocols"), named) {
        (Some(list), Some(_)) => {
            let help = "leave out one of them";
            log.note(list.at, "the plan has both 'protocol' and 'protocols'", "also here", help);
            return None;
        }
        (Some(_), None) => {
            let listing = Listing { tree, name: stem, folder: None, is_plan: true };
            Some(comparison::tests(&listing, tree, log)?)
        }
        (None, Some(named)) => match comparison_tree(named, folder, log) {
            Some((name, found, at)) => {
                let at = at.as_deref();
                let listing = Listing { tree: &found, name, folder: at, is_plan: false };
                Some(comparison::tests(&listing, tree, log)?)
            }
            None => None,
        },
        (None, None) => None,
    };
    let Some((comparison, trees)) = listed else {
        return resolve(tree, folder, catalogue, log).map(|plan| vec![plan]);
    };
    let mut plans = Vec::new();
    for tree in &trees {
        let plan = resolve(tree, folder, catalogue, log);
        // The mistakes of the subjects are the same in all of them.
        plans.push(Plan { comparison: Some(comparison.clone()), ..plan? });
    }
    Some(plans)
}

/// A comparison by its name or the path of its file: its name, tree and the file's folder.
fn comparison_tree(
    written: &str,
    folder: &Path,
    log: &mut Mistakes,
) -> Option<(String, Node, Option<PathBuf>)> {
    if let Some((name, text)) = comparisons().iter().find(|(name, _)| *name == written) {
        let source = log.source(format!("plans/{name}.toml (built in)"), *text);
        return Some((name.to_string(), node::parse(text, source, log)?, None));
    }
    let path = folder.strip_prefix(".").unwrap_or(folder).join(written);
    if !(written.contains('/') || written.ends_with(".toml")) || !path.is_file() {
        return None;
    }
    let has_list = |tree: &Node| tree.get("protocols").is_some();
    parse_file(&path, &mut Mistakes::default()).filter(has_list)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Some((name, parse_file(&path, log)?, Some(folder_of(&path).to_path_buf())))
}

fn resolve(tree: &Node, folder: &Path, catalogue: &Catalogue, log: &mut Mistakes) -> Option<Plan> {
    let table = Fields::of(tree, "a plan", log)?;
    let node = tree.get("subject");
    let flag = tree.get("same_device").map(|node| &node.value);
    let rules = DriveRules { folder, same_device: matches!(flag, Some(NodeValue::Flag(true))) };
    let mut plan = resolve_with(table, folder, catalogue, log, &mut |resolved, log| {
        let nodes = node
            .map(|n| fields::list(n, "subjects, each a table [[subject]]", log))
            .unwrap_or_default();
        if nodes.is_empty() {
            let help = "add [[subject]] with a name and drives, or --subject A=/mnt/a \
                        --subject B=/mnt/b on the command line";
            log.note(tree.at, "the plan has no subject", "no [[subject]]", help);
        }
        subject::subjects(nodes, rules, resolved, catalogue, log)
    })?;
    pin_by_default(&mut plan);
    Some(plan)
}

/// A plan with subjects from elsewhere: `table` has its keys, in addition to those already read.
/// `pin_by_default` must still be called.
pub fn resolve_with(
    mut table: Fields<'_>,
    folder: &Path,
    catalogue: &Catalogue,
    log: &mut Mistakes,
    subjects: &mut SubjectReader<'_>,
) -> Option<Plan> {
    let protocol_node = table.need("protocol", "\"quick\"", log);
    let repeats = table.get("repeats").map(|n| repeats::repeats(n, log));
    let same_device = table.get("same_device").map_or(Some(false), |n| fields::flag(n, log));
    let vary_node = table.get("vary");
    let order = table.get("order").map_or(Some("interleaved"), |n| {
        fields::choice(n, &["interleaved", "blocked", "returned"], log)
    });
    let seed = table.get("seed").map_or(Some(1), |n| fields::whole(n, 0, i64::MAX as u64, log));
    let scale_node = table.get("scale");
    let meters_node = table.get("meters");
    let unwatched = meters_node.is_some_and(crate::plan::subjects::meters::none);
    let meters =
        crate::plan::subjects::meters::meters(meters_node.filter(|_| !unwatched), catalogue, log);
    let idle_ns = table.get("idle").map_or(Some(IDLE_NS), |n| fields::time_ns(n, log));
    let override_node = table.get("override");
    // Read by `subjects`, for a plan or a campaign; a key of both.
    let are_devices = scale::are_devices(table.get("subject"));
    // Read by `resolve_tests`.
    table.get("protocols");
    let stated_node = table.get("drive");
    let declared = declaration::declaration(table.get("disclosure"), log);
    let powercut = table.get("powercut").and_then(|n| powercut::powercut(n, log));
    table.finish(log);

    let found = protocol_node.and_then(|n| protocol_tree(n, folder, log));
    let resolved = found.and_then(|(name, mut tree)| {
        scale::apply(&mut tree, are_devices, scale_node, log);
        overrides::apply(&mut tree, override_node.map(Node::entries).unwrap_or_default(), log);
        matrix::expand(&mut tree, log);
        Some((protocol::resolve(&tree, &name, catalogue, log)?, tree))
    });
    let subjects = subjects(resolved.as_ref(), log);
    let names: Vec<&str> = subjects.iter().map(|s| s.name.as_str()).collect();
    let stated = specification::specifications(stated_node, &names, log);
    let order = match order? {
        "blocked" => Order::Blocked,
        "returned" => Order::Returned,
        _ => Order::Interleaved,
    };
    let Resolved { protocol, places, .. } = resolved?.0;
    let vary = vary_node.map(|n| vary::vary(n, &protocol, catalogue, log)).unwrap_or_default();
    let default_repeats = repeats.is_none();
    let (repeats, until) = repeats.unwrap_or_else(|| Some((repeats::default(&protocol), None)))?;
    let plan = Plan {
        comparison: None,
        protocol,
        subjects,
        repeats,
        default_repeats,
        until,
        vary,
        stated,
        declared,
        same_device: same_device?,
        order,
        method: MethodVersion::default(),
        seed: seed?,
        meters,
        unwatched,
        imported: None,
        idle_ns: idle_ns?,
        powercut,
    };
    check_steps(&plan, &places, catalogue, log);
    Some(plan)
}

/// By default, workers are pinned if the plan has a block device. Plans without one are unchanged,
/// so that they compare with bundles made before this key.
pub fn pin_by_default(plan: &mut Plan) {
    let mut drives = plan.subjects.iter().flat_map(|subject| &subject.drives);
    let devices = drives.any(|drive| matches!(drive.place, DrivePlace::Device { .. }));
    for stream in plan.protocol.steps.iter_mut().flat_map(|step| &mut step.streams) {
        stream.cpus = match stream.cpus.take() {
            None if devices && !stream.dataset.is_empty() => Some(Cpus::Local),
            Some(Cpus::Unpinned) => None,
            said => said,
        };
    }
}

/// A plan's protocol: built in, or a file.
fn protocol_tree(node: &Node, folder: &Path, log: &mut Mistakes) -> Option<(String, Node)> {
    let written = fields::text(node, log)?;
    if let Some((name, text)) = protocols().iter().find(|(name, _)| *name == written) {
        let source = log.source(format!("plans/{name}.toml (built in)"), *text);
        return Some((name.to_string(), node::parse(text, source, log)?));
    }
    // The path as typed: a plan from the command line starts at the current folder.
    let path = folder.strip_prefix(".").unwrap_or(folder).join(&written);
    if !written.contains('/') && !written.ends_with(".toml") {
        let help =
            remedy(&written, "built in", protocols().iter().chain(comparisons()).map(|p| p.0));
        let help = format!("{help}; or write the path of a protocol file");
        log.note(node.at, format!("there is no protocol '{written}'"), "unknown", help);
        return None;
    }
    let text = match base::file::read_text(&path, base::file::MOST_TEXT) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("no protocol: {}", describe(&error).0);
            log.note(
                node.at,
                message,
                "not readable",
                "check the path; it starts at the plan's own folder",
            );
            return None;
        }
    };
    let source = log.source(path.display().to_string(), &text);
    let name = path.file_stem().map_or(written.clone(), |stem| stem.to_string_lossy().into_owned());
    Some((name, node::parse(&text, source, log)?))
}
