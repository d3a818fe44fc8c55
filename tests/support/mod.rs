//! Shared by the test programs: skipping, sizes, detection of disturbances during a measurement,
//! and requirements of the tests with real database servers.

// Each program uses a part of it.
#![allow(dead_code)]

pub mod queued;
pub mod quiet;

use std::fmt::Display;
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

use dyno::record::Point;
use dyno::store::Bundle;
use dyno::trace::{Reader, Request};

pub const DYNO: &str = env!("CARGO_BIN_EXE_dyno");

/// Reports that a test cannot show all or part of its purpose here, and why. The only way to do so:
/// `scripts/test.py` counts and lists skips, and under `STRICT=1` they are failures.
#[track_caller]
pub fn skip(why: impl Display) {
    let why = why.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(std::env::var("STRICT").as_deref() != Ok("1"), "skipped, and STRICT=1: {why}");
    // libtest hides the output of passing tests, but not this.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// The size of a test: the everyday size, and the full size under `DYNO_SOAK=1`, which `make soak`
/// sets.
pub fn size<T: Display>(quick: T, soak: T) -> T {
    if std::env::var("DYNO_SOAK").as_deref() != Ok("1") {
        return quick;
    }
    let _ = writeln!(std::io::stderr(), "SIZE: {soak} instead of {quick}");
    soak
}

/// The seed of a test's random numbers: always the same, or `DYNO_SEED`.
pub fn seed() -> u64 {
    std::env::var("DYNO_SEED").map_or(11, |seed| seed.parse().expect("DYNO_SEED is a number"))
}

/// Serialises the calls of all tests: two concurrent searches may find the same device, and the
/// loser briefly opens the winner's, which the guard treats as a use. All runs on this machine use
/// the same file, because each has its own TMPDIR.
pub const LOOPS: &str = "/tmp/dyno-tests-losetup.lock";

/// A loop device on a file, by its path; released when dropped, and only then: a name that is
/// released twice may be another test's the second time.
pub struct LoopDevice(PathBuf);

impl LoopDevice {
    /// Binds a free one with these options of losetup.
    pub fn bound(options: &[&str], file: &Path) -> Result<LoopDevice, String> {
        let mut losetup = Command::new("flock");
        losetup.args([LOOPS, "losetup", "--find", "--show"]).args(options).arg(file);
        let output = losetup.output().map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(LoopDevice(String::from_utf8_lossy(&output.stdout).trim().into())),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    /// The same, or skips the test if that is impossible.
    pub fn over(file: &Path) -> Option<LoopDevice> {
        let bound = LoopDevice::bound(&[], file);
        bound.map_err(|error| skip(format!("no loop device can be made here: {error}"))).ok()
    }

    /// Binds the device of this name to another file; no other test gets the name in between.
    pub fn rebind(&self, options: &[&str], file: &Path) {
        let mut losetup = Command::new("flock");
        losetup.args([LOOPS, "sh", "-ec", "losetup -d \"$0\"; losetup \"$@\""]);
        losetup.arg(&self.0).args(options).arg(&self.0).arg(file);
        assert!(losetup.status().is_ok_and(|status| status.success()), "{:?}", self.0);
    }
}

impl Deref for LoopDevice {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<Path> for LoopDevice {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.0).output();
    }
}

/// Whether all of these programs are installed; otherwise the test is skipped.
pub fn have(programs: &[&str]) -> bool {
    let found = |name: &&str| {
        let path =
            std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/usr/lib/postgresql/15/bin";
        path.split(':').any(|folder| Path::new(folder).join(name).is_file())
    };
    let missing: Vec<_> = programs.iter().filter(|name| !found(name)).collect();
    if !missing.is_empty() {
        skip(format!(
            "{missing:?} not installed; scripts/setup.sh installs what Debian has, docs/tpcc.md \
             says how to get go-tpc, and act_storage is built from Aerospike's sources"
        ));
    }
    missing.is_empty()
}

/// Whether the tested program was built with RocksDB; otherwise the test is skipped.
pub fn rocksdb() -> bool {
    if !cfg!(feature = "rocksdb") {
        skip("built without RocksDB");
    }
    cfg!(feature = "rocksdb")
}

/// The db_bench built by `scripts/db_bench.sh` with Dyno's own RocksDB; the test is skipped without
/// one.
pub fn db_bench() -> Option<PathBuf> {
    let path = Path::new(DYNO).ancestors().nth(2).expect("a target folder").join("db_bench");
    if !path.exists() {
        skip(format!("{} is missing: run scripts/db_bench.sh first", path.display()));
        return None;
    }
    rocksdb().then_some(path)
}

/// The drive's folder for a database server started by Dyno: accessible to the servers' own users,
/// unlike root's home.
pub const FOR_SERVERS: &str = "/var/tmp";

/// A temporary folder is private to its creator, and a database server does not run as root.
pub fn open_to_all(folders: &[&Path]) {
    use std::os::unix::fs::PermissionsExt;
    let open = |f: &&Path| {
        std::fs::set_permissions(f, std::fs::Permissions::from_mode(0o755)).expect("opened")
    };
    folders.iter().for_each(open);
}

/// Runs Dyno in a folder.
pub fn dyno(dir: &Path, args: &[&str]) -> Output {
    Command::new(DYNO).current_dir(dir).args(args).output().expect("ran")
}

/// Runs Dyno, which must succeed; returns its output.
#[track_caller]
pub fn dyno_well(dir: &Path, args: &[&str]) -> String {
    tool(DYNO, dir, args)
}

/// The same for another program.
#[track_caller]
pub fn tool(program: &str, dir: &Path, args: &[&str]) -> String {
    run_well(Command::new(program).current_dir(dir).args(args))
}

/// Runs a command that must succeed; returns its output.
#[track_caller]
pub fn run_well(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{command:?}: {}", said(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A folder with two directories for subjects, x and y.
pub fn two_drives() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for name in ["x", "y"] {
        std::fs::create_dir(dir.path().join(name)).expect("a folder");
    }
    dir
}

/// All points of a bundle.
pub fn points(bundle: &Path) -> Vec<Point> {
    let stored = Bundle::open(bundle).and_then(|bundle| bundle.points()).expect("a bundle");
    stored.into_iter().map(|stored| stored.point).collect()
}

/// The number of points in a bundle that a run may be writing: 0 before it can be read.
pub fn points_so_far(bundle: &Path) -> usize {
    Bundle::open(bundle).and_then(|bundle| bundle.points()).map_or(0, |points| points.len())
}

/// All requests of a compiled trace.
pub fn requests(path: &Path) -> Vec<Request> {
    let mut reader = Reader::open(path).expect("a compiled trace");
    let next = || reader.next_request().expect("a request");
    std::iter::from_fn(next).collect()
}

pub fn said(output: &Output) -> String {
    // Messages are wrapped for readers; the search must not depend on line breaks.
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Requests in Mooncake's format, ten at each time: one block that all share, blocks of one of 50
/// conversations, and `new` blocks of their own; a step of time is 3 s.
pub fn mooncake_recording(requests: u64, new: u64) -> String {
    let mut text = String::new();
    for n in 0..requests {
        let mut blocks = vec![0, 1 + n % 50, 51 + n % 50];
        blocks.extend((0..new).map(|i| 1_000 + n * new + i));
        let at_ms = n / 10 * 3_000;
        text += &format!("{{\"timestamp\": {at_ms}, \"hash_ids\": {blocks:?}}}\n");
    }
    text
}

/// Runs a part of the lab of NVMe drives (`labs/nvme`) with its output in a folder; returns its
/// messages, or None if it cannot run here.
pub fn nvme_lab(part: &str, out: &Path) -> Option<String> {
    lab("labs/nvme", &[part], out)
}

/// The same for any lab.
pub fn lab(name: &str, args: &[&str], out: &Path) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let mut command = Command::new(script);
    let output = command.args(["--dyno", DYNO]).args(args).arg("--out").arg(out).output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            skip(format!("{name} cannot be started: {error}"));
            return None;
        }
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.code() == Some(77) {
        skip(String::from_utf8_lossy(&output.stderr).trim());
        return None;
    }
    let failed: Vec<&str> = said.lines().filter(|line| is_unexpected(line)).collect();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{failed:?}\n{said}\n{stderr}");
    Some(said)
}

/// Whether a guest reports that a step ended unexpectedly.
fn is_unexpected(line: &str) -> bool {
    let codes = line.split_once(": exit ").and_then(|(_, codes)| codes.split_once(" (expected "));
    codes.is_some_and(|(code, expected)| expected.trim_end().trim_end_matches(')') != code)
}

/// Waits for a condition, which must be met within this many seconds.
#[track_caller]
pub fn until(what: &str, seconds: u64, met: impl FnMut() -> bool) {
    assert!(within(seconds, met), "waited {seconds} s for {what}");
}

/// Waits for a condition for at most this many seconds; returns whether it was met.
pub fn within(seconds: u64, mut met: impl FnMut() -> bool) -> bool {
    let give_up = Instant::now() + Duration::from_secs(seconds);
    loop {
        if met() {
            return true;
        }
        if Instant::now() >= give_up {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Reads a program's output up to the line that contains this text, and nothing after it.
#[track_caller]
pub fn read_until(text: &str, output: impl Read) -> String {
    // Nothing is read ahead, so the rest of the output stays in the pipe.
    let (mut said, mut output) = (String::new(), BufReader::with_capacity(1, output));
    while !said.contains(text) {
        let read = output.read_line(&mut said).expect("the program's output");
        assert!(read > 0, "no {text:?} in {said}");
    }
    said
}

/// Whether a process has a thread of this name, such as `witness`, which exists from the start of
/// its load.
pub fn has_thread(child: &Child, name: &str) -> bool {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id()));
    let comm = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm"));
    tasks.into_iter().flatten().flatten().any(|task| comm(task).is_ok_and(|c| c.trim() == name))
}

/// The process that serves a drive's dataset, from Dyno's record.
pub fn served_by(drive: &Path) -> Option<u32> {
    let folder = drive.canonicalize().ok()?.join("dyno-data/db.0");
    let runtime = std::env::var("XDG_RUNTIME_DIR").unwrap_or_default();
    let home = std::env::var("HOME").unwrap_or_default() + "/.local/state";
    let notes = ["/run".to_string(), runtime, home]
        .into_iter()
        .filter_map(|place| std::fs::read_dir(place + "/dyno").ok());
    notes.flatten().flatten().find_map(|entry| {
        let note: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(entry.path()).ok()?).ok()?;
        let ours = note["folder"].as_str().map(Path::new) == Some(&folder);
        ours.then(|| note["server"]["pid"].as_u64())?.map(|pid| pid as u32)
    })
}
