//! An overview of all bundles in a folder. An index in the folder caches what was read, so only new
//! or modified bundles are opened; docs/catalogue.md describes both.
//!
//! Bundles are not modified. Symbolic links are not followed, and unreadable files are listed as
//! such.

mod entry;
mod index;

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::base::error::{Context, Result, failed};
use crate::base::file::UNFINISHED;

pub use entry::{BundleSummary, CatalogueEntry, Contents, RunState};

/// Maximum depth of the search.
const DEEPEST: usize = 32;
/// Maximum number of listed bundles.
const MOST: usize = 1_000_000;

/// The bundles in a folder.
pub struct BundleCatalogue {
    /// Newest run first, unreadable files last.
    pub entries: Vec<CatalogueEntry>,
    /// Files that were opened because their index entry was missing or outdated.
    pub opened: usize,
    /// Whether the index is stored in the folder; otherwise every call reads every bundle.
    pub is_kept: bool,
}

impl BundleCatalogue {
    /// Lists a folder and updates its index.
    pub fn open(folder: &Path) -> Result<BundleCatalogue> {
        BundleCatalogue::read(folder, None)
    }

    /// Lists the same folder again: the known entries replace the index, which a read-only folder
    /// lacks.
    pub fn again(&self, folder: &Path) -> Result<BundleCatalogue> {
        BundleCatalogue::read(folder, Some(&self.entries))
    }

    fn read(folder: &Path, known: Option<&[CatalogueEntry]>) -> Result<BundleCatalogue> {
        let shown = folder.display();
        let folder = folder.canonicalize().with_context(|| format!("opening {shown}"))?;
        if !folder.is_dir() {
            return Err(failed(
                format!("{shown} is not a folder"),
                "specify the folder with the bundles",
            ));
        }
        let mut found = Vec::new();
        walk(&folder, 0, &mut found);
        let found: Vec<_> =
            found.into_iter().filter_map(|path| Some((look(&folder, &path)?, path))).collect();
        let (mut known, others) = match known {
            Some(known) => (known.iter().map(|e| (e.path.clone(), e.clone())).collect(), false),
            None => {
                let names = found.iter().map(|((name, _, _), _)| name.clone()).collect();
                index::read(&folder, &names)
            }
        };
        let before = known.len();
        let (mut entries, mut opened) = (Vec::with_capacity(found.len()), 0);
        for ((name, size_bytes, modified_unix_ns), path) in found {
            let same = |e: &CatalogueEntry| {
                (e.size_bytes, e.modified_unix_ns) == (size_bytes, modified_unix_ns) && !e.is_open()
            };
            let contents = match known.remove(&name).filter(same) {
                Some(entry) => entry.contents,
                None => {
                    opened += 1;
                    contents(&folder, &path, &name)
                }
            };
            entries.push(CatalogueEntry { path: name, size_bytes, modified_unix_ns, contents });
        }
        distinguish(&mut entries);
        let changed = opened > 0 || others || !known.is_empty() || before == 0;
        let is_kept = !changed || index::write(&folder, &entries).is_ok();
        entries.sort_by(|a, b| {
            b.started_unix_ns().cmp(&a.started_unix_ns()).then_with(|| a.path.cmp(&b.path))
        });
        Ok(BundleCatalogue { entries, opened, is_kept })
    }

    /// The catalogue of a single bundle of a folder, without an index.
    pub fn of_one(folder: &Path, name: &str) -> BundleCatalogue {
        let path = folder.join(name);
        let entry = look(folder, &path).map(|(path_below, size_bytes, modified_unix_ns)| {
            let contents = contents(folder, &path, &path_below);
            CatalogueEntry { path: path_below, size_bytes, modified_unix_ns, contents }
        });
        BundleCatalogue { entries: entry.into_iter().collect(), opened: 1, is_kept: true }
    }

    /// The entries that contain every word of a text, case-insensitively.
    pub fn search(&self, text: &str) -> impl Iterator<Item = &CatalogueEntry> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        self.entries.iter().filter(move |entry| entry.matches(&words))
    }
}

impl BundleCatalogue {
    /// The newest completed runs, optionally of one protocol, that contain every word of a text.
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
    /// Whether its entry may change without a write, because a run may end.
    fn is_open(&self) -> bool {
        let open = |s: &BundleSummary| matches!(s.state, RunState::Running | RunState::Cut);
        matches!(&self.contents, Contents::Bundle(summary) if open(summary))
    }
}

/// Every bundle below a folder by its name, sorted; nothing is opened.
pub fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    walk(folder, 0, &mut found);
    found.sort();
    found
}

/// Every file that ends in `.dyno`, except in hidden folders, in data folders of a load, and in
/// unfinished additions to a dataset of bundles.
fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        // The type of the link itself, if it is one.
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

/// A file's name relative to the folder, its length, and its modification time.
fn look(folder: &Path, path: &Path) -> Option<(String, u64, i64)> {
    let found = std::fs::symlink_metadata(path).ok().filter(|found| found.is_file())?;
    let name = path.strip_prefix(folder).ok()?.to_string_lossy().into_owned();
    let modified = found.mtime().saturating_mul(1_000_000_000).saturating_add(found.mtime_nsec());
    Some((name, found.len(), modified))
}

/// Gives each masked path a number if another entry has the same: pages find bundles by it.
fn distinguish(entries: &mut [CatalogueEntry]) {
    let is_masked = |e: &CatalogueEntry| e.shown_path() != e.path;
    let open = entries.iter().filter(|e| !is_masked(e)).map(|e| e.path.clone());
    let mut taken: HashSet<String> = open.collect();
    let mut masked: Vec<&mut CatalogueEntry> =
        entries.iter_mut().filter(|e| is_masked(e)).collect();
    masked.sort_by(|a, b| a.path.cmp(&b.path));
    for entry in masked {
        let Contents::Bundle(summary) = &mut entry.contents else { continue };
        let Some(path) = &mut summary.masked_path else { continue };
        let (stem, mut n) = (path.clone(), 1);
        while !taken.insert(path.clone()) {
            n += 1;
            *path = format!("{stem} ({n})");
        }
    }
}

/// Opened by its name without links, inside the folder.
fn contents(folder: &Path, path: &Path, name: &str) -> Contents {
    match path.canonicalize() {
        Ok(real) if real.starts_with(folder) => Contents::of(&real, name),
        Ok(_) => Contents::Broken("it is outside the folder".to_string()),
        Err(error) => Contents::Broken(error.to_string()),
    }
}
