//! A server's share of the memory: a limit by control group, of either version, page cache
//! included.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::base::error::{Context, Result, failed};
use crate::base::units;
use crate::record::ServerShare;

/// A control group made by Dyno; removed when dropped, which the kernel allows once its processes
/// are gone.
pub struct Cgroup {
    folder: PathBuf,
    version: Version,
}

/// Of control groups, whose files have other names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

impl Version {
    fn limit(self) -> &'static str {
        match self {
            Version::One => "memory.limit_in_bytes",
            Version::Two => "memory.max",
        }
    }

    fn usage(self) -> &'static str {
        match self {
            Version::One => "memory.usage_in_bytes",
            Version::Two => "memory.current",
        }
    }

    /// The page cache in `memory.stat`.
    fn cache(self) -> &'static str {
        match self {
            Version::One => "total_cache",
            Version::Two => "file",
        }
    }
}

impl Cgroup {
    /// Makes a group with that much memory, named as the server's folder for its socket.
    pub fn new(run: &Path, memory_bytes: u64) -> Result<Cgroup> {
        let root = Path::new("/sys/fs/cgroup");
        let (parent, version) = if root.join("cgroup.controllers").exists() {
            (root.to_path_buf(), Version::Two)
        } else {
            (root.join("memory"), Version::One)
        };
        let folder = parent.join(run.file_name().unwrap_or_default());
        let cannot = |cause: std::io::Error| {
            failed(
                format!("the server's memory cannot be limited: {}: {cause}", folder.display()),
                "run dyno as root where control groups may be made, or leave `memory` out of the \
                 plan",
            )
        };
        if version == Version::Two {
            hand_down_memory(&parent).map_err(cannot)?;
        }
        std::fs::create_dir(&folder).map_err(cannot)?;
        let group = Cgroup { folder: folder.clone(), version };
        std::fs::write(folder.join(version.limit()), memory_bytes.to_string()).map_err(cannot)?;
        group.check(memory_bytes)?;
        Ok(group)
    }

    /// The kernel rounds to pages, and a group above may allow less.
    fn check(&self, asked: u64) -> Result<()> {
        let limit = self.number(self.version.limit())?;
        if limit.abs_diff(asked) <= rustix::param::page_size() as u64 {
            return Ok(());
        }
        let (limit, asked) = (units::bytes(limit), units::bytes(asked));
        Err(failed(
            format!("the server's memory limit is {limit} and not {asked}"),
            "choose a multiple of the page size for `memory`",
        ))
    }

    /// What a process writes "0" to, to go into the group.
    pub fn door(&self) -> Result<File> {
        let file = self.folder.join("cgroup.procs");
        let opened = File::options().write(true).open(&file);
        opened.with_context(|| format!("opening {}", file.display()))
    }

    /// The limit and what is in use of it, as the kernel says them.
    pub fn read(&self, share: &mut ServerShare) -> Result<()> {
        share.memory_bytes = Some(self.number(self.version.limit())?);
        share.used_bytes = self.number(self.version.usage())?;
        let path = self.folder.join("memory.stat");
        let stat = std::fs::read_to_string(&path)
            .with_context(|| format!("reading {}", path.display()))?;
        let cache = stat.lines().find_map(|line| {
            let (name, value) = line.split_once(' ')?;
            value.trim().parse::<u64>().ok().filter(|_| name == self.version.cache())
        });
        share.cache_bytes = cache.unwrap_or(0);
        Ok(())
    }

    fn number(&self, file: &str) -> Result<u64> {
        let path = self.folder.join(file);
        let text = std::fs::read_to_string(&path);
        let text = text.with_context(|| format!("reading {}", path.display()))?;
        text.trim().parse().with_context(|| format!("{} says '{}'", path.display(), text.trim()))
    }
}

/// Groups below one have limits of memory only where it hands the controller down, which systemd
/// sees to, and a bare system does not.
fn hand_down_memory(parent: &Path) -> std::io::Result<()> {
    let file = parent.join("cgroup.subtree_control");
    let handed = std::fs::read_to_string(&file)?;
    match handed.split_whitespace().any(|controller| controller == "memory") {
        true => Ok(()),
        false => std::fs::write(&file, "+memory"),
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // An empty group that stays behind does no harm.
        let _ = std::fs::remove_dir(&self.folder);
    }
}
