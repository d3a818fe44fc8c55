//! Power over a window: mean, extremes, energy, and the instrument's delay.
//!
//! Energy is the trapezoidal integral over the readings' own times. Gaps are not filled: a segment
//! counts only between two readings that are close enough, and unless nearly all of the window is
//! covered there is no energy.

/// A reading: seconds since the start of the window, watts. A gap is a reading that is not a
/// number.
pub type PowerReading = (f64, f64);

/// Energy and work per watt require at least this coverage of the window.
pub const ENOUGH: f64 = 0.99;

/// Readings further apart than this many median distances have a gap between them.
const GAP: f64 = 5.0;

/// Power over a window.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowPower {
    /// Over the covered time, each reading weighted by its duration.
    pub mean_watts: f64,
    /// The minimum.
    pub min_watts: f64,
    /// The maximum.
    pub max_watts: f64,
    /// 99th percentile over the covered time.
    pub p99_watts: f64,
    /// None if coverage is insufficient, or if too much depends on the instrument's delay.
    pub joules: Option<f64>,
    /// The share of the window between readings that are close enough.
    pub covered: f64,
    /// Relative change of the mean within the range of possible delays: half of the range.
    pub open: f64,
}

impl WindowPower {
    /// Whether energy and work per watt can be derived from it.
    pub fn is_determined(&self) -> bool {
        self.covered >= ENOUGH && self.open <= MOST_OPEN && self.mean_watts > 0.0
    }
}

/// Maximum relative change of the mean within the range of possible delays for which energy and
/// work per watt are reported.
pub const MOST_OPEN: f64 = 0.01;

/// The share of an unexplained change of power that may be in the mean of a window, if the delay
/// may be of any length.
const LATER: f64 = 0.2;

/// Half of the range of the mean power over tenths of the readings, watts.
fn unrest(readings: &[PowerReading]) -> f64 {
    let (Some(first), Some(last)) = (readings.first(), readings.last()) else { return 0.0 };
    let (from_s, part_s) = (first.0, (last.0 - first.0) / 10.0);
    let part = |i: u32| {
        let from_s = from_s + f64::from(i) * part_s;
        let inside = readings.iter().filter(|r| r.0 >= from_s && r.0 <= from_s + part_s);
        let watts: Vec<f64> = inside.map(|r| r.1).filter(|watts| watts.is_finite()).collect();
        (!watts.is_empty()).then(|| watts.iter().sum::<f64>() / watts.len() as f64)
    };
    let means = || (0..10).filter_map(part);
    (means().fold(f64::MIN, f64::max) - means().fold(f64::MAX, f64::min)).max(0.0) / 2.0
}

/// Power over the window of this length that begins at 0, shifted by the instrument's delay. A
/// measured delay is accurate to half of the time between two readings; an unknown delay may have
/// any value up to `most_s`.
pub fn over_late(
    readings: &[PowerReading],
    delay_s: Option<f64>,
    most_s: f64,
    window_s: f64,
) -> Option<WindowPower> {
    let usual_s = usual_distance(readings)?;
    let window = |late_s: f64| (late_s, late_s + window_s);
    let mut found = over(readings, usual_s, window(delay_s.unwrap_or(0.0)))?;
    let half_s = usual_s / 2.0;
    let (least_s, most_s) =
        delay_s.map_or((0.0, most_s), |delay_s| ((delay_s - half_s).max(0.0), delay_s + half_s));
    const TRIED: u32 = 10;
    let step_s = (most_s - least_s) / f64::from(TRIED);
    let delays = (0..=TRIED).map(|i| least_s + f64::from(i) * step_s);
    let tried = delays.filter_map(|late_s| CoveredEnergy::of(readings, usual_s, window(late_s)));
    // Readings that end too early do not cover a later window.
    let means = tried.filter(|own| own.share >= found.covered * 0.9).map(|own| own.mean_watts());
    let (low, high) = means.fold((f64::MAX, f64::MIN), |(l, h), w| (l.min(w), h.max(w)));
    let mean_watts = found.mean_watts.abs().max(f64::MIN_POSITIVE);
    found.open = ((high - low) / 2.0 / mean_watts).max(0.0);
    if delay_s.is_none() {
        // The delay may also be longer than the range that was searched.
        found.open = found.open.max(unrest(readings) / mean_watts * LATER);
    }
    found.joules = found.joules.filter(|_| found.is_determined());
    Some(found)
}

/// Power between two times, of readings with this median distance.
fn over(readings: &[PowerReading], usual_s: f64, window_s: (f64, f64)) -> Option<WindowPower> {
    let energy = CoveredEnergy::of(readings, usual_s, window_s)?;
    let mut watts: Vec<f64> = inside(readings, window_s).collect();
    watts.sort_by(f64::total_cmp);
    Some(WindowPower {
        mean_watts: energy.mean_watts(),
        min_watts: *watts.first()?,
        max_watts: *watts.last()?,
        p99_watts: watts[((watts.len() - 1) as f64 * 0.99).round() as usize],
        joules: (energy.share >= ENOUGH).then_some(energy.joules),
        covered: energy.share.min(1.0),
        open: 0.0,
    })
}

/// Watts of the readings between two times.
fn inside(readings: &[PowerReading], (from_s, until_s): (f64, f64)) -> impl Iterator<Item = f64> {
    let inside =
        readings.iter().filter(move |(t, w)| (from_s..=until_s).contains(t) && w.is_finite());
    inside.map(|reading| reading.1)
}

/// Energy of the covered part of a window.
struct CoveredEnergy {
    joules: f64,
    seconds: f64,
    /// The share of the window that is covered.
    share: f64,
}

impl CoveredEnergy {
    /// `usual_s` is the median distance of the readings. None without a reading inside the window.
    fn of(
        readings: &[PowerReading],
        usual_s: f64,
        (from_s, until_s): (f64, f64),
    ) -> Option<CoveredEnergy> {
        let longest_s = GAP * usual_s;
        let (mut joules, mut seconds) = (0.0, 0.0);
        for pair in readings.windows(2) {
            let ((t0, w0), (t1, w1)) = (pair[0], pair[1]);
            let (a, b) = (t0.max(from_s), t1.min(until_s));
            if b <= a || t1 - t0 > longest_s || !w0.is_finite() || !w1.is_finite() {
                continue;
            }
            let at = |t: f64| w0 + (w1 - w0) * (t - t0) / (t1 - t0);
            joules += (at(a) + at(b)) / 2.0 * (b - a);
            seconds += b - a;
        }
        inside(readings, (from_s, until_s)).next()?;
        let share = seconds / (until_s - from_s).max(f64::MIN_POSITIVE);
        (seconds > 0.0).then_some(CoveredEnergy { joules, seconds, share })
    }

    fn mean_watts(&self) -> f64 {
        self.joules / self.seconds
    }
}

/// The median distance between readings.
fn usual_distance(readings: &[PowerReading]) -> Option<f64> {
    let mut distances: Vec<f64> =
        readings.windows(2).map(|p| p[1].0 - p[0].0).filter(|d| *d > 0.0).collect();
    distances.sort_by(f64::total_cmp);
    distances.get(distances.len() / 2).copied()
}

/// The delay of an instrument relative to the load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delay {
    /// Seconds by which the power lags the load.
    pub seconds: f64,
    /// Pearson's correlation of load and power at that delay.
    pub correlation: f64,
}

/// Below this correlation the power does not follow the load, and no delay is reported.
const FOLLOWS: f64 = 0.8;

/// The grid of delays tried.
const GRID_S: f64 = 0.01;

/// This much of the end of the load suffices.
const LOOKED_AT_S: f64 = 120.0;

/// The delay, up to `most_s`, with the best correlation of power and load. `load` has segments of
/// constant load, (from, until, ops/s) in seconds, in order and without gaps; it must contain a
/// step, such as the start or end of the load.
pub fn delay(load: &[(f64, f64, f64)], power: &[PowerReading], most_s: f64) -> Option<Delay> {
    let power: Vec<PowerReading> = power.iter().copied().filter(|r| r.1.is_finite()).collect();
    let last = load.last()?.1.min(power.last()?.0 - most_s);
    let first = load.first()?.0.max(power.first()?.0).max(last - LOOKED_AT_S);
    if power.len() < 3 {
        return None;
    }
    let steps = ((last - first) / GRID_S).floor();
    if !steps.is_finite() || steps < 100.0 {
        return None;
    }
    let times: Vec<f64> = (0..steps as usize).map(|i| first + (i as f64 + 0.5) * GRID_S).collect();
    let ops = held(load, &times);
    let line = |t: f64, from: f64, to: f64, i: usize| {
        let (t0, t1) = (power[i].0, power[i + 1].0);
        if t1 > t0 { from + (to - from) * ((t - t0) / (t1 - t0)).clamp(0.0, 1.0) } else { to }
    };
    let at_shift = |shift: f64| {
        let mut i = 0;
        let values: Vec<f64> = times
            .iter()
            .map(|t| {
                let t = t + shift;
                while i + 2 < power.len() && power[i + 1].0 < t {
                    i += 1;
                }
                line(t, power[i].1, power[i + 1].1, i)
            })
            .collect();
        correlation(&ops, &values)
    };
    let shifts = (0..=(most_s / GRID_S) as usize).map(|i| i as f64 * GRID_S);
    let best =
        shifts.filter_map(|s| at_shift(s).map(|c| (s, c))).max_by(|a, b| a.1.total_cmp(&b.1))?;
    // At the end of the searched range, the best delay may be a longer one.
    let is_inside = best.0 < most_s - GRID_S;
    (best.1 >= FOLLOWS && is_inside).then_some(Delay { seconds: best.0, correlation: best.1 })
}

/// The load at each of these times, which are in ascending order.
fn held(load: &[(f64, f64, f64)], times: &[f64]) -> Vec<f64> {
    let mut i = 0;
    let mut at = |t: &f64| {
        while i + 1 < load.len() && load[i].1 <= *t {
            i += 1;
        }
        load[i].2
    };
    times.iter().map(&mut at).collect()
}

/// Pearson's correlation; None if one of the two is constant.
fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        ab += (x - ma) * (y - mb);
        aa += (x - ma) * (x - ma);
        bb += (y - mb) * (y - mb);
    }
    (aa > 0.0 && bb > 0.0).then(|| ab / (aa * bb).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(readings: &[PowerReading], from_s: f64, until_s: f64) -> Option<WindowPower> {
        super::over(readings, usual_distance(readings)?, (from_s, until_s))
    }

    /// The load of a point: idle, thirty seconds at changing rates, idle.
    fn load() -> Vec<(f64, f64, f64)> {
        let rate = |second: i32| 150_000.0 + 30_000.0 * f64::from(second % 7);
        let mut all = vec![(-5.0, 0.0, 0.0)];
        all.extend((0..30).map(|s| (f64::from(s), f64::from(s + 1), rate(s))));
        all.push((30.0, 40.0, 0.0));
        all
    }

    /// 5 W + 1 W per 100 K ops/s, twenty readings per second, 1.5 s late.
    fn scripted_meter(load: &[(f64, f64, f64)]) -> Vec<PowerReading> {
        let watts = |t: f64| {
            5.0 + load.iter().find(|l| l.0 <= t && t < l.1).map_or(0.0, |l| l.2) / 100_000.0
        };
        (0..760).map(|i| f64::from(i) * 0.05 - 3.013).map(|t| (t, watts(t - 1.5))).collect()
    }

    #[test]
    fn a_late_meter_is_found_out_and_gives_energy_and_ops_per_watt_within_a_percent() {
        let load = load();
        let readings = scripted_meter(&load);
        let found = delay(&load, &readings, 2.5).unwrap();
        assert!((found.seconds - 1.5).abs() <= 0.05, "{found:?}");
        let power = over(&readings, found.seconds, 30.0 + found.seconds).unwrap();
        let rates: Vec<f64> = load[1..31].iter().map(|l| l.2).collect();
        let true_watts = 5.0 + rates.iter().sum::<f64>() / 30.0 / 100_000.0;
        let joules = power.joules.unwrap();
        assert!(
            (joules / (true_watts * 30.0) - 1.0).abs() < 0.01,
            "{joules} J, {} J",
            true_watts * 30.0
        );
        assert!((power.mean_watts / true_watts - 1.0).abs() < 0.01, "{power:?}");
    }

    /// A load of 10 W above an idle power of 5 W, as an instrument reports it: with this period,
    /// delay and phase.
    fn instrument(every_s: f64, late_s: f64, phase: f64, window_s: f64) -> Vec<PowerReading> {
        let watts = |t: f64| if (0.0..window_s).contains(&t) { 15.0 } else { 5.0 };
        let first = -3.5 + phase * every_s;
        (0..)
            .map(|i| first + f64::from(i) * every_s)
            .take_while(|t| *t <= window_s + 3.5)
            .map(|t| (t, watts(t - late_s)))
            .collect()
    }

    #[test]
    fn ten_instruments_give_energy_within_a_percent_or_none() {
        const WINDOW_S: f64 = 120.0;
        let load = [(-3.5, 0.0, 0.0), (0.0, WINDOW_S, 1e5), (WINDOW_S, f64::MAX, 0.0)];
        let mut known = 0;
        for (every_s, late_s) in [
            (0.05, 0.0),
            (0.1, 0.3),
            (0.1, 4.0),
            (0.25, 1.0),
            (0.5, 2.0),
            (1.0, 0.0),
            (1.0, 1.5),
            (2.0, 0.5),
            (5.0, 1.0),
            (5.0, 20.0),
        ] {
            for phase in 0..4 {
                let readings = instrument(every_s, late_s, f64::from(phase) / 4.0, WINDOW_S);
                let found = delay(&load, &readings, 2.5).map(|found| found.seconds);
                let power = over_late(&readings, found, 2.5, WINDOW_S).unwrap();
                let Some(joules) = power.joules else { continue };
                known += 1;
                let error = joules / (15.0 * WINDOW_S) - 1.0;
                assert!(error.abs() < 0.01, "{every_s} s, {late_s} s late: {error}");
            }
        }
        assert!(known >= 24, "{known}");
    }

    #[test]
    fn a_meter_that_is_later_than_can_be_determined_gives_no_energy() {
        let window_s = 8.0;
        let late = instrument(0.1, 4.0, 0.0, window_s);
        let load = [(-3.5, 0.0, 0.0), (0.0, window_s, 1e5), (window_s, f64::MAX, 0.0)];
        let found = delay(&load, &late, 2.5).map(|found| found.seconds);
        let power = over_late(&late, found, 2.5, window_s).unwrap();
        assert_eq!(power.joules, None, "{found:?} {power:?}");
        // Constant power gives the same result for every delay.
        let flat: Vec<PowerReading> = (0..150).map(|i| (f64::from(i) * 0.1 - 3.5, 10.0)).collect();
        let power = over_late(&flat, None, 2.5, window_s).unwrap();
        assert!(power.joules.is_some_and(|joules| (joules - 80.0).abs() < 1e-6), "{power:?}");
    }

    #[test]
    fn the_trapezoid_follows_real_times_and_a_gap_is_not_filled() {
        let ramp: Vec<PowerReading> = [0.0, 0.5, 1.5, 2.0, 3.0, 4.0].map(|t| (t, 10.0 * t)).into();
        assert!((over(&ramp, 0.0, 4.0).unwrap().joules.unwrap() - 80.0).abs() < 1e-9);
        let mut holed: Vec<PowerReading> = (0..100).map(|i| (f64::from(i) * 0.1, 10.0)).collect();
        holed.retain(|(t, _)| !(3.0..6.0).contains(t));
        let power = over(&holed, 0.0, 9.9).unwrap();
        assert!(power.joules.is_none() && power.covered < 0.71, "{power:?}");
        assert!((power.mean_watts - 10.0).abs() < 1e-9, "what was read still counts");
        let mut marked: Vec<PowerReading> = (0..100).map(|i| (f64::from(i) * 0.1, 10.0)).collect();
        marked[50].1 = f64::NAN;
        assert!(
            over(&marked, 0.0, 9.9).unwrap().joules.is_none(),
            "a gap that the meter owned up to"
        );
        assert_eq!(over(&[(0.0, f64::NAN), (1.0, f64::NAN)], 0.0, 1.0), None);
        assert_eq!(over(&[], 0.0, 1.0), None);
    }

    #[test]
    fn power_that_does_not_follow_the_load_has_no_delay() {
        let flat: Vec<PowerReading> = (0..760).map(|i| (f64::from(i) * 0.05 - 3.0, 8.0)).collect();
        assert_eq!(delay(&load(), &flat, 2.5), None);
        assert_eq!(delay(&load(), &[], 2.5), None);
    }
}
