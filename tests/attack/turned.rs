//! Names exchanged at the system calls of preparation: whatever a name refers to at any of them, no
//! foreign byte changes. 30 exchanges, or 2,000 with `DYNO_SOAK=1`, over names of directories and
//! of devices.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::bench::{Loop, Room, bench, must};
use crate::support::size;
use crate::turner::{self, Pair, When};

const DIRECTORY: &str = "title = \"T\"\nsource = \"t\"\n[dataset.file]\nengine = \"psync\"\n\
    size = \"256KiB\"\n\
    direct = false\nrestore = true\nfill = { kind = \"sequential\", read = 0, block = \"64KiB\" }\n\
    [[step]]\n\
    name = \"s\"\nduration = \"100ms\"\n[[step.stream]]\nengine = \"psync\"\n\
    workload = { kind = \"random\", read = 50, block = \"64KiB\" }\n";

const DEVICE: &str = "title = \"T\"\nsource = \"t\"\n[prepare]\npurge = \"discard\"\n\
    filesystem = \"ext4\"\n[dataset.file]\n\
    engine = \"psync\"\nsize = \"256KiB\"\ndirect = false\n\
    fill = { kind = \"sequential\", read = 0, block = \"64KiB\" }\n\
    [[step]]\nname = \"s\"\nduration = \"100ms\"\n[[step.stream]]\nengine = \"psync\"\n\
    workload = { kind = \"random\", read = 50, block = \"64KiB\" }\n";

const BARE: &str = "title = \"T\"\nsource = \"t\"\n[prepare]\npurge = \"discard\"\n[dataset.file]\n\
    engine = \"psync\"\n\
    size = \"1MiB\"\ndirect = false\n\
    fill = { kind = \"sequential\", read = 0, block = \"64KiB\" }\n[[step]]\n\
    name = \"s\"\nduration = \"100ms\"\n[[step.stream]]\nengine = \"psync\"\n\
    workload = { kind = \"random\", read = 50, block = \"64KiB\" }\n";

fn turns() -> u64 {
    size(15, 2000)
}

/// The name in a directory that is exchanged, and whether Dyno has been there before.
const NAMES: &[(&str, bool)] = &[
    ("drive", false),
    ("drive/dyno-data", true),
    ("drive/dyno-data/file.0", true),
    ("drive/dyno-data/file.0/data", true),
    ("drive/dyno-data/file.0/.dyno", true),
    ("drive/dyno-data/file.0.kept", true),
];

/// A foreign tree with everything that Dyno might mistake for its own.
fn fill(theirs: &Path) {
    for folder in ["dyno-data/file.0", "dyno-data/file.0.kept", "file.0", "file.0.kept"] {
        fs::create_dir_all(theirs.join(folder)).unwrap();
        fs::write(theirs.join(folder).join("data"), [7; 10_000]).unwrap();
        fs::write(theirs.join(folder).join("letter"), "dear").unwrap();
    }
}

/// One run with exchanges at some of its system calls; returns their number.
fn directory(name: &str, before: bool, when: When) -> turner::Outcome {
    let room = Room::with(DIRECTORY);
    fill(&room.at("theirs"));
    if before {
        let first = room.dyno(&[
            "run",
            "./protocol.toml",
            "--subject",
            "A=drive",
            "--output",
            "first.dyno",
            "--repeats",
            "1",
        ]);
        assert_eq!(first.0, Some(0), "{}", first.1);
        // The plan now has another dataset, so the existing one is removed and recreated.
        fs::write(room.at("protocol.toml"), DIRECTORY.replace("256KiB", "320KiB")).unwrap();
    }
    let target = if name.ends_with("data") && !name.ends_with("dyno-data") {
        "theirs/data"
    } else {
        "theirs"
    };
    let pair = Pair { named: room.at(name), other: room.at("link") };
    symlink(room.at(target), &pair.other).unwrap();
    let theirs = room.theirs();
    // The dataset is restored between two points.
    let args = [
        "run",
        "./protocol.toml",
        "--subject",
        "A=drive",
        "--output",
        "second.dyno",
        "--repeats",
        "2",
    ];
    let mut command = room.command(&args);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let outcome = turner::run(command, &pair, when);
    assert_eq!(theirs, room.theirs(), "{name}, {when:?}");
    outcome
}

/// One run on a device named by a link, which is exchanged for one to a foreign device.
fn device(protocol: &str, when: When) -> turner::Outcome {
    let (room, disk, other) = (Room::with(protocol), Loop::blank(16), Loop::blank(16));
    // Never mounted: a server started by a parallel test has its own mount namespace, in which the
    // filesystem would stay mounted and be written.
    let folder = room.at("files");
    fill(&folder);
    must("mkfs.ext4", &["-q", "-F", "-d", folder.to_str().unwrap(), other.path()]);
    let pair = Pair { named: room.at("named"), other: room.at("link") };
    symlink(&disk.device, &pair.named).unwrap();
    symlink(&other.device, &pair.other).unwrap();
    // The foreign device would even be erasable, except for its identity.
    let text = format!(
        "protocol = \"./protocol.toml\"\nrepeats = 1\n[[subject]]\nname = \"A\"\n\
         drives = [{{ device = \"{}\", serial = \"{}\", erase = [\"ext4\", \"unknown data\"] }}]\n",
        pair.named.display(),
        disk.file.display()
    );
    fs::write(room.at("plan.toml"), text).unwrap();
    let before = other.checksum();
    let mut command = room.command(&["run", "plan.toml", "--output", "a.dyno"]);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let outcome = turner::run(command, &pair, when);
    assert_eq!(before, other.checksum(), "{when:?}");
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    for device in [&disk.device, &other.device] {
        let point = format!(" /run/dyno/{} ", device.file_name().unwrap().to_string_lossy());
        assert!(!mounts.contains(&point), "{when:?}: {point} stays mounted");
    }
    outcome
}

/// Exchanges spread over all system calls of a run: one permanent, and for a few calls only.
fn spread(turns: u64, run: impl Fn(When) -> turner::Outcome) -> u64 {
    let calm = run(When::Never);
    assert_eq!(calm.code, Some(0), "without a turn: {calm:?}");
    let mut done = 0;
    for i in 0..turns {
        let at = 1 + calm.calls * i / turns;
        let outcome = run(if i % 2 == 0 { When::Once(at) } else { When::For(at, 1 + i % 7) });
        done += u64::from(outcome.turns > 0);
    }
    done + run(When::Always).turns.min(1)
}

#[test]
fn turning_the_names_of_directories_changes_not_a_byte_of_somebodys() {
    if !bench() {
        return;
    }
    let each = turns() / 2 / NAMES.len() as u64 + 1;
    let done: u64 = NAMES
        .iter()
        .map(|(name, before)| spread(each, |when| directory(name, *before, when)))
        .sum();
    println!("{done} turns of names of directories");
    assert!(done * 2 > each * NAMES.len() as u64, "too few names were there to be turned: {done}");
}

#[test]
fn turning_the_names_of_devices_changes_not_a_byte_of_somebodys() {
    if !bench() {
        return;
    }
    let each = turns() / 4;
    let done: u64 =
        [DEVICE, BARE].iter().map(|protocol| spread(each, |when| device(protocol, when))).sum();
    println!("{done} turns of names of devices");
    assert!(done > each, "too few names were there to be turned: {done}");
}
