//! Processes that have a device or a file open, mapped, registered or locked, found by number and
//! inode, because a name may be anywhere, or deleted.
//!
//! Each thread may have its own descriptor table, and a process whose first thread has ended lists
//! none there. A mapping persists after its descriptor is closed, and so does a file registered
//! with io_uring. Uses that no table lists (a descriptor in flight over a socket, a ring whose own
//! descriptor is registered and closed) are not found.

use std::cell::OnceCell;
use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{major, minor};

use super::ground::Ground;
use super::place::unescaped;
use crate::lab::holders::Holder;

/// A device, by its number, or a file, by its filesystem's number and its inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    Device(u64),
    File(u64, u64),
}

/// A process's use of a device or file.
pub struct Opener {
    pub who: Holder,
    pub what: Opened,
    /// Whether it may write.
    pub writes: bool,
    /// Whether it has a lock through this descriptor.
    pub locks: bool,
}

/// The uses of the devices and files of a ground by other processes. They are examined when the
/// first use is requested: most drives in use are refused for another reason, and a host may have
/// many processes.
pub struct Openers<'a> {
    ground: &'a Ground,
    found: OnceCell<Vec<Opener>>,
}

/// The devices and files to find.
struct Wanted {
    all: Vec<Opened>,
    /// The kernel's names of the devices, by which older kernels list registered files.
    names: Vec<(String, Opened)>,
}

impl Wanted {
    fn of(ground: &Ground) -> Wanted {
        let (mut all, mut names) = (Vec::new(), Vec::new());
        for footing in &ground.devices {
            for disk in footing.disk.overlapping() {
                let Some(number) = disk.device_number() else { continue };
                all.push(Opened::Device(number));
                names.push((disk.name(), Opened::Device(number)));
            }
            all.extend(footing.disk.command_devices().into_iter().map(Opened::Device));
        }
        all.extend(ground.files.iter().map(|file| Opened::File(file.id.0, file.id.1)));
        Wanted { all, names }
    }

    fn is(&self, found: &Metadata) -> Option<Opened> {
        let kind = found.file_type();
        let opened = match kind.is_block_device() || kind.is_char_device() {
            true => Opened::Device(found.rdev()),
            false => Opened::File(found.dev(), found.ino()),
        };
        self.all.contains(&opened).then_some(opened)
    }
}

impl<'a> Openers<'a> {
    /// The uses of a ground.
    pub fn of(ground: &'a Ground) -> Openers<'a> {
        Openers { ground, found: OnceCell::new() }
    }

    fn on<'o>(&'o self, what: &'o [Opened]) -> impl Iterator<Item = &'o Opener> {
        let found = self.found.get_or_init(|| examined(self.ground)).iter();
        found.filter(|opener| what.contains(&opener.what))
    }

    /// A process that may write to any of these.
    pub fn writer<'o>(&'o self, what: &'o [Opened]) -> Option<&'o Holder> {
        self.on(what).find(|opener| opener.writes).map(|opener| &opener.who)
    }

    /// A process with a lock on any of these.
    pub fn locker<'o>(&'o self, what: &'o [Opened]) -> Option<&'o Holder> {
        self.on(what).find(|opener| opener.locks).map(|opener| &opener.who)
    }

    /// The names of all processes, for a message.
    pub fn names(&self, what: &[Opened]) -> Option<String> {
        let mut names: Vec<String> = self.on(what).map(|o| o.who.to_string()).collect();
        names.dedup();
        (!names.is_empty()).then(|| names.join(", "))
    }
}

/// Examines all other processes.
fn examined(ground: &Ground) -> Vec<Opener> {
    let (wanted, mut found) = (Wanted::of(ground), Vec::new());
    for pid in others() {
        let threads = threads(pid);
        for (place, thread) in threads.iter().enumerate() {
            // Most threads share one table; one listing of each is enough.
            let shared = threads[..place].iter().any(|earlier| share_files(*earlier, *thread));
            if !shared {
                descriptors(pid, *thread, &wanted, &mut found);
            }
        }
        // All threads share the memory; an ended thread lists no mappings.
        threads.iter().find(|thread| mappings(pid, **thread, &wanted, &mut found));
    }
    found
}

fn others() -> impl Iterator<Item = u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers =
        processes.filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok());
    numbers.filter(|pid| *pid != std::process::id())
}

/// The threads of a process; the process itself if they cannot be listed.
fn threads(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let tasks: Vec<u32> =
        tasks.filter_map(|entry| entry.file_name().to_string_lossy().parse().ok()).collect();
    if tasks.is_empty() { vec![pid] } else { tasks }
}

/// kcmp(2), `KCMP_FILES`: whether two threads share a descriptor table. If the kernel does not
/// report it, both are listed.
fn share_files(one: u32, other: u32) -> bool {
    const KCMP_FILES: libc::c_int = 2;
    let (one, other) = (one as libc::pid_t, other as libc::pid_t);
    // SAFETY: kcmp takes five numbers, and only compares.
    unsafe { libc::syscall(libc::SYS_kcmp, one, other, KCMP_FILES, 0, 0) == 0 }
}

fn descriptors(pid: u32, thread: u32, wanted: &Wanted, found: &mut Vec<Opener>) {
    let process = PathBuf::from(format!("/proc/{pid}/task/{thread}"));
    let files = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    for file in files {
        let Ok(metadata) = fs::metadata(file.path()) else { continue };
        let info = || {
            let place = process.join("fdinfo").join(file.file_name());
            fs::read_to_string(place).unwrap_or_default()
        };
        if let Some(what) = wanted.is(&metadata) {
            let info = info();
            let flags = flags(&info);
            if flags & libc::O_PATH == 0 {
                let writes = flags & libc::O_ACCMODE != libc::O_RDONLY;
                let locks = info.lines().any(|line| line.starts_with("lock:"));
                found.push(Opener { who: Holder::of(pid), what, writes, locks });
            }
        } else if is_ring(&metadata, &file.path()) {
            for what in registered(&info(), wanted, &process.join("root")) {
                found.push(Opener { who: Holder::of(pid), what, writes: true, locks: false });
            }
        }
    }
}

/// `flags:\t0100002`, the octal flags of open(2).
fn flags(info: &str) -> libc::c_int {
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    flags.and_then(|text| i32::from_str_radix(text.trim(), 8).ok()).unwrap_or(libc::O_RDWR)
}

fn is_ring(metadata: &Metadata, file: &Path) -> bool {
    let kind = metadata.file_type();
    let other = [kind.is_block_device(), kind.is_char_device(), kind.is_socket(), kind.is_fifo()];
    !other.contains(&true)
        && !kind.is_dir()
        && fs::read_link(file).is_ok_and(|to| to.as_os_str() == "anon_inode:[io_uring]")
}

/// The files registered with a ring, from its fdinfo: `    0: /dev/sda`, by path as seen by that
/// process. Older kernels list only the last component, which identifies a device, but not a file.
fn registered(info: &str, wanted: &Wanted, root: &Path) -> Vec<Opened> {
    let listed = info.lines().skip_while(|line| !line.starts_with("UserFiles:")).skip(1);
    let names = listed.map_while(|line| {
        let (number, name) = line.trim_start().split_once(": ")?;
        number.bytes().all(|b| b.is_ascii_digit()).then(|| unescaped(name))
    });
    let known = |name: String| match fs::metadata(root.join(name.trim_start_matches('/'))) {
        Ok(found) if name.starts_with('/') => wanted.is(&found),
        _ => {
            let last = name.rsplit('/').next().unwrap_or(&name);
            wanted.names.iter().find(|(own, _)| own == last).map(|(_, what)| *what)
        }
    };
    names.filter_map(known).collect()
}

/// Finds the shared mappings of files that were opened for writing; returns whether this thread has
/// memory at all. A read-only page may be made writable without opening the file again.
fn mappings(pid: u32, thread: u32, wanted: &Wanted, found: &mut Vec<Opener>) -> bool {
    let maps = fs::read_to_string(format!("/proc/{pid}/task/{thread}/maps")).unwrap_or_default();
    for line in maps.lines() {
        let mut words = line.split_ascii_whitespace();
        let (Some(range), Some(access)) = (words.next(), words.next()) else { continue };
        if !access.ends_with('s') {
            continue;
        }
        // The permissions of the link are those with which the file was opened.
        let range: Vec<&str> = range.split('-').map(|at| at.trim_start_matches('0')).collect();
        let link = PathBuf::from(format!("/proc/{thread}/map_files/{}", range.join("-")));
        let (file, opened) = match (fs::metadata(&link), fs::symlink_metadata(&link)) {
            (Ok(file), Ok(link)) => (file, link.permissions().mode() & 0o200 != 0),
            _ => match words.nth(3).map(fs::metadata) {
                Some(Ok(file)) => (file, access.contains('w')),
                _ => continue,
            },
        };
        if let (Some(what), true) = (wanted.is(&file), opened) {
            found.push(Opener { who: Holder::of(pid), what, writes: true, locks: false });
        }
    }
    !maps.is_empty()
}

/// Processes that use a filesystem on the device with this number: by open files, a working
/// directory, or a root.
pub fn who_works_on(device: u64) -> Option<String> {
    let on_it = |path: &Path| fs::metadata(path).is_ok_and(|found| found.dev() == device);
    let works = |pid: &u32| {
        let process = format!("/proc/{pid}");
        let process = Path::new(&process);
        let files = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        on_it(&process.join("cwd"))
            || on_it(&process.join("root"))
            || files.into_iter().any(|f| on_it(&f.path()))
    };
    let who: Vec<String> =
        others().filter(works).take(3).map(|pid| Holder::of(pid).to_string()).collect();
    (!who.is_empty())
        .then(|| format!("{}; device {}:{}", who.join(", "), major(device), minor(device)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISK: Opened = Opened::Device(7);

    fn wanted() -> Wanted {
        Wanted { all: vec![DISK], names: vec![("sda".into(), DISK)] }
    }

    #[test]
    fn files_registered_with_a_ring_are_read_in_both_forms_of_the_kernel() {
        let listed = |files: &str| {
            let info = format!(
                "pos:\t0\nflags:\t02\nSqMask:\t0x7\nUserFiles:\t2\n{files}UserBufs:\t0\nPollList:\n"
            );
            registered(&info, &wanted(), Path::new("/nowhere"))
        };
        assert_eq!(listed("    0: sda\n    1: <none>\n"), [DISK]);
        assert_eq!(listed("    3: /dev/sda\n"), [DISK]);
        assert_eq!(listed("    0: /dev/other\n    1: /dev/sda\\040(deleted)\n"), []);
        assert_eq!(listed("    0: sdb\n    1: /dev/sdaa\n"), []);
        assert_eq!(listed(""), []);
    }

    #[test]
    fn a_descriptor_of_unknown_access_counts_as_a_writer() {
        assert_eq!(flags("pos:\t0\nflags:\t0100000\n") & libc::O_ACCMODE, libc::O_RDONLY);
        assert_eq!(flags("flags:\t02100002\n") & libc::O_ACCMODE, libc::O_RDWR);
        assert_ne!(flags("flags:\t012000000\n") & libc::O_PATH, 0);
        assert_eq!(flags(""), libc::O_RDWR);
    }
}
