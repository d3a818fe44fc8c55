//! Limits concurrent connections, of all clients and of each address. If all slots are taken, the
//! connection that has waited longest without a request is closed, then the one whose client has
//! not accepted its response for longest: such clients only displace each other.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::sync::oneshot;

/// Maximum number of connections.
pub const MOST: usize = 256;
/// Maximum number of connections of one address: more than may watch runs, so that a proxy or a
/// tunnel can serve them all.
pub const MOST_OF_ADDRESS: usize = 192;
/// Time after which a client that has accepted nothing of its response is displaced by another.
const STALLED_NS: u64 = 1_000_000_000;

/// The connections of a server, oldest first.
#[derive(Default, Clone)]
pub struct Connections(Arc<Mutex<Slots>>);

#[derive(Default)]
struct Slots {
    next: u64,
    taken: Vec<TakenSlots>,
}

struct TakenSlots {
    id: u64,
    address: ClientAddress,
    /// Responses being generated or sent.
    answers: Arc<AtomicUsize>,
    stall: Stall,
    /// Dropped to close the connection.
    _evict: oneshot::Sender<()>,
}

/// A connection's slot.
pub struct ConnectionSlot {
    id: u64,
    answers: Arc<AtomicUsize>,
    stall: Stall,
    of: Connections,
}

/// A client's address. A host has a whole network of IPv6 addresses (RFC 4291, section 2.5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(IpAddr);

impl ClientAddress {
    /// The address of a connection.
    pub fn of(address: IpAddr) -> ClientAddress {
        match address.to_canonical() {
            IpAddr::V6(six) => {
                let network = six.to_bits() >> 64 << 64;
                ClientAddress(IpAddr::V6(Ipv6Addr::from_bits(network)))
            }
            four => ClientAddress(four),
        }
    }
}

/// The time since which a client has not accepted all of a response: nanoseconds of a clock that
/// starts with the server, 0 if it has accepted everything.
#[derive(Clone, Default)]
pub struct Stall(Arc<AtomicU64>);

impl Stall {
    /// The client's buffers are full.
    pub fn begin(&self) {
        let _ = self.0.compare_exchange(0, now_ns(), Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The client has accepted everything.
    pub fn end(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    fn is_long(&self, now: u64) -> bool {
        let since = self.0.load(Ordering::Relaxed);
        since > 0 && now.saturating_sub(since) > STALLED_NS
    }
}

fn now_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64 + 1
}

impl Connections {
    /// A slot, and the future that completes when it must be given up; None if every connection
    /// that could give way is being served.
    pub fn slot(&self, address: ClientAddress) -> Option<(ConnectionSlot, oneshot::Receiver<()>)> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = slots.taken.iter().filter(|slot| slot.address == address).count();
        let has_many = of_address >= MOST_OF_ADDRESS;
        if has_many || slots.taken.len() >= MOST {
            let gives_way = slots.gives_way(has_many.then_some(address))?;
            slots.taken.remove(gives_way);
        }
        let (evict, evicted) = oneshot::channel();
        let (id, answers, stall) = (slots.next, Arc::new(AtomicUsize::new(0)), Stall::default());
        slots.next += 1;
        let taken = TakenSlots {
            id,
            address,
            answers: answers.clone(),
            stall: stall.clone(),
            _evict: evict,
        };
        slots.taken.push(taken);
        Some((ConnectionSlot { id, answers, stall, of: self.clone() }, evicted))
    }
}

impl Slots {
    /// The connection to be closed, of one address or of all: the oldest idle connection of the
    /// address with most of them, then a stalled one.
    fn gives_way(&self, address: Option<ClientAddress>) -> Option<usize> {
        let mut number: HashMap<ClientAddress, usize> = HashMap::new();
        self.taken.iter().for_each(|slot| *number.entry(slot.address).or_default() += 1);
        let now = now_ns();
        let is_idle = |slot: &TakenSlots| slot.answers.load(Ordering::Relaxed) == 0;
        let first = |may: &dyn Fn(&TakenSlots) -> bool| {
            let of_them = self.taken.iter().enumerate();
            let may = of_them.filter(|(_, slot)| {
                address.is_none_or(|address| slot.address == address) && may(slot)
            });
            may.max_by_key(|(_, slot)| (number[&slot.address], Reverse(slot.id)))
        };
        let found = first(&is_idle).or_else(|| first(&|slot| slot.stall.is_long(now)));
        found.map(|(at, _)| at)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut slots = self.of.0.lock().unwrap_or_else(PoisonError::into_inner);
        slots.taken.retain(|slot| slot.id != self.id);
    }
}

impl ConnectionSlot {
    /// For the connection, which records when its client does not accept a response.
    pub fn stall(&self) -> Stall {
        self.stall.clone()
    }

    /// A request has arrived.
    pub fn answer(&self) -> Answer {
        self.answers.fetch_add(1, Ordering::Relaxed);
        Answer(self.answers.clone())
    }
}

/// A request being served.
pub struct Answer(Arc<AtomicUsize>);

impl Drop for Answer {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Answer {
    /// Ends with the body.
    pub fn until_sent(self, body: Body) -> Body {
        Body::new(CountedBody { body, _answer: self })
    }
}

struct CountedBody {
    body: Body,
    _answer: Answer,
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> ClientAddress {
        ClientAddress::of(text.parse().unwrap())
    }

    fn is_evicted((_, evicted): &mut (ConnectionSlot, oneshot::Receiver<()>)) -> bool {
        !matches!(evicted.try_recv(), Err(oneshot::error::TryRecvError::Empty))
    }

    #[test]
    fn the_oldest_connection_without_a_request_gives_way_and_then_a_stalled_one() {
        let connections = Connections::default();
        let slot = || connections.slot(address("127.0.0.1"));
        let mut all: Vec<_> = (0..MOST_OF_ADDRESS).map(|_| slot().unwrap()).collect();
        let answer = all[0].0.answer();
        let (_newest, _) = slot().unwrap();
        let evicted: Vec<usize> =
            (0..MOST_OF_ADDRESS).filter(|i| is_evicted(&mut all[*i])).collect();
        assert_eq!(evicted, [1], "the first is being answered");
        let answers: Vec<Answer> = all.iter().map(|(slot, _)| slot.answer()).collect();
        let (newest_too, _) = slot().unwrap();
        let _answer = newest_too.answer();
        assert!(slot().is_none(), "all are being answered");
        all[5].0.stall.0.store(1, Ordering::Relaxed);
        let now = now_ns();
        let waited = Stall(Arc::new(AtomicU64::new(now)));
        assert!(waited.is_long(now + STALLED_NS + 1) && !waited.is_long(now + STALLED_NS));
        all[5].0.stall.end();
        assert!(slot().is_none(), "it has accepted everything");
        drop((answer, answers));
        assert!(slot().is_some());
    }

    #[test]
    fn one_address_leaves_slots_to_others_however_many_it_has_in_a_network() {
        let connections = Connections::default();
        let from = |n: usize| address(&format!("2001:db8::{n:x}"));
        let mut own: Vec<_> =
            (0..MOST_OF_ADDRESS).map(|n| connections.slot(from(n)).unwrap()).collect();
        let answers: Vec<Answer> = own.iter().map(|(slot, _)| slot.answer()).collect();
        assert!(connections.slot(from(999)).is_none(), "of the same network");
        let others: Vec<_> = (0..MOST - MOST_OF_ADDRESS)
            .map(|n| connections.slot(address(&format!("192.0.2.{n}"))).unwrap())
            .collect();
        assert!(!own.iter_mut().any(is_evicted));
        assert!(connections.slot(address("::ffff:192.0.2.1")).is_some(), "in place of an idle one");
        drop((answers, others));
        assert_eq!(address("::ffff:192.0.2.1"), address("192.0.2.1"));
    }
}
