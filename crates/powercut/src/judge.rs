//! Judges whether a drive kept its promises: what was acknowledged as durable before a cut,
//! compared with the contents of each block after it. No I/O: the caller supplies the contents.
//!
//! A promise is a block and the generation that was acknowledged as durable last: by FUA, or by a
//! flush after it. After the cut the block must hold this generation or a later one, since later
//! writes may have been under way; sector by sector, since a write that was never made durable may
//! have reached the medium in part. Within a logical block there is one write or the other: a drive
//! writes at least one whole when power fails (NVM Command Set Specification 1.0, 2.1.4, AWUPF).
//! What is sealed was written, so a generation later than any that was acknowledged only says that
//! its acknowledgement had not left the host.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::journal::{JournalRecord, Write};
use super::session::{LAYOUT, ThreadDurability, WriteSession};
use dyno_core::base::block_seal::{self, SECTOR, Sector};
use dyno_core::base::error::{Result, failed};

/// Findings that are kept with all that is known of them; the others are counted.
const MOST_EXAMPLES: usize = 20;

/// How many writes of a thread may have been under way, or their acknowledgements on the way, when
/// power failed.
const IN_FLIGHT: u64 = 1024;

/// What became of a block with a promise.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It holds what was promised, or later writes.
    Kept,
    /// It holds an earlier write, or what was there before the session.
    Lost,
    /// Some of its sectors hold an earlier write, and others what was promised; or a sector is of
    /// two writes.
    Torn,
    /// Lost, although the same thread wrote something after it was acknowledged as durable that is
    /// there.
    Reordered,
    /// A sector holds what nobody wrote there.
    Corrupt,
}

impl Fate {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Fate; 5] = [Fate::Kept, Fate::Lost, Fate::Torn, Fate::Reordered, Fate::Corrupt];

    /// As it is printed.
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

/// What a sector holds, as far as promises go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SectorContents {
    /// This generation, whole.
    Generation(u64),
    /// What was there before the session: zeros, or another session's.
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
    /// What was promised of the block before that, or 0.
    before: u64,
    /// A write of the same thread with this generation or a later one began after the promise was
    /// acknowledged.
    followed_by: u64,
}

/// What was acknowledged before a cut.
#[derive(Clone, Debug)]
pub struct Promises {
    session: WriteSession,
    blocks: Vec<Promise>,
    threads: Vec<Thread>,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    /// The latest write that was acknowledged in any way.
    newest: u64,
    /// Written since its last flush: block and generation.
    pending: Vec<(u64, u64)>,
}

/// A block that was not kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// Where it begins on the drive, bytes.
    pub address: u64,
    /// What became of it.
    pub fate: Fate,
    /// The generation that was acknowledged as durable.
    pub promised: u64,
    /// What its sectors hold, in order.
    pub held: Vec<SectorContents>,
}

/// What came of looking at every block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PowercutVerdict {
    /// Blocks by what became of them.
    pub blocks: BTreeMap<Fate, u64>,
    /// The first blocks that were not kept.
    pub examples: Vec<Example>,
}

impl PowercutVerdict {
    /// Blocks of one fate.
    pub fn count(&self, fate: Fate) -> u64 {
        self.blocks.get(&fate).copied().unwrap_or(0)
    }

    /// Blocks that were looked for.
    pub fn looked_for(&self) -> u64 {
        self.blocks.values().sum()
    }

    /// Blocks that do not hold what was promised, in whichever way.
    pub fn broken(&self) -> u64 {
        self.looked_for() - self.count(Fate::Kept)
    }
}

impl Promises {
    /// Of a session of which nothing is acknowledged yet. The session has been checked.
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

    /// Takes the next acknowledgement. Refuses one that no writer of this session sends.
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
        // Of several writes that one flush made durable none was promised before the others.
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

    /// Notes a write, which must be the next of its thread and go where the session has it.
    fn written(&mut self, write: Write) -> Result<(&mut Thread, ThreadDurability)> {
        let index = usize::from(write.thread);
        let manner =
            *self.session.threads.get(index).ok_or_else(|| wrong("there is no such thread"))?;
        let thread = &mut self.threads[index];
        if thread.newest < LAYOUT || Some(write.generation) != thread.newest.checked_add(1) {
            return Err(wrong("a write is not its thread's next"));
        }
        // Left as a number that has a successor.
        if write.generation == u64::MAX
            || self.session.block_of(index, write.generation) != write.block
        {
            return Err(wrong("a write goes elsewhere"));
        }
        thread.newest = write.generation;
        Ok((thread, manner))
    }

    /// What a sector of a block holds. `bytes` are 512.
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

    /// Whether a writer of this session seals so.
    fn could_write(&self, block: u64, generation: u64, sequence: u64) -> bool {
        let owner = self.session.owner(block);
        sequence == owner as u64
            && (generation == LAYOUT
                || generation > LAYOUT && self.session.block_of(owner, generation) == block)
    }

    /// Whether a sector begins as one write of this block and ends as another: among those that the
    /// promised one may have been written over, it, and those that it may have been overwritten
    /// with when power failed. Each shows at least eight bytes, as many as the checksum has: fewer
    /// may be alike by chance.
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

    /// The writes of a block from the promise before the last one on, with those that may have been
    /// under way.
    fn generations(&self, block: u64) -> impl Iterator<Item = u64> + '_ {
        let owner = self.session.owner(block);
        let thread = &self.threads[owner];
        let from = self.blocks[block as usize].before.max(LAYOUT);
        let later = from.saturating_add(1)..=thread.newest.saturating_add(IN_FLIGHT);
        let of_block = move |&generation: &u64| self.session.block_of(owner, generation) == block;
        std::iter::once(from).chain(later.filter(of_block))
    }
}

/// Compares every block that has a promise with what it holds. `look` puts what the sectors of a
/// block hold into the list, which is empty.
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
            // Until all blocks are seen it is not known whether later writes are there.
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

/// `logical` sectors are written whole when power fails.
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
