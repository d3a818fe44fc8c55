//! Bottlenecks. Runs limited by the page cache, other processes, a neighbour on the same device,
//! Dyno's own generator, a database server, and the drive itself, each detected from the meters,
//! marked in the output, with a remedy. A busy machine cannot show all of them: untested ones are
//! reported.

mod point;

use std::cell::Cell;
use std::fs::OpenOptions;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use dyno::analysis::limits::bottleneck::Bottleneck;
use dyno::brief::text::bottleneck_text;
use dyno::language::Language;

use crate::support::quiet::on_a_quiet_machine;
use crate::support::{FOR_SERVERS, has_thread, have, rocksdb, skip, until};
use point::{
    DATABASE, SERVER, SYNC, contains, favoured, file, has_device, measure, measure_by, measure_in,
    null, shares_are_whole, sought,
};

#[test]
fn a_file_in_the_page_cache_is_marked_with_the_share_of_reads_that_memory_served() {
    if !has_device() {
        return;
    }
    let found = sought("cached reads", Bottleneck::Memory, &[], &|| {
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
    let found = sought("a cached database", Bottleneck::Memory, &[], &|| measure(DATABASE));
    if let Some(found) = found {
        contains(&found, &["% of the reads were served from memory", "`direct = true`"]);
    }
}

#[test]
fn a_result_near_the_generators_own_ceiling_is_marked_and_a_slower_one_is_not() {
    on_a_quiet_machine(|| {
        // The ceiling of this shape is now stored, also for a stream with another name.
        measure(&null("0ns").replace("\"io\"", "\"other\""));
        let run = || measure(&null("0ns"));
        if let Some(found) =
            sought("the null engine", Bottleneck::Generator, &[Bottleneck::Cpu], &run)
        {
            contains(&found, &["of the generator's ceiling for this load"]);
        }
        let (cell, _) = measure(&null("100us"));
        let verdict = cell.limit.expect("a verdict");
        assert_ne!(verdict.limit, Bottleneck::Generator, "{verdict:?}");
        let evidence = bottleneck_text::evidence(Language::ENGLISH, &verdict);
        assert!(!evidence.contains("generator's ceiling"), "far from it: {evidence}");
    });
}

#[test]
fn a_folder_in_memory_has_no_drive_under_it() {
    let place = Path::new("/dev/shm");
    let kind =
        Command::new("stat").args(["-f", "-c", "%T", "/dev/shm"]).output().expect("stat ran");
    if String::from_utf8_lossy(&kind.stdout).trim() != "tmpfs" {
        skip("/dev/shm is not a tmpfs here");
        return;
    }
    let load = file("psync", false, "threads = 2");
    let found = sought("a tmpfs", Bottleneck::NoDrive, &[], &|| measure_in(place, &[], &load));
    if let Some(found) = found {
        contains(&found, &["(tmpfs), not on a drive", "use a directory on the drive"]);
    }
}

/// Processes that use processors; killed at the end.
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
    // Others may also use the disk, which is detected whatever the processors do.
    if let Some(found) = sought("hogs", Bottleneck::Cpu, &[Bottleneck::Neighbour], &run) {
        contains(&found, &["with other processes", "stop the other programs on this host"]);
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
    let disturbed =
        [Bottleneck::Cpu, Bottleneck::Neighbour, Bottleneck::Generator, Bottleneck::Undecided];
    if let Some(found) = sought("direct reads", Bottleneck::Drive, &disturbed, &run) {
        contains(&found, &["the load's own requests were at the device for"]);
    }
}

/// Starts a command, and returns when its load runs: the warm-up has the same load.
fn loaded(command: &mut Command) -> Child {
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("ran");
    until("the load", 60, || has_thread(&child, "witness"));
    child
}

/// Runs a command to its end; returns the share of three seconds of its load with any request at
/// the device, from a thousand samples per second. The verdict is based on the kernel's sums.
fn share_at_device(command: &mut Command, inflight: &Path) -> f64 {
    let mut child = loaded(command);
    let any = || {
        let text = std::fs::read_to_string(inflight).expect("the kernel's count of requests");
        // The interval between two samples.
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

/// `labs` shows that a slow drive is detected as the bottleneck of such a load, with its latency
/// set. The flush time of this machine's disk is unknown, so the result is compared with
/// observations of it.
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
        let run = |command: &mut Command| {
            share.set(share_at_device(command, Path::new(&inflight)));
        };
        let (cell, _) = measure_by(place, favoured(), SYNC, Some(&run));
        let verdict = cell.limit.as_ref().expect("a verdict");
        println!(
            "synced writes, {:.0} % of the time seen at the device: {verdict:?}",
            share.get() * 100.0
        );
        shares_are_whole(&bottleneck_text::evidence(Language::ENGLISH, verdict));
        // The rules' thresholds are 50 and 30 %; samples are instantaneous, and the kernel counts
        // time in ticks of some milliseconds, of which a request takes a whole one: requests of a
        // fraction of a tick have twice the observed share.
        let right = match verdict.limit {
            Bottleneck::Drive => 0.3..=1.0,
            Bottleneck::Undecided => 0.1..=0.7,
            Bottleneck::Locks => 0.0..=0.5,
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

/// Writes to a file past the page cache until the end, as a separate process.
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
            sought("a neighbour", Bottleneck::Neighbour, &[Bottleneck::Cpu], &|| {
                measure(&file("psync", true, "threads = 4"))
            })
        });
        over.store(true, Relaxed);
        neighbours.into_iter().for_each(|n| n.join().expect("the neighbour"));
        found.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    if let Some(found) = found {
        contains(&found, &["of the device's time was spent on requests of others", "iotop -o"]);
    }
}

#[test]
fn an_open_loop_whose_ops_dyno_hands_over_late_did_not_run_at_the_rate_asked_for() {
    if !has_device() || !have(&["taskset"]) {
        return;
    }
    // Dyno has one processor, and shares it. With the hogs' nice value, a scheduler that favours
    // threads that sleep most would leave few ops late.
    let pinned = ["taskset", "-c", "0"];
    let _hogs = Hogs::new(3, &pinned);
    let behind = [&pinned[..], &["nice", "-n", "5"]].concat();
    let load = file("psync", true, "threads = 2\nrate = \"500/s\"");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let disturbed = [Bottleneck::Cpu, Bottleneck::Rate, Bottleneck::Neighbour];
    if let Some(found) = sought("a late generator", Bottleneck::Generator, &disturbed, &|| {
        measure_in(place, &behind, &load)
    }) {
        contains(
            &found,
            &["of the ops were submitted late by Dyno itself", "more workers for the rate"],
        );
    }
}

/// At 200/s a worker sleeps between its ops, and an idle processor takes a while to wake: that is
/// no lack of processor time, and at most a reason to keep processors awake.
#[test]
fn a_low_rate_on_an_idle_host_is_reached_and_no_lower_one_is_advised() {
    if !has_device() {
        return;
    }
    on_a_quiet_machine(|| {
        let (cell, shown) = measure(&file("psync", true, "rate = \"200/s\""));
        let verdict = cell.limit.expect("a verdict");
        let remedy = bottleneck_text::remedy(&verdict).map(|text| Language::ENGLISH.text(&text));
        match verdict.limit {
            Bottleneck::Rate | Bottleneck::Drive => {}
            Bottleneck::Generator => {
                contains(&remedy.expect("a remedy"), &["keep idle processors from deep sleep"]);
            }
            // Others used the disk or the processors.
            Bottleneck::Neighbour | Bottleneck::Cpu | Bottleneck::Standstill => {
                return skip(format!("a low rate on an idle host; it was not idle: {verdict:?}"));
            }
            _ => panic!("{verdict:?}"),
        }
        assert!(!shown.contains("a lower rate"), "{shown}");
    });
}

/// Runs a command, stops it for a second in the middle of its window, and continues it.
fn stopped_for_a_second(command: &mut Command) {
    let mut child = loaded(command);
    let pid = child.id().to_string();
    let signal = |name: &str| {
        assert!(Command::new("kill").args([name, &pid]).status().expect("kill ran").success())
    };
    // The time of the stop is under test: after half a second of warm-up, in a window of two. So is
    // its length.
    std::thread::sleep(Duration::from_secs(1));
    signal("-STOP");
    std::thread::sleep(Duration::from_secs(1));
    signal("-CONT");
    assert!(child.wait().expect("waited").success());
}

#[test]
fn a_window_in_which_dyno_was_stopped_is_marked_with_how_long() {
    if !has_device() {
        return;
    }
    let load = file("psync", true, "threads = 2");
    // It is detected whatever the processors do; a run that started slowly may be stopped in its
    // warm-up.
    let disturbed = [
        Bottleneck::Cpu,
        Bottleneck::Drive,
        Bottleneck::Neighbour,
        Bottleneck::Undecided,
        Bottleneck::Locks,
    ];
    let run = || {
        measure_by(Path::new(env!("CARGO_TARGET_TMPDIR")), &[], &load, Some(&stopped_for_a_second))
    };
    let Some(found) = sought("a stopped Dyno", Bottleneck::Standstill, &disturbed, &run) else {
        return;
    };
    let (_, still_s) = found.split_once("stood still for ").expect("how long");
    let still_s: f64 = still_s.split(' ').next().expect("a number").parse().expect("a number");
    // All of it or the part in the window, and no more than the window's length.
    assert!((0.5..=2.0).contains(&still_s), "{found}");
    contains(&found, &["of 2.0 s", "measure again without interruptions of Dyno"]);
}

#[test]
fn the_processor_time_of_a_server_that_dyno_started_is_the_loads_own() {
    if !have(&["mariadbd"]) {
        return;
    }
    let run = || measure_in(Path::new(FOR_SERVERS), favoured(), SERVER);
    let what = "a server's own processor time";
    let disturbed = [Bottleneck::Neighbour, Bottleneck::Undecided];
    let Some(found) = sought(what, Bottleneck::Cpu, &disturbed, &run) else { return };
    if found.contains("with other processes") {
        return skip(format!("{what}; others had the processors: {found}"));
    }
    contains(
        &found,
        &["with the load itself", "with its database servers", "more processors for the server"],
    );
}

#[test]
fn processors_that_the_servers_have_to_themselves_are_named_when_they_are_full() {
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    if !have(&["mariadbd"]) || processors < 2 {
        return;
    }
    // The server's one works more per transaction than the load's.
    let apart = SERVER
        .replace("oltp_point_select", "oltp_read_only")
        .replace("fill =", "cpus = \"0\"\nfill =")
        .replace("threads = 32", "threads = 32\ncpus = \"1\"");
    let run = || measure_in(Path::new(FOR_SERVERS), favoured(), &apart);
    let disturbed = [Bottleneck::Neighbour, Bottleneck::Undecided, Bottleneck::Locks];
    let what = "a server's own processors";
    let Some(found) = sought(what, Bottleneck::Cpu, &disturbed, &run) else { return };
    if found.contains("with other processes") {
        return skip(format!("{what}; others had the processors: {found}"));
    }
    contains(&found, &["of the database servers' own processor was busy"]);
}
