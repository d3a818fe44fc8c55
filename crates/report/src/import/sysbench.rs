//! sysbench's final output, versions 0.4 to 1.1: fileio, oltp_*, cpu and others.

use super::load::field;
use super::text::{leading, number, percentile, time_unit, window_ns, written, wrong};
use super::{
    FormatInfo, ImportFormat, ImportedFile, Input, Observation, TRANSACTION, Written, cell, tally,
};
use dyno_core::base::error::Result;
use dyno_core::base::units;
use dyno_core::record::{Class, Fact, Reported, Tally};

pub struct SysbenchReports;

/// The stream of its threads.
const STREAM: &str = "sysbench";

/// Events counted by sysbench that are neither requests nor transactions.
const EVENT: Class = Class::new("event");

impl ImportFormat for SysbenchReports {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "sysbench",
            summary: "what sysbench prints at its end (fileio, oltp_*, cpu and others)",
            missing: &[
                "latencies by class in fileio: those that sysbench prints are of all its events",
                "all percentiles but the one that --percentile named, which is right to 1.8 %",
                "the name of the test, where it is not fileio or cpu",
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
        let is_head = |line: &str| {
            line.starts_with("sysbench ")
                && (line.contains("LuaJIT") || line.contains("system evaluation benchmark"))
        };
        let second = page.lines.iter().find(|(at, l)| at > start && is_head(l));
        if let Some((at, _)) = second {
            return Err(wrong(
                input.file,
                *at,
                "a second run begins here",
                "use a separate file for each run",
            ));
        }
        let of = "the summary of a finished run";
        let seconds = match page.written("total time:")?.or(page.written("time elapsed:")?) {
            Some(seconds) => seconds.value,
            None => page.need("total time:", of)?.value,
        };
        let events = page.need("total number of events:", of)?.value as u64;
        let threads = page.number("Number of threads:")?;
        let step = page.kind();
        let mut found = ImportedFile::default();
        let mut entry = Observation::new(&step, window_ns((seconds * 1e9).round()));
        entry.set_threads(threads);
        let tallies = page.tallies(&mut entry, events, seconds, &mut found)?;
        // Latencies over several kinds of events belong to none of them.
        let class = match &tallies[..] {
            [one] => one.class,
            _ => EVENT,
        };
        page.options(&mut entry);
        let workers = entry.load.workers(field::THREADS);
        entry.point.cells.push(cell(STREAM, 0, workers, None, tallies));
        for (key, name) in [("avg:", "mean_ns"), ("max:", "max_ns")] {
            // sysbench prints hundredths of a millisecond.
            let value = page.need_latency(key)?;
            let (low, high) = ((value.value - 0.005).max(0.0), value.value + 0.005);
            let figure = value.times(1e6).within((low * 1e6, high * 1e6));
            entry.report_within((STREAM, class), name, figure, Some(events));
        }
        page.percentile(&mut entry, class, events)?;
        for (key, name) in [("ignored errors:", "ignored errors"), ("reconnects:", "reconnects")] {
            if let Some((at, rest)) = page.after(key) {
                let text = rest.split_whitespace().next().unwrap_or_default();
                let n = number(input.file, at, name, text)?;
                if n > 0.0 {
                    found.facts.push(Fact::new("Imported", format!("{name} in {step}"), rest));
                    found.note(format!("{}: {rest} {name}", input.file));
                }
            }
        }
        found.facts.insert(0, Fact::new("Imported", "sysbench version", version.trim()));
        found.observations.push(entry);
        Ok(found)
    }
}

struct SysbenchReport<'a> {
    file: &'a str,
    /// Numbered from 1.
    lines: Vec<(usize, &'a str)>,
}

impl<'a> SysbenchReport<'a> {
    fn of(input: &Input<'a>) -> SysbenchReport<'a> {
        SysbenchReport { file: input.file, lines: input.lines().collect() }
    }

    /// The line that begins with a key, and the text after it.
    fn after(&self, key: &str) -> Option<(usize, &'a str)> {
        let own = |(at, line): &(usize, &'a str)| {
            Some((*at, line.trim_start().strip_prefix(key)?.trim()))
        };
        self.lines.iter().find_map(own)
    }

    /// The number after `key`, without a unit of seconds or a remark in brackets.
    fn number(&self, key: &str) -> Result<Option<f64>> {
        Ok(self.written(key)?.map(|written| written.value))
    }

    fn written(&self, key: &str) -> Result<Option<Written>> {
        let Some((at, rest)) = self.after(key) else { return Ok(None) };
        let value = rest.split_whitespace().next().unwrap_or_default();
        written(self.file, at, key.trim_end_matches(':'), value.trim_end_matches('s')).map(Some)
    }

    fn need(&self, key: &str, of: &str) -> Result<Written> {
        let last = self.lines.len().max(1);
        let next = "the file is truncated, or the run did not end; use the complete output";
        self.written(key)?.ok_or_else(|| {
            wrong(self.file, last, format!("the file ends without '{key}', {of}"), next)
        })
    }

    /// A latency in milliseconds: "11.99" under "Latency (ms):", "11.99ms" before sysbench 1.0.
    fn latency(&self, at: usize, text: &str) -> Result<Written> {
        let word = text.split_whitespace().next().unwrap_or_default();
        let (figure, unit) = leading(word).unwrap_or((word, ""));
        let scale = match unit {
            "" => Some(1e6),
            unit => time_unit(unit),
        };
        let scale = scale.ok_or_else(|| {
            wrong(self.file, at, format!("'{word}' is not a latency"), "repair the line")
        })?;
        Ok(written(self.file, at, "latency", figure)?.times(scale / 1e6))
    }

    fn need_latency(&self, key: &str) -> Result<Written> {
        let Some((at, rest)) = self.after(key) else {
            return self.need(key, "the latencies of a finished run");
        };
        self.latency(at, rest)
    }

    /// "95th percentile: 20.00"; before 1.0 "approx.  99 percentile: 17.73ms"
    fn percentile(&self, entry: &mut Observation, class: Class, events: u64) -> Result<()> {
        let line = self.lines.iter().find(|(_, l)| l.contains("percentile:"));
        let Some((at, (of, value))) =
            line.and_then(|(at, l)| Some((*at, l.split_once("percentile:")?)))
        else {
            return Ok(());
        };
        let p = of.trim().trim_start_matches("approx.").trim().trim_end_matches("th").trim();
        let p = number(self.file, at, "percentile", p)?;
        let ms = self.latency(at, value)?;
        // 0 means that it was not requested.
        let Some(name) = percentile(p) else { return Ok(()) };
        let (low, high) = ((ms.value * 0.982 - 0.005).max(0.0), ms.value * 1.018 + 0.005);
        let figure = ms.times(1e6).within((low * 1e6, high * 1e6));
        entry.report_within((STREAM, class), &name, figure, Some(events));
        Ok(())
    }

    /// The test: "fileio rndrw", "oltp", "cpu".
    fn kind(&self) -> String {
        let doing =
            self.lines.iter().find_map(|(_, l)| l.strip_prefix("Doing ")?.strip_suffix(" test"));
        let has = |text: &str| self.after(text).is_some();
        match doing {
            Some(mode) if mode.contains("performance") => mode.to_string(),
            Some(mode) => format!("fileio {mode}"),
            None if self.is_sql() => "oltp".to_string(),
            None if has("CPU speed:") || has("Maximum prime number") || has("Prime numbers") => {
                "cpu".to_string()
            }
            None => "events".to_string(),
        }
    }

    fn is_sql(&self) -> bool {
        ["SQL statistics:", "OLTP test statistics:"].iter().any(|key| self.after(key).is_some())
    }

    /// The settings that fileio prints.
    fn options(&self, entry: &mut Observation) {
        let keys = [
            ("Block size", field::BLOCK),
            ("Number of IO requests:", "requests"),
            ("Read/Write ratio for combined random IO test:", "reads per write"),
            ("Using synchronous I/O mode", "mode"),
            ("Using asynchronous I/O mode", "mode"),
            ("Calling fsync() ", "fsync"),
            ("Extra file open flags:", "open flags"),
            ("Total file size", field::SIZE),
            ("Prime numbers limit:", "primes up to"),
        ];
        for (key, name) in keys {
            let Some((_, rest)) = self.after(key) else { continue };
            let text = match name {
                "mode" => key.trim_start_matches("Using ").trim_end_matches(" I/O mode"),
                _ => rest.trim_start_matches(':').trim(),
            };
            match binary(text) {
                Some(bytes) if [field::BLOCK, field::SIZE].contains(&name) => {
                    entry.load.set(name, bytes);
                }
                _ => entry.load.set(name, text),
            }
        }
        if let Some((_, line)) =
            self.lines.iter().find(|(_, l)| l.trim().ends_with("total file size"))
        {
            let text = line.trim().trim_end_matches("total file size").trim();
            match binary(text) {
                Some(bytes) => entry.load.set(field::SIZE, bytes),
                None => entry.load.set(field::SIZE, text),
            }
        }
    }

    /// Reads, writes and fsyncs if sysbench distinguishes them; transactions of SQL tests; its
    /// events otherwise.
    fn tallies(
        &self,
        entry: &mut Observation,
        events: u64,
        seconds: f64,
        found: &mut ImportedFile,
    ) -> Result<Vec<Tally>> {
        if self.is_sql() {
            return self.transactions(entry, events, seconds, found);
        }
        let mut all = Vec::new();
        for (rates, moved, class) in [
            (["reads/s:", "read, IOPS:"], "read, MiB/s:", Class::READ),
            (["writes/s:", "written, IOPS:"], "written, MiB/s:", Class::WRITE),
            (["fsyncs/s:", "fsync, IOPS:"], "", Class::FLUSH),
        ] {
            let mut per_s = None;
            for key in rates {
                per_s = per_s.or(self.written(key)?);
            }
            // sysbench 1.1: "read:  IOPS=6421.83 100.34 MiB/s (105.22 MB/s)"
            let (rate, bytes) = match self.newer(class)? {
                Some((rate, bytes)) => (Some(rate), bytes),
                None if moved.is_empty() => (per_s, None),
                None => (per_s, self.written(moved)?.map(|mb| mb.times(1_048_576.0))),
            };
            let Some(rate) = rate.filter(|r| r.value > 0.0) else { continue };
            let count = |of: f64| entry.ops_at(of).unwrap_or(0);
            let moved = bytes.map_or(0, |bytes| count(bytes.value));
            all.push(tally(class, count(rate.value), moved));
            entry.report((STREAM, class), Reported::OPS_PER_S, rate, None);
            if let Some(bytes) = bytes {
                entry.report((STREAM, class), Reported::BYTES_PER_S, bytes, None);
            }
        }
        if all.is_empty() {
            all = self.older(entry, seconds)?;
        }
        if all.is_empty() {
            all.push(tally(EVENT, events, 0));
        }
        Ok(all)
    }

    /// "read:  IOPS=6421.83 100.34 MiB/s (105.22 MB/s)"
    fn newer(&self, class: Class) -> Result<Option<(Written, Option<Written>)>> {
        let key = match class {
            Class::READ => "read:",
            Class::WRITE => "write:",
            _ => "fsync:",
        };
        let own = self.lines.iter().find_map(|(at, line)| {
            let rest = line.trim_start().strip_prefix(key)?.trim();
            Some((*at, rest.strip_prefix("IOPS=")?))
        });
        let Some((at, rest)) = own else { return Ok(None) };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let rate = written(self.file, at, "IOPS", words.first().copied().unwrap_or_default())?;
        let bytes = match words.get(1).zip(words.get(2)) {
            Some((n, &"MiB/s")) => Some(written(self.file, at, "MiB/s", n)?.times(1_048_576.0)),
            _ => None,
        };
        Ok(Some((rate, bytes)))
    }

    /// sysbench 0.4 and 0.5: "Operations performed:  7500 reads, 5000 writes, 12800 Other = 25300
    /// Total", or with "Read" in place of "reads".
    fn older(&self, entry: &mut Observation, seconds: f64) -> Result<Vec<Tally>> {
        let Some((at, rest)) = self.after("Operations performed:") else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for part in rest.split('=').next().unwrap_or_default().split(',') {
            let mut words = part.split_whitespace();
            let (Some(n), Some(kind)) = (words.next(), words.next()) else { continue };
            let class = match kind.to_lowercase().trim_end_matches('s') {
                "read" => Class::READ,
                "write" => Class::WRITE,
                "other" => Class::FLUSH,
                _ => continue,
            };
            let count = number(self.file, at, "count", n)?;
            if count > 0.0 && seconds > 0.0 {
                let digits = Some(units::digits_of(n));
                let rate = Written { value: count / seconds, digits };
                all.push(tally(class, count as u64, 0));
                entry.report((STREAM, class), Reported::OPS_PER_S, rate, None);
            }
        }
        Ok(all)
    }

    /// Transactions, with the number of queries of each kind per transaction as their load, which
    /// distinguishes tests: sysbench does not print the script's name.
    fn transactions(
        &self,
        entry: &mut Observation,
        events: u64,
        seconds: f64,
        found: &mut ImportedFile,
    ) -> Result<Vec<Tally>> {
        let count = |key: &str| -> Result<Option<(u64, Option<Written>)>> {
            let Some((at, rest)) = self.after(key) else { return Ok(None) };
            let mut words = rest.split_whitespace();
            let n = number(self.file, at, key, words.next().unwrap_or_default())? as u64;
            let rate = words.next().map(|word| word.trim_start_matches('('));
            let rate = match rate {
                Some(text) if !text.is_empty() => Some(written(self.file, at, key, text)?),
                _ => None,
            };
            Ok(Some((n, rate)))
        };
        let (done, rate) = count("transactions:")?.unwrap_or((events, None));
        if done == 0 {
            return Ok(Vec::new());
        }
        let rate = rate.unwrap_or(Written::rate(done, seconds.max(1e-9)));
        entry.report((STREAM, TRANSACTION), Reported::OPS_PER_S, rate, None);
        for kind in ["read", "write", "other"] {
            let Some((n, _)) = count(&format!("{kind}:"))? else { continue };
            // Transactions that were rolled back executed some of their queries.
            let each = (n as f64 / done as f64 * 10.0).round() / 10.0;
            entry.load.set(&format!("{kind} queries per transaction"), each);
            let per_s = units::significant(n as f64 / seconds.max(1e-9), 6);
            let fact = Fact::new("Imported", format!("{kind} queries per s"), per_s);
            found.facts.push(fact);
        }
        let ignored = count("ignored errors:")?.map_or(0, |(n, _)| n);
        let mut tally = tally(TRANSACTION, done, 0);
        tally.given_up = ignored;
        Ok(vec![tally])
    }
}

/// "16KiB", "128Kb", "2Gb", "8MiB"
fn binary(text: &str) -> Option<f64> {
    let (number, unit) = leading(text)?;
    let scale = match unit.trim().to_lowercase().as_str() {
        "" | "b" | "bytes" => 1.0,
        "kb" | "kib" => 1024.0,
        "mb" | "mib" => 1_048_576.0,
        "gb" | "gib" => 1_073_741_824.0,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * scale)
}
