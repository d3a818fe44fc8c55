//! A point that is measured to see what limited it: its load, its run, and the verdict that is
//! looked for.

use std::path::Path;
use std::process::{Command, Output};

use dyno::analysis::facts::CellFacts;
use dyno::analysis::limits::bottleneck::Bottleneck;
use dyno::language::Language;

use crate::support::{open_to_all, skip};

pub const FILE: &str = r#"
[dataset.data]
engine = "ENGINE"
size = "64MiB"
direct = DIRECT
fill = { kind = "sequential", read = 0, block = "128KiB" }
[[step]]
name = "reads"
warmup = "500ms"
duration = "2s"
[[step.stream]]
name = "io"
engine = "ENGINE"
workload = { kind = "random", block = "4KiB" }
LOAD
"#;

pub const DATABASE: &str = r#"
[dataset.data]
engine = "rocksdb"
keys = 20000
value_size = 400
fill = { kind = "filluniquerandom" }
[[step]]
name = "reads"
warmup = "500ms"
duration = "2s"
[[step.stream]]
name = "io"
engine = "rocksdb"
workload = "readrandom"
threads = 2
"#;

/// Each write is durable before it is acknowledged, and one thread's flush serves all that wait.
pub const SYNC: &str = r#"
[dataset.data]
engine = "rocksdb"
keys = 20000
value_size = 400
sync = true
fill = { kind = "filluniquerandom" }
[[step]]
name = "writes"
warmup = "1s"
duration = "3s"
[[step.stream]]
name = "io"
engine = "rocksdb"
workload = "overwrite"
threads = 32
"#;

pub const SERVER: &str = r#"
[dataset.data]
engine = "mysql"
fill = { kind = "oltp_load", tables = 1, table_size = 2000, threads = 2 }
[[step]]
name = "reads"
warmup = "500ms"
duration = "2s"
[[step.stream]]
name = "io"
engine = "mysql"
workload = { kind = "oltp_point_select", tables = 1, table_size = 2000 }
threads = 32
"#;

/// Requests that take this long and touch nothing.
pub fn null(latency: &str) -> String {
    format!(
        "[[step]]\nname = \"reads\"\nwarmup = \"500ms\"\nduration = \"1s\"\n\
         [[step.stream]]\nname = \"io\"\nworkload = \"random\"\n\
         engine = {{ kind = \"null\", latency = \"{latency}\" }}\n"
    )
}

/// Messages are wrapped for reading; what is looked for must not depend on where.
pub fn said(output: &Output) -> String {
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub fn file(engine: &str, direct: bool, load: &str) -> String {
    FILE.replace("ENGINE", engine).replace("DIRECT", &direct.to_string()).replace("LOAD", load)
}

/// Measures one point in a folder on this machine's own disk; its cell, and what `dyno show` says.
pub fn measure(protocol: &str) -> (CellFacts, String) {
    // Not in /tmp, which may have no device under it.
    measure_in(Path::new(env!("CARGO_TARGET_TMPDIR")), &[], protocol)
}

/// The same in a place, with Dyno run by another program.
pub fn measure_in(place: &Path, by: &[&str], protocol: &str) -> (CellFacts, String) {
    measure_by(place, by, protocol, None)
}

/// Runs Dyno, given the bundle that it will write.
pub type Runner<'a> = &'a dyn Fn(&mut Command, &Path);

/// The same, with the run in somebody's hands.
pub fn measure_by(
    place: &Path,
    by: &[&str],
    protocol: &str,
    run: Option<Runner<'_>>,
) -> (CellFacts, String) {
    let folder = tempfile::tempdir_in(place).expect("a temporary folder");
    std::fs::create_dir(folder.path().join("drive")).expect("a folder");
    open_to_all(&[folder.path(), &folder.path().join("drive")]);
    let text = format!("title = \"Limits\"\nsource = \"test\"\n{protocol}");
    std::fs::write(folder.path().join("p.toml"), text).expect("written");
    let dyno = |args: &[&str]| {
        let words = [by, &[env!("CARGO_BIN_EXE_dyno")], args].concat();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(folder.path());
        command
    };
    let finished = |mut command: Command| {
        let out = command.output().expect("ran");
        assert!(out.status.success(), "{command:?}: {}", said(&out));
        said(&out)
    };
    let bundle = folder.path().join("b.dyno");
    let mut measuring =
        dyno(&["run", "p.toml", "--subject", "A=drive", "--repeats", "1", "--bundle", "b.dyno"]);
    match run {
        Some(run) => run(&mut measuring, &bundle),
        None => drop(finished(measuring)),
    }
    let shown = finished(dyno(&["show", "b.dyno"]));
    let mut facts = dyno::bundles::facts(&[bundle], &Default::default()).expect("facts");
    (facts.steps.remove(0).cells.remove(0), shown)
}

/// Whether a block device lies under the folder where this is tested.
pub fn has_device() -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = std::fs::metadata(env!("CARGO_TARGET_TMPDIR")).expect("a folder").dev();
    let found =
        Path::new(&format!("/sys/dev/block/{}:{}", device >> 8 & 0xfff, device & 0xff)).exists();
    if !found {
        skip(format!("no block device lies under {}", env!("CARGO_TARGET_TMPDIR")));
    }
    found
}

/// Before other processes where that may be asked for, as root may.
pub fn favoured() -> &'static [&'static str] {
    let asked = Command::new("nice").args(["-n", "-15", "true"]).output();
    match asked.is_ok_and(|out| out.status.success() && out.stderr.is_empty()) {
        true => &["nice", "-n", "-15"],
        false => &[],
    }
}

/// Measures until the verdict is the one looked for; it and its evidence. What else a disturbed
/// machine may give in its place is allowed, and said.
#[track_caller]
pub fn sought(
    what: &str,
    limit: Bottleneck,
    disturbed: &[Bottleneck],
    measure: &dyn Fn() -> (CellFacts, String),
) -> Option<String> {
    let mut seen = Vec::new();
    for _ in 0..4 {
        let (cell, shown) = measure();
        let verdict = cell.limit.as_ref().expect("a verdict");
        println!("{what}: {verdict:?}");
        let said = |message| Language::ENGLISH.text(message);
        let evidence = said(&verdict.evidence);
        shares_are_whole(&evidence);
        // Whatever bars a ranking is marked where it is shown, with its remedy.
        assert_eq!(cell.is_not_the_drives(), shown.contains('†'), "{shown}");
        assert_eq!(verdict.remedy.is_some(), verdict.limit.bars_ranking(), "{verdict:?}");
        let remedy = verdict.remedy.as_ref().map(said).unwrap_or_default();
        assert!(shown.contains(&evidence) && shown.contains(&remedy), "{verdict:?}\n{shown}");
        if verdict.limit == limit {
            return Some(format!("{evidence}: {remedy}"));
        }
        seen.push(format!("{verdict:?}"));
        // A machine that others keep busy may stop Dyno itself for a moment, whatever else is
        // tried.
        let allowed = verdict.limit == Bottleneck::Standstill || disturbed.contains(&verdict.limit);
        assert!(allowed, "{what}: {seen:?}");
    }
    skip(format!("{what}; this machine was disturbed each time: {seen:?}"));
    None
}

#[track_caller]
pub fn shares_are_whole(evidence: &str) {
    for share in
        evidence.split(" %").filter_map(|part| part.rsplit(' ').next()?.parse::<f64>().ok())
    {
        assert!(share <= 100.0, "{evidence}");
    }
}

#[track_caller]
pub fn contains(evidence: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(evidence.contains(part), "no '{part}' in: {evidence}"));
}
