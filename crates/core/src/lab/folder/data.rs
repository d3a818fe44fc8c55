//! `dyno-data`: the only folder in a directory under test that belongs to Dyno, and the datasets in
//! it. It is opened beneath the directory without following links, must belong to the user, and
//! everything in it is reached from its descriptor. A dataset has a marker with an identity and the
//! state of its files when it was last closed; anything without a marker belongs to someone else,
//! and is neither removed nor changed nor followed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, openat2, readlinkat, unlinkat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::base::error::{Context, Error, Result, refused};
use crate::lab::folder::file_state::FileState;
use crate::lab::folder::pin::{OPEN, shown};
use crate::lab::folder::{beneath, file_state};
use crate::plan::Dataset;

/// Dyno's folder in a directory under test; Dyno writes nothing outside it.
pub const FOLDER: &str = "dyno-data";

/// A dataset's own file in its folder. Its replacement has the suffix `.new`.
pub const MARKER: &str = ".dyno";

const MOST_OF_A_MARKER: u64 = 16 << 20;

/// A dataset's folder in an open `dyno-data`, whether it exists or not.
#[derive(Clone, Debug)]
pub struct DatasetFolder {
    data: Arc<OwnedFd>,
    name: String,
    shown: PathBuf,
}

/// The contents of a dataset's marker.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DatasetMarker {
    /// Random, drawn when it was created; copies of the dataset have the same.
    pub id: String,
    /// The dataset as in its plan; empty until it is filled.
    pub described: String,
    /// Set before any write until it is closed: the state of its files is then unknown.
    pub open: bool,
    /// Blocks were discarded or set to zero since it was filled, so that reads of them may not
    /// reach the drive.
    pub emptied: bool,
    /// The state of its files when it was closed.
    pub files: Vec<FileState>,
    /// The server and database in which it was created, if they existed before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_contents: Option<ServerContents>,
}

/// The location and identity of data on an existing server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerContents {
    /// Identifies the server and the database among others, under their own names.
    pub server: BTreeMap<String, String>,
    /// Results of queries that no load on the dataset changes: rows, samples, its scale.
    pub content: BTreeMap<String, String>,
}

impl ServerContents {
    /// The difference to another one, if there is any. Values missing in either do not count.
    pub fn differs(&self, found: &ServerContents) -> Option<String> {
        let other = |was: &BTreeMap<String, String>, is: &BTreeMap<String, String>| {
            let pairs = was.iter().filter_map(|(what, was)| Some((what, was, is.get(what)?)));
            pairs.clone().find(|(_, was, is)| was != is).map(|(what, was, is)| {
                let brief = |text: &str| text.chars().take(120).collect::<String>();
                format!("{what} is {}, and was {}", brief(is), brief(was))
            })
        };
        other(&self.server, &found.server).or_else(|| other(&self.content, &found.content))
    }
}

impl DatasetFolder {
    /// Opens `dyno-data` in a directory, creating it if missing, and names a folder in it.
    pub fn of(directory: &Path, dataset: &str, instance: u32) -> Result<DatasetFolder> {
        let at = shown(directory).join(FOLDER);
        let opened = rustix::fs::open(
            directory,
            OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        );
        let directory =
            opened.with_context(|| format!("opening {}", shown(directory).display()))?;
        let data = match open_own(&directory) {
            Err(Errno::NOENT) => {
                let made = mkdirat(&directory, FOLDER, Mode::from_raw_mode(0o755));
                made.with_context(|| format!("making {}", at.display()))?;
                open_own(&directory)
            }
            opened => opened,
        };
        let data = data.map_err(|error| not_followed(&directory, FOLDER, &at, error))?;
        check_owner(&data, &at)?;
        let name = format!("{}.{instance}", slug(dataset));
        let folder = DatasetFolder { data: Arc::new(data), shown: at.join(&name), name };
        folder.check()?;
        Ok(folder)
    }

    /// Through the descriptor, for this process and this value's lifetime.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("{OPEN}{}", self.data.as_raw_fd())).join(&self.name)
    }

    /// For display.
    pub fn shown(&self) -> &Path {
        &self.shown
    }

    /// A path for another process, to the descriptor's folder.
    pub fn real(&self) -> Result<PathBuf> {
        let held = PathBuf::from(format!("{OPEN}{}", self.data.as_raw_fd()));
        let real = fs::read_link(&held)
            .with_context(|| format!("looking for {}", self.shown.display()))?;
        let (there, here) =
            (fs::symlink_metadata(&real).map(|m| (m.dev(), m.ino())), fs::metadata(&held)?);
        if there.is_ok_and(|there| there == (here.dev(), here.ino())) {
            return Ok(real.join(&self.name));
        }
        let what = format!("{} is no longer the folder that was opened", self.shown.display());
        Err(refused(what, "look at what moves folders there"))
    }

    /// The path of a file that accompanies the dataset but is not part of it: `db.0` and "json"
    /// give `db.0.json`.
    pub fn beside(&self, what: &str) -> DatasetFolder {
        let (name, shown) =
            (format!("{}.{what}", self.name), format!("{}.{what}", self.shown.display()));
        DatasetFolder { data: Arc::clone(&self.data), name, shown: shown.into() }
    }

    /// Whether the folder exists; links are not followed.
    pub fn exists(&self) -> bool {
        fs::symlink_metadata(self.path()).is_ok()
    }

    /// Opens a file of the folder. Its type is checked first: a symbolic or hard link is not the
    /// folder's own, and opening other kinds of file may have side effects.
    pub fn open_file(&self, file: &str, flags: OFlags) -> Result<File> {
        open_at(&self.data, &Path::new(&self.name).join(file), &self.shown.join(file), flags)
    }

    /// Atomically replaces a file next to the datasets.
    pub fn write(&self, text: &str) -> Result<()> {
        replace(&self.data, &self.name, text)
            .with_context(|| format!("writing {}", self.shown.display()))
    }

    /// The dataset's marker; None if this user wrote none.
    pub fn marker(&self) -> Option<DatasetMarker> {
        marker_in(&self.hold().ok()?, &self.shown)
    }

    /// Replaces the marker: written to a temporary file, synced, and renamed.
    pub fn write_marker(&self, marker: &DatasetMarker) -> Result<()> {
        let text = serde_json::to_string(marker).context("describing the dataset")?;
        replace(&self.hold()?, MARKER, &text)
            .with_context(|| format!("writing {}", self.shown.join(MARKER).display()))
    }

    /// Opens the folder itself. Changes go through this descriptor, whatever its name refers to by
    /// then.
    pub fn hold(&self) -> Result<OwnedFd> {
        let opened = beneath::folder(&self.data, &self.name);
        opened.map_err(|error| not_followed(&self.data, &self.name, &self.shown, error))
    }

    /// Creates the folder, accessible only to this user.
    pub fn make(&self) -> Result<OwnedFd> {
        let made = mkdirat(&*self.data, &self.name, Mode::from_raw_mode(0o700));
        made.with_context(|| format!("making {}", self.shown.display()))?;
        self.hold()
    }

    /// A file written by versions before markers, next to a filled dataset.
    pub fn old_marker(&self) -> Option<String> {
        let beside = self.beside("json");
        let file =
            open_at(&self.data, Path::new(&beside.name), beside.shown(), OFlags::RDONLY).ok()?;
        let found = file
            .metadata()
            .ok()
            .filter(|m| m.is_file() && m.nlink() == 1 && m.len() < MOST_OF_A_MARKER)?;
        let text = std::io::read_to_string(file).ok().filter(|_| found.uid() == user())?;
        serde_json::from_str::<Dataset>(&text).is_ok().then_some(text)
    }

    /// Removes the folder if it is Dyno's; its marker last, so that the remains after a kill are
    /// still recognised. `or` is another reason for which it counts as Dyno's.
    pub fn remove(&self, or: bool) -> Result<()> {
        if !self.exists() {
            return Ok(());
        }
        self.check()?;
        let held = self.hold()?;
        if !or && marker_in(&held, &self.shown).is_none() && !beneath::is_empty(&held, MARKER)? {
            let what =
                format!("{} is not removed: it has no marker of Dyno's", self.shown.display());
            return Err(refused(
                what,
                "check its contents; if they are not needed, remove it manually",
            ));
        }
        beneath::clear(&held, Some(MARKER))
            .and_then(|()| beneath::clear(&held, None))
            .and_then(|()| Ok(unlinkat(&*self.data, &self.name, AtFlags::REMOVEDIR)?))
            .with_context(|| format!("removing {}", self.shown.display()))
    }

    /// A dataset's path must be a folder on the same filesystem, or not exist.
    fn check(&self) -> Result<()> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat2(&*self.data, &self.name, flags, Mode::empty(), beneath::FLAGS) {
            Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(not_followed(&self.data, &self.name, &self.shown, error)),
            Ok(found) => {
                let found = File::from(found).metadata().context("looking at a dataset")?;
                if found.is_dir() {
                    return Ok(());
                }
                if found.is_symlink() {
                    return Err(not_followed(&self.data, &self.name, &self.shown, Errno::LOOP));
                }
                let what = format!("{} is not touched: it is not a folder", self.shown.display());
                Err(refused(what, "move it away"))
            }
        }
    }
}

impl PartialEq for DatasetFolder {
    fn eq(&self, other: &DatasetFolder) -> bool {
        self.shown == other.shown
    }
}

impl Eq for DatasetFolder {}

fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn open_own(directory: &OwnedFd) -> rustix::io::Result<OwnedFd> {
    beneath::folder(directory, FOLDER)
}

/// Why a link is not followed, with its target.
fn not_followed(directory: &OwnedFd, name: impl AsRef<Path>, shown: &Path, error: Errno) -> Error {
    let name = name.as_ref();
    let target =
        readlinkat(directory, name, Vec::new()).ok().map(|t| t.to_string_lossy().into_owned());
    let shown = shown.display();
    match (error, target) {
        (_, Some(target)) => refused(
            format!("{shown} is not followed: it is a symbolic link to {target}"),
            "remove the link",
        ),
        (Errno::LOOP, None) => {
            refused(format!("{shown} is not followed: a link is on the way"), "remove the link")
        }
        (Errno::XDEV, None) => refused(
            format!("{shown} is not touched: something is mounted there"),
            "unmount it, or test that directory",
        ),
        (Errno::NOTDIR, None) => {
            refused(format!("{shown} is not touched: it is not a folder"), "move it away")
        }
        (error, None) => {
            Error::from(std::io::Error::from(error)).context(format!("opening {shown}"))
        }
    }
}

/// The same for any file below an open folder.
fn open_at(folder: &OwnedFd, within: &Path, shown: &Path, flags: OFlags) -> Result<File> {
    let plain = |error: Errno| Error::from(std::io::Error::from(error));
    let look = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let found = match openat2(folder, within, look, Mode::empty(), beneath::FLAGS) {
        Err(Errno::NOENT) if flags.contains(OFlags::CREATE) => {
            let flags = flags | OFlags::EXCL | OFlags::CLOEXEC;
            let made = openat2(folder, within, flags, Mode::from_raw_mode(0o644), beneath::FLAGS);
            return Ok(File::from(made.map_err(plain)?));
        }
        Err(Errno::LOOP | Errno::XDEV) => {
            return Err(not_followed(folder, within, shown, Errno::LOOP));
        }
        found => File::from(found.map_err(plain)?),
    };
    let meta = found.metadata().with_context(|| format!("looking at {}", shown.display()))?;
    if meta.is_symlink() {
        return Err(not_followed(folder, within, shown, Errno::LOOP));
    }
    file_state::check_own(&meta, shown)?;
    let again = format!("{OPEN}{}", found.as_raw_fd());
    let flags = (flags - OFlags::CREATE - OFlags::EXCL) | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(again, flags, Mode::empty()).map_err(plain)?))
}

/// A dataset's marker, from its open folder; None if this user wrote none.
fn marker_in(folder: &OwnedFd, shown: &Path) -> Option<DatasetMarker> {
    let file = open_at(folder, Path::new(MARKER), &shown.join(MARKER), OFlags::RDONLY).ok()?;
    let found = file.metadata().ok()?;
    if found.uid() != user() || found.len() > MOST_OF_A_MARKER {
        return None;
    }
    serde_json::from_reader(std::io::BufReader::new(file)).ok()
}

/// Writes a file in a folder under a temporary name, and renames it.
fn replace(folder: &OwnedFd, name: &str, text: &str) -> std::io::Result<()> {
    let new = format!("{name}.new");
    let _ = unlinkat(folder, &new, AtFlags::empty());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mut file =
        File::from(openat2(folder, &new, flags, Mode::from_raw_mode(0o644), beneath::FLAGS)?);
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    Ok(rustix::fs::renameat(folder, &new, folder, name)?)
}

/// Anyone who may rename files in the folder could redirect every name in it.
fn check_owner(data: &OwnedFd, at: &Path) -> Result<()> {
    let found = rustix::fs::fstat(data).with_context(|| format!("looking at {}", at.display()))?;
    if found.st_uid != user() {
        let what = format!(
            "{} is not touched: it belongs to user {}, not to {}",
            at.display(),
            found.st_uid,
            user()
        );
        return Err(refused(what, "run as that user, or move it away"));
    }
    let others = if user() == 0 { 0o022 } else { 0o002 };
    if found.st_mode & others != 0 {
        let what = format!("{} is not touched: others may write to it", at.display());
        return Err(refused(
            what,
            format!("restrict it to its owner: chmod go-w {}", at.display()),
        ));
    }
    Ok(())
}

/// A name as part of a path: letters, digits, hyphens and underscores are unchanged; any other name
/// is converted, with a unique number appended.
pub fn slug(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.len() <= 64 && name.chars().all(plain) {
        return name.to_string();
    }
    let kept: String = name.chars().map(|c| if plain(c) { c } else { '_' }).take(40).collect();
    // FNV-1a: stable across releases, because datasets are found by it.
    let number = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    format!("{kept}-{number:016x}")
}

/// A new dataset's identity.
pub fn identity() -> Result<String> {
    let drawn =
        fs::read_to_string("/proc/sys/kernel/random/uuid").context("drawing an identity")?;
    Ok(drawn.trim().to_string())
}
