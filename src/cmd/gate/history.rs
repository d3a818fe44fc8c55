//! A folder of bundles as the base of a gate: the newest runs of the new run's protocol.

use std::path::{Path, PathBuf};

use crate::base::error::{Context, Result, failed};
use crate::catalogue::{BundleCatalogue, BundleSummary, Contents, RunState};
use crate::stats::runs::gate::FEWEST_RUNS;

/// At most this many completed bundles of the same protocol that started no later than the new run,
/// oldest first.
pub fn newest(folder: &Path, new: &Path, last: usize) -> Result<Vec<PathBuf>> {
    let catalogue = BundleCatalogue::open(folder)?;
    let own = canonical(new)?;
    // As the catalogue shows it, which masks titles.
    let new = match Contents::of(&own, "") {
        Contents::Bundle(summary) => summary,
        Contents::Broken(why) => return Err(failed(why, "compare a bundle that can be read")),
    };
    let fits = |s: &BundleSummary| {
        (&s.protocol, &s.title, s.state) == (&new.protocol, &new.title, RunState::Whole)
            && s.started_unix_ns <= new.started_unix_ns
    };
    let root = canonical(folder)?;
    let found = catalogue.entries.iter().filter_map(|entry| match &entry.contents {
        Contents::Bundle(summary) if fits(summary) => Some(root.join(&entry.path)),
        _ => None,
    });
    let mut found: Vec<PathBuf> = found.filter(|path| *path != own).take(last).collect();
    found.reverse();
    if !found.is_empty() {
        return Ok(found);
    }
    let folder = folder.display();
    Err(failed(
        format!("{folder} has no whole earlier run of {} ({})", new.title, new.protocol),
        format!("keep the bundles of its runs there; a history has {FEWEST_RUNS} or more"),
    ))
}

fn canonical(path: &Path) -> Result<PathBuf> {
    path.canonicalize().with_context(|| format!("opening {}", path.display()))
}
