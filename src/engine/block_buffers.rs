//! The memory that block engines read into and write from, and what is put into it: data unlike
//! any other, duplicates at a stated ratio, or blocks that say what they are and are verified when
//! they are read.

use std::sync::Arc;

use super::blockfile::BlockFile;
use super::dedupe::Dedupe;
use super::verify::Checker;
use crate::base::block_seal::SECTOR;
use crate::base::error::{Context, Result, failed};
use crate::base::rng::Seed;
use crate::load::{Done, Op};
use crate::plan::Stream;

/// Page-aligned memory for direct I/O, `slots` buffers of `each` bytes, filled with data that does
/// not compress or as far as the plan says.
pub struct Buffers {
    memory: std::ptr::NonNull<u8>,
    layout: std::alloc::Layout,
    each: usize,
    /// The zeros at the end of every sector.
    zeros: usize,
    content: Content,
}

/// What is put into a buffer before it is written.
enum Content {
    /// What no other write has.
    Unique,
    /// Such data, and duplicates.
    Dedupe(Dedupe),
    /// Blocks that say what they are.
    Sealed(Checker),
}

// SAFETY: the memory is owned by this value alone and is plain bytes.
unsafe impl Send for Buffers {}

impl Buffers {
    /// For a lane of a stream on this file.
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
        let layout = std::alloc::Layout::from_size_align(each * slots as usize, 4096)
            .context("sizing the buffers")?;
        // SAFETY: the size is not zero, since a slot has at least 4,096 bytes and there is at least
        // one.
        let memory = unsafe { std::alloc::alloc_zeroed(layout) };
        let memory = std::ptr::NonNull::new(memory).ok_or_else(|| {
            failed(
                format!("no memory for {} bytes of buffers", layout.size()),
                "lower depth or block",
            )
        })?;
        let zeros = ((compressible / 100.0 * SECTOR as f64) as usize).min(SECTOR - 8);
        let mut buffers = Buffers { memory, layout, each, zeros, content: Content::Unique };
        let mut rng = seed.at(0);
        for sector in buffers.all().chunks_exact_mut(SECTOR) {
            for word in sector[..SECTOR - zeros].chunks_mut(8) {
                word.copy_from_slice(&rng.draw().to_le_bytes()[..word.len()]);
            }
        }
        Ok(buffers)
    }

    fn all(&mut self) -> &mut [u8] {
        // SAFETY: the allocation is that long, zeroed, and borrowed mutably through self.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_ptr(), self.layout.size()) }
    }

    pub fn slot(&mut self, slot: u32) -> &mut [u8] {
        let each = self.each;
        &mut self.all()[slot as usize * each..][..each]
    }

    /// An op is about to be handed over: makes what a slot writes unlike anything written before,
    /// a duplicate, or a block that says what it is; and makes ready what a verified read needs.
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
        // SAFETY: a slot's part of the allocation, which `content` does not refer to.
        let data =
            unsafe { std::slice::from_raw_parts_mut(self.memory.as_ptr().add(at), self.each) };
        match &mut self.content {
            Content::Sealed(checker) => checker.stage(slot, op, data),
            Content::Dedupe(dedupe) if op.kind.sends_data() => {
                let dedupe = *dedupe;
                self.stamp(slot, op);
                dedupe.duplicate(&mut data[..op.len as usize], op, zeros);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Ops are complete, and their latencies taken: what they read is verified.
    #[inline(always)]
    pub fn check(&mut self, done: &[Done]) -> Result<()> {
        if let Content::Sealed(checker) = &mut self.content {
            for done in done {
                let at = done.slot as usize * self.each;
                // SAFETY: a slot's part of the allocation, which `content` does not refer to.
                let data =
                    unsafe { std::slice::from_raw_parts(self.memory.as_ptr().add(at), self.each) };
                checker.complete(done.slot, data)?;
            }
        }
        Ok(())
    }

    /// A number of the op's own in each sector.
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

impl Drop for Buffers {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout and not freed since.
        unsafe { std::alloc::dealloc(self.memory.as_ptr(), self.layout) }
    }
}

/// The largest op that a stream can make, which is what a slot's buffer must hold.
fn largest_op(stream: &Stream) -> Result<u32> {
    let sizes = stream.workload.knobs.sizes("block")?;
    let largest = sizes.iter().map(|s| s.0).max().unwrap_or(4096);
    u32::try_from(largest).context("a block of 4 GiB or more")
}
