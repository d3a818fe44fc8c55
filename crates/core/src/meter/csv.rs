//! A log written by another instrument: lines of time and value, converted to this clock with a
//! stated offset.
//!
//! The file may grow during the run; new lines are read as they arrive. Of a log that exists before
//! the run only the end is read, because earlier readings are of no point.

use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

use super::exec::{CLASS, Silence, UNIT, reading_name};
use super::line::{self, Lines};
use super::{Meter, MeterTarget, Probe, Reading, ReadingTime, info};
use crate::base::error::{Context, Error, Result};
use crate::base::file;
use crate::plan::{DefaultValue, Info, Knob, KnobKind};

/// The meter `csv`.
pub struct CsvMeter;

static INFO: Info = info(
    "csv",
    "a log written by another instrument: a time, a separator and a value on each line",
    &[
        Knob {
            name: "file",
            kind: KnobKind::Text,
            default: DefaultValue::Required,
            doc: "the log; it may still be growing. Times are seconds, milliseconds, microseconds \
                  or nanoseconds since 1970, or ISO 8601; time and value are separated by a \
                  semicolon, a tab, a comma or spaces",
        },
        CLASS,
        UNIT,
        Knob {
            name: "clock_offset",
            kind: KnobKind::Float { min: -1e9, max: 1e9 },
            default: DefaultValue::Is("0.0"),
            doc: "seconds to add to the log's times to bring them to this host's clock",
        },
        Knob {
            name: "time_zone",
            kind: KnobKind::Text,
            default: DefaultValue::Absent,
            doc: "the zone of dates that have none: \"UTC\", or \"+01:00\"; without it they are \
                  refused",
        },
    ],
    "",
);

impl Meter for CsvMeter {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, site: &MeterTarget<'_>) -> Result<Box<dyn Probe>> {
        let lines = Lines {
            name: reading_name(site.knobs)?,
            timestamps: true,
            zone_s: line::zone(site.knobs.text("time_zone").unwrap_or_default())?,
            offset_s: site.knobs.float("clock_offset")?,
            last_ns: i64::MIN,
        };
        Ok(Box::new(Log::new(site.knobs.text("file")?.into(), lines)))
    }
}

/// Number of bytes read from the end of an existing log: its last minutes.
const END_BYTES: u64 = 64 << 10;

/// Maximum number of bytes of new lines per reading.
const MOST_BYTES: u64 = 16 << 20;

struct Log {
    file: PathBuf,
    /// Offset of the next line; None before the first reading.
    at: Option<u64>,
    lines: Lines,
    silence: Silence,
}

impl Log {
    fn new(file: PathBuf, lines: Lines) -> Log {
        Log { file, at: None, lines, silence: Silence::new(0) }
    }

    /// The new lines.
    fn new_lines(&mut self) -> Result<Vec<u8>> {
        let mut file = file::open(&self.file)?;
        let bytes = file.metadata().context("looking at the log")?.len();
        // A log that is shorter than before was restarted.
        let known = self.at.filter(|at| *at <= bytes);
        let from = known.unwrap_or_else(|| match self.at {
            None => bytes.saturating_sub(END_BYTES),
            Some(_) => 0,
        });
        file.seek(SeekFrom::Start(from)).context("reading new lines of the log")?;
        let mut new = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut new).context("reading the log")?;
        let end = |at: Option<usize>| at.map_or(0, |end| end + 1);
        let whole = end(new.iter().rposition(|b| *b == b'\n'));
        // The first line after a jump is incomplete.
        let is_jump = known.is_none() && from > 0;
        let first = if is_jump { end(new.iter().position(|b| *b == b'\n')) } else { 0 };
        self.at = Some(from + whole as u64);
        Ok(new[first.min(whole)..whole].to_vec())
    }
}

impl Probe for Log {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        self.silence.begin(now.ns);
        let is_first = self.at.is_none();
        let mut trouble: Option<Error> = None;
        for (number, line) in self.new_lines()?.split_inclusive(|b| *b == b'\n').enumerate() {
            match self.lines.reading(&String::from_utf8_lossy(line), now) {
                Ok(reading) => out.push(reading),
                // A header line.
                Err(_) if is_first && number == 0 => {}
                Err(error) => trouble = Some(error),
            }
        }
        if !out.is_empty() {
            self.silence.end(now.ns);
        }
        trouble.map_or_else(|| self.silence.check(now.ns), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: ReadingTime = ReadingTime { ns: 10_000_000_000, unix_ns: 1_000_000_000_000 };

    fn log(file: PathBuf) -> Log {
        let lines = Lines {
            name: "drive_watts".into(),
            timestamps: true,
            zone_s: None,
            offset_s: -2.0,
            last_ns: i64::MIN,
        };
        Log::new(file, lines)
    }

    #[test]
    fn a_growing_log_is_read_once_and_brought_to_this_clock() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log.csv");
        std::fs::write(&file, "time,watts\n1000.0,5.5\n1000.5,6.").unwrap();
        let mut log = log(file.clone());
        let mut out = Vec::new();
        log.read(NOW, &mut out).unwrap();
        assert_eq!(out, [Reading { at_ns: 8_000_000_000, name: "drive_watts".into(), value: 5.5 }]);
        std::fs::write(&file, "time,watts\n1000.0,5.5\n1000.5,6.25\n").unwrap();
        log.read(NOW, &mut out).unwrap();
        assert_eq!((out.len(), out[1].at_ns, out[1].value), (2, 8_500_000_000, 6.25));
    }

    #[test]
    fn of_a_long_log_the_end_is_read_and_one_that_says_nothing_of_this_run_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log.csv");
        let mut text: String =
            (0..200_000).map(|i| format!("{}.5,3.00\n", 100 + i % 800)).collect();
        text += "1001.0,12.75\n";
        std::fs::write(&file, &text).unwrap();
        let mut own = log(file.clone());
        let mut out = Vec::new();
        let _ = own.read(NOW, &mut out);
        assert_eq!(out.last().map(|r| (r.at_ns, r.value)), Some((9_000_000_000, 12.75)));
        // Times of another day.
        std::fs::write(&file, "5000.0,12.75\n5000.1,12.75\n").unwrap();
        let error = log(file.clone()).read(NOW, &mut Vec::new()).unwrap_err().to_string();
        assert!(error.contains("1.1 hours ahead of this host's clock"), "{error}");
        // No new lines.
        std::fs::write(&file, "").unwrap();
        let mut silent = log(file);
        assert!(silent.read(NOW, &mut Vec::new()).is_ok());
        let later = ReadingTime { ns: 40_000_000_000, ..NOW };
        let error = silent.read(later, &mut Vec::new()).unwrap_err().to_string();
        assert!(error.contains("no reading for"), "{error}");
    }
}
