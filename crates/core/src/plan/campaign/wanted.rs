//! A campaign's `[[subject]]` tables: a directory on its hosts, or drives by model and serial
//! number.

use std::path::PathBuf;

use super::super::Catalogue;
use super::super::model::Subject;
use super::hosts;
use crate::plan::steps::protocol::{Resolved, check_unique};
use crate::plan::subjects::meters::meters;
use crate::plan::subjects::own;
use crate::plan::subjects::subject::{connections, erase};
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::{Mistakes, SourceSpan};
use crate::plan::syntax::node::{Node, NodeEntry, NodeValue};

/// A subject as in the file.
pub struct WantedSubject {
    pub at: SourceSpan,
    /// Name, meters and own knobs; no drives.
    pub subject: Subject,
    pub whereabouts: SubjectLocation,
    /// Environment variables with the connection strings of its existing servers.
    pub connections: Vec<String>,
    /// Its permitted hosts; None: all.
    pub hosts: Option<Vec<(String, SourceSpan)>>,
    /// Generic resources of its tasks, which replace the campaign's.
    pub gres: Option<String>,
    /// Its part of a task's plan besides name and drives.
    pub keys: Vec<NodeEntry>,
}

/// The location of a subject.
pub enum SubjectLocation {
    /// The same directory on each host.
    Everywhere(PathBuf),
    /// A directory for each host.
    OnEach(Vec<(String, SourceSpan, PathBuf)>),
    Drives(DriveSelection),
}

/// The drives of a subject.
pub struct DriveSelection {
    /// A pattern with `*` and `?`.
    pub model: Option<(String, SourceSpan)>,
    /// Only these, if not empty.
    pub serials: Vec<(String, SourceSpan)>,
    /// The serial number is a string, not a list: the single drive has the subject's name.
    pub single: bool,
    /// Those that may be erased, with the filesystems that may be erased.
    pub erase: Vec<Erase>,
}

/// A drive that may be erased.
pub struct Erase {
    pub serial: String,
    pub at: SourceSpan,
    pub signatures: Vec<String>,
}

impl WantedSubject {
    pub fn is_drives(&self) -> bool {
        matches!(self.whereabouts, SubjectLocation::Drives(_))
    }
}

/// Reads them; without the protocol's tree, knobs are not checked.
pub fn wanted(
    nodes: &[Node],
    resolved: Option<&(Resolved, Node)>,
    catalogue: &Catalogue,
    log: &mut Mistakes,
) -> Vec<WantedSubject> {
    let mut names = Vec::new();
    let mut all = Vec::new();
    for node in nodes {
        let Some(wanted) = one(node, resolved, catalogue, &mut names, log) else { continue };
        all.push(wanted);
    }
    check_unique(&names, "subject", log);
    all
}

fn one(
    node: &Node,
    resolved: Option<&(Resolved, Node)>,
    catalogue: &Catalogue,
    names: &mut Vec<(String, SourceSpan)>,
    log: &mut Mistakes,
) -> Option<WantedSubject> {
    let mut table = Fields::of(node, "a subject of a campaign", log)?;
    let name = table.need("name", "\"Drive A\"", log);
    let [path, model, serial, erase, connection, hosts, gres] =
        ["path", "model", "serial", "erase", "connection", "hosts", "gres"]
            .map(|key| table.get(key));
    let meters = meters(table.get("meters"), catalogue, log);
    let own = table.get("override");
    table.finish(log);
    let overrides = match (own, resolved) {
        (Some(own), Some((resolved, tree))) => {
            own::knobs(own, tree, &resolved.protocol, catalogue, log).knobs
        }
        _ => Vec::new(),
    };
    let name = name.and_then(|n| Some((fields::label(n, log)?, n.at)));
    let whereabouts = match (path, model.or(serial)) {
        (Some(path), None) => {
            if let Some(node) = erase {
                let help = "leave it out: in a directory Dyno erases nothing but its own folder";
                log.note(node.at, "a directory is not erased", "not here", help);
            }
            directories(path, log)
        }
        (None, Some(_)) => drives([model, serial, erase], log),
        _ => {
            let help = "as in path = \"/mnt/a\", or model = \"…\" and serial = [\"…\"]";
            log.note(node.at, "a subject has either 'path' or 'model' and 'serial'", "here", help);
            None
        }
    };
    let connections = connection.map_or(Some(Vec::new()), |n| connections(n, log));
    let listed = |node: &Node, log: &mut Mistakes| -> Vec<(String, SourceSpan)> {
        let items = fields::some_items(node, "names of hosts", log);
        items.iter().filter_map(|n| Some((hosts::host(n, log)?, n.at))).collect()
    };
    let hosts = hosts.map(|n| listed(n, log));
    let gres = gres.and_then(|n| hosts::word(n, log));
    names.extend(name.clone());
    let kept = |entry: &&NodeEntry| ["meters", "override"].contains(&entry.key.as_str());
    Some(WantedSubject {
        at: node.at,
        subject: Subject { name: name?.0, drives: Vec::new(), meters, overrides },
        whereabouts: whereabouts?,
        connections: connections?,
        hosts,
        gres,
        keys: node.entries().iter().filter(kept).cloned().collect(),
    })
}

/// `path = "/mnt/a"`, or `path = { lab1 = "/mnt/a", lab2 = "/mnt/b" }`.
fn directories(node: &Node, log: &mut Mistakes) -> Option<SubjectLocation> {
    let NodeValue::Table(entries) = &node.value else {
        return hosts::absolute(node, log).map(SubjectLocation::Everywhere);
    };
    let each = entries
        .iter()
        .filter_map(|e| Some((e.key.clone(), e.key_at, hosts::absolute(&e.node, log)?)))
        .collect();
    Some(SubjectLocation::OnEach(each))
}

fn drives(
    [model, serial, erased]: [Option<&Node>; 3],
    log: &mut Mistakes,
) -> Option<SubjectLocation> {
    let model = model.and_then(|n| Some((fields::text(n, log)?, n.at)));
    let single = serial.is_some_and(|n| n.as_text().is_some());
    let serials = serial.map(|n| serials(n, log)).unwrap_or_default();
    let erase = erased.map_or(Some(Vec::new()), |n| erasures(n, log));
    if serials.is_empty() && model.is_none() {
        return None;
    }
    Some(SubjectLocation::Drives(DriveSelection { model, serials, single, erase: erase? }))
}

/// A string, or a list of strings.
fn serials(node: &Node, log: &mut Mistakes) -> Vec<(String, SourceSpan)> {
    let items = match &node.value {
        NodeValue::Text(_) => std::slice::from_ref(node),
        _ => fields::some_items(node, "serial numbers", log),
    };
    items.iter().filter_map(|n| Some((fields::text(n, log)?, n.at))).collect()
}

/// Each erasable drive is identified by its serial number: `erase = ["S1"]`, or `erase = { S1 =
/// true, S2 = "xfs" }` with the filesystems that may be erased.
fn erasures(node: &Node, log: &mut Mistakes) -> Option<Vec<Erase>> {
    let named = |serial: &str, at, signatures| Erase { serial: serial.into(), at, signatures };
    match &node.value {
        NodeValue::Text(_) | NodeValue::List(_) => {
            let all = serials(node, log);
            Some(all.iter().map(|(serial, at)| named(serial, *at, Vec::new())).collect())
        }
        NodeValue::Table(entries) => {
            let mut all = Vec::new();
            for entry in entries {
                let (erased, signatures) = erase(&entry.node, log)?;
                all.extend(erased.then(|| named(&entry.key, entry.key_at, signatures)));
            }
            Some(all)
        }
        _ => {
            let help =
                "identify each drive that may be erased by its serial number: erase = [\"S1\"]";
            fields::wrong(node, "a list of serial numbers", help, log);
            None
        }
    }
}
