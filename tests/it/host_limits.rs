//! Limits of the host: tasks, file descriptors, memory, and system calls that a container refuses.

use std::io::Error;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use dyno::record::Outcome;

use crate::support::{DYNO, dyno, points, said, skip, until, within};

fn protocol(dir: &Path, engine: &str, stream: &str) {
    let protocol = format!(
        "title = \"T\"\nsource = \"test\"\n[dataset.file]\nengine = \"{engine}\"\nsize = \
         \"1MiB\"\ndirect = false\nfill = {{ kind = \"sequential\", read = 0, block = \
         \"128KiB\" }}\n[[step]]\nname = \"s\"\nduration = \"300ms\"\n[[step.stream]]\nname = \
         \"io\"\nengine = \"{engine}\"\n{stream}\n"
    );
    std::fs::write(dir.join("p.toml"), protocol).unwrap();
}

fn bench() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("a")).unwrap();
    dir
}

/// A run, without repeats, whose process is changed before it starts.
fn run(dir: &Path, before: impl FnMut() -> std::io::Result<()> + Send + Sync + 'static) -> Output {
    let _ = std::fs::remove_file(dir.join("b.dyno"));
    let mut command = Command::new(DYNO);
    command.current_dir(dir).args(["run", "./p.toml", "-s", "A=a", "--repeats", "1"]);
    command.args(["-o", "b.dyno", "--progress", "plain"]);
    // SAFETY: the closures below make system calls only.
    unsafe { command.pre_exec(before) };
    command.output().unwrap()
}

/// A control group of this test with a limit on tasks; removed when dropped.
struct Group(PathBuf);

impl Group {
    fn new(name: &str, tasks: &str) -> Option<Group> {
        let one = PathBuf::from("/sys/fs/cgroup/pids");
        let root = if one.is_dir() { one } else { "/sys/fs/cgroup".into() };
        let folder = root.join(format!("dyno-test-{name}-{}", std::process::id()));
        let made = std::fs::create_dir(&folder).and_then(|()| {
            let group = Group(folder.clone());
            std::fs::write(folder.join("pids.max"), tasks).map(|()| group)
        });
        made.map_err(|error| skip(format!("no control group with the pids controller: {error}")))
            .ok()
    }

    fn limit(&self, tasks: &str) {
        std::fs::write(self.0.join("pids.max"), tasks).unwrap();
    }

    fn door(&self) -> std::ffi::CString {
        std::ffi::CString::new(self.0.join("cgroup.procs").display().to_string()).unwrap()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Its last process may not have left yet.
        within(10, || std::fs::remove_dir(&self.0).is_ok());
    }
}

/// Moves the calling process through the door of a group.
fn enter(door: &std::ffi::CStr) -> std::io::Result<()> {
    let file = rustix::fs::open(door, rustix::fs::OFlags::WRONLY, rustix::fs::Mode::empty())?;
    rustix::io::write(file, b"0")?;
    Ok(())
}

#[test]
fn more_workers_than_a_control_group_allows_are_refused_before_anything_is_written() {
    let bench = bench();
    let Some(group) = Group::new("refused", "40") else { return };
    let door = group.door();
    for engine in ["psync", "libaio"] {
        let workload = "workload = { kind = \"random\", read = 0 }\nthreads = 64";
        protocol(bench.path(), engine, workload);
        let door = door.clone();
        let output = run(bench.path(), move || enter(&door));
        let text = said(&output);
        assert!(text.contains("64 workers need about 72 tasks, and the control group"), "{text}");
        assert!(text.contains("allows 40, of which") && text.contains("--pids-limit"), "{text}");
        assert!(!bench.path().join("a/dyno-data/file.0/data").exists(), "{text}");
        assert!(matches!(output.status.code(), Some(1..=127)), "{:?}", output.status);
    }
}

/// The limit falls after the check, while threads are started again and again: those that were
/// started end, and the point with them.
#[test]
fn a_worker_that_can_not_be_started_ends_those_that_were() {
    let bench = bench();
    let Some(group) = Group::new("fallen", "max") else { return };
    protocol(bench.path(), "psync", "workload = \"random\"\nthreads = 64");
    let mut command = Command::new(DYNO);
    command.current_dir(bench.path()).args(["run", "./p.toml", "-s", "A=a", "--repeats", "1"]);
    // Without a known ceiling, three short loads precede the point's.
    command.args(["-o", "b.dyno"]).env("XDG_STATE_HOME", bench.path().join("state"));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let door = group.door();
    // SAFETY: the closure makes system calls only.
    unsafe { command.pre_exec(move || enter(&door)) };
    let mut child = command.spawn().unwrap();
    let tasks = format!("/proc/{}/task", child.id());
    let many = || std::fs::read_dir(&tasks).map_or(0, |all| all.count()) > 60;
    while child.try_wait().unwrap().is_none() && !many() {}
    group.limit("8");
    until("the end of the run", 120, || child.try_wait().unwrap().is_some());
    let [point] = &points(&bench.path().join("b.dyno"))[..] else { panic!("one point") };
    match &point.outcome {
        Outcome::Failed { cause } => {
            assert!(cause.contains("of 64 could not be started"), "{cause}");
            assert!(cause.contains("the control group") && cause.contains("allows 8"), "{cause}");
        }
        Outcome::Measured => skip("the limit fell when all threads had been started"),
    }
}

#[test]
fn more_descriptors_than_the_hard_limit_are_refused_and_up_to_it_the_soft_one_is_raised() {
    let bench = bench();
    protocol(bench.path(), "psync", "workload = \"random\"\nthreads = 40");
    let limit = |soft: u64, hard: u64| {
        move || {
            let limit = rustix::process::Rlimit { current: Some(soft), maximum: Some(hard) };
            rustix::process::setrlimit(rustix::process::Resource::Nofile, limit)?;
            Ok(())
        }
    };
    let refused = run(bench.path(), limit(64, 64));
    assert!(said(&refused).contains("file descriptors, and this process may have 64"));
    let raised = run(bench.path(), limit(64, 4096));
    assert!(raised.status.success(), "{}", said(&raised));
}

#[test]
fn buffers_that_do_not_fit_into_memory_are_refused() {
    let bench = bench();
    let huge = "workload = { kind = \"random\", block = \"1MiB\" }\nthreads = 4096\ndepth = 1024";
    protocol(bench.path(), "libaio", huge);
    let text = std::fs::read_to_string(bench.path().join("p.toml")).unwrap();
    std::fs::write(bench.path().join("p.toml"), text.replace("size = \"1MiB\"", "size = \"4MiB\""))
        .unwrap();
    let output = run(bench.path(), || Ok(()));
    let text = said(&output);
    assert!(text.contains("tasks, and") || text.contains("for their buffers, and"), "{text}");
    assert!(!output.status.success());
}

/// A control group with a tenth of a processor; removed when dropped.
fn a_tenth_of_a_processor() -> Option<Group> {
    let name = format!("dyno-test-cpu-{}", std::process::id());
    let one = Path::new("/sys/fs/cgroup/cpu");
    let (folder, limits) = match one.is_dir() {
        true => {
            (one.join(name), &[("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "10000")][..])
        }
        false => (Path::new("/sys/fs/cgroup").join(name), &[("cpu.max", "10000 100000")][..]),
    };
    let made = std::fs::create_dir(&folder).and_then(|()| {
        let group = Group(folder.clone());
        limits.iter().try_for_each(|(file, text)| std::fs::write(folder.join(file), text))?;
        Ok(group)
    });
    made.map_err(|error| skip(format!("no control group with a limit on processors: {error}"))).ok()
}

/// Four threads of an engine that takes no time use as much processor time as they get.
#[test]
fn a_load_that_its_control_group_stops_names_the_limit_on_processor_time() {
    let bench = bench();
    let Some(group) = a_tenth_of_a_processor() else { return };
    let door = group.door();
    protocol(bench.path(), "psync", "workload = \"random\"\nthreads = 4");
    let text = std::fs::read_to_string(bench.path().join("p.toml")).unwrap();
    std::fs::write(bench.path().join("p.toml"), text.replace("300ms", "3s")).unwrap();
    let output = run(bench.path(), move || enter(&door));
    assert!(output.status.success(), "{}", said(&output));
    let shown = said(&dyno(bench.path(), &["show", "b.dyno"]));
    assert!(shown.contains("throttled by the control group at 0.10 processors, in"), "{shown}");
    assert!(shown.contains("`cpu.max`"), "{shown}");
}

/// One instruction of a filter (linux/filter.h).
#[repr(C)]
struct Instruction {
    code: u16,
    if_true: u8,
    if_false: u8,
    value: u32,
}

/// Installs a filter that answers io_uring_setup with an error number, as containers' profiles do.
fn refuse_io_uring(error: i32) -> std::io::Result<()> {
    const LOAD_NUMBER: u16 = 0x20;
    const IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    const ERROR: u32 = 0x0005_0000;
    const ALLOW: u32 = 0x7fff_0000;
    let step = |code, (if_true, if_false), value| Instruction { code, if_true, if_false, value };
    let filter = [
        step(LOAD_NUMBER, (0, 0), 0),
        step(IF_EQUAL, (0, 1), libc::SYS_io_uring_setup as u32),
        step(RETURN, (0, 0), ERROR | error as u32),
        step(RETURN, (0, 0), ALLOW),
    ];
    #[repr(C)]
    struct Program {
        length: u16,
        filter: *const Instruction,
    }
    let program = Program { length: filter.len() as u16, filter: filter.as_ptr() };
    // SAFETY: the filter is valid for the duration of the calls (seccomp(2)).
    let done = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0
    };
    if done { Ok(()) } else { Err(Error::last_os_error()) }
}

#[test]
fn io_uring_that_a_container_refuses_is_said_to_be_refused_by_its_seccomp_profile() {
    for error in [libc::EPERM, libc::ENOSYS] {
        let bench = bench();
        protocol(bench.path(), "uring", "workload = \"random\"");
        let output = run(bench.path(), move || refuse_io_uring(error));
        let text = said(&output);
        assert!(text.contains("a seccomp filter refuses io_uring"), "{text}");
        assert!(
            text.contains("--security-opt seccomp=") && text.contains("engine psync"),
            "{text}"
        );
        assert!(!bench.path().join("a/dyno-data/file.0/data").exists(), "{text}");
    }
}
