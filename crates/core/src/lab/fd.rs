//! Paths through open descriptors, which mean what was opened.

use std::fs;
use std::path::{Path, PathBuf};

/// How the path of an open descriptor begins.
pub const OPEN: &str = "/proc/self/fd/";

/// A path as a reader knows it: for one that leads through a descriptor, where that is.
pub fn shown(path: &Path) -> PathBuf {
    let Ok(rest) = path.strip_prefix(OPEN) else { return path.to_path_buf() };
    let mut parts = rest.components();
    let number = parts.next().map(|n| n.as_os_str().to_os_string()).unwrap_or_default();
    match fs::read_link(Path::new(OPEN).join(number)) {
        Ok(real) if parts.as_path().as_os_str().is_empty() => real,
        Ok(real) => real.join(parts.as_path()),
        Err(_) => path.to_path_buf(),
    }
}
