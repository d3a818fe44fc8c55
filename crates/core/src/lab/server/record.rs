//! The record of the process that serves a data directory, so that a server left by a crash of Dyno
//! is found and ended, and one used by another Dyno is left alone.
//!
//! Records are stored where only Dyno's user can write, never on the drive under test, which may be
//! anyone's. A record is only trusted if the running process matches it: its start time and its
//! program.

use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::process::Signal;
use serde::{Deserialize, Serialize};

use crate::base::clock::Clock;
use crate::base::error::{Context, Result, failed, refused};
use crate::lab::machine::process::Process;

#[derive(Serialize, Deserialize)]
struct Note {
    /// The data directory's folder.
    folder: PathBuf,
    server: Process,
    dyno: Process,
    stop_signal: i32,
    run: PathBuf,
}

const STOP_NS: u64 = 60_000_000_000;

/// Records are far shorter.
const MOST_BYTES: u64 = 64 << 10;

/// The folder for records: the first of these that belongs to the user.
fn notes() -> Result<PathBuf> {
    let uid = rustix::process::geteuid().as_raw();
    let variable =
        |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || Some(variable("HOME")?.join(".local/state"));
    let places = match uid {
        0 => vec![Some(PathBuf::from("/run")), home()],
        _ => vec![variable("XDG_RUNTIME_DIR"), Some(format!("/run/user/{uid}").into()), home()],
    };
    for place in places.into_iter().flatten() {
        let folder = place.join("dyno");
        // Checks whether it was created here or already existed.
        let _ = std::fs::DirBuilder::new().mode(0o700).recursive(true).create(&folder);
        if is_own(&folder, uid) {
            return Ok(folder);
        }
    }
    let what = "there is no folder for server records that only this user can write to";
    Err(failed(what, "set XDG_RUNTIME_DIR to a folder of yours with mode 0700"))
}

/// Whether this is a folder that belongs to the user and is inaccessible to others.
fn is_own(folder: &Path, uid: u32) -> bool {
    folder.symlink_metadata().is_ok_and(|m| m.is_dir() && m.uid() == uid && m.mode() & 0o077 == 0)
}

/// The path of a folder's record, and the folder's name in it.
fn note_path(folder: &Path) -> Result<(PathBuf, PathBuf)> {
    let parent = folder.parent().unwrap_or(Path::new("/"));
    let real = parent
        .canonicalize()
        .unwrap_or(parent.to_path_buf())
        .join(folder.file_name().unwrap_or_default());
    let bytes = real.as_os_str().as_encoded_bytes();
    // FNV-1a: the record also contains the folder.
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
    Ok((notes()?.join(format!("{hash:016x}.server.json")), real))
}

/// Records a started server; returns the record's path.
pub fn write(folder: &Path, pid: u32, stop_signal: i32, run: &Path) -> Result<PathBuf> {
    let (path, folder) = note_path(folder)?;
    let (server, dyno) = (Process::of(pid), Process::of(std::process::id()));
    let note = Note { folder, server, dyno, stop_signal, run: run.to_path_buf() };
    let text = serde_json::to_string(&note).context("noting the server")?;
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let made = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&beside);
    let written = made.and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()));
    written
        .and_then(|()| std::fs::rename(&beside, &path))
        .with_context(|| format!("writing {}", path.display()))?;
    Ok(path)
}

/// The record, if this user wrote one about this folder.
fn read(path: &Path, folder: &Path) -> Option<Note> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    let found = file.metadata().ok()?;
    let own = found.is_file()
        && found.uid() == rustix::process::geteuid().as_raw()
        && found.mode() & 0o077 == 0;
    let mut text = String::new();
    file.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    serde_json::from_str::<Note>(&text).ok().filter(|note| own && note.folder == folder)
}

/// Ends a server left on this folder by a Dyno that has ended; immediately if its data will be
/// removed anyway.
pub fn end_leftover(folder: &Path, at_once: bool, clock: Clock) -> Result<()> {
    // If records are impossible, none was written.
    let Ok((path, real)) = note_path(folder) else { return Ok(()) };
    let Some(note) = read(&path, &real) else { return Ok(()) };
    if note.dyno.lives() && note.dyno.pid != std::process::id() && note.server.lives() {
        let what =
            format!("{} is in use by another dyno, process {}", folder.display(), note.dyno.pid);
        return Err(refused(what, "let it end first, or give this run another directory"));
    }
    let give_up_ns = clock.now_ns() + STOP_NS;
    let gently = Signal::from_named_raw(note.stop_signal).unwrap_or(Signal::TERM);
    note.server.signal(if at_once { Signal::KILL } else { gently });
    while note.server.lives() {
        if clock.now_ns() > give_up_ns {
            note.server.signal(Signal::KILL);
        }
        clock.sleep_until(clock.now_ns() + 20_000_000);
    }
    if super::is_run_folder(&note.run, note.dyno.pid) {
        std::fs::remove_dir_all(&note.run)
            .with_context(|| format!("removing {}", note.run.display()))?;
    }
    std::fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_note_that_somebody_else_could_have_written_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let (path, folder) = (dir.path().join("note"), Path::new("/data/db.0"));
        let me = Process::of(std::process::id());
        let note = |folder: &Path| Note {
            folder: folder.to_path_buf(),
            server: me.clone(),
            dyno: me.clone(),
            stop_signal: libc::SIGTERM,
            run: "/tmp/x".into(),
        };
        let put = |note: &Note, mode: u32| {
            std::fs::write(&path, serde_json::to_string(note).unwrap()).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        };
        put(&note(folder), 0o600);
        assert!(read(&path, folder).is_some());
        put(&note(folder), 0o644);
        assert!(read(&path, folder).is_none(), "others may read it");
        put(&note(Path::new("/other")), 0o600);
        assert!(read(&path, folder).is_none(), "it is about another folder");
        put(&note(folder), 0o600);
        std::os::unix::fs::symlink(&path, dir.path().join("link")).unwrap();
        assert!(read(&dir.path().join("link"), folder).is_none(), "it is a link");

        let uid = rustix::process::geteuid().as_raw();
        std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o700)).unwrap();
        assert!(is_own(dir.path(), uid) && !is_own(dir.path(), uid + 1));
        std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o777)).unwrap();
        assert!(!is_own(dir.path(), uid), "everyone may write there");
    }
}
