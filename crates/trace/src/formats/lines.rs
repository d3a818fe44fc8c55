//! Reads text of any length line by line, in place: no line is copied, and no line longer than the
//! longest valid request is held.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use memchr::memchr;

use super::byte_window::ByteWindow;
use super::parsed::{Refusals, RequestSink, SourceRequest};
use dyno_core::base::error::{Context, Result};
use dyno_core::base::file;

/// Maximum length of a request's line, bytes. File names have at most 4,096.
pub const LONGEST: usize = 8192;
/// Number of bytes read to detect a format.
const BEGINNING: u64 = 64 << 10;

/// Start of a file.
pub struct Beginning {
    /// The first bytes, decompressed.
    pub bytes: Vec<u8>,
}

impl Beginning {
    /// The first non-empty lines.
    pub fn lines(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.bytes);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.take(100).map(String::from).collect()
    }

    /// Whether one of the first lines satisfies `is_request`; one line of column names may precede
    /// it.
    pub fn has(&self, is_request: impl Fn(&str) -> bool) -> bool {
        self.lines().iter().any(|line| is_request(line))
    }
}

/// Opens a file; gzip is decompressed.
pub fn open(path: &Path) -> Result<Box<dyn Read>> {
    let mut file = raw(path)?;
    let reading = || format!("reading {}", path.display());
    let packed = file.fill_buf().with_context(reading)?.starts_with(&[0x1f, 0x8b]);
    Ok(match packed {
        true => Box::new(MultiGzDecoder::new(file)),
        false => Box::new(file),
    })
}

pub fn beginning(path: &Path) -> Result<Beginning> {
    let mut bytes = Vec::new();
    open(path)?
        .take(BEGINNING)
        .read_to_end(&mut bytes)
        .with_context(|| format!("reading {}", path.display()))?;
    Ok(Beginning { bytes })
}

/// Parses the request of each line except those that start with `names`, a line of column names.
pub fn requests(
    path: &Path,
    sink: &mut RequestSink,
    names: &str,
    row: impl Fn(&str) -> Result<SourceRequest<'_>, String>,
) -> Result<()> {
    each(path, LONGEST, sink, |line, sink: &mut RequestSink| match row(line) {
        _ if line.starts_with(names) => Ok(None),
        Ok(request) => sink.take(&request),
        Err(reason) => Ok(Some(reason)),
    })
}

/// Passes each line, without its terminator, to `take`. If `take` returns a reason, or the line is
/// longer than `longest` bytes, the line is refused. Blank lines are skipped.
pub fn each<S: AsMut<Refusals>>(
    path: &Path,
    longest: usize,
    sink: &mut S,
    mut take: impl FnMut(&str, &mut S) -> Result<Option<String>>,
) -> Result<()> {
    let reading = || format!("reading {}", path.display());
    let mut file = open(path)?;
    let mut window = ByteWindow::new(&mut *file, longest);
    for number in 1u64.. {
        let ahead = window.ahead(longest).with_context(reading)?;
        let ahead = &ahead[..ahead.len().min(longest)];
        if ahead.is_empty() {
            break;
        }
        let end = memchr(b'\n', ahead);
        let is_whole = end.is_some() || ahead.len() < longest;
        let bytes = &ahead[..end.map_or(ahead.len(), |at| at + 1)];
        let reason = match std::str::from_utf8(bytes) {
            _ if !is_whole => Some(format!("it has more than {longest} bytes")),
            _ if memchr(0, bytes).is_some() => Some("it has a NUL byte".to_string()),
            Err(_) => Some("it is not text (UTF-8)".to_string()),
            Ok(line) if is_blank(line) => None,
            Ok(line) => take(line.trim_end_matches(['\n', '\r']), sink)?,
        };
        if let Some(reason) = reason {
            let text = String::from_utf8_lossy(bytes);
            sink.as_mut().add(|| format!("line {number}"), text.trim_end(), reason);
        }
        let passed = bytes.len();
        window.pass(passed);
        if !is_whole {
            pass_line(&mut window).with_context(reading)?;
        }
    }
    Ok(())
}

/// Whether a line has only spaces. Almost none does, so its first byte is checked first.
fn is_blank(line: &str) -> bool {
    !line.as_bytes().first().is_some_and(u8::is_ascii_graphic) && line.trim().is_empty()
}

/// Consumes the rest of a line.
fn pass_line(window: &mut ByteWindow<'_>) -> std::io::Result<()> {
    loop {
        let ahead = window.ahead(1)?;
        let (end, bytes) = (memchr(b'\n', ahead), ahead.len());
        window.pass(end.map_or(bytes, |at| at + 1));
        if end.is_some() || bytes == 0 {
            return Ok(());
        }
    }
}

/// Opens a file without decompression.
pub fn raw(path: &Path) -> Result<BufReader<File>> {
    Ok(BufReader::with_capacity(1 << 20, file::open(path)?))
}
