//! Recognises flags of other tools and suggests the corresponding flag of Dyno.

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// Words without dashes, and their replacements: a flag of Dyno, and its form. fio's job options
/// refer to the conversion of jobs.
const MEANT: &[(&[&str], &str, &str)] = &[
    (
        &["o", "out", "outfile", "output-file", "output-path", "file", "f", "dest", "to", "save"],
        "output",
        "--output FILE (-o)",
    ),
    (
        &["name", "label", "filename", "drive", "drives", "device", "dev", "dir", "directory"],
        "subject",
        "--subject NAME=PATH (-s)",
    ),
    (&["path", "target", "disk", "mount", "subjects"], "subject", "--subject NAME=PATH (-s)"),
    (
        &["repeat", "repetitions", "runs", "iterations", "loops", "count", "n", "rounds"],
        "repeats",
        "--repeats N",
    ),
    (&["runtime", "duration", "time", "seconds", "length"], "set", "--set step.STEP.duration=60s"),
    (&["warmup", "ramp_time", "ramp-time"], "set", "--set step.STEP.warmup=10s"),
    (&["iodepth", "depth", "qd", "queue-depth"], "set", "--set step.STEP.stream.STREAM.depth=32"),
    (&["numjobs", "threads", "jobs", "workers"], "set", "--set step.STEP.stream.STREAM.threads=4"),
    (
        &["bs", "block", "blocksize", "block-size"],
        "set",
        "--set step.STEP.stream.STREAM.workload.block=4KiB",
    ),
    (
        &["rw", "readwrite", "rwmixread", "ioengine", "size", "direct", "job"],
        "set",
        "a protocol (`dyno protocols`), or `dyno convert JOB.fio` for a job of fio's",
    ),
    (&["override", "option", "options", "knob", "param"], "set", "--set PATH=VALUE"),
    (&["lang", "locale"], "language", "--language TAG"),
    (&["metrics", "measure"], "metric", "--metric METRIC"),
    (&["format", "output-format", "as-json", "j"], "json", "--json"),
    (&["type", "form"], "format", "--format csv|json|parquet"),
    (&["table-name", "tables"], "table", "--table NAME"),
    (&["silent"], "quiet", "--quiet (-q)"),
    (&["continue"], "resume", "--resume BUNDLE"),
];

/// The intended flag for an unknown one, if the command has it.
pub fn meant(error: &Error, root: &Command, args: &[String]) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(tried)) = error.get(ContextKind::InvalidArg) else { return None };
    let word = tried.trim_start_matches('-').split('=').next()?.to_lowercase();
    let command = args
        .iter()
        .try_fold(root, |at, arg| match at.find_subcommand(arg) {
            Some(inner) => Ok(inner),
            None if std::ptr::eq(at, root) || at.has_subcommands() => Ok(at),
            None => Err(at),
        })
        .unwrap_or_else(|at| at);
    let has = |flag: &str| command.get_arguments().any(|a| a.get_long() == Some(flag));
    let found = MEANT.iter().find(|(tried, flag, _)| tried.contains(&word.as_str()) && has(flag));
    found.map(|(.., how)| format!("'{tried}' is not one of its flags: use {how}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_tried_once_for_a_flag() {
        let mut seen = std::collections::HashSet::new();
        for (words, flag, how) in MEANT {
            assert!(!how.is_empty());
            words.iter().for_each(|w| assert!(seen.insert((*w, *flag)), "{w} twice for {flag}"));
        }
    }
}
