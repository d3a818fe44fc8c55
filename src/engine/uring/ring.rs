//! Rings: made with everything that the kernel has to make them cheap, and with what the plan asks
//! for.

use std::os::fd::{AsRawFd, RawFd};

use io_uring::{IoUring, cqueue, squeue};

use super::super::block_buffers::Buffers;
use super::polling::Poll;
use crate::base::error::{Context, Error, Result, failed};

/// `IORING_SETUP_IOPOLL`, `IORING_SETUP_SINGLE_ISSUER`, `IORING_SETUP_DEFER_TASKRUN` and
/// `IORING_SETUP_HYBRID_IOPOLL` of linux/io_uring.h: what a ring with hybrid polling is made with,
/// for which the library has no call.
const HYBRID_FLAGS: u32 = 1 | 1 << 12 | 1 << 13 | 1 << 17;

/// How long the kernel's submitting thread looks for requests before it sleeps.
const SUBMITTER_IDLE_MS: u32 = 1000;

/// What a plan asks of its rings.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How completions are found.
    pub poll: Poll,
    /// A thread of the kernel submits.
    pub sqpoll: bool,
}

/// A ring of either size of entries.
pub fn ring<S, C>(depth: u32, options: Options) -> Result<IoUring<S, C>>
where
    S: squeue::EntryMarker,
    C: cqueue::EntryMarker,
{
    let entries = depth.next_power_of_two();
    let build = |best: bool| {
        let mut builder = IoUring::<S, C>::builder();
        if options.poll == Poll::Iopoll {
            builder.setup_iopoll();
        }
        if options.sqpoll {
            builder.setup_sqpoll(SUBMITTER_IDLE_MS);
        } else if best {
            builder.setup_single_issuer().setup_defer_taskrun().setup_taskrun_flag();
        }
        builder.build(entries)
    };
    let ring = match build(true) {
        Err(cause) if cause.raw_os_error() == Some(libc::EINVAL) => build(false),
        other => other,
    };
    ring.map_err(|cause| refused(entries, options, &cause))
}

/// A ring with hybrid polling.
pub fn hybrid_ring(depth: u32, options: Options) -> Result<IoUring> {
    let entries = depth.next_power_of_two();
    // `struct io_uring_params` of linux/io_uring.h has 120 bytes; its third number is the flags.
    let mut params = [0u32; 30];
    params[2] = HYBRID_FLAGS;
    // SAFETY: the kernel reads and fills a structure of that size.
    let made = unsafe { libc::syscall(libc::SYS_io_uring_setup, entries, params.as_mut_ptr()) };
    if made < 0 {
        return Err(refused(entries, options, &std::io::Error::last_os_error()));
    }
    // SAFETY: the library says that its `Parameters` may be made of the system's structure, which
    // the kernel has just filled for this very descriptor.
    let ring = unsafe { IoUring::from_fd(made as RawFd, std::mem::transmute_copy(&params)) };
    ring.map_err(|cause| refused(entries, options, &cause))
}

fn refused(entries: u32, options: Options, cause: &std::io::Error) -> Error {
    let hint = match cause.raw_os_error() {
        Some(libc::EINVAL) if options.poll == Poll::Hybrid => {
            "hybrid polling needs Linux 6.13: set `poll = \"iopoll\"` or \"none\""
        }
        Some(libc::EINVAL) if options.poll == Poll::Iopoll || options.sqpoll => {
            "this kernel has no such ring: set `poll = \"none\"` and `sqpoll = false`"
        }
        Some(libc::EPERM) if options.sqpoll => {
            "a submitting thread of the kernel needs Linux 5.11, or root: set `sqpoll = false`"
        }
        Some(libc::EPERM) => {
            "io_uring is switched off here: try `sysctl -w kernel.io_uring_disabled=0`"
        }
        Some(libc::ENOSYS) => {
            "this kernel has no io_uring: use the engine psync, or Linux 5.11 and later"
        }
        Some(libc::ENOMEM) => "raise the limit of locked memory: `ulimit -l unlimited`",
        _ => "lower the depth, or use the engine psync",
    };
    failed(format!("cannot make an io_uring of {entries} entries: {cause}"), hint)
}

/// Registers a lane's buffers and its file.
pub fn register<S, C>(
    ring: &IoUring<S, C>,
    buffers: &mut Buffers,
    file: &impl AsRawFd,
    depth: u32,
) -> Result<()>
where
    S: squeue::EntryMarker,
    C: cqueue::EntryMarker,
{
    let iovecs: Vec<libc::iovec> = (0..depth)
        .map(|slot| {
            let data = buffers.slot(slot);
            libc::iovec { iov_base: data.as_mut_ptr().cast(), iov_len: data.len() }
        })
        .collect();
    // SAFETY: the buffers live in the lane beside the ring and are dropped after it (field order in
    // `UringLane`).
    unsafe { ring.submitter().register_buffers(&iovecs) }.map_err(|e| {
        failed(
            format!("registering buffers: {e}"),
            "raise the limit of locked memory: `ulimit -l unlimited`",
        )
    })?;
    ring.submitter()
        .register_files(&[file.as_raw_fd()])
        .context("registering the file with io_uring")
}
