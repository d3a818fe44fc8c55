//! Kill -9 at random times during every kind of run, then resumed: the same points, a complete
//! bundle, and no leftover mounts or processes. 8 kills, or 700 with `DYNO_SOAK=1`: 466 over
//! directories and servers, 234 over bare devices. Servers are also killed at their start.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use dyno::store::Bundle;
use rusqlite::Connection;

use crate::bench::{Loop, Room, bench, must};
use crate::support::{have, seed, size, until};

/// A kind of run: its protocol, whether it has a device, and the required programs.
struct Kind {
    name: &'static str,
    protocol: &'static str,
    device: bool,
    needs: &'static [&'static str],
}

const STEPS: &str = "[[step]]\nname = \"a\"\nduration = \"80ms\"\n[[step.stream]]\nENGINE\n\
    [[step]]\nname = \"b\"\nduration = \"80ms\"\n[[step.stream]]\nENGINE\n";
const BLOCK: &str = "name = \"io\"\nengine = \"psync\"\n\
                     workload = { kind = \"random\", read = 50, block = \"4KiB\" }";

const KINDS: &[Kind] = &[
    Kind {
        name: "fill",
        protocol: "[dataset.file]\nengine = \"psync\"\nsize = \"24MiB\"\ndirect = false\n\
                   fill = { kind = \"sequential\", read = 0, block = \"16KiB\" }\n",
        device: false,
        needs: &[],
    },
    Kind {
        name: "prepare",
        protocol: "[prepare]\npurge = \"discard\"\nfilesystem = \"ext4\"\n[dataset.file]\n\
                   engine = \"psync\"\n\
                   size = \"4MiB\"\ndirect = false\n\
                   fill = { kind = \"sequential\", read = 0, block = \"64KiB\" }\n",
        device: true,
        needs: &["mkfs.ext4"],
    },
    Kind {
        name: "point on a bare device",
        protocol: "[dataset.file]\nengine = \"psync\"\nsize = \"4MiB\"\ndirect = true\n\
                   fill = { kind = \"sequential\", read = 0, block = \"64KiB\" }\n",
        device: true,
        needs: &[],
    },
    Kind {
        name: "restore",
        protocol: "[dataset.file]\nengine = \"psync\"\nsize = \"8MiB\"\ndirect = false\n\
                   restore = true\n\
                   fill = { kind = \"sequential\", read = 0, block = \"64KiB\" }\n",
        device: false,
        needs: &[],
    },
    Kind {
        name: "several instances",
        protocol: "[dataset.file]\nengine = \"psync\"\nsize = \"2MiB\"\ndirect = false\n\
                   fill = { kind = \"sequential\", read = 0, block = \"64KiB\" }\n",
        device: false,
        needs: &[],
    },
    Kind {
        name: "server",
        protocol: "[dataset.db]\nengine = \"postgres\"\n\
                   fill = { kind = \"oltp_load\", tables = 1, table_size = 500 }\n",
        device: false,
        needs: &["initdb"],
    },
];

impl Kind {
    /// Long enough for a transaction on a busy machine.
    fn window(&self) -> &'static str {
        if self.name == "server" { "1s" } else { "80ms" }
    }

    fn room(&self) -> Room {
        let stream = match self.name {
            "server" => "name = \"io\"\nengine = \"postgres\"\n\
                         workload = { kind = \"oltp_read_write\", tables = 1, table_size = 500 }\n"
                .to_string(),
            "several instances" => format!("{BLOCK}\ninstances = 3\n"),
            _ => BLOCK.to_string(),
        };
        let room = Room::with(&format!(
            "title = \"T\"\nsource = \"t\"\n{}{}",
            self.protocol,
            STEPS.replace("ENGINE", &stream).replace("80ms", self.window())
        ));
        let mut open = room.folder.path();
        // A server runs as another user, who must have access.
        while let Some(parent) = open.parent() {
            let _ = std::process::Command::new("chmod").arg("o+x").arg(open).status();
            open = parent;
        }
        room
    }

    fn plan(&self, room: &Room, disk: Option<&Loop>) {
        let drive = match disk {
            Some(disk) => format!(
                "{{ device = \"{}\", serial = \"{}\", erase = true }}",
                disk.device.display(),
                disk.file.display()
            ),
            None => "{ path = \"drive\" }".to_string(),
        };
        let text = format!(
            "protocol = \"./protocol.toml\"\nrepeats = 2\n[[subject]]\nname = \"A\"\n\
             drives = [{drive}]\n"
        );
        fs::write(room.at("plan.toml"), text).unwrap();
    }
}

fn points(bundle: &Path) -> Vec<String> {
    let points = Bundle::open(bundle).and_then(|b| b.points()).unwrap();
    let mut keys: Vec<String> =
        points.iter().map(|p| format!("{:?} {:?}", p.point.key, p.point.outcome)).collect();
    keys.sort();
    keys
}

/// Every folder in a folder, and the folder itself, by device and inode.
fn folders(at: &Path, found: &mut Vec<(u64, u64)>) {
    found.extend(fs::metadata(at).ok().map(|m| (m.dev(), m.ino())));
    // Entries being removed may have disappeared.
    for entry in fs::read_dir(at).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            folders(&entry.path(), found);
        }
    }
}

/// Whether a process has this folder in its command line, works in one of its folders (a server
/// knows its own by another name), or has the device open (a formatting tool has it as its input).
fn runs_in(folder: &Path, device: Option<&Path>) -> bool {
    let mut own = Vec::new();
    folders(folder, &mut own);
    let named = folder.to_string_lossy().into_owned();
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name() != *std::process::id().to_string())
        .any(|entry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let cwd = fs::metadata(entry.path().join("cwd")).ok().map(|m| (m.dev(), m.ino()));
            let mut open = fs::read_dir(entry.path().join("fd")).into_iter().flatten().flatten();
            String::from_utf8_lossy(&line).contains(&named)
                || cwd.is_some_and(|cwd| own.contains(&cwd))
                || device.is_some_and(|device| {
                    open.any(|fd| fs::read_link(fd.path()).is_ok_and(|to| to == device))
                })
        })
}

/// A run, resumed while a point failed: on a busy machine, a short window may be without an op.
fn completed(room: &Room, run: &[&str], resume: &[&str]) -> (Option<i32>, String) {
    let mut ended = room.dyno(run);
    for _ in 0..20 {
        if ended.0 == Some(2) {
            ended = room.dyno(resume);
        }
    }
    ended
}

/// One kill, after this share of a whole run's duration. Returns the time until nothing of the run
/// was left; a run may also be resumed at once, beside a server that is still being stopped.
fn kill_and_resume(
    kind: &Kind,
    (whole, expected): &(Duration, Vec<String>),
    share: f64,
    at_once: bool,
) -> Option<Duration> {
    let room = kind.room();
    let disk = kind.device.then(|| Loop::blank(32));
    kind.plan(&room, disk.as_ref());
    let theirs = room.theirs();
    let what = format!("{}, killed after {share:.2} of its time", kind.name);
    let mut run = room
        .command(&["run", "plan.toml", "--output", "a.dyno"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let due = Instant::now() + whole.mul_f64(share);
    // The time of the kill is under test. A run that has ended is not waited for.
    while Instant::now() < due && run.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    // A run is refused while a formatting tool is active; a leftover server is handled by the next
    // run.
    let device = disk.as_ref().map(|disk| &*disk.device);
    let killed = Instant::now();
    let left = (kind.name != "server" || !at_once).then(|| {
        let gone = || !runs_in(room.folder.path(), device);
        until("whatever the run had started to be gone", 60, gone);
        killed.elapsed()
    });
    // If killed before its bundle was complete, a run has not started.
    let begun = Bundle::open(&room.at("a.dyno")).is_ok();
    if !begun {
        let _ = fs::remove_file(room.at("a.dyno"));
        let _ = fs::remove_file(room.at("a.dyno-journal"));
    }
    let serial = disk.as_ref().map(|d| d.file.display().to_string()).unwrap_or_default();
    // Permissions of a bundle's plan to erase, mount or start must be repeated.
    let named = ["--allow", &serial, "--allow", "noatime", "--allow", "postgres"];
    let resume = [&["run", "--resume", "a.dyno"][..], &named].concat();
    let again = if begun { &resume[..] } else { &["run", "plan.toml", "--output", "a.dyno"] };
    let (code, said) = completed(&room, again, &resume);
    assert_eq!(code, Some(0), "{what}: {said}");
    assert_eq!(points(&room.at("a.dyno")), *expected, "{what}: {said}");
    let bundle = Connection::open(room.at("a.dyno")).unwrap();
    let whole: String = bundle.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(whole, "ok", "{what}");
    until("whatever the runs had started to be gone", 60, || !runs_in(room.folder.path(), device));
    if let Some(disk) = &disk {
        let point = format!(" /run/dyno/{} ", disk.device.file_name().unwrap().to_string_lossy());
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        assert!(!mounts.contains(&point), "{what}: something is left mounted");
    }
    assert_eq!(theirs, room.theirs(), "{what}");
    left
}

#[test]
fn a_run_killed_at_any_moment_is_resumed_to_the_same_points_and_leaves_nothing() {
    if !bench() {
        return;
    }
    let kills = size(8, 700);
    let kinds: Vec<&Kind> = KINDS.iter().filter(|kind| have(kind.needs)).collect();
    let mut random = seed().wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    println!("random moments from {random}");
    let mut timed: Vec<(Duration, Vec<String>)> = Vec::new();
    for kind in &kinds {
        let room = kind.room();
        let disk = kind.device.then(|| Loop::blank(32));
        kind.plan(&room, disk.as_ref());
        let from = Instant::now();
        let resume = ["run", "--resume", "a.dyno", "--allow", "postgres", "--allow", "noatime"];
        let (code, said) = completed(&room, &["run", "plan.toml", "--output", "a.dyno"], &resume);
        assert_eq!(code, Some(0), "{}: {said}", kind.name);
        timed.push((from.elapsed(), points(&room.at("a.dyno"))));
    }
    let (mut begun, mut longest) = (vec![0; kinds.len()], vec![Duration::ZERO; kinds.len()]);
    for i in 0..kills {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let share = (random % 10_000) as f64 / 10_000.0;
        let which = i % kinds.len();
        let at_once = i / kinds.len() % 2 == 1;
        let left = kill_and_resume(kinds[which], &timed[which], share, at_once);
        if (i + 1) % 50 == 0 {
            println!("{} of {kills}", i + 1);
        }
        begun[which] += 1;
        longest[which] = longest[which].max(left.unwrap_or_default());
    }
    for (which, kind) in kinds.iter().enumerate() {
        let (kills, longest) = (begun[which], longest[which].as_secs_f64());
        println!("{}: {kills} kills, nothing left after at most {longest:.1} s", kind.name);
    }
}

/// A server that is starting may ignore the signal that the kernel sends it when Dyno ends, and
/// the tools that create its data directory have child processes.
#[test]
fn a_dyno_killed_while_its_server_starts_leaves_no_server_and_no_folder() {
    if !bench() {
        return;
    }
    let servers = [
        ("mysql", "mariadbd", "buffer_pool = \"32MiB\"\nredo_log = \"96MiB\"\n"),
        ("postgres", "initdb", ""),
    ];
    for (engine, program, settings) in servers {
        if !have(&[program]) {
            continue;
        }
        let workload = "{ kind = \"oltp_read_write\", tables = 1, table_size = 500 }";
        let protocol = format!(
            "title = \"T\"\nsource = \"t\"\n[dataset.db]\nengine = \"{engine}\"\n{settings}\
             fill = {{ kind = \"oltp_load\", tables = 1, table_size = 500, threads = 1 }}\n\
             [[step]]\nname = \"s\"\nduration = \"1s\"\n[[step.stream]]\nname = \"io\"\n\
             engine = \"{engine}\"\nworkload = {workload}\n"
        );
        let room = Room::with(&protocol);
        must("chmod", &["o+x", room.folder.path().to_str().unwrap()]);
        let temporary = tempfile::tempdir_in("/tmp").unwrap();
        must("chmod", &["o+x", temporary.path().to_str().unwrap()]);
        let args = ["run", "./protocol.toml", "--subject", "A=drive", "--repeats", "1", "-q"];
        let mut longest = 0.0_f64;
        let kills = size(4, 200);
        for i in 0..kills {
            let bundle = format!("{i}.dyno");
            let mut command = room.command(&[&args[..], &["--output", &bundle]].concat());
            command.env("TMPDIR", temporary.path()).stderr(Stdio::null());
            let mut run = command.spawn().unwrap();
            let started = || fs::read_dir(temporary.path()).unwrap().next().is_some();
            until("a server's folder", 120, || started() || run.try_wait().unwrap().is_some());
            // The time of the kill is under test: from before the server's first instruction until
            // it answers.
            std::thread::sleep(Duration::from_millis([0, 15, 60, 250, 700][i % 5]));
            run.kill().unwrap();
            run.wait().unwrap();
            let what = format!("{engine}, kill {i}");
            let begun = Instant::now();
            let left = || runs_in(room.folder.path(), None) || started();
            until(&format!("{what}: its server and folder to be gone"), 60, || !left());
            longest = longest.max(begun.elapsed().as_secs_f64());
        }
        println!("{engine}: {kills} kills, gone after at most {longest:.1} s");
    }
}
