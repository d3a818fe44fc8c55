//! The drive of known write amplification as a file, with its counters beside it: `drive`, and
//! `host` and `media`, each a number of bytes.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags,
    Generation, INodeNo, LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyEmpty,
    ReplyEntry, ReplyOpen, ReplyWrite, Request, WriteFlags,
};

use super::ftl::Ftl;

/// Bytes of a page.
pub const PAGE: u64 = 4096;

const NEVER_KEPT: Duration = Duration::ZERO;
const FILES: [&str; 3] = ["drive", "host", "media"];

/// What is in the drive, and how it got there.
struct Contents {
    ftl: Ftl,
    data: Vec<u8>,
}

/// A mounted drive; unmounted when dropped.
pub struct MountedFtl {
    contents: Arc<Mutex<Contents>>,
    folder: PathBuf,
    _session: BackgroundSession,
}

impl MountedFtl {
    /// Mounts a drive in an empty folder; None where this machine cannot (the test is skipped).
    pub fn new(folder: &Path, ftl: Ftl) -> Option<MountedFtl> {
        let bytes = u64::from(ftl.logical_pages()) * PAGE;
        let contents = Arc::new(Mutex::new(Contents { ftl, data: vec![0; bytes as usize] }));
        let mut options = Config::default();
        options.mount_options =
            vec![MountOption::FSName("dyno-test-ftl".into()), MountOption::DefaultPermissions];
        let files = Files { contents: Arc::clone(&contents) };
        match fuser::spawn_mount(files, folder, &options) {
            Ok(session) => {
                let folder = folder.to_path_buf();
                Some(MountedFtl { contents, folder, _session: session })
            }
            Err(error) => {
                crate::support::skip(format!("no FUSE filesystem can be mounted here: {error}"));
                None
            }
        }
    }

    /// The drive's size.
    pub fn bytes(&self) -> u64 {
        lock(&self.contents).data.len() as u64
    }

    /// The drive's file.
    pub fn drive(&self) -> PathBuf {
        self.folder.join("drive")
    }

    /// Pages written by the host and to the flash.
    pub fn counts(&self) -> (u64, u64) {
        lock(&self.contents).ftl.counts()
    }

    /// A meter for each counter, as a plan names them: commands that print it over and over.
    pub fn meters(&self) -> String {
        let meter = |file: &str| {
            let path = self.folder.join(file).display().to_string();
            // `cat` and `sleep` would be two processes for each reading.
            let print =
                "exec 3<> <(:); while read -r n < \"$0\"; do echo $n; read -rt 0.05 -u 3; done";
            format!(
                "{{ kind = \"exec\", class = \"{file}_written\", unit = \"bytes\", command = \
                 [\"bash\", \"-c\", '{print}', \"{path}\"] }}"
            )
        };
        format!("[{}, {}]", meter("host"), meter("media"))
    }
}

fn lock(contents: &Mutex<Contents>) -> MutexGuard<'_, Contents> {
    contents.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Files {
    contents: Arc<Mutex<Contents>>,
}

impl Files {
    fn attributes(&self, ino: u64) -> Option<FileAttr> {
        let (kind, perm, size) = match ino {
            1 => (FileType::Directory, 0o755, 0),
            2 => (FileType::RegularFile, 0o600, lock(&self.contents).data.len() as u64),
            3 | 4 => (FileType::RegularFile, 0o444, 0),
            _ => return None,
        };
        Some(FileAttr {
            ino: INodeNo(ino),
            size,
            blocks: size / 512,
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
            blksize: PAGE as u32,
            flags: 0,
        })
    }
}

impl Filesystem for Files {
    fn lookup(&self, _: &Request, _parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let place = FILES.iter().position(|file| name == *file);
        match place.and_then(|at| self.attributes(at as u64 + 2)) {
            Some(found) => reply.entry(&NEVER_KEPT, &found, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.attributes(ino.into()) {
            Some(found) => reply.attr(&NEVER_KEPT, &found),
            None => reply.error(Errno::ENOENT),
        }
    }

    /// Past the page cache, so that a counter is read anew and a write is one when it returns.
    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO);
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
        let contents = lock(&self.contents);
        let (host, media) = contents.ftl.counts();
        let line = |pages: u64| format!("{}\n", pages * PAGE).into_bytes();
        let whole = match u64::from(ino) {
            2 => &contents.data,
            3 => &line(host),
            _ => &line(media),
        };
        let from = (offset as usize).min(whole.len());
        reply.data(&whole[from..(from + size as usize).min(whole.len())]);
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
        let mut contents = lock(&self.contents);
        let end = offset as usize + data.len();
        if u64::from(ino) != 2 || end > contents.data.len() || data.is_empty() {
            return reply.error(Errno::EINVAL);
        }
        contents.data[offset as usize..end].copy_from_slice(data);
        for page in offset / PAGE..=(end as u64 - 1) / PAGE {
            contents.ftl.write(page as u32);
        }
        reply.written(data.len() as u32);
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }
}
