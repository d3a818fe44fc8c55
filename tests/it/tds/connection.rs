//! One connection to the stand-in: packets, the login, requests and their answers.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use super::wire::{Cell, Column, Reader, Writer};
use super::{Answer, Heard, Shared, What};

/// Kinds of packets.
const BATCH: u8 = 1;
const CALL: u8 = 3;
const ANSWER: u8 = 4;
const BULK: u8 = 7;
const TRANSACTION: u8 = 0x0E;
const LOGIN: u8 = 0x10;
const PRELOGIN: u8 = 0x12;

const PACKET: usize = 4096;

/// Kinds of changes reported by the server.
const BEGUN: u8 = 8;
const COMMITTED: u8 = 9;
const ROLLED_BACK: u8 = 10;

trait Socket: Read + Write {}

impl<T: Read + Write> Socket for T {}

struct Connection<'a> {
    socket: Box<dyn Socket>,
    number: u32,
    shared: &'a Shared,
    /// All zero outside of one.
    transaction: [u8; 8],
    transactions: u64,
    /// The table for the next bulk rows.
    target: String,
}

/// Until the client disconnects or the test closes the connection.
pub fn serve(stream: TcpStream, number: u32, shared: &Shared) {
    let mut stream = stream;
    let Some((PRELOGIN, _)) = message(&mut stream) else { return };
    let encryption = if shared.tls.is_some() { 1 } else { 2 };
    let mut hello = vec![0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xFF];
    hello.extend_from_slice(&[16, 0, 15, 245, 0, 0, encryption]);
    send(&mut stream, ANSWER, &hello);
    let socket: Box<dyn Socket> = match &shared.tls {
        None => Box::new(stream),
        Some(config) => Box::new(encrypted(stream, config)),
    };
    let mut connection = Connection {
        socket,
        number,
        shared,
        transaction: [0; 8],
        transactions: 0,
        target: String::new(),
    };
    while let Some((kind, bytes)) = message(&mut *connection.socket) {
        let answer = match kind {
            LOGIN => connection.login(&bytes),
            BATCH => connection.batch(&bytes),
            CALL => connection.call(&bytes),
            TRANSACTION => connection.transaction(&bytes),
            BULK => connection.bulk(&bytes),
            other => panic!("the stand-in does not know packets of kind {other}"),
        };
        let Some(answer) = answer else { return };
        send(&mut *connection.socket, ANSWER, &answer.0);
    }
}

/// The handshake is sent in packets, the rest is not.
fn encrypted(
    mut stream: TcpStream,
    config: &Arc<rustls::ServerConfig>,
) -> rustls::StreamOwned<rustls::ServerConnection, TcpStream> {
    let mut tls = rustls::ServerConnection::new(Arc::clone(config)).unwrap();
    while tls.is_handshaking() {
        let (kind, bytes) = message(&mut stream).unwrap();
        assert_eq!(kind, PRELOGIN);
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            tls.read_tls(&mut rest).unwrap();
            tls.process_new_packets().unwrap();
        }
        let mut out = Vec::new();
        while tls.wants_write() {
            tls.write_tls(&mut out).unwrap();
        }
        if !out.is_empty() {
            send(&mut stream, PRELOGIN, &out);
        }
    }
    rustls::StreamOwned::new(tls, stream)
}

/// A message's kind and its packets' contents, joined; None if the client has disconnected.
fn message(socket: &mut dyn Socket) -> Option<(u8, Vec<u8>)> {
    let mut all = Vec::new();
    loop {
        let mut head = [0; 8];
        socket.read_exact(&mut head).ok()?;
        let mut body = vec![0; usize::from(u16::from_be_bytes([head[2], head[3]])) - head.len()];
        socket.read_exact(&mut body).ok()?;
        all.extend_from_slice(&body);
        if head[1] & 1 == 1 {
            return Some((head[0], all));
        }
    }
}

/// A disconnected client is not an error.
fn send(socket: &mut dyn Socket, kind: u8, bytes: &[u8]) {
    let chunks: Vec<&[u8]> = bytes.chunks(PACKET - 8).collect();
    for (i, chunk) in chunks.iter().enumerate() {
        let last = u8::from(i + 1 == chunks.len());
        let length = (chunk.len() as u16 + 8).to_be_bytes();
        let packet = [&[kind, last, length[0], length[1], 0, 0, i as u8, 0][..], chunk].concat();
        let _ = socket.write_all(&packet);
    }
    let _ = socket.flush();
}

/// A statement that was sent with others, as if sent alone.
fn renumbered(text: &str, from: usize) -> String {
    let mut parts = text.split("@dyno");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let number: usize = part[..end].parse().unwrap();
        out += &format!("@dyno{}{}", number - from, &part[end..]);
    }
    out
}

impl Connection<'_> {
    fn ask(&self, what: What) -> Answer {
        self.shared.answer(&Heard { connection: self.number, what })
    }

    fn login(&mut self, bytes: &[u8]) -> Option<Writer> {
        let field = |at: usize| {
            let mut head = Reader(&bytes[at..]);
            let (from, chars) = (usize::from(head.u16()), usize::from(head.u16()));
            bytes[from..from + 2 * chars].to_vec()
        };
        let clear = |bytes: Vec<u8>| Reader(&bytes).wide(bytes.len() / 2);
        let hidden = field(44).into_iter().map(|byte| (byte ^ 0xA5).rotate_left(4)).collect();
        let (user, password, database) = (clear(field(40)), clear(hidden), clear(field(68)));
        let mut out = Writer::default();
        match self.ask(What::Login { user, password, database }) {
            Answer::Error { code, class, message, .. } => {
                out.error(code, class, message);
                out.done(0xFD, 2, 0);
            }
            Answer::Cut => return None,
            _ => {
                out.token(0xAD, |body| {
                    body.bytes(&[1, 0x74, 0, 0, 4]);
                    body.short_text("Microsoft SQL Server");
                    body.bytes(&[16, 0, 15, 245]);
                });
                out.done(0xFD, 0, 0);
            }
        }
        Some(out)
    }

    /// The data after the headers, which must name this connection's transaction.
    fn request<'b>(&self, bytes: &'b [u8]) -> Result<Reader<'b>, Writer> {
        let mut reader = Reader(bytes);
        let length = reader.u32() as usize;
        let headers = reader.take(length - 4);
        if headers[6..14] == self.transaction {
            return Ok(reader);
        }
        let mut out = Writer::default();
        out.error(
            3989,
            16,
            "New request is not allowed to start because it should come with valid transaction \
             descriptor.",
        );
        out.done(0xFD, 2, 0);
        Err(out)
    }

    fn batch(&mut self, bytes: &[u8]) -> Option<Writer> {
        let text = match self.request(bytes) {
            Ok(mut reader) => reader.wide(reader.0.len() / 2),
            Err(refused) => return Some(refused),
        };
        if let Some(rest) = text.strip_prefix("INSERT BULK ") {
            self.target = rest.split(' ').next().unwrap().to_string();
        }
        let rolls_back = text.contains("ROLLBACK TRANSACTION");
        let answer = self.ask(What::Batch(text));
        let mut out = Writer::default();
        if rolls_back && self.transaction != [0; 8] {
            self.changed(ROLLED_BACK, &mut out);
        }
        self.answered(answer, false, out)
    }

    fn call(&mut self, bytes: &[u8]) -> Option<Writer> {
        let mut reader = match self.request(bytes) {
            Ok(reader) => reader,
            Err(refused) => return Some(refused),
        };
        let chars = usize::from(reader.u16());
        assert_eq!(reader.wide(chars), "sp_executesql");
        assert_eq!(reader.u16(), 0, "options");
        let mut values = Vec::new();
        while !reader.0.is_empty() {
            let chars = usize::from(reader.u8());
            let name = reader.wide(chars);
            let expected =
                if values.len() < 2 { String::new() } else { format!("@dyno{}", values.len() - 1) };
            assert_eq!((name, reader.u8()), (expected, 0));
            let (kind, nullable) = reader.kind();
            values.push(reader.value(kind, nullable));
        }
        let text = values.remove(0).unwrap();
        let declared = if values.is_empty() { String::new() } else { values.remove(0).unwrap() };
        let mut out = Writer::default();
        // Each statement is handled separately, with its own parameters, numbered from 1.
        let (mut from, mut declared) = (0, declared.split(", ").filter(|name| !name.is_empty()));
        for text in text.split(";\n") {
            let count = text.matches("@dyno").count();
            let declared: Vec<&str> = declared.by_ref().take(count).collect();
            let call = What::Call {
                text: renumbered(text, from),
                declared: renumbered(&declared.join(", "), from),
                params: values.drain(..count).collect(),
            };
            from += count;
            let answer = self.ask(call);
            let failed = matches!(answer, Answer::Error { .. });
            out = self.answered(answer, true, out)?;
            if failed {
                return Some(out);
            }
        }
        out.bytes(&[0x79, 0, 0, 0, 0]);
        out.done(0xFE, 0, 0);
        Some(out)
    }

    /// The tokens of an answer, to a call or to a batch.
    fn answered(&mut self, answer: Answer, call: bool, mut out: Writer) -> Option<Writer> {
        const COUNT: u16 = 0x10;
        let (token, more) = if call { (0xFF, 1) } else { (0xFD, 0) };
        match answer {
            Answer::Cut => return None,
            Answer::Error { code, class, message, rolls_back } => {
                out.error(code, class, message);
                if rolls_back {
                    self.changed(ROLLED_BACK, &mut out);
                }
                out.done(if call { 0xFE } else { 0xFD }, 2, 0);
                return Some(out);
            }
            Answer::Done(count) => out.done(token, COUNT | more, count),
            Answer::Rows(columns, rows) => {
                out.columns(&columns);
                rows.iter().for_each(|row| out.row(&columns, row));
                out.done(token, COUNT | more, rows.len() as u64);
            }
        }
        Some(out)
    }

    fn transaction(&mut self, bytes: &[u8]) -> Option<Writer> {
        let mut reader = match self.request(bytes) {
            Ok(reader) => reader,
            Err(refused) => return Some(refused),
        };
        let (what, change) = match reader.u16() {
            5 => (What::Begin, BEGUN),
            7 => (What::Commit, COMMITTED),
            8 => (What::Rollback, ROLLED_BACK),
            other => panic!("the stand-in does not know the transaction request {other}"),
        };
        let mut out = Writer::default();
        match self.ask(what) {
            _ if change != BEGUN && self.transaction == [0; 8] => {
                out.error(3902, 16, "The request has no corresponding BEGIN TRANSACTION.");
                out.done(0xFD, 2, 0);
                Some(out)
            }
            answer @ Answer::Done(_) => {
                self.changed(change, &mut out);
                self.answered(answer, false, out)
            }
            answer => self.answered(answer, false, out),
        }
    }

    /// Reports the start or end of a transaction.
    fn changed(&mut self, change: u8, out: &mut Writer) {
        let old = self.transaction;
        self.transaction = [0; 8];
        if change == BEGUN {
            self.transactions += 1;
            self.transaction = self.transactions.to_le_bytes();
        }
        let now = self.transaction;
        out.token(0xE3, |body| {
            body.bytes(&[change]);
            for transaction in [now, old] {
                let part = if transaction == [0; 8] { &[][..] } else { &transaction };
                body.bytes(&[part.len() as u8]);
                body.bytes(part);
            }
        });
    }

    fn bulk(&mut self, bytes: &[u8]) -> Option<Writer> {
        let mut reader = Reader(bytes);
        assert_eq!(reader.u8(), 0x81);
        let mut columns = Vec::new();
        for _ in 0..reader.u16() {
            reader.take(6);
            let (kind, nullable) = reader.kind();
            let chars = usize::from(reader.u8());
            columns.push(Column { name: reader.wide(chars), kind, nullable });
        }
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        while reader.u8() == 0xD1 {
            rows.push(
                columns.iter().map(|column| reader.value(column.kind, column.nullable)).collect(),
            );
        }
        let count = self.shared.loaded(&self.target, &columns, rows);
        self.answered(Answer::Done(count), false, Writer::default())
    }
}
