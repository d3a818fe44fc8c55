//! Output files. They are written under a temporary name and renamed when complete. An existing
//! file is replaced only if a file attribute says that Dyno wrote it, so no input, link or other
//! user's file is lost.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};
use rustix::termios::{Winsize, tcgetwinsize};

use super::error::{self, Context, Error, Result, failed};

/// The maximum line width of output, and the width if the output is not a terminal.
pub const WIDEST: usize = 120;
/// Narrower terminals wrap lines themselves.
const NARROWEST: usize = 60;

/// Columns for output to `stream`: those of its terminal, within bounds.
pub fn columns(stream: impl AsFd) -> usize {
    let width = terminal_size(stream).map(|size| usize::from(size.ws_col));
    width.unwrap_or(WIDEST).clamp(NARROWEST, WIDEST)
}

/// The width of a terminal that reports its size; others report 0.
pub fn terminal_size(stream: impl AsFd) -> Option<Winsize> {
    tcgetwinsize(stream).ok().filter(|size| size.ws_col > 0)
}

/// The attribute of files written by Dyno.
const OURS: &str = "user.dyno.output";

/// An unfinished file. If dropped before `finish`, it leaves nothing.
pub struct Output {
    file: Option<File>,
    /// None: a pipe or terminal, written directly.
    beside: Option<PathBuf>,
    path: PathBuf,
}

impl Output {
    /// Starts a file with this final name. `inputs` are the files from which the result is derived.
    pub fn begin(path: &Path, inputs: &[&Path]) -> Result<Output> {
        let writing = || format!("writing {}", path.display());
        if let Some(file) = check(path, inputs)? {
            return Ok(Output { file: Some(file), beside: None, path: path.to_path_buf() });
        }
        for attempt in 0.. {
            let beside = beside(path, attempt)?;
            match OpenOptions::new()
                .write(true)
                .create_new(true)
                .custom_flags(libc::O_NOFOLLOW)
                .open(&beside)
            {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => {
                    continue;
                }
                Err(error) => return Err(error).with_context(writing),
                Ok(file) => {
                    // On a filesystem without such attributes, the file is not replaced later.
                    let _ = fsetxattr(&file, OURS, b"1", XattrFlags::empty());
                    return Ok(Output {
                        file: Some(file),
                        beside: Some(beside),
                        path: path.to_path_buf(),
                    });
                }
            }
        }
        Err(failed(writing(), "choose another name"))
    }

    /// Renames the file to its final name, after checking again that no other file has taken it.
    pub fn finish(mut self, inputs: &[&Path]) -> Result<()> {
        let writing = || format!("writing {}", self.path.display());
        let Some(file) = self.file.take() else { return Ok(()) };
        let Some(beside) = &self.beside else { return Ok(()) };
        file.sync_all().with_context(writing)?;
        check(&self.path, inputs)?;
        std::fs::rename(beside, &self.path).with_context(writing)?;
        self.beside = None;
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), File::flush)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            let _ = std::fs::remove_file(beside);
        }
    }
}

/// The temporary name, in the same folder, of a file that is not yet complete.
fn beside(path: &Path, attempt: u32) -> Result<PathBuf> {
    let name =
        path.file_name().with_context(|| format!("writing {}", path.display()))?.to_string_lossy();
    let short: String = name.chars().take(100).collect();
    Ok(path.with_file_name(format!(".{short}.{}.{attempt}.new", std::process::id())))
}

/// A new file that is written by other code, such as a database: under a temporary name, and
/// renamed when complete. No existing file is replaced. If dropped before `finish`, it leaves
/// nothing.
pub struct New {
    beside: PathBuf,
    path: PathBuf,
}

impl New {
    /// Opens a file next to `path`. Fails if `path` exists and Dyno did not write it.
    pub fn begin(path: &Path) -> Result<New> {
        if path.symlink_metadata().is_ok() {
            return Err(exists(path));
        }
        let mut attempt = 0;
        let mut name = beside(path, attempt)?;
        while name.symlink_metadata().is_ok() {
            attempt += 1;
            name = beside(path, attempt)?;
        }
        Ok(New { beside: name, path: path.to_path_buf() })
    }

    /// The temporary path; the file does not exist yet.
    pub fn beside(&self) -> &Path {
        &self.beside
    }

    /// Renames the file to its final name, unless that name has been taken.
    pub fn finish(self) -> Result<()> {
        let writing = || format!("writing {}", self.path.display());
        File::open(&self.beside).and_then(|file| file.sync_all()).with_context(writing)?;
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
        let _ = std::fs::remove_file(&self.beside);
        let mut journal = self.beside.clone().into_os_string();
        journal.push("-journal");
        let _ = std::fs::remove_file(journal);
    }
}

fn exists(path: &Path) -> Error {
    error::refused(
        format!("{} already exists", path.display()),
        "choose another name, or move the file",
    )
}

/// Writes a whole file.
pub fn write(path: &Path, inputs: &[&Path], bytes: &[u8]) -> Result<()> {
    let mut output = Output::begin(path, inputs)?;
    output.write_all(bytes).with_context(|| format!("writing {}", path.display()))?;
    output.finish(inputs)
}

/// Refuses a name whose existing file would be lost; returns the open file if it is a pipe or a
/// terminal.
fn check(path: &Path, inputs: &[&Path]) -> Result<Option<File>> {
    let refused = |why: String| {
        error::refused(
            format!("{} is not written over: {why}", path.display()),
            "choose another name, or move the file",
        )
    };
    let Ok(found) = std::fs::symlink_metadata(path) else { return Ok(None) };
    if found.is_symlink() {
        let leads = std::fs::read_link(path).unwrap_or_default();
        let stream = std::fs::metadata(path).is_ok_and(|m| is_stream(&m));
        if !stream {
            return Err(refused(format!("it is a symbolic link to {}", leads.display())));
        }
    }
    let found =
        std::fs::metadata(path).with_context(|| format!("looking at {}", path.display()))?;
    if is_stream(&found) {
        let file = OpenOptions::new().write(true).open(path);
        return file.map(Some).with_context(|| format!("writing {}", path.display()));
    }
    if !found.is_file() {
        return Err(refused("it is not a file".to_string()));
    }
    for input in inputs {
        let same = std::fs::metadata(input)
            .is_ok_and(|i| (i.dev(), i.ino()) == (found.dev(), found.ino()));
        if same {
            return Err(refused(format!("it is the input {}", input.display())));
        }
    }
    if found.len() == 0 || is_ours(path) {
        return Ok(None);
    }
    Err(refused("it is a file that Dyno did not write".to_string()))
}

/// A terminal, `/dev/null` or a pipe: nothing that could be lost.
fn is_stream(found: &std::fs::Metadata) -> bool {
    found.file_type().is_char_device() || found.file_type().is_fifo()
}

fn is_ours(path: &Path) -> bool {
    let opened =
        OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path);
    opened.is_ok_and(|file| fgetxattr(&file, OURS, &mut [0u8; 8][..]).is_ok())
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
    }
}
