//! A filesystem in memory whose file `data`, a dataset, has a known service time: reads of it are
//! served one at a time, in the order of their arrival.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fuser::{
    BackgroundSession, BsdFileFlags, Config, Errno, FileAttr, FileHandle, FileType, Filesystem,
    FopenFlags, Generation, INodeNo, LockOwner, MountOption, OpenFlags, RenameFlags, ReplyAttr,
    ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs,
    ReplyWrite, Request, TimeOrNow, WriteFlags,
};

use super::skip;

/// Time from a reply to the next request within which the request counts as already waiting, as a
/// share of the service time. In it a synchronous client wakes and submits, which would otherwise
/// be added to each service time.
const HANDOVER: f64 = 0.5;

/// The last part of a service time is spun.
const SPIN_NS: u64 = 80_000;

/// The end of a request's service: without a pause after the previous one if it waited.
pub fn served_at(arrived: f64, last_due: f64, last_replied: f64, service: f64) -> f64 {
    let waited = arrived <= last_replied + HANDOVER * service;
    service + if waited { last_due } else { arrived }
}

/// The service of one request at a time.
struct Server {
    begun: Instant,
    service_ns: AtomicU64,
    last: Mutex<Served>,
    /// The times of all replies since the service time was set.
    replies_ns: Mutex<Vec<u64>>,
}

/// The last request.
#[derive(Clone, Copy, Default)]
struct Served {
    /// The end of its service time.
    due_ns: u64,
    /// The time of its reply, which may be later.
    replied_ns: u64,
}

impl Server {
    fn now_ns(&self) -> u64 {
        self.begun.elapsed().as_nanos() as u64
    }

    /// Takes the service time of one request.
    fn serve(&self) {
        let service = self.service_ns.load(Relaxed) as f64;
        if service == 0.0 {
            return;
        }
        let mut last = self.last.lock().expect("no panic");
        let (due, replied) = (last.due_ns as f64, last.replied_ns as f64);
        let due_ns = served_at(self.now_ns() as f64, due, replied, service) as u64;
        // The service time itself, or until there is none any more.
        const STRETCH_NS: u64 = 50_000_000;
        let serves = || self.service_ns.load(Relaxed) > 0;
        while self.now_ns() + SPIN_NS < due_ns && serves() {
            let left_ns = due_ns.saturating_sub(self.now_ns() + SPIN_NS);
            std::thread::sleep(Duration::from_nanos(left_ns.min(STRETCH_NS)));
        }
        while self.now_ns() < due_ns && serves() {
            std::hint::spin_loop();
        }
        *last = Served { due_ns, replied_ns: self.now_ns() };
        self.replies_ns.lock().expect("no panic").push(last.replied_ns);
    }
}

/// The mounted filesystem; unmounted when dropped.
pub struct Queued {
    server: Arc<Server>,
    _mounted: BackgroundSession,
}

impl Queued {
    /// Mounts it on an empty folder, or skips the test.
    pub fn new(folder: &Path) -> Option<Queued> {
        let server = Server {
            begun: Instant::now(),
            service_ns: AtomicU64::new(0),
            last: Mutex::default(),
            replies_ns: Mutex::default(),
        };
        let server = Arc::new(server);
        let root = Node { children: Some(BTreeMap::new()), ..Node::default() };
        let tree = Tree { server: Arc::clone(&server), nodes: Mutex::new(vec![root]) };
        let mut options = Config::default();
        options.mount_options = vec![MountOption::FSName("dyno-test-queue".into())];
        // The server's thread has the priority of the thread that starts it.
        let ahead = is_ahead_of_others(true);
        let mounted = fuser::spawn_mount(tree, folder, &options);
        if ahead {
            is_ahead_of_others(false);
        }
        let cannot = |error| skip(format!("no FUSE filesystem can be mounted here: {error}"));
        Some(Queued { server, _mounted: mounted.map_err(cannot).ok()? })
    }

    /// Sets the service time of a read, and forgets earlier ones.
    pub fn set_service(&self, ns: f64) {
        self.server.service_ns.store(ns as u64, Relaxed);
        self.server.replies_ns.lock().expect("no panic").clear();
    }

    /// The mean time from one reply to the next, of the middle four fifths of a load. Of an
    /// overloaded drive this is its service time as it was, which a machine with too few free
    /// processors prolongs.
    pub fn mean_gap_ns(&self) -> f64 {
        let all = self.server.replies_ns.lock().expect("no panic");
        let (from, to) = (all.len() / 10, all.len() * 9 / 10);
        (all[to] - all[from]) as f64 / (to - from) as f64
    }
}

impl Drop for Queued {
    fn drop(&mut self) {
        // The server must answer for the filesystem to be unmounted.
        self.set_service(0.0);
    }
}

/// Puts the calling thread before or back among those of other programs; false if not permitted.
pub fn is_ahead_of_others(ahead: bool) -> bool {
    let (policy, priority) = if ahead { (libc::SCHED_FIFO, 1) } else { (libc::SCHED_OTHER, 0) };
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: passes a structure to a system call that reads it.
    unsafe { libc::sched_setscheduler(0, policy, &raw const parameters) == 0 }
}

/// A file or, with children, a folder. Removed ones stay in the list.
#[derive(Default)]
struct Node {
    children: Option<BTreeMap<OsString, u64>>,
    data: Vec<u8>,
    /// Whether it is a dataset.
    queued: bool,
}

struct Tree {
    server: Arc<Server>,
    /// By inode number, from 1.
    nodes: Mutex<Vec<Node>>,
}

/// Nothing is kept by the kernel, so that a removed name is gone.
const KEPT: Duration = Duration::ZERO;

fn at(ino: INodeNo) -> usize {
    u64::from(ino) as usize - 1
}

fn attributes(nodes: &[Node], at: usize) -> FileAttr {
    let node = &nodes[at];
    let (kind, perm) = match node.children {
        Some(_) => (FileType::Directory, 0o755),
        None => (FileType::RegularFile, 0o644),
    };
    FileAttr {
        ino: INodeNo(at as u64 + 1),
        size: node.data.len() as u64,
        blocks: node.data.len().div_ceil(512) as u64,
        atime: UNIX_EPOCH,
        mtime: UNIX_EPOCH,
        ctime: UNIX_EPOCH,
        crtime: UNIX_EPOCH,
        kind,
        perm,
        nlink: 1,
        uid: 0,
        gid: 0,
        rdev: 0,
        blksize: 4096,
        flags: 0,
    }
}

impl Tree {
    fn nodes(&self) -> MutexGuard<'_, Vec<Node>> {
        self.nodes.lock().expect("no panic")
    }

    fn add(&self, parent: INodeNo, name: &OsStr, node: Node) -> FileAttr {
        let mut nodes = self.nodes();
        nodes.push(Node { queued: name == "data", ..node });
        let own = nodes.len();
        if let Some(children) = &mut nodes[at(parent)].children {
            children.insert(name.into(), own as u64);
        }
        attributes(&nodes, own - 1)
    }

    fn take(&self, parent: INodeNo, name: &OsStr) -> Option<u64> {
        self.nodes()[at(parent)].children.as_mut()?.remove(name)
    }

    fn flags(&self, at: usize) -> FopenFlags {
        match self.nodes()[at].queued {
            true => FopenFlags::FOPEN_DIRECT_IO,
            false => FopenFlags::empty(),
        }
    }

    fn remove(&self, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        match self.take(parent, name) {
            Some(_) => reply.ok(),
            None => reply.error(Errno::ENOENT),
        }
    }
}

impl Filesystem for Tree {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let nodes = self.nodes();
        match nodes[at(parent)].children.as_ref().and_then(|own| own.get(name)) {
            Some(ino) => {
                let found = attributes(&nodes, *ino as usize - 1);
                reply.entry(&KEPT, &found, Generation(0));
            }
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&KEPT, &attributes(&self.nodes(), at(ino)));
    }

    fn setattr(
        &self,
        _: &Request,
        ino: INodeNo,
        _: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let mut nodes = self.nodes();
        if let Some(size) = size {
            nodes[at(ino)].data.resize(size as usize, 0);
        }
        reply.attr(&KEPT, &attributes(&nodes, at(ino)));
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, reply: ReplyEntry) {
        let folder = Node { children: Some(BTreeMap::new()), ..Node::default() };
        reply.entry(&KEPT, &self.add(parent, name, folder), Generation(0));
    }

    fn create(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        _: u32,
        _: u32,
        _: i32,
        reply: ReplyCreate,
    ) {
        let made = self.add(parent, name, Node::default());
        reply.created(&KEPT, &made, Generation(0), FileHandle(0), self.flags(at(made.ino)));
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.remove(parent, name, reply);
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.remove(parent, name, reply);
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        to: INodeNo,
        new: &OsStr,
        _: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let Some(ino) = self.take(parent, name) else { return reply.error(Errno::ENOENT) };
        if let Some(children) = &mut self.nodes()[at(to)].children {
            children.insert(new.into(), ino);
        }
        reply.ok();
    }

    fn open(&self, _: &Request, ino: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), self.flags(at(ino)));
    }

    fn read(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        if self.nodes()[at(ino)].queued {
            self.server.serve();
        }
        let data = &self.nodes()[at(ino)].data;
        let from = (offset as usize).min(data.len());
        reply.data(&data[from..(from + size as usize).min(data.len())]);
    }

    fn write(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let own = &mut self.nodes()[at(ino)].data;
        let (from, end) = (offset as usize, offset as usize + data.len());
        own.resize(own.len().max(end), 0);
        own[from..end].copy_from_slice(data);
        reply.written(data.len() as u32);
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsyncdir(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn readdir(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let nodes = self.nodes();
        let own = nodes[at(ino)].children.iter().flatten();
        for (n, (name, ino)) in own.enumerate().skip(offset as usize) {
            let kind = attributes(&nodes, *ino as usize - 1).kind;
            if reply.add(INodeNo(*ino), n as u64 + 1, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        const BLOCKS: u64 = 1 << 20;
        reply.statfs(BLOCKS, BLOCKS, BLOCKS, 1_000, 1_000, 4096, 255, 4096);
    }
}
