//! Output files. They are written under a temporary name and renamed when complete. An existing
//! file is replaced only if it is still what Dyno wrote, by the length and checksum in its
//! attribute, so no input, link, edit or other user's file is lost.

use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, XattrFlags, fgetxattr, fsetxattr, makedev, openat, readlinkat,
    renameat, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::termios::{Winsize, isatty, tcgetwinsize};
use sha2::{Digest, Sha256};

use super::error::{self, Context, Error, Result, failed};
use super::folder::{self, Folder};

/// The maximum line width of output, and the width if the output is not a terminal.
pub const WIDEST: usize = 120;
/// Narrower terminals wrap lines themselves.
const NARROWEST: usize = 60;

/// Columns for output to `stream`: those of the variable COLUMNS or, without it, of its terminal,
/// within bounds.
pub fn columns(stream: impl AsFd) -> usize {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let asked = asked.filter(|columns| *columns > 0);
    let width = asked.or_else(|| Some(usize::from(terminal_size(stream)?.ws_col)));
    width.unwrap_or(WIDEST).clamp(NARROWEST, WIDEST)
}

/// The width of a terminal that reports its size; others report 0.
pub fn terminal_size(stream: impl AsFd) -> Option<Winsize> {
    tcgetwinsize(stream).ok().filter(|size| size.ws_col > 0)
}

/// The attribute of files written by Dyno: their length and SHA-256, as "LENGTH DIGEST".
const OURS: &str = "user.dyno.output";
/// Longer than any value of it.
const OURS_BYTES: usize = 128;
/// Longer names of temporary files are shortened: filesystems have 255 bytes, and SQLite appends to
/// them.
const LONGEST_NAME: usize = 200;

/// An unfinished file. If dropped before `finish`, it leaves nothing.
pub struct Output {
    file: Option<File>,
    /// None: a pipe or terminal, written directly.
    place: Option<Place>,
    path: PathBuf,
    digest: Sha256,
    length: u64,
}

/// A file in an open folder: its final name, and its temporary one.
struct Place {
    folder: OwnedFd,
    name: OsString,
    beside: String,
}

impl Output {
    /// Starts a file with this final name. `inputs` are the files from which the result is derived.
    pub fn begin(path: &Path, inputs: &[&Path]) -> Result<Output> {
        if let Some(file) = stream(path)? {
            return Ok(Output::new(file, None, path));
        }
        let (folder, name) = folder::of(path)?;
        Output::begin_in(&folder, &name, inputs, path)
    }

    fn begin_in(folder: &Folder, name: &OsStr, inputs: &[&Path], path: &Path) -> Result<Output> {
        let writing = || format!("writing {}", path.display());
        check(folder, name, inputs, path)?;
        for attempt in 0.. {
            let beside = beside(name, attempt);
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
            match openat(folder, &beside, flags | OFlags::CLOEXEC, 0o666.into()) {
                Err(Errno::EXIST) if attempt < 1000 => continue,
                Err(error) => return Err(io::Error::from(error)).with_context(writing),
                Ok(file) => {
                    let folder = folder.as_fd().try_clone_to_owned().with_context(writing)?;
                    let place = Place { folder, name: name.to_os_string(), beside };
                    return Ok(Output::new(file.into(), Some(place), path));
                }
            }
        }
        Err(failed(writing(), "choose another name"))
    }

    fn new(file: File, place: Option<Place>, path: &Path) -> Output {
        let (file, path) = (Some(file), path.to_path_buf());
        Output { file, place, path, digest: Sha256::new(), length: 0 }
    }

    /// Renames the file to its final name, after checking again that no other file has taken it.
    pub fn finish(mut self, inputs: &[&Path]) -> Result<()> {
        let writing = || format!("writing {}", self.path.display());
        let Some(file) = self.file.take() else { return Ok(()) };
        let Some(place) = &self.place else { return Ok(()) };
        // On a filesystem without such attributes, the file is not replaced later.
        let mark = mark(self.length, &self.digest);
        let _ = fsetxattr(&file, OURS, mark.as_bytes(), XattrFlags::empty());
        file.sync_all().with_context(writing)?;
        check(&place.folder, &place.name, inputs, &self.path)?;
        let renamed = renameat(&place.folder, &place.beside, &place.folder, &place.name);
        renamed.map_err(io::Error::from).with_context(writing)?;
        self.place = None;
        Ok(())
    }
}

fn mark(length: u64, digest: &Sha256) -> String {
    let digest = digest.clone().finalize();
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{length} {digits}")
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(file) = self.file.as_mut() else { return Ok(0) };
        let written = file.write(bytes)?;
        self.digest.update(&bytes[..written]);
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), File::flush)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(place) = &self.place {
            let _ = unlinkat(&place.folder, &place.beside, AtFlags::empty());
        }
    }
}

/// The temporary name, in the same folder, of a file that is not yet complete.
fn beside(name: &OsStr, attempt: u32) -> String {
    let name = name.to_string_lossy();
    format!(".{}.{}.{attempt}.new", folder::short(&name, LONGEST_NAME), std::process::id())
}

/// A new file that is written by other code, such as a database: under a temporary name, and
/// renamed when complete. No existing file is replaced. If dropped before `finish`, it leaves
/// nothing.
pub struct New {
    beside: PathBuf,
    path: PathBuf,
}

impl New {
    /// Opens a file next to `path`. Fails if `path` exists, or a file that SQLite would take for
    /// part of it.
    pub fn begin(path: &Path) -> Result<New> {
        let (_, name) = folder::of(path)?;
        refuse_existing(path)?;
        let names = (0..).map(|attempt| path.with_file_name(beside(&name, attempt)));
        let free = names.into_iter().find(|name| name.symlink_metadata().is_err());
        let beside = free.with_context(|| format!("writing {}", path.display()))?;
        Ok(New { beside, path: path.to_path_buf() })
    }

    /// The temporary path; the file does not exist yet.
    pub fn beside(&self) -> &Path {
        &self.beside
    }

    /// Renames the file to its final name, unless that name has been taken.
    pub fn finish(self) -> Result<()> {
        let writing = || format!("writing {}", self.path.display());
        File::open(&self.beside).and_then(|file| file.sync_all()).with_context(writing)?;
        refuse_existing(&self.path)?;
        match std::fs::hard_link(&self.beside, &self.path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists(&self.path)),
            // A filesystem without hard links.
            Err(_) if self.path.symlink_metadata().is_err() => {
                std::fs::rename(&self.beside, &self.path).with_context(writing)
            }
            linked => linked.with_context(writing),
        }
    }
}

impl Drop for New {
    fn drop(&mut self) {
        remove_database(&self.beside);
    }
}

/// Removes an unfinished database and its journal; missing ones are ignored.
pub fn remove_database(path: &Path) {
    let _ = std::fs::remove_file(path);
    let _ = std::fs::remove_file(with_end(path, "-journal"));
}

/// Files beside a database that SQLite takes for a part of it, writes back and removes.
pub const COMPANIONS: [&str; 3] = ["-journal", "-wal", "-shm"];

/// Refuses the name of a new database if it is taken, or a file next to it looks like its journal.
pub fn refuse_existing(path: &Path) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(exists(path));
    }
    let companions = COMPANIONS.map(|end| with_end(path, end));
    match companions.iter().find(|file| file.symlink_metadata().is_ok()) {
        None => Ok(()),
        Some(found) => Err(error::refused(
            format!(
                "{} exists, and SQLite would take it for a part of {} and delete it",
                found.display(),
                path.display()
            ),
            "choose another name, or move the file",
        )),
    }
}

/// A path with an addition to its name.
pub fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(end);
    PathBuf::from(name)
}

fn exists(path: &Path) -> Error {
    error::refused(
        format!("{} already exists", path.display()),
        "choose another name, or move the file",
    )
}

/// Writes a whole file.
pub fn write(path: &Path, inputs: &[&Path], bytes: &[u8]) -> Result<()> {
    write_all(Output::begin(path, inputs)?, inputs, bytes)
}

/// The same in an open folder.
pub fn write_in(folder: &Folder, name: &str, inputs: &[&Path], bytes: &[u8]) -> Result<()> {
    let path = folder.shown().join(name);
    write_all(Output::begin_in(folder, name.as_ref(), inputs, &path)?, inputs, bytes)
}

fn write_all(mut output: Output, inputs: &[&Path], bytes: &[u8]) -> Result<()> {
    output.write_all(bytes).with_context(|| format!("writing {}", output.path.display()))?;
    output.finish(inputs)
}

/// Refuses a name whose existing file would be lost.
fn check(folder: impl AsFd, name: &OsStr, inputs: &[&Path], path: &Path) -> Result<()> {
    let refused = |why: String| {
        Err(error::refused(
            format!("{} is not written over: {why}", path.display()),
            "choose another name, or move the file",
        ))
    };
    let found = match statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(()),
        found => found.map_err(io::Error::from),
    };
    let found = found.with_context(|| format!("looking at {}", path.display()))?;
    match FileType::from_raw_mode(found.st_mode) {
        FileType::Symlink => {
            let leads = readlinkat(&folder, name, Vec::new()).unwrap_or_default();
            return refused(format!("it is a symbolic link to {}", leads.to_string_lossy()));
        }
        FileType::Fifo => return refused("it is a pipe".to_string()),
        FileType::RegularFile => {}
        _ => return refused("it is not a file".to_string()),
    }
    for input in inputs {
        let same = std::fs::metadata(input)
            .is_ok_and(|i| (i.dev(), i.ino()) == (found.st_dev, found.st_ino));
        if same {
            return refused(format!("it is the input {}", input.display()));
        }
    }
    if found.st_size == 0 {
        return Ok(());
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = openat(&folder, name, flags, Mode::empty()) else {
        return refused("it cannot be read to check that Dyno wrote it".to_string());
    };
    match is_as_written(file.into()) {
        Some(true) => Ok(()),
        Some(false) => refused("it was changed after Dyno wrote it".to_string()),
        None => refused("it is a file that Dyno did not write".to_string()),
    }
}

/// Whether a file contains what Dyno wrote, byte for byte; None if Dyno did not write it.
fn is_as_written(mut file: File) -> Option<bool> {
    let mut value = [0; OURS_BYTES];
    let length = fgetxattr(&file, OURS, &mut value[..]).ok()?;
    let written = std::str::from_utf8(&value[..length]).ok()?;
    let length = file.metadata().ok()?.len();
    if !written.starts_with(&format!("{length} ")) {
        return Some(false);
    }
    let (mut digest, mut piece) = (Sha256::new(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut piece).ok()? {
            0 => return Some(mark(length, &digest) == written),
            read => digest.update(&piece[..read]),
        }
    }
}

/// A terminal, `/dev/null` or its kin, or a pipe that was passed to Dyno (`/dev/stdout`): nothing
/// that could be lost, or that another user could have put there. A named pipe is not opened: its
/// reader is not known, and may never open it.
fn stream(path: &Path) -> Result<Option<File>> {
    let Ok(found) = std::fs::metadata(path) else { return Ok(None) };
    let (kind, writing) = (found.file_type(), || format!("writing {}", path.display()));
    let open = || {
        let flags = libc::O_NOCTTY | libc::O_NONBLOCK;
        OpenOptions::new().write(true).custom_flags(flags).open(path).with_context(writing)
    };
    if kind.is_fifo() {
        let same = |fd: std::fs::DirEntry| {
            std::fs::metadata(fd.path())
                .is_ok_and(|own| (own.dev(), own.ino()) == (found.dev(), found.ino()))
        };
        let mut own = std::fs::read_dir("/proc/self/fd").with_context(writing)?.flatten();
        if !own.any(same) {
            return Ok(None);
        }
        return OpenOptions::new().write(true).open(path).with_context(writing).map(Some);
    }
    // Null, zero and full (the kernel's Documentation/admin-guide/devices.txt).
    let sinks = [3, 5, 7].map(|minor| makedev(1, minor));
    if !kind.is_char_device() {
        return Ok(None);
    }
    if sinks.contains(&found.rdev()) {
        return open().map(Some);
    }
    let file = open()?;
    match isatty(&file) {
        true => OpenOptions::new().write(true).open(path).with_context(writing).map(Some),
        false => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_ours_is_replaced_whole_and_any_other_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("brief.html");
        write(&path, &[], b"one").unwrap();
        write(&path, &[], b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        drop(Output::begin(&path, &[]).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            1,
            "nothing is left beside it"
        );
        let other = folder.path().join("letter.html");
        std::fs::write(&other, "dear").unwrap();
        assert!(write(&other, &[], b"three").is_err());
        assert!(write(&path, &[&path], b"three").is_err(), "an input");
    }

    #[test]
    fn a_file_that_was_edited_since_is_not_replaced_until_it_is_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.toml");
        write(&path, &[], b"one").unwrap();
        // In place, so the attribute stays: appended, of the same length, and cut.
        for edited in ["one, and comments", "two", "o"] {
            std::fs::write(&path, edited).unwrap();
            let said = error::describe(&write(&path, &[], b"three").unwrap_err()).0;
            assert!(said.contains("was changed after Dyno wrote it"), "{said}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), edited);
        }
        std::fs::write(&path, "one").unwrap();
        write(&path, &[], b"three").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"three");
    }

    #[test]
    fn a_pipe_with_a_name_is_refused_and_a_long_name_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.md");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, FileType::Fifo, 0o600.into(), 0).unwrap();
        let said = error::describe(&write(&pipe, &[], b"x").unwrap_err()).0;
        assert!(said.contains("it is a pipe"), "{said}");
        for name in ["n".repeat(255), "東".repeat(85)] {
            write(&folder.path().join(&name), &[], b"x").unwrap();
        }
        write("/dev/null".as_ref(), &[], b"x").unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn a_new_file_has_its_name_when_it_is_whole_and_never_anothers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.dyno");
        let names = || {
            let entries = std::fs::read_dir(folder.path()).unwrap().flatten();
            entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        let new = New::begin(&path).unwrap();
        std::fs::write(new.beside(), "half").unwrap();
        assert!(!path.exists());
        drop(new);
        assert_eq!(names(), [""; 0], "nothing is left of one that was not finished");
        let (one, two) = (New::begin(&path).unwrap(), New::begin(&path).unwrap());
        std::fs::write(one.beside(), "one").unwrap();
        one.finish().unwrap();
        std::fs::write(two.beside(), "two").unwrap();
        assert!(two.finish().is_err(), "another has taken the name meanwhile");
        assert_eq!(
            (names(), std::fs::read(&path).unwrap()),
            (vec!["b.dyno".to_string()], b"one".to_vec())
        );
        assert!(New::begin(&path).is_err());
        let other = folder.path().join("other.dyno");
        std::fs::write(with_end(&other, "-journal"), "a file of mine").unwrap();
        assert!(New::begin(&other).is_err(), "SQLite would delete it");
    }
}
