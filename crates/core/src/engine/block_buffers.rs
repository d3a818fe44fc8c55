//! The buffers of block engines and their contents: unique data, duplicates at a stated ratio, or
//! self-identifying blocks that are verified when they are read.

use std::sync::Arc;

use super::blockfile::BlockFile;
use super::dedupe::Dedupe;
use super::pages::Pages;
use super::verify::Checker;
use crate::base::block_seal::SECTOR;
use crate::base::error::{Context, Result};
use crate::base::rng::Seed;
use crate::measure::{Completion, Op};
use crate::plan::Stream;

/// Page-aligned memory for direct I/O: `slots` buffers of `each` bytes, filled with data that is
/// incompressible or compresses as the plan specifies.
pub struct Buffers {
    memory: Pages,
    each: usize,
    /// The zeros at the end of every sector.
    zeros: usize,
    content: Content,
}

/// The contents of a buffer before it is written.
enum Content {
    /// Unlike any other write.
    Unique,
    /// Unique data and duplicates.
    Dedupe(Dedupe),
    /// Self-identifying blocks.
    Sealed(Checker),
}

impl Buffers {
    /// For an I/O context of a stream on this file.
    pub fn new(file: &BlockFile, stream: &Stream, seed: Seed) -> Result<Buffers> {
        let (slots, each) = (stream.depth, largest_op(stream)?);
        let mut buffers = Buffers::plain(slots, each, file.compressible, seed)?;
        if let Some(known) = &file.known {
            let asked = |knob| stream.workload.knobs.float(knob).is_ok_and(|share| share > 0.0);
            if ["trim", "write_zeroes"].into_iter().any(asked) {
                known.journal.will_make_zeroes()?;
            }
            buffers.content = Content::Sealed(Checker::new(Arc::clone(known), slots, each));
        } else if let Some(dedupe) = file.dedupe {
            buffers.content = Content::Dedupe(dedupe);
        }
        Ok(buffers)
    }

    /// Buffers whose data are unlike any other.
    pub fn plain(slots: u32, each: u32, compressible: f64, seed: Seed) -> Result<Buffers> {
        let each = (each as usize).next_multiple_of(4096);
        let memory = Pages::new(each * slots as usize)?;
        let zeros = ((compressible / 100.0 * SECTOR as f64) as usize).min(SECTOR - 8);
        let mut buffers = Buffers { memory, each, zeros, content: Content::Unique };
        let mut rng = seed.at(0);
        for sector in buffers.all().chunks_exact_mut(SECTOR) {
            for word in sector[..SECTOR - zeros].chunks_mut(8) {
                word.copy_from_slice(&rng.draw().to_le_bytes()[..word.len()]);
            }
        }
        Ok(buffers)
    }

    #[inline(always)]
    fn all(&mut self) -> &mut [u8] {
        self.memory.all()
    }

    /// The kind of pages, for the disclosure.
    pub fn pages(&self) -> &'static str {
        self.memory.describe()
    }

    pub fn slot(&mut self, slot: u32) -> &mut [u8] {
        let each = self.each;
        &mut self.all()[slot as usize * each..][..each]
    }

    /// Before an op is submitted: makes the data that a slot writes unique, a duplicate, or a
    /// self-identifying block; and prepares a verified read.
    #[inline(always)]
    pub fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
        match &self.content {
            Content::Unique if op.kind.sends_data() => self.stamp(slot, op),
            Content::Unique => {}
            _ => return self.stage_further(slot, op),
        }
        Ok(())
    }

    #[inline(never)]
    fn stage_further(&mut self, slot: u32, op: &Op) -> Result<()> {
        let zeros = self.zeros;
        let at = slot as usize * self.each;
        match &mut self.content {
            Content::Sealed(checker) => {
                checker.stage(slot, op, &mut self.memory.all()[at..][..self.each])
            }
            Content::Dedupe(dedupe) if op.kind.sends_data() => {
                let dedupe = *dedupe;
                self.stamp(slot, op);
                dedupe.duplicate(&mut self.slot(slot)[..op.len as usize], op, zeros);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// After ops have completed and their latencies are recorded: verifies the data that they read.
    #[inline(always)]
    pub fn check(&mut self, done: &[Completion]) -> Result<()> {
        if let Content::Sealed(checker) = &mut self.content {
            for done in done {
                let at = done.slot as usize * self.each;
                checker.complete(done.slot, &self.memory.all()[at..][..self.each])?;
            }
        }
        Ok(())
    }

    /// The op's own number in each sector.
    #[inline(always)]
    fn stamp(&mut self, slot: u32, op: &Op) {
        let random = SECTOR - self.zeros;
        let data = &mut self.slot(slot)[..op.len as usize];
        for (i, sector) in data.chunks_exact_mut(SECTOR).enumerate() {
            let word = (op.salt ^ op.at).wrapping_add(i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            sector[..8.min(random)].copy_from_slice(&word.to_le_bytes()[..8.min(random)]);
        }
    }
}

/// The buffers of an I/O context on several drives, with slots numbered in the drives' order.
#[repr(C)]
pub struct ContextBuffers {
    /// Slots for each drive.
    pub depth: u32,
    /// Whether all buffers hold unique data, so that only writes change a buffer.
    unique: bool,
    /// The open files, by drive.
    pub files: Vec<Arc<BlockFile>>,
    /// Buffers by drive.
    pub buffers: Vec<Buffers>,
}

impl ContextBuffers {
    /// For an I/O context of a stream on these files.
    pub fn new(files: Vec<Arc<BlockFile>>, stream: &Stream, thread: u32) -> Result<ContextBuffers> {
        let seed = Seed::new(0, 1, u64::from(thread));
        let buffers: Result<Vec<_>> =
            files.iter().map(|file| Buffers::new(file, stream, seed)).collect();
        let buffers = buffers?;
        let unique = buffers.iter().all(|buffers| matches!(buffers.content, Content::Unique));
        Ok(ContextBuffers { depth: stream.depth, unique, files, buffers })
    }

    /// Number of slots of all drives.
    pub fn slots(&self) -> u32 {
        self.depth * self.files.len() as u32
    }

    /// The drive of a slot; avoids the division if there is only one drive.
    #[inline(always)]
    pub fn drive(&self, slot: u32) -> usize {
        if self.files.len() == 1 { 0 } else { (slot / self.depth) as usize }
    }

    /// The memory of a slot.
    #[inline(always)]
    pub fn slot(&mut self, slot: u32) -> &mut [u8] {
        let drive = self.drive(slot);
        self.buffers[drive].slot(slot % self.depth)
    }

    /// [`Buffers::stage`] for a slot of a drive.
    #[inline(always)]
    pub fn stage(&mut self, drive: usize, slot: u32, op: &Op) -> Result<()> {
        if self.unique && !op.kind.sends_data() {
            return Ok(());
        }
        self.buffers[drive].stage(slot - drive as u32 * self.depth, op)
    }

    /// [`Buffers::check`] for the ops of all drives.
    #[inline(always)]
    pub fn check(&mut self, done: &[Completion]) -> Result<()> {
        if self.unique {
            return Ok(());
        }
        if let [only] = &mut self.buffers[..] {
            return only.check(done);
        }
        done.iter().try_for_each(|one| {
            let own = Completion { slot: one.slot % self.depth, ..*one };
            let drive = self.drive(one.slot);
            self.buffers[drive].check(&[own])
        })
    }
}

/// The largest op of a stream, which is the size of a slot's buffer.
fn largest_op(stream: &Stream) -> Result<u32> {
    let sizes = stream.workload.knobs.sizes("block")?;
    let largest = sizes.iter().map(|s| s.0).max().unwrap_or(4096);
    u32::try_from(largest).context("a block of 4 GiB or more")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::block_seal::is_dynos;
    use crate::measure::OpKind;

    #[test]
    fn every_sector_that_is_written_is_recognised_as_dynos_and_others_are_not() {
        for compressible in [0.0, 20.0, 50.5, 90.0, 100.0] {
            let seed = Seed::new(3, 1, 2);
            let mut buffers = Buffers::plain(2, 8192, compressible, seed).expect("memory");
            let op = Op { kind: OpKind::Write, class: 0, len: 8192, at: 4096, salt: 77 };
            for slot in 0..2 {
                buffers.stamp(slot, &op);
                let data = buffers.slot(slot).to_vec();
                for sector in data.chunks_exact(SECTOR) {
                    assert!(is_dynos(sector), "{compressible} %: {sector:02x?}");
                    // A number in the middle, and the zeros at the end.
                    let random = SECTOR - buffers.zeros;
                    let middle = (random > 128).then_some(100);
                    let end = (buffers.zeros > 16).then_some(SECTOR - 1);
                    for at in middle.into_iter().chain(end) {
                        let mut other = sector.to_vec();
                        other[at] ^= 0x40;
                        assert!(!is_dynos(&other), "{compressible} %, byte {at}");
                    }
                }
            }
        }
        // A buffer into which zeros were read contains only an op's number.
        let mut read = vec![0; SECTOR];
        read[..8].fill(9);
        assert!(is_dynos(&read) && is_dynos(&[0; SECTOR]));
        let text = b"From: somebody\nTo: everybody\n".repeat(18);
        assert!(!is_dynos(&text[..SECTOR]) && !is_dynos(&[7; SECTOR]));
    }
}
