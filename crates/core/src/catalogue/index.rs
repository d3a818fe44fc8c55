//! The index of a catalogue: a header line, then a line of JSON for each bundle. It is read and
//! replaced as a whole, so a reader never sees a partial index; wrong entries are rebuilt from the
//! bundles.
//!
//! It is not a database, unlike bundles: all of it is needed at once, and a file in a folder from
//! someone else is then merely parsed text, which SQLite does not act on.

use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::entry::CatalogueEntry;
use crate::base::error::{Context, Result, bail};
use crate::base::file;

const NAME: &str = ".dyno-catalogue";
/// The first line, with the version of the format.
const HEAD: &str = "dyno catalogue 1";
/// A million bundles.
const MOST_BYTES: u64 = 1 << 30;

/// The known entries; empty without a usable index.
pub fn read(folder: &Path) -> Vec<CatalogueEntry> {
    let path = folder.join(NAME);
    let Some(text) = own(&path) else { return Vec::new() };
    let entries = text.lines().skip(1).map(serde_json::from_str);
    entries.collect::<serde_json::Result<_>>().unwrap_or_default()
}

/// The text of Dyno's index.
fn own(path: &Path) -> Option<String> {
    let found = path.symlink_metadata().ok()?;
    let text = found.is_file().then(|| file::read_text(path, MOST_BYTES).ok())??;
    (text.lines().next() == Some(HEAD)).then_some(text)
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

/// Also for an index that is damaged further on.
fn begins_as_ours(path: &Path) -> bool {
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    is_file && file::read(path, MOST_BYTES).is_ok_and(|bytes| bytes.starts_with(HEAD.as_bytes()))
}
