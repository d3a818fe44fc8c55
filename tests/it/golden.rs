//! Bundles measured by earlier versions (tests/golden) open with every command that reads bundles,
//! and the numbers are those printed by the earlier version.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::GzDecoder;

use crate::support::{DYNO, said};

/// A bundle from an older version.
struct Golden {
    /// As "2026-11-22/once".
    name: String,
    /// The path of the inflated bundle, without other files next to it.
    folder: tempfile::TempDir,
    /// The bundle's file in that folder.
    file: String,
    /// The older version's output: NAME.csv and NAME.txt.
    printed: PathBuf,
}

impl Golden {
    fn of(path: &Path) -> Golden {
        let stem = path.file_name().unwrap().to_str().unwrap().trim_end_matches(".dyno.gz");
        let version = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let (folder, file) = (tempfile::tempdir().unwrap(), format!("{stem}.dyno"));
        let mut bytes = Vec::new();
        GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
        std::fs::write(folder.path().join(&file), bytes).unwrap();
        Golden {
            name: format!("{version}/{stem}"),
            folder,
            file,
            printed: path.with_file_name(stem),
        }
    }

    /// A command's output for the bundle; it must succeed.
    #[track_caller]
    fn dyno(&self, args: &[&str]) -> String {
        let out = Command::new(DYNO).current_dir(self.folder.path()).args(args).output().unwrap();
        assert!(out.status.success(), "{}: dyno {args:?}: {}", self.name, said(&out));
        String::from_utf8(out.stdout).unwrap()
    }
}

fn bundles() -> Vec<Golden> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let entries = |folder: &Path| {
        std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let files = entries(&golden)
        .into_iter()
        .filter(|path| path.is_dir())
        .flat_map(|folder| entries(&folder));
    let all: Vec<Golden> = files
        .filter(|path| path.extension().is_some_and(|e| e == "gz"))
        .map(|path| Golden::of(&path))
        .collect();
    assert!(all.len() >= 8, "only {} bundles in tests/golden", all.len());
    all
}

#[test]
fn every_command_that_reads_bundles_opens_those_of_older_versions() {
    for golden in bundles() {
        let (name, file) = (&golden.name, golden.file.as_str());
        for command in ["show", "compare", "claims"] {
            assert!(
                !golden.dyno(&[command, file]).trim().is_empty(),
                "{name}: {command} printed nothing"
            );
        }
        let claims = golden.dyno(&["claims", file, "--json"]);
        assert!(serde_json::from_str::<serde_json::Value>(&claims).is_ok(), "{name}: {claims}");
        for form in ["brief.html", "brief.md", "brief.pdf"] {
            golden.dyno(&["report", file, "-o", form]);
            assert!(
                golden.folder.path().join(form).metadata().unwrap().len() > 1000,
                "{name}: {form}"
            );
        }
        for table in dyno::export::TABLES.iter() {
            let rows = golden.dyno(&["export", file, "--table", table.name()]);
            assert!(rows.lines().count() >= 1, "{name}: {}", table.name());
        }
    }
}

/// A CSV as rows by column name. The bundle's own name and sentences are not numbers.
fn rows(csv: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let head = reader.headers().unwrap().clone();
    let row = |record: csv::StringRecord| {
        head.iter().zip(&record).map(|(n, v)| (n.into(), v.into())).collect()
    };
    reader.records().map(|record| row(record.unwrap())).collect()
}

/// The same text, or the same number to the digits written then.
fn same(now: &str, before: &str) -> bool {
    let decimals = before.split_once('.').map_or(0, |(_, digits)| digits.len());
    let half = 0.5 * 10f64.powi(-(decimals as i32));
    let numbers = now.parse::<f64>().ok().zip(before.parse::<f64>().ok());
    now == before || numbers.is_some_and(|(now, before)| (now - before).abs() <= half)
}

/// Columns with a verdict and its sentence: rules have improved since, and apply to old bundles
/// too.
const JUDGED: [&str; 2] = ["limited_by", "because"];

#[test]
fn exported_points_of_older_bundles_have_the_numbers_that_the_older_version_exported() {
    let mut compared = 0;
    for golden in bundles() {
        let name = &golden.name;
        let mut now = rows(&golden.dyno(&["export", &golden.file]));
        // Reads and writes together had no row then.
        now.retain(|row| row.get("class").is_none_or(|class| class != "all"));
        let before = rows(&std::fs::read_to_string(golden.printed.with_extension("csv")).unwrap());
        assert_eq!(now.len(), before.len(), "{name}: rows");
        for (now, before) in now.iter().zip(&before) {
            for (column, value) in
                before.iter().filter(|(column, _)| !JUDGED.contains(&column.as_str()))
            {
                let today = now.get(column).or_else(|| now.get(&format!("service_{column}")));
                let today = today.map(String::as_str).unwrap_or("no such column");
                assert!(
                    same(today, value),
                    "{name}: {column} is {today}, was {value}, of {before:?}"
                );
                compared += usize::from(value.parse::<f64>().is_ok());
            }
        }
    }
    assert!(compared > 500, "only {compared} numbers were compared");
}

/// Units of times, in nanoseconds.
const UNITS: [(&str, f64); 4] = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];

fn unit(word: &str) -> Option<f64> {
    UNITS.iter().find(|(name, _)| *name == word).map(|(_, ns)| *ns)
}

fn number(word: &str) -> Option<f64> {
    word.replace(',', "").parse().ok()
}

/// The numbers of an older row, and separately its times, which had units: nanoseconds, and half of
/// the last digit.
fn older(line: &str) -> (Vec<&str>, Vec<(f64, f64)>) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (mut plain, mut times) = (Vec::new(), Vec::new());
    for (at, word) in words.iter().enumerate() {
        let Some(value) = number(word) else { continue };
        let decimals = word.split_once('.').map_or(0, |(_, digits)| digits.len());
        match words.get(at + 1).and_then(|next| unit(next)) {
            Some(ns) => times.push((value * ns, 0.5 * 10f64.powi(-(decimals as i32)) * ns)),
            None => plain.push(*word),
        }
    }
    (plain, times)
}

/// The units in a table's head, column by column: "mean, µs  p50, µs".
fn units(head: &str) -> Vec<f64> {
    let words: Vec<&str> = head.split_whitespace().collect();
    let pairs = words.windows(2).filter(|pair| pair[0].ends_with(','));
    pairs.filter_map(|pair| unit(pair[1])).collect()
}

/// Whether a row, whose last columns have these units, contains an older one's numbers and times in
/// this order.
fn has(row: &str, units: &[f64], (plain, times): &(Vec<&str>, Vec<(f64, f64)>)) -> bool {
    let words: Vec<&str> = row.split_whitespace().collect();
    let (left, right) = words.split_at(words.len().saturating_sub(units.len()));
    let mut left = left.iter();
    // A time is now printed to a tenth of its unit at least, or to the unit if its interval leaves
    // no more.
    let fine = |word: &str| if word.contains('.') { 0.051 } else { 0.51 };
    let mut right =
        right.iter().zip(units).filter_map(|(w, ns)| Some((number(w)? * ns, ns * fine(w))));
    plain.iter().all(|number| left.any(|word| word == number))
        && times.iter().all(|(ns, half)| right.any(|(own, fine)| (own - ns).abs() <= half + fine))
}

#[test]
fn tables_of_older_bundles_show_the_numbers_that_the_older_version_showed() {
    let mut compared = 0;
    for golden in bundles() {
        let name = &golden.name;
        // For repeats the level is now a geometric mean (docs/claims.md); for single ones the
        // measured value.
        let Ok(before) = std::fs::read_to_string(golden.printed.with_extension("txt")) else {
            continue;
        };
        let now = golden.dyno(&["show", &golden.file]);
        for line in
            before.lines().filter(|line| line.contains(" read ") || line.contains(" write "))
        {
            let wanted = older(line);
            let count = wanted.0.len() + wanted.1.len();
            if count >= 3 {
                let mut own = Vec::new();
                let found = now.lines().any(|row| {
                    let named = units(row);
                    if !named.is_empty() {
                        own = named;
                    }
                    has(row, &own, &wanted)
                });
                assert!(found, "{name}: {line}\n{now}");
                compared += count;
            }
        }
    }
    assert!(compared > 50, "only {compared} numbers were compared");
}
