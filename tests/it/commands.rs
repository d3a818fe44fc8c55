//! Commands to an NVMe drive in QEMU: Dyno's counts equal the drive's and the emulated
//! controller's, written data are there, durable writes are flushed, a volatile write cache is
//! switched and restored, and missing kernel support is an error with its remedy.

use std::path::{Path, PathBuf};
use std::process::Command;

use dyno::record::setup::WriteCacheState;
use dyno::record::{Class, Outcome, Point, Verified, WorkerProcessors, observed};
use dyno::store::Bundle;

use crate::support::{size, skip};

const DYNO: &str = env!("CARGO_BIN_EXE_dyno");
/// The lab's dataset, and the writes of its fill, in blocks of 64 KiB.
const DATASET: usize = 4 << 20;
const FILL: u64 = DATASET as u64 >> 16;
/// Flushes of the lab's fill: one at its end.
const FILLS_FLUSH: u64 = 1;

/// The fact with the location of an io_uring's buffers.
const BUFFERS: (&str, &str) = ("io_uring", "Buffers");

/// The lab's output.
struct Lab {
    folder: tempfile::TempDir,
}

/// Commands received by the emulated controller, or counted by Dyno or the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    reads: u64,
    writes: u64,
    flushes: u64,
    trims: u64,
    zeroes: u64,
}

impl Lab {
    /// Runs the lab; None if it cannot run.
    fn run(more: &[&str]) -> Option<Lab> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("labs/commands");
        let folder = tempfile::tempdir().unwrap();
        let args = [more, &["--dyno", DYNO, "--out"]].concat();
        let output = Command::new(script).args(args).arg(folder.path()).output();
        match output {
            Err(error) => skip(format!("labs/commands cannot be started: {error}")),
            Ok(output) if output.status.code() == Some(77) => {
                skip(String::from_utf8_lossy(&output.stderr).trim());
            }
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stdout);
                let error = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{said}{error}");
                return Some(Lab { folder });
            }
        }
        None
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        let path = self.path(name);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// On one line, without the terminal's line breaks.
    fn said(&self, way: &str) -> String {
        self.text(&format!("{way}.txt")).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }

    /// The commands received by the emulated controller.
    fn received(&self, way: &str) -> Counts {
        let counts = self.json(&format!("{way}.after.commands.json"));
        let of = |name: &str| counts[name].as_u64().unwrap_or(0);
        Counts {
            reads: of("READ"),
            writes: of("WRITE"),
            flushes: of("FLUSH"),
            trims: of("DSM"),
            zeroes: of("WRITE_ZEROES"),
        }
    }

    /// The counts of the drive's SMART log: (reads, writes).
    fn smart(&self, way: &str) -> (u64, u64) {
        let log = |when: &str| {
            let log = self.json(&format!("{way}.{when}.json"));
            // nvme-cli writes 128-bit counters as text.
            let number = |name: &str| -> u64 {
                let plain = log[name].to_string().replace('"', "");
                plain.parse().unwrap_or_else(|_| panic!("{name} in {log}"))
            };
            (number("host_read_commands"), number("host_write_commands"))
        };
        let (before, after) = (log("before"), log("after"));
        (after.0 - before.0, after.1 - before.1)
    }

    /// The counts of the block layer (Linux, Documentation/block/stat.rst; `stat` counts from 0).
    fn block_layer(&self, way: &str, field: usize) -> u64 {
        let of = |when: &str| -> u64 {
            let text = self.text(&format!("{way}.{when}.stat"));
            text.split_whitespace().nth(field).unwrap().parse().unwrap()
        };
        of("after") - of("before")
    }

    fn bundle(&self, way: &str) -> Bundle {
        Bundle::open(&self.path(&format!("{way}.dyno"))).unwrap()
    }

    /// The processors of the point's workers.
    fn placed(&self, way: &str) -> String {
        let points = self.bundle(way).points().unwrap();
        let observed = &points[0].point.observed;
        let placed = observed::all::<WorkerProcessors>(observed).next();
        placed.unwrap_or_else(|| panic!("{way}: {observed:?}")).disclosed().value
    }

    /// Dyno's count for a class of op, over all steps.
    fn ours(&self, way: &str, class: &str) -> u64 {
        let points = self.bundle(way).points().unwrap();
        points.iter().map(|stored| of_point(way, &stored.point, class)).sum()
    }

    /// Interrupts of the drive's queues except its admin queue (/proc/interrupts).
    fn interrupts(&self, way: &str) -> u64 {
        let of = |when: &str| -> u64 {
            let text = self.text(&format!("{way}.{when}.interrupts"));
            let queues = text.lines().filter(|line| !line.trim_end().ends_with("q0"));
            let counts = queues.flat_map(|line| line.split_whitespace().skip(1));
            counts.map_while(|word| word.parse::<u64>().ok()).sum()
        };
        of("after") - of("before")
    }
}

/// Dyno's count for a class of op at a point.
fn of_point(way: &str, point: &Point, class: &str) -> u64 {
    assert_eq!(point.outcome, Outcome::Measured, "{way}");
    let class = Class::stored(class).unwrap();
    let tallies = point.cells.iter().flat_map(|cell| &cell.tallies);
    // Those in flight at the end of the window included: the drive counts them too.
    tallies.filter(|tally| tally.class == class).map(|tally| tally.service.count).sum()
}

const READS: usize = 0;
const WRITES: usize = 4;
const DISCARDS: usize = 11;
const FLUSHES: usize = 15;

#[test]
fn in_qemu_every_way_to_a_drive_sends_what_it_counts_and_what_it_lacks_is_said() {
    let all = ["passthrough", "psync", "uring", "libaio"];
    let engines = &all[..size(1, all.len())];
    let Some(lab) = Lab::run(&["--engines", &engines.join(",")]) else { return };
    ways_write_what_they_should(&lab);
    all_is_read_back(&lab, "verified", true);
    buffers_lie_in_huge_pages_where_some_are_free(&lab);
    for by in engines {
        durable_writes_are_flushed(&lab, by);
        trims_and_zeroes_arrive(&lab, by);
    }
    the_write_cache_is_switched_and_put_back(&lab);
    what_a_kernel_lacks_is_said(&lab);
}

/// Reads and writes, polled and not, through and past the block layer.
fn ways_write_what_they_should(lab: &Lab) {
    let drive = std::fs::read(lab.path("written")).unwrap();
    assert_eq!(drive.len(), 64 << 20);
    let (used, rest) = drive.split_at(DATASET);
    // Random data differ in all but one byte in 256.
    let written = used.iter().filter(|byte| **byte != 0).count();
    assert!(written > used.len() / 256 * 254, "{written} bytes");
    assert!(rest.iter().all(|byte| *byte == 0), "something beside the range in use");
    for way in ["serial", "consent", "generic", "filesystem", "mounted", "swap"] {
        let received = lab.received(way);
        assert_eq!((received.writes, received.trims, received.zeroes), (0, 0, 0), "{way}");
        assert_eq!(lab.smart(way).1, 0, "{way}: the drive was written to");
    }
    // The guard's reads go through the block layer, which NVMe commands bypass.
    let guards = lab.block_layer("passthrough", READS);
    for way in ["plain", "iopoll", "passthrough", "long", "both", "sqpoll"] {
        let (reads, writes) = (lab.ours(way, "read"), lab.ours(way, "write"));
        assert!(reads > 10 && writes > 10, "{way}: {reads} reads, {writes} writes");
        let expected = Counts {
            reads: guards + reads,
            writes: FILL + writes,
            flushes: FILLS_FLUSH,
            trims: 0,
            zeroes: 0,
        };
        assert_eq!(lab.received(way), expected, "{way}");
        assert_eq!(lab.smart(way), (expected.reads, expected.writes), "{way}");
        let placed = lab.placed(way);
        assert_eq!(placed, "0: one worker on each", "{way}: local to the drive, unasked");
        if matches!(way, "passthrough" | "long" | "both") {
            // The final flush is the block device's.
            let block_layer = (lab.block_layer(way, READS), lab.block_layer(way, WRITES));
            assert!(block_layer.0 == guards && block_layer.1 <= 1, "{way}: {block_layer:?}");
        }
    }
}

fn buffers_lie_in_huge_pages_where_some_are_free(lab: &Lab) {
    for (way, pages) in [
        ("passthrough", "in huge pages of 2 MiB"),
        ("verified", "in huge pages of 2 MiB"),
        ("long", "in huge pages of 2 MiB"),
        ("plain", "in pages of 4 KiB"),
        ("iopoll", "in pages of 4 KiB"),
    ] {
        let points = lab.bundle(way).points().unwrap();
        let facts = &points[0].point.facts;
        let buffers = facts.iter().find(|f| (f.group.as_str(), f.name.as_str()) == BUFFERS);
        assert!(buffers.is_some_and(|fact| fact.value.contains(pages)), "{way}: {buffers:?}");
    }
}

/// With `verify = true`: the load's own reads, then all blocks as written, then all of them through
/// the block layer, each block compared with what was written.
fn all_is_read_back(lab: &Lab, way: &str, past_the_block_layer: bool) {
    let points = lab.bundle(way).points().unwrap();
    let steps: Vec<&str> = points.iter().map(|stored| stored.point.key.step.as_str()).collect();
    assert_eq!(steps, ["mix", "same-way", "block-layer"], "{way}");
    for stored in &points {
        let step = &stored.point.key.step;
        let verified = observed::all::<Verified>(&stored.point.observed).next();
        let verified = verified.unwrap_or_else(|| panic!("{way}, {step}: nothing verified"));
        // A busy machine's guest does not read all of it in a second.
        let least = if step == "mix" { 10 } else { size(10, DATASET as u64 / 4096) };
        assert!(verified.checked >= least && verified.wrong == 0, "{way}, {step}: {verified:?}");
    }
    // Exact counts, each on its own path.
    let (reads, writes) = (lab.ours(way, "read"), lab.ours(way, "write"));
    let received = lab.received(way);
    let guards = received.reads - reads;
    assert_eq!((received.writes, lab.smart(way)), (FILL + writes, (guards + reads, FILL + writes)));
    let last = of_point(way, &points[2].point, "read");
    let through = if past_the_block_layer { guards + last } else { guards + reads };
    assert_eq!(lab.block_layer(way, READS), through, "{way}");
}

/// FUA is a flag of the write, followed by a flush only if the kernel adds one; fdatasync is one
/// flush per reported op.
fn durable_writes_are_flushed(lab: &Lab, by: &str) {
    let way = format!("fua-{by}");
    let fua = lab.ours(&way, "write-fua");
    assert!(fua > 10, "{way}: {fua}");
    // Linux ends a synchronous write to a device, such as psync's, with an additional flush.
    let besides = if by == "psync" { fua } else { 0 };
    let received = lab.received(&way);
    let expected = (FILL + fua, FILLS_FLUSH + besides);
    assert_eq!((received.writes, received.flushes), expected, "{way}");

    let way = format!("fdatasync-{by}");
    let written = lab.ours(&way, "write-fdatasync");
    let received = lab.received(&way);
    assert_eq!(received.writes, FILL + written, "{way}");
    let flushed = FILLS_FLUSH + written;
    match by {
        // The block layer merges concurrent flushes into one (Linux, block/blk-flush.c).
        "uring" => assert!((flushed / 8..=flushed).contains(&received.flushes), "{received:?}"),
        _ => assert_eq!(received.flushes, flushed, "{way}"),
    }

    let way = format!("flush-{by}");
    let (writes, flushes) = (lab.ours(&way, "write"), lab.ours(&way, "flush"));
    assert!(flushes.abs_diff(writes / 8) <= 1, "{way}: {flushes} flushes of {writes} writes");
    let received = lab.received(&way);
    let expected = (FILL + writes, FILLS_FLUSH + flushes);
    assert_eq!((received.writes, received.flushes), expected, "{way}");

    for kind in ["fua", "fdatasync", "flush"].iter().filter(|_| by != "passthrough") {
        let way = format!("{kind}-{by}");
        let received = lab.received(&way).flushes;
        assert_eq!(lab.block_layer(&way, FLUSHES), received, "{way}: as the kernel counts");
    }
}

fn trims_and_zeroes_arrive(lab: &Lab, by: &str) {
    let way = format!("zeroes-{by}");
    let zeroes = lab.ours(&way, "write-zeroes");
    let received = lab.received(&way);
    assert!(zeroes > 10, "{way}: {zeroes}");
    let writes = FILL + lab.ours(&way, "write");
    assert_eq!((received.zeroes, received.writes), (zeroes, writes), "{way}");

    let way = format!("trim-{by}");
    if by == "uring" {
        // The guest's kernel is older, which is detected before anything is written.
        let said = lab.said(&way);
        assert!(said.contains("trim of a block device needs Linux 6.12"), "{said}");
        return assert_eq!(lab.received(&way).writes, 0, "{way}: {said}");
    }
    let trims = lab.ours(&way, "trim");
    assert!(trims > 10, "{way}: {trims}");
    assert_eq!(lab.received(&way).trims, trims, "{way}");
    let of_block_layer = if by == "passthrough" { 0 } else { trims };
    assert_eq!(lab.block_layer(&way, DISCARDS), of_block_layer, "{way}: as the kernel counts");
}

/// Off for the run, in the drive and in the kernel's setting; on again after it.
fn the_write_cache_is_switched_and_put_back(lab: &Lab) {
    let drives = lab.bundle("cache-off").drives().unwrap();
    assert_eq!(drives[0].volatile_cache, [WriteCacheState::Off]);
    let synced = lab.ours("cache-off", "write-fdatasync");
    assert!(synced > 10, "{synced}");
    // If the kernel knows of no volatile cache, it sends no flush.
    assert_eq!(lab.received("cache-off").flushes, 0, "{synced} ops");
    let after = lab.text("cache.txt");
    assert!(after.contains("Current value:0x00000001"), "{after}");
    assert!(after.contains("write back"), "{after}");
}

fn what_a_kernel_lacks_is_said(lab: &Lab) {
    let hybrid = lab.said("hybrid");
    assert!(hybrid.contains("hybrid polling needs Linux 6.13"), "{hybrid}");
    for way in ["unpolled-iopoll", "unpolled-both"] {
        let said = lab.said(way);
        assert!(said.contains("has no polling queues"), "{way}: {said}");
        assert!(said.contains("nvme.poll_queues=N"), "{way}: {said}");
    }
}

/// A kernel of Linux 6.13 or later, only for the guest: NEWER_KERNEL, or the one downloaded by
/// `scripts/newer_kernel.sh`.
fn newer_kernel() -> Option<PathBuf> {
    let fetched = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../newer-kernel");
    let named = std::env::var_os("NEWER_KERNEL").map_or(fetched, PathBuf::from);
    named.exists().then_some(named)
}

#[test]
fn in_qemu_with_a_newer_kernel_hybrid_polling_takes_no_interrupt_and_reads_back_what_it_wrote() {
    let Some(kernel) = newer_kernel() else {
        return skip(
            "hybrid polling needs a guest of Linux 6.13: `scripts/newer_kernel.sh` fetches one",
        );
    };
    let Some(lab) = Lab::run(&["--newer-kernel", kernel.to_str().unwrap()]) else { return };
    let guards = lab.received("plain").reads - lab.ours("plain", "read");
    for way in ["plain", "hybrid"] {
        let (reads, writes) = (lab.ours(way, "read"), lab.ours(way, "write"));
        assert!(reads > 100 && writes > 100, "{way}: {reads} reads, {writes} writes");
        let (received, smart) = (lab.received(way), lab.smart(way));
        assert_eq!((received.reads, received.writes), (guards + reads, FILL + writes), "{way}");
        assert_eq!(smart, (received.reads, received.writes), "{way}");
    }
    // The guard's reads and the flush after the fill are not polled.
    let (plain, hybrid) = (lab.interrupts("plain"), lab.interrupts("hybrid"));
    assert!(plain > 100 && hybrid <= guards + FILLS_FLUSH, "{plain} interrupts, {hybrid} polled");
    all_is_read_back(&lab, "verified-hybrid", false);
    assert!(lab.interrupts("verified-hybrid") > 0, "the last of its steps is not polled");
    // Linux 6.12 supports trims as io_uring commands.
    let trims = lab.ours("trim-uring", "trim");
    assert!(trims > 10 && lab.received("trim-uring").trims == trims, "{trims} trims");
}
