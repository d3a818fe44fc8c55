//! A memory limit for Dyno itself, for engines that run in its process: while a point is measured,
//! the process is in its own control group, page cache included.
//!
//! A cached page is charged to the group that first reads it, so the dataset's cached pages must be
//! dropped on entry, or they would not be charged.
//!
//! In version 1 the group is created below Dyno's. In version 2 a group that contains processes
//! cannot have limited ones below it, so the new one is created next to Dyno's; a limit of Dyno's
//! own group then no longer applies, and requesting more than it allows is refused.
//!
//! A killed Dyno leaves an empty group, which the next one with a memory limit removes.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::error::{Context, Result, failed, refused};
use crate::base::units;
use crate::lab::machine::cgroup::{
    Cgroup, CgroupVersion, MemoryUse, OwnGroup, ParentGroup, number,
};
use crate::lab::machine::process;

/// Prefix of the groups' names; the process and a number follow.
const PREFIX: &str = "dyno-memory-";

/// Dyno's process in its limited group; when dropped, it returns to its original group.
pub struct OwnMemory {
    group: Cgroup,
    /// The original group's file, to which it returns.
    back: PathBuf,
}

impl OwnMemory {
    /// Moves Dyno into a group with this much memory.
    pub fn enter(bytes: u64) -> Result<OwnMemory> {
        let (group, back) = make(bytes)?;
        let entered = group.door().and_then(|door| {
            rustix::io::write(door, b"0").context("moving dyno into its control group")
        });
        entered?;
        Ok(OwnMemory { group, back })
    }

    /// Its current use, as reported by the kernel.
    pub fn read(&self) -> Result<MemoryUse> {
        self.group.read()
    }
}

impl Drop for OwnMemory {
    fn drop(&mut self) {
        // systemd may have removed a scope without other processes.
        if std::fs::write(&self.back, "0").is_err() {
            self.group.lift();
        }
    }
}

/// Whether Dyno's memory can be limited to this size, determined by creating and removing the
/// group.
pub fn check(bytes: u64) -> Result<()> {
    make(bytes).map(drop)
}

/// The group, and the file with which Dyno returns to its current one.
fn make(bytes: u64) -> Result<(Cgroup, PathBuf)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let own = OwnGroup::of("memory")?.ok_or_else(|| {
        failed(
            "the memory of dyno cannot be limited: no control groups with the memory controller \
             are mounted",
            "mount one (cgroup2 on /sys/fs/cgroup), or leave `memory` out of the step",
        )
    })?;
    for folder in own.levels() {
        let limit = number(&folder.join(own.version.limit()));
        if let Some(limit) = limit.filter(|limit| *limit < bytes) {
            let (limit, asked) = (units::bytes(limit), units::bytes(bytes));
            return Err(refused(
                format!(
                    "the memory of dyno cannot be limited to {asked}: its control group {} allows \
                     {limit}",
                    folder.display()
                ),
                "lower `memory`, or start dyno outside of that group",
            ));
        }
    }
    let parent = parent(&own);
    sweep(&parent.folder);
    let name = format!("{PREFIX}{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed));
    let group = Cgroup::new(&parent, name.as_ref(), ("dyno", bytes))?;
    Ok((group, own.folder.join("cgroup.procs")))
}

/// The parent of a new group with a limit of its own.
fn parent(own: &OwnGroup) -> ParentGroup {
    let above = own.folder.parent().filter(|_| own.folder != own.mount);
    let folder = match own.version {
        CgroupVersion::One => &own.folder,
        CgroupVersion::Two => above.unwrap_or(&own.folder),
    };
    ParentGroup { folder: folder.to_path_buf(), version: own.version }
}

/// Removes groups left by killed processes; the kernel keeps a group that has processes.
fn sweep(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let of = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
        let pid = of.and_then(|(pid, _)| pid.parse::<u32>().ok());
        if pid.is_some_and(|pid| process::began(pid).is_none()) {
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_TWO: &str = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
    const OF_ONE: &str = "31 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                          32 23 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                          33 23 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

    fn group(groups: &str, mounts: &str) -> Option<(String, String)> {
        let own = OwnGroup::find("memory", groups, mounts)?;
        let shown = |path: &Path| path.display().to_string();
        Some((shown(&own.folder), shown(&parent(&own).folder)))
    }

    #[test]
    fn a_limited_group_lies_beside_dynos_in_version_2_and_below_it_in_version_1() {
        let of = |folder: &str, parent: &str| Some((folder.to_string(), parent.to_string()));
        assert_eq!(
            group("0::/user.slice/session-1.scope\n", OF_TWO),
            of("/sys/fs/cgroup/user.slice/session-1.scope", "/sys/fs/cgroup/user.slice")
        );
        assert_eq!(group("0::/\n", OF_TWO), of("/sys/fs/cgroup", "/sys/fs/cgroup"));
        assert_eq!(
            group("5:cpu:/\n4:memory:/job/7\n0::/x\n", OF_ONE),
            of("/sys/fs/cgroup/memory/job/7", "/sys/fs/cgroup/memory/job/7")
        );
        assert_eq!(group("5:cpu:/\n", OF_ONE), None, "there is no memory controller");
        assert_eq!(group("0::/\n", ""), None, "nothing is mounted");
    }

    #[test]
    fn groups_of_processes_that_are_no_more_are_swept() {
        let dir = tempfile::tempdir().unwrap();
        let own = format!("{PREFIX}{}-0", std::process::id());
        // Above Linux's maximum process number (2^22).
        let names = [own.as_str(), "dyno-memory-4194999-0", "dyno-memory-x-0", "other"];
        names.iter().for_each(|name| std::fs::create_dir(dir.path().join(name)).unwrap());
        sweep(dir.path());
        let left = names.map(|name| dir.path().join(name).exists());
        assert_eq!(left, [true, false, true, true]);
    }
}
