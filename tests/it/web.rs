//! `dyno serve`: its pages, as seen by a client without scripts.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dyno::record::PointKey;
use dyno::web::{BoundServer, RunningServer, ServedFolder, ServerOptions};

use crate::made::{self, Figures};
use crate::support::{DYNO, dyno, said, size};

/// A server's response.
pub struct Answer {
    pub status: u16,
    pub headers: HashMap<String, String>,
    pub body: String,
}

/// A server of a folder on loopback, until dropped.
pub struct Served {
    pub address: SocketAddr,
    _running: RunningServer,
}

pub fn serve(folder: &Path) -> Served {
    let listen = "127.0.0.1:0".parse().expect("an address");
    let site = ServedFolder::of_folder(folder).expect("a folder");
    let server =
        BoundServer::bind(site, ServerOptions { listen, token: None, allowed_hosts: Vec::new() })
            .expect("listening");
    Served { address: server.address(), _running: server.start().expect("started") }
}

impl Served {
    /// A page, by its path.
    pub fn get(&self, path: &str) -> Answer {
        let host = self.address;
        ask(host, &format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
    }

    /// A page that must exist.
    pub fn page(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.body
    }
}

/// The address that `dyno serve` prints when it listens.
pub fn printed_address(serve: &mut Child) -> SocketAddr {
    let mut line = String::new();
    BufReader::new(serve.stdout.take().expect("piped")).read_line(&mut line).expect("read");
    line.trim().trim_start_matches("http://").trim_end_matches('/').parse().expect(&line)
}

/// The raw response to a request.
pub fn ask(address: SocketAddr, request: &str) -> Answer {
    let mut stream = TcpStream::connect(address).expect("connected");
    stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a timeout");
    stream.write_all(request.as_bytes()).expect("asked");
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("answered");
    let all = String::from_utf8(all).expect("text");
    let (head, body) = all.split_once("\r\n\r\n").unwrap_or((&all, ""));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let headers = lines.filter_map(|line| line.split_once(": "));
    Answer {
        status: status.unwrap_or(0),
        headers: headers.map(|(name, value)| (name.to_lowercase(), value.to_string())).collect(),
        body: body.to_string(),
    }
}

/// A bundle of two subjects at two depths in two repeats, with selected points.
pub fn bundle(folder: &Path, name: &str, wanted: &dyn Fn(&PointKey) -> bool) {
    let sweep = "sweep = { axis = \"io.depth\", values = [1, 8] }";
    let sources = tempfile::tempdir().expect("a folder");
    let plan = made::plan(sources.path(), &made::step("reads", sweep, ""), 2, 2);
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
    made::write(&path, &plan, &mut |key| {
        let better = if key.subject == "B" { 1.2 } else { 1.0 };
        let ops_per_s = 1e3 * better * f64::from(key.repeat + 20);
        wanted(key).then(|| Figures { ops_per_s, p99_ns: 2e5, ..Figures::default() })
    });
}

#[test]
fn the_catalogue_lists_finds_and_opens_every_bundle_below_the_folder_without_scripts() {
    let made = made::folder();
    bundle(made.path(), "whole.dyno", &|_| true);
    bundle(made.path(), "lab/a b#c?.dyno", &|key| key.repeat == 1);
    std::fs::write(made.path().join("text.dyno"), "no bundle").expect("written");
    let served = serve(made.path());
    let page = served.page("/");
    assert!(!page.contains("<script"), "{page}");
    assert!(page.contains("3 of 3 bundles"), "{page}");
    for said in ["href=\"/brief/whole.dyno\"", "href=\"/brief/lab/a%20b%23c%3F.dyno\"", "text.dyno"]
    {
        assert!(page.contains(said), "{said}: {page}");
    }
    for state in ["whole", "cut", "broken"] {
        assert!(page.contains(&format!(">{state}</span>")), "{state}: {page}");
    }
    let found = served.page("/?search=MADE+cut");
    assert!(found.contains("1 of 3 bundles") && found.contains("a b#c?.dyno"), "{found}");
    assert!(served.page("/?search=nothing+of+this").contains("No bundle is found"));
    let brief = served.page("/brief/lab/a%20b%23c%3F.dyno");
    assert!(brief.contains("<h1>Made</h1>") && brief.contains("</html>"), "{brief}");
    assert!(served.page("/brief/whole.dyno?language=ja").contains("lang=\"ja\""));
    assert_eq!(served.get("/brief/whole.dyno?language=xx").status, 400);
    assert_eq!(served.get("/brief/text.dyno").status, 500);
    assert_eq!(served.get("/nothing").status, 404);
    let css = served.get("/assets/web.css");
    assert_eq!((css.status, &*css.headers["content-type"]), (200, "text/css; charset=utf-8"));
}

/// A brief in the browser and the file written by `dyno report` are the same page, except for the
/// navigation.
#[test]
fn a_bundle_opens_as_the_page_that_dyno_report_writes_with_a_way_back() {
    let made = made::folder();
    bundle(made.path(), "a.dyno", &|_| true);
    let served = serve(made.path());
    let page = served.page("/brief/a.dyno");
    let output = dyno(made.path(), &["report", "a.dyno", "-o", "a.html"]);
    assert!(output.status.success(), "{}", said(&output));
    let file = std::fs::read_to_string(made.path().join("a.html")).expect("read");
    let (before, rest) = page.split_once("<nav lang=\"en\" aria-label=\"Pages\">").expect("a way");
    let (links, after) = rest.split_once("</nav>\n").expect("its end");
    assert!(links.contains("<li><a href=\"/\">Catalogue</a></li>"), "{links}");
    assert!(format!("{before}{after}") == file, "the page and the file differ");
}

#[test]
fn the_command_prints_its_address_and_an_address_that_others_reach_needs_a_token() {
    let made = made::folder();
    bundle(made.path(), "a.dyno", &|_| true);
    let mut command = Command::new(DYNO);
    let args = ["serve", "--listen", "127.0.0.1:0", "--allowed-host", "lab1.example"];
    command.current_dir(made.path()).args(args);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("started");
    let address = printed_address(&mut child);
    let asked = |host: &str| {
        ask(address, &format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
    };
    let answer = asked(&address.to_string());
    let [named, other] = ["lab1.example:7070", "lab2.example"].map(asked);
    let _ = child.kill();
    let _ = child.wait();
    assert!(answer.body.contains("1 of 1 bundles"), "{}", answer.body);
    assert_eq!((named.status, other.status), (200, 421));
    assert!(other.body.contains("--allowed-host NAME"), "{}", other.body);
    let wrong = dyno(made.path(), &["serve", "--allowed-host", "http://lab1"]);
    assert!(said(&wrong).contains("is not a host name"), "{}", said(&wrong));
    let refused = dyno(made.path(), &["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(refused.status.code(), Some(3), "{}", said(&refused));
    assert!(said(&refused).contains("there is no token"), "{}", said(&refused));
    std::fs::write(made.path().join("token"), "0123456789abcdef").expect("written");
    let open = dyno(made.path(), &["serve", "--listen", "0.0.0.0:0", "--token-file", "token"]);
    assert!(said(&open).contains("others may read"), "{}", said(&open));
}

/// A hundred bundles and many more: with its index the page is ready within five times the limit of
/// a second for ten thousand.
#[test]
fn the_page_of_a_large_catalogue_is_made_from_its_index() {
    let bundles: usize = size(100, 10_000);
    let made = made::folder();
    let folder = made.path();
    bundle(folder, "0/0.dyno", &|_| true);
    for i in 1..bundles {
        let path = folder.join(format!("{}/{i}.dyno", i / 1000));
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        std::fs::copy(folder.join("0/0.dyno"), path).expect("copied");
    }
    dyno::catalogue::BundleCatalogue::open(folder).expect("an index");
    let served = serve(folder);
    let begun = Instant::now();
    let page = served.page("/");
    let took = begun.elapsed();
    let begun = Instant::now();
    let last = served.page(&format!("/?search=made&page={}", bundles.div_ceil(50)));
    let again = begun.elapsed();
    println!("{bundles} bundles: {} ms, searched {} ms", took.as_millis(), again.as_millis());
    assert!(page.contains(&format!("{bundles} of {bundles} bundles")) && page.contains("Older"));
    assert!(last.contains("Newer") && !last.contains("Older"), "{last}");
    assert_eq!(page.matches("<tr>").count(), 51);
    assert!(took.max(again) < Duration::from_secs(5), "{took:?}, {again:?}");
}
