//! Power and energy of points and cells: separately for each class of power and each instrument,
//! never mixed.

use crate::analysis::limits::meter_series::{self, MeterSeries, SeriesReading};
use crate::analysis::points::point_summary::RepeatSummary;
use dyno_core::base::units;
use dyno_core::record::gauge::WATTS;
use dyno_core::record::{IdlePower, Reported};
use dyno_core::stats::energy::{self, Delay, WindowPower};
use dyno_core::stats::{Estimate, estimate};

/// The maximum detectable delay of an instrument, because only this much is stored after each
/// point.
pub const MOST_DELAY_S: f64 = 2.5;

/// One instrument's power around one point, and its delay, if this point shows it.
pub struct Series {
    /// The class of power: "drive", "slot", "system", "cpu".
    pub class: String,
    /// The kind of meter.
    pub kind: String,
    /// The readings around the window, in watts.
    pub readings: Vec<SeriesReading>,
    /// The figure of the source of imported figures, used instead.
    given: Option<GivenPower>,
    delay: Option<Delay>,
    /// The assumed delay: the median over its points.
    late_s: Option<f64>,
}

/// Power from the source of imported figures: one figure per point, without readings or a window.
#[derive(Clone, Copy)]
pub struct GivenPower {
    watts: f64,
    digits: Option<u32>,
}

/// One instrument's power over the repeats of a cell.
pub struct PowerFacts {
    /// The class of power: "drive", "slot", "system", "cpu".
    pub class: String,
    /// The kind of meter.
    pub kind: String,
    /// Mean over the window, watts; for imported figures, the source's value.
    pub mean_watts: Estimate,
    /// Further results from the readings; None for imported figures, which have none.
    pub readings: Option<PowerReadings>,
    /// Idle power before the first point, watts; None if not read.
    pub rest_watts: Option<f64>,
    /// Ops/s per watt.
    pub ops_per_watt: Option<Estimate>,
    /// MB/s per watt.
    pub mb_per_watt: Option<Estimate>,
    /// Joules per op.
    pub joules_per_op: Option<Estimate>,
    /// Watts of each repeat, in order.
    pub watts_by_repeat: Vec<f64>,
}

/// Results from an instrument's readings over the windows of a cell.
pub struct PowerReadings {
    /// 99th percentile over the window, watts.
    pub p99_watts: Estimate,
    /// Minimum reading of any repeat, watts.
    pub min_watts: f64,
    /// Maximum reading of any repeat, watts.
    pub max_watts: f64,
    /// Joules of one point; None if coverage of the window is insufficient.
    pub joules: Option<Estimate>,
    /// The share of the windows covered by readings.
    pub covered: f64,
    /// Share by which the mean may differ, over the possible delays.
    pub open: f64,
    /// The instrument's delay in seconds; None if the points do not show it.
    pub late_s: Option<f64>,
}

impl PowerReadings {
    /// Whether energy and work per watt can be derived from them.
    pub fn is_determined(&self) -> bool {
        self.covered >= energy::ENOUGH && self.open <= energy::MOST_OPEN
    }
}

impl PowerFacts {
    /// Work per second divided by watts, for each repeat; None if coverage is insufficient, or if
    /// the work belongs to other repeats.
    pub fn work_per_watt(&self, work: &[f64], scale: f64) -> Vec<f64> {
        let is_determined = self.readings.as_ref().is_none_or(PowerReadings::is_determined);
        if !is_determined || work.len() != self.watts_by_repeat.len() {
            return Vec::new();
        }
        work.iter().zip(&self.watts_by_repeat).map(|(work, watts)| work * scale / watts).collect()
    }
}

/// The kind of an instrument known only to the source of imported figures.
const IMPORTED: &str = "imported";

/// Power from the source of imported figures. Bundles of schema 5 and older store it as a reading,
/// whose digits are those of its shortest notation.
pub fn given(gauges: &[MeterSeries], reported: &[Reported]) -> Vec<Series> {
    let own = reported.iter().filter(|r| r.name == Reported::DRIVE_WATTS);
    let own = own.map(|r| (r.name.as_str(), r.value, r.digits));
    let older = gauges.iter().filter(|g| g.kind() == IMPORTED);
    let older = older.filter_map(|g| {
        let watts = g.readings.first()?.1;
        Some((g.name.as_str(), watts, Some(units::digits_of(&watts.to_string()))))
    });
    let series = |(name, watts, digits): (&str, f64, Option<u32>)| {
        let class = name.strip_suffix(WATTS)?.to_string();
        (watts.is_finite() && watts > 0.0).then(|| Series {
            class,
            kind: IMPORTED.to_string(),
            readings: Vec::new(),
            given: Some(GivenPower { watts, digits }),
            delay: None,
            late_s: None,
        })
    };
    own.chain(older).filter_map(series).collect()
}

/// The power series of a point, in the order of its meters. `load`: segments of ops/s over the
/// window.
pub fn series(gauges: &[MeterSeries], load: &[(f64, f64, f64)], window_s: f64) -> Vec<Series> {
    let mut all: Vec<(String, String, Vec<&MeterSeries>)> = Vec::new();
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
    let made = |(class, kind, parts): (String, String, Vec<&MeterSeries>)| {
        let readings = meter_series::sum(&parts);
        let delay = energy::delay(&load, &readings, MOST_DELAY_S);
        Series { class, kind, readings, given: None, delay, late_s: None }
    };
    all.into_iter().map(made).collect()
}

/// Sets the delay of every series of an instrument to the median over its points.
pub fn agree<'a>(of_instrument: impl Iterator<Item = &'a mut Series>) {
    let all: Vec<&mut Series> = of_instrument.collect();
    let mut shown: Vec<f64> = all.iter().filter_map(|s| s.delay.map(|d| d.seconds)).collect();
    shown.sort_by(f64::total_cmp);
    let median = shown.get(shown.len() / 2).copied();
    all.into_iter().for_each(|s| s.late_s = median);
}

impl Series {
    /// Mean power over the window in watts, or the value of the source of imported figures, and
    /// energy in joules.
    pub fn mean_and_energy(&self, window_s: f64) -> (Option<f64>, Option<f64>) {
        let power = self.over(window_s);
        let mean_watts = power.as_ref().map(|power| power.mean_watts);
        (self.given.map(|g| g.watts).or(mean_watts), power.and_then(|power| power.joules))
    }

    /// Power over the window, shifted by the instrument's delay.
    pub fn over(&self, window_s: f64) -> Option<WindowPower> {
        energy::over_late(&self.readings, self.late_s, MOST_DELAY_S, window_s)
    }

    /// (seconds since the start of the window, watts) inside the window, corrected for the delay.
    pub fn aligned(&self, window_s: f64) -> Vec<SeriesReading> {
        let late_s = self.late_s.unwrap_or(0.0);
        let shifted = self.readings.iter().map(|(t, w)| (t - late_s, *w));
        shifted.filter(|(t, w)| (0.0..=window_s).contains(t) && w.is_finite()).collect()
    }
}

/// The repeats of a cell: each with its series and its window in seconds. An instrument without
/// readings in one of the repeats is omitted, because its estimates would be for another set of
/// points.
pub fn summarise(
    repeats: &[(&[Series], f64)],
    total: &RepeatSummary,
    rest: &dyn Fn(&str, &str) -> Option<f64>,
) -> Vec<PowerFacts> {
    let Some((first, _)) = repeats.first() else { return Vec::new() };
    let facts = |s: &Series| {
        let own = |all: &[Series]| all.iter().position(|o| o.class == s.class && o.kind == s.kind);
        let each = || repeats.iter().map(|(all, window_s)| Some((&all[own(all)?], *window_s)));
        let of = |(one, window_s): (&Series, f64)| one.over(window_s);
        let powers = each().map(|one| one.and_then(of)).collect::<Option<Vec<WindowPower>>>();
        let given = each().map(|one| one?.0.given).collect::<Option<Vec<GivenPower>>>();
        let (watts, readings) = match (given, powers) {
            (Some(given), _) => (of_given(&given)?, None),
            (None, powers) => of_powers(&powers?, s.late_s)?,
        };
        let mut made = with_work(watts, readings, total);
        (made.class, made.kind) = (s.class.clone(), s.kind.clone());
        made.rest_watts = rest(&s.kind, &s.class);
        Some(made)
    };
    first.iter().filter_map(facts).collect()
}

/// Watts as one estimate, and of each repeat.
type Watts = (Estimate, Vec<f64>);

fn of_given(given: &[GivenPower]) -> Option<Watts> {
    let watts: Vec<f64> = given.iter().map(|g| g.watts).collect();
    let mean = estimate::from_repeats(&watts, "W")?.written_in(given.iter().map(|g| g.digits));
    Some((mean, watts))
}

fn of_powers(
    powers: &[WindowPower],
    late_s: Option<f64>,
) -> Option<(Watts, Option<PowerReadings>)> {
    let all = |pick: &dyn Fn(&WindowPower) -> f64| powers.iter().map(pick).collect::<Vec<f64>>();
    let watts = all(&|p| p.mean_watts);
    let joules = powers.iter().map(|p| p.joules).collect::<Option<Vec<f64>>>();
    let readings = PowerReadings {
        p99_watts: estimate::from_repeats(&all(&|p| p.p99_watts), "W")?,
        min_watts: all(&|p| p.min_watts).into_iter().fold(f64::MAX, f64::min),
        max_watts: all(&|p| p.max_watts).into_iter().fold(f64::MIN, f64::max),
        joules: joules.and_then(|j| estimate::from_repeats(&j, "J")),
        covered: all(&|p| p.covered).into_iter().fold(1.0, f64::min),
        open: all(&|p| p.open).into_iter().fold(0.0, f64::max),
        late_s,
    };
    Some(((estimate::from_repeats(&watts, "W")?, watts), Some(readings)))
}

fn with_work(
    (mean_watts, watts_by_repeat): Watts,
    readings: Option<PowerReadings>,
    total: &RepeatSummary,
) -> PowerFacts {
    let digits = mean_watts.digits;
    let mut made = PowerFacts {
        class: String::new(),
        kind: String::new(),
        mean_watts,
        readings,
        rest_watts: None,
        ops_per_watt: None,
        mb_per_watt: None,
        joules_per_op: None,
        watts_by_repeat,
    };
    let per_watt = made.work_per_watt(&total.by_repeat, 1.0);
    let joules: Vec<f64> = per_watt.iter().map(|ops| 1.0 / ops).collect();
    let of = |values: &[f64], unit, work: Option<u32>| {
        Some(estimate::from_repeats(values, unit)?.written_in([digits, work]))
    };
    let ops_digits = total.ops_per_s.as_ref().and_then(|ops| ops.digits);
    made.ops_per_watt = of(&per_watt, "ops/s/W", ops_digits);
    made.joules_per_op = of(&joules, "J/op", ops_digits);
    made.mb_per_watt = total.bytes_per_s.as_ref().and_then(|bytes| {
        let per_watt = made.work_per_watt(&total.bytes_by_repeat, 1e-6);
        of(&per_watt, "MB/s/W", bytes.digits).filter(|e| e.value > 0.0)
    });
    made
}

/// The idle power of an instrument: the sum of its parts.
pub fn at_rest(all: &[IdlePower], subject: &str, kind: &str, class: &str) -> Option<f64> {
    let is_part = |r: &&IdlePower| {
        r.subject == subject
            && r.meter.split(' ').next() == Some(kind)
            && r.name.strip_suffix(WATTS) == Some(class)
    };
    let parts: Vec<f64> = all.iter().filter(is_part).map(|r| r.watts).collect();
    (!parts.is_empty()).then(|| parts.iter().sum())
}
