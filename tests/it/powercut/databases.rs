//! RocksDB with `sync`, MariaDB and PostgreSQL over power cuts: on a drive that keeps what it
//! acknowledged, recovery finds every commit that was acknowledged before the cut; on one that
//! drops flushes it does not, and the same look says so.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use dyno::base::rng::{Rng, Seed};
use dyno::stats::never_seen::upper_bound;

use super::logged::{Logged, Mounted, copy, empty_filesystem, put};
use super::servers::{MariaDb, Postgres};
use super::write_log::{Drive, WriteLog};
use crate::support::{FOR_SERVERS, have, rocksdb, seed, size, skip};

const MIB: u64 = 320;
const COMMITS: u64 = 200;

/// A database that keeps numbers, in a folder of a mounted filesystem.
pub trait Database {
    /// Makes it, with an empty table.
    fn make(&self, folder: &Path, sockets: &Path);

    /// Starts it on what is there; why not, where it cannot.
    fn open(&self, folder: &Path, sockets: &Path) -> Result<Box<dyn Open>, String>;
}

/// A running one, until it is dropped.
pub trait Open {
    /// Commits a number, and returns once that is acknowledged.
    fn commit(&mut self, number: u64);

    /// The numbers that are there.
    fn numbers(&mut self) -> Result<Vec<u64>, String>;
}

/// What was logged while a database committed.
struct Recorded {
    log: WriteLog,
    /// How long the log was when a commit had been acknowledged: of the number one more than the
    /// place.
    acknowledged: Vec<usize>,
}

impl Recorded {
    /// Commits that were acknowledged before entry `end` was issued.
    fn before(&self, end: usize) -> u64 {
        let reached = self.log.begin(end);
        self.acknowledged.iter().filter(|&&len| len <= reached).count() as u64
    }

    /// A moment after at least one commit: an entry.
    fn moment(&self, rng: &mut Rng) -> usize {
        let all = self.log.entries.len() as u64;
        loop {
            let end = 1 + rng.below(all) as usize;
            if self.before(end) > 0 {
                return end;
            }
        }
    }

    /// What an honest drive may hold at a moment.
    fn honest(&self, end: usize, rng: &mut Rng) -> Drive {
        let flush = self.log.flushes().into_iter().rfind(|&flush| flush < end).expect("a flush");
        let mut drive = Drive::new(self.log.drive_sectors());
        drive.apply_all(&self.log, 0..flush);
        drive.apply_some(&self.log, flush + 1..end, rng);
        drive
    }

    /// What one holds that took the last flushes for nothing: all up to a moment at which less was
    /// acknowledged.
    fn lying(&self, end: usize) -> Drive {
        let known = self.before(end);
        let earlier = (0..end).rfind(|&at| self.before(at) + 10 <= known).unwrap_or(0);
        let mut drive = Drive::new(self.log.drive_sectors());
        drive.apply_all(&self.log, 0..earlier);
        drive
    }
}

fn record(database: &dyn Database, folder: &Path) -> Recorded {
    let [made, base, used] = ["made.img", "base.img", "used.img"].map(|name| folder.join(name));
    empty_filesystem(&made, MIB);
    let mounted = Mounted::of(&made).expect("a new filesystem is mounted");
    database.make(&mounted.place, folder);
    drop(mounted);
    // The made one may still be mounted in another test's mount namespace, and change.
    copy(&made, &base);
    copy(&base, &used);
    let logged = Logged::start(folder, &used);
    let mounted = Mounted::of(&logged.export).expect("mounted");
    let mut open = database.open(&mounted.place, folder).expect("it starts");
    let acknowledged: Vec<usize> = (1..=COMMITS)
        .map(|number| {
            open.commit(number);
            logged.len()
        })
        .collect();
    let len = logged.len();
    drop(open);
    drop(mounted);
    Recorded { log: logged.stop(len), acknowledged }
}

/// Commits of the first `known` that are missing after recovery; why it does not recover.
fn lost(
    database: &dyn Database,
    folder: &Path,
    recorded: &Recorded,
    drive: &Drive,
    known: u64,
) -> Result<u64, String> {
    let state = folder.join("state.img");
    copy(&folder.join("base.img"), &state);
    put(drive, &recorded.log, &state);
    let mounted = Mounted::of(&state)?;
    let found = database.open(&mounted.place, folder)?.numbers()?;
    Ok((1..=known).filter(|number| !found.contains(number)).count() as u64)
}

fn no_commit_is_lost_by_an_honest_drive_and_some_are_by_a_liar(database: &dyn Database) {
    if !rustix::process::geteuid().is_root() || !Path::new("/dev/fuse").exists() {
        return skip("filesystems are mounted here by root, through /dev/fuse");
    }
    if !have(&["qemu-storage-daemon", "mkfs.ext4", "losetup"]) {
        return;
    }
    let folder = tempfile::tempdir_in(FOR_SERVERS).expect("a folder");
    let folder = folder.path();
    let open = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(folder, open).expect("opened to servers");
    let recorded = record(database, folder);
    let states = size(6, 60);
    let mut commits = 0;
    for n in 0..states {
        let rng = &mut Seed::new(seed(), 0, 0).at(n);
        let end = recorded.moment(rng);
        let (drive, known) = (recorded.honest(end, rng), recorded.before(end));
        let lost = lost(database, folder, &recorded, &drive, known);
        commits += known;
        assert_eq!(lost, Ok(0), "state {n}: of {known} commits, after {end} requests");
    }
    let bound = 100.0 * upper_bound(states as usize);
    println!("honest: 0 of {commits} lost in {states} states; 95 % bound {bound:.1} % of states");
    let liars = size(2, 60);
    let mut found = 0;
    for n in 0..liars {
        let rng = &mut Seed::new(seed(), 1, 0).at(n);
        let end = recorded.moment(rng);
        let lost = lost(database, folder, &recorded, &recorded.lying(end), recorded.before(end));
        // A database that does not even start has lost them all.
        found += u64::from(lost != Ok(0));
    }
    println!("dropped flushes: commits lost in {found} of {liars} states");
    assert!(found > 0, "no loss was found on a drive that drops flushes");
}

#[test]
fn mariadb_keeps_acknowledged_commits_over_power_cuts_where_the_drive_does() {
    if have(&["mariadbd", "mariadb-install-db"]) {
        no_commit_is_lost_by_an_honest_drive_and_some_are_by_a_liar(&MariaDb);
    }
}

#[test]
fn postgresql_keeps_acknowledged_commits_over_power_cuts_where_the_drive_does() {
    if have(&["initdb", "postgres"]) {
        no_commit_is_lost_by_an_honest_drive_and_some_are_by_a_liar(&Postgres);
    }
}

#[test]
fn rocksdb_with_sync_keeps_acknowledged_writes_over_power_cuts_where_the_drive_does() {
    if rocksdb() {
        #[cfg(feature = "rocksdb")]
        no_commit_is_lost_by_an_honest_drive_and_some_are_by_a_liar(&super::rocks::RocksDb);
    }
}
