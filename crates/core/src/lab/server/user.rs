//! The account of a server. PostgreSQL refuses to run as root, and MariaDB should not: if Dyno is
//! root, the server gets its own account, with the folders that it needs.

use std::fs::OpenOptions;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::Path;
use std::process::Command;

use crate::base::error::{Context, Result, failed};

/// An account, or Dyno's own.
pub enum User {
    Own,
    Account { name: String, uid: u32, gid: u32 },
}

/// The first existing account, if Dyno is root; checks that it can reach the folder.
pub fn choose(accounts: &[&str], folder: &Path) -> Result<User> {
    // SAFETY: takes no arguments and cannot fail.
    if unsafe { libc::geteuid() } != 0 {
        return Ok(User::Own);
    }
    let found = accounts.iter().chain(&["nobody"]).find_map(|name| lookup(name));
    let Some((name, uid, gid)) = found else {
        let what = format!(
            "a database server may not run as root, and there is no account {}",
            accounts.join(" or ")
        );
        return Err(failed(
            what,
            "install the server's package, which creates its account, or run dyno as another user",
        ));
    };
    for parent in folder.ancestors().skip(1) {
        let open = std::fs::metadata(parent).is_ok_and(|m| {
            let mode = m.permissions().mode();
            mode & 0o001 != 0
                || m.uid() == uid && mode & 0o100 != 0
                || m.gid() == gid && mode & 0o010 != 0
        });
        if !open && !parent.as_os_str().is_empty() {
            let what =
                format!("the server runs as '{name}', who cannot enter {}", parent.display());
            return Err(failed(what, format!("allow it with: chmod o+x {}", parent.display())));
        }
    }
    Ok(User::Account { name, uid, gid })
}

fn lookup(name: &str) -> Option<(String, u32, u32)> {
    let passwd = std::fs::read_to_string("/etc/passwd").ok()?;
    let mut fields =
        passwd.lines().find(|line| line.split(':').next() == Some(name))?.split(':').skip(2);
    Some((name.to_string(), fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

impl User {
    /// Whether a user number is this account's.
    pub fn is(&self, user: u32) -> bool {
        match self {
            User::Own => user == rustix::process::geteuid().as_raw(),
            User::Account { uid, .. } => user == *uid,
        }
    }

    /// The user variables of its environment.
    pub fn name_in(&self, command: &mut Command) {
        if let User::Account { name, .. } = self {
            command.env("HOME", "/nonexistent").env("USER", name);
        }
    }

    /// Drops root's privileges for the account's. System calls only, for a process between fork and
    /// exec.
    pub fn become_it(&self) -> std::io::Result<()> {
        let User::Account { uid, gid, .. } = self else { return Ok(()) };
        // SAFETY: the first sets no groups, the others take numbers.
        match unsafe {
            libc::setgroups(0, std::ptr::null()) | libc::setgid(*gid) | libc::setuid(*uid)
        } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    }

    /// Creates, or takes over, a folder accessible only to this user (and root).
    pub fn own_folder(&self, folder: &Path) -> Result<()> {
        let made = std::fs::DirBuilder::new().mode(0o700).recursive(true).create(folder);
        made.with_context(|| format!("making {}", folder.display()))?;
        self.give(folder).with_context(|| format!("giving {} to the server", folder.display()))
    }

    /// Creates such a folder, which must not exist.
    pub fn new_folder(&self, folder: &Path) -> std::io::Result<()> {
        std::fs::DirBuilder::new().mode(0o700).create(folder)?;
        self.give(folder)
    }

    fn give(&self, folder: &Path) -> std::io::Result<()> {
        match self {
            User::Own => Ok(()),
            // The folder itself, never a link's target.
            User::Account { uid, gid, .. } => {
                let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
                let opened = OpenOptions::new().read(true).custom_flags(flags).open(folder)?;
                fchown(opened, Some(*uid), Some(*gid))
            }
        }
    }
}
