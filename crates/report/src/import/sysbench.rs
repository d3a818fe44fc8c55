//! sysbench's final output: fileio, oltp_*, cpu and others.

use super::text::{number, written, wrong};
use super::{FormatInfo, ImportFormat, ImportedFile, ImportedPoint, Input, Written, cell, tally};
use crate::base::error::Result;
use crate::plan::Field;
use crate::record::{Class, Fact, Reported, Tally};

pub struct SysbenchReports;

impl ImportFormat for SysbenchReports {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "sysbench",
            summary: "what sysbench prints at its end (fileio, oltp_*, cpu and others)",
            missing: &[
                "latencies by class: those that sysbench prints are of all its events, and stand \
                 under the first class",
                "all percentiles but the one that --percentile named, which is right to 1.8 %",
                "when the run began",
                "readings of meters",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let page = SysbenchReport::of(input);
        let Some((start, version)) = page.lines.iter().find(|(_, l)| l.starts_with("sysbench "))
        else {
            return Err(wrong(
                input.file,
                1,
                "no line begins with 'sysbench'",
                "use sysbench's complete output",
            ));
        };
        let second = page
            .lines
            .iter()
            .find(|(at, l)| at > start && l.starts_with("sysbench ") && l.contains("LuaJIT"));
        if let Some((at, _)) = second {
            return Err(wrong(
                input.file,
                *at,
                "a second run begins here",
                "use a separate file for each run",
            ));
        }
        let seconds = page.need("total time:", "the summary of a finished run")?.value;
        let events = page.need("total number of events:", "the summary of a finished run")?.value;
        let events = events as u64;
        let threads = page.number("Number of threads:")?.map(|n| n.clamp(1.0, 65_536.0));
        let step = page.kind();
        let mut entry = ImportedPoint::new(
            &step,
            threads.map(|n| (Field::Threads, n)),
            Some((seconds * 1e9).round() as u64),
        );
        let tallies = page.tallies(&mut entry, events)?;
        let class = tallies[0].class;
        let workers = threads.map(|n| n as u32);
        entry.point.cells.push(cell("sysbench", 0, workers, None, tallies));
        for (key, name) in [("avg:", "mean_ns"), ("max:", "max_ns")] {
            let value = page.need(key, "the latencies of a finished run")?;
            // sysbench prints hundredths of a millisecond.
            let (low, high) = ((value.value - 0.005).max(0.0), value.value + 0.005);
            let figure = value.times(1e6).within((low * 1e6, high * 1e6));
            entry.report_within(("sysbench", class), name, figure, Some(events));
        }
        if let Some((at, line)) =
            page.lines.iter().find(|(_, l)| l.trim_start().contains("th percentile:"))
        {
            let (p, value) = line.split_once("th percentile:").unwrap_or_default();
            let p = number(input.file, *at, "percentile", p)?;
            let ms = written(input.file, *at, "latency", value)?;
            let value = ms.value;
            let (low, high) = ((value * 0.982 - 0.005).max(0.0), value * 1.018 + 0.005);
            let (name, figure) =
                (format!("p{p}_ns"), ms.times(1e6).within((low * 1e6, high * 1e6)));
            entry.report_within(("sysbench", class), &name, figure, Some(events));
        }
        let facts = vec![Fact::new("Imported", "sysbench version", version.trim())];
        Ok(ImportedFile { entries: vec![entry], facts, ..ImportedFile::default() })
    }
}

struct SysbenchReport<'a> {
    file: &'a str,
    /// Numbered from 1.
    lines: Vec<(usize, &'a str)>,
}

impl<'a> SysbenchReport<'a> {
    fn of(input: &Input<'a>) -> SysbenchReport<'a> {
        SysbenchReport {
            file: input.file,
            lines: input.text.lines().enumerate().map(|(i, l)| (i + 1, l)).collect(),
        }
    }

    /// The number after `key`, without a unit of seconds or a remark in brackets.
    fn number(&self, key: &str) -> Result<Option<f64>> {
        Ok(self.written(key)?.map(|written| written.value))
    }

    fn written(&self, key: &str) -> Result<Option<Written>> {
        let found = self.lines.iter().find(|(_, l)| l.trim_start().starts_with(key));
        let Some((at, line)) = found else { return Ok(None) };
        let value = line.trim_start()[key.len()..].split_whitespace().next().unwrap_or_default();
        written(self.file, *at, key.trim_end_matches(':'), value.trim_end_matches('s')).map(Some)
    }

    fn need(&self, key: &str, of: &str) -> Result<Written> {
        let last = self.lines.len().max(1);
        let next = "the file is truncated, or the run did not end; use the complete output";
        self.written(key)?.ok_or_else(|| {
            wrong(self.file, last, format!("the file ends without '{key}', {of}"), next)
        })
    }

    /// The test: "fileio rndrw", "oltp", "cpu".
    fn kind(&self) -> String {
        let doing =
            self.lines.iter().find_map(|(_, l)| l.strip_prefix("Doing ")?.strip_suffix(" test"));
        let has = |text: &str| self.lines.iter().any(|(_, l)| l.trim_start().starts_with(text));
        match doing {
            Some(mode) => format!("fileio {mode}"),
            None if has("SQL statistics:") => "oltp".to_string(),
            None if has("CPU speed:") => "cpu".to_string(),
            None => "events".to_string(),
        }
    }

    /// Reads and writes if sysbench distinguishes them; otherwise its events, counted as reads.
    fn tallies(&self, entry: &mut ImportedPoint, events: u64) -> Result<Vec<Tally>> {
        let mut all = Vec::new();
        for (rate, moved, class) in [
            ("reads/s:", "read, MiB/s:", Class::READ),
            ("writes/s:", "written, MiB/s:", Class::WRITE),
        ] {
            if let Some(per_s) = self.written(rate)?.filter(|r| r.value > 0.0) {
                let bytes = self.written(moved)?.map(|mb| mb.times(1_048_576.0));
                let count = |of: f64| entry.ops_at(of).unwrap_or(0);
                let moved = bytes.map_or(0, |bytes| count(bytes.value));
                all.push(tally(class, count(per_s.value), moved));
                entry.report(("sysbench", class), Reported::OPS_PER_S, per_s, None);
                if let Some(bytes) = bytes {
                    entry.report(("sysbench", class), Reported::BYTES_PER_S, bytes, None);
                }
            }
        }
        if all.is_empty() {
            all.push(tally(Class::READ, events, 0));
        }
        Ok(all)
    }
}
