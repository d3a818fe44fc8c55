//! After power is restored: compares the journal with the drive, or with an image of it. Writes to
//! neither.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::journal::{DurabilityRequests, JournalRecord, read_opening, read_record};
use super::judge::{PowercutVerdict, Promises, SectorContents, judge};
use super::session::WriteSession;
use dyno_core::base::block_seal::SECTOR;
use dyno_core::base::error::{Context, Result, failed, refused};
use dyno_core::lab::guard;

/// The file with the kernel's boot identifier.
pub const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// Bytes per read, at least a block.
const AT_A_TIME: usize = 1 << 20;

/// Memory alignment for direct I/O.
const ALIGN: usize = 4096;

/// A journal's contents.
pub struct JournalRead {
    /// The acknowledgements.
    pub promises: Promises,
    /// Start of the hook, nanoseconds since 1970 (UTC); None if there was no cut.
    pub cut_unix_ns: Option<u64>,
    /// The hook succeeded, and nothing was received afterwards.
    pub silent: bool,
}

/// The result of one cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckedCut {
    /// The session.
    pub session: WriteSession,
    /// Time of the cut, nanoseconds since 1970 (UTC).
    pub cut_unix_ns: u64,
    /// An image was examined, not the drive itself.
    pub image: bool,
    /// Why the drive could not be opened at all: it is missing, or dead. Every block is unreadable.
    pub absent: Option<String>,
    /// Requests for durability that reached the drive; None if the kernel does not count them.
    pub requests: Option<DurabilityRequests>,
    /// The findings.
    pub verdict: PowercutVerdict,
}

impl CheckedCut {
    /// Whether the drive promised anything: a flush or a write with FUA reached it, or it reports
    /// that it has no volatile cache. Without a count, the kernel's setting decides.
    pub fn is_tested(&self) -> bool {
        let asked = match self.requests {
            Some(sent) => sent.total() > 0,
            None => self.session.kernel_cache != "write through",
        };
        asked || self.session.drive_has_no_cache()
    }

    /// Number of broken blocks that count against the drive.
    pub fn broken(&self) -> u64 {
        if self.is_tested() { self.verdict.broken() } else { self.verdict.damaged() }
    }
}

impl JournalRead {
    /// Whether it has a cut that a check can judge.
    pub fn has_cut(&self) -> bool {
        self.cut_unix_ns.is_some() && self.silent && self.promises.is_laid_out()
    }
}

/// The source of a check's reads: a drive, or an image of one.
pub trait Medium {
    /// Reads these bytes; an error if any of them cannot be read.
    fn read_exact_at(&self, into: &mut [u8], at: u64) -> io::Result<()>;
}

impl Medium for File {
    fn read_exact_at(&self, into: &mut [u8], at: u64) -> io::Result<()> {
        FileExt::read_exact_at(self, into, at)
    }
}

/// Reads a journal.
pub fn read_journal(path: &Path) -> Result<JournalRead> {
    let file = dyno_core::base::file::open(path)?;
    read_records(&mut BufReader::new(file)).with_context(|| path.display().to_string())
}

fn read_records(from: &mut impl Read) -> Result<JournalRead> {
    let promises = Promises::new(&read_opening(from)?);
    let mut journal = JournalRead { promises, cut_unix_ns: None, silent: false };
    while let Some(record) = read_record(from)? {
        match record {
            JournalRecord::Cut { unix_ns } => journal.cut_unix_ns = Some(unix_ns),
            JournalRecord::Silent => journal.silent = true,
            acknowledged => journal.promises.acknowledge(acknowledged)?,
        }
    }
    Ok(journal)
}

/// Checks every promised block on the drive at `place`, a block device or an image of one.
pub fn check(journal: &JournalRead, place: &Path) -> Result<CheckedCut> {
    let session = journal.promises.session();
    let (Some(cut_unix_ns), true) = (journal.cut_unix_ns, journal.silent) else {
        return Err(failed(
            "the journal has no cut: the hook was not run, or failed, or writes went on after it",
            "cut the power again: the output of `dyno powercut listen` has the cause",
        ));
    };
    if !journal.promises.is_laid_out() {
        return Err(failed("nothing was acknowledged before the cut", "cut the power later"));
    }
    let opened = open(place, session)?;
    let (medium, image, absent): (&dyn Medium, bool, Option<String>) = match &opened {
        Opened::Drive(file) => (file, false, None),
        Opened::Image(file) => (file, true, None),
        Opened::Absent(why) => (&Nothing, false, Some(why.clone())),
    };
    let verdict =
        look(&journal.promises, medium).with_context(|| format!("reading {}", place.display()))?;
    let requests = journal.promises.requests();
    Ok(CheckedCut { session: session.clone(), cut_unix_ns, image, absent, requests, verdict })
}

/// The result of opening a drive's path.
enum Opened {
    Drive(File),
    Image(File),
    /// The drive is missing or dead, with the reason.
    Absent(String),
}

/// A missing drive: every read fails.
struct Nothing;

impl Medium for Nothing {
    fn read_exact_at(&self, _: &mut [u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::NotFound.into())
    }
}

/// Whether an error on opening means a missing or dead drive rather than a problem of the host.
fn is_of_a_dead_drive(error: &io::Error) -> bool {
    let dead = [libc::ENOENT, libc::ENXIO, libc::ENODEV, libc::EIO, libc::ENOMEDIUM];
    error.raw_os_error().is_some_and(|code| dead.contains(&code))
}

/// Opens an image, or the session's drive if the host has been rebooted since.
fn open(place: &Path, session: &WriteSession) -> Result<Opened> {
    let kind = match std::fs::metadata(place) {
        Ok(found) => found.file_type(),
        Err(error) if is_of_a_dead_drive(&error) => {
            if place.starts_with("/dev") {
                rebooted(session)?;
            }
            return Ok(Opened::Absent(error.to_string()));
        }
        Err(error) => {
            return Err(error).with_context(|| format!("looking for {}", place.display()));
        }
    };
    if kind.is_file() {
        return Ok(Opened::Image(dyno_core::base::file::open(place)?));
    }
    if !kind.is_block_device() {
        return Err(failed(
            format!("{} is neither a block device nor an image of one", place.display()),
            "use the session's drive",
        ));
    }
    let mut options = OpenOptions::new();
    let file = match options.read(true).custom_flags(libc::O_DIRECT).open(place) {
        Ok(file) => file,
        Err(error) if is_of_a_dead_drive(&error) => {
            rebooted(session)?;
            return Ok(Opened::Absent(error.to_string()));
        }
        Err(error) => return Err(error).with_context(|| format!("opening {}", place.display())),
    };
    guard::verify(&file, place, &session.serial)?;
    rebooted(session)?;
    Ok(Opened::Drive(file))
}

/// An error unless the host has been rebooted since the session, and so lost its power.
fn rebooted(session: &WriteSession) -> Result<()> {
    let boot = std::fs::read_to_string(BOOT_ID).context(BOOT_ID)?;
    if boot.trim() == session.boot_id {
        return Err(refused(
            "this host has not rebooted since the session: its power was not cut",
            "check after the cut, once the host has booted",
        ));
    }
    Ok(())
}

/// Reads the range block by block. What cannot be read is a finding about the drive, not an error.
pub fn look(promises: &Promises, medium: &dyn Medium) -> Result<PowercutVerdict> {
    let session = promises.session();
    let block_bytes = session.block_bytes as usize;
    let in_buffer = (AT_A_TIME / block_bytes).max(1) as u64;
    let mut memory = vec![0; in_buffer as usize * block_bytes + ALIGN];
    let from = memory.as_ptr().align_offset(ALIGN);
    let logical = session.logical_bytes as usize;
    // Readability by logical block of the buffer.
    let mut is_read = vec![true; in_buffer as usize * block_bytes / logical];
    let mut first = u64::MAX;
    judge(promises, &mut |block, held: &mut Vec<SectorContents>| {
        let buffer = &mut memory[from..from + in_buffer as usize * block_bytes];
        if block.is_multiple_of(in_buffer) || first == u64::MAX {
            first = block;
            let blocks = (session.blocks - first).min(in_buffer) as usize;
            let buffer = &mut buffer[..blocks * block_bytes];
            is_read.fill(true);
            if !returns(medium, buffer, session.address(first))? {
                let parts = buffer.chunks_exact_mut(logical).zip(&mut is_read);
                for (i, (part, is_read)) in parts.enumerate() {
                    let at = session.address(first) + (i * logical) as u64;
                    *is_read = returns(medium, part, at)?;
                }
            }
        }
        let at = (block - first) as usize * block_bytes;
        let sectors = buffer[at..at + block_bytes].chunks_exact(SECTOR).enumerate();
        held.extend(sectors.map(|(i, bytes)| match is_read[(at + i * SECTOR) / logical] {
            true => promises.look(block, i, bytes),
            false => SectorContents::Unreadable,
        }));
        Ok(())
    })
}

/// Whether a drive returns these bytes. Errors that are not the drive's end the check.
fn returns(medium: &dyn Medium, into: &mut [u8], at: u64) -> Result<bool> {
    const OF_THE_HOST: [i32; 5] =
        [libc::EINVAL, libc::ENOMEM, libc::EFAULT, libc::EACCES, libc::EPERM];
    match medium.read_exact_at(into, at) {
        Ok(()) => Ok(true),
        Err(error) if error.raw_os_error().is_some_and(|code| OF_THE_HOST.contains(&code)) => {
            Err(error).with_context(|| format!("reading at byte {at}"))
        }
        Err(_) => Ok(false),
    }
}
