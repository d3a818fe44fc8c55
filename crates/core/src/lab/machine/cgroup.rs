//! Control groups of either version: with a memory limit, page cache included, for a database
//! server or for Dyno itself; or without any, so that no process of a server escapes its end.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::base::error::{Context, Result, failed, refused};
use crate::base::units;

/// A control group created by Dyno; removed when dropped, which requires that its processes have
/// ended.
pub struct Cgroup {
    folder: PathBuf,
    version: CgroupVersion,
}

/// The version of control groups, which differ in file names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgroupVersion {
    /// One hierarchy per controller; groups may contain both processes and groups.
    One,
    /// A single hierarchy; a group that delegates controllers has no processes, except the root.
    Two,
}

/// The parent of a new group.
pub struct ParentGroup {
    /// Folder of the group.
    pub folder: PathBuf,
    /// The version of its hierarchy.
    pub version: CgroupVersion,
}

impl ParentGroup {
    /// The root of the memory controller's hierarchy.
    pub fn root() -> ParentGroup {
        let root = Path::new("/sys/fs/cgroup");
        match root.join("cgroup.controllers").exists() {
            true => ParentGroup { folder: root.to_path_buf(), version: CgroupVersion::Two },
            false => ParentGroup { folder: root.join("memory"), version: CgroupVersion::One },
        }
    }
}

impl CgroupVersion {
    /// The limit's file.
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

    /// The peak use; in version 2 from Linux 5.19 on.
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
    /// Creates a group with this much memory for `whose` processes.
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
            has_memory(&parent.folder, whose)?;
            hand_down_memory(&parent.folder).map_err(cannot)?;
        }
        std::fs::create_dir(&folder).map_err(cannot)?;
        let group = Cgroup { folder: folder.clone(), version };
        std::fs::write(folder.join(version.limit()), memory_bytes.to_string()).map_err(cannot)?;
        group.check(whose, memory_bytes)?;
        Ok(group)
    }

    /// Creates a group without a limit, below Dyno's own, whose limits still apply. None if the
    /// host permits none.
    pub fn unlimited(name: &OsStr) -> Option<Cgroup> {
        // In version 1, a hierarchy that only lists processes; version 2 has one for everything.
        let own = OwnGroup::of("freezer").ok().flatten()?;
        let group = Cgroup { folder: own.folder.join(name), version: own.version };
        std::fs::create_dir(&group.folder).ok()?;
        group.door().is_ok().then_some(group)
    }

    /// The kernel rounds to pages.
    fn check(&self, whose: &str, asked: u64) -> Result<()> {
        let limit = self.number(self.version.limit())?;
        if limit.abs_diff(asked) <= rustix::param::page_size() as u64 {
            return Ok(());
        }
        let (limit, asked) = (units::bytes(limit), units::bytes(asked));
        Err(failed(
            format!("the memory limit of {whose} is {limit} instead of {asked}"),
            "choose a multiple of the page size for `memory`",
        ))
    }

    /// Folder of the group.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file to which a process writes "0" to enter the group.
    pub fn door(&self) -> Result<File> {
        let file = self.folder.join("cgroup.procs");
        let opened = File::options().write(true).open(&file);
        opened.with_context(|| format!("opening {}", file.display()))
    }

    /// The limit and its use, as reported by the kernel.
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

    /// Removes the limit, for processes that cannot leave.
    pub fn lift(&self) {
        let none = if self.version == CgroupVersion::One { "-1" } else { "max" };
        // A remaining limit is better than ending the run here.
        let _ = std::fs::write(self.folder.join(self.version.limit()), none);
    }

    fn number(&self, file: &str) -> Result<u64> {
        let path = self.folder.join(file);
        let text = std::fs::read_to_string(&path);
        let text = text.with_context(|| format!("reading {}", path.display()))?;
        text.trim().parse().with_context(|| format!("{} says '{}'", path.display(), text.trim()))
    }
}

/// A group's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// The limit, page cache included.
    pub limit_bytes: u64,
    /// Current use.
    pub used_bytes: u64,
    /// Peak use; None if the kernel does not report it.
    pub peak_bytes: Option<u64>,
    /// The page cache's share of current use.
    pub cache_bytes: u64,
}

/// The group in which a controller counts and limits this process.
#[derive(Debug, PartialEq)]
pub struct OwnGroup {
    pub folder: PathBuf,
    /// The root of its hierarchy, as far as visible.
    pub mount: PathBuf,
    pub version: CgroupVersion,
}

impl OwnGroup {
    /// None if the controller is in no mounted hierarchy.
    pub fn of(controller: &str) -> Result<Option<OwnGroup>> {
        let read =
            |path: &str| std::fs::read_to_string(path).with_context(|| format!("reading {path}"));
        let (groups, mounts) = (read("/proc/self/cgroup")?, read("/proc/self/mountinfo")?);
        Ok(OwnGroup::find(controller, &groups, &mounts))
    }

    /// From /proc/self/cgroup and /proc/self/mountinfo (proc(5)): version 1 if the controller is in
    /// one of its hierarchies, otherwise version 2.
    pub fn find(controller: &str, groups: &str, mounts: &str) -> Option<OwnGroup> {
        let groups = || groups.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
        let has_it = |list: &str| list.split(',').any(|own| own == controller);
        let of_one = groups().find(|(controllers, _)| has_it(controllers));
        let of_two = || groups().find(|(controllers, _)| controllers.is_empty());
        let (version, path) = match of_one {
            Some((_, path)) => (CgroupVersion::One, path),
            None => (CgroupVersion::Two, of_two()?.1),
        };
        mounts.lines().find_map(|line| {
            let (place, of) = line.split_once(" - ")?;
            let mut of = of.split(' ');
            let (kind, options) = (of.next()?, of.nth(1)?);
            let fits = match version {
                CgroupVersion::One => kind == "cgroup" && has_it(options),
                CgroupVersion::Two => kind == "cgroup2",
            };
            let mut place = place.split(' ').skip(3);
            let (root, mount) = (place.next()?, PathBuf::from(place.next()?));
            // In a container's mount, only groups below its root are visible.
            let below = Path::new(path).strip_prefix(root).ok().filter(|_| fits)?;
            Some(OwnGroup {
                folder: below.iter().fold(mount.clone(), |f, name| f.join(name)),
                mount,
                version,
            })
        })
    }

    /// Its folder and those of the groups above it, each of which may have a limit.
    pub fn levels(&self) -> impl Iterator<Item = &Path> {
        self.folder.ancestors().take_while(|folder| folder.starts_with(&self.mount))
    }
}

/// The number in a group's file; None if there is no such file, or no number (`max`).
pub fn number(file: &Path) -> Option<u64> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// A group of version 2 has the controller only if neither the kernel's command line nor the group
/// above withholds it.
fn has_memory(parent: &Path, whose: &str) -> Result<()> {
    let file = parent.join("cgroup.controllers");
    let all = std::fs::read_to_string(&file);
    let all = all.with_context(|| format!("reading {}", file.display()))?;
    if all.split_whitespace().any(|controller| controller == "memory") {
        return Ok(());
    }
    Err(refused(
        format!(
            "the memory of {whose} cannot be limited: the control group {} has no memory \
             controller, only: {}",
            parent.display(),
            all.trim()
        ),
        "give it one (`cgroup_enable=memory` on the kernel command line, `Delegate=memory` in the \
         unit that starts dyno), or leave `memory` out of the plan",
    ))
}

/// Groups below one have memory limits only if it delegates the controller, which systemd does, but
/// a bare system does not.
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
        // A leftover empty group does no harm.
        let _ = std::fs::remove_dir(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::describe;

    const OF_TWO: &str = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";

    fn version_2(controllers: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join("cgroup.controllers"), controllers).expect("written");
        std::fs::write(dir.path().join("cgroup.subtree_control"), "").expect("written");
        dir
    }

    #[test]
    fn a_group_of_version_2_without_the_memory_controller_is_refused_and_left_as_it_is() {
        let dir = version_2("cpuset cpu io pids\n");
        let parent = ParentGroup { folder: dir.path().to_path_buf(), version: CgroupVersion::Two };
        let refused = Cgroup::new(&parent, "g".as_ref(), ("dyno", 1 << 30)).map(drop);
        let (what, next) = describe(&refused.expect_err("no controller"));
        assert!(what.contains("has no memory controller, only: cpuset cpu io pids"), "{what}");
        assert!(next.concat().contains("cgroup_enable=memory"));
        let control = std::fs::read_to_string(dir.path().join("cgroup.subtree_control"));
        assert_eq!(control.expect("read"), "", "nothing is delegated");
        assert!(!dir.path().join("g").exists(), "no group is made");
    }

    #[test]
    fn the_memory_controller_of_version_2_is_handed_down_if_it_is_not_yet() {
        let dir = version_2("cpu memory\n");
        has_memory(dir.path(), "dyno").expect("it has one");
        hand_down_memory(dir.path()).expect("delegated");
        let control = std::fs::read_to_string(dir.path().join("cgroup.subtree_control"));
        assert_eq!(control.expect("read"), "+memory");
    }

    #[test]
    fn a_container_sees_its_own_part_of_the_hierarchy_alone() {
        let mounts = OF_TWO.replace("0:26 / ", "0:26 /box ");
        let found = OwnGroup::find("memory", "0::/box/a\n", &mounts).unwrap();
        assert_eq!(
            (found.folder, found.mount),
            ("/sys/fs/cgroup/a".into(), "/sys/fs/cgroup".into())
        );
        assert_eq!(OwnGroup::find("memory", "0::/elsewhere\n", &mounts), None);
    }
}
