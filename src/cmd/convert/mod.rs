//! `dyno convert`: converts fio job files and vdbench parameter files to protocols that generate
//! the same load. Whatever cannot be converted is reported line by line, on standard error and in
//! the protocol.

pub(super) mod draft;
mod fio;
mod job_file;
mod vdbench;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::base::error::{Result, failed};
use crate::base::stderr::note;
use crate::base::{file, output};
use draft::ProtocolDraft;

/// The input file, and the output protocol.
#[derive(Args)]
pub struct ConvertArgs {
    /// fio job file, or vdbench parameter file
    #[arg(value_name = "JOB.fio | PARMFILE")]
    input: PathBuf,
    /// Protocol to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the file [default: vdbench if lines begin with sd=, wd= or rd=, otherwise fio]
    #[arg(long, value_name = "TOOL", value_parser = ["fio", "vdbench"])]
    from: Option<String>,
}

/// Writes the protocol and reports what could not be converted.
pub fn convert(args: &ConvertArgs, out: &mut dyn Write) -> Result<()> {
    let text = file::read_text(&args.input, file::MOST_TEXT)?;
    let name = args.input.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let draft = draft(&name, &text, args.from.as_deref())?;
    for loss in &draft.losses {
        note(&format!("{name}:{}: {}: {}", loss.line, loss.text, loss.why));
    }
    let protocol = draft.to_toml("dyno convert");
    match &args.output {
        Some(path) => {
            output::write(path, &[&args.input], protocol.as_bytes())?;
            let path = shown(path);
            note(&format!("Next: dyno plan check {path} --subject A=DIRECTORY"));
        }
        None => out.write_all(protocol.as_bytes())?,
    }
    Ok(())
}

/// The path in the form that is recognised as the path of a protocol.
pub fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    if text.contains('/') || text.ends_with(".toml") { text } else { format!("./{text}") }
}

fn draft(name: &str, text: &str, from: Option<&str>) -> Result<ProtocolDraft> {
    let of_vdbench = |line: &str| {
        let line = line.trim_start();
        ["sd=", "wd=", "rd="].iter().any(|key| line.starts_with(key))
    };
    let is_vdbench = from.map_or(text.lines().any(of_vdbench), |tool| tool == "vdbench");
    let draft = if is_vdbench { vdbench::draft(name, text)? } else { fio::draft(name, text)? };
    if draft.steps.is_empty() {
        let why: Vec<String> =
            draft.losses.iter().map(|l| format!("line {}: {}", l.line, l.why)).collect();
        if why.is_empty() {
            let what = format!("{name} is neither a fio job file nor a vdbench parameter file");
            return Err(failed(what, "name a file with sections in [ ] or lines of sd=, wd=, rd="));
        }
        let what = format!("nothing of {name} can be converted; {}", why.join("; "));
        return Err(failed(what, "docs/convert.md lists what can be converted"));
    }
    Ok(draft)
}

#[cfg(test)]
mod tests;
