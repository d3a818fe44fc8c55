//! Percentiles are shown where at least 100 samples lie above them, in every form of a result:
//! p99.999 from ten million ops on.

use std::path::Path;

use crate::made::{self, Figures};
use crate::support::dyno_well;

/// The fewest ops that bear p99.999: 100 above it.
const FEWEST: f64 = 10_000_000.0;

const P99_NS: f64 = 100_000.0;

/// The histogram's last five thousandths, 3 × p99, as its bucket's upper end.
const LAST_NS: std::ops::RangeInclusive<f64> = 299_999.0..=300_300.0;

/// A bundle of a subject with these ops at its points.
fn bundle(dir: &Path, ops: [f64; 2]) {
    let step = made::step("reads", "sweep = { axis = \"io.depth\", values = [1, 2] }", "");
    let plan = made::plan(dir, &step, 1, 1);
    made::write(&dir.join("b.dyno"), &plan, &mut |key| {
        let first = key.axis.as_ref().is_some_and(|axis| axis.value.as_f64() < 1.5);
        let ops_per_s = if first { ops[0] } else { ops[1] };
        Some(Figures { ops_per_s, p99_ns: P99_NS, ..Figures::default() })
    });
}

/// The cells of a column of `dyno export`.
fn exported(dir: &Path, column: &str) -> Vec<String> {
    let csv = dyno_well(dir, &["export", "b.dyno"]);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let at = reader.headers().unwrap().iter().position(|name| name == column).unwrap();
    reader.records().map(|row| row.unwrap()[at].to_string()).collect()
}

/// The same percentile in `dyno show --json`.
fn shown(dir: &Path) -> Vec<Option<f64>> {
    let json = dyno_well(dir, &["show", "b.dyno", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    fn all(node: &serde_json::Value, found: &mut Vec<Option<f64>>) {
        match node {
            serde_json::Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                if name == "p99.999" {
                    found.push(value["value"].as_f64());
                }
                all(value, found);
            }),
            serde_json::Value::Array(items) => items.iter().for_each(|item| all(item, found)),
            _ => (),
        }
    }
    let mut found = Vec::new();
    all(&json, &mut found);
    found
}

/// The brief as Markdown and as HTML, and the terminal's table.
fn texts(dir: &Path) -> [String; 3] {
    let read = |name: &str| {
        dyno_well(dir, &["report", "b.dyno", "-o", name]);
        std::fs::read_to_string(dir.join(name)).unwrap()
    };
    [read("b.md"), read("b.html"), dyno_well(dir, &["show", "b.dyno"])]
}

#[test]
fn p99_999_is_shown_from_ten_million_ops_on() {
    let folder = made::folder();
    let dir = folder.path();
    bundle(dir, [FEWEST - 1.0, FEWEST]);
    let csv = exported(dir, "service_p99999_ns");
    assert!(csv[0].is_empty() && LAST_NS.contains(&csv[1].parse().unwrap()), "{csv:?}");
    // Of the whole point and of its stream.
    let json = shown(dir);
    let borne: Vec<f64> = json.iter().flatten().copied().collect();
    assert!(json.len() == 4 && borne.len() == 2, "{json:?}");
    assert!(borne.iter().all(|ns| LAST_NS.contains(ns)), "{json:?}");
    for text in texts(dir) {
        assert!(text.contains("p99.999"), "{text}");
    }
}

#[test]
fn p99_999_has_no_column_where_no_point_bears_it() {
    let folder = made::folder();
    let dir = folder.path();
    bundle(dir, [FEWEST - 1.0, FEWEST - 1.0]);
    assert_eq!(exported(dir, "service_p99999_ns"), ["", ""]);
    assert!(
        exported(dir, "service_p9999_ns").iter().all(|p| LAST_NS.contains(&p.parse().unwrap()))
    );
    assert_eq!(shown(dir), [None; 4]);
    for text in texts(dir) {
        assert!(text.contains("p99.99") && !text.contains("p99.999"), "{text}");
    }
}
