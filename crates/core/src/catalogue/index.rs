//! The index of a catalogue: a header line, then a line of JSON for each bundle. It is read and
//! replaced as a whole, so a reader never sees a partial index; wrong entries are rebuilt from the
//! bundles.
//!
//! It is not a database, unlike bundles: all of it is needed at once, and a file in a folder from
//! someone else is then merely parsed text, which SQLite does not act on.

use std::collections::{HashMap, HashSet};
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::entry::CatalogueEntry;
use crate::base::error::{Context, Result, bail};
use crate::base::file;

const NAME: &str = ".dyno-catalogue";
/// The first line, with the version of the format.
const HEAD: &str = "dyno catalogue 1";
/// Maximum length of a line. Only a plan with very many subjects has a longer one, and is read
/// again.
const MOST_LINE: u64 = 256 << 10;
/// The maximum mean length of a line, and the number of lines allowed beyond one for each bundle:
/// the index of a folder from elsewhere may be of any size, regardless of the folder's contents.
const MEAN_LINE: u64 = 4 << 10;
const MORE_LINES: usize = 1_000;

/// The known entries by their paths, and whether others were omitted.
pub type KnownEntries = (HashMap<String, CatalogueEntry>, bool);

/// The known entries of these bundles; empty without a usable index.
pub fn read(folder: &Path, bundles: &HashSet<String>) -> KnownEntries {
    own(&folder.join(NAME), bundles).unwrap_or_default()
}

/// The entries of Dyno's index; None if it is not one, or too large for this number of bundles.
fn own(path: &Path, bundles: &HashSet<String>) -> Option<KnownEntries> {
    let most_lines = bundles.len() + MORE_LINES;
    let found = path.symlink_metadata().ok()?;
    if !found.is_file() || found.len() > MEAN_LINE * most_lines as u64 {
        return None;
    }
    let mut file = BufReader::new(file::open(path).ok()?);
    let mut line = String::new();
    file.by_ref().take(MOST_LINE).read_line(&mut line).ok()?;
    if line.trim_end() != HEAD {
        return None;
    }
    let (mut entries, mut others) = (HashMap::new(), false);
    for _ in 0..most_lines {
        line.clear();
        if file.by_ref().take(MOST_LINE).read_line(&mut line).ok()? == 0 {
            return Some((entries, others));
        }
        if !line.ends_with('\n') {
            return None;
        }
        let entry: CatalogueEntry = serde_json::from_str(&line).ok()?;
        match bundles.contains(&entry.path) && entry.is_possible() {
            true => drop(entries.insert(entry.path.clone(), entry)),
            false => others = true,
        }
    }
    None
}

/// Replaces the index; an error if the folder is not writable, or another file has its name.
pub fn write(folder: &Path, entries: &[CatalogueEntry]) -> Result<()> {
    let path = folder.join(NAME);
    let taken = path.symlink_metadata();
    if taken.as_ref().is_ok_and(|found| found.len() > 0) && !begins_as_ours(&path) {
        bail!("{} is not an index", path.display());
    }
    let beside = PathBuf::from(format!("{}.{}", path.display(), std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o644).custom_flags(libc::O_NOFOLLOW);
    let mut file = BufWriter::new(options.open(&beside).context("writing the index")?);
    let mut whole = || -> Result<()> {
        writeln!(file, "{HEAD}")?;
        for entry in entries {
            serde_json::to_writer(&mut file, entry)?;
            writeln!(file)?;
        }
        file.flush()?;
        Ok(std::fs::rename(&beside, &path)?)
    };
    let written = whole();
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// Whether a file begins like an index of Dyno; it may be damaged further on.
fn begins_as_ours(path: &Path) -> bool {
    let mut start = [0; HEAD.len()];
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    is_file
        && file::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
        && start == *HEAD.as_bytes()
}
