//! Prepares a subject's drives as `[prepare]` and the datasets specify: purge, filesystem, fill,
//! loads, steady state, in that order. Actions are recorded in the bundle. A resumed run repeats
//! only what no longer holds: everything, if a drive has been written to since the run left it;
//! otherwise missing actions and those that build on them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::error::{Context, Result};
use crate::base::stderr::note;
use crate::base::units;
use crate::lab::drive::filesystem::Mounted;
use crate::lab::drive::namespaces::NamespacesChanged;
use crate::lab::drive::purge::PurgeWait;
use crate::lab::drive::write_cache::Switched;
use crate::lab::drive::{contents, filesystem, namespaces, purge, write_cache, write_counter};
use crate::lab::folder::pin::{Pins, shown};
use crate::lab::guard;
use crate::plan::{
    Conditioning, Dataset, Drive, DrivePlace, Filesystem, Plan, PointPlan, Purge, Steady, Step,
    Subject,
};
use crate::record::setup::WriteCacheTime;
use crate::record::{Fact, PreparationStep, Sink, SteadyState};
use crate::run::context::RunContext;
use crate::run::datasets::before::{Before, with_our_own};
use crate::run::datasets::task::{PrepareTask, tasks};
use crate::run::datasets::{dataset, space};
use crate::run::display::time::RunClock;
use crate::run::display::time_left::{PointLeft, TestLeft, ToPrepare};
use crate::run::points::precondition::{LoadLength, load, planned_ops};
use crate::run::points::{steady, verification};
use crate::run::worker_group::WorkerGroup;

/// A prepared subject.
pub struct ReadySubject {
    /// The subject with filesystems instead of its devices, if it has them.
    pub subject: Subject,
    /// The marks of its points.
    pub marks: Vec<Fact>,
    /// Datasets from which points of this run have discarded blocks since they were filled.
    emptied: RefCell<BTreeSet<String>>,
    /// Held until the run ends.
    mounted: Vec<Mounted>,
    /// Restored when the run ends.
    switched: Vec<Switched>,
    /// Deleted and created again when the run ends.
    changed: Vec<NamespacesChanged>,
    _namespaces: Pins,
}

/// Whether any action writes to a drive.
pub fn writes(plan: &Plan) -> bool {
    tasks(plan).iter().any(PrepareTask::writes)
}

/// The actions for a subject's drives, and their known durations.
pub fn to_do(plan: &Plan, subject: &Subject) -> ToPrepare {
    let part = |task: PrepareTask<'_>| Some((task.action(), task.length(plan, subject)?));
    ToPrepare {
        subject: subject.name.clone(),
        fill_bytes: space::to_fill(plan, subject),
        parts: tasks(plan).into_iter().filter_map(part).collect(),
    }
}

/// A test that has not begun; without points it is not prepared either.
pub fn test_left(plan: &Plan, points: &[PointPlan]) -> TestLeft {
    let subjects = plan.subjects.iter().filter(|_| !points.is_empty());
    TestLeft {
        points: points.iter().map(PointLeft::of).collect(),
        to_prepare: subjects.map(|subject| to_do(plan, subject)).collect(),
    }
}

/// The actions for each drive, in order.
pub fn in_words(plan: &Plan) -> Vec<String> {
    tasks(plan).iter().map(PrepareTask::words).collect()
}

/// Prepares the subject's drives, which are held.
pub fn prepare(
    run: RunContext<'_>,
    subject: &Subject,
    before: &Before,
    sink: &mut dyn Sink,
) -> Result<ReadySubject> {
    let bare: Vec<Drive> = subject
        .drives
        .iter()
        .enumerate()
        .map(|(i, drive)| with_our_own(run.plan, before, &subject.name, i, drive))
        .collect();
    let mut work = PrepareWork {
        run,
        bare,
        subject: subject.clone(),
        mounted: Vec::new(),
        switched: Vec::new(),
        changed: Vec::new(),
        marks: Vec::new(),
        namespaces: Pins::default(),
    };
    let done = work.all(subject, before, sink).and_then(|()| {
        let time = WriteCacheTime::BeforePoints;
        for drive in &work.subject.drives {
            if let Some(name) = write_cache::without_flushes(&drive.place) {
                note(&format!(
                    "Warning: {name} reports a volatile write cache that is on, but the kernel \
                     treats it as write through and sends it neither flushes nor FUA: durable \
                     writes are not. Write \"write back\" to /sys/block/{name}/queue/write_cache, \
                     or set prepare.write_cache"
                ));
            }
        }
        sink.write_caches(&write_cache::states(&work.subject, time))
    });
    let PrepareWork { subject, marks, mounted, switched, changed, namespaces, .. } = work;
    let (emptied, _namespaces) = (RefCell::default(), namespaces);
    let ready = ReadySubject { subject, marks, emptied, mounted, switched, changed, _namespaces };
    match done {
        Ok(()) => Ok(ready),
        Err(error) => Err(match ready.leave() {
            Ok(()) => error,
            Err(also) => error.context(format!("{also:#}")),
        }),
    }
}

impl ReadySubject {
    /// Before a point that depends on the blocks of a dataset, fills it again if an earlier point
    /// of this run discarded some of them.
    pub fn refill(&self, run: RunContext<'_>, step: &Step) -> Result<Vec<Fact>> {
        let mut facts = Vec::new();
        let needed = |dataset: &&Dataset| {
            let own = step.streams.iter().filter(|stream| stream.dataset == dataset.name);
            dataset.fill.is_some() && !dataset.restore && own.into_iter().any(dataset::needs_blocks)
        };
        for dataset in run.plan.protocol.datasets.iter().filter(needed) {
            if self.emptied.borrow().contains(&dataset.name) {
                dataset::make_ready(run, &self.subject, dataset)?;
                self.emptied.borrow_mut().remove(&dataset.name);
                let why = "yes: earlier points discarded blocks of it";
                facts.push(Fact::new("Load", format!("Dataset {} refilled", dataset.name), why));
            }
        }
        Ok(facts)
    }

    /// After a point, records the datasets from which it discarded blocks.
    pub fn note_emptied(&self, step: &Step) {
        let emptied = step.streams.iter().filter(|stream| dataset::empties(stream));
        self.emptied.borrow_mut().extend(emptied.map(|stream| stream.dataset.clone()));
    }

    /// Unmounts the run's filesystems, or reports who uses them, and restores write caches and
    /// namespaces.
    pub fn leave(&self) -> Result<()> {
        let unmounted = self.mounted.iter().try_for_each(Mounted::unmount);
        let mut put_back: Vec<Result<()>> = self.switched.iter().map(Switched::put_back).collect();
        put_back.extend(self.changed.iter().map(NamespacesChanged::put_back));
        put_back.into_iter().collect::<Result<()>>().and(unmounted)
    }
}

impl PrepareWork<'_> {
    fn all(&mut self, subject: &Subject, before: &Before, sink: &mut dyn Sink) -> Result<()> {
        let plan = self.run.plan;
        sink.facts(&verification::recheck(self.run, subject)?)?;
        let mut holds = as_left(subject, before);
        for task in tasks(plan) {
            let (action, asked) = (task.action(), task.asked()?);
            let known = known(before, &subject.name, &action, &asked, subject.drives.len());
            // Discards by an earlier part of the run are in no drive's write counter.
            let emptied = matches!(task, PrepareTask::Fill(dataset) if is_emptied(plan, dataset));
            holds = holds && known.is_some() && !emptied;
            let context = || format!("{action} of {}", subject.name);
            if let (true, Some(known)) = (holds, known) {
                self.reuse(&task, &known).with_context(context)?;
                // The contents of recreated namespaces are gone.
                holds = self.changed.is_empty();
                continue;
            }
            let outcomes = self.announced(&task, sink).with_context(context)?;
            if task.writes() {
                let of_ours = guard::UNKNOWN.to_string();
                self.bare.iter_mut().for_each(|drive| drive.erase_signatures.push(of_ours.clone()));
            }
            let ended_unix_ns = self.run.time.unix_ns();
            let row = |(drive, done): (usize, PreparedDrive)| PreparationStep {
                subject: subject.name.clone(),
                drive: drive as u32,
                action: action.clone(),
                asked: asked.clone(),
                outcome: done.outcome,
                steady: done.steady,
                filesystem_uuid: done.filesystem_uuid,
                ended_unix_ns,
            };
            sink.prepared(&outcomes.into_iter().enumerate().map(row).collect::<Vec<_>>())?;
            note_state(plan, subject, sink)?;
        }
        Ok(())
    }
}

/// Whether points discard blocks of a dataset.
fn is_emptied(plan: &Plan, dataset: &Dataset) -> bool {
    let streams = plan.protocol.steps.iter().flat_map(|step| &step.streams);
    streams.filter(|stream| stream.dataset == dataset.name).any(dataset::empties)
}

/// Records the current state of the subject's drives after a task or point. One that does not
/// respond retains its last state.
pub fn note_state(plan: &Plan, subject: &Subject, sink: &mut dyn Sink) -> Result<()> {
    if tasks(plan).is_empty() {
        return Ok(());
    }
    note_begun(subject, sink)
}

/// The same before the first: from here on the drives' contents belong to this run, however it
/// ends.
pub fn note_begun(subject: &Subject, sink: &mut dyn Sink) -> Result<()> {
    let now = |(i, drive)| write_counter::state(&subject.name, i as u32, drive).ok().flatten();
    sink.left(&subject.drives.iter().enumerate().filter_map(now).collect::<Vec<_>>())
}

/// Whether every drive is bare and has not been written to since.
fn as_left(subject: &Subject, before: &Before) -> bool {
    subject.drives.iter().enumerate().all(|(i, drive)| {
        let then = before.states.iter().find(|s| s.subject == subject.name && s.drive == i as u32);
        let now = write_counter::state(&subject.name, i as u32, drive).ok().flatten();
        let unchanged =
            |(then, now)| write_counter::unchanged(then, now) && contents::same(then, drive);
        then.zip(now.as_ref()).is_some_and(unchanged)
    })
}

/// The last execution of this action on each drive, if its parameters are the same.
fn known<'b>(
    before: &'b Before,
    subject: &str,
    action: &str,
    asked: &str,
    drives: usize,
) -> Option<Vec<&'b PreparationStep>> {
    let last = |drive: usize| {
        let of = |p: &&PreparationStep| {
            p.subject == subject && p.drive == drive as u32 && p.action == action
        };
        before.prepared.iter().rev().find(of).filter(|p| p.asked == asked)
    };
    (0..drives).map(last).collect()
}

/// The result of a task on a drive.
#[derive(Clone, Default)]
struct PreparedDrive {
    outcome: String,
    steady: Option<SteadyState>,
    filesystem_uuid: Option<String>,
}

impl From<String> for PreparedDrive {
    fn from(outcome: String) -> PreparedDrive {
        PreparedDrive { outcome, ..PreparedDrive::default() }
    }
}

impl From<&str> for PreparedDrive {
    fn from(outcome: &str) -> PreparedDrive {
        outcome.to_string().into()
    }
}

struct PrepareWork<'a> {
    run: RunContext<'a>,
    /// The drives as named in the plan.
    bare: Vec<Drive>,
    subject: Subject,
    mounted: Vec<Mounted>,
    switched: Vec<Switched>,
    changed: Vec<NamespacesChanged>,
    marks: Vec<Fact>,
    namespaces: Pins,
}

impl PrepareWork<'_> {
    fn name(&self) -> &str {
        &self.subject.name
    }

    /// Finds what an earlier part of the run created.
    fn reuse(&mut self, task: &PrepareTask<'_>, known: &[&PreparationStep]) -> Result<()> {
        self.run.progress.activity(&format!("{}: {} still holds", self.name(), task.action()));
        match task {
            PrepareTask::Filesystem(filesystem) => {
                let uuid = |p: &&PreparationStep| p.filesystem_uuid.clone().unwrap_or_default();
                self.mount(filesystem, &known.iter().map(uuid).collect::<Vec<_>>())?;
            }
            PrepareTask::Namespaces(count) => drop(self.divide(*count)?),
            // The end of the earlier part restored it.
            PrepareTask::WriteCache(on) => drop(self.switch(*on)?),
            _ => {}
        }
        for (drive, state) in
            known.iter().enumerate().filter_map(|(i, p)| Some((i, p.steady.as_ref()?)))
        {
            self.mark(drive, state);
        }
        Ok(())
    }

    /// Executes and reports it.
    fn announced(
        &mut self,
        task: &PrepareTask<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Vec<PreparedDrive>> {
        let shown = match task {
            PrepareTask::Fill(dataset) => format!("checking dataset '{}'", dataset.name),
            _ => task.action(),
        };
        match task.phase() {
            Some(phase) => self.run.progress.part(phase, self.name(), &task.action(), &shown),
            None => self.run.progress.activity(&format!("{}: {shown}", self.name())),
        }
        let done = self.execute(task, sink)?;
        if task.phase().is_some() {
            self.run.progress.part_done();
        }
        Ok(done)
    }

    /// Executes it on every drive, each time after the guard; returns the result for each.
    fn execute(
        &mut self,
        task: &PrepareTask<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Vec<PreparedDrive>> {
        if self.mounted.is_empty() {
            self.bare
                .iter()
                .flat_map(each)
                .try_for_each(|drive| guard::pass(&drive, task.writes()))?;
        }
        match task {
            PrepareTask::Namespaces(count) => self.divide(*count),
            PrepareTask::Purge(asked) => {
                self.bare.iter().map(|drive| self.purge(drive, *asked)).collect()
            }
            PrepareTask::WriteCache(on) => self.switch(*on),
            PrepareTask::Filesystem(filesystem) => self.make_filesystems(filesystem),
            PrepareTask::Fill(dataset) => {
                sink.facts(&dataset::make_ready(self.run, &self.subject, dataset)?)?;
                let done = if dataset.fill.is_some() {
                    "laid out and filled"
                } else {
                    "opened as it is found"
                };
                Ok(self.alike(done.to_string()))
            }
            PrepareTask::Condition(_, conditioning) => {
                self.condition(conditioning).map(|done| self.alike(done))
            }
            PrepareTask::Steady(asked) => self.steady(asked),
        }
    }

    fn alike(&self, outcome: String) -> Vec<PreparedDrive> {
        vec![outcome.into(); self.subject.drives.len()]
    }

    fn purge(&self, drive: &Drive, asked: Purge) -> Result<PreparedDrive> {
        let DrivePlace::Device { path, .. } = &drive.place else {
            return Ok("not done: a directory cannot be purged".into());
        };
        let RunClock { clock, stop, .. } = self.run.time;
        let progress = |percent| self.run.progress.fill(percent, 100);
        let wait = PurgeWait { clock, stop, progress: &progress };
        let purge = |drive: Drive| purge::purge(&drive, asked, &wait);
        let done: Result<Vec<String>> = each(drive).into_iter().map(purge).collect();
        let mut done = done.with_context(|| format!("purging {}", shown(path).display()))?;
        done.dedup();
        Ok(done.join("; ").into())
    }

    /// Finds or creates each drive's namespaces; in a directory, streams use slices of the file
    /// instead.
    fn divide(&mut self, count: u32) -> Result<Vec<PreparedDrive>> {
        let mut done = Vec::new();
        for (i, drive) in self.bare.iter_mut().enumerate() {
            let DrivePlace::Device { .. } = drive.place else {
                done.push(
                    format!("not done: in a directory there are {count} equal slices").into(),
                );
                continue;
            };
            let divided = namespaces::equal(drive, count, self.run.time.clock, self.run.time.stop)?;
            self.changed.extend(divided.changed);
            let held: Result<Vec<PathBuf>> =
                divided.paths.iter().map(|path| self.namespaces.namespace(path)).collect();
            drive.namespaces = held?;
            self.subject.drives[i].namespaces = drive.namespaces.clone();
            done.push(divided.words.into());
        }
        Ok(done)
    }

    fn switch(&mut self, on: bool) -> Result<Vec<PreparedDrive>> {
        let mut done = Vec::new();
        for drive in &self.bare {
            if let DrivePlace::Directory(_) = drive.place {
                done.push("not done: the drive of a directory is not switched".into());
                continue;
            }
            let from = self.switched.len();
            for device in each(drive) {
                self.switched.push(Switched::to(on, &device)?);
            }
            let words: Vec<String> = self.switched[from..].iter().map(Switched::words).collect();
            done.push(words.join("; ").into());
        }
        Ok(done)
    }

    fn make_filesystems(&mut self, filesystem: &Filesystem) -> Result<Vec<PreparedDrive>> {
        let (mut done, mut uuids) = (Vec::new(), Vec::new());
        for drive in &self.bare {
            uuids.push(String::new());
            done.push(match drive.place {
                DrivePlace::Directory(_) => "not done: a directory has its filesystem".into(),
                // The UUID is set last: it identifies the filesystem as the run's own.
                DrivePlace::Device { .. } => {
                    let uuid = filesystem::make(drive, filesystem)?;
                    let maker = [filesystem::maker(filesystem.kind)];
                    let mkfs = [&maker, &filesystem.mkfs[..]].concat().join(" ");
                    let (kind, mount) = (filesystem.kind.name(), &filesystem.mount);
                    uuids[done.len()].clone_from(&uuid);
                    PreparedDrive {
                        outcome: format!("{kind} made ({mkfs}), mounted with {mount}, UUID {uuid}"),
                        filesystem_uuid: Some(uuid),
                        steady: None,
                    }
                }
            });
        }
        self.mount(filesystem, &uuids)?;
        Ok(done)
    }

    fn mount(&mut self, filesystem: &Filesystem, uuids: &[String]) -> Result<()> {
        for (i, (drive, uuid)) in self.bare.iter().zip(uuids).enumerate() {
            if let DrivePlace::Device { .. } = drive.place {
                let mounted = filesystem::mount(drive, filesystem, uuid, self.run.time.clock)?;
                self.subject.drives[i].place = DrivePlace::Directory(mounted.point.clone());
                self.mounted.push(mounted);
            }
        }
        Ok(())
    }

    /// Runs a load on all drives without recording its results; returns its amount.
    fn condition(&self, asked: &Conditioning) -> Result<String> {
        let length = if asked.passes > 0.0 {
            LoadLength::Passes(asked.passes)
        } else {
            LoadLength::Time(asked.duration_ns)
        };
        let RunContext { time, progress, .. } = self.run;
        let from_ns = time.now_ns();
        let ops = load(self.run, &self.subject, &asked.stream, length, &mut |groups, run| {
            let planned = planned_ops(groups)?;
            while (run.running)() && !run.stop.load(Relaxed) && time.now_ns() < run.window.until_ns
            {
                run.stop.fetch_or(time.stopped(), Relaxed);
                match planned {
                    Some(planned) => {
                        progress.fill(groups.iter().map(WorkerGroup::issued).sum(), planned)
                    }
                    None => progress.fill(time.now_ns() - run.window.from_ns, asked.duration_ns),
                }
                time.wait_towards(run.window.until_ns);
            }
            Ok(())
        })?;
        let took = units::duration(time.now_ns() - from_ns);
        Ok(format!("{} ops of {} in {took}", units::grouped(ops), asked.stream.workload.name))
    }

    fn steady(&mut self, asked: &Steady) -> Result<Vec<PreparedDrive>> {
        let (states, troubles) = steady::reach(self.run, &self.subject, asked)?;
        self.marks.extend(troubles);
        states.iter().enumerate().for_each(|(drive, state)| self.mark(drive, state));
        let done = |state: SteadyState| PreparedDrive {
            outcome: steady::words(&state),
            steady: Some(state),
            filesystem_uuid: None,
        };
        Ok(states.into_iter().map(done).collect())
    }

    /// A missed steady state is recorded with every point.
    fn mark(&mut self, drive: usize, state: &SteadyState) {
        if !state.reached() {
            self.marks.push(Fact::new(
                "Preparation",
                format!("Drive {}", drive + 1),
                steady::words(state),
            ));
        }
    }
}

/// A drive's parts: its namespaces, if it was divided.
fn each(drive: &Drive) -> Vec<Drive> {
    let DrivePlace::Device { serial, .. } = &drive.place else { return vec![drive.clone()] };
    if drive.namespaces.is_empty() {
        return vec![drive.clone()];
    }
    let namespace = |path: &PathBuf| Drive {
        place: DrivePlace::Device { path: path.clone(), serial: serial.clone() },
        namespaces: Vec::new(),
        ..drive.clone()
    };
    drive.namespaces.iter().map(namespace).collect()
}
