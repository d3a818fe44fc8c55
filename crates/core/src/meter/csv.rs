//! A log written by another instrument: lines of time and value, converted to this clock with a
//! stated offset.
//!
//! The file may grow during the run; new lines are read as they arrive.

use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

use super::exec::{CLASS, Lines, UNIT, reading_name};
use super::{Meter, MeterTarget, Probe, Reading, ReadingTime, info};
use crate::base::error::{Context, Result};
use crate::base::file;
use crate::plan::{DefaultValue, Info, Knob, KnobKind};

/// The meter `csv`.
pub struct CsvMeter;

static INFO: Info = info(
    "csv",
    "a log written by another instrument: seconds since 1970, comma, value",
    &[
        Knob {
            name: "file",
            kind: KnobKind::Text,
            default: DefaultValue::Required,
            doc: "the log; it may still be growing",
        },
        CLASS,
        UNIT,
        Knob {
            name: "clock_offset",
            kind: KnobKind::Float { min: -1e9, max: 1e9 },
            default: DefaultValue::Is("0.0"),
            doc: "seconds to add to the log's times to bring them to this host's clock",
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
            offset_s: site.knobs.float("clock_offset")?,
            last_ns: i64::MIN,
        };
        Ok(Box::new(Log { file: site.knobs.text("file")?.into(), at: 0, lines }))
    }
}

struct Log {
    file: PathBuf,
    at: u64,
    lines: Lines,
}

impl Probe for Log {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        let mut file = file::open(&self.file)?;
        file.seek(SeekFrom::Start(self.at)).context("reading new lines of the log")?;
        let mut new = Vec::new();
        file.take(1 << 20).read_to_end(&mut new).context("reading the log")?;
        let mut trouble = None;
        let whole = new.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
        for line in new[..whole].split_inclusive(|b| *b == b'\n') {
            let first = self.at == 0;
            self.at += line.len() as u64;
            match self.lines.reading(&String::from_utf8_lossy(line), now) {
                Ok(reading) => out.push(reading),
                // A heading.
                Err(_) if first => {}
                Err(error) => trouble = Some(error),
            }
        }
        trouble.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_log_is_read_once_and_brought_to_this_clock() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log.csv");
        std::fs::write(&file, "time,watts\n1000.0,5.5\n1000.5,6.").unwrap();
        let lines = Lines {
            name: "drive_watts".into(),
            timestamps: true,
            offset_s: -2.0,
            last_ns: i64::MIN,
        };
        let mut log = Log { file: file.clone(), at: 0, lines };
        let mut out = Vec::new();
        let now = ReadingTime { ns: 10_000_000_000, unix_ns: 1_000_000_000_000 };
        log.read(now, &mut out).unwrap();
        assert_eq!(out, [Reading { at_ns: 8_000_000_000, name: "drive_watts".into(), value: 5.5 }]);
        std::fs::write(&file, "time,watts\n1000.0,5.5\n1000.5,6.25\n").unwrap();
        log.read(now, &mut out).unwrap();
        assert_eq!((out.len(), out[1].at_ns, out[1].value), (2, 8_500_000_000, 6.25));
    }
}
