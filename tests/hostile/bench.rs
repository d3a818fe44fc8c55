//! Runs the binary with measurements: its output, its exit, and its processor time and memory.

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

pub const DYNO: &str = env!("CARGO_BIN_EXE_dyno");

/// Limits of every command that reads a hostile bundle. A busy or slow machine gets five times the
/// seconds.
pub const SECONDS: f64 = 2.0;
pub const MEGABYTES: f64 = 500.0;

pub struct Bench(tempfile::TempDir);

/// The exit of a command.
pub struct Ended {
    pub status: ExitStatus,
    pub out: String,
    pub said: String,
    pub cpu_s: f64,
    pub rss_mb: f64,
}

impl Bench {
    pub fn new() -> Bench {
        let bench = Bench(tempfile::tempdir().unwrap());
        for drive in ["x", "y"] {
            std::fs::create_dir(bench.at(drive)).unwrap();
        }
        bench
    }

    pub fn dir(&self) -> &Path {
        self.0.path()
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.at(name), text).unwrap();
        self.at(name)
    }

    pub fn dyno(&self, args: &[&str]) -> Ended {
        measured(Command::new(DYNO).current_dir(self.dir()).args(args), self.dir())
    }

    #[track_caller]
    pub fn ok(&self, args: &[&str]) -> Ended {
        let ended = self.dyno(args);
        assert!(ended.status.success(), "{args:?}: {}", ended.said);
        ended
    }
}

impl Ended {
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Whether it exited by itself, with an answer and without a panic.
    pub fn is_orderly(&self) -> bool {
        self.status.signal().is_none()
            && self.code() != Some(101)
            && !self.said.contains("panicked")
    }
}

/// A child's greatest memory includes that of this process as it is started (execve(2)): returns
/// what is free and resets the peak (proc_pid_clear_refs(5)). Without effect beside other tests.
fn forget_peak() {
    // SAFETY: changes nothing that is allocated.
    unsafe { libc::malloc_trim(0) };
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
}

/// Runs a command to its end. Its output goes to files, so that nothing blocks on a reader.
pub fn measured(command: &mut Command, dir: &Path) -> Ended {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Relaxed);
    let [out, said] = ["out", "said"].map(|name| dir.join(format!("{name}-{number}")));
    command
        .stdin(Stdio::null())
        .stdout(File::create(&out).unwrap())
        .stderr(File::create(&said).unwrap());
    forget_peak();
    // Waited for below, by the call that returns its resource use.
    #[allow(clippy::zombie_processes)]
    let child = command.spawn().unwrap();
    let (mut status, mut used) = (0, unsafe { std::mem::zeroed::<libc::rusage>() });
    // SAFETY: waits for a child for which nothing else waits; both structures live through the
    // call.
    let waited = unsafe { libc::wait4(child.id() as i32, &mut status, 0, &mut used) };
    assert_eq!(waited, child.id() as i32);
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let take = |path: &Path| {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        std::fs::remove_file(path).unwrap();
        text
    };
    Ended {
        status: ExitStatus::from_raw(status),
        out: take(&out),
        said: take(&said),
        cpu_s: seconds(used.ru_utime) + seconds(used.ru_stime),
        rss_mb: used.ru_maxrss as f64 / 1024.0,
    }
}
