//! The data of a report: bundles as plain structs, with every point reduced to numbers immediately.
//! Pure: the store passes its contents point by point.

mod concluded;
mod subjects;

use std::collections::HashMap;
use std::sync::Arc;

use crate::analysis::caveat::Caveat;
use crate::analysis::comparison::{Claim, Comparison, Crossover, Gap, Rise, StepLead, Trend};
use crate::analysis::difference::{Barred, Difference, NotGiven};
use crate::analysis::hosts::{Joint, JointHost};
use crate::analysis::keys::{
    DriveKey, Keyed, RunKey, StepKey, SubjectKey, TestKey, ValueKey, unordered,
};
use crate::analysis::limits::bottleneck;
use crate::analysis::limits::device_errors::DeviceErrors;
use crate::analysis::limits::meter_facts::ProcessorUse;
use crate::analysis::limits::power::PowerFacts;
use crate::analysis::limits::slow_commands::SlowCommands;
use crate::analysis::limits::writes::CellWrites;
use crate::analysis::notes::models::Fleet;
use crate::analysis::notes::{CommonShift, OfModels, OutlyingDrive, OutlyingRepeat};
use crate::analysis::outliers::Outliers;
use crate::analysis::points::metric::{Instrument, Metric, MetricRequest};
use crate::analysis::points::point_summary::{RATE_KEPT, RepeatSummary};
use crate::analysis::points::replay::PointReplay;
use crate::analysis::title::{PlanText, ProtocolTitle};
use dyno_core::plan::declaration::Declaration;
use dyno_core::plan::model::headline::AxisPlace;
use dyno_core::plan::search::Search;
use dyno_core::plan::specification::{Specification, Specifications};
use dyno_core::plan::{LoopKind, Order, Plan, Step, Timing};
use dyno_core::record::key::{FactHeading, devices};
use dyno_core::record::setup::HostSetup;
use dyno_core::record::{
    Accelerators, Class, Fact, Mask, PacingFloor, PreparationStep, ServerPlace, ServerShare,
    VectorSearch,
};
use dyno_core::stats::runs::trend::Drift;

pub use crate::analysis::points::axis::{AxisFacts, AxisPosition};
pub use concluded::{
    AxisAverage, CellCost, Durability, Life, Multiple, OverAxis, StepDurability, WriteGroup,
};
pub use subjects::{SubjectFacts, Subjects};

/// A window with the minimum number of intervals for the drift test.
const TESTED_NS: u64 = 4_000_000_000;

/// The data of a report, grouped for the code that reads them.
#[derive(Default)]
pub struct Facts {
    /// The tests, each with its protocol.
    pub tests: Keyed<TestKey, ProtocolFacts>,
    /// The subjects.
    pub subjects: Subjects,
    /// The runs and their conditions.
    pub setup: SetupFacts,
    /// The statements and requests of plans, brief.toml and the reader.
    pub statements: ReportStatements,
    /// The figures.
    pub measured: MeasuredFacts,
    /// The comparisons of the figures.
    pub comparisons: Comparisons,
    /// The bundles as hosts with a common start.
    pub joint: JointFacts,
}

/// A protocol that was not read.
static NO_PROTOCOL: ProtocolFacts = ProtocolFacts {
    title: ProtocolTitle {
        text: PlanText { key: String::new(), written: String::new() },
        imported_from: None,
        is_control: false,
    },
    name: String::new(),
    source: PlanText { key: String::new(), written: String::new() },
};

/// The identity of a protocol.
#[derive(Default)]
pub struct ProtocolFacts {
    /// Its title.
    pub title: ProtocolTitle,
    /// Its name.
    pub name: String,
    /// The source of its parameters.
    pub source: PlanText,
}

/// The runs and their conditions.
#[derive(Default)]
pub struct SetupFacts {
    /// The bundles, in the given order.
    pub runs: Keyed<RunKey, RunFacts>,
    /// The preparation of the drives.
    pub prepared: Vec<PreparedFacts>,
    /// Facts of engines, imports and the measuring program, by heading.
    pub disclosure: Vec<DisclosureGroup>,
}

/// A part of the preparation of a drive.
pub struct PreparedFacts {
    /// The test before which it was done.
    pub test: TestKey,
    /// The drive's subject.
    pub subject: SubjectKey,
    /// What was done.
    pub step: PreparationStep,
}

/// The statements and requests of plans, brief.toml and the reader.
#[derive(Default)]
pub struct ReportStatements {
    /// The publisher's statements.
    pub declared: Declaration,
    /// Specifications of the subjects' drives, by the subject's name in the report; brief.toml
    /// takes precedence over the plans.
    pub specifications: Specifications,
    /// The masks of subjects.
    pub mask: Mask,
    /// Permitted differences: paths of the plan, or "host".
    pub vary: Vec<String>,
    /// The requested metrics; otherwise the headline metrics of each step.
    pub metrics: Vec<MetricRequest>,
}

/// The figures.
#[derive(Default)]
pub struct MeasuredFacts {
    /// The measured steps, in the protocol's order.
    pub steps: Keyed<StepKey, StepFacts>,
    /// Steps that verified the data, without measurements.
    pub checks: Vec<StepFacts>,
    /// Points that ended early.
    pub failures: Vec<EarlyEnd>,
}

/// The comparisons of the figures, with their conclusions and conditions.
#[derive(Default)]
pub struct Comparisons {
    /// Every comparison, as one family.
    pub all: Vec<Comparison>,
    /// The changes of differences along axes, in the same family.
    pub trends: Vec<Trend>,
    /// The largest claimed rise of each subject's latency from one axis value of a step to the
    /// next, in the same family.
    pub rises: Vec<Rise>,
    /// Pairs of subjects that may not be compared.
    pub barred: Vec<Barred>,
    /// The claims among them, strongest first.
    pub claims: Vec<Claim>,
    /// The positions on an axis at which the better subject changes.
    pub crossovers: Vec<Crossover>,
    /// The step of the brief's headline, if anything was measured.
    pub headline: Option<StepKey>,
    /// The result of each step at its headline.
    pub leads: Keyed<StepKey, StepLead>,
    /// The largest multiple of a load that each subject sustains, if it was searched for.
    pub multiples: Keyed<SubjectKey, Option<Multiple>>,
    /// Steps that differ only in the durability of their writes.
    pub durability: Durability,
    /// Whether there are only imported figures with too few repeats, whose differences are
    /// arithmetic and not claims.
    pub published: bool,
    /// The largest differences of such figures.
    pub gaps: Vec<Gap>,
    /// Steps that differ only in block size, each group with its sizes in bytes.
    pub by_size: Vec<Vec<(u64, StepKey)>>,
    /// The drives of each step as samples of their models, if there are enough.
    pub fleets: Keyed<StepKey, Option<Fleet>>,
    /// Differences in test conditions, worst first; none for a fleet's subjects.
    pub conditions: Vec<Difference>,
    /// Conditions that the sources of imported figures do not give.
    pub not_given: Vec<NotGiven>,
    /// Repeats in which all subjects deviated.
    pub shifts: Vec<CommonShift>,
    /// Repeats in which one subject deviated.
    pub outlying_repeats: Vec<OutlyingRepeat>,
    /// Outlying drives of groups.
    pub outlying: Vec<OutlyingDrive>,
    /// The models of groups, compared drive by drive.
    pub models: Vec<OfModels>,
}

/// The bundles as hosts with a common start; empty if they have none.
#[derive(Default)]
pub struct JointFacts {
    /// The hosts.
    pub hosts: Vec<JointHost>,
    /// Every point of these hosts, summed if permitted.
    pub points: Vec<Joint>,
}

/// One bundle.
pub struct RunFacts {
    /// The bundle's file name.
    pub file: String,
    /// Its test.
    pub test: TestKey,
    /// Start of the run, nanoseconds since 1970 (UTC).
    pub started_unix_ns: u64,
    /// Version of Dyno.
    pub dyno_version: String,
    /// Repeats of each point in the plan.
    pub repeats: u32,
    /// The target for half the headline figure's interval, in percent, and the maximum number of
    /// repeats.
    pub until_percent: Option<f64>,
    /// The order of subjects.
    pub order: Order,
    /// Whether its subjects share a device, if known.
    pub shares_device: bool,
    /// The open-loop latency of an engine that takes no time, measured at the start of the run.
    pub pacing_floor: Option<PacingFloor>,
    /// The host.
    pub host: HostSetup,
    /// Summaries of the host's self-tests.
    pub self_tests: Vec<String>,
    /// The resolved plan, also as JSON, from which the run can be repeated.
    pub resolved: Plan,
    /// The resolved plan as JSON.
    pub plan: String,
}

impl RunFacts {
    /// Whether it comes from another tool or a publication, and Dyno did not measure it.
    pub fn is_imported(&self) -> bool {
        self.resolved.imported.is_some()
    }

    /// Whether the subjects of a run with these facts share a device: its plan permits it, and the
    /// host did not find a separate device for each.
    pub fn shares_device(plan: &Plan, noted: &[Fact]) -> bool {
        let of_devices = || noted.iter().filter(|fact| fact.group == devices::GROUP);
        let known = of_devices().count() >= plan.subjects.len();
        let apart = known && of_devices().all(|fact| fact.name != devices::SHARED);
        plan.same_device && !apart
    }
}

/// One step over all subjects and axis values.
pub struct StepFacts {
    /// Its key among the steps of the facts.
    pub key: StepKey,
    /// Its test.
    pub test: TestKey,
    /// The step's name, with that of its protocol if several tests have a step of this name.
    pub name: String,
    /// Its name in the plan.
    pub own_name: String,
    /// Its title in the plan.
    pub title: PlanText,
    /// Its figures come from another tool or a publication.
    pub imported: bool,
    /// The swept field; None without a sweep.
    pub axis: Option<AxisFacts>,
    /// The search for the highest load within a latency limit, if the sweep is one.
    pub search: Option<Search>,
    /// The metrics of its comparisons: the requested ones, or those of its kind.
    pub metrics: Vec<Metric>,
    /// The metric of its headline, among these.
    pub headline_metric: Metric,
    /// The axis value of its headline, if it is a single one.
    pub headline_value: Option<ValueKey>,
    /// Conclusions over its whole axis.
    pub over_axis: OverAxis,
    /// The headline set by its protocol, if any.
    pub headline: Option<MetricRequest>,
    /// The place of the headline on the axis.
    pub place: AxisPlace,
    /// Names of the figures printed by its source.
    pub figures: Vec<String>,
    /// Ascending; a single one without a number if there is no sweep.
    pub values: Keyed<ValueKey, AxisPosition>,
    /// The class whose latency is shown.
    pub class: Option<Class>,
    /// Closed or open loop; None if the source of imported figures does not give it. Open if some
    /// headline stream had a target rate, so that latency distinguishes the subjects instead of
    /// throughput.
    pub loop_kind: Option<LoopKind>,
    /// Whether its latencies are service or response times; None if the source does not give it.
    pub timing: Option<Timing>,
    /// A stream has several instances on a drive, so its figures are sums and its histograms are
    /// merged.
    pub instances: bool,
    /// Length of the measured window, nanoseconds; None if not given.
    pub window_ns: Option<u64>,
    /// Length of the warm-up, nanoseconds; None if not given.
    pub warmup_ns: Option<u64>,
    /// One for each measured combination of subject and axis value.
    pub cells: Vec<CellFacts>,
    /// The representative axis value, used if only one can be shown.
    pub lead: ValueKey,
    /// The index of the cell of (subject, value).
    pub(super) index: HashMap<(SubjectKey, ValueKey), usize>,
}

/// One subject at one axis value, over all repeats.
pub struct CellFacts {
    /// The subject.
    pub subject: SubjectKey,
    /// The axis value.
    pub value: ValueKey,
    /// The numbers of the completely measured repeats.
    pub repeats: Vec<u32>,
    /// For each of these, its place in the order of its block; None if the subjects did not
    /// alternate.
    pub places: Vec<Option<u32>>,
    /// For each repeat, its session: a period in which one subject was measured; the same for
    /// subjects that alternated. The numbers ascend with time.
    pub sessions: Vec<u32>,
    /// The run of its points.
    pub run: RunKey,
    /// The headline streams together; None if every repeat failed.
    pub total: Option<Arc<RepeatSummary>>,
    /// Each stream by name, whether it counts in the headline, and its figures: those of `total`
    /// if it is alone.
    pub streams: Vec<(String, bool, Arc<RepeatSummary>)>,
    /// The headline streams on each drive of a group; empty for a single drive.
    pub drives: Vec<(DriveKey, RepeatSummary)>,
    /// The same for each instance of the streams, by drive and instance; empty if there is only
    /// one.
    pub instances: Vec<((DriveKey, u32), RepeatSummary)>,
    /// The resources of the servers that Dyno started, in the first repeat.
    pub servers: Vec<ServerShare>,
    /// Whether ops/s rose or fell over the windows of its repeats.
    pub drift: Drift,
    /// One for each class of power and instrument, in the order of the plan's meters.
    pub power: Vec<PowerFacts>,
    /// Bytes written for it, by layer; None without counters.
    pub writes: Option<CellWrites>,
    /// The cost of its work.
    pub cost: CellCost,
    /// Whether it kept the limit of a search along several rates in every repeat; None in other
    /// steps.
    pub holds: Option<bool>,
    /// The bottleneck; None without meters.
    pub limit: Option<bottleneck::BottleneckVerdict>,
    /// The use of the processors; None without their counters.
    pub processors: Option<ProcessorUse>,
    /// Its replay of recorded loads, in the first repeat.
    pub replay: PointReplay,
    /// The accelerators of its streams, in the first repeat.
    pub accelerators: Vec<Accelerators>,
    /// Results of its streams' vector searches, in the first repeat.
    pub searches: Vec<VectorSearch>,
    /// Its slowest ops, by cause.
    pub outliers: Outliers,
    /// Slow commands by the drives' own count; empty for drives without one.
    pub slow_commands: Vec<SlowCommands>,
    /// Errors that its drives and their links counted.
    pub errors: DeviceErrors,
    /// Its caveats.
    pub caveats: Vec<Caveat>,
    /// (seconds, watts) and (seconds, degrees Celsius), for `over_time`.
    pub watts_over_time: Vec<(f64, f64)>,
    /// (seconds, degrees Celsius) of the hottest gauge.
    pub celsius_over_time: Vec<(f64, f64)>,
    /// (seconds, ops/s) of the headline streams in the first repeat; only for the step's
    /// representative value.
    pub over_time: Vec<(f64, f64)>,
}

impl CellFacts {
    /// Its power by one instrument, if measured.
    pub fn power_by(&self, by: &Instrument) -> Option<&PowerFacts> {
        self.power.iter().find(|p| p.class == by.class && p.kind == by.kind)
    }

    /// The figures of one of its streams.
    pub fn stream(&self, name: &str) -> Option<&RepeatSummary> {
        self.streams.iter().find(|(own, ..)| own == name).map(|(.., summary)| &**summary)
    }

    /// Whether its figures are known not to be limited by the drive.
    pub fn is_not_the_drives(&self) -> bool {
        self.not_the_drive().is_some()
    }

    /// Its mark on a curve of latencies.
    pub fn latency_mark(&self, step: &StepFacts) -> PointMark {
        match step.values[self.value].number.is_infinite() {
            true => PointMark::Closed,
            false => self.rate_mark(),
        }
    }

    /// Its mark on a curve of any other quantity.
    pub fn rate_mark(&self) -> PointMark {
        if self.missed_its_rate() { PointMark::Missed } else { PointMark::Kept }
    }

    /// Whether any of its streams, including background ones, missed its target rate.
    pub fn missed_its_rate(&self) -> bool {
        self.streams.iter().any(|(.., s)| s.achieved().is_some_and(|a| a < RATE_KEPT))
    }
}

/// The kind of a point on a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointMark {
    /// An ordinary one.
    Kept,
    /// It missed its target rate.
    Missed,
    /// The maximum of a load sweep: a closed loop, whose latency is of another kind than those of
    /// the other points, so no line joins them.
    Closed,
}

/// A point that ended early.
pub struct EarlyEnd {
    /// The subject.
    pub subject: SubjectKey,
    /// Title of the step.
    pub step: PlanText,
    /// The axis value, as printed.
    pub at: String,
    /// The repeat, from 1.
    pub repeat: u32,
    /// The cause, as stored with the point.
    pub cause: String,
    /// Its load fell behind its schedule: the value is beyond what the subject sustains.
    pub fell_behind: bool,
}

/// The owner of a group of facts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GroupOwner {
    /// A run as a whole.
    Run(RunKey),
    /// A subject in the step of this name, as its engine reported.
    Step(SubjectKey, String),
    /// A subject in the step of this name, as one of its servers reported.
    Server(SubjectKey, String, ServerPlace),
    /// Points of any subject and step, named in the rows.
    Points,
}

impl GroupOwner {
    /// The name of the step to which the facts belong.
    pub fn step(&self) -> Option<&str> {
        match self {
            GroupOwner::Step(_, step) | GroupOwner::Server(_, step, _) => Some(step),
            GroupOwner::Run(_) | GroupOwner::Points => None,
        }
    }
}

/// Facts that are only disclosed, under one heading.
pub struct DisclosureGroup {
    /// The owner of these facts.
    pub owner: GroupOwner,
    /// The heading: "RocksDB", "Physical devices".
    pub name: String,
    /// Names and values, in order of collection.
    pub rows: Vec<(String, String)>,
}

impl DisclosureGroup {
    /// Whether it describes the measuring program.
    pub fn is_of_dyno(&self) -> bool {
        self.name == FactHeading::Dyno.name()
    }
}

impl ReportStatements {
    /// The specification of a subject's drives, if there is one.
    pub fn of_drives(&self, subject: &SubjectFacts) -> Option<&Specification> {
        self.specifications.get(&subject.name)
    }
}

impl SetupFacts {
    /// Whether Dyno measured none of it.
    pub fn is_imported(&self) -> bool {
        !self.runs.is_empty() && self.runs.iter().all(RunFacts::is_imported)
    }

    /// The run of a subject.
    pub fn run_of(&self, subject: &SubjectFacts) -> &RunFacts {
        &self.runs[subject.run]
    }

    /// A step as planned by the first run that measured it; None for imported figures.
    pub fn planned(&self, step: &StepFacts) -> Option<&Step> {
        let mut runs = self.runs.iter().filter(|run| run.test == step.test);
        runs.find_map(|run| run.resolved.protocol.step(&step.own_name))
    }

    /// The preparation of a subject's drives for a test.
    pub fn prepared_for(
        &self,
        test: TestKey,
        subject: SubjectKey,
    ) -> impl DoubleEndedIterator<Item = &PreparationStep> {
        let own = move |p: &&PreparedFacts| p.test == test && p.subject == subject;
        self.prepared.iter().filter(own).map(|p| &p.step)
    }
}

impl Facts {
    /// The first test's protocol, by which the brief is named.
    pub fn protocol(&self) -> &ProtocolFacts {
        self.tests.first().unwrap_or(&NO_PROTOCOL)
    }
}

impl MeasuredFacts {
    /// The steps of a test.
    pub fn steps_of(&self, test: TestKey) -> impl Iterator<Item = &StepFacts> + Clone {
        self.steps.iter().filter(move |step| step.test == test)
    }

    /// The axis values of a step at which a subject's load fell behind its schedule, in one repeat
    /// or in any. Other failures do not show what the subject sustains.
    pub fn fell_behind(
        &self,
        step: &StepFacts,
        subject: SubjectKey,
        repeat: Option<u32>,
    ) -> impl Iterator<Item = ValueKey> {
        let of = move |failure: &&EarlyEnd| {
            failure.fell_behind
                && failure.subject == subject
                && failure.step == step.title
                && repeat.is_none_or(|repeat| failure.repeat == repeat)
        };
        self.failures
            .iter()
            .filter(of)
            .filter_map(|f| step.values.position(|value| value.label == f.at))
    }
}

impl Comparisons {
    /// Why two subjects may not be compared in a step, if so.
    pub fn bar(&self, step: &StepFacts, a: SubjectKey, b: SubjectKey) -> Option<&Barred> {
        let pair = unordered(a, b);
        self.barred.iter().find(|bar| bar.pair == pair && bar.is_in(step.test, step.key))
    }
}

impl StepFacts {
    /// Whether there is a target rate, so that its latencies are response times.
    pub fn is_open_loop(&self) -> bool {
        self.loop_kind == Some(LoopKind::Open)
    }

    /// Whether one of its points is the maximum of a load sweep, which is a closed loop.
    pub fn has_maximum(&self) -> bool {
        self.values.iter().any(|value| value.number.is_infinite())
    }

    /// Whether its windows are too short for the drift test. Imported figures have no seconds to
    /// test.
    pub fn is_untested_for_drift(&self) -> bool {
        let untested = |c: &CellFacts| c.total.is_some() && c.drift == Drift::TooShort;
        let short = self.window_ns.is_some_and(|ns| (1..TESTED_NS).contains(&ns));
        short && !self.imported && self.cells.iter().any(untested)
    }

    /// Whether a latency could be that of reads or of writes: its streams do both.
    pub fn is_mix(&self) -> bool {
        self.cells.iter().any(|c| c.total.as_ref().is_some_and(|total| total.all.is_some()))
    }

    /// Whether any latencies of its class are known.
    pub fn has_latencies(&self) -> bool {
        let classes = || self.cells.iter().filter_map(|c| c.total.as_ref()?.class(self.class));
        classes().map(|class| class.user_latency()).any(|latency| {
            latency.mean_ns.is_some() || latency.percentiles_ns.iter().any(Option::is_some)
        })
    }

    /// Whether one of its points was not limited by the drive.
    pub fn has_marks(&self) -> bool {
        self.cells.iter().any(CellFacts::is_not_the_drives)
    }

    /// The cells of a subject, by axis value.
    pub fn cells_of(&self, subject: SubjectKey) -> Vec<Option<&CellFacts>> {
        self.values.keys().map(|value| self.cell(subject, value)).collect()
    }

    /// The cell of a subject at an axis value.
    pub fn cell(&self, subject: SubjectKey, value: ValueKey) -> Option<&CellFacts> {
        self.index.get(&(subject, value)).map(|at| &self.cells[*at])
    }
}
