//! A campaign: a plan whose subjects are on several hosts. The file has a plan's keys, and also
//! `[[host]]`, `[slurm]`, `rounds`, `find` and `environment`; its `[[subject]]` tables state the
//! hosts and paths of a subject, or its drives by model and serial number. `specimens` finds those
//! among the hosts' drives; `written` generates a task's plan.

mod hosts;
mod specimens;
mod wanted;
mod written;

use std::path::{Path, PathBuf};

use super::Catalogue;
use super::builtin::protocols;
use super::model::Plan;
use crate::base::file::folder_of;
use crate::base::secret;
use crate::plan::file::{self, parse_file, resolve_with};
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::{Mistakes, SourceSpan};
use crate::plan::syntax::node::{Node, NodeEntry, NodeValue};

pub use hosts::{CampaignHost, Slurm};
pub use specimens::{HostDrives, Offered, RemainingSpecimens, Specimen, SpecimenLocation};
use wanted::WantedSubject;

/// The maximum number of rounds: each subject is measured once per round.
pub const MOST_ROUNDS: u32 = 1000;

/// Keys that a plan does not have, or has with another meaning.
const OWN: [&str; 6] = ["host", "rounds", "find", "environment", "slurm", "subject"];

/// A campaign's file, checked as far as possible without knowing the hosts' drives.
pub struct Campaign {
    /// The file's name without its extension.
    pub name: String,
    /// The permitted hosts; empty if they are those of the Slurm partition.
    pub hosts: Vec<CampaignHost>,
    /// Number of measurements of each subject, each on its next host.
    pub rounds: u32,
    /// The command that prints a host's drives like `dyno drives --json`, with `{host}` for its
    /// name; empty for the default.
    pub find: Vec<String>,
    /// A file on each host with environment variables for the runs there.
    pub environment: Option<PathBuf>,
    /// The Slurm options.
    pub slurm: Slurm,
    /// The plan, without subjects so far.
    pub plan: Plan,
    /// The protocol's file: its name without folders, and its text. None for a built-in protocol.
    pub protocol: Option<(String, String)>,
    /// What writes to a bare device, and the dataset that needs a filesystem.
    needs: (Option<String>, Option<String>),
    wanted: Vec<WantedSubject>,
    /// The keys of the plan, for a task's plan file.
    tree: Node,
    /// The source texts for mistakes.
    sources: Mistakes,
}

impl Campaign {
    /// Reads a campaign's file. Relative paths in it start at its own folder.
    pub fn load(path: &Path, catalogue: &Catalogue) -> Result<Campaign, Mistakes> {
        let mut log = Mistakes::default();
        let campaign =
            parse_file(path, &mut log).and_then(|tree| read(path, &tree, catalogue, &mut log));
        match campaign {
            Some(campaign) if log.is_empty() => Ok(Campaign { sources: log, ..campaign }),
            _ => Err(log),
        }
    }

    /// Whether a subject is a drive that must be found on its host.
    pub fn needs_drives(&self) -> bool {
        self.wanted.iter().any(WantedSubject::is_drives)
    }
}

fn read(path: &Path, tree: &Node, catalogue: &Catalogue, log: &mut Mistakes) -> Option<Campaign> {
    let mut table = Fields::of(tree, "a campaign", log)?;
    let [hosts, rounds, find, environment, slurm, subjects] = OWN.map(|key| table.get(key));
    let folder = folder_of(path).to_path_buf();
    let hosts = hosts.map(|n| hosts::hosts(n, &folder, log)).unwrap_or_default();
    let slurm = slurm.map_or_else(|| Some(Slurm::default()), |n| hosts::slurm(n, log));
    let rounds = rounds.map_or(Some(1), |n| fields::count(n, MOST_ROUNDS, log));
    let find = find.map(|n| hosts::command(n, log)).unwrap_or_default();
    let environment = environment.and_then(|n| hosts::absolute(n, log));
    if hosts.is_empty() && slurm.as_ref().is_some_and(|slurm| slurm.partition.is_none()) {
        let help = "add [[host]] with a name, or [slurm] with a partition";
        log.note(tree.at, "the campaign has no hosts", "no [[host]]", help);
    }
    // A campaign's folder and its runs' command lines may be read by others.
    no_secrets(tree, log);
    let (mut wanted, mut needs) = (Vec::new(), (None, None));
    let plan = resolve_with(table, &folder, catalogue, log, &mut |resolved, log| {
        let nodes = subjects.map(|n| fields::list(n, "subjects", log)).unwrap_or_default();
        if nodes.is_empty() {
            let help = "add [[subject]] with a name, and path = \"/mnt/a\" or serial = \"…\"";
            log.note(tree.at, "the campaign has no subject", "no [[subject]]", help);
        }
        wanted = wanted::wanted(nodes, resolved, catalogue, log);
        if let Some((resolved, _)) = resolved {
            needs = (resolved.writer.clone(), resolved.needs_folder.clone());
        }
        wanted.iter().map(|wanted| wanted.subject.clone()).collect()
    })?;
    let of_the_plan = |entry: &&NodeEntry| !OWN.contains(&entry.key.as_str());
    let rest = tree.entries().iter().filter(of_the_plan).cloned().collect();
    let tree = Node { at: tree.at, value: NodeValue::Table(rest) };
    let protocol = protocol_file(&tree, &folder);
    Some(Campaign {
        name: path.file_stem()?.to_string_lossy().into_owned(),
        hosts,
        rounds: rounds?,
        find,
        environment,
        slurm: slurm?,
        plan: Plan { subjects: Vec::new(), ..plan },
        protocol,
        needs,
        wanted,
        tree,
        sources: Mistakes::default(),
    })
}

/// The file of a protocol that is not built in, as read by `resolve_with`.
fn protocol_file(tree: &Node, folder: &Path) -> Option<(String, String)> {
    let written = tree.get("protocol")?.as_text()?;
    if protocols().iter().any(|(name, _)| *name == written) {
        return None;
    }
    let path = folder.join(written);
    let text = crate::base::file::read_text(&path, crate::base::file::MOST_TEXT).ok()?;
    Some((path.file_name()?.to_string_lossy().into_owned(), text))
}

/// Reports every text that looks like a password.
fn no_secrets(node: &Node, log: &mut Mistakes) {
    match &node.value {
        NodeValue::Text(text) if secret::holds(text) => a_secret(node.at, log),
        NodeValue::List(items) => items.iter().for_each(|item| no_secrets(item, log)),
        NodeValue::Table(entries) => {
            for NodeEntry { key, node, .. } in entries {
                match node.as_text() {
                    Some(text) if secret::holds(&format!("{key}={text}")) => a_secret(node.at, log),
                    _ => no_secrets(node, log),
                }
            }
        }
        _ => {}
    }
}

fn a_secret(at: SourceSpan, log: &mut Mistakes) {
    let help = "put it into the file that environment = \"/etc/…\" names on each host, or into a \
                file that the command reads there";
    log.note(at, "this contains a secret, which others could read", "a secret", help);
}

/// A task's plan as it will be resolved on its host: pinned as in `file::load`.
fn pinned(mut plan: Plan) -> Plan {
    file::pin_by_default(&mut plan);
    plan
}
