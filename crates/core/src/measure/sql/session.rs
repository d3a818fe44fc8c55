//! A worker's connection to a database server, and the dialect that the server speaks.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::answers::Answers;
use super::error::{SqlError, SqlResult};

/// What a server has counted, by name.
pub type ServerCounters = BTreeMap<String, f64>;

/// What distinguishes a server and a database from others, by name.
pub type Identity = BTreeMap<String, String>;

/// The first row of a query with a name for each of its values; those that the server has, none
/// where it knows no such query.
pub fn reported(session: &mut dyn SqlSession, sql: &str, names: &[&str]) -> Identity {
    let answer = session.rows(sql).unwrap_or_default();
    let Some(row) = answer.first(0) else { return Identity::new() };
    let value = |(i, name): (usize, &&str)| Some((name.to_string(), row.at(i).text().ok()?.into()));
    names.iter().enumerate().filter_map(value).collect()
}

/// Whose SQL it is: how a server spells what the workloads need and SQL leaves open, and what it
/// says of itself. One for each kind of server, beside its session and its settings.
pub trait Dialect: Sync {
    /// As people call it: "SQL Server".
    fn name(&self) -> &'static str;

    /// The oldest versions that the statements were written for, by the name that
    /// `Session::version` begins with.
    fn oldest(&self) -> &'static [(&'static str, &'static str)];

    /// The type of a column that holds a date and a time in whole seconds, or null.
    fn time_type(&self) -> &'static str;

    /// A query that ends after so many rows, if it is to, and locks what it reads to be written, if
    /// it is to.
    fn query<'q>(&self, sql: &'q str, rows: Option<u32>, locked: bool) -> Cow<'q, str> {
        match (rows, locked) {
            (None, false) => Cow::Borrowed(sql),
            (None, true) => Cow::Owned(format!("{sql} FOR UPDATE")),
            (Some(rows), false) => Cow::Owned(format!("{sql} LIMIT {rows}")),
            (Some(rows), true) => Cow::Owned(format!("{sql} LIMIT {rows} FOR UPDATE")),
        }
    }

    /// Whether a table could not be made because there is one of that name.
    fn is_table_there(&self, error: &SqlError) -> bool;

    /// How sysbench's tables are made there; nothing where sysbench has no driver for it.
    fn sysbench(&self) -> Option<SysbenchDriver>;

    /// A query for all that the server says of its version, in its own words.
    fn banner(&self) -> &'static str;

    /// What distinguishes the server and the database from all others, by names of its own. What it
    /// does not report is left out.
    fn identity(&self, session: &mut dyn SqlSession) -> Identity;

    /// The counters that `counters` queries, by name: those that a server lacks are reported.
    fn counter_names(&self) -> &'static [&'static str];

    /// The server's own counters that a load moves.
    fn counters(&self, session: &mut dyn SqlSession) -> SqlResult<ServerCounters>;

    /// Has the server look at what was loaded, so that it plans for it.
    fn analyze(&self, session: &mut dyn SqlSession) -> SqlResult<()>;
}

/// What differs in sysbench's drivers (src/lua/oltp_common.lua).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SysbenchDriver {
    /// The type of the column `id`, which the server numbers.
    pub id_type: &'static str,
    /// What ends a table's definition.
    pub table_end: &'static str,
    /// Rows are loaded with their ids, and an id of 0 asks for the next; otherwise the column is
    /// left out for either.
    pub gives_ids: bool,
}

/// A statement prepared in a session, by number. It stays valid when the session reconnects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementId(pub u32);

/// A value given to a statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Param<'a> {
    /// SQL's NULL.
    Null,
    /// An integer of 64 bits.
    Int(i64),
    /// A double.
    Float(f64),
    /// Text, in UTF-8.
    Text(&'a str),
    /// `units` / 10^`scale`: money and rates, without rounding.
    Decimal {
        /// The digits, as a whole number with its sign.
        units: i64,
        /// Digits after the point.
        scale: u8,
    },
    /// Microseconds since 1970, UTC.
    Time {
        /// Microseconds since 1970, UTC.
        unix_us: i64,
    },
}

/// One connection with its prepared statements. Statements are written with `?` for parameters in
/// every dialect.
pub trait SqlSession: Send {
    /// The dialect of its server.
    fn dialect(&self) -> &'static dyn Dialect;

    /// The server's own name and version: "MariaDB 10.11.6".
    fn version(&self) -> &str;

    /// Prepares a statement, written with `?` for its parameters.
    fn prepare(&mut self, sql: &str) -> SqlResult<StatementId>;

    /// Executes a statement, reads its rows to the end and drops them; the rows that it changed or
    /// returned.
    fn execute(&mut self, statement: StatementId, params: &[Param<'_>]) -> SqlResult<u64>;

    /// Executes statements one after the other and keeps the rows of each, instead of what
    /// `answers` held before; where the protocol can, they are sent together. Only inside a session
    /// that is `always_in_transaction`: a server that rolls back at a deadlock goes on with those
    /// behind it.
    fn query_all(&mut self, batch: &StatementBatch<'_>, answers: &mut Answers) -> SqlResult<()>;

    /// Executes text without parameters, unprepared: definitions, settings.
    fn run(&mut self, sql: &str) -> SqlResult<()>;

    /// The rows of a text without parameters, every value as text or null.
    fn rows(&mut self, sql: &str) -> SqlResult<Answers>;

    /// Loads rows in bulk (`LOAD DATA LOCAL`, `COPY`, `INSERT BULK`): columns parted by tabs, rows
    /// by newlines, `\N` for null.
    fn load(&mut self, table: &str, columns: &str, rows: &[u8]) -> SqlResult<u64>;

    /// From now on there is no statement outside a transaction, also after a reconnect.
    fn always_in_transaction(&mut self) -> SqlResult<()> {
        Ok(())
    }

    /// Begins a transaction.
    fn begin(&mut self) -> SqlResult<()>;

    /// The next `query_all` is the last of the transaction, which is committed unless it fails. A
    /// server that executes nothing behind a statement that fails is sent the COMMIT with it;
    /// `commit` then has nothing left to do.
    fn commits_next(&mut self) {}

    /// Commits it.
    fn commit(&mut self) -> SqlResult<()>;

    /// Rolls it back.
    fn rollback(&mut self) -> SqlResult<()>;

    /// Reconnects and prepares every statement again under its number.
    fn reconnect(&mut self) -> SqlResult<()>;
}

/// Statements that were sent, as sysbench counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statements {
    /// SELECTs.
    pub reads: u32,
    /// INSERTs, UPDATEs and DELETEs.
    pub writes: u32,
    /// BEGIN, COMMIT and the like.
    pub other: u32,
}

/// Statements that need nothing of each other's answers, in the order in which they are to be
/// executed.
#[derive(Default)]
pub struct StatementBatch<'p> {
    params: Vec<Param<'p>>,
    /// Each with where its parameters end.
    statements: Vec<(StatementId, usize)>,
    sent: Statements,
}

impl<'p> StatementBatch<'p> {
    /// Nothing in it, but room for as much as it held: what a transaction sends needs no memory of
    /// its own.
    pub fn emptied<'q>(mut self) -> StatementBatch<'q> {
        self.params.clear();
        self.statements.clear();
        let params = self.params.into_iter().map(|_| Param::Null).collect();
        StatementBatch { params, statements: self.statements, sent: Statements::default() }
    }

    /// Adds a statement that returns rows.
    pub fn read(&mut self, statement: StatementId, params: impl IntoIterator<Item = Param<'p>>) {
        self.sent.reads += 1;
        self.add(statement, params);
    }

    /// Adds a statement that changes rows.
    pub fn write(&mut self, statement: StatementId, params: impl IntoIterator<Item = Param<'p>>) {
        self.sent.writes += 1;
        self.add(statement, params);
    }

    fn add(&mut self, statement: StatementId, params: impl IntoIterator<Item = Param<'p>>) {
        self.params.extend(params);
        self.statements.push((statement, self.params.len()));
    }

    /// The statements with their parameters, in order.
    pub fn iter(&self) -> impl Iterator<Item = (StatementId, &[Param<'p>])> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_keeps_its_statements_apart() {
        let mut batch = StatementBatch::default();
        batch.read(StatementId(7), [Param::Text("of another transaction")]);
        let mut batch = batch.emptied();
        batch.read(StatementId(3), [Param::Int(1), Param::Null]);
        batch.write(StatementId(1), []);
        batch.write(StatementId(3), [Param::Int(2)]);
        let all: Vec<_> =
            batch.iter().map(|(statement, params)| (statement.0, params.to_vec())).collect();
        assert_eq!(
            all,
            [(3, vec![Param::Int(1), Param::Null]), (1, vec![]), (3, vec![Param::Int(2)])]
        );
        assert_eq!(batch.sent(), Statements { reads: 1, writes: 2, other: 0 });
    }
}
