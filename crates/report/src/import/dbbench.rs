//! db_bench's output: a line for each benchmark, and with --histogram its percentiles and buckets.
//!
//! db_bench interpolates a percentile within a bucket that is up to half as wide as its value, so
//! it is imported with that bucket as its interval.

use super::text::{after, written, wrong};
use super::{FormatInfo, ImportFormat, ImportedFile, ImportedPoint, Input, SEEK, cell, tally};
use crate::base::error::Result;
use crate::plan::{Field, LoopKind, Timing};
use crate::record::{Class, Fact, Reported};

pub struct DbBench;

/// Settings before the benchmarks, printed as "Name: value".
const HEADER: &[&str] =
    &["RocksDB", "Keys", "Values", "Entries", "Compression", "Write rate", "Read rate", "CPU"];

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
                "the number of threads, where it is not in the file's name as t16 or 16threads",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let mut found = ImportedFile::default();
        let mut latency = DbBenchLatency::None;
        for (index, raw) in input.text.lines().enumerate() {
            let at = index + 1;
            // Progress is overwritten with carriage returns, before the final line.
            let line = raw.rsplit('\r').next().unwrap_or(raw);
            if line.contains(" micros/op ") {
                let (entry, class) = benchmark(input, at, line)?;
                found.entries.push(entry);
                latency = DbBenchLatency::Of(class);
            } else if let Some(kind) = line.strip_prefix("Microseconds per ") {
                let class = class_of(kind.trim_end().trim_end_matches(':'));
                latency = DbBenchLatency::Of(class);
            } else if let (DbBenchLatency::Of(class), Some(entry)) =
                (latency, found.entries.last_mut())
            {
                reported(input.file, at, line, entry, class)?;
            } else if let Some((name, value)) =
                line.split_once(':').filter(|(name, _)| HEADER.contains(name))
            {
                found.facts.push(Fact::new("Imported", format!("db_bench {name}"), value.trim()));
            }
        }
        let paced = |fact: &Fact| fact.name.ends_with(" rate") && !fact.value.starts_with("0 ");
        if found.facts.iter().any(paced) {
            found.entries.iter_mut().for_each(|entry| entry.loop_kind = None);
        }
        if found.entries.is_empty() {
            let last = input.text.lines().count().max(1);
            let next = "give what db_bench printed to its end; it ends each benchmark with 'NAME : \
                        … micros/op …'";
            return Err(wrong(
                input.file,
                last,
                "the file ends before any benchmark has ended",
                next,
            ));
        }
        Ok(found)
    }
}

#[derive(Clone, Copy)]
enum DbBenchLatency {
    None,
    Of(Class),
}

fn class_of(kind: &str) -> Class {
    match kind {
        "write" => Class::WRITE,
        "seek" => SEEK,
        _ => Class::READ,
    }
}

/// "readrandom   :       6.811 micros/op 277839 ops/sec 0.144 seconds 40000 operations;   30.7 MB/s
/// (…)"
fn benchmark(input: &Input<'_>, at: usize, line: &str) -> Result<(ImportedPoint, Class)> {
    let cut = || {
        let next = "the line may be cut, or from a db_bench before 7.2, which prints neither \
                    seconds nor operations";
        wrong(
            input.file,
            at,
            "a benchmark's line without 'NAME : … ops/sec … seconds … operations'",
            next,
        )
    };
    let (name, rest) = line.split_once(" :").ok_or_else(cut)?;
    let name = name.rsplit("ops").next().unwrap_or(name).trim();
    let words: Vec<&str> = rest.split_whitespace().collect();
    let before = |unit: &str| {
        words
            .iter()
            .position(|w| w.trim_end_matches(';') == unit)
            .filter(|i| *i > 0)
            .map(|i| words[i - 1])
    };
    let get = |unit: &str| written(input.file, at, unit, before(unit).ok_or_else(cut)?);
    let (rate, operations) = (get("ops/sec")?, get("operations")?.value);
    let seconds = get("seconds")?.value;
    if name.is_empty() || operations < 1.0 {
        return Err(cut());
    }
    // The rate has more digits than the duration.
    let window = if rate.value > 0.0 { operations / rate.value } else { seconds };
    let threads = threads_in(input.file);
    let axis = threads.map(|n| (Field::Threads, f64::from(n)));
    let mut entry = ImportedPoint::new(name, axis, Some((window * 1e9).round() as u64));
    let class = match name {
        n if n.starts_with("fill") || n.starts_with("overwrite") || n.starts_with("delete") => {
            Class::WRITE
        }
        n if n.starts_with("seek") => SEEK,
        _ => Class::READ,
    };
    let bytes = before("MB/s").map(|mb| written(input.file, at, "MB/s", mb)).transpose()?;
    let bytes = bytes.map(|mb| mb.times(1_048_576.0));
    let moved = bytes.map_or(0.0, |bytes| bytes.value * window);
    let tallies = vec![tally(class, operations as u64, moved as u64)];
    // A db_bench thread waits for each op before the next.
    entry.point.cells.push(cell(name, 0, threads, Some(1), tallies));
    entry.loop_kind = Some(LoopKind::Closed);
    entry.timing = Some(Timing::Service);
    entry.report((name, class), Reported::OPS_PER_S, rate, None);
    if let Some(bytes) = bytes {
        entry.report((name, class), Reported::BYTES_PER_S, bytes, None);
    }
    Ok((entry, class))
}

/// The threads of "readrandom.t16.log" or "out-16threads.txt".
fn threads_in(file: &str) -> Option<u32> {
    let words = file.split(|c: char| !c.is_ascii_alphanumeric());
    let mut found = words
        .filter_map(|w| w.strip_suffix("threads").or_else(|| w.strip_prefix('t'))?.parse().ok());
    found.find(|n| (1..=65_536).contains(n))
}

/// The lines of a histogram.
fn reported(
    file: &str,
    at: usize,
    line: &str,
    entry: &mut ImportedPoint,
    class: Class,
) -> Result<()> {
    let stream = entry.step.clone();
    let Some(tally) = entry.point.cells.first_mut().and_then(|c| c.tallies.first_mut()) else {
        return Ok(());
    };
    if line.starts_with("Count:") {
        // A benchmark that both reads and writes prints two histograms; the first line of a class
        // gives its count.
        tally.class = class;
        let samples = Some(tally.ops);
        entry.reported.iter_mut().for_each(|figure| figure.class = class);
        let mean = after(line, "Average:").unwrap_or_default();
        let mean = written(file, at, "average", mean)?.times(1e3);
        entry.report((&stream, class), "mean_ns", mean, samples);
    } else if line.starts_with("Min:") {
        let max = after(line, "Max:").unwrap_or_default();
        let max = written(file, at, "maximum", max)?.times(1e3);
        let samples = Some(tally.ops);
        entry.report((&stream, class), "max_ns", max, samples);
    } else if let Some(all) = line.strip_prefix("Percentiles:") {
        let samples = Some(tally.ops);
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
            entry.report_within((&stream, class), &format!("p{name}_ns"), figure, samples);
        }
    }
    Ok(())
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
