//! The read-ahead thread of one worker: it decodes, selects and maps requests and writes them to
//! the worker's ring. It sleeps while the ring is full.
//!
//! Several workers partition a trace by offset: each MiB of a device belongs to one worker, which
//! replays its requests in their recorded order, independently of the others. A flush goes to the
//! first worker. One worker keeps the order of the whole trace.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::getpid;
use rustix::thread::{sched_getaffinity, sched_setaffinity};

use super::mapping::OffsetMapping;
use super::ring::{READ_AHEAD, ReadRequest, RequestRing};
use super::selection::{ReplayPace, Selection};
use crate::{Reader, Request, RequestKind};
use dyno_core::base::error::{Context, Result};
use dyno_core::base::rng::{Seed, mix};
use dyno_core::measure::{NextDue, Op, OpGenerator, OpKind};

/// Requests within the same MiB keep their order.
const PLACE_BYTES: u64 = 1 << 20;

/// Number of requests after which new ones are published to the worker.
const PUBLISHED: u64 = 256;

/// Shortest and longest sleep while the ring is full. The sleep grows while the worker takes few
/// requests.
const SLEEPS: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(8));

/// The part of a trace that one worker replays.
pub struct ReplayPart {
    /// The requests that are replayed.
    pub selection: Selection,
    /// The times at which they are replayed.
    pub pace: ReplayPace,
    /// The offsets at which they are replayed.
    pub mapping: OffsetMapping,
    /// Index of the class by kind, in the order of `RequestKind::ALL`.
    pub classes: [u8; 4],
    /// The worker's number, and the number of workers.
    pub share: (u32, u32),
    /// Operation that executes writes.
    pub write: OpKind,
    /// The class of groups, if simultaneous reads are timed as a group. All requests of one time
    /// then belong to one worker.
    pub group_class: Option<u8>,
}

impl ReplayPart {
    /// Whether a request belongs to this worker.
    #[inline]
    fn is_own(&self, request: &Request) -> bool {
        let (thread, threads) = self.share;
        if threads == 1 {
            return true;
        }
        if self.group_class.is_some() {
            return mix(request.at_ns) % u64::from(threads) == u64::from(thread);
        }
        let place = (u64::from(request.device) << 48) ^ (request.offset / PLACE_BYTES);
        match request.kind {
            RequestKind::Flush => thread == 0,
            _ => mix(place) % u64::from(threads) == u64::from(thread),
        }
    }

    #[inline]
    fn mapped(&self, request: &Request) -> Result<ReadRequest> {
        let kind = match request.kind {
            RequestKind::Read => OpKind::Read,
            RequestKind::Write => self.write,
            RequestKind::Discard => OpKind::Trim,
            RequestKind::Flush => OpKind::Flush,
        };
        Ok(ReadRequest {
            due_ns: self.pace.after_ns(request.at_ns - self.selection.start_ns),
            at: self.mapping.place(request)?,
            len: request.length,
            kind,
            class: self.classes[request.kind as usize],
            ends_group: false,
        })
    }
}

/// Reads ahead until the end of the part or until the worker has ended.
fn read_ahead(ring: &RequestRing, part: &ReplayPart, reader: &mut Reader) -> Result<()> {
    let (mut n, mut room) = (0, ring.slots());
    // Only the next request shows whether this one is the last of its group.
    let mut held: Option<(u64, ReadRequest)> = None;
    part.selection.each(reader, |taken| {
        let own = part.is_own(&taken);
        if own && room == 0 {
            ring.publish(n);
            room = wait_for_room(ring, n);
        }
        if ring.closed.load(Relaxed) {
            return Ok(ControlFlow::Break(()));
        }
        if own {
            let next = part.mapped(&taken)?;
            if let Some((at_ns, mut request)) = held.replace((taken.at_ns, next)) {
                request.ends_group = next.kind != OpKind::Read || taken.at_ns != at_ns;
                ring.write(n, &request);
                n += 1;
                room -= 1;
                if n.is_multiple_of(PUBLISHED) {
                    ring.publish(n);
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if let Some((_, mut last)) = held {
        if room == 0 {
            ring.publish(n);
            wait_for_room(ring, n);
        }
        if !ring.closed.load(Relaxed) {
            last.ends_group = true;
            ring.write(n, &last);
            n += 1;
        }
    }
    ring.publish(n);
    Ok(())
}

/// Sleeps until an eighth of the ring is free. Polls less often if that takes long.
fn wait_for_room(ring: &RequestRing, n: u64) -> usize {
    let (least, most) = SLEEPS;
    let mut sleep = least;
    loop {
        let room = ring.room(n);
        if room >= ring.slots() / 8 || ring.closed.load(Relaxed) {
            return room.max(1);
        }
        std::thread::park_timeout(sleep);
        sleep = (sleep * 2).min(most);
    }
}

/// The requests of one worker, with their read-ahead thread.
pub struct TraceSource {
    ring: Arc<RequestRing>,
    reader: Option<JoinHandle<()>>,
    group_class: Option<u8>,
    /// Whether the last request taken ends its group.
    ends_group: bool,
    /// Seed of the data that is written.
    seed: Seed,
    /// Numbers of requests: taken; known to be written; examined for the backlog.
    taken: u64,
    written: u64,
    overdue: u64,
}

impl TraceSource {
    /// Starts the thread. Returns when the ring is full or the trace has ended.
    pub fn start(part: ReplayPart, mut reader: Reader, seed: Seed) -> Result<TraceSource> {
        let ring = Arc::new(RequestRing::new(READ_AHEAD));
        let group_class = part.group_class;
        let of_reader = Arc::clone(&ring);
        let run = move || {
            // The reader must not be limited to the worker's own processor.
            if let Ok(all) = sched_getaffinity(Some(getpid())) {
                let _ = sched_setaffinity(None, &all);
            }
            of_reader.end(read_ahead(&of_reader, &part, &mut reader));
        };
        let started = std::thread::Builder::new().name("trace".to_string()).spawn(run);
        let reader = Some(started.context("starting the thread that reads the trace")?);
        let source = TraceSource {
            ring,
            reader,
            group_class,
            ends_group: false,
            seed,
            taken: 0,
            written: 0,
            overdue: 0,
        };
        while source.ring.goes_on()? && source.ring.room(source.ring.written()) > 0 {
            std::thread::park_timeout(Duration::from_micros(200));
        }
        Ok(source)
    }

    #[cold]
    fn look(&mut self) -> Result<NextDue> {
        let goes_on = self.ring.goes_on()?;
        self.written = self.ring.written();
        Ok(match (self.taken < self.written, goes_on) {
            (true, _) => NextDue::At(self.ring.due_ns(self.taken)),
            (false, true) => NextDue::Unread,
            (false, false) => NextDue::Never,
        })
    }
}

impl OpGenerator for TraceSource {
    #[inline]
    fn op(&mut self, n: u64) -> Op {
        let ReadRequest { at, len, kind, class, ends_group, .. } = self.ring.read(self.taken);
        self.ends_group = ends_group;
        self.taken += 1;
        self.ring.take_until(self.taken);
        let salt = if kind.sends_data() { self.seed.at(n).draw() } else { 0 };
        Op { kind, class, len, at, salt }
    }

    #[inline]
    fn next_due(&mut self) -> Result<NextDue> {
        if self.taken < self.written {
            return Ok(NextDue::At(self.ring.due_ns(self.taken)));
        }
        self.look()
    }

    fn group_class(&self) -> Option<u8> {
        self.group_class
    }

    #[inline]
    fn ends_group(&self) -> bool {
        self.ends_group
    }

    fn overdue(&mut self, at_ns: u64) -> u64 {
        self.written = self.ring.written();
        self.overdue = self.overdue.max(self.taken);
        while self.overdue < self.written && self.ring.due_ns(self.overdue) <= at_ns {
            self.overdue += 1;
        }
        self.overdue - self.taken
    }
}

impl Drop for TraceSource {
    fn drop(&mut self) {
        self.ring.closed.store(true, Relaxed);
        if let Some(reader) = self.reader.take() {
            reader.thread().unpark();
            let _ = reader.join();
        }
    }
}
