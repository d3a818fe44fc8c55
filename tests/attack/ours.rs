//! What Dyno left on a bare device is Dyno's only while nothing else was written there, by whatever
//! path: then `erase = true` is enough. Otherwise it is data of an unknown kind, and not a byte of
//! it changes.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::bench::{Loop, MIB, REFUSAL, Room, bench, must};
use crate::support::until;

pub const CASES: usize = SITUATIONS.len() + 8;

const DISK_MIB: u64 = 256;

const PROTOCOL: &str = "title = \"T\"\nsource = \"t\"\n[dataset.file]\nengine = \"psync\"\n\
    size = \"16MiB\"\ndirect = true\n[[step]]\nname = \"w\"\nduration = \"WINDOW\"\n\
    [[step.stream]]\nname = \"io\"\nengine = \"psync\"\n\
    workload = { kind = \"random\", read = READ, block = \"4KiB\" }\n";

fn room(window: &str, read: u64) -> Room {
    Room::with(&PROTOCOL.replace("WINDOW", window).replace("READ", &read.to_string()))
}

fn plan(room: &Room, disk: &Loop, erase: &str) {
    let erase = if erase.is_empty() { String::new() } else { format!(", erase = {erase}") };
    let text = format!(
        "protocol = \"./protocol.toml\"\nrepeats = 1\nmeters = \"none\"\n[[subject]]\n\
         name = \"A\"\ndrives = [{{ device = \"{}\", serial = \"{}\"{erase} }}]\n",
        disk.device.display(),
        disk.file.display()
    );
    fs::write(room.at("plan.toml"), text).unwrap();
}

#[track_caller]
fn measured(room: &Room, bundle: &str) {
    let (code, said) = room.dyno(&["run", "plan.toml", "-o", bundle]);
    assert_eq!(code, Some(0), "{said}");
}

/// A run is refused because of data of an unknown kind, and the device is not changed.
#[track_caller]
fn refused_unchanged(disk: &Loop, run: impl Fn() -> (Option<i32>, String)) {
    let before = disk.checksum();
    let (code, said) = run();
    assert!(code == REFUSAL && said.contains("data of an unknown kind"), "{said}");
    assert_eq!(before, disk.checksum());
}

/// Not zeros, without a signature, and another each time.
fn archive(mib: u64) -> Vec<u8> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Relaxed) * 2;
    (0..mib * MIB).map(|at| (at / 512 % 199 + number) as u8 | 1).collect()
}

fn write(to: &Path, data: &[u8], at: u64) {
    let file = File::options().write(true).open(to).unwrap();
    file.write_all_at(data, at).unwrap();
    file.sync_all().unwrap();
}

/// What happens to a device after a run, and whether its contents are still Dyno's.
const SITUATIONS: &[(&str, fn(&Loop), bool)] = &[
    ("nothing", |_| (), true),
    ("it is detached and attached again", |disk| disk.device.rebind(&[], &disk.file), true),
    ("it is trimmed", |disk| drop(must("blkdiscard", &["-f", disk.path()])), true),
    ("an archive is written to it", |disk| write(&disk.device, &archive(8), 0), false),
    ("and behind the dataset", |disk| write(&disk.device, &archive(8), 100 * MIB), false),
    (
        "a page is written to it where no sample is",
        |disk| write(&disk.device, &[7; 4096], 33 * MIB + 8192),
        false,
    ),
    ("an archive is written to the file under it", |disk| write(&disk.file, &archive(8), 0), false),
    (
        "a label is written to the file under it, at its end",
        |disk| write(&disk.file, b"mine", DISK_MIB * MIB - 512),
        false,
    ),
    (
        "it is detached, an archive is written to its file, and it is attached again",
        |disk| {
            write(&disk.file, &archive(4), 64 * MIB);
            disk.device.rebind(&[], &disk.file);
        },
        false,
    ),
    (
        "it is detached, attached again, and an archive is written to it",
        |disk| {
            disk.device.rebind(&[], &disk.file);
            write(&disk.device, &archive(4), 64 * MIB);
        },
        false,
    ),
    (
        "an archive comes by another loop device",
        |disk| {
            let other = crate::bench::attach(&disk.file);
            write(&other, &archive(4), 8 * MIB);
        },
        false,
    ),
];

#[test]
fn what_a_run_left_is_dynos_until_something_else_is_written_there_by_any_path() {
    if !bench() {
        return;
    }
    let (room, disk) = (room("250ms", 0), Loop::blank(DISK_MIB));
    for (number, (situation, happens, ours)) in SITUATIONS.iter().enumerate() {
        // Whatever the previous situation left.
        plan(&room, &disk, "\"unknown data\"");
        measured(&room, &format!("{number}-before.dyno"));
        happens(&disk);
        let before = disk.checksum();
        plan(&room, &disk, "true");
        let (code, said) = room.dyno(&["run", "plan.toml", "-o", &format!("{number}.dyno")]);
        if *ours {
            assert_eq!(code, Some(0), "{situation}: {said}");
        } else {
            assert_eq!(code, REFUSAL, "{situation}: {said}");
            assert!(said.contains("data of an unknown kind"), "{situation}: {said}");
            assert_eq!(before, disk.checksum(), "{situation}");
        }
    }
}

#[test]
fn reading_a_drive_does_not_make_its_contents_dynos() {
    if !bench() {
        return;
    }
    let (reads, disk) = (room("250ms", 100), Loop::sized(32));
    let before = disk.checksum();
    plan(&reads, &disk, "");
    measured(&reads, "reads.dyno");
    let writes = room("250ms", 0);
    plan(&writes, &disk, "true");
    let (code, said) = writes.dyno(&["run", "plan.toml", "-o", "writes.dyno"]);
    assert!(code == REFUSAL && said.contains("data of an unknown kind"), "{said}");
    assert_eq!(before, disk.checksum());
}

/// A run that has begun to write.
fn started(room: &Room, disk: &Loop) -> Child {
    let _ = fs::remove_file(room.at("a.dyno"));
    must("blkdiscard", &["-f", disk.path()]);
    plan(room, disk, "true");
    let mut command = room.command(&["run", "plan.toml", "-o", "a.dyno"]);
    let run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let written = || {
        let mut first = [0; 4096];
        let file = File::open(&disk.file).unwrap();
        (0..4096).any(|i| {
            file.read_exact_at(&mut first, i * 4096).is_ok() && first.iter().any(|byte| *byte != 0)
        })
    };
    until("the first writes", 60, written);
    run
}

fn ended(mut run: Child, signal: i32) {
    // SAFETY: sends a signal to a child that was not waited for.
    unsafe { libc::kill(run.id() as i32, signal) };
    run.wait().unwrap();
}

#[test]
fn a_run_that_was_ended_is_resumed_only_over_what_it_left_itself() {
    if !bench() {
        return;
    }
    let (room, disk) = (room("2s", 0), Loop::blank(DISK_MIB));
    let erase = format!("erase:{}", disk.file.display());
    let resume = || room.dyno(&["run", "--resume", "a.dyno", "--allow", &erase]);
    // By the user: everything on it is as it was left.
    ended(started(&room, &disk), libc::SIGINT);
    assert_eq!(resume().0, Some(0), "{}", resume().1);
    // The same, and the drive is used for something else.
    ended(started(&room, &disk), libc::SIGINT);
    write(&disk.device, &archive(8), 4 * MIB);
    refused_unchanged(&disk, resume);
    // Killed while it wrote: another run cannot recognise what is there, but this one may continue.
    ended(started(&room, &disk), libc::SIGKILL);
    refused_unchanged(&disk, || room.dyno(&["run", "plan.toml", "-o", "b.dyno"]));
    let (code, said) = resume();
    assert_eq!(code, Some(0), "{said}");
    // Unless the drive is used for something else in between.
    ended(started(&room, &disk), libc::SIGKILL);
    write(&disk.device, &archive(8), 4 * MIB);
    refused_unchanged(&disk, resume);
    plan(&room, &disk, "\"unknown data\"");
    measured(&room, "permitted.dyno");
    // And what it leaves is known again.
    measured(&room, "c.dyno");
}

#[test]
fn half_of_a_file_is_not_dynos_because_the_other_half_is() {
    if !bench() {
        return;
    }
    let (room, disk) = (room("250ms", 0), Loop::blank(DISK_MIB));
    let half = |offset: u64| ["--offset".into(), (offset * MIB).to_string()];
    let rebind = |offset: u64| {
        let [option, value] = half(offset);
        let size = (DISK_MIB / 2 * MIB).to_string();
        disk.device.rebind(&[&option, &value, "--sizelimit", &size], &disk.file);
    };
    plan(&room, &disk, "true");
    rebind(0);
    measured(&room, "first.dyno");
    measured(&room, "again.dyno");
    write(&disk.file, &archive(8), DISK_MIB / 2 * MIB);
    rebind(DISK_MIB / 2);
    let (code, said) = room.dyno(&["run", "plan.toml", "-o", "other.dyno"]);
    assert!(code == REFUSAL && said.contains("data of an unknown kind"), "{said}");
    rebind(0);
    measured(&room, "first-again.dyno");
}
