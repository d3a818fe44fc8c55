//! Idle power, read before the first point. It belongs to the run, not to a point.

use serde::{Deserialize, Serialize};

use super::Fact;

const GROUP: &str = "At rest: ";

/// The mean of one gauge of one subject before any load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IdlePower {
    /// The subject's name.
    pub subject: String,
    /// The meter that read it.
    pub meter: String,
    /// The gauge's name, as in samples: `drive_watts`.
    pub name: String,
    /// Mean over all readings, in watts.
    pub watts: f64,
    /// The number of readings.
    pub readings: u32,
}

impl IdlePower {
    /// In a disclosure: watts to three decimals.
    pub fn disclosed(&self) -> Fact {
        let value = format!("{:.3} W, mean of {} readings", self.watts, self.readings);
        Fact::new(
            format!("{GROUP}{}", self.subject),
            format!("{} {}", self.meter, self.name),
            value,
        )
    }
}
