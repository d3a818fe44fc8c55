//! The queries of docs/dataset.md for Spark give the same as DuckDB for the same dataset. Only in
//! soaks: Spark is half a gigabyte, and needs Java.

use std::process::Command;

use crate::support::{dyno_well, have, said, size, skip};
use crate::{many, recipes};

/// Runs the page's code, and the same query in DuckDB; prints both results and whether they are
/// equal.
const RUN: &str = r###"
import re, sys
import duckdb
from pyspark.sql import SparkSession
code = re.search(r"## Spark\n.*?```python\n(.*?)```", open(sys.argv[1]).read(), re.S).group(1)
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
space = {"spark": spark}
exec(code, space)
of_spark = sorted(tuple(row) for row in space["p99"].collect())
of_duckdb = sorted(duckdb.sql("""
  with summed as (
    select model, step, value, class, bucket.to_ns, sum(bucket.count) as count
    from read_parquet('dataset/batch=*/**/*.parquet', hive_partitioning = true,
                      hive_types_autocast = false),
         unnest(coalesce(response_buckets, buckets)) as t(bucket)
    where outcome = 'measured' and headline group by all),
  running as (
    select *, sum(count) over (partition by model, step, value, class order by to_ns) as below,
           sum(count) over (partition by model, step, value, class) as all_ops from summed)
  select model, step, value, class, min(to_ns) from running
  where below >= ceil(0.99 * all_ops) group by all
""").fetchall())
spark.stop()
print(of_spark, of_duckdb, sep="\n")
print(len(of_spark), "rows alike:", of_spark == of_duckdb)
"###;

#[test]
fn spark_gives_of_a_dataset_what_duckdb_gives() {
    let bundles = size(0, 200);
    if bundles == 0 {
        skip("Spark runs in `make soak`");
        return;
    }
    if !have(&["java"]) {
        return;
    }
    let packages = ["pyspark==4.3.0", "duckdb==2.0.0"];
    let Some(python) = recipes::python_with(&packages) else { return };
    let folder = crate::made::folder();
    let dir = folder.path();
    std::fs::create_dir(dir.join("results")).expect("a folder");
    many::write(&dir.join("results"), bundles);
    dyno_well(dir, &["export", "results", "--partition", "-o", "dataset"]);
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/dataset.md");
    let ran = Command::new(python).current_dir(dir).args(["-c", RUN, page]).output().expect("ran");
    // Two model names, two depths, one class.
    assert!(said(&ran).contains("4 rows alike: True"), "{}", said(&ran));
}
