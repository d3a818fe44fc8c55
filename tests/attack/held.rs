//! Drives used without being mounted: open, mapped, locked, under a loop device with a misleading
//! name, or mounted where this process cannot see it. And one run at a time.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use dyno::base::clock::Clock;
use dyno::base::error::describe;
use dyno::lab::folder::pin::Pins;
use dyno::lab::guard;
use dyno::plan::{Drive, DrivePlace};

use crate::bench::{Loop, REFUSAL, Room, attach, bench, must};
use crate::drives::{passed, refused};
use crate::support::LOOPS;

pub const CASES: usize = 21;

/// Another process that uses a device and reports when it is ready; killed when dropped.
pub struct Other(Child);

impl Other {
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    pub fn doing(script: &str, device: &Path) -> Other {
        let mut command = Command::new("python3");
        let script = format!(
            "import sys, os, time, fcntl, mmap\nd = sys.argv[1]\n{script}\n\
                              print('ready', flush=True)\n\
                              time.sleep(600)"
        );
        command.args(["-c", &script]).arg(device).stdout(Stdio::piped()).stdin(Stdio::null());
        Other::started(command)
    }

    /// In its own mount namespace, which releases the mounts of other tests: its copies would hold
    /// their devices. Mounts on removed folders disappear by themselves.
    pub fn apart(script: &str, device: &Path, folder: &Path) -> Other {
        let mut command = Command::new("unshare");
        let script = format!(
            "mount --make-rprivate /
             grep '^/dev/loop' /proc/self/mounts | cut -d' ' -f2 | xargs -r umount -l || true
             if grep '^/dev/loop' /proc/self/mounts >&2; then exit 1; fi
             {script} && echo ready && exec sleep 600"
        );
        command.args(["--mount", "sh", "-ec", &script, "sh"]).args([device, folder]);
        command.stdout(Stdio::piped()).stdin(Stdio::null());
        Other::started(command)
    }

    fn started(mut command: Command) -> Other {
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line.trim(), "ready");
        Other(child)
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The other process's use of the device, and the message.
const HELD: &[(&str, &str, &str)] = &[
    ("open for writing", "f = os.open(d, os.O_WRONLY)", "has it open for writing"),
    ("open for reading and writing", "f = os.open(d, os.O_RDWR)", "has it open for writing"),
    ("open to append", "f = os.open(d, os.O_WRONLY | os.O_APPEND)", "has it open for writing"),
    (
        "open past the page cache",
        "f = os.open(d, os.O_RDWR | os.O_DIRECT)",
        "has it open for writing",
    ),
    (
        "mapped, and closed",
        "f = os.open(d, os.O_RDWR); m = mmap.mmap(f, 4096); os.close(f)",
        "has it open for writing",
    ),
    ("open exclusively", "f = os.open(d, os.O_RDONLY | os.O_EXCL)", "open for itself"),
    (
        "locked with flock",
        "f = os.open(d, os.O_RDONLY); fcntl.flock(f, fcntl.LOCK_EX)",
        "has locked it",
    ),
    (
        "locked with flock, shared",
        "f = os.open(d, os.O_RDONLY); fcntl.flock(f, fcntl.LOCK_SH)",
        "has locked it",
    ),
    (
        "locked by fcntl",
        "f = os.open(d, os.O_RDWR); fcntl.lockf(f, fcntl.LOCK_EX)",
        "has locked it",
    ),
    (
        "locked by fcntl, for reading",
        "f = os.open(d, os.O_RDONLY); fcntl.lockf(f, fcntl.LOCK_SH)",
        "has locked it",
    ),
];

#[test]
fn what_another_process_has_is_refused_with_its_name_and_passes_once_it_is_gone() {
    if !bench() {
        return;
    }
    for (situation, script, says) in HELD {
        let disk = Loop::new();
        let other = Other::doing(script, &disk.device);
        refused(situation, &disk, &disk.drive(), says);
        refused(situation, &disk, &disk.drive(), &format!("process {}", other.0.id()));
        drop(other);
        passed(situation, &disk, &disk.drive());
    }
    let disk = Loop::new();
    let _reader = Other::doing("f = os.open(d, os.O_RDONLY)", &disk.device);
    passed("open for reading only", &disk, &disk.drive());
}

#[test]
fn stacks_are_found_by_number_whatever_their_names_are() {
    if !bench() {
        return;
    }
    let disk = Loop::new();
    let number =
        fs::metadata(&disk.device).map(|m| std::os::unix::fs::MetadataExt::rdev(&m)).unwrap();
    let private = disk.folder.path().join("private-node");
    let (major, minor) = (libc::major(number).to_string(), libc::minor(number).to_string());
    must("mknod", &[private.to_str().unwrap(), "b", &major, &minor]);
    let upper = attach(&private);
    refused("a loop device over a private node", &disk, &disk.drive(), "is on it");
    fs::remove_file(&private).unwrap();
    refused("the same, the node removed", &disk, &disk.drive(), "is on it");
    drop(upper);
    passed("detached", &disk, &disk.drive());

    let folder = disk.folder.path().join("there");
    fs::create_dir(&folder).unwrap();
    let script = format!(
        "mount -t tmpfs none \"$2\" && cp -a \"$1\" \"$2/node\" && \
         flock {LOOPS} losetup --find --show \"$2/node\" > \"$2.loop\""
    );
    let other = Other::apart(&script, &disk.device, &folder);
    refused("a loop device made in another mount namespace", &disk, &disk.drive(), "is on it");
    drop(other);
    must(
        "losetup",
        &["-d", fs::read_to_string(disk.folder.path().join("there.loop")).unwrap().trim()],
    );

    must("mkfs.ext4", &["-q", "-F", disk.path()]);
    let named = Drive { erase_signatures: vec!["ext4".into()], ..disk.drive() };
    passed("its ext4 named", &disk, &named);
    let other = Other::apart("mount -o ro,noload \"$1\" \"$2\"", &disk.device, &folder);
    refused("mounted in another mount namespace", &disk, &named, "open for itself");
    drop(other);
    let script = format!(
        "mount \"$1\" \"$2\" && truncate -s 1M \"$2/image\" && \
         flock {LOOPS} losetup --find --show \"$2/image\" > \"$2.loop\""
    );
    let other = Other::apart(&script, &disk.device, &folder);
    refused("under a file that is a loop device, mounted elsewhere", &disk, &named, "is on it");
    drop(other);
    must(
        "losetup",
        &["-d", fs::read_to_string(disk.folder.path().join("there.loop")).unwrap().trim()],
    );
}

#[test]
fn a_device_that_is_held_is_reached_by_descriptor_whatever_its_name_means_by_now() {
    if !bench() {
        return;
    }
    let (disk, other) = (Loop::new(), Loop::new());
    let link = disk.folder.path().join("link");
    std::os::unix::fs::symlink(&disk.device, &link).unwrap();
    let named = crate::bench::drive(&link, disk.file.to_str().unwrap());
    let mut pins = Pins::default();
    pins.hold(&named, Clock::start()).unwrap();
    let held = pins.drive(&named);
    passed("held", &disk, &held);
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(&other.device, &link).unwrap();
    passed("held, its link turned", &disk, &held);
    let DrivePlace::Device { path, .. } = &held.place else { panic!("a device") };
    let opened = OpenOptions::new().read(true).write(true).open(path).unwrap();
    guard::verify(&opened, path, disk.file.to_str().unwrap()).unwrap();
    refused("by its name", &other, &named, "serial number");
    // Another run finds it locked, and reports by whom.
    let before = disk.checksum();
    let error = Pins::default().hold(&disk.drive(), Clock::start()).unwrap_err();
    assert!(describe(&error).0.contains("is in use"), "{error:?}");
    assert_eq!(before, disk.checksum());
}

const LONG: &str = "title = \"T\"\nsource = \"t\"\n[dataset.file]\nengine = \"psync\"\n\
    size = \"256KiB\"\ndirect = false\n\
    fill = { kind = \"sequential\", read = 0, block = \"64KiB\" }\n[[step]]\nname = \"long\"\n\
    duration = \"60s\"\n\
    [[step.stream]]\nname = \"io\"\nengine = \"psync\"\nworkload = \"random\"\n";

#[test]
fn one_run_at_a_time_works_on_a_directory_and_on_a_device_and_the_other_is_named() {
    if !bench() {
        return;
    }
    let (room, disk) = (Room::with(LONG), Loop::blank(16));
    std::os::unix::fs::symlink(room.at("drive"), room.at("alias")).unwrap();
    let device = |name: &str| {
        let (device, serial) = (disk.device.display(), disk.file.display());
        let text = format!(
            "protocol = \"./protocol.toml\"\n[[subject]]\nname = \"A\"\n\
             drives = [{{ device = \"{device}\", serial = \"{serial}\", erase = \"unknown data\" \
             }}]\n"
        );
        fs::write(room.at(name), text).unwrap();
    };
    device("plan.toml");
    for (what, args, again) in [
        (
            "a directory",
            &["./protocol.toml", "--subject", "A=drive"][..],
            &["./protocol.toml", "--subject", "A=alias"][..],
        ),
        ("a device", &["plan.toml"], &["plan.toml"]),
    ] {
        let mut first = room
            .command(&[&["run", "--output", "a.dyno"][..], args].concat())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The check before the run also takes the lock, and releases it before the bundle is made.
        crate::support::until("the first run's lock", 60, || {
            room.at("a.dyno").exists() && locked(&room.at("drive"), &disk.device, first.id())
        });
        let (code, said) = room.dyno(&[&["run", "--output", "b.dyno"][..], again].concat());
        assert_eq!(code, REFUSAL, "{what}: {said}");
        assert!(
            said.contains("is in use") && said.contains(&format!("process {}", first.id())),
            "{what}: {said}"
        );
        first.kill().unwrap();
        first.wait().unwrap();
        for entry in fs::read_dir(room.folder.path()).unwrap().flatten() {
            if entry.file_name().to_string_lossy().contains(".dyno") {
                fs::remove_file(entry.path()).unwrap();
            }
        }
    }
}

#[test]
fn one_run_at_a_time_writes_to_a_bundle_and_the_other_is_named() {
    let room = Room::with(&LONG.replace("\"psync\"", "\"null\"").replace("direct = false\n", ""));
    for resumed in [false, true] {
        let args = ["run", "./protocol.toml", "--subject", "A=drive", "--output", "a.dyno"];
        let args = if resumed { &["run", "--resume", "a.dyno"][..] } else { &args };
        let mut first = room.command(args).stderr(Stdio::null()).spawn().unwrap();
        crate::support::until("the bundle's lock", 60, || {
            locked(&room.at("a.dyno"), &room.at("a.dyno"), first.id())
        });
        let (code, said) = room.dyno(&["run", "--resume", "a.dyno"]);
        assert_eq!(code, REFUSAL, "{said}");
        assert!(
            said.contains("a.dyno is in use") && said.contains(&format!("process {}", first.id())),
            "{said}"
        );
        first.kill().unwrap();
        first.wait().unwrap();
    }
}

/// Whether the process has locked either.
fn locked(directory: &Path, device: &Path, pid: u32) -> bool {
    let table = fs::read_to_string("/proc/locks").unwrap_or_default();
    let inode = |path: &Path| {
        fs::metadata(path).map(|m| std::os::unix::fs::MetadataExt::ino(&m)).unwrap_or(0)
    };
    let inodes = [inode(directory), inode(device)];
    table.lines().any(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ours =
            words.get(1) == Some(&"FLOCK") && words.get(4) == Some(&pid.to_string().as_str());
        let ino = words.get(5).and_then(|w| w.rsplit(':').next()).and_then(|n| n.parse().ok());
        ours && ino.is_some_and(|n: u64| inodes.contains(&n))
    })
}

const ON_A_FILESYSTEM: &str = "title = \"T\"\nsource = \"t\"\n[prepare]\nfilesystem = \"ext4\"\n\
    [dataset.file]\n\
    engine = \"uring\"\nsize = \"4MiB\"\ndirect = true\n\
    fill = { kind = \"sequential\", read = 0, block = \"64KiB\" }\n\
    [[step]]\nname = \"s\"\nduration = \"100ms\"\n[[step.stream]]\nname = \"io\"\n\
    engine = \"uring\"\ndepth = 8\n\
    workload = { kind = \"random\", read = 50, block = \"4KiB\" }\n";

fn plan_of(room: &Room, disk: &Loop, erase: &str) {
    let (device, serial) = (disk.device.display(), disk.file.display());
    let text = format!(
        "protocol = \"./protocol.toml\"\n[[subject]]\nname = \"A\"\n\
         drives = [{{ device = \"{device}\", serial = \"{serial}\", erase = {erase} }}]\n"
    );
    fs::write(room.at("plan.toml"), text).unwrap();
}

fn is_mounted(disk: &Loop) -> bool {
    let name = disk.device.file_name().unwrap().to_string_lossy().into_owned();
    let point = format!(" /run/dyno/{name} ");
    fs::read_to_string("/proc/self/mountinfo").unwrap().contains(&point)
}

#[test]
fn after_a_run_with_rings_nothing_stays_mounted() {
    if !bench() {
        return;
    }
    let (room, disk) = (Room::with(ON_A_FILESYSTEM), Loop::blank(64));
    for round in 0..14 {
        plan_of(&room, &disk, if round == 0 { "true" } else { "\"ext4\"" });
        let (code, said) = room.dyno(&["run", "plan.toml", "--output", &format!("{round}.dyno")]);
        assert_eq!(code, Some(0), "{said}");
        assert!(!is_mounted(&disk), "round {round}: {said}");
    }
}

#[test]
fn a_filesystem_that_something_keeps_from_being_unmounted_is_said_with_its_name_and_left_whole() {
    if !bench() {
        return;
    }
    let (room, disk) = (Room::with(&ON_A_FILESYSTEM.replace("100ms", "2s")), Loop::blank(64));
    plan_of(&room, &disk, "true");
    let run = room
        .command(&["run", "plan.toml", "--output", "a.dyno"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    crate::support::until("the mount", 60, || is_mounted(&disk));
    let point = Path::new("/run/dyno").join(disk.device.file_name().unwrap());
    crate::support::until("the dataset", 60, || point.join("dyno-data/file.0").exists());
    let other = Other::doing("os.chdir(d)", &point);
    let output = run.wait_with_output().unwrap();
    let said = crate::support::said(&output);
    assert!(
        said.contains("is still mounted") && said.contains(&format!("process {}", other.0.id())),
        "{said}"
    );
    assert!(!output.status.success(), "{said}");
    drop(other);
    must("umount", &[point.to_str().unwrap()]);
}

#[test]
fn options_of_a_filesystem_that_name_another_device_are_refused() {
    if !bench() {
        return;
    }
    let (disk, other) = (Loop::blank(64), Loop::blank(64));
    let before = other.checksum();
    for filesystem in [
        "{ kind = \"xfs\", mkfs = [\"-l\", \"logdev=OTHER\"] }",
        "{ kind = \"xfs\", mkfs = [\"-r\", \"rtdev=OTHER\"] }",
        "{ kind = \"ext4\", mkfs = [\"-J\", \"device=OTHER\"] }",
        "{ kind = \"ext4\", mkfs = [\"-d\", \"/etc\"] }",
        "{ kind = \"ext4\", mount = \"journal_path=OTHER\" }",
        "{ kind = \"xfs\", mount = \"logdev=OTHER\" }",
    ] {
        let filesystem = filesystem.replace("OTHER", other.path());
        let room = Room::with(&ON_A_FILESYSTEM.replace("\"ext4\"", &filesystem));
        plan_of(&room, &disk, "true");
        let (code, said) = room.dyno(&["run", "plan.toml", "--output", "a.dyno"]);
        assert!(
            code == REFUSAL && said.contains("may refer to another device"),
            "{filesystem}: {said}"
        );
        assert_eq!(before, other.checksum(), "{filesystem}");
    }
}
