//! Cache of compiled traces in Dyno's own folder, away from the drives under test. A trace is
//! compiled again if its file has changed.

use std::fs::{self, File};
use std::io::BufWriter;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{MemfdFlags, memfd_create};
use twox_hash::XxHash3_64;

use crate::{Reader, Synthetic};
use dyno_core::base::error::{Context, Result};
use dyno_core::base::private;
use dyno_core::base::stderr::note;

/// Name of the built-in trace, which is the same on every host. It is synthetic because recorded
/// traces may not be redistributed.
pub const SYNTHETIC: &str = "synthetic";

const FOLDER: &str = "traces";

/// Maximum number of compiled traces in the cache.
const MOST_KEPT: usize = 16;

/// Opens a trace. Compiles it if it was not compiled since its last change.
pub fn open(source: &Path) -> Result<Reader> {
    if source == Path::new(SYNTHETIC) {
        return open_synthetic();
    }
    if crate::is_compiled(source) {
        return Reader::open(source);
    }
    let found = fs::metadata(source)
        .with_context(|| format!("looking for the trace {}", source.display()))?;
    let whole = fs::canonicalize(source)?;
    // A process that changes a file cannot set its inode change time.
    let state = (found.ino(), found.len(), found.mtime_nsec(), found.ctime(), found.ctime_nsec());
    let of = format!("{} {state:?}", whole.display());
    let name = format!("{:016x}.trace", XxHash3_64::oneshot(of.as_bytes()));
    match private::folder().map(|folder| folder.join(FOLDER)) {
        Some(folder) => {
            let kept = folder.join(name);
            if !kept.exists() {
                fs::create_dir_all(&folder)?;
                make_room(&folder);
                note(&format!("compiling the trace {}", source.display()));
                crate::compile(source, &kept)?.note_refused(source);
            }
            Reader::open(&kept)
        }
        None => {
            let (reader, compiled) = crate::read_any(source, &std::env::temp_dir())?;
            compiled.note_refused(source);
            Ok(reader)
        }
    }
}

/// Opens the built-in trace.
fn open_synthetic() -> Result<Reader> {
    let memory = memfd_create(SYNTHETIC, MemfdFlags::CLOEXEC);
    let mut file = File::from(memory.context("making room for the synthetic trace")?);
    Synthetic::default().write(BufWriter::new(&mut file))?;
    Reader::over(file, Path::new(SYNTHETIC))
}

/// Removes the oldest files if there are too many: they can be compiled again.
fn make_room(folder: &Path) {
    let mut kept: Vec<(i64, PathBuf)> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|own| own == "trace"))
        .filter_map(|entry| Some((entry.metadata().ok()?.mtime(), entry.path())))
        .collect();
    kept.sort_unstable();
    let surplus = (kept.len() + 1).saturating_sub(MOST_KEPT);
    for (_, path) in &kept[..surplus] {
        let _ = fs::remove_file(path);
    }
}
