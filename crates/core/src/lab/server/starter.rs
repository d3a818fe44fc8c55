//! The thread that starts servers. It lives as long as Dyno: the kernel signals a server when the
//! *thread* that started it ends (prctl(2), PR_SET_PDEATHSIG), and the threads that wait for
//! servers to start are short-lived.

use std::io;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

/// A command, and the channel for its process.
type StartCommand = (Command, Sender<io::Result<Child>>);

/// Starts the command's process from the permanent thread.
pub fn spawn(command: Command) -> io::Result<Child> {
    static STARTER: OnceLock<Sender<StartCommand>> = OnceLock::new();
    let starter = STARTER.get_or_init(|| {
        let (orders, taken) = channel::<StartCommand>();
        std::thread::spawn(move || {
            for (mut command, answer) in taken {
                // The caller may have gone; the process then ends when its handle is dropped.
                let _ = answer.send(command.spawn());
            }
        });
        orders
    });
    let (answer, spawned) = channel();
    let gone = || io::Error::other("the thread that starts servers is gone");
    starter.send((command, answer)).map_err(|_| gone())?;
    spawned.recv().map_err(|_| gone())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_outlives_the_thread_that_asked_for_it() {
        let mut command = Command::new("cat");
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
        let signal_at_parents_end = || match unsafe {
            // SAFETY: a system call on plain numbers, made between fork and exec.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL)
        } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        };
        // SAFETY: only a system call is made between fork and exec.
        unsafe {
            std::os::unix::process::CommandExt::pre_exec(&mut command, signal_at_parents_end)
        };
        let asked = std::thread::spawn(move || spawn(command).unwrap());
        let mut child = asked.join().unwrap();
        // The child ends when its input is closed.
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
    }
}
