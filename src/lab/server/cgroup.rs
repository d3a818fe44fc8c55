//! A server's share of the machine: a memory limit by control group, of either version, and a set
//! of processors.

use std::path::{Path, PathBuf};

use crate::base::error::{Context, Result, failed};

/// A control group of Dyno's own; removed when dropped, which the kernel allows once its processes
/// are gone.
pub struct Cgroup {
    folder: PathBuf,
}

impl Cgroup {
    /// Makes a group with that much memory, named as the server's folder for its socket.
    pub fn new(run: &Path, memory_bytes: u64) -> Result<Cgroup> {
        let root = Path::new("/sys/fs/cgroup");
        let (parent, limit) = if root.join("cgroup.controllers").exists() {
            (root.to_path_buf(), "memory.max")
        } else {
            (root.join("memory"), "memory.limit_in_bytes")
        };
        let folder = parent.join(run.file_name().unwrap_or_default());
        let cannot = |cause: std::io::Error| {
            failed(
                format!("the server's memory cannot be limited: {}: {cause}", folder.display()),
                "run dyno as root where control groups may be made, or leave `memory` out of the \
                 plan",
            )
        };
        std::fs::create_dir(&folder).map_err(cannot)?;
        let group = Cgroup { folder: folder.clone() };
        std::fs::write(folder.join(limit), memory_bytes.to_string()).map_err(cannot)?;
        Ok(group)
    }

    pub fn take(&self, pid: u32) -> Result<()> {
        let file = self.folder.join("cgroup.procs");
        std::fs::write(&file, pid.to_string())
            .with_context(|| format!("moving the server into {}", file.display()))
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // An empty group that stays behind does no harm.
        let _ = std::fs::remove_dir(&self.folder);
    }
}

/// "0-3,8" as the kernel's set of processors.
pub fn cpu_set(text: &str) -> Result<libc::cpu_set_t> {
    let wrong =
        || failed(format!("'{text}' is no set of processors"), "write it as in cpus = \"0-3,8\"");
    // SAFETY: a set of bits, for which all zeros is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
        let (first, last) = (number(first)?, number(last)?);
        if first > last || last >= libc::CPU_SETSIZE as usize {
            return Err(wrong());
        }
        for cpu in first..=last {
            // SAFETY: the number is below the set's size.
            unsafe { libc::CPU_SET(cpu, &mut set) };
        }
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_processors_are_read_as_the_kernel_writes_them() {
        let set = cpu_set("0-2,8").unwrap();
        // SAFETY: the numbers are below the set's size.
        let chosen: Vec<usize> =
            (0..16).filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) }).collect();
        assert_eq!(chosen, [0, 1, 2, 8]);
        assert!(cpu_set("3-1").is_err() && cpu_set("all").is_err() && cpu_set("99999").is_err());
    }
}
