//! The preparation steps of a subject's drives: their names, whether they write, and their order.

use super::time_left::Length;
use super::{site, space};
use crate::base::error::{Context, Result};
use crate::base::units;
use crate::plan::{
    Conditioning, Dataset, Drive, Filesystem, Place, Plan, Purge, Steady, Stream, Subject,
};
use crate::record::live::Phase;

/// One part of making a subject's drives ready.
pub enum Task<'p> {
    Namespaces(u32),
    Purge(Purge),
    WriteCache(bool),
    Filesystem(&'p Filesystem),
    Fill(&'p Dataset),
    Condition(usize, &'p Conditioning),
    Steady(&'p Steady),
}

impl Task<'_> {
    /// What it is called in the bundle.
    pub fn action(&self) -> String {
        match self {
            Task::Namespaces(_) => "namespaces".to_string(),
            Task::Purge(_) => "purge".to_string(),
            Task::WriteCache(_) => "write cache".to_string(),
            Task::Filesystem(_) => "filesystem".to_string(),
            Task::Fill(dataset) => format!("fill {}", dataset.name),
            Task::Condition(number, _) => format!("condition {number}"),
            Task::Steady(_) => "steady state".to_string(),
        }
    }

    /// For the plan's check: what will be done.
    pub fn words(&self) -> String {
        let load = |stream: &Stream| {
            format!("{} {}×{}", stream.workload.name, stream.threads, stream.depth)
        };
        match self {
            Task::Namespaces(count) => format!(
                "{count} equal namespaces, where the controller can by deleting others and \
                 creating what is missing"
            ),
            Task::Purge(Purge::Any) => "purge by the best means that it has".to_string(),
            Task::Purge(_) => {
                format!("purge: {}", self.asked().unwrap_or_default().trim_matches('"'))
            }
            Task::WriteCache(on) => {
                format!("switch the write cache {} for the run", if *on { "on" } else { "off" })
            }
            Task::Filesystem(filesystem) => {
                format!("make {} and mount it with {}", filesystem.kind.name(), filesystem.mount)
            }
            Task::Fill(dataset) if dataset.fill.is_none() => {
                format!("open dataset {} as it is found", dataset.name)
            }
            Task::Fill(dataset) => format!("fill dataset {}", dataset.name),
            Task::Condition(_, c) if c.passes > 0.0 => {
                format!("{} passes of {}", c.passes, load(&c.stream))
            }
            Task::Condition(_, c) => {
                format!("{} of {}", units::duration(c.duration_ns), load(&c.stream))
            }
            Task::Steady(s) => format!(
                "{} until {} is steady: at most {} rounds of {}",
                load(&s.stream),
                s.metric.name(),
                s.most_rounds,
                units::duration(s.round_ns)
            ),
        }
    }

    pub fn writes(&self) -> bool {
        match self {
            Task::Namespaces(_) | Task::Purge(_) | Task::WriteCache(_) | Task::Filesystem(_) => {
                true
            }
            Task::Fill(dataset) => dataset.fill.is_some(),
            Task::Condition(_, conditioning) => site::stream_writes(&conditioning.stream),
            Task::Steady(steady) => site::stream_writes(&steady.stream),
        }
    }

    /// How it is shown while it is done; none of a fill, which says so itself.
    pub fn phase(&self) -> Option<Phase> {
        match self {
            Task::Fill(_) => None,
            Task::Purge(_) => Some(Phase::Purging),
            Task::Condition(..) => Some(Phase::Conditioning),
            Task::Steady(_) => Some(Phase::Steadying),
            Task::Namespaces(_) | Task::WriteCache(_) | Task::Filesystem(_) => Some(Phase::Between),
        }
    }

    /// How long it takes on a subject, as far as that is known before; none of a fill.
    pub fn length(&self, plan: &Plan, subject: &Subject) -> Option<Length> {
        let is_bare = |drive: &Drive| matches!(drive.place, Place::Device { .. });
        Some(match self {
            Task::Fill(_) => return None,
            Task::Namespaces(_) | Task::WriteCache(_) | Task::Filesystem(_) => Length::Ns(0),
            Task::Purge(_) if !subject.drives.iter().any(is_bare) => Length::Ns(0),
            Task::Purge(_) => Length::Unknown,
            Task::Condition(_, c) if c.passes > 0.0 => {
                let drives = subject.drives.len() as f64;
                let once = space::written_as_filled(plan, &c.stream);
                once.map_or(Length::Unknown, |bytes| Length::Bytes(bytes * c.passes * drives))
            }
            Task::Condition(_, c) => Length::Ns(c.duration_ns),
            Task::Steady(s) => Length::Ns(s.round_ns.saturating_mul(s.most_rounds.into())),
        })
    }

    pub fn asked(&self) -> Result<String> {
        let asked = match self {
            Task::Namespaces(count) => serde_json::to_string(count),
            Task::Purge(purge) => serde_json::to_string(purge),
            Task::WriteCache(on) => serde_json::to_string(on),
            Task::Filesystem(filesystem) => serde_json::to_string(filesystem),
            Task::Fill(dataset) => serde_json::to_string(dataset),
            Task::Condition(_, conditioning) => serde_json::to_string(conditioning),
            Task::Steady(steady) => serde_json::to_string(steady),
        };
        asked.context("describing what is asked for")
    }
}

/// What the plan says, in the order in which it is done.
pub fn tasks(plan: &Plan) -> Vec<Task<'_>> {
    let (protocol, bare) = (&plan.protocol, &plan.protocol.preparation);
    let namespaces = (bare.namespaces > 0).then_some(Task::Namespaces(bare.namespaces));
    let mut tasks: Vec<Task<'_>> = namespaces.into_iter().collect();
    tasks.extend(bare.purge.map(Task::Purge));
    tasks.extend(bare.write_cache.map(Task::WriteCache));
    tasks.extend(bare.filesystem.as_ref().map(Task::Filesystem));
    tasks.extend(protocol.datasets.iter().map(Task::Fill));
    tasks.extend(protocol.prepare.iter().enumerate().map(|(i, c)| Task::Condition(i + 1, c)));
    tasks.extend(bare.steady.as_ref().map(Task::Steady));
    tasks
}
