//! A session with Microsoft SQL Server, over its protocol (TDS).
//!
//! Statements go through `sp_executesql` with declared parameter types: the server caches a
//! statement's plan by its text and declarations, so both must be the same each time. Statements
//! sent together are one such text, whose plan is cached likewise. Nothing is prepared on the
//! server, so a new connection reuses the plans of a lost one.

use std::collections::HashMap;
use std::io::ErrorKind;

use tiberius::error::Error as TdsError;
use tiberius::{Client, Command, CommandResult, Config, TokenRow};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

use super::{SqlServer, UNKNOWN, tds};
use dyno_core::measure::sql::answers::Answers;
use dyno_core::measure::sql::{
    Dialect, ErrorClass, Param, SqlError, SqlResult, SqlSession, StatementBatch, StatementId,
};

/// A deadlock, a lock-wait timeout, and a row changed since the snapshot was taken.
const RETRY: [u32; 3] = [1205, 1222, 3960];

/// Errors of this severity end the connection: the server is shutting down, or the session was
/// killed.
const FATAL: u8 = 20;

pub struct SqlServerSession {
    client: Client<Compat<TcpStream>>,
    /// Waits only on this session's socket, in the calling thread.
    runtime: Runtime,
    config: Config,
    version: String,
    /// Statements by number, with `?` for parameters.
    statements: Vec<String>,
    /// Combined statements, by the numbers of their parts.
    together: HashMap<Vec<u32>, SqlServerStatement>,
}

/// The separator between statements that are sent together.
const BETWEEN: &str = ";\n";

struct SqlServerStatement {
    text: String,
    /// Its parameters' names: "@dyno1", "@dyno2" …
    names: Vec<String>,
    /// Whether each of its statements returns rows.
    returns: Vec<bool>,
}

impl SqlServerSession {
    pub fn connect(config: &Config) -> SqlResult<SqlServerSession> {
        let runtime = Builder::new_current_thread().enable_io().build();
        let runtime =
            runtime.map_err(|e| SqlError::wrong(format!("no thread can wait on sockets: {e}")))?;
        let client = runtime.block_on(login(config))?;
        let mut session = SqlServerSession {
            client,
            runtime,
            config: config.clone(),
            version: String::new(),
            statements: Vec::new(),
            together: HashMap::new(),
        };
        let version =
            session.rows("SELECT CAST(SERVERPROPERTY('ProductVersion') AS NVARCHAR(128))")?;
        let version = version.first(0).and_then(|row| row.at(0).text().ok()).unwrap_or(UNKNOWN);
        session.version = format!("SQL Server {version}");
        Ok(session)
    }

    /// Executes statements in one request, with all their parameters.
    fn call<'p>(
        &mut self,
        numbers: Vec<u32>,
        params: impl Iterator<Item = Param<'p>>,
    ) -> SqlResult<(CommandResult, &[bool])> {
        let SqlServerSession { client, runtime, statements, together, .. } = self;
        let prepared = together.entry(numbers).or_insert_with_key(|numbers| {
            numbered(numbers.iter().map(|number| statements[*number as usize].as_str()))
        });
        let params: Vec<Param<'p>> = params.collect();
        if prepared.names.len() != params.len() {
            return Err(SqlError::wrong(
                "a statement was given another number of parameters than it has",
            ));
        }
        let declared = tds::declared(&prepared.names, &params)?;
        let mut command = Command::new("sp_executesql");
        command.bind_param("", prepared.text.as_str());
        if !params.is_empty() {
            command.bind_param("", declared.as_str());
        }
        for (name, param) in prepared.names.iter().zip(params) {
            command.bind_param(name.as_str(), tds::Sent(param));
        }
        let result = runtime
            .block_on(async { command.exec(client).await?.into_command_result().await })
            .map_err(ours)?;
        Ok((result, &prepared.returns))
    }
}

async fn login(config: &Config) -> SqlResult<Client<Compat<TcpStream>>> {
    let io = |e: std::io::Error| ours(e.into());
    let socket = TcpStream::connect(config.get_addr()).await.map_err(io)?;
    socket.set_nodelay(true).map_err(io)?;
    Client::connect(config.clone(), socket.compat_write()).await.map_err(ours)
}

/// Statements as one text, with `?` as `@dyno1`, `@dyno2` …, outside quotes, and those names;
/// servers use `@p1` for their own parameters.
fn numbered<'s>(statements: impl Iterator<Item = &'s str>) -> SqlServerStatement {
    let mut all =
        SqlServerStatement { text: String::new(), names: Vec::new(), returns: Vec::new() };
    for sql in statements {
        if !all.returns.is_empty() {
            all.text.push_str(BETWEEN);
        }
        all.returns.push(sql.starts_with("SELECT "));
        let mut quoted = false;
        for c in sql.chars() {
            quoted ^= c == '\'';
            if c == '?' && !quoted {
                let name = format!("@dyno{}", all.names.len() + 1);
                all.text.push_str(&name);
                all.names.push(name);
            } else {
                all.text.push(c);
            }
        }
    }
    all
}

/// The library's error, classified.
fn ours(error: TdsError) -> SqlError {
    let (trouble, code, message) = match &error {
        TdsError::Server(e) => {
            let trouble = match e.code() {
                code if RETRY.contains(&code) => ErrorClass::Retry,
                _ if e.class() >= FATAL => ErrorClass::Lost,
                _ => ErrorClass::Wrong,
            };
            (trouble, e.code().to_string(), format!("{} (error {})", e.message(), e.code()))
        }
        TdsError::Io { kind: ErrorKind::TimedOut, .. } => {
            let what = "the server took the connection and did not finish the login in time";
            (ErrorClass::Slow, String::new(), what.to_string())
        }
        TdsError::Io { message, .. } => {
            (ErrorClass::Lost, String::new(), format!("the connection is gone: {message}"))
        }
        // The rest is advice for programmers.
        TdsError::Tls(why) => {
            let why = why.split(". To connect anyway").next().unwrap_or_default();
            (ErrorClass::Untrusted, String::new(), why.to_string())
        }
        other => (ErrorClass::Wrong, String::new(), other.to_string()),
    };
    SqlError { trouble, code, message }
}

impl SqlSession for SqlServerSession {
    fn dialect(&self) -> &'static dyn Dialect {
        &SqlServer
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn prepare(&mut self, sql: &str) -> SqlResult<StatementId> {
        self.statements.push(sql.to_string());
        Ok(StatementId(self.statements.len() as u32 - 1))
    }

    fn execute(&mut self, statement: StatementId, params: &[Param<'_>]) -> SqlResult<u64> {
        let (result, _) = self.call(vec![statement.0], params.iter().copied())?;
        Ok(result.rows_affected().iter().copied().max().unwrap_or(0))
    }

    fn query_all(&mut self, batch: &StatementBatch<'_>, answers: &mut Answers) -> SqlResult<()> {
        answers.clear();
        let numbers: Vec<u32> = batch.iter().map(|(statement, _)| statement.0).collect();
        if numbers.is_empty() {
            return Ok(());
        }
        let params = batch.iter().flat_map(|(_, params)| params.iter().copied());
        let (result, returns) = self.call(numbers, params)?;
        let mut found = result.into_iter();
        for returns in returns {
            for row in found.by_ref().take(usize::from(*returns)).flatten() {
                row.into_iter().try_for_each(|data| tds::keep(data, answers))?;
                answers.end_row();
            }
            answers.end_statement();
        }
        Ok(())
    }

    fn run(&mut self, sql: &str) -> SqlResult<()> {
        let client = &mut self.client;
        self.runtime
            .block_on(async { client.simple_query(sql).await?.into_results().await })
            .map(drop)
            .map_err(ours)
    }

    fn rows(&mut self, sql: &str) -> SqlResult<Answers> {
        let client = &mut self.client;
        let rows = self
            .runtime
            .block_on(async { client.simple_query(sql).await?.into_first_result().await });
        let mut answers = Answers::default();
        for row in rows.map_err(ours)? {
            row.into_iter().try_for_each(|data| tds::keep_as_text(data, &mut answers))?;
            answers.end_row();
        }
        Ok(answers)
    }

    fn load(&mut self, table: &str, columns: &str, rows: &[u8]) -> SqlResult<u64> {
        let text = std::str::from_utf8(rows).map_err(|e| SqlError::wrong(e.to_string()))?;
        let names: Vec<&str> = columns.split(',').map(str::trim).collect();
        let client = &mut self.client;
        self.runtime.block_on(async {
            let types = client.column_metadata(table, &names).await.map_err(ours)?;
            let mut load = client.bulk_insert_columns(table, &names).await.map_err(ours)?;
            for line in text.lines() {
                let mut row = TokenRow::with_capacity(types.len());
                let mut cells = line.split('\t');
                for (column, cell) in types.iter().zip(&mut cells) {
                    row.push(tds::cell(cell, column)?);
                }
                if row.len() != types.len() || cells.next().is_some() {
                    return Err(SqlError::wrong(format!(
                        "a row of {table} has not {} columns: {line}",
                        types.len()
                    )));
                }
                load.send(row).await.map_err(ours)?;
            }
            load.finalize().await.map(|done| done.total()).map_err(ours)
        })
    }

    fn begin(&mut self) -> SqlResult<()> {
        self.runtime.block_on(self.client.begin_transaction()).map_err(ours)
    }

    fn commit(&mut self) -> SqlResult<()> {
        self.runtime.block_on(self.client.commit_transaction()).map_err(ours)
    }

    /// After a deadlock the server has already rolled back, and would refuse to do so again.
    fn rollback(&mut self) -> SqlResult<()> {
        self.run("IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION")
    }

    fn reconnect(&mut self) -> SqlResult<()> {
        self.client = self.runtime.block_on(login(&self.config))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_outside_quotes() {
        let prepared = numbered(["SELECT a WHERE a = ? AND b = '?'", "UPDATE c = ?"].into_iter());
        assert_eq!(prepared.text, "SELECT a WHERE a = @dyno1 AND b = '?';\nUPDATE c = @dyno2");
        assert_eq!(prepared.names, ["@dyno1", "@dyno2"]);
        assert_eq!(prepared.returns, [true, false]);
    }
}
