//! Drives that are known completely: an honest one, and liars of each kind, through cuts at random
//! times. What they leave is judged as a check does, and some of it by the program itself.

use std::io;
use std::path::Path;

use dyno::base::block_seal;
use dyno::base::rng::{Rng, Seed};
use dyno::powercut::checker::{Medium, look, read_journal};
use dyno::powercut::journal::{DurabilityRequests, JournalRecord, Write, opening};
use dyno::powercut::judge::{Fate, PowercutVerdict};
use dyno::powercut::session::{LAYOUT, ThreadDurability, WriteSession};
use dyno::stats::never_seen::{interval, upper_bound};

use super::refused::session;
use crate::support::{dyno, said, seed, size};

const BLOCKS: u64 = 48;
const BLOCK: usize = 4096;
const SECTOR: usize = 512;
const SECTORS: usize = BLOCK / SECTOR;
const FLUSH_EVERY: u32 = 4;

/// How a drive behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behaviour {
    Honest,
    /// It acknowledges half of the flushes without executing them.
    FlushDropped,
    /// A write with FUA stays in its cache.
    FuaIgnored,
    /// A sector of a write in flight is written in part.
    Torn,
    /// One durable write is lost, although later ones of the same thread are there.
    Reordered,
    /// A flush covers only the writes of the queue that it came by.
    OneQueueOnly,
    /// Some of its blocks return errors.
    ReadErrors,
    /// It comes back smaller.
    Shortened,
    /// It promises to write blocks atomically, and writes parts of one.
    AtomicWriteTorn,
}

use Behaviour::*;

const LIARS: [Behaviour; 8] = [
    FlushDropped,
    FuaIgnored,
    Torn,
    Reordered,
    OneQueueOnly,
    ReadErrors,
    Shortened,
    AtomicWriteTorn,
];

/// What a cut left: the journal, and the drive.
struct Cut {
    session: WriteSession,
    journal: Vec<u8>,
    image: Vec<u8>,
    /// The bytes that return errors.
    errors: std::ops::Range<u64>,
}

impl Medium for Cut {
    fn read_exact_at(&self, into: &mut [u8], at: u64) -> io::Result<()> {
        let (from, until) = (at as usize, at as usize + into.len());
        if at < self.errors.end && self.errors.start < until as u64 {
            return Err(io::Error::from_raw_os_error(libc::EIO));
        }
        let bytes = self.image.get(from..until).ok_or(io::ErrorKind::UnexpectedEof)?;
        into.copy_from_slice(bytes);
        Ok(())
    }
}

/// A drive with a volatile cache, and the journal of who writes to it.
struct Sim {
    behaviour: Behaviour,
    session: WriteSession,
    journal: Vec<u8>,
    rng: Rng,
    /// By block and sector: the generation on the medium.
    medium: Vec<[u64; SECTORS]>,
    /// Acknowledged writes that are not on the medium yet, in order.
    cache: Vec<Write>,
    /// By thread: all its writes.
    written: Vec<Vec<Write>>,
}

impl Sim {
    fn new(behaviour: Behaviour, seed: u64) -> Sim {
        let atomic = [Honest, AtomicWriteTorn].contains(&behaviour);
        let session = WriteSession {
            identity: seed | 1,
            seed,
            blocks: BLOCKS,
            threads: vec![
                ThreadDurability::Fua,
                ThreadDurability::Flush { every: FLUSH_EVERY },
                ThreadDurability::ByOthers,
            ],
            atomic_bytes: if atomic { BLOCK as u32 } else { SECTOR as u32 },
            ..session("SIM")
        };
        let mut sim = Sim {
            behaviour,
            journal: opening(&session).unwrap(),
            rng: Seed::new(seed, 0, 0).at(0),
            medium: vec![[LAYOUT; SECTORS]; BLOCKS as usize],
            cache: Vec::new(),
            written: vec![Vec::new(); session.threads.len()],
            session,
        };
        sim.say(JournalRecord::Requests(DurabilityRequests { flushes: 1, fua_writes: 0 }));
        sim.say(JournalRecord::LaidOut);
        sim
    }

    fn say(&mut self, record: JournalRecord) {
        self.journal.extend(record.encode());
    }

    fn next_write(&mut self, thread: usize) -> Write {
        let generation = LAYOUT + 1 + self.written[thread].len() as u64;
        let block = self.session.block_of(thread, generation);
        let write = Write { thread: thread as u16, generation, block };
        self.written[thread].push(write);
        write
    }

    fn op(&mut self) {
        let thread = self.rng.below(3) as usize;
        let write = self.next_write(thread);
        match self.session.threads[thread] {
            ThreadDurability::Fua => {
                match self.behaviour {
                    FuaIgnored => self.cache.push(write),
                    _ => self.medium[write.block as usize] = [write.generation; SECTORS],
                }
                self.say(JournalRecord::Durable(write));
            }
            ThreadDurability::ByOthers => {
                self.cache.push(write);
                self.say(JournalRecord::Written(write));
            }
            ThreadDurability::Flush { every } => {
                self.cache.push(write);
                self.say(JournalRecord::Written(write));
                if (write.generation - LAYOUT).is_multiple_of(every.into()) {
                    self.flush(write.thread);
                }
            }
        }
    }

    fn flush(&mut self, thread: u16) {
        self.say(JournalRecord::FlushBegins { thread });
        let is_dropped = self.behaviour == FlushDropped && self.rng.below(2) == 0;
        let is_covered = |write: &Write| {
            !is_dropped && (self.behaviour != OneQueueOnly || write.thread == thread)
        };
        let (covered, rest): (Vec<Write>, Vec<Write>) =
            self.cache.iter().partition(|w| is_covered(w));
        self.cache = rest;
        for write in covered {
            self.medium[write.block as usize] = [write.generation; SECTORS];
        }
        self.say(JournalRecord::Flushed { thread });
    }

    /// The power fails: any part of what is in the cache and in flight may be on the medium, in
    /// whole atomic writes.
    fn cut(mut self) -> Cut {
        let in_flight: Vec<Write> = (0..3).map(|thread| self.next_write(thread)).collect();
        let before = self.medium.clone();
        let atomic = self.session.atomic_sectors(0);
        for write in self.cache.clone().into_iter().chain(in_flight.iter().copied()) {
            for first in (0..SECTORS).step_by(atomic) {
                if self.rng.below(2) == 0 {
                    self.medium[write.block as usize][first..first + atomic].fill(write.generation);
                }
            }
        }
        let is_reordered = self.behaviour == Reordered;
        let lost = is_reordered.then(|| self.durable_write_with_a_later_one()).flatten();
        if let Some((write, before)) = lost {
            self.medium[write.block as usize] = [before; SECTORS];
        }
        let mut image = Vec::new();
        for (block, sectors) in (0u64..).zip(&self.medium) {
            for (sector, generation) in sectors.iter().enumerate() {
                image.extend(&self.sealed(block, *generation)[sector * SECTOR..][..SECTOR]);
            }
        }
        let write = in_flight[self.rng.below(3) as usize];
        let at = write.block as usize * BLOCK;
        let new = self.sealed(write.block, write.generation);
        let old = self.sealed(write.block, before[write.block as usize][0]);
        match self.behaviour {
            Torn => {
                let part = 64 + self.rng.below(SECTOR as u64 - 128) as usize;
                image[at..at + part].copy_from_slice(&new[..part]);
                image[at + part..at + SECTOR].copy_from_slice(&old[part..SECTOR]);
            }
            AtomicWriteTorn => {
                let part = SECTOR * (1 + self.rng.below(SECTORS as u64 - 1) as usize);
                image[at..at + part].copy_from_slice(&new[..part]);
                image[at + part..at + BLOCK].copy_from_slice(&old[part..]);
            }
            Shortened => {
                let blocks = 1 + self.rng.below(BLOCKS - 1) as usize;
                image.truncate(blocks * BLOCK + SECTOR * self.rng.below(SECTORS as u64) as usize);
            }
            _ => {}
        }
        let first = self.rng.below(BLOCKS) * BLOCK as u64;
        let errors = if self.behaviour == ReadErrors { first..first + SECTOR as u64 } else { 0..0 };
        self.say(JournalRecord::Cut { unix_ns: 1 });
        self.say(JournalRecord::Silent);
        let Sim { session, journal, .. } = self;
        Cut { session, journal, image, errors }
    }

    /// A write with FUA that was the last of its block, and the generation before it; the thread
    /// has written elsewhere since.
    fn durable_write_with_a_later_one(&self) -> Option<(Write, u64)> {
        // The last one is in flight.
        let (_, acknowledged) = self.written[0].split_last()?;
        let (last, earlier) = acknowledged.split_last()?;
        let write = *earlier.iter().rfind(|w| {
            w.block != last.block
                && !earlier.iter().any(|o| o.block == w.block && o.generation > w.generation)
        })?;
        let in_flight = self.written[0].last()?.block;
        let before = acknowledged
            .iter()
            .rfind(|w| w.block == write.block && w.generation < write.generation);
        (in_flight != write.block).then(|| (write, before.map_or(LAYOUT, |w| w.generation)))
    }

    fn sealed(&self, block: u64, generation: u64) -> Vec<u8> {
        let mut bytes = vec![0; BLOCK];
        block_seal::seal(&mut bytes, self.session.seal(block, generation), 0);
        bytes
    }
}

/// A cut after a random number of writes.
fn cut(behaviour: Behaviour, seed: u64) -> Cut {
    let mut sim = Sim::new(behaviour, seed);
    let ops = 40 + sim.rng.below(200);
    (0..ops).for_each(|_| sim.op());
    sim.cut()
}

fn judged(cut: &Cut, folder: &Path) -> PowercutVerdict {
    let journal = folder.join("sim.journal");
    std::fs::write(&journal, &cut.journal).unwrap();
    let read = read_journal(&journal).unwrap();
    assert!(read.has_cut() && read.promises.requests().is_some());
    look(&read.promises, cut).unwrap()
}

/// The worst of the fates that a liar leaves.
fn fate_of(behaviour: Behaviour) -> &'static [Fate] {
    match behaviour {
        Honest => &[],
        // A lost write of several sectors may also be there in part, or be followed by later ones.
        FlushDropped | FuaIgnored | OneQueueOnly => &[Fate::Lost, Fate::Torn, Fate::Reordered],
        Torn | AtomicWriteTorn => &[Fate::Torn],
        Reordered => &[Fate::Reordered],
        ReadErrors | Shortened => &[Fate::Unreadable],
    }
}

#[test]
fn an_honest_drive_is_never_accused_and_each_liar_by_the_fate_of_its_lie() {
    let folder = tempfile::tempdir().unwrap();
    let cuts = size(20, 300) as usize;
    for behaviour in [Honest].into_iter().chain(LIARS) {
        let mut with_loss = 0;
        for n in 0..cuts as u64 {
            let cut = cut(behaviour, seed().wrapping_mul(1_000).wrapping_add(n));
            let verdict = judged(&cut, folder.path());
            assert_eq!(verdict.looked_for(), BLOCKS);
            let others = Fate::ALL.into_iter().filter(|fate| {
                *fate != Fate::Kept
                    && !fate_of(behaviour).contains(fate)
                    && verdict.count(*fate) > 0
            });
            assert_eq!(others.count(), 0, "{behaviour:?}, cut {n}: {verdict:?}");
            with_loss += usize::from(verdict.broken() > 0);
        }
        let (low, high) = interval(with_loss, cuts);
        println!(
            "{behaviour:?}: {with_loss} of {cuts} cuts with loss, 95 % interval {:.1} to {:.1} %, \
             bound without loss {:.1} %",
            100.0 * low,
            100.0 * high,
            100.0 * upper_bound(cuts)
        );
        match behaviour {
            Honest => assert_eq!(with_loss, 0),
            // What such a lie loses depends on the moment of the cut.
            FlushDropped | FuaIgnored | OneQueueOnly | Reordered => {
                assert!(with_loss * 5 > cuts, "{behaviour:?}: {with_loss} of {cuts}");
            }
            _ => assert_eq!(with_loss, cuts, "{behaviour:?}"),
        }
    }
}

/// A journal of a session that was cut directly after its layout.
fn cut_after_layout(session: &WriteSession, requests: DurabilityRequests) -> Vec<u8> {
    let mut journal = opening(session).unwrap();
    for record in [
        JournalRecord::Requests(requests),
        JournalRecord::LaidOut,
        JournalRecord::Cut { unix_ns: 1 },
        JournalRecord::Silent,
    ] {
        journal.extend(record.encode());
    }
    journal
}

/// Writes journal and image of a cut.
fn store(folder: &Path, name: &str, cut: &Cut) {
    std::fs::write(folder.join(format!("{name}.journal")), &cut.journal).unwrap();
    std::fs::write(folder.join(format!("{name}.img")), &cut.image).unwrap();
}

#[test]
fn a_drive_that_cannot_be_read_is_a_result_and_counts() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    store(dir, "1", &cut(Honest, 3));
    let second = cut(Honest, 4);
    store(dir, "2", &second);
    std::fs::write(dir.join("2.img"), &second.image[..100_000]).unwrap();
    let check = |name: &str| {
        dyno(dir, &["powercut", "check", &format!("{name}.journal"), &format!("{name}.img")])
    };
    assert_eq!(check("1").status.code(), Some(0));
    // Without the result of the second, there is no claim.
    let claim = |names: &[&str]| {
        let all: Vec<String> = names.iter().map(|n| format!("{n}.journal.result.json")).collect();
        let words = ["powercut", "claim"].into_iter().chain(all.iter().map(String::as_str));
        dyno(dir, &words.collect::<Vec<_>>())
    };
    let refused = claim(&["1"]);
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    assert!(said(&refused).contains("2.journal has a cut, but no result"), "{}", said(&refused));
    let short = check("2");
    let text = said(&short);
    assert_eq!(short.status.code(), Some(2), "{text}");
    assert!(text.contains("unreadable: ") && text.contains("bytes from byte"), "{text}");
    // A drive that is not there at all.
    std::fs::remove_file(dir.join("2.img")).unwrap();
    let missing = check("2");
    let text = said(&missing);
    assert_eq!(missing.status.code(), Some(2), "{text}");
    assert!(text.contains("did not come back"), "{text}");
    assert!(text.contains("unreadable: 196,608 bytes from byte 0"), "{text}");
    let both = claim(&["1", "2"]);
    let text = said(&both);
    assert_eq!(both.status.code(), Some(2), "{text}");
    assert!(text.contains("not kept, in 1 of 2 cuts (1 of images): 48 unreadable"), "{text}");
    assert!(text.contains("95 % interval: 1.3 to 98.7 % of cuts"), "{text}");
    assert!(said(&claim(&["1"])).contains("left out: 1 cut"), "{}", said(&claim(&["1"])));
}

#[test]
fn a_claim_pools_only_cuts_of_one_drive_as_it_was_and_one_load() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let image = cut(Honest, 5).image;
    let mut names = Vec::new();
    let changes: [&dyn Fn(&mut WriteSession); 7] = [
        &|_| {},
        &|own| own.host = "moved".into(),
        &|own| own.firmware = Some("2.0".into()),
        &|own| own.model = Some("Another".into()),
        &|own| own.write_cache = "off".into(),
        &|own| own.threads = vec![ThreadDurability::Fua; 3],
        &|own| own.block_bytes = 512,
    ];
    for (n, change) in changes.into_iter().enumerate() {
        let mut own = cut(Honest, 5).session;
        own.identity = 100 + n as u64;
        change(&mut own);
        own.atomic_bytes = own.logical_bytes;
        let requests = DurabilityRequests { flushes: 1, fua_writes: 0 };
        let journal = cut_after_layout(&own, requests);
        std::fs::write(dir.join(format!("{n}.journal")), journal).unwrap();
        std::fs::write(dir.join("image"), &image).unwrap();
        dyno(dir, &["powercut", "check", &format!("{n}.journal"), "image"]);
        names.push(format!("{n}.journal.result.json"));
    }
    let words = ["powercut", "claim", "--json"].into_iter().chain(names.iter().map(String::as_str));
    let claim = dyno(dir, &words.collect::<Vec<_>>());
    let claims: serde_json::Value = serde_json::from_slice(&claim.stdout).unwrap();
    let cuts: Vec<u64> =
        claims.as_array().unwrap().iter().map(|own| own["cuts"].as_u64().unwrap()).collect();
    assert_eq!(cuts, [2, 1, 1, 1, 1, 1], "{claims}");
}

#[test]
fn a_cut_of_a_drive_without_a_flush_or_fua_is_not_tested() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    for (cache, code, what) in [("on", 2, "not tested in 1 cut"), ("none", 0, "0 lost in 1 cut")] {
        let own = WriteSession { write_cache: cache.into(), ..cut(Honest, 6).session };
        let journal = cut_after_layout(&own, DurabilityRequests::default());
        std::fs::write(dir.join("1.journal"), journal).unwrap();
        let sim = Sim::new(Honest, 6);
        let image: Vec<u8> = (0..BLOCKS).flat_map(|block| sim.sealed(block, LAYOUT)).collect();
        std::fs::write(dir.join("1.img"), image).unwrap();
        let check = dyno(dir, &["powercut", "check", "1.journal", "1.img"]);
        assert_eq!(said(&check).contains("Not tested"), code == 2, "{}", said(&check));
        let claim = dyno(dir, &["powercut", "claim", "1.journal.result.json"]);
        assert_eq!(claim.status.code(), Some(code), "{}", said(&claim));
        assert!(said(&claim).contains(what), "{}", said(&claim));
    }
}
