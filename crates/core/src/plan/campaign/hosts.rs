//! Hosts of a campaign: `[[host]]` and `[slurm]`.

use std::path::{Path, PathBuf};

use crate::plan::steps::protocol::check_unique;
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::Mistakes;
use crate::plan::syntax::node::Node;

/// A host, by its name in Slurm.
#[derive(Clone, Debug, PartialEq)]
pub struct CampaignHost {
    /// Its name.
    pub name: String,
    /// A file with the output of `dyno drives --json` there; otherwise the result of `dyno fleet
    /// plan --find`.
    pub drives: Option<PathBuf>,
}

/// The Slurm options of each task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slurm {
    /// The partition, whose hosts are used if the campaign names none.
    pub partition: Option<String>,
    /// Features of hosts, in the syntax of `sbatch --constraint`.
    pub constraint: Option<String>,
    /// The account that is charged.
    pub account: Option<String>,
    /// Quality of service.
    pub qos: Option<String>,
    /// Name of a reservation.
    pub reservation: Option<String>,
    /// Generic resources of a task, as in "nvme:1"; a subject may override them.
    pub gres: Option<String>,
    /// Whether a task has exclusive use of its host; by default if the plan has host meters.
    pub exclusive: Option<bool>,
    /// Time limit of a task; by default derived from the plan's estimate.
    pub time_ns: Option<u64>,
    /// The program on the hosts; by default the submitting one.
    pub program: Option<PathBuf>,
}

/// Reads `[[host]]` tables.
pub fn hosts(node: &Node, folder: &Path, log: &mut Mistakes) -> Vec<CampaignHost> {
    let (mut hosts, mut names) = (Vec::new(), Vec::new());
    for node in fields::some_items(node, "hosts, each a table [[host]]", log) {
        let Some(mut table) = Fields::of(node, "a host", log) else { continue };
        let name = table.need("name", "\"lab1\"", log);
        let drives = table.get("drives").and_then(|n| fields::text(n, log));
        table.finish(log);
        let Some((name, at)) = name.and_then(|n| Some((host(n, log)?, n.at))) else { continue };
        names.push((name.clone(), at));
        hosts.push(CampaignHost { name, drives: drives.map(|drives| folder.join(drives)) });
    }
    check_unique(&names, "host", log);
    hosts
}

/// Reads `[slurm]`.
pub fn slurm(node: &Node, log: &mut Mistakes) -> Option<Slurm> {
    let mut table = Fields::of(node, "[slurm]", log)?;
    let mut said = |key: &str, log: &mut Mistakes| table.get(key).and_then(|n| word(n, log));
    let [partition, constraint, account, qos, reservation, gres] =
        ["partition", "constraint", "account", "qos", "reservation", "gres"]
            .map(|key| said(key, log));
    let exclusive = table.get("exclusive").and_then(|n| fields::flag(n, log));
    let time_ns = table.get("time").and_then(|n| fields::some_time_ns(n, log));
    let program = table.get("program").and_then(|n| absolute(n, log));
    table.finish(log);
    Some(Slurm {
        partition,
        constraint,
        account,
        qos,
        reservation,
        gres,
        exclusive,
        time_ns,
        program,
    })
}

/// A word of a command line or script, which cannot end the word or start an option.
pub fn word(node: &Node, log: &mut Mistakes) -> Option<String> {
    let text = fields::text(node, log)?;
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-:,=&|*()[]@+/".contains(c);
    if text.chars().all(fits) && !text.starts_with('-') {
        return Some(text);
    }
    let help = "letters, digits and . _ - : , = & | * ( ) [ ] @ + / may be in it, and no hyphen at \
                its beginning";
    log.note(node.at, format!("{text:?} is not a word that Slurm takes"), "not a word", help);
    None
}

/// A host's name, which is also part of file names.
pub fn host(node: &Node, log: &mut Mistakes) -> Option<String> {
    let name = word(node, log)?;
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.chars().all(fits) && !name.starts_with('.') {
        return Some(name);
    }
    let help = "write each host by itself: letters, digits, hyphens, full stops";
    log.note(node.at, format!("'{name}' is not a host name"), "not a name", help);
    None
}

/// A path on a host.
pub fn absolute(node: &Node, log: &mut Mistakes) -> Option<PathBuf> {
    let path = PathBuf::from(fields::text(node, log)?);
    if path.is_absolute() {
        return Some(path);
    }
    let help = "write it from the root on, as in /mnt/a: it is one on the host";
    log.note(node.at, format!("{} is not an absolute path", path.display()), "relative", help);
    None
}

/// A command as a list of words.
pub fn command(node: &Node, log: &mut Mistakes) -> Vec<String> {
    let words = fields::some_items(node, "words of a command", log);
    words.iter().filter_map(|word| fields::text(word, log)).collect()
}
