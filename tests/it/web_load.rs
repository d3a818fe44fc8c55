//! `dyno serve` under mixed load from several addresses: slow readers, large requests, markup and
//! more connections than there are seats; other clients are answered and memory stays flat. Seconds
//! in everyday runs, ten minutes in a soak.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketType, bind, connect, socket, sockopt};

use crate::made;
use crate::support::{DYNO, size, until};
use crate::web::{bundle, printed_address};

/// Every address 127.0.0.0/8 is loopback; None if this host's is not.
fn client(from: u8, to: SocketAddr) -> Option<TcpStream> {
    let made = socket(AddressFamily::INET, SocketType::STREAM, None).ok()?;
    // So small that a page does not fit.
    sockopt::set_socket_recv_buffer_size(&made, 2_048).ok()?;
    bind(&made, &SocketAddrV4::new(Ipv4Addr::new(127, 0, 0, from), 0)).ok()?;
    connect(&made, &to).ok()?;
    Some(made.into())
}

struct Served(Child, SocketAddr);

impl Served {
    fn start(folder: &std::path::Path) -> Served {
        let mut command = Command::new(DYNO);
        command.arg("serve").arg(folder).args(["--listen", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("started");
        let address = printed_address(&mut child);
        Served(child, address)
    }

    fn memory_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id()));
        let status = status.expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// The status of a page for a client, and the time that it took.
    fn get(&self, from: u8, path: &str) -> (u16, Duration) {
        let begun = Instant::now();
        let Some(mut stream) = client(from, self.1) else { return (0, begun.elapsed()) };
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        let asked = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.1);
        let mut answer = Vec::new();
        let taken =
            stream.write_all(asked.as_bytes()).and_then(|()| stream.read_to_end(&mut answer));
        let head = String::from_utf8_lossy(&answer[..answer.len().min(64)]).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (taken.ok().and(status).unwrap_or(0), begun.elapsed())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A request of a hostile client, and how often it reads some bytes of the response.
fn hostile(served: &Served, i: usize) -> Option<TcpStream> {
    let host = served.1;
    let mut stream = client(2 + (i % 2) as u8, host)?;
    let path = match i % 5 {
        0 | 1 => "/brief/a.dyno".to_string(),
        2 => format!("/?search={}", "%3Cscript%3E".repeat(900)),
        3 => "/trend?protocol=p&by=subject&measure=p99&subject=%E2%80%AE%1B%5B".to_string(),
        _ => format!("/brief/{}", "../".repeat(3_000)),
    };
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()).ok()?;
    stream.set_nonblocking(true).ok()?;
    Some(stream)
}

#[test]
fn other_clients_are_answered_whatever_a_few_addresses_do_and_memory_stays_flat() {
    let made = made::folder();
    bundle(made.path(), "a.dyno", &|_| true);
    let served = Served::start(made.path());
    assert_eq!(served.get(1, "/").0, 200);
    let lasts = Duration::from_secs(size(6, 600));
    // On a machine with other tests, seconds mean little.
    let within = Duration::from_secs(size(30, 1));
    let (begun, mut clients, mut longest) = (Instant::now(), Vec::new(), Duration::ZERO);
    let (mut number, mut early_kib) = (0, None);
    while begun.elapsed() < lasts {
        while clients.len() < 300 {
            clients.extend(hostile(&served, number));
            number += 1;
        }
        // Each takes a few bytes, or has been closed and is replaced.
        clients.retain_mut(|client| {
            let read = client.read(&mut [0; 64]);
            !matches!(read, Ok(0))
                && !read.is_err_and(|e| e.kind() != std::io::ErrorKind::WouldBlock)
        });
        let (status, took) = served.get(1, "/");
        assert_eq!(status, 200, "after {:?}", begun.elapsed());
        longest = longest.max(took);
        if begun.elapsed() > lasts / 3 {
            early_kib.get_or_insert_with(|| served.memory_kib());
        }
        // The rate of the slow clients: 64 bytes each in this time.
        std::thread::sleep(Duration::from_millis(200));
    }
    let (early_kib, late_kib) = (early_kib.expect("measured"), served.memory_kib());
    println!("{number} clients; another waited at most {longest:?}; {early_kib}, {late_kib} KiB");
    assert!(longest < within, "another client waited {longest:?}");
    assert!(late_kib < early_kib + (64 << 10), "{early_kib} KiB, then {late_kib} KiB");
}

/// Slow readers of one address keep a seat for 20 s at most, and give way to others at once.
#[test]
fn a_client_that_reads_slowly_is_closed_though_it_reads_all_the_time() {
    let made = made::folder();
    bundle(made.path(), "a.dyno", &|_| true);
    let served = Served::start(made.path());
    let mut slow = client(2, served.1).expect("loopback");
    let asked = format!("GET /brief/a.dyno HTTP/1.1\r\nHost: {}\r\n\r\n", served.1);
    slow.write_all(asked.as_bytes()).expect("asked");
    slow.set_read_timeout(Some(Duration::from_millis(200))).expect("a timeout");
    let mut read = 0;
    until("the slow client is closed", 180, || match slow.read(&mut [0; 64]) {
        Ok(0) => true,
        Ok(bytes) => {
            read += bytes;
            false
        }
        Err(error) => {
            !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
        }
    });
    println!("closed after {read} bytes");
    assert_eq!(served.get(1, "/").0, 200);
}
