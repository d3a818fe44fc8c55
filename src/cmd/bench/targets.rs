//! What `dyno bench` measures: directories and block devices.

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use crate::base::error::{Context, Result, failed, refused};
use crate::cmd::convert::draft::quoted;
use crate::lab::drive::drives;
use crate::lab::guard::disk::Disk;

/// A directory or block device, as named by the user.
pub struct BenchTarget {
    typed: String,
    path: PathBuf,
    /// The identities of a device; None for a directory.
    identities: Option<Vec<String>>,
}

/// Longer paths are named by their last part.
const LONGEST_NAME: usize = 24;

impl BenchTarget {
    pub fn of(path: &Path) -> Result<BenchTarget> {
        let found = std::fs::metadata(path).map_err(|error| {
            let next = "name a directory on the drive, a block device, or a fio job file";
            failed(format!("{}: {error}", path.display()), next)
        })?;
        let is_device = found.file_type().is_block_device();
        if !is_device && !found.is_dir() {
            let what = format!("{} is neither a directory nor a block device", path.display());
            return Err(failed(what, "name a directory on the drive, or the device in /dev"));
        }
        let typed = path.display().to_string();
        let path = std::path::absolute(path).context("finding the target")?;
        let identities = if is_device { Some(Disk::of(&path)?.identities()) } else { None };
        Ok(BenchTarget { typed, path, identities })
    }

    pub fn is_device(&self) -> bool {
        self.identities.is_some()
    }

    /// The identity by which the command line permits erasing it, and the contents that may be
    /// erased: "SERIAL", or "SERIAL=xfs".
    fn consent<'e>(&self, erase: &'e [String]) -> Option<(&'e str, Option<&'e str>)> {
        let device = self.identities.as_ref().and_then(|_| Disk::of(&self.path).ok())?;
        erase.iter().find_map(|written| match written.rsplit_once('=') {
            _ if device.is(written) => Some((written.as_str(), None)),
            Some((serial, contents)) if device.is(serial) => Some((serial, Some(contents))),
            _ => None,
        })
    }

    /// Whether the run may write to it.
    pub fn may_be_written(&self, erase: &[String]) -> bool {
        !self.is_device() || self.consent(erase).is_some()
    }

    fn drive(&self, erase: &[String]) -> String {
        let Some(identities) = &self.identities else {
            return format!("path = {}", quoted(&self.path.display().to_string()));
        };
        let stable = drives::stable_path(&self.path).unwrap_or_else(|| self.path.clone());
        let device = format!("device = {}", quoted(&stable.display().to_string()));
        let own = identities.first().map(String::as_str);
        match (self.consent(erase), own) {
            (Some((serial, contents)), _) => {
                let erase = contents.map_or("true".to_string(), quoted);
                format!("{device}, serial = {}, erase = {erase}", quoted(serial))
            }
            (None, Some(serial)) => format!("{device}, serial = {}", quoted(serial)),
            (None, None) => device,
        }
    }
}

/// The subjects of a plan, as TOML.
pub fn subjects(targets: &[BenchTarget], erase: &[String]) -> String {
    let mut taken: Vec<String> = Vec::new();
    let mut out = String::new();
    for target in targets {
        let short = target.path.file_name().map(|name| name.to_string_lossy().into_owned());
        let typed = target.typed.clone();
        let wanted = if typed.len() > LONGEST_NAME { short.unwrap_or(typed) } else { typed };
        let other = |n: usize| if n == 1 { wanted.clone() } else { format!("{wanted} ({n})") };
        let name = (1..).map(other).find(|name| !taken.contains(name)).unwrap_or_default();
        let drive = target.drive(erase);
        out += &format!("[[subject]]\nname = {}\ndrives = [{{ {drive} }}]\n", quoted(&name));
        taken.push(name);
    }
    out
}

/// Refuses a load that writes to devices without consent to erase them, and consent to erase what
/// is no target.
pub fn check_consent(targets: &[BenchTarget], erase: &[String], writes: bool) -> Result<()> {
    let is_target = |serial: &&String| {
        targets.iter().any(|target| target.consent(std::slice::from_ref(serial)).is_some())
    };
    if let Some(unknown) = erase.iter().find(|serial| !is_target(serial)) {
        let known = targets.iter().filter_map(|target| Some((target, target.identities.as_ref()?)));
        let known: Vec<String> = known
            .map(|(target, all)| format!("{} is {}", target.path.display(), all.join(" or ")))
            .collect();
        let next = match known.is_empty() {
            true => "only devices are erased; in a directory, Dyno writes to dyno-data".to_string(),
            false => format!("write it as the device reports it: {}", known.join("; ")),
        };
        return Err(refused(format!("no target has the serial number {unknown}"), next));
    }
    let missing = |target: &&BenchTarget| !target.may_be_written(erase);
    let missing: Vec<&BenchTarget> = targets.iter().filter(missing).collect();
    if !writes || missing.is_empty() {
        return Ok(());
    }
    let of = |of: &dyn Fn(&BenchTarget) -> String| {
        missing.iter().map(|target| of(target)).collect::<Vec<_>>()
    };
    let serial = |target: &BenchTarget| {
        target.identities.as_ref().and_then(|all| all.first()).cloned().unwrap_or_default()
    };
    let without = of(&serial).iter().any(String::is_empty);
    let next = match without {
        true => {
            "a device that reports no serial number cannot be erased here; use a filesystem on \
                 it, and name its directory"
                .to_string()
        }
        false => format!(
            "if everything on it may be lost, add {}",
            of(&|target| format!("--erase '{}'", serial(target))).join(" ")
        ),
    };
    let devices = of(&|target| target.path.display().to_string()).join(" and ");
    Err(refused(format!("this load would erase {devices}"), next))
}
