//! The hot path of a MySQL session: executes prepared statements together and reads their results
//! into reused buffers. The library connects and does everything else; between two of its commands
//! nothing is in transit, so the socket can be used directly.

use std::os::fd::{AsRawFd, BorrowedFd};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::super::stream::{Received, send_all, unasked};
use super::error::server_error;
use super::packet::{number, width};
use super::rows::{self, MysqlColumn};
use dyno_core::measure::sql::answers::Answers;
use dyno_core::measure::sql::{
    Decimal, LONGEST_DECIMAL, Param, SqlError, SqlResult, StatementBatch,
};

const EXECUTE: u8 = 0x17;
const QUERY: u8 = 0x03;

const DOUBLE: u8 = 0x05;
const NULL: u8 = 0x06;
const LONGLONG: u8 = 0x08;
const DATETIME: u8 = 0x0c;
const STRING: u8 = 0xfd;

/// Status flags: another result follows.
const MORE: u16 = 8;

/// A packet's length and number.
const HEADER: usize = 4;

const OK: u8 = 0x00;
const LOCAL_FILE: u8 = 0xfb;
const END: u8 = 0xfe;
const ERROR: u8 = 0xff;

/// A payload of this length continues in the next packet.
const LONGEST: usize = 0xff_ffff;

/// A statement: its text (to prepare it again on a new connection), its id on the server, its
/// number of parameters, and its result columns.
pub struct MysqlStatement {
    pub sql: String,
    pub id: u32,
    pub params: usize,
    pub columns: Vec<MysqlColumn>,
}

impl MysqlStatement {
    /// Its id on the server, if the number of parameters is right.
    fn id_for(&self, params: &[Param<'_>]) -> SqlResult<u32> {
        match self.params == params.len() {
            true => Ok(self.id),
            false => Err(SqlError::wrong(
                "a statement was given another number of parameters than it has",
            )),
        }
    }
}

/// Buffers for sending and receiving.
pub struct MysqlWire {
    out: Vec<u8>,
    received: Received,
}

impl MysqlWire {
    pub fn new() -> MysqlWire {
        MysqlWire { out: Vec::with_capacity(4096), received: Received::new() }
    }

    /// Executes a prepared statement; returns the number of rows returned or changed.
    pub fn execute(
        &mut self,
        socket: &impl AsRawFd,
        statement: &MysqlStatement,
        params: &[Param<'_>],
    ) -> SqlResult<u64> {
        self.out.clear();
        self.push_execution(statement.id_for(params)?, params)?;
        let socket = self.send(socket)?;
        self.answer(socket)
    }

    /// Executes prepared statements in order, sent together, and stores the rows of each. If one
    /// fails, the server continues with the next: their changes must be in a transaction that is
    /// then rolled back. The first error is returned.
    pub fn query_all(
        &mut self,
        socket: &impl AsRawFd,
        batch: &StatementBatch<'_>,
        statements: &mut [MysqlStatement],
        answers: &mut Answers,
    ) -> SqlResult<()> {
        self.out.clear();
        for (statement, params) in batch.iter() {
            self.push_execution(statements[statement.0 as usize].id_for(params)?, params)?;
        }
        let socket = self.send(socket)?;
        answers.clear();
        let mut first = Ok(());
        for (statement, _) in batch.iter() {
            match self.kept(socket, &mut statements[statement.0 as usize].columns, answers) {
                // Not a server error: the start of the next result is unknown.
                Err(error) if error.code.is_empty() => return Err(error),
                found => first = first.and(found),
            }
            answers.end_statement();
        }
        first
    }

    /// One result's rows. `columns` are the server's last definitions, updated if it sends new
    /// ones.
    fn kept(
        &mut self,
        socket: BorrowedFd<'_>,
        columns: &mut Vec<MysqlColumn>,
        answers: &mut Answers,
    ) -> SqlResult<()> {
        let head = self.packet(socket)?;
        match head.first() {
            Some(&OK) => return Ok(()),
            Some(&ERROR) => return Err(error(head)),
            Some(&LOCAL_FILE) | None => return Err(unasked()),
            Some(_) => {}
        }
        let described = described(head);
        if described > 0 {
            columns.clear();
        }
        for _ in 0..described {
            columns.push(MysqlColumn::of_packet(self.packet(socket)?)?);
        }
        self.packet(socket)?;
        self.rows(socket, |packet| rows::row(packet, columns, answers)).map(drop)
    }

    /// Executes text without parameters whose rows are not needed.
    pub fn run(&mut self, socket: &impl AsRawFd, sql: &str) -> SqlResult<u64> {
        self.out.clear();
        self.out.extend_from_slice(&[0, 0, 0, 0, QUERY]);
        self.out.extend_from_slice(sql.as_bytes());
        self.close_packet(0)?;
        let socket = self.send(socket)?;
        self.answer(socket)
    }

    fn push_execution(&mut self, statement: u32, params: &[Param<'_>]) -> SqlResult<()> {
        let from = self.out.len();
        self.out.extend_from_slice(&[0, 0, 0, 0, EXECUTE]);
        self.out.extend_from_slice(&statement.to_le_bytes());
        // No cursor; one iteration.
        self.out.extend_from_slice(&[0, 1, 0, 0, 0]);
        if !params.is_empty() {
            push_params(params, &mut self.out)?;
        }
        self.close_packet(from)
    }

    /// Writes the length into the header of the packet that begins there.
    fn close_packet(&mut self, from: usize) -> SqlResult<()> {
        let length = self.out.len() - from - HEADER;
        if length >= LONGEST {
            return Err(SqlError::wrong("a statement with more than 16 MiB of parameters"));
        }
        self.out[from..from + 3].copy_from_slice(&(length as u32).to_le_bytes()[..3]);
        Ok(())
    }

    /// Sends the assembled packets; returns the socket for reading the results.
    fn send<'s>(&mut self, socket: &'s impl AsRawFd) -> SqlResult<BorrowedFd<'s>> {
        // SAFETY: the caller's connection keeps the descriptor open while it is borrowed.
        let socket = unsafe { BorrowedFd::borrow_raw(socket.as_raw_fd()) };
        self.received.clear();
        send_all(&socket, &self.out)?;
        Ok(socket)
    }

    /// Reads one result and the following ones to their end.
    fn answer(&mut self, socket: BorrowedFd<'_>) -> SqlResult<u64> {
        let mut rows = 0;
        loop {
            let head = self.packet(socket)?;
            let status = match head.first() {
                Some(&OK) => {
                    let last_id = 1 + width(head, 1);
                    rows += number(head, 1);
                    status(head, last_id + width(head, last_id))
                }
                Some(&ERROR) => return Err(error(head)),
                Some(&LOCAL_FILE) | None => return Err(unasked()),
                Some(_) => {
                    // The end of the definitions is sent even if there are none.
                    for _ in 0..=described(head) {
                        self.packet(socket)?;
                    }
                    self.rows(socket, |_| {
                        rows += 1;
                        Ok(())
                    })?
                }
            };
            if status & MORE == 0 {
                return Ok(rows);
            }
        }
    }

    /// Passes on each row's packet up to the last; returns the status after them.
    fn rows(
        &mut self,
        socket: BorrowedFd<'_>,
        mut each: impl FnMut(&[u8]) -> SqlResult<()>,
    ) -> SqlResult<u16> {
        loop {
            let row = self.packet(socket)?;
            match row.first() {
                Some(&END) if row.len() < 9 => return Ok(status(row, 3)),
                Some(&ERROR) => return Err(error(row)),
                _ => each(row)?,
            }
        }
    }

    /// The next packet's payload.
    fn packet(&mut self, socket: BorrowedFd<'_>) -> SqlResult<&[u8]> {
        self.received.have(&socket, HEADER)?;
        let header = self.received.ahead();
        let length =
            usize::from(header[0]) | usize::from(header[1]) << 8 | usize::from(header[2]) << 16;
        if length >= LONGEST {
            return Err(SqlError::wrong("a row of more than 16 MiB"));
        }
        self.received.have(&socket, HEADER + length)?;
        let place = self.received.take(HEADER, length);
        Ok(self.received.at(place))
    }
}

/// The values of a statement's parameters, with their types.
fn push_params(params: &[Param<'_>], out: &mut Vec<u8>) -> SqlResult<()> {
    let nulls = out.len();
    out.resize(nulls + params.len().div_ceil(8), 0);
    // Types are sent with every execution.
    out.push(1);
    for param in params {
        let kind = match param {
            Param::Null => NULL,
            Param::Int(_) => LONGLONG,
            Param::Float(_) => DOUBLE,
            Param::Text(_) | Param::Decimal { .. } => STRING,
            Param::Time { .. } => DATETIME,
        };
        out.extend_from_slice(&[kind, 0]);
    }
    for (i, param) in params.iter().enumerate() {
        match *param {
            Param::Null => out[nulls + i / 8] |= 1 << (i % 8),
            Param::Int(n) => out.extend_from_slice(&n.to_le_bytes()),
            Param::Float(f) => out.extend_from_slice(&f.to_le_bytes()),
            Param::Text(text) => push_text(text, out),
            Param::Decimal { units, scale } => {
                push_text(Decimal { units, scale }.written(&mut [0; LONGEST_DECIMAL]), out)
            }
            Param::Time { unix_us } => push_time(unix_us, out)?,
        }
    }
    Ok(())
}

/// A length-encoded string.
fn push_text(text: &str, out: &mut Vec<u8>) {
    match text.len() {
        short @ 0..=250 => out.push(short as u8),
        long @ 251..=0xffff => {
            out.push(0xfc);
            out.extend_from_slice(&(long as u16).to_le_bytes());
        }
        longest => {
            out.push(0xfd);
            out.extend_from_slice(&(longest as u32).to_le_bytes()[..3]);
        }
    }
    out.extend_from_slice(text.as_bytes());
}

fn push_time(unix_us: i64, out: &mut Vec<u8>) -> SqlResult<()> {
    let at = Timestamp::from_microsecond(unix_us).map_err(|e| SqlError::wrong(e.to_string()))?;
    let at = at.to_zoned(TimeZone::UTC).datetime();
    out.push(11);
    out.extend_from_slice(&at.year().to_le_bytes());
    out.extend_from_slice(
        &[at.month(), at.day(), at.hour(), at.minute(), at.second()].map(i8::unsigned_abs),
    );
    out.extend_from_slice(&(at.subsec_nanosecond() / 1000).to_le_bytes());
    Ok(())
}

/// The number of column definitions that follow: in MariaDB, a byte after their number says
/// whether they are repeated.
fn described(head: &[u8]) -> u64 {
    if head.get(width(head, 0)) == Some(&0) { 0 } else { number(head, 0) }
}

/// The server's status flags.
fn status(packet: &[u8], at: usize) -> u16 {
    packet.get(at..at + 2).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]))
}

fn error(packet: &[u8]) -> SqlError {
    let code = status(packet, 1);
    let text = packet.get(3..).unwrap_or_default();
    // "#40001" precedes the message.
    let text = if text.first() == Some(&b'#') { text.get(6..).unwrap_or_default() } else { text };
    server_error(code, &String::from_utf8_lossy(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::measure::sql::{ErrorClass, StatementId};
    use proptest::prelude::*;

    fn statement(params: usize) -> MysqlStatement {
        MysqlStatement { sql: String::new(), id: 7, params, columns: Vec::new() }
    }

    /// A client that sends an execution to a server with these answers, in pieces of any size.
    fn answered(packets: &[&[u8]], piece: usize) -> SqlResult<u64> {
        served(packets, piece, |wire, socket| wire.execute(socket, &statement(1), &[Param::Int(1)]))
    }

    fn served<T>(
        packets: &[&[u8]],
        piece: usize,
        ask: impl FnOnce(&mut MysqlWire, &std::os::unix::net::UnixStream) -> SqlResult<T>,
    ) -> SqlResult<T> {
        use std::io::{Read, Write};
        let (ours, mut theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let mut bytes = Vec::new();
        for (n, packet) in packets.iter().enumerate() {
            bytes.extend(&(packet.len() as u32).to_le_bytes()[..3]);
            bytes.push(n as u8 + 1);
            bytes.extend(*packet);
        }
        std::thread::scope(|scope| {
            scope.spawn(move || {
                theirs.read_exact(&mut [0; 8]).unwrap();
                bytes.chunks(piece).for_each(|piece| theirs.write_all(piece).unwrap());
            });
            ask(&mut MysqlWire { received: Received::with_room(16), ..MysqlWire::new() }, &ours)
        })
    }

    const END_OF_ROWS: &[u8] = &[END, 0, 0, 2, 0];

    /// The definition of a four-byte integer column.
    const NUMBER: &[u8] = b"\x03def\0\0\0\x01n\0\x0c\x3f\0\x0b\0\0\0\x03\0\0\0\0\0";

    proptest! {
        #[test]
        fn answers_are_read_to_their_end_however_they_come(piece in 1usize..40, rows in 0usize..6) {
            let long = [0u8; 50];
            let row: &[u8] = &long;
            let mut packets: Vec<&[u8]> = vec![&[1], b"a column", END_OF_ROWS];
            packets.extend(std::iter::repeat_n(row, rows));
            packets.push(END_OF_ROWS);
            prop_assert_eq!(answered(&packets, piece).unwrap(), rows as u64);
            // Without definitions, as MariaDB answers if it has sent them before.
            packets[0] = &[1, 0];
            packets.remove(1);
            prop_assert_eq!(answered(&packets, piece).unwrap(), rows as u64);
        }
    }

    #[test]
    fn of_several_sent_together_the_first_error_counts_and_all_answers_are_read() {
        let ok: &[u8] = &[OK, 1, 0, 2, 0, 0, 0];
        let deadlock: &[u8] = b"\xff\xbd\x04#40001Deadlock found";
        let other: &[u8] = b"\xff\x26\x04#23000Duplicate";
        let row: [&[u8]; 4] = [&[1, 0], END_OF_ROWS, &[0, 0, 5, 0, 0, 0], END_OF_ROWS];
        let mut batch = StatementBatch::default();
        batch.write(StatementId(0), [Param::Int(1)]);
        batch.read(StatementId(1), []);
        batch.write(StatementId(0), [Param::Int(2)]);
        let run = |packets: &[&[u8]]| -> SqlResult<Answers> {
            let mut statements = [statement(1), statement(0)];
            statements[1].columns = vec![MysqlColumn::of_packet(NUMBER).unwrap()];
            let mut answers = Answers::default();
            served(packets, 5, |wire, socket| {
                wire.query_all(socket, &batch, &mut statements, &mut answers)
            })?;
            Ok(answers)
        };
        let answers = run(&[&[ok], &row[..], &[ok]].concat()).unwrap();
        assert_eq!([0, 1, 2].map(|statement| answers.of(statement).len()), [0, 1, 0]);
        assert_eq!(format!("{:?}", answers.first(1).unwrap()), "[Int(5)]");
        assert_eq!(run(&[&[ok], &row[..], &[deadlock]].concat()).err().unwrap().code, "1213");
        assert_eq!(run(&[deadlock, other, ok]).err().unwrap().code, "1213");
        assert_eq!(run(&[ok, deadlock]).err().unwrap().trouble, ErrorClass::Lost);
    }

    #[test]
    fn rows_are_read_by_what_the_server_described_then_or_before() {
        let mut statements = [statement(0)];
        let mut batch = StatementBatch::default();
        batch.read(StatementId(0), []);
        let mut query = |packets: &[&[u8]]| {
            let mut answers = Answers::default();
            served(packets, 7, |wire, socket| {
                wire.query_all(socket, &batch, &mut statements, &mut answers)
            })
            .unwrap();
            answers.of(0).map(|row| format!("{row:?}")).collect::<Vec<_>>()
        };
        let rows: [&[u8]; 2] = [&[0, 0, 5, 0, 0, 0], &[0, 0b100]];
        let found = ["[Int(5)]", "[Null]"];
        let described: [&[u8]; 6] = [&[1], NUMBER, END_OF_ROWS, rows[0], rows[1], END_OF_ROWS];
        assert_eq!(query(&described), found);
        assert_eq!(query(&[&[1, 0], END_OF_ROWS, rows[0], rows[1], END_OF_ROWS]), found);
    }

    #[test]
    fn changes_are_counted_errors_distinguished_and_a_closed_connection_is_lost() {
        assert_eq!(answered(&[&[OK, 0xfc, 0x2c, 0x01, 0, 2, 0, 0, 0]], 9).unwrap(), 300);
        let deadlock = answered(&[b"\xff\xbd\x04#40001Deadlock found"], 3).unwrap_err();
        assert_eq!((deadlock.trouble, deadlock.code.as_str()), (ErrorClass::Retry, "1213"));
        assert_eq!(deadlock.to_string(), "Deadlock found (error 1213)");
        let late = answered(&[&[1, 0], END_OF_ROWS, &[0; 9], b"\xff\x1d\x04#HY000Interrupted"], 5)
            .unwrap_err();
        assert_eq!(late.trouble, ErrorClass::Lost);
        assert_eq!(answered(&[&[1]], 1).unwrap_err().trouble, ErrorClass::Lost);
    }
}
