//! Reads files named by a user: completely, but only regular files, and only up to a size limit. A
//! pipe could block forever, and a device never ends.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use super::error::{Context, Result, failed};

/// A plan, a protocol, a brief or claims: written by hand.
pub const MOST_TEXT: u64 = 4 << 20;
/// The output of another tool.
pub const MOST_DATA: u64 = 64 << 20;
/// Prefix of the temporary name of a folder that is renamed once it is complete.
pub const UNFINISHED: &str = "_unfinished-";

/// The folder that contains a file: "." for a bare name.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Opens a regular file for reading; links are followed.
pub fn open(path: &Path) -> Result<File> {
    let shown = path.display();
    // Otherwise opening a pipe would block until it has a writer.
    let opened = std::fs::OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    let file = opened.map_err(|e| {
        failed(
            format!("cannot read {shown}: {e}"),
            "check the name, and your permission to read the file",
        )
    })?;
    if !file.metadata().with_context(|| format!("looking at {shown}"))?.is_file() {
        let what =
            format!("cannot read {shown}: it is not a file but a directory, a pipe or a device");
        return Err(failed(what, "give a file"));
    }
    Ok(file)
}

/// The contents of a regular file; an error if it has more than `most` bytes.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?
        .take(most + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("reading {}", path.display()))?;
    if bytes.len() as u64 > most {
        let what = format!("{} is larger than {}", path.display(), super::units::bytes(most));
        return Err(failed(what, "check that this is the intended file; otherwise split it"));
    }
    Ok(bytes)
}

/// `read`, as text.
pub fn read_text(path: &Path, most: u64) -> Result<String> {
    String::from_utf8(read(path, most)?).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let what = format!("{}, line {line}: not text (UTF-8)", path.display());
        failed(what, "give the file as it was written, unpacked")
    })
}

/// Whether it has the header of a SQLite file.
pub fn is_sqlite(path: &Path) -> bool {
    let mut magic = [0; 16];
    open(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok())
        && &magic == b"SQLite format 3\0"
}

/// The names of bundles in a report or table: the file name, with as many parent folders as needed
/// to distinguish bundles of the same name. Full paths are not disclosed.
pub fn names(paths: &[PathBuf]) -> Vec<String> {
    let parts = |path: &PathBuf| -> Vec<String> {
        let named = path.components().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        });
        named.collect()
    };
    let all: Vec<Vec<String>> = paths.iter().map(parts).collect();
    let last = |n: usize| {
        let of = |parts: &Vec<String>| parts[parts.len().saturating_sub(n)..].join("/");
        all.iter().map(of).collect::<Vec<_>>()
    };
    let most = all.iter().map(Vec::len).max().unwrap_or(1).max(1);
    let apart = |names: &Vec<String>| {
        let mut seen = std::collections::HashSet::new();
        names.iter().all(|name| seen.insert(name.clone()))
    };
    (1..=most).map(last).find(apart).unwrap_or_else(|| last(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::describe;

    #[test]
    fn only_files_are_read_and_only_up_to_their_size() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("ten"), "0123456789").unwrap();
        std::fs::write(at("latin"), b"a\nb\xe9").unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("pipe"),
            rustix::fs::FileType::Fifo,
            0o600.into(),
            0,
        )
        .unwrap();
        assert_eq!(read_text(&at("ten"), 10).unwrap(), "0123456789");
        for (path, most, says) in [
            (at("ten"), 9, "larger than"),
            (at("latin"), 10, "line 2: not text"),
            (at("pipe"), 10, "not a file but"),
            (dir.path().into(), 10, "not a file but"),
            ("/dev/zero".into(), 10, "not a file but"),
            (at("gone"), 10, "No such file"),
        ] {
            let said = describe(&read_text(&path, most).unwrap_err()).0;
            assert!(said.contains(says), "{said}");
        }
    }

    #[test]
    fn bundles_are_called_by_their_file_and_by_folders_only_where_names_are_equal() {
        let of = |paths: &[&str]| names(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(of(&["/home/me/a.dyno"]), ["a.dyno"]);
        assert_eq!(of(&["/x/a.dyno", "../b.dyno"]), ["a.dyno", "b.dyno"]);
        assert_eq!(of(&["/x/y/a.dyno", "/x/z/a.dyno"]), ["y/a.dyno", "z/a.dyno"]);
        assert_eq!(of(&["/x/a.dyno", "/x/a.dyno"]), ["a.dyno", "a.dyno"], "one bundle twice");
    }
}
