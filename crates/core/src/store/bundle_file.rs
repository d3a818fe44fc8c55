//! The file of a bundle that is being written: finished points are copied into it from memory, in
//! one transaction each time. Another program may have it locked, or change, move or delete it.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::limits::QueryMeter;
use super::schema;
use crate::base::error::{Error, Result, describe, failed, refused};
use crate::base::folder::Folder;
use crate::base::{file, output};

/// The longest suffix that SQLite appends to a bundle's name.
const LONGEST_END: usize = "-journal".len();
/// Maximum length of a name in common filesystems.
const LONGEST_NAME: usize = 255;

/// Who may read a bundle during its run. A reader can lock the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Readers {
    /// The user of the run.
    #[default]
    Owner,
    /// The user and the group.
    Group,
    /// Everyone.
    All,
}

impl Readers {
    fn mode(self) -> u32 {
        match self {
            Readers::Owner => 0o600,
            Readers::Group => 0o640,
            Readers::All => 0o644,
        }
    }
}

/// Whether the cause is another program's lock, which ends without any action.
pub(super) fn is_locked(error: &Error) -> bool {
    let code = error.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code);
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Why rows could not be added.
pub(super) enum Trouble {
    /// Locked, full or unreachable, which may end.
    Later(Error),
    /// The file is not the one that was written.
    Lost(String),
}

impl Trouble {
    pub(super) fn error(self, path: &Path) -> Error {
        match self {
            Trouble::Later(error) => error,
            Trouble::Lost(why) => failed(format!("{} {why}", path.display()), "measure again"),
        }
    }

    pub(super) fn cause(&self) -> String {
        match self {
            Trouble::Later(error) => format!("could not be written to ({})", describe(error).0),
            Trouble::Lost(why) => why.clone(),
        }
    }
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Trouble {
        use ErrorCode::{ConstraintViolation, DatabaseCorrupt, NotADatabase, Unknown};
        match error.sqlite_error_code() {
            // Also "no such table".
            Some(ConstraintViolation | DatabaseCorrupt | NotADatabase | Unknown) => {
                Trouble::Lost(format!("was changed by another program ({error})"))
            }
            _ => Trouble::Later(error.into()),
        }
    }
}

/// Small tables with rows that change; they are copied completely each time.
const CHANGING: [&str; 2] = ["host", "drive"];

/// A table's name, and its first column if rows are added in the order of its numbers.
pub(super) struct Table {
    pub(super) name: String,
    key: Option<String>,
    columns: usize,
}

/// The tables of a bundle, in the order of their references.
pub(super) fn tables(conn: &Connection) -> rusqlite::Result<Vec<Table>> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let names: rusqlite::Result<Vec<String>> =
        conn.prepare(sql)?.query_map([], |row| row.get(0))?.collect();
    let of = |name: String| {
        let mut columns = Vec::new();
        conn.pragma(None, "table_info", &name, |row| {
            columns.push((row.get::<_, String>(1)?, row.get::<_, String>(2)?));
            Ok(())
        })?;
        let is_numbered = !CHANGING.contains(&&*name);
        let first = columns.first().filter(|(_, kind)| is_numbered && kind == "INTEGER");
        let key = first.map(|(name, _)| name.clone());
        Ok(Table { name, key, columns: columns.len() })
    };
    names?.into_iter().map(of).collect()
}

/// Copies a table's rows after the one with this number; a table without numbers is copied
/// completely.
pub(super) fn copy(
    table: &Table,
    after: i64,
    from: (&Connection, &QueryMeter),
    to: (&Connection, &QueryMeter),
) -> rusqlite::Result<()> {
    let Table { name, key, columns } = table;
    let only = key.as_ref().map(|key| format!(" WHERE {key} > {after}")).unwrap_or_default();
    let places = vec!["?"; *columns].join(", ");
    let mut select = from.0.prepare(&format!("SELECT * FROM {name}{only}"))?;
    let mut insert =
        to.0.prepare_cached(&format!("INSERT OR REPLACE INTO {name} VALUES ({places})"))?;
    from.1.begin();
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        // The limit is for a single row here, not for a bundle.
        from.1.begin();
        to.1.begin();
        for column in 0..*columns {
            insert.raw_bind_parameter(column + 1, ToSqlOutput::Borrowed(row.get_ref(column)?))?;
        }
        insert.raw_execute()?;
    }
    Ok(())
}

/// The known state of a file without opening it: opening and closing it would release SQLite's
/// locks.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    length: u64,
    modified: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Option<Stamp> {
        let found = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
        let modified = (found.mtime(), found.mtime_nsec());
        Some(Stamp { device: found.dev(), inode: found.ino(), length: found.len(), modified })
    }
}

/// The file and its contents.
pub(super) struct BundleFile {
    pub(super) conn: Connection,
    pub(super) meter: QueryMeter,
    pub(super) path: PathBuf,
    stamp: Option<Stamp>,
    /// The last number of each table's rows in it.
    stored: HashMap<String, i64>,
    /// The start of its run, and the number of its points.
    contents: (i64, i64),
    /// Its permissions once the run has ended.
    mode: u32,
}

impl BundleFile {
    /// Creates an empty file with a bundle's tables. On failure, nothing is left.
    pub(super) fn create(path: &Path, readers: Option<Readers>) -> Result<BundleFile> {
        let shown = path.display();
        let name = path.file_name().unwrap_or_default();
        if name.len() + LONGEST_END > LONGEST_NAME {
            let what = format!("the name of {shown} is too long for a bundle");
            let most = LONGEST_NAME - LONGEST_END;
            return Err(failed(what, format!("choose one of at most {most} bytes")));
        }
        Folder::open(file::folder_of(path))?;
        output::refuse_existing(path)?;
        let mode = 0o666 & !umask();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).custom_flags(libc::O_NOFOLLOW);
        options.mode(readers.map_or(mode, Readers::mode));
        options.open(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => refused(
                format!("{shown} already exists"),
                "choose another name with -o; to continue an unfinished run, resume it",
            ),
            _ => failed(
                format!("cannot create the bundle {shown}: {error}"),
                "check that its folder exists and may be written to",
            ),
        })?;
        let begun = || {
            let mut conn = Connection::open(path)?;
            let meter = QueryMeter::install(&mut conn)?;
            schema::configure_for_writing(&conn)?;
            let tx = conn.unchecked_transaction()?;
            schema::lay_out(&tx)?;
            tx.commit()?;
            Ok(BundleFile::of(conn, meter, path, mode))
        };
        begun().map_err(|error: Error| {
            output::remove_database(path);
            error.context(format!("creating the bundle {shown}"))
        })
    }

    fn of(conn: Connection, meter: QueryMeter, path: &Path, mode: u32) -> BundleFile {
        let (path, stamp) = (path.to_path_buf(), Stamp::of(path));
        BundleFile { conn, meter, path, stamp, stored: HashMap::new(), contents: (0, 0), mode }
    }

    /// An existing bundle, opened to continue its run.
    pub(super) fn existing(conn: Connection, meter: QueryMeter, path: &Path) -> Result<BundleFile> {
        let found = path.symlink_metadata().map_or(0o600, |found| found.mode() & 0o777);
        // A killed run left its restricted mode.
        let mode = if found == Readers::Owner.mode() { 0o666 & !umask() } else { found };
        let mut file = BundleFile::of(conn, meter, path, mode);
        for table in tables(&file.conn)? {
            if let Some(last) = last(&file.conn, &table)? {
                file.stored.insert(table.name, last);
            }
        }
        file.contents = contents(&file.conn)?;
        Ok(file)
    }

    /// Restricts its readers while it is written.
    pub(super) fn restrict(&self, readers: Readers) {
        self.permit(readers.mode());
    }

    /// Permits its readers again.
    pub(super) fn release(&self) {
        self.permit(self.mode);
    }

    fn permit(&self, mode: u32) {
        // On a filesystem without permissions, everyone could read it before.
        let _ = std::fs::set_permissions(&self.path, PermissionsExt::from_mode(mode));
    }

    /// Sets the time limit of each wait for another program's lock.
    pub(super) fn wait_for_locks(&self, time: Duration) -> rusqlite::Result<()> {
        self.conn.busy_timeout(time)
    }

    /// Adds the rows that are missing in the file, and removes the points with these numbers.
    pub(super) fn add(
        &mut self,
        from: (&Connection, &QueryMeter),
        replaced: &[i64],
    ) -> std::result::Result<(), Trouble> {
        self.check_stamp()?;
        let tables = tables(from.0)?;
        self.conn.execute_batch("BEGIN IMMEDIATE")?;
        let added = self.add_rows(&tables, from, replaced);
        let ended = added.and_then(|()| self.conn.execute_batch("COMMIT"));
        if ended.is_err() {
            let _ = self.conn.execute_batch("ROLLBACK");
        }
        ended?;
        for table in tables {
            if let Some(last) = last(from.0, &table)? {
                self.stored.insert(table.name, last);
            }
        }
        self.contents = contents(from.0)?;
        self.stamp = Stamp::of(&self.path);
        Ok(())
    }

    fn add_rows(
        &self,
        tables: &[Table],
        from: (&Connection, &QueryMeter),
        replaced: &[i64],
    ) -> rusqlite::Result<()> {
        self.meter.begin();
        for point in replaced {
            self.conn.execute("DELETE FROM point WHERE id = ?", [point])?;
        }
        let to = (&self.conn, &self.meter);
        tables.iter().try_for_each(|table| {
            copy(table, self.stored.get(&table.name).copied().unwrap_or(0), from, to)
        })
    }

    /// Whether the open file can still be read completely, even if its name was changed or removed.
    pub(super) fn is_readable(&mut self) -> bool {
        check(&mut self.conn, &self.meter, self.contents).is_ok()
    }

    /// Whether the file still has its name and, if anything has changed it, its contents.
    fn check_stamp(&self) -> std::result::Result<(), Trouble> {
        let lost = |why: &str| Err(Trouble::Lost(why.to_string()));
        let (Some(known), now) = (self.stamp, Stamp::of(&self.path)) else { return Ok(()) };
        match now {
            None => lost("was moved or deleted"),
            Some(now) if (now.device, now.inode) != (known.device, known.inode) => {
                lost("was replaced by another file")
            }
            Some(now) if now == known => Ok(()),
            Some(_) => self.check(),
        }
    }

    /// Whether its name still refers to it.
    pub(super) fn is_own(&self) -> bool {
        let place = |stamp: Stamp| (stamp.device, stamp.inode);
        self.stamp.is_some() && self.stamp.map(place) == Stamp::of(&self.path).map(place)
    }

    /// Whether it is intact and complete, as another program would read it.
    pub(super) fn check(&self) -> std::result::Result<(), Trouble> {
        if Stamp::of(&self.path).is_none() {
            return Err(Trouble::Lost("was moved or deleted".to_string()));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut conn = Connection::open_with_flags(&self.path, flags)?;
        let meter = QueryMeter::install(&mut conn)?;
        conn.busy_timeout(Duration::from_secs(1))?;
        check(&mut conn, &meter, self.contents)
    }
}

/// Whether a connection's file contains this run with this number of points, undamaged.
fn check(
    conn: &mut Connection,
    meter: &QueryMeter,
    expected: (i64, i64),
) -> std::result::Result<(), Trouble> {
    let lost = |why: &str| Err(Trouble::Lost(format!("was changed by another program: {why}")));
    meter.begin();
    match contents(conn)? {
        found if found.0 != expected.0 => return lost("it contains another run"),
        found if found.1 != expected.1 => return lost("its points are not those of this run"),
        _ => {}
    }
    // The query limit is for files from elsewhere.
    conn.progress_handler(0, None::<fn() -> bool>)?;
    let said: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if said == "ok" { Ok(()) } else { lost(&said) }
}

/// The last number in a table's first column.
pub(super) fn last(conn: &Connection, table: &Table) -> rusqlite::Result<Option<i64>> {
    let Some(key) = &table.key else { return Ok(None) };
    conn.query_row(&format!("SELECT max({key}) FROM {}", table.name), [], |row| row.get(0))
}

/// The start of the run, and the number of points.
fn contents(conn: &Connection) -> rusqlite::Result<(i64, i64)> {
    let sql = "SELECT ifnull((SELECT started_unix_ns FROM run), 0), (SELECT count(*) FROM point)";
    conn.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// The permissions that this process withholds from new files.
fn umask() -> u32 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    mask.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(0o022)
}
