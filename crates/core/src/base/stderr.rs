//! Standard error during a run: output that a hung terminal, an unread pipe or a full disk does not
//! accept at once is dropped, so that no measurement waits for it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, OnceLock, PoisonError};

use indicatif::TermLike;

use super::output::terminal_size;
use super::text::visible;

/// The terminal or pipe, reopened in non-blocking mode. The flag belongs to this open file
/// description, so other processes that share standard error are not affected. None for a file,
/// which never blocks.
fn patient() -> Option<&'static File> {
    static OPENED: OnceLock<Option<File>> = OnceLock::new();
    let open = || {
        let kind = std::fs::metadata("/proc/self/fd/2").ok()?.file_type();
        if !kind.is_fifo() && !kind.is_char_device() {
            return None;
        }
        let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
        OpenOptions::new().write(true).custom_flags(flags).open("/proc/self/fd/2").ok()
    };
    OPENED.get_or_init(open).as_ref()
}

fn put(bytes: &[u8]) {
    let _ = match patient() {
        Some(mut file) => file.write_all(bytes),
        None => io::stderr().write_all(bytes),
    };
}

static QUIET: AtomicBool = AtomicBool::new(false);

/// From here on, only errors are shown.
pub fn be_quiet() {
    QUIET.store(true, Relaxed);
}

/// One line, with hidden characters made visible.
pub fn note(text: &str) {
    if QUIET.load(Relaxed) {
        return;
    }
    put(format!("{}\n", visible(text.trim_end_matches('\n'))).as_bytes());
}

/// The terminal as drawn on by a progress bar.
#[derive(Debug, Default)]
pub struct BarTerminal(Mutex<String>);

impl BarTerminal {
    fn add(&self, text: &str) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
        Ok(())
    }
}

impl TermLike for BarTerminal {
    fn width(&self) -> u16 {
        terminal_size(io::stderr()).map_or(80, |size| size.ws_col)
    }

    fn height(&self) -> u16 {
        terminal_size(io::stderr()).map_or(24, |size| size.ws_row)
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        if n > 0 { self.add(&format!("\x1b[{n}A")) } else { Ok(()) }
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        if n > 0 { self.add(&format!("\x1b[{n}B")) } else { Ok(()) }
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        if n > 0 { self.add(&format!("\x1b[{n}C")) } else { Ok(()) }
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        if n > 0 { self.add(&format!("\x1b[{n}D")) } else { Ok(()) }
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.add(&format!("{text}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.add(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.add("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        put(std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).as_bytes());
        Ok(())
    }
}
