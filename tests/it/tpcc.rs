//! TPC-C on real servers started by Dyno: it loads, runs and keeps the specification's consistency
//! conditions, also when the server or Dyno is killed during transactions and when many of them
//! deadlock. A test is skipped if a server is missing.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use crate::servers;
use crate::support::{DYNO, have, said, served_by, size, until, within};
use mysql::prelude::Queryable;
use rusqlite::Connection;

/// One warehouse in small caches, so that a load takes seconds.
const MARIADB: &str =
    "[dataset.db]\nengine = \"mysql\"\nbuffer_pool = \"64MiB\"\nredo_log = \"96MiB\"\n";
const POSTGRES: &str = "[dataset.db]\nengine = \"postgres\"\nshared_buffers = \"64MiB\"\n";
const FILL: &str = "fill = { kind = \"tpcc_load\", warehouses = 1 }\n";

/// A directory under test, and files next to it.
struct Bench {
    dir: tempfile::TempDir,
    /// The protocol's dataset table, and the engine's name.
    dataset: String,
    engine: &'static str,
}

impl Bench {
    fn new(engine: &'static str, more: &str) -> Bench {
        let dir = tempfile::tempdir().unwrap();
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::create_dir(dir.path().join("drive")).unwrap();
        let dataset = if engine == "mysql" { MARIADB } else { POSTGRES };
        Bench { dir, dataset: format!("{dataset}{more}{FILL}"), engine }
    }

    /// The servers that Dyno starts itself, if installed, each in its own folder: in everyday runs
    /// only the named one, if installed.
    fn each(of_every_day: &str) -> Vec<Bench> {
        let all = servers::own();
        let few: Vec<&str> = all.iter().copied().filter(|name| *name == of_every_day).collect();
        let whole = size(few.len(), all.len()) == all.len();
        let engines = if whole { all } else { few };
        engines.into_iter().map(|engine| Bench::new(engine, "")).collect()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn step(&self, name: &str, duration: &str, threads: u32, workload: &str) -> String {
        let engine = self.engine;
        format!(
            "[[step]]\nname = \"{name}\"\nduration = \"{duration}\"\n[[step.stream]]\n\
             name = \"io\"\n\
             engine = \"{engine}\"\nthreads = {threads}\nworkload = {workload}\n"
        )
    }

    fn check(&self) -> String {
        self.step("check", "10ms", 1, "\"tpcc_check\"")
    }

    /// Transactions one after another from four connections.
    fn load(&self, duration: &str) -> String {
        self.step("load", duration, 4, "{ kind = \"tpcc\", warehouses = 1, timing = \"no-wait\" }")
    }

    fn dyno(&self, steps: &[String]) -> Command {
        let _ = std::fs::remove_file(self.path("b.dyno"));
        std::fs::write(
            self.path("p.toml"),
            format!("title = \"t\"\n{}{}", self.dataset, steps.concat()),
        )
        .unwrap();
        let mut command = Command::new(DYNO);
        command
            .current_dir(self.dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.args([
            "run",
            "./p.toml",
            "--subject",
            "A=drive",
            "--repeats",
            "1",
            "--output",
            "b.dyno",
        ]);
        command
    }

    #[track_caller]
    fn runs(&self, steps: &[String]) {
        let output = self.dyno(steps).output().unwrap();
        assert!(output.status.success(), "{}: {}", self.engine, said(&output));
    }

    fn number(&self, sql: &str) -> f64 {
        let bundle = Connection::open(self.path("b.dyno")).unwrap();
        bundle.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// The clients' counter with a name, over all points.
    fn counted(&self, name: &str) -> f64 {
        self.number(&format!(
            "SELECT CAST(SUM(REPLACE(REPLACE(value, ',', ''), ' ', '')) AS REAL) FROM fact \
             WHERE point IS NOT NULL AND name LIKE '{name}%'"
        ))
    }

    /// The process that serves the dataset, from its record.
    fn server_pid(&self) -> Option<u32> {
        served_by(&self.path("drive"))
    }

    /// Waits for a permanent server: those that only print their version end.
    fn serving(&self) -> u32 {
        let mut since = (None, Instant::now());
        until("a server that stays", 180, || {
            let pid = self.server_pid();
            if pid != since.0 {
                since = (pid, Instant::now());
            }
            pid.is_some() && since.1.elapsed() > Duration::from_secs(4)
        });
        since.0.unwrap()
    }
}

fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
}

/// PostgreSQL in everyday runs; the two tests below run MariaDB's transactions.
#[test]
fn both_protocols_end_in_a_brief_with_new_orders_a_minute_and_all_conditions_kept() {
    for bench in Bench::each("postgres") {
        let protocol = if bench.engine == "mysql" { "tpcc" } else { "tpcc-postgres" };
        let mut dyno = Command::new(DYNO);
        dyno.current_dir(bench.dir.path()).args([
            "run",
            protocol,
            "--scale",
            "small",
            "--repeats",
            "1",
            "--subject",
            "A=drive",
        ]);
        dyno.args([
            "--output",
            "b.dyno",
            "--set",
            "step.tpcc.warmup=1s",
            "--set",
            "step.tpcc.duration=3s",
        ]);
        let warehouses = size(1, 2);
        for field in ["dataset.db.fill", "step.tpcc.stream.terminals.workload"] {
            dyno.args(["--set", &format!("{field}.warehouses={warehouses}")]);
        }
        let output = dyno.output().unwrap();
        assert!(output.status.success(), "{protocol}: {}", said(&output));
        assert!(said(&output).contains("3 points measured"), "{}", said(&output));
        let output = Command::new(DYNO)
            .current_dir(bench.dir.path())
            .args(["report", "b.dyno", "-o", "b.html"])
            .output();
        assert!(output.as_ref().is_ok_and(|o| o.status.success()), "{output:?}");
        let page = std::fs::read_to_string(bench.path("b.html")).unwrap();
        for words in [
            "New-Orders per minute",
            "Stock-Level",
            "clause 5.2.5.3",
            "Departures from the specification",
        ] {
            assert!(page.contains(words), "{protocol}: no '{words}' in the brief");
        }
    }
}

#[test]
fn conditions_hold_after_the_server_and_after_dyno_were_killed_in_the_middle_of_transactions() {
    for bench in Bench::each("mysql") {
        bench.runs(&[bench.check()]);
        let dyno = bench.dyno(&[bench.load("120s"), bench.check()]).spawn().unwrap();
        kill(bench.serving());
        let output = dyno.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        // The point fails with its cause; the next one finds a recovered server, with all
        // conditions satisfied.
        assert!(said(&output).contains("1 point measured, 1 failed"), "{}", said(&output));
        assert!(said(&output).contains("the server went away"), "{}", said(&output));

        let mut dyno = bench.dyno(&[bench.load("120s")]).spawn().unwrap();
        bench.serving();
        end(&mut dyno);
        bench.runs(&[bench.check()]);
        assert_eq!(bench.server_pid(), None, "nothing runs on");
    }
}

fn end(dyno: &mut Child) {
    kill(dyno.id());
    dyno.wait().unwrap();
}

#[test]
fn conditions_hold_where_one_transaction_in_twenty_deadlocks_and_each_is_counted_and_run_again() {
    if !have(&["mariadbd"]) {
        return;
    }
    let bench = Bench::new("mysql", "");
    bench.runs(&[bench.check()]);
    let dyno = bench.dyno(&[bench.load("2s"), bench.check()]).spawn().unwrap();
    let stop = AtomicBool::new(false);
    let output = std::thread::scope(|scope| {
        // The second takes the locks as soon as the first releases them.
        for _ in 0..2 {
            scope.spawn(|| deadlock(&bench, &stop));
        }
        let output = dyno.wait_with_output().unwrap();
        stop.store(true, Relaxed);
        output
    });
    assert!(output.status.success(), "{}", said(&output));
    let retried = bench.counted("Errors ignored");
    let transactions = bench.number("SELECT CAST(SUM(ops) AS REAL) FROM tally");
    eprintln!("{retried} of {transactions} transactions deadlocked");
    assert!(retried / transactions >= 0.05, "{retried} deadlocks in {transactions} transactions");
}

/// Causes deadlocks with transactions of the dataset's server, until stopped.
fn deadlock(bench: &Bench, stop: &AtomicBool) {
    while !stop.load(Relaxed) {
        let mut conn = None;
        within(60, || {
            conn = connected(bench);
            conn.is_some() || stop.load(Relaxed)
        });
        if let Some(conn) = conn {
            deadlock_over(conn, stop);
        }
    }
}

/// A connection to the dataset's server, if it accepts connections.
fn connected(bench: &Bench) -> Option<mysql::Conn> {
    let line = std::fs::read_to_string(format!("/proc/{}/cmdline", bench.server_pid()?)).ok()?;
    let socket = line.split('\0').find_map(|word| word.strip_prefix("--socket="))?;
    let opts = mysql::OptsBuilder::new().user(Some("root")).socket(Some(socket));
    mysql::Conn::new(opts.db_name(Some("dyno"))).ok()
}

/// Locks customers before their warehouse, unlike TPC-C's transactions, and enough of them that the
/// server always rolls back the other side of the deadlock.
fn deadlock_over(mut conn: mysql::Conn, stop: &AtomicBool) {
    while !stop.load(Relaxed) {
        let steps = [
            "BEGIN",
            "SELECT COUNT(c_data) FROM customer WHERE c_w_id = 1 AND c_d_id <= 5 FOR UPDATE",
            "UPDATE warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 1",
            "ROLLBACK",
        ];
        // The server stops when the point ends; a deadlock of this side is retried.
        if steps.iter().any(|sql| conn.query_drop(sql).is_err()) && conn.ping().is_err() {
            return;
        }
    }
}

#[test]
fn serialization_failures_are_run_again_and_leave_the_conditions_kept() {
    if !have(&["initdb"]) {
        return;
    }
    let bench =
        Bench::new("postgres", "options = { default_transaction_isolation = \"serializable\" }\n");
    bench.runs(&[bench.load("2s"), bench.check()]);
    let retried = bench.counted("Errors ignored");
    let transactions = bench.number("SELECT CAST(SUM(ops) AS REAL) FROM tally");
    eprintln!("{retried} failures in {transactions} transactions");
    assert!(retried / transactions >= 0.05, "{retried} failures in {transactions} transactions");
}
