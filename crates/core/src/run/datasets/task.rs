//! The preparation steps of a subject's drives: their names, whether they write, and their order.

use crate::base::error::{Context, Result};
use crate::base::units;
use crate::plan::{
    Conditioning, Dataset, Drive, DrivePlace, Filesystem, Plan, Purge, Steady, Stream, Subject,
};
use crate::record::live::Phase;
use crate::run::datasets::{dataset, space};
use crate::run::display::time_left::KnownLength;

/// One preparation step for a subject's drives.
pub enum PrepareTask<'p> {
    Namespaces(u32),
    Purge(Purge),
    WriteCache(bool),
    Filesystem(&'p Filesystem),
    Fill(&'p Dataset),
    Condition(usize, &'p Conditioning),
    Steady(&'p Steady),
}

impl PrepareTask<'_> {
    /// Its name in the bundle.
    pub fn action(&self) -> String {
        match self {
            PrepareTask::Namespaces(_) => "namespaces".to_string(),
            PrepareTask::Purge(_) => "purge".to_string(),
            PrepareTask::WriteCache(_) => "write cache".to_string(),
            PrepareTask::Filesystem(_) => "filesystem".to_string(),
            PrepareTask::Fill(dataset) => format!("fill {}", dataset.name),
            PrepareTask::Condition(number, _) => format!("condition {number}"),
            PrepareTask::Steady(_) => "steady state".to_string(),
        }
    }

    /// Its description, for `plan check`.
    pub fn words(&self) -> String {
        let load = |stream: &Stream| {
            format!("{} {}×{}", stream.workload.name, stream.threads, stream.depth)
        };
        match self {
            PrepareTask::Namespaces(count) => format!(
                "{}, by deleting and creating others if the controller \
                 supports it",
                units::plural(*count as usize, "equal namespace")
            ),
            PrepareTask::Purge(Purge::Any) => "purge by the best means that it has".to_string(),
            PrepareTask::Purge(_) => {
                format!("purge: {}", self.asked().unwrap_or_default().trim_matches('"'))
            }
            PrepareTask::WriteCache(on) => {
                format!("switch the write cache {} for the run", if *on { "on" } else { "off" })
            }
            PrepareTask::Filesystem(filesystem) => {
                format!("make {} and mount it with {}", filesystem.kind.name(), filesystem.mount)
            }
            PrepareTask::Fill(dataset) if dataset.fill.is_none() => {
                format!("open dataset {} as it is found", dataset.name)
            }
            PrepareTask::Fill(dataset) => format!("fill dataset {}", dataset.name),
            PrepareTask::Condition(_, c) if c.passes > 0.0 => {
                let passes = if c.passes == 1.0 { "pass" } else { "passes" };
                format!("{} {passes} of {}", c.passes, load(&c.stream))
            }
            PrepareTask::Condition(_, c) => {
                format!("{} of {}", units::duration(c.duration_ns), load(&c.stream))
            }
            PrepareTask::Steady(s) => format!(
                "{} until {} is steady: at most {} of {}",
                load(&s.stream),
                s.metric.name(),
                units::plural(s.most_rounds as usize, "round"),
                units::duration(s.round_ns)
            ),
        }
    }

    pub fn writes(&self) -> bool {
        match self {
            PrepareTask::Namespaces(_)
            | PrepareTask::Purge(_)
            | PrepareTask::WriteCache(_)
            | PrepareTask::Filesystem(_) => true,
            PrepareTask::Fill(dataset) => dataset.fill.is_some(),
            PrepareTask::Condition(_, conditioning) => dataset::stream_writes(&conditioning.stream),
            PrepareTask::Steady(steady) => dataset::stream_writes(&steady.stream),
        }
    }

    /// Its name on the display; None for a fill, which has its own.
    pub fn phase(&self) -> Option<Phase> {
        match self {
            PrepareTask::Fill(_) => None,
            PrepareTask::Purge(_) => Some(Phase::Purging),
            PrepareTask::Condition(..) => Some(Phase::Conditioning),
            PrepareTask::Steady(_) => Some(Phase::Steadying),
            PrepareTask::Namespaces(_)
            | PrepareTask::WriteCache(_)
            | PrepareTask::Filesystem(_) => Some(Phase::Between),
        }
    }

    /// Its duration on a subject, if known in advance; None for a fill.
    pub fn length(&self, plan: &Plan, subject: &Subject) -> Option<KnownLength> {
        let is_bare = |drive: &Drive| matches!(drive.place, DrivePlace::Device { .. });
        Some(match self {
            PrepareTask::Fill(_) => return None,
            PrepareTask::Namespaces(_)
            | PrepareTask::WriteCache(_)
            | PrepareTask::Filesystem(_) => KnownLength::Ns(0),
            PrepareTask::Purge(_) if !subject.drives.iter().any(is_bare) => KnownLength::Ns(0),
            PrepareTask::Purge(_) => KnownLength::Unknown,
            PrepareTask::Condition(_, c) if c.passes > 0.0 => {
                let drives = subject.drives.len() as f64;
                let once = space::written_as_filled(plan, &c.stream);
                once.map_or(KnownLength::Unknown, |bytes| {
                    KnownLength::Bytes(bytes * c.passes * drives)
                })
            }
            PrepareTask::Condition(_, c) => KnownLength::Ns(c.duration_ns),
            PrepareTask::Steady(s) => {
                KnownLength::Ns(s.round_ns.saturating_mul(s.most_rounds.into()))
            }
        })
    }

    pub fn asked(&self) -> Result<String> {
        let asked = match self {
            PrepareTask::Namespaces(count) => serde_json::to_string(count),
            PrepareTask::Purge(purge) => serde_json::to_string(purge),
            PrepareTask::WriteCache(on) => serde_json::to_string(on),
            PrepareTask::Filesystem(filesystem) => serde_json::to_string(filesystem),
            PrepareTask::Fill(dataset) => serde_json::to_string(dataset),
            PrepareTask::Condition(_, conditioning) => serde_json::to_string(conditioning),
            PrepareTask::Steady(steady) => serde_json::to_string(steady),
        };
        asked.context("describing the requested action")
    }
}

/// The plan's steps, in order of execution.
pub fn tasks(plan: &Plan) -> Vec<PrepareTask<'_>> {
    let (protocol, bare) = (&plan.protocol, &plan.protocol.preparation);
    let namespaces = (bare.namespaces > 0).then_some(PrepareTask::Namespaces(bare.namespaces));
    let mut tasks: Vec<PrepareTask<'_>> = namespaces.into_iter().collect();
    tasks.extend(bare.purge.map(PrepareTask::Purge));
    tasks.extend(bare.write_cache.map(PrepareTask::WriteCache));
    tasks.extend(bare.filesystem.as_ref().map(PrepareTask::Filesystem));
    tasks.extend(protocol.datasets.iter().map(PrepareTask::Fill));
    tasks
        .extend(protocol.prepare.iter().enumerate().map(|(i, c)| PrepareTask::Condition(i + 1, c)));
    tasks.extend(bare.steady.as_ref().map(PrepareTask::Steady));
    tasks
}
