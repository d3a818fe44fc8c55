//! Reading a bundle's points, all of them or those of one step.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Row, Transaction};

use super::bundle::{Bundle, StoredPoint, class, fact, key};
use super::histograms::{self, bounded, count};
use super::limits;
use super::schema::{self, optional_text, text};
use crate::base::error::{Context, Error, Result};
use crate::base::units::Rate;
use crate::record::{Cell, Outcome, Point, PointContents, Reported, Tally};

/// Points whose numbers follow one another, of one step.
pub type PointRange = RangeInclusive<i64>;

const ALL: PointRange = i64::MIN..=i64::MAX;

/// The longest time that a continuing run waits for a reader.
const MOST_HELD: Duration = Duration::from_millis(20);

impl Bundle {
    /// All points, in the order of measurement. The histograms of many points exceed memory:
    /// `each_point` passes them one by one.
    pub fn points(&self) -> Result<Vec<StoredPoint>> {
        let mut points = Vec::new();
        self.each_point(&mut |point| {
            points.push(point);
            Ok(())
        })?;
        Ok(points)
    }

    /// Every point, in the order of measurement.
    pub fn each_point(&self, visit: &mut dyn FnMut(StoredPoint) -> Result<()>) -> Result<()> {
        self.check_number()?;
        self.each_point_of(&[ALL], visit)
    }

    /// An error if there are more points than a bundle may contain: they are counted before the
    /// first is read, because a small file can contain any number of them.
    fn check_number(&self) -> Result<()> {
        let more = "SELECT id FROM point LIMIT 1 OFFSET ?";
        let most = limits::POINTS.most as i64;
        self.rows(&limits::POINTS, more, Some(most), |_| limits::POINTS.check(most as u64 + 1))?;
        Ok(())
    }

    /// The numbers of each step's points, in the order of the steps' first points.
    pub fn steps(&self) -> Result<Vec<(String, Vec<PointRange>)>> {
        self.check_number()?;
        let mut steps: Vec<(String, Vec<PointRange>)> = Vec::new();
        let (mut of, mut last) = (HashMap::new(), None);
        self.rows(&limits::POINTS, "SELECT id, step FROM point ORDER BY id", None, |row| {
            let (id, name): (i64, String) = (row.get(0)?, text(row, 1)?);
            let step = *of.entry(name).or_insert_with_key(|name| {
                steps.push((name.clone(), Vec::new()));
                steps.len() - 1
            });
            let ranges = &mut steps[step].1;
            match ranges.last_mut().filter(|_| last == Some(step)) {
                Some(range) => *range = *range.start()..=id,
                None => ranges.push(id..=id),
            }
            last = Some(step);
            Ok(())
        })?;
        Ok(steps)
    }

    /// The points in these ranges, one range after the other.
    fn each_point_of(
        &self,
        ranges: &[PointRange],
        visit: &mut dyn FnMut(StoredPoint) -> Result<()>,
    ) -> Result<()> {
        let mut fact_bytes = 0;
        for range in ranges {
            let mut next = Some(*range.start());
            while let Some(first) = next {
                let mut lock = SharedLock::of(&self.conn)?;
                let some = self.some_points(first, *range.end())?;
                next = some.last().and_then(|last| last.id.checked_add(1));
                for mut stored in some {
                    lock.renew()?;
                    self.fill(&mut stored).map_err(|e| schema::not_read(&self.path, e))?;
                    let facts = stored.point.facts.iter();
                    fact_bytes += facts.map(|f| f.name.len() + f.value.len()).sum::<usize>() as u64;
                    let within = limits::FACT_BYTES.check(fact_bytes);
                    within.map_err(|e| schema::not_read(&self.path, e))?;
                    self.mask.point(&mut stored.point);
                    visit(stored)?;
                }
            }
        }
        Ok(())
    }

    /// The next points from `first` to `last`, without what belongs to them.
    fn some_points(&self, first: i64, last: i64) -> Result<Vec<StoredPoint>> {
        let sql = "SELECT id, subject, step, axis_name, axis_field, axis_value, repeat, \
                   started_unix_ns, window_ns, failure FROM point WHERE id >= ? AND id <= ? \
                   ORDER BY id LIMIT 256";
        let mut before = None;
        self.rows(&limits::POINTS, sql, [first, last], |row| {
            let read = point(row)?;
            // A B-tree with a cycle has no end.
            if read.id < first || before.replace(read.id).is_some_and(|before| before >= read.id) {
                return Err(Error::msg("its points are out of order"));
            }
            Ok(read)
        })
    }

    /// Reads a point's data: its cells with their tallies, and its facts.
    fn fill(&self, stored: &mut StoredPoint) -> Result<()> {
        let sql = "SELECT id, point, stream, drive, instance, headline, threads, depth, \
                   asked_ops_per_s, asked_bytes_per_s, late, backlog_max, backlog_end FROM cell \
                   WHERE point = ? ORDER BY id";
        let own = Some(stored.id);
        let cells =
            self.query(&limits::CELLS, sql, own, |row| Ok((row.get::<_, i64>(0)?, cell(row)?)))?;
        let (mut tallies, mut histograms) = (0, 0);
        for (id, mut cell) in cells {
            let sql = "SELECT cell, class, ops, bytes, misses, service, service_sum_ns, \
                       service_max_ns, service_overflow, service_min_ns, response, \
                       response_sum_ns, response_max_ns, response_overflow, response_min_ns, \
                       given_up FROM tally WHERE cell = ? ORDER BY id";
            cell.tallies = self.query(&limits::TALLIES, sql, Some(id), |row| {
                let tally = tally(row)?;
                tallies += 1;
                histograms += tally.service.used_bytes()
                    + tally.response.as_ref().map_or(0, |r| r.used_bytes());
                limits::TALLIES.check(tallies)?;
                limits::HISTOGRAMS.check(histograms)?;
                Ok(tally)
            })?;
            stored.point.cells.push(cell);
        }
        let sql = "SELECT heading, name, value FROM fact WHERE point = ? ORDER BY id";
        stored.point.facts = self.query(&limits::FACTS, sql, own, |row| fact(row, 0))?;
        Ok(())
    }

    /// The same with each point's associated data; the slowest ops, a thousand rows each, only on
    /// request.
    pub fn each_contents(
        &self,
        slow_ops: bool,
        visit: &mut dyn FnMut(PointContents) -> Result<()>,
    ) -> Result<()> {
        self.check_number()?;
        self.each_contents_of(&[ALL], (&mut self.reported()?, slow_ops), visit)
    }

    /// The same of the points in these ranges, with their reported figures.
    pub fn each_contents_of(
        &self,
        ranges: &[PointRange],
        (reported, slow_ops): (&mut HashMap<i64, Vec<Reported>>, bool),
        visit: &mut dyn FnMut(PointContents) -> Result<()>,
    ) -> Result<()> {
        self.each_point_of(ranges, &mut |StoredPoint { id, point }| {
            visit(PointContents {
                point,
                rates: self.rates(id)?,
                samples: self.samples(id)?,
                reported: reported.remove(&id).unwrap_or_default(),
                slow_ops: if slow_ops { self.slow_ops(id)? } else { Vec::new() },
            })
        })
    }
}

/// Prevents changes of a bundle while several queries read it, because locking the file and looking
/// for a journal take longer than a short query. A continuing run waits for it, but not for long.
struct SharedLock<'a> {
    conn: &'a Connection,
    held: Option<Transaction<'a>>,
    since: Instant,
}

impl<'a> SharedLock<'a> {
    fn of(conn: &'a Connection) -> Result<SharedLock<'a>> {
        let held = Some(conn.unchecked_transaction()?);
        Ok(SharedLock { conn, held, since: Instant::now() })
    }

    /// Lets a writer in if the lock was held for some time.
    fn renew(&mut self) -> Result<()> {
        if self.since.elapsed() > MOST_HELD {
            // It is released before the next is acquired.
            self.held = None;
            *self = SharedLock::of(self.conn)?;
        }
        Ok(())
    }
}

fn point(row: &Row<'_>) -> Result<StoredPoint> {
    let outcome = match optional_text(row, 9)? {
        None => Outcome::Measured,
        Some(cause) => Outcome::Failed { cause },
    };
    let point = Point {
        key: key(row, 1)?,
        started_unix_ns: count(row, 7)?,
        window_ns: given(count(row, 8)?),
        outcome,
        cells: Vec::new(),
        facts: Vec::new(),
    };
    Ok(StoredPoint { id: row.get(0)?, point })
}

/// No window is empty, and no load lacks workers or requests: zero means unknown.
fn given<N: Default + PartialEq>(n: N) -> Option<N> {
    (n != N::default()).then_some(n)
}

fn cell(row: &Row<'_>) -> Result<Cell> {
    let ops = row.get::<_, Option<f64>>(8)?.map(Rate::OpsPerSec);
    let bytes = row.get::<_, Option<f64>>(9)?.map(Rate::BytesPerSec);
    Ok(Cell {
        stream: text(row, 2)?,
        drive: count(row, 3)?,
        instance: count(row, 4)?,
        headline: row.get(5)?,
        threads: given(bounded(row, 6, &limits::WORKERS)? as u32),
        depth: given(count(row, 7)?),
        asked: ops.or(bytes),
        late: bounded(row, 10, &limits::REQUESTS)?,
        backlog_max: bounded(row, 11, &limits::REQUESTS)?,
        backlog_end: bounded(row, 12, &limits::REQUESTS)?,
        tallies: Vec::new(),
    })
}

fn tally(row: &Row<'_>) -> Result<Tally> {
    Ok(Tally {
        class: class(row, 1)?,
        ops: bounded(row, 2, &limits::REQUESTS)?,
        bytes: bounded(row, 3, &limits::BYTES)?,
        misses: bounded(row, 4, &limits::REQUESTS)?,
        given_up: bounded(row, 15, &limits::REQUESTS)?,
        service: histograms::read(row, 5, true)?.context("a tally has no latencies")?,
        response: histograms::read(row, 10, true)?,
    })
}
