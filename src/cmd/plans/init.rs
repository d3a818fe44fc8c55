//! `dyno init`: writes a commented plan for the drives of this host. It asks questions if run on a
//! terminal. The plans never permit erasing; the user has to add that.

use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal, stdin};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::base::error::{Result, failed};
use crate::base::stderr::note;
use crate::base::units::bytes;
use crate::base::{file, output};
use crate::lab::drive::drives::{self, ListedDrive};
use crate::{plan, run};

/// The plan's contents; missing ones are prompted for on a terminal.
#[derive(Args)]
pub struct InitArgs {
    /// Plan to write
    #[arg(short, long, value_name = "FILE", default_value = "plan.toml")]
    output: PathBuf,
    /// Built-in protocol (see `dyno protocols`) [default: quick]
    #[arg(long, value_name = "NAME")]
    protocol: Option<String>,
    /// Label and directory of a subject; repeatable [default: a directory on each mounted drive]
    #[arg(short, long, value_name = "NAME=PATH")]
    subject: Vec<String>,
    /// Repeats of each point [default: set by the protocol]
    #[arg(long)]
    repeats: Option<u32>,
}

const PROTOCOL: &str = "quick";

/// A subject's name and directory.
type DraftSubject = (String, PathBuf);

/// Writes the plan, and prints the next steps.
pub fn init(args: &InitArgs) -> Result<()> {
    let found = drives::list();
    let asks = stdin().is_terminal() && std::io::stderr().is_terminal();
    let protocol = match &args.protocol {
        Some(name) => name.clone(),
        None if asks => {
            plan::protocols().iter().for_each(|(name, _)| note(&format!("  {name}")));
            ask(&format!("Protocol [{PROTOCOL}]"))?.unwrap_or(PROTOCOL.to_string())
        }
        None => PROTOCOL.to_string(),
    };
    if !plan::protocols().iter().any(|(name, _)| *name == protocol) {
        let what = format!("there is no protocol '{protocol}'");
        return Err(failed(what, "`dyno protocols` lists the built-in ones"));
    }
    let given = args.subject.iter().map(|text| pair(text)).collect::<Result<Vec<_>>>()?;
    let subjects = match given.is_empty() {
        false => given,
        true if asks => asked(&found)?,
        true => proposed(&found)?,
    };
    let text = |same_device: bool| {
        let draft = PlanDraft { protocol: &protocol, subjects: &subjects, repeats: args.repeats };
        draft.toml(&found, same_device)
    };
    output::write(&args.output, &[], text(false).as_bytes())?;
    let catalogue = crate::plan_catalogue();
    if run::apart(&plan::load(&args.output, &catalogue)?).is_err() {
        // A single device only permits a control run, and the plan states that.
        output::write(&args.output, &[], text(true).as_bytes())?;
        plan::load(&args.output, &catalogue)?;
    }
    note(&format!("{} written. Next: dyno plan check {0}", args.output.display()));
    Ok(())
}

fn pair(text: &str) -> Result<DraftSubject> {
    match text.split_once('=').filter(|(name, path)| !name.is_empty() && !path.is_empty()) {
        Some((name, path)) => Ok((name.to_string(), whole(Path::new(path)))),
        None => Err(failed(format!("'{text}' is not NAME=PATH"), "as in --subject A=/mnt/a")),
    }
}

fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// A line from the terminal; None if empty.
fn ask(question: &str) -> Result<Option<String>> {
    note(&format!("{question}:"));
    let mut line = String::new();
    stdin().lock().read_line(&mut line)?;
    Ok(Some(line.trim().to_string()).filter(|line| !line.is_empty()))
}

fn asked(found: &[ListedDrive]) -> Result<Vec<DraftSubject>> {
    for drive in found {
        let state = match (mounted(drive), &drive.obstacle) {
            (Some(point), _) => format!("mounted at {}", point.display()),
            (None, Some(obstacle)) => obstacle.clone(),
            (None, None) => "not in use".to_string(),
        };
        note(&format!("  {}: {}, {state}", drive.device, model(drive)));
    }
    let mut subjects = Vec::new();
    while let Some(text) = ask("A subject as NAME=DIRECTORY, or nothing to end")? {
        match pair(&text) {
            Ok(subject) if subject.1.is_dir() => subjects.push(subject),
            Ok((_, path)) => note(&format!("{} is not a directory", path.display())),
            Err(error) => note(&format!("{error:#}")),
        }
    }
    if subjects.is_empty() { proposed(found) } else { Ok(subjects) }
}

/// A directory on each drive with one that we may write to; the current one if there is none.
fn proposed(found: &[ListedDrive]) -> Result<Vec<DraftSubject>> {
    let mut subjects: Vec<DraftSubject> = Vec::new();
    for drive in found {
        let Some(point) = mounted(drive) else { continue };
        let named = |name: &str| subjects.iter().any(|(taken, _)| taken == name);
        let name = model(drive);
        let serial = drive.serial.as_deref().unwrap_or(&drive.device);
        let name = if named(&name) { format!("{name} {serial}") } else { name };
        subjects.push((name, point));
    }
    if subjects.is_empty() {
        subjects.push(("This directory".to_string(), std::env::current_dir()?));
    }
    Ok(subjects)
}

fn model(drive: &ListedDrive) -> String {
    let printed = |text: &&String| plan::unprintable(text).is_none() && !text.trim().is_empty();
    drive.model.as_ref().filter(printed).map_or(drive.device.clone(), |m| m.trim().to_string())
}

/// The writable directory with the most space that is mounted from a drive or one of its
/// partitions.
fn mounted(drive: &ListedDrive) -> Option<PathBuf> {
    let table = file::read_text(Path::new("/proc/self/mounts"), file::MOST_TEXT).ok()?;
    let points = table.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (device, point) = (words.next()?, words.next()?);
        let device = Path::new(device).canonicalize().ok()?.display().to_string();
        let rest = device.strip_prefix(&drive.device)?.trim_start_matches('p');
        let of_drive = rest.chars().all(|c| c.is_ascii_digit());
        let point = PathBuf::from(point.replace("\\040", " "));
        let writable = rustix::fs::access(&point, rustix::fs::Access::WRITE_OK).is_ok();
        (of_drive && writable && point.is_dir()).then_some(point)
    });
    let room = |point: &PathBuf| rustix::fs::statvfs(point).map_or(0, |s| s.f_bavail * s.f_frsize);
    points.max_by_key(room)
}

/// The plan's parts.
struct PlanDraft<'a> {
    protocol: &'a str,
    subjects: &'a [DraftSubject],
    repeats: Option<u32>,
}

impl PlanDraft<'_> {
    fn toml(&self, found: &[ListedDrive], same_device: bool) -> String {
        let quoted = |text: &str| toml::Value::String(text.to_string()).to_string();
        let mut out = format!(
            "# A plan for Dyno. `dyno plan check` prints what it would do and touches nothing.\n\
             # All keys: docs/plans.md; completion in editors: docs/json.md.\n\n\
             # `dyno protocols` lists the others, `dyno protocols show {0}` prints this one.\n\
             protocol = {1}\n\n# At least 3 are needed for a comparison. Without it: 5, or 3 where \
             points are long.\n",
            self.protocol,
            quoted(self.protocol)
        );
        match self.repeats {
            Some(repeats) => out += &format!("repeats = {repeats}\n"),
            None => out += "# repeats = 5\n",
        }
        if same_device {
            out += "\n# These subjects share a physical device, which only permits a control run: \
                they are\n# expected to be equal. Remove this when each has its own \
                drive.\nsame_device = true\n";
        }
        out += "\n# Values of the protocol by path, as in:\n# [override]\n\
                # \"step.STEP.duration\" = \"10s\"\n\n\
                # What is compared. In a directory Dyno only writes to dyno-data/.\n";
        for (name, path) in self.subjects {
            let (name, path) = (quoted(name), quoted(&path.display().to_string()));
            out += &format!("[[subject]]\nname = {name}\ndrives = [{{ path = {path} }}]\n\n");
        }
        let bare: Vec<&ListedDrive> = found.iter().filter(|drive| drive.testable).collect();
        if !bare.is_empty() {
            out += "# Drives that are not in use. Writing to one requires `erase = true` and its \
                serial number, and\n# everything on it is lost: add it yourself.\n";
        }
        for drive in bare {
            let path = drive.stable_path.as_ref().map(|path| path.display().to_string());
            let path = quoted(&path.unwrap_or(drive.device.clone()));
            let serial = quoted(drive.serial.as_deref().unwrap_or(""));
            let name = quoted(&model(drive));
            let _ = writeln!(
                out,
                "#\n# {}\n# [[subject]]\n# name = {name}\n# drives = [{{ device = {path}, serial = \
                 {serial} }}]",
                bytes(drive.capacity_bytes)
            );
        }
        out
    }
}
