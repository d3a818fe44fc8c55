//! Two subjects compared.

use crate::analysis::points::metric::Metric;
use crate::stats::Better;
use crate::stats::percent::{gain_percent, in_interval, reduction_percent};

/// Where in a step two subjects are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepPlace {
    /// At an axis value, by its index.
    Value(usize),
    /// Over the step's points: the ratio of geometric means.
    Mean,
    /// Latency at a load that both carry, read off their curves: ops/s.
    Load(f64),
    /// Load at a latency that both reach, read off their curves: nanoseconds.
    Latency(f64),
    /// The most that the step's search found to hold its limit.
    Limit,
}

/// What a comparison shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The interval excludes "no difference".
    Claimed,
    /// The same, but something other than the drive limited the better one: its drive could show
    /// more.
    AtLeast,
    /// The interval holds "no difference".
    NotShown,
    /// It excludes it, but the worse one was not limited by its drive, which could show more.
    NotTheDrives,
}

/// Two subjects compared in one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// By index in the facts.
    pub step: usize,
    /// The metric.
    pub metric: Metric,
    /// Where in the step.
    pub at: StepPlace,
    /// The subject that did better, as measured, and the other.
    pub better: usize,
    /// The other subject, by index.
    pub worse: usize,
    /// Greater over smaller of the figures as the metric has it: for latencies worse ÷ better. At
    /// least 1.
    pub factor: f64,
    /// Lower end of the factor's simultaneous interval.
    pub low: f64,
    /// Upper end of the factor's simultaneous interval.
    pub high: f64,
    /// Repeats behind it: of the subject with fewer.
    pub repeats: usize,
    /// What it shows.
    pub standing: Standing,
}

impl Comparison {
    /// By how much, in percent, with the ends of its interval, by the metric's own formula: a gain
    /// (superior ÷ inferior − 1) where higher is better, a reduction (1 − new ÷ old) where lower
    /// is.
    pub fn percent(&self) -> (f64, f64, f64) {
        let of = |factor: f64| match self.metric.better() {
            Better::Higher => gain_percent(factor, 1.0),
            Better::Lower => reduction_percent(1.0, factor),
        };
        (of(self.factor), of(self.low), of(self.high))
    }

    /// The same as it is printed everywhere; of a lower bound the bound stands for the value.
    pub fn printed(&self) -> [String; 3] {
        let (value, low, high) = self.percent();
        let value = if self.standing == Standing::AtLeast { low } else { value };
        let [value, low, high] = in_interval(value, low, high);
        if self.standing == Standing::AtLeast {
            [low.clone(), low, high]
        } else {
            [value, low, high]
        }
    }

    /// Whether a subject is one of the pair.
    pub fn is_with(&self, subject: usize) -> bool {
        self.better == subject || self.worse == subject
    }

    /// Whether it is printed as a claim, a lower bound included.
    pub fn is_claimed(&self) -> bool {
        matches!(self.standing, Standing::Claimed | Standing::AtLeast)
    }

    /// Whether it is of these two subjects, whichever did better.
    pub fn is_of(&self, a: usize, b: usize) -> bool {
        (self.better, self.worse) == (a, b) || (self.better, self.worse) == (b, a)
    }
}
