//! SIGTERM ends a run within five seconds, whatever it does; the points that were measured stay.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::support::queued::Queued;
use crate::support::{DYNO, FOR_SERVERS, has_thread, have, open_to_all, served_by, until, within};

/// What a run does when the signal arrives.
struct Busy {
    what: &'static str,
    /// The dataset, the step and its stream.
    protocol: String,
    subjects: &'static [&'static str],
    /// Text in the progress before the signal; otherwise the load's first thread of its own.
    after: Option<&'static str>,
    /// Whether its first load has ended.
    past: bool,
}

fn dataset(engine: &str, size: &str, direct: bool) -> String {
    format!(
        "[dataset.file]\nengine = \"{engine}\"\nsize = \"{size}\"\ndirect = {direct}\nfill = \
         {{ kind = \"sequential\", read = 0, block = \"128KiB\" }}\n"
    )
}

fn step(step: &str, stream: &str) -> String {
    format!(
        "[[step]]\nname = \"s\"\nduration = \"10m\"\n{step}\n[[step.stream]]\nname = \"io\"\n\
         {stream}\n"
    )
}

fn busy(what: &'static str, protocol: String) -> Busy {
    Busy { what, protocol, subjects: &["a"], after: None, past: false }
}

/// A run that does what it should do when the signal arrives.
struct Started {
    child: Child,
    log: PathBuf,
}

impl Started {
    fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    fn signal(&self) -> Instant {
        let id = Pid::from_child(&self.child);
        kill_process(id, Signal::TERM).unwrap();
        Instant::now()
    }

    fn ended(&mut self) -> ExitStatus {
        let mut status = None;
        until("the end", 60, || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }

    /// Its status after the signal, which it has within five seconds.
    fn ended_in_time(&mut self, what: &str) -> ExitStatus {
        let signalled = self.signal();
        let status = self.ended();
        let took = signalled.elapsed();
        assert!(took < Duration::from_secs(5), "{what}: {took:?}\n{}", self.said());
        status
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn start(case: &Busy, place: &Path) -> Started {
    let protocol = format!("title = \"T\"\nsource = \"test\"\n{}", case.protocol);
    std::fs::write(place.join("p.toml"), protocol).unwrap();
    let subject = |name: &&str| {
        format!("[[subject]]\nname = \"{name}\"\ndrives = [{{ path = \"{name}\" }}]\n")
    };
    let plan = format!(
        "protocol = \"./p.toml\"\nrepeats = 2\nsame_device = true\n{}",
        case.subjects.iter().map(subject).collect::<String>()
    );
    std::fs::write(place.join("plan.toml"), plan).unwrap();
    let _ = std::fs::remove_file(place.join("b.dyno"));
    let log = place.join("log");
    let mut command = Command::new(DYNO);
    command.current_dir(place).args(["run", "plan.toml", "-o", "b.dyno", "--progress", "plain"]);
    command.stdout(Stdio::null());
    let child = command.stderr(std::fs::File::create(&log).unwrap()).spawn().unwrap();
    let run = Started { child, log };
    let reached = within(60, || match case.after {
        Some(text) => run.said().contains(text),
        None => has_thread(&run.child, "witness"),
    });
    assert!(reached, "{}: {}", case.what, run.said());
    if case.past {
        until("the end of the load", 60, || !has_thread(&run.child, "witness"));
    }
    run
}

/// All of these end by themselves, with the code of SIGTERM and the command to go on.
fn each_ends(cases: &[Busy]) {
    for case in cases {
        let folder = tempfile::tempdir().unwrap();
        ["a", "b"].iter().for_each(|name| std::fs::create_dir(folder.path().join(name)).unwrap());
        let mut run = start(case, folder.path());
        let (status, said) = (run.ended_in_time(case.what), run.said());
        assert_eq!(status.code(), Some(143), "{}: {status:?}\n{said}", case.what);
        assert!(said.contains("Continue with: dyno run --resume b.dyno"), "{}: {said}", case.what);
    }
}

const READS: &str = "workload = { kind = \"random\", read = 50, block = \"4KiB\" }";

#[test]
fn sigterm_ends_loads_of_files_in_time() {
    let of = |what, engine: &str, direct, extra: &str| {
        let stream = format!("engine = \"{engine}\"\n{READS}\n{extra}");
        busy(what, dataset(engine, "16MiB", direct) + &step("", &stream))
    };
    each_ends(&[
        of("psync", "psync", true, ""),
        of("buffered writes", "psync", false, ""),
        of("io_uring", "uring", true, "depth = 64"),
        of("libaio", "libaio", true, "depth = 64"),
        of("an overloaded open loop", "uring", true, "rate = \"500k/s\""),
        Busy { subjects: &["a", "b"], ..of("several subjects", "psync", true, "threads = 4") },
    ]);
}

#[test]
fn sigterm_ends_long_requests_in_time() {
    let null = |extra: &str| {
        format!("engine = {{ kind = \"null\", latency = \"10m\" }}\nworkload = \"random\"\n{extra}")
    };
    let stall = "engine = { kind = \"null\", latency = \"1ms\", stall_at = \"1ms\", stall = \
                 \"10m\" }\nworkload = \"random\"\nrate = \"100/s\"";
    each_ends(&[
        busy("a closed loop", step("", &null(""))),
        busy("many in flight", step("", &null("depth = 32\nthreads = 8"))),
        busy("an open loop", step("", &null("rate = \"100/s\"\ndepth = 4"))),
        busy("a stall", step("", stall)),
    ]);
}

#[test]
fn sigterm_ends_what_precedes_and_surrounds_loads_in_time() {
    let psync = format!("engine = \"psync\"\n{READS}");
    let filled = |size: &str| dataset("psync", size, false) + &step("", &psync);
    let searched = "sweep = { axis = \"io.rate\", values = [\"100/s\", \"200/s\"], search = { \
                    metric = \"io.p50\", at_most = \"1s\" } }";
    let null = "engine = { kind = \"null\", latency = \"1ms\" }\nworkload = \"random\"\n";
    let cooled = step("cooldown = \"10m\"", null).replacen("10m", "300ms", 1);
    let rate = format!("{null}rate = \"100/s\"");
    each_ends(&[
        Busy { after: Some("filling dataset"), ..busy("a fill", filled("2GiB")) },
        Busy { after: Some("settling dataset"), ..busy("what a fill left", filled("512MiB")) },
        busy("a warm-up", step("warmup = \"10m\"", null)),
        busy("a search", step(searched, &rate)),
        Busy {
            after: Some("of load"),
            ..busy("the start of workers", step("", &format!("{null}threads = 256")))
        },
        Busy { past: true, ..busy("a cool-down", cooled) },
    ]);
}

/// A request that the kernel does not abandon ends no sooner than the drive answers it, whatever
/// the signal.
#[test]
fn a_run_whose_drive_does_not_answer_says_so_and_ends_when_it_does() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("a")).unwrap();
    let Some(drive) = Queued::new(&folder.path().join("a")) else { return };
    let stream = format!("engine = \"psync\"\n{READS}");
    let load = dataset("psync", "4MiB", true) + &step("", &stream);
    drive.set_service(3600e9);
    let hangs = Busy { after: Some("settling dataset"), ..busy("a drive that hangs", load) };
    let mut run = start(&hangs, folder.path());
    let signalled = run.signal();
    until("a message", 60, || run.said().contains("Not ended 4 s after SIGTERM"));
    assert!(signalled.elapsed() < Duration::from_secs(5), "{}", run.said());
    drive.set_service(0.0);
    assert_eq!(run.ended().signal(), Some(libc::SIGTERM));
}

#[test]
fn sigterm_ends_databases_in_time_also_if_they_do_not_answer() {
    if !have(&["mariadbd"]) {
        return;
    }
    let folder = tempfile::tempdir_in(FOR_SERVERS).unwrap();
    let drive = folder.path().join("a");
    std::fs::create_dir(&drive).unwrap();
    open_to_all(&[folder.path(), &drive]);
    let load = "[dataset.db]\nengine = \"mysql\"\nfill = { kind = \"oltp_load\", tables = 1, \
                table_size = 2000 }\n";
    let stream = "engine = \"mysql\"\nthreads = 8\nworkload = { kind = \"oltp_read_write\", \
                  tables = 1, table_size = 2000 }";
    let mut run = start(&busy("a database", load.to_string() + &step("", stream)), folder.path());
    let status = run.ended_in_time("a database");
    assert!([Some(143), None].contains(&status.code()), "{}", run.said());
    until("the end of the server", 10, || served_by(&drive).is_none());
    // One that does not answer.
    let mut run =
        start(&busy("a stopped database", load.to_string() + &step("", stream)), folder.path());
    let server = served_by(&drive).and_then(|id| Pid::from_raw(id as i32)).expect("a server");
    kill_process(server, Signal::STOP).unwrap();
    run.ended_in_time("a stopped database");
    kill_process(server, Signal::CONT).unwrap();
    until("the end of the stopped server", 60, || test_kill_process(server).is_err());
}
