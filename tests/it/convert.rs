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
        dyno_well(dir.path(), &["convert", "--lossy", &name, "-o", out]);
        let checked =
            dyno(dir.path(), &["plan", "check", out, "-s", "A=x", "--repeats", "3", "--json"]);
        assert!(checked.status.success(), "{name}: {}", said(&checked));
    }
}

/// fio's own examples.
fn examples() -> Option<Vec<PathBuf>> {
    let folder = std::env::var("FIO_EXAMPLES").unwrap_or("/usr/share/doc/fio/examples".into());
    let jobs = files(Path::new(&folder), "fio");
    if jobs.is_empty() {
        skip("fio's examples are not here (Debian: fio-examples; or FIO_EXAMPLES=FOLDER)");
        return None;
    }
    Some(jobs)
}

fn errors(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The four counts of the line "12 options: 8 carried over, …".
fn counts(text: &str) -> Option<[u64; 4]> {
    let line = text.lines().find(|line| line.contains(" carried over, "))?;
    let (_, list) = line.split_once(": ")?;
    let numbers: Option<Vec<u64>> =
        list.split(", ").map(|part| part.split(' ').next()?.parse().ok()).collect();
    numbers?.try_into().ok()
}

#[test]
fn every_example_of_fio_is_converted_or_the_reason_why_not_is_stated() {
    let Some(jobs) = examples() else { return };
    let dir = two_drives();
    let mut table = String::from(
        "| Example | Carried over | Fixed by Dyno | Irrelevant | Not carried over |\n\
         |---|---|---|---|---|\n",
    );
    let (mut sums, mut converted, mut whole) = ([0; 4], 0, 0);
    for file in &jobs {
        let (name, out) = (file.display().to_string(), "./p.toml");
        let _ = std::fs::remove_file(dir.path().join("p.toml"));
        let output = dyno(dir.path(), &["convert", &name, "-o", out]);
        let stem = file.file_stem().expect("a name").to_string_lossy();
        if ![Some(0), Some(3)].contains(&output.status.code()) {
            let unset = said(&output).contains("environment variables are not set");
            let none = said(&output).contains("can be converted");
            assert!(unset || none, "{name}: {}", said(&output));
            let why = if unset { "variables" } else { "no job" };
            table += &format!("| {stem} | | | | {why} |\n");
            continue;
        }
        converted += 1;
        let of = counts(&errors(&output)).unwrap_or_else(|| panic!("{}", said(&output)));
        // Nothing is lost exactly if the exit code is 0 and the protocol says so.
        let protocol = std::fs::read_to_string(dir.path().join("p.toml")).expect("written");
        let complete = protocol.contains("Everything that defines the load was converted");
        assert_eq!((of[3] == 0, of[3] == 0), (output.status.success(), complete), "{name}");
        whole += u64::from(complete);
        sums.iter_mut().zip(of).for_each(|(sum, n)| *sum += n);
        let [carried, fixed, irrelevant, lost] = of;
        table += &format!("| {stem} | {carried} | {fixed} | {irrelevant} | {lost} |\n");
        // A folder has no room for the sizes of the examples, and is no device; everything else
        // must be right.
        let checked = dyno(dir.path(), &["plan", "check", out, "-s", "A=x", "--json"]);
        let of_drive = ["has room for", "has no size of its own", "/dev/", "direct = true"];
        let drive = of_drive.iter().any(|words| said(&checked).contains(words));
        assert!(checked.status.success() || drive, "{name}: {}", said(&checked));
    }
    let [carried, fixed, irrelevant, lost] = sums;
    table += &format!(
        "| **{converted} of {}, {whole} completely** | {carried} | {fixed} | {irrelevant} \
         | {lost} |\n",
        jobs.len()
    );
    assert!(converted >= 20, "{converted} of {}", jobs.len());
    if std::env::var("FIO_EXAMPLES").is_err() && fio_version().as_deref() == Some("fio-3.33") {
        is_on_page("docs/convert.md", "fio-examples", &table);
    }
}

fn fio_version() -> Option<String> {
    let output = std::process::Command::new("fio").arg("--version").output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// Compares a table with the one on a page between two comments.
fn is_on_page(page: &str, name: &str, table: &str) {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->\n"));
    let path = repository(page);
    let text = std::fs::read_to_string(&path).expect("the page");
    let (before, rest) = text.split_once(&begin).expect("the beginning of the table");
    let (old, after) = rest.split_once(&end).expect("the end of the table");
    if old != table {
        let current = concat!(env!("CARGO_TARGET_TMPDIR"), "/page.md");
        std::fs::write(current, format!("{before}{begin}{table}{end}{after}")).expect("written");
        panic!("{page} is stale; to update it: cp {current} {}", path.display());
    }
}

#[test]
fn every_option_of_the_installed_fio_is_in_the_table_of_fates() {
    if fio_version().is_none() {
        skip("this needs fio");
        return;
    }
    let table = std::fs::read_to_string(repository("src/cmd/convert/fio.options")).expect("read");
    let rows =
        || table.lines().filter(|l| !l.starts_with('#')).map(|l| l.split('|').map(str::trim));
    let has = |name: &str, engine: &str| {
        rows().any(|row| {
            let row: Vec<&str> = row.collect();
            let called = row[0] == name || row[1].split_whitespace().any(|alias| alias == name);
            called && (engine.is_empty() || row[3].split_whitespace().any(|e| e == engine))
        })
    };
    let printed = |args: &[&str]| {
        let output = std::process::Command::new("fio").args(args).output().expect("fio");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let names = |text: &str| -> Vec<String> {
        let options = text.lines().filter(|line| line.contains(": "));
        options.map(|l| l.split(':').next().unwrap_or_default().trim().to_string()).collect()
    };
    let all = names(&printed(&["--cmdhelp=all"]));
    assert!(all.len() > 200, "{all:?}");
    for name in &all {
        assert!(has(name, ""), "{name} is not in src/cmd/convert/fio.options");
    }
    let engines = printed(&["--enghelp"]);
    let mut of_engines = 0;
    for engine in engines.lines().skip(1).map(str::trim).filter(|name| !name.is_empty()) {
        let own = names(&printed(&[&format!("--enghelp={engine}")]));
        for name in own.iter().filter(|name| !name.contains(' ')) {
            of_engines += 1;
            let known = ["io_uring", "io_uring_cmd", "libaio", "pvsync2"].contains(&engine);
            assert!(has(name, if known { engine } else { "" }), "{engine}: {name}");
        }
    }
    eprintln!("{} options of fio, {of_engines} of its engines", all.len());
}

#[test]
fn what_is_not_carried_over_is_named_with_its_line_and_ends_with_exit_code_3() {
    let dir = two_drives();
    let job = "[a]\nrw=randread\nsize=1m\nruntime=1\nverify=crc32c\nthinktime=5\nloops=3\n";
    std::fs::write(dir.path().join("a.fio"), job).expect("written");
    let output = dyno(dir.path(), &["convert", "a.fio", "-o", "a.toml"]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    let protocol = std::fs::read_to_string(dir.path().join("a.toml")).expect("written");
    for part in ["verify=crc32c", "thinktime=5", "loops=3"] {
        assert!(said(&output).contains(part), "{}", said(&output));
        assert!(protocol.lines().any(|l| l.starts_with('#') && l.contains(part)), "{protocol}");
    }
    assert!(
        said(&output).contains("a.fio:5: verify=crc32c: not carried over:"),
        "{}",
        said(&output)
    );
    assert!(said(&output).contains("a.fio:7: loops=3: fixed by Dyno:"), "{}", said(&output));
    assert_eq!(counts(&errors(&output)), Some([3, 1, 0, 2]));
    assert_eq!(counts(&protocol), Some([3, 1, 0, 2]));
    let _ = std::fs::remove_file(dir.path().join("a.toml"));
    dyno_well(dir.path(), &["convert", "--lossy", "a.fio", "-o", "a.toml"]);
}

#[test]
fn a_job_is_read_from_standard_input_or_from_a_command_line_and_runs() {
    use std::io::Write as _;
    let dir = two_drives();
    let job = "[a]\nioengine=psync\nrw=randread\nbs=16k\nsize=1m\nruntime=1\ntime_based\n";
    let mut child = std::process::Command::new(DYNO)
        .current_dir(dir.path())
        .args(["convert", "-", "-o", "stdin.toml"])
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("started");
    child.stdin.take().expect("a pipe").write_all(job.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("ended");
    assert!(output.status.success(), "{}", said(&output));
    let line =
        "--name=a --ioengine=psync --rw=randread --bs 16k --size=1m --runtime=1 --time_based";
    let mut args = vec!["convert", "-o", "line.toml", "--", "fio"];
    args.extend(line.split(' '));
    dyno_well(dir.path(), &args);
    let body = |name: &str| {
        let text = std::fs::read_to_string(dir.path().join(name)).expect("written");
        let lines = text.lines().filter(|l| !l.starts_with(['#', 't', 's']));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(body("stdin.toml"), body("line.toml"));
    assert!(body("line.toml").contains("block = \"16KiB\""), "{}", body("line.toml"));
    dyno_well(dir.path(), &["plan", "check", "line.toml", "-s", "A=x", "--repeats", "3"]);
    // The environment's variables, as fio expands them.
    std::fs::write(dir.path().join("v.fio"), job.replace("16k", "${BLOCK}")).expect("written");
    let unset = dyno(dir.path(), &["convert", "v.fio"]);
    assert_eq!(unset.status.code(), Some(1), "{}", said(&unset));
    assert!(said(&unset).contains("v.fio:4: bs=${BLOCK}"), "{}", said(&unset));
    let set = std::process::Command::new(DYNO)
        .current_dir(dir.path())
        .env("BLOCK", "32k")
        .args(["convert", "v.fio"])
        .output()
        .expect("ran");
    assert!(said(&set).contains("block = \"32KiB\""), "{}", said(&set));
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
            // A bundle in this folder would be on the root filesystem, if that is proposed.
            let (gone, room) = (both.contains("cannot be used"), both.contains("has room for"));
            let room = room || both.contains("which is under test");
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
        let plans = dyno::plan::load_tests(path, given, &dyno::plan_catalogue())
            .unwrap_or_else(|mistakes| panic!("{}: {}", path.display(), mistakes.render(false)));
        let first = plans.first().and_then(|plan| dyno::plan::points(plan).next());
        assert!(first.is_some(), "{}", path.display());
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
