//! Writing a run to a bundle.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension, params};

use super::bundle::{BundleReader, finished};
use super::bundle_file::{self, BundleFile, Readers, Trouble, is_locked};
use super::histograms;
use super::limits::QueryMeter;
use super::schema::{self, OpenMode, signed};
use crate::base::error::{Context, Result, anyhow, bail, describe, failed};
use crate::base::folder::short;
use crate::base::output::remove_database;
use crate::base::secret;
use crate::base::stderr::note;
use crate::base::units::Rate;
use crate::plan::subjects::meters;
use crate::record::setup::DriveWriteCache;
use crate::record::{
    Cell, Class, DriveState, Fact, Interval, Observed, Outcome, Point, PointKey, PreparationStep,
    Reported, Run, Sample, Setup, Sink, SlowOp, Tally,
};

/// SQLite's cache of the rows in memory, KiB. Beyond that, the open point goes to a temporary file.
const CACHE_KIB: i64 = 64 << 10;
/// Rows that are in the file also stay in memory up to this size, so that they survive a loss of
/// the file.
const MOST_KEPT: i64 = 48 << 20;
/// Rows that cannot be written to the file, because of a lock or a full drive, wait up to this
/// size, and are then written to a second file.
const MOST_WAITING: i64 = 256 << 20;
/// Time limit of the wait for a lock on the file after each point of a run, and at its end.
const BETWEEN: Duration = Duration::from_secs(1);
const AT_END: Duration = Duration::from_secs(60);
/// After points have waited for this long, they are also written to a spare file, so that a run
/// that is killed loses none of them. It is removed once the first file has them.
const SPARE_AFTER: Duration = Duration::from_secs(10);
/// Bytes of a second file's name before its number.
const LONGEST_STEM: usize = 200;
/// The number of the first test.
const FIRST: i64 = 1;
/// The tables that are always in memory: they list the points.
const KEPT: [&str; 6] = ["run", "host", "drive", "point", "preparation", "drive_state"];

/// The bundle of a running run. Rows are written to a private database first, and copied to the
/// file when their point has ended: nothing is written to the file while a point is measured, and
/// no lock on it can disturb one.
pub struct BundleWriter {
    /// The private database.
    conn: Connection,
    meter: QueryMeter,
    file: BundleFile,
    /// The number of the run that rows are added to: that of the current test.
    run: i64,
    open: Option<OpenPoint>,
    /// Replaced attempts of points, to be removed from the file.
    replaced: Vec<i64>,
    /// The last point whose rows are only in the file.
    only_in_file: Option<i64>,
    patience: Option<Patience>,
}

/// How a run handles a file that cannot be written to.
struct Patience {
    options: RunFile,
    /// Whether points are waiting, and if so, whether for a lock.
    waiting: Option<bool>,
    /// Since when, and the file that has them meanwhile.
    since: Instant,
    spare: Option<BundleFile>,
    /// Abandoned files, with the reasons.
    abandoned: Vec<(PathBuf, String)>,
}

/// The file of a run.
#[derive(Clone, Debug, Default)]
pub struct RunFile {
    /// Who may read it during the run.
    pub readers: Readers,
    /// Folders for a second file if the first one's cannot be written to.
    pub fallbacks: Vec<PathBuf>,
}

/// The point of the open transaction, with the names that its rows refer to by number.
struct OpenPoint {
    id: i64,
    key: PointKey,
    /// The number of the failed attempt that it replaces.
    former: Option<i64>,
    series: HashMap<(String, u32, u32, Class), i64>,
    gauges: HashMap<(String, String), i64>,
}

impl BundleWriter {
    /// Creates a bundle for `run`, with everything known before its first point.
    pub fn create(path: &Path, run: &Run, setup: &Setup) -> Result<BundleWriter> {
        let (file, run) = (BundleFile::create(path, None)?, std::slice::from_ref(run));
        BundleWriter::begin_file(file, run, setup, None)
    }

    /// The same for the runs of several tests, of which the first begins with this setup. They
    /// continue if their file cannot be written to: `finish` must be called after them.
    pub fn create_for_run(
        path: &Path,
        runs: &[Run],
        setup: &Setup,
        options: RunFile,
    ) -> Result<BundleWriter> {
        let file = BundleFile::create(path, Some(options.readers))?;
        BundleWriter::begin_file(file, runs, setup, Some(options))
    }

    fn begin_file(
        file: BundleFile,
        runs: &[Run],
        setup: &Setup,
        options: Option<RunFile>,
    ) -> Result<BundleWriter> {
        let path = file.path.clone();
        let mut writer = BundleWriter::of(file)?;
        let mut begun = || -> Result<()> {
            let tx = writer.conn.unchecked_transaction()?;
            for run in runs {
                let mut plan = run.plan.clone();
                meters::hide(&mut plan);
                let plan = schema::to_json(&plan)?;
                let sql = "INSERT INTO run (dyno_version, started_unix_ns, plan) VALUES (?, ?, ?)";
                tx.execute(sql, params![run.dyno_version, signed(run.started_unix_ns), plan])?;
            }
            insert_setup(&tx, FIRST, setup)?;
            tx.commit()?;
            let from = (&writer.conn, &writer.meter);
            writer.file.add(from, &[]).map_err(|trouble| trouble.error(&path))
        };
        begun().map_err(|error| {
            remove_database(&path);
            error.context(format!("creating the bundle {}", path.display()))
        })?;
        match options {
            Some(options) => writer.for_run(options),
            None => Ok(writer),
        }
    }

    /// An empty private database for a file. Ids are never reused in it, so they equal those of the
    /// file.
    fn of(file: BundleFile) -> Result<BundleWriter> {
        let mut conn = Connection::open("")?;
        conn.pragma_update(None, "cache_size", -CACHE_KIB)?;
        conn.pragma_update_and_check(None, "journal_mode", "MEMORY", |_| Ok(()))?;
        let meter = QueryMeter::install(&mut conn)?;
        conn.pragma_update(None, "foreign_keys", true)?;
        let numbered = "INTEGER PRIMARY KEY";
        let never_reused = format!("{numbered} AUTOINCREMENT");
        conn.execute_batch(&schema::SCHEMA.replace(numbered, &never_reused))?;
        Ok(BundleWriter {
            conn,
            meter,
            file,
            run: FIRST,
            open: None,
            replaced: Vec::new(),
            only_in_file: None,
            patience: None,
        })
    }

    /// What is written from here on belongs to a test, by its place among the bundle's. `setup`
    /// supplies the setup with which it begins, if it has not begun yet.
    pub fn begin_test(
        &mut self,
        index: usize,
        setup: impl FnOnce() -> Result<Setup>,
    ) -> Result<()> {
        // Not by `fact`, which is not in memory if the file is large.
        let sql = "SELECT id, EXISTS (SELECT 1 FROM host WHERE run = r.id) \
                   OR EXISTS (SELECT 1 FROM drive WHERE run = r.id) \
                   OR EXISTS (SELECT 1 FROM point WHERE run = r.id) \
                   FROM run r ORDER BY id LIMIT 1 OFFSET ?";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, bool>(1)?));
        let (run, has_begun) = self.conn.query_row(sql, [index as i64], read)?;
        self.run = run;
        if has_begun {
            return Ok(());
        }
        let setup = setup()?;
        let tx = self.conn.unchecked_transaction()?;
        insert_setup(&tx, run, &setup)
            .and_then(|()| Ok(tx.commit()?))
            .with_context(|| self.writing())?;
        self.store()
    }

    /// Opens the bundle of unfinished runs, to continue them: the first, until `begin_test`.
    pub fn resume(path: &Path) -> Result<(BundleWriter, Vec<Run>)> {
        let (conn, meter) = schema::open(path, OpenMode::Write)?;
        schema::configure_for_writing(&conn)
            .with_context(|| format!("opening {} to write", path.display()))?;
        let runs = schema::read_runs(&conn).map_err(|e| schema::not_read(path, e))?;
        meter.begin();
        schema::check_whole(&conn).map_err(|e| schema::not_read(path, e))?;
        let file = BundleFile::existing(conn, meter, path)?;
        let mut writer = BundleWriter::of(file)?;
        writer.recall().with_context(|| writer.reading())?;
        Ok((writer, runs.into_iter().map(|(_, run)| run).collect()))
    }

    /// Reads the contents of the file that are kept in memory.
    fn recall(&mut self) -> Result<()> {
        let length = self.file.path.metadata().map_or(0, |found| found.len() as i64);
        let whole = length <= MOST_KEPT;
        let (from, to) = ((&self.file.conn, &self.file.meter), (&self.conn, &self.meter));
        let tx = self.conn.unchecked_transaction()?;
        for table in bundle_file::tables(&self.conn)? {
            if whole || KEPT.contains(&&*table.name) {
                bundle_file::copy(&table, 0, from, to)?;
            } else if let Some(last) = bundle_file::last(&self.file.conn, &table)? {
                let sql = "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)";
                tx.execute(sql, params![table.name, last])?;
            }
        }
        tx.commit()?;
        if !whole {
            let last = self.conn.query_row("SELECT max(id) FROM point", [], |row| row.get(0))?;
            self.only_in_file = last;
        }
        Ok(())
    }

    /// From here on, the file belongs to a run, which does not end because of another program's
    /// lock on it, a full drive or its loss. `finish` must be called after it.
    pub fn for_run(mut self, options: RunFile) -> Result<BundleWriter> {
        self.file.restrict(options.readers);
        self.file.wait_for_locks(BETWEEN)?;
        let (since, abandoned) = (Instant::now(), Vec::new());
        self.patience = Some(Patience { options, waiting: None, since, spare: None, abandoned });
        Ok(self)
    }

    /// The points of the current test that need not be measured again.
    pub fn finished(&self) -> Result<Vec<PointKey>> {
        let reader = BundleReader { conn: &self.conn, meter: &self.meter };
        finished(&reader, self.run).with_context(|| self.reading())
    }

    /// Whether any test has a measured point.
    pub fn has_results(&self) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM point WHERE failure IS NULL)";
        self.conn.query_row(sql, [], |row| row.get(0)).with_context(|| self.reading())
    }

    /// The preparation of the current test that still holds, and all other: another test has used
    /// the drives since.
    pub fn prepared_before(&self) -> Result<(Vec<PreparationStep>, Vec<PreparationStep>)> {
        let of_run = |sql: &str| -> Result<Vec<PreparationStep>> {
            let mut statement = self.conn.prepare(sql)?;
            let mut rows = statement.query([self.run])?;
            let mut all = Vec::new();
            while let Some(row) = rows.next()? {
                all.push(super::prepared::row(row)?);
            }
            Ok(all)
        };
        let sql = "SELECT EXISTS (SELECT 1 FROM preparation WHERE run != ?1 AND id > (SELECT \
                   max(id) FROM preparation WHERE run = ?1)) OR EXISTS (SELECT 1 FROM point WHERE \
                   run != ?1 AND started_unix_ns > (SELECT max(ended_unix_ns) FROM preparation \
                   WHERE run = ?1))";
        let read = || -> Result<_> {
            let is_superseded: bool = self.conn.query_row(sql, [self.run], |row| row.get(0))?;
            let own = of_run(super::prepared::SELECT)?;
            let mut others = of_run(super::prepared::SELECT_OF_OTHERS)?;
            if is_superseded {
                others.extend(own);
                return Ok((Vec::new(), others));
            }
            Ok((own, others))
        };
        read().with_context(|| self.reading())
    }

    /// The state in which the drives were left last, by any test.
    pub fn states(&self) -> Result<Vec<DriveState>> {
        let read = || -> Result<Vec<DriveState>> {
            let mut statement = self.conn.prepare(super::prepared::SELECT_STATES)?;
            let mut rows = statement.query([])?;
            let mut all = Vec::new();
            while let Some(row) = rows.next()? {
                all.push(super::prepared::state(row)?);
            }
            Ok(all)
        };
        read().with_context(|| self.reading())
    }

    /// Removes the file of a new run that has neither measured nor prepared anything; returns
    /// whether it did.
    pub fn discard_empty(&self) -> Result<bool> {
        let rows = "SELECT (SELECT count(*) FROM point) + (SELECT count(*) FROM preparation) + \
                    (SELECT count(*) FROM drive_state)";
        let rows: i64 = self.conn.query_row(rows, [], |row| row.get(0))?;
        let is_empty = rows == 0 && self.file.is_own();
        if is_empty {
            remove_database(&self.file.path);
        }
        Ok(is_empty)
    }

    /// The file that has the results: a second one if the first was lost.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// Adds facts about the current test's run as a whole. Not while a point is open.
    pub fn add_facts(&mut self, facts: &[Fact]) -> Result<()> {
        if self.open.is_some() {
            bail!("facts about the run were added while a point was open");
        }
        let tx = self.conn.unchecked_transaction()?;
        insert_facts(&tx, (self.run, None), facts)
            .and_then(|()| Ok(tx.commit()?))
            .with_context(|| self.writing())?;
        self.store()
    }

    /// Adds another tool's figure for the open point.
    pub fn reported(&mut self, reported: &Reported) -> Result<()> {
        let open = self.open.as_ref().ok_or_else(no_point)?;
        super::reported::insert(&self.conn, open.id, reported).with_context(|| self.writing())
    }

    /// Ends a run: waits until its last points are in the file, unless `stop` is set, checks the
    /// file, and permits its readers. An error if the results are in a second file.
    pub fn finish(&mut self, stop: &AtomicBool) -> Result<()> {
        let give_up = Instant::now() + AT_END;
        self.store()?;
        while self.waiting() == Some(true) && Instant::now() < give_up && !stop.load(Relaxed) {
            self.store()?;
        }
        let whole = match self.waiting() {
            Some(_) => Err("could not be written to".to_string()),
            None => self.file.check().map_err(|trouble| trouble.cause()),
        };
        whole.or_else(|why| self.abandon(&why))?;
        self.file.release();
        let abandoned = self.patience.take().map(|patience| patience.abandoned);
        let Some((first, why)) = abandoned.unwrap_or_default().into_iter().next() else {
            return Ok(());
        };
        let now = self.file.path.display();
        Err(failed(
            format!("the bundle {} {why}; the results are in {now}", first.display()),
            format!("read them there: dyno show {now}"),
        ))
    }

    fn waiting(&self) -> Option<bool> {
        self.patience.as_ref().and_then(|patience| patience.waiting)
    }

    /// Copies completed points to the file. If a run cannot do so now, it does it later.
    fn store(&mut self) -> Result<()> {
        if self.open.is_some() {
            return Ok(());
        }
        let added = self.file.add((&self.conn, &self.meter), &self.replaced);
        let shown = self.file.path.display().to_string();
        match (added, &mut self.patience) {
            (Ok(()), patience) => {
                if let Some(patience) = patience {
                    if patience.waiting.take().is_some() {
                        note(&format!("{shown} is written again; no point is missing"));
                    }
                    patience.spare.take().iter().for_each(|spare| remove_database(&spare.path));
                }
                self.replaced.clear();
                self.trim().with_context(|| self.writing())
            }
            (Err(trouble), None) => {
                Err(trouble.error(&self.file.path)).with_context(|| self.writing())
            }
            (Err(Trouble::Later(error)), Some(patience)) => {
                let why = describe(&error).0;
                if patience.waiting.replace(is_locked(&error)).is_none() {
                    patience.since = Instant::now();
                    note(&format!(
                        "{shown} cannot be written now ({why}): points are kept in memory, and \
                         the run goes on"
                    ));
                }
                match self.bytes()? > MOST_WAITING {
                    true => self.abandon(&format!("could not be written to ({why})")),
                    false => self.spare(),
                }
            }
            (Err(Trouble::Lost(why)), Some(_)) => self.abandon(&why),
        }
    }

    /// Also writes waiting points to a spare file, from `SPARE_AFTER` on. Without one, they are
    /// only in memory.
    fn spare(&mut self) -> Result<()> {
        let Some(patience) = &mut self.patience else { return Ok(()) };
        if let Some(spare) = &mut patience.spare {
            let _ = spare.add((&self.conn, &self.meter), &self.replaced);
            return Ok(());
        }
        let lost_by_filling = self.only_in_file.is_some() && !self.file.is_readable();
        if patience.since.elapsed() < SPARE_AFTER || lost_by_filling {
            return Ok(());
        }
        if let Ok((spare, _)) = self.second_file() {
            note(&format!("the points so far are also in {} until then", spare.path.display()));
            let Some(patience) = &mut self.patience else { return Ok(()) };
            patience.spare = Some(spare);
        }
        Ok(())
    }

    /// The size of the private database.
    fn bytes(&self) -> rusqlite::Result<i64> {
        let number = |name| self.conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        Ok((number("page_count")? - number("freelist_count")?) * number("page_size")?)
    }

    /// Removes rows from memory that are also in the file, if there are many.
    fn trim(&mut self) -> Result<()> {
        if self.bytes()? <= MOST_KEPT {
            return Ok(());
        }
        self.meter.begin();
        let tx = self.conn.unchecked_transaction()?;
        for table in bundle_file::tables(&tx)? {
            match &*table.name {
                name if KEPT.contains(&name) => {}
                // Those of the run are needed for a second file.
                name @ ("fact" | "observation") => {
                    tx.execute(&format!("DELETE FROM {name} WHERE point IS NOT NULL"), [])?;
                }
                name => drop(tx.execute(&format!("DELETE FROM {name}"), [])?),
            }
        }
        let last = tx.query_row("SELECT max(id) FROM point", [], |row| row.get(0))?;
        tx.commit()?;
        self.only_in_file = last;
        Ok(())
    }

    /// Continues in a second file, with the complete contents that the first has or should have.
    fn abandon(&mut self, why: &str) -> Result<()> {
        let Some(patience) = &mut self.patience else { return Ok(()) };
        let first = self.file.path.clone();
        let spare = patience.spare.take().and_then(|mut spare| {
            let added = spare.add((&self.conn, &self.meter), &self.replaced);
            added.is_ok().then_some((spare, false))
        });
        let second = match spare {
            Some(spare) => Ok(spare),
            None => self.second_file(),
        };
        let (file, missing) = second.map_err(|error| {
            error.context(format!("{} {why}, and no other file can be written", first.display()))
        })?;
        let shown = file.path.display();
        let lost = if missing { ", except the points that only it contained" } else { "" };
        note(&format!("Warning: {} {why}; the run continues in {shown}{lost}", first.display()));
        self.file = file;
        self.file.wait_for_locks(BETWEEN)?;
        self.replaced.clear();
        let Some(patience) = &mut self.patience else { return Ok(()) };
        patience.waiting = None;
        patience.abandoned.push((first, format!("{why}{lost}")));
        Ok(())
    }

    /// A new file with the complete contents, in the first folder where one can be made. Also
    /// returns whether points are missing in it.
    fn second_file(&mut self) -> Result<(BundleFile, bool)> {
        let Some(patience) = &self.patience else { bail!("it belongs to no run") };
        let first = self.file.path.clone();
        let readers = Some(patience.options.readers);
        let folders = std::iter::once(first.parent().unwrap_or(Path::new("")).to_path_buf());
        let folders: Vec<PathBuf> = folders.chain(patience.options.fallbacks.clone()).collect();
        let mut last = None;
        for folder in folders {
            let path = free_name(&folder, &first);
            match BundleFile::create(&path, readers).and_then(|file| self.fill(file)) {
                Ok(made) => return Ok(made),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| anyhow!("there is no folder for it")))
    }

    /// Writes everything to a new file. Also returns whether points are missing, because they were
    /// only in the old file, which cannot be read.
    fn fill(&mut self, mut file: BundleFile) -> Result<(BundleFile, bool)> {
        let mut copied = Ok(());
        let mut missing = false;
        if let Some(last) = self.only_in_file {
            missing = !self.file.is_readable();
            if missing {
                self.conn.execute("DELETE FROM point WHERE id <= ?", [last])?;
            } else {
                copied = file.add((&self.file.conn, &self.file.meter), &[]);
            }
        }
        let filled = copied.and_then(|()| file.add((&self.conn, &self.meter), &self.replaced));
        match filled {
            Ok(()) => Ok((file, missing)),
            Err(trouble) => {
                remove_database(&file.path);
                Err(trouble.error(&file.path))
            }
        }
    }

    fn reading(&self) -> String {
        format!("reading {}", self.file.path.display())
    }

    fn writing(&self) -> String {
        format!("writing to {} (is its drive full or gone?)", self.file.path.display())
    }

    fn begin_point(&mut self, key: &PointKey) -> Result<()> {
        // The limit is for one query, not for a run of thousands of points.
        self.meter.begin();
        if self.open.take().is_some() {
            self.conn.execute_batch("ROLLBACK")?;
        }
        self.conn.execute_batch("BEGIN")?;
        match self.insert_point(key) {
            Ok((id, former)) => {
                self.open = Some(OpenPoint {
                    id,
                    key: key.clone(),
                    former,
                    series: HashMap::new(),
                    gauges: HashMap::new(),
                });
                Ok(())
            }
            Err(error) => {
                self.conn.execute_batch("ROLLBACK")?;
                Err(error)
            }
        }
    }

    /// Inserts the point, completed at its end, instead of a failed attempt.
    fn insert_point(&self, key: &PointKey) -> Result<(i64, Option<i64>)> {
        let axis = key.axis.as_ref();
        let field = axis.map(|a| serde_json::to_value(a.field)).transpose()?;
        let field = field.as_ref().and_then(|f| f.as_str());
        let (name, value) = (axis.map(|a| &a.name), axis.map(|a| a.value.as_f64()));
        let sql = "SELECT id, failure IS NULL FROM point WHERE run = ? AND subject = ? AND step = \
                   ? AND axis_name IS ? AND axis_value IS ? AND repeat = ?";
        let place = params![self.run, key.subject, key.step, name, value, key.repeat];
        let former = self
            .conn
            .query_row(sql, place, |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))
            .optional()?;
        let former = match former {
            Some((_, true)) => bail!("this point has been measured already"),
            Some((id, false)) => Some(id),
            None => None,
        };
        if let Some(id) = former {
            self.conn.execute("DELETE FROM point WHERE id = ?", [id])?;
        }
        let sql = "INSERT INTO point (run, subject, step, axis_name, axis_field, axis_value, \
                   repeat, started_unix_ns, window_ns) VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0)";
        let row = params![self.run, key.subject, key.step, name, field, value, key.repeat];
        self.conn.execute(sql, row)?;
        Ok((self.conn.last_insert_rowid(), former))
    }

    fn insert_interval(&mut self, interval: &Interval) -> Result<()> {
        let BundleWriter { conn, open, .. } = self;
        let open = open.as_mut().ok_or_else(no_point)?;
        let of = (interval.stream.clone(), interval.drive, interval.instance, interval.class);
        let series = match open.series.get(&of) {
            Some(&id) => id,
            None => {
                let sql = "INSERT INTO series (point, stream, drive, instance, class) VALUES (?, \
                           ?, ?, ?, ?)";
                conn.execute(sql, params![open.id, of.0, of.1, of.2, of.3.name()])?;
                *open.series.entry(of).or_insert(conn.last_insert_rowid())
            }
        };
        let service = histograms::interval(&interval.service)?;
        let response = interval.response.as_ref().map(histograms::interval).transpose()?;
        let response = response.as_ref();
        let sql = "INSERT INTO interval (series, start_ns, end_ns, ops, bytes, service, \
                   service_sum_ns, service_max_ns, service_overflow, response, response_sum_ns, \
                   response_max_ns, response_overflow, timed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, \
                   ?, ?, ?, ?, ?)";
        conn.prepare_cached(sql)?.execute(params![
            series,
            signed(interval.start_ns),
            signed(interval.end_ns),
            signed(interval.ops),
            signed(interval.bytes),
            service.v2,
            service.sum_ns,
            service.max_ns,
            service.overflow,
            response.map(|r| &r.v2),
            response.map(|r| r.sum_ns),
            response.map(|r| r.max_ns),
            response.map(|r| r.overflow),
            signed(interval.response.as_ref().unwrap_or(&interval.service).count),
        ])?;
        Ok(())
    }

    fn insert_sample(&mut self, sample: &Sample) -> Result<()> {
        let BundleWriter { conn, open, .. } = self;
        let open = open.as_mut().ok_or_else(no_point)?;
        let of = (sample.meter.clone(), sample.name.clone());
        let gauge = match open.gauges.get(&of) {
            Some(&id) => id,
            None => {
                let sql = "INSERT INTO gauge (point, meter, name) VALUES (?, ?, ?)";
                conn.execute(sql, params![open.id, of.0, of.1])?;
                *open.gauges.entry(of).or_insert(conn.last_insert_rowid())
            }
        };
        let sql = "INSERT OR REPLACE INTO sample (gauge, at_ns, value) VALUES (?, ?, ?)";
        conn.prepare_cached(sql)?.execute(params![gauge, sample.at_ns, sample.value])?;
        Ok(())
    }

    fn end_point(&mut self, point: &Point) -> Result<()> {
        let open = self.open.as_ref().ok_or_else(no_point)?;
        if open.key != point.key {
            bail!("the point that ended is not the one that was begun");
        }
        let failure = match &point.outcome {
            Outcome::Measured => None,
            Outcome::Failed { cause } => Some(secret::hide(cause)),
        };
        let sql = "UPDATE point SET started_unix_ns = ?, window_ns = ?, failure = ? WHERE id = ?";
        self.conn.execute(
            sql,
            params![
                signed(point.started_unix_ns),
                signed(point.window_ns.unwrap_or(0)),
                failure,
                open.id
            ],
        )?;
        for cell in &point.cells {
            insert_cell(&self.conn, open.id, cell)?;
        }
        let of = (self.run, Some(open.id));
        insert_facts(&self.conn, of, &point.facts)?;
        super::observations::insert(&self.conn, of, &point.observed)?;
        self.conn.execute_batch("COMMIT")?;
        let former = open.former;
        self.replaced.extend(former);
        self.open = None;
        Ok(())
    }
}

/// A name for a second file in a folder: "run.dyno" becomes "run-2.dyno".
fn free_name(folder: &Path, first: &Path) -> PathBuf {
    let stem = first.file_stem().unwrap_or_default().to_string_lossy();
    let stem = short(&stem, LONGEST_STEM);
    let named = (2..).map(|number: u32| folder.join(format!("{stem}-{number}.dyno")));
    let free = |path: &PathBuf| path.symlink_metadata().is_err();
    named.into_iter().find(free).unwrap_or_default()
}

fn no_point() -> crate::base::error::Error {
    anyhow!("something was recorded while no point was open")
}

fn insert_setup(conn: &Connection, run: i64, setup: &Setup) -> Result<()> {
    super::setup::insert(conn, run, &setup.host, &setup.drives)?;
    insert_facts(conn, (run, None), &setup.facts)?;
    super::observations::insert(conn, (run, None), &setup.observed)
}

fn insert_facts(conn: &Connection, (run, point): (i64, Option<i64>), facts: &[Fact]) -> Result<()> {
    for fact in facts {
        let value = secret::hide(&fact.value);
        let (drive, instance) = (fact.server.map(|s| s.drive), fact.server.map(|s| s.instance));
        let sql = "INSERT INTO fact (run, point, heading, name, value, server_drive, \
                   server_instance) VALUES (?, ?, ?, ?, ?, ?, ?)";
        conn.prepare_cached(sql)?
            .execute(params![run, point, fact.group, fact.name, value, drive, instance])?;
    }
    Ok(())
}

fn insert_cell(conn: &Connection, point: i64, cell: &Cell) -> Result<()> {
    let (ops_per_s, bytes_per_s) = match cell.asked {
        Some(Rate::OpsPerSec(rate)) => (Some(rate), None),
        Some(Rate::BytesPerSec(rate)) => (None, Some(rate)),
        None => (None, None),
    };
    let sql = "INSERT INTO cell (point, stream, drive, instance, headline, threads, depth, \
               asked_ops_per_s, asked_bytes_per_s, late, backlog_max, backlog_end, in_flight) \
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    conn.prepare_cached(sql)?.execute(params![
        point,
        cell.stream,
        cell.drive,
        cell.instance,
        cell.headline,
        cell.threads.unwrap_or(0),
        cell.depth.unwrap_or(0),
        ops_per_s,
        bytes_per_s,
        signed(cell.late),
        signed(cell.backlog_max),
        signed(cell.backlog_end),
        cell.in_flight,
    ])?;
    let id = conn.last_insert_rowid();
    cell.tallies.iter().try_for_each(|tally| insert_tally(conn, id, tally))
}

fn insert_tally(conn: &Connection, cell: i64, tally: &Tally) -> Result<()> {
    let service = histograms::total(&tally.service)?;
    let response = tally.response.as_ref().map(histograms::total).transpose()?;
    let response = response.as_ref();
    let sql = "INSERT INTO tally (cell, class, ops, bytes, misses, service, service_sum_ns, \
               service_min_ns, service_max_ns, service_overflow, response, response_sum_ns, \
               response_min_ns, response_max_ns, response_overflow, given_up, censored, \
               censored_from_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    conn.prepare_cached(sql)?.execute(params![
        cell,
        tally.class.name(),
        signed(tally.ops),
        signed(tally.bytes),
        signed(tally.misses),
        service.v2,
        service.sum_ns,
        service.min_ns,
        service.max_ns,
        service.overflow,
        response.map(|r| &r.v2),
        response.map(|r| r.sum_ns),
        response.and_then(|r| r.min_ns),
        response.map(|r| r.max_ns),
        response.map(|r| r.overflow),
        signed(tally.given_up),
        signed(tally.censored.map_or(0, |censored| censored.ops)),
        tally.censored.map(|censored| signed(censored.from_ns)),
    ])?;
    Ok(())
}

impl Sink for BundleWriter {
    fn begin(&mut self, key: &PointKey) -> Result<()> {
        self.begin_point(key).with_context(|| self.writing())
    }

    fn interval(&mut self, interval: &Interval) -> Result<()> {
        self.insert_interval(interval).with_context(|| self.writing())
    }

    fn sample(&mut self, sample: &Sample) -> Result<()> {
        self.insert_sample(sample).with_context(|| self.writing())
    }

    fn slow_op(&mut self, op: &SlowOp) -> Result<()> {
        let open = self.open.as_ref().ok_or_else(no_point)?;
        super::slow_ops::insert(&self.conn, open.id, op).with_context(|| self.writing())
    }

    fn discard(&mut self) -> Result<()> {
        match self.open.take() {
            Some(_) => self.conn.execute_batch("ROLLBACK").with_context(|| self.writing()),
            None => Ok(()),
        }
    }

    fn facts(&mut self, facts: &[Fact]) -> Result<()> {
        self.add_facts(facts)
    }

    fn observed(&mut self, observed: &[Observed]) -> Result<()> {
        let tx = self.conn.unchecked_transaction()?;
        super::observations::insert(&tx, (self.run, None), observed)
            .and_then(|()| Ok(tx.commit()?))
            .with_context(|| self.writing())?;
        self.store()
    }

    fn write_caches(&mut self, states: &[DriveWriteCache]) -> Result<()> {
        let tx = self.conn.unchecked_transaction()?;
        super::setup::note_write_caches(&tx, self.run, states)
            .and_then(|()| Ok(tx.commit()?))
            .with_context(|| self.writing())?;
        self.store()
    }

    fn prepared(&mut self, prepared: &[PreparationStep]) -> Result<()> {
        super::prepared::insert(&self.conn, self.run, prepared).with_context(|| self.writing())?;
        self.store()
    }

    fn left(&mut self, states: &[DriveState]) -> Result<()> {
        super::prepared::insert_states(&self.conn, states).with_context(|| self.writing())?;
        self.store()
    }

    fn end(&mut self, point: &Point) -> Result<()> {
        self.end_point(point).with_context(|| self.writing())?;
        self.store()
    }
}
