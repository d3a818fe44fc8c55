//! A toy SQL dialect with its server and engine: SQLite, in a file of the dataset's folder.

use std::path::PathBuf;
use std::time::Duration;

use dyno::base::error::{Result, failed};
use dyno::sql::engine::{Connector, SqlTarget};
use dyno::engine::{self, Engine, DatasetLocation, DatasetAccess, Target};
use dyno::measure::sql::answers::{Answers, SqlValue};
use dyno::measure::sql::{
    Dialect, Identity, Param, ServerCounters, SqlError, SqlResult, SqlSession, StatementBatch,
    StatementId, SysbenchDriver,
    ErrorClass, reported,
};
use dyno::plan::{RequestFamily, Info, Writes};
use rusqlite::types::{ToSqlOutput, Value as Owned, ValueRef};
use rusqlite::{Connection, ToSql};

struct Sqlite;

static INFO: Info = Info {
    name: "sqlite",
    summary: "SQLite, in this process",
    family: RequestFamily::Sql,
    writes: Writes::Never,
    max_depth: 1,
    knobs: &[],
    source: "",
};

pub fn add() {
    engine::ALL.add(&Sqlite);
}

impl Engine for Sqlite {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
        let DatasetLocation::Folder(folder) = site.home else {
            return Err(failed("SQLite is a file", "give a directory"));
        };
        let place = Place(folder.path().join("db"));
        Ok(Box::new(SqlTarget::new(Box::new(place), None, site.knobs, &[])?))
    }
}

impl Dialect for Sqlite {
    fn name(&self) -> &'static str {
        "SQLite"
    }

    fn oldest(&self) -> &'static [(&'static str, &'static str)] {
        &[("SQLite", "3.24")]
    }

    fn time_type(&self) -> &'static str {
        "INTEGER"
    }

    fn is_table_there(&self, error: &SqlError) -> bool {
        error.message.contains("already exists")
    }

    fn sysbench(&self) -> Option<SysbenchDriver> {
        Some(SysbenchDriver { id_type: "INTEGER NOT NULL", table_end: "", gives_ids: true })
    }

    fn banner(&self) -> &'static str {
        "SELECT sqlite_version()"
    }

    fn identity(&self, session: &mut dyn SqlSession) -> Identity {
        reported(session, "PRAGMA database_list", &["seq", "name", "file"])
    }

    fn counter_names(&self) -> &'static [&'static str] {
        &[]
    }

    fn counters(&self, session: &mut dyn SqlSession) -> SqlResult<ServerCounters> {
        let pages = session.rows("PRAGMA page_count")?;
        let pages = pages.first(0).map_or(Ok(0.0), |row| row.at(0).float())?;
        Ok(ServerCounters::from([("Pages".to_string(), pages)]))
    }

    fn analyze(&self, session: &mut dyn SqlSession) -> SqlResult<()> {
        session.run("ANALYZE")
    }
}

struct Place(PathBuf);

impl Connector for Place {
    fn connect(&self) -> SqlResult<Box<dyn SqlSession>> {
        let conn = Connection::open(&self.0).map_err(ours)?;
        conn.busy_timeout(Duration::from_secs(5)).map_err(ours)?;
        let version = format!("SQLite {}", rusqlite::version());
        Ok(Box::new(Open { conn, place: Place(self.0.clone()), version, statements: Vec::new() }))
    }
}

fn ours(error: rusqlite::Error) -> SqlError {
    let trouble = match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
            ErrorClass::Retry
        }
        _ => ErrorClass::Wrong,
    };
    SqlError { trouble, code: String::new(), message: error.to_string() }
}

struct Open {
    conn: Connection,
    place: Place,
    version: String,
    statements: Vec<String>,
}

/// A parameter in SQLite's form.
struct Given<'a>(Param<'a>);

impl ToSql for Given<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            Param::Null => ToSqlOutput::Owned(Owned::Null),
            Param::Int(n) => ToSqlOutput::Owned(Owned::Integer(n)),
            Param::Float(f) => ToSqlOutput::Owned(Owned::Real(f)),
            Param::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Param::Decimal { units, scale } => {
                ToSqlOutput::Owned(Owned::Real(units as f64 / 10f64.powi(i32::from(scale))))
            }
            Param::Time { unix_us } => ToSqlOutput::Owned(Owned::Integer(unix_us / 1_000_000)),
        })
    }
}

impl Open {
    fn ask(&self, sql: &str, params: &[Param<'_>], answers: &mut Answers) -> SqlResult<u64> {
        let mut statement = self.conn.prepare_cached(sql).map_err(ours)?;
        let columns = statement.column_count();
        let params = rusqlite::params_from_iter(params.iter().map(|param| Given(*param)));
        if columns == 0 {
            return statement.execute(params).map(|n| n as u64).map_err(ours);
        }
        let (mut rows, mut count) = (statement.query(params).map_err(ours)?, 0);
        while let Some(row) = rows.next().map_err(ours)? {
            for column in 0..columns {
                match row.get_ref(column).map_err(ours)? {
                    ValueRef::Null | ValueRef::Blob(_) => answers.push(SqlValue::Null),
                    ValueRef::Integer(n) => answers.push(SqlValue::Int(n)),
                    ValueRef::Real(f) => answers.push(SqlValue::Float(f)),
                    ValueRef::Text(text) => {
                        answers.push(SqlValue::Text(&String::from_utf8_lossy(text)))
                    }
                }
            }
            answers.end_row();
            count += 1;
        }
        Ok(count)
    }
}

impl SqlSession for Open {
    fn dialect(&self) -> &'static dyn Dialect {
        &Sqlite
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn prepare(&mut self, sql: &str) -> SqlResult<StatementId> {
        self.conn.prepare_cached(sql).map_err(ours)?;
        self.statements.push(sql.to_string());
        Ok(StatementId(self.statements.len() as u32 - 1))
    }

    fn execute(&mut self, statement: StatementId, params: &[Param<'_>]) -> SqlResult<u64> {
        self.ask(&self.statements[statement.0 as usize], params, &mut Answers::default())
    }

    fn query_all(&mut self, batch: &StatementBatch<'_>, answers: &mut Answers) -> SqlResult<()> {
        answers.clear();
        for (statement, params) in batch.iter() {
            self.ask(&self.statements[statement.0 as usize], params, answers)?;
            answers.end_statement();
        }
        Ok(())
    }

    fn run(&mut self, sql: &str) -> SqlResult<()> {
        self.conn.execute_batch(sql).map_err(ours)
    }

    fn rows(&mut self, sql: &str) -> SqlResult<Answers> {
        let mut answers = Answers::default();
        self.ask(sql, &[], &mut answers)?;
        Ok(answers)
    }

    fn load(&mut self, table: &str, columns: &str, rows: &[u8]) -> SqlResult<u64> {
        let places = vec!["?"; columns.split(',').count()].join(", ");
        let sql = format!("INSERT INTO {table} ({columns}) VALUES ({places})");
        let text = String::from_utf8_lossy(rows);
        let mut loaded = 0;
        for line in text.lines() {
            let cells: Vec<Param<'_>> = line.split('\t').map(Param::Text).collect();
            loaded += self.ask(&sql, &cells, &mut Answers::default())?;
        }
        Ok(loaded)
    }

    fn begin(&mut self) -> SqlResult<()> {
        self.run("BEGIN")
    }

    fn commit(&mut self) -> SqlResult<()> {
        self.run("COMMIT")
    }

    fn rollback(&mut self) -> SqlResult<()> {
        self.run("ROLLBACK")
    }

    fn reconnect(&mut self) -> SqlResult<()> {
        self.conn = Connection::open(&self.place.0).map_err(ours)?;
        Ok(())
    }
}
