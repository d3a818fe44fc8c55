//! The output of the shared model: steps, axes and repeats, independent of the order of the files.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ALL, ImportedFrom, Input, import};
use dyno_core::store::Bundle;

/// A point as found by a reader of the bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub subject: String,
    pub step: String,
    pub title: String,
    pub axis: Option<(String, f64)>,
    pub repeat: u32,
    pub load: BTreeMap<String, String>,
    pub threads: Option<u32>,
    pub depth: Option<u32>,
    pub window_s: Option<f64>,
    /// By stream, class and figure.
    pub figures: BTreeMap<String, f64>,
}

impl Row {
    /// A figure by class and name, of a row with one stream.
    #[track_caller]
    pub fn figure(&self, class: &str, name: &str) -> f64 {
        let found = self.figures.iter().find(|(key, _)| key.ends_with(&format!("/{class}/{name}")));
        *found.unwrap_or_else(|| panic!("no {name} of {class} in {:?}", self.figures)).1
    }

    pub fn has(&self, class: &str) -> bool {
        self.figures.keys().any(|key| key.contains(&format!("/{class}/")))
    }
}

/// A bundle's points, and the notes of its import.
pub struct Made {
    pub rows: Vec<Row>,
    pub notes: Vec<String>,
}

impl Made {
    #[track_caller]
    pub fn row(&self, subject: &str, step: &str) -> &Row {
        let own = self.rows.iter().find(|r| r.subject == subject && r.step == step);
        let steps: Vec<&String> = self.rows.iter().map(|r| &r.step).collect();
        own.unwrap_or_else(|| panic!("no {step} of {subject} among {steps:?}"))
    }

    #[track_caller]
    pub fn only(&self) -> &Row {
        assert_eq!(self.rows.len(), 1, "{:?}", self.rows);
        &self.rows[0]
    }

    #[track_caller]
    pub fn says(&self, words: &str) {
        assert!(self.notes.iter().any(|n| n.contains(words)), "{words} not in {:?}", self.notes);
    }
}

/// "A" or "A/step", file, text.
pub type File<'a> = (&'a str, &'a str, String);

pub fn try_make(
    kind: &str,
    files: &[File<'_>],
    mapping: Option<&str>,
) -> dyno_core::base::error::Result<Made> {
    let format = ALL.iter().find(|format| format.info().name == kind).expect("a format");
    let mut found = Vec::new();
    for (named, file, text) in files {
        let mapping = mapping.map(|text| ("mapping.toml", text));
        let contents = format.read(&Input::new(file, text, mapping))?;
        let (subject, step) = match named.split_once('/') {
            Some((subject, step)) => (subject.to_string(), Some(step.to_string())),
            None => (named.to_string(), None),
        };
        found.push(ImportedFrom { file: file.to_string(), subject, step, contents });
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("b.dyno");
    let notes = import(format, found, &path)?.notes;
    let bundle = Bundle::open(&path).expect("a bundle");
    let steps = bundle.run().plan.imported.clone().expect("imported").steps;
    let reported = bundle.reported().expect("figures");
    let mut rows = Vec::new();
    for stored in bundle.points().expect("points") {
        let point = stored.point;
        let step = steps.iter().find(|s| s.name == point.key.step).expect("its step");
        let mut figures = BTreeMap::new();
        for r in reported.get(&stored.id).into_iter().flatten() {
            figures.insert(format!("{}/{}/{}", r.stream, r.class.name(), r.name), r.value);
        }
        for cell in &point.cells {
            for tally in &cell.tallies {
                let of = format!("{}/{}", cell.stream, tally.class.name());
                figures.insert(format!("{of}/ops"), tally.ops as f64);
                figures.insert(format!("{of}/misses"), tally.misses as f64);
                figures.insert(format!("{of}/given_up"), tally.given_up as f64);
            }
        }
        let axis = point.key.axis.as_ref();
        rows.push(Row {
            subject: point.key.subject.clone(),
            step: point.key.step.clone(),
            title: step.title.clone(),
            axis: axis.map(|axis| (axis.name.clone(), axis.value.as_f64())),
            repeat: point.key.repeat,
            load: step.load.clone(),
            threads: point.cells.first().and_then(|cell| cell.threads),
            depth: point.cells.first().and_then(|cell| cell.depth),
            window_s: point.window_ns.map(|ns| ns as f64 / 1e9),
            figures,
        });
    }
    Ok(Made { rows, notes })
}

#[track_caller]
pub fn make(kind: &str, files: &[File<'_>]) -> Made {
    try_make(kind, files, None).unwrap_or_else(|e| panic!("{e:#}"))
}

/// One direction of a fio job.
pub fn side(ops: u64, ms: u64, size: u64, mean_ns: u64) -> Value {
    let latency = match mean_ns {
        0 => json!({"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}),
        mean => json!({"min": mean / 2, "max": mean * 3, "mean": mean as f64, "stddev": 1.0,
            "N": ops, "percentile": {"50.000000": mean, "99.000000": mean * 2}}),
    };
    json!({"io_bytes": ops * size, "runtime": ms, "total_ios": ops,
        "iops": ops as f64 * 1e3 / ms.max(1) as f64, "clat_ns": latency})
}

/// A job of fio with its options and directions.
pub fn job(name: &str, options: Value, sides: &[(&str, Value)]) -> Value {
    let mut job = json!({"jobname": name, "groupid": 0, "error": 0, "job options": options});
    for direction in ["read", "write", "trim"] {
        job[direction] = side(0, 0, 0, 0);
    }
    for (direction, side) in sides {
        job[*direction] = side.clone();
    }
    job
}

pub fn fio(global: Value, jobs: &[Value]) -> String {
    json!({"fio version": "fio-3.36", "timestamp_ms": 1_700_000_000_000_u64,
        "global options": global, "jobs": jobs})
    .to_string()
}

/// A file with one job of random reads.
fn reads(options: &[(&str, String)], ops: u64) -> String {
    let mut all = json!({"rw": "randread", "bs": "4k", "ioengine": "libaio"});
    for (key, value) in options {
        all[*key] = json!(value);
    }
    fio(json!({}), &[job("test", all, &[("read", side(ops, 1000, 4096, 100_000))])])
}

#[test]
fn one_field_that_differs_is_the_axis_and_several_are_steps_with_one() {
    let mut files = Vec::new();
    for depth in [1, 4, 32] {
        for jobs in [1, 8] {
            let options = [("iodepth", depth.to_string()), ("numjobs", jobs.to_string())];
            files.push(("A", "a.json", reads(&options, 1000 * depth * jobs)));
        }
    }
    let made = make("fio", &files);
    let places: Vec<(&str, Option<f64>, u32)> = made
        .rows
        .iter()
        .map(|r| (r.step.as_str(), r.axis.as_ref().map(|a| a.1), r.repeat))
        .collect();
    let expected: Vec<(&str, Option<f64>, u32)> = ["test, threads 1", "test, threads 8"]
        .into_iter()
        .flat_map(|step| [1.0, 4.0, 32.0].map(|depth| (step, Some(depth), 1)))
        .collect();
    assert_eq!(places, expected);
    assert_eq!(made.rows[4].figure("read", "ops_per_s"), 32_000.0, "8 jobs at depth 4");
}

#[test]
fn every_option_of_a_load_keeps_files_apart_and_what_only_names_or_logs_does_not() {
    let first = || ("A", "a.json", reads(&[], 1000));
    for (key, value) in [
        ("bs", "64k"),
        ("rw", "randwrite"),
        ("iodepth", "2"),
        ("numjobs", "2"),
        ("size", "1g"),
        ("rate_iops", "500"),
        ("rate", "1m"),
        ("ioengine", "io_uring"),
        ("direct", "1"),
        ("fsync", "1"),
        ("runtime", "3600"),
        ("random_distribution", "zipf:1.2"),
        ("thinktime", "100"),
        ("hipri", "1"),
    ] {
        let other = ("A", "b.json", reads(&[(key, value.to_string())], 2000));
        let made = make("fio", &[first(), other]);
        assert!(made.rows.iter().all(|row| row.repeat == 1), "{key}: {:?}", made.rows);
    }
    for (key, value) in [("filename", "/dev/x"), ("write_bw_log", "l"), ("randseed", "7")] {
        let other = ("A", "b.json", reads(&[(key, value.to_string())], 2000));
        let made = make("fio", &[first(), other]);
        assert_eq!(made.rows.iter().map(|r| r.repeat).max(), Some(2), "{key}");
    }
}

#[test]
fn subjects_with_unequal_loads_share_no_point_and_both_values_are_named() {
    let block = |size: &str| reads(&[("bs", size.to_string())], 1000);
    let made = make("fio", &[("A", "a.json", block("4k")), ("B", "b.json", block("64k"))]);
    let steps: Vec<&str> = made.rows.iter().map(|r| r.step.as_str()).collect();
    assert_eq!(steps, ["test, block 4 KiB", "test, block 64 KiB"]);
    made.says("not compared in test: block is 4 KiB of A, 64 KiB of B");
}

#[test]
fn a_run_is_no_repeat_of_itself() {
    let own = reads(&[], 1000);
    let files = [("A", "a1.json", own.clone()), ("A", "a2.json", own)];
    let error = try_make("fio", &files, None).err().expect("refused");
    assert!(format!("{error:#}").contains("a1.json and a2.json are the same run"), "{error:#}");
}

#[test]
fn a_step_is_named_on_the_command_line_or_by_its_load_if_the_source_names_a_device() {
    let of = |name: &str, ops: u64| {
        let options = json!({"rw": "randread", "bs": "4k"});
        fio(json!({}), &[job(name, options, &[("read", side(ops, 1000, 4096, 100_000))])])
    };
    let named = [("A/cold", "a.json", of("x", 1000)), ("B/cold", "b.json", of("y", 2000))];
    let made = make("fio", &named);
    assert!(made.rows.iter().all(|row| row.step == "cold"));
    for names in [["/dev/nvme0n1", "/dev/nvme1n1"], ["drive-one", "drive-two"]] {
        let [a, b] = names;
        let made = make("fio", &[("A", "a.json", of(a, 1000)), ("B", "b.json", of(b, 2000))]);
        assert!(made.rows.iter().all(|row| row.step == "randread"), "{:?}", made.rows);
        made.says("is named by its load: randread");
    }
}

/// Indices of depth, block, jobs and pattern.
type LoadIndices = (u8, u8, u8, u8);

/// A load of a few values of each field.
fn loads() -> impl Strategy<Value = LoadIndices> {
    (0u8..3, 0u8..3, 0u8..2, 0u8..2)
}

fn file_of((depth, block, jobs, pattern): LoadIndices, ops: u64) -> String {
    let options = [
        ("iodepth", (1u32 << depth).to_string()),
        ("bs", format!("{}k", 4u32 << block)),
        ("numjobs", (1u32 << jobs).to_string()),
        ("rw", ["randread", "read"][usize::from(pattern)].to_string()),
    ];
    reads(&options, ops)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Shuffled and renamed files give the same points, and unequal loads never share one.
    #[test]
    fn the_order_and_names_of_files_do_not_matter(
        all in prop::collection::vec((0usize..2, loads()), 1..9),
        keys in prop::collection::vec(any::<u32>(), 9),
    ) {
        let subjects = ["A", "B"];
        let file = |(i, (subject, load)): (usize, &(usize, LoadIndices))| {
            (subjects[*subject], "f.json", file_of(*load, 1000 + i as u64))
        };
        let files: Vec<File<'_>> = all.iter().enumerate().map(file).collect();
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by_key(|i| keys[*i]);
        let shuffled: Vec<File<'_>> =
            order.iter().map(|i| (files[*i].0, "other.json", files[*i].2.clone())).collect();
        let sorted = |made: Made| {
            let mut rows = made.rows;
            rows.sort_by_key(|r| format!("{r:?}"));
            rows
        };
        let (own, other) = (sorted(make("fio", &files)), sorted(make("fio", &shuffled)));
        prop_assert_eq!(&own, &other);
        prop_assert_eq!(own.len(), files.len());
        // The rate identifies the file of a point.
        let mut places: BTreeMap<String, BTreeSet<LoadIndices>> = BTreeMap::new();
        for row in &own {
            let at = row.figure("read", "ops_per_s") as usize - 1000;
            let place = format!("{} {:?}", row.step, row.axis);
            places.entry(place).or_default().insert(all[at].1);
            prop_assert_eq!(row.subject.as_str(), subjects[all[at].0]);
        }
        for (place, loads) in places {
            prop_assert_eq!(loads.len(), 1, "{} has {:?}", place, loads);
        }
    }
}
