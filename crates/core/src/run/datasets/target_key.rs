//! The open dataset that a stream uses on a drive; streams of a step may share one.

use crate::plan::{Stream, Subject};
use crate::record::ServerShare;

/// An open dataset and its users: streams of a step share one by engine, dataset, drive and
/// instance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TargetKey {
    engine: String,
    dataset: String,
    drive: u32,
    /// The namespace that the stream targets, on a drive with namespaces: (index, of).
    namespace: Option<(u32, u32)>,
    instance: u32,
    /// If no data are stored there is nothing to share, and each stream has an engine with its own
    /// knobs.
    stream: Option<String>,
}

impl TargetKey {
    /// The resources of the server at this index.
    pub fn named(&self, share: ServerShare) -> ServerShare {
        ServerShare { drive: self.drive, instance: self.instance, ..share }
    }
}

/// The dataset of a stream on a drive, in an instance.
pub fn key(subject: &Subject, stream: &Stream, drive: u32, instance: u32) -> TargetKey {
    let (engine, dataset) = (stream.engine.name.clone(), stream.dataset.clone());
    let namespace =
        has_namespaces(subject, drive).then_some((stream.target.index, stream.target.of));
    let own = stream.dataset.is_empty().then(|| stream.name.clone());
    TargetKey { engine, dataset, drive, namespace, instance, stream: own }
}

/// Whether a drive was divided into namespaces, which are assigned to streams as a whole.
pub fn has_namespaces(subject: &Subject, drive: u32) -> bool {
    subject.drives.get(drive as usize).is_some_and(|drive| !drive.namespaces.is_empty())
}

/// Every drive and instance of a stream; with namespaces and no target among them, all namespaces.
pub fn places(subject: &Subject, stream: &Stream) -> Vec<(u32, u32)> {
    let mut all = Vec::new();
    for (drive, found) in subject.drives.iter().enumerate() {
        let namespaces = if stream.target.is_whole() { found.namespaces.len() as u32 } else { 0 };
        all.extend((0..stream.instances.max(namespaces)).map(|instance| (drive as u32, instance)));
    }
    all
}
