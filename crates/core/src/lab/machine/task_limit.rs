//! The limits on the number of tasks (threads and processes) that this process may add: those of
//! its control groups (`pids.max`), of its user (`ulimit -u`) and of the system.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use rustix::process::{Resource, getrlimit, getuid};

use super::cgroup::{OwnGroup, number};
use crate::base::error::{Error, Result, failed};

/// `CAP_SYS_ADMIN` and `CAP_SYS_RESOURCE` of linux/capability.h: either lifts the user's limit.
const LIFTING: u64 = 1 << 21 | 1 << 24;

/// Source of the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Owner {
    ControlGroup(PathBuf),
    User,
    System(&'static str),
}

/// A limit and its use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskLimit {
    owner: Owner,
    /// Number of tasks allowed.
    allowed: u64,
    /// Number of tasks that count towards it now.
    used: u64,
}

impl TaskLimit {
    /// The limit with room for the fewest further tasks.
    pub fn tightest() -> Option<TaskLimit> {
        let own = OwnGroup::of("pids").ok().flatten();
        let groups = own.iter().flat_map(OwnGroup::levels).filter_map(of_group);
        groups.chain(of_user()).chain(of_system()).min_by_key(TaskLimit::room)
    }

    /// The number of tasks that may be added.
    pub fn room(&self) -> u64 {
        self.allowed.saturating_sub(self.used)
    }

    /// Refuses a load of this many workers, which needs this many tasks, if they do not fit.
    pub fn check(&self, workers: u64, tasks: u64) -> Result<()> {
        if tasks <= self.room() {
            return Ok(());
        }
        let what = format!("{workers} workers need about {tasks} tasks, and {self}");
        Err(failed(what, self.remedy()))
    }

    /// The error if the kernel started only some of the workers.
    pub fn exceeded(started: u64, workers: u64, cause: &std::io::Error) -> Error {
        let what = format!("worker {} of {workers} could not be started: {cause}", started + 1);
        match TaskLimit::tightest() {
            Some(limit) => failed(format!("{what}; {limit}"), limit.remedy()),
            None => failed(what, "use fewer threads, or free memory for their stacks"),
        }
    }

    fn remedy(&self) -> String {
        let raise = match &self.owner {
            Owner::ControlGroup(_) => {
                "raise it (`pids.max`; `docker run --pids-limit`, podPidsLimit of Kubernetes, \
                 TasksMax of systemd)"
            }
            Owner::User => "raise it (`ulimit -u`)",
            Owner::System(file) => return format!("raise it (`sysctl -w kernel.{file}=…`)"),
        };
        format!("{raise}, or use fewer threads")
    }
}

impl Display for TaskLimit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let TaskLimit { owner, allowed, used } = self;
        match owner {
            Owner::ControlGroup(folder) => {
                write!(f, "the control group {} allows {allowed}", folder.display())?;
            }
            Owner::User => write!(f, "this user may have {allowed}")?,
            Owner::System(file) => write!(f, "this system allows {allowed} (kernel.{file})")?,
        }
        write!(f, ", of which {used} are in use")
    }
}

fn of_group(folder: &Path) -> Option<TaskLimit> {
    let allowed = number(&folder.join("pids.max"))?;
    let used = number(&folder.join("pids.current"))?;
    Some(TaskLimit { owner: Owner::ControlGroup(folder.to_path_buf()), allowed, used })
}

/// The kernel applies it neither to root nor to a process with one of two capabilities (fork.c,
/// `copy_process`).
fn of_user() -> Option<TaskLimit> {
    let allowed = getrlimit(Resource::Nproc).current?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let effective = field(&status, "CapEff:").and_then(|hex| u64::from_str_radix(hex, 16).ok())?;
    if getuid().is_root() || effective & LIFTING != 0 {
        return None;
    }
    let own = getuid().as_raw().to_string();
    let used = std::fs::read_dir("/proc").ok()?.flatten().filter_map(|entry| {
        let status = std::fs::read_to_string(entry.path().join("status")).ok()?;
        let real = field(&status, "Uid:").filter(|uid| *uid == own);
        real.and_then(|_| field(&status, "Threads:")?.parse::<u64>().ok())
    });
    Some(TaskLimit { owner: Owner::User, allowed, used: used.sum() })
}

fn of_system() -> impl Iterator<Item = TaskLimit> {
    // "0.20 0.18 0.12 1/80 11206": running and all tasks, proc(5).
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let all = load.split(' ').nth(3).and_then(|both| both.split_once('/')?.1.parse::<u64>().ok());
    ["threads-max", "pid_max"].into_iter().filter_map(move |file| {
        let allowed = number(&Path::new("/proc/sys/kernel").join(file))?;
        Some(TaskLimit { owner: Owner::System(file), allowed, used: all? })
    })
}

/// The first value of a line of /proc/PID/status.
fn field<'s>(status: &'s str, name: &str) -> Option<&'s str> {
    status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::describe;

    #[test]
    fn workers_beyond_a_groups_limit_are_refused_with_the_group_and_what_raises_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let write = |file: &str, text: &str| std::fs::write(dir.path().join(file), text);
        write("pids.max", "40\n").expect("written");
        write("pids.current", "3\n").expect("written");
        let limit = of_group(dir.path()).expect("a limit");
        assert_eq!(limit.room(), 37);
        limit.check(30, 37).expect("they fit");
        let (what, next) = describe(&limit.check(64, 72).expect_err("too many"));
        assert!(
            what.starts_with("64 workers need about 72 tasks, and the control group"),
            "{what}"
        );
        assert!(what.ends_with("allows 40, of which 3 are in use"), "{what}");
        assert!(next.concat().contains("--pids-limit"), "{next:?}");
        write("pids.max", "max\n").expect("written");
        assert_eq!(of_group(dir.path()), None, "unlimited");
    }

    #[test]
    fn this_system_has_a_limit_that_leaves_room() {
        let limit = TaskLimit::tightest().expect("at least kernel.pid_max");
        assert!(limit.room() > 0, "{limit}");
    }
}
