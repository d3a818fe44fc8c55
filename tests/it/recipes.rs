//! The queries of docs/export.md for DuckDB and Polars, on tables of a bundle with known figures;
//! and no table contains a folder of this machine.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{dyno_well, said, skip};

const PACKAGES: [&str; 2] = ["duckdb==2.0.0", "polars==2.1.0"];

/// The step is named as in the queries.
const PROTOCOL: &str = "title = \"Null\"\n[[step]]\nname = \"readrandom\"\nduration = \"1200ms\"\n\
    sweep = { axis = \"io.threads\", values = [1, 2] }\n[[step.stream]]\nname = \"io\"\n\
    engine = { kind = \"null\", latency = \"1ms\" }\nworkload = \"random\"\n";

/// Runs a page's first block of SQL and of Python; prints the result of each as JSON.
const RUN: &str = r###"
import contextlib, io, json, re, sys
import duckdb, polars
page = open(sys.argv[1]).read()
sql = re.search(r"## DuckDB\n\n```sql\n(.*?)```", page, re.S).group(1)
python = re.search(r"## Polars\n\n```python\n(.*?)```", page, re.S).group(1)
imports, _, query = python.partition("\n\n")
space = {}
exec(imports, space)
frame = eval(f"({query.strip()})", space)
tables = duckdb.sql("select count(*) from 'points.csv'").fetchall()[0]
tables += duckdb.sql("select count(*) from 'points.json'").fetchall()[0]
print(json.dumps({"sql": duckdb.sql(sql).fetchall(), "polars": frame.rows(), "counts": tables}))
"###;

/// A Python that has DuckDB and Polars.
pub fn python() -> Option<String> {
    python_with(&PACKAGES)
}

/// A Python that has these packages.
pub fn python_with(packages: &[&str]) -> Option<String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/python.sh");
    let made = Command::new(script).args(packages).output().expect("started");
    if !made.status.success() {
        skip(format!("{} could not be installed", packages.join(" and ")));
        return None;
    }
    Some(String::from_utf8(made.stdout).expect("a path").trim().to_string())
}

fn bundle(dir: &Path) {
    for name in ["x", "y"] {
        std::fs::create_dir(dir.join(name)).expect("a folder");
    }
    std::fs::write(dir.join("null.toml"), PROTOCOL).expect("written");
    let run = "run ./null.toml -s X=x -s Y=y,latency=4ms --repeats 3 --set meters=none -o b.dyno";
    dyno_well(dir, &run.split(' ').collect::<Vec<_>>());
}

#[test]
fn the_queries_for_duckdb_and_polars_run_as_documented() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path();
    bundle(dir);
    for (table, ending) in
        [("points", "csv"), ("points", "json"), ("histograms", "parquet"), ("intervals", "parquet")]
    {
        let file = format!("{table}.{ending}");
        dyno_well(dir, &["export", "b.dyno", "--table", table, "--format", ending, "-o", &file]);
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/export.md");
    let ran = Command::new(python).current_dir(dir).args(["-c", RUN, page]).output().expect("ran");
    assert!(ran.status.success(), "{}", said(&ran));
    let found: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    // Two subjects, at one and two threads: the null engine answers after 1 or 4 ms.
    let rows = found["sql"].as_array().expect("rows");
    assert_eq!(rows.len(), 4, "{found}");
    for row in rows {
        let least = if row[0] == "X" { 1e3 } else { 4e3 };
        assert!(row[2].as_f64().expect("p99, µs") >= least, "{found}");
    }
    let means = found["polars"].as_array().expect("rows");
    assert_eq!(means.len(), 2, "{found}");
    for row in means {
        let most = if row[0] == "X" { 2e6 / 1e3 } else { 2e6 / 4e3 };
        let mean = row[2].as_f64().expect("ops/s");
        assert!(mean > 0.0 && mean <= most, "{found}");
    }
    let counts = found["counts"].as_array().expect("counts");
    assert!(counts[0] == counts[1] && counts[0].as_u64() >= Some(12), "{found}");
}

#[test]
fn no_table_in_any_form_names_a_folder_of_this_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path();
    bundle(dir);
    let (path, here) = (dir.join("b.dyno").display().to_string(), dir.display().to_string());
    for table in ["points", "intervals", "histograms", "samples", "slow-ops", "comparisons"] {
        for form in ["csv", "json"] {
            let file = format!("{table}.{form}");
            let export = ["export", &path, "--table", table, "--format", form, "-o", &file];
            dyno_well(dir, &export);
            let text = std::fs::read_to_string(dir.join(&file)).expect("written");
            assert!(!text.contains(&here), "{file} names our folder");
        }
    }
}
