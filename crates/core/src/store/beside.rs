//! Files next to a bundle, and its first bytes, checked before SQLite opens it: SQLite acts on a
//! journal by itself, writes back its contents, and deletes a file that the journal names.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::base::error::{Context, Result, failed};
use crate::base::file;
use crate::base::output::with_end;

/// The start of every journal, and the end of one that names another, of a transaction over several
/// databases. Dyno's journals never do.
const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

pub(super) fn check(path: &Path) -> Result<()> {
    for end in ["-wal", "-shm"] {
        let found = with_end(path, end);
        if found.symlink_metadata().is_ok() {
            let what =
                format!("{} is next to the bundle, but bundles have no such file", found.display());
            return Err(failed(what, "move it away if the bundle is to be read without it"));
        }
    }
    check_head(path)?;
    let journal = with_end(path, "-journal");
    let Ok(found) = journal.symlink_metadata() else { return Ok(()) };
    let foreign = |why: &str| {
        let what = format!("the journal of the bundle, {}, {why}", journal.display());
        Err(failed(what, "move it away if the bundle is to be read without it"))
    };
    if !found.is_file() {
        return foreign("is not a file");
    }
    let mut end = [0; 8];
    let mut held = file::open(&journal)?;
    let mut start = Vec::new();
    held.by_ref().take(8).read_to_end(&mut start).with_context(|| reading(&journal))?;
    // SQLite deletes a file that has a journal's name but is not one. It sets the header to zeros
    // when it no longer needs the journal.
    if !start.iter().all(|byte| *byte == 0) && start != MAGIC {
        return foreign("is not a journal, and SQLite would delete it");
    }
    let read = held.seek(SeekFrom::End(-8)).and_then(|_| held.read_exact(&mut end));
    // The journal of a run that has just ended is gone or empty by now.
    if read.is_ok() && end == MAGIC {
        foreign("refers to another file, which SQLite would delete")
    } else {
        Ok(())
    }
}

/// For a file in write-ahead log mode, SQLite would create files next to it.
fn check_head(path: &Path) -> Result<()> {
    let mut head = Vec::new();
    file::open(path)?.take(20).read_to_end(&mut head).with_context(|| reading(path))?;
    if head.starts_with(b"SQLite format 3\0") && head.len() == 20 && head[18..20] != [1, 1] {
        let what =
            format!("{} is a database with a write-ahead log, and no bundle is", path.display());
        return Err(failed(what, "if you set it: sqlite3 FILE 'PRAGMA journal_mode = DELETE'"));
    }
    Ok(())
}

fn reading(path: &Path) -> String {
    format!("reading {}", path.display())
}
