//! The open datasets of a subject's streams.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::thread::{Builder, ScopedJoinHandle};

use crate::base::clock::Clock;
use crate::base::error::{Result, anyhow};
use crate::engine::{Access, DatasetLocation, Target};
use crate::lab::folder::data::DatasetFolder;
use crate::lab::machine::processors;
use crate::lab::machine::task_limit::TaskLimit;
use crate::plan::{Component, Dataset, Stream, Subject};
use crate::run::context::RunContext;
pub use crate::run::datasets::target_key::{TargetKey, has_namespaces, key, places};
use crate::run::datasets::{caches, dataset, servers};

/// The targets of a point, with their locations. Servers among them stop together.
#[derive(Default)]
pub struct Targets(BTreeMap<TargetKey, (DatasetLocation, Box<dyn Target>)>);

impl Deref for Targets {
    type Target = BTreeMap<TargetKey, (DatasetLocation, Box<dyn Target>)>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Targets {
    /// Drops all at once, so that servers on one drive stop together.
    fn stop(&mut self) -> Vec<DatasetLocation> {
        let (homes, open): (Vec<DatasetLocation>, Vec<_>) =
            std::mem::take(&mut self.0).into_values().unzip();
        std::thread::scope(|scope| {
            for target in open {
                // If no thread can be started, it is dropped with the closure, here.
                let _ = Builder::new().spawn_scoped(scope, move || drop(target));
            }
        });
        homes
    }
}

impl Drop for Targets {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A target to be opened.
struct Closed<'p> {
    key: TargetKey,
    engine: Component,
    home: DatasetLocation,
    access: Access,
    dataset: Option<&'p Dataset>,
}

/// `settle`: wait for compaction, which a database opened read-only does not perform.
pub fn open(
    run: RunContext<'_>,
    subject: &Subject,
    streams: &[Stream],
    settle: bool,
) -> Result<Targets> {
    let (plan, clock) = (run.plan, run.time.clock);
    let parts = servers::divide(subject, streams, &processors::allowed()?)?;
    let mut closed: Vec<Closed<'_>> = Vec::new();
    for stream in streams {
        let shared =
            |s: &&Stream| s.engine.name == stream.engine.name && s.dataset == stream.dataset;
        let writes = streams.iter().filter(shared).any(dataset::stream_writes);
        let empties = streams.iter().filter(shared).any(dataset::empties);
        let access = if writes || settle { Access::ReadWrite } else { Access::ReadOnly };
        for (drive, instance) in places(subject, stream) {
            let key = key(subject, stream, drive, instance);
            if closed.iter().any(|other| other.key == key) {
                continue;
            }
            let home = dataset::home(
                &subject.drives[drive as usize],
                &stream.dataset,
                instance,
                stream.target,
            )?;
            let engine = parts.get(&key).unwrap_or(&stream.engine).clone();
            let dataset =
                plan.protocol.datasets.iter().find(|dataset| dataset.name == stream.dataset);
            if let (Some(dataset), DatasetLocation::Folder(folder)) = (dataset, &home) {
                dataset::restore(&subject.name, dataset, folder, clock, run.progress)?;
                dataset::begin_use(dataset, folder, access, empties)?;
                forget_cached(&engine, folder)?;
            }
            closed.push(Closed { key, engine, home, access, dataset });
        }
    }
    open_all(closed, clock)
}

/// A memory limit includes the page cache that a server fills: pages cached earlier would be
/// charged to no group, and would not have to be read.
fn forget_cached(engine: &Component, folder: &DatasetFolder) -> Result<()> {
    match engine.knobs.get("memory") {
        Some(_) if folder.exists() => caches::drop_files_below(&folder.path()),
        _ => Ok(()),
    }
}

/// Servers start together; other engines are opened one by one.
fn open_all(closed: Vec<Closed<'_>>, clock: Clock) -> Result<Targets> {
    let mut targets = Targets::default();
    let open = |closed: Closed<'_>| {
        let target = dataset::open(&closed.engine, &closed.home, closed.access, clock)?;
        if let (Some(dataset), DatasetLocation::Folder(folder)) = (closed.dataset, &closed.home) {
            dataset::check_laid(dataset, folder, &*target)?;
        }
        Ok((closed.key, (closed.home, target)))
    };
    let (servers, others): (Vec<Closed<'_>>, Vec<Closed<'_>>) =
        closed.into_iter().partition(|c| c.engine.knobs.text("server").is_ok());
    for other in others {
        targets.0.extend([open(other)?]);
    }
    let started: Vec<Result<_>> = std::thread::scope(|scope| {
        let open = &open;
        let start = |server| Builder::new().spawn_scoped(scope, move || open(server));
        let all = servers.len() as u64;
        let starting: Vec<_> = servers.into_iter().map(start).collect();
        let panicked = |_| Err(anyhow!("starting a server failed through a bug in Dyno"));
        let joined = |(number, thread): (u64, std::io::Result<ScopedJoinHandle<'_, _>>)| {
            let thread = thread.map_err(|cause| TaskLimit::exceeded(number, all, &cause))?;
            thread.join().unwrap_or_else(panicked)
        };
        (0..).zip(starting).map(joined).collect()
    });
    // If one failed, those that started are dropped together with the rest.
    let mut failed = Ok(());
    for server in started {
        match server {
            Ok(server) => targets.0.extend([server]),
            Err(error) => failed = failed.and(Err(error)),
        }
    }
    failed.map(|()| targets)
}

/// Closes datasets and records the state of their files.
pub fn close(mut targets: Targets) -> Result<()> {
    dataset::end_use(&targets.stop())
}
