//! Judges whether a drive kept its promises: what was acknowledged as durable before a cut,
//! compared with the contents of each block after it. No I/O: the caller supplies the contents.
//!
//! A promise is a block and the last generation acknowledged as durable: by FUA, or by a later
//! flush. After the cut the block must contain this generation or a later one, because later writes
//! may have been in flight; sector by sector, because a write that was never made durable may have
//! reached the medium in part. A logical block contains one write or the other: a drive writes at
//! least one atomically when power fails (NVM Command Set Specification 1.0, 2.1.4, AWUPF). Sealed
//! data were written, so a generation later than any acknowledged one only means that its
//! acknowledgement had not left the host.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::journal::{JournalRecord, Write};
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
    /// there.
    Reordered,
    /// A sector contains data that were never written there.
    Corrupt,
}

impl Fate {
    /// All fates, in display order.
    pub const ALL: [Fate; 5] = [Fate::Kept, Fate::Lost, Fate::Torn, Fate::Reordered, Fate::Corrupt];

    /// The printed name.
    pub fn name(self) -> &'static str {
        match self {
            Fate::Kept => "kept",
            Fate::Lost => "lost",
            Fate::Torn => "torn",
            Fate::Reordered => "reordered",
            Fate::Corrupt => "corrupt",
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
}

/// The acknowledgements before a cut.
#[derive(Clone, Debug)]
pub struct Promises {
    session: WriteSession,
    blocks: Vec<Promise>,
    threads: Vec<Thread>,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    /// The latest write acknowledged in any way.
    newest: u64,
    /// Written since its last flush: block and generation.
    pending: Vec<(u64, u64)>,
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

    /// Number of blocks that do not contain what was promised.
    pub fn broken(&self) -> u64 {
        self.looked_for() - self.count(Fate::Kept)
    }
}

impl Promises {
    /// For a session without acknowledgements, which has been checked.
    pub fn new(session: &WriteSession) -> Promises {
        Promises {
            blocks: vec![Promise::default(); session.blocks as usize],
            threads: vec![Thread::default(); session.threads.len()],
            session: session.clone(),
        }
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
        match record {
            JournalRecord::LaidOut => self.lay_out(),
            JournalRecord::Written(write) => {
                let (thread, manner) = self.written(write)?;
                match manner {
                    ThreadDurability::Flush { .. } => {
                        thread.pending.push((write.block, write.generation))
                    }
                    ThreadDurability::Fua => {
                        return Err(wrong("a thread that writes with FUA does not"));
                    }
                }
            }
            JournalRecord::Durable(write) => {
                let (_, manner) = self.written(write)?;
                if manner != ThreadDurability::Fua {
                    return Err(wrong("a thread that flushes writes with FUA"));
                }
                self.promise(write.block, write.generation, write.generation + 1);
            }
            JournalRecord::Flushed { thread } => {
                let thread = self
                    .threads
                    .get_mut(usize::from(thread))
                    .ok_or_else(|| wrong("there is no such thread"))?;
                let followed_by = thread.newest + 1;
                for (block, generation) in std::mem::take(&mut thread.pending) {
                    self.promise(block, generation, followed_by);
                }
            }
            JournalRecord::Cut { .. } | JournalRecord::Silent => {}
        }
        Ok(())
    }

    fn promise(&mut self, block: u64, generation: u64, followed_by: u64) {
        let promise = &mut self.blocks[block as usize];
        // Several writes made durable by one flush were promised at the same time.
        let together = promise.followed_by == followed_by;
        let before = if together { promise.before } else { promise.durable };
        *promise = Promise { durable: generation, before, followed_by };
    }

    fn lay_out(&mut self) {
        for block in self.blocks.iter_mut().filter(|block| block.durable < LAYOUT) {
            *block = Promise { durable: LAYOUT, before: 0, followed_by: LAYOUT + 1 };
        }
        for thread in &mut self.threads {
            thread.newest = thread.newest.max(LAYOUT);
        }
    }

    /// Adds a write, which must be the next of its thread and go to the block determined by the
    /// session.
    fn written(&mut self, write: Write) -> Result<(&mut Thread, ThreadDurability)> {
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
        Ok((thread, manner))
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

    /// Whether the seal is one of this session's writers.
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
        let logical = promises.session.logical_bytes as usize / SECTOR;
        let fate = fate(promise.durable, &held, logical);
        match fate {
            // Whether later writes are there is unknown until all blocks have been read.
            Fate::Lost => lost.push(block),
            _ => counts[fate as usize] += 1,
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
    Ok(PowercutVerdict { blocks, examples })
}

/// `logical` sectors are written atomically when power fails.
fn fate(durable: u64, held: &[SectorContents], logical: usize) -> Fate {
    if held.contains(&SectorContents::Corrupt) {
        return Fate::Corrupt;
    }
    let of_two = |sectors: &[SectorContents]| sectors.iter().any(|held| *held != sectors[0]);
    if held.contains(&SectorContents::TwoWrites) || held.chunks(logical).any(of_two) {
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
