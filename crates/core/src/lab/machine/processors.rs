//! The host's processors for placing workers: those that this process may use, and those local to a
//! drive.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::base::error::{Context, Result};
use crate::plan::read_list;

/// Processors by kernel number.
pub type Processors = BTreeSet<u32>;

/// Processors that this process may use: its affinity mask, which a cgroup's cpuset also limits.
pub fn allowed() -> Result<Processors> {
    let mask = sched_getaffinity(None).context("asking which processors may be used")?;
    let all = 0..CpuSet::MAX_CPU;
    Ok(all.filter(|&cpu| mask.is_set(cpu)).filter_map(|cpu| u32::try_from(cpu).ok()).collect())
}

/// A set in the kernel's format.
pub fn mask(of: &Processors) -> CpuSet {
    let mut mask = CpuSet::new();
    of.iter().filter(|&&cpu| (cpu as usize) < CpuSet::MAX_CPU).for_each(|&cpu| {
        mask.set(cpu as usize);
    });
    mask
}

/// Restricts the calling thread to these processors.
pub fn pin(to: &Processors) -> Result<()> {
    sched_setaffinity(None, &mask(to))
        .with_context(|| format!("pinning a worker to {}", crate::plan::shown_list(to)))
}

/// Those local to a block device: of its NUMA node, and served by its hardware queues. Empty if the
/// kernel reports neither.
pub fn local_to(device: &Path) -> Processors {
    let Ok(found) = fs::metadata(device) else { return Processors::new() };
    let (major, minor) = (rustix::fs::major(found.rdev()), rustix::fs::minor(found.rdev()));
    let link = format!("/sys/dev/block/{major}:{minor}");
    fs::canonicalize(link).map(|sysfs| local(&sysfs, Path::new("/sys"))).unwrap_or_default()
}

fn local(device: &Path, sys: &Path) -> Processors {
    let (queues, node) = (of_queues(device), of_node(device, sys));
    let both: Processors = queues.intersection(&node).copied().collect();
    match (both.is_empty(), queues.is_empty()) {
        (false, _) => both,
        (true, true) => node,
        // Queues on another node only: requests must pass through them.
        (true, false) => queues,
    }
}

/// A partition's queues are its device's.
fn of_queues(device: &Path) -> Processors {
    let places = [Some(device), device.parent()];
    let found = places.into_iter().flatten().find_map(|at| fs::read_dir(at.join("mq")).ok());
    found
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|queue| list_in(&queue.path().join("cpu_list")))
        .flatten()
        .collect()
}

/// The node of the nearest parent device; -1 means a single node.
fn of_node(device: &Path, sys: &Path) -> Processors {
    let node = device
        .ancestors()
        .take_while(|at| *at != sys)
        .find_map(|at| fs::read_to_string(at.join("numa_node")).ok())
        .and_then(|text| text.trim().parse::<u32>().ok());
    node.and_then(|node| list_in(&sys.join(format!("devices/system/node/node{node}/cpulist"))))
        .unwrap_or_default()
}

/// Gives the calling thread the lowest real-time priority, so that it runs as soon as it wakes,
/// before all threads of ordinary priority. Without permission (sched(7), CAP_SYS_NICE) nothing
/// changes.
pub fn run_on_waking() {
    let priority = libc::sched_param { sched_priority: 1 };
    // SAFETY: the kernel reads one `sched_param`, which lives until the call returns; 0 is the
    // calling thread.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &priority) };
}

/// Prevents the calling thread from preempting others when it wakes (sched(7), `SCHED_BATCH`): a
/// thread that waits for a server on the same processors then runs when the server is idle, and not
/// for each message of an answer. A policy set by the user is not changed.
pub fn wait_behind_others() {
    let normal = libc::sched_param { sched_priority: 0 };
    // SAFETY: as in `run_on_waking`.
    unsafe {
        if libc::sched_getscheduler(0) == libc::SCHED_OTHER {
            libc::sched_setscheduler(0, libc::SCHED_BATCH, &normal);
        }
    }
}

/// The other threads of a processor's core.
pub fn siblings(cpu: u32) -> Processors {
    let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    let mut found = list_in(&PathBuf::from(path)).unwrap_or_default();
    found.remove(&cpu);
    found
}

fn list_in(path: &Path) -> Option<Processors> {
    // The kernel writes "0, 1" for queues and "0-1" for nodes.
    read_list(&fs::read_to_string(path).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, text).expect("written");
    }

    #[test]
    fn local_processors_are_of_the_drives_node_and_of_its_queues() {
        let dir = tempfile::tempdir().expect("a folder");
        let sys = dir.path();
        let device = sys.join("devices/pci/nvme/nvme0/nvme0n1");
        write(&device.join("mq/0/cpu_list"), "0, 1, 2, 3\n");
        write(&device.join("mq/1/cpu_list"), "4, 5\n");
        assert_eq!(local(&device, sys), Processors::from([0, 1, 2, 3, 4, 5]), "no node is known");
        write(&sys.join("devices/pci/numa_node"), "1\n");
        write(&sys.join("devices/system/node/node1/cpulist"), "2-3,8\n");
        assert_eq!(local(&device, sys), Processors::from([2, 3]));
        assert_eq!(local(&device.join("nvme0n1p1"), sys), Processors::from([2, 3]), "a partition");
        write(&sys.join("devices/pci/numa_node"), "-1\n");
        assert_eq!(local(&device, sys).len(), 6, "one node alone");
    }

    #[test]
    fn a_thread_runs_where_it_is_pinned() {
        let allowed = allowed().expect("a mask");
        let last = *allowed.last().expect("at least one processor");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                pin(&Processors::from([last])).expect("pinned");
                assert_eq!(super::allowed().expect("a mask"), Processors::from([last]));
                assert_eq!(rustix::thread::sched_getcpu(), last as usize);
            });
        });
        assert_eq!(super::allowed().expect("a mask"), allowed, "other threads are left alone");
    }

    #[test]
    fn a_thread_waits_behind_others_unless_the_user_has_set_its_policy() {
        // SAFETY: neither call passes a pointer that outlives it; 0 is the calling thread.
        let policy = || unsafe { libc::sched_getscheduler(0) };
        let set = |policy| unsafe {
            libc::sched_setscheduler(0, policy, &libc::sched_param { sched_priority: 0 })
        };
        std::thread::scope(|scope| {
            for (before, after) in
                [(libc::SCHED_OTHER, libc::SCHED_BATCH), (libc::SCHED_IDLE, libc::SCHED_IDLE)]
            {
                scope.spawn(move || {
                    assert_eq!(set(before), 0);
                    wait_behind_others();
                    assert_eq!(policy(), after);
                });
            }
        });
    }
}
