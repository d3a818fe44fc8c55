//! A difference in test conditions, with its grade: data, which a report turns into sentences.

use crate::analysis::keys::{StepKey, SubjectKey, TestKey};
use crate::analysis::plan_difference::{PlanField, PlanValue};
use crate::analysis::title::PlanText;
use dyno_core::record::setup::{DriveField, HostField, SetupValue};

/// The grade of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The subjects had different tests, or different kinds of drives.
    Disqualifying,
    /// It may have affected the figures: a confounding factor.
    Confounder,
    /// Disclosed; affects no figures.
    Harmless,
}

/// A difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Its grade.
    pub grade: Grade,
    /// The condition that differs: a setting, a fact about host or drive.
    pub what: Condition,
    /// Each value with the subjects that have it; without subjects if the report does not state
    /// whose it is.
    pub values: Vec<(ConditionValue, Vec<SubjectKey>)>,
    /// The tests in which they differ; empty if they do in all.
    pub tests: Vec<TestKey>,
}

impl Difference {
    /// A difference in all tests.
    pub fn new(
        grade: Grade,
        what: Condition,
        values: Vec<(ConditionValue, Vec<SubjectKey>)>,
    ) -> Difference {
        Difference { grade, what, values, tests: Vec::new() }
    }
}

/// A condition that may differ, or affect subjects unequally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A fact of an engine or the measuring program, with its heading.
    Fact(String, String),
    /// A field of the drives.
    Drive(DriveField),
    /// The number of drives.
    DriveCount,
    /// A field of the hosts.
    Host(HostField),
    /// A field of the resolved plan.
    Plan(PlanField),
    /// The preparation of the drives.
    Preparation,
    /// The temperature when the windows opened, in the step of this title.
    Temperature(PlanText),
    /// The replayed requests of a recorded load, in the step of this title.
    RecordedLoad(PlanText),
    /// The results of searches in vector indexes, in the step of this title.
    VectorSearch(PlanText),
    /// The subjects were measured in separate runs.
    OwnRuns,
    /// The subjects were measured one after the other.
    OneAfterOther,
    /// Subjects share a device.
    SharedDevice,
    /// Steady state of the drives.
    SteadyState,
    /// Missing repeats.
    MissingRepeats,
    /// Points that drifted.
    Drift,
    /// Points not limited by the drive.
    Bottleneck,
}

impl Condition {
    /// Whether it names its step.
    pub fn is_of_step(&self) -> bool {
        use Condition::{RecordedLoad, Temperature, VectorSearch};
        matches!(self, Temperature(_) | RecordedLoad(_) | VectorSearch(_))
    }
}

/// The value of a condition for a subject.
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionValue {
    /// A value from the plans.
    Plan(PlanValue),
    /// A load: its file and checksum, or its results.
    Text(String),
    /// A value of a host, a drive or an engine.
    Setup(SetupValue),
    /// This many drives.
    Drives(usize),
    /// The preparation of its drives, each action with its parameters; empty if there was none.
    Prepared(Vec<(String, PlanValue)>),
    /// Degrees Celsius.
    Temperature(f64),
    /// Start of each run, nanoseconds since 1970 (UTC).
    Times(Vec<u64>),
    /// Changes over time did not affect all equally.
    Unequally,
    /// Subjects that share a device, pair by pair, as reported by the host.
    Devices(Vec<String>),
    /// The plan lets the subjects share a device.
    OneDevice,
    /// It was not prepared until steady.
    NotUntilSteady,
    /// It was steady.
    Steady,
    /// It was not steady: the excursion as a share of the mean, if known.
    NotSteady(Option<f64>),
    /// This many of this many points or repeats.
    Share(usize, usize),
}

/// A condition that the source of imported figures does not give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotGiven {
    /// Closed or open loop.
    Loop,
    /// The length of the measured window.
    Window,
    /// The warm-up.
    Warmup,
    /// Whether latencies are service or response times.
    Timing,
    /// The order of measurement.
    Order,
    /// The number of repeats and their scatter.
    Repeats,
    /// Preconditioning.
    Preparation,
    /// The host.
    Host,
    /// Facts of the drives.
    Drives,
}

/// Two subjects that may not be compared, in one step of a test or in all.
#[derive(Clone, Debug, PartialEq)]
pub struct Barred {
    /// The two subjects, the lower key first.
    pub pair: (SubjectKey, SubjectKey),
    /// The test.
    pub test: TestKey,
    /// The step; None if they may not be compared in any of the test.
    pub step: Option<StepKey>,
    /// The difference, with the values of both.
    pub differences: Vec<Difference>,
}

impl Barred {
    /// Whether it is about a step of a test.
    pub fn is_in(&self, test: TestKey, step: StepKey) -> bool {
        self.test == test && self.step.is_none_or(|own| own == step)
    }
}
