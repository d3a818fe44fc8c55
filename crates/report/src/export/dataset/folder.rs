//! A dataset's folder: its identification, its bundles, and added batches.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::VERSION;
use super::files::Files;
use dyno_core::base::error::{Context, Result, failed, refused};
use dyno_core::base::file::{self, UNFINISHED};
use dyno_core::base::folder::Folder;

/// The file that identifies a dataset. Spark ignores names with this prefix.
const MARKER: &str = "_dataset.json";
/// The bundles of a batch, one line of JSON each.
const LIST: &str = "_bundles.jsonl";
/// The folder of a batch with the bundles themselves, which contain more than the points:
/// comparisons and reports of a dataset read these.
const BUNDLES: &str = "_bundles";
/// Prefix of a batch's name.
const BATCH: &str = "batch=";
/// Maximum size of a list: a million bundles.
const MOST_LIST: u64 = 1 << 28;

/// The contents of `_dataset.json`.
#[derive(Serialize, Deserialize)]
struct DatasetInfo {
    dyno_dataset: u32,
}

/// A bundle of a batch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BatchBundle {
    /// Its identity: `Bundle::identity`.
    pub run: String,
    /// The file's name when it was added.
    pub bundle: String,
    /// Its number of rows.
    pub rows: usize,
}

/// A dataset, locked against concurrent additions.
pub struct LockedDataset {
    folder: PathBuf,
    known: HashSet<String>,
    /// Locked while it is open.
    _marker: File,
}

/// Bundles that are added together.
pub struct BundleBatch {
    /// The rows of these bundles.
    pub files: Files,
    listed: Vec<BatchBundle>,
    staging: Staging,
}

/// A folder that is removed with its contents, unless it has been renamed to its final name.
struct Staging(PathBuf);

impl LockedDataset {
    /// Opens a folder, or makes it a dataset if it is empty or missing. Leftovers of a killed
    /// addition are removed.
    pub fn open(folder: &Path) -> Result<LockedDataset> {
        let shown = folder.display();
        let opening = || format!("opening the dataset {shown}");
        Folder::make(folder)?;
        let marker = folder.join(MARKER);
        if marker.symlink_metadata().is_err()
            && std::fs::read_dir(folder).with_context(opening)?.next().is_some()
        {
            let what = format!("{shown} is not a dataset: it has files, and no {MARKER}");
            return Err(refused(what, "specify a Dyno dataset, or an empty or new folder"));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.custom_flags(libc::O_NOFOLLOW).open(&marker).with_context(opening)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|error| match error {
            rustix::io::Errno::WOULDBLOCK => failed(
                format!("another program is adding to the dataset {shown}"),
                "wait until it has ended",
            ),
            other => failed(format!("locking {} failed: {other}", marker.display()), "look at it"),
        })?;
        check_version(&file, &marker)?;
        let mut known = HashSet::new();
        for entry in std::fs::read_dir(folder).with_context(opening)? {
            let entry = entry.with_context(opening)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(UNFINISHED) {
                let path = entry.path();
                std::fs::remove_dir_all(&path)
                    .with_context(|| format!("removing {}", path.display()))?;
            } else if name.starts_with(BATCH) {
                let listed = read_list(&entry.path().join(LIST))?;
                known.extend(listed.into_iter().map(|one| one.run));
            }
        }
        Ok(LockedDataset { folder: folder.to_path_buf(), known, _marker: file })
    }

    /// Its number of bundles.
    pub fn bundles(&self) -> usize {
        self.known.len()
    }

    /// Whether it contains a bundle, or is about to contain it.
    pub fn has(&self, run: &str) -> bool {
        self.known.contains(run)
    }

    /// Records that it contains this bundle.
    pub fn note(&mut self, listed: &BatchBundle) {
        self.known.insert(listed.run.clone());
    }

    /// An empty batch, under a name that readers of the dataset ignore.
    pub fn begin(&self) -> Result<BundleBatch> {
        let free = |n: &u32| {
            let path = self.folder.join(format!("{UNFINISHED}{n}"));
            path.symlink_metadata().is_err()
        };
        let number = (0..u32::MAX).find(free).unwrap_or_default();
        let staging = self.folder.join(format!("{UNFINISHED}{number}"));
        std::fs::create_dir(&staging).with_context(|| format!("making {}", staging.display()))?;
        let files = Files::below(&staging)?;
        Ok(BundleBatch { files, listed: Vec::new(), staging: Staging(staging) })
    }

    /// Completes a batch and renames it, which adds all of it to the dataset atomically.
    pub fn commit(&self, batch: Option<BundleBatch>) -> Result<()> {
        let Some(BundleBatch { files, listed, staging }) = batch else { return Ok(()) };
        let adding = || format!("adding to the dataset {}", self.folder.display());
        files.end().with_context(adding)?;
        let mut list = File::create_new(staging.0.join(LIST)).with_context(adding)?;
        for one in &listed {
            writeln!(list, "{}", serde_json::to_string(one)?).with_context(adding)?;
        }
        // Including the copies: one call for all of them, which for thousands is far faster than
        // one for each.
        rustix::fs::syncfs(&list).with_context(adding)?;
        std::fs::rename(&staging.0, self.folder.join(name(&listed))).with_context(adding)?;
        File::open(&self.folder).and_then(|folder| folder.sync_all()).with_context(adding)
    }
}

impl BundleBatch {
    /// Adds a bundle whose rows it has: a copy of its file, under a name by which bundles are found
    /// in folders, and in a subfolder if another bundle of this batch has that name. None for the
    /// further tests of a file.
    pub fn list(&mut self, listed: BatchBundle, path: Option<&Path>) -> Result<()> {
        let Some(path) = path else {
            self.listed.push(listed);
            return Ok(());
        };
        let mut folder = self.staging.0.join(BUNDLES);
        let mut name = path.file_name().unwrap_or(OsStr::new("bundle")).to_os_string();
        if path.extension() != Some(OsStr::new("dyno")) {
            name.push(".dyno");
        }
        if folder.join(&name).exists() {
            folder.push(&listed.run);
        }
        std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::copy(path, folder.join(name)))
            .with_context(|| format!("copying {} to the dataset", path.display()))?;
        self.listed.push(listed);
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // This name no longer exists once the batch has been renamed.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// `batch=` and 16 hexadecimal digits derived from the bundles, so that datasets can be merged by
/// copying their batches.
fn name(listed: &[BatchBundle]) -> String {
    let mut runs: Vec<&str> = listed.iter().map(|one| one.run.as_str()).collect();
    runs.sort_unstable();
    let mut digest = Sha256::new();
    runs.iter().for_each(|run| digest.update(run));
    let digits = digest.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect::<String>();
    format!("{BATCH}{digits}")
}

fn read_list(path: &Path) -> Result<Vec<BatchBundle>> {
    let text = file::read_text(path, MOST_LIST)?;
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<serde_json::Result<_>>().map_err(|error| {
        failed(
            format!("{} does not list bundles: {error}", path.display()),
            "move its folder away, and add its bundles again",
        )
    })
}

/// Writes the version into a new dataset; an error if the dataset has a later one.
fn check_version(mut file: &File, path: &Path) -> Result<()> {
    let reading = || format!("reading {}", path.display());
    let mut text = String::new();
    file.take(4096).read_to_string(&mut text).with_context(reading)?;
    if text.is_empty() {
        let marker = serde_json::to_string(&DatasetInfo { dyno_dataset: VERSION })?;
        writeln!(file, "{marker}").with_context(reading)?;
        return file.sync_all().with_context(reading);
    }
    match serde_json::from_str::<DatasetInfo>(&text) {
        Ok(marker) if marker.dyno_dataset == VERSION => Ok(()),
        Ok(marker) => Err(failed(
            format!("{} is of version {}", path.display(), marker.dyno_dataset),
            format!("this Dyno writes version {VERSION}: use a later one, or another dataset"),
        )),
        Err(error) => Err(refused(
            format!("{} does not describe a dataset: {error}", path.display()),
            "specify a Dyno dataset, or an empty or new folder",
        )),
    }
}
