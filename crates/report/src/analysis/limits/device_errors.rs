//! Errors that drives and their links counted around a point.

use std::collections::BTreeMap;

use crate::analysis::limits::meter_series::MeterSeries;
use dyno_core::record::gauge::errors::ErrorCounter;

/// The number of errors of each kind, of all drives together; kinds that did not occur are omitted.
pub type DeviceErrors = BTreeMap<ErrorCounter, u64>;

/// The increase from the first reading around a point to the last. A counter that decreased was
/// reset to zero.
pub fn of(gauges: &[MeterSeries]) -> DeviceErrors {
    let mut all = DeviceErrors::new();
    for series in gauges.iter().filter(|series| ["nvme", "pcie"].contains(&series.kind())) {
        let Some(counter) = ErrorCounter::of_name(&series.name) else { continue };
        let known: Vec<f64> =
            series.readings.iter().map(|reading| reading.1).filter(|n| n.is_finite()).collect();
        let rise = |pair: &[f64]| if pair[1] < pair[0] { pair[1] } else { pair[1] - pair[0] };
        let grown: f64 = known.windows(2).map(rise).sum();
        if grown > 0.0 {
            *all.entry(counter).or_default() += grown as u64;
        }
    }
    all
}

/// The errors of all repeats.
pub fn together<'a>(repeats: impl Iterator<Item = &'a DeviceErrors>) -> DeviceErrors {
    let mut all = DeviceErrors::new();
    for (counter, count) in repeats.flatten() {
        *all.entry(*counter).or_default() += count;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_a_point_are_the_growth_of_their_counters_also_after_a_reset() {
        let series = |meter: &str, name: &str, readings: &[f64]| MeterSeries {
            meter: meter.into(),
            name: name.into(),
            readings: readings.iter().enumerate().map(|(s, n)| (s as f64, *n)).collect(),
        };
        let gauges = [
            series("nvme", "nvme0n1_media_errors", &[4.0, 4.0, 4.0]),
            series("nvme", "nvme0n1_error_log_entries", &[9.0, f64::NAN, 11.0]),
            series("pcie", "nvme0n1_aer_correctable_errors", &[100.0, 103.0, 2.0]),
            series("pcie", "nvme0n1_port_aer_correctable_errors", &[0.0, 1.0]),
            series("exec", "media_errors", &[0.0, 50.0]),
        ];
        let found = of(&gauges);
        let expected = [(ErrorCounter::Log, 2), (ErrorCounter::LinkCorrectable, 6)];
        assert_eq!(found, DeviceErrors::from(expected));
        let both = together([&found, &DeviceErrors::from([(ErrorCounter::Log, 1)])].into_iter());
        assert_eq!(both[&ErrorCounter::Log], 3);
    }
}
