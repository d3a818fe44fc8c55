//! Figures that another tool reported for imported points, used in place of histograms. A class
//! with only reported figures has nothing else.

use crate::analysis::points::point_numbers::{
    ClassNumbers, Numbers, PointSummary, Times, WrittenDigits,
};
use crate::analysis::points::point_summary::PERCENTILES;
use crate::base::histogram::{Histogram, SAMPLES_ABOVE};
use crate::record::{Class, Reported};

impl PointSummary {
    /// Sets the reported figures. The latencies of several streams have no sum, so the total only
    /// takes them from a single one.
    pub fn report(&mut self, reported: &[Reported]) {
        if reported.is_empty() {
            return;
        }
        let mut leading = Vec::new();
        for (name, headline, numbers) in &mut self.streams {
            let own: Vec<&Reported> = reported.iter().filter(|t| t.stream == *name).collect();
            numbers.report(&own);
            leading.extend(headline.then_some(own));
        }
        if let [own] = &leading[..] {
            self.total.report(own);
        }
    }
}

impl Numbers {
    /// Replaces the histograms' figures by reported ones.
    pub fn report(&mut self, reported: &[&Reported]) {
        for figure in reported.iter().filter(|f| f.name != Reported::DRIVE_WATTS) {
            self.class(figure.class).report(figure);
        }
        if reported.is_empty() {
            return;
        }
        let counted = self.classes.iter().filter(|c| c.class.counts_as_op());
        self.ops_per_s = counted.filter_map(|c| c.ops_per_s).reduce(|a, b| a + b);
        let moved = self.classes.iter().filter(|c| c.class.moves_data());
        self.bytes_per_s = moved.filter_map(|c| c.bytes_per_s).reduce(|a, b| a + b);
    }

    /// The figures of a class, created if nothing was counted for it.
    fn class(&mut self, class: Class) -> &mut ClassNumbers {
        let at = self.classes.iter().position(|c| c.class == class).unwrap_or_else(|| {
            self.classes.push(ClassNumbers::uncounted(class));
            self.classes.len() - 1
        });
        &mut self.classes[at]
    }

    /// The digits of its ops per second, and of its bytes per second.
    pub fn written(&self) -> (Option<u32>, Option<u32>) {
        let least = |pick: fn(&WrittenDigits) -> Option<u32>| {
            self.classes.iter().filter_map(|c| pick(&c.digits)).min()
        };
        (least(|d| d.ops), least(|d| d.bytes))
    }
}

impl ClassNumbers {
    fn uncounted(class: Class) -> ClassNumbers {
        ClassNumbers {
            class,
            ops: None,
            ops_per_s: None,
            done_per_s: None,
            bytes_per_s: None,
            misses: 0,
            given_up: 0,
            overflow: 0,
            service: Times::of(&Histogram::new()),
            response: None,
            digits: WrittenDigits::default(),
        }
    }

    fn report(&mut self, reported: &Reported) {
        let Times { mean_ns, percentiles_ns, max_ns, bounds_ns, .. } = &mut self.service;
        let digits = &mut self.digits;
        match reported.name.as_str() {
            Reported::OPS_PER_S => {
                (self.ops_per_s, self.done_per_s) = (Some(reported.value), Some(reported.value));
                digits.ops = reported.digits;
            }
            Reported::BYTES_PER_S => {
                (self.bytes_per_s, digits.bytes) = (Some(reported.value), reported.digits);
            }
            "mean_ns" => (*mean_ns, digits.mean) = (Some(reported.value), reported.digits),
            "max_ns" => {
                (*max_ns, digits.max) = (Some(reported.value.round() as u64), reported.digits);
            }
            name => {
                let percentile = name.strip_suffix("_ns").unwrap_or(name);
                let Some(at) = PERCENTILES.iter().position(|(p, _)| *p == percentile) else {
                    return;
                };
                // The rule for Dyno's own percentiles also applies to others', if the number of
                // samples is known.
                let above = reported.samples.map(|n| n as f64 * (1.0 - PERCENTILES[at].1));
                if above.is_none_or(|n| n + 1e-6 >= SAMPLES_ABOVE as f64) {
                    percentiles_ns[at] = Some(reported.value);
                    digits.percentiles[at] = reported.digits;
                    bounds_ns[at] =
                        (reported.low < reported.high).then_some((reported.low, reported.high));
                }
            }
        }
    }
}
