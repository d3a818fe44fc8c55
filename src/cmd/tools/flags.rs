//! Recognises flags and commands of other tools and suggests the corresponding ones of Dyno.

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use crate::plan::nearest;

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
        "`dyno bench`, which has options of fio, or a protocol (`dyno protocols`)",
    ),
    (&["dryrun", "check", "simulate"], "dry-run", "--dry-run"),
    (&["override", "option", "options", "knob", "param"], "set", "--set PATH=VALUE"),
    (&["lang", "locale"], "language", "--language TAG"),
    (&["metrics", "measure"], "metric", "--metric METRIC"),
    (&["format", "output-format", "as-json", "j"], "json", "--json"),
    (&["type", "form"], "format", "--format csv|json|parquet"),
    (&["table-name", "tables"], "table", "--table NAME"),
    (&["silent"], "quiet", "--quiet (-q)"),
    (&["continue"], "resume", "--resume BUNDLE"),
];

/// Words for which other tools have a command, and the command of Dyno.
const COMMANDS: &[(&[&str], &str)] = &[
    (&["benchmark", "fio", "job", "bonnie", "iozone"], "bench"),
    (&["test", "measure", "start", "execute", "exec"], "run"),
    (&["dry-run", "validate", "lint", "verify"], "plan check"),
    (&["diff", "cmp", "vs"], "compare"),
    (&["results", "view", "print", "cat", "stat", "stats"], "show"),
    (&["brief", "html", "pdf", "render"], "report"),
    (&["devices", "disks", "lsblk", "ls", "drive"], "drives"),
    (&["web", "ui", "dashboard", "server"], "serve"),
    (&["engines", "workloads", "knobs"], "list"),
    (&["csv", "parquet", "dump"], "export"),
];

/// The intended command for an unknown one: the word of another tool, or the nearest name.
fn command_meant(error: &Error, root: &Command) -> Option<String> {
    let Some(ContextValue::String(tried)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let word = tried.to_lowercase();
    let listed = COMMANDS.iter().find(|(words, _)| words.contains(&word.as_str()));
    let names = || root.get_subcommands().map(Command::get_name);
    let found = listed.map(|(_, name)| *name).or_else(|| nearest(&word, names()))?;
    Some(format!("'{tried}' is not a command: use `dyno {found}`"))
}

/// The intended command or flag for an unknown one, if there is one.
pub fn meant(error: &Error, root: &Command, args: &[String]) -> Option<String> {
    match error.kind() {
        ErrorKind::UnknownArgument => flag_meant(error, root, args),
        ErrorKind::InvalidSubcommand => command_meant(error, root),
        _ => None,
    }
}

fn flag_meant(error: &Error, root: &Command, args: &[String]) -> Option<String> {
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

    #[test]
    fn a_mistyped_or_foreign_command_is_answered_with_the_one_that_was_meant() {
        let root = crate::cmd::command();
        for (typed, meant_command) in [
            ("rnu", "`dyno run`"),
            ("benchmark", "`dyno bench`"),
            ("comapre", "`dyno compare`"),
            ("dry-run", "`dyno plan check`"),
        ] {
            let args = [typed.to_string()];
            let error = root.clone().try_get_matches_from(["dyno", typed]).expect_err(typed);
            let hint = meant(&error, &root, &args).expect(typed);
            assert!(hint.ends_with(meant_command), "{typed}: {hint}");
        }
        let unknown = root.clone().try_get_matches_from(["dyno", "qqqqqq"]).expect_err("unknown");
        assert_eq!(meant(&unknown, &root, &[]), None);
    }
}
