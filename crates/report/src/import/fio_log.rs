//! fio's logs (`write_bw_log`, `write_iops_log`, `write_lat_log`, `write_hist_log`): lines of time,
//! value, direction, size and offset. Only the file's name states what the values are.

use super::text::{number, window_ns, wrong};
use super::{FormatInfo, ImportFormat, ImportedFile, Input, Observation, Written, cell, tally};
use dyno_core::base::error::{Result, failed};
use dyno_core::base::histogram::Histogram;
use dyno_core::plan::Timing;
use dyno_core::record::{Class, Reported, Sample};

pub struct FioLogs;

/// The kind of the values in a log.
#[derive(Clone, Copy, PartialEq)]
enum LogKind {
    Bandwidth,
    Iops,
    Latency(&'static str),
    Histogram,
}

/// The kinds by the end of the file's name, before its number.
const KINDS: [(&str, LogKind); 6] = [
    ("_clat_hist", LogKind::Histogram),
    ("_bw", LogKind::Bandwidth),
    ("_iops", LogKind::Iops),
    ("_slat", LogKind::Latency("slat")),
    ("_clat", LogKind::Latency("clat")),
    ("_lat", LogKind::Latency("lat")),
];

impl ImportFormat for FioLogs {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "fio_log",
            summary: "a log of fio: NAME_bw.1.log, _iops, _lat, _clat, _slat or _clat_hist",
            missing: &[
                "the options of the load",
                "threads and depth",
                "what other logs of the same run have",
                "readings of meters",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let Some((job, kind)) = kind_of(input.file) else {
            return Err(failed(
                format!("{}: its name does not say which log of fio it is", input.file),
                "give it the name that fio gave it, such as NAME_clat.1.log; the lines do not say \
                 what their values are",
            ));
        };
        let mut lines = Vec::new();
        for (at, line) in input.lines() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                lines.push(LogLine::of(input.file, at, line, kind)?);
            }
        }
        if lines.is_empty() {
            let next = "the run was shorter than its averaging window, or wrote no such log";
            return Err(wrong(input.file, 1, "the log has no lines", next));
        }
        let mut found = ImportedFile::default();
        let job = if job.is_empty() { "fio" } else { job };
        let observation = observe(input.file, job, kind, &lines, &mut found)?;
        found.observations.push(observation);
        Ok(found)
    }
}

/// The job and the kind of a log, which are only in its name.
fn kind_of(file: &str) -> Option<(&str, LogKind)> {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = name.strip_suffix(".log")?;
    let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('.');
    KINDS.iter().find_map(|(end, kind)| Some((stem.strip_suffix(end)?, *kind)))
}

/// Whether a file has the name of a fio log.
pub fn is_log(file: &str) -> bool {
    kind_of(file).is_some()
}

/// A line of a log.
struct LogLine {
    at_ms: f64,
    class: Class,
    /// Bytes of the request; 0 if the line represents several.
    size: f64,
    value: f64,
    /// Counts of the bins of a histogram.
    bins: Vec<u64>,
}

impl LogLine {
    fn of(file: &str, at: usize, line: &str, kind: LogKind) -> Result<LogLine> {
        let words: Vec<&str> = line.split(',').map(str::trim).collect();
        if words.len() < 4 {
            let next = "a line of fio's log is: time, value, direction, block size";
            return Err(wrong(file, at, format!("{} values", words.len()), next));
        }
        let at_ms = number(file, at, "time", words[0])?;
        let of_histogram = kind == LogKind::Histogram;
        let direction = words[if of_histogram { 1 } else { 2 }];
        let class = match direction {
            "0" => Class::READ,
            "1" => Class::WRITE,
            "2" => Class::TRIM,
            _ => {
                let next = "fio writes 0 for reads, 1 for writes and 2 for trims";
                return Err(wrong(file, at, format!("'{direction}' is not a direction"), next));
            }
        };
        let size = number(file, at, "block size", words[if of_histogram { 2 } else { 3 }])?;
        if !of_histogram {
            let value = number(file, at, "value", words[1])?;
            return Ok(LogLine { at_ms, class, size, value, bins: Vec::new() });
        }
        let bin = |word: &&str| {
            let n = word.parse::<u64>().ok().filter(|n| *n < super::fio_options::MOST_OPS);
            n.ok_or_else(|| wrong(file, at, format!("'{word}' is not a count"), "repair the line"))
        };
        let bins = words[3..].iter().map(bin).collect::<Result<Vec<u64>>>()?;
        Ok(LogLine { at_ms, class, size, value: 0.0, bins })
    }
}

fn observe(
    file: &str,
    job: &str,
    kind: LogKind,
    lines: &[LogLine],
    found: &mut ImportedFile,
) -> Result<Observation> {
    let end_ms = lines.iter().map(|line| line.at_ms).fold(0.0, f64::max);
    let mut observation = Observation::new(job, None);
    observation.timing = Some(Timing::Service);
    let classes = Class::in_order(lines.iter().map(|line| line.class));
    let names: Vec<&str> = classes.iter().map(|class| class.name()).collect();
    observation.load.set(super::load::field::PATTERN, names.join(" and ").as_str());
    // With `log_avg_msec` a line represents all requests of an interval, and has no size.
    let single = lines.iter().all(|line| line.size > 0.0);
    let mut tallies = Vec::new();
    for class in classes {
        let own: Vec<&LogLine> = lines.iter().filter(|line| line.class == class).collect();
        let of = (job, class);
        match kind {
            LogKind::Histogram => {
                let service = histogram(file, &own)?;
                let mut counted = tally(class, service.count, 0);
                counted.service = service;
                tallies.push(counted);
            }
            LogKind::Latency(which) if single => {
                let mut service = Histogram::new();
                own.iter().for_each(|line| service.add_n(line.value as u64, 1));
                let bytes = own.iter().map(|line| line.size).sum::<f64>() as u64;
                let mut counted = tally(class, service.count, bytes);
                counted.service = service;
                tallies.push(counted);
                found.note(format!("latencies of {job} are {which}, one of each request"));
            }
            LogKind::Latency(which) => {
                series(&mut observation, &own, &format!("{}_{which}_ns", class.name()), 1.0);
                observation.report(of, "mean_ns", mean(&own, 1.0), None);
                found.note(format!(
                    "the mean latency of {job} is that of the interval means of its {which} log; \
                     intervals with more requests do not count more"
                ));
            }
            LogKind::Bandwidth if !single => {
                series(&mut observation, &own, &bytes_gauge(class), 1024.0);
                observation.report(of, Reported::BYTES_PER_S, mean(&own, 1024.0), None);
            }
            LogKind::Iops if !single => {
                let name = format!("{}_ops_per_s", class.name());
                series(&mut observation, &own, &name, 1.0);
                observation.report(of, Reported::OPS_PER_S, mean(&own, 1.0), None);
            }
            LogKind::Bandwidth | LogKind::Iops => {
                // Without averaging the value is that of a single request; the lines are counted.
                let bytes = own.iter().map(|line| line.size).sum::<f64>() as u64;
                tallies.push(tally(class, own.len() as u64, bytes));
            }
        }
    }
    if single || kind == LogKind::Histogram {
        observation.point.window_ns = window_ns(end_ms * 1e6);
    }
    observation.point.cells.push(cell(job, 0, None, None, tallies));
    if observation.reported.is_empty() && observation.point.window_ns.is_none() {
        found.note(format!("{file}: all of its lines are of one millisecond, so no rate is known"));
        let own: Vec<Class> = observation.point.cells[0].tallies.iter().map(|t| t.class).collect();
        for class in own {
            observation.point.cells[0]
                .tallies
                .retain(|t| t.class != class || !t.service.is_empty());
        }
    }
    Ok(observation)
}

fn bytes_gauge(class: Class) -> String {
    format!("{}_bytes_per_s", class.name())
}

/// The values over time.
fn series(observation: &mut Observation, lines: &[&LogLine], name: &str, scale: f64) {
    observation.samples.extend(lines.iter().map(|line| Sample {
        at_ns: (line.at_ms * 1e6).min(1e18) as i64,
        meter: "fio log".to_string(),
        name: name.to_string(),
        value: line.value * scale,
    }));
}

/// The mean of the intervals.
fn mean(lines: &[&LogLine], scale: f64) -> Written {
    let sum: f64 = lines.iter().map(|line| line.value * scale).sum();
    Written::exact(sum / lines.len() as f64)
}

/// Groups of bins, each with bins twice as wide as in the group before (stat.h, `plat_val_to_idx`);
/// the bins of the first two are single nanoseconds.
const GROUPS: usize = 29;

/// All bins of a log, coarser by a power of two if `log_hist_coarseness` is set.
fn histogram(file: &str, lines: &[&LogLine]) -> Result<Histogram> {
    let mut all = Histogram::new();
    for line in lines {
        let n = line.bins.len();
        let fine = GROUPS * 64;
        let coarse =
            (n > 0 && fine.is_multiple_of(n)).then(|| fine / n).filter(|c| c.is_power_of_two());
        let Some(coarse) = coarse.filter(|coarse| *coarse <= 64) else {
            return Err(failed(
                format!("{file}: a histogram of {n} bins"),
                "fio 3 writes 1,856 bins, or these divided by a power of two",
            ));
        };
        for (i, count) in line.bins.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (low, high) = (bin_start(i * coarse), bin_start((i + 1) * coarse));
            all.add_n((low + high) / 2, *count);
        }
    }
    Ok(all)
}

/// The shortest latency of a bin, nanoseconds.
fn bin_start(at: usize) -> u64 {
    match at {
        0..64 => at as u64,
        _ => {
            let (group, within) = (at / 64, (at % 64) as u64);
            (64 + within) << (group - 1).min(50)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bins_of_a_histogram_log_are_those_of_fio() {
        for (at, ns) in [(0, 0), (63, 63), (64, 64), (127, 127), (128, 128), (129, 130), (192, 256)]
        {
            assert_eq!(bin_start(at), ns, "{at}");
        }
    }
}
