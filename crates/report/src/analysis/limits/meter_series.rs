//! The meter readings around one point, by gauge, and queries on a gauge.

use dyno_core::record::Sample;

/// (seconds since the start of the window, value); a gap is a value that is not a number.
pub type SeriesReading = (f64, f64);

/// One gauge of one meter.
#[derive(Clone, Debug, PartialEq)]
pub struct MeterSeries {
    /// "exec", or "exec 2" for the second of its kind.
    pub meter: String,
    /// The gauge's name, including its unit.
    pub name: String,
    /// Chronological.
    pub readings: Vec<SeriesReading>,
}

/// Sorts a point's samples by gauge.
pub fn of_samples(samples: Vec<Sample>) -> Vec<MeterSeries> {
    let mut all: Vec<MeterSeries> = Vec::new();
    for sample in samples {
        let reading = (sample.at_ns as f64 / 1e9, sample.value);
        match all.iter_mut().rfind(|g| g.name == sample.name && g.meter == sample.meter) {
            Some(gauge) => gauge.readings.push(reading),
            None => all.push(MeterSeries {
                meter: sample.meter,
                name: sample.name,
                readings: vec![reading],
            }),
        }
    }
    all
}

impl MeterSeries {
    /// Its meter without a number: the kind of instrument.
    pub fn kind(&self) -> &str {
        self.meter.split(' ').next().unwrap_or_default()
    }

    /// A counter's growth per second over the window. None if the counter was reset, or not read
    /// near both ends.
    pub fn per_second(&self, window_s: f64) -> Option<f64> {
        self.change_per_second(window_s).filter(|change| *change >= 0.0)
    }

    /// The same for values that may also fall.
    pub fn change_per_second(&self, window_s: f64) -> Option<f64> {
        let finite = || self.readings.iter().filter(|r| r.1.is_finite());
        let near = |at: f64| finite().min_by(|a, b| (a.0 - at).abs().total_cmp(&(b.0 - at).abs()));
        let ((from_s, first), (until_s, last)) = (near(0.0)?, near(window_s)?);
        let seconds = until_s - from_s;
        (seconds >= window_s / 2.0).then(|| (last - first) / seconds)
    }

    /// The mean of the readings inside the window.
    pub fn mean(&self, window_s: f64) -> Option<f64> {
        let inside =
            || self.readings.iter().filter(|r| r.1.is_finite() && (0.0..=window_s).contains(&r.0));
        let n = inside().count();
        (n > 0).then(|| inside().map(|r| r.1).sum::<f64>() / n as f64)
    }
}

/// The sum of gauges that measure parts of one quantity, at the times of the first; a gap in one is
/// a gap in all.
pub fn sum(gauges: &[&MeterSeries]) -> Vec<SeriesReading> {
    let Some((first, others)) = gauges.split_first() else { return Vec::new() };
    let mut at = vec![0; others.len()];
    let mut total = |(t, value): &SeriesReading| {
        let mut sum = *value;
        for (other, i) in others.iter().zip(&mut at) {
            while *i + 1 < other.readings.len() && other.readings[*i + 1].0 <= *t {
                *i += 1;
            }
            sum += between(&other.readings, *i, *t);
        }
        (*t, sum)
    };
    first.readings.iter().map(&mut total).collect()
}

/// The interpolated value between reading `i` and the next; at both ends the nearest.
fn between(readings: &[SeriesReading], i: usize, t: f64) -> f64 {
    match (readings.get(i), readings.get(i + 1)) {
        (Some((t0, v0)), Some((t1, v1))) if t > *t0 && t1 > t0 => {
            v0 + (v1 - v0) * (t - t0) / (t1 - t0)
        }
        (Some((_, value)), _) => *value,
        (None, _) => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gauge(readings: &[SeriesReading]) -> MeterSeries {
        MeterSeries {
            meter: "exec 2".into(),
            name: "drive_watts".into(),
            readings: readings.into(),
        }
    }

    #[test]
    fn a_counter_is_differenced_over_the_window_and_one_that_began_again_says_nothing() {
        assert_eq!(
            gauge(&[(-1.0, 0.0), (0.01, 10.0), (5.0, 60.0), (10.01, 110.0)]).per_second(10.0),
            Some(10.0)
        );
        assert_eq!(gauge(&[(0.0, 100.0), (10.0, 5.0)]).per_second(10.0), None);
        assert_eq!(gauge(&[(0.0, 100.0), (3.0, 500.0)]).per_second(10.0), None, "the meter died");
        assert_eq!(gauge(&[]).per_second(10.0), None);
    }

    #[test]
    fn rails_add_up_and_a_gap_of_one_is_a_gap_of_both() {
        let main = gauge(&[(0.0, 5.0), (1.0, 6.0), (2.0, 7.0)]);
        let aux = gauge(&[(-0.5, 1.0), (0.5, 2.0), (1.5, 2.0), (2.5, f64::NAN)]);
        let sum = sum(&[&main, &aux]);
        assert_eq!(sum[..2], [(0.0, 6.5), (1.0, 8.0)]);
        assert!(sum[2].1.is_nan());
        assert_eq!(main.kind(), "exec");
    }
}
