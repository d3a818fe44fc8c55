//! The location of a run's live feed: in memory, because a file next to the bundle would be written
//! while a point is measured, possibly on the filesystem under test.
//!
//! `/dev/shm/dyno-live-UID/`, accessible only to that user, has a file for each bundle, named by
//! the bundle's device and inode. It is replaced atomically, so a reader never sees a partial
//! document. It remains when the run has ended. A run that resumes the bundle replaces it; a later
//! run removes it after a day, or if the bundle is gone; a reboot clears memory.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::base::error::{Context, Result, bail};
use crate::base::text::{is_hidden, visible_json};
use crate::lab::machine::process;
use crate::record::live::{Feed, LiveBuckets, RunEnding, Total, VERSION};

const MEMORY: &str = "/dev/shm";
/// After this time, the feed of an ended run is obsolete.
const OLD: Duration = Duration::from_secs(24 * 3600);
/// Its limits keep a feed smaller than this (docs/live.md).
const MOST_BYTES: u64 = 8 << 20;

/// The file for a run's feed.
pub struct FeedPlace {
    path: PathBuf,
    beside: PathBuf,
}

/// The feed of a bundle, and additional facts about it.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedState {
    /// The feed as last written by its run.
    pub feed: Feed,
    /// The run is active: it has not ended, and its process exists.
    pub is_running: bool,
}

/// The possible states of a run.
pub const STATES: [&str; 5] = ["running", "whole", "interrupted", "failed", "cut"];

impl FeedState {
    /// The state of the run, one of `STATES`.
    pub fn state(&self) -> &'static str {
        match &self.feed.ended {
            Some(ended) => match ended.how {
                // The catalogue's name for it.
                RunEnding::Whole if self.feed.points.failed > 0 => "failed",
                RunEnding::Whole => "whole",
                RunEnding::Interrupted => "interrupted",
                RunEnding::Failed => "failed",
            },
            None if self.is_running => "running",
            None => "cut",
        }
    }

    /// The run was ended externally: killed, or by a power failure.
    pub fn is_cut(&self) -> bool {
        !self.is_running && self.feed.ended.is_none()
    }
}

fn folder(uid: u32) -> PathBuf {
    PathBuf::from(format!("{MEMORY}/dyno-live-{uid}"))
}

/// Whether only that user can write there.
fn is_own(found: &Metadata, uid: u32) -> bool {
    found.uid() == uid && found.mode() & 0o077 == 0
}

fn name(bundle: &Metadata) -> String {
    format!("{:x}-{:x}.json", bundle.dev(), bundle.ino())
}

/// The process and its start time, as in feeds.
pub fn own_process() -> (u32, u64) {
    let pid = std::process::id();
    (pid, process::began(pid).unwrap_or(0))
}

impl FeedPlace {
    /// For an existing bundle. Obsolete feeds of earlier runs are removed.
    pub fn of(bundle: &Path) -> Result<FeedPlace> {
        let uid = rustix::process::geteuid().as_raw();
        let folder = folder(uid);
        // Checks whether it was created here or already existed.
        let _ = DirBuilder::new().mode(0o700).create(&folder);
        let found = folder.symlink_metadata().with_context(|| format!("{}", folder.display()))?;
        if !found.is_dir() || !is_own(&found, uid) {
            bail!("{} is not a folder accessible only to this user", folder.display());
        }
        sweep(&folder);
        let name = name(&std::fs::metadata(bundle).context("looking at the bundle")?);
        let beside = folder.join(format!(".{name}.{}", std::process::id()));
        Ok(FeedPlace { path: folder.join(name), beside })
    }

    /// Replaces the feed.
    pub fn write(&self, feed: &Feed) -> Result<()> {
        let text = serde_json::to_vec(feed).context("writing the live feed")?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.custom_flags(libc::O_NOFOLLOW).open(&self.beside)?;
        file.write_all(&text)?;
        Ok(std::fs::rename(&self.beside, &self.path)?)
    }
}

impl Drop for FeedPlace {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.beside);
    }
}

/// Removes feeds written more than a day ago, or whose bundle is gone, unless their run is active.
fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let age = entry.metadata().and_then(|found| found.modified());
        let age = age.ok().and_then(|at| SystemTime::now().duration_since(at).ok());
        let path = entry.path();
        let is_of_use = match read_file(&path) {
            Some(feed) if is_running(&feed) => true,
            Some(feed) => Path::new(&feed.bundle).exists() && age.is_none_or(|age| age < OLD),
            // It may be in the process of being written.
            None => age.is_none_or(|age| age < OLD),
        };
        if !is_of_use {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn is_running(feed: &Feed) -> bool {
    feed.ended.is_none() && process::began(feed.pid) == Some(feed.pid_began)
}

/// The feed of a bundle: from the bundle's owner, or from the calling user.
pub fn read(bundle: &Path) -> Option<FeedState> {
    let found = std::fs::metadata(bundle).ok()?;
    let path = bundle.canonicalize().ok()?;
    let us = rustix::process::geteuid().as_raw();
    let mut uids = vec![found.uid(), us];
    uids.dedup();
    let of = |uid: u32| {
        let folder = folder(uid);
        let is_there = folder.symlink_metadata().is_ok_and(|f| f.is_dir() && is_own(&f, uid));
        let file = folder.join(name(&found));
        let is_his = |file: &Path| file.symlink_metadata().is_ok_and(|f| is_own(&f, uid));
        (is_there && is_his(&file)).then(|| read_file(&file)).flatten()
    };
    // An inode may have been reused; an active run still has its own.
    let ours = |feed: &Feed| is_running(feed) || Path::new(&feed.bundle) == path;
    let feed = uids.into_iter().filter_map(of).find(ours)?;
    Some(FeedState { is_running: is_running(&feed), feed })
}

/// A stamp of a bundle's feed that changes with every write: cheap to poll.
pub fn stamp(bundle: &Path) -> Option<(u64, i64, i64)> {
    let found = std::fs::metadata(bundle).ok()?;
    let us = rustix::process::geteuid().as_raw();
    let of = |uid: u32| folder(uid).join(name(&found)).symlink_metadata().ok();
    let feed = of(found.uid()).or_else(|| of(us))?;
    Some((feed.ino(), feed.mtime(), feed.mtime_nsec()))
}

fn read_file(path: &Path) -> Option<Feed> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file: File = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut text).ok()?;
    // The bundle's owner, who may be any user, wrote the feed: hidden characters and impossible
    // numbers are refused.
    let feed: Feed = match std::str::from_utf8(&text).ok()? {
        text if text.contains("\\u") || text.chars().any(is_hidden) => {
            let mut value = serde_json::from_str(text).ok()?;
            visible_json(&mut value);
            serde_json::from_value(value).ok()?
        }
        text => serde_json::from_str(text).ok()?,
    };
    (feed.version == VERSION && is_possible(&feed)).then_some(feed)
}

/// Whether its counts and times are small enough to be summed. The maximum time is a century.
fn is_possible(feed: &Feed) -> bool {
    const MOST: u64 = 1 << 58;
    const CENTURY_NS: u64 = 100 * 366 * 24 * 3_600 * 1_000_000_000;
    let points = [feed.points.all, feed.points.done, feed.points.failed, feed.points.spared];
    let buckets = |b: &LiveBuckets| b.counts.iter().copied().chain([b.count]).max().unwrap_or(0);
    let of = |t: &Total| {
        let times = [buckets(&t.service), buckets(&t.response)];
        [t.ops, t.bytes, t.misses, t.given_up].into_iter().chain(times).max().unwrap_or(0)
    };
    points.iter().all(|n| *n < MOST)
        && feed.points.failed <= feed.points.done
        && feed.left_ns.is_none_or(|ns| ns < CENTURY_NS)
        && feed.began_unix_ns.max(feed.written_unix_ns) < i64::MAX as u64
        && feed.totals.iter().all(|total| of(total) < MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::live::{PointCounts, RunEnd};

    #[test]
    fn a_feed_is_its_bundles_and_of_a_process_that_is_gone_it_is_cut() {
        let folder = tempfile::tempdir().expect("a folder");
        let bundle = folder.path().join("b.dyno");
        std::fs::write(&bundle, "").expect("written");
        let place = FeedPlace::of(&bundle).expect("a folder in memory");
        assert_eq!(read(&bundle), None, "nothing was written yet");
        let (pid, pid_began) = own_process();
        let name = bundle.canonicalize().expect("it is there").display().to_string();
        let running = Feed { version: VERSION, bundle: name, pid, pid_began, ..Feed::default() };
        place.write(&running).expect("written");
        assert!(read(&bundle).is_some_and(|found| found.is_running && !found.is_cut()));
        place.write(&Feed { pid_began: pid_began + 1, ..running.clone() }).expect("written");
        assert!(read(&bundle).is_some_and(|found| found.is_cut()));
        let ended = Some(RunEnd { unix_ns: 1, how: RunEnding::Whole, text: String::new() });
        let mut whole = Feed { ended, ..running.clone() };
        place.write(&whole).expect("written");
        assert!(read(&bundle).is_some_and(|found| !found.is_running && !found.is_cut()));
        assert!(read(&bundle).is_some_and(|found| found.state() == "whole"));
        whole.points.done = 1;
        whole.points.failed = 1;
        place.write(&whole).expect("written");
        assert!(read(&bundle).is_some_and(|found| found.state() == "failed"));
        whole.title = "a\u{1b}[31m\u{202e}b".into();
        place.write(&whole).expect("written");
        let read_title = read(&bundle).map(|found| found.feed.title);
        assert_eq!(read_title.as_deref(), Some("a\\u{1b}[31m\\u{202e}b"));
        for impossible in [
            Feed { left_ns: Some(u64::MAX), ..whole.clone() },
            Feed { began_unix_ns: u64::MAX, ..whole.clone() },
            Feed { points: PointCounts { failed: 2, ..whole.points }, ..whole.clone() },
            Feed { totals: vec![Total { ops: u64::MAX, ..Total::default() }], ..whole.clone() },
        ] {
            place.write(&impossible).expect("written");
            assert_eq!(read(&bundle), None);
        }
        let another = Feed { pid_began: 0, bundle: "/another".into(), ..running };
        place.write(&another).expect("written");
        assert_eq!(read(&bundle), None, "a file that had the inode before");
        let _ = std::fs::remove_file(&place.path);
    }
}
