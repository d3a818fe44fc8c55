//! A block device of known speed: the kernel's block layer limits the requests of a control group.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::support::skip;

/// A control group with a throttle; removed when dropped.
pub struct Throttle(PathBuf);

impl Throttle {
    /// Limits reads and writes of the device to this many per second each.
    pub fn of(device: &Path, per_s: u32) -> Option<Throttle> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let own = format!("dyno-{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed));
        let group = Path::new("/sys/fs/cgroup/blkio").join(own);
        let name = device.file_name().expect("a name").to_string_lossy().into_owned();
        let number = std::fs::read_to_string(format!("/sys/block/{name}/dev"));
        let limit = number.map(|number| format!("{} {per_s}", number.trim()));
        let set = |limit: String| {
            ["read", "write"].iter().try_for_each(|kind| {
                std::fs::write(group.join(format!("blkio.throttle.{kind}_iops_device")), &limit)
            })
        };
        if let Err(error) = std::fs::create_dir(&group).and(limit).and_then(set) {
            skip(format!("no throttle of block devices by cgroup v1 here: {error}"));
            let _ = std::fs::remove_dir(&group);
            return None;
        }
        Some(Throttle(group))
    }

    /// Runs a program with these arguments within it.
    pub fn run(&self, folder: &Path, program: &str, arguments: &[&str]) -> Output {
        let group = self.0.join("cgroup.procs");
        let script = format!("echo $$ > {} && exec \"$@\"", group.display());
        let mut shell = Command::new("sh");
        shell.current_dir(folder).args(["-c", &script, "sh", program]).args(arguments);
        shell.output().expect("ran")
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}
