//! Databases, on real servers: Dyno's own MariaDB and PostgreSQL start and stop cleanly, sysbench
//! and Dyno can use each other's tables and send the same statements, and errors are reported
//! without touching the user's data. The same for go-tpc and TPC-C. A test is skipped if a server
//! or a tool is missing.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::servers::{self, Bench, MariaDb, Postgres};
use crate::support::{DYNO, have, run_well, said, size, skip, until};

const FILL: &str = "fill = { kind = \"oltp_load\", tables = 2, table_size = 2000, threads = 2 }";
const EXISTING: &[&str] = &["mariadbd", "mariadb", "mariadb-install-db", "sysbench"];

#[test]
fn own_servers_are_started_measured_and_stopped() {
    for engine in servers::own() {
        let bench = Bench::new();
        for (workload, threads) in [
            ("oltp_read_write", 4),
            ("oltp_insert", 4),
            ("oltp_delete", 4),
            // The number of portioned logins equals a published test's connections.
            ("oltp_point_select", 256),
        ] {
            bench.protocol(FILL, engine, workload, (threads, "500ms"));
            let output = bench.dyno("").output().unwrap();
            assert!(output.status.success(), "{engine} {workload}: {}", said(&output));
            let csv = bench.csv();
            assert!(csv.contains(",measured") && csv.contains(&format!(",{threads},")), "{csv}");
            assert_eq!(bench.server_pid(), None, "nothing runs on");
            assert_eq!(bench.sockets(), 0, "no socket is left");
        }
    }
}

#[test]
fn a_server_killed_in_the_window_fails_its_point_and_the_run_goes_on() {
    for engine in servers::own_in_turn(0) {
        let bench = Bench::new();
        bench.protocol(FILL, engine, "oltp_read_write", (2, "8s"));
        let mut dyno = bench.dyno("");
        // Some transaction is always under way, and the processors are left to the other tests.
        dyno.args(["--repeats", "2", "--set", "step.s.stream.io.rate=200/s"]);
        let dyno = dyno.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The dataset's servers start and stop first; once it is filled, the point's server
        // remains.
        let mut since = (None, Instant::now());
        until("the point's server", 120, || {
            let pid = bench.server_pid();
            if pid != since.0 {
                since = (pid, Instant::now());
            }
            // Its marker identifies it once it is filled.
            let marker = std::fs::read_to_string(bench.path("drive/dyno-data/db.0/.dyno"))
                .unwrap_or_default();
            let filled = marker.contains("\"described\":\"{");
            filled && pid.is_some() && since.1.elapsed() > Duration::from_secs(4)
        });
        Command::new("kill").args(["-9", &since.0.unwrap().to_string()]).status().unwrap();
        let output = dyno.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains("1 point measured, 1 failed"), "{}", said(&output));
        assert!(said(&output).contains("the server went away"), "{}", said(&output));
    }
}

#[test]
fn a_server_left_behind_by_a_killed_dyno_is_ended_at_the_next_start() {
    if !have(&["mariadbd"]) {
        return;
    }
    let bench = Bench::new();
    bench.protocol(FILL, "mysql", "oltp_read_write", (2, "60s"));
    let mut dyno = bench.dyno("").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("a server", 120, || bench.server_pid().is_some());
    let second = bench.dyno("").output().unwrap();
    assert!(
        said(&second).contains(&format!("is in use: process {}", dyno.id())),
        "{}",
        said(&second)
    );
    dyno.kill().unwrap();
    dyno.wait().unwrap();
    bench.protocol(FILL, "mysql", "oltp_read_write", (2, "500ms"));
    let output = bench.dyno("").output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!((bench.server_pid(), bench.sockets()), (None, 0));
}

#[test]
fn a_restored_dataset_is_as_it_was_filled_at_each_point() {
    if !have(&["mariadbd", "mariadb"]) {
        return;
    }
    let bench = Bench::new();
    bench.protocol(&format!("restore = true\n{FILL}"), "mysql", "oltp_insert", (2, "500ms"));
    let output = bench.dyno("").args(["--repeats", "2"]).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let data = bench.path("drive/dyno-data/db.0/data");
    let rows = |bench: Bench| {
        let server = MariaDb::on(bench, &data, &[]);
        let rows = server.sql("SELECT COUNT(*) FROM dyno.sbtest1").trim().parse::<u32>().unwrap();
        server.sql("SHUTDOWN");
        (rows, server.stopped())
    };
    let (rows_after, bench) = rows(bench);
    assert!(rows_after > 2000, "the inserts are there until the next point");
    // A read-only point finds the filled rows, and leaves them.
    bench.protocol(&format!("restore = true\n{FILL}"), "mysql", "oltp_point_select", (2, "500ms"));
    let output = bench.dyno("").output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(rows(bench).0, 2000);
}

#[test]
fn sysbench_runs_on_our_tables_and_we_on_sysbench_s() {
    if !have(EXISTING) {
        return;
    }
    let server = MariaDb::start(&[]);
    server.sysbench("theirs", "oltp_common", &["prepare"]);
    server.dyno("ours", FILL, "oltp_point_select", "500ms");
    for question in [
        "SHOW CREATE TABLE sbtest1",
        "SELECT COUNT(*), MIN(id), MAX(id), MIN(k) >= 1, MAX(k) <= 2000 FROM sbtest2",
        "SELECT COUNT(*) FROM sbtest1 WHERE c REGEXP '^([0-9]{11}-){9}[0-9]{11}$' AND pad REGEXP \
         '^([0-9]{11}-){4}[0-9]{11}$'",
    ] {
        let answer = |database: &str| server.sql(&format!("USE {database}; {question}"));
        assert_eq!(answer("ours"), answer("theirs"));
    }
    server.sysbench("ours", "oltp_read_write", &["--time=1", "run"]);
    for workload in [
        "oltp_read_write",
        "oltp_read_only",
        "oltp_write_only",
        "oltp_update_index",
        "oltp_update_non_index",
    ] {
        server.dyno("theirs", "", workload, "500ms");
        assert!(server.bench.csv().contains(",measured"), "{workload}: {}", server.bench.csv());
    }
}

#[test]
fn the_server_counts_the_same_statements_for_a_transaction_of_ours_as_for_one_of_sysbench_s() {
    if !have(EXISTING) {
        return;
    }
    let server = MariaDb::start(&[]);
    server.sysbench("theirs", "oltp_common", &["prepare"]);
    let before = server.counts();
    server.sysbench("theirs", "oltp_read_write", &["--time=2", "run"]);
    let theirs = server.mix_since(&before);
    let before = server.counts();
    server.dyno("theirs", "", "oltp_read_write", "2s");
    let ours = server.mix_since(&before);
    for (ours, theirs) in ours.iter().zip(&theirs) {
        // Connecting takes a few selects, and a deadlocked transaction is retried.
        assert!((ours / theirs - 1.0).abs() < 0.02, "{ours} against {theirs} a transaction");
    }
    assert_eq!(ours.iter().map(|n| n.round()).collect::<Vec<_>>(), [1.0, 14.0, 2.0, 1.0, 1.0]);
}

#[test]
fn postgresql_counts_the_same_statements_too_and_each_tool_runs_on_the_other_s_tables() {
    if !have(&["initdb", "psql", "setpriv", "sysbench"]) {
        return;
    }
    let server = Postgres::start();
    server.sysbench("theirs", "oltp_common", &["prepare"]);
    let ours = server.mix_of(|| {
        server.bench.protocol("server = \"existing\"", "postgres", "oltp_read_write", (2, "2s"));
        let output = server.bench.dyno(&server.url("postgres", "theirs")).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
    });
    let theirs =
        server.mix_of(|| server.sysbench("theirs", "oltp_read_write", &["--time=2", "run"]));
    for (ours, theirs) in ours.iter().zip(&theirs) {
        // A deadlocked transaction is retried.
        assert!((ours / theirs - 1.0).abs() < 0.03, "{ours} against {theirs} an insert");
    }
    assert_eq!(ours.iter().map(|n| n.round()).collect::<Vec<_>>(), [1.0, 14.0, 2.0, 1.0]);
    for (url, complaint) in [
        (server.url("nobody", "theirs"), "check user, password and database"),
        (server.url("postgres", "ours"), "does not have 2 tables in sysbench's layout"),
    ] {
        let output = server.bench.dyno(&url).output().unwrap();
        assert!(
            !output.status.success() && said(&output).contains(complaint),
            "{complaint}: {}",
            said(&output)
        );
    }
    server.bench.protocol(
        &format!("server = \"existing\"\n{FILL}"),
        "postgres",
        "oltp_point_select",
        (2, "500ms"),
    );
    let output = server.bench.dyno(&server.url("postgres", "ours")).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    server.sysbench("ours", "oltp_read_write", &["--time=1", "run"]);
}

#[test]
fn pgbench_says_the_same_as_its_import() {
    if !have(&["initdb", "psql", "setpriv", "pgbench"]) {
        return;
    }
    let server = Postgres::start();
    let pgbench = |args: &[&str]| {
        let mut command = Command::new("pgbench");
        command.arg("-h").arg(server.bench.dir.path()).args(["-U", "postgres"]);
        run_well(command.args(args).arg("theirs"))
    };
    pgbench(&["-i", "-s", "1", "-q"]);
    let printed = pgbench(&["-T", "2", "-c", "2", "-j", "2"]);
    let dir = server.bench.dir.path();
    std::fs::write(dir.join("p.txt"), &printed).unwrap();
    let dyno = |args: &[&str]| run_well(Command::new(DYNO).current_dir(dir).args(args));
    dyno(&["import", "pgbench", "p.txt", "-o", "p.dyno"]);
    let csv = dyno(&["export", "p.dyno"]);
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let imported = |column: &str| -> f64 {
        let at = rows[0].iter().position(|name| *name == column).expect("a column");
        rows[1][at].parse().expect("a number")
    };
    let number = |key: &str| -> f64 {
        let rest = printed.split_once(key).unwrap_or_else(|| panic!("{key}: {printed}")).1;
        rest.split_whitespace().next().expect("a word").parse().expect("a number")
    };
    assert_eq!(imported("ops"), number("transactions actually processed:"));
    assert_eq!(imported("ops_per_s"), number("tps ="));
    assert_eq!(imported("threads"), number("number of clients:"));
    let mean_ns = number("latency average =") * 1e6;
    assert!((imported("service_mean_ns") / mean_ns - 1.0).abs() < 1e-9, "{printed}");
}

#[test]
fn a_server_that_is_too_old_is_refused_and_no_password_comes_into_the_bundle() {
    if !have(EXISTING) {
        return;
    }
    let server = MariaDb::start(&["--version=5.5.30-MariaDB"]);
    server.bench.protocol("server = \"existing\"", "mysql", "oltp_read_write", (1, "500ms"));
    let output = server.bench.dyno(&server.url("ours")).output().unwrap();
    assert!(
        !output.status.success() && said(&output).contains("MariaDB 5.5.30 is too old"),
        "{}",
        said(&output)
    );
    drop(server);

    let server = MariaDb::start(&[]);
    server.sysbench("theirs", "oltp_common", &["prepare"]);
    server.sql(
        "CREATE USER bench@localhost IDENTIFIED BY 'hunter2secret'; GRANT ALL ON theirs.* \
                TO bench@localhost",
    );
    let url = server.url("theirs").replace("root@", "bench:hunter2secret@");
    server.bench.protocol("server = \"existing\"", "mysql", "oltp_read_write", (2, "500ms"));
    let output = server.bench.dyno(&url).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let report =
        Command::new(DYNO).arg("export").arg(server.bench.path("b.dyno")).output().unwrap();
    let bundle = std::fs::read(server.bench.path("b.dyno")).unwrap();
    for text in [bundle, report.stdout, output.stdout, output.stderr] {
        for secret in ["hunter2secret", "bench:"] {
            assert!(
                !text.windows(secret.len()).any(|w| w == secret.as_bytes()),
                "'{secret}' was kept"
            );
        }
    }
}

#[test]
fn what_is_wrong_is_said_and_nothing_of_the_user_s_is_touched() {
    if !have(EXISTING) {
        return;
    }
    let server = MariaDb::start(&[]);
    server.sql("CREATE TABLE ours.sbtest1 (precious INT); INSERT INTO ours.sbtest1 VALUES (42)");
    let socket = server.bench.path("socket").display().to_string();
    let nobody = format!("mysql://nobody:secret@localhost/ours?socket={socket}");
    let nowhere = "mysql://root@localhost/ours?socket=/nowhere/socket".to_string();
    for (url, fill, complaint) in [
        (server.url("ours"), FILL, "sbtest1 already exists and was not touched"),
        (nobody, "", "check user, password and database"),
        (nowhere, "", "check that the server runs"),
        (server.url("theirs"), "", "does not have 2 tables in sysbench's layout"),
    ] {
        server.bench.protocol(
            &format!("server = \"existing\"\n{fill}"),
            "mysql",
            "oltp_read_write",
            (1, "500ms"),
        );
        let output = server.bench.dyno(&url).output().unwrap();
        assert!(!output.status.success());
        assert!(said(&output).contains(complaint), "{complaint}: {}", said(&output));
        assert!(!said(&output).contains("secret"), "a password was shown");
    }
    assert_eq!(server.sql("SELECT precious FROM ours.sbtest1").trim(), "42");
}

#[test]
fn a_disk_that_fills_up_during_the_load_is_said_to_be_full() {
    for (engine, server, settings) in
        [("mysql", "mariadbd", "redo_log = \"16MiB\""), ("postgres", "initdb", "")]
    {
        if have(&["mount", "mkfs.ext4", server]) {
            fill_up(engine, settings);
        }
    }
}

fn fill_up(engine: &str, settings: &str) {
    let bench = Bench::new();
    let (drive, image) = (bench.path("drive"), bench.path("image"));
    std::fs::File::create(&image).unwrap().set_len(300 << 20).unwrap();
    assert!(Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&image).status().unwrap().success());
    if !Command::new("mount")
        .args(["-o", "loop"])
        .arg(&image)
        .arg(&drive)
        .status()
        .unwrap()
        .success()
    {
        skip("a small filesystem to fill needs root and loop devices");
        return;
    }
    std::fs::write(drive.join("users-file"), "precious").unwrap();
    // The rows alone would fit, but not with logs and the server's own tables.
    let fill =
        format!("{settings}\nfill = {{ kind = \"oltp_load\", tables = 2, table_size = 580000 }}");
    bench.protocol(&fill, engine, "oltp_point_select", (1, "500ms"));
    let protocol = std::fs::read_to_string(bench.path("p.toml")).unwrap();
    let protocol = protocol.replace("table_size = 2000,", "table_size = 580000,");
    std::fs::write(bench.path("p.toml"), protocol).unwrap();
    let output = bench.dyno("").output().unwrap();
    let (text, kept) = (said(&output), std::fs::read_to_string(drive.join("users-file")).unwrap());
    let (pid, sockets) = (bench.server_pid(), bench.sockets());
    assert!(Command::new("umount").arg(&drive).status().unwrap().success());
    assert!(
        !output.status.success() && (text.contains("full") || text.contains("No space left")),
        "{text}"
    );
    assert_eq!((kept.as_str(), pid, sockets), ("precious", None, 0));
}

/// One warehouse on the user's server: created if `fill` is set, then one step of a TPC-C workload.
#[track_caller]
fn tpcc(server: &MariaDb, database: &str, fill: &str, duration: &str, workload: &str) {
    let text = format!(
        "title = \"t\"\n[dataset.db]\nengine = \"mysql\"\nserver = \"existing\"\n{fill}\n[[step]]\n\
         name = \"s\"\n\
         duration = \"{duration}\"\n[[step.stream]]\nname = \"io\"\nengine = \"mysql\"\n\
         threads = 4\n\
         workload = {{ kind = \"{workload}\" }}\n"
    );
    let text = text.replace("\"tpcc\" }", "\"tpcc\", timing = \"no-wait\" }");
    std::fs::write(server.bench.path("p.toml"), text).unwrap();
    let output = server.bench.dyno(&server.url(database)).output().unwrap();
    assert!(output.status.success(), "{workload} on {database}: {}", said(&output));
}

#[test]
fn go_tpc_and_dyno_each_run_on_the_others_tables_and_find_all_conditions_kept() {
    if !have(&["mariadbd", "go-tpc"]) {
        return;
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
        .to_string();
    let server = MariaDb::start(&[
        "--skip-networking=0",
        "--bind-address=127.0.0.1",
        &format!("--port={port}"),
    ]);
    let go_tpc = |database: &str, words: &[&str]| {
        let mut go_tpc = Command::new("go-tpc");
        go_tpc
            .args(["tpcc", "--warehouses", "1", "-H", "127.0.0.1", "-P", &port, "-D", database])
            .args(words);
        said(&go_tpc.output().unwrap())
    };
    let check = |database: &str, words: &[&str]| {
        // Otherwise go-tpc's tenth condition reads the table once for each customer.
        server.sql(&format!(
            "CREATE INDEX for_check ON {database}.history (h_c_w_id, h_c_d_id, h_c_id)"
        ));
        let told = go_tpc(database, &[&["check"], words].concat());
        server.sql(&format!("DROP INDEX for_check ON {database}.history"));
        told
    };
    let kept =
        |told: String| assert!(told.contains("3.3.2.12") && !told.contains("failed"), "{told}");

    let fill = "fill = { kind = \"tpcc_load\" }";
    tpcc(&server, "ours", fill, "10ms", "tpcc_check");
    kept(check("ours", &["--check-all"]));
    let told = go_tpc("ours", &["run", "--threads", "4", "--time", "4s", "--ignore-error"]);
    assert!(told.contains("NEW_ORDER - Takes"), "{told}");
    std::fs::remove_dir_all(server.bench.path("drive/dyno-data")).unwrap();
    tpcc(&server, "ours", "", "4s", "tpcc");
    tpcc(&server, "ours", "", "10ms", "tpcc_check");
    // Its eleventh condition holds only before any orders have been delivered.
    kept(check("ours", &[]));
    // This violates conditions 1 and 8; it ends at the first one.
    server.sql("UPDATE ours.warehouse SET w_ytd = w_ytd + 1");
    let told = check("ours", &[]);
    assert!(told.contains("3.3.2.1 failed") || told.contains("3.3.2.8 failed"), "{told}");

    let told = go_tpc("theirs", &["prepare", "--threads", "2", "--no-check"]);
    assert!(told.contains("Finished"), "{told}");
    tpcc(&server, "theirs", "", "4s", "tpcc");
    tpcc(&server, "theirs", "", "10ms", "tpcc_check");
}

/// In each table of the small scale in an everyday run.
const FEW_ROWS: u32 = 5_000;

/// Like a user: from nothing to a brief, at the protocols' own small scale. Everyday runs have
/// shorter windows and fewer rows, and TPC-C is tested by `tpcc::both_protocols_…`.
#[test]
fn the_small_scale_of_mysql_oltp_and_of_tpcc_ends_in_a_brief_of_two_directories() {
    if !have(&["mariadbd"]) {
        return;
    }
    let begun = Instant::now();
    let all = [("mysql-oltp", "two servers a drive"), ("tpcc", "New-Orders per minute")];
    let many = size(1, all.len());
    let of_step = |step: &str| {
        let rows = format!("step.{step}.stream.clients.workload.table_size={FEW_ROWS}");
        [format!("step.{step}.warmup=200ms"), format!("step.{step}.duration=1500ms"), rows]
    };
    let mut shorter = vec![format!("dataset.db.fill.table_size={FEW_ROWS}")];
    shorter.extend(["one-server", "two-servers"].into_iter().flat_map(of_step));
    let shorter = shorter.iter().flat_map(|set| ["--set", set]).collect::<Vec<_>>();
    let shorter = if many == 1 { &shorter[..] } else { &[] };
    for (protocol, words) in &all[..many] {
        let bench = Bench::new();
        std::fs::create_dir(bench.path("other")).unwrap();
        let run = |words: &[&str]| {
            let output =
                Command::new(DYNO).current_dir(bench.dir.path()).args(words).output().unwrap();
            assert!(output.status.success(), "{protocol}: {}", said(&output));
            said(&output)
        };
        let subjects = [
            "--subject",
            "A=drive",
            "--subject",
            "B=other",
            "--repeats",
            "1",
            "--same-device",
            "--output",
            "b.dyno",
        ];
        let told = run(&[&["run", protocol, "--scale", "small"], &subjects[..], shorter].concat());
        assert!(told.contains(" 0 failed"), "{told}");
        run(&["report", "b.dyno", "-o", "b.html"]);
        let page = std::fs::read_to_string(bench.path("b.html")).unwrap();
        for part in
            [words, "Differences in test conditions", "<th scope=row>MariaDB<td>10.", "Bottleneck"]
        {
            assert!(page.contains(part), "{protocol}: no '{part}' in the brief");
        }
        println!(
            "{protocol} --scale small: done {:.0} s after the first was begun",
            begun.elapsed().as_secs_f64()
        );
    }
}
