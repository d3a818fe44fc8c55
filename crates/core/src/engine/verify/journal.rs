//! The journal: the permitted contents of each block of a dataset, in a file on another drive.
//!
//! The file is mapped into memory and is the table that workers modify, so an acknowledgement is
//! recorded immediately, without a system call, and survives a kill of the program. It is written
//! to its own drive when a dataset is opened and closed (msync), and in between when the kernel
//! writes it back: after a crash of the whole host it may lag behind the data, and then gives a
//! lower bound for each block's generation.
//!
//! | bytes | contents (little-endian numbers of 64 bits) |
//! |---|---|
//! | 0–7 | `DYNOJRN1` |
//! | 8–15 | identity of the dataset in the seals of its blocks |
//! | 16–23 | size of a block, bytes |
//! | 24–31 | number of blocks |
//! | 32–39 | address of the first block |
//! | 40–47 | number of writers that have it open; 0 after the last has closed it |
//! | 48–55 | 1: blocks were trimmed or set to zero |
//! | 64–99 | the boot in which it was last opened for writing (/proc/sys/kernel/random/boot_id) |
//! | 128–255 | identity of the dataset's folder, padded with zeros |
//! | 4,096– | a number for each block: `State` |

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use rustix::fs::{FallocateFlags, fallocate};
use rustix::mm::{MapFlags, MsyncFlags, ProtFlags, mmap, msync, munmap};

use crate::base::error::{Context, Result, failed, refused};

/// Bytes before the first block's number.
const HEADER_BYTES: usize = 4096;
const MARK: &[u8; 8] = b"DYNOJRN1";
const BOOT: (usize, usize) = (64, 36);
const IDENTITY: (usize, usize) = (128, 128);

/// The dataset of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalScope {
    /// The identity of its folder, or a random one for a device.
    pub identity: String,
    /// Bytes per block.
    pub block_bytes: u64,
    /// The number of blocks.
    pub blocks: u64,
    /// The address of the first one in the file or device.
    pub base: u64,
}

/// A journal's header.
pub struct Header {
    /// Number of writers that have it open, or did not close it.
    pub openers: u64,
    /// Its dataset.
    pub of: JournalScope,
}

/// The size of a journal of this many blocks, in the file and in memory.
pub fn bytes(blocks: u64) -> u64 {
    HEADER_BYTES as u64 + 8 * blocks
}

/// An open journal.
pub struct BlockJournal {
    file: File,
    memory: *mut u8,
    len: usize,
    of: JournalScope,
    /// The identity of the dataset in its seals.
    seal_identity: u64,
    writes: bool,
}

// SAFETY: the mapping lives as long as this value and is only accessed through atomics.
unsafe impl Send for BlockJournal {}
// SAFETY: as above.
unsafe impl Sync for BlockJournal {}

impl BlockJournal {
    /// Creates a journal in which every block is unknown, replacing any existing one.
    pub fn create(path: &Path, of: JournalScope) -> Result<()> {
        BlockJournal::header(path)?;
        let making = || format!("making the journal {}", path.display());
        let new = path.with_extension("new");
        match std::fs::remove_file(&new) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(making);
            }
            _ => {}
        }
        let flags = libc::O_NOFOLLOW | libc::O_CLOEXEC;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o600).custom_flags(flags);
        let file = options.open(&new).with_context(making)?;
        // Allocated completely now: lack of space on the drive would end the program later.
        fallocate(&file, FallocateFlags::empty(), 0, bytes(of.blocks)).map_err(|cause| {
            let size = crate::base::units::bytes(bytes(of.blocks));
            failed(
                format!("no room for the journal {} of {size}: {cause}", path.display()),
                "free space, choose another directory (`journal`), or use a smaller dataset",
            )
        })?;
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(MARK);
        let numbers = [seal_identity(&of.identity), of.block_bytes, of.blocks, of.base];
        for (place, number) in header[8..40].chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let identity = of.identity.as_bytes();
        header[IDENTITY.0..][..identity.len().min(IDENTITY.1)]
            .copy_from_slice(&identity[..identity.len().min(IDENTITY.1)]);
        file.write_all_at(&header, 0).with_context(making)?;
        file.sync_all().with_context(making)?;
        std::fs::rename(&new, path).with_context(making)
    }

    /// The dataset of the journal at a path; None if there is none. Refuses other files.
    pub fn header(path: &Path) -> Result<Option<Header>> {
        Ok(opened(path, false)?.map(|(_, header)| header))
    }

    /// Opens the journal at a path; None if there is none.
    pub fn open(path: &Path, writes: bool) -> Result<Option<BlockJournal>> {
        let Some((file, Header { of, .. })) = opened(path, true)? else { return Ok(None) };
        let len = bytes(of.blocks) as usize;
        let there = file.metadata().context("looking at the journal")?.len();
        if there != len as u64 {
            return Err(failed(
                format!("the journal {} has {there} bytes, not {len}", path.display()),
                format!("remove {}: the dataset is then recreated", path.display()),
            ));
        }
        let (protection, flags) =
            (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED | MapFlags::POPULATE);
        // SAFETY: a new mapping of a file of that length, at an address chosen by the kernel.
        let memory = unsafe { mmap(std::ptr::null_mut(), len, protection, flags, &file, 0) };
        let memory = memory
            .with_context(|| format!("mapping the journal {} into memory", path.display()))?
            .cast::<u8>();
        let seal_identity = seal_identity(&of.identity);
        let journal = BlockJournal { file, memory, len, of, seal_identity, writes };
        if writes {
            journal.number(40).fetch_add(1, AcqRel);
            journal.note_boot();
            journal.sync()?;
        }
        Ok(Some(journal))
    }

    /// Its dataset.
    pub fn of(&self) -> &JournalScope {
        &self.of
    }

    /// The identity of the dataset in its seals.
    #[inline(always)]
    pub fn seal_identity(&self) -> u64 {
        self.seal_identity
    }

    /// The number of a block; None beyond the last.
    #[inline(always)]
    pub fn block(&self, index: u64) -> Option<&AtomicU64> {
        (index < self.of.blocks).then(|| self.number(HEADER_BYTES + 8 * index as usize))
    }

    /// A number of the file; `at` is a multiple of eight within it.
    #[inline(always)]
    fn number(&self, at: usize) -> &AtomicU64 {
        debug_assert!(at.is_multiple_of(8) && at < self.len);
        // SAFETY: within the mapping, which is page-aligned; all other modifications are atomic.
        unsafe { AtomicU64::from_ptr(self.memory.add(at).cast()) }
    }

    /// Whether a writer had it open and did not close it.
    pub fn was_left_open(&self) -> bool {
        self.number(40).load(Acquire) > u64::from(self.writes)
    }

    /// The leftover state has been checked.
    pub fn was_rechecked(&self) -> Result<()> {
        self.number(40).store(u64::from(self.writes), Release);
        self.sync()
    }

    /// Whether the host has rebooted since: the journal may then lag behind the data.
    pub fn is_of_another_boot(&self) -> bool {
        let mut then = [0; BOOT.1];
        let read = self.file.read_exact_at(&mut then, BOOT.0 as u64);
        read.is_err() || then != boot()
    }

    fn note_boot(&self) {
        // SAFETY: within the mapping; it is otherwise only read through the file.
        let place = unsafe { std::slice::from_raw_parts_mut(self.memory.add(BOOT.0), BOOT.1) };
        place.copy_from_slice(&boot());
    }

    /// Whether blocks were ever trimmed or set to zero.
    pub fn makes_zeroes(&self) -> bool {
        self.number(48).load(Acquire) != 0
    }

    /// Records that blocks will be, before the first one is.
    pub fn will_make_zeroes(&self) -> Result<()> {
        self.number(48).store(1, Release);
        self.sync()
    }

    /// Writes it to its drive.
    pub fn sync(&self) -> Result<()> {
        // SAFETY: the whole mapping.
        unsafe { msync(self.memory.cast(), self.len, MsyncFlags::SYNC) }
            .context("bringing the journal to its drive")
    }
}

impl Drop for BlockJournal {
    fn drop(&mut self) {
        // If this fails, the next run checks the blocks, because the journal is still open.
        if self.writes && self.sync().is_ok() {
            self.number(40).fetch_sub(1, AcqRel);
            let _ = self.sync();
        }
        // SAFETY: mapped in `open` with this length, and not used afterwards.
        let _ = unsafe { munmap(self.memory.cast(), self.len) };
    }
}

/// A number for the seals, from the dataset's identity (FNV-1a).
fn seal_identity(identity: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    identity.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

fn boot() -> [u8; BOOT.1] {
    let mut id = [0; BOOT.1];
    let read =
        File::open("/proc/sys/kernel/random/boot_id").and_then(|mut f| f.read_exact(&mut id));
    if read.is_err() {
        id.fill(b'?');
    }
    id
}

/// Opens the file and reads its header.
fn opened(path: &Path, writes: bool) -> Result<Option<(File, Header)>> {
    let mut options = OpenOptions::new();
    options.read(true).write(writes).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = match options.open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.with_context(|| format!("opening the journal {}", path.display()))?,
    };
    let no_journal = || {
        refused(
            format!("{} is not touched: it is not a Dyno journal", path.display()),
            "move it, or choose another directory (`journal`)",
        )
    };
    let found = file.metadata().context("looking at the journal")?;
    if !found.is_file() || found.nlink() != 1 {
        return Err(no_journal());
    }
    let mut header = [0; HEADER_BYTES];
    if file.read_exact_at(&mut header, 0).is_err() || &header[..8] != MARK {
        return Err(no_journal());
    }
    let number = |at: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&header[at..at + 8]);
        u64::from_le_bytes(bytes)
    };
    let identity = header[IDENTITY.0..][..IDENTITY.1].split(|&byte| byte == 0).next();
    let identity = String::from_utf8_lossy(identity.unwrap_or_default()).into_owned();
    let of =
        JournalScope { identity, block_bytes: number(16), blocks: number(24), base: number(32) };
    if of.blocks == 0 || of.block_bytes == 0 || of.blocks > u64::MAX / 16 {
        return Err(no_journal());
    }
    Ok(Some((file, Header { openers: number(40), of })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(blocks: u64) -> JournalScope {
        JournalScope { identity: "one".to_string(), block_bytes: 4096, blocks, base: 8192 }
    }

    #[test]
    fn what_was_noted_is_there_when_it_is_opened_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.journal");
        assert!(BlockJournal::open(&path, true).expect("none").is_none());
        BlockJournal::create(&path, of(1000)).expect("made");
        let journal = BlockJournal::open(&path, true).expect("opened").expect("there");
        assert_eq!(journal.of(), &of(1000));
        assert!(!journal.was_left_open() && !journal.is_of_another_boot());
        journal.block(999).expect("the last").store(42, Release);
        assert!(journal.block(1000).is_none());
        // A second mapping, as by another engine on the same dataset, sees the same.
        let other = BlockJournal::open(&path, false).expect("opened").expect("there");
        assert_eq!(other.block(999).expect("the last").load(Acquire), 42);
        assert!(other.was_left_open(), "the first has it open");
        drop(journal);
        assert!(!other.was_left_open());
    }

    #[test]
    fn one_that_was_never_closed_is_known_as_such_until_it_was_rechecked() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.journal");
        BlockJournal::create(&path, of(8)).expect("made");
        // The state after a kill: mapped, changed, and never closed.
        std::mem::forget(BlockJournal::open(&path, true).expect("opened"));
        let journal = BlockJournal::open(&path, false).expect("opened").expect("there");
        assert!(journal.was_left_open());
        journal.was_rechecked().expect("noted");
        drop(journal);
        let journal = BlockJournal::open(&path, false).expect("opened").expect("there");
        assert!(!journal.was_left_open());
    }

    #[test]
    fn what_is_no_journal_is_neither_read_nor_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.journal");
        std::fs::write(&path, vec![7; 8192]).expect("written");
        for error in [
            BlockJournal::open(&path, false).map(drop).expect_err("refused"),
            BlockJournal::create(&path, of(8)).expect_err("refused"),
        ] {
            assert!(error.to_string().contains("not a Dyno journal"), "{error:?}");
        }
        assert_eq!(std::fs::read(&path).expect("read"), vec![7; 8192]);
        let link = folder.path().join("b.journal");
        std::os::unix::fs::symlink(&path, &link).expect("a link");
        BlockJournal::open(&link, false).map(drop).expect_err("links are not followed");
    }
}
