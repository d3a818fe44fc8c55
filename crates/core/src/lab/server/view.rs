//! The path at which a server started by root finds its folder: a mount, in the server's own
//! namespace, of the folder that Dyno holds. A path could refer to something else a moment after it
//! was checked.

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

/// A held folder, and its path in the server's namespace.
pub struct FolderView {
    tree: OwnedFd,
    name: CString,
    pub at: PathBuf,
}

/// A detached mount of the folder. None if Dyno may not mount (it is not root, or lacks
/// CAP_SYS_ADMIN in a container): the server then gets the folder's path, and has no more
/// privileges than Dyno.
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
    /// Creates the mount point.
    pub fn new(tree: OwnedFd, run: &Path) -> Result<FolderView> {
        let at = run.join("db");
        std::fs::create_dir(&at).with_context(|| format!("making {}", at.display()))?;
        Ok(FolderView { tree, name: cstring(&at), at })
    }

    /// Attaches the mount, for this process and its children. System calls only, for a process
    /// between fork and exec.
    pub fn enter(&self) -> std::io::Result<()> {
        // SAFETY: the process has a single thread and shares no descriptors.
        unsafe { unshare_unsafe(UnshareFlags::NEWNS) }?;
        // Unmounts outside are propagated inside, so that no server keeps another drive busy;
        // nothing is propagated back.
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
