//! How long a run will still take, fills included: planned lengths of points with what points took
//! beyond them so far, and bytes to be filled at the rate of fills so far. Pure: the caller says
//! the time.

/// What is being done.
enum Now {
    /// What is not counted: opening, settling, idle power.
    Other,
    /// A dataset is filled.
    Fill { subject: String, bytes: f64, share: f64, from_ns: u64 },
    /// A point is measured.
    Point { from_ns: u64 },
}

/// The estimate, and what it has seen.
pub struct TimeLeft {
    /// Planned length of each point left, in running order, last first; the running one included.
    points_ns: Vec<u64>,
    /// Bytes to be filled for each subject that has not been prepared; the running fill included.
    fills: Vec<(String, f64)>,
    filled_bytes: f64,
    filled_ns: f64,
    points_done: u64,
    /// What finished points took beyond their planned length: opening, joining, storing.
    beyond_ns: f64,
    now: Now,
    /// When the last point or fill ended: what lies between points belongs to the next.
    free_ns: u64,
}

impl TimeLeft {
    /// Of points in running order and of bytes to be filled by subject.
    pub fn of(points_ns: impl DoubleEndedIterator<Item = u64>, fills: Vec<(String, f64)>) -> Self {
        TimeLeft {
            points_ns: points_ns.rev().collect(),
            fills,
            filled_bytes: 0.0,
            filled_ns: 0.0,
            points_done: 0,
            beyond_ns: 0.0,
            now: Now::Other,
            free_ns: 0,
        }
    }

    /// A dataset of so many bytes begins to be filled.
    pub fn fill_begins(&mut self, subject: &str, bytes: u64, now_ns: u64) {
        let (subject, bytes) = (subject.to_string(), bytes as f64);
        self.now = Now::Fill { subject, bytes, share: 0.0, from_ns: now_ns };
    }

    /// So much of it is filled, of 1.
    pub fn fill_is_at(&mut self, done: f64) {
        if let Now::Fill { share, .. } = &mut self.now {
            *share = done.clamp(0.0, 1.0);
        }
    }

    /// It is filled.
    pub fn fill_ends(&mut self, now_ns: u64) {
        if let Now::Fill { subject, bytes, from_ns, .. } =
            std::mem::replace(&mut self.now, Now::Other)
        {
            self.filled_bytes += bytes;
            self.filled_ns += now_ns.saturating_sub(from_ns) as f64;
            let own = self.fills.iter_mut().find(|(name, _)| *name == subject);
            own.into_iter().for_each(|(_, left)| *left = (*left - bytes).max(0.0));
        }
        self.free_ns = now_ns;
    }

    /// A subject is ready: what was to be filled for it was there, or has been filled.
    pub fn prepared(&mut self, subject: &str, now_ns: u64) {
        self.fills.retain(|(name, _)| name != subject);
        self.free_ns = now_ns;
    }

    /// A point begins.
    pub fn point_begins(&mut self, now_ns: u64) {
        let from_ns = if self.free_ns > 0 { self.free_ns.min(now_ns) } else { now_ns };
        self.now = Now::Point { from_ns };
    }

    /// It has ended.
    pub fn point_ends(&mut self, now_ns: u64) {
        let planned_ns = self.points_ns.pop().unwrap_or(0);
        if let Now::Point { from_ns } = self.now {
            self.points_done += 1;
            self.beyond_ns += now_ns.saturating_sub(from_ns) as f64 - planned_ns as f64;
        }
        self.now = Now::Other;
        self.free_ns = now_ns;
    }

    /// The next point is not measured.
    pub fn point_spared(&mut self) {
        self.points_ns.pop();
    }

    /// Nanoseconds left; none before anything is known of the rate of fills.
    pub fn left_ns(&self, now_ns: u64) -> Option<u64> {
        let beyond = self.beyond_ns / self.points_done.max(1) as f64;
        let whole = |planned: &u64| (*planned as f64 + beyond).max(0.0);
        let mut left: f64 = self.points_ns.iter().map(whole).sum();
        if let (Now::Point { from_ns }, Some(running)) = (&self.now, self.points_ns.last()) {
            left -= whole(running).min(now_ns.saturating_sub(*from_ns) as f64);
        }
        let mut to_fill: f64 = self.fills.iter().map(|(_, bytes)| bytes).sum();
        let (mut bytes, mut ns) = (self.filled_bytes, self.filled_ns);
        if let Now::Fill { bytes: all, share, from_ns, .. } = &self.now {
            bytes += all * share;
            ns += now_ns.saturating_sub(*from_ns) as f64;
            to_fill = (to_fill - all * share).max(0.0);
        }
        if to_fill > 0.0 {
            if bytes <= 0.0 {
                return None;
            }
            left += to_fill * ns / bytes;
        }
        Some(left as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    /// A run by the arithmetic of a simulated clock: two subjects, each filled before its first
    /// point, then points in turns. At every step from the first tenth of the run on, the time left
    /// is compared with the truth.
    fn worst(fill_s: u64, point_s: u64, beyond_ms: u64, points: u64) -> f64 {
        const STEPS: u64 = 50;
        let bytes = 1u64 << 30;
        let subjects = ["A", "B"];
        let of = |fill_s: u64| if fill_s > 0 { bytes as f64 } else { 0.0 };
        let fills = subjects.map(|s| (s.to_string(), of(fill_s))).to_vec();
        let mut left = TimeLeft::of((0..points).map(|_| point_s * S), fills);
        let beyond = |n: u64| beyond_ms * 1_000_000 * (90 + 5 * (n % 5)) / 100;
        let points_ns: u64 = (0..points).map(|n| point_s * S + beyond(n)).sum();
        let total = 2 * fill_s * S + points_ns;
        let (mut now, mut worst) = (0u64, 0f64);
        let mut look = |left: &TimeLeft, now: u64| {
            if now * 10 >= total {
                let said = left.left_ns(now).expect("known from the first tenth on") as f64;
                let truth = total as f64 - now as f64;
                // At the very end a tenth of nothing is nothing: half a percent of the run counts.
                worst = worst.max((said - truth).abs() / truth.max(total as f64 / 20.0));
            }
        };
        for n in 0..points {
            if n < 2 {
                let subject = subjects[n as usize];
                if fill_s > 0 {
                    left.fill_begins(subject, bytes, now);
                    for step in 1..=STEPS {
                        now += fill_s * S / STEPS;
                        left.fill_is_at(step as f64 / STEPS as f64);
                        look(&left, now);
                    }
                    left.fill_ends(now);
                }
                left.prepared(subject, now);
            }
            left.point_begins(now + beyond(n) / 2);
            for _ in 0..STEPS {
                now += (point_s * S + beyond(n)) / STEPS;
                look(&left, now);
            }
            left.point_ends(now);
        }
        assert_eq!(left.left_ns(now), Some(0));
        worst
    }

    #[test]
    fn the_time_left_is_right_within_a_tenth_from_the_first_tenth_on_fills_included() {
        for (fill_s, point_s, beyond_ms, points) in [
            (0, 3, 0, 20),
            (0, 3, 300, 40),
            (60, 3, 300, 60),
            (600, 10, 500, 12),
            (5, 60, 1000, 30),
        ] {
            let worst = worst(fill_s, point_s, beyond_ms, points);
            let of = format!("{fill_s} s of filling, {points} points of {point_s} s");
            eprintln!("{of}: at most {:.1} % off", worst * 100.0);
            assert!(worst <= 0.10, "{of}: {:.1} % off", worst * 100.0);
        }
    }

    #[test]
    fn datasets_that_are_there_and_points_that_are_spared_take_no_time() {
        let fills = vec![("A".to_string(), 1e9), ("B".to_string(), 1e9)];
        let mut left = TimeLeft::of([S, S, S].into_iter(), fills);
        assert_eq!(left.left_ns(0), None, "nothing is known of the rate of fills");
        left.prepared("A", 0);
        left.prepared("B", 0);
        left.point_spared();
        assert_eq!(left.left_ns(0), Some(2 * S));
    }
}
