//! Memory use: the page cache, and pages waiting to be written back.

use super::{Meter, MeterTarget, Probe, Reading, ReadingTime, info};
use crate::base::error::{Context, Result};
use crate::plan::Info;
use crate::record::gauge::memory as names;

/// The meter `memory`.
pub struct Memory;

static INFO: Info =
    info("memory", "page cache, dirty pages, free memory", &[], "Linux, proc(5), /proc/meminfo");

impl Meter for Memory {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, _: &MeterTarget<'_>) -> Result<Box<dyn Probe>> {
        Ok(Box::new(Meminfo))
    }
}

struct Meminfo;

impl Probe for Meminfo {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        let text = std::fs::read_to_string("/proc/meminfo").context("reading /proc/meminfo")?;
        let names = [
            ("Cached", "page_cache_bytes"),
            ("Dirty", names::DIRTY_BYTES),
            ("Writeback", names::WRITEBACK_BYTES),
            ("MemAvailable", "available_bytes"),
            ("MemTotal", names::TOTAL_BYTES),
        ];
        for (key, name) in names {
            let line = text.lines().find(|l| l.split(':').next() == Some(key));
            let kib = line
                .and_then(|l| l.split_ascii_whitespace().nth(1))
                .and_then(|n| n.parse::<f64>().ok());
            out.extend(kib.map(|kib| now.reading(name, kib * 1024.0)));
        }
        Ok(())
    }
}
