//! RocksDB with `sync`, MariaDB and PostgreSQL over power cuts: on a drive that keeps what it
//! acknowledged, recovery finds every commit acknowledged before the cut; on one that drops flushes
//! or tears sectors it does not, and the same check detects it. (No drive ignores FUA here: a loop
//! device has no FUA, so the filesystem only sends flushes.)

use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;

use dyno::base::rng::{Rng, Seed};
use dyno::stats::never_seen::upper_bound;

use super::logged::{Logged, Mounted, copy, empty_filesystem, put};
use super::servers::{MariaDb, Postgres};
use super::write_log::{Drive, SECTOR, WriteLog};
use crate::support::{FOR_SERVERS, have, rocksdb, seed, size, skip};

const MIB: u64 = 320;
const COMMITS: u64 = 200;

/// A database of numbers, in a folder of a mounted filesystem.
pub trait Database {
    /// Creates it, with an empty table.
    fn make(&self, folder: &Path, sockets: &Path);

    /// Starts it on existing data; an error if impossible.
    fn open(&self, folder: &Path, sockets: &Path) -> Result<Box<dyn Open>, String>;
}

/// A running one, until dropped.
pub trait Open {
    /// Commits a number, and returns once it is acknowledged.
    fn commit(&mut self, number: u64);

    /// The stored numbers.
    fn numbers(&mut self) -> Result<Vec<u64>, String>;
}

/// The log while a database committed.
struct Recorded {
    log: WriteLog,
    /// The log's length when each commit had been acknowledged; the number is one more than the
    /// index.
    acknowledged: Vec<usize>,
}

impl Recorded {
    /// Commits acknowledged before entry `end` was issued.
    fn before(&self, end: usize) -> u64 {
        let reached = self.log.begin(end);
        self.acknowledged.iter().filter(|&&len| len <= reached).count() as u64
    }

    /// A time after at least one commit: an entry.
    fn moment(&self, rng: &mut Rng) -> usize {
        let all = self.log.entries.len() as u64;
        loop {
            let end = 1 + rng.below(all) as usize;
            if self.before(end) > 0 {
                return end;
            }
        }
    }

    /// Possible contents of an honest drive at a time.
    fn honest(&self, end: usize, rng: &mut Rng) -> State {
        let flush = self.log.flushes().into_iter().rfind(|&flush| flush < end).expect("a flush");
        let mut drive = Drive::new(self.log.drive_sectors());
        drive.apply_all(&self.log, 0..flush);
        drive.apply_some(&self.log, flush + 1..end, rng);
        State { drive, torn: None }
    }

    /// Contents of one that ignored the last flushes: up to a time at which less was acknowledged.
    fn flushes_dropped(&self, end: usize, _: &mut Rng) -> State {
        let known = self.before(end);
        let earlier = (0..end).rfind(|&at| self.before(at) + 10 <= known).unwrap_or(0);
        let mut drive = Drive::new(self.log.drive_sectors());
        drive.apply_all(&self.log, 0..earlier);
        State { drive, torn: None }
    }

    /// Contents of one that was cut within a sector that the last flush had made durable: its first
    /// bytes are new, the others old. None if no sector changed in more than a byte.
    fn torn(&self, base: &Path, end: usize, rng: &mut Rng) -> State {
        let flushes = self.log.flushes();
        let (at, &flush) = flushes.iter().enumerate().rfind(|&(_, &f)| f < end).expect("a flush");
        let from = at.checked_sub(1).map_or(0, |at| flushes[at]);
        let mut before = Drive::new(self.log.drive_sectors());
        before.apply_all(&self.log, 0..from);
        let mut drive = before.clone();
        drive.apply_all(&self.log, from..flush);
        let changed: Vec<_> = (0..drive.0.len())
            .filter(|&sector| before.0[sector] != drive.0[sector])
            .filter_map(|sector| {
                let [old, new] =
                    [&before, &drive].map(|drive| held(drive, &self.log, base, sector));
                let differs = |&i: &usize| old[i] != new[i];
                let (first, last) = ((0..SECTOR).find(differs)?, (0..SECTOR).rfind(differs)?);
                (first < last).then(|| (sector, old, new, first + 1..last + 1))
            })
            .collect();
        let torn = changed.get(rng.below(changed.len().max(1) as u64) as usize);
        let torn = torn.map(|(sector, old, new, within)| {
            let at = within.start + rng.below(within.len() as u64) as usize;
            (*sector, [&new[..at], &old[at..]].concat())
        });
        State { drive, torn }
    }
}

/// The contents of a sector of a drive that began as an image.
fn held(drive: &Drive, log: &WriteLog, base: &Path, sector: usize) -> Vec<u8> {
    let Some(entry) = drive.entry(sector) else {
        let mut bytes = vec![0; SECTOR];
        let file = std::fs::File::open(base).expect("an image");
        file.read_exact_at(&mut bytes, (sector * SECTOR) as u64).expect("read");
        return bytes;
    };
    log.sector(entry, sector - log.entries[entry].sector).to_vec()
}

fn record(database: &dyn Database, folder: &Path) -> Recorded {
    let [made, base, used] = ["made.img", "base.img", "used.img"].map(|name| folder.join(name));
    empty_filesystem(&made, MIB);
    let mounted = Mounted::of(&made).expect("a new filesystem is mounted");
    database.make(&mounted.place, folder);
    drop(mounted);
    // The original may still be mounted in another test's mount namespace, and change.
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

/// The contents of a drive after a power cut.
struct State {
    drive: Drive,
    /// A sector that differs from its entry's data.
    torn: Option<(usize, Vec<u8>)>,
}

/// A database, its log, and a folder for testing its states.
struct Trial<'a> {
    database: &'a dyn Database,
    folder: &'a Path,
    recorded: Recorded,
}

impl Trial<'_> {
    /// Commits among the first `known` that are missing after recovery; an error if it does not
    /// recover.
    fn lost(&self, state: &State, known: u64) -> Result<u64, String> {
        let image = self.folder.join("state.img");
        copy(&self.folder.join("base.img"), &image);
        put(&state.drive, &self.recorded.log, &image);
        if let Some((sector, bytes)) = &state.torn {
            let file = std::fs::OpenOptions::new().write(true).open(&image).expect("an image");
            file.write_all_at(bytes, (sector * SECTOR) as u64).expect("written");
        }
        let mounted = Mounted::of(&image)?;
        let found = self.database.open(&mounted.place, self.folder)?.numbers()?;
        Ok((1..=known).filter(|number| !found.contains(number)).count() as u64)
    }

    /// Cuts at random times: for each, the number of acknowledged commits, and the lost ones.
    fn cuts(
        &self,
        (states, kind): (u64, u64),
        state: impl Fn(&Recorded, usize, &mut Rng) -> State,
    ) -> Vec<(u64, Result<u64, String>)> {
        let cut = |n| {
            let rng = &mut Seed::new(seed(), kind, 0).at(n);
            let end = self.recorded.moment(rng);
            let known = self.recorded.before(end);
            (known, self.lost(&state(&self.recorded, end, rng), known))
        };
        (0..states).map(cut).collect()
    }

    /// A drive on which some cuts must lose commits.
    fn convict(
        &self,
        what: &str,
        cuts: (u64, u64),
        state: impl Fn(&Recorded, usize, &mut Rng) -> State,
    ) {
        let cuts = self.cuts(cuts, state);
        // A database that does not even start has lost all of them.
        let lost = cuts.iter().filter(|(_, lost)| *lost != Ok(0)).count();
        let all = cuts.len();
        println!("{what}: commits lost in {lost} of {all} states");
        assert!(lost > 0, "{what}: no loss was found in {all} states");
    }
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
    let trial = Trial { database, folder, recorded: record(database, folder) };

    let cuts = trial.cuts((size(6, 60), 0), Recorded::honest);
    let (states, commits) = (cuts.len(), cuts.iter().map(|(known, _)| known).sum::<u64>());
    for (n, (known, lost)) in cuts.into_iter().enumerate() {
        assert_eq!(lost, Ok(0), "state {n}: of {known} commits");
    }
    let bound = 100.0 * upper_bound(states);
    println!("honest: 0 of {commits} lost in {states} states; 95 % bound {bound:.1} % of states");

    trial.convict("dropped flushes", (size(2, 60), 1), Recorded::flushes_dropped);
    let (base, cuts) = (folder.join("base.img"), (size(12, 60), 2));
    trial.convict("torn sectors", cuts, |recorded, end, rng| recorded.torn(&base, end, rng));
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
