//! The limit of this process's control groups on processor time.

use std::fs;
use std::path::{Path, PathBuf};

use crate::lab::machine::cgroup::{CgroupVersion, OwnGroup};

/// The lowest limit of the groups that contain this process.
pub struct CpuLimit {
    /// In processors.
    pub cores: f64,
    /// The file `cpu.stat` of its group.
    stat: PathBuf,
}

impl CpuLimit {
    /// None without a limit, or if it cannot be read.
    pub fn of_this_process() -> Option<CpuLimit> {
        CpuLimit::of(&OwnGroup::of("cpu").ok()??)
    }

    fn of(own: &OwnGroup) -> Option<CpuLimit> {
        let of = |folder: &Path| {
            Some(CpuLimit { cores: limit(folder, own.version)?, stat: folder.join("cpu.stat") })
        };
        own.levels().filter_map(of).min_by(|a, b| a.cores.total_cmp(&b.cores))
    }

    /// The periods in which the limit was enforced so far, and those in which it stopped threads.
    pub fn counts(&self) -> Option<(f64, f64)> {
        let text = fs::read_to_string(&self.stat).ok()?;
        let count = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.parse().ok());
        Some((count("nr_periods ")?, count("nr_throttled ")?))
    }
}

/// The limit of a group in processors: "50000 100000" in `cpu.max` of version 2, two files in
/// version 1, microseconds of each period (cgroup-v2.rst, "CPU Interface Files"; sched-bwc.rst).
fn limit(folder: &Path, version: CgroupVersion) -> Option<f64> {
    let read = |file: &str| fs::read_to_string(folder.join(file)).ok();
    let of = |quota: &str, period: &str| {
        let (quota, period): (f64, f64) = (quota.trim().parse().ok()?, period.trim().parse().ok()?);
        (quota > 0.0 && period > 0.0).then_some(quota / period)
    };
    match version {
        CgroupVersion::One => of(&read("cpu.cfs_quota_us")?, &read("cpu.cfs_period_us")?),
        CgroupVersion::Two => {
            let text = read("cpu.max")?;
            let (quota, period) = text.split_once(' ')?;
            of(quota, period)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_limit_of_the_groups_above_counts_in_both_versions() {
        let stat = "nr_periods 200\nnr_throttled 50\nthrottled_time 7\n";
        let two = [("a/cpu.max", "50000 100000\n"), ("a/b/cpu.max", "max 100000\n")];
        let one = [
            ("a/cpu.cfs_quota_us", "100000\n"),
            ("a/cpu.cfs_period_us", "200000\n"),
            ("a/b/cpu.cfs_quota_us", "-1\n"),
            ("a/b/cpu.cfs_period_us", "100000\n"),
        ];
        for (version, files) in [(CgroupVersion::Two, &two[..]), (CgroupVersion::One, &one)] {
            let dir = tempfile::tempdir().expect("a folder");
            fs::create_dir_all(dir.path().join("a/b")).expect("made");
            for (file, text) in files.iter().chain([&("a/cpu.stat", stat)]) {
                fs::write(dir.path().join(file), text).expect("written");
            }
            let own =
                OwnGroup { folder: dir.path().join("a/b"), mount: dir.path().into(), version };
            let found = CpuLimit::of(&own).expect("a limit");
            assert_eq!((found.cores, found.counts()), (0.5, Some((200.0, 50.0))), "{version:?}");
            fs::remove_dir_all(dir.path().join("a")).expect("removed");
            assert!(CpuLimit::of(&own).is_none());
        }
    }
}
