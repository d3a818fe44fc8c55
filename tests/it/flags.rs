//! One set of names for the same option; old names work with a hint, and another tool's flag is
//! answered with the corresponding one. Completions and manual pages.

use std::path::Path;
use std::process::Command;

use crate::support::{dyno, dyno_well, have, said, two_drives};

const PROTOCOL: &str = "title = \"Null\"\n[[step]]\nname = \"a\"\nduration = \"50ms\"\n\
    [[step.stream]]\nname = \"io\"\nengine = \"null\"\nworkload = \"random\"\n";

const PLAN: &str = "protocol = \"./null.toml\"\nrepeats = 2\nmeters = \"none\"\n\
    [override]\nstep.a.duration = \"40ms\"\n\
    [[subject]]\nname = \"A\"\ndrives = [{ path = \"x\" }]\n";

fn bench() -> tempfile::TempDir {
    let dir = two_drives();
    std::fs::write(dir.path().join("null.toml"), PROTOCOL).expect("written");
    std::fs::write(dir.path().join("plan.toml"), PLAN).expect("written");
    dir
}

fn checked(dir: &Path, args: &str) -> serde_json::Value {
    let args: Vec<&str> = ["plan", "check", "--json"].into_iter().chain(args.split(' ')).collect();
    serde_json::from_str(&dyno_well(dir, &args)).expect("JSON")
}

#[test]
fn a_plan_takes_subject_set_and_repeats_as_a_protocol_does() {
    let dir = bench();
    let dir = dir.path();
    let plain = checked(dir, "plan.toml");
    assert_eq!(
        (&plain["repeats"], &plain["steps"][0]["duration_ns"]),
        (&2.into(), &40_000_000.into())
    );
    let given =
        checked(dir, "plan.toml --repeats 4 --set step.a.duration=30ms --set seed=7 -s B=y");
    assert_eq!(
        (&given["repeats"], &given["steps"][0]["duration_ns"]),
        (&4.into(), &30_000_000.into())
    );
    let subjects = given["subjects"].as_array().expect("a list");
    assert_eq!(subjects.len(), 1, "the command line's take the place of the plan's");
    assert_eq!(subjects[0]["name"], "B");
    let here = dir.join("y").canonicalize().expect("there");
    assert_eq!(subjects[0]["drives"][0]["path"], here.display().to_string());
    // From another folder, the command line's paths start there, and the plan's at the plan.
    let elsewhere = dir.join("x");
    let output = dyno(&elsewhere, &["plan", "check", "../plan.toml", "-s", "B=../y"]);
    assert!(output.status.success(), "{}", said(&output));
    let wrong = dyno(dir, &["plan", "check", "plan.toml", "--set", "step.b.duration=1s"]);
    assert!(said(&wrong).contains("finds no 'b'"), "{}", said(&wrong));
}

#[test]
fn a_flag_of_another_tool_is_answered_with_the_one_that_is_meant() {
    let dir = bench();
    let tried = [
        ("run quick --out a.dyno", "--output"),
        ("run quick --file a.dyno", "use --output FILE"),
        ("run quick --name=A", "use --subject NAME=PATH"),
        ("run quick --filename=/mnt/a", "use --subject NAME=PATH"),
        ("run quick --repeat 3", "--repeats"),
        ("run quick --loops 3", "use --repeats N"),
        ("run quick --runtime=60", "use --set step.STEP.duration"),
        ("run quick --iodepth 32", "use --set step.STEP.stream.STREAM.depth"),
        ("run quick --numjobs 32", "use --set step.STEP.stream.STREAM.threads"),
        ("run quick --rw=randread", "use `dyno bench`"),
        ("plan check quick --bs=4k", "workload.block"),
        ("export b.dyno --out a.csv", "--output"),
        ("report b.dyno --file a.pdf", "use --output FILE"),
        ("claims b.dyno --lang ja", "use --language TAG"),
        ("show b.dyno --format json", "use --json"),
        ("import fio a.json --dest b.dyno", "use --output FILE"),
    ];
    for (line, answer) in tried {
        let output = dyno(dir.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(64), "{line}: {}", said(&output));
        assert!(said(&output).contains(answer), "{line}: {}", said(&output));
    }
}

#[test]
fn completions_and_manual_pages_cover_every_command_and_the_shells_read_them() {
    let dir = bench();
    let dir = dir.path();
    let commands = dyno::cmd::command();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = dyno_well(dir, &["completions", shell]);
        for command in commands.get_subcommands() {
            assert!(script.contains(command.get_name()), "{shell} lacks {}", command.get_name());
        }
    }
    let script = dir.join("dyno.bash");
    std::fs::write(&script, dyno_well(dir, &["completions", "bash"])).expect("written");
    let complete = "source dyno.bash; COMP_WORDS=(dyno rep); COMP_CWORD=1; _dyno dyno rep dyno; \
                    echo \"${COMPREPLY[@]}\"";
    let answer =
        Command::new("bash").current_dir(dir).args(["-c", complete]).output().expect("ran");
    assert_eq!(String::from_utf8_lossy(&answer.stdout).trim(), "report", "{}", said(&answer));
    dyno_well(dir, &["man", "pages"]);
    for page in ["dyno.1", "dyno-run.1", "dyno-plan-check.1", "dyno-export.1"] {
        assert!(dir.join("pages").join(page).exists(), "{page}");
    }
    if have(&["man"]) {
        let page = Command::new("man").current_dir(dir).args(["-l", "pages/dyno-run.1"]).output();
        let text = said(&page.expect("ran"));
        assert!(text.contains("--output") && text.contains("--repeats"), "{text}");
    }
}

#[test]
fn the_page_of_commands_is_made_from_the_definitions() {
    let made = dyno::cmd::help::page();
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/commands.md");
    if std::fs::read_to_string(page).unwrap_or_default() != made {
        let current = concat!(env!("CARGO_TARGET_TMPDIR"), "/commands.md");
        std::fs::write(current, made).expect("written");
        panic!("docs/commands.md is stale; to update it: cp {current} {page}");
    }
}

#[test]
fn the_version_says_commit_rocksdb_features_and_agrees_with_the_package() {
    let dir = bench();
    let long = dyno_well(dir.path(), &["--version"]);
    for part in ["commit", "RocksDB", "features", "method", env!("CARGO_PKG_VERSION")] {
        assert!(long.contains(part), "{long}");
    }
    assert_eq!(dyno_well(dir.path(), &["-V"]).trim(), concat!("dyno ", env!("CARGO_PKG_VERSION")));
    let changes = include_str!("../../CHANGELOG.md");
    assert!(changes.contains(concat!("## ", env!("CARGO_PKG_VERSION"))), "no such release");
}

#[test]
fn progress_is_plain_with_the_time_of_day_json_for_programs_or_silent() {
    let dir = bench();
    let dir = dir.path();
    let errors = |args: &str, file: &str| {
        let line = format!("run plan.toml -o {file} {args}");
        let output = dyno(dir, &line.split_whitespace().collect::<Vec<_>>());
        assert!(output.status.success(), "{}", said(&output));
        String::from_utf8(output.stderr).expect("text")
    };
    let plain = errors("--progress plain", "a.dyno");
    let day = plain.lines().find(|l| l.contains("repeat 1")).expect("a line for each point");
    let stamp = day.split("  ").next().expect("the time of day");
    assert!(stamp.parse::<jiff::Timestamp>().is_ok() && day.contains(" left"), "{plain}");
    let verbose = errors("-v --set step.a.duration=2500ms --repeats 1", "v.dyno");
    assert!(
        verbose.lines().any(|l| l.contains(" ops/s  ") && l.contains("MB/s  p99 ")),
        "{verbose}"
    );
    let json = errors("--progress json", "b.dyno");
    let event = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    let events: Vec<serde_json::Value> = json.lines().map(event).collect();
    let names: Vec<&str> = events.iter().filter_map(|e| e["event"].as_str()).collect();
    for name in ["begin", "point", "done", "end", "note"] {
        assert!(names.contains(&name), "no {name}: {json}");
    }
    for event in &events {
        let time = event["time"].as_str().expect("a time");
        assert!(
            time.parse::<jiff::Timestamp>().is_ok() && event.get("left_ns").is_some(),
            "{event}"
        );
    }
    assert_eq!(errors("-q", "c.dyno"), "");
    let silent = errors("--progress none", "d.dyno");
    assert!(!silent.contains("repeat 1") && silent.contains("Next: dyno compare"), "{silent}");
}
