//! `dyno convert` and `dyno init` as seen by a user, and the plans of `examples/`: their output
//! passes `dyno plan check`.

use std::path::{Path, PathBuf};

use crate::support::{DYNO, dyno, dyno_well, said, skip, two_drives, until};

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> =
        entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == ending)).collect();
    all.sort();
    all
}

fn repository(place: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(place)
}

#[test]
fn twenty_jobs_of_fio_and_five_files_of_vdbench_become_protocols_that_check() {
    let dir = two_drives();
    let jobs = files(&repository("tests/data/fio-jobs"), "fio");
    let parmfiles = files(&repository("tests/data/vdbench"), "vdb");
    assert_eq!((jobs.len(), parmfiles.len()), (20, 5));
    for file in jobs.iter().chain(&parmfiles) {
        let (name, out) = (file.display().to_string(), "./p.toml");
        let _ = std::fs::remove_file(dir.path().join("p.toml"));
        dyno_well(dir.path(), &["convert", &name, "-o", out]);
        let checked =
            dyno(dir.path(), &["plan", "check", out, "-s", "A=x", "--repeats", "3", "--json"]);
        assert!(checked.status.success(), "{name}: {}", said(&checked));
    }
}

#[test]
fn every_example_of_fio_is_converted_or_it_is_said_why_not() {
    let folder = std::env::var("FIO_EXAMPLES").unwrap_or("/usr/share/doc/fio/examples".into());
    let jobs = files(Path::new(&folder), "fio");
    if jobs.is_empty() {
        skip("fio's examples are not here (Debian: fio-examples; or FIO_EXAMPLES=FOLDER)");
        return;
    }
    let dir = two_drives();
    let mut converted = 0;
    for file in &jobs {
        let (name, out) = (file.display().to_string(), "./p.toml");
        let _ = std::fs::remove_file(dir.path().join("p.toml"));
        let output = dyno(dir.path(), &["convert", &name, "-o", out]);
        if !output.status.success() {
            assert!(said(&output).contains("can be converted"), "{name}: {}", said(&output));
            continue;
        }
        converted += 1;
        // A folder has no room for the sizes of the examples; everything else must be right.
        let checked = dyno(dir.path(), &["plan", "check", out, "-s", "A=x", "--json"]);
        let room = said(&checked).contains("has room for");
        assert!(checked.status.success() || room, "{name}: {}", said(&checked));
    }
    eprintln!("{converted} of {} examples converted", jobs.len());
    assert!(converted >= 20, "{converted} of {}", jobs.len());
}

#[test]
fn what_is_lost_is_said_with_its_line_and_stands_in_the_protocol() {
    let dir = two_drives();
    let job = "[a]\nrw=randread\nsize=1m\nruntime=1\nverify=crc32c\nthinktime=5\n";
    std::fs::write(dir.path().join("a.fio"), job).expect("written");
    let output = dyno(dir.path(), &["convert", "a.fio", "-o", "a.toml"]);
    assert!(output.status.success(), "{}", said(&output));
    let protocol = std::fs::read_to_string(dir.path().join("a.toml")).expect("written");
    for part in ["verify=crc32c", "thinktime=5"] {
        assert!(said(&output).contains(part), "{}", said(&output));
        assert!(protocol.lines().any(|l| l.starts_with('#') && l.contains(part)), "{protocol}");
    }
    assert!(said(&output).contains("a.fio:5:"), "{}", said(&output));
}

#[test]
fn a_plan_that_init_writes_checks_and_lets_nothing_be_erased() {
    let dir = two_drives();
    let dir = dir.path();
    for args in [
        vec!["init", "-o", "a.toml"],
        vec!["init", "-o", "b.toml", "-s", "One=x", "-s", "Two=y", "--repeats", "3"],
        vec!["init", "-o", "c.toml", "-s", "One=x", "--protocol", "snia-iops"],
    ] {
        // A mount of another test may disappear before it is used.
        until("a plan of what is mounted", 60, || {
            let _ = std::fs::remove_file(dir.join(args[2]));
            let output = dyno(dir, &args);
            let checked = dyno(dir, &["plan", "check", args[2]]);
            let both = format!("{}{}", said(&output), said(&checked));
            let (gone, room) = (both.contains("cannot be used"), both.contains("has room for"));
            let well = output.status.success() && (checked.status.success() || room);
            assert!(well || gone, "{args:?}: {both}");
            well
        });
        let text = std::fs::read_to_string(dir.join(args[2])).expect("written");
        let consents = |line: &&str| !line.starts_with('#') && line.contains("erase");
        assert_eq!(text.lines().filter(consents).count(), 0, "{text}");
    }
    let two = std::fs::read_to_string(dir.join("b.toml")).expect("written");
    assert!(two.contains("same_device = true"), "two directories of one disk: {two}");
    let wrong = dyno(dir, &["init", "-o", "d.toml", "--protocol", "quik"]);
    assert!(!wrong.status.success() && !dir.join("d.toml").exists(), "{}", said(&wrong));
    let own = dir.join("mine.toml");
    std::fs::write(&own, "mine").expect("written");
    assert!(!dyno(dir, &["init", "-o", "mine.toml", "-s", "A=x"]).status.success());
    assert_eq!(std::fs::read_to_string(&own).expect("there"), "mine");
}

#[test]
fn there_is_an_example_for_each_protocol_and_each_kind_of_user_and_all_resolve() {
    let mut examples = files(&repository("examples"), "toml");
    let campaign = repository("examples/campaign.toml");
    examples.retain(|path| *path != campaign);
    let dir = two_drives();
    dyno_well(dir.path(), &["fleet", "plan", &campaign.display().to_string()]);
    let stem = |path: &PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
    let names: Vec<String> = examples.iter().map(stem).collect();
    let protocols = dyno::plan::protocols().iter().map(|(name, _)| *name);
    for name in protocols.chain(["ci", "lab", "fleet", "laptop"]) {
        assert!(names.iter().any(|n| n == name), "there is no examples/{name}.toml");
    }
    for path in &examples {
        let text = std::fs::read_to_string(path).expect("read");
        let table: toml::Table = text.parse().expect("TOML");
        let consents = |line: &&str| !line.starts_with('#') && line.contains("erase");
        assert_eq!(text.lines().filter(consents).count(), 0, "{}", path.display());
        // Its own subjects by name, in our folders.
        let subjects: Vec<(String, PathBuf)> = table["subject"]
            .as_array()
            .expect("subjects")
            .iter()
            .enumerate()
            .map(|(i, subject)| {
                let place = dir.path().join(format!("{}-{i}", stem(path)));
                std::fs::create_dir(&place).expect("a folder");
                (subject["name"].as_str().expect("a name").to_string(), place)
            })
            .collect();
        let given = dyno::plan::CommandLineValues { subjects: &subjects, ..Default::default() };
        let plan = dyno::plan::load_with(path, given, &dyno::plan_catalogue())
            .unwrap_or_else(|mistakes| panic!("{}: {}", path.display(), mistakes.render(false)));
        assert!(dyno::plan::points(&plan).next().is_some(), "{}", path.display());
    }
}

/// Answers on a terminal: a question's words, then the input. The end of the terminal is the
/// program's.
const TERMINAL: &str = r#"
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "init", "-o", "asked.toml"])
said = b""
for answer in sys.argv[2:]:
    words, answer = answer.encode().split(b"|")
    while words not in said:
        read = os.read(terminal, 4096)
        assert read, said
        said += read
    said = said.split(words, 1)[1]
    os.write(terminal, answer + b"\n")
try:
    while read := os.read(terminal, 4096):
        said += read
except OSError:
    pass
sys.stdout.buffer.write(said)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"#;

#[test]
fn init_asks_on_a_terminal_and_asks_again_after_a_wrong_answer() {
    let dir = two_drives();
    let subject = "A subject as NAME=DIRECTORY, or nothing to end:";
    let typed = |answer: &str| format!("{subject}|{answer}");
    let mut python = std::process::Command::new("python3");
    python.current_dir(dir.path()).args(["-c", TERMINAL, DYNO, "Protocol [quick]:|block-basics"]);
    python.args(["One=x", "nonsense", "Three=nowhere", "Two=y", ""].map(typed));
    let ran = python.output().expect("python3");
    assert!(ran.status.success(), "{}", said(&ran));
    assert!(said(&ran).contains("asked.toml written"), "{}", said(&ran));
    let plan = std::fs::read_to_string(dir.path().join("asked.toml")).expect("a plan");
    assert!(plan.contains("protocol = \"block-basics\""), "{plan}");
    let names: Vec<&str> = plan.lines().filter_map(|l| l.strip_prefix("name = ")).collect();
    assert_eq!(names, ["\"One\"", "\"Two\""], "{plan}");
    let checked = dyno(dir.path(), &["plan", "check", "asked.toml"]);
    let room = said(&checked).contains("has room for");
    assert!(checked.status.success() || room, "{}", said(&checked));
}
