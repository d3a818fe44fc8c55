//! Running runs: a list, and a page for each that is updated by server-sent events. All data come
//! from live feeds (`lab::feed`), which runs store in memory: no request reaches a run, and no
//! bundle that is being written is opened for it.

mod events;
mod list;
mod view;
mod watched;

pub use events::PAGE as EVENTS;
pub use list::PAGE as LIST;
pub use watched::PAGE as RUN;

use super::page::PageFailure;
use super::site::ServedFolder;
use crate::catalogue::{CatalogueEntry, Contents};
use crate::lab::folder::feed::{self, FeedState};

/// Maximum number of listed runs: the newest.
const MOST_RUNS: usize = 50;

/// The runs of the folder with a feed, by their bundles' paths; active ones first, then the newest.
pub fn feeds(site: &ServedFolder) -> Result<Vec<(String, FeedState)>, PageFailure> {
    let catalogue = site.catalogue()?;
    let bundles = catalogue.entries.iter().filter(|e| matches!(e.contents, Contents::Bundle(_)));
    let feed = |entry: &CatalogueEntry| {
        let read = feed::read(&site.path_of(entry)?)?;
        Some((entry.shown_path().to_string(), read))
    };
    let mut runs: Vec<(String, FeedState)> = bundles.filter_map(feed).collect();
    runs.sort_by_key(|(_, found)| (!found.is_running, u64::MAX - found.feed.began_unix_ns));
    runs.truncate(MOST_RUNS);
    Ok(runs)
}
