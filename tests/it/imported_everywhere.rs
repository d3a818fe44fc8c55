//! No importer gives a number that is not in its source: each figure of an imported point is a
//! number of the file in another unit, or the product or quotient of two of them. The files are the
//! seeds of the fuzz targets, one or more for each importer.

use std::path::Path;

use crate::support::{DYNO, run_well};

/// Importers whose figures are not products of two numbers of the file.
const OTHERS: [(&str, &str); 2] = [
    ("csv", "its cells are walked in imported_numbers"),
    ("fio_log", "sums and percentiles over all lines; computed again in its unit tests"),
];

/// Columns of figures.
const FIGURES: [&str; 10] = [
    "value",
    "threads",
    "depth",
    "ops",
    "ops_per_s",
    "bytes_per_s",
    "misses",
    "given_up",
    "drive_watts",
    "window_ns",
];

fn is_figure(column: &str) -> bool {
    let latency = column.starts_with("service_") || column.starts_with("response_");
    // The bounds of a bucket follow from the tool's rule for buckets.
    FIGURES.contains(&column)
        || latency && !column.ends_with("low_ns") && !column.ends_with("high_ns")
}

/// The numbers of a text, sorted.
fn numbers(text: &str) -> Vec<f64> {
    let mut all = vec![1.0];
    let is_part = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    for word in text.split(|c: char| !is_part(c)) {
        all.extend(word.split(',').filter_map(|part| part.trim_matches('.').parse::<f64>().ok()));
        // A comma may separate thousands.
        let groups: Vec<&str> = word.split(',').collect();
        if groups.len() > 1 && groups[1..].iter().all(|group| group.len() >= 3) {
            all.extend(groups.concat().parse::<f64>());
        }
    }
    all.retain(|number| *number > 0.0);
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// Factors between units: powers of ten and of 1,024, minutes.
fn units() -> Vec<f64> {
    let tens = (-9..10).map(|power| 10f64.powi(power));
    let binary = (1..4).flat_map(|power| [1024f64.powi(power), 1024f64.powi(-power)]);
    tens.chain(binary).chain([60.0, 60e9, 1.0 / 60.0, 4096.0]).collect()
}

/// Whether a number is one of the source's in another unit, or made of two of them.
fn is_of(source: &[f64], units: &[f64], value: f64) -> bool {
    // Counts and nanoseconds are rounded to whole numbers.
    let rounding = if value >= 1000.0 && value.fract() == 0.0 { 0.5 / value } else { 0.0 };
    let within = 1e-9 + rounding;
    let has = |number: f64| {
        let from = source.partition_point(|known| *known < number * (1.0 - within));
        source.get(from).is_some_and(|known| *known <= number * (1.0 + within))
    };
    value == 0.0
        || units.iter().any(|unit| {
            let plain = value / unit;
            has(plain) || source.iter().any(|known| has(known / plain) || has(plain / known))
        })
}

/// The figures of an imported file that are not of it, and the number of all.
fn invented(dir: &Path, kind: &str, file: &Path) -> (Vec<String>, usize) {
    let text = String::from_utf8_lossy(&std::fs::read(file).expect("read")).into_owned();
    let source = numbers(&text);
    let units = units();
    let dyno = || {
        let mut command = std::process::Command::new(DYNO);
        command.current_dir(dir);
        command
    };
    let _ = std::fs::remove_file(dir.join("b.dyno"));
    run_well(dyno().args(["import", kind]).arg(file).args(["-o", "b.dyno"]));
    let csv = run_well(dyno().args(["export", "b.dyno"]));
    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = rows.next().expect("a head");
    let (mut found, mut all) = (Vec::new(), 0);
    for row in rows {
        for (column, cell) in head.iter().zip(&row).filter(|(column, _)| is_figure(column)) {
            // The maximum of a load has no number.
            let Some(value) = cell.parse().ok().filter(|value: &f64| value.is_finite()) else {
                continue;
            };
            all += 1;
            // Percentiles of JSON+ are of its bins, whose width is a 64th.
            let bins = text.contains("\"bins\"") && column.starts_with("service_p");
            if !bins && !is_of(&source, &units, value) {
                found.push(format!("{kind}: {column} = {cell}"));
            }
        }
    }
    (found, all)
}

#[test]
fn every_importer_gives_only_numbers_that_its_source_has_or_that_follow_from_two_of_them() {
    let dir = tempfile::tempdir().expect("a folder");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let mut figures = 0;
    for format in dyno::import::ALL.iter() {
        let kind = format.info().name;
        if OTHERS.iter().any(|(name, _)| *name == kind) {
            continue;
        }
        let files = std::fs::read_dir(corpus.join(kind));
        let files = files.unwrap_or_else(|error| panic!("a file for {kind}: {error}"));
        for file in files.flatten() {
            let (found, all) = invented(dir.path(), kind, &file.path());
            assert!(found.is_empty(), "{}: {found:?}", file.path().display());
            assert!(all > 0, "{}", file.path().display());
            figures += all;
        }
    }
    eprintln!("{figures} figures");
    assert!(figures > 200, "{figures}");
}

#[test]
fn invented_figures_are_not_made_of_two_numbers_by_chance() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let text = std::fs::read_to_string(corpus.join("pgbench/pgbench")).expect("read");
    let (source, units) = (numbers(&text), units());
    assert!(is_of(&source, &units, 9_521_000.0), "the latency of the source");
    for invented in [9_523_000.0, 211.060336, 417.0, 123_456.7] {
        assert!(!is_of(&source, &units, invented), "{invented}");
    }
}
