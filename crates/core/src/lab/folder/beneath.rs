//! Operations below an open folder: opening, listing, removing and copying from descriptor to
//! descriptor, so that a name replaced by a link meanwhile is not followed.

use std::ffi::CStr;
use std::fs::{File, Permissions};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

use rustix::fs::{
    AtFlags, Dir, Mode, OFlags, ResolveFlags, ioctl_ficlone, mkdirat, openat2, unlinkat,
};
use rustix::io::Errno;

use crate::base::error::{Context, Result};

/// No links, no other mounts, no escape.
pub const FLAGS: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS)
    .union(ResolveFlags::NO_XDEV);

/// Opens a folder in a folder.
pub fn folder(at: impl AsFd, name: impl rustix::path::Arg) -> rustix::io::Result<OwnedFd> {
    openat2(at, name, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty(), FLAGS)
}

/// Calls back for each name in a folder. All are listed first, because the callback may change the
/// folder.
fn names(at: &OwnedFd) -> rustix::io::Result<Vec<std::ffi::CString>> {
    let entries = Dir::read_from(at)?.map(|entry| entry.map(|entry| entry.file_name().to_owned()));
    let own = |name: &std::ffi::CString| ![c".", c".."].contains(&name.as_c_str());
    entries.filter(|name| name.as_ref().map_or(true, own)).collect()
}

fn begins(name: &CStr, with: &str) -> bool {
    name.to_bytes().starts_with(with.as_bytes())
}

/// Whether a folder is empty, except for names with this prefix.
pub fn is_empty(at: &OwnedFd, but: &str) -> Result<bool> {
    Ok(names(at).context("listing a dataset")?.iter().all(|name| begins(name, but)))
}

/// Removes the contents of a folder, except for names with prefix `but`.
pub fn clear(at: &OwnedFd, but: Option<&str>) -> Result<()> {
    for name in names(at)? {
        if but.is_some_and(|but| begins(&name, but)) {
            continue;
        }
        // For a link, the link itself, never its target.
        match unlinkat(at, &name, AtFlags::empty()) {
            Err(Errno::ISDIR) => {
                let inner = folder(at, &name).with_context(|| format!("opening {name:?}"))?;
                clear(&inner, None)?;
                unlinkat(at, &name, AtFlags::REMOVEDIR)
                    .with_context(|| format!("removing {name:?}"))?;
            }
            // A previous user has removed it.
            Err(Errno::NOENT) => {}
            removed => removed.with_context(|| format!("removing {name:?}"))?,
        }
    }
    Ok(())
}

/// Copies the contents of a folder into an empty one, except for names with prefix `but`: files and
/// folders, with owner and mode. If the filesystem supports it (XFS, btrfs), copies share blocks.
pub fn copy(from: &OwnedFd, to: &OwnedFd, but: &str) -> Result<()> {
    for name in names(from)?.iter().filter(|name| but.is_empty() || !begins(name, but)) {
        copy_one(from, to, name).with_context(|| format!("copying {name:?}"))?;
    }
    like(&File::from(to.try_clone()?), &File::from(from.try_clone()?))
}

fn copy_one(from: &OwnedFd, to: &OwnedFd, name: &CStr) -> Result<()> {
    let look = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let found = match openat2(from, name, look, Mode::empty(), FLAGS) {
        Err(Errno::LOOP) => return Ok(()),
        found => File::from(found?).metadata()?,
    };
    if found.is_dir() {
        mkdirat(to, name, Mode::from_raw_mode(0o700))?;
        return copy(&folder(from, name)?, &folder(to, name)?, "");
    }
    if !found.is_file() {
        return Ok(());
    }
    // Do not block on something that is no longer a file.
    let read = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let source = File::from(openat2(from, name, read, Mode::empty(), FLAGS)?);
    let write = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let copy = File::from(openat2(to, name, write, Mode::from_raw_mode(0o600), FLAGS)?);
    if ioctl_ficlone(&copy, &source).is_err() {
        // The kernel copies, without passing the data through this process.
        std::io::copy(&mut &source, &mut &copy)?;
    }
    like(&copy, &source)
}

/// Gives a copy its original's owner and mode, because a server's account must own its files.
fn like(copy: &File, original: &File) -> Result<()> {
    let found = original.metadata()?;
    fchown(copy, Some(found.uid()), Some(found.gid()))?;
    Ok(copy.set_permissions(Permissions::from_mode(found.mode()))?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_is_done_below_a_folder_is_done_there_whatever_its_name_means_by_then() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for name in ["own", "own/deep", "theirs", "theirs/deep"] {
            fs::create_dir(at(name)).unwrap();
            fs::write(at(name).join("file"), name).unwrap();
        }
        symlink(at("theirs"), at("own/link")).unwrap();
        let root: OwnedFd = File::open(dir.path()).unwrap().into();
        let own = folder(&root, "own").unwrap();
        fs::rename(at("own"), at("moved")).unwrap();
        symlink(at("theirs"), at("own")).unwrap();
        fs::create_dir(at("copy")).unwrap();
        copy(&own, &folder(&root, "copy").unwrap(), "").unwrap();
        assert_eq!(fs::read_to_string(at("copy/deep/file")).unwrap(), "own/deep");
        assert!(!at("copy/link").is_symlink());
        clear(&own, None).unwrap();
        assert!(fs::read_dir(at("moved")).unwrap().next().is_none());
        assert_eq!(fs::read_to_string(at("theirs/deep/file")).unwrap(), "theirs/deep");
        assert!(folder(&root, "own").is_err(), "a link is not opened");
    }
}
