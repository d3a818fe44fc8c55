//! Data verification (`verify = true`): every block written carries its address, its generation and
//! a checksum ([`crate::base::block_seal`]), and every read is compared with what was acknowledged.
//! docs/verify.md states the promises and refusals.
//!
//! `state` is the knowledge about one block, `journal` the file for all blocks, `wrong` the classes
//! of wrong blocks, `checker` the part of a worker. Knowledge is kept per 4 KiB block, whatever the
//! sizes of ops, which are multiples of it.

mod checker;
mod journal;
mod state;
mod wrong;

use std::path::{Path, PathBuf};

pub use checker::{BLOCK, Checker, VerifiedDataset};
pub use state::{BlockState, Leaves};
pub use wrong::{Allowed, Right, Wrong, judge};

use crate::base::block_seal::MOST_ZEROS;
use crate::base::error::{Result, failed};
use crate::engine::{Access, DatasetAccess, DatasetLocation};
use crate::lab::folder::data::{self, slug};
use crate::lab::folder::pin::shown;
use crate::plan::{DefaultValue, Knob, KnobKind, Knobs};
use journal::{BlockJournal, Header, JournalScope};

/// The knob that enables it.
pub const VERIFY: Knob = Knob {
    name: "verify",
    kind: KnobKind::Bool,
    default: DefaultValue::Absent,
    doc: "Write blocks that carry their address, generation and checksum, and compare every read \
          with what was acknowledged (docs/verify.md). Blocks are multiples of 4 KiB; needs \
          `journal`.",
};

/// The knob for the directory of the journal.
pub const JOURNAL: Knob = Knob {
    name: "journal",
    kind: KnobKind::Text,
    default: DefaultValue::Absent,
    doc: "verify: directory on another drive for the journal of acknowledged writes: 2 MiB per \
        GiB.",
};

/// Whether these knobs enable verification.
pub fn is_on(knobs: &Knobs) -> bool {
    knobs.get(VERIFY.name).is_some_and(|value| value == true)
}

/// The directory of the journal, if these knobs enable verification.
pub fn directory(knobs: &Knobs) -> Result<Option<PathBuf>> {
    if !is_on(knobs) {
        return Ok(None);
    }
    match knobs.text(JOURNAL.name) {
        Ok(path) if Path::new(path).is_absolute() => Ok(Some(PathBuf::from(path))),
        Ok(path) => Err(failed(
            format!("the journal's directory '{path}' is not an absolute path"),
            "write all of it, as in journal = \"/var/lib/dyno\"",
        )),
        Err(_) => Err(failed(
            "verify = true needs a place for its journal",
            "use a directory on another drive, as in journal = \"/var/lib/dyno\"",
        )),
    }
}

/// The size of the journal for a dataset of this many bytes, in its file and in memory.
pub fn journal_bytes(bytes: u64) -> u64 {
    journal::bytes(bytes / BLOCK as u64)
}

/// The path of a dataset's journal; None without verification.
pub fn journal_of(knobs: &Knobs, home: &DatasetLocation) -> Result<Option<PathBuf>> {
    let Some(directory) = directory(knobs)? else { return Ok(None) };
    let name = match home {
        DatasetLocation::Folder(folder) => folder.shown().display().to_string(),
        DatasetLocation::Device { path, serial } => {
            format!("{serial} {} {}", shown(path).display(), knobs.int("offset").unwrap_or(0))
        }
        DatasetLocation::Nowhere => return Ok(None),
    };
    Ok(Some(directory.join(format!("{}.journal", slug(&name)))))
}

/// The existing journal of a dataset, if it belongs to this dataset and not to an earlier one.
pub fn is_known(path: &Path, home: &DatasetLocation) -> Result<bool> {
    let Some(Header { of, .. }) = BlockJournal::header(path)? else { return Ok(false) };
    Ok(match home {
        DatasetLocation::Folder(folder) => {
            folder.marker().is_some_and(|marker| marker.id == of.identity)
        }
        DatasetLocation::Device { .. } | DatasetLocation::Nowhere => true,
    })
}

/// Whether there is a journal that the dataset's last writer did not close.
pub fn was_left_open(path: &Path, home: &DatasetLocation) -> Result<bool> {
    Ok(is_known(path, home)?
        && BlockJournal::header(path)?.is_some_and(|header| header.openers > 0))
}

/// Opens the journal of a dataset of `bytes` bytes at `base` of a file or device, creating it with
/// the dataset; None without verification.
pub fn open(
    site: &DatasetAccess<'_>,
    dataset: &Path,
    (base, bytes): (u64, u64),
    after_trim: Leaves,
) -> Result<Option<VerifiedDataset>> {
    let Some(path) = journal_of(site.knobs, site.home)? else { return Ok(None) };
    let zeros = (site.knobs.float("compressible")? / 100.0 * 512.0) as usize;
    if zeros > MOST_ZEROS {
        return Err(failed(
            format!("verified blocks are at most {} % compressible", MOST_ZEROS * 100 / 512),
            "lower `compressible`: 48 bytes of each sector are the seal",
        ));
    }
    let block = BLOCK as u64;
    if !bytes.is_multiple_of(block) || !base.is_multiple_of(block) {
        return Err(failed(
            format!("verified data must be whole blocks of 4 KiB, not {bytes} bytes at {base}"),
            "make `size` and `offset` multiples of 4 KiB",
        ));
    }
    let of = |identity| JournalScope { identity, block_bytes: block, blocks: bytes / block, base };
    if site.access == Access::Create {
        let identity = match site.home {
            DatasetLocation::Folder(folder) => folder.marker().map(|marker| marker.id),
            DatasetLocation::Device { .. } | DatasetLocation::Nowhere => None,
        };
        BlockJournal::create(&path, of(identity.map_or_else(data::identity, Ok)?))?;
    }
    let missing = |why: &str| {
        failed(
            format!(
                "{} cannot be verified: its journal {} {why}",
                dataset.display(),
                path.display()
            ),
            "recreate the dataset: give it a `fill`, or remove its folder",
        )
    };
    if !is_known(&path, site.home)? {
        return Err(missing("is not there, or of another dataset"));
    }
    let Some(journal) = BlockJournal::open(&path, site.access != Access::ReadOnly)? else {
        return Err(missing("is not there"));
    };
    if *journal.of() != of(journal.of().identity.clone()) {
        return Err(missing("is of another size or offset"));
    }
    settle(&journal);
    let shown = dataset.to_path_buf();
    let tallies = std::sync::Mutex::default();
    Ok(Some(VerifiedDataset { journal, path, shown, after_trim, zeros, tallies }))
}

/// Writes in flight when the last writer ended may or may not have taken effect.
fn settle(journal: &BlockJournal) {
    use std::sync::atomic::Ordering::Relaxed;
    for block in (0..journal.of().blocks).filter_map(|block| journal.block(block)) {
        let state = BlockState(block.load(Relaxed));
        if state.in_flight() > 0 {
            block.store(state.settled().0, Relaxed);
        }
    }
}
