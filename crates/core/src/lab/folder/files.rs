//! The state of a dataset's files (lengths, times, blocks and sampled checksums), so that a file
//! that was truncated, extended, replaced or overwritten since the dataset was closed is detected
//! before it is measured.

use std::fs::{File, Metadata};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use rustix::fs::{Advice, OFlags, fadvise};

use crate::base::error::{Context, Result};
use crate::lab::folder::data::{DatasetFolder, MARKER};
use crate::lab::folder::file_state::{FileState, check_own};
use crate::lab::folder::pin::shown;

/// Number of sampled positions per file, and bytes per sample.
const SAMPLES: u64 = 24;
const SAMPLE_BYTES: u64 = 4096;

/// The state of all files of a dataset; refuses links among them.
pub fn look(folder: &DatasetFolder) -> Result<Vec<FileState>> {
    let (mut found, root) = (Vec::new(), folder.path());
    below(folder, &root, Path::new(""), &mut found)?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Refuses links anywhere in a dataset.
pub fn check_all(folder: &DatasetFolder) -> Result<()> {
    walk(&folder.path(), Path::new(""), &mut |_, _| Ok(()))
}

fn below(folder: &DatasetFolder, root: &Path, at: &Path, found: &mut Vec<FileState>) -> Result<()> {
    walk(root, at, &mut |path, meta| {
        // Servers create their own sockets and logs; a database's message log is not data.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !meta.is_file() || name.starts_with(MARKER) || name.starts_with("LOG") || name == "LOCK"
        {
            return Ok(());
        }
        let file = folder.open_file(&path.to_string_lossy(), OFlags::RDONLY);
        let file =
            file.with_context(|| format!("opening {}", shown(&root.join(path)).display()))?;
        found.push(kept(path, meta, &file)?);
        Ok(())
    })
}

fn walk(
    root: &Path,
    at: &Path,
    each: &mut dyn FnMut(&Path, &Metadata) -> Result<()>,
) -> Result<()> {
    let listing = || format!("listing {}", shown(&root.join(at)).display());
    for entry in std::fs::read_dir(root.join(at)).with_context(listing)? {
        let entry = entry.with_context(listing)?;
        let (path, meta) = match entry.metadata() {
            // A server left by a killed Dyno is still shutting down, and removes its own files.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            meta => (at.join(entry.file_name()), meta.with_context(listing)?),
        };
        let socket = !meta.is_file() && !meta.is_dir() && !meta.is_symlink();
        if !socket {
            check_own(&meta, &shown(&root.join(&path)))?;
        }
        if meta.is_dir() {
            walk(root, &path, each)?;
        } else {
            each(&path, &meta)?;
        }
    }
    Ok(())
}

fn kept(path: &Path, meta: &Metadata, file: &File) -> Result<FileState> {
    let bytes = meta.len();
    let steps = SAMPLES.min(bytes.div_ceil(SAMPLE_BYTES)).max(1);
    let mut checksum = 0xcbf2_9ce4_8422_2325u64;
    let mut buffer = [0; SAMPLE_BYTES as usize];
    for i in 0..steps {
        // Evenly spaced from the first to the last.
        let at = bytes.saturating_sub(SAMPLE_BYTES) / (steps - 1).max(1) * i;
        let read = file.read_at(&mut buffer, at).context("reading a dataset's file")?;
        checksum = buffer[..read]
            .iter()
            .fold(checksum, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3));
    }
    // The next point must not find it cached.
    let _ = fadvise(file, 0, None, Advice::DontNeed);
    let modified_ns = i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec());
    Ok(FileState { path: path.to_path_buf(), bytes, blocks: meta.blocks(), modified_ns, checksum })
}

/// A file that has holes, and had none when it was as long; compressed files always have fewer
/// blocks than their length.
pub fn holed<'n>(then: &[FileState], now: &'n [FileState]) -> Option<&'n FileState> {
    let whole = |k: &FileState| k.blocks * 512 >= k.bytes;
    now.iter().find(|is| {
        let was = then.iter().find(|was| was.path == is.path && was.bytes == is.bytes);
        was.is_some_and(whole) && !whole(is)
    })
}

/// The differences, as text; None if there are none. For a dataset that was open when its run died,
/// only new holes are known to be wrong.
pub fn damage(then: &[FileState], now: &[FileState], open: bool) -> Option<String> {
    if let Some(is) = holed(then, now) {
        let (file, there) = (is.path.display(), is.blocks * 512);
        return Some(format!("{file} has holes: {there} of its {} bytes are there", is.bytes));
    }
    for was in then {
        let file = was.path.display();
        let Some(is) = now.iter().find(|is| is.path == was.path) else {
            // A killed engine may have removed a file without recording it.
            if open {
                continue;
            }
            return Some(format!("{file} is gone"));
        };
        if open {
            continue;
        }
        if is.bytes != was.bytes {
            return Some(format!("{file} has {} bytes and had {}", is.bytes, was.bytes));
        }
        if is.checksum != was.checksum {
            return Some(format!("the contents of {file} have changed since it was closed"));
        }
        if is.modified_ns != was.modified_ns {
            return Some(format!("{file} was changed since it was closed"));
        }
    }
    let new = now.iter().find(|is| !open && !then.iter().any(|was| was.path == is.path));
    new.map(|is| format!("{} was not there when it was closed", is.path.display()))
}
