//! YCSB on SQL servers: what Dyno reports of each workload is what the server counted, the table is
//! YCSB's, and both protocols end in a brief. A test is skipped if a server is missing.

use std::collections::BTreeMap;
use std::process::Command;

use crate::servers::{self, Bench, MariaDb, Postgres};
use crate::support::{DYNO, have, rocksdb, said};

/// Enough that scans hardly ever end at the last record.
const RECORDS: u64 = 5_000;

/// YCSB's workloads: name, knobs, and the share of ops of each class.
type Mix = (&'static str, &'static str, &'static [(&'static str, f64)]);

const MIXES: [Mix; 6] = [
    ("a", ", update = 50", &[("read", 0.5), ("update", 0.5)]),
    ("b", ", update = 5", &[("read", 0.95), ("update", 0.05)]),
    ("c", "", &[("read", 1.0)]),
    ("d", ", insert = 5, distribution = \"latest\"", &[("read", 0.95), ("insert", 0.05)]),
    ("e", ", scan = 95, insert = 5", &[("scan", 0.95), ("insert", 0.05)]),
    ("f", ", modify = 50", &[("read", 0.5), ("read-modify-write", 0.5)]),
];

fn write_protocol(bench: &Bench, engine: &str, dataset: &str, name: &str, knobs: &str) {
    let text = format!(
        "title = \"t\"\n[dataset.db-{name}]\nengine = \"{engine}\"\n{dataset}\n\
         fill = {{ kind = \"ycsb_sql_load\", records = {RECORDS}, threads = 2 }}\n\
         [[step]]\nname = \"s\"\nduration = \"300ms\"\n\
         [[step.stream]]\nname = \"io\"\nengine = \"{engine}\"\nthreads = 2\n\
         workload = {{ kind = \"ycsb_sql\", records = {RECORDS}{knobs} }}\n"
    );
    std::fs::write(bench.path("p.toml"), text).unwrap();
}

/// Ops by class, and ops that found no record.
fn exported(bench: &Bench) -> (BTreeMap<String, u64>, u64) {
    let csv = bench.csv();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let head = reader.headers().unwrap().clone();
    let at = |name: &str| head.iter().position(|column| column == name).unwrap();
    let (class, ops, misses) = (at("class"), at("ops"), at("misses"));
    let (mut all, mut missed) = (BTreeMap::new(), 0);
    for row in reader.records() {
        let row = row.unwrap();
        *all.entry(row[class].to_string()).or_default() += row[ops].parse::<u64>().unwrap();
        missed += row[misses].parse::<u64>().unwrap();
    }
    (all, missed)
}

/// A server's counts of the load: rows of the table, statements by kind, and rows returned.
#[derive(Debug)]
struct ServerCounts {
    rows: u64,
    selects: u64,
    updates: u64,
    inserts: u64,
    returned: u64,
}

/// Compares one workload's ops with its mix: no record is missing, and each class has its share.
#[track_caller]
fn compare_mix((name, _, shares): Mix, (ops, misses): &(BTreeMap<String, u64>, u64)) {
    let total: u64 = ops.values().sum();
    assert!(total > 100, "workload {name}: {ops:?}");
    assert_eq!(*misses, 0, "workload {name}: a record was not found");
    for (class, share) in shares {
        // Six standard deviations; inserts are spaced evenly.
        let allowed = 6.0 * (share * (1.0 - share) / total as f64).sqrt() + 2.0 / total as f64;
        let got = ops.get(*class).copied().unwrap_or(0) as f64 / total as f64;
        assert!((got - share).abs() <= allowed, "workload {name}: {got} of {class} for {share}");
    }
}

/// Threads of the load. Each has an op in flight at the end of the window, which the server counts
/// and the rate does not.
const THREADS: u64 = 2;

/// Compares one workload's ops with the server's counts. The server also counts the few statements
/// with which Dyno looks at it.
#[track_caller]
fn compare(mix: Mix, found: &(BTreeMap<String, u64>, u64), server: &ServerCounts) {
    compare_mix(mix, found);
    let (name, ops) = (mix.0, &found.0);
    let of = |class: &str| ops.get(class).copied().unwrap_or(0);
    assert_eq!(server.rows, RECORDS + server.inserts, "workload {name}: {ops:?}, {server:?}");
    let written = of("update") + of("read-modify-write");
    for (counted, reported) in [(server.inserts, of("insert")), (server.updates, written)] {
        let in_flight = counted.checked_sub(reported);
        assert!(in_flight.is_some_and(|n| n <= THREADS), "workload {name}: {ops:?}, {server:?}");
    }
    let single = of("read") + of("read-modify-write");
    let read = single + of("scan");
    let looked = server.selects.checked_sub(read);
    assert!(looked.is_some_and(|n| n < 100), "workload {name}: {ops:?}, {server:?}");
    if of("scan") > 0 {
        // Lengths from 1 to 100 are equally likely, with a deviation of 28.9. Few scans end at the
        // last record, few rows are Dyno's own look at the server, and few those of scans in
        // flight at the end.
        let mean = (server.returned - single) as f64 / of("scan") as f64;
        let scans = of("scan") as f64;
        let allowed = 6.0 * 28.9 / scans.sqrt() + 0.02 * 50.5 + 500.0 / scans;
        assert!((mean - 50.5).abs() < allowed, "workload {name}: {mean} records a scan");
    }
}

#[test]
fn rocksdb_does_the_ops_of_workloads_a_to_f_and_finds_every_record() {
    if !rocksdb() {
        return;
    }
    for (name, knobs, shares) in MIXES {
        let bench = Bench::new();
        let text = format!(
            "title = \"t\"\n[dataset.db]\nengine = \"rocksdb\"\nkeys = {RECORDS}\nkey_size = \
             24\nvalue_size = 1000\nfill = {{ kind = \"ycsb_load\", threads = 2 }}\n[[step]]\n\
             name = \"s\"\nduration = \"300ms\"\n[[step.stream]]\nname = \"io\"\nengine = \
             \"rocksdb\"\nthreads = 2\nworkload = {{ kind = \"ycsb\"{knobs} }}\n"
        );
        std::fs::write(bench.path("p.toml"), text).unwrap();
        let output = bench.dyno("").output().unwrap();
        assert!(output.status.success(), "workload {name}: {}", said(&output));
        compare_mix((name, knobs, shares), &exported(&bench));
    }
}

#[test]
fn mariadb_counts_the_ops_that_are_reported_of_workloads_a_to_f() {
    if !have(&["mariadbd", "mariadb", "mariadb-install-db"]) {
        return;
    }
    let server = MariaDb::start(&[]);
    let status = |name: &str| -> u64 {
        let row = server.sql(&format!("SHOW GLOBAL STATUS LIKE '{name}'"));
        row.split_whitespace().last().unwrap().parse().unwrap()
    };
    let names = ["Com_select", "Com_update", "Com_insert", "Rows_sent"];
    for mix in MIXES {
        let database = format!("ycsb_{}", mix.0);
        server.sql(&format!("CREATE DATABASE {database}"));
        write_protocol(&server.bench, "mysql", "server = \"existing\"", mix.0, mix.1);
        let before = names.map(status);
        let output = server.bench.dyno(&server.url(&database)).output().unwrap();
        assert!(output.status.success(), "workload {}: {}", mix.0, said(&output));
        let now = names.map(status);
        let [selects, updates, inserts, returned] = std::array::from_fn(|i| now[i] - before[i]);
        let rows = server.sql(&format!("SELECT COUNT(*) FROM {database}.usertable"));
        let rows = rows.trim().parse().unwrap();
        let counts = ServerCounts { rows, selects, updates, inserts, returned };
        compare(mix, &exported(&server.bench), &counts);
        let odd = server.sql(&format!(
            "SELECT COUNT(*) FROM {database}.usertable WHERE CHAR_LENGTH(FIELD0) <> 100 OR \
             CHAR_LENGTH(FIELD9) <> 100 OR FIELD0 = FIELD9 OR YCSB_KEY NOT LIKE 'user%'"
        ));
        assert_eq!(odd.trim(), "0", "fields are 100 characters, and no two alike");
    }
}

#[test]
fn postgresql_counts_the_ops_that_are_reported_of_workloads_a_to_f() {
    if !have(&["initdb", "psql"]) {
        return;
    }
    let server = Postgres::start();
    for mix in MIXES {
        let database = format!("ycsb_{}", mix.0);
        server.sql(&format!("CREATE DATABASE {database}"));
        write_protocol(&server.bench, "postgres", "server = \"existing\"", mix.0, mix.1);
        server.sql("SELECT pg_stat_statements_reset()");
        let url = server.url("postgres", &database);
        let output = server.bench.dyno(&url).output().unwrap();
        assert!(output.status.success(), "workload {}: {}", mix.0, said(&output));
        let one = |what: &str, query: &str| -> u64 {
            let sql = format!(
                "SELECT COALESCE(SUM({what}), 0) FROM pg_stat_statements WHERE query LIKE '{query}'"
            );
            server.sql(&sql).trim().parse().unwrap()
        };
        let select = "SELECT * FROM usertable WHERE YCSB_KEY%";
        let rows = server.in_database(&database, "SELECT COUNT(*) FROM usertable");
        let counts = ServerCounts {
            rows: String::from_utf8(rows.stdout).unwrap().trim().parse().unwrap(),
            selects: one("calls", select),
            updates: one("calls", "UPDATE usertable%"),
            inserts: one("calls", "INSERT INTO usertable%"),
            returned: one("rows", select),
        };
        compare(mix, &exported(&server.bench), &counts);
    }
}

#[test]
fn inserts_begin_anew_at_each_point_of_a_restored_dataset() {
    for engine in servers::own_in_turn(0) {
        let bench = Bench::new();
        write_protocol(&bench, engine, "restore = true", "d", MIXES[3].1);
        let output = bench.dyno("").args(["--repeats", "2"]).output().unwrap();
        assert!(output.status.success(), "{engine}: {}", said(&output));
        assert!(said(&output).contains("2 points measured"), "{engine}: {}", said(&output));
        // Without the copy the second point would insert the same records again.
        write_protocol(&bench, engine, "restore = false", "d", MIXES[3].1);
        let output = bench.dyno("").args(["--repeats", "2"]).output().unwrap();
        let said = said(&output);
        assert!(!output.status.success() && said.contains("restore = true"), "{engine}: {said}");
    }
}

#[test]
fn a_table_with_fewer_records_is_refused_and_an_existing_one_is_not_touched() {
    if !have(&["mariadbd", "mariadb", "mariadb-install-db"]) {
        return;
    }
    let server = MariaDb::start(&[]);
    server.sql("CREATE TABLE ours.usertable (YCSB_KEY VARCHAR(64) PRIMARY KEY, FIELD0 TEXT)");
    server.sql("INSERT INTO ours.usertable VALUES ('user1', 'mine')");
    write_protocol(&server.bench, "mysql", "server = \"existing\"", "c", "");
    let output = server.bench.dyno(&server.url("ours")).output().unwrap();
    let text = said(&output);
    assert!(!output.status.success() && text.contains("usertable"), "{text}");
    assert_eq!(server.sql("SELECT FIELD0 FROM ours.usertable").trim(), "mine");
    // More records than were loaded.
    write_protocol(&server.bench, "mysql", "server = \"existing\"", "c", "");
    let path = server.bench.path("p.toml");
    let protocol = std::fs::read_to_string(&path).unwrap();
    let (fill, load) = (format!("records = {RECORDS}, threads"), format!("records = {RECORDS} }}"));
    assert!(protocol.contains(&fill) && protocol.contains(&load), "{protocol}");
    std::fs::write(&path, protocol.replace(&load, "records = 6000 }")).unwrap();
    let output = server.bench.dyno(&server.url("theirs")).output().unwrap();
    let text = said(&output);
    assert!(
        text.contains("filled with records = 5000, and 'ycsb_sql' uses records = 6000"),
        "{text}"
    );
}

#[test]
fn both_protocols_end_in_a_brief_with_every_kind_of_op() {
    for engine in servers::own_in_turn(1) {
        let bench = Bench::new();
        let protocol = format!("ycsb-{engine}");
        let mut dyno = Command::new(DYNO);
        dyno.current_dir(bench.dir.path()).args(["run", &protocol, "--scale", "small"]);
        dyno.args(["--repeats", "1", "--subject", "A=drive", "--output", "b.dyno"]);
        for step in ["a", "b", "c", "d", "e", "f"] {
            for (field, value) in [("warmup", "0s"), ("duration", "200ms"), ("sweep.values", "[2]")]
            {
                dyno.args(["--set", &format!("step.{step}.{field}={value}")]);
            }
        }
        let output = dyno.output().unwrap();
        assert!(output.status.success(), "{protocol}: {}", said(&output));
        assert!(said(&output).contains("6 points measured"), "{}", said(&output));
        let output = Command::new(DYNO)
            .current_dir(bench.dir.path())
            .args(["report", "b.dyno", "-o", "b.md"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let brief = std::fs::read_to_string(bench.path("b.md")).unwrap();
        for words in ["Workload E: short scans", "read-modify-write", "insert", "update", "scan"] {
            assert!(brief.contains(words), "{protocol}: no '{words}' in the brief");
        }
    }
}
