//! A run continues when its audience is gone: its output closed, its log disk full, its terminal
//! closed or hanging.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use crate::bench::{Bench, DYNO};
use crate::support::{points_so_far, until};

/// Six points of 200 ms.
const PROTOCOL: &str = "title = \"T\"\nsource = \"t\"\n[[step]]\nname = \"a\"\n\
                        duration = \"200ms\"\n\
                        sweep = { axis = \"io.threads\", values = [1, 2, 3] }\n\
                        [[step.stream]]\nname = \"io\"\nengine = \"null\"\nworkload = \"random\"\n";
const POINTS: usize = 6;

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("p.toml", PROTOCOL);
    bench
}

fn command(bench: &Bench) -> Command {
    let mut command = Command::new(DYNO);
    command.args([
        "run",
        "./p.toml",
        "--subject",
        "X=x",
        "--subject",
        "Y=y",
        "--output",
        "b.dyno",
        "--repeats",
        "1",
    ]);
    command.current_dir(bench.dir()).stdin(Stdio::null());
    command
}

fn points(bench: &Bench) -> usize {
    points_so_far(&bench.at("b.dyno"))
}

fn wait_for_a_point(bench: &Bench) {
    until("the run's first point", 60, || points(bench) > 0);
}

/// The exit code of a run that ends by itself.
fn wait(child: &mut Child) -> Option<i32> {
    let mut status = None;
    until("the run's end", 120, || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.and_then(|status| status.code())
}

/// A terminal: the user's side, and the programs' side.
fn terminal() -> (OwnedFd, OwnedFd) {
    let (mut master, mut slave) = (0, 0);
    let none = std::ptr::null_mut();
    // SAFETY: both numbers are written by the call; no name, settings or size is requested.
    assert_eq!(unsafe { libc::openpty(&mut master, &mut slave, none, none as _, none as _) }, 0);
    // SAFETY: both are open, and have no other owner.
    let pair = unsafe { (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) };
    // The user's side is not inherited by the program, or it would never hang up.
    unsafe { libc::fcntl(pair.0.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) };
    pair
}

/// Starts the run on its own terminal, like a login shell.
fn on(bench: &Bench, slave: &OwnedFd) -> Child {
    let mut command = command(bench);
    let side = || Stdio::from(slave.try_clone().unwrap());
    command.stdin(side()).stdout(side()).stderr(side());
    // SAFETY: between fork and exec only system calls are made.
    unsafe {
        command.pre_exec(|| {
            if libc::setsid() < 0 || libc::ioctl(0, libc::TIOCSCTTY, 0) < 0 {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        })
    };
    command.spawn().unwrap()
}

#[test]
fn a_run_whose_output_is_a_closed_pipe_finishes() {
    let bench = bench();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut child =
        command(&bench).stdout(writer.try_clone().unwrap()).stderr(writer).spawn().unwrap();
    assert_eq!((wait(&mut child), points(&bench)), (Some(0), POINTS));
}

#[test]
fn a_run_whose_output_is_a_pipe_that_nobody_reads_finishes() {
    let bench = bench();
    let (reader, writer) = std::io::pipe().unwrap();
    // Full, so that further writes would block forever.
    let full = writer.try_clone().unwrap();
    let flags = rustix::fs::fcntl_getfl(&full).unwrap();
    rustix::fs::fcntl_setfl(&full, flags | rustix::fs::OFlags::NONBLOCK).unwrap();
    while rustix::io::write(&full, &[b'x'; 4096]).is_ok() {}
    rustix::fs::fcntl_setfl(&full, flags).unwrap();
    let mut child = command(&bench).stdout(Stdio::null()).stderr(writer).spawn().unwrap();
    assert_eq!((wait(&mut child), points(&bench)), (Some(0), POINTS));
    drop(reader);
}

#[test]
fn a_run_whose_log_is_on_a_full_disk_finishes() {
    let bench = bench();
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let mut child = command(&bench).stdout(full()).stderr(full()).spawn().unwrap();
    assert_eq!((wait(&mut child), points(&bench)), (Some(0), POINTS));
}

#[test]
fn a_run_whose_output_is_closed_altogether_finishes() {
    let bench = bench();
    let script = format!(
        "exec {DYNO} run ./p.toml --subject X=x --subject Y=y --repeats 1 --output b.dyno <&- >&- \
         2>&-"
    );
    let mut child =
        Command::new("sh").args(["-c", &script]).current_dir(bench.dir()).spawn().unwrap();
    assert_eq!((wait(&mut child), points(&bench)), (Some(0), POINTS));
}

#[test]
fn a_run_whose_terminal_hangs_up_finishes() {
    let bench = bench();
    let (master, slave) = terminal();
    let mut child = on(&bench, &slave);
    drop(slave);
    wait_for_a_point(&bench);
    drop(master);
    assert_eq!((wait(&mut child), points(&bench)), (Some(0), POINTS));
}

#[test]
fn a_run_whose_terminal_is_looked_at_by_nobody_finishes() {
    let bench = bench();
    let (master, slave) = terminal();
    // As after Ctrl-S: writes block. SAFETY: stops the output of an open terminal.
    assert_eq!(unsafe { libc::tcflow(slave.as_raw_fd(), libc::TCOOFF) }, 0);
    let mut child = on(&bench, &slave);
    assert_eq!((wait(&mut child), points(&bench)), (Some(0), POINTS));
    drop((master, slave));
}

#[test]
fn a_signal_ends_a_run_with_its_own_code_and_the_run_goes_on_later() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let bench = bench();
        let mut run = command(&bench);
        run.stderr(Stdio::null());
        // Without a terminal, so that a hang-up comes from a supervisor; and with the default
        // disposition of hang-ups, which `nohup make test` would have ignored. SAFETY: between fork
        // and exec only system calls are made.
        unsafe {
            run.pre_exec(|| {
                libc::signal(libc::SIGHUP, libc::SIG_DFL);
                if libc::setsid() < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
            })
        };
        let mut child = run.spawn().unwrap();
        wait_for_a_point(&bench);
        Command::new("kill")
            .args([&format!("-{signal}"), &child.id().to_string()])
            .status()
            .unwrap();
        assert_eq!(wait(&mut child), Some(code), "SIG{signal}");
        assert!(points(&bench) < POINTS, "SIG{signal}");
        bench.ok(&["run", "--resume", "b.dyno"]);
        assert_eq!(points(&bench), POINTS, "SIG{signal}");
    }
}

#[test]
fn what_goes_wrong_has_a_code_of_its_own_and_ends_its_line() {
    let bench = bench();
    bench.ok(&["run", "./p.toml", "--subject", "X=x", "--output", "done.dyno"]);
    bench.write("bad.toml", "protocol = \"quick\"\nrepeat = 1\n");
    for (args, code) in [
        (&["--help"][..], 0),
        (&["show", "done.dyno"], 0),
        (&["show"], 64),
        (&["show", "--none", "done.dyno"], 64),
        (&["run", "bad.toml"], 1),
        (&["show", "gone.dyno"], 1),
        (&["run", "./p.toml", "--subject", "X=x", "--output", "done.dyno"], 3),
    ] {
        let ended = bench.dyno(args);
        assert_eq!(ended.code(), Some(code), "{args:?}: {}", ended.said);
        assert!(
            code == 0 || ended.said.ends_with('\n') && !ended.said.ends_with("\n\n\n"),
            "{args:?}: {:?}",
            ended.said
        );
    }
}

#[test]
fn an_error_before_the_first_point_does_not_speak_of_what_was_measured() {
    let bench = bench();
    bench.write(
        "meter.toml",
        "protocol = \"./p.toml\"\n[[subject]]\nname = \"X\"\ndrives = [{ path = \"x\" }]\n\
                               meters = [{ kind = \"hwmon\", sensor = \"none/power9\" }]\n",
    );
    let ended = bench.dyno(&["run", "meter.toml", "--output", "b.dyno"]);
    assert!(!ended.status.success());
    assert!(
        ended.said.contains("nothing was measured") && !ended.said.contains("until then"),
        "{}",
        ended.said
    );
}

#[test]
fn the_reader_of_a_pipe_may_have_seen_enough() {
    let bench = bench();
    bench.ok(&["run", "./p.toml", "--subject", "X=x", "--output", "b.dyno"]);
    for (args, full) in
        [(&["show", "b.dyno"][..], 1), (&["export", "b.dyno", "--table", "histograms"], 1)]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut dyno = Command::new(DYNO);
        let closed = dyno.args(args).current_dir(bench.dir()).stdout(writer).status().unwrap();
        assert_eq!(closed.code(), Some(0), "{args:?}");
        let disk = File::options().write(true).open("/dev/full").unwrap();
        let output = Command::new(DYNO)
            .args(args)
            .current_dir(bench.dir())
            .stdout(disk)
            .stderr(Stdio::null())
            .status();
        assert_eq!(output.unwrap().code(), Some(full), "{args:?}: what is lost is said");
    }
}
