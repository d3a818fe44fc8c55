//! Folders for outputs. They are opened one component at a time: another user's link in the path is
//! refused, because it could lead anywhere, and files are then made through the open folder.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, mkdirat, openat, readlinkat, statat};
use rustix::io::Errno;

use super::error::{self, Context, Error, Result, failed};

/// Maximum number of links in a path, as in the kernel.
const MOST_LINKS: usize = 40;

/// An open folder.
pub struct Folder {
    fd: OwnedFd,
    shown: PathBuf,
}

impl Folder {
    /// Opens an existing folder.
    pub fn open(path: &Path) -> Result<Folder> {
        let fd = Walk { path, make: false }.end()?;
        Ok(Folder { fd, shown: path.to_path_buf() })
    }

    /// The same; the folder is created, with its parents, if missing, and is not a link.
    pub fn make(path: &Path) -> Result<Folder> {
        let fd = Walk { path, make: true }.end()?;
        Ok(Folder { fd, shown: path.to_path_buf() })
    }

    /// Its path, for messages.
    pub fn shown(&self) -> &Path {
        &self.shown
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// A path that is opened component by component.
struct Walk<'a> {
    path: &'a Path,
    make: bool,
}

impl Walk<'_> {
    fn end(&self) -> Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let of = |at: BorrowedFd<'_>, name: &OsStr| openat(at, name, flags, Mode::empty());
        let mut at = of(CWD, OsStr::new(".")).map_err(|error| self.failed(error))?;
        let mut rest = parts(self.path);
        let mut links = 0;
        while let Some(part) = rest.pop() {
            if part == "/" || part == ".." {
                at = of(at.as_fd(), &part).map_err(|error| self.failed(error))?;
                continue;
            }
            let opened = openat(&at, &part, flags | OFlags::NOFOLLOW, Mode::empty());
            at = match opened {
                Err(Errno::NOENT) if self.make => {
                    match mkdirat(&at, &part, 0o777.into()) {
                        Err(error) if error != Errno::EXIST => return Err(self.failed(error)),
                        _ => {}
                    }
                    let made = openat(&at, &part, flags | OFlags::NOFOLLOW, Mode::empty());
                    made.map_err(|error| self.failed(error))?
                }
                Err(Errno::NOTDIR | Errno::LOOP) => {
                    links += 1;
                    let is_last = rest.is_empty() && self.make;
                    let target = self.target(at.as_fd(), &part, is_last || links > MOST_LINKS)?;
                    rest.extend(parts(Path::new(&target)));
                    continue;
                }
                opened => opened.map_err(|error| self.failed(error))?,
            };
        }
        Ok(at)
    }

    /// The target of a link that this user or root made.
    fn target(&self, at: BorrowedFd<'_>, name: &OsStr, refuse: bool) -> Result<OsString> {
        let found = statat(at, name, AtFlags::SYMLINK_NOFOLLOW);
        let found = found.map_err(|error| self.failed(error))?;
        let (shown, part) = (self.path.display(), Path::new(name).display());
        if FileType::from_raw_mode(found.st_mode) != FileType::Symlink {
            let what = format!("nothing is written to {shown}: {part} is not a folder");
            return Err(error::refused(what, "use another folder; it is created if missing"));
        }
        let target = readlinkat(at, name, Vec::new());
        let target = OsString::from_vec(target.map_err(|error| self.failed(error))?.into_bytes());
        let own = [0, rustix::process::geteuid().as_raw()].contains(&found.st_uid);
        if own && !refuse {
            return Ok(target);
        }
        let to = Path::new(&target).display();
        let whose = if own { String::new() } else { format!(" of user {}", found.st_uid) };
        let what =
            format!("nothing is written to {shown}: {part} is a symbolic link{whose} to {to}");
        Err(error::refused(what, "name the folder itself, or use another one"))
    }

    fn failed(&self, error: Errno) -> Error {
        let what = format!("the folder {} cannot be used: {error}", self.path.display());
        failed(what, "check the name, and your permission to write there")
    }
}

/// The components of a path, last first.
fn parts(path: &Path) -> Vec<OsString> {
    let named = path.components().filter_map(|part| match part {
        Component::CurDir | Component::Prefix(_) => None,
        part => Some(part.as_os_str().to_os_string()),
    });
    let mut parts: Vec<OsString> = named.collect();
    parts.reverse();
    parts
}

/// A name, shortened at a character boundary to at most `most` bytes.
pub fn short(name: &str, most: usize) -> &str {
    let mut end = name.len().min(most);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

/// The folder that contains a file, opened, and the file's name in it.
pub fn of(path: &Path) -> Result<(Folder, OsString)> {
    let name = path.file_name().with_context(|| format!("writing {}", path.display()))?;
    Ok((Folder::open(super::file::folder_of(path))?, name.to_os_string()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::base::error::describe;

    #[test]
    fn folders_are_made_but_not_through_the_last_link_or_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        Folder::make(&at("a/b/c")).unwrap();
        std::fs::write(at("a/b/c/f"), "1").unwrap();
        symlink(at("a"), at("own")).unwrap();
        Folder::make(&at("own/b/d")).unwrap();
        assert!(at("a/b/d").is_dir(), "a link of one's own within the path is followed");
        symlink("a/b", at("last")).unwrap();
        symlink("loop", at("loop")).unwrap();
        for (name, says) in [
            ("last", "last is a symbolic link to a/b"),
            ("loop/x", "loop is a symbolic link to loop"),
            ("a/b/c/f", "f is not a folder"),
        ] {
            let said = describe(&Folder::make(&at(name)).map(drop).unwrap_err()).0;
            assert!(said.contains(says), "{said}");
        }
        assert!(Folder::open(&at("none")).is_err() && Folder::open(&at("last")).is_ok());
    }

    #[test]
    fn a_name_is_cut_at_a_character() {
        assert_eq!((short("東京", 5), short("ab", 5), short("", 0)), ("東", "ab", ""));
    }
}
