//! A value with its 95 % interval: the only kind of number in a report.

use super::level::{Level, level};
use super::moments::mean;

/// The source of an estimate's interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntervalMethod {
    /// The scatter between repeats.
    Repeats,
    /// The bounds reported by another tool.
    Reported,
    /// Too few observations for an interval: `low` and `high` are their minimum and maximum.
    Single,
}

/// A value with its 95 % interval, unit and number of observations. No field is ever NaN.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The value, in `unit`.
    pub value: f64,
    /// Without an interval, the minimum and maximum observed.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Observations: repeats, or samples of the reporting tool.
    pub n: usize,
    /// The unit of value and interval when printed.
    pub unit: &'static str,
    /// The source of the interval.
    pub method: IntervalMethod,
    /// The significant digits of its source, if the source was text and not a measurement: no more
    /// digits are printed.
    pub digits: Option<u32>,
    /// The value is only a lower bound: some of the ops that it includes had not completed when
    /// they were last observed. Printed as "≥ 1.2 s"; it has no interval and is not compared.
    pub at_least: bool,
}

impl Estimate {
    /// One observation without an interval.
    pub fn single(value: f64, unit: &'static str) -> Estimate {
        let (method, digits, at_least) = (IntervalMethod::Single, None, false);
        Estimate { value, low: value, high: value, n: 1, unit, method, digits, at_least }
    }

    /// The same in another unit.
    pub fn scaled(&self, by: f64, unit: &'static str) -> Estimate {
        Estimate {
            value: self.value * by,
            low: self.low * by,
            high: self.high * by,
            unit,
            ..self.clone()
        }
    }

    /// The same with no more digits than the least precise of its inputs.
    pub fn written_in(mut self, digits: impl IntoIterator<Item = Option<u32>>) -> Estimate {
        self.digits = digits.into_iter().flatten().min();
        self
    }

    /// The same as a lower bound, if `at_least`: its limits are the extremes of the repeats.
    pub fn bounded_below(self, at_least: bool, repeats: &[f64]) -> Estimate {
        if !at_least {
            return self;
        }
        let low = repeats.iter().copied().fold(self.value, f64::min);
        let high = repeats.iter().copied().fold(self.value, f64::max);
        Estimate { low, high, method: IntervalMethod::Single, at_least, ..self }
    }

    /// Whether `low` and `high` are an interval, and not the extremes of a few observations.
    pub fn has_interval(&self) -> bool {
        self.method != IntervalMethod::Single
    }

    /// Half the interval's width divided by the value, in percent; `None` without an interval or at
    /// zero.
    pub fn relative_percent(&self) -> Option<f64> {
        (self.has_interval() && self.value != 0.0)
            .then(|| (self.high - self.low) / 2.0 / self.value.abs() * 100.0)
    }
}

/// Repeats as one estimate. With three or more: their geometric mean, with Student's t on
/// logarithms, so that limits are positive. Fewer have no interval, only minimum and maximum. If
/// one is zero, the arithmetic mean, without an interval. `None` without observations, or if one is
/// not finite.
pub fn from_repeats(values: &[f64], unit: &'static str) -> Option<Estimate> {
    if !usable(values) {
        return None;
    }
    let n = values.len();
    let bounds =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let bare = |value: f64| Estimate {
        value,
        low: bounds.0,
        high: bounds.1,
        n,
        unit,
        method: IntervalMethod::Single,
        digits: None,
        at_least: false,
    };
    Some(match level(values) {
        None => bare(mean(values)),
        Some(Level { value, interval: None, .. }) => bare(value),
        Some(Level { value, interval: Some((low, high)), .. }) => {
            Estimate { low, high, method: IntervalMethod::Repeats, ..bare(value) }
        }
    })
}

fn usable(values: &[f64]) -> bool {
    !values.is_empty() && values.iter().all(|v| v.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn three_repeats_have_an_interval_by_student_t_on_logarithms() {
        let e = from_repeats(&[10.0, 20.0, 40.0], "ops/s").unwrap();
        // ln 20 ± 4.303 × ln 2 / √3
        assert!((e.value - 20.0).abs() < 1e-9 && (e.high / e.value).ln() - 1.7219 < 1e-3, "{e:?}");
        assert!((e.low * e.high - 400.0).abs() < 1e-6, "{e:?}");
    }

    #[test]
    fn one_observation_has_no_interval_and_none_no_estimate() {
        let one = from_repeats(&[7.0], "W").unwrap();
        assert_eq!((one.low, one.high, one.has_interval()), (7.0, 7.0, false));
        let two = from_repeats(&[8.0, 2.0], "W").unwrap();
        assert_eq!((two.value, two.low, two.high, two.has_interval()), (4.0, 2.0, 8.0, false));
        assert_eq!(from_repeats(&[], "W"), None);
        assert_eq!(from_repeats(&[1.0, f64::NAN], "W"), None);
    }
}
