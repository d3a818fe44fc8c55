//! Judges whether a drive kept its promises: what was acknowledged as durable before a cut,
//! compared with the contents of each block after it. No I/O: the caller supplies the contents.
//!
//! A promise is a block and the last generation acknowledged as durable: by FUA, or by a later
//! flush. A flush covers all writes that were completed before it began, whichever thread and queue
//! they came from (NVM Command Set Specification 1.0, Flush command). After the cut the block must
//! contain this generation or a later one, because later writes may have been in flight; sector by
//! sector, because a write that was never made durable may have reached the medium in part. A
//! logical block contains one write or the other: a drive writes at least one atomically when power
//! fails, and as many as it promises (NVM Command Set Specification 1.0, 2.1.4, AWUPF). Sealed data
//! were written, so a generation later than any acknowledged one only means that its
//! acknowledgement had not left the host.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::journal::{DurabilityRequests, JournalRecord, Write};
use super::session::{LAYOUT, ThreadDurability, WriteSession};
use dyno_core::base::block_seal::{self, SECTOR, Sector};
use dyno_core::base::error::{Result, failed};

/// Findings stored in detail; further ones are only counted.
const MOST_EXAMPLES: usize = 20;

/// Maximum number of a thread's writes in flight, or with acknowledgements in transit, when power
/// failed.
const IN_FLIGHT: u64 = 1024;

/// The fate of a promised block.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It contains the promised write, or later ones.
    Kept,
    /// It contains an earlier write, or what was there before the session.
    Lost,
    /// Some of its sectors contain an earlier write, and others the promised one; or a sector
    /// contains two writes.
    Torn,
    /// Lost, although a write that the same thread started after the promise was acknowledged is
    /// present.
    Reordered,
    /// A sector contains data that were never written there.
    Corrupt,
    /// The drive does not return it: an error, or the drive has shrunk or is missing.
    Unreadable,
}

impl Fate {
    /// All fates, in display order.
    pub const ALL: [Fate; 6] =
        [Fate::Kept, Fate::Lost, Fate::Torn, Fate::Reordered, Fate::Corrupt, Fate::Unreadable];

    /// The printed name.
    pub fn name(self) -> &'static str {
        match self {
            Fate::Kept => "kept",
            Fate::Lost => "lost",
            Fate::Torn => "torn",
            Fate::Reordered => "reordered",
            Fate::Corrupt => "corrupt",
            Fate::Unreadable => "unreadable",
        }
    }
}

/// The contents of a sector, with respect to promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SectorContents {
    /// This generation, intact.
    Generation(u64),
    /// Contents from before the session: zeros, or another session's.
    Before,
    /// The beginning of one write and the end of another.
    TwoWrites,
    /// Anything else.
    Corrupt,
    /// It could not be read.
    Unreadable,
}

/// The promise for one block.
#[derive(Clone, Copy, Debug, Default)]
struct Promise {
    /// 0: none.
    durable: u64,
    /// The earlier promise for the block, or 0.
    before: u64,
    /// A write of the same thread with at least this generation started after the promise was
    /// acknowledged.
    followed_by: u64,
    /// Promises of one acknowledgement have the same number.
    acknowledgement: u64,
}

/// The acknowledgements before a cut.
#[derive(Clone, Debug)]
pub struct Promises {
    session: WriteSession,
    blocks: Vec<Promise>,
    threads: Vec<Thread>,
    /// Written, and not covered by a flush yet, in the order of acknowledgements.
    pending: Vec<Pending>,
    /// Number of acknowledgements so far.
    acknowledged: u64,
    requests: Option<DurabilityRequests>,
}

/// A write that is not durable yet.
#[derive(Clone, Copy, Debug)]
struct Pending {
    acknowledgement: u64,
    thread: usize,
    block: u64,
    generation: u64,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    /// The latest write acknowledged in any way.
    newest: u64,
    /// The last acknowledgement that its flush, which has begun, covers.
    flush_covers: Option<u64>,
}

/// A block that was not kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// Its address on the drive, bytes.
    pub address: u64,
    /// Its fate.
    pub fate: Fate,
    /// The generation acknowledged as durable.
    pub promised: u64,
    /// The contents of its sectors, in order.
    pub held: Vec<SectorContents>,
}

/// The result of checking every block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PowercutVerdict {
    /// Number of blocks by fate.
    pub blocks: BTreeMap<Fate, u64>,
    /// The first blocks that were not kept.
    pub examples: Vec<Example>,
    /// The first places that could not be read.
    pub unreadable: Vec<UnreadableRange>,
}

/// Adjacent blocks that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnreadableRange {
    /// Start on the drive, bytes.
    pub address: u64,
    /// Length, bytes.
    pub bytes: u64,
}

impl PowercutVerdict {
    /// Number of blocks with one fate.
    pub fn count(&self, fate: Fate) -> u64 {
        self.blocks.get(&fate).copied().unwrap_or(0)
    }

    /// Number of checked blocks.
    pub fn looked_for(&self) -> u64 {
        self.blocks.values().sum()
    }

    /// Number of blocks with damage that a missing flush does not explain: regardless of the
    /// requests, a drive may not tear a logical block, invent data, or fail to return them.
    pub fn damaged(&self) -> u64 {
        [Fate::Torn, Fate::Corrupt, Fate::Unreadable].into_iter().map(|fate| self.count(fate)).sum()
    }

    /// Number of blocks that do not contain what was promised.
    pub fn broken(&self) -> u64 {
        self.looked_for() - self.count(Fate::Kept)
    }
}

impl Promises {
    /// The promises of a session that has been checked, without acknowledgements yet.
    pub fn new(session: &WriteSession) -> Promises {
        Promises {
            blocks: vec![Promise::default(); session.blocks as usize],
            threads: vec![Thread::default(); session.threads.len()],
            pending: Vec::new(),
            acknowledged: 0,
            requests: None,
            session: session.clone(),
        }
    }

    /// The latest count of the requests for durability that reached the drive; None without one.
    pub fn requests(&self) -> Option<DurabilityRequests> {
        self.requests
    }

    /// The session.
    pub fn session(&self) -> &WriteSession {
        &self.session
    }

    /// Whether the range was laid out: from then on every block has a promise.
    pub fn is_laid_out(&self) -> bool {
        self.threads.iter().all(|thread| thread.newest >= LAYOUT)
    }

    /// Adds the next acknowledgement. Refuses one that no writer of this session would send.
    pub fn acknowledge(&mut self, record: JournalRecord) -> Result<()> {
        self.acknowledged += 1;
        match record {
            JournalRecord::LaidOut => self.lay_out(),
            JournalRecord::Written(write) => {
                if self.written(write)? == ThreadDurability::Fua {
                    return Err(wrong("a thread that writes with FUA does not"));
                }
                self.pending.push(Pending {
                    acknowledgement: self.acknowledged,
                    thread: usize::from(write.thread),
                    block: write.block,
                    generation: write.generation,
                });
            }
            JournalRecord::Durable(write) => {
                if self.written(write)? != ThreadDurability::Fua {
                    return Err(wrong("a thread that flushes writes with FUA"));
                }
                self.promise(write.block, write.generation, write.generation + 1);
            }
            JournalRecord::FlushBegins { thread } => {
                let covers = self.acknowledged;
                let flushes = self.flushing_thread(thread)?.flush_covers.replace(covers);
                if flushes.is_some() {
                    return Err(wrong(
                        "a flush begins before the last one of its thread has ended",
                    ));
                }
            }
            JournalRecord::Flushed { thread } => {
                let covers = self.flushing_thread(thread)?.flush_covers.take();
                let covers = covers.ok_or_else(|| wrong("a flush ends that has not begun"))?;
                let of = self.pending.partition_point(|p| p.acknowledgement <= covers);
                for Pending { thread: by, block, generation, .. } in
                    self.pending.drain(..of).collect::<Vec<_>>()
                {
                    // The next write of another thread may have been in flight already.
                    let unknown = u64::from(by != usize::from(thread));
                    let followed_by = self.threads[by].newest.saturating_add(1 + unknown);
                    self.promise(block, generation, followed_by);
                }
            }
            JournalRecord::Requests(sent) => {
                let earlier = self.requests.replace(sent).unwrap_or_default();
                if sent.flushes < earlier.flushes || sent.fua_writes < earlier.fua_writes {
                    return Err(wrong("its count of flushes fell"));
                }
            }
            JournalRecord::Cut { .. } | JournalRecord::Silent => {}
        }
        Ok(())
    }

    fn flushing_thread(&mut self, thread: u16) -> Result<&mut Thread> {
        let index = usize::from(thread);
        match self.session.threads.get(index) {
            Some(ThreadDurability::Flush { .. }) => Ok(&mut self.threads[index]),
            Some(_) => Err(wrong("a thread flushes that does not")),
            None => Err(wrong("there is no such thread")),
        }
    }

    fn promise(&mut self, block: u64, generation: u64, followed_by: u64) {
        let acknowledgement = self.acknowledged;
        let promise = &mut self.blocks[block as usize];
        // Several writes made durable by one flush were promised at the same time.
        let together = promise.acknowledgement == acknowledgement;
        let before = if together { promise.before } else { promise.durable };
        *promise = Promise { durable: generation, before, followed_by, acknowledgement };
    }

    fn lay_out(&mut self) {
        for block in self.blocks.iter_mut().filter(|block| block.durable < LAYOUT) {
            *block = Promise { durable: LAYOUT, followed_by: LAYOUT + 1, ..Promise::default() };
        }
        for thread in &mut self.threads {
            thread.newest = thread.newest.max(LAYOUT);
        }
    }

    /// Adds a write, which must be the next of its thread and go to the block determined by the
    /// session.
    fn written(&mut self, write: Write) -> Result<ThreadDurability> {
        let index = usize::from(write.thread);
        let manner =
            *self.session.threads.get(index).ok_or_else(|| wrong("there is no such thread"))?;
        let thread = &mut self.threads[index];
        if thread.newest < LAYOUT || Some(write.generation) != thread.newest.checked_add(1) {
            return Err(wrong("a write is not its thread's next"));
        }
        // Limited so that it has a successor.
        if write.generation == u64::MAX
            || self.session.block_of(index, write.generation) != write.block
        {
            return Err(wrong("a write goes elsewhere"));
        }
        thread.newest = write.generation;
        Ok(manner)
    }

    /// The contents of a sector of a block. `bytes` are 512.
    pub fn look(&self, block: u64, sector: usize, bytes: &[u8]) -> SectorContents {
        let session = &self.session;
        let address = session.address(block) + (sector * SECTOR) as u64;
        match block_seal::sector(bytes, session.identity, address) {
            Sector::Zeroes => SectorContents::Before,
            Sector::Foreign(Some(seal)) if seal.dataset != session.identity => {
                SectorContents::Before
            }
            Sector::Foreign(_) => SectorContents::Corrupt,
            Sector::Sealed(seal) if self.could_write(block, seal.generation, seal.sequence) => {
                SectorContents::Generation(seal.generation)
            }
            Sector::Sealed(_) => SectorContents::Corrupt,
            Sector::Corrupt(_) if self.is_of_two_writes(block, sector, bytes) => {
                SectorContents::TwoWrites
            }
            Sector::Corrupt(_) => SectorContents::Corrupt,
        }
    }

    /// Whether a writer of this session could have written this seal.
    fn could_write(&self, block: u64, generation: u64, sequence: u64) -> bool {
        let owner = self.session.owner(block);
        sequence == owner as u64
            && (generation == LAYOUT
                || generation > LAYOUT && self.session.block_of(owner, generation) == block)
    }

    /// Whether a sector begins as one write of this block and ends as another: among the writes
    /// that the promised one may have overwritten, the promised one, and those that may have been
    /// overwriting it when power failed. Each must show at least eight bytes, the size of the
    /// checksum, because fewer may be equal by chance.
    fn is_of_two_writes(&self, block: u64, sector: usize, bytes: &[u8]) -> bool {
        let (mut head, mut tail) = (0, 0);
        for generation in self.generations(block) {
            let mut meant = [0; SECTOR];
            let mut seal = self.session.seal(block, generation);
            seal.address += (sector * SECTOR) as u64;
            block_seal::seal(&mut meant, seal, 0);
            let same = || meant.iter().zip(bytes);
            head = head.max(same().take_while(|(a, b)| a == b).count());
            tail = tail.max(same().rev().take_while(|(a, b)| a == b).count());
        }
        head >= 8 && tail >= 8 && head + tail >= SECTOR
    }

    /// The writes of a block from the promise before the last one on, including those that may have
    /// been in flight.
    fn generations(&self, block: u64) -> impl Iterator<Item = u64> + '_ {
        let owner = self.session.owner(block);
        let thread = &self.threads[owner];
        let from = self.blocks[block as usize].before.max(LAYOUT);
        let later = from.saturating_add(1)..=thread.newest.saturating_add(IN_FLIGHT);
        let of_block = move |&generation: &u64| self.session.block_of(owner, generation) == block;
        std::iter::once(from).chain(later.filter(of_block))
    }
}

/// Compares every block that has a promise with its contents. `look` adds the contents of a block's
/// sectors to the list, which is empty.
pub fn judge(
    promises: &Promises,
    look: &mut dyn FnMut(u64, &mut Vec<SectorContents>) -> Result<()>,
) -> Result<PowercutVerdict> {
    let mut counts = [0; Fate::ALL.len()];
    let mut found_of_thread = vec![0; promises.threads.len()];
    let mut broken: Vec<(u64, Fate, Vec<SectorContents>)> = Vec::new();
    let mut lost: Vec<u64> = Vec::new();
    let mut unreadable: Vec<UnreadableRange> = Vec::new();
    let mut held = Vec::new();
    for (block, promise) in (0u64..).zip(&promises.blocks) {
        held.clear();
        look(block, &mut held)?;
        let found = &mut found_of_thread[promises.session.owner(block)];
        let generations = held.iter().filter_map(|held| match held {
            SectorContents::Generation(generation) => Some(*generation),
            _ => None,
        });
        *found = generations.fold(*found, u64::max);
        if promise.durable == 0 {
            continue;
        }
        let fate = fate(promise.durable, &held, promises.session.atomic_sectors(block));
        match fate {
            // Whether later writes are there is unknown until all blocks have been read.
            Fate::Lost => lost.push(block),
            _ => counts[fate as usize] += 1,
        }
        if fate == Fate::Unreadable {
            let (address, bytes) =
                (promises.session.address(block), u64::from(promises.session.block_bytes));
            let few = unreadable.len() < MOST_EXAMPLES;
            match unreadable.last_mut() {
                Some(last) if last.address + last.bytes == address => last.bytes += bytes,
                _ if few => unreadable.push(UnreadableRange { address, bytes }),
                _ => {}
            }
        }
        if fate != Fate::Kept && broken.len() < MOST_EXAMPLES {
            broken.push((block, fate, held.clone()));
        }
    }
    let fate_of_lost = |block: u64| {
        let newest = found_of_thread[promises.session.owner(block)];
        let reordered = newest >= promises.blocks[block as usize].followed_by;
        if reordered { Fate::Reordered } else { Fate::Lost }
    };
    for &block in &lost {
        counts[fate_of_lost(block) as usize] += 1;
    }
    let counted = Fate::ALL.into_iter().map(|fate| (fate, counts[fate as usize]));
    let blocks = counted.filter(|(_, count)| *count > 0).collect();
    let examples = broken
        .into_iter()
        .map(|(block, fate, held)| Example {
            address: promises.session.address(block),
            fate: if fate == Fate::Lost { fate_of_lost(block) } else { fate },
            promised: promises.blocks[block as usize].durable,
            held,
        })
        .collect();
    Ok(PowercutVerdict { blocks, examples, unreadable })
}

/// `atomic` sectors are written atomically when power fails.
fn fate(durable: u64, held: &[SectorContents], atomic: usize) -> Fate {
    if held.contains(&SectorContents::Unreadable) {
        return Fate::Unreadable;
    }
    if held.contains(&SectorContents::Corrupt) {
        return Fate::Corrupt;
    }
    let of_two = |sectors: &[SectorContents]| sectors.iter().any(|held| *held != sectors[0]);
    if held.contains(&SectorContents::TwoWrites) || held.chunks(atomic).any(of_two) {
        return Fate::Torn;
    }
    let is_durable = |generation| generation >= durable;
    let kept =
        |held: &SectorContents| matches!(held, SectorContents::Generation(g) if is_durable(*g));
    match held.iter().filter(|held| kept(held)).count() {
        all if all == held.len() => Fate::Kept,
        0 => Fate::Lost,
        _ => Fate::Torn,
    }
}

fn wrong(what: &str) -> dyno_core::base::error::Error {
    failed(
        format!("the journal is not one of this session: {what}"),
        "copy it again from the listener",
    )
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
