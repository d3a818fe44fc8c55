//! The seam between a workload of transactions and a database server: a session speaks the server's protocol, a script
//! says which statements a transaction is made of.
//!
//! One op is one transaction. The workload's source numbers it, the script draws its parameters outside the timed
//! bracket (`stage`), and inside it sends the statements through the worker's own session (`run`). What the server may
//! answer at any time and a client must bear (a deadlock, a lost connection) is told apart from what is wrong.

use std::fmt::{Display, Formatter};

use super::answers::Answers;
use super::op::{Op, OpKind, Source};
use crate::base::error::{Error, Result};

/// Whose SQL it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    MySql,
    Postgres,
    /// T-SQL.
    SqlServer,
}

/// A statement prepared in a session, by number. It stays valid when the session reconnects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement(pub u32);

/// A value given to a statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Param<'a> {
    Null,
    Int(i64),
    Float(f64),
    Text(&'a str),
    /// `units` / 10^`scale`: money and rates, without rounding.
    Decimal {
        units: i64,
        scale: u8,
    },
    /// Microseconds since 1970, UTC.
    Time {
        unix_us: i64,
    },
}

/// What a server's error means for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A deadlock, a lock-wait timeout or a serialization failure: the transaction is rolled back and may be run again.
    Retry,
    /// The connection is gone.
    Lost,
    /// A statement, a permission, a full disk: running it again would not help.
    Wrong,
}

/// A server's error.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct SqlError {
    pub trouble: Trouble,
    /// The server's own code: "1213", "40P01"; empty where there was none.
    pub code: String,
    pub message: String,
}

pub type SqlResult<T> = std::result::Result<T, SqlError>;

/// One connection with its prepared statements. Statements are written with `?` for parameters in every dialect.
pub trait Session: Send {
    fn dialect(&self) -> Dialect;

    /// The server's own name and version: "MariaDB 10.11.6".
    fn version(&self) -> &str;

    fn prepare(&mut self, sql: &str) -> SqlResult<Statement>;

    /// Executes a statement, reads its rows to the end and drops them; the rows that it changed or returned.
    fn execute(&mut self, statement: Statement, params: &[Param<'_>]) -> SqlResult<u64>;

    /// Executes statements one after the other and keeps the rows of each, instead of what `answers` held before; where the
    /// protocol can, they are sent together. Only inside a session that is `always_in_transaction`: a server that rolls back
    /// at a deadlock goes on with those behind it.
    fn query_all(&mut self, batch: &Batch<'_>, answers: &mut Answers) -> SqlResult<()>;

    /// Executes text without parameters, unprepared: definitions, settings.
    fn run(&mut self, sql: &str) -> SqlResult<()>;

    /// The rows of a text without parameters, every value as text or null.
    fn rows(&mut self, sql: &str) -> SqlResult<Answers>;

    /// Loads rows in bulk (`LOAD DATA LOCAL`, `COPY`, `INSERT BULK`): columns parted by tabs, rows by newlines, `\N` for
    /// null.
    fn load(&mut self, table: &str, columns: &str, rows: &[u8]) -> SqlResult<u64>;

    /// From now on there is no statement outside a transaction, also after a reconnect.
    fn always_in_transaction(&mut self) -> SqlResult<()> {
        Ok(())
    }

    fn begin(&mut self) -> SqlResult<()>;

    fn commit(&mut self) -> SqlResult<()>;

    fn rollback(&mut self) -> SqlResult<()>;

    /// Connects anew and prepares every statement again under its number.
    fn reconnect(&mut self) -> SqlResult<()>;
}

/// How a transaction ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    pub statements: Statements,
    /// False where the transaction ended in the rollback that its specification asks for.
    pub hit: bool,
}

/// Statements that were sent, as sysbench counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statements {
    pub reads: u32,
    pub writes: u32,
    /// BEGIN, COMMIT and the like.
    pub other: u32,
}

/// Statements that need nothing of each other's answers, in the order in which they are to be carried out.
#[derive(Default)]
pub struct Batch<'p> {
    params: Vec<Param<'p>>,
    /// Each with where its parameters end.
    statements: Vec<(Statement, usize)>,
    sent: Statements,
}

impl<'p> Batch<'p> {
    /// Nothing in it, but room for as much as it held: what a transaction sends needs no memory of its own.
    pub fn emptied<'q>(mut self) -> Batch<'q> {
        self.params.clear();
        self.statements.clear();
        let params = self.params.into_iter().map(|_| Param::Null).collect();
        Batch { params, statements: self.statements, sent: Statements::default() }
    }

    pub fn read(&mut self, statement: Statement, params: impl IntoIterator<Item = Param<'p>>) {
        self.sent.reads += 1;
        self.add(statement, params);
    }

    pub fn write(&mut self, statement: Statement, params: impl IntoIterator<Item = Param<'p>>) {
        self.sent.writes += 1;
        self.add(statement, params);
    }

    fn add(&mut self, statement: Statement, params: impl IntoIterator<Item = Param<'p>>) {
        self.params.extend(params);
        self.statements.push((statement, self.params.len()));
    }

    pub fn iter(&self) -> impl Iterator<Item = (Statement, &[Param<'p>])> {
        let mut from = 0;
        self.statements.iter().map(move |(statement, end)| {
            let params = &self.params[from..*end];
            from = *end;
            (*statement, params)
        })
    }

    /// How many of each kind are in it.
    pub fn sent(&self) -> Statements {
        self.sent
    }
}

impl std::ops::AddAssign for Statements {
    fn add_assign(&mut self, more: Statements) {
        self.reads += more.reads;
        self.writes += more.writes;
        self.other += more.other;
    }
}

/// One worker's transactions: how to carry op after op out.
pub trait Script: Send {
    /// Prepares the statements. Called once, before the window, on a fresh session.
    fn prepare(&mut self, session: &mut dyn Session) -> Result<()>;

    /// Draws the op's parameters. Outside the timed bracket.
    fn stage(&mut self, op: &Op);

    /// Carries the staged op out, from its first statement to its commit. Called again, with the same parameters, after
    /// a `Trouble::Retry` (when the lane has rolled back) and after a `Trouble::Lost` (when it has reconnected).
    fn run(&mut self, session: &mut dyn Session) -> SqlResult<Committed>;
}

impl SqlError {
    /// Whether a table could not be made because there is one of that name, in any server's code.
    pub fn is_table_there(&self) -> bool {
        matches!(self.code.as_str(), "1050" | "42P07" | "2714")
    }

    pub fn wrong(message: impl Into<String>) -> SqlError {
        SqlError { trouble: Trouble::Wrong, code: String::new(), message: message.into() }
    }
}

/// `units` / 10^`scale` as it is written: 1234 with a scale of 2 is "12.34".
#[derive(Clone, Copy)]
pub struct Decimal {
    pub units: i64,
    pub scale: u8,
}

/// A sign, a zero, the point, and 255 digits after it.
pub const LONGEST_DECIMAL: usize = 258;

impl Decimal {
    /// As it is written. Through `Display` alone a dozen of them an order took 3 % of TPC-C's client CPU time.
    pub fn written(self, buffer: &mut [u8; LONGEST_DECIMAL]) -> &str {
        let (mut at, mut place, mut rest) = (buffer.len(), 0, self.units.unsigned_abs());
        let mut push = |byte| {
            at -= 1;
            buffer[at] = byte;
        };
        while rest > 0 || place <= self.scale as usize {
            if place == self.scale as usize && place > 0 {
                push(b'.');
            }
            push(b'0' + (rest % 10) as u8);
            (rest, place) = (rest / 10, place + 1);
        }
        if self.units < 0 {
            push(b'-');
        }
        std::str::from_utf8(&buffer[at..]).unwrap_or_default()
    }
}

impl Display for Decimal {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.written(&mut [0; LONGEST_DECIMAL]))
    }
}

/// Transactions by number; the script says what is in them.
pub struct Transactions {
    /// How many there are before it ends by itself, if it does.
    pub pass: Option<u64>,
}

impl Source for Transactions {
    fn op(&mut self, n: u64) -> Op {
        Op { kind: OpKind::Transaction, class: 0, len: 0, at: n, salt: 0 }
    }

    fn pass(&self) -> Option<u64> {
        self.pass
    }
}

/// A server's error as ours, for what happens outside a transaction.
pub fn refused(what: &str, error: &SqlError) -> Error {
    crate::base::error::failed(format!("{what}: {error}"), "look at the server's log; nothing was changed by this")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::answers::Value;

    #[test]
    fn a_batch_keeps_its_statements_apart() {
        let mut batch = Batch::default();
        batch.read(Statement(7), [Param::Text("of another transaction")]);
        let mut batch = batch.emptied();
        batch.read(Statement(3), [Param::Int(1), Param::Null]);
        batch.write(Statement(1), []);
        batch.write(Statement(3), [Param::Int(2)]);
        let all: Vec<_> = batch.iter().map(|(statement, params)| (statement.0, params.to_vec())).collect();
        assert_eq!(all, [(3, vec![Param::Int(1), Param::Null]), (1, vec![]), (3, vec![Param::Int(2)])]);
        assert_eq!(batch.sent(), Statements { reads: 1, writes: 2, other: 0 });
    }

    #[test]
    fn decimals_keep_every_digit() {
        let long = "0.0000000000000000000000042";
        let longest = format!("0.{:0>255}", i64::MAX);
        for (units, scale, text) in [
            (-i64::MAX, 2, "-92233720368547758.07"),
            (i64::MAX, 255, &longest),
            (0, 0, "0"),
            (0, 2, "0.00"),
            (1234, 2, "12.34"),
            (-5, 2, "-0.05"),
            (7, 4, "0.0007"),
            (42, 0, "42"),
            (42, 25, long),
        ] {
            assert_eq!(Decimal { units, scale }.to_string(), text);
            assert_eq!(Value::Text(text).units(scale).unwrap(), units);
        }
    }
}
