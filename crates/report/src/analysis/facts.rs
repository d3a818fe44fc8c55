//! The data of a report: bundles as plain structs, with every point reduced to numbers immediately.
//! Pure: the store passes its contents point by point.

use std::collections::HashMap;

use crate::analysis::caveat::Caveat;
use crate::analysis::comparison::Comparison;
use crate::analysis::difference::Barred;
use crate::analysis::hosts::{Joint, JointHost};
use crate::analysis::limits::bottleneck;
use crate::analysis::limits::power::PowerFacts;
use crate::analysis::outliers::Outliers;
use crate::analysis::points::metric::{Instrument, MetricRequest};
use crate::analysis::points::point_summary::{RATE_KEPT, RepeatSummary};
use crate::language::Language;
use crate::plan::declaration::Declaration;
use crate::plan::model::headline::AxisPlace;
use crate::plan::search::Search;
use crate::plan::{LoopKind, Order, Plan, Timing};
use crate::record::{Class, Mask, PacingFloor, PreparationStep, ServerShare};
use crate::stats::runs::trend::Drift;

pub use crate::analysis::points::axis::{AxisFacts, AxisPosition, field_text};

/// Subjects of which every pair is compared.
const MOST_SUBJECTS: usize = 24;

/// A window as long as the fewest intervals that can be tested for drift.
const TESTED_NS: u64 = 4_000_000_000;

/// Everything that a report is made from.
#[derive(Default)]
pub struct Facts {
    /// What text made of these facts is in.
    pub language: Language,
    /// The protocol's title.
    pub title: String,
    /// The protocol's name.
    pub protocol: String,
    /// Where the protocol's parameters come from.
    pub source: String,
    /// The bundles, in the order in which they were given.
    pub runs: Vec<RunFacts>,
    /// In the plan's order.
    pub subjects: Vec<String>,
    /// Index of the subject that the brief is about and that tables compare the others with: the
    /// first of the plan, or the one that brief.toml names.
    pub headline_subject: usize,
    /// The drives of each subject, as the plan names them.
    pub drives: Vec<Vec<String>>,
    /// The run that each subject is of, by its index.
    pub run_of: Vec<usize>,
    /// Each subject's name in its own run.
    pub own_names: Vec<String>,
    /// What whoever publishes it declares beside the figures.
    pub declared: Declaration,
    /// What subjects are masked by.
    pub mask: Mask,
    /// Differences that are the question: paths of the plan, or "host".
    pub vary: Vec<String>,
    /// What is compared, where it was asked for; the figures that a step leads with otherwise.
    pub metrics: Vec<MetricRequest>,
    /// Pairs of subjects that may not be compared.
    pub barred: Vec<Barred>,
    /// The steps that were measured, in the protocol's order.
    pub steps: Vec<StepFacts>,
    /// Steps that looked whether the data are right and measured nothing.
    pub checks: Vec<StepFacts>,
    /// Points that ended early.
    pub failures: Vec<EarlyEnd>,
    /// What was done to the drives before, with the index of their subject.
    pub prepared: Vec<(usize, PreparationStep)>,
    /// Facts of hosts, drives and engines, by heading.
    pub disclosure: Vec<DisclosureGroup>,
    /// Every comparison, as one family.
    pub comparisons: Vec<Comparison>,
    /// The bundles as hosts that began at one time; empty where they did not.
    pub hosts: Vec<JointHost>,
    /// Every point of theirs, summed where that may be.
    pub joints: Vec<Joint>,
}

/// One bundle.
pub struct RunFacts {
    /// The bundle's file name.
    pub file: String,
    /// When the run began, nanoseconds since 1970 (UTC).
    pub started_unix_ns: u64,
    /// Version of the Dyno that measured.
    pub dyno_version: String,
    /// Repeats of each point that the plan asks for.
    pub repeats: u32,
    /// What half the headline figure's interval was to come down to, in percent, by up to so many
    /// repeats.
    pub until_percent: Option<f64>,
    /// In which order subjects took turns.
    pub order: Order,
    /// Of an engine that takes no time, in open loop, as it was measured when the run began.
    pub pacing_floor: Option<PacingFloor>,
    /// The resolved plan, and the same as JSON, from which the run can be repeated.
    pub resolved: Plan,
    /// The resolved plan as JSON.
    pub plan: String,
}

impl RunFacts {
    /// Whether another tool or a publication reports it, and Dyno did not measure it.
    pub fn is_imported(&self) -> bool {
        self.resolved.imported.is_some()
    }
}

/// One step over all subjects and axis values.
pub struct StepFacts {
    /// The step's name.
    pub name: String,
    /// What a brief calls it.
    pub title: String,
    /// Its figures are those of another tool or of a publication.
    pub imported: bool,
    /// What it is swept along; None where nothing is.
    pub axis: Option<AxisFacts>,
    /// The search for the most load within a latency limit, where the sweep is one.
    pub search: Option<Search>,
    /// What its protocol leads with here, where it says so.
    pub headline: Option<MetricRequest>,
    /// Where along the axis it is looked at.
    pub place: AxisPlace,
    /// Names of the figures that its source prints.
    pub figures: Vec<String>,
    /// Ascending; one without a number where nothing is swept.
    pub values: Vec<AxisPosition>,
    /// The class whose latency the figures show.
    pub class: Option<Class>,
    /// How requests became due; None where the source of imported figures does not say. Open where
    /// some headline stream was asked for a rate, so that latency and not throughput distinguishes
    /// the subjects.
    pub loop_kind: Option<LoopKind>,
    /// What its latencies are counted from; None where the source does not say.
    pub timing: Option<Timing>,
    /// A stream runs more than once on a drive, so its numbers are sums and its histograms are
    /// merged.
    pub instances: bool,
    /// Length of the measured window, nanoseconds; None where it is not given.
    pub window_ns: Option<u64>,
    /// Length of the warm-up, nanoseconds; None where it is not given.
    pub warmup_ns: Option<u64>,
    /// One for each subject and axis value that was measured.
    pub cells: Vec<CellFacts>,
    /// Index of the axis value that stands for the step where only one can be drawn.
    pub lead: usize,
    /// Where the cell of (subject, value) is.
    pub(super) index: HashMap<(usize, usize), usize>,
}

/// One subject at one axis value, over all repeats.
pub struct CellFacts {
    /// Index of the subject.
    pub subject: usize,
    /// Index of the axis value.
    pub value: usize,
    /// The numbers of the repeats that were measured to the end.
    pub repeats: Vec<u32>,
    /// Of each of these, its place in the order of its block; none where the subjects did not take
    /// turns.
    pub places: Vec<Option<u32>>,
    /// Index of the bundle that the points are in.
    pub bundle: usize,
    /// The headline streams together; none if every repeat failed.
    pub total: Option<RepeatSummary>,
    /// Each stream by name, whether it counts in the headline, and its numbers.
    pub streams: Vec<(String, bool, RepeatSummary)>,
    /// The headline streams on each drive of a group, by its index; empty for a single drive.
    pub drives: Vec<(u32, RepeatSummary)>,
    /// The same of each copy of the streams, by drive and instance; empty where there is one.
    pub instances: Vec<((u32, u32), RepeatSummary)>,
    /// What the servers that Dyno started had of the machine, in the first repeat.
    pub servers: Vec<ServerShare>,
    /// Whether ops/s rose or fell over the windows of its repeats.
    pub drift: Drift,
    /// One for each class of power and instrument, in the order of the plan's meters.
    pub power: Vec<PowerFacts>,
    /// What limited it; none where nothing watched.
    pub limit: Option<bottleneck::BottleneckVerdict>,
    /// Its slowest ops, by their cause.
    pub outliers: Outliers,
    /// Why nothing is claimed of it, or only a bound.
    pub caveats: Vec<Caveat>,
    /// (seconds, watts) and (seconds, degrees Celsius) beside `over_time`.
    pub watts_over_time: Vec<(f64, f64)>,
    /// (seconds, degrees Celsius) of the hottest gauge.
    pub celsius_over_time: Vec<(f64, f64)>,
    /// (seconds, ops/s) of the headline streams in the first repeat; only for the step's lead
    /// value.
    pub over_time: Vec<(f64, f64)>,
}

impl CellFacts {
    /// Its power by one instrument, where it was measured by it.
    pub fn power_by(&self, by: &Instrument) -> Option<&PowerFacts> {
        self.power.iter().find(|p| p.class == by.class && p.kind == by.kind)
    }

    /// Something other than the drive is known to have set its numbers.
    pub fn is_not_the_drives(&self) -> bool {
        self.not_the_drive().is_some()
    }

    /// Whether any of its streams, background ones too, fell short of the rate it was asked for.
    pub fn missed_its_rate(&self) -> bool {
        self.streams.iter().any(|(.., s)| s.achieved().is_some_and(|a| a < RATE_KEPT))
    }
}

/// A point that ended early.
pub struct EarlyEnd {
    /// Index of the subject.
    pub subject: usize,
    /// Name of the step.
    pub step: String,
    /// The axis value, as it is printed.
    pub at: String,
    /// The repeat, from 1.
    pub repeat: u32,
    /// What failed, as the point has it.
    pub cause: String,
}

/// One heading of the disclosure with its rows.
pub struct DisclosureGroup {
    /// The heading, with the subject or run it is of.
    pub name: String,
    /// Names and values, in the order in which they were gathered.
    pub rows: Vec<(String, String)>,
}

impl Facts {
    /// Whether there are so many subjects that models are compared, and no pairs of subjects: of
    /// hundreds there would be tens of thousands, whose intervals hold together and show nothing.
    pub fn is_fleet(&self) -> bool {
        self.subjects.len() > MOST_SUBJECTS
    }

    /// The subjects that the one of the brief is compared with.
    pub fn rivals(&self) -> impl Iterator<Item = usize> + Clone + use<> {
        let own = self.headline_subject;
        (0..self.subjects.len()).filter(move |subject| *subject != own)
    }

    /// Whether Dyno measured none of it.
    pub fn is_imported(&self) -> bool {
        !self.runs.is_empty() && self.runs.iter().all(RunFacts::is_imported)
    }

    /// The values of a step's axis, by index, at which a point of a subject failed, in one repeat
    /// or in any.
    pub fn failed(
        &self,
        step: &StepFacts,
        subject: usize,
        repeat: Option<u32>,
    ) -> impl Iterator<Item = usize> {
        let of = move |failure: &&EarlyEnd| {
            failure.subject == subject
                && failure.step == step.title
                && repeat.is_none_or(|repeat| failure.repeat == repeat)
        };
        self.failures
            .iter()
            .filter(of)
            .filter_map(|f| step.values.iter().position(|value| value.label == f.at))
    }

    /// Why two subjects may not be compared in a step, where that is so.
    pub fn bar(&self, step: usize, a: usize, b: usize) -> Option<&Barred> {
        let pair = (a.min(b), a.max(b));
        self.barred.iter().find(|bar| bar.pair == pair && bar.step.is_none_or(|s| s == step))
    }

    /// The cells of one step for a subject, by axis value.
    pub fn cells_of<'a>(&self, step: &'a StepFacts, subject: usize) -> Vec<Option<&'a CellFacts>> {
        (0..step.values.len()).map(|value| step.cell(subject, value)).collect()
    }
}

impl StepFacts {
    /// Whether a rate was asked for, so that its latencies are response times.
    pub fn is_open_loop(&self) -> bool {
        self.loop_kind == Some(LoopKind::Open)
    }

    /// Whether its windows are too short to be tested for drift. What was imported has no seconds
    /// to test at all.
    pub fn is_untested_for_drift(&self) -> bool {
        let untested = |c: &CellFacts| c.total.is_some() && c.drift == Drift::TooShort;
        let short = self.window_ns.is_some_and(|ns| (1..TESTED_NS).contains(&ns));
        short && !self.imported && self.cells.iter().any(untested)
    }

    /// Whether anything is known of the latencies of its class.
    pub fn has_latencies(&self) -> bool {
        let classes = || self.cells.iter().filter_map(|c| c.total.as_ref()?.class(self.class));
        classes().map(|class| class.user_latency()).any(|latency| {
            latency.mean_ns.is_some() || latency.percentiles_ns.iter().any(Option::is_some)
        })
    }

    /// Whether the drive did not limit one of its points.
    pub fn has_marks(&self) -> bool {
        self.cells.iter().any(CellFacts::is_not_the_drives)
    }

    /// The cell of a subject at an axis value, by their indices.
    pub fn cell(&self, subject: usize, value: usize) -> Option<&CellFacts> {
        self.index.get(&(subject, value)).map(|at| &self.cells[*at])
    }

    /// What the axis counts, for a column's head.
    pub fn axis_text(&self, l: Language) -> String {
        self.axis.as_ref().map_or(String::new(), |axis| field_text(l, axis.field))
    }
}
