//! The maxima of load sweeps: the closed-loop rate of the swept stream, to which the percentages of
//! the same subject, step and repeat refer. A running plan and a resumed one determine them by the
//! same rule.

use std::collections::HashMap;

use crate::plan::{PointKey, Sweep};
use crate::record::{Outcome, Point};

/// The key of a maximum.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct MaximumKey {
    subject: String,
    step: String,
    repeat: u32,
    stream: String,
}

impl MaximumKey {
    fn new(key: &PointKey, stream: &str) -> MaximumKey {
        let PointKey { subject, step, repeat, .. } = key.clone();
        MaximumKey { subject, step, repeat, stream: stream.to_string() }
    }
}

/// All known maxima, in ops/s per drive and instance.
#[derive(Default)]
pub struct Maxima(HashMap<MaximumKey, f64>);

impl Maxima {
    /// Records a point's result: at the maximum of a load sweep, the swept stream's rate.
    pub fn note(&mut self, sweep: Option<&Sweep>, measured: &Point) {
        let key = &measured.key;
        let at_maximum = key.axis.as_ref().is_some_and(|axis| axis.value.is_maximum());
        let Some(sweep) = sweep.filter(|_| at_maximum) else { return };
        if measured.outcome == Outcome::Measured {
            self.0.insert(
                MaximumKey::new(key, &sweep.stream),
                crate::run::ops_per_s(measured, &sweep.stream),
            );
        }
    }

    /// The maximum of a stream in the subject, step and repeat of a point.
    pub fn of(&self, key: &PointKey, stream: &str) -> Option<f64> {
        self.0.get(&MaximumKey::new(key, stream)).copied().filter(|ops_per_s| *ops_per_s > 0.0)
    }
}
