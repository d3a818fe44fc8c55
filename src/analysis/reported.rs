//! Figures that another tool reported for imported points, used in place of histograms.

use super::point_numbers::{ClassNumbers, Numbers, PointSummary, Times};
use super::point_summary::PERCENTILES;
use crate::base::histogram::SAMPLES_ABOVE;
use crate::record::Reported;

impl PointSummary {
    /// Sets the reported figures. The figures of several streams have no sum, so the total takes
    /// them only from one.
    pub fn report(&mut self, reported: &[Reported]) {
        let mut leading = None;
        let mut several = false;
        for (name, headline, numbers) in &mut self.streams {
            let own: Vec<&Reported> = reported.iter().filter(|t| t.stream == *name).collect();
            own.iter().for_each(|t| numbers.report(t));
            if *headline {
                several |= leading.is_some();
                leading = Some(own);
            }
        }
        if let Some(own) = leading.filter(|_| !several) {
            own.iter().for_each(|t| self.total.report(t));
        }
    }
}

impl Numbers {
    /// Puts a reported figure in the place of the histogram's.
    pub fn report(&mut self, reported: &Reported) {
        if let Some(class) = self.classes.iter_mut().find(|c| c.class == reported.class) {
            class.report(reported);
        }
    }
}

impl ClassNumbers {
    fn report(&mut self, reported: &Reported) {
        let Times { mean_ns, percentiles_ns, max_ns, bounds_ns, .. } = &mut self.service;
        match reported.name.as_str() {
            "mean_ns" => *mean_ns = Some(reported.value),
            "max_ns" => *max_ns = reported.value as u64,
            name => {
                let percentile = name.strip_suffix("_ns").unwrap_or(name);
                let Some(at) = PERCENTILES.iter().position(|(p, _)| *p == percentile) else {
                    return;
                };
                // The rule for Dyno's own holds for others' too, where they say how many samples
                // there were.
                let above = reported.samples.map(|n| n as f64 * (1.0 - PERCENTILES[at].1));
                if above.is_none_or(|n| n + 1e-6 >= SAMPLES_ABOVE as f64) {
                    percentiles_ns[at] = Some(reported.value);
                    bounds_ns[at] =
                        (reported.low < reported.high).then_some((reported.low, reported.high));
                }
            }
        }
    }
}
