//! The worst period of a window: the requests of each second are counted, and every period of the
//! asked length that ends with one of these seconds is compared.

use std::collections::VecDeque;

use crate::base::histogram::Histogram;
use crate::plan::search::{OVER_MS, Search};
use crate::record::{Cell, Censored, Class, Interval, Tally, WorstPeriod};

const SLOW: usize = OVER_MS.len();

/// Requests, and how many of them took each of `OVER_MS` or longer.
#[derive(Clone, Copy, Default)]
struct Counted {
    all: u64,
    over: [u64; SLOW],
}

impl Counted {
    fn of(times: &Histogram) -> Counted {
        let over = OVER_MS.map(|ms| times.count_from(ms * 1_000_000));
        Counted { all: times.count, over }
    }

    fn each(self, other: Counted, of: fn(u64, u64) -> u64) -> Counted {
        let over = std::array::from_fn(|i| of(self.over[i], other.over[i]));
        Counted { all: of(self.all, other.all), over }
    }

    fn plus(self, other: Counted) -> Counted {
        self.each(other, u64::saturating_add)
    }

    fn minus(self, other: Counted) -> Counted {
        self.each(other, u64::saturating_sub)
    }
}

/// A class of op: the intervals of the last period, their sum, and the largest shares so far.
#[derive(Default)]
struct ClassPeriods {
    /// Start, end and counts of each.
    intervals: VecDeque<(u64, u64, Counted)>,
    /// The counts of `intervals`, and of the whole window.
    sum: Counted,
    whole: Counted,
    worst: [f64; SLOW],
}

impl ClassPeriods {
    /// Adds to the current interval; one that starts later ends it.
    fn add(&mut self, (start_ns, end_ns): (u64, u64), counted: Counted, length_ns: u64) {
        match self.intervals.back_mut().filter(|last| last.0 == start_ns) {
            Some(last) => last.2 = last.2.plus(counted),
            None => {
                self.compare(length_ns);
                self.intervals.push_back((start_ns, end_ns, counted));
            }
        }
        self.sum = self.sum.plus(counted);
        self.whole = self.whole.plus(counted);
        // The fewest intervals that are a whole period.
        while self.intervals.get(1).is_some_and(|next| end_ns.saturating_sub(next.0) >= length_ns) {
            let first = self.intervals.pop_front().map(|first| first.2);
            self.sum = self.sum.minus(first.unwrap_or_default());
        }
    }

    /// Compares the last period, if it is complete.
    fn compare(&mut self, length_ns: u64) {
        let ends = self.intervals.front().zip(self.intervals.back());
        if ends.is_some_and(|(first, last)| last.1.saturating_sub(first.0) >= length_ns) {
            self.note();
        }
    }

    fn note(&mut self) {
        for (worst, over) in self.worst.iter_mut().zip(self.sum.over) {
            *worst = worst.max(over as f64 / self.sum.all.max(1) as f64);
        }
    }
}

/// The periods of the stream that a search limits.
pub struct Periods {
    stream: String,
    length_ns: u64,
    classes: Vec<(Class, ClassPeriods)>,
}

impl Periods {
    /// None if the search has no limits for each period.
    pub fn of(search: &Search) -> Option<Periods> {
        let (stream, length_ns) = (search.stream.clone(), search.every_ns?);
        Some(Periods { stream, length_ns, classes: Vec::new() })
    }

    /// Counts an interval of any stream.
    pub fn count(&mut self, interval: &Interval) {
        if interval.stream != self.stream {
            return;
        }
        let times = interval.response.as_ref().unwrap_or(&interval.service);
        let span = (interval.start_ns, interval.end_ns);
        let length_ns = self.length_ns;
        self.class(interval.class).add(span, Counted::of(times), length_ns);
    }

    fn class(&mut self, class: Class) -> &mut ClassPeriods {
        let at = self.classes.iter().position(|(own, _)| *own == class).unwrap_or_else(|| {
            self.classes.push((class, ClassPeriods::default()));
            self.classes.len() - 1
        });
        &mut self.classes[at].1
    }

    /// The worst period of the limited class. Requests of the window that ended after it, and those
    /// that were never submitted, are in no interval: they count in the last one.
    pub fn worst(mut self, cells: &[Cell]) -> Option<WorstPeriod> {
        let own = cells.iter().filter(|cell| cell.stream == self.stream);
        let tallies: Vec<&Tally> = own.flat_map(|cell| &cell.tallies).collect();
        let class = Class::limited(tallies.iter().map(|t| (t.class, t.response().count)))?;
        let (mut counted, mut censored) = (Counted::default(), None);
        for tally in tallies.into_iter().filter(|t| t.class == class) {
            counted = counted.plus(Counted::of(tally.response()));
            censored = Censored::merged(censored, tally.censored);
        }
        let length_ns = self.length_ns;
        let of_class = self.class(class);
        let rest = counted.minus(of_class.whole);
        match of_class.intervals.back().map(|last| (last.0, last.1)) {
            Some(last) => of_class.add(last, rest, length_ns),
            None => of_class.add((0, 0), rest, length_ns),
        }
        of_class.note();
        let worst = of_class.worst;
        let over = std::array::from_fn(|i| {
            // A request that had waited for less may or may not have taken this long.
            let ns = OVER_MS[i] * 1_000_000;
            let is_known = censored.is_none_or(|censored: Censored| censored.from_ns >= ns);
            Some(worst[i]).filter(|_| is_known && counted.all > 0)
        });
        Some(WorstPeriod { stream: self.stream, length_ns, over })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;
    const HOUR: u64 = 3_600;

    fn periods() -> Periods {
        Periods { stream: "io".into(), length_ns: HOUR * SECOND, classes: Vec::new() }
    }

    /// A second with this many fast requests, and with some of 5 ms, on two drives together.
    fn second(at: u64, fast: u64, slow: u64) -> [Interval; 2] {
        let of = |drive: u32, fast: u64, slow: u64| {
            let mut service = Histogram::new();
            service.add_n(100_000, fast);
            service.add_n(5_000_000, slow);
            let (stream, class, instance) = ("io".to_string(), Class::READ, 0);
            let (start_ns, end_ns) = (at * SECOND, (at + 1) * SECOND);
            let (ops, bytes, response) = (fast + slow, 0, None);
            Interval {
                stream,
                drive,
                instance,
                class,
                start_ns,
                end_ns,
                ops,
                bytes,
                service,
                response,
            }
        };
        [of(0, fast, 0), of(1, 0, slow)]
    }

    fn cells(of: &[Interval]) -> Vec<Cell> {
        let mut service = Histogram::new();
        of.iter().for_each(|interval| service.merge(&interval.service));
        let (ops, bytes, misses, given_up) = (service.count, 0, 0, 0);
        let (class, response, censored) = (Class::READ, None, None);
        let tally = Tally { class, ops, bytes, misses, given_up, service, response, censored };
        vec![Cell {
            stream: "io".into(),
            drive: 0,
            instance: 0,
            headline: true,
            threads: None,
            depth: None,
            asked: None,
            late: 0,
            backlog_max: 0,
            backlog_end: 0,
            in_flight: None,
            tallies: vec![tally],
        }]
    }

    /// The share over 4 ms of the worst hour.
    fn worst(all: &[Interval], cells: &[Cell]) -> f64 {
        let mut periods = periods();
        all.iter().for_each(|interval| periods.count(interval));
        let worst = periods.worst(cells).expect("a period");
        assert_eq!((worst.over[0], worst.over[3]), (worst.over[2], Some(0.0)), "{worst:?}");
        worst.over[2].expect("a share")
    }

    #[test]
    fn the_worst_hour_counts_and_may_begin_at_any_second() {
        // Three hours; half an hour around the end of the first one has 10 % of slow requests.
        let slow_at = |at: u64| u64::from((2_700..4_500).contains(&at)) * 10;
        let all: Vec<Interval> =
            (0..3 * HOUR).flat_map(|at| second(at, 100 - slow_at(at), slow_at(at))).collect();
        let cells = cells(&all);
        let share = worst(&all, &cells);
        assert!(
            (share - 0.05).abs() < 1e-9,
            "5 % of one hour; 2.5 % of two, 1.7 % of all: {share}"
        );
    }

    #[test]
    fn a_shorter_window_is_one_period_and_what_ends_after_it_counts() {
        let all: Vec<Interval> = (0..20).flat_map(|at| second(at, 99, 1)).collect();
        let window = cells(&all);
        assert!((worst(&all, &window) - 0.01).abs() < 1e-9);
        let late = second(20, 0, 20);
        let with_late = cells(&[&all[..], &late].concat());
        let share = worst(&all, &with_late);
        assert!((share - 40.0 / 2_020.0).abs() < 1e-9, "{share}");
    }

    #[test]
    fn requests_that_were_never_submitted_leave_longer_times_unknown() {
        let all: Vec<Interval> = (0..20).flat_map(|at| second(at, 99, 1)).collect();
        let mut cells = cells(&all);
        cells[0].tallies[0].censored = Some(Censored { ops: 3, from_ns: 2_500_000 });
        let mut periods = periods();
        all.iter().for_each(|interval| periods.count(interval));
        let worst = periods.worst(&cells).expect("a period");
        assert!(worst.over[1].is_some() && worst.over[2].is_none(), "{worst:?}");
    }
}
