//! Axes: the positions of ticks and the formatting of their numbers.

use dyno_core::base::units::grouped;

/// The maximum stretch of an axis by an interval, as a multiple of the largest value.
const MOST_STRETCH: f64 = 1.6;

/// The mapping of values to positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChartAxis {
    pub low: f64,
    pub high: f64,
    pub log: bool,
}

impl ChartAxis {
    /// An axis from zero to the largest value: horizontally, where a round limit has no advantage.
    pub fn up_to(values: impl Iterator<Item = f64>) -> ChartAxis {
        let largest = values.filter(|v| v.is_finite()).fold(0.0, f64::max);
        ChartAxis { low: 0.0, high: if largest > 0.0 { largest } else { 1.0 }, log: false }
    }

    /// The axis with this share of its height free above the largest value.
    pub fn with_room(self, largest: f64, share: f64) -> ChartAxis {
        if self.log || share <= 0.0 {
            return self;
        }
        let needed = largest.min(self.high) / (1.0 - share.min(0.5));
        ChartAxis { high: self.high.max(needed), ..self }
    }

    /// An axis from zero to a round number above the largest value.
    pub fn from_zero(values: impl Iterator<Item = f64>) -> ChartAxis {
        ChartAxis::fitting(values.map(|v| (v, v)))
    }

    /// An axis from zero to a round number above the values and their interval limits; an interval
    /// from few repeats, which may extend far beyond all values, is truncated so that it does not
    /// flatten the rest.
    pub fn fitting(values: impl Iterator<Item = (f64, f64)>) -> ChartAxis {
        let finite = values.filter(|(v, end)| v.is_finite() && end.is_finite());
        let (value, end) =
            finite.fold((0.0, 0.0), |(v, e): (f64, f64), (value, end)| (v.max(value), e.max(end)));
        let largest = if value > 0.0 { end.clamp(value, MOST_STRETCH * value) } else { 1.0 };
        let step = step(largest * 1.04);
        ChartAxis { low: 0.0, high: (largest * 1.04 / step).ceil() * step, log: false }
    }

    /// Around positive values and their interval limits, not from zero: for changes of a few
    /// percent. An interval extends at most as far beyond the values as their range.
    pub fn around(values: impl Iterator<Item = (f64, f64, f64)>) -> ChartAxis {
        let all: Vec<_> = values.filter(|(v, ..)| v.is_finite() && *v > 0.0).collect();
        let (least, most) = all
            .iter()
            .fold((f64::MAX, 0.0f64), |(least, most), (v, ..)| (least.min(*v), most.max(*v)));
        if all.is_empty() {
            return ChartAxis { low: 0.0, high: 1.0, log: false };
        }
        let apart = (most - least).max(most * 0.05);
        let low = all.iter().map(|(_, low, _)| *low).fold(least, f64::min).max(least - apart);
        let high = all.iter().map(|(.., high)| *high).fold(most, f64::max).min(most + apart);
        // A single value gets space around it.
        let (low, high) = if high > low { (low, high) } else { (low - apart, high + apart) };
        let step = step((high - low) * 1.1);
        let low = ((low / step).floor() * step).max(0.0);
        ChartAxis { low, high: (high / step).ceil().max(low / step + 1.0) * step, log: false }
    }

    /// Decades around the positive values, and around their intervals up to one further decade.
    pub fn decades(values: impl Iterator<Item = (f64, f64, f64)>) -> ChartAxis {
        let (mut low, mut high) = (f64::MAX, 0.0f64);
        for (value, from, to) in values.filter(|(v, ..)| v.is_finite() && *v > 0.0) {
            low = low.min(if from > 0.0 { from.clamp(value / 10.0, value) } else { value });
            high = high.max(to.clamp(value, value * 10.0));
        }
        if high <= 0.0 {
            (low, high) = (1.0, 10.0);
        }
        let (low, high) = (10f64.powf(low.log10().floor()), 10f64.powf(high.log10().ceil()));
        ChartAxis { low, high: if high > low { high } else { low * 10.0 }, log: true }
    }

    /// Whether a value is on the axis, so that it can be marked.
    pub fn reaches(&self, value: f64) -> bool {
        value <= self.high * (1.0 + 1e-9)
    }

    /// 0 at the low end, 1 at the high end.
    pub fn share(&self, value: f64) -> f64 {
        let share = match self.log {
            true => (value.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        share.clamp(0.0, 1.0)
    }

    pub fn ticks(&self) -> Vec<f64> {
        if self.log {
            let decades = (self.high / self.low).log10().round() as i32;
            // A few decades have intermediate ticks.
            let steps: &[f64] = if decades > 2 { &[1.0] } else { &[1.0, 2.0, 5.0] };
            let all =
                (0..=decades).flat_map(|d| steps.iter().map(move |s| s * self.low * 10f64.powi(d)));
            return all.filter(|tick| self.reaches(*tick)).collect();
        }
        let step = step(self.high - self.low);
        let first = (self.low / step - 1e-6).ceil() as u32;
        let last = (self.high / step + 1e-6).floor() as u32;
        (first..=last).map(|i| f64::from(i) * step).collect()
    }
}

/// 1, 2 or 5 times a power of ten, so that about five steps reach `high`.
fn step(high: f64) -> f64 {
    let rough = high / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|t| t * power >= rough * 0.999);
    times.unwrap_or(10.0) * power
}

/// Rounded to this many significant digits, the maximum of any number.
pub fn in_digits(value: f64, digits: Option<u32>) -> f64 {
    let round = |digits: u32| format!("{value:.*e}", digits.max(1) as usize - 1).parse().ok();
    digits.and_then(round).unwrap_or(value)
}

/// 892202 as "892K", 1250000 as "1.25M", 1264.2 as "1,264", 0.05 as "0.05".
pub fn si(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        v if v >= 999.5e6 => (value / 1e9, "G"),
        v if v >= 999.5e3 => (value / 1e6, "M"),
        v if v >= 9_999.5 => (value / 1e3, "K"),
        v if v >= 999.5 => return grouped(value.round() as u64),
        _ => (value, ""),
    };
    let decimals = match scaled.abs() {
        v if v >= 99.95 || v == 0.0 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.9995 => 2,
        _ => 3,
    };
    let text = format!("{scaled:.decimals$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    };
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_written_as_vendors_print_them() {
        for (value, text) in [
            (892_202.0, "892K"),
            (1_250_000.0, "1.25M"),
            (0.0, "0"),
            (12.5, "12.5"),
            (999.7, "1,000"),
            (1_264.2, "1,264"),
            (9_999.7, "10K"),
            (0.1534, "0.153"),
        ] {
            assert_eq!(si(value), text);
        }
    }

    #[test]
    fn a_wide_interval_does_not_flatten_what_was_measured() {
        let axis = ChartAxis::fitting([(100.0, 5_000.0), (90.0, 95.0)].into_iter());
        assert!(axis.high <= 200.0 && !axis.reaches(5_000.0) && axis.reaches(100.0), "{axis:?}");
        let axis = ChartAxis::fitting([(100.0, 130.0)].into_iter());
        assert!(axis.reaches(130.0), "{axis:?}");
        let axis = ChartAxis::decades([(100.0, 0.0, 1e9), (2_000.0, 1_500.0, 2_500.0)].into_iter());
        assert_eq!((axis.low, axis.high), (100.0, 10_000.0));
    }

    #[test]
    fn an_axis_of_small_changes_lies_around_them_and_has_few_ticks() {
        let axis =
            ChartAxis::around([(1000.0, 990.0, 1012.0), (1050.0, 1040.0, 1060.0)].into_iter());
        assert_eq!((axis.low, axis.high), (980.0, 1060.0), "{:?}", axis.ticks());
        assert_eq!(axis.ticks(), [980.0, 1000.0, 1020.0, 1040.0, 1060.0]);
        let wide = ChartAxis::around([(100.0, 0.0, 1e9), (110.0, 0.0, 1e9)].into_iter());
        assert!(wide.low >= 80.0 && wide.high <= 140.0, "{wide:?}");
        let one = ChartAxis::around([(100.0, 100.0, 100.0)].into_iter());
        assert!(one.low <= 100.0 && one.high > 100.0 && one.ticks().len() > 1, "{one:?}");
        assert_eq!(ChartAxis::around(std::iter::empty()).high, 1.0);
    }

    proptest! {
        #[test]
        fn ticks_are_few_even_and_cover_the_values(largest in 1e-6f64..1e12) {
            let axis = ChartAxis::from_zero([largest].into_iter());
            let ticks = axis.ticks();
            prop_assert!((3..=8).contains(&ticks.len()), "{ticks:?}");
            prop_assert!(axis.high >= largest && axis.high <= largest * 1.8);
        }
    }
}
