//! Power and energy of points and cells: for each class of power and each instrument, never one
//! class mixed with another.

use super::meter_series::{self, Gauge, Reading};
use super::point_summary::Summary;
use crate::record::IdlePower;
use crate::record::gauge::WATTS;
use crate::stats::energy::{self, Delay, Power};
use crate::stats::{Estimate, estimate};

/// An instrument that shows the load later than this is not found out: so much is kept after each
/// point.
pub const MOST_DELAY_S: f64 = 2.5;

/// One instrument's power around one point, and how late it shows the load, where this point shows
/// it.
pub struct Series {
    /// What the power is of: "drive", "slot", "system", "cpu".
    pub class: String,
    /// The kind of meter.
    pub kind: String,
    /// The readings around the window, in watts.
    pub readings: Vec<Reading>,
    delay: Option<Delay>,
    /// What is taken as its delay: the median of what its points show.
    late_s: Option<f64>,
}

/// One instrument's power over the repeats of a cell.
pub struct PowerFacts {
    /// What the power is of: "drive", "slot", "system", "cpu".
    pub class: String,
    /// The kind of meter.
    pub kind: String,
    /// Mean over the window, watts.
    pub mean_watts: Estimate,
    /// 99th percentile over the window, watts.
    pub p99_watts: Estimate,
    /// Least reading of any repeat, watts.
    pub min_watts: f64,
    /// Largest reading of any repeat, watts.
    pub max_watts: f64,
    /// Of one point; none where the readings leave too much of the window out.
    pub joules: Option<Estimate>,
    /// The share of the windows that the readings cover.
    pub covered: f64,
    /// By how many seconds the instrument shows the load late; None where the points do not show
    /// it.
    pub late_s: Option<f64>,
    /// Idle power before the first point, watts; None where it was not read.
    pub rest_watts: Option<f64>,
    /// Ops/s per watt.
    pub ops_per_watt: Option<Estimate>,
    /// MB/s per watt.
    pub mb_per_watt: Option<Estimate>,
    /// Joules per op.
    pub joules_per_op: Option<Estimate>,
    /// Of each repeat, in order.
    watts_by_repeat: Vec<f64>,
}

impl PowerFacts {
    /// Work a second of each repeat for its watts; nothing where readings leave out too much of a
    /// window, or where the work is of other repeats.
    pub fn work_per_watt(&self, work: &[f64], scale: f64) -> Vec<f64> {
        if self.covered < energy::ENOUGH || work.len() != self.watts_by_repeat.len() {
            return Vec::new();
        }
        work.iter().zip(&self.watts_by_repeat).map(|(work, watts)| work * scale / watts).collect()
    }
}

/// The power series of a point, in the order of its meters. `load`: stretches of ops/s over the
/// window.
pub fn series(gauges: &[Gauge], load: &[(f64, f64, f64)], window_s: f64) -> Vec<Series> {
    let mut all: Vec<(String, String, Vec<&Gauge>)> = Vec::new();
    for gauge in gauges {
        let Some(class) = gauge.name.strip_suffix(WATTS) else { continue };
        match all.iter_mut().find(|(c, kind, _)| c == class && kind == gauge.kind()) {
            Some((.., parts)) => parts.push(gauge),
            None => all.push((class.to_string(), gauge.kind().to_string(), vec![gauge])),
        }
    }
    let mut load = load.to_vec();
    // After the window there is no load; its end is the one step that every point has.
    load.push((window_s, f64::MAX, 0.0));
    let made = |(class, kind, parts): (String, String, Vec<&Gauge>)| {
        let readings = meter_series::sum(&parts);
        let delay = energy::delay(&load, &readings, MOST_DELAY_S);
        Series { class, kind, readings, delay, late_s: None }
    };
    all.into_iter().map(made).collect()
}

/// Gives every series of one instrument the median of the delays that its points show.
pub fn agree<'a>(of_instrument: impl Iterator<Item = &'a mut Series>) {
    let all: Vec<&mut Series> = of_instrument.collect();
    let mut shown: Vec<f64> = all.iter().filter_map(|s| s.delay.map(|d| d.seconds)).collect();
    shown.sort_by(f64::total_cmp);
    let median = shown.get(shown.len() / 2).copied();
    all.into_iter().for_each(|s| s.late_s = median);
}

impl Series {
    /// Over the window, as late as the instrument shows it.
    pub fn over(&self, window_s: f64) -> Option<Power> {
        // A table reports one figure for a point: its mean power.
        if let [(_, watts)] = self.readings[..] {
            return energy::reported(watts, window_s);
        }
        let late_s = self.late_s.unwrap_or(0.0);
        energy::over(&self.readings, late_s, late_s + window_s)
    }

    /// (seconds since the window opened, watts) inside the window, set right by the delay.
    pub fn aligned(&self, window_s: f64) -> Vec<Reading> {
        let late_s = self.late_s.unwrap_or(0.0);
        let shifted = self.readings.iter().map(|(t, w)| (t - late_s, *w));
        shifted.filter(|(t, w)| (0.0..=window_s).contains(t) && w.is_finite()).collect()
    }
}

/// The repeats of a cell: each with its series and its window in seconds. An instrument that said
/// nothing in one of the repeats is left out, since its estimates would be of another set of
/// points.
pub fn summarise(
    repeats: &[(&[Series], f64)],
    total: &Summary,
    rest: &dyn Fn(&str, &str) -> Option<f64>,
) -> Vec<PowerFacts> {
    let Some((first, _)) = repeats.first() else { return Vec::new() };
    let facts = |s: &Series| {
        let own = |(all, window_s): &(&[Series], f64)| {
            all.iter().find(|o| o.class == s.class && o.kind == s.kind)?.over(*window_s)
        };
        let powers = repeats.iter().map(own).collect::<Option<Vec<Power>>>()?;
        let mut made = of_powers(&powers, total)?;
        (made.class, made.kind, made.late_s) = (s.class.clone(), s.kind.clone(), s.late_s);
        made.rest_watts = rest(&s.kind, &s.class);
        Some(made)
    };
    first.iter().filter_map(facts).collect()
}

fn of_powers(powers: &[Power], total: &Summary) -> Option<PowerFacts> {
    let all = |pick: &dyn Fn(&Power) -> f64| powers.iter().map(pick).collect::<Vec<f64>>();
    let watts = all(&|p| p.mean_watts);
    let joules = powers.iter().map(|p| p.joules).collect::<Option<Vec<f64>>>();
    let covered = all(&|p| p.covered).into_iter().fold(1.0, f64::min);
    let mut made = PowerFacts {
        class: String::new(),
        kind: String::new(),
        mean_watts: estimate::from_repeats(&watts, "W")?,
        p99_watts: estimate::from_repeats(&all(&|p| p.p99_watts), "W")?,
        min_watts: all(&|p| p.min_watts).into_iter().fold(f64::MAX, f64::min),
        max_watts: all(&|p| p.max_watts).into_iter().fold(f64::MIN, f64::max),
        joules: joules.and_then(|j| estimate::from_repeats(&j, "J")),
        covered,
        late_s: None,
        rest_watts: None,
        ops_per_watt: None,
        mb_per_watt: None,
        joules_per_op: None,
        watts_by_repeat: watts,
    };
    let per_watt = made.work_per_watt(&total.by_repeat, 1.0);
    let joules: Vec<f64> = per_watt.iter().map(|ops| 1.0 / ops).collect();
    made.ops_per_watt = estimate::from_repeats(&per_watt, "ops/s/W");
    made.joules_per_op = estimate::from_repeats(&joules, "J/op");
    let mb_per_watt =
        estimate::from_repeats(&made.work_per_watt(&total.bytes_by_repeat, 1e-6), "MB/s/W");
    made.mb_per_watt = mb_per_watt.filter(|e| e.value > 0.0);
    Some(made)
}

/// The idle power of an instrument: its parts added up.
pub fn at_rest(all: &[IdlePower], subject: &str, kind: &str, class: &str) -> Option<f64> {
    let is_part = |r: &&IdlePower| {
        r.subject == subject
            && r.meter.split(' ').next() == Some(kind)
            && r.name.strip_suffix(WATTS) == Some(class)
    };
    let parts: Vec<f64> = all.iter().filter(is_part).map(|r| r.watts).collect();
    (!parts.is_empty()).then(|| parts.iter().sum())
}
