//! The range of power readings: values outside it are a fault of the meter.

use super::Reading;
use crate::base::error::{Error, failed};
use crate::record::gauge::WATTS;

/// Maximum value of a meter by class, watts. Drives draw up to 70 W and slots up to 75 W (PCI
/// Express Card Electromechanical Specification), and a meter may measure a group of them; larger
/// values are in milliwatts.
const MOST_WATTS: [(&str, f64); 5] =
    [("drive", 5e3), ("slot", 5e3), ("cpu", 2e4), ("dram", 2e4), ("system", 1e6)];

/// Replaces power readings that are negative or too large by gaps; returns the first fault.
pub fn fault(readings: &mut [Reading]) -> Option<Error> {
    let mut found = None;
    for reading in readings {
        let Some(class) = reading.name.strip_suffix(WATTS) else { continue };
        let most = MOST_WATTS.iter().find(|own| own.0 == class).map_or(1e6, |own| own.1);
        if !reading.value.is_finite() || (0.0..=most).contains(&reading.value) {
            continue;
        }
        let next = match reading.value < 0.0 {
            true => "check the polarity of the sensor, and its zero",
            false => "check the unit of the readings",
        };
        let what =
            format!("{} W is outside the range of the class {class}, 0 to {most} W", reading.value);
        found.get_or_insert_with(|| failed(what, next));
        reading.value = f64::NAN;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_that_cannot_be_is_a_gap_with_its_reason() {
        for (name, value, is_fault) in [
            ("drive_watts", 12.75, false),
            ("drive_watts", 0.0, false),
            ("drive_watts", -8.5, true),
            ("drive_watts", 9_500.0, true),
            ("system_watts", 9_500.0, false),
            ("drive_celsius", -8.5, false),
            ("drive_watts", f64::NAN, false),
        ] {
            let mut all = [Reading { at_ns: 0, name: name.into(), value }];
            let said = fault(&mut all).map(|error| error.to_string());
            assert_eq!(said.is_some(), is_fault, "{name} {value}");
            assert_eq!(all[0].value.is_nan(), is_fault || value.is_nan(), "{name} {value}");
        }
    }
}
