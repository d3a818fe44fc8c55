//! What a report may say: bundles read once and turned into plain structs. The only place of the report that queries;
//! everything behind it is a pure function of `Facts`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use crate::base::error::{Context, Result, failed};
use crate::base::histogram::Histogram;
use crate::plan::search::Search;
use crate::plan::{Field, Order, PointKey, Step};
use crate::record::{AtRest, Class, Fact, Outcome, Point, Prepared, Told};
use crate::stats::{estimate, limit, trend};
use crate::store::{Bundle, StoredPoint};

pub use super::axis::{AxisFacts, AxisValue, field_label};
use super::fairness::{self, Unfair};
use super::metered::{self, Metered};
use super::power::PowerFacts;
use super::reading::{P99, PERCENTILES, RATE_KEPT, Reading, Summary, series_of, summarise};

/// Interval histograms that are read for the intervals of p99: as many as take about half a second.
const MOST_INTERVALS: usize = 20_000;

/// Everything that a report is made from.
pub struct Facts {
    pub title: String,
    pub protocol: String,
    pub source: String,
    pub runs: Vec<RunFacts>,
    /// In the plan's order; the first is the one that the others are held against.
    pub subjects: Vec<String>,
    /// The drives of each subject, as the plan names them.
    pub drives: Vec<Vec<String>>,
    /// The run that each subject is of, by its index.
    pub run_of: Vec<usize>,
    /// Subjects that were not treated alike.
    pub unfair: Vec<Unfair>,
    pub steps: Vec<StepFacts>,
    /// Steps that looked whether the data are right and measured nothing.
    pub checks: Vec<StepFacts>,
    pub failures: Vec<Failure>,
    /// What was done to the drives before, with the index of their subject.
    pub prepared: Vec<(usize, Prepared)>,
    pub disclosure: Vec<Group>,
}

/// One bundle.
pub struct RunFacts {
    pub file: String,
    pub started_unix_ns: u64,
    pub dyno_version: String,
    pub repeats: u32,
    /// What half the headline figure's interval was to come down to, in percent, by up to so many repeats.
    pub until_percent: Option<f64>,
    pub order: Order,
    /// The resolved plan as JSON, from which the run can be repeated.
    pub plan: String,
}

/// One step over all subjects and axis values.
pub struct StepFacts {
    pub name: String,
    pub title: String,
    pub axis: Option<AxisFacts>,
    pub search: Option<Search>,
    /// Ascending; one without a number where nothing is swept.
    pub values: Vec<AxisValue>,
    /// The class whose latency the figures show.
    pub class: Option<Class>,
    /// Some headline stream was asked for a rate, so latency and not throughput tells the subjects apart.
    pub open_loop: bool,
    /// A stream runs more than once on a drive, so its numbers are sums and its histograms are merged.
    pub instances: bool,
    pub window_ns: u64,
    pub warmup_ns: u64,
    pub cells: Vec<CellFacts>,
    /// Index of the axis value that stands for the step where only one can be drawn.
    pub lead: usize,
}

/// One subject at one axis value, over all repeats.
pub struct CellFacts {
    pub subject: usize,
    pub value: usize,
    /// The numbers of the repeats that were measured to the end.
    pub repeats: Vec<u32>,
    /// Whether the repeats were measured in turn with those of the other subjects.
    pub interleaved: bool,
    pub bundle: usize,
    /// The headline streams together; none if every repeat failed.
    pub total: Option<Summary>,
    pub streams: Vec<(String, bool, Summary)>,
    /// The headline streams on each drive of a group, by its index; empty for a single drive.
    pub drives: Vec<(u32, Summary)>,
    /// By how much ops/s rose or fell over the window, where that is beyond chance; looked for where there is one repeat,
    /// and at the step's lead value.
    pub drift_percent: Option<f64>,
    /// One for each class of power and instrument, in the order of the plan's meters.
    pub power: Vec<PowerFacts>,
    /// What limited it; none where nothing watched.
    pub limit: Option<limit::Verdict>,
    /// (seconds, watts) and (seconds, degrees Celsius) beside `over_time`.
    pub watts_over_time: Vec<(f64, f64)>,
    pub celsius_over_time: Vec<(f64, f64)>,
    /// (seconds, ops/s) of the headline streams in the first repeat; only for the step's lead value.
    pub over_time: Vec<(f64, f64)>,
}

impl CellFacts {
    /// Whether any of its streams, background ones too, fell short of the rate it was asked for.
    pub fn missed_its_rate(&self) -> bool {
        self.streams.iter().any(|(.., s)| s.achieved().is_some_and(|a| a < RATE_KEPT))
    }
}

/// A point that ended early.
pub struct Failure {
    pub subject: String,
    pub step: String,
    pub at: String,
    pub repeat: u32,
    pub cause: String,
}

/// One heading of the disclosure with its rows.
pub struct Group {
    pub name: String,
    pub rows: Vec<(String, String)>,
}

/// One measured point, reduced to numbers, and where its intervals are.
struct Measured {
    bundle: usize,
    id: i64,
    subject: usize,
    /// As in the bundle.
    subject_name: String,
    step: String,
    value: AxisValue,
    repeat: u32,
    reading: Reading,
    metered: Metered,
}

impl Facts {
    /// Reads bundles. Steps of the same name are laid over one another; subjects that share a name keep apart.
    pub fn load(paths: &[PathBuf]) -> Result<Facts> {
        if paths.is_empty() {
            return Err(failed("no bundle was named", "name one or more bundles, as in `dyno show result.dyno`"));
        }
        let open = |path: &PathBuf| Bundle::open(path).with_context(|| format!("opening {}", path.display()));
        let bundles = paths.iter().map(open).collect::<Result<Vec<_>>>()?;
        Facts::from_bundles(&bundles, paths)
    }

    fn from_bundles(bundles: &[Bundle], paths: &[PathBuf]) -> Result<Facts> {
        let first = &bundles[0].run().plan.protocol;
        let mut facts = Facts {
            title: first.title.clone(),
            protocol: first.name.clone(),
            source: first.source.clone(),
            runs: Vec::new(),
            subjects: Vec::new(),
            drives: Vec::new(),
            run_of: Vec::new(),
            unfair: Vec::new(),
            steps: Vec::new(),
            checks: Vec::new(),
            failures: Vec::new(),
            prepared: Vec::new(),
            disclosure: Vec::new(),
        };
        let mut measured = Vec::new();
        for (index, (bundle, path)) in bundles.iter().zip(paths).enumerate() {
            let names = facts.add_run(bundles, bundle, path)?;
            let told = bundle.told()?;
            for stored in bundle.points().with_context(|| format!("reading {}", path.display()))? {
                let Some(subject) = names.iter().position(|(name, _)| *name == stored.point.key.subject) else {
                    continue;
                };
                let subject = names[subject].1;
                facts.note_engine_facts(subject, &stored.point);
                let mut taken = facts.take(index, stored.id, subject, &stored.point);
                if let (Some(taken), Some(told)) = (&mut taken, told.get(&stored.id)) {
                    taken.reading.tell(told);
                }
                if let Some(taken) = &mut taken {
                    taken.metered = Metered::of(bundle, stored.id, &stored.point, &taken.reading)?;
                }
                measured.extend(taken);
            }
        }
        metered::agree(measured.iter_mut().map(|m| ((m.bundle, m.subject), &mut m.metered)));
        facts.fill_steps(bundles, &measured)?;
        facts.unfair = fairness::unfair(&facts);
        Ok(facts)
    }

    /// Adds a bundle's subjects, steps and disclosure; returns its subjects' names with their index here.
    fn add_run(&mut self, all: &[Bundle], bundle: &Bundle, path: &Path) -> Result<Vec<(String, usize)>> {
        let run = bundle.run();
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let plan = serde_json::to_string_pretty(&run.plan).context("writing the plan as JSON")?;
        self.runs.push(RunFacts {
            file: file.clone(),
            started_unix_ns: run.started_unix_ns,
            dyno_version: run.dyno_version.clone(),
            repeats: run.plan.repeats,
            until_percent: run.plan.until.map(|u| u.percent),
            order: run.plan.order,
            plan,
        });
        let mut names = Vec::new();
        for subject in &run.plan.subjects {
            let holders = all.iter().filter(|b| b.run().plan.subjects.iter().any(|s| s.name == subject.name)).count();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let label = if holders > 1 { format!("{} ({stem})", subject.name) } else { subject.name.clone() };
            names.push((subject.name.clone(), self.subjects.len()));
            self.subjects.push(label);
            self.run_of.push(self.runs.len() - 1);
            let drives = subject.drives.iter().map(|d| d.place.path().display().to_string());
            self.drives.push(drives.collect());
        }
        for step in &run.plan.protocol.steps {
            if !self.steps.iter().any(|s| s.name == step.name) {
                self.steps.push(StepFacts::of(step));
            }
        }
        for fact in bundle.facts()? {
            self.disclose(&fact, if all.len() > 1 { Some(&file) } else { None });
        }
        for prepared in bundle.prepared()? {
            let subject = names.iter().find(|(name, _)| *name == prepared.subject);
            self.prepared.extend(subject.map(|(_, index)| (*index, prepared.clone())));
        }
        Ok(names)
    }

    fn disclose(&mut self, fact: &Fact, file: Option<&str>) {
        let name = file.map_or_else(|| fact.group.clone(), |f| format!("{} ({f})", fact.group));
        let row = (fact.name.clone(), fact.value.clone());
        match self.disclosure.iter_mut().find(|g| g.name == name) {
            Some(group) if group.rows.contains(&row) => {}
            Some(group) => group.rows.push(row),
            None => self.disclosure.push(Group { name, rows: vec![row] }),
        }
    }

    /// What engines told at a point; the last point of a step and subject stands for all.
    fn note_engine_facts(&mut self, subject: usize, point: &Point) {
        for fact in &point.facts {
            let name = format!("{}: {}, {}", fact.group, self.subjects[subject], point.key.step);
            let row = (fact.name.clone(), fact.value.clone());
            let group = match self.disclosure.iter().position(|g| g.name == name) {
                Some(found) => found,
                None => {
                    self.disclosure.push(Group { name, rows: Vec::new() });
                    self.disclosure.len() - 1
                }
            };
            let rows = &mut self.disclosure[group].rows;
            match rows.iter_mut().find(|(n, _)| *n == row.0) {
                Some(old) => *old = row,
                None => rows.push(row),
            }
        }
    }

    fn take(&mut self, bundle: usize, id: i64, subject: usize, point: &Point) -> Option<Measured> {
        let step = self.steps.iter_mut().find(|s| s.name == point.key.step)?;
        let value = AxisValue::of(point.key.axis.as_ref());
        if step.axis.is_none() {
            step.axis = point.key.axis.as_ref().map(|a| AxisFacts { name: a.name.clone(), field: a.field });
        }
        if !step.values.contains(&value) {
            step.values.push(value.clone());
        }
        match &point.outcome {
            Outcome::Measured => {
                let reading = Reading::of(point);
                let PointKey { subject: subject_name, step, repeat, .. } = point.key.clone();
                Some(Measured {
                    bundle,
                    id,
                    subject,
                    subject_name,
                    step,
                    value,
                    repeat,
                    reading,
                    metered: Metered::default(),
                })
            }
            Outcome::Failed { cause } => {
                self.failures.push(Failure {
                    subject: self.subjects[subject].clone(),
                    step: step.title.clone(),
                    at: value.label,
                    repeat: point.key.repeat,
                    cause: cause.clone(),
                });
                None
            }
        }
    }

    fn fill_steps(&mut self, bundles: &[Bundle], measured: &[Measured]) -> Result<()> {
        for step in &mut self.steps {
            step.values.sort_by(|a, b| a.number.total_cmp(&b.number));
            let mut groups: BTreeMap<(usize, usize), Vec<&Measured>> = BTreeMap::new();
            for m in measured.iter().filter(|m| m.step == step.name) {
                let value = step.values.iter().position(|v| *v == m.value).unwrap_or(0);
                groups.entry((value, m.subject)).or_default().push(m);
            }
            step.lead = lead_of(&groups);
            let seconds = (step.window_ns / 1_000_000_000) as usize;
            let single = groups.values().filter(|group| group.len() == 1).count();
            let affordable = single * seconds <= MOST_INTERVALS;
            for value in 0..step.values.len() {
                for subject in 0..self.subjects.len() {
                    let Some(group) = groups.get(&(value, subject)) else { continue };
                    let mut made = cell(bundles, group, subject, value, value == step.lead)?;
                    if let ([only], true) = (&group[..], affordable) {
                        p99_over_time(&bundles[only.bundle], only, &mut made)?;
                    }
                    step.cells.push(made);
                }
            }
            step.class = lead_class(&step.cells);
            step.open_loop = step.cells.iter().any(|c| c.total.as_ref().is_some_and(|t| t.asked.is_some()));
        }
        self.steps.retain(|step| !step.values.is_empty());
        let steps = std::mem::take(&mut self.steps);
        (self.checks, self.steps) = steps.into_iter().partition(|step| step.class == Some(Class::Check));
        Ok(())
    }

    /// The name of a cell's subject, marked where the drive did not limit it.
    pub fn name(&self, cell: &CellFacts) -> String {
        cell.marked(self.subjects[cell.subject].clone())
    }

    /// The cells of one step for a subject, by axis value.
    pub fn cells_of<'a>(&self, step: &'a StepFacts, subject: usize) -> Vec<Option<&'a CellFacts>> {
        (0..step.values.len()).map(|value| step.cell(subject, value)).collect()
    }
}

/// A point as it stands in its bundle.
pub struct Stored<'a> {
    /// The bundle's file.
    pub file: &'a str,
    pub bundle: &'a Bundle,
    pub point: &'a StoredPoint,
    /// What another tool told of it.
    pub told: &'a [Told],
    pub metered: &'a Metered,
}

/// Hands over every point of the bundles, for exports that want them as they are.
pub fn each_point(paths: &[PathBuf], visit: &mut dyn FnMut(&Stored<'_>) -> Result<()>) -> Result<()> {
    for path in paths {
        let bundle = Bundle::open(path).with_context(|| format!("opening {}", path.display()))?;
        let told = bundle.told()?;
        let file = path.display().to_string();
        let points = bundle.points().with_context(|| format!("reading {}", path.display()))?;
        let of = |p: &StoredPoint| Metered::of(&bundle, p.id, &p.point, &Reading::of(&p.point));
        let mut metered = points.iter().map(of).collect::<Result<Vec<_>>>()?;
        let subject = |p: &StoredPoint| p.point.key.subject.clone();
        metered::agree(points.iter().map(subject).zip(&mut metered));
        for (point, metered) in points.iter().zip(&metered) {
            let told = told.get(&point.id).map_or(&[][..], Vec::as_slice);
            visit(&Stored { file: &file, bundle: &bundle, point, told, metered })?;
        }
    }
    Ok(())
}

/// The axis value at which the first subject did most.
fn lead_of(groups: &BTreeMap<(usize, usize), Vec<&Measured>>) -> usize {
    let first = groups.keys().map(|(_, subject)| *subject).min();
    let of_first = groups.iter().filter(|((_, subject), _)| Some(*subject) == first);
    let best = of_first.max_by(|a, b| a.1[0].reading.total.ops_per_s.total_cmp(&b.1[0].reading.total.ops_per_s));
    best.map_or(0, |((value, _), _)| *value)
}

/// Reads if there are any, as the readers of a brief expect; otherwise the class with the most ops.
fn lead_class(cells: &[CellFacts]) -> Option<Class> {
    let classes = || cells.iter().filter_map(|c| c.total.as_ref()).flat_map(|t| &t.classes);
    if let Some(lead) = [Class::Read, Class::NewOrder].into_iter().find(|lead| classes().any(|c| c.class == *lead)) {
        return Some(lead);
    }
    classes().max_by_key(|c| c.ops).map(|c| c.class)
}

fn cell(bundles: &[Bundle], group: &[&Measured], subject: usize, value: usize, lead: bool) -> Result<CellFacts> {
    let first = group[0];
    let wants_series = group.len() == 1 || lead;
    let series = if wants_series {
        let rates = bundles[first.bundle].rates(first.id)?;
        series_of(&rates, &|stream| first.reading.is_headline(stream))
    } else {
        Vec::new()
    };
    let per_second: Vec<f64> = series.iter().map(|(_, ops)| *ops).collect();
    let readings: Vec<&Reading> = group.iter().map(|m| &m.reading).collect();
    let totals: Vec<_> = readings.iter().map(|r| &r.total).collect();
    let mut streams = Vec::new();
    for (name, headline, _) in &first.reading.streams {
        let of_stream: Vec<_> = readings.iter().filter_map(|r| r.stream(name)).collect();
        streams.extend(summarise(&of_stream, &[]).map(|s| (name.clone(), *headline, s)));
    }
    let mut drives = Vec::new();
    for (drive, _) in &first.reading.drives {
        let own = readings.iter().flat_map(|r| &r.drives).filter(|(d, _)| d == drive);
        let numbers: Vec<_> = own.map(|(_, n)| n).collect();
        drives.extend(summarise(&numbers, &[]).map(|s| (*drive, s)));
    }
    let total = summarise(&totals, &per_second);
    let repeats: Vec<&Metered> = group.iter().map(|m| &m.metered).collect();
    let rest: Vec<AtRest> = bundles[first.bundle].facts()?.iter().filter_map(AtRest::of_fact).collect();
    let power = total.as_ref().map(|t| metered::power(&repeats, t, &first.subject_name, &rest)).unwrap_or_default();
    let aligned = |series: &super::power::Series| series.aligned(first.metered.window_s);
    let own_watts = first.metered.power.first().filter(|_| lead);
    Ok(CellFacts {
        subject,
        value,
        repeats: group.iter().map(|m| m.repeat).collect(),
        interleaved: bundles[first.bundle].run().plan.order == Order::Interleaved,
        bundle: first.bundle,
        total,
        power,
        limit: metered::verdict_of(&repeats),
        watts_over_time: own_watts.map(aligned).unwrap_or_default(),
        celsius_over_time: if lead { first.metered.celsius.clone() } else { Vec::new() },
        drift_percent: trend::drift_percent(&per_second),
        streams,
        drives,
        over_time: if lead { series } else { Vec::new() },
    })
}

/// With one repeat, p99 takes its interval from the seconds of that repeat.
fn p99_over_time(bundle: &Bundle, point: &Measured, cell: &mut CellFacts) -> Result<()> {
    let Some(total) = &mut cell.total else { return Ok(()) };
    let mut seconds: BTreeMap<(Class, u64), Histogram> = BTreeMap::new();
    for interval in bundle.intervals(point.id)? {
        if !point.reading.is_headline(&interval.stream) {
            continue;
        }
        let middle_ns = interval.start_ns / 2 + interval.end_ns / 2;
        let times = interval.response.as_ref().unwrap_or(&interval.service);
        match seconds.entry((interval.class, middle_ns / 1_000_000_000)) {
            Entry::Occupied(held) => held.into_mut().merge(times),
            Entry::Vacant(free) => {
                free.insert(times.clone());
            }
        }
    }
    for class in &mut total.classes {
        let own: Vec<&Histogram> = seconds.iter().filter(|((c, _), _)| *c == class.class).map(|(_, h)| h).collect();
        let times = class.response.as_mut().unwrap_or(&mut class.service);
        if let Some(p99) = &mut times.percentiles_ns[P99] {
            let made = estimate::percentile_from_intervals(p99.value, &own, PERCENTILES[P99].1, "ns");
            *p99 = made.unwrap_or_else(|| p99.clone());
        }
    }
    Ok(())
}

impl StepFacts {
    fn of(step: &Step) -> StepFacts {
        let title = if step.title.is_empty() { step.name.clone() } else { step.title.clone() };
        StepFacts {
            name: step.name.clone(),
            title,
            axis: None,
            search: step.sweep.as_ref().and_then(|sweep| sweep.search.clone()),
            values: Vec::new(),
            class: None,
            open_loop: false,
            instances: step.streams.iter().any(|s| s.instances > 1)
                || step.sweep.as_ref().is_some_and(|s| s.field == Field::Instances),
            window_ns: step.duration_ns,
            warmup_ns: step.warmup_ns,
            cells: Vec::new(),
            lead: 0,
        }
    }

    pub fn cell(&self, subject: usize, value: usize) -> Option<&CellFacts> {
        self.cells.iter().find(|c| c.subject == subject && c.value == value)
    }

    /// What the axis counts, in words for a heading.
    pub fn axis_label(&self) -> &'static str {
        self.axis.as_ref().map_or("", |axis| field_label(axis.field))
    }
}
