//! The CSV files of SSD-iq's `iob`: `iob-log-*`, with a line for each interval, and `iob-stats-*`,
//! with latencies of one thread for each interval.

use std::collections::BTreeMap;

use super::load::field;
use super::text::{number, wrong};
use super::{FormatInfo, ImportFormat, ImportedFile, Input, Observation, Written, cell};
use dyno_core::base::error::Result;
use dyno_core::plan::Field;
use dyno_core::record::{Class, Reported, Sample};

pub struct IobTables;

/// The value printed by iob if there were no requests.
const NONE: f64 = 2_147_483_647.0;

/// Percentiles of `iob-stats`, by the end of the column's name.
const PERCENTILES: [(&str, &str); 8] = [
    ("50p", "p50_ns"),
    ("90p", "p90_ns"),
    ("95p", "p95_ns"),
    ("99p", "p99_ns"),
    ("99p5", "p99.5_ns"),
    ("99p9", "p99.9_ns"),
    ("99p99", "p99.99_ns"),
    ("99p999", "p99.999_ns"),
];

/// Settings that define the load, by column.
const SETTINGS: [(&str, &str); 9] = [
    ("filesizeGib", "size, GiB"),
    ("fill", "fill"),
    ("usedfilesize", "used size"),
    ("pattern", field::PATTERN),
    ("patternDetails", "pattern details"),
    ("rate", field::RATE),
    ("expRate", "exponential arrivals"),
    ("threadRate", "rate of the thread"),
    ("bs", field::BLOCK),
];

impl ImportFormat for IobTables {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "iob",
            summary: "SSD-iq's iob: its iob-log or iob-stats CSV",
            missing: &[
                "percentiles over the whole run: iob prints those of each interval",
                "threads and depth",
                "readings of meters, but for the drive's own counters",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let mut found = ImportedFile::default();
        let mut head: Vec<&str> = Vec::new();
        let mut runs: BTreeMap<(String, String), Vec<IobRow<'_>>> = BTreeMap::new();
        for (at, line) in input.lines() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let words: Vec<&str> = line.split(',').map(str::trim).collect();
            if words.contains(&"hash") && words.contains(&"device") {
                head = words;
                continue;
            }
            if head.is_empty() {
                let next = "give the whole iob-log-*.csv or iob-stats-*.csv";
                return Err(wrong(input.file, at, "data precede the line of columns", next));
            }
            // The last line of a run that was stopped may be truncated.
            if words.len() != head.len() {
                let what = format!("{} values for {} columns", words.len(), head.len());
                return Err(wrong(input.file, at, what, "the line may be cut; remove it"));
            }
            let cells: BTreeMap<&str, &str> = head.iter().copied().zip(words).collect();
            let row = IobRow { file: input.file, at, cells };
            let load: Vec<&str> =
                SETTINGS.iter().filter_map(|(column, _)| row.get(column)).collect();
            let key = (row.get("hash").unwrap_or_default().to_string(), load.join(","));
            runs.entry(key).or_default().push(row);
        }
        let mut of_runs: Vec<Vec<IobRow<'_>>> = runs.into_values().collect();
        of_runs.sort_by_key(|rows| rows[0].at);
        for rows in of_runs {
            let observation = observe(&rows, &mut found)?;
            found.observations.push(observation);
        }
        if found.observations.is_empty() {
            let next = "give the whole iob-log-*.csv or iob-stats-*.csv";
            return Err(wrong(input.file, 1, "no line of figures", next));
        }
        Ok(found)
    }
}

/// An interval.
struct IobRow<'a> {
    file: &'a str,
    at: usize,
    cells: BTreeMap<&'a str, &'a str>,
}

impl<'a> IobRow<'a> {
    fn get(&self, column: &str) -> Option<&'a str> {
        self.cells.get(column).copied().filter(|text| !text.is_empty())
    }

    fn number(&self, column: &str) -> Result<Option<f64>> {
        let Some(text) = self.get(column) else { return Ok(None) };
        if ["nan", "-nan", "inf", "-1"].contains(&text.to_lowercase().as_str()) {
            return Ok(None);
        }
        number(self.file, self.at, column, text).map(Some)
    }
}

fn observe(rows: &[IobRow<'_>], found: &mut ImportedFile) -> Result<Observation> {
    let first = &rows[0];
    let name = first.get("prefix").or_else(|| first.get("pattern")).unwrap_or("iob");
    let mut observation = Observation::new(name, None);
    for (column, name) in SETTINGS {
        if let Some(text) = first.get(column) {
            observation.load.set_text(name, text);
        }
    }
    let writes = first.number("writepercent")?.or(first.number("writePercent")?);
    observation.load.set_if(field::READS, writes.map(|percent| 100.0 - percent));
    match observation.load.number(field::RATE).filter(|rate| *rate > 0.0) {
        Some(_) => observation.axis = Some(Field::OpsPerSec),
        None => observation.load.forget(field::RATE),
    }
    for (class, name, short) in [(Class::READ, "read", "r"), (Class::WRITE, "write", "w")] {
        rates(&mut observation, rows, (class, name))?;
        latencies(&mut observation, rows, (class, short), found)?;
    }
    for column in ["wa", "phyWriteMBs", "percentFreeBlocks"] {
        series(&mut observation, rows, column, column, 1.0)?;
    }
    observation.point.cells.push(cell(STREAM, 0, None, None, Vec::new()));
    Ok(observation)
}

const STREAM: &str = "iob";

/// Values over time, at the end of each interval.
fn series(
    observation: &mut Observation,
    rows: &[IobRow<'_>],
    column: &str,
    name: &str,
    scale: f64,
) -> Result<()> {
    for row in rows {
        let (Some(at), Some(value)) = (row.number("time")?, row.number(column)?) else { continue };
        observation.samples.push(Sample {
            at_ns: (at * 1e9).min(1e18) as i64,
            meter: STREAM.to_string(),
            name: name.to_string(),
            value: value * scale,
        });
    }
    Ok(())
}

/// Means over the intervals, which are of equal length.
fn rates(
    observation: &mut Observation,
    rows: &[IobRow<'_>],
    (class, name): (Class, &str),
) -> Result<()> {
    for (column, figure, scale) in [
        (format!("{name}IOPS"), Reported::OPS_PER_S, 1.0),
        (format!("{name}sMBs"), Reported::BYTES_PER_S, 1e6),
    ] {
        let mut values = Vec::new();
        for row in rows {
            values.extend(row.number(&column)?);
        }
        let sum: f64 = values.iter().sum();
        if sum <= 0.0 {
            continue;
        }
        let value = sum / values.len() as f64 * scale;
        observation.report((STREAM, class), figure, Written::exact(value), None);
        let gauge = match figure == Reported::OPS_PER_S {
            true => format!("{}_ops_per_s", class.name()),
            false => format!("{}_bytes_per_s", class.name()),
        };
        series(observation, rows, &column, &gauge, scale)?;
    }
    Ok(())
}

/// Means are weighted by their counts and maxima are taken; percentiles of intervals cannot be
/// added, so they are those of a single interval.
fn latencies(
    observation: &mut Observation,
    rows: &[IobRow<'_>],
    (class, short): (Class, &str),
    found: &mut ImportedFile,
) -> Result<()> {
    let (mut count, mut total, mut max, mut seconds) = (0.0, 0.0, 0.0f64, 0.0);
    let mut counted = true;
    for row in rows {
        seconds += row.number("timeDiff")?.unwrap_or(0.0);
        let n = row.number(&format!("{short}cnt"))?;
        let mean = row.number(&format!("{short}avg"))?;
        let (Some(n), Some(mean)) = (n, mean) else {
            counted = false;
            continue;
        };
        count += n;
        total += n * mean;
        let own = row.number(&format!("{short}max"))?.unwrap_or(0.0);
        if n > 0.0 && own < NONE {
            max = max.max(own);
        }
    }
    if !counted || count <= 0.0 {
        return Ok(());
    }
    let of = (STREAM, class);
    let samples = Some(count as u64);
    if seconds > 0.0 {
        observation.report(of, Reported::OPS_PER_S, Written::exact(count / seconds), samples);
    }
    observation.report(of, "mean_ns", Written::exact(total / count * 1e3), samples);
    observation.report(of, "max_ns", Written::exact(max * 1e3), samples);
    if let [one] = rows {
        for (end, name) in PERCENTILES {
            if let Some(us) = one.number(&format!("{short}{end}"))?.filter(|us| *us < NONE) {
                observation.report(of, name, Written::exact(us * 1e3), samples);
            }
        }
        return Ok(());
    }
    found.note(format!(
        "percentiles of {}s are left out: iob prints them for each of {} intervals, and they \
         cannot be added",
        class.name(),
        rows.len()
    ));
    Ok(())
}
