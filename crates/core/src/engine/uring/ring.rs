//! Creates rings with all features that make them cheap, and those that the plan requests.

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
/// `IORING_SETUP_HYBRID_IOPOLL` of linux/io_uring.h: flags of a ring with hybrid polling, which the
/// library cannot create.
const HYBRID_FLAGS: u32 = 1 | 1 << 12 | 1 << 13 | 1 << 17;

/// Time for which the kernel's submission thread polls for requests before it sleeps.
const SUBMITTER_IDLE_MS: u32 = 1000;

/// Maximum size of one registered buffer (io_sqe_buffer_register of the kernel's io_uring/rsrc.c).
const MOST_BUFFER_BYTES: usize = 1 << 30;

/// Maximum number of registered buffers (IORING_MAX_REG_BUFFERS of the same file).
const MOST_BUFFERS: usize = 1 << 14;

/// A plan's requirements for its rings.
#[derive(Clone, Copy, Debug)]
pub struct RingOptions {
    /// How completions are found.
    pub poll: Poll,
    /// A kernel thread submits.
    pub sqpoll: bool,
}

/// A ring with either entry size.
pub fn ring<S, C>(depth: u32, options: RingOptions) -> Result<IoUring<S, C>>
where
    S: squeue::EntryMarker,
    C: cqueue::EntryMarker,
{
    let entries = depth.next_power_of_two();
    let build = |newest: bool, new: bool| {
        let mut builder = IoUring::<S, C>::builder();
        if options.poll == Poll::Iopoll {
            builder.setup_iopoll();
        }
        if options.sqpoll {
            builder.setup_sqpoll(SUBMITTER_IDLE_MS);
        } else if new {
            builder.setup_single_issuer().setup_defer_taskrun().setup_taskrun_flag();
        }
        if newest {
            builder.setup_no_sqarray();
        }
        builder.build(entries)
    };
    let unknown = |cause: &io::Error| cause.raw_os_error() == Some(libc::EINVAL);
    // Without the array of indices since Linux 6.6, deferred completions since 6.1.
    let mut ring = build(true, true);
    for new in [true, false] {
        if ring.as_ref().is_err_and(unknown) {
            ring = build(false, new);
        }
    }
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
    // SAFETY: the library documents that its `Parameters` may be created from the system's
    // structure, which the kernel has just filled for this descriptor.
    let ring = unsafe { IoUring::from_fd(made as RawFd, std::mem::transmute_copy(&params)) };
    ring.map_err(|cause| refused(entries, options, &cause))
}

fn refused(entries: u32, options: RingOptions, cause: &std::io::Error) -> Error {
    let what = format!("cannot create an io_uring of {entries} entries: {cause}");
    let switched_off = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled");
    let switched_off = switched_off.is_ok_and(|text| text.trim() != "0");
    let filtered = is_filtered(&std::fs::read_to_string("/proc/self/status").unwrap_or_default());
    let hint = match cause.raw_os_error() {
        Some(libc::EINVAL) if options.poll == Poll::Hybrid => {
            "hybrid polling needs Linux 6.13: set `poll = \"iopoll\"` or \"none\""
        }
        Some(libc::EINVAL) if options.poll == Poll::Iopoll || options.sqpoll => {
            "this kernel does not support such a ring: set `poll = \"none\"` and `sqpoll = false`"
        }
        Some(libc::EPERM) if switched_off => {
            "io_uring is switched off on this host: try `sysctl -w kernel.io_uring_disabled=0`, or \
             use the engine psync"
        }
        // Docker's default profile answers EPERM, others ENOSYS or EACCES.
        Some(libc::EPERM | libc::ENOSYS | libc::EACCES) if filtered => {
            "a seccomp filter refuses io_uring, as containers' default profiles do: start the \
             container with a profile that allows io_uring_setup, io_uring_enter and \
             io_uring_register (`--security-opt seccomp=PROFILE`, seccompProfile of Kubernetes), \
             or use the engine psync"
        }
        Some(libc::EPERM) if options.sqpoll => {
            "a submitting thread of the kernel needs Linux 5.11, or root: set `sqpoll = false`"
        }
        Some(libc::EPERM | libc::EACCES) => {
            "this user may not use io_uring here (a security policy of the host): use the engine \
             psync"
        }
        Some(libc::ENOSYS) => {
            "this kernel has no io_uring: use the engine psync, or Linux 5.11 and later"
        }
        Some(libc::ENOMEM) => "raise the limit of locked memory: `ulimit -l unlimited`",
        Some(libc::EMFILE) => "raise the limit of file descriptors: `ulimit -n`",
        _ => "lower the depth, or use the engine psync",
    };
    failed(what, hint)
}

/// Whether a seccomp filter applies to a process with this /proc/PID/status (proc(5), Seccomp).
fn is_filtered(status: &str) -> bool {
    let mode = status.lines().find_map(|line| line.strip_prefix("Seccomp:"));
    mode.is_some_and(|mode| mode.trim() == "2")
}

/// A ring whose descriptor is registered for the calling thread, which saves the file look-up of
/// each call (Linux 5.18; without it, the ring works too). Its queues are read once per submission,
/// not once per request.
pub struct Ring<S, C>
where
    S: squeue::EntryMarker + 'static,
    C: cqueue::EntryMarker + 'static,
{
    /// They refer to `ring`, and own nothing themselves.
    submitter: ManuallyDrop<Submitter<'static>>,
    submission: ManuallyDrop<SubmissionQueue<'static, S>>,
    completion: ManuallyDrop<CompletionQueue<'static, C>>,
    /// On the heap, so that its address is stable.
    ring: *mut IoUring<S, C>,
    /// Whether its descriptor could be registered.
    pub registered: bool,
}

// SAFETY: the submitter, the queues and the pointer refer to this value's own data.
unsafe impl<S: squeue::EntryMarker + 'static, C: cqueue::EntryMarker + 'static> Send
    for Ring<S, C>
{
}

impl<S: squeue::EntryMarker + 'static, C: cqueue::EntryMarker + 'static> Ring<S, C> {
    /// Registers a ring for the calling thread, the only one that enters it.
    pub fn new(ring: IoUring<S, C>) -> Ring<S, C> {
        let ring = Box::into_raw(Box::new(ring));
        // SAFETY: the ring lives until `drop`, is only accessed through shared references from here
        // on, and has no other queues.
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

    /// System calls that submit nothing.
    pub fn submitter(&self) -> &Submitter<'static> {
        &self.submitter
    }

    /// The ring's parameters as reported by the kernel.
    pub fn params(&self) -> &io_uring::Parameters {
        // SAFETY: see `new`.
        unsafe { &*self.ring }.params()
    }

    /// Queues a request for the next call; false if there is no room.
    ///
    /// # Safety
    ///
    /// The memory that the request refers to must remain valid until its completion.
    #[inline(always)]
    pub unsafe fn push(&mut self, entry: S) -> bool {
        // SAFETY: the caller's obligation.
        unsafe { self.submission.push(&entry) }.is_ok()
    }

    /// Whether there is no room for a request, as far as is known without a system call.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.submission.is_full()
    }

    /// Submits queued requests, and waits for this many completions. Not inlined: an I/O context
    /// calls it twice per turn, and the processor's caches are cold after a wait.
    #[inline(never)]
    pub fn submit(&mut self, answers: usize) -> io::Result<()> {
        self.publish();
        let entered = self.submitter.submit_and_wait(answers);
        // Entries taken by the kernel are free again.
        self.submission.sync();
        entered.map(drop)
    }

    /// Publishes the queued requests and the consumed completions to the kernel, which would not
    /// wait if it believed that one was still in the queue.
    #[inline(always)]
    fn publish(&mut self) {
        self.submission.sync();
        self.completion.sync();
    }

    /// Submits queued requests, and waits for a completion at most this long.
    pub fn submit_for(&mut self, wait_ns: u64) -> io::Result<()> {
        self.publish();
        let (seconds, rest) = (wait_ns / 1_000_000_000, (wait_ns % 1_000_000_000) as u32);
        let left = Timespec::new().sec(seconds).nsec(rest);
        let entered = self.submitter.submit_with_args(1, &SubmitArgs::new().timespec(&left));
        self.submission.sync();
        entered.map(drop)
    }

    /// Submits queued requests and waits for this many completions; after `wait_us`, for one only.
    /// One system call since Linux 6.12, two on earlier kernels.
    pub fn submit_for_several(&mut self, answers: usize, wait_us: u32) -> io::Result<()> {
        let alone = self.params().is_feature_min_timeout();
        self.publish();
        let (short, long) = (Timespec::new().nsec(wait_us * 1_000), Timespec::new().sec(1));
        let args = match alone {
            // Without a longest time the kernel also stops waiting for the first (io_uring.c,
            // `io_cqring_min_timer_wakeup`).
            true => SubmitArgs::new().min_wait_usec(wait_us).timespec(&long),
            false => SubmitArgs::new().timespec(&short),
        };
        let entered = self.submitter.submit_with_args(answers, &args);
        self.submission.sync();
        if !alone && !self.has_answers() {
            return self.submit(1);
        }
        entered.map(drop)
    }

    /// Submits queued requests until there is room, if a kernel thread takes requests off the queue
    /// asynchronously.
    pub fn make_room(&mut self) -> io::Result<()> {
        self.submit(0)?;
        self.submitter.squeue_wait()?;
        self.submission.sync();
        Ok(())
    }

    /// Whether there is a completion, or the kernel has one that it adds to the queue when it is
    /// entered.
    #[inline(always)]
    pub fn is_ready(&mut self) -> bool {
        self.has_answers() || self.submission.taskrun()
    }

    /// Whether there is a completion.
    #[inline(always)]
    pub fn has_answers(&mut self) -> bool {
        !CompletionQueue::is_empty(self.answers())
    }

    /// The available completions; the kernel gets their entries back with the next call.
    #[inline(always)]
    pub fn answers(&mut self) -> &mut CompletionQueue<'static, C> {
        self.completion.sync();
        &mut self.completion
    }

    /// Registers the buffers of several drives with this many slots each, and the files. Adjacent
    /// slots, a power of two, share one registered buffer up to its maximum size, or have one each
    /// up to the maximum number; returns how many, as an exponent.
    pub fn register(
        &self,
        ContextBuffers { buffers, depth, .. }: &mut ContextBuffers,
        files: &[RawFd],
        apart: bool,
    ) -> Result<u32> {
        let depth = *depth as usize;
        // The same for all drives of a stream.
        let each = buffers[0].slot(0).len();
        let exponent = together(depth * buffers.len(), each, apart);
        let mut iovecs = Vec::new();
        for buffers in buffers {
            for first in (0..depth).step_by(1 << exponent) {
                let slots = (depth - first).min(1 << exponent);
                let iov_base = buffers.slot(first as u32).as_mut_ptr().cast();
                iovecs.push(libc::iovec { iov_base, iov_len: each * slots });
            }
        }
        // SAFETY: the buffers are in the I/O context with the ring and are dropped after it (field
        // order in `UringContext`).
        unsafe { self.submitter.register_buffers(&iovecs) }.map_err(|e| {
            failed(
                format!("registering buffers: {e}"),
                "raise the limit of locked memory: `ulimit -l unlimited`",
            )
        })?;
        self.submitter.register_files(files).context("registering the files with io_uring")?;
        Ok(exponent)
    }
}

/// Number of slots, of `each` bytes, that share a registered buffer, as an exponent.
fn together(slots: usize, each: usize, apart: bool) -> u32 {
    let most = (MOST_BUFFER_BYTES / each).max(1).ilog2();
    let fewest = slots.div_ceil(MOST_BUFFERS).next_power_of_two().ilog2();
    if apart { fewest.min(most) } else { most }
}

impl<S: squeue::EntryMarker + 'static, C: cqueue::EntryMarker + 'static> Drop for Ring<S, C> {
    fn drop(&mut self) {
        let _ = self.registered && self.submitter.unregister_ring_fd().is_ok();
        // SAFETY: created in `new`, dropped once; neither submitter nor queues are used afterwards.
        drop(unsafe { Box::from_raw(self.ring) });
    }
}

#[cfg(test)]
mod tests {
    use io_uring::{opcode, types};

    use super::*;

    #[test]
    fn registered_buffers_have_at_most_a_gibibyte_and_apart_one_slot_each_while_they_suffice() {
        const MIB: usize = 1 << 20;
        let of = |slots, each, apart| 1 << together(slots, each, apart);
        assert_eq!(
            [4096, 8 * MIB, 3 * MIB, 1024 * MIB].map(|each| of(256, each, false)),
            [1 << 18, 128, 256, 1]
        );
        assert_eq!([1, 16384, 16385, 49153].map(|slots| of(slots, 4096, true)), [1, 1, 2, 4]);
    }

    #[test]
    fn one_call_that_asks_for_several_sleeps_until_the_first_however_late_it_is() {
        let options = RingOptions { poll: Poll::None, sqpoll: false };
        let mut ring: Ring<squeue::Entry, cqueue::Entry> = Ring::new(ring(4, options).unwrap());
        let late = types::Timespec::new().nsec(30_000_000);
        let timeout = opcode::Timeout::new(&late).build().user_data(7);
        // SAFETY: the time outlives the request.
        assert!(unsafe { ring.push(timeout) });
        let begun = std::time::Instant::now();
        ring.submit_for_several(2, 2).unwrap();
        // A call waits for at most a second.
        assert!(begun.elapsed() < std::time::Duration::from_millis(900));
        let answered: Vec<u64> = ring.answers().map(|answer| answer.user_data()).collect();
        assert_eq!(answered, [7]);
    }
}
