//! Subjects and their drives: each exists, matches the plan, and is used by one subject only.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::plan::Catalogue;
use crate::plan::model::{Drive, DrivePlace, Preparation, Subject};
use crate::plan::steps::protocol::{Resolved, check_unique};
use crate::plan::subjects::meters::meters;
use crate::plan::subjects::own::{self, SubjectKnobs};
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::{Mistakes, SourceSpan};
use crate::plan::syntax::node::{Node, NodeValue};

/// A drive's real location, to detect duplicates.
struct ResolvedDrive {
    subject: String,
    real: PathBuf,
    at: SourceSpan,
}

/// A protocol's requirements for a subject's drives.
struct Demands<'p> {
    writer: Option<&'p String>,
    needs_folder: Option<&'p String>,
}

/// Where subjects' drives are.
#[derive(Clone, Copy)]
pub struct DriveRules<'a> {
    /// Relative paths start here.
    pub folder: &'a Path,
    /// Whether several subjects may have the same block device.
    pub same_device: bool,
}

/// Reads `[[subject]]` tables. Without the protocol's tree, its requirements are not checked.
pub fn subjects(
    nodes: &[Node],
    rules: DriveRules<'_>,
    protocol: Option<&(Resolved, Node)>,
    catalogue: &Catalogue,
    log: &mut Mistakes,
) -> Vec<Subject> {
    let resolved = protocol.map(|(resolved, _)| resolved);
    let apart = resolved.is_none_or(|resolved| !resolved.protocol.keeps_no_data());
    let mut seen: Vec<ResolvedDrive> = Vec::new();
    let mut names = Vec::new();
    let mut subjects = Vec::new();
    for node in nodes {
        let Some(mut table) = Fields::of(node, "a subject", log) else { continue };
        let name_node = table.need("name", "\"Drive A\"", log);
        let drives_node = table.need("drives", "[{ path = \"/mnt/a\" }]", log);
        let meters = meters(table.get("meters"), catalogue, log);
        let own_node = table.get("override");
        table.finish(log);
        let own = match (own_node, protocol) {
            (Some(node), Some((resolved, tree))) => {
                own::knobs(node, tree, &resolved.protocol, catalogue, log)
            }
            _ => SubjectKnobs::default(),
        };
        let demands = resolved.map(|resolved| Demands {
            writer: own.writer.as_ref().or(resolved.writer.as_ref()),
            needs_folder: resolved.needs_folder.as_ref(),
        });
        let name = name_node.and_then(|n| fields::label(n, log)).unwrap_or_default();
        if let (Some(node), false) = (name_node, name.is_empty()) {
            names.push((name.clone(), node.at));
        }
        let items = drives_node.map(|n| fields::list(n, "drives", log)).unwrap_or_default();
        if let (Some(node), true) = (drives_node, items.is_empty()) {
            let help = "add drives = [{ path = \"/mnt/a\" }] or \
                        [{ device = …, serial = …, erase = true }]";
            log.note(node.at, format!("the subject '{name}' has no drive"), "no drives", help);
        }
        let drives = items.iter().filter_map(|item| {
            let (drive, real, at) = drive(item, rules.folder, demands.as_ref(), log)?;
            let own = ResolvedDrive { subject: name.clone(), real, at };
            if let (true, Some(other)) = (rules.same_device, same_device(&seen, &own)) {
                let preparation = resolved.map(|resolved| &resolved.protocol.preparation);
                check_prepared_alike(preparation, &other.subject, at, log);
            } else if apart {
                check_apart(&seen, &own, log);
            }
            seen.push(own);
            Some(drive)
        });
        let drives = drives.collect();
        subjects.push(Subject { name, drives, meters, overrides: own.knobs });
    }
    check_unique(&names, "subject", log);
    subjects
}

fn drive(
    node: &Node,
    folder: &Path,
    demands: Option<&Demands<'_>>,
    log: &mut Mistakes,
) -> Option<(Drive, PathBuf, SourceSpan)> {
    let mut table = Fields::of(node, "a drive", log)?;
    let (path, device) = (table.get("path"), table.get("device"));
    let serial = table.get("serial").and_then(|n| fields::text(n, log));
    let erase = table.get("erase").map_or(Some((false, Vec::new())), |n| erase(n, log));
    let connections = table.get("connection").map_or(Some(Vec::new()), |n| connections(n, log));
    table.finish(log);
    let ((erase, erase_signatures), connections) = (erase?, connections?);
    let made =
        |place| Drive { place, erase, erase_signatures, connections, namespaces: Vec::new() };
    match (path, device) {
        (Some(path), None) => {
            let real = real_path(path, folder, log)?;
            if !real.is_dir() {
                let help = "use a directory on the drive's filesystem, or write device = … for a \
                            block device";
                log.note(
                    path.at,
                    format!("{} is not a directory", real.display()),
                    "not a directory",
                    help,
                );
                return None;
            }
            Some((made(DrivePlace::Directory(real.clone())), real, path.at))
        }
        (None, Some(device)) => {
            let real = real_path(device, folder, log)?;
            let is_block = std::fs::metadata(&real).is_ok_and(|m| m.file_type().is_block_device());
            if !is_block {
                let help = "use a block device such as /dev/disk/by-id/nvme-…, or write path = … \
                            for a directory";
                log.note(
                    device.at,
                    format!("{} is not a block device", real.display()),
                    "not a block device",
                    help,
                );
                return None;
            }
            if let Some(demands) = demands {
                check_device(device, demands, erase && serial.is_some(), log);
            }
            let path = PathBuf::from(fields::text(device, log)?);
            let place = DrivePlace::Device { path, serial: serial.unwrap_or_default() };
            Some((made(place), real, device.at))
        }
        _ => {
            let help = "as in { path = \"/mnt/a\" } or \
                        { device = \"/dev/…\", serial = \"…\", erase = true }";
            log.note(node.at, "a drive has either 'path' or 'device'", "here", help);
            None
        }
    }
}

/// `true`, or the contents of the drive that may be erased: "xfs", ["gpt", "vfat"].
pub fn erase(node: &Node, log: &mut Mistakes) -> Option<(bool, Vec<String>)> {
    match &node.value {
        NodeValue::Flag(erase) => Some((*erase, Vec::new())),
        NodeValue::Text(_) => Some((true, vec![fields::text(node, log)?])),
        NodeValue::List(items) if !items.is_empty() => {
            let kinds: Vec<String> =
                items.iter().filter_map(|item| fields::text(item, log)).collect();
            (kinds.len() == items.len()).then_some((true, kinds))
        }
        _ => {
            let help =
                "write erase = true, or the filesystem that may be erased with it: erase = \"xfs\"";
            fields::wrong(node, "true, false or what may be erased", help, log);
            None
        }
    }
}

/// The environment variable with the connection string of an existing server, or one for each of
/// the drive's servers. A string itself would contain a password.
pub fn connections(node: &Node, log: &mut Mistakes) -> Option<Vec<String>> {
    let items = match &node.value {
        NodeValue::List(items) => items.iter().collect(),
        _ => vec![node],
    };
    let name = |item: &&Node| {
        let name = fields::text(item, log)?;
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.is_empty() && name.chars().all(fits) {
            return Some(name);
        }
        let help = "put the connection string into the environment, DB_A=…, and write \
                    connection = \"DB_A\"";
        log.note(item.at, "this is not the name of an environment variable", "not a name", help);
        None
    };
    let names: Vec<Option<String>> = items.iter().map(name).collect();
    names.into_iter().collect()
}

/// The protocol's requirements for a block device.
fn check_device(device: &Node, demands: &Demands<'_>, may_erase: bool, log: &mut Mistakes) {
    if let (Some(writer), false) = (demands.writer, may_erase) {
        let message =
            format!("{writer} would write to this device, and the plan does not allow that");
        let help = "if everything on it may be lost, add its serial = \"…\" and erase = true; or \
                    use path = …";
        log.note(device.at, message, "not to be erased", help);
    }
    if let Some(dataset) = demands.needs_folder {
        let message = format!("the dataset '{dataset}' needs files, and this is a bare device");
        log.note(
            device.at,
            message,
            "no filesystem",
            "let the run create one: \"prepare.filesystem\" = \"xfs\" under [override]; or make \
             one, mount it, and write path = …",
        );
    }
}

fn real_path(node: &Node, folder: &Path, log: &mut Mistakes) -> Option<PathBuf> {
    let written = fields::text(node, log)?;
    match folder.join(&written).canonicalize() {
        Ok(real) => Some(real),
        Err(error) => {
            let help = "check the spelling, and that the drive is there and mounted";
            log.note(node.at, format!("{written} cannot be used: {error}"), "not found", help);
            None
        }
    }
}

/// Another subject's drive that is the same block device.
fn same_device<'s>(seen: &'s [ResolvedDrive], own: &ResolvedDrive) -> Option<&'s ResolvedDrive> {
    let is_block =
        || std::fs::metadata(&own.real).is_ok_and(|found| found.file_type().is_block_device());
    let other = seen.iter().find(|s| s.real == own.real && s.subject != own.subject);
    other.filter(|_| is_block())
}

/// A block device of two subjects is prepared for one and then for the other; refuses what holds
/// for the whole run.
fn check_prepared_alike(
    preparation: Option<&Preparation>,
    other: &str,
    at: SourceSpan,
    log: &mut Mistakes,
) {
    let Some(preparation) = preparation else { return };
    let whole_run = [
        ("filesystem", preparation.filesystem.is_some()),
        ("namespaces", preparation.namespaces > 0),
        ("write_cache", preparation.write_cache.is_some()),
    ];
    if let Some((key, _)) = whole_run.iter().find(|(_, is_set)| *is_set) {
        let message =
            format!("prepare.{key} cannot be done for two subjects of one device, here '{other}'");
        log.note(at, message, "used twice", format!("leave {key} out, or use two devices"));
    }
}

/// Two subjects on one drive would disturb each other. If another filesystem is mounted below a
/// directory, their devices differ as far as paths show; `lab::shared` compares devices.
fn check_apart(seen: &[ResolvedDrive], own: &ResolvedDrive, log: &mut Mistakes) {
    let ResolvedDrive { subject: name, real, at } = own;
    let filesystem = |path: &Path| std::fs::metadata(path).ok().map(|found| found.dev());
    for other in seen.iter().filter(|s| s.at != *at) {
        let of_one = || filesystem(real) == filesystem(&other.real);
        let how = if other.real == *real {
            "is the same drive as one"
        } else if real.starts_with(&other.real) && of_one() {
            "lies inside a drive"
        } else if other.real.starts_with(real) && of_one() {
            "contains a drive"
        } else {
            continue;
        };
        let message = format!("{} {how} of subject '{}'", real.display(), other.subject);
        let help = "each subject needs its own drives; for a control run, use two directories on \
            one drive, or one device, and same_device";
        log.note(*at, message, format!("used twice, here by '{name}'"), help);
    }
}
