//! Standstills of Dyno itself within a measured window: stopped by a signal, or its machine not
//! running.

use crate::record::Sample;

/// Meter and name of the samples that record them. A point without any had no standstill; the value
/// is the duration.
pub const STOOD_STILL: (&str, &str) = ("dyno", "stood_still_ns");

/// One standstill within the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standstill {
    /// Since the start of the window.
    pub at_ns: i64,
    /// Duration for which nothing of Dyno ran, nanoseconds.
    pub length_ns: u64,
}

impl Standstill {
    /// The stored sample; its value is the duration.
    pub fn to_sample(self) -> Sample {
        let (meter, name) = STOOD_STILL;
        Sample {
            at_ns: self.at_ns,
            meter: meter.into(),
            name: name.into(),
            value: self.length_ns as f64,
        }
    }

    /// None if the sample is a different one.
    pub fn of_sample(sample: &Sample) -> Option<Standstill> {
        let own = (sample.meter.as_str(), sample.name.as_str()) == STOOD_STILL;
        own.then_some(Standstill { at_ns: sample.at_ns, length_ns: sample.value as u64 })
    }
}
