//! Bottlenecks. Runs that the page cache, other processes, a neighbour on the same device, Dyno's
//! own generator, a database server, and the drive itself limit, each found by what the meters
//! read, marked in what is shown, and with what to change. A machine on which others are busy
//! cannot show all of them: what it did not show is then said.

use std::cell::Cell;
use std::fs::OpenOptions;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use dyno::analysis::facts::CellFacts;
use dyno::stats::limit::Limit;

use crate::support::{FOR_SERVERS, have, open_to_all, rocksdb, skip, until};

const FILE: &str = r#"
[dataset.data]
engine = "ENGINE"
size = "64MiB"
direct = DIRECT
fill = { kind = "sequential", read = 0, block = "128KiB" }
[[step]]
name = "reads"
warmup = "1s"
duration = "4s"
[[step.stream]]
name = "io"
engine = "ENGINE"
workload = { kind = "random", block = "4KiB" }
LOAD
"#;

const DATABASE: &str = r#"
[dataset.data]
engine = "rocksdb"
keys = 20000
value_size = 400
fill = { kind = "filluniquerandom" }
[[step]]
name = "reads"
warmup = "1s"
duration = "4s"
[[step.stream]]
name = "io"
engine = "rocksdb"
workload = "readrandom"
threads = 2
"#;

/// Each write is durable before it is acknowledged, and one thread's flush serves all that wait.
const SYNC: &str = r#"
[dataset.data]
engine = "rocksdb"
keys = 20000
value_size = 400
sync = true
fill = { kind = "filluniquerandom" }
[[step]]
name = "writes"
warmup = "1s"
duration = "4s"
[[step.stream]]
name = "io"
engine = "rocksdb"
workload = "overwrite"
threads = 32
"#;

const SERVER: &str = r#"
[dataset.data]
engine = "mysql"
fill = { kind = "oltp_load", tables = 1, table_size = 2000, threads = 2 }
[[step]]
name = "reads"
warmup = "1s"
duration = "4s"
[[step.stream]]
name = "io"
engine = "mysql"
workload = { kind = "oltp_point_select", tables = 1, table_size = 2000 }
threads = 32
"#;

/// Messages are wrapped for reading; what is looked for must not depend on where.
fn said(output: &Output) -> String {
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn file(engine: &str, direct: bool, load: &str) -> String {
    FILE.replace("ENGINE", engine).replace("DIRECT", &direct.to_string()).replace("LOAD", load)
}

/// Measures one point in a folder on this machine's own disk; its cell, and what `dyno show` says.
fn measure(protocol: &str) -> (CellFacts, String) {
    // Not in /tmp, which may have no device under it.
    measure_in(Path::new(env!("CARGO_TARGET_TMPDIR")), &[], protocol)
}

/// The same in a place, with Dyno run by another program.
fn measure_in(place: &Path, by: &[&str], protocol: &str) -> (CellFacts, String) {
    measure_by(place, by, protocol, None)
}

/// Runs Dyno, given the bundle that it will write.
type Runner<'a> = &'a dyn Fn(&mut Command, &Path);

/// The same, with the run in somebody's hands.
fn measure_by(
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
    let mut facts = dyno::cmd::load::facts(&[bundle], &Default::default()).expect("facts");
    (facts.steps.remove(0).cells.remove(0), shown)
}

/// Whether a block device lies under the folder where this is tested.
fn has_device() -> bool {
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
fn favoured() -> &'static [&'static str] {
    let asked = Command::new("nice").args(["-n", "-15", "true"]).output();
    match asked.is_ok_and(|out| out.status.success() && out.stderr.is_empty()) {
        true => &["nice", "-n", "-15"],
        false => &[],
    }
}

/// Measures until the verdict is the one looked for; it and its evidence. What else a disturbed
/// machine may give in its place is allowed, and said.
#[track_caller]
fn sought(
    what: &str,
    limit: Limit,
    disturbed: &[Limit],
    measure: &dyn Fn() -> (CellFacts, String),
) -> Option<String> {
    let mut seen = Vec::new();
    for _ in 0..4 {
        let (cell, shown) = measure();
        let verdict = cell.limit.as_ref().expect("a verdict");
        println!("{what}: {verdict:?}");
        shares_are_whole(&verdict.evidence);
        // Whatever bars a ranking is marked where it is shown, with its remedy.
        assert_eq!(cell.is_not_the_drives(), shown.contains('†'), "{shown}");
        assert_eq!(verdict.remedy.is_some(), verdict.limit.bars_ranking(), "{verdict:?}");
        let remedy = verdict.remedy.clone().unwrap_or_default();
        assert!(
            shown.contains(&verdict.evidence) && shown.contains(&remedy),
            "{verdict:?}\n{shown}"
        );
        if verdict.limit == limit {
            return Some(format!("{}: {remedy}", verdict.evidence));
        }
        seen.push(format!("{verdict:?}"));
        // A machine that others keep busy may stop Dyno itself for a moment, whatever else is
        // tried.
        let allowed = verdict.limit == Limit::Standstill || disturbed.contains(&verdict.limit);
        assert!(allowed, "{what}: {seen:?}");
    }
    skip(format!("{what}; this machine was disturbed each time: {seen:?}"));
    None
}

#[track_caller]
fn shares_are_whole(evidence: &str) {
    for share in
        evidence.split(" %").filter_map(|part| part.rsplit(' ').next()?.parse::<f64>().ok())
    {
        assert!(share <= 100.0, "{evidence}");
    }
}

#[track_caller]
fn contains(evidence: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(evidence.contains(part), "no '{part}' in: {evidence}"));
}

#[test]
fn a_file_in_the_page_cache_is_marked_with_the_share_of_reads_that_memory_served() {
    if !has_device() {
        return;
    }
    let found = sought("cached reads", Limit::Memory, &[], &|| {
        measure(&file("psync", false, "threads = 4"))
    });
    if let Some(found) = found {
        contains(
            &found,
            &[
                "% of the reads were served from memory",
                "the dataset, 64 MiB, fits into",
                "GiB of memory: `direct = true`, or a dataset of",
            ],
        );
    }
}

#[test]
fn a_database_in_the_page_cache_is_marked_with_the_share_of_reads_that_memory_served() {
    if !has_device() || !rocksdb() {
        return;
    }
    let found = sought("a cached database", Limit::Memory, &[], &|| measure(DATABASE));
    if let Some(found) = found {
        contains(&found, &["% of the reads were served from memory", "`direct = true`"]);
    }
}

#[test]
fn a_folder_in_memory_has_no_drive_under_it() {
    let place = Path::new("/dev/shm");
    let kind =
        Command::new("stat").args(["-f", "-c", "%T", "/dev/shm"]).output().expect("stat ran");
    if String::from_utf8_lossy(&kind.stdout).trim() != "tmpfs" {
        skip("/dev/shm is no tmpfs here");
        return;
    }
    let load = file("psync", false, "threads = 2");
    let found = sought("a tmpfs", Limit::NoDrive, &[], &|| measure_in(place, &[], &load));
    if let Some(found) = found {
        contains(&found, &["(tmpfs): no drive lies under it", "name a folder on the drive"]);
    }
}

/// Processes that take processors; killed in the end.
struct Hogs(Vec<Child>);

impl Hogs {
    fn new(count: usize, by: &[&str]) -> Hogs {
        let words = [by, &["sh", "-c", "while :; do :; done"]].concat();
        let hog = |_| {
            Command::new(words[0]).args(&words[1..]).stdin(Stdio::null()).spawn().expect("a hog")
        };
        Hogs((0..count).map(hog).collect())
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        for hog in &mut self.0 {
            let _ = hog.kill();
            let _ = hog.wait();
        }
    }
}

#[test]
fn a_run_beside_busy_processes_is_marked_as_limited_by_the_processors() {
    let processors = std::thread::available_parallelism().map_or(2, |n| n.get());
    let _hogs = Hogs::new(3 * processors, &[]);
    let run = || measure(&file("psync", true, "threads = 4"));
    // Others may be at the disk as well, which is known whatever the processors do.
    if let Some(found) = sought("hogs", Limit::Cpu, &[Limit::Neighbour], &run) {
        contains(&found, &["with other processes", "end what else runs on this host"]);
    }
}

#[test]
fn direct_reads_of_a_drive_that_waits_for_nothing_else_are_the_drives() {
    if !has_device() {
        return;
    }
    let run = || {
        measure_in(
            Path::new(env!("CARGO_TARGET_TMPDIR")),
            favoured(),
            &file("uring", true, "depth = 64"),
        )
    };
    let disturbed = [Limit::Cpu, Limit::Neighbour, Limit::Generator, Limit::Undecided];
    if let Some(found) = sought("direct reads", Limit::Drive, &disturbed, &run) {
        contains(&found, &["the load's own requests were at the device for"]);
    }
}

/// Runs a command to its end; the share of three seconds of its load in which the device had any
/// request, seen by looking a thousand times a second. The verdict is made from what the kernel
/// adds up.
fn share_at_device(command: &mut Command, bundle: &Path, inflight: &Path) -> f64 {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("ran");
    let marker = bundle.with_file_name("drive/dyno-data/data.0/.dyno");
    until("the dataset's marker", 60, || marker.exists());
    // The warm-up has the same load.
    std::thread::sleep(Duration::from_millis(700));
    let any = || {
        let text = std::fs::read_to_string(inflight).expect("the kernel's count of requests");
        std::thread::sleep(Duration::from_millis(1));
        text.split_whitespace().any(|n| n != "0")
    };
    let end = Instant::now() + Duration::from_secs(3);
    let (mut looks, mut found) = (0.0, 0.0);
    while Instant::now() < end {
        looks += 1.0;
        found += f64::from(u8::from(any()));
    }
    assert!(child.wait().expect("waited").success());
    found / looks
}

/// That a slow drive is found to be the limit of such a load is shown where its latency is set:
/// `labs`. How fast a flush of this machine's disk is nobody knows, so what is found here is
/// compared with what can be seen of it.
#[test]
fn synced_writes_are_called_the_drives_as_far_as_the_device_is_seen_to_have_them() {
    use std::os::unix::fs::MetadataExt;
    if !has_device() || !rocksdb() {
        return;
    }
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let device = std::fs::metadata(place).expect("a folder").dev();
    let inflight = format!("/sys/dev/block/{}:{}/inflight", device >> 8 & 0xfff, device & 0xff);
    let mut disturbed = Vec::new();
    for _ in 0..4 {
        let share = Cell::new(0.0);
        let run = |command: &mut Command, bundle: &Path| {
            share.set(share_at_device(command, bundle, Path::new(&inflight)));
        };
        let (cell, _) = measure_by(place, favoured(), SYNC, Some(&run));
        let verdict = cell.limit.as_ref().expect("a verdict");
        println!(
            "synced writes, {:.0} % of the time seen at the device: {verdict:?}",
            share.get() * 100.0
        );
        shares_are_whole(&verdict.evidence);
        // The rules draw their lines at 50 and 30 %; the kernel counts time in ticks, and each look
        // is at one moment.
        let right = match verdict.limit {
            Limit::Drive => 0.3..=1.0,
            Limit::Undecided => 0.15..=0.7,
            Limit::Locks => 0.0..=0.5,
            _ => {
                disturbed.push(format!("{verdict:?}"));
                continue;
            }
        };
        assert!(
            right.contains(&share.get()),
            "{verdict:?}, and the device was seen to have any {:.2}",
            share.get()
        );
        return;
    }
    skip(format!(
        "whose the time of synced writes is; this machine was disturbed each time: {disturbed:?}"
    ));
}

/// Writes to a file past the page cache until it is over, in its own name.
fn write_until(over: &AtomicBool, folder: &Path, name: usize) {
    const CHUNK: usize = 1 << 20;
    let mut options = OpenOptions::new();
    options.write(true).create(true).custom_flags(libc::O_DIRECT);
    let path = folder.join(name.to_string());
    let file = match options.open(&path) {
        Ok(file) => file,
        Err(error) => return eprintln!("the neighbour cannot write: {error}"),
    };
    let space = vec![0xA5u8; 2 * CHUNK];
    let aligned = space.as_ptr().align_offset(4096);
    while !over.load(Relaxed) {
        for at in 0..64 {
            file.write_all_at(&space[aligned..aligned + CHUNK], (at * CHUNK) as u64)
                .expect("the neighbour wrote");
        }
    }
}

#[test]
fn a_neighbour_that_writes_to_the_same_device_is_named_and_not_the_drive() {
    if !has_device() {
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    let over = AtomicBool::new(false);
    let found = std::thread::scope(|scope| {
        let neighbour = |name| {
            let (over, folder) = (&over, folder.path());
            scope.spawn(move || write_until(over, folder, name))
        };
        let neighbours: Vec<_> = (0..4).map(neighbour).collect();
        let found = std::panic::catch_unwind(|| {
            sought("a neighbour", Limit::Neighbour, &[Limit::Cpu], &|| {
                measure(&file("psync", true, "threads = 4"))
            })
        });
        over.store(true, Relaxed);
        neighbours.into_iter().for_each(|n| n.join().expect("the neighbour"));
        found.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    if let Some(found) = found {
        contains(&found, &["of the device's time went to requests of others", "iotop -o"]);
    }
}

#[test]
fn an_open_loop_whose_ops_dyno_hands_over_late_did_not_run_at_the_rate_asked_for() {
    if !has_device() || !have(&["taskset"]) {
        return;
    }
    // Dyno has one processor, and not to itself.
    let pinned = ["taskset", "-c", "0"];
    let _hogs = Hogs::new(3, &pinned);
    let load = file("psync", true, "threads = 2\nrate = \"500/s\"");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    // Where the scheduler favours who sleeps most, few are late.
    let disturbed = [Limit::Cpu, Limit::Rate, Limit::Neighbour];
    if let Some(found) = sought("a late generator", Limit::Generator, &disturbed, &|| {
        measure_in(place, &pinned, &load)
    }) {
        contains(
            &found,
            &["of the ops were handed over late by Dyno itself", "more workers for the rate"],
        );
    }
}

/// Runs a command, stops it for two seconds in the middle of its window, and lets it go on.
fn stopped_for_two_seconds(command: &mut Command, bundle: &Path) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("ran");
    let pid = child.id().to_string();
    let signal = |name: &str| {
        assert!(Command::new("kill").args([name, &pid]).status().expect("kill ran").success())
    };
    // Once the dataset is there the load runs: a second of warm-up, and a window of four.
    let marker = bundle.with_file_name("drive/dyno-data/data.0/.dyno");
    until("the dataset's marker", 60, || marker.exists());
    std::thread::sleep(Duration::from_secs(2));
    signal("-STOP");
    std::thread::sleep(Duration::from_secs(2));
    signal("-CONT");
    assert!(child.wait().expect("waited").success());
}

#[test]
fn a_window_in_which_dyno_was_stopped_is_marked_with_how_long() {
    if !has_device() {
        return;
    }
    let load = file("psync", true, "threads = 2");
    // It is known whatever the processors do; a run that was slow to begin may be stopped in its
    // warm-up.
    let disturbed = [Limit::Cpu, Limit::Drive, Limit::Undecided, Limit::Locks];
    let run = || {
        measure_by(
            Path::new(env!("CARGO_TARGET_TMPDIR")),
            &[],
            &load,
            Some(&stopped_for_two_seconds),
        )
    };
    let Some(found) = sought("a stopped Dyno", Limit::Standstill, &disturbed, &run) else { return };
    let (_, still_s) = found.split_once("stood still for ").expect("how long");
    let still_s: f64 = still_s.split(' ').next().expect("a number").parse().expect("a number");
    // All of it or what of it lies in the window; and no more than the window has.
    assert!((0.5..=4.0).contains(&still_s), "{found}");
    contains(&found, &["of 4.0 s", "measure again where nothing stops Dyno"]);
}

#[test]
fn the_processor_time_of_a_server_that_dyno_started_is_the_loads_own() {
    if !have(&["mariadbd"]) {
        return;
    }
    let run = || measure_in(Path::new(FOR_SERVERS), favoured(), SERVER);
    let what = "a server's own processor time";
    let disturbed = [Limit::Neighbour, Limit::Undecided];
    let Some(found) = sought(what, Limit::Cpu, &disturbed, &run) else { return };
    if found.contains("with other processes") {
        return skip(format!("{what}; others had the processors: {found}"));
    }
    contains(
        &found,
        &["with the load itself", "with its database servers", "more processors for the server"],
    );
}
