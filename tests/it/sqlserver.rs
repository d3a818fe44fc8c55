//! SQL Server, end to end: with a stand-in that implements its protocol, and, if DYNO_SQLSERVER_URL
//! is set, with the real server. docs/tpcc.md lists what was only tested with the stand-in.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::support::{said, skip};
use crate::tds::wire::Kind;
use crate::tds::{Answer, Heard, Server, What, rows};
use crate::terminal::{self, answers, transactions};
use rusqlite::Connection;

mod said;

const DYNO: &str = env!("CARGO_BIN_EXE_dyno");

const PASSWORD: &str = "Hunter2&more";

/// A directory that Dyno runs in.
struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Bench {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("drive")).unwrap();
        Bench(dir)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn dyno(&self, string: &str, fill: &str, steps: &[String]) -> Output {
        let dataset = format!("title = \"t\"\n[dataset.db]\nengine = \"sqlserver\"\n{fill}\n");
        std::fs::write(self.path("p.toml"), dataset + &steps.concat()).unwrap();
        self.run(string, "./p.toml", &[])
    }

    fn run(&self, string: &str, protocol: &str, more: &[&str]) -> Output {
        let mut dyno = Command::new(DYNO);
        dyno.current_dir(self.0.path()).env("DYNO_SQLSERVER_URL", string).stdin(Stdio::null());
        dyno.args(["run", protocol, "--subject", "A=drive", "--repeats", "1", "--output", "b.dyno"])
            .args(more)
            .output()
            .unwrap()
    }

    fn text(&self, sql: &str) -> String {
        let bundle = Connection::open(self.path("b.dyno")).unwrap();
        bundle.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// The sum of a fact over the points, as a number.
    fn fact(&self, name: &str) -> Option<f64> {
        let bundle = Connection::open(self.path("b.dyno")).unwrap();
        let sum = "SELECT CAST(SUM(REPLACE(REPLACE(value, ',', ''), ' ', '')) AS REAL) FROM fact \
                   WHERE point IS NOT NULL AND name = ?";
        bundle.query_row(sum, [name], |row| row.get(0)).unwrap()
    }
}

fn step(name: &str, duration: &str, workload: &str) -> String {
    format!(
        "[[step]]\nname = \"{name}\"\nduration = \"{duration}\"\n[[step.stream]]\nname = \"io\"\n\
         engine = \"sqlserver\"\nworkload = {workload}\n"
    )
}

fn load() -> String {
    step("load", "1s", "{ kind = \"tpcc\", warehouses = 1, timing = \"no-wait\" }")
}

fn check() -> String {
    step("check", "10ms", "\"tpcc_check\"")
}

const FILL: &str = "fill = { kind = \"tpcc_load\", warehouses = 1, threads = 2 }";

#[track_caller]
fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}", said(output));
}

/// Refused for this reason, without the password anywhere.
#[track_caller]
fn refused(bench: &Bench, output: &Output, reasons: &[&str]) {
    assert!(!output.status.success(), "{}", said(output));
    for reason in reasons {
        assert!(said(output).contains(reason), "'{reason}' is not in: {}", said(output));
    }
    no_password(bench, output);
}

#[track_caller]
fn no_password(bench: &Bench, output: &Output) {
    assert!(!said(output).contains("Hunter2"), "{}", said(output));
    for entry in std::fs::read_dir(bench.0.path()).unwrap().flatten().filter(|e| e.path().is_file())
    {
        let bytes = std::fs::read(entry.path()).unwrap();
        let found = bytes.windows(7).any(|part| part == b"Hunter2");
        assert!(!found, "the password is in {}", entry.path().display());
    }
}

#[test]
fn the_protocol_makes_tables_and_loads_every_row_as_the_specification_populates_it() {
    let (bench, server) = (Bench::new(), Server::start(answers));
    let sets = [
        "dataset.db.fill.warehouses=1",
        "step.tpcc.stream.terminals.workload.warehouses=1",
        "step.tpcc.warmup=1s",
        "step.tpcc.duration=2s",
    ];
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let small: Vec<&str> = ["--scale", "small"].into_iter().chain(sets).collect();
    let output = bench.run(&server.string(PASSWORD), "tpcc-sqlserver", &small);
    succeeds(&output);
    assert!(said(&output).contains("3 points measured"), "{}", said(&output));
    let tables = server.tables();
    let rows = |name: &str| tables[name].rows;
    let fixed =
        ["warehouse", "district", "customer", "history", "new_order", "orders", "stock", "item"];
    assert_eq!(fixed.map(rows), [1, 10, 30_000, 30_000, 9_000, 30_000, 100_000, 100_000]);
    assert!((290_000..310_000).contains(&rows("order_line")));
    // 900 orders of each district are new: they have no carrier, and their lines no date.
    let nulls = |name: &str| tables[name].nulls.iter().filter(|(_, n)| **n > 0).collect::<Vec<_>>();
    assert_eq!(nulls("orders"), [(&"o_carrier_id".to_string(), &9_000)]);
    assert!(
        matches!(nulls("order_line")[..], [(name, 80_000..100_000)] if name == "ol_delivery_d")
    );
    assert!(nulls("customer").is_empty());
    let first = |name: &str, column: &str| {
        let table = &tables[name];
        table.first[table.columns.iter().position(|c| c.name == column).unwrap()].clone().unwrap()
    };
    for (table, column, value) in [
        ("warehouse", "w_ytd", "300000.00"),
        ("customer", "c_last", "BARBARBAR"),
        ("customer", "c_balance", "-10.00"),
        ("customer", "c_middle", "OE"),
        ("history", "h_amount", "10.00"),
        ("item", "i_id", "1"),
    ] {
        assert_eq!(first(table, column), value, "{table}.{column}");
    }
    let since: jiff::civil::DateTime = first("customer", "c_since").parse().unwrap();
    let age =
        jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).datetime().since(since).unwrap();
    assert!(age.get_hours() == 0 && age.get_days() == 0 && !age.is_negative(), "{since}");
    assert!(first("stock", "s_dist_10").len() == 24 && first("customer", "c_data").len() >= 300);
}

#[test]
fn transactions_send_what_the_specification_asks_for_with_types_that_keep_the_server_s_plans() {
    let (bench, server) = (Bench::new(), Server::start(answers));
    let output = bench.dyno(&server.string(PASSWORD), "", &[load()]);
    succeeds(&output);
    no_password(&bench, &output);
    let heard = server.heard();
    assert!(heard.iter().any(|h| matches!(&h.what, What::Login { user, password, database }
        if (user.as_str(), password.as_str(), database.as_str()) == ("sa", PASSWORD, "bench"))));
    let all = transactions(&heard);
    terminal::new_order(&all);
    terminal::payment(&all);
    terminal::delivery(&all);
    for kind in ["TOP (1) o_id", "TOP (1) no_o_id", "COUNT(DISTINCT"] {
        assert!(
            all.iter().flatten().any(|call| call.text.contains(kind)),
            "no transaction has '{kind}'"
        );
    }
    // One statement, one declaration: the server would compile a second one again.
    let mut declared = std::collections::BTreeMap::new();
    for call in all.iter().flatten() {
        let first = declared.entry(&call.text).or_insert(&call.declared);
        assert_eq!(*first, &call.declared, "{}", call.text);
    }
    assert!(
        bench.fact("Batch Requests").is_some_and(|n| n > 0.0),
        "what the server counts is in the bundle"
    );
    let settings =
        bench.text("SELECT value FROM fact WHERE heading = 'SQL Server' AND name = 'Settings'");
    // Values that a server does not report are unknown, and never omitted.
    let said = "edition=Developer Edition (64-bit) max server memory (MB)=4096 max degree of \
                parallelism=unknown recovery_model_desc=FULL compatibility_level=160 \
                is_read_committed_snapshot_on=0 delayed_durability_desc=unknown";
    assert_eq!(settings, said);
    assert_eq!(
        bench.text(
            "SELECT value FROM fact WHERE heading = 'SQL Server' AND name = 'Version, in full'"
        ),
        "A stand-in for SQL Server of these tests"
    );
    let lacking = "SELECT COUNT(DISTINCT name) FROM fact WHERE value = 'not reported'";
    assert_eq!(bench.text(&format!("SELECT CAST(({lacking}) AS TEXT)")), "10");
    for call in all.iter().flatten() {
        let own = |name: &str| name.trim_start().starts_with("@dyno");
        assert!(call.declared.split(", ").all(|name| name.is_empty() || own(name)), "{call:?}");
    }
    assert_eq!(
        bench.text("SELECT value FROM fact WHERE heading = 'SQL Server' AND name = 'Version'"),
        "16.0.4085.2"
    );
}

#[test]
fn deadlocks_lock_timeouts_and_stale_snapshots_are_rolled_back_run_again_and_counted() {
    // The server rolls back the transaction, except after a lock timeout.
    let troubles = [
        (
            1205,
            13,
            "Transaction (Process ID 52) was deadlocked on lock resources with another process.",
            true,
        ),
        (1222, 16, "Lock request time out period exceeded.", false),
        (3960, 16, "Snapshot isolation transaction aborted due to update conflict.", true),
    ];
    let seen = AtomicU64::new(0);
    let brain = move |heard: &Heard| match &heard.what {
        What::Call { text, .. } if text.starts_with("UPDATE warehouse") => {
            let n = seen.fetch_add(1, Relaxed) as usize;
            let (code, class, message, rolls_back) = troubles[n % troubles.len()];
            if n < 7 {
                Some(Answer::Error { code, class, message, rolls_back })
            } else {
                answers(heard)
            }
        }
        _ => answers(heard),
    };
    let (bench, server) = (Bench::new(), Server::start(brain));
    succeeds(&bench.dyno(&server.string(PASSWORD), "", &[load()]));
    assert_eq!(bench.fact("Errors ignored (deadlocks, lock waits)"), Some(7.0));
    let heard: Vec<What> = server.heard().into_iter().map(|h| h.what).collect();
    let is_payment = |what: &&What| match what {
        What::Call { text, .. } => text.starts_with("UPDATE warehouse"),
        _ => false,
    };
    let first: Vec<&What> = heard.iter().filter(is_payment).take(8).collect();
    assert!(first.iter().all(|what| *what == first[0]), "the same inputs until they come through");
}

#[test]
fn a_transaction_that_is_always_rolled_back_is_given_up_counted_and_ends_nothing() {
    let brain = |heard: &Heard| match &heard.what {
        What::Call { text, .. } if text.starts_with("UPDATE warehouse") => {
            let message = "Snapshot isolation transaction aborted due to update conflict.";
            Some(Answer::Error { code: 3960, class: 16, message, rolls_back: true })
        }
        _ => answers(heard),
    };
    let (bench, server) = (Bench::new(), Server::start(brain));
    let workload = "{ kind = \"tpcc\", warehouses = 1, timing = \"no-wait\" }";
    succeeds(&bench.dyno(&server.string(PASSWORD), "", &[step("load", "5s", workload)]));
    // No Payment succeeded; the other transactions continued.
    let given_up = |class: &str| {
        let sql = format!(
            "SELECT CAST(given_up AS TEXT) || ',' || ops FROM tally WHERE class = '{class}'"
        );
        let row = bench.text(&sql);
        let (given_up, ops) = row.split_once(',').unwrap();
        (given_up.parse::<u64>().unwrap(), ops.parse::<u64>().unwrap())
    };
    let ((payments, none), (new_orders, some)) = (given_up("payment"), given_up("new-order"));
    assert!(
        payments > 0 && none == 0 && new_orders == 0 && some > 0,
        "{payments} {none} {new_orders} {some}"
    );
    // The session also counts the one in flight when the window closed.
    let counted = bench.fact("Transactions given up").unwrap() - payments as f64;
    assert!([0.0, 1.0].contains(&counted), "{counted} more than {payments}");
    let shown = Command::new(DYNO).arg("show").arg(bench.path("b.dyno")).output().unwrap();
    assert!(said(&shown).contains(&format!("({payments} given up)")), "{}", said(&shown));
}

#[test]
fn a_connection_that_is_cut_is_made_anew_once_and_its_transaction_run_again() {
    let seen = AtomicU64::new(0);
    let killed = "Cannot continue the execution because the session is in the kill state.";
    let brain = move |heard: &Heard| match &heard.what {
        What::Call { text, .. } if text.starts_with("UPDATE district SET d_ytd") => match seen
            .fetch_add(1, Relaxed)
        {
            3 => Some(Answer::Cut),
            8 => Some(Answer::Error { code: 596, class: 21, message: killed, rolls_back: false }),
            _ => answers(heard),
        },
        _ => answers(heard),
    };
    let (bench, server) = (Bench::new(), Server::start(brain));
    succeeds(&bench.dyno(&server.string(PASSWORD), "", &[load()]));
    assert_eq!(bench.fact("Reconnects"), Some(2.0));
    let heard = server.heard();
    let is_payment = |h: &&Heard| match &h.what {
        What::Call { text, .. } => text.starts_with("UPDATE district SET d_ytd"),
        _ => false,
    };
    let payments: Vec<&Heard> = heard.iter().filter(is_payment).collect();
    let (cut, again) = (payments[3], payments[4]);
    assert_eq!(cut.what, again.what);
    assert_ne!(cut.connection, again.connection);

    let server = Server::start(|heard| match &heard.what {
        What::Call { text, .. } if text.starts_with("UPDATE district SET d_ytd") => {
            Some(Answer::Cut)
        }
        _ => answers(heard),
    });
    let _ = std::fs::remove_file(bench.path("b.dyno"));
    refused(
        &bench,
        &bench.dyno(&server.string(PASSWORD), "", &[load()]),
        &["the server went away twice: the connection is gone"],
    );
}

#[test]
fn what_the_server_refuses_is_said_clearly_and_without_the_password() {
    let error =
        |code, class, message| Some(Answer::Error { code, class, message, rolls_back: false });
    let (bench, load) = (Bench::new(), [load()]);
    let server = Server::start(move |heard| match &heard.what {
        What::Login { .. } => error(18456, 14, "Login failed for user 'sa'."),
        _ => answers(heard),
    });
    let output = bench.dyno(&server.string(PASSWORD), "", &load);
    refused(
        &bench,
        &output,
        &["Login failed for user 'sa'. (error 18456)", "check user, password and database"],
    );

    let bench = Bench::new();
    let server = Server::start(move |heard| match &heard.what {
        What::Batch(text) if text.starts_with("CREATE TABLE warehouse") => {
            error(2714, 16, "There is already an object named 'warehouse' in the database.")
        }
        _ => answers(heard),
    });
    let output = bench.dyno(&server.string(PASSWORD), FILL, &load);
    refused(
        &bench,
        &output,
        &["There is already an object named 'warehouse'", "it was not touched; drop it"],
    );

    let bench = Bench::new();
    let server = Server::start(|heard| match &heard.what {
        What::Batch(text) if text.contains("ProductVersion") => {
            Some(rows(&[Kind::NVarChar(128)], &[&["10.50.6000.34"]]))
        }
        _ => answers(heard),
    });
    let output = bench.dyno(&server.string(PASSWORD), "", &load);
    refused(
        &bench,
        &output,
        &["SQL Server 10.50.6000.34 is too old", "use SQL Server 11 or newer"],
    );

    let (bench, server) = (Bench::new(), Server::start(answers));
    let output = bench.dyno(&server.string(PASSWORD), "", &[step("s", "1s", "\"oltp_read_only\"")]);
    refused(&bench, &output, &["sysbench has no driver for it", "use the workload tpcc"]);

    let bench = Bench::new();
    let output = bench.dyno(&format!("Server=tcp:127.0.0.1;Password='{PASSWORD}"), "", &load);
    refused(&bench, &output, &["DYNO_SQLSERVER_URL cannot be read"]);
}

#[test]
fn values_of_every_type_are_read_as_they_were_sent() {
    let server = Server::start(|heard| match &heard.what {
        // The violation of the first condition is shown as it was read.
        What::Batch(text) if text.starts_with("SELECT TOP (3) w_id, w_ytd, s FROM warehouse") => {
            let (money, time) = (Kind::Decimal(12, 2), Kind::DateTime2(0));
            let kinds = [
                Kind::Int,
                Kind::BigInt,
                money,
                Kind::Char(2),
                Kind::NVarChar(9),
                time,
                Kind::Float,
                Kind::Int,
            ];
            let row = [
                "-7",
                "8589934592",
                "-300000.07",
                "BC",
                "Ωmega",
                "2026-01-31 12:00:01",
                "0.5",
                "NULL",
            ];
            Some(rows(&kinds, &[&row]))
        }
        _ => answers(heard),
    });
    let bench = Bench::new();
    let output = bench.dyno(&server.string(PASSWORD), "", &[check()]);
    let row = "[[Text(\"-7\"), Text(\"8589934592\"), Text(\"-300000.07\"), Text(\"BC\"), \
               Text(\"Ωmega\"), Text(\"2026-01-31T12:00:01\"), Text(\"0.5\"), Null]]";
    refused(&bench, &output, &["consistency condition 1 (clause 3.3.2.1) is violated", row]);
}

#[test]
fn a_server_that_wants_it_gets_its_whole_connection_encrypted() {
    let made = rcgen::generate_simple_self_signed(["localhost".to_string()]).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS12]);
    let config = config
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let (bench, server) = (Bench::new(), Server::with_tls(Some(Arc::new(config)), answers));
    succeeds(&bench.dyno(&server.string(PASSWORD), "", &[load()]));
    terminal::payment(&transactions(&server.heard()));

    // An untrusted certificate is refused, unless the string permits it.
    let bench = Bench::new();
    let string = server
        .string(PASSWORD)
        .replace("TrustServerCertificate=true", "TrustServerCertificate=false");
    let output = bench.dyno(&string, "", &[load()]);
    refused(
        &bench,
        &output,
        &["the server's certificate was rejected", "TrustServerCertificate=true"],
    );
    assert!(!said(&output).contains("check user, password"), "{}", said(&output));
}

/// With a server, the untested parts can be tested: `DYNO_SQLSERVER_URL=… cargo test --release
/// --test it sqlserver::`, with a database without TPC-C's tables.
#[test]
fn a_real_server_loads_runs_and_keeps_the_conditions() {
    let Ok(string) = std::env::var("DYNO_SQLSERVER_URL") else {
        skip("DYNO_SQLSERVER_URL is not set, so no real SQL Server has run any of this");
        return;
    };
    let bench = Bench::new();
    let load = step("load", "20s", "{ kind = \"tpcc\", warehouses = 1, timing = \"no-wait\" }")
        .replace("engine = \"sqlserver\"\n", "engine = \"sqlserver\"\nthreads = 4\n");
    succeeds(&bench.dyno(
        &string,
        FILL,
        &[step("before", "10ms", "\"tpcc_check\""), load, check()],
    ));
    assert!(bench.fact("Queries: write").is_some_and(|n| n > 0.0));
}
