//! A toy trace format: `strip chart`, lines of a time in ns and a 4 KiB block that is read.

use std::path::Path;

use dyno::base::error::{Context, Result};
use dyno::trace::RequestKind;
use dyno::trace::formats::parsed::{RequestSink, SourceRequest};
use dyno::trace::formats::{self, Beginning, TraceFormat};

struct StripChart;

pub fn add() {
    formats::ALL.add(&StripChart);
}

impl TraceFormat for StripChart {
    fn name(&self) -> &'static str {
        "strip chart"
    }

    fn recognises(&self, beginning: &Beginning) -> bool {
        beginning.bytes.starts_with(b"strip chart\n")
    }

    fn read(&self, file: &Path, sink: &mut RequestSink) -> Result<()> {
        let text = std::fs::read_to_string(file)?;
        for line in text.lines().skip(1) {
            let (time, block) = line.split_once(' ').context("a line is a time and a block")?;
            let (at_ns, block): (u64, u64) = (time.parse()?, block.parse()?);
            let (device, kind, offset) = ("chart".into(), RequestKind::Read, block * 4096);
            sink.take(&SourceRequest { at_ns, device, kind, offset, length: 4096 })?;
        }
        Ok(())
    }
}
