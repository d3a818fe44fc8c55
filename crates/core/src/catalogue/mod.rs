//! All bundles below a folder, at a glance. An index beside them keeps what was read, so that only
//! bundles that are new or were written to are opened; docs/catalogue.md describes both.
//!
//! Nothing in a bundle is written. Symbolic links are not followed, and what cannot be read is
//! listed as that.

mod entry;
mod index;

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::base::error::{Context, Result, failed};
use crate::base::file::UNFINISHED;

pub use entry::{BundleSummary, CatalogueEntry, Contents, RunState};

/// Folders within folders that are looked into.
const DEEPEST: usize = 32;
/// Bundles that are listed at most.
const MOST: usize = 1_000_000;

/// The bundles below a folder.
pub struct BundleCatalogue {
    /// The newest run first; what cannot be read last.
    pub entries: Vec<CatalogueEntry>,
    /// Files that were opened, since the index did not have them as they are.
    pub opened: usize,
    /// Whether the index is kept in the folder; otherwise every opening reads every bundle.
    pub is_kept: bool,
}

impl BundleCatalogue {
    /// Lists a folder and brings its index up to date.
    pub fn open(folder: &Path) -> Result<BundleCatalogue> {
        BundleCatalogue::read(folder, None)
    }

    /// The same folder as it is now: what is known of it stands in for the index, which a folder
    /// that cannot be written has not.
    pub fn again(&self, folder: &Path) -> Result<BundleCatalogue> {
        BundleCatalogue::read(folder, Some(&self.entries))
    }

    fn read(folder: &Path, known: Option<&[CatalogueEntry]>) -> Result<BundleCatalogue> {
        let shown = folder.display();
        let folder = folder.canonicalize().with_context(|| format!("opening {shown}"))?;
        if !folder.is_dir() {
            return Err(failed(
                format!("{shown} is not a folder"),
                "name the folder that holds the bundles",
            ));
        }
        let mut found = Vec::new();
        walk(&folder, 0, &mut found);
        let known = known.map_or_else(|| index::read(&folder), <[CatalogueEntry]>::to_vec);
        let mut known: HashMap<String, CatalogueEntry> =
            known.into_iter().map(|e| (e.path.clone(), e)).collect();
        let before = known.len();
        let (mut entries, mut opened) = (Vec::with_capacity(found.len()), 0);
        for path in found {
            let Some((name, size_bytes, modified_unix_ns)) = look(&folder, &path) else { continue };
            let same = |e: &CatalogueEntry| {
                (e.size_bytes, e.modified_unix_ns) == (size_bytes, modified_unix_ns) && !e.is_open()
            };
            let contents = match known.remove(&name).filter(same) {
                Some(entry) => entry.contents,
                None => {
                    opened += 1;
                    contents(&folder, &path)
                }
            };
            entries.push(CatalogueEntry { path: name, size_bytes, modified_unix_ns, contents });
        }
        let changed = opened > 0 || !known.is_empty() || before == 0;
        let is_kept = !changed || index::write(&folder, &entries).is_ok();
        entries.sort_by(|a, b| {
            b.started_unix_ns().cmp(&a.started_unix_ns()).then_with(|| a.path.cmp(&b.path))
        });
        Ok(BundleCatalogue { entries, opened, is_kept })
    }

    /// Of one bundle of a folder alone, without an index.
    pub fn of_one(folder: &Path, name: &str) -> BundleCatalogue {
        let path = folder.join(name);
        let entry = look(folder, &path).map(|(path_below, size_bytes, modified_unix_ns)| {
            let contents = contents(folder, &path);
            CatalogueEntry { path: path_below, size_bytes, modified_unix_ns, contents }
        });
        BundleCatalogue { entries: entry.into_iter().collect(), opened: 1, is_kept: true }
    }

    /// The entries in which every word of a text occurs, in upper or lower case.
    pub fn search(&self, text: &str) -> impl Iterator<Item = &CatalogueEntry> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        self.entries.iter().filter(move |entry| entry.matches(&words))
    }
}

impl BundleCatalogue {
    /// The newest runs that went to their end, of a protocol where one is named, in which every
    /// word of a text occurs.
    pub fn ended<'a>(
        &'a self,
        protocol: Option<&'a str>,
        text: &str,
    ) -> impl Iterator<Item = &'a CatalogueEntry> {
        self.search(text).filter(move |entry| match &entry.contents {
            Contents::Broken(_) => false,
            Contents::Bundle(summary) => {
                matches!(summary.state, RunState::Whole | RunState::Failed)
                    && protocol.is_none_or(|name| name == summary.protocol)
            }
        })
    }
}

impl CatalogueEntry {
    /// Whether what is known of it may change without a write: a run may end.
    fn is_open(&self) -> bool {
        let open = |s: &BundleSummary| matches!(s.state, RunState::Running | RunState::Cut);
        matches!(&self.contents, Contents::Bundle(summary) if open(summary))
    }
}

/// Every bundle below a folder by its name, in the order of the names; nothing is opened.
pub fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    walk(folder, 0, &mut found);
    found.sort();
    found
}

/// Every file that ends in `.dyno`. Left out are hidden folders, those of the data under a load,
/// and what is being added to a dataset of bundles.
fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        // Of the link itself, where it is one.
        let Ok(kind) = entry.file_type() else { continue };
        let (name, path) = (entry.file_name(), entry.path());
        let begins = |start: &str| name.as_encoded_bytes().starts_with(start.as_bytes());
        let hidden = begins(".") || begins(UNFINISHED) || name == "dyno-data";
        if kind.is_dir() && !hidden && depth < DEEPEST {
            walk(&path, depth + 1, found);
        } else if kind.is_file() && path.extension().is_some_and(|e| e == "dyno") {
            if found.len() == MOST {
                return;
            }
            found.push(path);
        }
    }
}

/// A file's name below the folder, its length, and when it was written.
fn look(folder: &Path, path: &Path) -> Option<(String, u64, i64)> {
    let found = std::fs::symlink_metadata(path).ok().filter(|found| found.is_file())?;
    let name = path.strip_prefix(folder).ok()?.to_string_lossy().into_owned();
    let modified = found.mtime().saturating_mul(1_000_000_000).saturating_add(found.mtime_nsec());
    Some((name, found.len(), modified))
}

/// Opened by the name that it has without links, which lies in the folder.
fn contents(folder: &Path, path: &Path) -> Contents {
    match path.canonicalize() {
        Ok(real) if real.starts_with(folder) => Contents::of(&real),
        Ok(_) => Contents::Broken("it lies outside of the folder".to_string()),
        Err(error) => Contents::Broken(error.to_string()),
    }
}
