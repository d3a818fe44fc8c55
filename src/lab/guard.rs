//! The guard: what must not be touched is refused here, before anything is, with the reason and the remedy.
//!
//! A block device is written to only when the plan names its serial number and says `erase = true`, and never while
//! anything else has it: a mount, a partition, swap, a holder in sysfs (LVM, md, dm, bcache). Whoever opens it for
//! writing adds O_EXCL (engine/blockfile.rs), so that the kernel refuses what came in between.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::base::error::{Context, Error, Result, failed};
use crate::plan::Place;

/// Passes a drive, or says why it must not be used. `writes`: whether any stream or fill would write to it.
pub fn pass(place: &Place, erase: bool, writes: bool) -> Result<()> {
    match place {
        Place::Directory(path) => pass_directory(path),
        Place::Device { path, serial } => pass_device(path, serial, erase, writes),
    }
}

/// Whether a file at `file` (which exists, or its folder does) lies on the drive.
pub fn holds(place: &Place, file: &Path) -> Result<bool> {
    let there = file.canonicalize().with_context(|| format!("looking for {}", file.display()))?;
    match place {
        Place::Directory(path) => Ok(path.canonicalize().is_ok_and(|path| there.starts_with(path))),
        Place::Device { path, .. } => {
            let disk = Disk::of(path)?;
            let device = there.metadata().with_context(|| format!("looking at {}", file.display()))?.dev();
            let number = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
            Ok(disk.numbers().contains(&number))
        }
    }
}

fn pass_directory(path: &Path) -> Result<()> {
    let found = fs::metadata(path).map_err(|e| {
        failed(format!("{} cannot be used: {e}", path.display()), "name a directory on the drive to be tested")
    })?;
    if found.is_dir() {
        return Ok(());
    }
    Err(failed(format!("{} is not a directory", path.display()), "name a directory on the drive to be tested"))
}

fn pass_device(path: &Path, serial: &str, erase: bool, writes: bool) -> Result<()> {
    let refuse = |why: String, try_next: &str| -> Result<()> {
        Err(failed(format!("{} is not touched: {why}", path.display()), try_next))
    };
    let disk = Disk::of(path)?;
    let found = disk.serial().ok_or_else(|| no_serial(path))?;
    if found != serial {
        return refuse(
            format!("its serial number is '{found}', and the plan names '{serial}'"),
            "check which drive is meant; device names change between boots, so use /dev/disk/by-id",
        );
    }
    if !writes {
        return Ok(());
    }
    if !erase {
        return refuse("the plan does not say that it may be erased".into(), "add `erase = true` to this drive");
    }
    if let Some(mount) = mounted(&disk) {
        return refuse(format!("it, or a partition of it, is mounted on {mount}"), "unmount it first");
    }
    if let Some(swap) = swap(&disk) {
        return refuse(format!("{swap} is in use as swap"), "`swapoff` it first");
    }
    if let Some(holder) = disk.holder() {
        return refuse(format!("{holder} holds it"), "take it out of LVM, md, dm or bcache first");
    }
    if let Some(partition) = disk.partitions().first() {
        return refuse(
            format!("it has a partition, {}", name(partition)),
            "remove the partition table with `wipefs` if nothing on it is needed",
        );
    }
    Ok(())
}

fn no_serial(path: &Path) -> Error {
    failed(
        format!("{} is not touched: it tells no serial number", path.display()),
        "make a filesystem on it, mount it, and test a directory there",
    )
}

fn name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

fn read(path: PathBuf) -> Option<String> {
    let text = fs::read_to_string(path).ok()?.trim().to_string();
    (!text.is_empty()).then_some(text)
}

/// A block device in sysfs.
struct Disk {
    sysfs: PathBuf,
}

impl Disk {
    /// The device behind a path, through whatever links lead to it.
    fn of(path: &Path) -> Result<Disk> {
        let found = fs::metadata(path)
            .map_err(|e| failed(format!("{} cannot be used: {e}", path.display()), "check the path"))?;
        if !found.file_type().is_block_device() {
            return Err(failed(format!("{} is not a block device", path.display()), "name one below /dev/disk/by-id"));
        }
        let number = found.rdev();
        let link = format!("/sys/dev/block/{}:{}", rustix::fs::major(number), rustix::fs::minor(number));
        let sysfs = fs::canonicalize(&link).with_context(|| format!("looking for {} in {link}", path.display()))?;
        Ok(Disk { sysfs })
    }

    /// As the drive tells it; a partition's is its disk's.
    fn serial(&self) -> Option<String> {
        let parent = self.sysfs.parent().unwrap_or(Path::new("/"));
        let places = [&self.sysfs, parent].map(|at| [at.join("device/serial"), at.join("serial")]);
        places.into_iter().flatten().find_map(read)
    }

    fn partitions(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.sysfs).map(|e| e.flatten().map(|e| e.path()).collect::<Vec<_>>());
        entries.unwrap_or_default().into_iter().filter(|p| p.join("partition").exists()).collect()
    }

    /// The disk and its partitions.
    fn all(&self) -> Vec<PathBuf> {
        let mut all = self.partitions();
        all.push(self.sysfs.clone());
        all
    }

    /// The device numbers of the disk and its partitions, as "259:0".
    fn numbers(&self) -> Vec<String> {
        self.all().into_iter().filter_map(|p| read(p.join("dev"))).collect()
    }

    fn holder(&self) -> Option<String> {
        let holders = self.all().into_iter().filter_map(|p| fs::read_dir(p.join("holders")).ok()).flatten();
        holders.flatten().next().map(|e| e.file_name().to_string_lossy().into_owned())
    }
}

/// Where the disk or a partition of it is mounted.
fn mounted(disk: &Disk) -> Option<String> {
    let numbers = disk.numbers();
    let table = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let mut mounts = table.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let found = mounts.find(|m| m.get(2).is_some_and(|number| numbers.iter().any(|n| n == number)))?;
    found.get(4).map(|point| point.to_string())
}

/// The disk or partition that serves as swap.
fn swap(disk: &Disk) -> Option<String> {
    let names: Vec<String> = disk.all().iter().map(|p| format!("/dev/{}", name(p))).collect();
    let table = fs::read_to_string("/proc/swaps").ok()?;
    let mut swaps = table.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    swaps.find(|swap| names.iter().any(|n| n == swap)).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::describe;

    #[track_caller]
    fn refused(place: &Place, because: &str) {
        let error = pass(place, true, true).expect_err("must be refused");
        let (why, try_next) = describe(&error);
        assert!(why.contains(because) && !try_next.is_empty(), "{why}; {try_next:?}");
    }

    #[test]
    fn what_is_no_drive_is_refused() {
        refused(&Place::Directory("/proc/version".into()), "is not a directory");
        refused(&Place::Directory("/no/such/place".into()), "No such file");
        let device = |path: &str| Place::Device { path: path.into(), serial: "1".into() };
        refused(&device("/dev/null"), "is not a block device");
        refused(&device("/no/such/device"), "No such file");
    }

    #[test]
    fn every_disk_of_this_machine_is_refused_under_a_wrong_serial() {
        for entry in fs::read_dir("/sys/block").into_iter().flatten().flatten() {
            let path = Path::new("/dev").join(entry.file_name());
            if path.exists() {
                let place = Place::Device { path, serial: "not this one".into() };
                refused(&place, "is not touched");
            }
        }
    }

    #[test]
    fn a_directory_holds_what_lies_in_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = Place::Directory(folder.path().into());
        assert!(holds(&place, folder.path()).expect("looked at"));
        assert!(!holds(&place, Path::new("/proc")).expect("looked at"));
    }

    #[test]
    fn the_disk_under_the_root_is_known_to_be_mounted() {
        let number = fs::metadata("/").expect("a root").dev();
        let sysfs = format!("/sys/dev/block/{}:{}", rustix::fs::major(number), rustix::fs::minor(number));
        // A root on overlay, tmpfs or btrfs has no block device of its own to ask about.
        if let Ok(sysfs) = fs::canonicalize(sysfs) {
            assert_eq!(mounted(&Disk { sysfs }).as_deref(), Some("/"));
        }
    }
}
