//! What psync and uring share: the data file in a dataset's folder, or the device, and how it is
//! opened.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::pages::Pages;
use crate::base::error::{Context, Error, Result, failed};
use crate::base::rng::Seed;
use crate::engine::{Access, Home, Site};
use crate::lab::data::Folder;
use crate::lab::guard;
use crate::lab::pin::shown;
use crate::load::{Op, Space};
use crate::plan::{DefaultValue, Kind, Knob};
use crate::record::Fact;

pub const SIZE: Knob = Knob {
    name: "size",
    kind: Kind::Bytes,
    default: DefaultValue::Is("\"1GiB\""),
    doc: "The size of the data file, or of the range of the device that is used; 0 for all of a \
          device.",
};

pub const OFFSET: Knob = Knob {
    name: "offset",
    kind: Kind::Bytes,
    default: DefaultValue::Is("0"),
    doc: "Where the range begins on a device.",
};

pub const COMPRESSIBLE: Knob = Knob {
    name: "compressible",
    kind: Kind::Float { min: 0.0, max: 100.0 },
    default: DefaultValue::Is("0"),
    doc: "Percent of every 512 bytes written that is zeros; the rest is random and unlike any \
          other write.",
};

/// The smallest unit of data that is made unique: a logical block of the usual drive.
const SECTOR: usize = 512;

/// A whole device is used to a multiple of this, so that blocks of any usual size fit it evenly.
const UNIT: u64 = 1 << 20;

/// An open file or device and the range of it that is used.
pub struct BlockFile {
    pub file: File,
    pub path: PathBuf,
    pub base: u64,
    pub bytes: u64,
    pub direct: bool,
    pub is_device: bool,
    pub compressible: f64,
}

impl BlockFile {
    pub fn open(site: &Site<'_>) -> Result<BlockFile> {
        let (size, direct) = (site.knobs.int("size")?, site.knobs.flag("direct")?);
        let writes = site.access != Access::ReadOnly;
        let (file, path, base) = match site.home {
            Home::Folder(folder) => {
                let path = folder.shown().join("data");
                let file = open_data(folder, &path, site.access, direct)?;
                if site.access == Access::Create {
                    file.set_len(size)
                        .with_context(|| format!("making {} {size} bytes long", path.display()))?;
                }
                (file, path, 0)
            }
            Home::Device { path, serial } => {
                let file = open_device(path, writes, direct)?;
                guard::verify(&file, path, serial)?;
                (file, shown(path), site.knobs.int("offset")?)
            }
            Home::Nowhere => {
                return Err(failed(
                    "this engine needs a dataset",
                    "name one: dataset = \"…\" in the stream",
                ));
            }
        };
        let is_device = matches!(site.home, Home::Device { .. });
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
                "lay the dataset out again, or make `size` smaller",
            ));
        }
        let compressible = site.knobs.float("compressible")?;
        Ok(BlockFile { file, path, base, bytes: size, direct, is_device, compressible })
    }

    pub fn space(&self) -> Space {
        // Direct I/O works in logical blocks; 4 KiB is a multiple of every one in use, 512 the
        // least.
        let align_bytes = if self.direct { SECTOR as u32 } else { 1 };
        Space { bytes: self.bytes, align_bytes, ..Space::default() }
    }

    pub fn sync(&self) -> Result<()> {
        self.file.sync_all().with_context(|| format!("making {} durable", self.path.display()))
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
            Fact::new(&group, "Data", format!("{} % compressible", self.compressible)),
        ]
    }

    /// What failed, for an op that did.
    pub fn op_failed(&self, op: &str, at: u64, cause: std::io::Error) -> crate::base::error::Error {
        let next = match cause.raw_os_error() {
            Some(libc::EOPNOTSUPP) => "leave this op out of the workload: the kernel lacks it here",
            Some(libc::ENOSPC | libc::EDQUOT) => {
                "make room on its filesystem, or let the dataset be smaller"
            }
            _ if is_file(&self.path) && cause.raw_os_error() != Some(libc::EIO) => {
                "look at the filesystem that it is on"
            }
            _ => "look at `dmesg` for what the device reported",
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
                    "make room on its filesystem if that is full, and check that nothing else \
                     shortened the file"
                }
                false => "look at `dmesg` for whether the drive is gone",
            },
        )
    }
}

fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|m| m.is_file())
}

fn open_data(folder: &Folder, path: &Path, access: Access, direct: bool) -> Result<File> {
    let mut flags = if access == Access::ReadOnly { OFlags::RDONLY } else { OFlags::RDWR };
    flags.set(OFlags::DIRECT, direct);
    flags.set(OFlags::CREATE, access == Access::Create);
    folder.open_file("data", flags).map_err(|error| match error.downcast_ref::<std::io::Error>() {
        Some(cause) => cannot_open(path, cause, direct),
        None => error,
    })
}

fn open_device(path: &Path, writes: bool, direct: bool) -> Result<File> {
    // The kernel itself then refuses what is mounted or held by another driver.
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
        _ => "check that the dataset was laid out (a run does so by itself)",
    };
    failed(format!("cannot open {}: {cause}", path.display()), hint)
}

fn capacity(mut file: &File, path: &Path) -> Result<u64> {
    // A block device's metadata says zero; seeking to its end gives it.
    std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0))
        .with_context(|| format!("asking for the size of {}", path.display()))
}

/// Page-aligned memory for direct I/O, `slots` buffers of `each` bytes, filled with data that does
/// not compress or as far as the plan says.
pub struct Buffers {
    memory: Pages,
    each: usize,
    /// The zeros at the end of every sector.
    zeros: usize,
}

impl Buffers {
    pub fn new(slots: u32, each: u32, compressible: f64, seed: Seed) -> Result<Buffers> {
        let each = (each as usize).next_multiple_of(4096);
        let memory = Pages::new(each * slots as usize)?;
        let zeros = ((compressible / 100.0 * SECTOR as f64) as usize).min(SECTOR - 8);
        let mut buffers = Buffers { memory, each, zeros };
        let mut rng = seed.at(0);
        for sector in buffers.all().chunks_exact_mut(SECTOR) {
            for word in sector[..SECTOR - zeros].chunks_mut(8) {
                word.copy_from_slice(&rng.draw().to_le_bytes()[..word.len()]);
            }
        }
        Ok(buffers)
    }

    fn all(&mut self) -> &mut [u8] {
        self.memory.all()
    }

    /// In which pages they are, for the disclosure.
    pub fn pages(&self) -> &'static str {
        self.memory.describe()
    }

    pub fn slot(&mut self, slot: u32) -> &mut [u8] {
        let each = self.each;
        &mut self.all()[slot as usize * each..][..each]
    }

    /// Makes what a slot writes unlike anything written before: a number of the op's own in each
    /// sector.
    #[inline]
    pub fn stamp(&mut self, slot: u32, op: &Op) {
        let random = SECTOR - self.zeros;
        let data = &mut self.slot(slot)[..op.len as usize];
        for (i, sector) in data.chunks_exact_mut(SECTOR).enumerate() {
            let word = (op.salt ^ op.at).wrapping_add(i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            sector[..8.min(random)].copy_from_slice(&word.to_le_bytes()[..8.min(random)]);
        }
    }
}

/// The largest op that a stream can make, which is what a slot's buffer must hold.
pub fn largest_op(stream: &crate::plan::Stream) -> Result<u32> {
    let sizes = stream.workload.knobs.sizes("block")?;
    let largest = sizes.iter().map(|s| s.0).max().unwrap_or(4096);
    u32::try_from(largest).context("a block of 4 GiB or more")
}
