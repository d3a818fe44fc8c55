//! Database servers that Dyno starts on the drive under test: their own data directory, a Unix
//! socket and no network, a memory limit and processors if the plan sets them, a clean stop, and
//! clean-up after a crash.

mod record;
mod starter;
mod user;
mod view;
mod watcher;

use std::ffi::CString;
use std::fs::File;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::clock::Clock;
use crate::base::error::{Context, Result, failed};
use crate::lab::folder::data::DatasetFolder;
use crate::lab::folder::files;
use crate::lab::machine::cgroup::{Cgroup, ParentGroup};
use crate::lab::machine::processors::{self, Processors};
use crate::plan::shown_list;
use crate::record::ServerShare;
use rustix::fs::{FlockOperation, OFlags, flock};
use user::User;
use view::FolderView;
use watcher::Watcher;

/// Large buffer pools and log recovery take time.
const START_NS: u64 = 600_000_000_000;
const STOP_NS: u64 = 600_000_000_000;
/// A server without disk space cannot complete a clean stop, however long it is waited for.
const STOP_FULL_NS: u64 = 20_000_000_000;
/// The kernel's limit for a socket's path, and what servers append to the folder.
const LONGEST_PATH: usize = 107;
const LONGEST_SOCKET: usize = "/.s.PGSQL.5432".len();
/// Time limit for the child processes of a server that has ended, ns. They soon notice the end of
/// their parent; remaining ones are not ours.
const ORPHANS_NS: u64 = 10_000_000_000;
const LOOK_NS: u64 = 20_000_000;
const LOG: &str = "server.log";

/// A server's share of the machine, from the plan.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The memory limit of its control group, bytes (`memory.max`, or version 1's
    /// `memory.limit_in_bytes`).
    pub memory_bytes: Option<u64>,
    /// Its permitted processors; empty: all that Dyno may use.
    pub cpus: Option<Processors>,
    /// Whether other servers or the load may use the same processors.
    pub shared_cpus: bool,
}

/// Ends a server left on this folder by a Dyno that has ended, because its data will be removed;
/// refuses if another Dyno uses it. Does nothing if there never was a server.
pub fn release(folder: &Path, clock: Clock) -> Result<()> {
    record::end_leftover(folder, true, clock)?;
    // Its child processes continue for a moment; so does a tool that was creating a data directory.
    let give_up_ns = clock.now_ns() + ORPHANS_NS;
    while work_in(folder) && clock.now_ns() < give_up_ns {
        clock.sleep_until(clock.now_ns() + LOOK_NS);
    }
    Ok(())
}

/// Whether a process has a server's folder, or its data directory, as its working directory.
fn work_in(folder: &Path) -> bool {
    let identity = |path: &Path| std::fs::metadata(path).ok().map(|m| (m.dev(), m.ino()));
    let own: Vec<_> = [folder, &folder.join("data")].into_iter().filter_map(identity).collect();
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    !own.is_empty()
        && all
            .filter_map(|process| identity(&process.path().join("cwd")))
            .any(|cwd| own.contains(&cwd))
}

/// A server to be started.
pub struct ServerSpec<'a> {
    /// Its own folder on the drive, which contains the data directory.
    pub folder: &'a DatasetFolder,
    /// The candidate accounts if Dyno is root; the first that exists is used.
    pub accounts: &'a [&'a str],
    /// Builds the command that runs the server in the foreground.
    pub command: &'a dyn Fn(&ServerPaths) -> Command,
    /// The signal for a clean stop that does not wait for clients.
    pub stop_signal: i32,
    /// Memory and processors.
    pub limits: &'a Limits,
    /// The run's clock, for waits.
    pub clock: Clock,
}

/// The server's paths, as seen by the server.
#[derive(Clone, Debug)]
pub struct ServerPaths {
    /// Its own folder on the drive.
    folder: PathBuf,
    /// The data directory, on the drive.
    pub data: PathBuf,
    /// A folder for the socket, not on the drive, accessible only to the server's account.
    pub run: PathBuf,
}

fn run_folder() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    std::env::temp_dir().join(format!(
        "dyno-{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Relaxed)
    ))
}

/// Whether a socket folder was created by the Dyno with this process number.
fn is_run_folder(folder: &Path, dyno: u32) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let count = name
        .strip_prefix(&format!("dyno-{dyno}-"))
        .is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
    count
        && folder.parent() == Some(&std::env::temp_dir())
        && folder.symlink_metadata().is_ok_and(|m| m.is_dir())
}

/// Removes socket folders of earlier Dyno processes that were killed together with their watchers.
fn sweep(user: &User) {
    let entries = std::fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten();
    for folder in entries.map(|entry| entry.path()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let dyno = name.strip_prefix("dyno-").and_then(|rest| rest.split('-').next());
        let Some(dyno) = dyno.and_then(|number| number.parse::<u32>().ok()) else { continue };
        let is_own = folder.symlink_metadata().is_ok_and(|found| user.is(found.uid()));
        let ended = !Path::new("/proc").join(dyno.to_string()).exists();
        // In another PID namespace, its process has another number, but the same lock.
        if is_own && ended && is_run_folder(&folder, dyno) && lock(&folder).is_ok() {
            let _ = std::fs::remove_dir_all(&folder);
        }
    }
}

/// Locks a socket folder while its server may run.
fn lock(run: &Path) -> std::io::Result<File> {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
    let mut options = File::options();
    let folder = OpenOptionsExt::custom_flags(options.read(true), flags).open(run)?;
    flock(&folder, FlockOperation::NonBlockingLockExclusive)?;
    Ok(folder)
}

/// The environment of a server's process before it executes the server.
struct Stand {
    places: ServerPaths,
    user: User,
    view: Option<FolderView>,
    /// None if the filesystem has no locks.
    lock: Option<File>,
    watcher: Watcher,
}

impl Stand {
    /// Creates the socket folder and, if Dyno may mount, the mount point for the server's folder.
    fn make(order: &ServerSpec<'_>) -> Result<Stand> {
        let real = order.folder.real()?;
        let mut run = run_folder();
        let tree = view::tree(order.folder)?;
        let user = user::choose(order.accounts, if tree.is_some() { &run } else { &real })?;
        sweep(&user);
        let watcher = make_run_folder(&mut run, &user)?;
        let lock = lock(&run).ok();
        let view = tree.map(|tree| FolderView::new(tree, &run)).transpose()?;
        let folder = view.as_ref().map_or(real, |view| view.at.clone());
        let places = ServerPaths { data: folder.join("data"), folder, run };
        Ok(Stand { places, user, view, lock, watcher })
    }

    /// Gives the command's process its folder, its account, its control group (before it allocates
    /// memory) and `cpus`, if set.
    fn prepare(
        self,
        command: &mut Command,
        (cpus, door): (Option<Processors>, Option<GroupDoor>),
        stop_signal: i32,
    ) -> (ServerPaths, Option<File>, Watcher) {
        let Stand { places, user, view, lock, watcher } = self;
        command.current_dir("/").env("TMPDIR", &places.folder).stdin(Stdio::null());
        user.name_in(command);
        let folder = cstring(&places.folder);
        let cpus = cpus.map(|cpus| processors::mask(&cpus));
        // SAFETY: between fork and exec only system calls are made, on values prepared before.
        unsafe {
            command.pre_exec(move || {
                if let Some(door) = &door {
                    let entered = rustix::io::write(&door.file, b"0");
                    if door.is_required {
                        entered?;
                    }
                }
                view.as_ref().map_or(Ok(()), FolderView::enter)?;
                user.become_it()?;
                rustix::process::chdir(folder.as_c_str())?;
                // If Dyno is killed, it receives a signal to stop; a change of account would clear
                // this.
                if libc::prctl(libc::PR_SET_PDEATHSIG, stop_signal) != 0 {
                    return Err(std::io::Error::last_os_error());
                }
                if let Some(mask) = &cpus {
                    rustix::thread::sched_setaffinity(None, mask)?;
                }
                Ok(())
            });
        }
        command.process_group(watcher.group());
        (places, lock, watcher)
    }
}

/// The entrance of a control group.
struct GroupDoor {
    file: File,
    /// A group without a limit is not worth the server's failure.
    is_required: bool,
}

impl GroupDoor {
    fn of(cgroup: Option<&Cgroup>, is_required: bool) -> Result<Option<GroupDoor>> {
        let door = |cgroup: &Cgroup| Ok(GroupDoor { file: cgroup.door()?, is_required });
        cgroup.map(door).transpose()
    }
}

fn cstring(path: &Path) -> CString {
    CString::new(path.as_os_str().as_encoded_bytes()).unwrap_or_default()
}

/// Creates the socket folder under a new name: an existing one may belong to someone else. Its
/// watcher starts before, so that the folder does not stay if Dyno is killed.
fn make_run_folder(run: &mut PathBuf, user: &User) -> Result<Watcher> {
    if run.as_os_str().len() + LONGEST_SOCKET > LONGEST_PATH {
        let what = format!("{} is too long a path for a server's socket", run.display());
        return Err(failed(what, "set TMPDIR to a folder with a shorter name"));
    }
    loop {
        let mut watcher = Watcher::start(run)?;
        match user.new_folder(run) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => *run = run_folder(),
            made => {
                made.with_context(|| format!("making {}", run.display()))?;
                watcher.has_folder();
                return Ok(watcher);
            }
        }
    }
}

/// A running server, stopped when this is dropped.
pub struct Server {
    /// Its paths.
    pub places: ServerPaths,
    folder: DatasetFolder,
    child: Child,
    stop_signal: i32,
    clock: Clock,
    record: PathBuf,
    /// Removed after the server has ended.
    cgroup: Option<Cgroup>,
    /// Whether the group limits its memory.
    is_limited: bool,
    shared_cpus: bool,
    /// Lock of the socket folder.
    _lock: Option<File>,
    _watcher: Watcher,
}

impl Server {
    /// Creates an empty data directory with the server's own tool. The folder's contents belong to
    /// Dyno, and are removed.
    pub fn lay_out(order: &ServerSpec<'_>, tool: &dyn Fn(&ServerPaths) -> Command) -> Result<()> {
        release(&order.folder.real()?, order.clock)?;
        let mut stand = Stand::make(order)?;
        let own = order.folder.path();
        remove(&own.join("data"))?;
        stand.user.own_folder(&own)?;
        stand.user.own_folder(&own.join("data"))?;
        let mut command = tool(&stand.places);
        // An unfinished data directory needs no clean stop.
        let cgroup = Cgroup::unlimited(stand.places.run.file_name().unwrap_or_default());
        cgroup.iter().for_each(|cgroup| stand.watcher.has_cgroup(cgroup));
        let door = GroupDoor::of(cgroup.as_ref(), false)?;
        let (places, _lock, _watcher) = stand.prepare(&mut command, (None, door), libc::SIGKILL);
        let output = command.output().with_context(|| format!("running {}", name(&command)));
        remove(&places.run)?;
        let output = output?;
        if output.status.success() {
            return Ok(());
        }
        let said = [output.stdout, output.stderr].concat();
        let said = last_lines(&String::from_utf8_lossy(&said));
        Err(failed(
            format!(
                "{} could not create a data directory in {}: {said}",
                name(&command),
                order.folder.shown().display()
            ),
            "check free space and permissions there",
        ))
    }

    /// Starts a server and waits until `ready` can connect to it.
    pub fn start(
        order: &ServerSpec<'_>,
        ready: &mut dyn FnMut(&ServerPaths) -> std::result::Result<(), String>,
    ) -> Result<Server> {
        let real = order.folder.real()?;
        files::check_all(order.folder)?;
        record::end_leftover(&real, false, order.clock)?;
        let mut stand = Stand::make(order)?;
        let group = stand.places.run.file_name().unwrap_or_default();
        let limited = |bytes| Cgroup::new(&ParentGroup::root(), group, ("the server", bytes));
        let is_limited = order.limits.memory_bytes.is_some();
        let cgroup = match order.limits.memory_bytes {
            Some(bytes) => Some(limited(bytes)?),
            None => Cgroup::unlimited(group),
        };
        cgroup.iter().for_each(|cgroup| stand.watcher.has_cgroup(cgroup));
        let door = GroupDoor::of(cgroup.as_ref(), is_limited)?;
        let cpus = order.limits.cpus.clone();
        let mut command = (order.command)(&stand.places);
        let (places, lock, mut watcher) =
            stand.prepare(&mut command, (cpus, door), order.stop_signal);
        let log = order.folder.open_file(LOG, OFlags::WRONLY | OFlags::CREATE);
        let log = log.with_context(|| format!("making {}", real.join(LOG).display()))?;
        log.set_len(0).context("emptying the server's log")?;
        let also = log.try_clone().context("opening the server's log")?;
        command.stdout(log).stderr(also);
        let name = name(&command);
        let mut child = starter::spawn(command).with_context(|| format!("starting {name}"))?;
        watcher.watch(child.id(), order.stop_signal);
        let record = record::write(&real, child.id(), order.stop_signal, &places.run);
        let record = record.inspect_err(|_| {
            let _ = child.kill().and_then(|()| child.wait());
        })?;
        let (stop_signal, clock) = (order.stop_signal, order.clock);
        let folder = order.folder.clone();
        let shared_cpus = order.limits.shared_cpus;
        let mut server = Server {
            places,
            folder,
            child,
            stop_signal,
            clock,
            record,
            cgroup,
            is_limited,
            shared_cpus,
            _lock: lock,
            _watcher: watcher,
        };
        server.wait_until_ready(&name, ready)?;
        server.check(order.limits)?;
        Ok(server)
    }

    /// Refuses a server whose processors differ from the requested ones: the kernel omits those
    /// that Dyno itself may not use.
    fn check(&self, limits: &Limits) -> Result<()> {
        let (Some(asked), share) = (&limits.cpus, self.share()?) else { return Ok(()) };
        let asked = shown_list(asked);
        if share.processors == asked {
            return Ok(());
        }
        Err(failed(
            format!("the server may use processors {}, not {asked}", share.processors),
            "use processors in `cpus` that dyno itself may use (`taskset -p $$` shows them)",
        ))
    }

    /// Its resources as reported by the kernel; the caller adds the drive.
    pub fn share(&self) -> Result<ServerShare> {
        let path = format!("/proc/{}/status", self.pid());
        let status = std::fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
        let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let processors = allowed.unwrap_or_default().trim().to_string();
        let mut share =
            ServerShare { processors, shared: self.shared_cpus, ..ServerShare::default() };
        if let Some(cgroup) = self.cgroup.as_ref().filter(|_| self.is_limited) {
            let memory = cgroup.read()?;
            share.memory_bytes = Some(memory.limit_bytes);
            share.used_bytes = memory.used_bytes;
            share.cache_bytes = memory.cache_bytes;
        }
        Ok(share)
    }

    fn wait_until_ready(
        &mut self,
        name: &str,
        ready: &mut dyn FnMut(&ServerPaths) -> std::result::Result<(), String>,
    ) -> Result<()> {
        let give_up_ns = self.clock.now_ns() + START_NS;
        loop {
            let exited = self.child.try_wait().context("watching the server")?;
            let answer = ready(&self.places);
            match (exited, answer) {
                (Some(status), _) => {
                    let what = format!("{name} did not start ({status}): {}", self.log_tail());
                    return Err(failed(
                        what,
                        "check the plan's server options, free space and memory",
                    ));
                }
                (None, Ok(())) => return Ok(()),
                (None, Err(cause)) if self.clock.now_ns() > give_up_ns => {
                    let what = format!(
                        "{name} does not answer after ten minutes ({cause}): {}",
                        self.log_tail()
                    );
                    return Err(failed(what, "check the server's log"));
                }
                (None, Err(_)) => self.clock.sleep_until(self.clock.now_ns() + LOOK_NS),
            }
        }
    }

    /// Whether it is still running.
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_none())
    }

    /// The server's process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The end of its log, in one line.
    pub fn log_tail(&self) -> String {
        let log = self.folder.open_file(LOG, OFlags::RDONLY).ok();
        last_lines(&log.and_then(|log| std::io::read_to_string(log).ok()).unwrap_or_default())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let pid = self.child.id() as i32;
        let signalled_ns = self.clock.now_ns();
        if self.is_alive() {
            // SAFETY: signals a child that has not been waited for, so its number is still valid.
            unsafe { libc::kill(pid, self.stop_signal) };
        }
        while self.is_alive() {
            let patience_ns = if is_full(&self.folder.path()) { STOP_FULL_NS } else { STOP_NS };
            if self.clock.now_ns() > signalled_ns + patience_ns && self.child.kill().is_err() {
                break;
            }
            self.clock.sleep_until(self.clock.now_ns() + LOOK_NS);
        }
        // Anything that cannot be removed here is cleaned up at the next start.
        let _ = std::fs::remove_dir_all(&self.places.run);
        let _ = std::fs::remove_file(&self.record);
    }
}

/// Whether the filesystem is nearly full.
fn is_full(folder: &Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|stat| stat.f_bavail * stat.f_frsize < 1 << 20)
}

/// The first of these programs that exists: by name on the PATH, or by its full path.
pub fn program(candidates: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.extend(["/usr/sbin", "/usr/libexec"].map(PathBuf::from));
    candidates
        .iter()
        .find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file()))
}

fn remove(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn name(command: &Command) -> String {
    let program = Path::new(command.get_program());
    program.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    lines[lines.len().saturating_sub(8)..].join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_for_the_socket_is_never_one_that_is_there_already() {
        let dir = tempfile::tempdir().unwrap();
        let taken = dir.path().join("taken");
        std::fs::create_dir(&taken).unwrap();
        std::fs::write(taken.join("mysql.sock"), "somebody's").unwrap();
        let mut run = taken.clone();
        make_run_folder(&mut run, &User::Own).unwrap();
        assert_ne!(run, taken);
        assert_eq!(std::fs::read_to_string(taken.join("mysql.sock")).unwrap(), "somebody's");
        std::fs::remove_dir(&run).unwrap();

        run = dir.path().join("x".repeat(100));
        let error = format!("{:#}", make_run_folder(&mut run, &User::Own).unwrap_err());
        assert!(error.contains("too long"), "{error}");
    }
}
