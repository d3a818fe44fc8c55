//! fio's normal, human-readable output.

use std::collections::BTreeMap;

use super::fio_options::TERMINATED;
use super::fio_terse::interrupted;
use super::load::field;
use super::text::{leading, percentile, time_unit, window_ns, written, wrong};
use super::{ImportedFile, Input, Observation, Written, cell, fio_options, tally};
use dyno_core::base::error::Result;
use dyno_core::base::units;
use dyno_core::plan::Timing;
use dyno_core::record::{Class, Fact, Outcome, Reported};

/// Whether a text is fio's normal output.
pub fn is_normal(text: &str) -> bool {
    text.lines().any(|line| is_status(client(line)))
}

/// A line without the host with which `--client` prefixes it.
fn client(line: &str) -> &str {
    let Some(rest) = line.strip_prefix('<') else { return line };
    rest.split_once("> ").map_or(line, |(_, rest)| rest)
}

/// "job: (groupid=0, jobs=2): err= 0: pid=14151: …"
fn is_status(line: &str) -> bool {
    line.contains(": (groupid=") && line.contains("): err=")
}

/// The value after a key, up to a comma, bracket or space.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.split_once(key)?.1.trim_start();
    let end = rest.find([',', ')', ' ', ';', '(']).unwrap_or(rest.len());
    Some(&rest[..end])
}

/// The part of the text that is being read.
struct Reader<'a> {
    file: &'a str,
    stream: String,
    of: Option<Class>,
    /// Nanoseconds of the unit of the following percentiles, which are those of `clat`, or of `lat`
    /// if there are no others.
    unit: f64,
    in_percentiles: bool,
    /// Means of `clat` were read, which are preferred to those of `lat`.
    has_clat: bool,
}

/// The jobs of a text.
pub fn read(input: &Input<'_>) -> Result<ImportedFile> {
    let mut found = ImportedFile::default();
    let mut headers: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut group: Option<String> = None;
    let mut reader = Reader {
        file: input.file,
        stream: String::new(),
        of: None,
        unit: 1.0,
        in_percentiles: false,
        has_clat: false,
    };
    for (at, line) in input.lines() {
        let line = client(line);
        let trimmed = line.trim();
        if let Some((name, options)) = header(line) {
            headers.insert(name, options);
        } else if line.starts_with("fio-") && !line.contains(' ') {
            found.facts.push(Fact::new("Imported", "fio version", line.trim()));
        } else if line.starts_with("All clients:") {
            // The sum of the clients, whose jobs precede it.
            reader.of = None;
            reader.stream.clear();
        } else if is_status(line) {
            let name = line.split(": (groupid=").next().unwrap_or_default().trim().to_string();
            let own = value(line, "groupid=").map(str::to_string);
            if group != own || found.observations.is_empty() {
                group = own;
                let mut observation = Observation::new(&name, None);
                observation.timing = Some(Timing::Service);
                found.observations.push(observation);
            }
            if let Some(observation) = found.observations.last_mut() {
                reader.stream = begin_job(observation, &name, line, headers.get(&name));
            }
            reader.of = None;
        } else if line.starts_with("Run status group") {
            reader.of = None;
            reader.stream.clear();
        } else if let Some(observation) = found.observations.last_mut()
            && !reader.stream.is_empty()
        {
            reader.line(observation, at, line, trimmed)?;
        }
        if line.starts_with("fio:") && !line.contains("both iodepth") {
            found.note(format!("{}, line {at}: {}", input.file, trimmed));
        }
    }
    found.observations.iter_mut().for_each(finish);
    if found.observations.iter().all(|o| o.reported.is_empty()) {
        return Err(input.wrong_at_end(
            "no rate of reads, writes or trims in fio's normal output",
            "the output is cut; give it to its end, or the JSON",
        ));
    }
    if input.text.lines().any(|line| line.contains(TERMINATED)) {
        interrupted(&mut found);
    }
    Ok(found)
}

/// "job: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) …, ioengine=psync, iodepth=1"
fn header(line: &str) -> Option<(String, BTreeMap<String, String>)> {
    let (name, rest) = line.split_once(": (g=")?;
    let mut options = BTreeMap::new();
    for key in ["rw", "ioengine", "iodepth"] {
        options.insert(key.to_string(), value(rest, &format!("{key}="))?.to_string());
    }
    // Sizes of reads, writes and trims.
    let sizes = rest.split_once("bs=")?.1.split(", ioengine").next()?;
    let of = |tag: &str| sizes.split_once(tag).map(|(_, text)| text.split(", (").next());
    let sizes: Vec<String> = match (of("(R)"), of("(W)")) {
        (Some(Some(read)), Some(Some(write))) => vec![read.trim().into(), write.trim().into()],
        _ => vec![sizes.split('/').next()?.trim().to_string()],
    };
    let size = |range: &str| -> String {
        let plain = range.replace('B', "");
        match plain.split_once('-') {
            Some((low, high)) if low == high => low.to_string(),
            _ => plain,
        }
    };
    let sizes: Vec<String> = sizes.iter().map(|range| size(range)).collect();
    let one = sizes.iter().all(|s| *s == sizes[0]);
    options.insert("bs".into(), if one { sizes[0].clone() } else { sizes.join(",") });
    Some((name.trim().to_string(), options))
}

/// Adds a job's stream, and returns its name.
fn begin_job(
    observation: &mut Observation,
    name: &str,
    line: &str,
    options: Option<&BTreeMap<String, String>>,
) -> String {
    let stream = observation.next_stream(name);
    let jobs = value(line, "jobs=").and_then(|n| n.parse::<f64>().ok());
    let mut load = super::Load::default();
    if let Some(options) = options {
        let all = fio_options::load(options);
        // Only these are in the header.
        for name in [field::PATTERN, field::BLOCK, field::ENGINE, field::DEPTH] {
            load.set_if(name, all.get(name).cloned());
        }
    }
    load.set_if(field::THREADS, jobs);
    let (threads, depth) = (load.workers(field::THREADS), load.workers(field::DEPTH));
    match observation.point.cells.is_empty() {
        true => observation.load = load,
        false => observation.load.add_stream(&stream, &load),
    }
    let error = line.split("err=").nth(1).and_then(|rest| rest.trim().split([':', ' ']).next());
    if error.is_some_and(|error| error != "0") {
        let cause = format!("fio: job {name} ended with error {}", error.unwrap_or_default());
        observation.point.outcome = Outcome::Failed { cause };
    }
    observation.point.cells.push(cell(&stream, 0, threads, depth, Vec::new()));
    stream
}

impl Reader<'_> {
    fn line(
        &mut self,
        observation: &mut Observation,
        at: usize,
        line: &str,
        trimmed: &str,
    ) -> Result<()> {
        let word = trimmed.split([':', ' ']).next().unwrap_or_default();
        let direction = [
            ("read", Class::READ),
            ("write", Class::WRITE),
            ("trim", Class::TRIM),
            ("mixed", super::READ_OR_WRITE),
        ];
        let direction = direction.iter().find(|(name, _)| *name == word).map(|(_, class)| *class);
        let has_rate = trimmed.to_lowercase().contains("iops=");
        if let (Some(class), true) = (direction, has_rate) {
            (self.of, self.in_percentiles, self.has_clat) = (Some(class), false, false);
            return self.rate(observation, at, trimmed, class);
        }
        if trimmed.starts_with("fsync/fdatasync") {
            (self.of, self.in_percentiles, self.has_clat) = (Some(Class::FLUSH), false, false);
        } else if trimmed.starts_with("issued") {
            self.issued(observation, trimmed);
        } else if trimmed.starts_with("cpu ") {
            self.of = None;
        }
        let Some(class) = self.of else { return Ok(()) };
        if let Some((_, rest)) = trimmed.split_once(" percentiles (") {
            let unit = rest.split(')').next().unwrap_or_default();
            self.in_percentiles = !trimmed.starts_with("slat");
            self.unit = time_unit(unit).unwrap_or(1.0);
            return Ok(());
        }
        if self.in_percentiles && trimmed.starts_with('|') {
            return self.percentiles(observation, at, trimmed, class);
        }
        self.in_percentiles &= trimmed.starts_with('|');
        let is_clat = ["clat (", "sync ("].iter().any(|start| trimmed.starts_with(start));
        let is_lat = trimmed.starts_with("lat (") && trimmed.contains("avg=");
        if !(is_clat || is_lat && !self.has_clat) || line.contains('%') {
            return Ok(());
        }
        self.has_clat |= is_clat;
        let unit = value(trimmed, "(").and_then(time_unit).unwrap_or(1.0);
        for (key, name) in [("avg=", "mean_ns"), ("max=", "max_ns")] {
            if let Some(figure) = value(trimmed, key).and_then(scaled) {
                observation.report((&self.stream, class), name, figure.times(unit), None);
            }
        }
        Ok(())
    }

    /// "read: IOPS=12.8k, BW=50.0MiB/s (52.4MB/s)(50.1MiB/1001msec)"; fio 2: "read : io=…, bw=…,
    /// iops=15829, runt=165607msec"
    fn rate(
        &mut self,
        observation: &mut Observation,
        at: usize,
        line: &str,
        class: Class,
    ) -> Result<()> {
        let rate = value(line, "IOPS=").or_else(|| value(line, "iops=")).unwrap_or_default();
        let cut = || wrong(self.file, at, "a rate without IOPS", "the line may be cut");
        let rate = scaled(rate).ok_or_else(cut)?;
        observation.report((&self.stream, class), Reported::OPS_PER_S, rate, None);
        let bandwidth = value(line, "BW=").or_else(|| value(line, "bw="));
        if let Some(bandwidth) = bandwidth.and_then(per_second).filter(|_| class.moves_data()) {
            observation.report((&self.stream, class), Reported::BYTES_PER_S, bandwidth, None);
        }
        let mut runtime = line.split(['/', '=']).filter_map(|part| {
            part.trim_end_matches([')', ';']).split([')', ',']).next()?.strip_suffix("msec")
        });
        let runtime = runtime.next_back().and_then(|ms| ms.trim().parse::<f64>().ok());
        let longest = observation.point.window_ns.unwrap_or(0);
        let ns = runtime.and_then(|ms| window_ns(ms * 1e6));
        observation.point.window_ns = ns.map(|ns| ns.max(longest)).or(observation.point.window_ns);
        Ok(())
    }

    /// "issued rwts: total=8960,3840,0,0 short=…": counts of reads, writes, trims and syncs.
    fn issued(&self, observation: &mut Observation, line: &str) {
        let Some(total) = line.split_once("total=").map(|(_, rest)| rest) else { return };
        let counts = total.split([' ', ';']).next().unwrap_or_default().split(',');
        let counts = counts.map(|n| n.trim_start_matches("r=").trim_start_matches("w="));
        let counts: Vec<u64> = counts.filter_map(|n| n.split('/').next()?.parse().ok()).collect();
        let classes = [Class::READ, Class::WRITE, Class::TRIM, Class::FLUSH];
        let stream = self.stream.as_str();
        let Some(cell) = observation.point.cells.iter_mut().find(|c| c.stream == stream) else {
            return;
        };
        for (class, ops) in classes.into_iter().zip(counts).filter(|(_, ops)| *ops > 0) {
            if !cell.tallies.iter().any(|t| t.class == class) {
                cell.tallies.push(tally(class, ops.min(fio_options::MOST_OPS), 0));
            }
        }
    }

    /// "| 99.00th=[ 4079616], 99.50th=[ 4423680]"
    fn percentiles(
        &self,
        observation: &mut Observation,
        at: usize,
        line: &str,
        class: Class,
    ) -> Result<()> {
        for part in line.trim_start_matches('|').split("],") {
            let Some((p, text)) = part.split_once("th=[") else { continue };
            let text = text.trim().trim_end_matches(']').trim();
            // fio 2 marks a value beyond its last bin in this way.
            let text = text.trim_start_matches('>').trim_start_matches('=').trim();
            let name = p.trim().parse().ok().and_then(percentile);
            let Some(name) = name.filter(|_| !text.is_empty()) else { continue };
            let figure = written(self.file, at, "latency", text)?;
            let half = figure.value / 128.0 + 0.5;
            let bounds = ((figure.value - half).max(0.0), figure.value + half);
            let bounds = (bounds.0 * self.unit, bounds.1 * self.unit);
            let figure = figure.times(self.unit).within(bounds);
            observation.report_within((&self.stream, class), &name, figure, None);
        }
        Ok(())
    }
}

/// "12.8k" with its digits.
fn scaled(text: &str) -> Option<Written> {
    let (number, unit) = leading(text)?;
    let scale = match unit.trim() {
        "" => 1.0,
        "k" | "K" => 1e3,
        "m" | "M" => 1e6,
        _ => return None,
    };
    let value = number.parse::<f64>().ok()? * scale;
    Some(Written { value, digits: Some(units::digits_of(number)) })
}

/// "50.0MiB/s" in bytes per second; fio 2's KB and MB are binary.
fn per_second(text: &str) -> Option<Written> {
    let (number, unit) = leading(text)?;
    let scale: f64 = match unit.trim().strip_suffix("/s")? {
        "B" => 1.0,
        "KiB" | "KB" => 1024.0,
        "MiB" | "MB" => 1_048_576.0,
        "GiB" | "GB" => 1_073_741_824.0,
        "kB" => 1e3,
        _ => return None,
    };
    let value = number.parse::<f64>().ok()? * scale;
    Some(Written { value, digits: Some(units::digits_of(number)) })
}

/// Rates from counts and the window are more precise than the three digits that fio prints, but
/// only if all directions ran for the whole window; a rate that does not agree stays as printed.
fn finish(observation: &mut Observation) {
    let Some(window) = observation.point.window_ns else { return };
    for cell in &mut observation.point.cells {
        for tally in &mut cell.tallies {
            let Written { value: exact, digits } = Written::rate(tally.ops, window as f64 / 1e9);
            let own = |r: &&mut Reported| r.stream == cell.stream && r.class == tally.class;
            let mut own: Vec<&mut Reported> = observation.reported.iter_mut().filter(own).collect();
            let of_rate = own.iter_mut().find(|r| r.name == Reported::OPS_PER_S);
            if let Some(rate) = of_rate {
                let unit = 0.51 * rate.value / 10f64.powi(rate.digits.unwrap_or(3) as i32 - 1);
                if (rate.value - exact).abs() <= unit.max(1.0) {
                    (rate.value, rate.low, rate.high) = (exact, exact, exact);
                    rate.digits = digits.max(Some(3));
                }
            }
            if let Some(moved) = own.iter().find(|r| r.name == Reported::BYTES_PER_S) {
                tally.bytes = (moved.value * window as f64 / 1e9) as u64;
            }
            own.iter_mut().for_each(|r| r.samples = Some(tally.ops));
        }
    }
    // fio prints no rate of flushes.
    let flushes: Vec<(String, u64)> = observation
        .point
        .cells
        .iter()
        .flat_map(|c| c.tallies.iter().map(|t| (c.stream.clone(), t)))
        .filter(|(_, t)| t.class == Class::FLUSH)
        .map(|(stream, t)| (stream, t.ops))
        .collect();
    for (stream, ops) in flushes {
        let figure = Written::rate(ops, window as f64 / 1e9);
        observation.report((&stream, Class::FLUSH), Reported::OPS_PER_S, figure, Some(ops));
    }
}
