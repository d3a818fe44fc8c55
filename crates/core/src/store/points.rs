//! Reading a bundle's points, all of them or those of one step.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, Transaction};

use super::bundle::{Bundle, StoredPoint, class, fact, key};
use super::histograms::{self, bounded, count};
use super::limits::{self, QueryLimit};
use super::observations;
use super::schema::{self, optional_text, text};
use crate::base::error::{Context, Error, Result};
use crate::base::units::Rate;
use crate::record::{Cell, Censored, Outcome, Point, PointContents, Reported, Tally};

/// The consecutive numbers of points of one step.
pub type PointRange = RangeInclusive<i64>;

const ALL: PointRange = i64::MIN..=i64::MAX;

/// Rows of the cells of one point, with their tallies.
static CELL_ROWS: QueryLimit = QueryLimit {
    what: "cells and tallies of one point",
    most: limits::CELLS.most + limits::TALLIES.most,
    unit: "rows",
};

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
        self.each_point_of(&[ALL], &mut |stored, _| Ok(stored), visit)
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
        let sql = "SELECT id, step FROM point WHERE run = ? ORDER BY id";
        self.rows(&limits::POINTS, sql, [self.id], |row| {
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

    /// The points in these ranges, one range after the other: `gather` adds the data read with
    /// each, and `visit` may take any time, because the bundle is not locked meanwhile.
    fn each_point_of<T>(
        &self,
        ranges: &[PointRange],
        gather: &mut dyn FnMut(StoredPoint, &PointParts) -> Result<T>,
        visit: &mut dyn FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let mut fact_bytes = 0;
        for range in ranges {
            let mut next = Some(*range.start());
            while let Some(first) = next {
                let lock = SharedLock::of(&self.conn)?;
                let some = self.some_points(first, *range.end())?;
                let Some(last) = some.last().map(|last| last.id) else { break };
                next = last.checked_add(1);
                let parts = self.parts(first, last)?;
                drop(lock);
                let mut some = some.into_iter().peekable();
                while some.peek().is_some() {
                    let lock = SharedLock::of(&self.conn)?;
                    let mut read: Vec<T> = Vec::new();
                    while let Some(mut stored) =
                        some.next_if(|_| read.is_empty() || !lock.is_long_held())
                    {
                        let filled = self.fill(&mut stored, &parts);
                        fact_bytes += filled.map_err(|e| schema::not_read(&self.path, e))?;
                        let facts = stored.point.facts.iter();
                        let bytes = facts.map(|f| f.name.len() + f.value.len()).sum::<usize>();
                        fact_bytes += bytes as u64;
                        let within = limits::FACT_BYTES.check(fact_bytes);
                        within.map_err(|e| schema::not_read(&self.path, e))?;
                        self.mask.point(&mut stored.point);
                        read.push(gather(stored, &parts)?);
                    }
                    drop(lock);
                    read.into_iter().try_for_each(&mut *visit)?;
                }
            }
        }
        Ok(())
    }

    /// The next points from `first` to `last`, without their associated data. They are found by
    /// number, not by the index of the run (`+run`), which would sort all points each time.
    fn some_points(&self, first: i64, last: i64) -> Result<Vec<StoredPoint>> {
        let sql = "SELECT id, subject, step, axis_name, axis_field, axis_value, repeat, \
                   started_unix_ns, window_ns, failure FROM point WHERE +run = ? AND id >= ? \
                   AND id <= ?                    ORDER BY id LIMIT 256";
        let mut before = None;
        self.rows(&limits::POINTS, sql, [self.id, first, last], |row| {
            let read = point(row)?;
            // A B-tree with a cycle has no end.
            if read.id < first || before.replace(read.id).is_some_and(|before| before >= read.id) {
                return Err(Error::msg("its points are out of order"));
            }
            Ok(read)
        })
    }

    /// The parts that any of the points from `first` to `last` has, so that missing parts are not
    /// queried for each point.
    fn parts(&self, first: i64, last: i64) -> Result<PointParts> {
        let sql = "SELECT EXISTS (SELECT 1 FROM fact WHERE point BETWEEN ?1 AND ?2), \
                   EXISTS (SELECT 1 FROM observation WHERE point BETWEEN ?1 AND ?2), \
                   EXISTS (SELECT 1 FROM series WHERE point BETWEEN ?1 AND ?2), \
                   EXISTS (SELECT 1 FROM gauge WHERE point BETWEEN ?1 AND ?2), \
                   EXISTS (SELECT 1 FROM slow_op WHERE point BETWEEN ?1 AND ?2)";
        let found = self.rows(&limits::POINTS, sql, [first, last], |row| {
            Ok(PointParts {
                facts: row.get(0)?,
                observed: row.get(1)?,
                rates: row.get(2)?,
                samples: row.get(3)?,
                slow_ops: row.get(4)?,
            })
        })?;
        Ok(found.into_iter().next().unwrap_or_default())
    }

    /// Reads a point's data: its cells with their tallies, its facts and observations. Returns the
    /// bytes of the observations as stored.
    fn fill(&self, stored: &mut StoredPoint, parts: &PointParts) -> Result<u64> {
        let sql = "SELECT c.id, c.point, c.stream, c.drive, c.instance, c.headline, c.threads, \
                   c.depth, c.asked_ops_per_s, c.asked_bytes_per_s, c.late, c.backlog_max, \
                   c.backlog_end, t.class, t.ops, t.bytes, t.misses, t.service, t.service_sum_ns, \
                   t.service_max_ns, t.service_overflow, t.service_min_ns, t.response, \
                   t.response_sum_ns, t.response_max_ns, t.response_overflow, t.response_min_ns, \
                   t.given_up, t.censored, t.censored_from_ns, c.in_flight FROM cell c LEFT JOIN \
                   tally t ON t.cell = c.id WHERE c.point = ? ORDER BY c.id, t.id";
        let (own, cells) = (Some(stored.id), &mut stored.point.cells);
        let (mut last, mut tallies, mut histograms) = (None, 0, 0);
        self.rows(&CELL_ROWS, sql, own, |row| {
            let id: i64 = row.get(0)?;
            if last.replace(id) != Some(id) {
                cells.push(cell(row)?);
                limits::CELLS.check(cells.len() as u64)?;
            }
            let Some(tally) = tally(row, 13)? else { return Ok(()) };
            tallies += 1;
            histograms +=
                tally.service.used_bytes() + tally.response.as_ref().map_or(0, |r| r.used_bytes());
            limits::TALLIES.check(tallies)?;
            limits::HISTOGRAMS.check(histograms)?;
            cells.last_mut().context("a tally has no cell")?.tallies.push(tally);
            Ok(())
        })?;
        if parts.facts {
            let sql = "SELECT heading, name, value, server_drive, server_instance FROM fact WHERE \
                       point = ? ORDER BY id";
            stored.point.facts = self.query(&limits::FACTS, sql, own, |row| fact(row, 0))?;
        }
        let mut bytes = 0;
        if parts.observed {
            stored.point.observed =
                self.query(&limits::FACTS, observations::SELECT_OF_POINT, own, |row| {
                    bytes += observations::bytes(row)?;
                    observations::row(row)
                })?;
        }
        Ok(bytes)
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

    /// The same for the points in these ranges, with their reported figures.
    pub fn each_contents_of(
        &self,
        ranges: &[PointRange],
        (reported, slow_ops): (&mut HashMap<i64, Vec<Reported>>, bool),
        visit: &mut dyn FnMut(PointContents) -> Result<()>,
    ) -> Result<()> {
        let gather = &mut |StoredPoint { id, point }, parts: &PointParts| {
            let slow_ops = slow_ops && parts.slow_ops;
            Ok(PointContents {
                point,
                rates: if parts.rates { self.rates(id)? } else { Vec::new() },
                samples: if parts.samples { self.samples(id)? } else { Vec::new() },
                reported: reported.remove(&id).unwrap_or_default(),
                slow_ops: if slow_ops { self.slow_ops(id)? } else { Vec::new() },
            })
        };
        self.each_point_of(ranges, gather, visit)
    }
}

/// The parts of some points in addition to their cells.
#[derive(Default)]
struct PointParts {
    facts: bool,
    observed: bool,
    rates: bool,
    samples: bool,
    slow_ops: bool,
}

/// Prevents changes of a bundle while several queries read it, because locking the file and looking
/// for a journal take longer than a short query. It is released before the results are used, which
/// may take any time: a pipe's reader may stop.
struct SharedLock<'a> {
    _held: Transaction<'a>,
    since: Instant,
}

impl<'a> SharedLock<'a> {
    fn of(conn: &'a Connection) -> Result<SharedLock<'a>> {
        Ok(SharedLock { _held: conn.unchecked_transaction()?, since: Instant::now() })
    }

    fn is_long_held(&self) -> bool {
        self.since.elapsed() > MOST_HELD
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
        observed: Vec::new(),
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
        in_flight: row.get::<_, Option<f64>>(30)?.filter(|n| n.is_finite() && *n >= 0.0),
        tallies: Vec::new(),
    })
}

/// The tally in the columns from `first` on; None for a cell without one.
fn tally(row: &Row<'_>, first: usize) -> Result<Option<Tally>> {
    if let ValueRef::Null = row.get_ref(first)? {
        return Ok(None);
    }
    Ok(Some(Tally {
        class: class(row, first)?,
        ops: bounded(row, first + 1, &limits::REQUESTS)?,
        bytes: bounded(row, first + 2, &limits::BYTES)?,
        misses: bounded(row, first + 3, &limits::REQUESTS)?,
        given_up: bounded(row, first + 14, &limits::REQUESTS)?,
        service: histograms::read(row, first + 4, true)?.context("a tally has no latencies")?,
        response: histograms::read(row, first + 9, true)?,
        censored: censored(row, first + 15)?,
    }))
}

/// The ops that were never submitted; None for a tally without any.
fn censored(row: &Row<'_>, first: usize) -> Result<Option<Censored>> {
    let ops = bounded(row, first, &limits::REQUESTS)?;
    let from_ns = row.get::<_, Option<i64>>(first + 1)?.map_or(0, |ns| ns.max(0) as u64);
    Ok((ops > 0).then_some(Censored { ops, from_ns }))
}
