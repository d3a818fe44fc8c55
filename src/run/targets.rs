//! The open datasets that a subject's streams work on.

use std::collections::BTreeMap;

use super::progress::Progress;
use super::site;
use crate::base::clock::Clock;
use crate::base::error::Result;
use crate::engine::{Access, Home, Target};
use crate::plan::{Plan, Stream, Subject};

/// An open dataset and who uses it: streams of a step share one by engine, dataset, drive and
/// instance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TargetKey {
    engine: String,
    dataset: String,
    drive: u32,
    /// On a drive with namespaces, the one that the stream's target names: (index, of).
    namespace: Option<(u32, u32)>,
    instance: u32,
    /// Where no data are kept there is nothing to share, and each stream has its engine with knobs
    /// of its own.
    stream: Option<String>,
}

pub type Targets = BTreeMap<TargetKey, (Home, Box<dyn Target>)>;

/// `settle`: compaction is to be waited for, which a database opened for reading only does not do.
pub fn open(
    plan: &Plan,
    subject: &Subject,
    streams: &[Stream],
    settle: bool,
    clock: Clock,
    progress: &Progress,
) -> Result<Targets> {
    let mut targets = Targets::new();
    for stream in streams {
        let shared =
            |s: &&Stream| s.engine.name == stream.engine.name && s.dataset == stream.dataset;
        let writes = streams.iter().filter(shared).any(site::stream_writes);
        let access = if writes || settle { Access::ReadWrite } else { Access::ReadOnly };
        for (drive, instance) in places(subject, stream) {
            let key = key(subject, stream, drive, instance);
            if targets.contains_key(&key) {
                continue;
            }
            let home = site::home(
                &subject.drives[drive as usize],
                &stream.dataset,
                instance,
                stream.target,
            )?;
            let dataset =
                plan.protocol.datasets.iter().find(|dataset| dataset.name == stream.dataset);
            if let (Some(dataset), Home::Folder(folder)) = (dataset, &home) {
                site::restore(&subject.name, dataset, folder, clock, progress)?;
                site::begin_use(dataset, folder, access)?;
            }
            let target = site::open(&stream.engine, &home, access, clock)?;
            targets.insert(key, (home, target));
        }
    }
    Ok(targets)
}

pub fn key(subject: &Subject, stream: &Stream, drive: u32, instance: u32) -> TargetKey {
    let (engine, dataset) = (stream.engine.name.clone(), stream.dataset.clone());
    let namespace =
        has_namespaces(subject, drive).then_some((stream.target.index, stream.target.of));
    let own = stream.dataset.is_empty().then(|| stream.name.clone());
    TargetKey { engine, dataset, drive, namespace, instance, stream: own }
}

/// Whether a drive was divided into namespaces, of which each stream has whole ones.
pub fn has_namespaces(subject: &Subject, drive: u32) -> bool {
    subject.drives.get(drive as usize).is_some_and(|drive| !drive.namespaces.is_empty())
}

/// Every drive and instance that a stream runs on; where there are namespaces and it is for none of
/// them, on all.
pub fn places(subject: &Subject, stream: &Stream) -> Vec<(u32, u32)> {
    let mut all = Vec::new();
    for (drive, found) in subject.drives.iter().enumerate() {
        let namespaces = if stream.target.is_whole() { found.namespaces.len() as u32 } else { 0 };
        all.extend((0..stream.instances.max(namespaces)).map(|instance| (drive as u32, instance)));
    }
    all
}

/// Closes datasets and notes what their files are by then.
pub fn close(targets: Targets) -> Result<()> {
    let homes: Vec<Home> = targets.into_values().map(|(home, _)| home).collect();
    site::end_use(&homes)
}
