//! The machine that keeps its power: receives acknowledgements, stores them in a journal, and runs
//! the hook that cuts the power at a random time.
//!
//! Network input is untrusted. A session must name a drive of the listener's own plan; every record
//! must be one that a writer of that session could send next; only the plan's own hook is executed,
//! and nothing received.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::journal::{JournalRecord, RECORD, opening, read_opening};
use super::judge::Promises;
use super::session::WriteSession;
use dyno_core::base::clock::Clock;
use dyno_core::base::error::{Context, Result, bail, failed};
use dyno_core::base::rng::Seed;
use dyno_core::lab::folder::data;

const SECOND_NS: u64 = 1_000_000_000;

/// Time for a peer to open a session.
const OPENING_NS: u64 = 10 * SECOND_NS;

/// Time for it to lay out the range.
const LAYOUT_NS: u64 = 24 * 3600 * SECOND_NS;

/// A writer without acknowledgements for this long counts as hung.
const HANGS_NS: u64 = 120 * SECOND_NS;

/// After the hook, the power counts as off if nothing is received for this long.
const SILENCE_NS: u64 = 3 * SECOND_NS;

/// The cut has failed if writes continue for this long.
const STILL_ON_NS: u64 = 30 * SECOND_NS;

/// Polling interval.
const TICK: Duration = Duration::from_millis(20);

/// A listener's parameters.
pub struct Listener<'a> {
    /// The socket to which writers connect.
    pub socket: TcpListener,
    /// The hook that cuts the power.
    pub cut: &'a [String],
    /// Serial numbers of the drives permitted in sessions.
    pub serials: &'a [String],
    /// The directory for journals.
    pub folder: &'a Path,
    /// The clock for pauses.
    pub clock: Clock,
    /// Set to end it.
    pub stop: &'a AtomicBool,
}

impl Listener<'_> {
    /// Waits for a session and records it until its cut; returns the journal. None if stopped. A
    /// peer that opens no session is disconnected, and the next one waited for.
    pub fn one_cut(&self, say: &mut dyn FnMut(&str)) -> Result<Option<PathBuf>> {
        self.socket.set_nonblocking(true).context("waiting for a session")?;
        while !self.stop.load(Relaxed) {
            let (stream, from) = match self.socket.accept() {
                Ok(accepted) => accepted,
                Err(_) => {
                    self.clock.sleep_until(self.clock.now_ns() + TICK.as_nanos() as u64);
                    continue;
                }
            };
            match self.opened(stream) {
                Ok((stream, session)) => {
                    say(&format!(
                        "session {:016x} of {} ({}), drive {}",
                        session.identity, session.host, from, session.serial
                    ));
                    return self.take(stream, &session, say).map(Some);
                }
                Err(error) => say(&format!("rejected {from}: {error:#}")),
            }
        }
        Ok(None)
    }

    /// Reads a session's opening, which must name a drive of the plan.
    fn opened(&self, stream: TcpStream) -> Result<(TcpStream, WriteSession)> {
        stream.set_nonblocking(false).context("reading the session")?;
        let until_ns = self.clock.now_ns() + OPENING_NS;
        let mut timed = Timed { stream, until_ns, clock: self.clock };
        let session = read_opening(&mut timed)?;
        if !self.serials.contains(&session.serial) {
            bail!("the plan has no drive with the serial number {:?}", session.serial);
        }
        Ok((timed.stream, session))
    }

    fn take(
        &self,
        mut stream: TcpStream,
        session: &WriteSession,
        say: &mut dyn FnMut(&str),
    ) -> Result<PathBuf> {
        let mut journal = JournalWriter::begin(self.folder, session)?;
        stream.write_all(&[1]).context("accepting the session")?;
        stream.set_read_timeout(Some(TICK)).context("reading acknowledgements")?;
        let mut taking = Taking {
            promises: Promises::new(session),
            held: Vec::new(),
            ended: false,
            last_ns: self.clock.now_ns(),
            acknowledged_ns: self.clock.now_ns(),
        };
        let begun_ns = taking.last_ns;
        let mut due_ns = None;
        let mut hook: Option<Hook> = None;
        loop {
            taking.read(&mut stream, &mut journal, self.clock)?;
            let now_ns = self.clock.now_ns();
            match &mut hook {
                None if self.stop.load(Relaxed) => bail!("interrupted before the cut"),
                None => {
                    taking.check(now_ns, begun_ns)?;
                    if due_ns.is_none() && taking.promises.is_laid_out() {
                        due_ns = Some(now_ns + moment(session)?);
                    }
                    if due_ns.is_some_and(|due_ns| due_ns <= now_ns) {
                        say("cutting the power");
                        journal.append(JournalRecord::Cut { unix_ns: unix_ns() })?;
                        journal.sync()?;
                        hook = Some(Hook::start(self.cut)?);
                    }
                }
                Some(hook) => {
                    if hook.is_over(taking.ended, taking.last_ns, now_ns)? {
                        break;
                    }
                }
            }
        }
        journal.append(JournalRecord::Silent)?;
        journal.sync()?;
        Ok(journal.path)
    }
}

/// Time of the cut after the layout, nanoseconds.
fn moment(session: &WriteSession) -> Result<u64> {
    let drawn = data::identity()?;
    let drawn = drawn.bytes().fold(0u64, |sum, byte| sum.wrapping_mul(257) ^ u64::from(byte));
    Ok(session.warmup_ns + Seed::new(drawn, 0, 0).at(0).below(session.window_ns.max(1)))
}

fn unix_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}

/// A stream that is read until a deadline.
struct Timed {
    stream: TcpStream,
    until_ns: u64,
    clock: Clock,
}

impl Read for Timed {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let left_ns = self.until_ns.saturating_sub(self.clock.now_ns());
        if left_ns == 0 {
            return Err(ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(Duration::from_nanos(left_ns)))?;
        self.stream.read(into)
    }
}

/// The received data of a session.
struct Taking {
    promises: Promises,
    /// Bytes of an incomplete record.
    held: Vec<u8>,
    /// The stream has ended.
    ended: bool,
    /// Time of the last data.
    last_ns: u64,
    /// Time of the last acknowledgement; the counts of requests go on while writes hang.
    acknowledged_ns: u64,
}

impl Taking {
    /// Receives available data, for at most a tick.
    fn read(
        &mut self,
        stream: &mut TcpStream,
        journal: &mut JournalWriter,
        clock: Clock,
    ) -> Result<()> {
        if self.ended {
            clock.sleep_until(clock.now_ns() + TICK.as_nanos() as u64);
            return Ok(());
        }
        let mut chunk = [0; 1 << 16];
        match stream.read(&mut chunk) {
            Ok(0) => self.ended = true,
            Ok(bytes) => {
                self.last_ns = clock.now_ns();
                self.held.extend_from_slice(&chunk[..bytes]);
            }
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            // The host is down, as it should be.
            Err(_) => self.ended = true,
        }
        let (records, rest) = self.held.as_chunks::<RECORD>();
        for record in records {
            let record = JournalRecord::decode(record).filter(JournalRecord::is_of_a_writer);
            let record =
                record.ok_or_else(|| failed("the writer sent an invalid acknowledgement", SAME))?;
            self.promises.acknowledge(record)?;
            if !matches!(record, JournalRecord::Requests(_)) {
                self.acknowledged_ns = self.last_ns;
            }
            journal.append(record)?;
        }
        self.held = rest.to_vec();
        Ok(())
    }

    /// Before the cut, a writer must be connected and writing.
    fn check(&self, now_ns: u64, begun_ns: u64) -> Result<()> {
        let limit_ns = match self.promises.is_laid_out() {
            true => self.acknowledged_ns + HANGS_NS,
            false => begun_ns + LAYOUT_NS,
        };
        if self.ended {
            return Err(failed(
                "the writer ended before the cut, so this was not a cut",
                "check its output on its host",
            ));
        }
        if now_ns > limit_ns {
            return Err(failed(
                "the writer stopped acknowledging, and the power was not cut",
                "check `dmesg` on its host for errors reported by the drive",
            ));
        }
        Ok(())
    }
}

const SAME: &str = "use the same version of Dyno on both machines";

/// The command that cuts the power.
struct Hook {
    child: Child,
    ended_ns: Option<u64>,
}

impl Hook {
    fn start(command: &[String]) -> Result<Hook> {
        let (program, args) = command.split_first().context("the plan's hook is empty")?;
        let child = Command::new(program).args(args).stdin(Stdio::null()).spawn();
        let child = child.map_err(|cause| {
            failed(
                format!("the hook {program:?} cannot be started: {cause}"),
                "check `cut` in [powercut] of the plan",
            )
        })?;
        Ok(Hook { child, ended_ns: None })
    }

    /// Whether it succeeded and the host has been silent since.
    fn is_over(&mut self, ended: bool, last_ns: u64, now_ns: u64) -> Result<bool> {
        if self.ended_ns.is_none() {
            let Some(status) = self.child.try_wait().context("waiting for the hook")? else {
                return Ok(false);
            };
            if !status.success() {
                return Err(failed(
                    format!("the hook that cuts the power failed ({status})"),
                    "run it by hand; a cut counts only if the hook exits with 0",
                ));
            }
            self.ended_ns = Some(now_ns);
        }
        let over_ns = self.ended_ns.unwrap_or(now_ns);
        if ended || now_ns >= over_ns.max(last_ns) + SILENCE_NS {
            return Ok(true);
        }
        if now_ns > over_ns + STILL_ON_NS {
            return Err(failed(
                "the hook succeeded, but writes continue: the power was not cut",
                "check that it cuts the power of the host, and of the drive in it",
            ));
        }
        Ok(false)
    }
}

/// A journal being written.
struct JournalWriter {
    path: PathBuf,
    file: BufWriter<File>,
}

impl JournalWriter {
    /// Creates the next journal of the folder.
    fn begin(folder: &Path, session: &WriteSession) -> Result<JournalWriter> {
        for number in 1u32.. {
            let path = folder.join(format!("{number:04}.journal"));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(error).with_context(|| format!("writing {}", path.display()));
                }
                Ok(file) => {
                    let mut journal = JournalWriter { path, file: BufWriter::new(file) };
                    journal.file.write_all(&opening(session)?).context("writing the journal")?;
                    return Ok(journal);
                }
            }
        }
        bail!("{} has no room for another journal", folder.display())
    }

    fn append(&mut self, record: JournalRecord) -> Result<()> {
        let written = self.file.write_all(&record.encode());
        written.with_context(|| format!("writing {}", self.path.display()))
    }

    fn sync(&mut self) -> Result<()> {
        let synced = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        synced.with_context(|| format!("writing {}", self.path.display()))
    }
}
