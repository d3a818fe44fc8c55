//! Operations other than reading and writing: durable writes, flush, trim, write zeroes. Each has
//! one method for files and one for devices; missing support in the kernel, filesystem or drive is
//! an error before the load begins. `execute` is for ops whose worker waits for them.
//!
//! | op | file | block device |
//! |---|---|---|
//! | write with FUA | `RWF_DSYNC` | `RWF_DSYNC` |
//! | flush | fdatasync | fdatasync: Flush, if there is a volatile cache |
//! | trim | fallocate, PUNCH_HOLE | BLKDISCARD |
//! | write zeroes | fallocate, ZERO_RANGE | fallocate, ZERO_RANGE: Write Zeroes |
//!
//! When overwriting a file, the filesystem translates `RWF_DSYNC` to one write with FUA if the
//! drive has it, otherwise to a write and a flush. On a block device Linux 6.1 to 6.18 sends an
//! additional flush after a synchronous write such as psync's (blkdev_write_iter); io_uring's and
//! libaio's are the FUA alone.

use std::fs::File;
use std::io::{Error as IoError, IoSlice, Result as IoResult};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use rustix::fs::{FallocateFlags, fallocate, fdatasync};
use rustix::io::{ReadWriteFlags, pwritev2};

use super::blockfile::BlockFile;
use crate::base::error::{Result, failed};
use crate::measure::{Op, OpKind};
use crate::plan::Stream;

/// Deallocates blocks of a file without changing its length.
pub const PUNCH: FallocateFlags = FallocateFlags::PUNCH_HOLE.union(FallocateFlags::KEEP_SIZE);

/// Sets blocks of a file or device to zero.
pub const ZERO: FallocateFlags = FallocateFlags::ZERO_RANGE.union(FallocateFlags::KEEP_SIZE);

/// `_IO(0x12, 119)` of <linux/fs.h>.
const BLKDISCARD: libc::c_ulong = 0x1277;

/// Executes an op and waits for it; `buffer` is what it reads into or writes from.
#[inline(always)]
pub fn execute(file: &BlockFile, op: &Op, buffer: &mut [u8]) -> Result<()> {
    // An op that transfers no data may be longer than the buffer.
    let data = match op.kind.moves_data() {
        true => &mut buffer[..op.len as usize],
        false => &mut [],
    };
    let (at, whole) = (file.base + op.at, data.len());
    let (name, result) = match op.kind {
        OpKind::Write => ("writing", file.file.write_at(data, at)),
        OpKind::WriteFua => ("writing with FUA", write_durably(&file.file, data, at)),
        OpKind::WriteFlush => ("writing and flushing", write_and_flush(&file.file, data, at)),
        OpKind::Flush => ("a flush", flush(&file.file).map(|()| whole)),
        OpKind::Trim => ("a trim", trim(file, at, op.len).map(|()| whole)),
        OpKind::WriteZeroes => ("writing zeroes", write_zeroes(file, at, op.len).map(|()| whole)),
        _ => ("reading", file.file.read_at(data, at)),
    };
    match result {
        Ok(bytes) if bytes == whole => Ok(()),
        Ok(bytes) => Err(file.short(name, at, bytes, op.len)),
        Err(cause) => Err(file.op_failed(name, at, cause)),
    }
}

/// Writes so that the data are durable on return.
fn write_durably(file: &File, data: &[u8], at: u64) -> IoResult<usize> {
    Ok(pwritev2(file, &[IoSlice::new(data)], at, ReadWriteFlags::DSYNC)?)
}

fn write_and_flush(file: &File, data: &[u8], at: u64) -> IoResult<usize> {
    let written = file.write_at(data, at)?;
    flush(file)?;
    Ok(written)
}

/// Makes all earlier writes durable.
fn flush(file: &File) -> IoResult<()> {
    Ok(fdatasync(file)?)
}

/// Discards these blocks. `at` is an offset of the file or device.
fn trim(file: &BlockFile, at: u64, len: u32) -> IoResult<()> {
    if !file.is_device {
        return Ok(fallocate(&file.file, PUNCH, at, u64::from(len))?);
    }
    let range = [at, u64::from(len)];
    // SAFETY: the ioctl reads two numbers.
    match unsafe { libc::ioctl(file.file.as_raw_fd(), BLKDISCARD, range.as_ptr()) } {
        0 => Ok(()),
        _ => Err(IoError::last_os_error()),
    }
}

/// Sets these blocks to zero without transferring them. `at` is an offset of the file or device.
fn write_zeroes(file: &BlockFile, at: u64, len: u32) -> IoResult<()> {
    Ok(fallocate(&file.file, ZERO, at, u64::from(len))?)
}

/// The placement handle of a stream's writes.
pub fn placement(stream: &Stream) -> Option<u64> {
    stream.workload.knobs.get("placement")?.as_u64()
}

/// Refuses a stream whose requests the kernel cannot execute on this file or device.
pub fn check(file: &BlockFile, stream: &Stream) -> Result<()> {
    if placement(stream).is_some() {
        return Err(failed(
            "only NVMe commands carry a placement hint",
            "use the engine uring with `passthrough = true` on a whole NVMe namespace, or leave \
             `placement` out",
        ));
    }
    check_kinds(file, stream)
}

/// Refuses a stream whose trims or write zeroes are not supported.
pub fn check_kinds(file: &BlockFile, stream: &Stream) -> Result<()> {
    let asked = |knob: &str| stream.workload.knobs.float(knob).is_ok_and(|share| share > 0.0);
    if asked("trim") {
        check_one(file, "trim", PUNCH, "discard_max_bytes")?;
    }
    if asked("write_zeroes") {
        check_one(file, "write zeroes", ZERO, "write_zeroes_max_bytes")?;
    }
    Ok(())
}

fn check_one(file: &BlockFile, what: &str, how: FallocateFlags, limit: &str) -> Result<()> {
    if file.is_device {
        // If a drive does not support it, the kernel would write zeroes itself.
        return match queue_limit(file, limit)? {
            0 => Err(failed(
                format!("{} has no {what}: queue/{limit} of its device is 0", file.path.display()),
                format!("leave {what} out of the workload, or use a drive that has it"),
            )),
            _ => Ok(()),
        };
    }
    // Past the end of the file there is nothing to lose, and the allocation is freed again.
    const PROBE_BYTES: u64 = 4096;
    let beyond = (file.base + file.bytes).next_multiple_of(PROBE_BYTES) + PROBE_BYTES;
    let tried = fallocate(&file.file, how, beyond, PROBE_BYTES)
        .and_then(|()| fallocate(&file.file, PUNCH, beyond, PROBE_BYTES));
    tried.map_err(|cause| {
        failed(
            format!("the filesystem of {} has no {what} for files: {cause}", file.path.display()),
            format!(
                "leave {what} out of the workload, or use a filesystem that has it, such as ext4 \
                 or XFS, or a bare device"
            ),
        )
    })
}

/// A limit of a block device's queue, bytes.
fn queue_limit(file: &BlockFile, name: &str) -> Result<u64> {
    use std::os::unix::fs::MetadataExt;
    let device = file.file.metadata()?.rdev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let node = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
    let text = ["queue", "../queue"]
        .iter()
        .find_map(|queue| std::fs::read_to_string(node.join(queue).join(name)).ok());
    Ok(text.and_then(|text| text.trim().parse().ok()).unwrap_or(0))
}
