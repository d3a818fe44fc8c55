//! Rings: made with everything that the kernel has to make them cheap, and with what the plan asks
//! for.

use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::RawFd;

use io_uring::cqueue::CompletionQueue;
use io_uring::squeue::SubmissionQueue;
use io_uring::types::{SubmitArgs, Timespec};
use io_uring::{IoUring, Submitter, cqueue, squeue};

use super::super::block_buffers::ContextBuffers;
use super::polling::Poll;
use crate::base::error::{Context, Error, Result, failed};

/// `IORING_SETUP_IOPOLL`, `IORING_SETUP_SINGLE_ISSUER`, `IORING_SETUP_DEFER_TASKRUN` and
/// `IORING_SETUP_HYBRID_IOPOLL` of linux/io_uring.h: what a ring with hybrid polling is made with,
/// for which the library has no call.
const HYBRID_FLAGS: u32 = 1 | 1 << 12 | 1 << 13 | 1 << 17;

/// How long the kernel's submitting thread looks for requests before it sleeps.
const SUBMITTER_IDLE_MS: u32 = 1000;

/// What one registered buffer may hold (io_sqe_buffer_register of the kernel's io_uring/rsrc.c).
const MOST_BUFFER_BYTES: usize = 1 << 30;

/// How many buffers may be registered (IORING_MAX_REG_BUFFERS of the same file).
const MOST_BUFFERS: usize = 1 << 14;

/// What a plan asks of its rings.
#[derive(Clone, Copy, Debug)]
pub struct RingOptions {
    /// How completions are found.
    pub poll: Poll,
    /// A thread of the kernel submits.
    pub sqpoll: bool,
}

/// A ring of either size of entries.
pub fn ring<S, C>(depth: u32, options: RingOptions) -> Result<IoUring<S, C>>
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
pub fn hybrid_ring(depth: u32, options: RingOptions) -> Result<IoUring> {
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

fn refused(entries: u32, options: RingOptions, cause: &std::io::Error) -> Error {
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

/// A ring whose descriptor is registered with the kernel for the calling thread, which spares each
/// call the look-up of a file (Linux 5.18; without it the ring works all the same). Its queues are
/// looked at once a hand-over, not once a request.
pub struct Ring<S, C>
where
    S: squeue::EntryMarker + 'static,
    C: cqueue::EntryMarker + 'static,
{
    /// Refer to `ring`, and have nothing of their own to let go of.
    submitter: ManuallyDrop<Submitter<'static>>,
    submission: ManuallyDrop<SubmissionQueue<'static, S>>,
    completion: ManuallyDrop<CompletionQueue<'static, C>>,
    /// On the heap, so that it stays where they look for it.
    ring: *mut IoUring<S, C>,
    /// Whether its descriptor could be registered.
    pub registered: bool,
}

// SAFETY: what the submitter, the queues and the pointer refer to is this value's own.
unsafe impl<S: squeue::EntryMarker + 'static, C: cqueue::EntryMarker + 'static> Send
    for Ring<S, C>
{
}

impl<S: squeue::EntryMarker + 'static, C: cqueue::EntryMarker + 'static> Ring<S, C> {
    /// Registers a ring for the calling thread, the only one that enters it.
    pub fn new(ring: IoUring<S, C>) -> Ring<S, C> {
        let ring = Box::into_raw(Box::new(ring));
        // SAFETY: the ring lives until `drop`, from here on is reached by shared references alone,
        // and has these queues alone.
        let (mut submitter, submission, completion) = unsafe {
            let ring = &*ring;
            (ring.submitter(), ring.submission_shared(), ring.completion_shared())
        };
        let registered = submitter.register_ring_fd().is_ok();
        Ring {
            submitter: ManuallyDrop::new(submitter),
            submission: ManuallyDrop::new(submission),
            completion: ManuallyDrop::new(completion),
            ring,
            registered,
        }
    }

    /// The calls to the kernel that hand nothing over.
    pub fn submitter(&self) -> &Submitter<'static> {
        &self.submitter
    }

    /// What the kernel said of the ring.
    pub fn params(&self) -> &io_uring::Parameters {
        // SAFETY: see `new`.
        unsafe { &*self.ring }.params()
    }

    /// Queues a request, which the next call hands over; false where there is no room.
    ///
    /// # Safety
    ///
    /// What the request refers to stays until its answer has come.
    #[inline(always)]
    pub unsafe fn push(&mut self, entry: S) -> bool {
        // SAFETY: the caller's.
        unsafe { self.submission.push(&entry) }.is_ok()
    }

    /// Whether there is no room for a request, as far as is known without asking the kernel.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.submission.is_full()
    }

    /// Submits what is queued, and waits for this many completions.
    #[inline(always)]
    pub fn submit(&mut self, answers: usize) -> io::Result<usize> {
        self.publish();
        let entered = self.submitter.submit_and_wait(answers);
        // What the kernel has taken is free again.
        self.submission.sync();
        entered
    }

    /// Shows the kernel which requests are queued, and which answers have been taken: with one that
    /// it believes to lie there it would not wait.
    #[inline(always)]
    fn publish(&mut self) {
        self.submission.sync();
        self.completion.sync();
    }

    /// Hands over what is queued, and waits for an answer at most this long.
    pub fn submit_for(&mut self, wait_ns: u64) -> io::Result<usize> {
        self.publish();
        let (seconds, rest) = (wait_ns / 1_000_000_000, (wait_ns % 1_000_000_000) as u32);
        let left = Timespec::new().sec(seconds).nsec(rest);
        let entered = self.submitter.submit_with_args(1, &SubmitArgs::new().timespec(&left));
        self.submission.sync();
        entered
    }

    /// Hands over what is queued until there is room, where a thread of the kernel takes requests
    /// off the queue in its own time.
    pub fn make_room(&mut self) -> io::Result<()> {
        self.submit(0)?;
        self.submitter.squeue_wait()?;
        self.submission.sync();
        Ok(())
    }

    /// Whether the kernel has answers that it puts into the queue when it is entered.
    #[inline(always)]
    pub fn withholds(&self) -> bool {
        self.submission.taskrun()
    }

    /// Whether there is an answer.
    #[inline(always)]
    pub fn has_answers(&mut self) -> bool {
        !CompletionQueue::is_empty(self.answers())
    }

    /// The answers that have come; the kernel has their room back with the next call.
    #[inline(always)]
    pub fn answers(&mut self) -> &mut CompletionQueue<'static, C> {
        self.completion.sync();
        &mut self.completion
    }

    /// Registers the buffers of several drives with so many slots each, and the files. Slots next
    /// to one another share one buffer of the kernel's as far as it goes, or have one each as far
    /// as there are buffers; the number of each slot's is returned.
    pub fn register(
        &self,
        ContextBuffers { buffers, depth, .. }: &mut ContextBuffers,
        files: &[RawFd],
        apart: bool,
    ) -> Result<Vec<u16>> {
        let (mut iovecs, mut numbers) = (Vec::new(), Vec::new());
        let depth = *depth;
        let fewest = (depth as usize * buffers.len()).div_ceil(MOST_BUFFERS);
        for buffers in buffers {
            let each = buffers.slot(0).len();
            let most = (MOST_BUFFER_BYTES / each).max(1);
            let together = if apart { fewest.min(most) } else { most } as u32;
            for first in (0..depth).step_by(together as usize) {
                let slots = together.min(depth - first) as usize;
                numbers.extend(std::iter::repeat_n(iovecs.len() as u16, slots));
                let iov_base = buffers.slot(first).as_mut_ptr().cast();
                iovecs.push(libc::iovec { iov_base, iov_len: each * slots });
            }
        }
        // SAFETY: the buffers live in the I/O context beside the ring and are dropped after it
        // (field order in `UringContext`).
        unsafe { self.submitter.register_buffers(&iovecs) }.map_err(|e| {
            failed(
                format!("registering buffers: {e}"),
                "raise the limit of locked memory: `ulimit -l unlimited`",
            )
        })?;
        self.submitter.register_files(files).context("registering the files with io_uring")?;
        Ok(numbers)
    }
}

impl<S: squeue::EntryMarker + 'static, C: cqueue::EntryMarker + 'static> Drop for Ring<S, C> {
    fn drop(&mut self) {
        let _ = self.registered && self.submitter.unregister_ring_fd().is_ok();
        // SAFETY: made in `new`, dropped once; neither submitter nor queues are used after it.
        drop(unsafe { Box::from_raw(self.ring) });
    }
}
