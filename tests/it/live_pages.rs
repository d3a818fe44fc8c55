//! The live pages of `dyno serve` and of `dyno run --serve`, and `/metrics`, compared with the
//! final bundle.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::live::{PROTOCOL, begin, of_bundle};
use crate::support::{DYNO, have, said, skip, until};

/// `dyno serve`, stopped when dropped.
struct Served {
    process: Child,
    address: String,
}

fn address_in(out: ChildStdout) -> String {
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line).expect("a line");
    let address = line.trim().strip_prefix("http://").expect("an address");
    address.trim_end_matches('/').to_string()
}

fn serve(folder: &Path) -> Served {
    let mut command = Command::new(DYNO);
    command.args(["serve", "--listen", "127.0.0.1:0"]).arg(folder).stdout(Stdio::piped());
    let mut process = command.spawn().expect("started");
    let address = address_in(process.stdout.take().expect("piped"));
    Served { process, address }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Served {
    fn ask(&self, path: &str, accept: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a timeout");
        let host = &self.address;
        let head = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: {accept}\r\n");
        stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).expect("asked");
        stream
    }

    /// Head and body of a response.
    fn get(&self, path: &str, accept: &str) -> (String, String) {
        let mut all = String::new();
        self.ask(path, accept).read_to_string(&mut all).expect("answered");
        let (head, body) = all.split_once("\r\n\r\n").expect("a head");
        (head.to_string(), body.to_string())
    }

    fn page(&self, path: &str) -> String {
        let (head, body) = self.get(path, "*/*");
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
        body
    }
}

/// The samples of `/metrics` with a name, by labels.
fn samples(text: &str, name: &str) -> BTreeMap<String, f64> {
    let own = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('{'));
    let pair = |line: &str| {
        let (labels, value) = line.rsplit_once("} ").expect("labels and a value");
        (labels.to_string(), value.parse().expect("a number"))
    };
    own.map(pair).collect()
}

/// The labels of each of the bundle's totals, with its ops and bytes, the sum and number of its
/// service times, and the number of its response times.
fn expected(folder: &Path) -> BTreeMap<String, [f64; 5]> {
    let of = |t: &dyno::record::live::Total| {
        let labels = format!(
            "run=\"b.dyno\",subject=\"{}\",step=\"{}\",stream=\"{}\",class=\"{}\"",
            t.subject, t.step, t.stream, t.class
        );
        let times = [t.service.sum_ns as f64 / 1e9, t.service.count as f64];
        (labels, [t.ops as f64, t.bytes as f64, times[0], times[1], t.response.count as f64])
    };
    of_bundle(folder).0.iter().map(of).collect()
}

#[test]
fn a_run_is_followed_by_its_events_and_its_metrics_end_as_the_bundle() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path();
    let mut run = begin(folder, PROTOCOL, &[]);
    until("the run's feed", 60, || dyno::lab::folder::feed::read(&folder.join("b.dyno")).is_some());
    let served = serve(folder);
    let list = served.page("/live");
    assert!(list.contains("/live/b.dyno") && list.contains("running"), "{list}");
    let page = served.page("/live/b.dyno");
    for part in ["io.threads", "4 points", "ops/s", "random on null"] {
        assert!(page.contains(part), "no '{part}' without scripts: {page}");
    }
    let mut lines = BufReader::new(served.ask("/events/b.dyno", "text/event-stream")).lines();
    let mut next = |name: &str| -> Option<Value> {
        let head = format!("event: {name}");
        lines.by_ref().map_while(Result::ok).find(|line| line.ends_with(&head))?;
        let data = lines.by_ref().map_while(Result::ok).find(|l| l.starts_with("data: "))?;
        serde_json::from_str(data.strip_prefix("data: ")?).ok()
    };
    let all = next("all").expect("everything first");
    assert!(all["recent"].is_array() && all["lines"].is_array(), "{all}");
    let (mut last, mut rows) = (all.clone(), 0);
    while let Some(second) = next("second") {
        rows += second["recent"].as_array().expect("rows").len();
        last = second;
    }
    assert!(rows >= 3, "a row a second: {rows}");
    assert_eq!((&last["state"], &last["points"]["done"]), (&json!("whole"), &json!(4)), "{last}");
    assert!(run.wait().expect("ended").success());

    let text = served.page("/metrics");
    let (expected, ops) = (expected(folder), samples(&text, "dyno_ops_total"));
    let bytes = samples(&text, "dyno_moved_bytes_total");
    let counted = samples(&text, "dyno_service_time_seconds_count");
    let sums = samples(&text, "dyno_service_time_seconds_sum");
    let due = samples(&text, "dyno_response_time_seconds_count");
    assert_eq!(ops.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (labels, of_bundle) in &expected {
        // Latencies are also of the ops in flight when the window closed.
        let times = [sums[labels], counted[labels], due[labels]];
        let of_metrics = [ops[labels], bytes[labels], times[0], times[1], times[2]];
        assert_eq!(&of_metrics, of_bundle, "{labels}");
    }
    assert_eq!(samples(&text, "dyno_run_points_total")["run=\"b.dyno\""], 4.0);
}

#[test]
fn both_formats_are_taken_by_the_programs_that_read_them() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path();
    let short = PROTOCOL.replace("1600ms", "100ms");
    assert!(begin(folder, &short, &[]).wait().expect("ended").success());
    let served = serve(folder);
    let (head, text) = served.get("/metrics", "text/plain");
    assert!(head.contains("text/plain; version=0.0.4"), "{head}");
    if have(&["promtool"]) {
        let taken = piped(Command::new("promtool").args(["check", "metrics"]), &text);
        assert_eq!(taken, (true, String::new()), "promtool has nothing to say");
    }
    let accept = "application/openmetrics-text; version=1.0.0";
    let (head, open) = served.get("/metrics", accept);
    assert!(head.contains("application/openmetrics-text; version=1.0.0"), "{head}");
    // The package for Debian's own Python, or for another that is found first.
    let known = |python: &&str| {
        let found = Command::new(python).args(["-c", "import prometheus_client"]).output();
        found.is_ok_and(|found| found.status.success())
    };
    let Some(python) = ["/usr/bin/python3", "python3"].into_iter().find(|p| known(p)) else {
        return skip("no Python has prometheus_client (Debian: python3-prometheus-client)");
    };
    let (well, families) = piped(Command::new(python).args(["-c", PARSE]), &open);
    assert!(well, "{families}");
    for part in [
        "dyno_ops counter",
        "dyno_run info",
        "dyno_run_state stateset",
        "dyno_service_time_seconds histogram seconds",
        "dyno_moved_bytes counter bytes",
    ] {
        assert!(families.contains(part), "no '{part}' in {families}");
    }
}

const DASHBOARD: &str = include_str!("../../docs/grafana.json");

/// Parses OpenMetrics strictly and names the families.
const PARSE: &str = "import sys\n\
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse\n\
    for f in parse(sys.stdin.read()): print(f.name, f.type, f.unit)\n";

/// Whether a program accepts a text, and its output.
fn piped(command: &mut Command, text: &str) -> (bool, String) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().expect("started");
    process.stdin.take().expect("piped").write_all(text.as_bytes()).expect("written");
    let output = process.wait_with_output().expect("ended");
    (output.status.success(), said(&output))
}

#[test]
fn what_a_prometheus_scraped_is_what_the_bundle_counts() {
    if !have(&["prometheus"]) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path();
    let served = serve(folder);
    let free = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port");
    let config = format!(
        "global: {{ scrape_interval: 1s }}\nscrape_configs:\n- job_name: dyno\n  \
         static_configs: [{{ targets: ['{}'] }}]\n",
        served.address
    );
    std::fs::write(folder.join("p.yml"), config).expect("written");
    let mut prometheus = Command::new("prometheus");
    prometheus.current_dir(folder).args(["--config.file=p.yml", "--storage.tsdb.path=data"]);
    prometheus.arg(format!("--web.listen-address={free}"));
    let prometheus = prometheus.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let address = free.to_string();
    let prometheus = Served { process: prometheus.expect("started"), address };
    until("a scrape", 60, || {
        asked(&prometheus.address, "query", "up", "")
            .is_some_and(|found| found["data"]["result"][0]["value"][1].as_str() == Some("1"))
    });
    assert!(begin(folder, PROTOCOL, &[]).wait().expect("ended").success());
    let expected = expected(folder);
    let totals = [0, 1, 4].map(|i| expected.values().map(|v| v[i]).sum::<f64>());
    let asked = |query: &str| -> Option<f64> {
        let body = asked(&prometheus.address, "query", query, "")?;
        body["data"]["result"][0]["value"][1].as_str()?.parse().ok()
    };
    let of_all = |name: &str| asked(&format!("sum({name})"));
    until("a scrape after the end", 60, || {
        asked("dyno_run_state{dyno_run_state=\"whole\"}") == Some(1.0)
    });
    assert_eq!(of_all("dyno_ops_total"), Some(totals[0]));
    assert_eq!(of_all("dyno_moved_bytes_total"), Some(totals[1]));
    assert_eq!(of_all("dyno_response_time_seconds_count"), Some(totals[2]));
    the_dashboards_queries_are_answered(&prometheus.address);
}

/// A Prometheus's answer to a query: `query`, or `query_range` with its further parameters.
fn asked(host: &str, kind: &str, query: &str, parameters: &str) -> Option<Value> {
    let query: String = query.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let mut stream = TcpStream::connect(host).ok()?;
    let path = format!("/api/v1/{kind}?query={query}{parameters}");
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n").ok()?;
    let mut all = String::new();
    stream.read_to_string(&mut all).ok()?;
    serde_json::from_str(all.split_once("\r\n\r\n")?.1).ok()
}

/// With Grafana's variables filled in, over the minutes of the run.
fn the_dashboards_queries_are_answered(prometheus: &str) {
    let dashboard: Value = serde_json::from_str(DASHBOARD).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels").iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().into_iter().flatten());
    let queries: Vec<&str> = targets.filter_map(|target| target["expr"].as_str()).collect();
    assert!(queries.len() > 10, "{queries:?}");
    // A null engine has no watts and no temperature; misses and abandoned transactions are only
    // reported if there are any.
    let without = ["dyno_power_watts", "dyno_temperature_celsius", "dyno_misses_total"];
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    let range = format!("&start={}&end={}&step=1", now - 300, now + 1);
    for query in queries {
        let filled = query.replace("$run", ".*").replace("$__rate_interval", "5m");
        let answer = asked(prometheus, "query_range", &filled, &range).expect("an answer");
        assert_eq!(answer["status"], "success", "{filled}: {answer}");
        let series = answer["data"]["result"].as_array().expect("series").len();
        let may_be_none = without.iter().any(|name| query.contains(name));
        assert!(series > 0 || may_be_none, "{filled}: {answer}");
    }
}

#[test]
fn each_metric_of_the_dashboard_is_one_of_metrics() {
    let dir = tempfile::tempdir().expect("a folder");
    let served = serve(dir.path());
    let text = served.page("/metrics");
    let kinds: BTreeMap<&str, &str> =
        text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' ')).collect();
    let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let own = DASHBOARD.split(word).filter(|w| w.starts_with("dyno_"));
    let mut seen = 0;
    for name in own.filter(|name| !name.starts_with("dyno_live")) {
        let of_histogram = ["_bucket", "_sum", "_count"]
            .iter()
            .filter_map(|end| name.strip_suffix(end))
            .any(|family| kinds.get(family) == Some(&"histogram"));
        assert!(kinds.contains_key(name) || of_histogram, "{name} is not a metric: {kinds:?}");
        seen += 1;
    }
    assert!(seen > 15, "{seen}");
}

/// The run's process: threads, and number of socket descriptors.
fn process(pid: u32) -> Option<(usize, usize)> {
    let entries = |what: &str| std::fs::read_dir(format!("/proc/{pid}/{what}")).ok();
    let is_socket = |entry: std::io::Result<std::fs::DirEntry>| {
        let link = std::fs::read_link(entry.ok()?.path()).ok()?;
        link.to_string_lossy().starts_with("socket:").then_some(())
    };
    Some((entries("task")?.count(), entries("fd")?.filter_map(is_socket).count()))
}

/// A process's parent and its priority, fields 4 and 19 of its stat.
fn parent_and_nice(pid: u32) -> Option<(u32, i32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some((fields.get(1)?.parse().ok()?, fields.get(16)?.parse().ok()?))
}

fn children(of: u32) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").expect("/proc").flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| parent_and_nice(*pid).is_some_and(|(parent, _)| parent == of)).collect()
}

#[test]
fn a_served_run_has_neither_sockets_nor_threads_for_it_and_its_server_ends_with_it() {
    let mut seen = Vec::new();
    for more in [&[][..], &["--serve=127.0.0.1:0"][..]] {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = dir.path();
        let long = PROTOCOL.replace("1600ms", "60s");
        let mut run = begin(folder, &long, more);
        until("a second of a window", 60, || {
            let found = dyno::lab::folder::feed::read(&folder.join("b.dyno"));
            found.is_some_and(|found| !found.feed.now.is_empty())
        });
        seen.push(process(run.id()).expect("it runs"));
        let servers = children(run.id());
        assert_eq!(servers.len(), more.len(), "a process of its own serves");
        let nice = servers.iter().filter_map(|pid| Some(parent_and_nice(*pid)?.1));
        assert_eq!(nice.collect::<Vec<_>>(), vec![19; more.len()], "it yields to the run");
        run.kill().expect("killed");
        run.wait().expect("gone");
        until("the server's end", 30, || servers.iter().all(|pid| parent_and_nice(*pid).is_none()));
    }
    assert_eq!(seen[0], seen[1], "threads and sockets, without and with --serve");
    assert_eq!(seen[1].1, 0, "sockets");
}

#[test]
fn a_live_run_is_watched_in_a_browser_from_its_first_point_to_its_brief() {
    let Some(mut browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path();
    let long = PROTOCOL.replace("1600ms", "4s").replace("200ms", "100ms");
    let mut run = begin(folder, &long, &[]);
    until("the run's feed", 60, || dyno::lab::folder::feed::read(&folder.join("b.dyno")).is_some());
    let served = serve(folder);
    browser.visit(&format!("http://{}/live/b.dyno", served.address), 390, false);
    assert_eq!(text(&mut browser, "#state"), "running");
    until("figures", 60, || {
        let drawn = "document.querySelectorAll('figure:not([hidden]) canvas').length";
        browser.eval(drawn).as_u64().is_some_and(|n| n >= 2)
    });
    until("reads and writes of one stream, reads of the other", 60, || {
        browser.eval("document.querySelectorAll('#now tr').length") == json!(3)
    });
    is_accessible(&mut browser, 390);
    browser.visit(&format!("http://{}/live/b.dyno", served.address), 1440, true);
    until("the end", 120, || text(&mut browser, "#state") == "whole");
    assert_eq!(text(&mut browser, "#points"), "4 of 4 points");
    assert!(run.wait().expect("ended").success());
    is_accessible(&mut browser, 1440);
    browser.eval("document.querySelector('input[value=whole]').click()");
    let drawn = browser.eval("document.querySelectorAll('#plots figure:not([hidden])').length");
    assert!(drawn.as_u64().is_some_and(|n| n >= 2), "{drawn}");
    let brief = browser.eval("document.querySelector('#live .note a').href");
    browser.visit(brief.as_str().expect("an address"), 1440, false);
    assert_eq!(text(&mut browser, "h1"), "Null", "its brief");
}

fn text(browser: &mut Browser, of: &str) -> String {
    let found = browser.eval(&format!("document.querySelector('{of}').textContent"));
    found.as_str().unwrap_or_default().to_string()
}

/// No axe findings on the current page, and no external requests; it fits its width.
fn is_accessible(browser: &mut Browser, width: u32) {
    browser.eval("document.querySelectorAll('details').forEach(d => { d.open = true; })");
    let found = browser.axe();
    assert!(found["passes"].as_u64().is_some_and(|n| n > 12), "axe looked at little: {found}");
    assert_eq!(found["violations"], json!([]), "at {width} px");
    let wide = browser.eval("document.documentElement.scrollWidth").as_u64();
    assert!(wide.is_some_and(|wide| wide <= u64::from(width)), "{wide:?} at {width}");
    let outside: Vec<_> = browser
        .asked
        .iter()
        .filter(|url| !url.starts_with("http://127.0.0.1") && !url.starts_with("data:"))
        .collect();
    assert!(outside.is_empty(), "the page asked for {outside:?}");
}
