//! A session with PostgreSQL, over the binary protocol.

use std::error::Error as StdError;
use std::io::Write;

use bytes::{BufMut, BytesMut};
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{FromSql, IsNull, ToSql, Type};
use postgres::{Client, Config, NoTls, SimpleQueryMessage};

use super::{Postgres, numeric};
use crate::load::sql::answers::{Answers, Value};
use crate::load::sql::{
    Batch, Decimal, Dialect, LONGEST_DECIMAL, Param, Session, SqlError, SqlResult, Statement,
    Trouble,
};

/// Microseconds from 1970 to 2000, where PostgreSQL's timestamps begin.
const EPOCH_2000_US: i64 = 946_684_800_000_000;

pub struct PostgresSession {
    client: Client,
    config: Config,
    version: String,
    /// By number: the text, from which a new connection prepares it again, and what the server
    /// knows it by.
    statements: Vec<(String, postgres::Statement)>,
    begin: postgres::Statement,
    commit: postgres::Statement,
    /// A NUMERIC that was read, for each again.
    numeric: String,
}

impl PostgresSession {
    pub fn connect(config: &Config) -> SqlResult<PostgresSession> {
        let mut client = config.connect(NoTls).map_err(ours)?;
        let version = client.query_one("SHOW server_version", &[]).map_err(ours)?;
        let version: String = version.try_get(0).map_err(ours)?;
        let version = format!("PostgreSQL {}", version.split(' ').next().unwrap_or_default());
        let begin = client.prepare("BEGIN").map_err(ours)?;
        let commit = client.prepare("COMMIT").map_err(ours)?;
        let (config, numeric) = (config.clone(), String::new());
        Ok(PostgresSession {
            client,
            config,
            version,
            statements: Vec::new(),
            begin,
            commit,
            numeric,
        })
    }
}

/// `?` as `$1`, `$2` …, outside quotes.
fn numbered(sql: &str) -> String {
    let (mut text, mut n, mut quoted) = (String::with_capacity(sql.len() + 8), 0, false);
    for c in sql.chars() {
        quoted ^= c == '\'';
        if c == '?' && !quoted {
            n += 1;
            text.push_str(&format!("${n}"));
        } else {
            text.push(c);
        }
    }
    text
}

/// What the library says, distinguished.
fn ours(error: postgres::Error) -> SqlError {
    if let Some(db) = error.as_db_error() {
        let code = db.code().code().to_string();
        let trouble = match code.as_str() {
            "40001" | "40P01" | "55P03" => Trouble::Retry,
            "57P01" | "57P02" | "57P03" => Trouble::Lost,
            _ if code.starts_with("08") => Trouble::Lost,
            _ => Trouble::Wrong,
        };
        return SqlError { trouble, message: format!("{} ({code})", db.message()), code };
    }
    // The library says what it was doing; its source says why that went wrong.
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    let conversion = error.to_string().contains("serializ");
    let trouble = if conversion { Trouble::Wrong } else { Trouble::Lost };
    SqlError { trouble, code: String::new(), message: format!("{error}{cause}") }
}

type Odd = Box<dyn StdError + Sync + Send>;

impl ToSql for Param<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Odd> {
        match *self {
            Param::Null => return Ok(IsNull::Yes),
            Param::Int(n) => match *ty {
                Type::INT2 => out.put_i16(i16::try_from(n)?),
                Type::INT4 => out.put_i32(i32::try_from(n)?),
                Type::INT8 => out.put_i64(n),
                Type::FLOAT4 => out.put_f32(n as f32),
                Type::FLOAT8 => out.put_f64(n as f64),
                Type::NUMERIC => numeric::write(n, 0, out),
                _ => out.put_slice(
                    Decimal { units: n, scale: 0 }.written(&mut [0; LONGEST_DECIMAL]).as_bytes(),
                ),
            },
            Param::Float(f) => match *ty {
                Type::FLOAT4 => out.put_f32(f as f32),
                Type::FLOAT8 => out.put_f64(f),
                Type::NUMERIC => numeric::write((f * 1e4).round() as i64, 4, out),
                _ => return Err(format!("a float does not go into {ty}").into()),
            },
            Param::Text(text) => out.put_slice(text.as_bytes()),
            Param::Decimal { units, scale } => match *ty {
                Type::NUMERIC => numeric::write(units, scale, out),
                Type::FLOAT8 => out.put_f64(units as f64 / 10f64.powi(i32::from(scale))),
                _ => out.put_slice(
                    Decimal { units, scale }.written(&mut [0; LONGEST_DECIMAL]).as_bytes(),
                ),
            },
            Param::Time { unix_us } => out.put_i64(unix_us - EPOCH_2000_US),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    postgres::types::to_sql_checked!();
}

/// A value as the server sent it.
struct Raw<'a>(Option<(Type, &'a [u8])>);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Raw<'a>, Odd> {
        Ok(Raw(Some((ty.clone(), raw))))
    }

    fn from_sql_null(_: &Type) -> Result<Raw<'a>, Odd> {
        Ok(Raw(None))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

fn keep(ty: &Type, raw: &[u8], numeric: &mut String, answers: &mut Answers) -> Result<(), Odd> {
    answers.push(match *ty {
        Type::INT2 => Value::Int(i64::from(i16::from_sql(ty, raw)?)),
        Type::INT4 => Value::Int(i64::from(i32::from_sql(ty, raw)?)),
        Type::INT8 => Value::Int(i64::from_sql(ty, raw)?),
        Type::BOOL => Value::Int(i64::from(bool::from_sql(ty, raw)?)),
        Type::FLOAT4 => Value::Float(f64::from(f32::from_sql(ty, raw)?)),
        Type::FLOAT8 => Value::Float(f64::from_sql(ty, raw)?),
        Type::NUMERIC => {
            numeric::read(raw, numeric)?;
            Value::Text(numeric)
        }
        Type::TIMESTAMP | Type::TIMESTAMPTZ => {
            Value::Time(i64::from_be_bytes(raw.try_into()?) + EPOCH_2000_US)
        }
        _ => {
            answers.push(Value::Text(&String::from_utf8_lossy(raw)));
            return Ok(());
        }
    });
    Ok(())
}

impl Session for PostgresSession {
    fn dialect(&self) -> &'static dyn Dialect {
        &Postgres
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn prepare(&mut self, sql: &str) -> SqlResult<Statement> {
        let sql = numbered(sql);
        let statement = self.client.prepare(&sql).map_err(ours)?;
        self.statements.push((sql, statement));
        Ok(Statement(self.statements.len() as u32 - 1))
    }

    fn execute(&mut self, statement: Statement, params: &[Param<'_>]) -> SqlResult<u64> {
        let prepared = &self.statements[statement.0 as usize].1;
        let mut rows = self.client.query_raw(prepared, params).map_err(ours)?;
        let mut seen = 0;
        while rows.next().map_err(ours)?.is_some() {
            seen += 1;
        }
        Ok(rows.rows_affected().unwrap_or(0).max(seen))
    }

    fn query_all(&mut self, batch: &Batch<'_>, answers: &mut Answers) -> SqlResult<()> {
        answers.clear();
        for (statement, params) in batch.iter() {
            let prepared = &self.statements[statement.0 as usize].1;
            let mut found = self.client.query_raw(prepared, params).map_err(ours)?;
            while let Some(row) = found.next().map_err(ours)? {
                for i in 0..row.len() {
                    match row.try_get::<_, Raw<'_>>(i).map_err(ours)? {
                        Raw(Some((ty, raw))) => keep(&ty, raw, &mut self.numeric, answers)
                            .map_err(|error| SqlError::wrong(error.to_string()))?,
                        Raw(None) => answers.push(Value::Null),
                    }
                }
                answers.end_row();
            }
            answers.end_statement();
        }
        Ok(())
    }

    fn run(&mut self, sql: &str) -> SqlResult<()> {
        self.client.batch_execute(sql).map_err(ours)
    }

    fn rows(&mut self, sql: &str) -> SqlResult<Answers> {
        let mut answers = Answers::default();
        for message in self.client.simple_query(sql).map_err(ours)? {
            if let SimpleQueryMessage::Row(row) = message {
                (0..row.len())
                    .for_each(|i| answers.push(row.get(i).map_or(Value::Null, Value::Text)));
                answers.end_row();
            }
        }
        Ok(answers)
    }

    fn load(&mut self, table: &str, columns: &str, rows: &[u8]) -> SqlResult<u64> {
        let mut copy =
            self.client.copy_in(&format!("COPY {table} ({columns}) FROM STDIN")).map_err(ours)?;
        let written = copy.write_all(rows);
        // The server's reason is in the answer to the end of the copy, not in the failure to write.
        match (written, copy.finish()) {
            (_, Err(error)) => Err(ours(error)),
            (Err(error), Ok(_)) => Err(SqlError::wrong(error.to_string())),
            (Ok(()), Ok(loaded)) => Ok(loaded),
        }
    }

    fn begin(&mut self) -> SqlResult<()> {
        self.client.execute(&self.begin, &[]).map(|_| ()).map_err(ours)
    }

    fn commit(&mut self) -> SqlResult<()> {
        self.client.execute(&self.commit, &[]).map(|_| ()).map_err(ours)
    }

    fn rollback(&mut self) -> SqlResult<()> {
        self.run("ROLLBACK")
    }

    fn reconnect(&mut self) -> SqlResult<()> {
        let fresh = PostgresSession::connect(&self.config)?;
        (self.client, self.begin, self.commit) = (fresh.client, fresh.begin, fresh.commit);
        for (sql, statement) in &mut self.statements {
            *statement = self.client.prepare(sql).map_err(ours)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_outside_quotes() {
        assert_eq!(numbered("a = ? AND b = '?' AND c = ?"), "a = $1 AND b = '?' AND c = $2");
    }
}
