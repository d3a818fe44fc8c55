//! Figures that another tool reported for imported points, used instead of histograms. A class with
//! only reported figures has nothing else.

use crate::analysis::points::point_numbers::{
    ClassNumbers, Numbers, PointSummary, Times, WrittenDigits,
};
use crate::analysis::points::point_summary::PERCENTILES;
use dyno_core::base::histogram::{Histogram, SAMPLES_ABOVE};
use dyno_core::record::{Class, Reported};

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
        match &leading[..] {
            [own] => self.total.report(own),
            // Rates can be added, if nothing was counted.
            several if self.total.classes.is_empty() => self.total.add_rates(several),
            _ => {}
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
        // Its latencies cannot be derived from figures.
        self.all = None;
        // If a source does not report bytes, counts have none.
        for class in &mut self.classes {
            let own = || reported.iter().filter(|f| f.class == class.class);
            let of_bytes = own().any(|f| f.name == Reported::BYTES_PER_S);
            if own().next().is_some() && !of_bytes && class.bytes_per_s == Some(0.0) {
                class.bytes_per_s = None;
            }
        }
        let counted = self.classes.iter().filter(|c| c.class.counts_as_op());
        self.ops_per_s = counted.filter_map(|c| c.ops_per_s).reduce(|a, b| a + b);
        let moved = self.classes.iter().filter(|c| c.class.moves_data());
        self.bytes_per_s = moved.filter_map(|c| c.bytes_per_s).reduce(|a, b| a + b);
    }

    /// The sums of the rates of several streams; None if one of them is not given.
    fn add_rates(&mut self, streams: &[Vec<&Reported>]) {
        let rates = [Reported::OPS_PER_S, Reported::BYTES_PER_S];
        for figure in streams.iter().flatten().filter(|f| rates.contains(&f.name.as_str())) {
            let own = self.class(figure.class);
            let (rate, digits) = match figure.name == Reported::OPS_PER_S {
                true => (&mut own.ops_per_s, &mut own.digits.ops),
                false => (&mut own.bytes_per_s, &mut own.digits.bytes),
            };
            *rate = Some(rate.unwrap_or(0.0) + figure.value);
            *digits = (*digits).min(figure.digits).or(figure.digits);
        }
        let all = |pick: fn(&ClassNumbers) -> Option<f64>, name: &str| {
            let given = streams.iter().all(|own| own.iter().any(|f| f.name == name));
            let sum = self.classes.iter().filter(|c| c.class.counts_as_op()).filter_map(pick);
            sum.reduce(|a, b| a + b).filter(|_| given)
        };
        self.ops_per_s = all(|c| c.ops_per_s, Reported::OPS_PER_S);
        self.bytes_per_s = all(|c| c.bytes_per_s, Reported::BYTES_PER_S);
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
            service: Times::of(&Histogram::new(), None),
            response: None,
            digits: WrittenDigits::default(),
        }
    }

    fn report(&mut self, reported: &Reported) {
        let Times { mean_ns, percentiles_ns, max_ns, bounds_ns, .. } = &mut self.service;
        let digits = &mut self.digits;
        match reported.name.as_str() {
            Reported::OPS_PER_S => {
                // The rate of a source includes the ops that it counts as misses.
                let all = self.ops.unwrap_or(0).max(1) as f64;
                let done = 1.0 - (self.misses as f64 / all).min(1.0);
                self.ops_per_s = Some(reported.value);
                self.done_per_s = Some(reported.value * done);
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
