//! Requests to files and block devices: reads, writes, durable writes, flush, trim, write zeroes.

use std::sync::Arc;

use io_uring::{Probe, cqueue, opcode, squeue, types};
use rustix::fs::FallocateFlags;

use super::super::block_commands::{self as commands, PUNCH, ZERO};
use super::super::blockfile::BlockFile;
use super::io_context::{FIRST_OF_PAIR, RequestForm, RingRequest, SlotTarget};
use super::polling::Poll;
use super::ring::Ring;
use crate::base::error::{Context, Result, ensure, failed};
use crate::measure::{Op, OpKind};
use crate::plan::Stream;

/// `BLOCK_URING_CMD_DISCARD` of <linux/blkdev.h>, Linux 6.12: `_IO(0x12, 0)`.
const DISCARD: u32 = 0x1200;

type PlainRing = Ring<squeue::Entry, cqueue::Entry>;

/// Whether each write of a stream is followed by its own flush.
pub fn pairs(stream: &Stream) -> bool {
    stream.workload.knobs.text("sync").is_ok_and(|sync| sync == "fdatasync")
}

/// Refuses what this kernel, filesystem or drive cannot execute.
pub fn check(ring: &mut PlainRing, file: &BlockFile, stream: &Stream) -> Result<()> {
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

/// Whether the kernel supports discards as io_uring commands: one of zero length is then an invalid
/// argument, or the descriptor is wrong if opened read-only; otherwise it is not supported.
fn discards(ring: &mut PlainRing) -> Result<bool> {
    let mut probe = Probe::new();
    ring.submitter().register_probe(&mut probe).context("asking what io_uring can do")?;
    if !probe.is_supported(opcode::UringCmd16::CODE) {
        return Ok(false);
    }
    // SAFETY: the request refers to no memory.
    ensure!(
        unsafe { ring.push(discard(types::Fixed(0), 0, 0)) },
        "no room for a discard of no length"
    );
    ring.submit(1).context("sending a discard of no length")?;
    let known = [-libc::EINVAL, -libc::EBADF];
    Ok(ring.answers().next().is_some_and(|answer| known.contains(&answer.result())))
}

fn discard(fd: types::Fixed, at: u64, len: u64) -> squeue::Entry {
    let mut length = [0; 16];
    length[..8].copy_from_slice(&len.to_ne_bytes());
    opcode::UringCmd16::new(fd, DISCARD).addr(Some(at)).cmd(length).build()
}

/// Refuses ops that a polling ring cannot execute: the kernel only polls for data transfers, and a
/// durable write through the block layer has no polled completion.
pub fn check_polled(poll: Poll, passthrough: bool, stream: &Stream) -> Result<()> {
    let knobs = &stream.workload.knobs;
    let shares = ["trim", "write_zeroes", "flush"];
    let asked = |knob: &&str| knobs.float(knob).is_ok_and(|share| share > 0.0);
    let sync = knobs.text("sync").unwrap_or("none");
    let durable = sync == "fdatasync" || (sync == "fua" && !passthrough);
    let flushes = knobs.int("fdatasync").is_ok_and(|writes| writes > 0);
    if poll == Poll::None || !(shares.iter().any(asked) || durable || flushes) {
        return Ok(());
    }
    Err(failed(
        "a polling ring executes only reads and writes, and FUA as an NVMe command",
        "leave flushes, trims and write zeroes out of the workload, or set `poll = \"none\"`",
    ))
}

/// How an I/O context reads and writes files or block devices.
pub struct Plain {
    /// The open files, by drive.
    pub files: Vec<Arc<BlockFile>>,
}

impl RequestForm for Plain {
    type Sq = squeue::Entry;
    type Cq = cqueue::Entry;
    const BUFFERS_APART: bool = false;

    #[inline(always)]
    fn plain(&self, write: bool, place: &SlotTarget, at: u64, len: u32) -> Self::Sq {
        let (fd, address, buffer) = (types::Fixed(place.file), place.address, place.buffer);
        match write {
            true => opcode::WriteFixed::new(fd, address, len, buffer).offset(at).build(),
            false => opcode::ReadFixed::new(fd, address, len, buffer).offset(at).build(),
        }
    }

    fn other(&self, place: &SlotTarget, at: u64, op: &Op) -> RingRequest<Self::Sq> {
        let (fd, slot) = (types::Fixed(place.file), place.slot);
        let len = u64::from(op.len);
        let write = opcode::WriteFixed::new(fd, place.address, op.len, place.buffer).offset(at);
        let flush = opcode::Fsync::new(fd).flags(types::FsyncFlags::DATASYNC).build();
        let fallocate = |mode: FallocateFlags| {
            opcode::Fallocate::new(fd, len).offset(at).mode(mode.bits() as i32).build()
        };
        let alone = |entry| RingRequest { before: None, entry, answer: 0 };
        match op.kind {
            OpKind::WriteFua => {
                let entry = write.rw_flags(libc::RWF_DSYNC).build();
                RingRequest { before: None, entry, answer: op.len as i32 }
            }
            OpKind::WriteFlush => {
                let flags = squeue::Flags::IO_LINK | squeue::Flags::SKIP_SUCCESS;
                let first = write.build().flags(flags);
                let before = Some(first.user_data(FIRST_OF_PAIR | u64::from(slot)));
                // In a pair, the flush determines the result.
                RingRequest { before, entry: flush, answer: 0 }
            }
            OpKind::Trim if self.files[place.file as usize].is_device => {
                alone(discard(fd, at, len))
            }
            OpKind::Trim => alone(fallocate(PUNCH)),
            OpKind::WriteZeroes => alone(fallocate(ZERO)),
            // The kernel starts it when all earlier requests have completed, and delays later ones.
            _ => alone(flush.flags(squeue::Flags::IO_DRAIN)),
        }
    }

    #[inline(always)]
    fn answer(&self, len: u32) -> i32 {
        len as i32
    }

    #[inline(always)]
    fn nop(&self) -> Self::Sq {
        opcode::Nop::new().build()
    }

    #[inline(always)]
    fn set_user_data(entry: Self::Sq, data: u64) -> Self::Sq {
        entry.user_data(data)
    }

    fn failure(&self, result: i32) -> std::io::Error {
        std::io::Error::from_raw_os_error(-result)
    }
}
