//! When the next op is due.
//!
//! In closed loop it is due when a slot is free. In open loop the schedule is independent of the
//! drive: the due time of op n is the sum of the gaps before it, kept in nanoseconds as a double,
//! whose rounding error stays below a thousandth of a nanosecond per op for a day, so a target of
//! 300,000/s is scheduled as 300,000/s. (fio truncates each gap to whole microseconds and delivers
//! 396,000.) The ops of a recorded load have their own due times.

use crate::base::error::{Error, Hint, Result};
use crate::base::rng::Seed;
use crate::base::units::{self, Rate};
use crate::measure::bursts::BurstClock;
use crate::plan::Arrival;

/// An op submitted more than this after it was due counts as late: a hundred microseconds, about
/// the duration of one read of a drive, and longer than a timer wake-up takes.
pub const LATE_NS: u64 = 100_000;

/// The last part of a wait for a due op is spun, not slept, and a wait of less than twice this is
/// spun entirely. With a worker's timer slack of 1 ns (`run/worker_group.rs`) a sleep ends 3 to 7
/// µs late; with the kernel's default of 50 µs it would be 53 µs, and a writer paced at 84 µs would
/// spin all the time and take a processor from the readers.
pub const SPIN_NS: u64 = 10_000;

/// Time after the window during which ops that were due in it are still submitted: long enough for
/// the backlog of a short stall, whose response times are then known.
pub const DRAIN_NS: u64 = 1_000_000_000;

/// The refill period of RocksDB's rate limiter, and so of db_bench's `benchmark_write_rate_limit`
/// (rate_limiter.h).
const REFILL_NS: u64 = 100_000_000;

/// One worker's due times.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Nanoseconds per op, or per byte, at this worker's share of the rate.
    unit_ns: f64,
    by_bytes: bool,
    extra_bytes: u32,
    pace: Pace,
    gaps: Seed,
    bursts: Option<BurstClock>,
    start_ns: u64,
    due_ns: f64,
    mean_gap_ns: f64,
    max_lag_ns: u64,
}

/// The source of the due times.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pace {
    /// A rate.
    Rate(Arrival),
    /// A recording.
    Recorded(ReplayTimes),
}

/// The due times of the ops of a recorded load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayTimes {
    /// At their recorded times.
    Recorded,
    /// When a slot is free, in their order.
    AsFastAsPossible,
}

/// An op of an open loop was submitted too late for the rate to count as sustained.
#[derive(Debug, thiserror::Error)]
#[error("the load fell {} behind its schedule", units::latency(*.0 as f64))]
pub struct FellBehind(u64);

impl Schedule {
    /// The schedule of worker `thread` of `threads`, which share `rate`. Fixed arrivals of the
    /// workers interleave evenly; Poisson arrivals are independent and add up to one Poisson
    /// process, and their bursts coincide.
    pub fn new(
        rate: Rate,
        arrival: Arrival,
        share: WorkerShare,
        start_ns: u64,
        seeds: ArrivalSeeds,
    ) -> Schedule {
        let (total, by_bytes) = match rate {
            Rate::OpsPerSec(ops) => (ops, false),
            Rate::BytesPerSec(bytes) => (bytes, true),
        };
        let unit_ns = 1e9 * f64::from(share.threads) / total;
        let mean_gap_ns = if by_bytes { unit_ns * share.mean_op_bytes } else { unit_ns };
        let first = match arrival {
            Arrival::Fixed | Arrival::Refill => {
                mean_gap_ns * f64::from(share.thread) / f64::from(share.threads)
            }
            Arrival::Poisson | Arrival::Bursts(_) => {
                mean_gap_ns * seeds.own.at(u64::MAX).exponential()
            }
        };
        let start = start_ns as f64;
        let mut bursts = match arrival {
            Arrival::Bursts(of) => Some(BurstClock::new(of, start, seeds.of_stream)),
            _ => None,
        };
        let due_ns = bursts.as_mut().map_or(start + first, |bursts| bursts.after(start, first));
        Schedule {
            unit_ns,
            by_bytes,
            extra_bytes: share.extra_bytes,
            pace: Pace::Rate(arrival),
            gaps: seeds.own,
            bursts,
            start_ns,
            due_ns,
            mean_gap_ns,
            max_lag_ns: u64::MAX,
        }
    }

    /// The schedule of a recorded load: `due_after` sets each op's time.
    pub fn recorded(times: ReplayTimes, start_ns: u64) -> Schedule {
        Schedule {
            unit_ns: 0.0,
            by_bytes: false,
            extra_bytes: 0,
            pace: Pace::Recorded(times),
            gaps: Seed::new(0, 0, 0),
            bursts: None,
            start_ns,
            due_ns: start_ns as f64,
            // The backlog is counted one op at a time, because gaps differ.
            mean_gap_ns: f64::INFINITY,
            max_lag_ns: u64::MAX,
        }
    }

    /// Whether its ops have their own times.
    #[inline(always)]
    pub fn is_recorded(&self) -> bool {
        matches!(self.pace, Pace::Recorded(_))
    }

    /// Whether its ops are due at times of their own: with token refill, and in a recorded load
    /// that is replayed as fast as possible, an op is due when it is submitted.
    #[inline(always)]
    pub fn has_due_times(&self) -> bool {
        !matches!(
            self.pace,
            Pace::Rate(Arrival::Refill) | Pace::Recorded(ReplayTimes::AsFastAsPossible)
        )
    }

    /// A recorded load's next op is due `at_ns` after the start, or as soon as possible.
    #[inline(always)]
    pub fn due_after(&mut self, at_ns: u64, now_ns: u64) {
        self.due_ns = match self.pace {
            Pace::Recorded(ReplayTimes::AsFastAsPossible) => now_ns as f64,
            _ => (self.start_ns + at_ns) as f64,
        };
    }

    /// The next op of a recorded load has not been read yet: check again at once.
    pub fn look_again(&mut self, now_ns: u64) {
        self.due_ns = now_ns as f64;
    }

    /// The recorded load has no more ops.
    pub fn end(&mut self) {
        self.due_ns = f64::INFINITY;
    }

    /// A time, relative to the load's start.
    #[inline(always)]
    pub fn since_start_ns(&self, at_ns: u64) -> u64 {
        at_ns.saturating_sub(self.start_ns)
    }

    /// The same schedule, abandoned if an op is submitted more than this after it was due.
    pub fn with_max_lag(self, max_lag_ns: Option<u64>) -> Schedule {
        Schedule { max_lag_ns: max_lag_ns.unwrap_or(u64::MAX), ..self }
    }

    /// Whether the next op, if submitted now, is within the lag that the step allows.
    #[inline(always)]
    pub fn check_lag(&self, now_ns: u64) -> Result<()> {
        let lag_ns = now_ns.saturating_sub(self.due_ns());
        if lag_ns <= self.max_lag_ns { Ok(()) } else { Err(fell_behind(lag_ns)) }
    }

    /// The due time of the next op; with token refill, the time at which its token is available.
    #[inline(always)]
    pub fn due_ns(&self) -> u64 {
        let due_ns = nearest(self.due_ns);
        match self.pace {
            Pace::Rate(Arrival::Refill) => due_ns - (due_ns - self.start_ns) % REFILL_NS,
            _ => due_ns,
        }
    }

    /// The intended time of an op that is submitted now: its due time; with token refill, now,
    /// because a token may be used at any time.
    #[inline(always)]
    pub fn intended_ns(&self, now_ns: u64) -> u64 {
        match self.pace {
            Pace::Rate(Arrival::Refill) | Pace::Recorded(ReplayTimes::AsFastAsPossible) => now_ns,
            _ => nearest(self.due_ns),
        }
    }

    /// The mean time between ops of this worker at present, nanoseconds; infinite for a recorded
    /// load.
    #[inline(always)]
    pub fn mean_gap_ns(&self) -> f64 {
        match &self.bursts {
            Some(bursts) => self.mean_gap_ns / bursts.speed(),
            None => self.mean_gap_ns,
        }
    }

    /// Advances past op `n` of `bytes` bytes.
    #[inline(always)]
    pub fn advance(&mut self, n: u64, bytes: u32) {
        let gap = if self.by_bytes {
            self.unit_ns * f64::from(bytes + self.extra_bytes)
        } else {
            self.unit_ns
        };
        self.due_ns += match self.pace {
            Pace::Rate(Arrival::Fixed | Arrival::Refill) => gap,
            Pace::Rate(Arrival::Poisson) => gap * self.gaps.at(n).exponential(),
            Pace::Rate(Arrival::Bursts(_)) => {
                let (due_ns, gap) = (self.due_ns, gap * self.gaps.at(n).exponential());
                self.bursts.as_mut().map_or(gap, |bursts| bursts.after(due_ns, gap) - due_ns)
            }
            Pace::Recorded(_) => 0.0,
        };
    }
}

#[cold]
fn fell_behind(lag_ns: u64) -> Error {
    let help = "the subject does not sustain the rate: use a lower rate, or a longer max_lag";
    Error::new(Hint(help.to_string())).context(FellBehind(lag_ns))
}

/// Rounds to the nearest nanosecond. If truncated, an op due as the window closes would be due a
/// nanosecond earlier at some rates, and count as backlog.
#[inline(always)]
fn nearest(ns: f64) -> u64 {
    (ns + 0.5) as u64
}

/// The random numbers of a schedule.
#[derive(Clone, Copy, Debug)]
pub struct ArrivalSeeds {
    /// The worker's own: its gaps.
    pub own: Seed,
    /// The seed of all workers of the stream: the times of its bursts.
    pub of_stream: Seed,
}

/// The worker to which a schedule belongs, and the number of workers.
#[derive(Clone, Copy, Debug)]
pub struct WorkerShare {
    /// The worker's number, from 0.
    pub thread: u32,
    /// Workers of the stream.
    pub threads: u32,
    /// Bytes that count for every op in addition to its length: the key's, as in db_bench's
    /// write_rate_limit.
    pub extra_bytes: u32,
    /// The mean length of an op: it converts a rate in bytes to the mean gap.
    pub mean_op_bytes: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::BurstArrivals;

    fn schedule(rate: Rate, arrival: Arrival, thread: u32, threads: u32) -> Schedule {
        Schedule::new(
            rate,
            arrival,
            WorkerShare { thread, threads, extra_bytes: 0, mean_op_bytes: 4096.0 },
            0,
            ArrivalSeeds { own: Seed::new(1, 2, u64::from(thread)), of_stream: Seed::new(1, 2, 9) },
        )
    }

    #[test]
    fn a_fixed_rate_is_kept_exactly_at_any_speed_and_share() {
        for rate in [1.0, 300_000.0, 333_333.3, 7_000_000.0] {
            for threads in [1, 3, 128] {
                let mut s = schedule(Rate::OpsPerSec(rate), Arrival::Fixed, 0, threads);
                let ops = 1_000_000;
                (0..ops).for_each(|n| s.advance(n, 4096));
                let achieved = ops as f64 * f64::from(threads) / (s.due_ns() as f64 / 1e9);
                assert!(
                    (achieved / rate - 1.0).abs() < 1e-6,
                    "{achieved} for {rate} on {threads} threads"
                );
            }
        }
    }

    #[test]
    fn poisson_arrivals_have_the_mean_and_the_spread_of_a_poisson_process() {
        for rate in [100_000.0, 300_000.0, 400_000.0] {
            let mut s = schedule(Rate::OpsPerSec(rate), Arrival::Poisson, 0, 1);
            let mut gaps = Vec::new();
            for n in 0..400_000 {
                let before = s.due_ns;
                s.advance(n, 4096);
                gaps.push(s.due_ns - before);
            }
            let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
            let deviation =
                (gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gaps.len() as f64).sqrt();
            assert!((mean * rate / 1e9 - 1.0).abs() < 0.005, "mean gap {mean} ns at {rate}/s");
            assert!((deviation / mean - 1.0).abs() < 0.01, "deviation {deviation}, mean {mean}");
        }
    }

    #[test]
    fn bursts_of_all_workers_coincide_and_keep_the_mean_rate() {
        let of = BurstArrivals { factor: 50.0, length_ns: 50_000_000, every_ns: 500_000_000 };
        let arrival = Arrival::Bursts(of);
        let mut counts = [vec![0u64; 10_000], vec![0; 10_000]];
        for (thread, counts) in counts.iter_mut().enumerate() {
            let mut s = schedule(Rate::OpsPerSec(20_000.0), arrival, thread as u32, 2);
            let mut n = 0;
            while s.due_ns() < 100_000_000_000 {
                counts[(s.due_ns() / 10_000_000) as usize] += 1;
                s.advance(n, 4096);
                n += 1;
            }
            // 200 bursts, of exponential lengths, hold most of the ops.
            assert!((n as f64 / 1e6 - 1.0).abs() < 0.3, "{n} ops in 100 s");
        }
        // A window of 10 ms has 100 ops of a worker on average: 17 between bursts, 850 in one.
        let is_burst = |count: u64| count > 200;
        let alike =
            counts[0].iter().zip(&counts[1]).filter(|(a, b)| is_burst(**a) == is_burst(**b));
        assert!(alike.count() > 9_900, "but for windows in which a burst begins or ends");
        assert!(counts[0].iter().filter(|count| is_burst(**count)).count() > 500);
    }

    #[test]
    fn a_rate_in_bytes_counts_the_bytes() {
        let mut s = schedule(Rate::BytesPerSec(10e6), Arrival::Fixed, 0, 2);
        (0..1000).for_each(|n| s.advance(n, if n % 2 == 0 { 4096 } else { 65536 }));
        let bytes = 500.0 * (4096.0 + 65536.0) * 2.0;
        assert!((bytes / (s.due_ns() as f64 / 1e9) / 10e6 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn refilled_tokens_come_ten_times_a_second_and_keep_the_rate() {
        let mut s = schedule(Rate::OpsPerSec(5000.0), Arrival::Refill, 0, 1);
        let mut due_ms = Vec::new();
        for n in 0..10_000 {
            due_ms.push(s.due_ns() / 1_000_000);
            s.advance(n, 4096);
        }
        assert!(
            due_ms
                .chunks(500)
                .enumerate()
                .all(|(i, chunk)| chunk.iter().all(|ms| *ms == 100 * i as u64))
        );
        assert_eq!(s.intended_ns(7), 7, "a token may be used at any time");
    }

    #[test]
    fn fixed_arrivals_of_several_workers_interleave() {
        let firsts: Vec<u64> = (0..4)
            .map(|t| schedule(Rate::OpsPerSec(1000.0), Arrival::Fixed, t, 4).due_ns())
            .collect();
        assert_eq!(firsts, [0, 1_000_000, 2_000_000, 3_000_000]);
    }
}
