//! A thread's run time and wait time, from the kernel.

use std::fs::File;
use std::mem::MaybeUninit;

use crate::base::clock::Clock;

/// A thread's accounting by the kernel (proc(5), /proc/PID/schedstat) at one time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moment {
    /// Time of reading, nanoseconds on the clock.
    pub at_ns: u64,
    /// Time on a processor.
    pub ran_ns: u64,
    /// Time runnable but not running.
    pub waited_ns: u64,
    /// Number of times scheduled.
    pub switches: u64,
}

impl Moment {
    /// The accounting of the calling thread.
    pub fn own(clock: Clock) -> Option<Moment> {
        Moment::read(&File::open("/proc/thread-self/schedstat").ok()?, clock)
    }

    /// Reads a thread's accounting file.
    pub fn read(file: &File, clock: Clock) -> Option<Moment> {
        read_numbers(file, |text| {
            let mut numbers = text.split_ascii_whitespace().map(|n| n.parse().ok());
            let mut next = || numbers.next().flatten();
            let (ran_ns, waited_ns, switches) = (next()?, next()?, next()?);
            Some(Moment { at_ns: clock.now_ns(), ran_ns, waited_ns, switches })
        })
    }
}

/// Reads the beginning of a kernel file of numbers and parses it in place: it is called for every
/// sample, so it must not allocate.
pub fn read_numbers<T>(file: &File, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    let mut buffer = [MaybeUninit::uninit(); 512];
    let (text, _) = rustix::io::pread(file, &mut buffer, 0).ok()?;
    parse(std::str::from_utf8(text).ok()?)
}
