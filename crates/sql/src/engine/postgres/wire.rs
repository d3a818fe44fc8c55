//! The dialogue with PostgreSQL after the library has logged in: prepares and executes statements
//! together and reads their results into reused buffers (PostgreSQL's documentation,
//! "Frontend/Backend Protocol": "Extended Query", "Pipelining" and "Message Formats").

use tokio_postgres::types::Type;

use super::super::stream::{Received, send_all, unasked};
use super::connect::Socket;
use super::error::server_error;
use super::value;
use dyno_core::measure::sql::answers::{Answers, SqlValue};
use dyno_core::measure::sql::{Param, SqlError, SqlResult};

/// A message's kind and its length, which includes itself.
const HEADER: usize = 5;

/// No workload has longer rows; a corrupt length must not allocate all memory.
const LONGEST: u32 = 16 << 20;

/// Maximum bytes of a load per message.
const COPY_BYTES: usize = 64 * 1024;

/// A statement: its text (to prepare it again on a new connection), its name on the server, and the
/// types of its parameters and columns.
pub struct PostgresStatement {
    pub sql: String,
    pub name: String,
    pub params: Vec<Type>,
    pub columns: Vec<Type>,
}

/// Buffers for sending and receiving.
pub struct PostgresWire {
    socket: Socket,
    out: Vec<u8>,
    received: Received,
}

/// One message from the server: its kind, and the position of its body in the buffer.
struct ServerMessage {
    kind: u8,
    body: std::ops::Range<usize>,
}

impl PostgresWire {
    pub fn new(socket: Socket) -> PostgresWire {
        let (out, received) = (Vec::with_capacity(16 * 1024), Received::new());
        PostgresWire { socket, out, received }
    }

    /// Prepares a statement under a name.
    pub fn prepare(&mut self, sql: &str, name: String) -> SqlResult<PostgresStatement> {
        self.out.clear();
        self.message(b'P', |out| {
            text(out, &name);
            text(out, sql);
            out.extend_from_slice(&[0, 0]);
            Ok(())
        })?;
        self.message(b'D', |out| {
            out.push(b'S');
            text(out, &name);
            Ok(())
        })?;
        self.sync()?;
        let mut prepared = PostgresStatement {
            sql: sql.to_string(),
            name,
            params: Vec::new(),
            columns: Vec::new(),
        };
        self.answer(|wire, kind, body| {
            let body = wire.received.at(body);
            match kind {
                b't' => {
                    prepared.params = oids(body, 2, 4).collect::<Option<_>>().ok_or_else(cut)?
                }
                b'T' => prepared.columns = columns(body).ok_or_else(cut)?,
                _ => {}
            }
            Ok(())
        })?;
        Ok(prepared)
    }

    /// Starts a batch of statements that are sent together.
    pub fn start(&mut self) {
        self.out.clear();
    }

    /// Adds the execution of a statement.
    pub fn add(&mut self, statement: &PostgresStatement, params: &[Param<'_>]) -> SqlResult<()> {
        if statement.params.len() != params.len() {
            let what = "a statement was given another number of parameters than it has";
            return Err(SqlError::wrong(what));
        }
        self.message(b'B', |out| {
            text(out, "");
            text(out, &statement.name);
            // All parameters and columns in binary.
            out.extend_from_slice(&[0, 1, 0, 1]);
            out.extend_from_slice(&(params.len() as i16).to_be_bytes());
            for (param, ty) in params.iter().zip(&statement.params) {
                let at = out.len();
                out.extend_from_slice(&(-1i32).to_be_bytes());
                value::write(*param, ty, out)?;
                if !matches!(param, Param::Null) {
                    let length = (out.len() - at - 4) as i32;
                    out[at..at + 4].copy_from_slice(&length.to_be_bytes());
                }
            }
            out.extend_from_slice(&[0, 1, 0, 1]);
            Ok(())
        })?;
        self.message(b'E', |out| {
            text(out, "");
            out.extend_from_slice(&[0; 4]);
            Ok(())
        })
    }

    /// Sends the batch and stores the rows of each statement, or discards them; returns the number
    /// of rows that the last one changed or returned. After the first failure the server executes
    /// none of the rest. The result of `before`, which was added first, is not stored.
    pub fn execute<'s>(
        &mut self,
        before: Option<&PostgresStatement>,
        mut statements: impl Iterator<Item = &'s PostgresStatement>,
        mut answers: Option<&mut Answers>,
    ) -> SqlResult<u64> {
        self.sync()?;
        let (mut before, mut count) = (before.is_some(), 0);
        let mut current = statements.next();
        self.answer(|wire, kind, body| {
            match kind {
                b'D' => {
                    if let Some(answers) = answers.as_deref_mut() {
                        let columns = current.map_or(&[][..], |statement| &statement.columns[..]);
                        wire.row(body, columns, answers)?;
                    }
                }
                b'C' if before => before = false,
                b'C' => {
                    count = tag_count(wire.received.at(body));
                    if let Some(answers) = answers.as_deref_mut() {
                        answers.end_statement();
                    }
                    current = statements.next();
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(count)
    }

    /// Sends text without parameters.
    fn send_text(&mut self, sql: &str) -> SqlResult<()> {
        self.out.clear();
        self.message(b'Q', |out| {
            text(out, sql);
            Ok(())
        })?;
        self.send()
    }

    /// Executes text without parameters, and stores its rows as text.
    pub fn query(&mut self, sql: &str, answers: &mut Answers) -> SqlResult<()> {
        self.send_text(sql)?;
        self.answer(|wire, kind, body| {
            if kind == b'D' {
                for value in cells(wire.received.at(body)) {
                    let value = value.ok_or_else(cut)?.map(String::from_utf8_lossy);
                    answers.push(value.as_deref().map_or(SqlValue::Null, SqlValue::Text));
                }
                answers.end_row();
            }
            Ok(())
        })
    }

    /// Loads rows with `COPY … FROM STDIN`; returns their number.
    pub fn copy(&mut self, sql: &str, rows: &[u8]) -> SqlResult<u64> {
        self.send_text(sql)?;
        // The server reports that it is ready to receive them, or why not.
        loop {
            match self.next()? {
                ServerMessage { kind: b'G', .. } => break,
                ServerMessage { kind: b'E', body } => {
                    let error = server_error(self.received.at(body));
                    self.answer(|_, _, _| Ok(()))?;
                    return Err(error);
                }
                ServerMessage { kind: b'Z', .. } => return Err(unasked()),
                _ => {}
            }
        }
        for part in rows.chunks(COPY_BYTES) {
            self.out.clear();
            self.message(b'd', |out| {
                out.extend_from_slice(part);
                Ok(())
            })?;
            self.send()?;
        }
        self.out.clear();
        self.message(b'c', |_| Ok(()))?;
        self.send()?;
        let mut count = 0;
        self.answer(|wire, kind, body| {
            if kind == b'C' {
                count = tag_count(wire.received.at(body));
            }
            Ok(())
        })?;
        Ok(count)
    }

    /// Adds a message with a body written by `body`.
    fn message(
        &mut self,
        kind: u8,
        body: impl FnOnce(&mut Vec<u8>) -> SqlResult<()>,
    ) -> SqlResult<()> {
        self.out.push(kind);
        let at = self.out.len();
        self.out.extend_from_slice(&[0; 4]);
        body(&mut self.out)?;
        let length = (self.out.len() - at) as i32;
        self.out[at..at + 4].copy_from_slice(&length.to_be_bytes());
        Ok(())
    }

    /// Ends the batch and sends it.
    fn sync(&mut self) -> SqlResult<()> {
        self.message(b'S', |_| Ok(()))?;
        self.send()
    }

    /// Reads the server's messages until it is ready again. The first server error is returned, or
    /// an earlier one from `each`.
    fn answer(
        &mut self,
        mut each: impl FnMut(&mut PostgresWire, u8, std::ops::Range<usize>) -> SqlResult<()>,
    ) -> SqlResult<()> {
        let mut first = Ok(());
        loop {
            let ServerMessage { kind, body } = self.next()?;
            match kind {
                b'Z' => return first,
                b'E' if first.is_ok() => first = Err(server_error(self.received.at(body))),
                _ if first.is_ok() => first = each(self, kind, body),
                _ => {}
            }
        }
    }

    fn row(
        &self,
        body: std::ops::Range<usize>,
        columns: &[Type],
        answers: &mut Answers,
    ) -> SqlResult<()> {
        for (raw, ty) in cells(self.received.at(body)).zip(columns) {
            match raw.ok_or_else(cut)? {
                None => answers.push(SqlValue::Null),
                Some(raw) => value::keep(ty, raw, answers)?,
            }
        }
        answers.end_row();
        Ok(())
    }

    fn send(&mut self) -> SqlResult<()> {
        // A notice, or part of one, may have arrived with the last result.
        self.received.rewind();
        send_all(&self.socket, &self.out)
    }

    fn next(&mut self) -> SqlResult<ServerMessage> {
        self.received.have(&self.socket, HEADER)?;
        let head = self.received.ahead();
        let (kind, length) = (head[0], u32::from_be_bytes([head[1], head[2], head[3], head[4]]));
        if !(4..=LONGEST).contains(&length) {
            return Err(SqlError::wrong("a message of a length that no answer has"));
        }
        let length = length as usize + 1;
        self.received.have(&self.socket, length)?;
        Ok(ServerMessage { kind, body: self.received.take(HEADER, length - HEADER) })
    }
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

fn cut() -> SqlError {
    SqlError::wrong("an answer shorter than its stated length")
}

fn int(body: &[u8], at: usize) -> Option<i32> {
    body.get(at..at + 4).map(|b| i32::from_be_bytes([b[0], b[1], b[2], b[3]]))
}

/// The types with numbers in `body` from `at` on, one every `step` bytes.
fn oids(body: &[u8], at: usize, step: usize) -> impl Iterator<Item = Option<Type>> + '_ {
    let count = body.get(..2).map_or(0, |b| usize::from(u16::from_be_bytes([b[0], b[1]])));
    (0..count).map(move |i| int(body, at + i * step).map(type_of))
}

/// Values of types that are not built in are text.
fn type_of(oid: i32) -> Type {
    Type::from_oid(oid as u32).unwrap_or(Type::TEXT)
}

/// The types in a row description: for each column a name, and 18 bytes with the type from the
/// seventh on.
fn columns(body: &[u8]) -> Option<Vec<Type>> {
    let count = body.get(..2).map(|b| u16::from_be_bytes([b[0], b[1]]))?;
    let (mut at, mut types) = (2, Vec::new());
    for _ in 0..count {
        at += body.get(at..)?.iter().position(|byte| *byte == 0)? + 1;
        types.push(type_of(int(body, at + 6)?));
        at += 18;
    }
    Some(types)
}

/// A row's values; None if it is truncated.
fn cells(body: &[u8]) -> impl Iterator<Item = Option<Option<&[u8]>>> {
    let count = body.get(..2).map_or(0, |b| u16::from_be_bytes([b[0], b[1]]));
    let mut at = 2;
    (0..count).map(move |_| {
        let length = int(body, at)?;
        at += 4;
        let Ok(length) = usize::try_from(length) else { return Some(None) };
        let value = body.get(at..at + length)?;
        at += length;
        Some(Some(value))
    })
}

/// "INSERT 0 5", "SELECT 3": the last word; 0 if it is not a number.
fn tag_count(body: &[u8]) -> u64 {
    let word = body.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |n: u64, digit| n.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    use super::*;
    use dyno_core::measure::sql::ErrorClass;
    use proptest::prelude::*;

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        [&[kind][..], &(body.len() as i32 + 4).to_be_bytes(), body].concat()
    }

    fn statement(params: &[Type], columns: &[Type]) -> PostgresStatement {
        let (params, columns) = (params.to_vec(), columns.to_vec());
        PostgresStatement { sql: String::new(), name: "s".to_string(), params, columns }
    }

    /// The result of two statements that are sent together to a server with these answers, in
    /// pieces of any size.
    fn answered(answer: &[u8], piece: usize) -> SqlResult<(u64, Answers)> {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                theirs.read_exact(&mut [0; 8]).unwrap();
                answer.chunks(piece).for_each(|piece| drop(theirs.write_all(piece)));
            });
            let mut wire = PostgresWire {
                received: Received::with_room(16),
                ..PostgresWire::new(Socket::from(ours))
            };
            let all = [statement(&[Type::INT4], &[]), statement(&[], &[Type::INT4])];
            let mut answers = Answers::default();
            wire.start();
            wire.add(&all[0], &[Param::Int(1)])?;
            wire.add(&all[1], &[])?;
            wire.execute(None, all.iter(), Some(&mut answers)).map(|count| (count, answers))
        })
    }

    const READY: &[u8] = b"I";

    proptest! {
        #[test]
        fn answers_are_read_to_their_end_however_they_come(piece in 1usize..40, rows in 0usize..6) {
            let row = message(b'D', &[0, 1, 0, 0, 0, 4, 0, 0, 0, 7]);
            let mut all = [message(b'2', b""), message(b'C', b"UPDATE 3\0")].concat();
            all.extend(message(b'N', b"a notice\0"));
            all.extend(message(b'2', b""));
            (0..rows).for_each(|_| all.extend(&row));
            all.extend(message(b'C', format!("SELECT {rows}\0").as_bytes()));
            all.extend(message(b'Z', READY));
            let (count, answers) = answered(&all, piece).unwrap();
            prop_assert_eq!(count, rows as u64);
            prop_assert_eq!(answers.of(0).len(), 0);
            prop_assert_eq!(answers.of(1).len(), rows);
            for row in answers.of(1) {
                prop_assert_eq!(row.at(0), SqlValue::Int(7));
            }
        }

        #[test]
        fn rubbish_is_an_error_and_never_a_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..80),
        ) {
            let begun = [message(b'2', b""), message(b'D', &bytes), message(b'C', b"x\0")];
            let _ = answered(&[begun.concat(), message(b'E', &bytes), bytes.clone()].concat(), 9);
            let _ = columns(&bytes);
            let _ = cells(&bytes).count();
            let _ = oids(&bytes, 2, 4).count();
        }
    }

    #[test]
    fn the_first_error_counts_and_the_connection_is_ready_behind_it() {
        let error = message(b'E', b"SERROR\0C40P01\0Mdeadlock detected\0\0");
        let all = [message(b'2', b""), error, message(b'Z', READY)].concat();
        let error = answered(&all, 7).err().unwrap();
        assert_eq!((error.trouble, error.code.as_str()), (ErrorClass::Retry, "40P01"));
        assert_eq!(error.to_string(), "deadlock detected (40P01)");
        assert_eq!(answered(&message(b'2', b""), 3).err().unwrap().trouble, ErrorClass::Lost);
    }
}
