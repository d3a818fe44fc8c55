//! Power and energy of points and cells: for each class of power and each instrument, never one class mixed with another.

use super::gauges::{self, Gauge, Reading};
use super::reading::Summary;
use crate::record::AtRest;
use crate::stats::energy::{self, Delay, Power};
use crate::stats::{Estimate, estimate};

/// What a power gauge's name ends in; what stands before it is its class.
const WATTS: &str = "_watts";

/// An instrument that shows the load later than this is not found out: so much is kept after each point.
pub const MOST_DELAY_S: f64 = 2.5;

/// One instrument's power around one point, and how late it shows the load, where this point tells.
pub struct Series {
    pub class: String,
    pub kind: String,
    pub readings: Vec<Reading>,
    delay: Option<Delay>,
    /// What is taken as its delay: the median of what its points tell.
    late_s: Option<f64>,
}

/// One instrument's power over the repeats of a cell.
pub struct PowerFacts {
    /// What the power is of: "drive", "slot", "system", "cpu".
    pub class: String,
    /// The kind of meter.
    pub kind: String,
    pub mean_watts: Estimate,
    pub p99_watts: Estimate,
    pub min_watts: f64,
    pub max_watts: f64,
    /// Of one point; none where the readings leave too much of the window out.
    pub joules: Option<Estimate>,
    /// The share of the windows that the readings cover.
    pub covered: f64,
    pub late_s: Option<f64>,
    pub rest_watts: Option<f64>,
    pub ops_per_watt: Option<Estimate>,
    /// ops/s per watt of each repeat, in order.
    pub ops_per_watt_by_repeat: Vec<f64>,
    pub mb_per_watt: Option<Estimate>,
    pub joules_per_op: Option<Estimate>,
}

/// The power series of a point, in the order of its meters. `load`: stretches of ops/s over the window.
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
        let readings = gauges::sum(&parts);
        let delay = energy::delay(&load, &readings, MOST_DELAY_S);
        Series { class, kind, readings, delay, late_s: None }
    };
    all.into_iter().map(made).collect()
}

/// Gives every series of one instrument the median of the delays that its points tell.
pub fn agree<'a>(of_instrument: impl Iterator<Item = &'a mut Series>) {
    let all: Vec<&mut Series> = of_instrument.collect();
    let mut told: Vec<f64> = all.iter().filter_map(|s| s.delay.map(|d| d.seconds)).collect();
    told.sort_by(f64::total_cmp);
    let median = told.get(told.len() / 2).copied();
    all.into_iter().for_each(|s| s.late_s = median);
}

impl Series {
    /// Over the window, as late as the instrument shows it.
    pub fn over(&self, window_s: f64) -> Option<Power> {
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

/// The repeats of a cell: each with its series and its window in seconds. An instrument that said nothing in one of the
/// repeats is left out, since its estimates would be of another set of points.
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
    let watts = all(&|p| p.mean_watts.value);
    // One repeat has no spread of its own; the estimates know what there was within it.
    let single = powers.len() == 1;
    let mean_watts = if single { powers[0].mean_watts.clone() } else { estimate::from_repeats(&watts, "W")? };
    let joules = powers.iter().map(|p| p.joules).collect::<Option<Vec<f64>>>();
    let whole = joules.is_some();
    let each_per_watt = |work: &[f64]| work.iter().zip(&watts).map(|(work, watts)| work / watts).collect::<Vec<f64>>();
    let per_watt = |work: &Estimate, by_repeat: &[f64], unit| match single {
        true => energy::per_watt(work, &mean_watts, unit),
        false => estimate::from_repeats(&each_per_watt(by_repeat), unit),
    };
    let ops_per_watt = per_watt(&total.ops_per_s, &total.by_repeat, "ops/s/W").filter(|_| whole);
    let megabytes = scaled(&total.bytes_per_s, 1e-6);
    let mb: Vec<f64> = total.bytes_by_repeat.iter().map(|b| b / 1e6).collect();
    let joules_per_op = match single {
        true => energy::joules_per_op(&mean_watts, &total.ops_per_s),
        false => {
            let each: Vec<f64> = watts.iter().zip(&total.by_repeat).map(|(watts, ops)| watts / ops).collect();
            estimate::from_repeats(&each, "J/op")
        }
    };
    Some(PowerFacts {
        class: String::new(),
        kind: String::new(),
        p99_watts: estimate::from_repeats(&all(&|p| p.p99_watts), "W")?,
        min_watts: all(&|p| p.min_watts).into_iter().fold(f64::MAX, f64::min),
        max_watts: all(&|p| p.max_watts).into_iter().fold(f64::MIN, f64::max),
        joules: joules.and_then(|j| estimate::from_repeats(&j, "J")),
        covered: all(&|p| p.covered).into_iter().fold(1.0, f64::min),
        late_s: None,
        rest_watts: None,
        ops_per_watt,
        ops_per_watt_by_repeat: each_per_watt(&total.by_repeat),
        mb_per_watt: per_watt(&megabytes, &mb, "MB/s/W").filter(|e| whole && e.value > 0.0),
        joules_per_op: joules_per_op.filter(|_| whole),
        mean_watts,
    })
}

fn scaled(e: &Estimate, by: f64) -> Estimate {
    Estimate { value: e.value * by, low: e.low * by, high: e.high * by, ..e.clone() }
}

/// The power at rest of an instrument: its parts added up.
pub fn at_rest(all: &[AtRest], subject: &str, kind: &str, class: &str) -> Option<f64> {
    let is_part = |r: &&AtRest| {
        r.subject == subject && r.meter.split(' ').next() == Some(kind) && r.name.strip_suffix(WATTS) == Some(class)
    };
    let parts: Vec<f64> = all.iter().filter(is_part).map(|r| r.watts).collect();
    (!parts.is_empty()).then(|| parts.iter().sum())
}
