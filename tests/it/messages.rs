//! What new users typed, and what helps them: one entry for each kind of message.

use std::fs;
use std::path::Path;

use crate::support::{dyno, dyno_well, said, two_drives};

const PROTOCOL: &str = "title = \"T\"\nsource = \"test\"\n[[step]]\nname = \"reads\"\nduration = \
    \"1s\"\n[[step.stream]]\nname = \"io\"\nengine = \"null\"\nworkload = \"random\"\n";

/// The exit code, and parts of what is said; `!` before a part: it is not said.
fn says(folder: &Path, args: &[&str], code: i32, parts: &[&str]) {
    let output = dyno(folder, args);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
    for part in parts {
        let (wanted, part) = part.strip_prefix('!').map_or((true, *part), |rest| (false, rest));
        assert_eq!(text.contains(part), wanted, "{args:?}: '{part}' in {text}");
    }
}

#[test]
fn mistyped_commands_flags_and_values_are_answered_with_what_was_meant() {
    let dir = two_drives();
    let at = dir.path();
    fs::write(at.join("p.toml"), PROTOCOL).expect("written");
    says(at, &["rnu"], 64, &["use `dyno run`"]);
    says(at, &["benchmark"], 64, &["use `dyno bench`"]);
    says(
        at,
        &["run", "quick", "-s", "A=x", "--set", "step.x.duration"],
        64,
        &["as in --set step."],
    );
    says(at, &["run", "quick", "--subject", "A"], 64, &["as in --subject A=/mnt/a"]);
    says(at, &["run", "quick", "-s", "A=x", "--check"], 64, &["--dry-run"]);
    says(at, &["protocols", "show", "quik"], 1, &["did you mean 'quick'?"]);
    says(at, &["run", "quik", "-s", "A=x"], 1, &["did you mean 'quick'?"]);
    says(at, &["plan", "check", "./p.toml"], 64, &["is a protocol", "--subject A=/mnt/a"]);
    says(at, &["plan", "check", "./no.toml", "-s", "A=x"], 1, &["./no.toml", "!././no.toml"]);
    says(at, &["convert", "/etc/passwd"], 1, &["neither a fio job file nor a vdbench"]);
}

#[test]
fn one_mistake_in_a_step_is_one_mistake() {
    let dir = two_drives();
    let text = PROTOCOL.replace("\"1s\"", "\"20\"");
    let text = format!("headline = {{ step = \"reads\", metric = \"ops/s\" }}\n{text}");
    fs::write(dir.path().join("p.toml"), text).expect("written");
    let args = ["plan", "check", "./p.toml", "-s", "A=x"];
    says(dir.path(), &args, 1, &["1 mistake;", "'20' is not a time", "!no step"]);
}

#[test]
fn results_are_asked_for_by_names_that_exist() {
    let dir = two_drives();
    let at = dir.path();
    fs::write(at.join("p.toml"), PROTOCOL).expect("written");
    dyno_well(at, &["run", "./p.toml", "-s", "A=x", "--repeats", "1", "-o", "b.dyno"]);
    says(at, &["compare", "b.dyno", "--metric", "iops"], 0, &["ops/s", "!No drive can be ranked"]);
    says(at, &["compare", "b.dyno", "--vary", "foo"], 64, &["--vary foo", "io.depth"]);
    says(at, &["compare", "b.dyno", "--vary", "io.dept"], 64, &["did you mean 'io.depth'?"]);
    says(at, &["compare", "b.dyno", "--vary", "io.depth"], 0, &[]);
    // The format of the extension, and nothing else under that name.
    says(at, &["export", "b.dyno", "-o", "curve.parquet"], 0, &[]);
    assert!(fs::read(at.join("curve.parquet")).expect("written").starts_with(b"PAR1"));
    let both = ["export", "b.dyno", "--format", "csv", "-o", "curve.parquet"];
    says(at, &both, 64, &["--format csv", ".parquet"]);
    assert!(fs::read(at.join("curve.parquet")).expect("kept").starts_with(b"PAR1"));
    says(at, &["export", "b.dyno", "-o", "points.json"], 0, &[]);
    let points = fs::read_to_string(at.join("points.json")).expect("written");
    assert!(points.starts_with(['[', '{']), "{points}");
}

#[test]
fn a_run_with_failed_points_says_which_and_how_to_go_on() {
    let dir = two_drives();
    let at = dir.path();
    let late = PROTOCOL.replace("duration", "max_lag = \"1ms\"\nduration").replace(
        "engine = \"null\"",
        "engine = { kind = \"null\", latency = \"50ms\" }\nrate = \"1000/s\"",
    );
    fs::write(at.join("p.toml"), late).expect("written");
    let args = ["run", "./p.toml", "-s", "A=x", "--repeats", "1", "-o", "b.dyno"];
    says(at, &args, 2, &["the first: A, reads:", "dyno run --resume b.dyno", "!dyno compare"]);
}

#[test]
fn the_user_who_started_a_run_resumes_it_without_naming_what_it_does_again() {
    let dir = two_drives();
    let at = dir.path();
    let text = PROTOCOL.replace("\"null\"", "{ kind = \"psync\", direct = false }").replace(
        "[[step]]",
        "[dataset.d]\nengine = \"psync\"\nsize = \"8MiB\"\nfill = { kind = \"sequential\", read = \
         0, block = \"4KiB\" }\n[[step]]",
    );
    let text = text.replace("workload", "dataset = \"d\"\nworkload");
    fs::write(at.join("p.toml"), text).expect("written");
    let plan = "protocol = \"./p.toml\"\nrepeats = 1\n[[subject]]\nname = \"A\"\ndrives = \
                [{ path = \"x\" }]\n";
    fs::write(at.join("plan.toml"), plan).expect("written");
    says(at, &["run", "plan.toml", "-o", "b.dyno"], 0, &[]);
    says(at, &["run", "--resume", "b.dyno"], 0, &["!--allow"]);
}
