//! Bundles gathered into facts: all runs first, then every point, reduced to numbers immediately,
//! then the comparisons.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::facts::{
    AxisFacts, AxisPosition, CellCost, CellFacts, DisclosureGroup, EarlyEnd, Facts, GroupOwner,
    PreparedFacts, ProtocolFacts, ReportStatements, RunFacts, StepFacts, SubjectFacts,
};
use super::question::{self, Question};
use crate::analysis::bare_step::{imported as imported_step, planned};
use crate::analysis::claim::lead;
use crate::analysis::claim::published::is_published;
use crate::analysis::conclusions;
use crate::analysis::hosts::Gathered;
use crate::analysis::keys::{Keyed, RunKey, StepKey, SubjectKey, TestKey, ValueKey};
use crate::analysis::limits::device_errors;
use crate::analysis::limits::meter_facts::{self, Metered};
use crate::analysis::limits::power::Series;
use crate::analysis::limits::slow_commands::SlowCommands;
use crate::analysis::limits::writes::CellWrites;
use crate::analysis::merged::{MergedRuns, SubjectOfRun};
use crate::analysis::outliers::Outliers;
use crate::analysis::points::metric::Metric;
use crate::analysis::points::point_numbers::{PointSummary, series_of};
use crate::analysis::points::point_summary::{RepeatSummary, summarise};
use crate::analysis::points::replay::PointReplay;
use crate::analysis::sessions::JoinedRuns;
use crate::analysis::title::{PlanText, ProtocolTitle};
use dyno_core::base::error::{Context, Result, failed};
use dyno_core::plan::specification::{Specification, Specifications};
use dyno_core::plan::{Axis, LoopKind, Plan, PointIndex, Step, SweptKnob, Timing};
use dyno_core::record::key::load;
use dyno_core::record::setup::DriveSetup;
use dyno_core::record::{
    Accelerators, Class, Fact, IdlePower, Mask, Observed, Outcome, PacingFloor, Point,
    PointContents, RunContents, SelfTest, VectorSearch, Verified, observed,
};
use dyno_core::stats::runs::trend::Drift;

/// One measured point, reduced to numbers.
struct Measured {
    run: RunKey,
    subject: SubjectKey,
    /// The subject's name, as stored in the bundle.
    subject_name: String,
    /// Bits of the axis value's number.
    value: u64,
    repeat: u32,
    place: Option<u32>,
    session: u32,
    summary: PointSummary,
    /// ops/s of the headline streams, second by second.
    series: Vec<(f64, f64)>,
    metered: Metered,
    outliers: Outliers,
    replay: PointReplay,
    accelerators: Vec<Accelerators>,
    searches: Vec<VectorSearch>,
}

/// The points in a run's plan.
struct PlannedRun {
    /// Its subjects by name, each with the number of its repeats in earlier runs.
    subjects: HashMap<String, (SubjectKey, u32)>,
    /// The order of measurement.
    places: PointIndex,
    /// The swept knobs by step.
    knobs: HashMap<String, SweptKnob>,
}

impl PlannedRun {
    fn of(plan: &Plan, subjects: HashMap<String, (SubjectKey, u32)>) -> PlannedRun {
        let knob = |step: &Step| Some((step.name.clone(), step.sweep.as_ref()?.knob.clone()?));
        let knobs = plan.protocol.steps.iter().filter_map(knob).collect();
        PlannedRun { subjects, places: PointIndex::of(plan), knobs }
    }
}

/// Gathers bundles: all runs first, then every point, then the comparisons.
pub struct Gathering {
    facts: Facts,
    /// Points by step.
    measured: Keyed<StepKey, Vec<Measured>>,
    planned: Keyed<RunKey, PlannedRun>,
    idle: Keyed<RunKey, Vec<IdlePower>>,
    /// The steps by test and name in the plan.
    steps: HashMap<(TestKey, String), StepKey>,
    seen: HashSet<(StepKey, u64)>,
    groups: HashMap<(GroupOwner, String), usize>,
    /// Blocks verified for each subject and step.
    verified: HashMap<(SubjectKey, String), Verified>,
    hosts: Gathered,
    joined: JoinedRuns,
    merged: MergedRuns,
}

impl Gathering {
    /// Steps of one test with the same name are combined; subjects of the same name stay separate,
    /// unless their bundles are sessions of one, or different tests of the same drives.
    pub fn new(runs: &[RunContents], question: &Question) -> Result<Gathering> {
        if runs.is_empty() {
            return Err(failed(
                "no bundle was named",
                "specify one or more bundles, as in `dyno show result.dyno`",
            ));
        }
        let plans: Vec<&Plan> = runs.iter().map(|r| &r.run.plan).collect();
        question.metrics.iter().try_for_each(|asked| asked.check(&plans))?;
        let merged = MergedRuns::of(runs, &question.same)?;
        let first_of = |test| merged.tests.iter().zip(runs).find(|(own, _)| **own == test);
        let tests = (0..runs.len()).map_while(|test| Some(protocol(first_of(TestKey(test))?.1)));
        let facts = Facts {
            tests: tests.collect(),
            statements: ReportStatements {
                declared: question::declared(&plans),
                specifications: Specifications::new(),
                mask: Mask::default(),
                vary: question.vary.clone(),
                metrics: question.metrics.clone(),
            },
            ..Facts::default()
        };
        let mut gathering = Gathering {
            facts,
            measured: Keyed::new(),
            planned: Keyed::new(),
            idle: Keyed::new(),
            steps: HashMap::new(),
            seen: HashSet::new(),
            groups: HashMap::new(),
            verified: HashMap::new(),
            hosts: Gathered::new(runs),
            joined: match question.joins_sessions {
                true => JoinedRuns::of(runs),
                false => JoinedRuns::apart(runs),
            },
            merged,
        };
        for run in runs {
            gathering.run(run, runs, &question.subjects)?;
        }
        gathering.name_steps();
        Ok(gathering)
    }

    fn run(
        &mut self,
        contents: &RunContents,
        all: &[RunContents],
        wanted: &[(usize, String)],
    ) -> Result<()> {
        let RunContents { file, run, setup, prepared } = contents;
        let noted = &setup.facts;
        let test = self.merged.tests[self.facts.setup.runs.next_key()];
        let facts = &mut self.facts;
        let index = facts.setup.runs.push_and_get_key(RunFacts {
            file: file.clone(),
            test,
            started_unix_ns: run.started_unix_ns,
            dyno_version: run.dyno_version.clone(),
            repeats: run.plan.repeats,
            until_percent: run.plan.until.map(|u| u.percent),
            order: run.plan.order,
            shares_device: RunFacts::shares_device(&run.plan, noted),
            host: setup.host.clone(),
            pacing_floor: observed::all::<PacingFloor>(&setup.observed).next().copied(),
            self_tests: observed::all::<SelfTest>(&setup.observed).map(SelfTest::summary).collect(),
            plan: serde_json::to_string_pretty(&run.plan).context("writing the plan as JSON")?,
            resolved: run.plan.clone(),
        });
        for own in &run.plan.vary {
            if !facts.statements.vary.contains(own) {
                facts.statements.vary.push(own.clone());
            }
        }
        let mut names = HashMap::new();
        let is_wanted = |name: &str| {
            wanted.is_empty() || wanted.iter().any(|(r, n)| *r == index.0 && n == name)
        };
        for subject in run.plan.subjects.iter().filter(|s| is_wanted(&s.name)) {
            if let Some((first, repeats)) = self.joined.earlier(index.0, &subject.name) {
                let known = self.planned[RunKey(first)].subjects.get(&subject.name);
                if let Some(&(key, _)) = known {
                    let own = &mut facts.subjects[key];
                    match own.elsewhere.iter_mut().find(|other| other.test == test) {
                        Some(other) => other.runs.push(index),
                        None => own.runs.push(index),
                    }
                    names.insert(subject.name.clone(), (key, repeats));
                }
                continue;
            }
            let merged = self.merged.earlier(index.0, &subject.name);
            let of_earlier =
                |(run, name): &SubjectOfRun| self.planned[RunKey(*run)].subjects.get(name).copied();
            let known = merged.and_then(of_earlier).map(|(key, _)| key);
            // Apart from those of which this one is the first.
            let (joined, merged) = (&self.joined, &self.merged);
            let is_of_this = |run: usize| {
                let first = joined.earlier(run, &subject.name).map(|(first, _)| first);
                let earlier = merged.earlier(run, &subject.name);
                first == Some(index.0)
                    || earlier.is_some_and(|(run, name)| (*run, name) == (index.0, &subject.name))
            };
            let has_it = |(run, r): &(usize, &RunContents)| {
                r.run.plan.subjects.iter().any(|s| s.name == subject.name) && !is_of_this(*run)
            };
            let stem = file.rsplit_once('.').map_or(file.as_str(), |(stem, _)| stem);
            let label = match all.iter().enumerate().filter(has_it).count() {
                _ if known.is_some() => facts.subjects[known.unwrap_or_default()].name.clone(),
                0 | 1 => subject.name.clone(),
                _ => format!("{} ({stem})", subject.name),
            };
            let stated = run.plan.stated.get(&subject.name).cloned();
            let specifications = &mut facts.statements.specifications;
            stated.into_iter().for_each(|own| {
                specifications.entry(label.clone()).or_insert(own);
            });
            let drives = subject.drives.iter().map(|d| d.place.path().display().to_string());
            let setups = setup.drives.iter().filter(|d| d.subject == subject.name).cloned();
            let setups: Vec<DriveSetup> = setups.collect();
            let own = SubjectFacts {
                name: label,
                own_name: subject.name.clone(),
                run: index,
                runs: vec![index],
                host: setup.host.name.clone(),
                test,
                elsewhere: Vec::new(),
                drives: drives.collect(),
                capacity_bytes: capacity_bytes(&run.plan, &setups, &subject.name),
                setups,
                knobs: subject.overrides.clone(),
            };
            let key = match known {
                Some(key) => {
                    facts.subjects[key].elsewhere.push(own);
                    key
                }
                None => facts.subjects.push_and_get_key(own),
            };
            names.insert(subject.name.clone(), (key, 0));
        }
        let own = run.plan.protocol.steps.iter().map(|s| planned(s, &run.plan.protocol));
        let imported = run.plan.imported.iter().flat_map(|i| &i.steps);
        let imported = imported.map(|s| imported_step(s, &run.plan.protocol));
        for step in own.chain(imported) {
            let steps = &mut facts.measured.steps;
            if !steps.iter().any(|s| (s.test, &s.own_name) == (test, &step.own_name)) {
                let name = match steps.iter().any(|s| s.name == step.name) {
                    true => format!("{} ({})", step.name, run.plan.protocol.name),
                    false => step.name.clone(),
                };
                steps.push(StepFacts { test, name, ..step });
            }
        }
        for p in prepared {
            let own = names.get(&p.subject).map(|(subject, _)| *subject);
            let own = own.map(|subject| PreparedFacts { test, subject, step: p.clone() });
            facts.setup.prepared.extend(own);
        }
        let observed = setup.observed.iter().flat_map(Observed::disclosed);
        let all: Vec<Fact> = noted.iter().cloned().chain(observed).collect();
        all.iter().for_each(|fact| self.disclose(fact, index));
        self.planned.push(PlannedRun::of(&run.plan, names));
        self.idle.push(observed::all::<IdlePower>(&setup.observed).cloned().collect());
        Ok(())
    }

    fn group(&mut self, owner: GroupOwner, name: &str) -> &mut Vec<(String, String)> {
        let disclosure = &mut self.facts.setup.disclosure;
        let key = (owner, name.to_string());
        let at = *self.groups.entry(key).or_insert_with_key(|(owner, name)| {
            let (owner, name) = (owner.clone(), name.clone());
            disclosure.push(DisclosureGroup { owner, name, rows: Vec::new() });
            disclosure.len() - 1
        });
        &mut self.facts.setup.disclosure[at].rows
    }

    fn disclose(&mut self, fact: &Fact, run: RunKey) {
        let row = (fact.name.clone(), fact.value.clone());
        let rows = self.group(GroupOwner::Run(run), &fact.group);
        if !rows.contains(&row) {
            rows.push(row);
        }
    }

    /// Facts reported by engines at a point, and what was observed there; the last point of a step
    /// and subject represents all.
    fn note_engine_facts(&mut self, run: RunKey, subject: SubjectKey, point: &Point) {
        let key = (self.facts.setup.runs[run].test, point.key.step.clone());
        let known = self.steps.get(&key).map(|step| self.facts.measured.steps[*step].name.clone());
        let step = &known.unwrap_or(key.1);
        for fact in &point.facts {
            let owner = match fact.server {
                Some(server) => GroupOwner::Server(subject, step.clone(), server),
                None => GroupOwner::Step(subject, step.clone()),
            };
            self.note_row(owner, &fact.group, fact.name.clone(), fact.value.clone());
        }
        for observed in &point.observed {
            // Verification counts are summed over all points.
            let summed;
            let observed = match observed {
                Observed::Verified(own) => {
                    let sum = self.verified.entry((subject, step.clone())).or_default();
                    *sum = sum.and(**own);
                    summed = Observed::from(*sum);
                    &summed
                }
                other => other,
            };
            let of = format!("{}, {step}", self.facts.subjects[subject].name);
            for Fact { group, name, value, .. } in observed.disclosed() {
                // Those of the load and of verification are single lines.
                let (owner, name) = match observed {
                    Observed::Server(_) | Observed::Workers(_) | Observed::IoLimit(_) => {
                        (GroupOwner::Step(subject, step.clone()), name)
                    }
                    _ => (GroupOwner::Points, format!("{of}, {name}")),
                };
                self.note_row(owner, &group, name, value);
            }
        }
    }

    /// Adds a row, or replaces the value of an earlier point.
    fn note_row(&mut self, owner: GroupOwner, group: &str, name: String, value: String) {
        let rows = self.group(owner, group);
        match rows.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => rows.push((name, value)),
        }
    }

    /// Adds the keys of the steps, which have no points yet.
    fn name_steps(&mut self) {
        let steps = self.facts.measured.steps.iter_enumerated();
        self.steps = steps.map(|(key, step)| ((step.test, step.own_name.clone()), key)).collect();
        self.measured = self.facts.measured.steps.iter().map(|_| Vec::new()).collect();
    }

    /// The place of a point on its step's axis.
    fn position(&self, run: RunKey, step: StepKey, axis: Option<&Axis>) -> AxisPosition {
        let known = &self.facts.measured.steps[step];
        let knob = self.planned[run].knobs.get(&known.own_name);
        let written = knob.zip(axis).and_then(|(knob, axis)| knob.at(axis.value));
        match written {
            Some((written, _)) => AxisPosition::of_knob(written, &known.values),
            None => AxisPosition::of(axis),
        }
    }

    /// Adds a point of a run.
    pub fn point(&mut self, run: RunKey, contents: PointContents) {
        let PointContents { point, rates, samples, reported, slow_ops } = contents;
        let own = self.planned[run].subjects.get(&point.key.subject);
        let Some(&(subject, earlier)) = own else { return };
        let repeat = earlier + point.key.repeat;
        self.note_engine_facts(run, subject, &point);
        // Hosts with a common start are not joined.
        let first = self.facts.subjects.position(|of| of.runs.contains(&run)).unwrap_or_default();
        self.hosts.point(run.0, subject.0.saturating_sub(first.0), &point);
        let key = (self.facts.setup.runs[run].test, point.key.step.clone());
        let Some(&step) = self.steps.get(&key) else { return };
        let value = self.position(run, step, point.key.axis.as_ref());
        let step_facts = &mut self.facts.measured.steps[step];
        if step_facts.axis.is_none() {
            step_facts.axis =
                point.key.axis.as_ref().map(|a| AxisFacts { name: a.name.clone(), field: a.field });
        }
        let bits = value.number.to_bits();
        if self.seen.insert((step, bits)) {
            step_facts.values.push(value.clone());
        }
        let cause = match &point.outcome {
            Outcome::Failed { cause } => Some(cause.clone()),
            // The figures of imported points are not in their cells.
            Outcome::Measured if point.did_nothing() && reported.is_empty() => {
                Some("no op was completed: not measured".to_string())
            }
            Outcome::Measured => None,
        };
        if let Some(cause) = cause {
            let step = step_facts.title.clone();
            let fell_behind = point.facts.iter().any(|fact| fact.name == load::FELL_BEHIND.name);
            self.facts.measured.failures.push(EarlyEnd {
                subject,
                step,
                at: value.label,
                repeat,
                cause,
                fell_behind,
            });
            return;
        }
        let mut summary = PointSummary::of(&point);
        summary.report(&reported);
        summary.follow(&rates);
        let ops = point.cells.iter().flat_map(|c| &c.tallies).map(|t| t.ops).sum();
        let plan = &self.facts.setup.runs[run].resolved;
        self.measured[step].push(Measured {
            run,
            subject,
            subject_name: point.key.subject.clone(),
            value: bits,
            repeat,
            replay: PointReplay::of(&point, &rates, &samples),
            accelerators: observed::all(&point.observed).cloned().collect(),
            searches: observed::all(&point.observed).cloned().collect(),
            outliers: Outliers::of(slow_ops, ops, repeat, &samples),
            place: self.planned[run].places.place(plan, &point.key),
            session: self.joined.session(run.0, self.planned[run].places.session(plan, &point.key)),
            series: series_of(&rates, &|r| summary.is_headline(&r.stream)),
            metered: Metered::of((samples, &reported), &rates, (plan, &point), &summary),
            summary,
        });
    }

    /// Passes the steps whose points were added since the last call to `show`, and drops them with
    /// their points. Nothing is compared; an instrument's delay is estimated from these points
    /// only.
    pub fn part(&mut self, show: &mut dyn FnMut(&Facts) -> Result<()>) -> Result<()> {
        self.put_together();
        // Indexed by the keys of steps, which change.
        self.seen.clear();
        let steps = std::mem::take(&mut self.facts.measured.steps);
        let (part, others): (Vec<_>, Vec<_>) =
            steps.into_iter().partition(|step| !step.values.is_empty());
        self.facts.measured.steps = part.into_iter().collect();
        self.facts.set_checks_apart();
        let shown = show(&self.facts);
        self.facts.measured.steps = others.into_iter().collect();
        self.name_steps();
        shown
    }

    /// The remaining facts once all parts were shown: runs, subjects, checks and failures.
    pub fn rest(mut self) -> Facts {
        self.facts.note_published();
        self.facts
    }

    fn put_together(&mut self) {
        let measured = self.measured.iter_mut().flatten();
        let late = measured.map(|m| ((m.run, m.subject), &mut m.metered));
        meter_facts::agree(late);
        let capacity = |s: &SubjectFacts| Some(s.capacity_bytes? * s.drive_count() as f64);
        let capacities: Keyed<SubjectKey, Option<f64>> =
            self.facts.subjects.iter().map(capacity).collect();
        // Step by step, so that the points of a step are not in memory together with its facts.
        let measured = std::mem::take(&mut self.measured);
        for (step, own) in self.facts.measured.steps.iter_mut().zip(measured) {
            step.fill(&own, &self.idle, &capacities);
            step.metrics = Metric::of_step(step, &self.facts.statements.metrics);
            step.headline_metric = lead::metric(step);
            step.headline_value = lead::value(step);
        }
        self.facts.note_published();
    }

    /// Combines everything, and makes the comparisons.
    pub fn finish(mut self) -> Facts {
        self.put_together();
        let facts = &mut self.facts;
        let steps = std::mem::take(&mut facts.measured.steps).into_iter();
        facts.measured.steps = steps.filter(|step| !step.values.is_empty()).collect();
        facts.set_checks_apart();
        conclusions::draw(facts);
        (facts.joint.hosts, facts.joint.points) = self.hosts.finish();
        self.facts
    }
}

/// The protocol of a run.
fn protocol(contents: &RunContents) -> ProtocolFacts {
    let plan = &contents.run.plan;
    ProtocolFacts {
        title: ProtocolTitle::of(plan, RunFacts::shares_device(plan, &contents.setup.facts)),
        name: plan.protocol.name.clone(),
        source: PlanText::source(plan),
    }
}

/// The size of a subject's first drive: as stated in the plan, or as read by the host.
fn capacity_bytes(plan: &Plan, setups: &[DriveSetup], subject: &str) -> Option<f64> {
    let stated = plan.stated.get(subject).and_then(Specification::bytes);
    let seen = || setups.first()?.capacity_bytes.map(|bytes| bytes as f64);
    stated.or_else(seen)
}

/// The axis value with the first subject's maximum.
fn lead_of(groups: &BTreeMap<(ValueKey, SubjectKey), Vec<&Measured>>) -> ValueKey {
    let first = groups.keys().map(|(_, subject)| *subject).min();
    let of_first = groups.iter().filter(|((_, subject), _)| Some(*subject) == first);
    let ops = |measured: &[&Measured]| measured[0].summary.total.ops_per_s.unwrap_or(0.0);
    let best = of_first.max_by(|a, b| ops(a.1).total_cmp(&ops(b.1)));
    best.map(|((value, _), _)| *value).unwrap_or_default()
}

impl Facts {
    fn note_published(&mut self) {
        self.comparisons.published = is_published(&self.setup, &self.measured);
    }

    fn set_checks_apart(&mut self) {
        let steps = std::mem::take(&mut self.measured.steps).into_iter();
        let (checks, steps): (Vec<_>, Vec<_>) =
            steps.partition(|step| step.class == Some(Class::CHECK));
        self.measured.checks.extend(checks);
        let keyed = |(index, step)| StepFacts { key: StepKey(index), ..step };
        self.measured.steps = steps.into_iter().enumerate().map(keyed).collect();
    }
}

impl StepFacts {
    fn fill(
        &mut self,
        measured: &[Measured],
        idle: &Keyed<RunKey, Vec<IdlePower>>,
        capacities: &Keyed<SubjectKey, Option<f64>>,
    ) {
        self.values.sort_by(|a, b| a.number.total_cmp(&b.number));
        let numbers = self.values.iter_enumerated();
        let at: HashMap<u64, ValueKey> = numbers.map(|(i, v)| (v.number.to_bits(), i)).collect();
        let mut groups: BTreeMap<(ValueKey, SubjectKey), Vec<&Measured>> = BTreeMap::new();
        for m in measured {
            groups.entry((at[&m.value], m.subject)).or_default().push(m);
        }
        self.lead = lead_of(&groups);
        self.cells.reserve_exact(groups.len());
        for ((value, subject), group) in &groups {
            self.index.insert((*subject, *value), self.cells.len());
            let writes: Vec<_> = group.iter().map(|m| m.metered.writes.as_ref()).collect();
            self.cells.push(CellFacts {
                writes: CellWrites::of(&writes, capacities[*subject]),
                ..cell(group, *subject, *value, *value == self.lead, &idle[group[0].run])
            });
        }
        self.class = lead::class(&self.cells);
        // Terminals with keying and think times send whatever the drive does. Accelerators wait for
        // their samples.
        let is_timed = |c: &CellFacts, t: &RepeatSummary| {
            let mut classes = t.classes.iter();
            c.accelerators.is_empty() && classes.any(|class| class.response.is_some())
        };
        let is_open =
            |c: &CellFacts| c.total.as_ref().is_some_and(|t| t.asked.is_some() || is_timed(c, t));
        if self.cells.iter().any(is_open) {
            (self.loop_kind, self.timing) = (Some(LoopKind::Open), Some(Timing::Response));
        }
    }
}

fn cell(
    group: &[&Measured],
    subject: SubjectKey,
    value: ValueKey,
    lead: bool,
    idle: &[IdlePower],
) -> CellFacts {
    let first = group[0];
    let totals: Vec<_> = group.iter().map(|m| &m.summary.total).collect();
    let total = summarise(&totals).map(Arc::new);
    // A single stream is the total.
    let name = first.summary.streams.first().map(|(name, ..)| name);
    let alone =
        |m: &&Measured| matches!(&m.summary.streams[..], [(own, true, _)] if Some(own) == name);
    let alone = group.iter().all(alone);
    let mut streams = Vec::new();
    for (name, headline, _) in &first.summary.streams {
        let of_stream = || group.iter().filter_map(|m| m.summary.stream(name)).collect::<Vec<_>>();
        let own = if alone { total.clone() } else { summarise(&of_stream()).map(Arc::new) };
        streams.extend(own.map(|s| (name.clone(), *headline, s)));
    }
    let mut drives = Vec::new();
    for (drive, _) in &first.summary.drives {
        let own = group.iter().flat_map(|m| &m.summary.drives).filter(|(d, _)| d == drive);
        let numbers: Vec<_> = own.map(|(_, n)| n).collect();
        drives.extend(summarise(&numbers).map(|s| (*drive, s)));
    }
    let mut instances = Vec::new();
    for (at, _) in &first.summary.instances {
        let own = group.iter().flat_map(|m| &m.summary.instances).filter(|(other, _)| other == at);
        let numbers: Vec<_> = own.map(|(_, n)| n).collect();
        instances.extend(summarise(&numbers).map(|s| (*at, s)));
    }
    let metered: Vec<&Metered> = group.iter().map(|m| &m.metered).collect();
    let slow: Vec<&[SlowCommands]> = metered.iter().map(|m| &m.slow_commands[..]).collect();
    let power = total
        .as_ref()
        .map(|t| meter_facts::power(&metered, t, &first.subject_name, idle))
        .unwrap_or_default();
    let aligned = |series: &Series| series.aligned(first.metered.window_s);
    let own_watts = first.metered.power.first().filter(|_| lead);
    CellFacts {
        subject,
        value,
        repeats: group.iter().map(|m| m.repeat).collect(),
        places: group.iter().map(|m| m.place).collect(),
        sessions: group.iter().map(|m| m.session).collect(),
        run: first.run,
        drift: total.as_ref().map_or(Drift::TooShort, |t| t.drift),
        total,
        power,
        writes: None,
        cost: CellCost::default(),
        holds: None,
        limit: meter_facts::verdict_of(&metered),
        processors: meter_facts::processors(&metered),
        replay: first.replay.clone(),
        accelerators: first.accelerators.clone(),
        searches: first.searches.clone(),
        outliers: Outliers::together(group.iter().map(|m| &m.outliers)),
        slow_commands: SlowCommands::together(&slow),
        errors: device_errors::together(metered.iter().map(|m| &m.errors)),
        caveats: Vec::new(),
        watts_over_time: own_watts.map(aligned).unwrap_or_default(),
        celsius_over_time: if lead { first.metered.celsius.clone() } else { Vec::new() },
        streams,
        drives,
        instances,
        servers: first.summary.servers.clone(),
        over_time: if lead { first.series.clone() } else { Vec::new() },
    }
}
