//! Limits concurrent connections. If all seats are taken, the connection that has waited longest
//! without a request is closed, so that idle clients only displace each other.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::sync::oneshot;

/// Maximum number of connections.
pub const MOST: usize = 256;

/// The connections of a server, oldest first.
#[derive(Default, Clone)]
pub struct Connections(Arc<Mutex<Seats>>);

#[derive(Default)]
struct Seats {
    next: u64,
    taken: Vec<TakenSlots>,
}

struct TakenSlots {
    id: u64,
    /// Responses being generated or sent.
    answers: Arc<AtomicUsize>,
    /// Dropped to close the connection.
    _evict: oneshot::Sender<()>,
}

/// A connection's seat.
pub struct ConnectionSlot {
    id: u64,
    answers: Arc<AtomicUsize>,
    of: Connections,
}

impl Connections {
    /// A seat, and the future that completes when it must be given up; None if every connection is
    /// being served.
    pub fn seat(&self) -> Option<(ConnectionSlot, oneshot::Receiver<()>)> {
        let mut seats = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seats.taken.len() >= MOST {
            let idle = |seat: &TakenSlots| seat.answers.load(Ordering::Relaxed) == 0;
            let oldest = seats.taken.iter().position(idle)?;
            seats.taken.remove(oldest);
        }
        let (evict, evicted) = oneshot::channel();
        let (id, answers) = (seats.next, Arc::new(AtomicUsize::new(0)));
        seats.next += 1;
        seats.taken.push(TakenSlots { id, answers: answers.clone(), _evict: evict });
        Some((ConnectionSlot { id, answers, of: self.clone() }, evicted))
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut seats = self.of.0.lock().unwrap_or_else(PoisonError::into_inner);
        seats.taken.retain(|seat| seat.id != self.id);
    }
}

impl ConnectionSlot {
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

    #[test]
    fn the_oldest_connection_without_a_request_gives_way() {
        let connections = Connections::default();
        let mut all: Vec<_> = (0..MOST).map(|_| connections.seat().unwrap()).collect();
        let answer = all[0].0.answer();
        let (_newest, _) = connections.seat().unwrap();
        let is_evicted = |(_, evicted): &mut (ConnectionSlot, oneshot::Receiver<()>)| {
            !matches!(evicted.try_recv(), Err(oneshot::error::TryRecvError::Empty))
        };
        let evicted: Vec<usize> = (0..MOST).filter(|i| is_evicted(&mut all[*i])).collect();
        assert_eq!(evicted, [1], "the first is being answered");
        let answers: Vec<Answer> = all.iter().map(|(seat, _)| seat.answer()).collect();
        let (newest_too, _) = connections.seat().unwrap();
        let _answer = newest_too.answer();
        assert!(connections.seat().is_none(), "all are being answered");
        drop((answer, answers));
        assert!(connections.seat().is_some());
    }
}
