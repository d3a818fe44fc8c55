//! The place at which a server that Dyno starts as root finds its folder: a mount, in a namespace
//! of the server's own, of the very folder that Dyno holds. A path could lead elsewhere a moment
//! after it was compared.

use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::mount::{
    MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount_change, move_mount, open_tree,
};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::cstring;
use crate::base::error::{Context, Result};
use crate::lab::folder::data::DatasetFolder;

/// A held folder, and where it is to be found.
pub struct FolderView {
    tree: OwnedFd,
    name: CString,
    pub at: PathBuf,
}

/// A mount of the folder that has no place yet. None where Dyno may not mount (it is not root, or
/// root without CAP_SYS_ADMIN in a container): there the server gets the folder's path, and has no
/// more rights than Dyno has.
pub fn tree(folder: &DatasetFolder) -> Result<Option<OwnedFd>> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH;
    match open_tree(folder.hold()?, c"", flags) {
        Err(Errno::PERM | Errno::NOSYS) => Ok(None),
        tree => Ok(Some(tree.with_context(|| format!("holding {}", folder.shown().display()))?)),
    }
}

impl FolderView {
    /// Makes the folder that the mount will lie on.
    pub fn new(tree: OwnedFd, run: &Path) -> Result<FolderView> {
        let at = run.join("db");
        std::fs::create_dir(&at).with_context(|| format!("making {}", at.display()))?;
        Ok(FolderView { tree, name: cstring(&at), at })
    }

    /// Puts the mount in its place, for this process and its children. System calls only: for a
    /// process between fork and exec.
    pub fn enter(&self) -> std::io::Result<()> {
        // SAFETY: the process has one thread and shares no descriptors.
        unsafe { unshare_unsafe(UnshareFlags::NEWNS) }?;
        // What is unmounted outside is unmounted here, so that no server keeps another drive busy;
        // nothing goes back.
        mount_change(c"/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)?;
        move_mount(
            &self.tree,
            c"",
            rustix::fs::CWD,
            &*self.name,
            MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH,
        )?;
        Ok(())
    }
}
