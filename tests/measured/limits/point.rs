//! A point measured to determine its bottleneck: its load, its run, and the expected verdict.

use std::path::Path;
use std::process::Command;

use dyno::analysis::facts::CellFacts;
use dyno::analysis::keys::StepKey;
use dyno::analysis::limits::bottleneck::Bottleneck;
use dyno::brief::text::bottleneck_text;
use dyno::language::Language;

use crate::support::{open_to_all, said, skip};

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

/// Each write is durable before it is acknowledged, and one thread's flush serves all waiting ones.
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

/// Requests with this latency that touch nothing.
pub fn null(latency: &str) -> String {
    format!(
        "[[step]]\nname = \"reads\"\nwarmup = \"500ms\"\nduration = \"1s\"\n\
         [[step.stream]]\nname = \"io\"\nworkload = \"random\"\n\
         engine = {{ kind = \"null\", latency = \"{latency}\" }}\n"
    )
}

pub fn file(engine: &str, direct: bool, load: &str) -> String {
    FILE.replace("ENGINE", engine).replace("DIRECT", &direct.to_string()).replace("LOAD", load)
}

/// Measures one point in a folder on this machine's own disk; returns its cell, and the output of
/// `dyno show`.
pub fn measure(protocol: &str) -> (CellFacts, String) {
    // Not in /tmp, which may have no device.
    measure_in(Path::new(env!("CARGO_TARGET_TMPDIR")), &[], protocol)
}

/// The same in a given folder, with Dyno run by another program.
pub fn measure_in(place: &Path, by: &[&str], protocol: &str) -> (CellFacts, String) {
    measure_by(place, by, protocol, None)
}

/// Runs Dyno to its end.
pub type Runner<'a> = &'a dyn Fn(&mut Command);

/// The same, with control over the run.
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
        dyno(&["run", "p.toml", "--subject", "A=drive", "--repeats", "1", "--output", "b.dyno"]);
    match run {
        Some(run) => run(&mut measuring),
        None => drop(finished(measuring)),
    }
    let shown = finished(dyno(&["show", "b.dyno"]));
    let mut facts = dyno::bundles::facts(&[bundle], &Default::default()).expect("facts");
    (facts.measured.steps[StepKey(0)].cells.remove(0), shown)
}

/// Whether the test's folder is on a block device.
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

/// With priority over other processes if permitted, as for root.
pub fn favoured() -> &'static [&'static str] {
    let asked = Command::new("nice").args(["-n", "-15", "true"]).output();
    match asked.is_ok_and(|out| out.status.success() && out.stderr.is_empty()) {
        true => &["nice", "-n", "-15"],
        false => &[],
    }
}

/// Measures until the expected verdict occurs; returns it with its evidence. Other permitted
/// verdicts of a disturbed machine are reported.
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
        let evidence = bottleneck_text::evidence(Language::ENGLISH, verdict);
        shares_are_whole(&evidence);
        // Verdicts that rule out a ranking are marked in the output, with their remedy.
        assert_eq!(cell.is_not_the_drives(), shown.contains('†'), "{shown}");
        assert_eq!(verdict.remedy.is_some(), verdict.limit.bars_ranking(), "{verdict:?}");
        let remedy = bottleneck_text::remedy(verdict)
            .map(|r| Language::ENGLISH.text(&r))
            .unwrap_or_default();
        assert!(shown.contains(&evidence) && shown.contains(&remedy), "{verdict:?}\n{shown}");
        if verdict.limit == limit {
            return Some(format!("{evidence}: {remedy}"));
        }
        seen.push(format!("{verdict:?}"));
        // A busy machine may stop Dyno itself for a moment, whatever else is tried.
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
