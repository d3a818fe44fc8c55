//! db_bench's output: a line for each benchmark, and with --histogram its percentiles and buckets.
//!
//! db_bench interpolates a percentile within a bucket that is up to half as wide as its value, so
//! it is imported with that bucket as its interval.

use super::load::field;
use super::text::{after, number, window_ns, written, wrong};
use super::{
    FormatInfo, ImportFormat, ImportedFile, Input, OPERATION, Observation, SEEK, Written, cell,
    tally,
};
use dyno_core::base::error::Result;
use dyno_core::base::units;
use dyno_core::plan::{LoopKind, Timing};
use dyno_core::record::{Class, Fact, Reported, Tally};

pub struct DbBench;

/// Settings before the benchmarks, printed as "Name: value".
const HEADER: &[&str] = &[
    "RocksDB",
    "Keys",
    "Values",
    "Entries",
    "Prefix",
    "Compression",
    "Write rate",
    "Read rate",
    "CPU",
];

/// The settings among these that define the load.
const OF_THE_LOAD: &[(&str, &str)] = &[
    ("Keys", "keys"),
    ("Values", "values"),
    ("Entries", field::RECORDS),
    ("Compression", "compression"),
    ("Write rate", "write rate"),
    ("Read rate", "read rate"),
];

const DELETE: Class = Class::new("delete");
const MERGE: Class = Class::new("merge");
const UPDATE: Class = Class::new("update");

impl ImportFormat for DbBench {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "db_bench",
            summary: "what RocksDB's db_bench prints; with --histogram, percentiles with their \
                      buckets",
            missing: &[
                "latencies finer than db_bench's buckets, which are half as wide as they are long",
                "intervals",
                "readings of meters",
                "the writer of readwhilewriting, which db_bench leaves out",
                "the number of threads, which db_bench does not print",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let mut found = ImportedFile::default();
        let mut header: Vec<(String, String)> = Vec::new();
        let mut histogram: Option<Class> = None;
        for (at, raw) in input.lines() {
            // Progress is overwritten with carriage returns, before the final line.
            let line = raw.trim_end_matches('\r').rsplit('\r').next().unwrap_or(raw);
            if line.contains(" micros/op ") {
                let mut observation = benchmark(input, at, line, &mut found.notes)?;
                set_header(&mut observation, &header);
                histogram = observation.point.cells[0].tallies.first().map(|t| t.class);
                histogram = histogram.or(observation.reported.first().map(|r| r.class));
                found.observations.push(observation);
            } else if let Some(kind) = line.strip_prefix("Microseconds per ") {
                histogram = Some(class_of_histogram(kind.trim_end().trim_end_matches(':')));
            } else if let (Some(class), Some(observation)) =
                (histogram, found.observations.last_mut())
            {
                reported(input.file, at, line, observation, class)?;
            }
            if let Some((name, value)) =
                line.split_once(':').filter(|(name, _)| HEADER.contains(name))
            {
                let value = value.trim().to_string();
                if let Some(known) = header.iter_mut().find(|(own, _)| own == name) {
                    known.1.clone_from(&value);
                } else {
                    header.push((name.to_string(), value.clone()));
                }
                found.facts.push(Fact::new("Imported", format!("db_bench {name}"), value));
            }
        }
        if found.observations.is_empty() {
            let next = "give what db_bench printed to its end; it ends each benchmark with 'NAME : \
                        … micros/op …'";
            return Err(input.wrong_at_end("the file ends before any benchmark has ended", next));
        }
        for observation in &mut found.observations {
            finish(observation);
        }
        Ok(found)
    }
}

/// The settings printed before a benchmark.
fn set_header(observation: &mut Observation, header: &[(String, String)]) {
    for (name, value) in header {
        if let Some((_, own)) = OF_THE_LOAD.iter().find(|(own, _)| own == name) {
            match value.parse::<f64>() {
                Ok(number) if *own == field::RECORDS => observation.load.set(own, number),
                _ => observation.load.set(own, value.as_str()),
            }
        }
        if name.ends_with(" rate") && !value.starts_with("0 ") {
            observation.loop_kind = None;
        }
    }
}

fn class_of_histogram(kind: &str) -> Class {
    match kind {
        "read" => Class::READ,
        "write" => Class::WRITE,
        "seek" => SEEK,
        "delete" => DELETE,
        "merge" => MERGE,
        "update" => UPDATE,
        _ => OPERATION,
    }
}

/// The op of a benchmark that does only one kind; the class of a mix is unknown.
fn class_of(name: &str) -> Class {
    let starts = |all: &[&str]| all.iter().any(|start| name.starts_with(start));
    match name {
        _ if name.contains("mix") || name.starts_with("readrandomwriterandom") => OPERATION,
        _ if starts(&["fill", "overwrite", "timeseries", "randomtransaction"]) => Class::WRITE,
        _ if starts(&["delete"]) => DELETE,
        _ if starts(&["update", "xorupdate", "append"]) => UPDATE,
        _ if name.contains("merge") && !name.contains("while") && !starts(&["read"]) => MERGE,
        _ if starts(&["seek", "newiterator"]) => SEEK,
        _ if starts(&["read", "multiread", "getmergeoperands", "approximate"]) => {
            match name.contains("randommergerandom") {
                true => OPERATION,
                false => Class::READ,
            }
        }
        _ => OPERATION,
    }
}

/// "readrandom   :       6.811 micros/op 277839 ops/sec 0.144 seconds 40000 operations;   30.7 MB/s
/// (…)"; before RocksDB 7.2 without seconds and operations.
fn benchmark(
    input: &Input<'_>,
    at: usize,
    line: &str,
    notes: &mut Vec<String>,
) -> Result<Observation> {
    let cut = || {
        let next = "the line may be cut; use db_bench's complete output";
        wrong(input.file, at, "a benchmark's line without 'NAME : … micros/op … ops/sec'", next)
    };
    let (name, rest) = line.split_once(" :").ok_or_else(cut)?;
    let name = name.rsplit("ops").next().unwrap_or(name).trim();
    let words: Vec<&str> = rest.split_whitespace().collect();
    let before = |unit: &str| {
        let place = words.iter().position(|w| w.trim_end_matches(';') == unit);
        place.filter(|i| *i > 0).map(|i| words[i - 1])
    };
    let get = |unit: &str| before(unit).map(|w| written(input.file, at, unit, w)).transpose();
    let printed = get("ops/sec")?.ok_or_else(cut)?;
    let (seconds, operations) = (get("seconds")?, get("operations")?);
    if name.is_empty() {
        return Err(cut());
    }
    let (rate, window) = match (operations, seconds) {
        (Some(n), Some(s)) if n.value >= 1.0 && s.value > 0.0 => {
            let rate = exact_rate(printed, n, s);
            (rate, Some(n.value / rate.value.max(1e-9)))
        }
        (Some(_), Some(_)) => return Err(cut()),
        (None, None) => {
            notes.push(format!(
                "{}: '{name}' is from a db_bench before 7.2: its rate is a whole number, and its \
                 window is not given",
                input.file
            ));
            (printed, None)
        }
        _ => return Err(cut()),
    };
    let ns = window.and_then(|s| window_ns((s * 1e9).round()));
    let mut observation = Observation::new(name, ns);
    // db_bench prints the time per op of one thread, and the rate of all threads.
    let micros = get("micros/op")?.map(|us| us.value * 1e-6 * rate.value);
    observation.in_flight = micros.filter(|n| *n > 0.0);
    let class = class_of(name);
    let bytes = get("MB/s")?.map(|mb| mb.times(1_048_576.0));
    let moved = bytes.zip(window).map_or(0.0, |(bytes, window)| bytes.value * window);
    let mut own = operations.map(|n| tally(class, n.value as u64, moved as u64));
    misses(&mut observation, line, own.as_mut(), class, (input.file, at), notes)?;
    // A db_bench thread waits for each op before the next.
    observation.point.cells.push(cell(name, 0, None, Some(1), own.into_iter().collect()));
    observation.loop_kind = Some(LoopKind::Closed);
    observation.timing = Some(Timing::Service);
    observation.report((name, class), Reported::OPS_PER_S, rate, None);
    if let Some(bytes) = bytes {
        observation.report((name, class), Reported::BYTES_PER_S, bytes, None);
    }
    parts(&mut observation, line, window, (input.file, at))?;
    Ok(observation)
}

/// Ops per second from operations and seconds. Seconds have three decimals and the printed rate is
/// truncated, so for short runs the printed rate is more precise.
fn exact_rate(printed: Written, operations: Written, seconds: Written) -> Written {
    let value = operations.value / seconds.value;
    let agrees = (printed.value..printed.value + 1.0).contains(&value);
    match agrees || printed.value < 1.0 {
        true => {
            let digits = operations.digits.min(seconds.digits).max(printed.digits);
            Written { value, digits }
        }
        false => printed,
    }
}

/// "(0 of 312500 found)": reads of missing keys.
fn misses(
    observation: &mut Observation,
    line: &str,
    tally: Option<&mut Tally>,
    class: Class,
    (file, at): (&str, usize),
    notes: &mut Vec<String>,
) -> Result<()> {
    let Some(found) = line.rsplit_once('(').map(|(_, rest)| rest) else { return Ok(()) };
    let words: Vec<&str> = found.trim_end().trim_end_matches(')').split_whitespace().collect();
    let [hits, "of", all, "found", ..] = words[..] else { return Ok(()) };
    let hits = number(file, at, "count of found keys", hits)?;
    let all = number(file, at, "count of reads", all)?;
    if all <= 0.0 || class != Class::READ && class != SEEK {
        return Ok(());
    }
    let missed = (1.0 - hits / all).clamp(0.0, 1.0);
    if let Some(tally) = tally {
        // In some versions the counts are those of one thread, so the share is applied to all ops.
        tally.misses = (tally.ops as f64 * missed).round() as u64;
    }
    let found = match hits / all {
        0.0 => "none",
        share if share >= 0.99 => "all",
        _ => "some",
    };
    observation.load.set("keys found", found);
    if missed > 0.0 {
        notes.push(format!(
            "{file}: {} of {} reads of '{}' found a key",
            units::grouped(hits as u64),
            units::grouped(all as u64),
            observation.step
        ));
    }
    Ok(())
}

/// The counts of a mixed benchmark: "( reads:2880000 writes:320000 total:3200000 found:2800000)",
/// "( Gets:50164 Puts:24919 Seek:24917, …)".
fn parts(
    observation: &mut Observation,
    line: &str,
    window: Option<f64>,
    (file, at): (&str, usize),
) -> Result<()> {
    let Some((_, rest)) = line.rsplit_once('(') else { return Ok(()) };
    let mut counts: Vec<(Class, f64, u32)> = Vec::new();
    let mut hits = None;
    for word in rest.split([' ', ',', ')']) {
        let Some((name, n)) = word.split_once(':') else { continue };
        let class = match name.to_lowercase().as_str() {
            "found" => {
                hits = Some(number(file, at, "count of found keys", n)?);
                continue;
            }
            "reads" | "gets" | "get" => Class::READ,
            "writes" | "puts" | "put" => Class::WRITE,
            "merges" => MERGE,
            "updates" => UPDATE,
            "deletes" => DELETE,
            "seek" | "seeks" => SEEK,
            _ => continue,
        };
        if n.is_empty() {
            continue;
        }
        let count = number(file, at, "count", n)?;
        if count > 0.0 {
            counts.push((class, count, units::digits_of(n)));
        }
    }
    if counts.is_empty() {
        return Ok(());
    }
    let stream = observation.step.clone();
    observation.reported.retain(|r| r.class != OPERATION || r.name != Reported::OPS_PER_S);
    // Bytes are the sum over all kinds.
    observation.reported.retain(|r| r.name != Reported::BYTES_PER_S);
    let cell = &mut observation.point.cells[0];
    cell.tallies = counts.iter().map(|(class, n, _)| tally(*class, *n as u64, 0)).collect();
    let reads = cell.tallies.iter_mut().find(|t| t.class == Class::READ);
    if let (Some(reads), Some(hits)) = (reads, hits) {
        reads.misses = reads.ops.saturating_sub(hits as u64);
    }
    for (class, n, digits) in counts {
        if let Some(window) = window {
            let rate = Written { value: n / window, digits: Some(digits) };
            observation.report((&stream, class), Reported::OPS_PER_S, rate, None);
        }
    }
    Ok(())
}

/// The lines of a histogram.
fn reported(
    file: &str,
    at: usize,
    line: &str,
    observation: &mut Observation,
    class: Class,
) -> Result<()> {
    let stream = observation.step.clone();
    if line.starts_with("Count:") {
        let count = after(line, "Count:").unwrap_or_default();
        let count = number(file, at, "count", count)? as u64;
        histogram_of(observation, class, count);
        let mean = after(line, "Average:").unwrap_or_default();
        let mean = written(file, at, "average", mean)?.times(1e3);
        observation.report((&stream, class), "mean_ns", mean, Some(count));
    } else if line.starts_with("Min:") {
        let max = after(line, "Max:").unwrap_or_default();
        let max = written(file, at, "maximum", max)?.times(1e3);
        let samples = samples(observation, class);
        observation.report((&stream, class), "max_ns", max, samples);
    } else if let Some(all) = line.strip_prefix("Percentiles:") {
        let samples = samples(observation, class);
        let words: Vec<&str> = all.split_whitespace().collect();
        for pair in words.chunks(2) {
            let [name, value] = pair else {
                return Err(wrong(
                    file,
                    at,
                    "a percentile without its value",
                    "the line is truncated; use the complete output",
                ));
            };
            let name = name.trim_start_matches('P').trim_end_matches(':');
            let us = written(file, at, "percentile", value)?;
            let (low, high) = bucket(us.value);
            let figure = us.times(1e3).within((low * 1e3, high * 1e3));
            observation.report_within((&stream, class), &format!("p{name}_ns"), figure, samples);
        }
    }
    Ok(())
}

/// The ops of a histogram: the samples of its mean.
fn samples(observation: &Observation, class: Class) -> Option<u64> {
    let mean = observation.reported.iter().rfind(|r| r.class == class && r.name == "mean_ns");
    mean.and_then(|mean| mean.samples)
}

/// A histogram states the class of its ops: a benchmark with several classes prints one for each.
fn histogram_of(observation: &mut Observation, class: Class, count: u64) {
    let stream = observation.step.clone();
    let window_ns = observation.point.window_ns;
    let cell = &mut observation.point.cells[0];
    if cell.tallies.iter().any(|t| t.class == class) {
        return;
    }
    // The line of the benchmark belongs to the first histogram's class, if that contains all its
    // ops.
    let alone = observation.reported.iter().all(|r| r.name != "mean_ns");
    let all = cell.tallies.first().map(|t| t.ops);
    if alone && cell.tallies.len() <= 1 && all.is_none_or(|all| all == count) {
        cell.tallies.iter_mut().for_each(|tally| tally.class = class);
        observation.reported.iter_mut().for_each(|figure| figure.class = class);
        return;
    }
    cell.tallies.retain(|t| t.class != OPERATION);
    observation.reported.retain(|r| r.class != OPERATION);
    cell.tallies.push(tally(class, count, 0));
    if let Some(ns) = window_ns {
        let rate = Written::rate(count, ns as f64 / 1e9);
        observation.report((&stream, class), Reported::OPS_PER_S, rate, None);
    }
}

/// A class without its own counts has those of its histogram; a single kind of op has all.
fn finish(observation: &mut Observation) {
    for figure in &mut observation.reported {
        let cell = &observation.point.cells[0];
        let own = cell.tallies.iter().find(|t| t.class == figure.class);
        figure.samples = figure.samples.or(own.map(|t| t.ops));
    }
}

/// The bounds of the bucket in which `us` was interpolated. RocksDB's `HistogramBucketMapper`
/// (monitoring/histogram.cc): 1, 2, then each half as large again as the last, truncated to its
/// leading two digits (three if they begin with 10).
fn bucket(us: f64) -> (f64, f64) {
    let (mut low, mut high) = (0.0f64, 1.0f64);
    let mut exact = 2.0f64;
    while high < us && high < 1e18 {
        low = high;
        let (mut digits, mut power) = (exact.floor(), 1.0);
        while (digits / 10.0).floor() > 10.0 {
            digits = (digits / 10.0).floor();
            power *= 10.0;
        }
        high = digits * power;
        exact *= 1.5;
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::bucket;

    #[test]
    fn a_percentile_lies_in_the_bucket_that_db_bench_counted_it_in() {
        let cases = [
            (0.7, (0.0, 1.0)),
            (5.81, (4.0, 6.0)),
            (13.82, (10.0, 15.0)),
            (110.0, (76.0, 110.0)),
            (169.0, (110.0, 170.0)),
            (249.0, (170.0, 250.0)),
            (2_900.0, (1_900.0, 2_900.0)),
            (19_333.0, (14_000.0, 22_000.0)),
        ];
        for (us, bounds) in cases {
            assert_eq!(bucket(us), bounds, "{us} µs");
        }
    }
}
