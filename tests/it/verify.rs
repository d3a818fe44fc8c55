//! `verify = true`: whatever is done to data outside a load is found and named, and nothing correct
//! is accused. On a loop device whose file is edited below it, and on files.

use std::collections::BTreeMap;
use std::os::unix::fs::FileExt;
use std::sync::atomic::AtomicBool;

use dyno::base::clock::Clock;
use dyno::base::error::{Result, describe};
use dyno::base::rng::Seed;
use dyno::engine::{self, Access, DatasetAccess, DatasetLocation, Target};
use dyno::measure::recorder::Recorder;
use dyno::measure::slowest::Slowest;
use dyno::measure::worker::{DriveJob, MeasuredWindow, Slots, WorkerJob};
use dyno::measure::{Op, OpGenerator, OpKind};
use dyno::plan::{Arrival, Component, Knobs, Load, Stream};
use dyno::record::{Class, Verified, observed};
use serde_json::{Value, json};

use crate::support::{LoopDevice, seed, size, skip};

pub const BLOCK: u64 = 4096;
const BLOCKS: u64 = 512;

/// Memory, a different device from the tests' disk.
pub fn journals() -> Option<tempfile::TempDir> {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
        skip("no /dev/shm to keep a journal in");
        return None;
    };
    Some(folder)
}

/// A loop device on a file, with a journal elsewhere; removed when dropped.
struct Disk {
    folder: tempfile::TempDir,
    journals: tempfile::TempDir,
    device: LoopDevice,
    image: std::fs::File,
}

/// Ops from a list.
struct Listed(Vec<Op>);

impl OpGenerator for Listed {
    fn op(&mut self, n: u64) -> Op {
        self.0[n as usize]
    }
}

/// `trim`: the percentage of trims among its ops.
fn stream(engine: &str, depth: u32, block: u64, trim: f64) -> Stream {
    let workload = Knobs(BTreeMap::from([
        ("block".to_string(), json!([[block, 1.0]])),
        ("trim".to_string(), json!(trim)),
    ]));
    Stream {
        name: "io".into(),
        engine: Component { name: engine.into(), knobs: Knobs::default() },
        workload: Component { name: "random".into(), knobs: workload },
        dataset: "d".into(),
        threads: 1,
        depth,
        load: Load::Closed,
        arrival: Arrival::Fixed,
        instances: 1,
        headline: true,
        target: Default::default(),
        cpus: None,
        drives_per_worker: 1,
    }
}

/// Executes ops like a worker.
fn work(target: &dyn Target, stream: &Stream, ops: Vec<Op>, clock: Clock) -> Result<()> {
    work_on(&[target], stream, &ops, clock)
}

/// Executes the same ops on each of several drives, like one worker.
fn work_on(targets: &[&dyn Target], stream: &Stream, ops: &[Op], clock: Clock) -> Result<()> {
    let recorders: Vec<_> = targets.iter().map(|_| Recorder::new(&[Class::READ], false)).collect();
    let limit = Some(ops.len() as u64);
    let drive = |recorder| {
        let (source, slowest) = (Box::new(Listed(ops.to_vec())), Slowest::new(0));
        DriveJob { source, schedule: None, limit, recorder, slowest }
    };
    let mut drives: Vec<DriveJob<'_>> = recorders.iter().map(drive).collect();
    targets[0].io_context_on(targets, stream, 0)?.work(WorkerJob {
        clock,
        drives: &mut drives,
        slots: Slots::new(stream.depth, targets.len() as u32),
        window: MeasuredWindow { from_ns: 0, until_ns: u64::MAX / 4 },
        stop: &AtomicBool::new(false),
    })
}

fn op(kind: OpKind, block: u64, salt: u64) -> Op {
    Op { kind, class: 0, len: BLOCK as u32, at: block * BLOCK, salt }
}

fn each(kind: OpKind) -> Vec<Op> {
    (0..BLOCKS).map(|block| op(kind, block, block)).collect()
}

fn words(error: &dyno::base::error::Error) -> String {
    let (what, next) = describe(error);
    format!("{what} {}", next.join(" "))
}

impl Disk {
    fn new() -> Option<Disk> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        Disk::of(folder, journals()?)
    }

    /// The other way round: no durable write waits for a disk.
    fn in_memory() -> Option<Disk> {
        Disk::of(journals()?, tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    fn of(folder: tempfile::TempDir, journals: tempfile::TempDir) -> Option<Disk> {
        let file = folder.path().join("disk");
        std::fs::write(&file, vec![0; (BLOCKS * BLOCK) as usize]).unwrap();
        let device = LoopDevice::over(&file)?;
        let image = std::fs::OpenOptions::new().read(true).write(true).open(&file).unwrap();
        Some(Disk { folder, journals, device, image })
    }

    fn on<R>(&self, engine: &str, access: Access, of: impl FnOnce(&dyn Target, Clock) -> R) -> R {
        let knobs = json!({
            "size": BLOCKS * BLOCK, "offset": 0, "direct": true, "compressible": 25.0,
            "nop": false, "verify": true, "journal": self.journals.path(),
        });
        let Value::Object(knobs) = knobs else { unreachable!() };
        let knobs = Knobs(knobs.into_iter().collect());
        let serial = self.folder.path().join("disk").display().to_string();
        let home = DatasetLocation::Device { path: self.device.to_path_buf(), serial };
        let clock = Clock::start();
        let site = DatasetAccess { home: &home, knobs: &knobs, access, clock };
        let target = engine::find(engine).unwrap().open(&site).unwrap();
        of(&*target, clock)
    }

    /// Executes ops; returns how they ended and what was verified.
    fn run(
        &self,
        engine: &str,
        access: Access,
        depth: u32,
        ops: Vec<Op>,
    ) -> (Result<()>, Verified) {
        self.on(engine, access, |target, clock| {
            let trim = ops.iter().filter(|op| op.kind == OpKind::Trim).count() as f64;
            let ended = work(target, &stream(engine, depth, BLOCK, trim), ops, clock);
            let seen = target.observed();
            (ended, *observed::all::<Verified>(&seen).next().unwrap())
        })
    }

    fn held(&self, block: u64) -> Vec<u8> {
        let mut data = vec![0; BLOCK as usize];
        self.image.read_exact_at(&mut data, block * BLOCK).unwrap();
        data
    }

    fn put(&self, block: u64, data: &[u8]) {
        self.image.write_all_at(data, block * BLOCK).unwrap();
    }

    /// Reads all of it; returns the class and address of the accused block.
    #[track_caller]
    fn accused(&self, engine: &str, depth: u32) -> Option<(String, u64)> {
        let (ended, verified) = self.run(engine, Access::ReadOnly, depth, each(OpKind::Read));
        let Err(error) = ended else {
            assert_eq!((verified.checked, verified.wrong), (BLOCKS, 0), "{engine}");
            return None;
        };
        assert_eq!(verified.wrong, 1, "{engine}");
        let text = words(&error);
        let (_, after) =
            text.split_once("the block at offset ").unwrap_or_else(|| panic!("{text}"));
        let (address, after) = after.split_once(" is ").unwrap();
        let (class, _) = after.split_once(": expected generation ").unwrap();
        Some((class.to_string(), address.parse().unwrap()))
    }
}

/// The fault injected into a block, and its expected class.
const FAULTS: [&str; 7] = [
    "a flipped bit",
    "an old block",
    "swapped blocks",
    "torn",
    "zeroes",
    "foreign",
    "half foreign",
];

/// Injects one fault into a block with previous contents `old`, and returns its class.
fn inject(disk: &Disk, fault: &str, block: u64, old: &[u8], draw: u64) -> &'static str {
    let mut data = disk.held(block);
    match fault {
        "a flipped bit" => {
            data[draw as usize % BLOCK as usize] ^= 1 << (draw >> 32 & 7);
            disk.put(block, &data);
            "corrupt"
        }
        "an old block" => {
            disk.put(block, old);
            "old"
        }
        "swapped blocks" => {
            let other = (block + 1 + draw % (BLOCKS - 1)) % BLOCKS;
            let its = disk.held(other);
            disk.put(other, &data);
            disk.put(block, &its);
            "foreign"
        }
        "torn" => {
            let at = (1 + draw as usize % 7) * 512;
            disk.put(block, &[&data[..at], &old[at..]].concat());
            "torn"
        }
        "zeroes" => {
            disk.put(block, &[0; BLOCK as usize]);
            "zeroes"
        }
        "foreign" => {
            disk.put(block, &[draw as u8 | 1; BLOCK as usize]);
            "foreign"
        }
        _ => {
            let at = (1 + draw as usize % 7) * 512;
            disk.put(block, &[&data[..at], &vec![0xA5; 4096 - at]].concat());
            "torn"
        }
    }
}

#[test]
fn whatever_is_done_to_a_block_below_the_device_is_found_and_named() {
    let Some(disk) = Disk::new() else { return };
    let rounds = size(2u64, 150);
    for (engine, depth) in [("psync", 1), ("uring", 8), ("libaio", 8)] {
        let (filled, _) = disk.run(engine, Access::Create, depth, each(OpKind::Write));
        filled.unwrap();
        assert_eq!(disk.accused(engine, depth), None, "{engine}");
        for round in 0..rounds {
            for (number, fault) in FAULTS.into_iter().enumerate() {
                let mut rng = Seed::new(seed(), number as u64, round).at(0);
                let block = rng.below(BLOCKS);
                let old = disk.held(block);
                let write = vec![op(OpKind::Write, block, rng.draw())];
                disk.run(engine, Access::ReadWrite, depth, write).0.unwrap();
                let before = std::fs::read(disk.folder.path().join("disk")).unwrap();
                let class = inject(&disk, fault, block, &old, rng.draw());
                let (found, at) = disk.accused(engine, depth).unwrap_or_else(|| {
                    panic!("{engine}: {fault} at block {block} was not found in round {round}")
                });
                assert_eq!(found, class, "{engine}: {fault} in round {round}");
                if fault != "swapped blocks" {
                    assert_eq!(at, block * BLOCK, "{engine}: {fault}");
                }
                disk.put(0, &before);
            }
            assert_eq!(disk.accused(engine, depth), None, "{engine}: as it was");
        }
    }
}

#[test]
fn a_worker_on_several_drives_verifies_each_ones_blocks_and_finds_those_that_were_exchanged() {
    let (Some(a), Some(b), Some(c)) = (Disk::new(), Disk::new(), Disk::new()) else { return };
    let together = |engine: &str, access: Access, ops: &[Op]| {
        a.on(engine, access, |a, clock| {
            b.on(engine, access, |b, _| {
                c.on(engine, access, |c, _| {
                    let stream = stream(engine, 4, BLOCK, 0.0);
                    let ended = work_on(&[a, b, c], &stream, ops, clock);
                    let verified = [a, b, c].map(|target| {
                        let seen = target.observed();
                        *observed::all::<Verified>(&seen).next().unwrap()
                    });
                    (ended, verified)
                })
            })
        })
    };
    for engine in ["uring", "libaio"] {
        together(engine, Access::Create, &each(OpKind::Write)).0.unwrap();
        // Some blocks have a second generation on only one of them.
        b.run(engine, Access::ReadWrite, 4, vec![op(OpKind::Write, 9, 1)]).0.unwrap();
        let (ended, verified) = together(engine, Access::ReadOnly, &each(OpKind::Read));
        ended.unwrap();
        for one in verified {
            assert_eq!((one.checked, one.wrong), (BLOCKS, 0), "{engine}");
        }
        for block in [7, 9] {
            let (of_a, of_b) = (a.held(block), b.held(block));
            let check = |disk: &Disk, wrong: [u64; 3]| {
                let (ended, verified) = together(engine, Access::ReadOnly, &each(OpKind::Read));
                let text = words(&ended.unwrap_err());
                let at = format!("the block at offset {} is foreign", block * BLOCK);
                assert!(text.contains(&at), "{engine}: {text}");
                let named = disk.device.display().to_string();
                assert!(text.contains(&named), "{engine}: {text} of {named}");
                assert_eq!(verified.map(|one| one.wrong), wrong, "{engine}: of {named} alone");
            };
            // Intact blocks, each with its own address: from the other drive.
            a.put(block, &of_b);
            check(&a, [1, 0, 0]);
            a.put(block, &of_a);
            b.put(block, &of_a);
            check(&b, [0, 1, 0]);
            a.put(block, &of_b);
            let (ended, _) = together(engine, Access::ReadOnly, &each(OpKind::Read));
            assert!(words(&ended.unwrap_err()).contains("is foreign"), "{engine}: both");
            a.put(block, &of_a);
            b.put(block, &of_b);
        }
        together(engine, Access::ReadOnly, &each(OpKind::Read)).0.unwrap();
    }
}

#[test]
fn no_good_block_is_accused_while_workers_write_trim_and_read_the_same_ones() {
    let Some(disk) = Disk::in_memory() else { return };
    let blocks = size(20_000u64, 10_000_000);
    for (engine, depth) in [("psync", 1), ("uring", 16), ("libaio", 16)] {
        disk.run(engine, Access::Create, depth, each(OpKind::Write)).0.unwrap();
        let mut checked = 0;
        let mut turn = 0;
        while checked < blocks / 3 {
            turn += 1;
            let verified = disk.on(engine, Access::ReadWrite, |target, clock| {
                std::thread::scope(|scope| {
                    for worker in 0..3 {
                        let ops = crowded(turn, worker, 1500);
                        let stream = stream(engine, depth, 4 * BLOCK, 2.0);
                        scope.spawn(move || work(target, &stream, ops, clock).unwrap());
                    }
                });
                *observed::all::<Verified>(&target.observed()).next().unwrap()
            });
            assert_eq!(verified.wrong, 0, "{engine}");
            checked += verified.checked;
        }
        // The contents left by overlapping writes are judged too, and then known to be one of them.
        let (ended, verified) = disk.run(engine, Access::ReadOnly, depth, each(OpKind::Read));
        ended.unwrap();
        assert_eq!((verified.checked + verified.undefined, verified.overlapped), (BLOCKS, 0));
    }
}

/// Reads, writes, trims and zeroes of one to four blocks, dense enough that many collide.
fn crowded(turn: u64, worker: u64, ops: u64) -> Vec<Op> {
    let draws = Seed::new(seed(), turn, worker);
    let one = |n: u64| {
        let mut rng = draws.at(n);
        let kind = match rng.below(100) {
            0..60 => OpKind::Read,
            60..90 => OpKind::Write,
            90..94 => OpKind::WriteFua,
            94..97 => OpKind::WriteZeroes,
            97..99 => OpKind::Trim,
            _ => OpKind::Flush,
        };
        let count = 1 + rng.below(4);
        let range = if rng.below(2) == 0 { 16 } else { BLOCKS };
        let len = if kind == OpKind::Flush { 0 } else { count * BLOCK };
        let at = rng.below(range - count) * BLOCK;
        Op { kind, class: 0, len: len as u32, at, salt: rng.draw() }
    };
    (0..ops).map(one).collect()
}

#[test]
fn a_block_that_was_made_zeroes_must_stay_so_and_one_that_was_trimmed_may_be_anything() {
    let Some(disk) = Disk::new() else { return };
    disk.run("psync", Access::Create, 1, each(OpKind::Write)).0.unwrap();
    let before = disk.held(7);
    let zeroed = vec![op(OpKind::WriteZeroes, 7, 1), op(OpKind::Read, 7, 1)];
    disk.run("psync", Access::ReadWrite, 1, zeroed).0.unwrap();
    disk.put(7, &before);
    let ended = disk.run("psync", Access::ReadOnly, 1, vec![op(OpKind::Read, 7, 1)]).0;
    let text = words(&ended.unwrap_err());
    assert!(text.contains("is old: expected zeroes, found generation 1"), "{text}");
    // A loop device guarantees nothing for trimmed blocks.
    disk.run("psync", Access::ReadWrite, 1, vec![op(OpKind::Trim, 7, 1)]).0.unwrap();
    disk.put(7, &[0x5A; 4096]);
    let (ended, verified) = disk.run("psync", Access::ReadOnly, 1, vec![op(OpKind::Read, 7, 1)]);
    ended.unwrap();
    assert_eq!((verified.checked, verified.undefined), (0, 1));
    // Once written, it is known again.
    disk.run("psync", Access::ReadWrite, 1, vec![op(OpKind::Write, 7, 1)]).0.unwrap();
    disk.put(7, &[0x5A; 4096]);
    let ended = disk.run("psync", Access::ReadOnly, 1, vec![op(OpKind::Read, 7, 1)]).0;
    assert!(words(&ended.unwrap_err()).contains("is foreign"));
}

#[test]
fn after_a_crash_of_the_host_later_writes_are_right_and_lost_ones_are_found() {
    let Some(disk) = Disk::new() else { return };
    disk.run("psync", Access::Create, 1, each(OpKind::Write)).0.unwrap();
    let journal = std::fs::read_dir(disk.journals.path()).unwrap().flatten().next().unwrap().path();
    let older = std::fs::read(&journal).unwrap();
    let first = disk.held(3);
    disk.run("psync", Access::ReadWrite, 1, each(OpKind::Write)).0.unwrap();
    let newer = std::fs::read(&journal).unwrap();
    // The journal as written to its drive: open, from another boot, and from before or after the
    // second writes.
    let crash = |journal_then: &[u8]| {
        let mut then = journal_then.to_vec();
        then[40] = 1;
        then[64..100].fill(b'x');
        std::fs::write(&journal, then).unwrap();
        let recheck =
            |target: &dyn Target, _| target.recheck(&AtomicBool::new(false), &mut |_, _| ());
        disk.on("psync", Access::ReadOnly, recheck)
    };
    assert_eq!(crash(&older).unwrap(), Some(BLOCKS));
    assert_eq!(disk.accused("psync", 1), None, "what was found is what is expected from now on");
    let second = disk.held(3);
    disk.put(3, &first);
    assert_eq!(disk.accused("psync", 1), Some(("old".to_string(), 3 * BLOCK)));
    let text = words(&crash(&newer).unwrap_err());
    assert!(
        text.contains("offset 12288 is old: expected generation 2, found generation 1"),
        "{text}"
    );
    disk.put(3, &second);
    assert_eq!(crash(&newer).unwrap(), Some(BLOCKS));
}
