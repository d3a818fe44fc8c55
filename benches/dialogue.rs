//! Sends recorded questions to a database again: the least that a client can do.
//!
//! `dialogue SECONDS SOCKET FILE…`: as many connections as files, each on a thread of its own.
//! Sends the file's first questions, those of connecting and preparing; prints "ready" and waits
//! for a line on the standard input; then sends the others, each after the answer to the one
//! before, for SECONDS or until a file ends. Looks only at the lengths of what it receives, to find
//! where an answer ends. Prints the threads' processor time after "ready", in nanoseconds.
//!
//! A file (`benches/recorder.py`) has for each question its length and that of its answer (four
//! bytes each, little-endian), and the question. The first has no length if the server speaks
//! first, as MySQL's does. `benches/tpcc.py` compares Dyno's processor time with this client's.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use dyno_core::base::clock::Clock;
use dyno_core::base::error::{Context, Result, failed};
use dyno_core::lab::machine::processors;
use rustix::event::{PollFd, PollFlags, poll};

/// Processor time of the calling thread.
fn thread_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// One question in so many may end in an error, as in a deadlock: with more, the server would not
/// do what it did for the recorded client.
const MOST_REFUSED: u64 = 100;

/// A question and the length of its recorded answer.
type Question<'a> = (&'a [u8], usize);

fn questions(mut file: &[u8]) -> impl Iterator<Item = Question<'_>> {
    std::iter::from_fn(move || {
        let (lengths, rest) = file.split_first_chunk::<8>()?;
        let of = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| lengths[at + i])) as usize;
        let (question, rest) = rest.split_at_checked(of(0))?;
        file = rest;
        Some((question, of(4)))
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Protocol {
    MySql,
    Postgres,
}

impl Protocol {
    fn of(file: &[u8]) -> Protocol {
        let server_first = questions(file).next().is_some_and(|(first, _)| first.is_empty());
        if server_first { Protocol::MySql } else { Protocol::Postgres }
    }

    /// Bytes before a message's body, and the length of the body.
    fn message(self, head: [u8; 5]) -> (usize, usize) {
        match self {
            Protocol::MySql => (4, u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize),
            Protocol::Postgres => {
                (5, u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize - 4)
            }
        }
    }

    /// Whether a question executes a prepared statement: the load begins with the first.
    fn executes(self, question: &[u8]) -> bool {
        match self {
            Protocol::MySql => question.get(4) == Some(&0x17),
            Protocol::Postgres => question.first() == Some(&b'B'),
        }
    }

    /// Answers that a question gets: MySQL's commands, PostgreSQL's Sync and Query.
    fn answers(self, mut question: &[u8]) -> usize {
        let mut answers = 0;
        while let Some(head) = question.first_chunk() {
            let (before, length) = self.message(*head);
            answers += usize::from(self == Protocol::MySql || matches!(head[0], b'S' | b'Q'));
            question = &question[before + length..];
        }
        answers
    }
}

/// A connection, and what it has received.
struct Connection {
    socket: UnixStream,
    protocol: Protocol,
    buffer: Vec<u8>,
    from: usize,
    to: usize,
    /// Answers that are errors.
    refused: u64,
}

impl Connection {
    fn open(path: &str, protocol: Protocol) -> Result<Connection> {
        let socket = UnixStream::connect(path).context(path.to_string())?;
        Ok(Connection { socket, protocol, buffer: vec![0; 64 * 1024], from: 0, to: 0, refused: 0 })
    }

    /// Sends a question and waits for the first bytes of its answer: with `poll`, because `recv` on
    /// a local socket would also be woken when the server takes the question.
    fn ask(&mut self, question: &[u8]) -> Result<()> {
        (self.from, self.to) = (0, 0);
        (&self.socket).write_all(question).context("asking")?;
        poll(&mut [PollFd::new(&self.socket, PollFlags::IN)], None).context("waiting")?;
        Ok(())
    }

    /// The next message: its first byte (MySQL's: of its body), its length, and its second.
    fn message(&mut self) -> Result<(u8, usize, u8)> {
        loop {
            if let Some(head) = self.buffer[self.from..self.to].first_chunk() {
                let (before, length) = self.protocol.message(*head);
                if self.from + before + length <= self.to {
                    let body = self.from + before;
                    let first = if self.protocol == Protocol::MySql { body } else { self.from };
                    self.from = body + length;
                    let byte = |at: usize| self.buffer.get(at).copied().unwrap_or_default();
                    return Ok((byte(first), length, byte(first + 1)));
                }
            }
            if self.to == self.buffer.len() {
                self.buffer.copy_within(self.from..self.to, 0);
                (self.from, self.to) = (0, self.to - self.from);
            }
            match (&self.socket).read(&mut self.buffer[self.to..]).context("receiving")? {
                0 => return Err(failed("the server", "it closed the connection")),
                read => self.to += read,
            }
        }
    }

    /// Receives an answer to its end.
    fn answer(&mut self) -> Result<()> {
        match self.protocol {
            Protocol::MySql => self.answer_mysql(),
            Protocol::Postgres => loop {
                match self.message()?.0 {
                    b'Z' => return Ok(()),
                    b'E' => self.refused += 1,
                    _ => {}
                }
            },
        }
    }

    fn answer_mysql(&mut self) -> Result<()> {
        const OK: u8 = 0x00;
        const ERROR: u8 = 0xff;
        const END: u8 = 0xfe;
        let (columns, length, described) = self.message()?;
        self.refused += u64::from(columns == ERROR);
        if [OK, ERROR].contains(&columns) {
            return Ok(());
        }
        // MariaDB says with a zero that it has described the columns before.
        let described = if length > 1 && described == 0 { 0 } else { columns };
        for _ in 0..=described {
            self.message()?;
        }
        loop {
            match self.message()? {
                (END, length, _) if length < 9 => return Ok(()),
                (ERROR, ..) => {
                    self.refused += 1;
                    return Ok(());
                }
                _ => {}
            }
        }
    }

    /// Connects and prepares: the lengths of these answers do not vary.
    fn prepare<'a>(&mut self, file: &'a [u8]) -> Result<Vec<Question<'a>>> {
        let mut ahead = questions(file).peekable();
        while let Some((question, answered)) =
            ahead.next_if(|(question, _)| !self.protocol.executes(question))
        {
            (&self.socket).write_all(question).context("connecting")?;
            (&self.socket).read_exact(&mut vec![0; answered]).context("connecting")?;
        }
        Ok(ahead.collect())
    }
}

/// What all connections share.
struct Replay<'a> {
    path: &'a str,
    clock: Clock,
    length_ns: u64,
    /// Whether a file has ended.
    ended: AtomicBool,
}

impl Replay<'_> {
    /// One connection; returns its processor time after the start.
    fn run(&self, file: &[u8], ready: Sender<()>, go: Receiver<()>) -> Result<u64> {
        processors::wait_behind_others();
        let mut connection = Connection::open(self.path, Protocol::of(file))?;
        let load = connection.prepare(file)?;
        let gone = || failed("another connection", "it ended");
        ready.send(()).map_err(|_| gone())?;
        drop(ready);
        go.recv().map_err(|_| gone())?;
        let (begun_ns, from_ns, mut asked) = (thread_ns(), self.clock.now_ns(), 0);
        for (question, _) in load {
            connection.ask(question)?;
            for _ in 0..connection.protocol.answers(question) {
                connection.answer()?;
                asked += 1;
            }
            let over = self.clock.now_ns() > from_ns + self.length_ns;
            if over || self.ended.load(Ordering::Relaxed) {
                break;
            }
        }
        let spent_ns = thread_ns() - begun_ns;
        self.ended.store(true, Ordering::Relaxed);
        if connection.refused * MOST_REFUSED > asked {
            let what = format!("{} of {asked} questions", connection.refused);
            return Err(failed(what, "the server answered with errors; is its data as recorded?"));
        }
        Ok(spent_ns)
    }

    fn run_all(&self, files: &[Vec<u8>]) -> Result<u64> {
        let (ready, arrived) = channel();
        std::thread::scope(|scope| {
            let (mut threads, mut starts) = (Vec::new(), Vec::new());
            for file in files {
                let (start, go) = channel();
                starts.push(start);
                let ready = ready.clone();
                threads.push(scope.spawn(move || self.run(file, ready, go)));
            }
            drop(ready);
            if arrived.iter().count() == files.len() {
                println!("ready");
                std::io::stdin().read_line(&mut String::new()).context("waiting for the start")?;
                starts.iter().filter_map(|start| start.send(()).err()).for_each(drop);
            }
            drop(starts);
            threads.into_iter().try_fold(0, |sum, thread| {
                let spent_ns =
                    thread.join().map_err(|_| failed("a connection", "it panicked"))??;
                Ok(sum + spent_ns)
            })
        })
    }
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, path, files @ ..] = &words[..] else {
        return Err(failed("nothing to replay", "dialogue SECONDS SOCKET FILE…"));
    };
    let seconds: u64 = seconds.parse().context("SECONDS")?;
    let files = files.iter().map(|file| std::fs::read(file).context(file.clone()));
    let files = files.collect::<Result<Vec<Vec<u8>>>>()?;
    let replay = Replay {
        path,
        clock: Clock::start(),
        length_ns: seconds * 1_000_000_000,
        ended: AtomicBool::new(false),
    };
    println!("{}", replay.run_all(&files)?);
    Ok(())
}
