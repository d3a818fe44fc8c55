//! Attacks on `dyno serve`: whatever the request, nothing outside the folder is served, nothing
//! from a bundle is executed, and other clients are answered.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use dyno::record::setup::DriveSetup;
use dyno::record::{Outcome, Run, Setup};
use dyno::store::Bundle;
use dyno::web::security::token::Token;
use dyno::web::{BoundServer, ServedFolder, ServerOptions};

use crate::made::{self, Figures};
use crate::support::{DYNO, size, until};
use crate::web::{ask, bundle, serve};

const SECRET: &str = "nobody may read this";

/// The text of every name of a hostile bundle.
const SCRIPT: &str = "<script>document.title='owned'</script><img src=x onerror=alert(1)>\"'&";

#[test]
fn no_path_leads_out_of_the_folder() {
    let (made, outside) = (made::folder(), made::folder());
    let folder = made.path().join("served");
    bundle(&folder, "a.dyno", &|_| true);
    bundle(outside.path(), "secret.dyno", &|_| true);
    bundle(made.path(), "beside.dyno", &|_| true);
    std::fs::write(made.path().join("secret.txt"), SECRET).expect("written");
    std::fs::write(folder.join("plan.toml"), SECRET).expect("written");
    symlink(outside.path(), folder.join("out")).expect("a link");
    symlink(outside.path().join("secret.dyno"), folder.join("linked.dyno")).expect("a link");
    symlink("/etc/passwd", folder.join("passwd.dyno")).expect("a link");
    let served = serve(&folder);
    assert_eq!(served.get("/brief/a.dyno").status, 200);
    let absolute = format!("/brief/{}", outside.path().join("secret.dyno").display());
    let paths = [
        "/brief/../beside.dyno",
        "/brief/..%2fbeside.dyno",
        "/brief/%2e%2e/beside.dyno",
        "/brief/%2e%2e%2fbeside.dyno",
        "/brief/..%5cbeside.dyno",
        "/brief/%252e%252e%252fbeside.dyno",
        "/brief/./a.dyno",
        "/brief//a.dyno",
        "/brief/a.dyno%00",
        "/brief/a.dyno/",
        "/brief/out/secret.dyno",
        "/brief/linked.dyno",
        "/brief/passwd.dyno",
        "/brief/plan.toml",
        "/brief/.dyno-catalogue",
        "/brief/%2fetc%2fpasswd",
        "/brief//etc/passwd",
        "/brief/served/a.dyno",
        "/assets/../Cargo.toml",
        "/assets/..%2f..%2fCargo.toml",
        "/assets/%2fetc%2fpasswd",
        "/../../etc/passwd",
        "/plan.toml",
        "/.dyno-catalogue",
        &absolute,
    ];
    for path in paths {
        let answer = served.get(path);
        assert!([400, 404].contains(&answer.status), "{path}: {}", answer.status);
        for part in [SECRET, "root:", "<h1>Made</h1>", "dyno catalogue 1"] {
            assert!(!answer.body.contains(part), "{path}: {}", answer.body);
        }
    }
    // A file of the catalogue that is replaced by a link before the index is updated.
    std::fs::remove_file(folder.join("a.dyno")).expect("removed");
    symlink(outside.path().join("secret.dyno"), folder.join("a.dyno")).expect("a link");
    assert_eq!(served.get("/brief/a.dyno").status, 404);
}

#[test]
fn requests_that_change_or_come_from_elsewhere_are_refused() {
    let made = made::folder();
    bundle(made.path(), "a.dyno", &|_| true);
    let served = serve(made.path());
    let port = served.address.port();
    let with = |line: &str, headers: &str| {
        let status =
            ask(served.address, &format!("{line} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n"));
        status.status
    };
    let own = format!("Host: 127.0.0.1:{port}\r\n");
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE", "EVIL"] {
        let status = with(&format!("{method} /"), &own);
        assert!([400, 405].contains(&status), "{method}: {status}");
    }
    for host in
        ["evil.example", "evil.example:7070", "127.0.0.1.evil.example", "0.0.0.0", "10.1.1.1"]
    {
        assert_eq!(with("GET /", &format!("Host: {host}\r\n")), 421, "{host}");
    }
    assert_eq!(with("GET /", ""), 421);
    assert!([400, 421].contains(&with("GET /", &format!("{own}Host: evil.example\r\n"))));
    assert_eq!(with("GET http://evil.example/", &own), 421);
    for origin in ["http://evil.example", "null", "http://127.0.0.1.evil.example", "file://"] {
        assert_eq!(with("GET /", &format!("{own}Origin: {origin}\r\n")), 403, "{origin}");
    }
    assert_eq!(with("GET /", &format!("{own}Sec-Fetch-Site: cross-site\r\n")), 403);
    let link = format!("{own}Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n");
    assert_eq!(with("GET /", &link), 200);
    assert_eq!(with("GET /", "Host: localhost:9999\r\n"), 200, "through a tunnel");
    assert_eq!(with("GET /", &format!("{own}Origin: http://127.0.0.1:{port}\r\n")), 200);
    let head = ask(served.address, &format!("HEAD / HTTP/1.1\r\n{own}Connection: close\r\n\r\n"));
    assert_eq!((head.status, &*head.body), (200, ""));
    // Refused or not, every response has the security headers.
    for path in ["/", "/nothing", "/brief/a.dyno", "/assets/web.css"] {
        let headers = served.get(path).headers;
        let policy = &headers["content-security-policy"];
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'") && policy.contains("base-uri 'none'"));
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(headers["referrer-policy"], "no-referrer");
        assert_eq!(headers["cross-origin-resource-policy"], "same-origin");
        assert!(!headers.keys().any(|name| name.starts_with("access-control")), "{headers:?}");
    }
}

#[test]
fn with_a_token_nothing_is_answered_to_who_has_neither_it_nor_its_cookie() {
    let made = made::folder();
    bundle(made.path(), "a.dyno", &|_| true);
    let path = made.path().join("token");
    std::fs::write(&path, "0123456789abcdef\n").expect("written");
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&path, private).expect("set");
    let token = Some(Token::of_file(&path).expect("a token"));
    let listen = "127.0.0.1:0".parse().expect("an address");
    let site = ServedFolder::of_folder(made.path()).expect("a folder");
    let server =
        BoundServer::bind(site, ServerOptions { listen, token, allowed_hosts: Vec::new() })
            .expect("listening");
    let address = server.address();
    let _running = server.start().expect("started");
    let get = |path: &str, header: &str| {
        let head = format!("Host: {address}\r\n{header}Connection: close\r\n\r\n");
        ask(address, &format!("GET {path} HTTP/1.1\r\n{head}"))
    };
    for path in ["/", "/brief/a.dyno", "/assets/web.css", "/nothing", "/?token=0123456789abcdeX"] {
        let answer = get(path, "");
        assert_eq!(answer.status, 401, "{path}");
        assert!(!answer.body.contains("Made") && !answer.headers.contains_key("set-cookie"));
    }
    assert_eq!(get("/", "Authorization: Bearer 0123456789abcdef\r\n").status, 200);
    assert_eq!(get("/", "Authorization: Bearer 0123456789abcdee\r\n").status, 401);
    let answer = get("/?token=0123456789abcdef&search=x", "");
    assert_eq!((answer.status, &*answer.headers["location"]), (303, "/?search=x"));
    let cookie = answer.headers["set-cookie"].split(';').next().expect("a cookie").to_string();
    assert_eq!(get("/", &format!("Cookie: {cookie}\r\n")).status, 200);
    assert_eq!(get("/", &format!("Cookie: {cookie}x\r\n")).status, 401);
}

/// A bundle whose title, subjects and serial number are scripts.
pub fn hostile(folder: &std::path::Path, name: &str) {
    let sources = tempfile::tempdir().expect("a folder");
    let mut plan = made::plan(sources.path(), &made::step("reads", "", ""), 2, 3);
    plan.protocol.title = SCRIPT.to_string();
    plan.protocol.source = SCRIPT.to_string();
    plan.subjects[0].name = SCRIPT.to_string();
    plan.subjects[1].name = "</title></style></script><script>document.title='owned'//".to_string();
    let drive = DriveSetup {
        subject: SCRIPT.to_string(),
        serial: Some(SCRIPT.to_string()),
        ..DriveSetup::default()
    };
    let setup = Setup { drives: vec![drive], ..Setup::default() };
    let run = Run { plan, started_unix_ns: 1, dyno_version: SCRIPT.to_string() };
    made::write_run(&folder.join(name), &run, &setup, &mut |_| {
        Some(Figures { ops_per_s: 1e3, p99_ns: 2e5, ..Figures::default() })
    });
}

#[test]
fn names_of_a_bundle_are_text_on_every_page_and_its_scripts_are_none() {
    let made = made::folder();
    hostile(made.path(), "a.dyno");
    hostile(made.path(), "<img src=x onerror=alert(1)>.dyno");
    let served = serve(made.path());
    let briefs = ["/brief/a.dyno", "/brief/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E.dyno"];
    let search = "/?search=%22%3E%3Cscript%3Ealert(1)%3C/script%3E";
    for path in ["/", search, briefs[0], briefs[1], "/brief/%3Cscript%3E"] {
        let answer = served.get(path);
        let page = &answer.body;
        let scripts = if briefs.contains(&path) { 1 } else { 0 };
        assert_eq!(page.matches("<script").count(), scripts, "{path}: {page}");
        assert!(!page.contains("<img") && !page.contains("onerror=alert(1)>\"'"), "{path}: {page}");
        assert!(!answer.headers["content-security-policy"].contains("unsafe"), "{path}");
    }
    assert!(served.page("/").contains("2 of 2 bundles"));
}

/// A slow client, the i-th: one that sends nothing, one that sends half a head, or one that never
/// ends it.
fn slow(host: SocketAddr, i: usize) -> TcpStream {
    let mut stream = TcpStream::connect(host).expect("connected");
    let begun = match i % 3 {
        0 => String::new(),
        1 => "GET / HTTP/1.1\r\nHo".to_string(),
        _ => format!("GET /brief/a.dyno HTTP/1.1\r\nHost: {host}\r\nX-A: "),
    };
    let _ = stream.write_all(begun.as_bytes());
    stream
}

/// Fewer slow clients in everyday runs than in a soak.
#[test]
fn slow_connections_keep_nobody_else_waiting() {
    let many = size(300, 1_000);
    let made = made::folder();
    bundle(made.path(), "a.dyno", &|_| true);
    let served = serve(made.path());
    let mut slow_ones = Vec::new();
    for i in 0..many {
        slow_ones.push(slow(served.address, i));
        if i % 50 == 49 {
            assert!(served.page("/").contains("1 of 1 bundles"), "after {i}");
        }
    }
    assert!(served.page("/brief/a.dyno").contains("</html>"));
    // Those in the way have been closed, the rest may be.
    let is_closed = |stream: &mut TcpStream| {
        let _ = stream.set_nonblocking(true);
        !matches!(stream.read(&mut [0; 8]), Err(e) if e.kind() == std::io::ErrorKind::WouldBlock)
    };
    let mut closed = || slow_ones.iter_mut().filter_map(|s| is_closed(s).then_some(())).count();
    until("the connections beyond the most are closed", 60, || closed() >= many - 256);
}

/// The ops of a paced load are known in advance: the rate times the window.
#[test]
fn a_run_does_what_its_plan_asks_while_its_page_is_attacked() {
    const OPS_PER_S: u64 = 1_000;
    let (many, seconds) = (size(200, 1_000), size(6, 60));
    let protocol = format!(
        "title = \"t\"\n[[step]]\nname = \"s\"\nduration = \"{seconds}s\"\n[[step.stream]]\n\
         name = \"io\"\nengine = \"null\"\nworkload = \"random\"\nrate = \"{OPS_PER_S}/s\"\n"
    );
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(dir.path().join("a")).expect("a folder");
    std::fs::write(dir.path().join("p.toml"), protocol).expect("written");
    let mut run = Command::new(DYNO);
    run.current_dir(dir.path()).args(["run", "./p.toml", "-s", "A=a", "--repeats", "1"]);
    run.args(["-o", "b.dyno", "--serve=127.0.0.1:0", "--progress", "json"]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("started");
    let mut said = BufReader::new(run.stderr.take().expect("piped"));
    let mut line = String::new();
    said.read_line(&mut line).expect("its address");
    let host = line.split("http://").nth(1).and_then(|rest| rest.split('/').next()?.parse().ok());
    let host: SocketAddr = host.unwrap_or_else(|| panic!("no address in: {line}"));
    let mut slow_ones = Vec::new();
    let get = |path: &str, more: &str| {
        ask(host, &format!("GET {path} HTTP/1.1\r\n{more}Connection: close\r\n\r\n")).status
    };
    let own = format!("Host: {host}\r\n");
    // The server ends with the run.
    let over = Instant::now() + Duration::from_secs(seconds / 2);
    while slow_ones.len() < many && Instant::now() < over {
        slow_ones.push(slow(host, slow_ones.len()));
        assert!([400, 404].contains(&get("/brief/..%2f..%2fetc%2fpasswd", &own)));
        assert_eq!(get("/live", "Host: evil.example\r\n"), 421);
        assert_eq!(get("/live", &own), 200, "after {} slow clients", slow_ones.len());
    }
    eprintln!("{} slow clients, and as many requests of each kind", slow_ones.len());
    assert!(slow_ones.len() >= many / 4);
    std::io::copy(&mut said, &mut std::io::sink()).expect("heard to its end");
    assert!(run.wait().expect("ended").success());
    let points = Bundle::open(&dir.path().join("b.dyno")).and_then(|b| b.points()).expect("points");
    let point = &points[0].point;
    assert_eq!((points.len(), &point.outcome), (1, &Outcome::Measured));
    let due = OPS_PER_S * seconds;
    let ops: u64 = point.cells.iter().flat_map(|c| &c.tallies).map(|tally| tally.ops).sum();
    // Ops due as the window closed, if other tests had the processors.
    let left: u64 = point.cells.iter().map(|cell| cell.backlog_end).sum();
    assert!((ops + left).abs_diff(due) <= 1, "{ops} ops of {due}, and {left} that were due");
    assert!(left <= due / 20, "{ops} ops of {due}");
}

#[test]
fn a_folder_of_broken_bundles_is_listed_and_breaks_nothing() {
    let made = made::folder();
    let folder = made.path();
    bundle(folder, "good.dyno", &|_| true);
    let good = std::fs::read(folder.join("good.dyno")).expect("read");
    std::fs::write(folder.join("empty.dyno"), "").expect("written");
    std::fs::write(folder.join("text.dyno"), "no bundle").expect("written");
    std::fs::write(folder.join("half.dyno"), &good[..good.len() / 2]).expect("written");
    let mut rng = made::rng(7, 0);
    for i in 0..size(20, 500) {
        let mut bytes = good.clone();
        for _ in 0..64 {
            let at = rng.below(bytes.len() as u64) as usize;
            bytes[at] = rng.below(256) as u8;
        }
        std::fs::write(folder.join(format!("damaged-{i}.dyno")), bytes).expect("written");
    }
    let served = serve(folder);
    let page = served.page("/");
    assert!(page.contains(">broken</span>") && page.contains("good.dyno"), "{page}");
    for name in ["empty", "text", "half", "damaged-0", "damaged-1", "damaged-2", "damaged-3"] {
        let answer = served.get(&format!("/brief/{name}.dyno"));
        assert!([200, 500].contains(&answer.status), "{name}: {}", answer.status);
        let folder = folder.display().to_string();
        assert!(!answer.body.contains(&folder) || answer.status == 200, "{}", answer.body);
    }
    assert!(served.page("/brief/good.dyno").contains("</html>"));
    assert_eq!(served.get("/").status, 200);
}
