//! The offset between this host's clock and another's, by exchanges of four timestamps with an NTP
//! server (RFC 5905, section 8, "On-Wire Protocol"), and such a server for hosts without one. The
//! server serves the time of its own clock, and sets none.

use std::io::ErrorKind;
use std::net::{ToSocketAddrs, UdpSocket};
use std::time::Duration;

use crate::base::clock::wall_ns;
use crate::base::error::{Context, Result, failed};
use crate::record::ClockOffset;

/// The port of Dyno's own server; NTP's, 123, belongs to the system.
pub const PORT: u16 = 7123;

/// A packet without extensions.
const PACKET: usize = 48;

/// Number of exchanges, as sent by ntpd at start (`iburst`); the one with the shortest round trip
/// counts.
const EXCHANGES: usize = 8;

/// A slower packet counts as lost.
const PATIENCE: Duration = Duration::from_millis(500);

/// From 1900, NTP's epoch, to 1970.
const NTP_EPOCH_S: u64 = 2_208_988_800;

/// Version 4 in bits 5:3, the mode in bits 2:0 (figure 8).
const CLIENT: u8 = 4 << 3 | 3;
const SERVER: u8 = 4 << 3 | 4;

/// Positions of the four timestamps in a packet; the client's own is returned as the origin.
const ORIGIN: usize = 24;
const RECEIVED: usize = 32;
const TRANSMITTED: usize = 40;

/// An unsynchronised clock has stratum 10, as in ntpd's local driver: hosts should not use it.
const STRATUM: u8 = 10;

/// Seconds since 1900 with a 32-bit fraction, as transmitted.
fn stamp(unix_ns: u64) -> u64 {
    let (s, ns) = (unix_ns / 1_000_000_000, unix_ns % 1_000_000_000);
    (s.wrapping_add(NTP_EPOCH_S) << 32) | ((ns << 32) / 1_000_000_000)
}

/// The time between two timestamps, nanoseconds; valid for 68 years in either direction.
fn between(from: u64, to: u64) -> i64 {
    ((i128::from(to.wrapping_sub(from) as i64) * 1_000_000_000) >> 32) as i64
}

/// The result of an exchange: the offset to be added to the client's clock, and the round-trip
/// time. `stamps`: sent by the client, received and sent by the server, received by the client.
fn offset_and_delay([t1, t2, t3, t4]: [u64; 4]) -> (i64, i64) {
    let offset = (between(t1, t2) + between(t4, t3)) / 2;
    (offset, between(t1, t4) - between(t2, t3))
}

/// The address, with Dyno's port if it has none.
fn with_port(address: &str) -> String {
    let has_port = address.rsplit_once(':').is_some_and(|(host, port)| {
        port.parse::<u16>().is_ok() && (!host.contains(':') || host.ends_with(']'))
    });
    if has_port { address.to_string() } else { format!("{address}:{PORT}") }
}

/// The offset to the clock at `address` (HOST or HOST:PORT). However the round trip is divided, the
/// true offset is within half of it.
pub fn compare(address: &str) -> Result<ClockOffset> {
    let silent = |why: String| {
        failed(
            format!("no clock answers at {address}: {why}"),
            "use a host with an NTP server (HOST:123), or start one there: `dyno fleet \
             clock --serve`",
        )
    };
    let mut found = with_port(address).to_socket_addrs().map_err(|e| silent(e.to_string()))?;
    let server = found.next().ok_or_else(|| silent("the name has no address".to_string()))?;
    let own = if server.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let socket = UdpSocket::bind(own).context("opening a UDP socket")?;
    socket.connect(server).map_err(|e| silent(e.to_string()))?;
    socket.set_read_timeout(Some(PATIENCE)).context("setting a time limit")?;
    let mut best: Option<(i64, i64)> = None;
    let mut trouble = "nothing came back".to_string();
    for _ in 0..EXCHANGES {
        match exchange(&socket) {
            Ok(Some(found)) if best.is_none_or(|best| found.1 < best.1) => best = Some(found),
            Ok(_) => {}
            Err(error) => trouble = error.to_string(),
        }
    }
    let (offset_ns, delay_ns) = best.ok_or_else(|| silent(trouble))?;
    // Half the round trip, plus the rounding of the timestamps.
    Ok(ClockOffset { offset_ns, bound_ns: delay_ns.max(0) as u64 / 2 + 1 })
}

/// One exchange; None if the received packet is not its answer.
fn exchange(socket: &UdpSocket) -> std::io::Result<Option<(i64, i64)>> {
    let mut packet = [0; PACKET];
    packet[0] = CLIENT;
    let sent = stamp(wall_ns());
    packet[TRANSMITTED..].copy_from_slice(&sent.to_be_bytes());
    socket.send(&packet)?;
    let mut answer = [0; 512];
    let length = socket.recv(&mut answer)?;
    let received = stamp(wall_ns());
    Ok(answered(&answer[..length], sent).map(|[t2, t3]| offset_and_delay([sent, t2, t3, received])))
}

/// The server's two timestamps, if the packet is an answer to the one sent then, from a
/// synchronised clock (leap indicator and stratum, figures 9 and 11).
fn answered(packet: &[u8], sent: u64) -> Option<[u64; 2]> {
    let at = |from: usize| Some(u64::from_be_bytes(packet.get(from..from + 8)?.try_into().ok()?));
    let [t2, t3] = [at(RECEIVED)?, at(TRANSMITTED)?];
    let is_set = packet[0] >> 6 != 3 && (1..16).contains(&packet[1]);
    (packet[0] & 0b111 == 4 && at(ORIGIN)? == sent && is_set && t3 != 0).then_some([t2, t3])
}

/// The answer to a packet received and sent at these times; None unless it is a client's. It is as
/// long as the request, so it cannot be used for amplification.
fn answer(packet: &[u8], received: u64, sent: u64) -> Option<[u8; PACKET]> {
    if packet.len() < PACKET || packet[0] & 0b111 != 3 {
        return None;
    }
    let mut out = [0; PACKET];
    // The precision, as a power of two of seconds: a microsecond.
    (out[0], out[1], out[2], out[3]) = (SERVER, STRATUM, packet[2], -20i8 as u8);
    out[12..16].copy_from_slice(b"LOCL");
    out[ORIGIN..RECEIVED].copy_from_slice(&packet[TRANSMITTED..PACKET]);
    out[RECEIVED..TRANSMITTED].copy_from_slice(&received.to_be_bytes());
    out[TRANSMITTED..].copy_from_slice(&sent.to_be_bytes());
    Some(out)
}

/// Serves this host's time until `stopped`.
pub fn serve(socket: &UdpSocket, stopped: &dyn Fn() -> bool) -> Result<()> {
    socket.set_read_timeout(Some(PATIENCE)).context("setting a time limit")?;
    let mut packet = [0; 512];
    while !stopped() {
        let (length, client) = match socket.recv_from(&mut packet) {
            Ok(got) => got,
            // A timeout, a signal, or a client that has gone.
            Err(e) if is_passing(e.kind()) => continue,
            Err(e) => return Err(e).context("receiving from a clock's clients"),
        };
        let received = stamp(wall_ns());
        if let Some(out) = answer(&packet[..length], received, stamp(wall_ns())) {
            // An unreachable client asks again, or not at all.
            let _ = socket.send_to(&out, client);
        }
    }
    Ok(())
}

fn is_passing(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::WouldBlock
            | ErrorKind::TimedOut
            | ErrorKind::Interrupted
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
    )
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::atomic::Ordering::Relaxed;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_stamp_is_of_seconds_since_1900_with_a_fraction_of_32_bits() {
        assert_eq!(stamp(0), 0x83AA_7E80_0000_0000);
        assert_eq!(stamp(500_000_000), 0x83AA_7E80_8000_0000);
        // In 2036 the seconds wrap around.
        let last = stamp(2_085_978_495_000_000_000);
        assert_eq!(between(last, stamp(2_085_978_497_000_000_000)), 2_000_000_000);
    }

    proptest! {
        /// Whatever the delays of request and answer, the offset is within half the round trip of
        /// the true one.
        #[test]
        fn the_truth_is_within_the_bound(
            ahead in -3_600_000_000_000i64..3_600_000_000_000,
            there in 0i64..50_000_000, at_server in 0i64..5_000_000, back in 0i64..50_000_000,
        ) {
            let begun = 1_763_868_000_000_000_000i64;
            let server = begun + there + ahead;
            let times = [begun, server, server + at_server, begun + there + at_server + back];
            let (offset, delay) = offset_and_delay(times.map(|t| stamp(t as u64)));
            prop_assert!((delay - there - back).abs() <= 4, "{delay}");
            prop_assert!((offset - ahead).abs() <= delay / 2 + 4, "{offset}");
        }

        #[test]
        fn rubbish_is_no_answer_and_never_a_panic(
            bytes in proptest::collection::vec(any::<u8>(), 1..80),
        ) {
            prop_assert!(answered(&bytes, 7).is_none() || bytes.len() >= PACKET);
            let _ = answer(&bytes, 1, 2);
        }
    }

    #[test]
    fn an_answer_counts_that_is_to_this_question_and_of_a_clock_that_is_set() {
        let mut question = [0; PACKET];
        question[0] = CLIENT;
        question[TRANSMITTED..].copy_from_slice(&7u64.to_be_bytes());
        let good = answer(&question, 11, 12).unwrap();
        assert_eq!(answered(&good, 7), Some([11, 12]));
        assert_eq!(answered(&good, 8), None);
        let with = |at: usize, byte: u8| {
            let mut packet = good;
            packet[at] = byte;
            answered(&packet, 7)
        };
        // Not synchronised; a kiss-o'-death packet; a client's packet.
        assert_eq!([with(0, 3 << 6 | SERVER), with(1, 0), with(0, CLIENT)], [None; 3]);
        assert_eq!(answer(&good, 1, 2), None);
    }

    #[test]
    fn a_clock_that_is_compared_with_itself_is_right_within_its_bound() {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap().to_string();
        let stop = AtomicBool::new(false);
        let found = std::thread::scope(|scope| {
            scope.spawn(|| serve(&socket, &|| stop.load(Relaxed)).unwrap());
            let found = compare(&address);
            stop.store(true, Relaxed);
            found
        });
        let found = found.unwrap();
        assert!(found.offset_ns.unsigned_abs() <= found.bound_ns, "{found:?}");
    }

    #[test]
    fn the_port_is_dynos_where_none_is_named() {
        let seen =
            ["lab1", "lab1:123", "192.0.2.7", "[2001:db8::7]", "[2001:db8::7]:9"].map(with_port);
        let expected =
            ["lab1:7123", "lab1:123", "192.0.2.7:7123", "[2001:db8::7]:7123", "[2001:db8::7]:9"];
        assert_eq!(seen, expected);
    }
}
