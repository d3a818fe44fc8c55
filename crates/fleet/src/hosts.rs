//! The hosts of a campaign and their drives: named in its file or obtained from Slurm; read from
//! files with the output of `dyno drives --json`, or obtained by a command for each host.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use serde::Deserialize;

use dyno_core::base::error::{Context, Error, Result, describe, failed};
use dyno_core::base::file;
use dyno_core::base::text::{abridged, say, visible};
use dyno_core::plan::campaign::{Campaign, HostDrives, Offered};

/// The most hosts without an answer that an error names.
const MOST: usize = 10;

/// The subfolder of a campaign with the hosts' answers.
const FOUND: &str = "drives";

/// A drive as printed by `dyno drives --json`; other fields are not needed.
#[derive(Deserialize)]
struct HostDrive {
    device: PathBuf,
    #[serde(default)]
    stable_path: Option<PathBuf>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    identities: Vec<String>,
    #[serde(default)]
    obstacle: Option<String>,
}

/// Names of the hosts: those in the file, or those of the partition with its features.
pub fn names(campaign: &Campaign) -> Result<Vec<String>> {
    if !campaign.hosts.is_empty() {
        return Ok(campaign.hosts.iter().map(|host| host.name.clone()).collect());
    }
    let partition = campaign.slurm.partition.as_deref().unwrap_or_default();
    let features: Vec<&str> =
        campaign.slurm.constraint.iter().flat_map(|features| features.split('&')).collect();
    if let Some(other) = features.iter().find(|f| f.contains(['|', '*', '[', '('])) {
        return Err(failed(
            format!("only Slurm knows which hosts have the features '{other}'"),
            "list the hosts, each as [[host]]",
        ));
    }
    let partition_argument = format!("--partition={partition}");
    let args = ["--noheader", "--Node", "--format=%N|%f", &partition_argument];
    let said = output("sinfo", &args)?;
    let mut names = Vec::new();
    for line in said.lines() {
        let (name, own) = line.trim().split_once('|').unwrap_or((line.trim(), ""));
        let own: Vec<&str> = own.split(',').collect();
        let fits = features.iter().all(|feature| own.contains(feature));
        if fits && !names.iter().any(|known| known == name) {
            names.push(name.to_string());
        }
    }
    if names.is_empty() {
        return Err(failed(
            format!("Slurm has no host in the partition '{partition}' with these features"),
            "look at `sinfo --Node`, or list the hosts, each as [[host]]",
        ));
    }
    Ok(names)
}

/// The hosts with their known drives. `folder` is the campaign's.
pub fn known(campaign: &Campaign, names: &[String], folder: &Path) -> Result<Vec<HostDrives>> {
    let of = |name: &String| {
        let stated = campaign.hosts.iter().find(|host| host.name == *name);
        let stated = stated.and_then(|host| host.drives.clone());
        let found = found(folder, name);
        let file = stated.or_else(|| found.exists().then_some(found));
        let drives =
            file.filter(|_| campaign.needs_drives()).map(|file| read(&file)).transpose()?;
        Ok(HostDrives { name: name.clone(), drives })
    };
    names.iter().map(of).collect()
}

/// The number of hosts that are queried at once.
const AT_ONCE: usize = 16;
/// Time limit for the answer of one host. Slurm itself waits without limit for one that is down,
/// drained or busy.
const PATIENCE: Duration = Duration::from_secs(20);

/// Queries the hosts for their drives, several at once, and stores each answer in the campaign's
/// folder as it arrives. An error names the hosts that did not answer; the others' answers stay.
pub fn find(campaign: &Campaign, names: &[String], program: &Path, folder: &Path) -> Result<()> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let silent: Mutex<BTreeMap<usize, Error>> = Mutex::new(BTreeMap::new());
    let query = || {
        loop {
            let at = next.fetch_add(1, Relaxed);
            let Some(name) = names.get(at) else { break };
            let asked = ask(campaign, name, program, folder);
            let answered = if asked.is_ok() { "answered" } else { "did not answer" };
            let done = done.fetch_add(1, Relaxed) + 1;
            say(&format!("{name} {answered} ({done} of {} hosts)", names.len()));
            if let Err(error) = asked {
                silent.lock().unwrap_or_else(PoisonError::into_inner).insert(at, error);
            }
        }
    };
    std::thread::scope(|scope| {
        (0..AT_ONCE.min(names.len())).for_each(|_| drop(scope.spawn(query)));
    });
    let silent = silent.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut errors = silent.into_values();
    let Some(first) = errors.next() else { return Ok(()) };
    let others: Vec<String> = errors.map(|error| describe(&error).0).collect();
    if others.is_empty() {
        return Err(first);
    }
    let (first, hints) = describe(&first);
    let hint = hints.into_iter().next().unwrap_or_default();
    Err(failed(format!("{first}; {}", abridged(&others, MOST - 1)), hint))
}

/// Queries one host, with the campaign's command or with Dyno there.
fn ask(campaign: &Campaign, name: &str, program: &Path, folder: &Path) -> Result<()> {
    let partition = campaign.slurm.partition.iter().map(|name| format!("--partition={name}"));
    let usual: Vec<String> = ["srun", "--nodelist={host}", "--nodes=1", "--ntasks=1"]
        .into_iter()
        .map(str::to_string)
        .chain(partition)
        .chain([program.display().to_string(), "drives".into(), "--json".into()])
        .collect();
    let template = if campaign.find.is_empty() { &usual } else { &campaign.find };
    let words: Vec<String> = template.iter().map(|word| word.replace("{host}", name)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let asking = || format!("querying {name} for its drives");
    let said = output_within(words[0], &words[1..], PATIENCE).with_context(asking)?;
    parse(&said).with_context(asking)?;
    super::folder::replace(&found(folder, name), said.as_bytes())
}

fn found(folder: &Path, name: &str) -> PathBuf {
    folder.join(FOUND).join(format!("{name}.json"))
}

fn read(path: &Path) -> Result<Vec<Offered>> {
    let text = file::read_text(path, file::MOST_TEXT)?;
    parse(&text).with_context(|| format!("reading {}", path.display()))
}

fn parse(text: &str) -> Result<Vec<Offered>> {
    let found: Vec<HostDrive> = serde_json::from_str(text).map_err(|error| {
        failed(
            format!("this is not a list of drives: {error}"),
            "the command must print what `dyno drives --json` prints",
        )
    })?;
    let offered = |drive: HostDrive| Offered {
        device: drive.stable_path.unwrap_or(drive.device),
        model: drive.model,
        identities: drive.identities,
        obstacle: drive.obstacle,
    };
    Ok(found.into_iter().map(offered).collect())
}

fn start(program: &str, args: &[&str]) -> Result<Child> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own: what it starts ends with it.
    command.process_group(0).spawn().map_err(|error| {
        failed(
            format!("{program} cannot be started: {error}"),
            "install Slurm's commands (Debian: slurm-client), or run this on a login node",
        )
    })
}

/// A command's output; an error contains its error output.
pub fn output(program: &str, args: &[&str]) -> Result<String> {
    let ran = start(program, args)?.wait_with_output().context("waiting for its output")?;
    printed(program, args, ran)
}

/// The same within a time, after which the command and what it started are killed.
fn output_within(program: &str, args: &[&str], limit: Duration) -> Result<String> {
    let child = start(program, args)?;
    let group = rustix::process::Pid::from_child(&child);
    let (ended, over) = mpsc::channel();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(move || {
            let ran = child.wait_with_output();
            let _ = ended.send(());
            ran
        });
        let late = over.recv_timeout(limit).is_err();
        if late {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let ran = waiting.join().map_err(|_| failed("a query ended early", "try again"))?;
        let ran = ran.context("waiting for its output")?;
        match late {
            true => Err(failed(
                format!(
                    "{program} {} gave no answer within {} s: {}",
                    args.join(" "),
                    limit.as_secs(),
                    last_line(&ran.stderr)
                ),
                "leave the host out until it answers, or free it; a host that is down, drained or \
                 busy is shown by `sinfo --Node`",
            )),
            false => printed(program, args, ran),
        }
    })
}

fn printed(program: &str, args: &[&str], ran: Output) -> Result<String> {
    if ran.status.success() {
        return String::from_utf8(ran.stdout).context("reading its output");
    }
    let said = last_line(&ran.stderr);
    Err(failed(format!("{program} {} failed: {said}", args.join(" ")), "try it by hand"))
}

fn last_line(bytes: &[u8]) -> String {
    let said = String::from_utf8_lossy(bytes);
    visible(said.trim().lines().last().unwrap_or("it printed nothing")).into_owned()
}
