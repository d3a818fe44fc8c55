//! After a run that did not end: every block is read and compared with the journal of acknowledged
//! writes. After a kill, each block must contain the last acknowledged write, or one that was in
//! flight. After a host crash the journal may lag behind: later generations are then also right,
//! and earlier ones are lost writes.

use std::os::unix::fs::FileExt;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::block_buffers::Buffers;
use super::blockfile::BlockFile;
use super::verify::{Allowed, BLOCK, BlockState, Right, VerifiedDataset, judge};
use crate::base::error::{Context, Result, bail};
use crate::base::rng::Seed;

/// Bytes per read.
const PORTION: usize = 1 << 20;

/// Compares all blocks; returns their number, or None if there is nothing to check.
pub fn all(
    file: &BlockFile,
    stop: &AtomicBool,
    look_on: &mut dyn FnMut(u64, u64),
) -> Result<Option<u64>> {
    let Some(known) = file.known.as_deref().filter(|known| known.journal.was_left_open()) else {
        return Ok(None);
    };
    let lags = known.journal.is_of_another_boot();
    let mut buffers = Buffers::plain(1, PORTION as u32, 0.0, Seed::new(0, 0, 0))?;
    let mut at = 0;
    while at < file.bytes {
        if stop.load(Relaxed) {
            bail!(
                "interrupted while checking what an earlier run wrote; the next run starts again"
            );
        }
        let len = (file.bytes - at).min(PORTION as u64) as usize;
        let data = &mut buffers.slot(0)[..len];
        let reading = || format!("reading offset {} of {}", file.base + at, file.path.display());
        file.file.read_exact_at(data, file.base + at).with_context(reading)?;
        for (i, block) in data.chunks_exact(BLOCK).enumerate() {
            one(known, at / BLOCK as u64 + i as u64, block, lags)?;
        }
        at += len as u64;
        look_on(at, file.bytes);
    }
    known.journal.was_rechecked()?;
    Ok(Some(file.bytes / BLOCK as u64))
}

/// `lags`: the journal may lack acknowledged writes.
fn one(known: &VerifiedDataset, number: u64, block: &[u8], lags: bool) -> Result<()> {
    let of = known.journal.of();
    let held = known.state(number)?;
    let state = BlockState(held.load(Acquire));
    if !state.known() {
        return Ok(());
    }
    let allowed = Allowed {
        lowest: state.lowest(),
        highest: state.issued(),
        zeroes: state.zeroes() || (lags && known.journal.makes_zeroes()),
        later: lags,
    };
    let address = of.base + number * BLOCK as u64;
    let found = judge(block, known.journal.seal_identity(), address, allowed)
        .map_err(|found| known.wrong(found, address, allowed))?;
    let raised = match found {
        _ if !lags => return Ok(()),
        Right::Whole(generation) if generation > state.issued() => {
            state.raised_to(generation, generation)
        }
        Right::Mixture(highest) => state.raised_to(state.lowest(), highest.max(state.issued())),
        Right::Zeroes if !state.zeroes() => state.or_zeroes(),
        Right::Whole(_) | Right::Zeroes => return Ok(()),
    };
    held.store(raised.0, Release);
    Ok(())
}
