//! After power is restored: compares the journal with the drive, or with an image of it. Writes to
//! neither.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read};
use std::os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::journal::{JournalRecord, read_opening, read_record};
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
    /// The findings.
    pub verdict: PowercutVerdict,
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
    let (file, image) = open(place, session)?;
    let verdict = look(&journal.promises, &file, place)?;
    Ok(CheckedCut { session: session.clone(), cut_unix_ns, image, verdict })
}

/// Opens a drive, which must be the session's and have been rebooted since, or an image.
fn open(place: &Path, session: &WriteSession) -> Result<(File, bool)> {
    let kind = std::fs::metadata(place)
        .with_context(|| format!("looking for {}", place.display()))?
        .file_type();
    if kind.is_file() {
        return Ok((dyno_core::base::file::open(place)?, true));
    }
    if !kind.is_block_device() {
        return Err(failed(
            format!("{} is neither a block device nor an image of one", place.display()),
            "use the session's drive",
        ));
    }
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(libc::O_DIRECT).open(place);
    let file = file.with_context(|| format!("opening {}", place.display()))?;
    guard::verify(&file, place, &session.serial)?;
    let boot = std::fs::read_to_string(BOOT_ID).context(BOOT_ID)?;
    if boot.trim() == session.boot_id {
        return Err(refused(
            "this host has not rebooted since the session: its power was not cut",
            "check after the cut, once the host has booted",
        ));
    }
    Ok((file, false))
}

/// Reads the range block by block.
fn look(promises: &Promises, file: &File, place: &Path) -> Result<PowercutVerdict> {
    let session = promises.session();
    let block_bytes = session.block_bytes as usize;
    let in_buffer = (AT_A_TIME / block_bytes).max(1) as u64;
    let mut memory = vec![0; in_buffer as usize * block_bytes + ALIGN];
    let from = memory.as_ptr().align_offset(ALIGN);
    let mut first = u64::MAX;
    judge(promises, &mut |block, held: &mut Vec<SectorContents>| {
        let buffer = &mut memory[from..from + in_buffer as usize * block_bytes];
        if block.is_multiple_of(in_buffer) || first == u64::MAX {
            first = block;
            let blocks = (session.blocks - first).min(in_buffer) as usize;
            file.read_exact_at(&mut buffer[..blocks * block_bytes], session.address(first))
                .with_context(|| {
                    format!("reading {} at byte {}", place.display(), session.address(first))
                })?;
        }
        let at = (block - first) as usize * block_bytes;
        let sectors = buffer[at..at + block_bytes].chunks_exact(SECTOR).enumerate();
        held.extend(sectors.map(|(i, bytes)| promises.look(block, i, bytes)));
        Ok(())
    })
}
