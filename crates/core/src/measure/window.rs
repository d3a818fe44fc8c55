//! The measured window, the timestamps of an op, and the figures in which an op counts: rates are
//! of the ops that complete inside the window, latencies of those intended inside it.

/// The measured window on the job's clock. Rates are of the ops that complete inside it, latencies
/// of those intended inside it.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredWindow {
    /// Start, nanoseconds of the job's clock.
    pub from_ns: u64,
    /// End, nanoseconds of the job's clock.
    pub until_ns: u64,
}

impl MeasuredWindow {
    /// The earliest intended time of an op that completes at this time and counts in both the rate
    /// and the latencies: one comparison for an ordinary op.
    #[inline(always)]
    pub fn inner_from_ns(&self, completed_ns: u64) -> u64 {
        if completed_ns < self.until_ns { self.from_ns } else { u64::MAX }
    }

    /// Time for which an op was in flight inside it.
    pub fn inside_ns(&self, Stamps { submitted_ns, completed_ns, .. }: Stamps) -> u64 {
        let from_ns = submitted_ns.max(self.from_ns);
        completed_ns.min(self.until_ns).saturating_sub(from_ns)
    }

    /// The figures in which an op counts.
    pub fn counts(&self, stamps: Stamps) -> CountsIn {
        let Stamps { intended_ns, submitted_ns, completed_ns } = stamps;
        let in_flight_all_through = submitted_ns < self.from_ns && completed_ns >= self.until_ns;
        CountsIn {
            rate: (self.from_ns..self.until_ns).contains(&completed_ns),
            // Every op staged after the window was due inside it.
            latency: intended_ns >= self.from_ns || in_flight_all_through,
        }
    }
}

/// The three timestamps of an op.
#[derive(Clone, Copy, Debug)]
pub struct Stamps {
    /// The due time; in closed loop, the time of submission.
    pub intended_ns: u64,
    /// The time of submission to the engine.
    pub submitted_ns: u64,
    /// The time at which the completion was detected.
    pub completed_ns: u64,
}

/// The figures in which an op counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountsIn {
    /// It completed inside the window.
    pub rate: bool,
    /// It was intended inside the window, or in flight all through it.
    pub latency: bool,
}
