//! Common parts of psync, uring and libaio: opening the data file in a dataset's folder, or the
//! device.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use rustix::fs::OFlags;

use super::dedupe::Dedupe;
use super::verify::{self, BLOCK, Leaves, VerifiedDataset};
use crate::base::block_seal::SECTOR;
use crate::base::error::{Context, Error, Result, failed};
use crate::engine::{Access, DatasetAccess, DatasetLocation};
use crate::lab::folder::data::DatasetFolder;
use crate::lab::folder::pin::shown;
use crate::lab::{guard, nvme};
use crate::measure::AddressSpace;
use crate::plan::{DefaultValue, Knob, KnobKind, Knobs};
use crate::record::{Fact, Verified};

pub const SIZE: Knob = Knob {
    name: "size",
    kind: KnobKind::Bytes,
    default: DefaultValue::Is("\"1GiB\""),
    doc: "Size of the data file, or of the range used on a device; 0 for the whole device.",
};

pub const OFFSET: Knob = Knob {
    name: "offset",
    kind: KnobKind::Bytes,
    default: DefaultValue::Is("0"),
    doc: "Start of the range on a device.",
};

pub const COMPRESSIBLE: Knob = Knob {
    name: "compressible",
    kind: KnobKind::Float { min: 0.0, max: 100.0 },
    default: DefaultValue::Is("0"),
    doc: "Percent of every 512 bytes written that is zero; the rest is random and, without \
        `dedupe`, unique.",
};

/// The part of a file that is written back by one call.
const SYNC_BYTES: u64 = 64 << 20;

/// A whole device is used up to a multiple of this, so that blocks of any usual size fit evenly.
const UNIT: u64 = 1 << 20;

/// An open file or device and the range of it that is used.
pub struct BlockFile {
    pub file: File,
    pub path: PathBuf,
    pub base: u64,
    pub bytes: u64,
    pub direct: bool,
    /// Whether it is open for writing.
    pub writes: bool,
    pub is_device: bool,
    /// Percentage of every sector that is zeros.
    pub compressible: f64,
    /// Which writes are duplicates, if the plan requests any.
    pub dedupe: Option<Dedupe>,
    /// The expected contents of each block, if the plan requests verification.
    pub known: Option<Arc<VerifiedDataset>>,
}

/// The address space of a file with these knobs; None if it is all of a device.
pub fn planned_space(knobs: &Knobs) -> Option<AddressSpace> {
    let bytes = knobs.int("size").ok().filter(|bytes| *bytes > 0)?;
    let align_bytes = if knobs.flag("direct").ok()? { SECTOR as u32 } else { 1 };
    Some(AddressSpace { bytes, align_bytes, ..AddressSpace::default() })
}

impl BlockFile {
    pub fn open(site: &DatasetAccess<'_>) -> Result<BlockFile> {
        let (size, direct) = (site.knobs.int("size")?, site.knobs.flag("direct")?);
        let writes = site.access != Access::ReadOnly;
        let (file, path, base) = match site.home {
            DatasetLocation::Folder(folder) => {
                let path = folder.shown().join("data");
                let file = open_data(folder, &path, site.access, direct)?;
                if site.access == Access::Create {
                    file.set_len(size)
                        .with_context(|| format!("making {} {size} bytes long", path.display()))?;
                }
                (file, path, 0)
            }
            DatasetLocation::Device { path, serial } => {
                let file = open_device(path, writes, direct)?;
                match writes {
                    true => guard::verify_to_write(&file, path, serial)?,
                    false => guard::verify(&file, path, serial)?,
                }
                (file, shown(path), site.knobs.int("offset")?)
            }
            DatasetLocation::Nowhere => {
                return Err(failed(
                    "this engine needs a dataset",
                    "name one: dataset = \"…\" in the stream",
                ));
            }
        };
        let is_device = matches!(site.home, DatasetLocation::Device { .. });
        let there = capacity(&file, &path)?;
        let size =
            if size == 0 && is_device { there.saturating_sub(base) / UNIT * UNIT } else { size };
        if size == 0 {
            return Err(failed(
                format!("no size is given for {}", path.display()),
                "set the dataset's `size`; 0 means all of a device, and a file has no size of its \
                 own",
            ));
        }
        if base + size > there {
            return Err(failed(
                format!("{} has {there} bytes, and {} are to be used", path.display(), base + size),
                "recreate the dataset, or reduce `size`",
            ));
        }
        let compressible = site.knobs.float("compressible")?;
        let dedupe = Dedupe::of(site.knobs, size)?;
        let after_trim = match verify::is_on(site.knobs) {
            true => after_trim(site.home),
            false => Leaves::Anything,
        };
        let known = verify::open(site, &path, (base, size), after_trim)?.map(Arc::new);
        let bytes = size;
        Ok(BlockFile {
            file,
            path,
            base,
            bytes,
            direct,
            writes,
            is_device,
            compressible,
            dedupe,
            known,
        })
    }

    pub fn space(&self) -> AddressSpace {
        // Direct I/O requires whole logical blocks; 4 KiB is a multiple of all common sizes, and
        // 512 is the smallest.
        let align_bytes = if self.direct { SECTOR as u32 } else { 1 };
        let unit = self.dedupe.as_ref().map_or(1, Dedupe::unit_bytes);
        let known = if self.known.is_some() { BLOCK as u32 } else { 1 };
        let align_bytes = align_bytes.max(unit).max(known);
        AddressSpace { bytes: self.bytes, align_bytes, ..AddressSpace::default() }
    }

    /// Makes all writes durable, and reports those that the kernel accepted and the drive refused.
    /// In parts, because one call for gigabytes in the page cache would not react to a signal.
    pub fn sync(&self, stop: &AtomicBool) -> Result<()> {
        let end = self.base + self.bytes;
        for at in (self.base..end).step_by(SYNC_BYTES as usize) {
            if stop.load(Relaxed) {
                return Ok(());
            }
            self.sync_range(at, SYNC_BYTES.min(end - at)).map_err(|cause| self.unwritten(cause))?;
        }
        self.file.sync_all().map_err(|cause| self.unwritten(cause))
    }

    /// Writes back a range of the page cache and waits for it. The data are durable only after the
    /// flush that follows all ranges.
    fn sync_range(&self, at: u64, bytes: u64) -> std::io::Result<()> {
        let all = libc::SYNC_FILE_RANGE_WAIT_BEFORE
            | libc::SYNC_FILE_RANGE_WRITE
            | libc::SYNC_FILE_RANGE_WAIT_AFTER;
        let (file, at, bytes) = (self.file.as_raw_fd(), at as i64, bytes as i64);
        // SAFETY: the descriptor is open, and no memory is passed.
        if unsafe { libc::sync_file_range(file, at, bytes, all) } == 0 {
            return Ok(());
        }
        let cause = std::io::Error::last_os_error();
        // If the kernel lacks this call, the call for the whole file is used.
        let missing = [libc::ENOSYS, libc::ESPIPE, libc::EINVAL, libc::EPERM];
        match cause.raw_os_error().is_some_and(|code| missing.contains(&code)) {
            true => Ok(()),
            false => Err(cause),
        }
    }

    fn unwritten(&self, cause: std::io::Error) -> Error {
        let next = match cause.raw_os_error() {
            Some(libc::ENOSPC | libc::EDQUOT) => {
                "free space on its filesystem, or use a smaller dataset"
            }
            _ => "check `dmesg` for errors reported by the device",
        };
        let path = self.path.display();
        failed(format!("writes to {path} were accepted but did not reach it: {cause}"), next)
    }

    pub fn facts(&self, engine: &str) -> Vec<Fact> {
        let group = format!("Dataset ({engine})");
        vec![
            Fact::new(&group, "File", self.path.display()),
            Fact::new(&group, "Size", crate::base::units::bytes(self.bytes)),
            Fact::new(
                &group,
                "Direct I/O",
                if self.direct { "yes (O_DIRECT)" } else { "no (page cache)" },
            ),
            Fact::new(&group, "Data", self.data()),
        ]
    }

    fn data(&self) -> String {
        let dedupe = self.dedupe.as_ref().map(|dedupe| format!(", {}", dedupe.words()));
        let known = self.known.as_ref();
        let known = known.map(|known| format!(", verified, journal {}", known.path.display()));
        let parts = [dedupe, known].map(Option::unwrap_or_default).concat();
        format!("{} % compressible{parts}", self.compressible)
    }

    /// The blocks verified since it was opened, if it verifies any.
    pub fn verified(&self) -> Option<Verified> {
        self.known.as_ref().map(|known| known.verified())
    }

    /// The operation that failed, for an op.
    pub fn op_failed(&self, op: &str, at: u64, cause: std::io::Error) -> crate::base::error::Error {
        let next = match cause.raw_os_error() {
            Some(libc::EOPNOTSUPP) => "leave this op out of the workload: the kernel lacks it here",
            Some(libc::ENOSPC | libc::EDQUOT) => {
                "free space on its filesystem, or use a smaller dataset"
            }
            _ if is_file(&self.path) && cause.raw_os_error() != Some(libc::EIO) => {
                "look at the filesystem that it is on"
            }
            _ => "check `dmesg` for errors reported by the device",
        };
        failed(format!("{op} at offset {at} of {} failed: {cause}", self.path.display()), next)
    }

    pub fn short(&self, op: &str, at: u64, got: usize, wanted: u32) -> crate::base::error::Error {
        failed(
            format!(
                "{op} at offset {at} of {} ended after {got} of {wanted} bytes",
                self.path.display()
            ),
            match is_file(&self.path) {
                true => {
                    "free space on its filesystem if it is full, and check that nothing else \
                     shortened the file"
                }
                false => "look at `dmesg` for whether the drive is gone",
            },
        )
    }
}

/// The contents after a trim: zeroes in a file (fallocate(2), FALLOC_FL_PUNCH_HOLE); on an NVMe
/// namespace that guarantees it (Identify Namespace, DLFEAT bits 2:0 = 001b), zeroes or the
/// previous contents, because the command is a hint; otherwise anything.
fn after_trim(home: &DatasetLocation) -> Leaves {
    match home {
        DatasetLocation::Device { path, .. }
            if nvme::reads_zeroes_where_deallocated(&shown(path)) =>
        {
            Leaves::ZeroesOrBefore
        }
        DatasetLocation::Device { .. } => Leaves::Anything,
        DatasetLocation::Folder(_) | DatasetLocation::Nowhere => Leaves::Zeroes,
    }
}

fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|m| m.is_file())
}

fn open_data(folder: &DatasetFolder, path: &Path, access: Access, direct: bool) -> Result<File> {
    let mut flags = if access == Access::ReadOnly { OFlags::RDONLY } else { OFlags::RDWR };
    flags.set(OFlags::DIRECT, direct);
    flags.set(OFlags::CREATE, access == Access::Create);
    folder.open_file("data", flags).map_err(|error| match error.downcast_ref::<std::io::Error>() {
        Some(cause) => cannot_open(path, cause, direct),
        None => error,
    })
}

fn open_device(path: &Path, writes: bool, direct: bool) -> Result<File> {
    // The kernel then refuses a device that is mounted or held by another driver.
    let flags = if direct { libc::O_DIRECT } else { 0 } | if writes { libc::O_EXCL } else { 0 };
    let opened = OpenOptions::new().read(true).write(writes).custom_flags(flags).open(path);
    opened.map_err(|cause| cannot_open(&shown(path), &cause, direct))
}

fn cannot_open(path: &Path, cause: &std::io::Error, direct: bool) -> Error {
    let hint = match cause.raw_os_error() {
        Some(libc::EINVAL) if direct => "this filesystem has no direct I/O: set `direct = false`",
        Some(libc::EBUSY) => "it is in use: unmount it, or stop what holds it",
        Some(libc::EACCES | libc::EPERM) => "run as a user who may open it",
        _ if path.parent() == Some(Path::new("/dev")) || path.starts_with("/dev/disk") => {
            "check that the drive is there: `dyno drives`"
        }
        _ => "check that the dataset was laid out (a run does so where it has a `fill`)",
    };
    failed(format!("cannot open {}: {cause}", path.display()), hint)
}

fn capacity(mut file: &File, path: &Path) -> Result<u64> {
    // The size in a block device's metadata is zero; seeking to its end returns the size.
    std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0))
        .with_context(|| format!("asking for the size of {}", path.display()))
}
