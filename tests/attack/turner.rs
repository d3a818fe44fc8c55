//! A debugger that stops Dyno, its threads and its tools at every system call, and atomically
//! exchanges two names before calls that take a name: a name refers to something else from one such
//! call to the next, as could happen only by the worst luck. Other calls use no names, so counting
//! only those that do loses nothing.

use std::collections::HashMap;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Two names to be exchanged. One refers to something Dyno may use, the other to foreign data.
pub struct Pair {
    pub named: PathBuf,
    pub other: PathBuf,
}

impl Pair {
    /// Whether both existed to be exchanged.
    pub fn turn(&self) -> bool {
        let text = |path: &Path| CString::new(path.as_os_str().as_bytes()).unwrap();
        let (a, b) = (text(&self.named), text(&self.other));
        // SAFETY: both paths are zero-terminated and live until the call returns.
        let done = unsafe {
            libc::renameat2(
                libc::AT_FDCWD,
                a.as_ptr(),
                libc::AT_FDCWD,
                b.as_ptr(),
                libc::RENAME_EXCHANGE,
            )
        };
        done == 0
    }

    /// Whether Dyno removed the name that it may use, which is in its own folder.
    fn is_removed(&self) -> bool {
        let own = self.named.components().any(|part| part.as_os_str() == "dyno-data");
        own && self.named.symlink_metadata().is_err()
    }
}

/// System calls that take a name.
const NAMES: &[libc::c_long] = &[
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    libc::SYS_unlinkat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_readlinkat,
    libc::SYS_fchownat,
    libc::SYS_fchmodat,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_statx,
    libc::SYS_newfstatat,
    libc::SYS_statfs,
    libc::SYS_truncate,
    libc::SYS_chdir,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fspick,
    libc::SYS_fsconfig,
    libc::SYS_getxattr,
    libc::SYS_setxattr,
    libc::SYS_utimensat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_open,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_stat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lstat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_access,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rmdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_readlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
];

/// Whether the imminent system call of a stopped thread takes a name.
fn takes_a_name(pid: i32) -> bool {
    // Up to the number of the call; the rest is its arguments.
    let mut info = [0u8; 88];
    // SAFETY: the kernel writes at most as many bytes as the length passed.
    let told =
        unsafe { libc::ptrace(libc::PTRACE_GET_SYSCALL_INFO, pid, info.len(), info.as_mut_ptr()) };
    // None if the thread was just killed.
    told >= 32 && NAMES.contains(&i64::from_ne_bytes(info[24..32].try_into().unwrap()))
}

/// When names are exchanged: counted in system calls that take names.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// Before this system call, permanently.
    Once(u64),
    /// Before the first of these, and reverted after this number of calls.
    For(u64, u64),
    /// Before every one.
    Always,
    Never,
}

/// The result of a run.
#[derive(Debug)]
pub struct Outcome {
    pub calls: u64,
    pub turns: u64,
    pub code: Option<i32>,
}

/// Runs a command under the debugger. On return the names are as before, unless Dyno removed its
/// own.
pub fn run(mut command: Command, pair: &Pair, when: When) -> Outcome {
    // SAFETY: between fork and exec only a system call is made.
    unsafe {
        command.pre_exec(|| match libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    // It is waited for below, like everything that is traced.
    #[allow(clippy::zombie_processes)]
    let child = command.spawn().unwrap();
    let root = child.id() as i32;
    let mut outcome = Outcome { calls: 0, turns: 0, code: None };
    let mut turned = false;
    // Whether a thread is inside a system call.
    let mut inside: HashMap<i32, bool> = HashMap::new();
    let options = libc::PTRACE_O_TRACESYSGOOD
        | libc::PTRACE_O_TRACECLONE
        | libc::PTRACE_O_TRACEFORK
        | libc::PTRACE_O_TRACEVFORK
        | libc::PTRACE_O_EXITKILL;
    wait_for(root);
    request(libc::PTRACE_SETOPTIONS, root, options as usize);
    request(libc::PTRACE_SYSCALL, root, 0);
    loop {
        let mut status = 0;
        // SAFETY: fills in the status. Only tracees of this thread are waited for.
        let pid = unsafe { libc::waitpid(-1, &mut status, libc::__WALL | libc::__WNOTHREAD) };
        if pid <= 0 {
            break;
        }
        if libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
            inside.remove(&pid);
            if pid == root {
                outcome.code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
                break;
            }
            continue;
        }
        let signal = libc::WSTOPSIG(status);
        if signal == libc::SIGTRAP | 0x80 {
            let within = inside.entry(pid).or_default();
            *within = !*within;
            if *within && takes_a_name(pid) {
                outcome.calls += 1;
                let now = match when {
                    When::Once(at) => outcome.calls == at,
                    When::For(at, calls) => outcome.calls == at || outcome.calls == at + calls,
                    When::Always => true,
                    When::Never => false,
                };
                if now && pair.turn() {
                    turned = !turned;
                    outcome.turns += 1;
                }
            }
        }
        // The debugger's own stops are not forwarded.
        let own =
            signal == libc::SIGTRAP | 0x80 || signal == libc::SIGTRAP || signal == libc::SIGSTOP;
        request(libc::PTRACE_SYSCALL, pid, if own { 0 } else { signal as usize });
    }
    // Removing a link does not change its target.
    let back = !turned || pair.turn() || pair.is_removed();
    assert!(back, "{:?} cannot be put back, {when:?}", pair.named);
    outcome
}

fn wait_for(pid: i32) {
    let mut status = 0;
    // SAFETY: fills in the status.
    unsafe { libc::waitpid(pid, &mut status, libc::__WALL) };
}

fn request(what: libc::c_uint, pid: i32, data: usize) {
    // SAFETY: these requests take a number and read no memory. One to a process that was just
    // killed may fail.
    unsafe { libc::ptrace(what, pid, 0, data) };
}
