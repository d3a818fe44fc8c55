//! Messages of a run on SQL Server: the right advice, the right verdict.

use super::*;

#[test]
fn a_failed_transaction_names_what_its_own_workload_needs() {
    let error = |message| Some(Answer::Error { code: 208, class: 16, message, rolls_back: false });
    let server = Server::start(move |heard| match &heard.what {
        What::Call { text, .. } if text.starts_with("UPDATE warehouse") => {
            error("Invalid object name 'warehouse'.")
        }
        _ => answers(heard),
    });
    let bench = Bench::new();
    let output = bench.dyno(&server.string(PASSWORD), "", &[load()]);
    let words = ["Invalid object name 'warehouse'", "as many warehouses as the workload"];
    refused(&bench, &output, &words);
    assert!(!said(&output).contains("table_size"), "{}", said(&output));
}

#[test]
fn a_login_that_is_dropped_is_tried_once_more_and_two_are_an_error() {
    // Every second login succeeds.
    let (seen, logins) = (AtomicU64::new(0), Arc::new(AtomicU64::new(0)));
    let counted = Arc::clone(&logins);
    let server = Server::start(move |heard| match &heard.what {
        What::Login { .. } => {
            counted.fetch_add(1, Relaxed);
            (seen.fetch_add(1, Relaxed) % 2 == 0).then_some(Answer::Cut)
        }
        _ => answers(heard),
    });
    let bench = Bench::new();
    let alone = load().replace("engine = \"sqlserver\"\n", "engine = \"sqlserver\"\nthreads = 1\n");
    succeeds(&bench.dyno(&server.string(PASSWORD), "connect_at_once = 1\n", &[alone]));
    assert!(logins.load(Relaxed) >= 4 && logins.load(Relaxed).is_multiple_of(2));

    let server = Server::start(|heard| match &heard.what {
        What::Login { .. } => Some(Answer::Cut),
        _ => answers(heard),
    });
    let bench = Bench::new();
    let output = bench.dyno(&server.string(PASSWORD), "", &[load()]);
    refused(&bench, &output, &["cannot connect", "check that the server runs"]);
}

#[test]
fn a_check_has_a_verdict_and_a_duration_and_no_rate() {
    let (bench, server) = (Bench::new(), Server::start(answers));
    let output = bench.dyno(&server.string(PASSWORD), "", &[check()]);
    succeeds(&output);
    assert!(said(&output).contains(": kept, in "), "{}", said(&output));
    assert!(!said(&output).contains("ops/s"), "{}", said(&output));
    let run = |what: &str| {
        let output = Command::new(DYNO).args([what]).arg(bench.path("b.dyno")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let shown = run("show");
    assert!(shown.contains("the longest check took") && !shown.contains("ops/s"), "{shown}");
    let table = run("export");
    let mut lines = table.lines();
    let at = lines.next().unwrap().split(',').position(|name| name == "ops_per_s").unwrap();
    assert_eq!(lines.next().unwrap().split(',').nth(at), Some(""), "{table}");
}
