//! A comparison of two subjects, and the results selected from all comparisons: claims, changes of
//! the better subject, the result of a step. `claim` makes them.

use crate::analysis::keys::{StepKey, SubjectKey, ValueKey};
use crate::analysis::plan_difference::FieldDifference;
use crate::analysis::points::metric::Metric;
use dyno_core::stats::Better;
use dyno_core::stats::percent::{Formula, cut_off, in_interval, said};

/// The place in a step at which two subjects are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepPlace {
    /// At an axis value.
    Value(ValueKey),
    /// Over the step's points: the ratio of geometric means.
    Mean,
    /// Latency at a common load, read from their curves: ops/s.
    Load(f64),
    /// Load at a common latency, read from their curves: nanoseconds.
    Latency(f64),
    /// The highest load within the limit found by the step's search.
    Limit,
}

/// The points or loads over which a comparison of means is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeanOver {
    /// The number of axis values; 0 for any other comparison.
    Points(usize),
    /// The number of equal loads.
    Loads(usize),
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The interval excludes "no difference".
    Claimed,
    /// The same, but the better one was not limited by its drive, which could show more.
    AtLeast,
    /// The interval includes "no difference".
    NotShown,
    /// It excludes it, but the worse one was not limited by its drive, which could show more.
    NotTheDrives,
    /// There is no interval: each subject was measured in a separate period, so a difference
    /// between them may also be one between the periods.
    SeparateRuns,
    /// There is no interval, because the source of imported figures does not give the order of
    /// measurement.
    OrderNotGiven,
}

impl Standing {
    /// Whether it is based on an interval.
    pub fn has_interval(&self) -> bool {
        !matches!(self, Standing::SeparateRuns | Standing::OrderNotGiven)
    }
}

/// A gain of more than this factor is printed as a factor: "42 ×" is easier to read than "4,100 %",
/// which may be mistaken for 41 times.
const MOST_GAIN: f64 = 10.0;

/// A comparison of two subjects in one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The step.
    pub step: StepKey,
    /// The metric.
    pub metric: Metric,
    /// The place in the step.
    pub at: StepPlace,
    /// The better subject, as measured.
    pub better: SubjectKey,
    /// The other subject.
    pub worse: SubjectKey,
    /// Larger ÷ smaller figure; for latencies worse ÷ better. At least 1.
    pub factor: f64,
    /// The factor's simultaneous interval; None if it is not known.
    pub interval: Option<(f64, f64)>,
    /// The figures of the better and the worse subject at a point, over the repeats that are
    /// compared, adjusted for their order: their ratio is the factor. None for a mean.
    pub levels: Option<(f64, f64)>,
    /// Number of repeats, of the subject with fewer.
    pub repeats: usize,
    /// The numbers of sessions of the better and the worse subject, if they did not alternate.
    pub sessions: Option<(usize, usize)>,
    /// The result.
    pub standing: Standing,
    /// The points or loads of the mean, if the comparison is one of means.
    pub over: MeanOver,
    /// Permitted differences between the two plans of the step, with the better one's value first.
    pub varied: Vec<FieldDifference>,
}

impl Comparison {
    /// The difference in percent, with the limits of its interval, by the metric's own formula: a
    /// gain (superior ÷ inferior − 1) if higher is better, a reduction (1 − new ÷ old) if lower is.
    pub fn percent(&self) -> (f64, Option<(f64, f64)>) {
        self.by(match self.metric.better() {
            Better::Higher => Formula::Gain,
            Better::Lower => Formula::Reduction,
        })
    }

    fn by(&self, formula: Formula) -> (f64, Option<(f64, f64)>) {
        let ends = self.interval.map(|(low, high)| (formula.of(low), formula.of(high)));
        (formula.of(self.factor), ends)
    }

    /// The end of its interval at which the difference is smallest; below 1 without an interval.
    pub fn weak_end(&self) -> f64 {
        self.interval.map_or(0.0, |(low, _)| low)
    }

    /// The formula of the printed difference: the metric's own, or a factor if the gain is large.
    pub fn formula(&self) -> Formula {
        match self.metric.better() {
            Better::Lower => Formula::Reduction,
            Better::Higher if self.factor > MOST_GAIN => Formula::Factor,
            Better::Higher => Formula::Gain,
        }
    }

    /// The same as printed everywhere, in the formula's unit; for a lower bound, the bound replaces
    /// the value. None without an interval.
    pub fn printed(&self) -> Option<[String; 3]> {
        let (value, ends) = self.by(self.formula());
        let (low, high) = ends?;
        let value = if self.standing == Standing::AtLeast { low } else { value };
        let [value, low, high] = in_interval(value, low, high);
        Some(match self.standing {
            Standing::AtLeast => [low.clone(), low, high],
            _ => [value, low, high],
        })
    }

    /// Whether a subject is one of the pair.
    pub fn is_with(&self, subject: SubjectKey) -> bool {
        self.better == subject || self.worse == subject
    }

    /// Whether it is printed as a claim, including lower bounds.
    pub fn is_claimed(&self) -> bool {
        matches!(self.standing, Standing::Claimed | Standing::AtLeast)
    }

    /// Whether it compares these two subjects, in either order.
    pub fn is_of(&self, a: SubjectKey, b: SubjectKey) -> bool {
        (self.better, self.worse) == (a, b) || (self.better, self.worse) == (b, a)
    }
}

/// The growth of a difference along the axis of a step: a straight line through the logarithms of
/// the ratios, over the logarithms of the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Trend {
    /// The step.
    pub step: StepKey,
    /// The metric.
    pub metric: Metric,
    /// The subject that becomes better relative to the other.
    pub gaining: SubjectKey,
    /// The other.
    pub losing: SubjectKey,
    /// The factor by which the ratio grows from the first to the last point: above 1.
    pub factor: f64,
    /// Its simultaneous interval.
    pub interval: Option<(f64, f64)>,
}

impl Trend {
    /// Whether its interval excludes that nothing changes.
    pub fn is_claimed(&self) -> bool {
        self.interval.is_some_and(|(low, _)| low > 1.0)
    }
}

/// The rise of a subject's latency from one axis value to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Rise {
    /// The step.
    pub step: StepKey,
    /// The metric.
    pub metric: Metric,
    /// The subject.
    pub subject: SubjectKey,
    /// The axis value before the rise.
    pub from: ValueKey,
    /// The next one.
    pub to: ValueKey,
    /// The ratio of the two: above 1.
    pub factor: f64,
    /// Its simultaneous interval.
    pub interval: (f64, f64),
}

/// A rise of at least this factor is one in which a drive leaves its level.
const LEAST_RISE: f64 = 1.5;

impl Rise {
    /// Whether its interval is above the factor from which a drive leaves its level.
    pub fn is_claimed(&self) -> bool {
        self.interval.0 > LEAST_RISE
    }
}

/// A claim, with related results.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The comparison, whose interval excludes "no difference".
    pub comparison: Comparison,
    /// For the largest of several: the number of points that show the same direction.
    pub of_points: usize,
    /// The number of comparisons that share the error probability.
    pub family: usize,
    /// The drives for which it holds; None if no drive was involved.
    pub scope: Option<ClaimScope>,
}

/// The drives for which a claim holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimScope {
    /// The one device that the subjects share.
    OneDevice,
    /// The one drive of each subject.
    TwoDrives,
    /// One drive of each group, by its path.
    OfGroups(String, String),
    /// This many drives of each model.
    Each(usize),
    /// The drives that were measured.
    TheseDrives,
}

/// The largest lead of a subject over another in imported figures without repeats. Their scatter is
/// unknown, so it is arithmetic and no claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// The step.
    pub step: StepKey,
    /// The metric.
    pub metric: Metric,
    /// The leading subject.
    pub better: SubjectKey,
    /// The other.
    pub worse: SubjectKey,
    /// The axis value.
    pub value: ValueKey,
    /// The ratio there: above 1.
    pub times: f64,
}

impl Gap {
    /// The difference, formatted like a percentage in claims; with more decimals if it would be
    /// zero.
    pub fn percent(&self) -> String {
        let formula = match self.metric.better() {
            Better::Higher => Formula::Gain,
            Better::Lower => Formula::Reduction,
        };
        let percent = formula.of(self.times);
        if percent < 0.1 { cut_off(percent, 3) } else { said(percent) }
    }
}

/// From one axis value on, another subject is better.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossover {
    /// The step.
    pub step: StepKey,
    /// The metric in which the order changes.
    pub metric: Metric,
    /// Better up to the value `until`.
    pub before: SubjectKey,
    /// The last axis value at which `before` is better.
    pub until: ValueKey,
    /// Better from the value `from` on.
    pub after: SubjectKey,
    /// The first axis value at which `after` is better.
    pub from: ValueKey,
}

/// The result of a step, at the place and in the metric of its headline.
#[derive(Clone, Debug, PartialEq)]
pub struct StepLead {
    /// The step.
    pub step: StepKey,
    /// The metric.
    pub metric: Metric,
    /// The axis value, if it is a single one: the headline's, or the last at which
    /// anything could be compared.
    pub value: Option<ValueKey>,
    /// Every comparison there.
    pub all: Vec<Comparison>,
    /// The one subject that is better than all others, by claims.
    pub best: Option<SubjectKey>,
    /// The positions on the axis at which the better one changes.
    pub crossovers: Vec<Crossover>,
}
