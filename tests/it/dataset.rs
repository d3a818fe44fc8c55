//! A dataset of many bundles: the queries of docs/dataset.md give the same as Dyno for the same
//! bundles; and a dataset of thousands of bundles is created in bounded time and memory.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use crate::many::{self, MODELS};
use crate::recipes::python;
use crate::support::{DYNO, dyno, dyno_well, said, size};
use crate::web::serve;

/// Runs all SQL of a page, and prints the result of every query except definitions, by its heading.
const RUN: &str = r###"
import json, re, sys
import duckdb
duckdb.execute("set enable_progress_bar = false")
found, heading = {}, ""
for part in re.finditer(r"^### (.*?)$|^```sql\n(.*?)^```", open(sys.argv[1]).read(), re.S | re.M):
    if part.group(1):
        heading = part.group(1)
        continue
    for statement in duckdb.extract_statements(part.group(2)):
        result = duckdb.execute(statement)
        if statement.type != duckdb.StatementType.SELECT:
            continue
        names = [column[0] for column in result.description]
        rows = [dict(zip(names, row)) for row in result.fetchall()]
        found.setdefault(heading, []).append(rows)
tables = duckdb.sql("select distinct model, firmware, month from points").fetchall()
counts = "select count(*), count(distinct run), count(distinct host) from points"
counts = duckdb.sql(counts).fetchall()
print(json.dumps({"found": found, "partitions": tables, "counts": counts[0]}))
"###;

/// Peak memory of this process's children, bytes.
fn most_memory_of_children() -> i64 {
    // SAFETY: getrusage writes to the given struct, for which all zeroes are valid.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage), 0);
        usage.ru_maxrss * 1024
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// Far closer than printed values.
#[track_caller]
fn same(sql: &Value, dyno: &Value, what: &str) {
    let (sql, dyno) = (number(sql), number(dyno));
    assert!((sql / dyno - 1.0).abs() < 1e-9, "{what}: {sql} in SQL, {dyno} in Dyno");
}

/// For one bundle and depth, a row of a query.
fn row<'a>(rows: &'a Value, bundle: &str, depth: f64) -> &'a Value {
    let all = rows.as_array().expect("rows");
    let found = all.iter().find(|r| r["bundle"] == bundle && number(&r["value"]) == depth);
    found.unwrap_or_else(|| panic!("no {bundle} at {depth} in {} rows", all.len()))
}

#[test]
fn thousands_of_bundles_become_a_dataset_from_which_sql_gives_dynos_own_estimates() {
    let Some(python) = python() else { return };
    let folder = crate::made::folder();
    let dir = folder.path();
    let count = size(100, 10_000);
    std::fs::create_dir(dir.join("results")).expect("a folder");
    many::write(&dir.join("results"), count);
    let begun = Instant::now();
    let export = ["export", "results", "--partition", "-o", "dataset"];
    let told = dyno_well(dir, &export);
    let (took, memory) = (begun.elapsed(), most_memory_of_children());
    println!("{count} bundles: {took:?}, {} MB: {told}", memory >> 20);
    // Five times the promise for two idle cores.
    if count == 10_000 {
        assert!(took.as_secs() < 5 * 300, "{took:?}");
    }
    assert!(memory < 1 << 30, "{memory} bytes");
    let again = dyno_well(dir, &export);
    assert!(again.starts_with("0 bundles added"), "{again}");

    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/dataset.md");
    let ran = Command::new(python).current_dir(dir).args(["-c", RUN, page]).output().expect("ran");
    assert!(ran.status.success(), "{}", said(&ran));
    let answer: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    // Two depths, five repeats, one class.
    assert_eq!(answer["counts"], serde_json::json!([10 * count, count, 4]));
    let keys: std::collections::BTreeSet<String> = answer["partitions"]
        .as_array()
        .expect("partitions")
        .iter()
        .map(|row| format!("{} {}", row[0].as_str().expect("text"), row[1].as_str().expect("text")))
        .collect();
    let expected = MODELS.iter().map(|m| format!("{} {}", m.name, m.firmware)).collect();
    assert_eq!(keys, expected, "names as they were, and firmware as text");
    estimates(dir, &answer["found"]);
    models(dir, &answer["found"], count);
}

/// Levels, percentiles and a ratio, as in `dyno show` and `dyno compare`.
fn estimates(dir: &Path, found: &Value) {
    for bundle in ["00000.dyno", "00002.dyno", "00031.dyno"] {
        let path = format!("results/{bundle}");
        let shown: Value =
            serde_json::from_str(&dyno_well(dir, &["show", &path, "--json"])).expect("JSON");
        for point in shown["steps"][0]["points"].as_array().expect("points") {
            let depth = number(&point["value"]);
            let ops = row(&found["ops/s and MB/s, with 95 % intervals"][0], bundle, depth);
            let p99 = row(&found["Percentiles from summed histograms"][0], bundle, depth);
            let total = &point["total"];
            let latency = &total["classes"][0]["service"]["percentiles_ns"]["p99"];
            for (sql, name, dyno) in
                [(ops, "ops_per_s", &total["ops_per_s"]), (p99, "p99_ns", latency)]
            {
                same(&sql[name], &dyno["value"], name);
                same(&sql["low"], &dyno["low"], name);
                same(&sql["high"], &dyno["high"], name);
            }
        }
    }
    let pair = ["compare", "results/00000.dyno", "results/00002.dyno", "--json", "--vary", "host"];
    let compared: Value = serde_json::from_str(&dyno_well(dir, &pair)).expect("JSON");
    let all = compared["comparisons"].as_array().expect("comparisons");
    let of = |c: &&Value| c["metric"] == "ops/s" && c["at"] == "8";
    let dyno = all.iter().find(of).unwrap_or_else(|| panic!("{compared:#}"));
    let of = |r: &&Value| r["subject"] == "D00000" && r["other"] == "D00002" && r["value"] == 8.0;
    let sql = found["Ratios"][0].as_array().expect("rows").iter().find(of).expect("the pair");
    let ratio = number(&sql["ratio"]);
    same(&ratio.max(1.0 / ratio).into(), &dyno["factor"][0], "ratio");
}

/// The generator's truth: the models' true ratio is in its interval, and drives and repeats have
/// their given scatter.
fn models(dir: &Path, found: &Value, count: usize) {
    let of_models = &found["Models and components of variance"];
    let ratio = of_models[0].as_array().expect("rows").iter().find(|r| r["value"] == 8.0);
    let ratio = ratio.unwrap_or_else(|| panic!("{of_models:#}"));
    assert_eq!(number(&ratio["drives"]) as usize, count - count / 3);
    let truth = 40_200.0 / 30_000.0;
    let near = number(&ratio["low"]) * 0.99 < truth && truth < number(&ratio["high"]) * 1.01;
    assert!(near, "{ratio:#}");
    let mut scatter: BTreeMap<&str, f64> = BTreeMap::new();
    for row in of_models[1].as_array().expect("rows") {
        for name in ["between_drives", "between_repeats"] {
            *scatter.entry(name).or_default() += number(&row[name]) / 4.0;
        }
    }
    let near = |name: &str, truth: f64| (scatter[name] / truth - 1.0).abs() < 0.35;
    assert!(
        near("between_drives", 0.02) && near("between_repeats", 0.01),
        "{scatter:?} in {dir:?}"
    );
}

#[test]
fn a_dataset_is_compared_reported_and_merged_as_the_bundles_that_it_was_made_of() {
    let folder = crate::made::folder();
    let dir = folder.path();
    std::fs::create_dir(dir.join("results")).expect("a folder");
    many::write(&dir.join("results"), 30);
    dyno_well(dir, &["export", "results/00000.dyno", "--partition", "-o", "one"]);
    dyno_well(dir, &["export", "results", "--partition", "-o", "dataset"]);
    let merged = dyno_well(dir, &["export", "one", "dataset", "--partition", "-o", "merged"]);
    assert!(merged.starts_with("30 bundles added"), "{merged}");
    // The original is no longer needed.
    std::fs::rename(dir.join("results"), dir.join("before")).expect("moved away");
    for command in [
        vec!["compare", "--vary", "host", "--json"],
        vec!["claims", "--vary", "host"],
        vec!["show", "--json"],
        vec!["report", "--vary", "host", "-o", "brief.md"],
    ] {
        let said = |of: &str| {
            let said = dyno_well(dir, &[&command[..1], &[of], &command[1..]].concat());
            match command[0] {
                "report" => std::fs::read_to_string(dir.join("brief.md")).expect("a brief"),
                _ => said,
            }
        };
        let bundles = said("before");
        assert!(bundles.len() > 100, "{bundles}");
        assert_eq!(said("dataset"), bundles, "{command:?}");
        assert_eq!(said("merged"), bundles, "{command:?}");
    }
    let listed: Value =
        serde_json::from_str(&dyno_well(dir, &["catalogue", "merged", "--json"])).expect("JSON");
    assert_eq!(listed["bundles"].as_array().map(Vec::len), Some(30), "{listed:#}");
    let page = serve(&dir.join("merged")).page("/");
    assert!(page.contains("00000.dyno"), "{page}");
}

#[test]
fn a_bundle_that_was_cut_short_or_broken_is_named_and_the_others_are_added() {
    let folder = crate::made::folder();
    let dir = folder.path();
    std::fs::create_dir(dir.join("results")).expect("a folder");
    many::write(&dir.join("results"), 3);
    std::fs::write(dir.join("results/broken.dyno"), "no bundle").expect("written");
    let cut = rusqlite::Connection::open(dir.join("results/00001.dyno")).expect("a bundle");
    cut.execute("DELETE FROM point WHERE id = 10", []).expect("cut short");
    drop(cut);
    let out = dyno(dir, &["export", "results", "--partition", "-o", "dataset"]);
    let text = said(&out);
    assert_eq!(out.status.code(), Some(2), "{text}");
    assert!(text.contains("2 bundles added"), "{text}");
    assert!(text.contains("00001.dyno: its run was cut short; resume it"), "{text}");
    assert!(text.contains("broken.dyno: "), "{text}");
    let out = dyno(dir, &["export", "results", "--partition", "--table", "points"]);
    assert_eq!(out.status.code(), Some(64), "{}", said(&out));
}

#[test]
fn an_addition_that_is_killed_leaves_whole_bundles_and_the_next_adds_the_rest() {
    let folder = crate::made::folder();
    let dir = folder.path();
    std::fs::create_dir(dir.join("results")).expect("a folder");
    let count = size(40, 2_000);
    many::write(&dir.join("results"), count);
    let export = ["export", "results", "--partition", "-o", "dataset"];
    for kill in 0..size(3, 20) {
        let mut child = Command::new(DYNO).current_dir(dir).args(export).spawn().expect("started");
        // The time of the kill is under test.
        std::thread::sleep(std::time::Duration::from_millis(5 + 37 * kill));
        let _ = child.kill();
        child.wait().expect("ended");
    }
    dyno_well(dir, &export);
    let again = dyno_well(dir, &export);
    let expected = format!("0 bundles added (0 rows), {count} already in dataset");
    assert!(again.replace(',', "").starts_with(&expected.replace(',', "")), "{again}");
    let names = std::fs::read_dir(dir.join("dataset")).expect("a dataset").flatten();
    for name in names.map(|entry| entry.file_name().to_string_lossy().into_owned()) {
        assert!(name.starts_with("batch=") || name == "_dataset.json", "{name}");
    }
}
