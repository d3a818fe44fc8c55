//! Results of other tools, converted to a bundle and marked as imported: anything that a tool did
//! not report is stated, never made up.
//!
//! A format is one file and one line in `ALL`. It converts a file's text to observations, each with
//! its load as data; `place` derives steps, axes and repeats from the observations of all files, by
//! one rule for all formats, and `bundle` writes them.

mod benchbase;
mod bundle;
mod csv;
mod dbbench;
mod diskspd;
mod elbencho;
mod fio;
mod fio_log;
mod fio_options;
mod fio_terse;
mod fio_text;
mod gotpc;
mod hammerdb;
mod iob;
pub mod load;
mod mlperf;
mod pgbench;
mod place;
mod sysbench;
mod text;
mod vdbench;
mod ycsb;

pub use bundle::{ImportedFrom, WrittenBundle, import};
pub use load::Load;

use std::fmt::Display;

use dyno_core::base::error::{Error, Result};
use dyno_core::base::histogram::Histogram;
use dyno_core::base::registry::Registry;
use dyno_core::base::units;
use dyno_core::plan::{Field, LoopKind, Timing};
use dyno_core::record::{Cell, Class, Fact, Outcome, Point, PointKey, Reported, Sample, Tally};

/// The name for a key lookup in `dbbench` and tables.
const SEEK: Class = Class::new("seek");

/// A committed transaction.
const TRANSACTION: Class = Class::new("transaction");

/// An op of a kind that the source does not give.
const OPERATION: Class = Class::new("operation");

/// Reads and writes that the source counts together.
const READ_OR_WRITE: Class = Class::new("read-or-write");

/// The name and input of a format.
pub struct FormatInfo {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its input, in one line.
    pub summary: &'static str,
    /// Values that its files never contain.
    pub missing: &'static [&'static str],
}

/// One kind of file.
pub trait ImportFormat: Sync {
    /// Its description.
    fn info(&self) -> &'static FormatInfo;
    /// Reads a file; an error states the line that does not match the tool's format.
    fn read(&self, input: &Input<'_>) -> Result<ImportedFile>;
}

/// Every format, in display order.
pub static ALL: Registry<&'static dyn ImportFormat> = Registry::new(&[
    &benchbase::BenchBase,
    &csv::CsvTables,
    &dbbench::DbBench,
    &diskspd::DiskSpd,
    &elbencho::Elbencho,
    &fio::Fio,
    &fio_log::FioLogs,
    &gotpc::GoTpc,
    &hammerdb::HammerDb,
    &iob::IobTables,
    &mlperf::MlperfStorage,
    &pgbench::Pgbench,
    &sysbench::SysbenchReports,
    &vdbench::Vdbench,
    &ycsb::Ycsb,
]);

/// An input file.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Its name in messages.
    pub file: &'a str,
    /// The file's text.
    pub text: &'a str,
    /// The meaning of a CSV's columns: the mapping's file name and text.
    pub mapping: Option<(&'a str, &'a str)>,
}

impl<'a> Input<'a> {
    /// A file without its byte order mark, which spreadsheets and some systems write before the
    /// text.
    pub fn new(file: &'a str, text: &'a str, mapping: Option<(&'a str, &'a str)>) -> Input<'a> {
        Input { file, text: text.trim_start_matches('\u{feff}'), mapping }
    }

    /// Its lines, numbered from 1.
    fn lines(&self) -> impl Iterator<Item = (usize, &'a str)> + use<'a> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// An error at its end.
    fn wrong_at_end(&self, what: impl Display, next: impl Display) -> Error {
        text::wrong(self.file, self.text.lines().count().max(1), what, next)
    }
}

/// The contents of a file.
#[derive(Debug, Default)]
pub struct ImportedFile {
    /// The measurements, in the order of the file.
    pub observations: Vec<Observation>,
    /// Its statements about the tool, its version and its settings.
    pub facts: Vec<Fact>,
    /// What was omitted or is unknown, in sentences.
    pub notes: Vec<String>,
    /// The title of its run, if stated.
    pub title: Option<String>,
    /// The source of its load, if stated.
    pub source: Option<String>,
}

impl ImportedFile {
    /// Adds a note, once.
    pub fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }
}

/// One load on one subject over one window, with its reported figures.
#[derive(Debug)]
pub struct Observation {
    /// If None, the file's subject.
    pub subject: Option<String>,
    /// The name of the load in its source: a job, a benchmark, a run.
    pub step: String,
    /// The step's title; if empty, its name.
    pub title: String,
    /// Everything that defines the load and is given by the source.
    pub load: Load,
    /// The field that its source varies, if it names one.
    pub axis: Option<Field>,
    /// Ops in flight, if they follow from rate and latency: runs that differ in it are not repeats,
    /// even if their source does not give threads.
    pub in_flight: Option<f64>,
    /// The measurements in the file.
    pub point: Point,
    /// Figures without raw latencies: percentiles, means, maxima.
    pub reported: Vec<Reported>,
    /// Values over time.
    pub samples: Vec<Sample>,
    /// Closed or open loop, if stated in the file.
    pub loop_kind: Option<LoopKind>,
    /// Service or response times, if determined by the format or the file.
    pub timing: Option<Timing>,
}

impl Observation {
    /// An empty one; `window_ns` is the length of its measured window, if stated in the file.
    pub fn new(step: &str, window_ns: Option<u64>) -> Observation {
        let key =
            PointKey { subject: String::new(), step: step.to_string(), axis: None, repeat: 1 };
        let point = Point {
            key,
            started_unix_ns: 0,
            window_ns: window_ns.map(|ns| ns.max(1)),
            outcome: Outcome::Measured,
            cells: Vec::new(),
            facts: Vec::new(),
            observed: Vec::new(),
        };
        Observation {
            subject: None,
            step: step.to_string(),
            title: String::new(),
            load: Load::default(),
            axis: None,
            in_flight: None,
            point,
            reported: Vec::new(),
            samples: Vec::new(),
            loop_kind: None,
            timing: None,
        }
    }

    /// Sets the number of workers of the load, which is also the axis if it varies.
    pub fn set_threads(&mut self, threads: Option<f64>) {
        self.load.set_if(load::field::THREADS, threads);
        self.axis = threads.map(|_| Field::Threads);
    }

    /// A name for the next stream: that of its job, with a number if another stream has it.
    pub fn next_stream(&self, job: &str) -> String {
        let mut name = job.to_string();
        let mut number = 1;
        while self.point.cells.iter().any(|cell| cell.stream == name) {
            number += 1;
            name = format!("{job} ({number})");
        }
        name
    }

    /// Ops in the window at this rate; None without a window.
    pub fn ops_at(&self, per_s: f64) -> Option<u64> {
        Some((per_s * self.point.window_ns? as f64 / 1e9).round() as u64)
    }

    /// Adds a printed figure, without bounds beyond its digits.
    pub fn report(&mut self, of: (&str, Class), name: &str, value: Written, samples: Option<u64>) {
        self.report_within(of, name, value.within((value.value, value.value)), samples);
    }

    /// Adds a figure known to be between two bounds, such as a histogram's bucket.
    pub fn report_within(
        &mut self,
        (stream, class): (&str, Class),
        name: &str,
        figure: WrittenWithin,
        samples: Option<u64>,
    ) {
        let Written { value, digits } = figure.written;
        let (low, high) = (figure.low.min(value), figure.high.max(value));
        let (stream, name) = (stream.to_string(), name.to_string());
        self.reported.push(Reported { stream, class, name, value, low, high, samples, digits });
    }

    /// Whether any ops were done, as far as the source gives their number or a rate.
    pub fn did_work(&self) -> bool {
        let mut tallies = self.point.cells.iter().flat_map(|cell| &cell.tallies);
        let counted = tallies.any(|tally| tally.ops > 0);
        let is_rate =
            |r: &&Reported| [Reported::OPS_PER_S, Reported::BYTES_PER_S].contains(&r.name.as_str());
        let mut rates = self.reported.iter().filter(is_rate).peekable();
        let unknown = rates.peek().is_none() && !self.reported.is_empty();
        counted || unknown || rates.any(|rate| rate.value > 0.0)
    }
}

/// A number in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Written {
    /// Its value.
    pub value: f64,
    /// Its significant digits; None if the file is not written for human readers.
    pub digits: Option<u32>,
}

impl Written {
    /// A number that is not printed for human readers.
    pub fn exact(value: f64) -> Written {
        Written { value, digits: None }
    }

    /// Ops per second, with the digits of their count.
    pub fn rate(ops: u64, seconds: f64) -> Written {
        let digits = Some(units::digits_of(&ops.to_string()));
        Written { value: ops as f64 / seconds, digits }
    }

    /// The same in another unit.
    pub fn times(self, by: f64) -> Written {
        Written { value: self.value * by, ..self }
    }

    /// The same, with two bounds.
    pub fn within(self, (low, high): (f64, f64)) -> WrittenWithin {
        WrittenWithin { written: self, low, high }
    }
}

/// A number in a file, with the bounds of its true value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrittenWithin {
    /// The number.
    pub written: Written,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// The result of one stream; threads and depth if stated in the file.
pub fn cell(
    stream: &str,
    instance: u32,
    threads: Option<u32>,
    depth: Option<u32>,
    tallies: Vec<Tally>,
) -> Cell {
    Cell {
        stream: stream.to_string(),
        drive: 0,
        instance,
        headline: true,
        threads,
        depth,
        asked: None,
        late: 0,
        backlog_max: 0,
        backlog_end: 0,
        in_flight: None,
        tallies,
    }
}

/// A tally without latencies.
pub fn tally(class: Class, ops: u64, bytes: u64) -> Tally {
    let (misses, given_up, service, response, censored) = (0, 0, Histogram::new(), None, None);
    Tally { class, ops, bytes, misses, given_up, service, response, censored }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_cases;
#[cfg(test)]
mod tests_model;
