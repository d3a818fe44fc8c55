//! A session with PostgreSQL, over the binary protocol. Messages of a transaction that belong
//! together are pipelined: if everything is in transactions, BEGIN is sent with the statements that
//! follow it.

use tokio_postgres::Config;

use super::Postgres;
use super::connect::connect;
use super::wire::{PostgresStatement, PostgresWire};
use dyno_core::measure::sql::answers::Answers;
use dyno_core::measure::sql::{Dialect, Param, SqlResult, SqlSession, StatementBatch, StatementId};

pub struct PostgresSession {
    wire: PostgresWire,
    config: Config,
    version: String,
    /// Statements by number.
    statements: Vec<PostgresStatement>,
    begin: PostgresStatement,
    commit: PostgresStatement,
    /// Whether every statement is in a transaction.
    always: bool,
    /// Whether the next statement begins one.
    begins: bool,
    /// Whether the next batch ends one, and whether one has.
    commits: bool,
    committed: bool,
}

impl PostgresSession {
    pub fn connect(config: &Config) -> SqlResult<PostgresSession> {
        let mut wire = PostgresWire::new(connect(config)?);
        let mut answers = Answers::default();
        wire.query("SHOW server_version", &mut answers)?;
        let version = answers.first(0).map_or(Ok(""), |row| row.at(0).text())?;
        let version = format!("PostgreSQL {}", version.split(' ').next().unwrap_or_default());
        let begin = wire.prepare("BEGIN", "begin".to_string())?;
        let commit = wire.prepare("COMMIT", "commit".to_string())?;
        Ok(PostgresSession {
            wire,
            config: config.clone(),
            version,
            statements: Vec::new(),
            begin,
            commit,
            always: false,
            begins: false,
            commits: false,
            committed: false,
        })
    }

    /// Starts a batch of statements, after a BEGIN if one is due.
    fn start(&mut self) -> SqlResult<()> {
        self.wire.start();
        if self.begins { self.wire.add(&self.begin, &[]) } else { Ok(()) }
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

impl SqlSession for PostgresSession {
    fn dialect(&self) -> &'static dyn Dialect {
        &Postgres
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn prepare(&mut self, sql: &str) -> SqlResult<StatementId> {
        let name = format!("s{}", self.statements.len());
        self.statements.push(self.wire.prepare(&numbered(sql), name)?);
        Ok(StatementId(self.statements.len() as u32 - 1))
    }

    fn execute(&mut self, statement: StatementId, params: &[Param<'_>]) -> SqlResult<u64> {
        self.start()?;
        let prepared = &self.statements[statement.0 as usize];
        self.wire.add(prepared, params)?;
        let begin = std::mem::take(&mut self.begins).then_some(&self.begin);
        self.wire.execute(begin, [prepared].into_iter(), None)
    }

    fn query_all(&mut self, batch: &StatementBatch<'_>, answers: &mut Answers) -> SqlResult<()> {
        self.start()?;
        for (statement, params) in batch.iter() {
            self.wire.add(&self.statements[statement.0 as usize], params)?;
        }
        let commits = std::mem::take(&mut self.commits);
        if commits {
            self.wire.add(&self.commit, &[])?;
        }
        answers.clear();
        // BEGIN's answer belongs to no statement of the batch; COMMIT's follows theirs.
        let begin = std::mem::take(&mut self.begins).then_some(&self.begin);
        let of_batch = batch.iter().map(|(statement, _)| &self.statements[statement.0 as usize]);
        let all = of_batch.chain(commits.then_some(&self.commit));
        self.wire.execute(begin, all, Some(answers))?;
        self.committed = commits;
        Ok(())
    }

    fn run(&mut self, sql: &str) -> SqlResult<()> {
        self.wire.query(sql, &mut Answers::default())
    }

    fn rows(&mut self, sql: &str) -> SqlResult<Answers> {
        let mut answers = Answers::default();
        self.wire.query(sql, &mut answers)?;
        Ok(answers)
    }

    fn load(&mut self, table: &str, columns: &str, rows: &[u8]) -> SqlResult<u64> {
        self.wire.copy(&format!("COPY {table} ({columns}) FROM STDIN"), rows)
    }

    fn always_in_transaction(&mut self) -> SqlResult<()> {
        self.always = true;
        Ok(())
    }

    fn commits_next(&mut self) {
        self.commits = self.always;
    }

    fn begin(&mut self) -> SqlResult<()> {
        (self.commits, self.committed) = (false, false);
        if self.always {
            self.begins = true;
            return Ok(());
        }
        self.wire.start();
        self.wire.add(&self.begin, &[])?;
        self.wire.execute(None, [&self.begin].into_iter(), None).map(drop)
    }

    fn commit(&mut self) -> SqlResult<()> {
        if std::mem::take(&mut self.begins) || std::mem::take(&mut self.committed) {
            return Ok(());
        }
        self.wire.start();
        self.wire.add(&self.commit, &[])?;
        self.wire.execute(None, [&self.commit].into_iter(), None).map(drop)
    }

    fn rollback(&mut self) -> SqlResult<()> {
        if std::mem::take(&mut self.begins) { Ok(()) } else { self.run("ROLLBACK") }
    }

    fn reconnect(&mut self) -> SqlResult<()> {
        let PostgresSession { wire, begin, commit, .. } = PostgresSession::connect(&self.config)?;
        (self.wire, self.begin, self.commit, self.begins) = (wire, begin, commit, false);
        for statement in &mut self.statements {
            *statement = self.wire.prepare(&statement.sql, statement.name.clone())?;
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
