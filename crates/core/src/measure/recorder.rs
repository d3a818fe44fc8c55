//! One worker's counts, written only by that worker and read at any time by the telemetry thread.
//!
//! Every counter is an atomic with a single writer, so an increment is a plain load, add and store
//! (no locked instruction), and a reader sees a recent value of each counter. Intervals are
//! differences between two readings, so no op is lost or counted twice; the totals are read after
//! the workers have joined and are exact. All memory is allocated at start: a run of a day needs no
//! more than one of a minute.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::io_context::Completion;
pub use super::window::Stamps;
use super::window::{CountsIn, MeasuredWindow};
use crate::base::histogram::{BUCKETS, Histogram, bucket_of};
use crate::record::{Censored, Class, Tally};

/// A single-writer counter.
#[derive(Default)]
pub struct OpCounter(AtomicU64);

impl OpCounter {
    /// Adds; only the counter's writer may call it.
    #[inline(always)]
    pub fn add(&self, n: u64) {
        self.0.store(self.0.load(Relaxed).wrapping_add(n), Relaxed);
    }

    #[inline(always)]
    fn raise_to(&self, n: u64) {
        if n > self.0.load(Relaxed) {
            self.0.store(n, Relaxed);
        }
    }

    /// Its value, readable by any thread.
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// Replaces its value; only the counter's writer may call it.
    pub fn set(&self, n: u64) {
        self.0.store(n, Relaxed);
    }
}

/// A histogram while it is being written.
#[repr(C)]
struct LiveHistogram {
    counts: Box<[AtomicU64; BUCKETS]>,
    sum_ns: OpCounter,
    max_ns: OpCounter,
    /// The smallest latency, complemented, so that a new counter of zero means "none yet".
    min_ns_complement: OpCounter,
    overflow: OpCounter,
}

impl LiveHistogram {
    fn new() -> LiveHistogram {
        // The kernel provides zeroed pages on first touch, so an unused class costs address space,
        // not memory.
        let counts: Box<[AtomicU64]> = (0..BUCKETS).map(|_| AtomicU64::new(0)).collect();
        let counts = counts.try_into().expect("as many as there are buckets");
        let zero = OpCounter::default;
        LiveHistogram {
            counts,
            sum_ns: zero(),
            max_ns: zero(),
            min_ns_complement: zero(),
            overflow: zero(),
        }
    }

    #[inline(always)]
    fn add(&self, ns: u64, ops: u64) {
        match self.counts.get(bucket_of(ns)) {
            Some(count) => count.store(count.load(Relaxed) + ops, Relaxed),
            None => self.overflow.add(ops),
        }
        self.sum_ns.add(ns.wrapping_mul(ops));
        self.max_ns.raise_to(ns);
        self.min_ns_complement.raise_to(!ns);
    }

    fn add_to(&self, total: &mut Histogram) {
        let (min_ns, max_ns) = (!self.min_ns_complement.get(), self.max_ns.get());
        if min_ns > max_ns {
            return;
        }
        let (low, high) = (bucket_of(min_ns), bucket_of(max_ns).min(BUCKETS - 1));
        for index in low..=high {
            let n = self.counts[index].load(Relaxed);
            if n > 0 {
                total.add_to_bucket(index, n);
            }
        }
        total.add_exact(self.sum_ns.get(), min_ns, max_ns, self.overflow.get());
    }
}

/// One worker's ops of one class.
#[repr(C)]
struct ClassTally {
    service: LiveHistogram,
    bytes: OpCounter,
    /// Open loop only.
    response: Option<LiveHistogram>,
    misses: OpCounter,
    given_up: OpCounter,
    /// Ops that count in the rate and not in the latencies.
    only_rate: OpCounter,
    /// Ops that count in the latencies and not in the rate.
    only_latency: OpCounter,
    /// Time that ops were in flight inside the window, less their service times: of those at its
    /// edges, modulo 2^64.
    edge_ns: OpCounter,
    censored: OpCounter,
    /// The smallest age of these, complemented.
    least_age_ns_complement: OpCounter,
    /// Bytes of the ops that completed after the window.
    bytes_after: OpCounter,
}

impl ClassTally {
    #[inline(always)]
    fn add_latency(&self, stamps: Stamps, ops: u64) {
        self.service.add(stamps.completed_ns.saturating_sub(stamps.submitted_ns), ops);
        if let Some(response) = &self.response {
            response.add(stamps.completed_ns.saturating_sub(stamps.intended_ns), ops);
        }
    }
}

/// Number of times that a worker which was waiting for an op, with a free slot, still submitted it
/// late.
#[derive(Default)]
pub struct Oversleeps {
    /// Number of ops submitted late in this way.
    pub times: OpCounter,
    /// Total lateness, nanoseconds.
    pub total_ns: OpCounter,
    /// Maximum lateness, nanoseconds.
    pub longest_ns: OpCounter,
}

impl Oversleeps {
    /// Counts one op that was `late_ns` late.
    #[inline]
    pub fn add(&self, late_ns: u64) {
        self.times.add(1);
        self.total_ns.add(late_ns);
        self.longest_ns.raise_to(late_ns);
    }
}

/// The maximum number of classes that a workload may declare.
pub const MOST_CLASSES: usize = 8;

/// One worker's counts. Aligned so that no two workers share a cache line, and in an order that has
/// what every op of the first class writes in one: caches are cold after a worker has slept.
#[repr(C, align(128))]
pub struct Recorder {
    /// Ops started since the barrier, warm-up included: for progress, and for fills.
    pub issued: OpCounter,
    /// Indexed like the classes of its workload.
    tallies: [Option<ClassTally>; MOST_CLASSES],
    names: Box<[Class]>,
    /// Open loop: ops submitted more than [`LATE_NS`](super::pacer::LATE_NS) after they were due,
    /// or never.
    pub late: OpCounter,
    /// Ops among these for which a worker with a free slot was waiting.
    pub overslept: Oversleeps,
    /// Ops among these, of a recorded load, that had not been read when they were due.
    pub unread: Oversleeps,
    /// Open loop: the maximum number of ops due but not yet submitted.
    pub backlog_max: OpCounter,
    /// Open loop: ops due but not submitted when the window closed.
    backlog_end: OpCounter,
}

impl Recorder {
    /// A recorder for the classes that a worker's workload declares, at most `MOST_CLASSES`. `open`
    /// records response times separately.
    pub fn new(classes: &[Class], open: bool) -> Recorder {
        let tally = |place: usize| {
            (place < classes.len()).then(|| ClassTally {
                service: LiveHistogram::new(),
                response: open.then(LiveHistogram::new),
                bytes: OpCounter::default(),
                misses: OpCounter::default(),
                given_up: OpCounter::default(),
                only_rate: OpCounter::default(),
                only_latency: OpCounter::default(),
                edge_ns: OpCounter::default(),
                censored: OpCounter::default(),
                least_age_ns_complement: OpCounter::default(),
                bytes_after: OpCounter::default(),
            })
        };
        Recorder {
            issued: OpCounter::default(),
            tallies: std::array::from_fn(tally),
            names: classes.into(),
            late: OpCounter::default(),
            overslept: Oversleeps::default(),
            unread: Oversleeps::default(),
            backlog_max: OpCounter::default(),
            backlog_end: OpCounter::default(),
        }
    }

    /// Counts ops with identical timestamps that were intended and completed inside the window.
    #[inline(always)]
    pub fn add(&self, class: u8, stamps: Stamps, Ended { ops, bytes, misses, given_up }: Ended) {
        if given_up {
            return self.add_given_up(class);
        }
        let Some(Some(tally)) = self.tallies.get(usize::from(class)) else { return };
        tally.add_latency(stamps, ops);
        tally.bytes.add(bytes);
        if misses > 0 {
            tally.misses.add(misses);
        }
    }

    /// Counts ops with identical timestamps that were intended or completed outside the window: in
    /// the rate, the latencies, both or neither. Returns whether they count in the latencies.
    pub fn add_at_edge(
        &self,
        class: u8,
        stamps: Stamps,
        ended: Ended,
        window: MeasuredWindow,
    ) -> bool {
        let counts = window.counts(stamps);
        if counts == (CountsIn { rate: true, latency: true }) {
            self.add(class, stamps, ended);
            return !ended.given_up;
        }
        let Some(Some(tally)) = self.tallies.get(usize::from(class)) else { return false };
        let timed = counts.latency && !ended.given_up;
        let service_ns = stamps.completed_ns.saturating_sub(stamps.submitted_ns);
        let edge_ns = window.inside_ns(stamps).wrapping_sub(if timed { service_ns } else { 0 });
        tally.edge_ns.add(edge_ns.wrapping_mul(ended.ops));
        let Ended { ops, bytes, misses, given_up } = ended;
        if stamps.completed_ns >= window.until_ns {
            tally.bytes_after.add(bytes);
        }
        match (counts.rate, given_up) {
            (true, true) => tally.given_up.add(1),
            (true, false) => {
                tally.only_rate.add(ops);
                tally.bytes.add(bytes);
                tally.misses.add(misses);
            }
            (false, false) if counts.latency => {
                tally.add_latency(stamps, ops);
                tally.only_latency.add(ops);
            }
            (false, _) => {}
        }
        timed
    }

    /// The total time for which ops were in flight inside the window, nanoseconds; without groups,
    /// whose reads are counted themselves.
    pub fn in_flight_ns(&self) -> u64 {
        let own =
            self.names.iter().zip(&self.tallies).filter(|(class, _)| **class != Class::PREFIX);
        let each = own.filter_map(|(_, tally)| tally.as_ref());
        let ns = |tally: &ClassTally| tally.service.sum_ns.get().wrapping_add(tally.edge_ns.get());
        each.map(ns).fold(0, u64::wrapping_add)
    }

    /// Bytes that ops wrote which completed after the window.
    pub fn written_after(&self) -> u64 {
        let writes = |class: &Class| class.is_write() && class.moves_data();
        let own = self.names.iter().zip(&self.tallies).filter(|(class, _)| writes(class));
        own.filter_map(|(_, tally)| tally.as_ref()).map(|tally| tally.bytes_after.get()).sum()
    }

    /// Counts an op that was due inside the window and will never be submitted, by its age.
    pub fn add_censored(&self, class: u8, age_ns: u64) {
        let Some(Some(tally)) = self.tallies.get(usize::from(class)) else { return };
        let Some(response) = &tally.response else { return };
        response.add(age_ns, 1);
        tally.censored.add(1);
        tally.least_age_ns_complement.raise_to(!age_ns);
    }

    #[cold]
    fn add_given_up(&self, class: u8) {
        if let Some(Some(tally)) = self.tallies.get(usize::from(class)) {
            tally.given_up.add(1);
        }
    }

    /// Records that an op due at `intended_ns` was submitted late; `gap_ns` is the mean time
    /// between ops.
    #[inline]
    pub fn add_late(&self, late_ns: u64, gap_ns: f64) {
        self.late.add(1);
        self.backlog_max.raise_to((late_ns as f64 / gap_ns) as u64);
    }

    /// Records that this many ops are due but not yet submitted.
    #[inline]
    pub fn add_backlog(&self, ops: u64) {
        self.backlog_max.raise_to(ops);
    }

    /// Records that this many ops were due and not submitted when the window closed.
    pub fn set_backlog_end(&self, ops: u64) {
        self.backlog_end.set(ops);
        self.add_backlog(ops);
    }

    /// Open loop: ops due but not submitted when the window closed.
    pub fn backlog_end(&self) -> u64 {
        self.backlog_end.get()
    }

    /// Whether ops of this class count in a rate.
    pub fn counts_as_op(&self, class: u8) -> bool {
        self.names.get(usize::from(class)).is_some_and(|class| class.counts_as_op())
    }

    /// Adds the current counts to `tallies`, one for each class of the recorder.
    pub fn add_to(&self, tallies: &mut Vec<Tally>) {
        for (class, mine) in self.names.iter().zip(&self.tallies) {
            let Some(mine) = mine else { continue };
            let at = tallies.iter().position(|t| t.class == *class).unwrap_or_else(|| {
                let response = mine.response.is_some().then(Histogram::new);
                let service = Histogram::new();
                tallies.push(Tally {
                    class: *class,
                    ops: 0,
                    bytes: 0,
                    misses: 0,
                    given_up: 0,
                    service,
                    response,
                    censored: None,
                });
                tallies.len() - 1
            });
            let total = &mut tallies[at];
            let before = total.service.count;
            mine.service.add_to(&mut total.service);
            let timed = total.service.count - before;
            if let (Some(mine), Some(total)) = (&mine.response, &mut total.response) {
                mine.add_to(total);
            }
            let ops = (timed + mine.only_rate.get()).saturating_sub(mine.only_latency.get());
            total.ops += ops;
            let (censored, age) = (mine.censored.get(), mine.least_age_ns_complement.get());
            let mine_censored = Censored { ops: censored, from_ns: !age };
            total.censored =
                Censored::merged(total.censored, (censored > 0).then_some(mine_censored));
            // The length of a trim is not transferred.
            total.bytes += if class.moves_data() { mine.bytes.get() } else { 0 };
            total.misses += mine.misses.get();
            total.given_up += mine.given_up.get();
        }
    }
}

/// Completed ops with identical timestamps.
#[derive(Clone, Copy)]
pub struct Ended {
    /// Number of ops.
    pub ops: u64,
    bytes: u64,
    misses: u64,
    /// Abandoned: not counted as an op, without a latency.
    pub given_up: bool,
}

impl Ended {
    /// A group, whose bytes are counted with its ops.
    pub const TOGETHER: Ended = Ended { ops: 1, bytes: 0, misses: 0, given_up: false };

    /// One op.
    #[inline(always)]
    pub fn one(done: &Completion) -> Ended {
        let (bytes, misses) = (u64::from(done.bytes), u64::from(!done.hit));
        Ended { ops: 1, bytes, misses, given_up: done.given_up }
    }

    /// One more.
    #[inline(always)]
    pub fn add(&mut self, done: &Completion) {
        self.ops += 1;
        self.bytes += u64::from(done.bytes);
        self.misses += u64::from(!done.hit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamps(intended_ns: u64, submitted_ns: u64, completed_ns: u64) -> Stamps {
        Stamps { intended_ns, submitted_ns, completed_ns }
    }

    fn one(bytes: u32, hit: bool) -> Ended {
        Ended::one(&Completion { slot: 0, bytes, hit, given_up: false })
    }

    #[test]
    fn service_and_response_are_both_kept_in_open_loop() {
        let recorder = Recorder::new(&[Class::READ], true);
        recorder.add(0, stamps(0, 1_000, 1_100), one(4096, true));
        let mut tallies = Vec::new();
        recorder.add_to(&mut tallies);
        assert_eq!(tallies[0].service.max_ns, 100);
        assert_eq!(tallies[0].response().max_ns, 1_100);
        assert_eq!((tallies[0].ops, tallies[0].bytes), (1, 4096));
    }

    #[test]
    fn workers_merge_into_one_tally_for_each_class() {
        let workers: Vec<_> =
            (0..3).map(|_| Recorder::new(&[Class::READ, Class::WRITE], false)).collect();
        for (i, worker) in workers.iter().enumerate() {
            worker.add(0, stamps(0, 0, 10 * (i as u64 + 1)), one(1, i != 0));
        }
        let mut tallies = Vec::new();
        workers.iter().for_each(|w| w.add_to(&mut tallies));
        assert_eq!(tallies.len(), 2);
        let read = &tallies[0];
        assert_eq!(
            (read.ops, read.misses, read.service.min_ns, read.service.max_ns),
            (3, 1, 10, 30)
        );
        assert_eq!((tallies[1].ops, tallies[1].service.quantile_ns(0.5)), (0, None));
    }

    #[test]
    fn rates_are_of_completions_in_the_window_and_latencies_of_ops_due_in_it() {
        let window = MeasuredWindow { from_ns: 100, until_ns: 200 };
        let recorder = Recorder::new(&[Class::WRITE], true);
        // Due, submitted and completed; whether it counts in the rate, and in the latencies.
        let ops = [
            (80, 85, 99, (false, false)),
            (80, 85, 100, (true, false)),
            (80, 110, 200, (false, false)),
            (100, 110, 199, (true, true)),
            (120, 130, 200, (false, true)),
            (199, 230, 250, (false, true)),
            (80, 90, 230, (false, true)),
            (200, 200, 210, (false, true)),
        ];
        for (intended_ns, submitted_ns, completed_ns, (rate, latency)) in ops {
            let stamps = stamps(intended_ns, submitted_ns, completed_ns);
            let counts = window.counts(stamps);
            assert_eq!(counts, CountsIn { rate, latency }, "{stamps:?}");
            assert_eq!(intended_ns >= window.inner_from_ns(completed_ns), rate && latency);
            assert_eq!(recorder.add_at_edge(0, stamps, one(4096, true), window), latency);
        }
        recorder.add_censored(0, 70);
        recorder.add_censored(0, 60);
        let mut tallies = Vec::new();
        recorder.add_to(&mut tallies);
        let tally = &tallies[0];
        assert_eq!((tally.ops, tally.bytes), (2, 2 * 4096));
        assert_eq!(recorder.written_after(), 5 * 4096);
        assert_eq!((tally.service.count, tally.response().count), (5, 7));
        assert_eq!(tally.response().max_ns, 150, "in flight all through the window");
        assert_eq!(tally.censored, Some(Censored { ops: 2, from_ns: 60 }));
        // Contributions of the ops in their order.
        assert_eq!(recorder.in_flight_ns(), [0, 0, 90, 89, 70, 0, 100, 0].iter().sum::<u64>());
    }

    #[test]
    fn the_backlog_at_the_end_is_never_more_than_the_longest() {
        let recorder = Recorder::new(&[Class::WRITE], true);
        recorder.add_late(1_000_000, 10_000.0);
        recorder.set_backlog_end(7);
        assert_eq!((recorder.backlog_max.get(), recorder.backlog_end()), (100, 7));
        recorder.set_backlog_end(700);
        assert_eq!((recorder.backlog_max.get(), recorder.backlog_end()), (700, 700));
    }
}
