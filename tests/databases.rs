//! Databases, on real servers: Dyno's own MariaDB and PostgreSQL come and go cleanly, sysbench and Dyno run on each
//! other's tables and send the same statements, and what is wrong is said without touching anything of the user's.
//! Where a server or sysbench is missing a test says so loudly and shows nothing.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const DYNO: &str = env!("CARGO_BIN_EXE_dyno");
const TABLES: &str = "tables = 2, table_size = 2000";

/// Whether all of these programs are here; says loudly when not.
fn have(programs: &[&str]) -> bool {
    let found = |name: &&str| {
        let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/usr/lib/postgresql/15/bin";
        path.split(':').any(|folder| Path::new(folder).join(name).is_file())
    };
    let missing: Vec<_> = programs.iter().filter(|name| !found(name)).collect();
    if !missing.is_empty() {
        eprintln!("SKIPPED, NOTHING SHOWN: {missing:?} not installed; scripts/setup.sh installs what this test needs");
    }
    missing.is_empty()
}

struct Bench {
    dir: tempfile::TempDir,
}

impl Bench {
    fn new() -> Bench {
        let dir = tempfile::tempdir().unwrap();
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::create_dir(dir.path().join("drive")).unwrap();
        Bench { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A protocol of one dataset and one step of `seconds`.
    fn protocol(&self, dataset: &str, engine: &str, workload: &str, threads: u32, seconds: u32) {
        let text = format!(
            "title = \"t\"\n[dataset.db]\nengine = \"{engine}\"\n{dataset}\n[[step]]\nname = \"s\"\nduration = \"{seconds}s\"\n\
             [[step.stream]]\nname = \"io\"\nengine = \"{engine}\"\nthreads = {threads}\n\
             workload = {{ kind = \"{workload}\", {TABLES}, rand_type = \"uniform\" }}\n"
        );
        std::fs::write(self.path("p.toml"), text).unwrap();
    }

    fn dyno(&self, url: &str) -> Command {
        let _ = std::fs::remove_file(self.path("b.dyno"));
        let mut command = Command::new(DYNO);
        command.current_dir(self.dir.path()).env("DYNO_MYSQL_URL", url).stdin(Stdio::null());
        command.args(["run", "./p.toml", "--subject", "A=drive", "--bundle", "b.dyno"]);
        command
    }

    fn csv(&self) -> String {
        let output = Command::new(DYNO).args(["export"]).arg(self.path("b.dyno")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// The process that serves the dataset, from the note beside it.
    fn server_pid(&self) -> Option<u32> {
        let note = std::fs::read_to_string(self.path("drive/dyno-data/db.0.server.json")).ok()?;
        let note: serde_json::Value = serde_json::from_str(&note).ok()?;
        Some(note["server"]["pid"].as_u64()? as u32)
    }
}

fn said(output: &Output) -> String {
    // Messages are wrapped for reading; what is looked for must not depend on where.
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn until(what: &str, mut met: impl FnMut() -> bool) {
    let give_up = Instant::now() + Duration::from_secs(120);
    while !met() {
        assert!(Instant::now() < give_up, "waited two minutes for {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A MariaDB of the user's, with databases `ours` and `theirs`.
struct MariaDb {
    bench: Bench,
    child: Child,
}

impl MariaDb {
    fn start() -> MariaDb {
        let bench = Bench::new();
        let data = bench.path("user-data");
        let run_as: &[&str] = if rustix::process::geteuid().is_root() { &["--user=mysql"] } else { &[] };
        let datadir = format!("--datadir={}", data.display());
        std::fs::set_permissions(bench.dir.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        let made = Command::new("mariadb-install-db")
            .args(["--no-defaults", &datadir, "--auth-root-authentication-method=normal", "--skip-test-db"])
            .args(run_as)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", said(&made));
        let child = Command::new("mariadbd")
            .args(["--no-defaults", "--skip-networking", "--local-infile=1", &datadir])
            .arg(format!("--socket={}", bench.path("socket").display()))
            .args(run_as)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = MariaDb { bench, child };
        until("MariaDB", || server.try_sql("SELECT 1").status.success());
        server.sql("CREATE DATABASE ours; CREATE DATABASE theirs");
        server
    }

    fn try_sql(&self, text: &str) -> Output {
        let socket = format!("--socket={}", self.bench.path("socket").display());
        Command::new("mariadb").args(["--no-defaults", "-uroot", "-N", &socket, "-e", text]).output().unwrap()
    }

    #[track_caller]
    fn sql(&self, text: &str) -> String {
        let output = self.try_sql(text);
        assert!(output.status.success(), "{text}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    fn url(&self, database: &str) -> String {
        format!("mysql://root@localhost/{database}?socket={}", self.bench.path("socket").display())
    }

    #[track_caller]
    fn sysbench(&self, database: &str, script: &str, command: &[&str]) {
        let output = Command::new("sysbench")
            .args([script, "--db-driver=mysql", "--mysql-user=root", "--tables=2", "--table-size=2000", "--threads=2"])
            .arg(format!("--mysql-socket={}", self.bench.path("socket").display()))
            .arg(format!("--mysql-db={database}"))
            .args(command)
            .output()
            .unwrap();
        assert!(output.status.success(), "sysbench {script} {command:?}: {}", said(&output));
    }

    #[track_caller]
    fn dyno(&self, database: &str, dataset: &str, workload: &str) {
        self.bench.protocol(&format!("server = \"existing\"\n{dataset}"), "mysql", workload, 2, 2);
        let output = self.bench.dyno(&self.url(database)).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
    }

    /// How often each kind of statement was executed for every commit, since the counters in `before`.
    fn mix_since(&self, before: &[f64]) -> Vec<f64> {
        let counts: Vec<f64> = self.counts().iter().zip(before).map(|(now, before)| now - before).collect();
        counts.iter().map(|count| count / counts[0]).collect()
    }

    fn counts(&self) -> Vec<f64> {
        let one = |name: &str| {
            let row = self.sql(&format!("SHOW GLOBAL STATUS LIKE '{name}'"));
            row.split_whitespace().last().unwrap().parse().unwrap()
        };
        ["Com_commit", "Com_select", "Com_update", "Com_delete", "Com_insert"].map(one).to_vec()
    }
}

impl Drop for MariaDb {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const FILL: &str = "fill = { kind = \"oltp_load\", tables = 2, table_size = 2000, threads = 2 }";
const EXISTING: &[&str] = &["mariadbd", "mariadb", "mariadb-install-db", "sysbench"];

#[test]
fn own_servers_are_started_measured_and_stopped() {
    for (engine, programs) in [("mysql", &["mariadbd"][..]), ("postgres", &["initdb"])] {
        if !have(programs) {
            continue;
        }
        let bench = Bench::new();
        for workload in ["oltp_read_write", "oltp_insert", "oltp_delete"] {
            bench.protocol(FILL, engine, workload, 4, 1);
            let output = bench.dyno("").output().unwrap();
            assert!(output.status.success(), "{engine} {workload}: {}", said(&output));
            assert!(bench.csv().contains(",measured"), "{}", bench.csv());
            assert_eq!(bench.server_pid(), None, "nothing runs on");
        }
    }
}

#[test]
fn a_server_killed_in_the_window_fails_its_point_and_the_run_goes_on() {
    for (engine, programs) in [("mysql", &["mariadbd"][..]), ("postgres", &["initdb"])] {
        if !have(programs) {
            continue;
        }
        let bench = Bench::new();
        bench.protocol(FILL, engine, "oltp_read_write", 2, 5);
        let mut dyno = bench.dyno("");
        dyno.args(["--repeats", "2"]);
        let dyno = dyno.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The dataset's servers come and go first; the one of the point lives on.
        let mut since = (None, Instant::now());
        until("the point's server", || {
            let pid = bench.server_pid();
            if pid != since.0 {
                since = (pid, Instant::now());
            }
            pid.is_some() && since.1.elapsed() > Duration::from_secs(3)
        });
        Command::new("kill").args(["-9", &since.0.unwrap().to_string()]).status().unwrap();
        let output = dyno.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains("1 points measured, 1 failed"), "{}", said(&output));
        assert!(said(&output).contains("the server went away"), "{}", said(&output));
    }
}

#[test]
fn a_server_left_behind_by_a_killed_dyno_is_ended_at_the_next_start() {
    if !have(&["mariadbd"]) {
        return;
    }
    let bench = Bench::new();
    bench.protocol(FILL, "mysql", "oltp_read_write", 2, 60);
    let mut dyno = bench.dyno("").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("a server", || bench.server_pid().is_some());
    let second = bench.dyno("").output().unwrap();
    assert!(said(&second).contains("in use by another dyno"), "{}", said(&second));
    dyno.kill().unwrap();
    dyno.wait().unwrap();
    bench.protocol(FILL, "mysql", "oltp_read_write", 2, 1);
    let output = bench.dyno("").output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(bench.server_pid(), None);
}

#[test]
fn sysbench_runs_on_our_tables_and_we_on_sysbench_s() {
    if !have(EXISTING) {
        return;
    }
    let server = MariaDb::start();
    server.sysbench("theirs", "oltp_common", &["prepare"]);
    server.dyno("ours", FILL, "oltp_point_select");
    for question in [
        "SHOW CREATE TABLE sbtest1",
        "SELECT COUNT(*), MIN(id), MAX(id), MIN(k) >= 1, MAX(k) <= 2000 FROM sbtest2",
        "SELECT COUNT(*) FROM sbtest1 WHERE c REGEXP '^([0-9]{11}-){9}[0-9]{11}$' AND pad REGEXP '^([0-9]{11}-){4}[0-9]{11}$'",
    ] {
        let answer = |database: &str| server.sql(&format!("USE {database}; {question}"));
        assert_eq!(answer("ours"), answer("theirs"));
    }
    server.sysbench("ours", "oltp_read_write", &["--time=1", "run"]);
    for workload in
        ["oltp_read_write", "oltp_read_only", "oltp_write_only", "oltp_update_index", "oltp_update_non_index"]
    {
        server.dyno("theirs", "", workload);
        assert!(server.bench.csv().contains(",measured"), "{workload}: {}", server.bench.csv());
    }
}

#[test]
fn the_server_counts_the_same_statements_for_a_transaction_of_ours_as_for_one_of_sysbench_s() {
    if !have(EXISTING) {
        return;
    }
    let server = MariaDb::start();
    server.sysbench("theirs", "oltp_common", &["prepare"]);
    let before = server.counts();
    server.sysbench("theirs", "oltp_read_write", &["--time=2", "run"]);
    let theirs = server.mix_since(&before);
    let before = server.counts();
    server.dyno("theirs", "", "oltp_read_write");
    let ours = server.mix_since(&before);
    for (ours, theirs) in ours.iter().zip(&theirs) {
        // Connecting takes a few selects, and a transaction that deadlocked is run again.
        assert!((ours / theirs - 1.0).abs() < 0.02, "{ours} against {theirs} a transaction");
    }
    assert_eq!(ours.iter().map(|n| n.round()).collect::<Vec<_>>(), [1.0, 14.0, 2.0, 1.0, 1.0]);
}

#[test]
fn what_is_wrong_is_said_and_nothing_of_the_user_s_is_touched() {
    if !have(EXISTING) {
        return;
    }
    let server = MariaDb::start();
    server.sql("CREATE TABLE ours.sbtest1 (precious INT); INSERT INTO ours.sbtest1 VALUES (42)");
    let socket = server.bench.path("socket").display().to_string();
    let nobody = format!("mysql://nobody:secret@localhost/ours?socket={socket}");
    let nowhere = "mysql://root@localhost/ours?socket=/nowhere/socket".to_string();
    for (url, fill, complaint) in [
        (server.url("ours"), FILL, "sbtest1 exists already and was left alone"),
        (nobody, "", "check user, password and database"),
        (nowhere, "", "check that the server runs"),
        (server.url("theirs"), "", "does not have 2 tables as sysbench makes them"),
    ] {
        server.bench.protocol(&format!("server = \"existing\"\n{fill}"), "mysql", "oltp_read_write", 1, 1);
        let output = server.bench.dyno(&url).output().unwrap();
        assert!(!output.status.success());
        assert!(said(&output).contains(complaint), "{complaint}: {}", said(&output));
        assert!(!said(&output).contains("secret"), "a password was shown");
    }
    assert_eq!(server.sql("SELECT precious FROM ours.sbtest1").trim(), "42");
}

#[test]
fn a_disk_that_fills_up_during_the_load_is_said_to_be_full() {
    if !have(&["mariadbd", "mount"]) {
        return;
    }
    let bench = Bench::new();
    let drive = bench.path("drive");
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=220m", "tmpfs"]).arg(&drive).status().unwrap();
    if !mounted.success() {
        eprintln!("SKIPPED, NOTHING SHOWN: a small filesystem to fill needs root");
        return;
    }
    std::fs::set_permissions(&drive, std::fs::Permissions::from_mode(0o755)).unwrap();
    let fill =
        "direct = false\nredo_log = \"16MiB\"\nfill = { kind = \"oltp_load\", tables = 2, table_size = 2000000 }";
    bench.protocol(fill, "mysql", "oltp_point_select", 1, 1);
    let output = bench.dyno("").output().unwrap();
    let text = said(&output);
    assert!(Command::new("umount").arg(&drive).status().unwrap().success());
    assert!(!output.status.success() && (text.contains("full") || text.contains("No space left")), "{text}");
}
