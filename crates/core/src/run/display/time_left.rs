//! Estimates the remaining time of a run, including preparation: planned durations of points and
//! their overhead so far, bytes to be filled at the rate of the fills so far, and the parts of
//! `[prepare]` as planned or as measured on an earlier subject. Pure: the caller supplies the time.

use std::collections::HashMap;

use crate::plan::PointPlan;

/// The preparation of a subject before its points.
#[derive(Default)]
pub struct ToPrepare {
    /// Its name.
    pub subject: String,
    /// Missing bytes of its datasets.
    pub fill_bytes: f64,
    /// The other parts, by name, with their known durations.
    pub parts: Vec<(String, KnownLength)>,
}

/// The information about a part's duration before its first execution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KnownLength {
    /// The plan gives it, or a maximum.
    Ns(u64),
    /// It writes like a fill.
    Bytes(f64),
    /// Nothing.
    Unknown,
}

/// The current activity.
enum CurrentPart {
    /// Not estimated: opening, settling, idle power.
    Other,
    /// Filling a dataset.
    Fill { subject: String, bytes: f64, share: f64, from_ns: u64 },
    /// Another part of the preparation.
    Part { subject: String, name: String, share: f64, from_ns: u64 },
    /// Measuring a point.
    Point { from_ns: u64 },
}

/// A point that is to be measured.
pub struct PointLeft {
    /// The subject's name.
    pub subject: String,
    /// Planned; 0 if it fails at once.
    pub length_ns: u64,
}

impl PointLeft {
    /// As planned.
    pub fn of(point: &PointPlan) -> PointLeft {
        let length_ns = point.step.point_ns();
        PointLeft { subject: point.subject.name.clone(), length_ns }
    }
}

/// A test that has not begun: its points, and its preparation.
pub struct TestLeft {
    /// In order.
    pub points: Vec<PointLeft>,
    /// Of each subject.
    pub to_prepare: Vec<ToPrepare>,
}

/// From this share of a part on, its duration is extrapolated.
const ENOUGH: f64 = 0.02;

/// The estimate, and its observations.
pub struct TimeLeft {
    /// The remaining points, in reverse order; the current one included.
    points: Vec<PointLeft>,
    /// The preparation of each subject that is not prepared yet, including the current one.
    to_prepare: Vec<ToPrepare>,
    /// The tests after the current one.
    later: Vec<TestLeft>,
    /// Durations of parts executed before, by name.
    took_ns: HashMap<String, f64>,
    filled_bytes: f64,
    filled_ns: f64,
    /// Points that took at least their planned duration. One that failed at once, or that its
    /// stopping rule ended early, is not representative.
    whole_points: u64,
    /// Time of complete points beyond their planned duration: opening, joining, storing.
    beyond_ns: f64,
    now: CurrentPart,
    /// The time at which the last point or fill ended: the time between points belongs to the next.
    free_ns: u64,
}

impl TimeLeft {
    /// An estimate for points in order and their preparation.
    pub fn of(
        points: impl DoubleEndedIterator<Item = PointLeft>,
        to_prepare: Vec<ToPrepare>,
    ) -> Self {
        TimeLeft {
            points: points.rev().collect(),
            to_prepare,
            later: Vec::new(),
            took_ns: HashMap::new(),
            filled_bytes: 0.0,
            filled_ns: 0.0,
            whole_points: 0,
            beyond_ns: 0.0,
            now: CurrentPart::Other,
            free_ns: 0,
        }
    }

    /// The tests after the current one.
    pub fn then(&mut self, later: Vec<TestLeft>) {
        self.later = later;
    }

    /// A test starts, with its points in order; rates and durations of earlier tests are kept.
    pub fn test_begins(
        &mut self,
        points: impl DoubleEndedIterator<Item = PointLeft>,
        to_prepare: Vec<ToPrepare>,
    ) {
        self.points = points.rev().collect();
        self.to_prepare = to_prepare;
        self.now = CurrentPart::Other;
    }

    /// A fill of this many bytes starts.
    pub fn fill_begins(&mut self, subject: &str, bytes: u64, now_ns: u64) {
        let (subject, bytes) = (subject.to_string(), bytes as f64);
        self.now = CurrentPart::Fill { subject, bytes, share: 0.0, from_ns: now_ns };
    }

    /// Another part of the preparation starts.
    pub fn part_begins(&mut self, subject: &str, name: &str, now_ns: u64) {
        let (subject, name) = (subject.to_string(), name.to_string());
        self.now = CurrentPart::Part { subject, name, share: 0.0, from_ns: now_ns };
    }

    /// The completed share of the current activity, 0 to 1.
    pub fn is_at(&mut self, done: f64) {
        if let CurrentPart::Fill { share, .. } | CurrentPart::Part { share, .. } = &mut self.now {
            *share = done.clamp(0.0, 1.0);
        }
    }

    /// The fill is complete.
    pub fn fill_ends(&mut self, now_ns: u64) {
        if let CurrentPart::Fill { subject, bytes, from_ns, .. } =
            std::mem::replace(&mut self.now, CurrentPart::Other)
        {
            self.filled_bytes += bytes;
            self.filled_ns += now_ns.saturating_sub(from_ns) as f64;
            let own = self.to_prepare.iter_mut().find(|of| of.subject == subject);
            own.into_iter().for_each(|of| of.fill_bytes = (of.fill_bytes - bytes).max(0.0));
        }
        self.free_ns = now_ns;
    }

    /// The current part is complete.
    pub fn part_ends(&mut self, now_ns: u64) {
        if let CurrentPart::Part { subject, name, from_ns, .. } =
            std::mem::replace(&mut self.now, CurrentPart::Other)
        {
            let own = self.to_prepare.iter_mut().find(|of| of.subject == subject);
            own.into_iter().for_each(|of| of.parts.retain(|(part, _)| *part != name));
            self.took_ns.insert(name, now_ns.saturating_sub(from_ns) as f64);
        }
        self.free_ns = now_ns;
    }

    /// A subject is ready: its preparation existed or was executed.
    pub fn prepared(&mut self, subject: &str, now_ns: u64) {
        self.to_prepare.retain(|of| of.subject != subject);
        self.free_ns = now_ns;
    }

    /// A subject could not be prepared: its points fail at once.
    pub fn not_prepared(&mut self, subject: &str, now_ns: u64) {
        self.prepared(subject, now_ns);
        let own = self.points.iter_mut().filter(|point| point.subject == subject);
        own.for_each(|point| point.length_ns = 0);
    }

    /// A point starts.
    pub fn point_begins(&mut self, now_ns: u64) {
        let from_ns = if self.free_ns > 0 { self.free_ns.min(now_ns) } else { now_ns };
        self.now = CurrentPart::Point { from_ns };
    }

    /// It has ended.
    pub fn point_ends(&mut self, now_ns: u64) {
        let planned_ns = self.points.pop().map_or(0, |point| point.length_ns);
        if let CurrentPart::Point { from_ns } = self.now
            && planned_ns > 0
            && let Some(beyond_ns) = now_ns.saturating_sub(from_ns).checked_sub(planned_ns)
        {
            self.whole_points += 1;
            self.beyond_ns += beyond_ns as f64;
        }
        self.now = CurrentPart::Other;
        self.free_ns = now_ns;
    }

    /// The next point is skipped.
    pub fn point_spared(&mut self) {
        self.points.pop();
    }

    /// Nanoseconds left; None before anything is known about the rate of fills, or about a part of
    /// unknown duration.
    pub fn left_ns(&self, now_ns: u64) -> Option<u64> {
        let to_prepare =
            || self.to_prepare.iter().chain(self.later.iter().flat_map(|test| &test.to_prepare));
        let mut to_fill: f64 = to_prepare().map(|of| of.fill_bytes).sum();
        let (mut bytes, mut ns) = (self.filled_bytes, self.filled_ns);
        if let CurrentPart::Fill { bytes: all, share, from_ns, .. } = &self.now {
            bytes += all * share;
            ns += now_ns.saturating_sub(*from_ns) as f64;
            to_fill = (to_fill - all * share).max(0.0);
        }
        let ns_per_byte = (bytes > 0.0).then_some(ns / bytes);
        let fills = if to_fill > 0.0 { to_fill * ns_per_byte? } else { 0.0 };
        let mut left = self.points_left_ns(now_ns) + fills;
        for of in to_prepare() {
            for part in &of.parts {
                left += self.part_left_ns(&of.subject, part, ns_per_byte, now_ns)?;
            }
        }
        Some(left as u64)
    }

    fn points_left_ns(&self, now_ns: u64) -> f64 {
        let beyond = self.beyond_ns / self.whole_points.max(1) as f64;
        let whole = |point: &PointLeft| match point.length_ns {
            0 => 0.0,
            planned_ns => planned_ns as f64 + beyond,
        };
        let later = self.later.iter().flat_map(|test| &test.points);
        let left: f64 = self.points.iter().chain(later).map(whole).sum();
        match (&self.now, self.points.last()) {
            (CurrentPart::Point { from_ns }, Some(running)) => {
                left - whole(running).min(now_ns.saturating_sub(*from_ns) as f64)
            }
            _ => left,
        }
    }

    /// Remaining time of a part: its earlier or known duration; for a running part of unknown
    /// duration, extrapolated from its progress.
    fn part_left_ns(
        &self,
        of: &str,
        (part, length): &(String, KnownLength),
        ns_per_byte: Option<f64>,
        now_ns: u64,
    ) -> Option<f64> {
        let length = *length;
        let before = self.took_ns.get(part).copied().or_else(|| self.extrapolated(part, now_ns));
        let whole = before.or(match length {
            KnownLength::Ns(ns) => Some(ns as f64),
            KnownLength::Bytes(bytes) => ns_per_byte.map(|ns| bytes * ns),
            KnownLength::Unknown => None,
        });
        let CurrentPart::Part { subject, name, share, from_ns } = &self.now else { return whole };
        if subject != of || name != part {
            return whole;
        }
        let gone = now_ns.saturating_sub(*from_ns) as f64;
        match length {
            KnownLength::Bytes(_) | KnownLength::Unknown if *share >= ENOUGH => {
                Some(gone / share * (1.0 - share))
            }
            _ => whole.map(|whole| (whole - gone).max(0.0)),
        }
    }

    /// The total duration of a part executed for the first time, extrapolated from its progress.
    fn extrapolated(&self, part: &str, now_ns: u64) -> Option<f64> {
        match &self.now {
            CurrentPart::Part { name, share, from_ns, .. } if name == part && *share >= ENOUGH => {
                Some(now_ns.saturating_sub(*from_ns) as f64 / share)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn point(subject: &str, length_ns: u64) -> PointLeft {
        PointLeft { subject: subject.to_string(), length_ns }
    }

    fn to_prepare(subject: &str, fill_bytes: f64, parts: &[(&str, KnownLength)]) -> ToPrepare {
        let parts = parts.iter().map(|(name, length)| (name.to_string(), *length)).collect();
        ToPrepare { subject: subject.to_string(), fill_bytes, parts }
    }

    /// A run on a simulated clock: two subjects, each filled before its first point, then
    /// alternating points. At every step from the first tenth of the run on, the time left is
    /// compared with the true one.
    fn worst(fill_s: u64, point_s: u64, beyond_ms: u64, points: u64) -> f64 {
        const STEPS: u64 = 50;
        let bytes = 1u64 << 30;
        let subjects = ["A", "B"];
        let of = |fill_s: u64| if fill_s > 0 { bytes as f64 } else { 0.0 };
        let fills = subjects.map(|s| to_prepare(s, of(fill_s), &[])).into();
        let mut left = TimeLeft::of((0..points).map(|_| point("A", point_s * S)), fills);
        let beyond = |n: u64| beyond_ms * 1_000_000 * (90 + 5 * (n % 5)) / 100;
        let points_ns: u64 = (0..points).map(|n| point_s * S + beyond(n)).sum();
        let total = 2 * fill_s * S + points_ns;
        let (mut now, mut worst) = (0u64, 0f64);
        let mut look = |left: &TimeLeft, now: u64| {
            if now * 10 >= total {
                let said = left.left_ns(now).expect("known from the first tenth on") as f64;
                let truth = total as f64 - now as f64;
                // At the very end, an error of half a percent of the run is allowed, because a
                // tenth of nothing is nothing.
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
                        left.is_at(step as f64 / STEPS as f64);
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
        let fills = vec![to_prepare("A", 1e9, &[]), to_prepare("B", 1e9, &[])];
        let mut left = TimeLeft::of([S, S, S].map(|ns| point("A", ns)).into_iter(), fills);
        assert_eq!(left.left_ns(0), None, "nothing is known of the rate of fills");
        left.prepared("A", 0);
        left.prepared("B", 0);
        left.point_spared();
        assert_eq!(left.left_ns(0), Some(2 * S));
    }

    #[test]
    fn points_of_a_subject_that_cannot_be_prepared_take_no_time() {
        let points = ["A", "B", "A", "B"].map(|subject| point(subject, 60 * S));
        let fills = vec![to_prepare("A", 0.0, &[]), to_prepare("B", 1e9, &[])];
        let mut left = TimeLeft::of(points.into_iter(), fills);
        left.prepared("A", 0);
        left.point_begins(0);
        left.point_ends(62 * S);
        left.not_prepared("B", 62 * S);
        assert_eq!(left.left_ns(62 * S), Some(62 * S));
        left.point_begins(62 * S);
        left.point_ends(62 * S);
        assert_eq!(left.left_ns(62 * S), Some(62 * S));
    }

    #[test]
    fn a_point_that_fails_at_once_changes_nothing_of_what_is_expected_of_the_others() {
        let mut left = TimeLeft::of([60 * S; 3].map(|ns| point("A", ns)).into_iter(), Vec::new());
        left.point_begins(0);
        left.point_ends(S);
        assert_eq!(left.left_ns(S), Some(120 * S));
        left.point_begins(S);
        left.point_ends(63 * S);
        assert_eq!(left.left_ns(63 * S), Some(62 * S));
    }

    /// Two subjects, each purged, filled, loaded and brought to steady state before its points.
    /// True durations of the parts in seconds; returns the largest error from a tenth of the run
    /// on.
    fn worst_prepared(parts: &[(&str, KnownLength, u64)], fill_s: u64, points_s: u64) -> f64 {
        const STEPS: u64 = 50;
        let bytes = 1u64 << 30;
        let known: Vec<_> = parts.iter().map(|(name, length, _)| (*name, *length)).collect();
        let fill = if fill_s > 0 { bytes as f64 } else { 0.0 };
        let to_do = ["A", "B"].map(|s| to_prepare(s, fill, &known)).into();
        let mut left = TimeLeft::of([points_s * S; 2].map(|ns| point("A", ns)).into_iter(), to_do);
        let own: u64 = parts.iter().map(|(_, _, s)| s).sum::<u64>() + fill_s + points_s;
        let total = 2 * own * S;
        let (mut now, mut worst) = (0u64, 0f64);
        let mut look = |left: &TimeLeft, now: u64| {
            if now * 10 >= total {
                let said = left.left_ns(now).map_or(f64::INFINITY, |ns| ns as f64);
                let truth = total as f64 - now as f64;
                worst = worst.max((said - truth).abs() / truth.max(total as f64 / 20.0));
            }
        };
        for subject in ["A", "B"] {
            if fill_s > 0 {
                left.fill_begins(subject, bytes, now);
                for step in 1..=STEPS {
                    now += fill_s * S / STEPS;
                    left.is_at(step as f64 / STEPS as f64);
                    look(&left, now);
                }
                left.fill_ends(now);
            }
            for (name, _, s) in parts {
                left.part_begins(subject, name, now);
                for step in 1..=STEPS {
                    now += s * S / STEPS;
                    left.is_at(step as f64 / STEPS as f64);
                    look(&left, now);
                }
                left.part_ends(now);
            }
            left.prepared(subject, now);
            left.point_begins(now);
            for _ in 0..STEPS {
                now += points_s * S / STEPS;
                look(&left, now);
            }
            left.point_ends(now);
        }
        worst
    }

    #[test]
    fn parts_of_the_preparation_are_counted_before_they_begin() {
        let ns = |s: u64| KnownLength::Ns(s * S);
        let bytes = |times: f64| KnownLength::Bytes(times * (1u64 << 30) as f64);
        // A purge reports its progress, so its duration is known from a fiftieth on; two passes
        // that write like the fill take twice as long; rounds continue as long as the plan permits.
        for (parts, fill_s, points_s) in [
            (vec![("condition 1", ns(300), 300)], 60, 120),
            (vec![("purge", KnownLength::Unknown, 20), ("steady state", ns(500), 500)], 0, 200),
            (vec![("condition 1", bytes(2.0), 200), ("steady state", ns(60), 60)], 100, 60),
            (vec![("condition 1", KnownLength::Unknown, 400)], 0, 600),
        ] {
            let worst = worst_prepared(&parts, fill_s, points_s);
            let of = format!("{parts:?}, {fill_s} s of filling, points of {points_s} s");
            eprintln!("{of}: at most {:.1} % off", worst * 100.0);
            assert!(worst <= 0.10, "{of}: {:.1} % off", worst * 100.0);
        }
    }

    #[test]
    fn what_a_part_took_on_one_subject_is_what_is_expected_of_the_next() {
        let parts = [("steady state", KnownLength::Ns(1000 * S))];
        let to_do = ["A", "B"].map(|s| to_prepare(s, 0.0, &parts)).into();
        let mut left = TimeLeft::of([point("A", S)].into_iter(), to_do);
        assert_eq!(left.left_ns(0), Some(2001 * S), "at most");
        left.part_begins("A", "steady state", 0);
        left.part_ends(200 * S);
        left.prepared("A", 200 * S);
        assert_eq!(left.left_ns(200 * S), Some(201 * S));
    }
}
