//! A folder of bundles as the base of a gate: the newest runs of the new run's protocol.

use std::path::{Path, PathBuf};

use crate::base::error::{Context, Result, failed};
use crate::catalogue::{BundleCatalogue, BundleSummary, Contents, RunState};
use crate::store::glance;

/// With fewer runs, the scatter between runs is unknown.
const FEWEST: usize = 3;

/// At most this many completed bundles of the same protocol that started no later than the new run,
/// oldest first.
pub fn newest(folder: &Path, new: &Path, last: usize) -> Result<Vec<PathBuf>> {
    let catalogue = BundleCatalogue::open(folder)?;
    let (run, own) = (glance(new)?.run, canonical(new)?);
    let protocol = &run.plan.protocol;
    let fits = |s: &BundleSummary| {
        (&s.protocol, &s.title, s.state) == (&protocol.name, &protocol.title, RunState::Whole)
            && s.started_unix_ns <= run.started_unix_ns
    };
    let root = canonical(folder)?;
    let found = catalogue.entries.iter().filter_map(|entry| match &entry.contents {
        Contents::Bundle(summary) if fits(summary) => Some(root.join(&entry.path)),
        _ => None,
    });
    let mut found: Vec<PathBuf> = found.filter(|path| *path != own).take(last).collect();
    found.reverse();
    if found.len() >= FEWEST {
        return Ok(found);
    }
    let (folder, n) = (folder.display(), found.len());
    Err(failed(
        format!("{folder} has {n} whole earlier runs of {} ({})", protocol.title, protocol.name),
        format!("a history needs {FEWEST} or more; until then give one bundle as the base"),
    ))
}

fn canonical(path: &Path) -> Result<PathBuf> {
    path.canonicalize().with_context(|| format!("opening {}", path.display()))
}
