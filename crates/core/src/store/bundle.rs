//! Reading a bundle. It may come from anyone, so any contents result in data or an error. Each test
//! of a comparison is read as a bundle of its own.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Row};
use serde::Deserialize;
use serde::de::value::{Error as ValueError, StrDeserializer};

use super::histograms::{self, bounded, count};
use super::identity;
use super::limits::{self, QueryLimit, QueryMeter};
use super::schema::{self, OpenMode, optional_text, text};
use super::{observations, setup};
use crate::base::error::{Context, Error, Result, failed};
use crate::base::text::visible;
use crate::plan::Field;
use crate::record::setup::{DriveSetup, HostSetup};
use crate::record::{
    Axis, Class, DriveState, Fact, Interval, Mask, Observed, Point, PointKey, PreparationStep,
    RateInterval, Reported, Run, RunContents, Sample, ServerPlace, Setup, SlowOp,
};

/// A bundle opened for reading: one of its tests.
pub struct Bundle {
    pub(super) conn: Connection,
    /// The number of the test's run.
    pub(super) id: i64,
    meter: QueryMeter,
    pub(super) path: PathBuf,
    run: Run,
    pub(super) mask: Mask,
}

/// A point with its number in the bundle, which identifies its intervals and samples.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPoint {
    /// The row's number in table `point`.
    pub id: i64,
    /// The point itself.
    pub point: Point,
}

impl Bundle {
    /// Opens a bundle with a single test. An error if it is not a bundle, is damaged, exceeds a
    /// limit or has several tests.
    pub fn open(path: &Path) -> Result<Bundle> {
        let mut tests = Bundle::open_tests(path)?;
        match (tests.pop(), tests.len()) {
            (Some(only), 0) => Ok(only),
            (_, others) => Err(failed(
                format!("{} has {} tests, and one is needed here", path.display(), others + 1),
                "run one of its protocols for itself: dyno run PROTOCOL",
            )),
        }
    }

    /// Opens one of the tests of a bundle.
    pub fn open_test(path: &Path, index: usize) -> Result<Bundle> {
        let (conn, meter) = schema::open(path, OpenMode::Read)?;
        let runs = schema::read_runs(&conn).map_err(|e| schema::not_read(path, e))?;
        let (id, run) = runs.into_iter().nth(index).ok_or_else(|| schema::damaged(path))?;
        Ok(Bundle { conn, id, meter, path: path.to_owned(), run, mask: Mask::default() })
    }

    /// Opens a bundle: its tests in order, each to be read like a bundle of its own.
    pub fn open_tests(path: &Path) -> Result<Vec<Bundle>> {
        let (conn, meter) = schema::open(path, OpenMode::Read)?;
        let runs = schema::read_runs(&conn).map_err(|e| schema::not_read(path, e))?;
        let (mut first, mut tests) = (Some((conn, meter)), Vec::new());
        for (id, run) in runs {
            let (conn, meter) = match first.take() {
                Some(opened) => opened,
                None => schema::open(path, OpenMode::Read)?,
            };
            let (path, mask) = (path.to_owned(), Mask::default());
            tests.push(Bundle { conn, id, meter, path, run, mask });
        }
        Ok(tests)
    }

    /// The same bundle, with a mask applied to everything read.
    pub fn masked(mut self, mask: &Mask) -> Result<Bundle> {
        mask.run(&mut self.run)?;
        Ok(Bundle { mask: mask.clone(), ..self })
    }

    /// The stored run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Its identity, independent of the file name: 32 hexadecimal digits derived from the plan, the
    /// start of the run and its points, and their counts. Copies have the same identity.
    pub fn identity(&self) -> Result<String> {
        identity::of(&self.conn, self.id, &self.meter).map_err(|e| schema::not_read(&self.path, e))
    }

    /// Facts of the whole run, in order of recording.
    pub fn facts(&self) -> Result<Vec<Fact>> {
        let sql = "SELECT heading, name, value, server_drive, server_instance FROM fact \
                   WHERE point IS NULL AND run = ? ORDER BY id";
        self.rows(&limits::FACTS, sql, [self.id], |row| {
            let mut fact = fact(row, 0)?;
            self.mask.fact(&mut fact);
            Ok(fact)
        })
    }

    /// The host; all fields are absent if its setup was not stored.
    pub fn host(&self) -> Result<HostSetup> {
        let found = self.rows(&limits::FACTS, setup::SELECT_HOST, [self.id], setup::host)?;
        let mut host = found.into_iter().next().unwrap_or_default();
        self.mask.host(&mut host);
        Ok(host)
    }

    /// The drives, in the plan's order.
    pub fn drives(&self) -> Result<Vec<DriveSetup>> {
        let (sql, of) = (setup::SELECT_DRIVES, [self.id]);
        let mut all = self.rows(&limits::PREPARED, sql, of, setup::drive)?;
        all.iter_mut().for_each(|drive| self.mask.drive(drive));
        Ok(all)
    }

    /// What was observed of the whole run, in order of recording.
    pub fn observed(&self) -> Result<Vec<Observed>> {
        let (sql, read) = (observations::SELECT_OF_RUN, observations::row);
        let mut all = self.rows(&limits::FACTS, sql, [self.id], read)?;
        all.iter_mut().for_each(|observed| self.mask.observed(observed));
        Ok(all)
    }

    /// The run, with everything that does not belong to a point.
    pub fn contents(&self) -> Result<RunContents> {
        let file = self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy();
        let file = self.mask.text(&visible(&file));
        Ok(RunContents {
            file,
            run: self.run.clone(),
            setup: Setup {
                host: self.host()?,
                drives: self.drives()?,
                facts: self.facts()?,
                observed: self.observed()?,
            },
            prepared: self.prepared()?,
        })
    }

    /// A point's intervals, chronological within each series.
    pub fn intervals(&self, point: i64) -> Result<Vec<Interval>> {
        let mut all = Vec::new();
        let mut histograms = 0;
        self.each_interval(point, &mut |interval| {
            histograms += interval.service.used_bytes()
                + interval.response.as_ref().map_or(0, |r| r.used_bytes());
            limits::HISTOGRAMS.check(histograms).map_err(|e| schema::not_read(&self.path, e))?;
            all.push(interval);
            Ok(())
        })?;
        Ok(all)
    }

    /// The same, interval by interval: those of a long point exceed memory.
    pub fn each_interval(
        &self,
        point: i64,
        visit: &mut dyn FnMut(Interval) -> Result<()>,
    ) -> Result<()> {
        let sql = "SELECT id FROM series WHERE point = ? ORDER BY id";
        let mut found = 0;
        for series in self.rows(&limits::INTERVALS, sql, Some(point), |row| Ok(row.get(0)?))? {
            let mut after = i64::MIN;
            loop {
                let page = self.some_intervals(series, after)?;
                let Some((last, _)) = page.last() else { break };
                after = *last;
                found += page.len() as u64;
                limits::INTERVALS.check(found).map_err(|e| schema::not_read(&self.path, e))?;
                // The bundle is not locked here.
                page.into_iter().try_for_each(|(_, interval)| visit(interval))?;
            }
        }
        Ok(())
    }

    /// The next intervals of a series, with their numbers.
    fn some_intervals(&self, series: i64, after: i64) -> Result<Vec<(i64, Interval)>> {
        let sql = "SELECT s.stream, s.drive, s.instance, s.class, i.start_ns, i.end_ns, i.bytes, \
                   i.service, i.service_sum_ns, i.service_max_ns, i.service_overflow, i.response, \
                   i.response_sum_ns, i.response_max_ns, i.response_overflow, i.ops, i.id FROM \
                   series s JOIN interval i ON i.series = s.id WHERE s.id = ? AND i.id > ? ORDER \
                   BY i.id LIMIT 1024";
        let mut before = after;
        self.rows(&limits::INTERVALS, sql, [series, after], |row| {
            let (start_ns, end_ns) = span(row)?;
            let id = row.get(16)?;
            // A B-tree with a cycle has no end.
            if std::mem::replace(&mut before, id) >= id {
                return Err(Error::msg("its intervals are out of order"));
            }
            let interval = Interval {
                stream: self.mask.text(&text(row, 0)?),
                drive: count(row, 1)?,
                instance: count(row, 2)?,
                class: class(row, 3)?,
                start_ns,
                end_ns,
                ops: bounded(row, 15, &limits::REQUESTS)?,
                bytes: bounded(row, 6, &limits::BYTES)?,
                service: histograms::read(row, 7, false)?
                    .context("an interval has no latencies")?,
                response: histograms::read(row, 11, false)?,
            };
            Ok((id, interval))
        })
    }

    /// A point's intervals without their latencies.
    pub fn rates(&self, point: i64) -> Result<Vec<RateInterval>> {
        let sql = "SELECT s.stream, s.drive, s.instance, s.class, i.start_ns, i.end_ns, i.ops, \
                   i.bytes, i.response_sum_ns, i.timed FROM series s JOIN interval \
                   i ON i.series = s.id WHERE s.point = ? ORDER BY s.id, i.id";
        self.rows(&limits::INTERVALS, sql, Some(point), |row| {
            let (start_ns, end_ns) = span(row)?;
            Ok(RateInterval {
                stream: self.mask.text(&text(row, 0)?),
                drive: count(row, 1)?,
                instance: count(row, 2)?,
                class: class(row, 3)?,
                start_ns,
                end_ns,
                ops: bounded(row, 6, &limits::REQUESTS)?,
                bytes: bounded(row, 7, &limits::BYTES)?,
                response_sum_ns: row.get::<_, Option<i64>>(8)?.map(|ns| ns.max(0) as u64),
                timed: bounded(row, 9, &limits::REQUESTS)?,
            })
        })
    }

    /// Whether anything measured power, judged by the first million gauges.
    pub fn has_watts(&self) -> Result<bool> {
        let sql = "SELECT 1 FROM (SELECT g.name FROM gauge g JOIN point p ON p.id = g.point WHERE \
                   p.run = ? LIMIT 1000000) WHERE name LIKE '%watts' LIMIT 1";
        Ok(!self.rows(&limits::SAMPLES, sql, [self.id], |_| Ok(()))?.is_empty())
    }

    /// The meter readings of a point, gauge by gauge, chronological.
    pub fn samples(&self, point: i64) -> Result<Vec<Sample>> {
        let sql = "SELECT v.at_ns, g.meter, g.name, v.value FROM gauge g JOIN sample v ON v.gauge \
                   = g.id WHERE g.point = ? ORDER BY g.id, v.at_ns";
        let mut samples = self.rows(&limits::SAMPLES, sql, Some(point), |row| {
            // SQLite has no NaN; it stores NULL instead.
            let value = row.get::<_, Option<f64>>(3)?.unwrap_or(f64::NAN);
            Ok(Sample { at_ns: row.get(0)?, meter: text(row, 1)?, name: text(row, 2)?, value })
        })?;
        self.mask.samples(&mut samples);
        Ok(samples)
    }

    /// A point's slowest ops, slowest first.
    pub fn slow_ops(&self, point: i64) -> Result<Vec<SlowOp>> {
        let (sql, of) = (super::slow_ops::SELECT, Some(point));
        let mut slowest = self.rows(&limits::SLOW_OPS, sql, of, super::slow_ops::row)?;
        slowest.iter_mut().for_each(|op| self.mask.own(&mut op.stream));
        Ok(slowest)
    }

    /// Other tools' figures for imported points, by the point's number.
    pub fn reported(&self) -> Result<HashMap<i64, Vec<Reported>>> {
        let mut all: HashMap<i64, Vec<Reported>> = HashMap::new();
        let more = "SELECT id FROM reported LIMIT 1 OFFSET ?";
        let most = limits::REPORTED.most as i64;
        self.rows(&limits::REPORTED, more, Some(most), |_| {
            limits::REPORTED.check(most as u64 + 1)
        })?;
        for (point, mut reported) in
            self.rows(&limits::REPORTED, super::reported::SELECT, [self.id], super::reported::row)?
        {
            self.mask.own(&mut reported.stream);
            all.entry(point).or_default().push(reported);
        }
        Ok(all)
    }

    /// The preparation of the drives before their points, in order.
    pub fn prepared(&self) -> Result<Vec<PreparationStep>> {
        let read = super::prepared::row;
        let sql = super::prepared::SELECT;
        let mut all = self.rows(&limits::PREPARED, sql, [self.id], read)?;
        all.iter_mut().for_each(|prepared| self.mask.prepared(prepared));
        Ok(all)
    }

    /// The state in which the run left its drives.
    pub fn states(&self) -> Result<Vec<DriveState>> {
        let read = super::prepared::state;
        let mut all = self.rows(&limits::PREPARED, super::prepared::SELECT_STATES, None, read)?;
        all.iter_mut().for_each(|state| self.mask.state(state));
        Ok(all)
    }

    pub(super) fn rows<T>(
        &self,
        limit: &QueryLimit,
        sql: &str,
        ids: impl IntoIterator<Item = i64>,
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.query(limit, sql, ids, read).map_err(|e| schema::not_read(&self.path, e))
    }

    pub(super) fn query<T>(
        &self,
        limit: &QueryLimit,
        sql: &str,
        ids: impl IntoIterator<Item = i64>,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        self.each(limit, sql, ids, &mut |row| {
            all.push(read(row)?);
            Ok(())
        })?;
        Ok(all)
    }

    fn each(
        &self,
        limit: &QueryLimit,
        sql: &str,
        ids: impl IntoIterator<Item = i64>,
        visit: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        BundleReader { conn: &self.conn, meter: &self.meter }.rows(limit, sql, ids, visit)
    }
}

/// An interval's start and end, in order.
fn span(row: &Row<'_>) -> Result<(u64, u64)> {
    let (start_ns, end_ns) = (count(row, 4)?, count(row, 5)?);
    if start_ns > end_ns {
        Err(Error::msg("an interval ends before it begins"))
    } else {
        Ok((start_ns, end_ns))
    }
}

/// The connection, with a time limit for queries.
pub(super) struct BundleReader<'a> {
    pub(super) conn: &'a Connection,
    pub(super) meter: &'a QueryMeter,
}

impl BundleReader<'_> {
    /// Passes on every row of a query that takes at most an id, up to a number of rows.
    fn rows(
        &self,
        limit: &QueryLimit,
        sql: &str,
        ids: impl IntoIterator<Item = i64>,
        visit: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut statement = self.conn.prepare_cached(sql)?;
        self.meter.begin();
        let mut rows = statement.query(rusqlite::params_from_iter(ids))?;
        let (mut found, mut bytes) = (0, 0);
        while let Some(row) = rows.next()? {
            found += 1;
            limit.check(found)?;
            bytes += limits::text_bytes(row)?;
            limits::READ.check(bytes)?;
            visit(row)?;
        }
        Ok(())
    }
}

/// The keys of the completely measured points.
pub(super) fn finished(reader: &BundleReader<'_>, run: i64) -> Result<Vec<PointKey>> {
    let sql = "SELECT subject, step, axis_name, axis_field, axis_value, repeat FROM point \
               WHERE run = ? AND failure IS NULL ORDER BY id";
    let mut keys = Vec::new();
    reader.rows(&limits::POINTS, sql, [run], &mut |row| {
        keys.push(key(row, 0)?);
        Ok(())
    })?;
    Ok(keys)
}

pub fn key(row: &Row<'_>, first: usize) -> Result<PointKey> {
    let name: Option<String> = optional_text(row, first + 2)?;
    let axis = match name {
        None => None,
        Some(name) => {
            let field = StrDeserializer::<ValueError>::new(row.get_ref(first + 3)?.as_str()?);
            let field = Field::deserialize(field).context("a point's axis_field")?;
            Some(Axis { name, field, value: row.get::<_, f64>(first + 4)?.into() })
        }
    };
    Ok(PointKey {
        subject: text(row, first)?,
        step: text(row, first + 1)?,
        axis,
        repeat: count(row, first + 5)?,
    })
}

pub fn fact(row: &Row<'_>, first: usize) -> Result<Fact> {
    let place = [first + 3, first + 4].map(|column| {
        let is_given = row.get::<_, Option<i64>>(column)?.is_some();
        Ok::<_, Error>(if is_given { Some(count(row, column)?) } else { None })
    });
    let [drive, instance] = place;
    let server = drive?.zip(instance?).map(|(drive, instance)| ServerPlace { drive, instance });
    let (group, name, value) = (text(row, first)?, text(row, first + 1)?, text(row, first + 2)?);
    Ok(Fact { group, name, value, server })
}

pub fn class(row: &Row<'_>, column: usize) -> Result<Class> {
    let name: String = row.get(column)?;
    Class::stored(&name)
}
