//! The hosts of a campaign and their drives: named in its file or obtained from Slurm; read from
//! files with the output of `dyno drives --json`, or obtained by a command for each host.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use dyno_core::base::error::{Context, Result, failed};
use dyno_core::base::file;
use dyno_core::base::text::visible;
use dyno_core::plan::campaign::{Campaign, HostDrives, Offered};

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

/// Queries a host for its drives, with the campaign's command or with Dyno there, and stores the
/// answer in the campaign's folder.
pub fn find(campaign: &Campaign, name: &str, program: &Path, folder: &Path) -> Result<()> {
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
    let said = output(words[0], &words[1..]).with_context(asking)?;
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

/// A command's output; an error contains its error output.
pub fn output(program: &str, args: &[&str]) -> Result<String> {
    let ran = Command::new(program).args(args).stdin(Stdio::null()).output();
    let ran = ran.map_err(|error| {
        failed(
            format!("{program} cannot be started: {error}"),
            "install Slurm's commands (Debian: slurm-client), or run this on a login node",
        )
    })?;
    if ran.status.success() {
        return String::from_utf8(ran.stdout).context("reading its output");
    }
    let said = String::from_utf8_lossy(&ran.stderr);
    let said = said.trim().lines().last().unwrap_or("nothing").to_string();
    Err(failed(
        format!("{program} {} failed: {}", args.join(" "), visible(&said)),
        "try it by hand",
    ))
}
