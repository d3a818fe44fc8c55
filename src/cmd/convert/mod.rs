//! `dyno convert`: converts fio jobs and vdbench parameter files to protocols that generate the
//! same load. Each option of the source has a fate (`fate`), which is reported on standard error
//! and in the protocol.

pub(super) mod draft;
pub(super) mod fate;
mod fio;
mod vdbench;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::base::error::{Result, exit, failed, misused};
use crate::base::stderr::note;
use crate::base::{file, output};
use draft::{LEFT_OUT, ProtocolDraft, Settled};
use fate::{Fate, KnownOption, fio_options};
use fio::jobs::{Environment, JobReader};

/// The input, and the output protocol.
#[derive(Args)]
pub struct ConvertArgs {
    /// fio job file, or vdbench parameter file; - for standard input
    #[arg(value_name = "JOB.fio | PARMFILE", required_unless_present = "command")]
    input: Option<PathBuf>,
    /// Protocol to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the file [default: vdbench if lines begin with sd=, wd= or rd=, otherwise fio]
    #[arg(long, value_name = "TOOL", value_parser = ["fio", "vdbench"])]
    from: Option<String>,
    /// Exit with code 0 although options that define the load are not carried over
    #[arg(long)]
    lossy: bool,
    /// fio's command line instead of a file, after --: fio --name=a --rw=randread …
    #[arg(last = true, value_name = "fio …", conflicts_with_all = ["input", "from"])]
    command: Vec<String>,
}

/// Writes the protocol, and reports the fate of each option. Returns the exit code.
pub fn convert(args: &ConvertArgs, out: &mut dyn Write) -> Result<u8> {
    let environment = |name: &str| std::env::var(name).ok();
    let draft = match &args.input {
        Some(path) => {
            let (name, text, folder) = read(path)?;
            from_text(&name, &text, (&folder, &environment), args.from.as_deref())?
        }
        None => from_command_line(&args.command, &environment)?,
    };
    report(&draft);
    note(&draft.counts());
    let protocol = draft.to_toml("dyno convert");
    match &args.output {
        Some(path) => {
            let inputs: Vec<&Path> = args.input.iter().map(PathBuf::as_path).collect();
            output::write(path, &inputs, protocol.as_bytes())?;
            let path = shown(path);
            note(&format!("Next: dyno plan check {path} --subject A=DIRECTORY"));
        }
        None => out.write_all(protocol.as_bytes())?,
    }
    if args.lossy || draft.of(Fate::Lost).next().is_none() {
        return Ok(0);
    }
    note("exit code 3: options that define the load are not carried over; --lossy accepts that");
    Ok(exit::REFUSED)
}

/// The name, text and folder of an input; "-" is standard input.
fn read(path: &Path) -> Result<(String, String, PathBuf)> {
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().take(file::MOST_TEXT).read_to_string(&mut text)?;
        return Ok(("standard input".to_string(), text, PathBuf::from(".")));
    }
    let text = file::read_text(path, file::MOST_TEXT)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((name, text, file::folder_of(path).to_path_buf()))
}

/// The protocol of a job file, a parameter file or standard input.
pub(super) fn draft_of_file(path: &Path) -> Result<ProtocolDraft> {
    let (name, text, folder) = read(path)?;
    from_text(&name, &text, (&folder, &|name| std::env::var(name).ok()), None)
}

/// The protocol of fio's command line.
pub(super) fn draft_of_command(command: &[String]) -> Result<ProtocolDraft> {
    from_command_line(command, &|name| std::env::var(name).ok())
}

/// fio's option of this name.
pub(super) fn option_named(name: &str) -> Option<&'static KnownOption> {
    fio_options().iter().find(|option| option.is_called(name))
}

/// Reports options that are not carried over, or otherwise than written.
pub(super) fn report(draft: &ProtocolDraft) {
    for Settled { place, text, fate, why } in &draft.settled {
        let listed = matches!(fate, Fate::Lost | Fate::Fixed) && why != LEFT_OUT;
        if listed {
            note(&format!("{place}: {text}: {}: {why}", fate.words()));
        } else if *fate == Fate::Carried && !why.is_empty() {
            note(&format!("{place}: {text}: {why}"));
        }
    }
}

/// The path in the form that is recognised as the path of a protocol.
pub fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    if text.contains('/') || text.ends_with(".toml") { text } else { format!("./{text}") }
}

fn from_text(
    name: &str,
    text: &str,
    (folder, environment): (&Path, Environment<'_>),
    from: Option<&str>,
) -> Result<ProtocolDraft> {
    let of_vdbench = |line: &str| {
        let line = line.trim_start();
        ["sd=", "wd=", "rd="].iter().any(|key| line.starts_with(key))
    };
    let is_vdbench = from.map_or(text.lines().any(of_vdbench), |tool| tool == "vdbench");
    let draft = if is_vdbench {
        vdbench::draft(name, text, folder)?
    } else {
        let mut jobs = JobReader::new(environment);
        jobs.read(name, text, folder)?;
        let mut draft = ProtocolDraft::default();
        fio::protocol(name, format!("fio job file {name}"), &jobs.finish()?, &mut draft);
        draft
    };
    with_steps(name, draft)
}

/// fio's command line.
fn from_command_line(command: &[String], environment: Environment<'_>) -> Result<ProtocolDraft> {
    let (program, arguments) = match command.split_first() {
        Some((program, arguments)) if !program.starts_with('-') => (program.as_str(), arguments),
        _ => ("fio", command),
    };
    if Path::new(program).file_name().is_none_or(|name| name != "fio") {
        let what = format!("{program} is not a program whose command line can be converted");
        return Err(misused(what, "write dyno convert -- fio --name=a --rw=randread …"));
    }
    let mut draft = ProtocolDraft::default();
    let mut jobs = JobReader::new(environment);
    let mut open = |path: &str| read(Path::new(path)).map(|(_, text, folder)| (text, folder));
    jobs.arguments(arguments, &mut open, &mut draft)?;
    let jobs = jobs.finish()?;
    let title = jobs.first().map_or("fio", |job| job.name.as_str()).to_string();
    fio::protocol(&title, format!("fio {}", arguments.join(" ")), &jobs, &mut draft);
    with_steps("the command line", draft)
}

fn with_steps(name: &str, draft: ProtocolDraft) -> Result<ProtocolDraft> {
    if !draft.steps.is_empty() {
        return Ok(draft);
    }
    let why: Vec<String> = draft
        .of(Fate::Lost)
        .filter(|lost| lost.why != LEFT_OUT)
        .map(|lost| format!("{}: {}: {}", lost.place, lost.text, lost.why))
        .collect();
    if why.is_empty() {
        let what = format!("{name} is neither a fio job file nor a vdbench parameter file");
        return Err(failed(what, "name a file with sections in [ ] or lines of sd=, wd=, rd="));
    }
    let what = format!("nothing of {name} can be converted; {}", why.join("; "));
    Err(failed(what, "docs/convert.md lists what can be converted"))
}

#[cfg(test)]
mod tests;
