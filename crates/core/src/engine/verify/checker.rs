//! The table of a dataset as used by its workers, and the part of one worker: it seals writes,
//! records acknowledgements, and checks reads. Between barrier and join it takes no lock and
//! allocates nothing.

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use super::journal::BlockJournal;
use super::state::{Begun, BlockState, Leaves};
use super::wrong::{Allowed, Wrong, judge};
use crate::base::block_seal::{self, BlockFinding, Seal};
use crate::base::error::{Error, Result, failed};
use crate::measure::{Op, OpKind};
use crate::record::Verified;

/// The block size of the table.
pub const BLOCK: usize = 4096;

/// The state of a dataset's blocks, shared by all its users.
pub struct VerifiedDataset {
    /// Journal with this state.
    pub journal: BlockJournal,
    /// Path of the journal.
    pub path: PathBuf,
    /// The dataset's name in errors.
    pub shown: PathBuf,
    /// The contents after a trim.
    pub after_trim: Leaves,
    /// Zeros at the end of each sector.
    pub zeros: usize,
    /// One per open worker.
    pub tallies: Mutex<Vec<Arc<CheckTally>>>,
}

/// One worker's counts, each on its own cache lines.
#[derive(Default)]
#[repr(align(128))]
pub struct CheckTally {
    /// Number of blocks compared with their permitted contents.
    pub checked: AtomicU64,
    /// Number of blocks that were read while being written, and were not intact.
    pub overlapped: AtomicU64,
    /// Number of blocks with undefined contents, because they were trimmed.
    pub undefined: AtomicU64,
    /// Number of wrong blocks.
    pub wrong: AtomicU64,
}

/// Adds to a counter that has a single writer.
#[inline(always)]
fn add(counter: &AtomicU64) {
    counter.store(counter.load(Relaxed) + 1, Relaxed);
}

impl VerifiedDataset {
    /// The state of a block.
    #[inline(always)]
    pub fn state(&self, block: u64) -> Result<&AtomicU64> {
        self.journal.block(block).ok_or_else(|| self.beyond(block))
    }

    #[cold]
    fn beyond(&self, block: u64) -> Error {
        failed(
            format!(
                "an op uses offset {} of {}, which the journal does not cover",
                block * BLOCK as u64,
                self.shown.display()
            ),
            "this is a bug in Dyno: please report it",
        )
    }

    /// The error that ends a point.
    #[cold]
    pub fn wrong(&self, found: BlockFinding, address: u64, allowed: Allowed) -> Error {
        let wrong = Wrong::of(found, self.journal.seal_identity(), address, allowed);
        failed(
            format!("data verification of {}: {wrong}", self.shown.display()),
            "leave the drive unchanged and check `dmesg`; docs/verify.md describes the classes",
        )
    }

    /// The number of checked blocks since it was opened, for the disclosure.
    pub fn verified(&self) -> Verified {
        let tallies = self.tallies.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |tally: &Arc<CheckTally>| Verified {
            checked: tally.checked.load(Relaxed),
            wrong: tally.wrong.load(Relaxed),
            overlapped: tally.overlapped.load(Relaxed),
            undefined: tally.undefined.load(Relaxed),
        };
        tallies.iter().map(of).fold(Verified::default(), Verified::and)
    }
}

/// One worker's part.
pub struct Checker {
    known: Arc<VerifiedDataset>,
    tally: Arc<CheckTally>,
    /// The maximum number of blocks of an op.
    each: usize,
    /// For each slot, its op.
    ops: Vec<Option<Op>>,
    /// For each slot and block of its op: the started write, or the state at the start of a read.
    held: Vec<u64>,
}

impl Checker {
    /// For an I/O context with this many slots, whose ops have at most this many bytes.
    pub fn new(known: Arc<VerifiedDataset>, slots: u32, largest: u32) -> Checker {
        let each = (largest as usize).div_ceil(BLOCK);
        let tally = Arc::new(CheckTally::default());
        known.tallies.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&tally));
        let (ops, held) = (vec![None; slots as usize], vec![0; slots as usize * each]);
        Checker { known, tally, each, ops, held }
    }

    fn leaves(&self, kind: OpKind) -> Leaves {
        match kind {
            OpKind::Trim => self.known.after_trim,
            OpKind::WriteZeroes => Leaves::Zeroes,
            _ => Leaves::Data,
        }
    }

    /// Before an op is submitted: seals the data to write in its buffer, or invalidates the buffer
    /// of a read so that nothing in it can be mistaken for data that was read.
    #[inline(never)]
    pub fn stage(&mut self, slot: u32, op: &Op, buffer: &mut [u8]) -> Result<()> {
        self.ops[slot as usize] = Some(*op);
        let len = op.len as usize;
        if op.kind == OpKind::Flush {
            return Ok(());
        }
        if !op.at.is_multiple_of(BLOCK as u64) || !len.is_multiple_of(BLOCK) {
            return Err(unaligned(op));
        }
        let first = op.at / BLOCK as u64;
        let held = &mut self.held[slot as usize * self.each..][..len / BLOCK];
        if op.kind == OpKind::Read {
            block_seal::spoil(&mut buffer[..len]);
            for (i, held) in held.iter_mut().enumerate() {
                *held = self.known.state(first + i as u64)?.load(Acquire);
            }
            return Ok(());
        }
        let known = &*self.known;
        let leaves = self.leaves(op.kind);
        let base = known.journal.of().base + op.at;
        let held = &mut self.held[slot as usize * self.each..][..len / BLOCK];
        for (i, held) in held.iter_mut().enumerate() {
            let begun = begin(known.state(first + i as u64)?, leaves)?;
            *held = begun.packed();
            if op.kind.sends_data() {
                let address = base + (i * BLOCK) as u64;
                let (dataset, generation) = (known.journal.seal_identity(), begun.generation);
                let seal = Seal { dataset, address, generation, sequence: op.salt };
                block_seal::seal(&mut buffer[i * BLOCK..][..BLOCK], seal, known.zeros);
            }
        }
        Ok(())
    }

    /// The op in a slot is complete; the data that it read are in its buffer.
    #[inline(never)]
    pub fn complete(&mut self, slot: u32, buffer: &[u8]) -> Result<()> {
        let Some(op) = self.ops[slot as usize].take() else { return Ok(()) };
        let first = op.at / BLOCK as u64;
        let leaves = self.leaves(op.kind);
        for i in 0..op.len as usize / BLOCK {
            let held = self.held[slot as usize * self.each + i];
            let state = self.known.state(first + i as u64)?;
            match op.kind {
                OpKind::Flush => {}
                OpKind::Read => {
                    let block = &buffer[i * BLOCK..][..BLOCK];
                    let address = self.known.journal.of().base + op.at + (i * BLOCK) as u64;
                    let then = BlockState(held);
                    self.judge(block, address, then, BlockState(state.load(Acquire)))?;
                }
                _ => end(state, Begun::unpacked(held), leaves),
            }
        }
        Ok(())
    }

    /// `then` and `now` are the block's states when the read started and after it.
    #[inline]
    fn judge(&self, block: &[u8], address: u64, then: BlockState, now: BlockState) -> Result<()> {
        if !then.known() || !now.known() {
            add(&self.tally.undefined);
            return Ok(());
        }
        let moved = then.in_flight() > 0 || then.issued() != now.issued();
        let zeroes = then.zeroes() || now.zeroes();
        let allowed =
            Allowed { lowest: then.lowest(), highest: now.issued(), zeroes, later: false };
        match judge(block, self.known.journal.seal_identity(), address, allowed) {
            Ok(_) => add(&self.tally.checked),
            // The page cache guarantees nothing for a read during a write, not even whole sectors.
            Err(_) if moved => add(&self.tally.overlapped),
            Err(found) => {
                add(&self.tally.checked);
                add(&self.tally.wrong);
                return Err(self.known.wrong(found, address, allowed));
            }
        }
        Ok(())
    }
}

#[inline(always)]
fn begin(state: &AtomicU64, leaves: Leaves) -> Result<Begun> {
    let mut now = state.load(Acquire);
    loop {
        let Some((next, begun)) = BlockState(now).begin(leaves) else { return Err(too_many()) };
        match state.compare_exchange_weak(now, next.0, AcqRel, Acquire) {
            Ok(_) => return Ok(begun),
            Err(other) => now = other,
        }
    }
}

#[inline(always)]
fn end(state: &AtomicU64, begun: Begun, leaves: Leaves) {
    let mut now = state.load(Acquire);
    while let Err(other) =
        state.compare_exchange_weak(now, BlockState(now).end(begun, leaves).0, AcqRel, Acquire)
    {
        now = other;
    }
}

#[cold]
fn too_many() -> Error {
    failed(
        "more than 4,095 writes of one block are in flight, or more than 2^38 were begun",
        "use a larger range, or fewer requests in flight",
    )
}

#[cold]
fn unaligned(op: &Op) -> Error {
    failed(
        format!(
            "an op of {} bytes at offset {} does not cover whole blocks of 4 KiB",
            op.len, op.at
        ),
        "with `verify = true` use blocks and offsets that are multiples of 4 KiB",
    )
}
