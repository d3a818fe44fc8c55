//! Paths through open descriptors, which refer to the opened file.

use std::fs;
use std::path::{Path, PathBuf};

use crate::base::error::{Error, failed};

/// The error of a drive that cannot be opened.
pub fn unusable(path: &Path, cause: &std::io::Error) -> Error {
    let next = match cause.kind() {
        std::io::ErrorKind::PermissionDenied => {
            "run dyno as root, or as a user who may open it: a member of the group disk for a \
             device, the owner for a directory"
        }
        _ => "check the path",
    };
    failed(format!("{} cannot be used: {cause}", shown(path).display()), next)
}

/// Prefix of the path of an open descriptor.
pub const OPEN: &str = "/proc/self/fd/";

/// A path for display: for one through a descriptor, its target.
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
