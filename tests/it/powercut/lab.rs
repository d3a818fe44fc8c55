//! Honest drives are never accused, and liars always are: over every flush of a guest's drive, and
//! random legal subsets of what follows each.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use dyno::base::block_seal::{self, Sector};
use dyno::base::rng::{Rng, Seed};
use dyno::powercut::checker::read_journal;
use dyno::powercut::journal::{JournalRecord, read_opening, read_record};
use dyno::powercut::judge::{Fate, PowercutVerdict, Promises, SectorContents, judge};
use dyno::powercut::session::{LAYOUT, ThreadDurability, WriteSession};

use super::write_log::{Drive, Entry, FLUSH, FUA, SECTOR, WriteLog};
use crate::support::{DYNO, dyno, said, seed, size, skip};

/// Runs the lab; false if it cannot run.
fn lab(out: &Path) -> bool {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("labs/powercut");
    let output = Command::new(script).args(["--dyno", DYNO, "--out"]).arg(out).output();
    let output = output.expect("labs/powercut is started");
    if output.status.code() == Some(77) {
        skip(String::from_utf8_lossy(&output.stderr).trim());
        return false;
    }
    assert!(output.status.success(), "{}", said(&output));
    true
}

/// Acknowledgements in the order of the journal, which decides what a flush covers. Each has the
/// time by which it had certainly been sent: before its thread's next write was issued, an entry of
/// the log, or with a later acknowledgement, since all use one connection.
struct Acknowledged {
    session: WriteSession,
    /// A record and the entry.
    records: Vec<(JournalRecord, usize)>,
}

impl Acknowledged {
    fn read(journal: &Path, log: &WriteLog) -> Acknowledged {
        let from = &mut &std::fs::read(journal).expect("a journal")[..];
        let session = read_opening(from).expect("a session");
        let writes = writes(log, &session);
        let first = (0..session.threads.len() as u64)
            .filter_map(|thread| writes.get(&(thread, LAYOUT + 1)))
            .min();
        let mut records = Vec::new();
        let mut newest = vec![LAYOUT; session.threads.len()];
        while let Some(record) = read_record(from).expect("a record") {
            let next = match record {
                JournalRecord::LaidOut => *first.expect("something was written"),
                JournalRecord::Written(write) | JournalRecord::Durable(write) => {
                    newest[usize::from(write.thread)] = write.generation;
                    next_write(&writes, write.thread, &newest)
                }
                JournalRecord::FlushBegins { thread } | JournalRecord::Flushed { thread } => {
                    next_write(&writes, thread, &newest)
                }
                JournalRecord::Requests(_) | JournalRecord::Cut { .. } | JournalRecord::Silent => {
                    continue;
                }
            };
            records.push((record, next));
        }
        let mut earliest = usize::MAX;
        for (_, next) in records.iter_mut().rev() {
            earliest = earliest.min(*next);
            *next = earliest;
        }
        Acknowledged { session, records }
    }

    /// Takes everything sent before entry `end` was issued; `taken` is the number taken so far.
    fn take(&self, promises: &mut Promises, taken: &mut usize, end: usize) {
        while let Some((record, _)) = self.records.get(*taken).filter(|(_, next)| *next < end) {
            promises.acknowledge(*record).expect("as the listener took it");
            *taken += 1;
        }
    }
}

/// The entry of a thread's write after its newest. The last one of a thread has none.
fn next_write(writes: &HashMap<(u64, u64), usize>, thread: u16, newest: &[u64]) -> usize {
    let next = (u64::from(thread), newest[usize::from(thread)] + 1);
    writes.get(&next).copied().unwrap_or(usize::MAX)
}

/// The entries of threads' writes, by thread and generation.
fn writes(log: &WriteLog, session: &WriteSession) -> HashMap<(u64, u64), usize> {
    let mut found = HashMap::new();
    for (i, entry) in log.entries.iter().enumerate() {
        for sector in 0..entry.sectors {
            let address = ((entry.sector + sector) * SECTOR) as u64;
            let bytes = log.sector(i, sector);
            if let Sector::Sealed(seal) = block_seal::sector(bytes, session.identity, address) {
                found.entry((seal.sequence, seal.generation)).or_insert(i);
            }
        }
    }
    found
}

/// A fully known drive: its execution of a log's requests, and the acknowledgements.
struct Bench<'a> {
    log: &'a WriteLog,
    acknowledged: &'a Acknowledged,
    /// The contents of each entry's sectors that were looked at.
    seen: Vec<Vec<Option<SectorContents>>>,
}

/// The results for one run's states.
#[derive(Debug, Default)]
struct Tally {
    states: usize,
    accused: usize,
    boundaries: usize,
    first: Option<PowercutVerdict>,
}

/// A state to be judged.
struct State<'a> {
    promises: &'a Promises,
    drive: &'a Drive,
    /// A sector that differs from its entry's data.
    torn: Option<(usize, Vec<u8>)>,
}

impl Bench<'_> {
    fn judge(&mut self, state: &State<'_>) -> PowercutVerdict {
        let session = &self.acknowledged.session;
        let (log, seen) = (self.log, &mut self.seen);
        judge(state.promises, &mut |block, held| {
            let first = (session.address(block) / SECTOR as u64) as usize;
            held.extend((0..session.sectors()).map(|i| match &state.torn {
                Some((sector, bytes)) if *sector == first + i => {
                    state.promises.look(block, i, bytes)
                }
                _ => match state.drive.entry(first + i) {
                    None => SectorContents::Before,
                    Some(entry) => {
                        let within = first + i - log.entries[entry].sector;
                        let look = || state.promises.look(block, i, log.sector(entry, within));
                        *seen[entry][within].get_or_insert_with(look)
                    }
                },
            }));
            Ok(())
        })
        .expect("judged")
    }

    /// Each flush, and this many random subsets of what follows each.
    fn run(&mut self, subsets: usize, tears: bool, seed: u64) -> Tally {
        let (log, acknowledged) = (self.log, self.acknowledged);
        let mut tally = Tally::default();
        let mut durable = Drive::new(log.drive_sectors());
        let mut promises = Promises::new(&acknowledged.session);
        let mut taken = 0;
        let flushes = log.flushes();
        let mut applied = 0;
        for (n, &flush) in flushes.iter().enumerate() {
            let next = flushes.get(n + 1).copied().unwrap_or(log.entries.len());
            durable.apply_all(log, applied..flush);
            applied = flush;
            acknowledged.take(&mut promises, &mut taken, flush + 1);
            let mut rng = Seed::new(seed, 0, n as u64).at(0);
            // Acknowledgements between two flushes differ from state to state.
            let mut ends: Vec<usize> = (0..subsets)
                .map(|_| flush + 1 + rng.below((next - flush) as u64) as usize)
                .collect();
            ends.sort_unstable();
            tally.boundaries += 1;
            if !tears {
                tally.add(self.judge(&State { promises: &promises, drive: &durable, torn: None }));
            }
            for end in ends {
                acknowledged.take(&mut promises, &mut taken, end);
                let mut drive = durable.clone();
                drive.apply_some(log, flush + 1..end, &mut rng);
                let torn = if tears {
                    self.tear(&durable, &drive, flush + 1..end, &mut rng)
                } else {
                    None
                };
                if !tears || torn.is_some() {
                    tally.add(self.judge(&State { promises: &promises, drive: &drive, torn }));
                }
            }
        }
        tally
    }

    /// A sector of a write in flight, only the beginning of which has reached the medium.
    fn tear(
        &self,
        durable: &Drive,
        drive: &Drive,
        under_way: std::ops::Range<usize>,
        rng: &mut Rng,
    ) -> Option<(usize, Vec<u8>)> {
        // The overwritten contents are those that the last flush made durable.
        let covers = |entry: usize, sector: usize| {
            let Entry { sector: from, sectors, .. } = self.log.entries[entry];
            (from..from + sectors).contains(&sector)
        };
        let from_before = |sector: usize| {
            let (old, new) = (durable.entry(sector)?, drive.entry(sector)?);
            let first = under_way.contains(&new)
                && !(under_way.start..new).any(|earlier| covers(earlier, sector));
            first.then_some((old, new))
        };
        let all: Vec<usize> = (0..drive.0.len()).filter(|&s| from_before(s).is_some()).collect();
        let sector = *all.get(rng.below(all.len().max(1) as u64) as usize)?;
        let (old, new) = from_before(sector)?;
        let of = |entry: usize| self.log.sector(entry, sector - self.log.entries[entry].sector);
        let at = 64 + rng.below(SECTOR as u64 - 128) as usize;
        Some((sector, [&of(new)[..at], &of(old)[at..]].concat()))
    }
}

impl Tally {
    fn add(&mut self, verdict: PowercutVerdict) {
        self.states += 1;
        if verdict.broken() > 0 {
            self.accused += 1;
            self.first.get_or_insert(verdict);
        }
    }
}

const JOURNAL: &str = "0001.journal";

/// Minimum writes of a guest before its power cut; one that gets too little processor time is
/// started again.
const FUA_WRITES: usize = 50;
const BOUNDARIES: usize = 10;
const TRIES: usize = 3;

/// The lab's output.
struct Cut {
    folder: tempfile::TempDir,
    log: WriteLog,
    acknowledged: Acknowledged,
    /// The entries with FUA.
    by_fua: Vec<usize>,
}

impl Cut {
    /// None, with a message, if the lab cannot run or its guest wrote too little.
    fn made() -> Option<Cut> {
        for _ in 0..TRIES {
            let folder = tempfile::tempdir().unwrap();
            if !lab(folder.path()) {
                return None;
            }
            let cut = Cut::read(folder);
            let (writes, flushes) = (cut.by_fua.len(), cut.log.flushes().len());
            println!("{writes} writes by FUA, {flushes} flushes");
            if writes > FUA_WRITES && flushes > BOUNDARIES {
                return Some(cut);
            }
        }
        skip(format!("this machine left the guest no processors to write with in {TRIES} cuts"));
        None
    }

    fn read(folder: tempfile::TempDir) -> Cut {
        let bytes = std::fs::read(folder.path().join("drive.log")).expect("a log");
        let log = WriteLog::parse(bytes).expect("a log");
        let acknowledged = Acknowledged::read(&folder.path().join(JOURNAL), &log);
        let threads = &acknowledged.session.threads;
        let by_fua = writes(&log, &acknowledged.session)
            .into_iter()
            .filter(|((thread, generation), _)| {
                *generation > LAYOUT && threads[*thread as usize] == ThreadDurability::Fua
            })
            .map(|(_, entry)| entry)
            .collect();
        Cut { folder, log, acknowledged, by_fua }
    }

    fn journal(&self) -> PathBuf {
        self.folder.path().join(JOURNAL)
    }
}

#[test]
fn in_qemu_an_honest_drive_is_never_accused_and_each_liar_is_in_every_run() {
    let Some(cut) = Cut::made() else { return };
    let (out, journal) = (cut.folder.path(), cut.journal());
    let Cut { log: qemu, acknowledged, by_fua, .. } = &cut;
    // QEMU's drive received FUA and ignored it: the log shows none.
    assert!(by_fua.iter().all(|&i| qemu.entries[i].flags == 0));
    let honest = qemu
        .clone()
        .reflag(|i, entry| if by_fua.contains(&i) { entry.flags | FUA } else { entry.flags });
    let run = |log: &WriteLog, subsets, tears, seed| {
        let seen = log.entries.iter().map(|entry| vec![None; entry.sectors]).collect();
        Bench { log, acknowledged, seen }.run(subsets, tears, seed)
    };

    let tally = run(&honest, 200, false, seed());
    println!("honest: {} states at {} flushes", tally.states, tally.boundaries);
    assert_eq!(tally.accused, 0, "{:?}", tally.first);

    for n in 0..size(3, 20) {
        let seed = seed() + n;
        let tally = run(qemu, 20, false, seed);
        println!("QEMU, which ignores FUA: {} of {} states", tally.accused, tally.states);
        assert!(tally.accused > 0, "FUA is ignored: {tally:?}");

        let mut rng = Seed::new(seed, 1, 0).at(0);
        let drops = honest.clone().reflag(|_, entry| {
            if entry.is(FLUSH) && rng.below(2) == 0 { entry.flags & !FLUSH } else { entry.flags }
        });
        let tally = run(&drops, 20, false, seed);
        println!("half of the flushes dropped: {} of {} states", tally.accused, tally.states);
        assert!(tally.accused > 0, "flushes are dropped: {tally:?}");

        let tally = run(&honest, 20, true, seed);
        println!("torn sectors: {} of {} states", tally.accused, tally.states);
        assert!(tally.states > 0 && tally.accused == tally.states, "sectors are torn: {tally:?}");
        let first = tally.first.expect("accused");
        assert!(first.count(Fate::Torn) > 0 && first.count(Fate::Corrupt) == 0, "{first:?}");
    }
    the_program_says_so(out, &journal, qemu);
    // Another boot of the guest checked the drive itself, which had kept everything.
    let guest = std::fs::read_to_string(out.join("guest.txt")).expect("what the guest said");
    for words in ["the check ended with 0", "0 lost in 1 cut, 256 acknowledged, durable blocks"] {
        assert!(guest.contains(words), "{guest}");
    }
}

/// QEMU's image contains everything; one without unflushed data has lost what was acknowledged by
/// FUA.
fn the_program_says_so(out: &Path, journal: &Path, qemu: &WriteLog) {
    let read = read_journal(journal).expect("a journal");
    assert!(read.silent && read.cut_unix_ns.is_some() && read.promises.is_laid_out());
    let check = |image: &str| dyno(out, &["powercut", "check", "0001.journal", image]);
    let result: PathBuf = out.join("0001.journal.result.json");
    let kept = check("drive.img");
    assert_eq!(kept.status.code(), Some(0), "{}", said(&kept));
    assert!(said(&kept).contains("256 acknowledged, durable blocks checked"), "{}", said(&kept));
    let claim = dyno(out, &["powercut", "claim", "0001.journal.result.json"]);
    let text = said(&claim);
    assert!(text.contains("0 lost in 1 cut (1 of images)"), "{text}");
    assert!(text.contains("95 % bound: at most 95.0 % of cuts"), "{text}");
    assert!(!text.contains("protect"), "{text}");
    let twice =
        dyno(out, &["powercut", "claim", "0001.journal.result.json", "0001.journal.result.json"]);
    assert!(said(&twice).contains("a cut that was already given"), "{}", said(&twice));

    // Nothing after the layout's flush has reached the medium.
    let mut image = vec![0; 8 << 20];
    let layout = qemu.flushes()[0];
    for (i, entry) in qemu.entries[..layout].iter().enumerate() {
        for sector in 0..entry.sectors {
            image[(entry.sector + sector) * SECTOR..][..SECTOR]
                .copy_from_slice(qemu.sector(i, sector));
        }
    }
    std::fs::write(out.join("lost.img"), image).unwrap();
    let lost = check("lost.img");
    assert_eq!(lost.status.code(), Some(2), "{}", said(&lost));
    assert!(said(&lost).contains("lost at byte"), "{}", said(&lost));
    assert!(result.exists());
    let claim = dyno(out, &["powercut", "claim", "0001.journal.result.json"]);
    assert_eq!(claim.status.code(), Some(2), "{}", said(&claim));
    assert!(said(&claim).contains("not kept, in 1 of 1 cut"), "{}", said(&claim));
}
