//! io_uring's requests beside reading and writing: to make writes durable, to trim, to write
//! zeroes.

use io_uring::{IoUring, Probe, opcode, squeue, types};
use rustix::fs::FallocateFlags;

use super::block_commands::{self as commands, PUNCH, ZERO};
use super::blockfile::BlockFile;
use crate::base::error::{Context, Result, failed};
use crate::load::{Op, OpKind};
use crate::plan::Stream;

/// Marks the write of a pair of write and flush, whose slot is in the other bits. It answers only
/// where it failed, and the flush is then cancelled.
pub const FIRST_OF_PAIR: u64 = 1 << 32;

/// `BLOCK_URING_CMD_DISCARD` of <linux/blkdev.h>, Linux 6.12: `_IO(0x12, 0)`.
const DISCARD: u32 = 0x1200;

/// Whether each write of a stream is followed by a flush of its own.
pub fn pairs(stream: &Stream) -> bool {
    stream.workload.knobs.text("sync").is_ok_and(|sync| sync == "fdatasync")
}

/// Refuses what this kernel, filesystem or drive cannot execute.
pub fn check(ring: &mut IoUring, file: &BlockFile, stream: &Stream) -> Result<()> {
    commands::check(file, stream)?;
    if pairs(stream) && !ring.params().is_feature_skip_cqe_on_success() {
        return Err(failed(
            "a write and its flush as one op need Linux 5.17 with io_uring",
            "use the engine psync, or sync = \"fua\"",
        ));
    }
    let trims = stream.workload.knobs.float("trim").is_ok_and(|share| share > 0.0);
    if trims && file.is_device && !discards(ring)? {
        return Err(failed(
            "trim of a block device needs Linux 6.12 with io_uring",
            "use the engine psync",
        ));
    }
    Ok(())
}

/// Whether the kernel knows discards as io_uring commands: one of no length is then an invalid
/// argument, and otherwise not supported.
fn discards(ring: &mut IoUring) -> Result<bool> {
    let mut probe = Probe::new();
    ring.submitter().register_probe(&mut probe).context("asking what io_uring can do")?;
    if !probe.is_supported(opcode::UringCmd16::CODE) {
        return Ok(false);
    }
    // SAFETY: the request refers to no memory.
    unsafe { ring.submission().push(&discard(types::Fixed(0), 0, 0)) }
        .context("queueing a discard of no length")?;
    ring.submit_and_wait(1).context("sending a discard of no length")?;
    Ok(ring.completion().next().is_some_and(|answer| answer.result() == -libc::EINVAL))
}

fn discard(fd: types::Fixed, at: u64, len: u64) -> squeue::Entry {
    let mut length = [0; 16];
    length[..8].copy_from_slice(&len.to_ne_bytes());
    opcode::UringCmd16::new(fd, DISCARD).addr(Some(at)).cmd(length).build()
}

/// The request for an op that is neither a plain read nor a plain write, and what is to be queued
/// before it.
pub fn entries(
    file: &BlockFile,
    (slot, address): (u32, *mut u8),
    op: &Op,
) -> (Option<squeue::Entry>, squeue::Entry) {
    let fd = types::Fixed(0);
    let (at, len) = (file.base + op.at, u64::from(op.len));
    let write = opcode::WriteFixed::new(fd, address, op.len, slot as u16).offset(at);
    let flush = opcode::Fsync::new(fd).flags(types::FsyncFlags::DATASYNC).build();
    let fallocate = |mode: FallocateFlags| {
        opcode::Fallocate::new(fd, len).offset(at).mode(mode.bits() as i32).build()
    };
    let entry = match op.kind {
        OpKind::WriteFua => write.rw_flags(libc::RWF_DSYNC).build(),
        OpKind::WriteFlush => {
            let first = write.build().flags(squeue::Flags::IO_LINK | squeue::Flags::SKIP_SUCCESS);
            return (Some(first.user_data(FIRST_OF_PAIR | u64::from(slot))), flush);
        }
        OpKind::Trim if file.is_device => discard(fd, at, len),
        OpKind::Trim => fallocate(PUNCH),
        OpKind::WriteZeroes => fallocate(ZERO),
        // The kernel starts it when all before it is complete, and holds back what follows.
        _ => flush.flags(squeue::Flags::IO_DRAIN),
    };
    (None, entry)
}
