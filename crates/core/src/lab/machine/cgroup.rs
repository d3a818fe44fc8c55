//! A limit of memory by control group, of either version, page cache included: of a database
//! server, or of Dyno itself.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::base::error::{Context, Result, failed};
use crate::base::units;

/// A control group made by Dyno; removed when dropped, which the kernel allows once its processes
/// are gone.
pub struct Cgroup {
    folder: PathBuf,
    version: CgroupVersion,
}

/// Of control groups, whose files have other names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgroupVersion {
    /// A hierarchy for each controller; groups may have processes and groups below them.
    One,
    /// One hierarchy; a group that hands controllers down has no processes, but for the root.
    Two,
}

/// The group below which another is made.
pub struct ParentGroup {
    /// Its folder.
    pub folder: PathBuf,
    /// Of the hierarchy that it is in.
    pub version: CgroupVersion,
}

impl ParentGroup {
    /// The root of the hierarchy that limits memory.
    pub fn root() -> ParentGroup {
        let root = Path::new("/sys/fs/cgroup");
        match root.join("cgroup.controllers").exists() {
            true => ParentGroup { folder: root.to_path_buf(), version: CgroupVersion::Two },
            false => ParentGroup { folder: root.join("memory"), version: CgroupVersion::One },
        }
    }
}

impl CgroupVersion {
    /// The file with the limit.
    pub fn limit(self) -> &'static str {
        match self {
            CgroupVersion::One => "memory.limit_in_bytes",
            CgroupVersion::Two => "memory.max",
        }
    }

    fn usage(self) -> &'static str {
        match self {
            CgroupVersion::One => "memory.usage_in_bytes",
            CgroupVersion::Two => "memory.current",
        }
    }

    /// The most that was ever in use; version 2 has it from Linux 5.19 on.
    fn peak(self) -> &'static str {
        match self {
            CgroupVersion::One => "memory.max_usage_in_bytes",
            CgroupVersion::Two => "memory.peak",
        }
    }

    /// The page cache in `memory.stat`.
    fn cache(self) -> &'static str {
        match self {
            CgroupVersion::One => "total_cache",
            CgroupVersion::Two => "file",
        }
    }
}

impl Cgroup {
    /// Makes a group with that much memory for `whose` processes.
    pub fn new(
        parent: &ParentGroup,
        name: &OsStr,
        (whose, memory_bytes): (&str, u64),
    ) -> Result<Cgroup> {
        let folder = parent.folder.join(name);
        let cannot = |cause: std::io::Error| {
            failed(
                format!("the memory of {whose} cannot be limited: {}: {cause}", folder.display()),
                "run dyno as root where control groups may be made, or leave `memory` out of the \
                 plan",
            )
        };
        let version = parent.version;
        if version == CgroupVersion::Two {
            hand_down_memory(&parent.folder).map_err(cannot)?;
        }
        std::fs::create_dir(&folder).map_err(cannot)?;
        let group = Cgroup { folder: folder.clone(), version };
        std::fs::write(folder.join(version.limit()), memory_bytes.to_string()).map_err(cannot)?;
        group.check(whose, memory_bytes)?;
        Ok(group)
    }

    /// The kernel rounds to pages.
    fn check(&self, whose: &str, asked: u64) -> Result<()> {
        let limit = self.number(self.version.limit())?;
        if limit.abs_diff(asked) <= rustix::param::page_size() as u64 {
            return Ok(());
        }
        let (limit, asked) = (units::bytes(limit), units::bytes(asked));
        Err(failed(
            format!("the memory limit of {whose} is {limit} and not {asked}"),
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
    pub fn read(&self) -> Result<MemoryUse> {
        let path = self.folder.join("memory.stat");
        let stat = std::fs::read_to_string(&path)
            .with_context(|| format!("reading {}", path.display()))?;
        let cache = stat.lines().find_map(|line| {
            let (name, value) = line.split_once(' ')?;
            value.trim().parse::<u64>().ok().filter(|_| name == self.version.cache())
        });
        Ok(MemoryUse {
            limit_bytes: self.number(self.version.limit())?,
            used_bytes: self.number(self.version.usage())?,
            peak_bytes: self.number(self.version.peak()).ok(),
            cache_bytes: cache.unwrap_or(0),
        })
    }

    /// Lifts the limit, for processes that cannot leave.
    pub fn lift(&self) {
        let none = if self.version == CgroupVersion::One { "-1" } else { "max" };
        // A limit that stays is better than a run that ends here.
        let _ = std::fs::write(self.folder.join(self.version.limit()), none);
    }

    fn number(&self, file: &str) -> Result<u64> {
        let path = self.folder.join(file);
        let text = std::fs::read_to_string(&path);
        let text = text.with_context(|| format!("reading {}", path.display()))?;
        text.trim().parse().with_context(|| format!("{} says '{}'", path.display(), text.trim()))
    }
}

/// What a group has of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// The limit, page cache included.
    pub limit_bytes: u64,
    /// What is in use now.
    pub used_bytes: u64,
    /// The most that was in use at once; none where the kernel does not say.
    pub peak_bytes: Option<u64>,
    /// The page cache's part of what is in use.
    pub cache_bytes: u64,
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
