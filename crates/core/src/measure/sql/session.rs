//! A worker's connection to a database server, and the server's dialect.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::answers::Answers;
use super::error::{SqlError, SqlResult};

/// A server's counters, by name.
pub type ServerCounters = BTreeMap<String, f64>;

/// Properties that identify a server and a database, by name.
pub type Identity = BTreeMap<String, String>;

/// The first row of a query, with a name for each value that the server has; empty if it does not
/// support the query.
pub fn reported(session: &mut dyn SqlSession, sql: &str, names: &[&str]) -> Identity {
    let answer = session.rows(sql).unwrap_or_default();
    let Some(row) = answer.first(0) else { return Identity::new() };
    let value = |(i, name): (usize, &&str)| Some((name.to_string(), row.at(i).text().ok()?.into()));
    names.iter().enumerate().filter_map(value).collect()
}

/// A server's variant of SQL: its spelling of constructs that the workloads need and the SQL
/// standard leaves open, and its facts. One per kind of server, next to its session and settings.
pub trait Dialect: Sync {
    /// Its common name: "SQL Server".
    fn name(&self) -> &'static str;

    /// The oldest versions for which the statements were written, by the name with which
    /// `Session::version` begins.
    fn oldest(&self) -> &'static [(&'static str, &'static str)];

    /// The type of a nullable column for a date and time in whole seconds.
    fn time_type(&self) -> &'static str;

    /// A query with an optional limit of rows, and optionally with locks on the rows read.
    fn query<'q>(&self, sql: &'q str, rows: Option<u32>, locked: bool) -> Cow<'q, str> {
        match (rows, locked) {
            (None, false) => Cow::Borrowed(sql),
            (None, true) => Cow::Owned(format!("{sql} FOR UPDATE")),
            (Some(rows), false) => Cow::Owned(format!("{sql} LIMIT {rows}")),
            (Some(rows), true) => Cow::Owned(format!("{sql} LIMIT {rows} FOR UPDATE")),
        }
    }

    /// The end of a query that returns at most as many rows as its last parameter; None if the
    /// workloads that need it do not support the server.
    fn row_limit(&self) -> Option<&'static str> {
        Some("LIMIT ?")
    }

    /// Whether creating a table failed because the name exists.
    fn is_table_there(&self, error: &SqlError) -> bool;

    /// The statements with which sysbench creates its tables; None if sysbench has no driver for
    /// the server.
    fn sysbench(&self) -> Option<SysbenchDriver>;

    /// A query for the server's complete version text.
    fn banner(&self) -> &'static str;

    /// Identifies the server and the database among all others, under its own names. Values that it
    /// does not report are omitted.
    fn identity(&self, session: &mut dyn SqlSession) -> Identity;

    /// The counters queried by `counters`, by name: those that a server lacks are reported.
    fn counter_names(&self) -> &'static [&'static str];

    /// The server's own counters that reflect the load.
    fn counters(&self, session: &mut dyn SqlSession) -> SqlResult<ServerCounters>;

    /// Bytes that the server has written to files since its start, by the parts in
    /// `record::gauge::written::engine::PARTS`; empty if it does not count them.
    fn written(&self, session: &mut dyn SqlSession) -> SqlResult<Vec<(&'static str, u64)>> {
        let _ = session;
        Ok(Vec::new())
    }

    /// Makes the server update its statistics after loading.
    fn analyze(&self, session: &mut dyn SqlSession) -> SqlResult<()>;
}

/// Differences between sysbench's drivers (src/lua/oltp_common.lua).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SysbenchDriver {
    /// The type of the column `id`, numbered by the server.
    pub id_type: &'static str,
    /// The end of a table definition.
    pub table_end: &'static str,
    /// Rows are loaded with their ids, and an id of 0 requests the next; otherwise the column is
    /// omitted in both cases.
    pub gives_ids: bool,
}

/// A prepared statement of a session, by number. It remains valid when the session reconnects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementId(pub u32);

/// A statement's parameter.
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

/// One connection with its prepared statements. Statements use `?` for parameters in every dialect.
pub trait SqlSession: Send {
    /// The dialect of its server.
    fn dialect(&self) -> &'static dyn Dialect;

    /// The server's name and version: "MariaDB 10.11.6".
    fn version(&self) -> &str;

    /// Prepares a statement with `?` for its parameters.
    fn prepare(&mut self, sql: &str) -> SqlResult<StatementId>;

    /// Executes a statement, reads and discards its rows; returns the number of rows changed or
    /// returned.
    fn execute(&mut self, statement: StatementId, params: &[Param<'_>]) -> SqlResult<u64>;

    /// Executes statements in order and stores their rows, replacing the contents of `answers`;
    /// they are sent together if the protocol allows it. Only in a session that is
    /// `always_in_transaction`, because a server that rolls back after a deadlock continues with
    /// the remaining statements.
    fn query_all(&mut self, batch: &StatementBatch<'_>, answers: &mut Answers) -> SqlResult<()>;

    /// Executes text without parameters, unprepared: definitions, settings.
    fn run(&mut self, sql: &str) -> SqlResult<()>;

    /// The rows of a text without parameters, every value as text or null.
    fn rows(&mut self, sql: &str) -> SqlResult<Answers>;

    /// Loads rows in bulk (`LOAD DATA LOCAL`, `COPY`, `INSERT BULK`): columns separated by tabs,
    /// rows by newlines, `\N` for null.
    fn load(&mut self, table: &str, columns: &str, rows: &[u8]) -> SqlResult<u64>;

    /// From now on no statement runs outside a transaction, also after a reconnect.
    fn always_in_transaction(&mut self) -> SqlResult<()> {
        Ok(())
    }

    /// Begins a transaction.
    fn begin(&mut self) -> SqlResult<()>;

    /// Marks the next `query_all` as the last of the transaction, which is committed unless it
    /// fails. A server that skips all statements after a failed one receives the COMMIT with it;
    /// `commit` then does nothing.
    fn commits_next(&mut self) {}

    /// Commits it.
    fn commit(&mut self) -> SqlResult<()>;

    /// Rolls it back.
    fn rollback(&mut self) -> SqlResult<()>;

    /// Reconnects and prepares every statement again under its number.
    fn reconnect(&mut self) -> SqlResult<()>;
}

/// Statements sent, as counted by sysbench.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statements {
    /// SELECTs.
    pub reads: u32,
    /// INSERTs, UPDATEs and DELETEs.
    pub writes: u32,
    /// BEGIN, COMMIT and the like.
    pub other: u32,
}

/// Statements that do not depend on each other's results, in order of execution.
#[derive(Default)]
pub struct StatementBatch<'p> {
    params: Vec<Param<'p>>,
    /// Each statement, with the end of its parameters.
    statements: Vec<(StatementId, usize)>,
    sent: Statements,
}

impl<'p> StatementBatch<'p> {
    /// A batch with room for a load's transactions, so that a larger one than before allocates
    /// nothing in the measured window.
    pub fn with_room() -> StatementBatch<'p> {
        StatementBatch {
            params: Vec::with_capacity(512),
            statements: Vec::with_capacity(64),
            sent: Statements::default(),
        }
    }

    /// Empty, with the previous capacity, so that transactions allocate nothing.
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

    /// The number of statements of each kind.
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
