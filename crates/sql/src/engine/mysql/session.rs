//! A session with a server of the MySQL family (MariaDB, MySQL, Percona Server), over the binary
//! protocol.

use std::io::Write;
use std::sync::{Arc, Mutex};

use mysql::prelude::Queryable;
use mysql::{Conn, LocalInfileHandler, Opts, OptsBuilder};

use super::MySql;
use super::error::server_error;
use super::rows::MysqlColumn;
use super::wire::{MysqlStatement, MysqlWire};
use crate::engine::stream::lost;
use dyno_core::measure::sql::answers::{Answers, SqlValue};
use dyno_core::measure::sql::{
    Dialect, Param, SqlError, SqlResult, SqlSession, StatementBatch, StatementId,
};

pub struct MySqlSession {
    conn: Conn,
    opts: Opts,
    version: String,
    /// Statements by number.
    statements: Vec<MysqlStatement>,
    /// Whether every statement is in a transaction.
    always: bool,
    /// The data that `load` sends when the server requests the file.
    rows: Arc<Mutex<Vec<u8>>>,
    wire: MysqlWire,
}

fn prepared(conn: &mut Conn, sql: &str) -> SqlResult<MysqlStatement> {
    let statement = conn.prep(sql).map_err(ours)?;
    let columns = statement.columns().iter().map(MysqlColumn::of_library).collect();
    Ok(MysqlStatement {
        sql: sql.to_string(),
        id: statement.id(),
        params: usize::from(statement.num_params()),
        columns,
    })
}

impl MySqlSession {
    pub fn connect(opts: OptsBuilder) -> SqlResult<MySqlSession> {
        let rows = Arc::new(Mutex::new(Vec::new()));
        let handed = Arc::clone(&rows);
        let handler = LocalInfileHandler::new(move |_, out| {
            out.write_all(&handed.lock().unwrap_or_else(|e| e.into_inner()))
        });
        // Statements are stored here, by number; the library's own cache would close them
        // unexpectedly. The hot path reads raw packets, uncompressed.
        let opts: Opts =
            opts.stmt_cache_size(0).compress(None).local_infile_handler(Some(handler)).into();
        let mut conn = Conn::new(opts.clone()).map_err(ours)?;
        let version: Option<String> = conn.query_first("SELECT VERSION()").map_err(ours)?;
        let version = version.unwrap_or_default();
        let name = if version.contains("MariaDB") { "MariaDB" } else { "MySQL" };
        let version = format!("{name} {}", version.split('-').next().unwrap_or_default());
        Ok(MySqlSession {
            conn,
            opts,
            version,
            statements: Vec::new(),
            always: false,
            rows,
            wire: MysqlWire::new(),
        })
    }
}

/// The library's error, classified.
fn ours(error: mysql::Error) -> SqlError {
    match error {
        mysql::Error::MySqlError(e) => server_error(e.code, &e.message),
        mysql::Error::IoError(e) => lost(e),
        mysql::Error::CodecError(e) => lost(e),
        mysql::Error::DriverError(
            e @ (mysql::DriverError::Timeout | mysql::DriverError::CouldNotConnect(_)),
        ) => SqlError::lost(e.to_string()),
        other => SqlError::wrong(other.to_string()),
    }
}

impl SqlSession for MySqlSession {
    fn dialect(&self) -> &'static dyn Dialect {
        &MySql
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn prepare(&mut self, sql: &str) -> SqlResult<StatementId> {
        self.statements.push(prepared(&mut self.conn, sql)?);
        Ok(StatementId(self.statements.len() as u32 - 1))
    }

    fn execute(&mut self, statement: StatementId, params: &[Param<'_>]) -> SqlResult<u64> {
        self.wire.execute(&self.conn, &self.statements[statement.0 as usize], params)
    }

    fn query_all(&mut self, batch: &StatementBatch<'_>, answers: &mut Answers) -> SqlResult<()> {
        self.wire.query_all(&self.conn, batch, &mut self.statements, answers)
    }

    fn run(&mut self, sql: &str) -> SqlResult<()> {
        self.conn.query_drop(sql).map_err(ours)
    }

    fn rows(&mut self, sql: &str) -> SqlResult<Answers> {
        let mut answers = Answers::default();
        for row in self.conn.query_iter(sql).map_err(ours)? {
            for value in row.map_err(ours)?.unwrap_raw() {
                // Without preparation, every value is text or null.
                match value {
                    Some(mysql::Value::Bytes(bytes)) => {
                        answers.push(SqlValue::Text(&String::from_utf8_lossy(&bytes)))
                    }
                    _ => answers.push(SqlValue::Null),
                }
            }
            answers.end_row();
        }
        Ok(answers)
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

    fn always_in_transaction(&mut self) -> SqlResult<()> {
        self.always = true;
        self.run("SET autocommit = 0")
    }

    fn begin(&mut self) -> SqlResult<()> {
        if self.always { Ok(()) } else { self.wire.run(&self.conn, "BEGIN").map(drop) }
    }

    fn commit(&mut self) -> SqlResult<()> {
        self.wire.run(&self.conn, "COMMIT").map(drop)
    }

    fn rollback(&mut self) -> SqlResult<()> {
        self.wire.run(&self.conn, "ROLLBACK").map(drop)
    }

    fn reconnect(&mut self) -> SqlResult<()> {
        self.conn = Conn::new(self.opts.clone()).map_err(ours)?;
        for statement in &mut self.statements {
            *statement = prepared(&mut self.conn, &statement.sql)?;
        }
        if self.always { self.always_in_transaction() } else { Ok(()) }
    }
}
