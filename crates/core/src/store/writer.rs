//! Writing a run to a bundle.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};

use super::bundle::{BundleReader, finished};
use super::histograms;
use super::limits::QueryMeter;
use super::schema::{self, OpenMode, signed};
use crate::base::error::{Context, Result, anyhow, bail, failed, refused};
use crate::base::secret;
use crate::base::units::Rate;
use crate::plan::subjects::meters;
use crate::record::setup::DriveWriteCache;
use crate::record::{
    Cell, Class, DriveState, Fact, Interval, Outcome, Point, PointKey, PreparationStep, Reported,
    Run, Sample, Setup, Sink, SlowOp, Tally,
};

/// The bundle of a running run.
pub struct BundleWriter {
    conn: Connection,
    meter: QueryMeter,
    path: PathBuf,
    open: Option<OpenPoint>,
}

/// The point of the open transaction, with the names that its rows refer to by number.
struct OpenPoint {
    id: i64,
    key: PointKey,
    series: HashMap<(String, u32, u32, Class), i64>,
    gauges: HashMap<(String, String), i64>,
}

impl BundleWriter {
    /// Creates a bundle for `run`, with everything known before its first point.
    pub fn create(path: &Path, run: &Run, setup: &Setup) -> Result<BundleWriter> {
        let shown = path.display();
        OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| match error
            .kind()
        {
            ErrorKind::AlreadyExists => refused(
                format!("{shown} already exists"),
                "choose another name with -o; to continue an unfinished run, resume it",
            ),
            _ => failed(
                format!("cannot create the bundle {shown}: {error}"),
                "check that its folder exists and may be written to",
            ),
        })?;
        let writer = BundleWriter::begin_file(path, run, setup);
        writer.with_context(|| format!("creating the bundle {shown}"))
    }

    fn begin_file(path: &Path, run: &Run, setup: &Setup) -> Result<BundleWriter> {
        let mut conn = Connection::open(path)?;
        let meter = QueryMeter::install(&mut conn)?;
        schema::configure_for_writing(&conn)?;
        let tx = conn.unchecked_transaction()?;
        schema::lay_out(&tx)?;
        let mut plan = run.plan.clone();
        meters::hide(&mut plan);
        let plan = schema::to_json(&plan)?;
        let sql = "INSERT INTO run (id, dyno_version, started_unix_ns, plan) VALUES (1, ?, ?, ?)";
        tx.execute(sql, params![run.dyno_version, signed(run.started_unix_ns), plan])?;
        super::setup::insert(&tx, &setup.host, &setup.drives)?;
        insert_facts(&tx, None, &setup.facts)?;
        tx.commit()?;
        Ok(BundleWriter { conn, meter, path: path.to_owned(), open: None })
    }

    /// Opens the bundle of an unfinished run, to continue it.
    pub fn resume(path: &Path) -> Result<(BundleWriter, Run)> {
        let (conn, meter) = schema::open(path, OpenMode::Write)?;
        schema::configure_for_writing(&conn)
            .with_context(|| format!("opening {} to write", path.display()))?;
        let run = schema::read_run(&conn).map_err(|e| schema::not_read(path, e))?;
        meter.begin();
        schema::check_whole(&conn).map_err(|e| schema::not_read(path, e))?;
        Ok((BundleWriter { conn, meter, path: path.to_owned(), open: None }, run))
    }

    /// The points that need not be measured again.
    pub fn finished(&self) -> Result<Vec<PointKey>> {
        let reader = BundleReader { conn: &self.conn, meter: &self.meter };
        finished(&reader).with_context(|| self.reading())
    }

    /// Adds facts about the run as a whole. Not while a point is open.
    pub fn add_facts(&mut self, facts: &[Fact]) -> Result<()> {
        if self.open.is_some() {
            bail!("facts about the run were added while a point was open");
        }
        let tx = self.conn.unchecked_transaction()?;
        insert_facts(&tx, None, facts)
            .and_then(|()| Ok(tx.commit()?))
            .with_context(|| self.writing())
    }

    /// Adds another tool's figure for the open point.
    pub fn reported(&mut self, reported: &Reported) -> Result<()> {
        let open = self.open.as_ref().ok_or_else(no_point)?;
        super::reported::insert(&self.conn, open.id, reported).with_context(|| self.writing())
    }

    fn reading(&self) -> String {
        format!("reading {}", self.path.display())
    }

    fn writing(&self) -> String {
        format!("writing to {} (is its drive full or gone?)", self.path.display())
    }

    fn begin_point(&mut self, key: &PointKey) -> Result<()> {
        // The limit is for one query, not for a run of thousands of points.
        self.meter.begin();
        if self.open.take().is_some() {
            self.conn.execute_batch("ROLLBACK")?;
        }
        self.conn.execute_batch("BEGIN IMMEDIATE")?;
        match self.insert_point(key) {
            Ok(id) => {
                self.open = Some(OpenPoint {
                    id,
                    key: key.clone(),
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

    /// Inserts the point, completed at its end, in place of a failed attempt.
    fn insert_point(&self, key: &PointKey) -> Result<i64> {
        let axis = key.axis.as_ref();
        let field = axis.map(|a| serde_json::to_value(a.field)).transpose()?;
        let field = field.as_ref().and_then(|f| f.as_str());
        let (name, value) = (axis.map(|a| &a.name), axis.map(|a| a.value.as_f64()));
        let sql = "SELECT id, failure IS NULL FROM point WHERE subject = ? AND step = ? AND \
                   axis_name IS ? AND axis_value IS ? AND repeat = ?";
        let place = params![key.subject, key.step, name, value, key.repeat];
        let former = self
            .conn
            .query_row(sql, place, |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))
            .optional()?;
        match former {
            Some((_, true)) => bail!("this point has been measured already"),
            Some((id, false)) => drop(self.conn.execute("DELETE FROM point WHERE id = ?", [id])?),
            None => {}
        }
        let sql = "INSERT INTO point (subject, step, axis_name, axis_field, axis_value, repeat, \
                   started_unix_ns, window_ns) VALUES (?, ?, ?, ?, ?, ?, 0, 0)";
        self.conn.execute(sql, params![key.subject, key.step, name, field, value, key.repeat])?;
        Ok(self.conn.last_insert_rowid())
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
        insert_facts(&self.conn, Some(open.id), &point.facts)?;
        self.conn.execute_batch("COMMIT")?;
        self.open = None;
        Ok(())
    }
}

fn no_point() -> crate::base::error::Error {
    anyhow!("something was recorded while no point was open")
}

fn insert_facts(conn: &Connection, point: Option<i64>, facts: &[Fact]) -> Result<()> {
    for fact in facts {
        conn.prepare_cached("INSERT INTO fact (point, heading, name, value) VALUES (?, ?, ?, ?)")?
            .execute(params![point, fact.group, fact.name, secret::hide(&fact.value)])?;
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

    fn write_caches(&mut self, states: &[DriveWriteCache]) -> Result<()> {
        let tx = self.conn.unchecked_transaction()?;
        super::setup::note_write_caches(&tx, states)
            .and_then(|()| Ok(tx.commit()?))
            .with_context(|| self.writing())
    }

    fn prepared(&mut self, prepared: &[PreparationStep]) -> Result<()> {
        super::prepared::insert(&self.conn, prepared).with_context(|| self.writing())
    }

    fn left(&mut self, states: &[DriveState]) -> Result<()> {
        super::prepared::insert_states(&self.conn, states).with_context(|| self.writing())
    }

    fn end(&mut self, point: &Point) -> Result<()> {
        self.end_point(point).with_context(|| self.writing())
    }
}
