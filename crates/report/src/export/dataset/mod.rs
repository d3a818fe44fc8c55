//! A dataset: many bundles as one Parquet table in Hive partitions, together with the bundles
//! themselves; it grows by additions (docs/dataset.md).
//!
//! Each addition is a folder, `batch=…`, which is written under a temporary name and renamed
//! atomically: a bundle is in the dataset completely or not at all.

mod files;
mod folder;
mod rows;

use std::path::{Path, PathBuf};

pub use folder::LockedDataset;
use folder::{BatchBundle, BundleBatch};
use rows::{DatasetRow, Partition};

use dyno_core::base::error::{Context, Result, describe};
use dyno_core::store::Bundle;

/// The version of the schema: it rises when a column is removed or redefined, not when one is
/// added.
pub const VERSION: u32 = 2;

/// Rows are written when they occupy this many bytes in memory,
const MOST_HELD: usize = 64 << 20;
/// or belong to this many partitions, each of which is a file.
const MOST_FILES: usize = 200;

/// The result of an addition.
#[derive(Debug, Default, PartialEq)]
pub struct Added {
    /// Bundles that were added.
    pub added: usize,
    /// Bundles that it already contained, as this file or as a copy.
    pub known: usize,
    /// Number of rows of the added ones.
    pub rows: usize,
    /// Unreadable bundles, with the reason.
    pub broken: Vec<(PathBuf, String)>,
}

/// A bundle's rows in progress.
struct Pending {
    rows: Vec<(Partition, DatasetRow)>,
    bytes: usize,
    count: usize,
    /// For a bundle larger than the memory limit: a separate batch.
    own: Option<BundleBatch>,
}

impl LockedDataset {
    /// Adds bundles. A damaged one leaves nothing behind and does not affect the others.
    pub fn add(&mut self, bundles: &[PathBuf]) -> Result<Added> {
        let (mut done, mut batch) = (Added::default(), None);
        for path in bundles {
            match self.one(path, &mut batch) {
                Ok(None) => done.known += 1,
                Ok(Some(rows)) => {
                    done.added += 1;
                    done.rows += rows;
                }
                Err(NotAdded::Broken(why)) => done.broken.push((path.clone(), why)),
                Err(NotAdded::Failed(error)) => return Err(error),
            }
            let is_full =
                |b: &BundleBatch| b.files.held() > MOST_HELD || b.files.partitions() > MOST_FILES;
            if batch.as_ref().is_some_and(is_full) {
                self.commit(batch.take())?;
            }
        }
        self.commit(batch)?;
        Ok(done)
    }

    /// Rows of a bundle, which then belong to a batch; None for a known bundle.
    fn one(
        &mut self,
        path: &Path,
        batch: &mut Option<BundleBatch>,
    ) -> std::result::Result<Option<usize>, NotAdded> {
        let tests = Bundle::open_tests(path).map_err(|e| NotAdded::Broken(describe(&e).0))?;
        let mut added = None;
        for (index, test) in tests.iter().enumerate() {
            // Its file is copied once.
            let copied = (index == 0).then_some(path);
            if let Some(rows) = self.test(test, (path, copied), batch)? {
                added = Some(added.unwrap_or(0) + rows);
            }
        }
        Ok(added)
    }

    /// The same of a test.
    fn test(
        &mut self,
        bundle: &Bundle,
        (path, copied): (&Path, Option<&Path>),
        batch: &mut Option<BundleBatch>,
    ) -> std::result::Result<Option<usize>, NotAdded> {
        let broken = |error: dyno_core::base::error::Error| NotAdded::Broken(describe(&error).0);
        if bundle.run().plan.stated.values().any(|drive| drive.mask) {
            let why =
                "its plan masks a subject, and a dataset contains complete bundles: export a table";
            return Err(NotAdded::Broken(why.to_string()));
        }
        let run = bundle.identity().map_err(broken)?;
        if self.has(&run) {
            return Ok(None);
        }
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let file = dyno_core::base::text::visible(&file).into_owned();
        let mut pending = Pending { rows: Vec::new(), bytes: 0, count: 0, own: None };
        let (mut failed, mut read) =
            (None, |partition: Partition, row: DatasetRow| pending.take(partition, row, self));
        let each = rows::each(bundle, (&run, &file), &mut |partition, row| {
            // Errors of the dataset are not the bundle's.
            read(partition, row).map_err(|error| {
                let said = describe(&error).0;
                failed = Some(error);
                dyno_core::base::error::Error::msg(said)
            })
        });
        match (each, failed) {
            (_, Some(error)) => return Err(NotAdded::Failed(error)),
            (Err(error), None) => return Err(broken(error)),
            (Ok(()), None) => {}
        }
        let listed = BatchBundle { run, bundle: file, rows: pending.count };
        self.keep(pending, (listed, copied), batch).map_err(NotAdded::Failed)
    }

    /// A completely read bundle.
    fn keep(
        &mut self,
        pending: Pending,
        (listed, path): (BatchBundle, Option<&Path>),
        batch: &mut Option<BundleBatch>,
    ) -> Result<Option<usize>> {
        let count = pending.count;
        self.note(&listed);
        if let Some(mut own) = pending.own {
            own.files.take(pending.rows);
            own.list(listed, path)?;
            self.commit(Some(own))?;
            return Ok(Some(count));
        }
        let batch = match batch {
            Some(batch) => batch,
            None => batch.insert(self.begin()?),
        };
        batch.files.take(pending.rows);
        batch.list(listed, path)?;
        Ok(Some(count))
    }
}

/// Why a bundle is not in the dataset.
enum NotAdded {
    /// It is unreadable.
    Broken(String),
    /// The dataset is not writable.
    Failed(dyno_core::base::error::Error),
}

impl Pending {
    fn take(
        &mut self,
        partition: Partition,
        row: DatasetRow,
        dataset: &LockedDataset,
    ) -> Result<()> {
        self.bytes += row.bytes();
        self.count += 1;
        self.rows.push((partition, row));
        if self.bytes > MOST_HELD {
            let own = match &mut self.own {
                Some(own) => own,
                None => self.own.insert(dataset.begin()?),
            };
            own.files.take(std::mem::take(&mut self.rows));
            own.files.write().context("writing the dataset")?;
            self.bytes = 0;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
