//! A session with a server of the MySQL family (MariaDB, MySQL, Percona Server), over the binary protocol.

use std::io::Write;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use mysql::prelude::Queryable;
use mysql::{Conn, LocalInfileHandler, Opts, OptsBuilder, Params};

use super::wire::Wire;
use crate::load::sql::{Dialect, Param, Row, Session, SqlError, SqlResult, Statement, Trouble, Value, decimal_text};

/// Deadlock, lock-wait timeout, and a record changed since it was read: what sysbench passes over by default.
const RETRY: [u16; 3] = [1213, 1205, 1020];

/// The server is shutting down or has killed the connection.
const LOST: [u16; 5] = [1053, 1152, 1158, 1927, 4031];

pub struct MySqlSession {
    conn: Conn,
    opts: Opts,
    version: String,
    /// By number: the text, from which a new connection prepares it again, and what the server knows it by.
    statements: Vec<(String, mysql::Statement)>,
    /// What `load` hands to the server when it asks for the file.
    rows: Arc<Mutex<Vec<u8>>>,
    wire: Wire,
}

impl MySqlSession {
    pub fn connect(opts: OptsBuilder) -> SqlResult<MySqlSession> {
        let rows = Arc::new(Mutex::new(Vec::new()));
        let handed = Arc::clone(&rows);
        let handler =
            LocalInfileHandler::new(move |_, out| out.write_all(&handed.lock().unwrap_or_else(|e| e.into_inner())));
        // Statements are kept here, by number; the library's own cache would close them behind our back. The hot path
        // reads packets as they are, uncompressed.
        let opts: Opts = opts.stmt_cache_size(0).compress(None).local_infile_handler(Some(handler)).into();
        let mut conn = Conn::new(opts.clone()).map_err(ours)?;
        let version: Option<String> = conn.query_first("SELECT VERSION()").map_err(ours)?;
        let version = version.unwrap_or_default();
        let name = if version.contains("MariaDB") { "MariaDB" } else { "MySQL" };
        let version = format!("{name} {}", version.split('-').next().unwrap_or_default());
        Ok(MySqlSession { conn, opts, version, statements: Vec::new(), rows, wire: Wire::new() })
    }
}

fn bind(params: &[Param<'_>]) -> SqlResult<Params> {
    let values = params.iter().map(value).collect::<SqlResult<Vec<_>>>()?;
    Ok(if values.is_empty() { Params::Empty } else { Params::Positional(values) })
}

fn value(param: &Param<'_>) -> SqlResult<mysql::Value> {
    Ok(match *param {
        Param::Null => mysql::Value::NULL,
        Param::Int(n) => mysql::Value::Int(n),
        Param::Float(f) => mysql::Value::Double(f),
        Param::Text(text) => mysql::Value::Bytes(text.as_bytes().to_vec()),
        Param::Decimal { units, scale } => mysql::Value::Bytes(decimal_text(units, scale).into_bytes()),
        Param::Time { unix_us } => {
            let at = Timestamp::from_microsecond(unix_us).map_err(|e| SqlError::wrong(e.to_string()))?;
            let at = at.to_zoned(TimeZone::UTC).datetime();
            let small = |n: i8| n.unsigned_abs();
            mysql::Value::Date(
                at.year().unsigned_abs(),
                small(at.month()),
                small(at.day()),
                small(at.hour()),
                small(at.minute()),
                small(at.second()),
                (at.subsec_nanosecond() / 1000).unsigned_abs(),
            )
        }
    })
}

fn values(row: mysql::Row) -> Row {
    row.unwrap_raw().into_iter().map(|value| value.map_or(Value::Null, from_server)).collect()
}

fn from_server(value: mysql::Value) -> Value {
    match value {
        mysql::Value::NULL => Value::Null,
        mysql::Value::Bytes(bytes) => Value::Text(String::from_utf8_lossy(&bytes).into_owned()),
        mysql::Value::Int(n) => Value::Int(n),
        mysql::Value::UInt(n) => Value::Int(n as i64),
        mysql::Value::Float(f) => Value::Float(f64::from(f)),
        mysql::Value::Double(f) => Value::Float(f),
        mysql::Value::Date(year, month, day, hour, minute, second, us) => {
            let small = |n: u8| n as i8;
            let at = DateTime::new(
                year as i16,
                small(month),
                small(day),
                small(hour),
                small(minute),
                small(second),
                us as i32 * 1000,
            );
            let at = at.and_then(|at| at.to_zoned(TimeZone::UTC));
            at.map_or(Value::Null, |at| Value::Time(at.timestamp().as_microsecond()))
        }
        time => Value::Text(time.as_sql(true)),
    }
}

/// What the server says, told apart by its number.
pub fn server_error(code: u16, message: &str) -> SqlError {
    let trouble = match code {
        code if RETRY.contains(&code) => Trouble::Retry,
        code if LOST.contains(&code) => Trouble::Lost,
        _ => Trouble::Wrong,
    };
    SqlError { trouble, code: code.to_string(), message: format!("{message} (error {code})") }
}

/// What the library says, told apart.
fn ours(error: mysql::Error) -> SqlError {
    match error {
        mysql::Error::MySqlError(e) => server_error(e.code, &e.message),
        mysql::Error::IoError(e) => {
            SqlError { trouble: Trouble::Lost, code: String::new(), message: format!("the connection is gone: {e}") }
        }
        mysql::Error::CodecError(e) => {
            SqlError { trouble: Trouble::Lost, code: String::new(), message: format!("the connection is gone: {e}") }
        }
        mysql::Error::DriverError(e @ (mysql::DriverError::Timeout | mysql::DriverError::CouldNotConnect(_))) => {
            SqlError { trouble: Trouble::Lost, code: String::new(), message: e.to_string() }
        }
        other => SqlError::wrong(other.to_string()),
    }
}

impl Session for MySqlSession {
    fn dialect(&self) -> Dialect {
        Dialect::MySql
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn prepare(&mut self, sql: &str) -> SqlResult<Statement> {
        let statement = self.conn.prep(sql).map_err(ours)?;
        self.statements.push((sql.to_string(), statement));
        Ok(Statement(self.statements.len() as u32 - 1))
    }

    fn execute(&mut self, statement: Statement, params: &[Param<'_>]) -> SqlResult<u64> {
        let prepared = &self.statements[statement.0 as usize].1;
        if usize::from(prepared.num_params()) != params.len() {
            return Err(SqlError::wrong("a statement was given another number of parameters than it has"));
        }
        self.wire.execute(&self.conn, prepared.id(), params)
    }

    fn query(&mut self, statement: Statement, params: &[Param<'_>]) -> SqlResult<Vec<Row>> {
        let params = bind(params)?;
        let prepared = &self.statements[statement.0 as usize].1;
        let result = self.conn.exec_iter(prepared, params).map_err(ours)?;
        let rows = result.map(|row| row.map(values));
        rows.collect::<Result<_, _>>().map_err(ours)
    }

    fn run(&mut self, sql: &str) -> SqlResult<()> {
        self.conn.query_drop(sql).map_err(ours)
    }

    fn rows(&mut self, sql: &str) -> SqlResult<Vec<Row>> {
        let rows: Vec<mysql::Row> = self.conn.query(sql).map_err(ours)?;
        Ok(rows.into_iter().map(values).collect())
    }

    fn load(&mut self, table: &str, columns: &str, rows: &[u8]) -> SqlResult<u64> {
        {
            let mut handed = self.rows.lock().unwrap_or_else(|e| e.into_inner());
            handed.clear();
            handed.extend_from_slice(rows);
        }
        let sql = format!("LOAD DATA LOCAL INFILE 'rows' INTO TABLE {table} ({columns})");
        let loaded = self.conn.query_iter(sql).map(|result| result.affected_rows());
        loaded.map_err(ours)
    }

    fn begin(&mut self) -> SqlResult<()> {
        self.wire.run(&self.conn, "BEGIN").map(drop)
    }

    fn commit(&mut self) -> SqlResult<()> {
        self.wire.run(&self.conn, "COMMIT").map(drop)
    }

    fn rollback(&mut self) -> SqlResult<()> {
        self.run("ROLLBACK")
    }

    fn reconnect(&mut self) -> SqlResult<()> {
        self.conn = Conn::new(self.opts.clone()).map_err(ours)?;
        for (sql, statement) in &mut self.statements {
            *statement = self.conn.prep(sql.as_str()).map_err(ours)?;
        }
        Ok(())
    }
}
