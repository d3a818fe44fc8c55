//! An open database: a server that Dyno started for it, or an existing one, and the counters of
//! both sides.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard};

use super::io_context::{SqlContext, StatementCounts};
use super::portions::Portions;
use super::{Connector, UNKNOWN, connection_string};
use dyno_core::base::error::{Context, Result, anyhow, failed};
use dyno_core::base::units;
use dyno_core::engine::{DatasetAccess, DatasetLocation, Target};
use dyno_core::lab::folder::data::{DatasetFolder, ServerContents};
use dyno_core::lab::machine::processors;
use dyno_core::lab::server::{Limits, Server};
use dyno_core::measure::sql::{
    ErrorClass, ServerCounters, SqlError, SqlResult, SqlSession, TransactionScript, refused,
    reported,
};
use dyno_core::measure::{AddressSpace, AnyIoContext};
use dyno_core::plan::{Knobs, Stream, read_list};
use dyno_core::record::key::engine;
use dyno_core::record::{Fact, ServerShare};

/// An open database to which sessions connect.
pub struct SqlTarget {
    /// The facts' heading: "MariaDB".
    name: String,
    connector: Box<dyn Connector>,
    portions: Portions,
    /// None: an existing server, which is left running.
    server: Option<Mutex<Server>>,
    io_contexts: Mutex<Vec<Arc<StatementCounts>>>,
    opened: Mutex<Option<ServerCounters>>,
    facts: Vec<Fact>,
    /// The server counters to query.
    counter_names: &'static [&'static str],
}

/// The folder and limits of Dyno's own server; `None` if the plan uses an existing one.
pub fn own_server<'s>(site: &DatasetAccess<'s>) -> Result<Option<(&'s DatasetFolder, Limits)>> {
    if site.knobs.text("server")? == "existing" {
        return Ok(None);
    }
    let DatasetLocation::Folder(folder) = site.home else {
        return Err(failed(
            "a database server needs a filesystem",
            "create one on the drive, mount it, and use a directory there as the subject's path",
        ));
    };
    Ok(Some((folder, limits(site.knobs))))
}

/// An existing server, by the connection string in the environment: the usual variable, an example
/// string, and its parser.
pub fn open_existing<C: Connector + 'static>(
    site: &DatasetAccess<'_>,
    (usual, example): (&str, &str),
    read: impl Fn(&str) -> Option<C>,
) -> Result<Box<dyn Target>> {
    let string = connection_string(site.knobs, usual, example)?;
    let named = site.knobs.text("connection").unwrap_or(usual);
    let server = read(&string)
        .ok_or_else(|| failed(format!("{named} cannot be read"), format!("write {example}")))?;
    let target = SqlTarget::new(Box::new(server), None, site.knobs, &[]);
    Ok(Box::new(target.with_context(|| format!("the server that {named} names"))?))
}

fn limits(knobs: &Knobs) -> Limits {
    Limits {
        memory_bytes: knobs.get("memory").and_then(|v| v.as_u64()),
        // At this point, this server's own share of them.
        cpus: knobs.text("cpus").ok().and_then(read_list),
        shared_cpus: knobs.flag("shared_cpus").unwrap_or(false),
    }
}

impl SqlTarget {
    /// `settings` are the plan's, by the server's own names, for the disclosure.
    pub fn new(
        connector: Box<dyn Connector>,
        server: Option<Server>,
        knobs: &Knobs,
        settings: &[(String, String)],
    ) -> Result<SqlTarget> {
        let portions = Portions::of(knobs);
        let mut session = portions.connect(&*connector).map_err(|error| cannot_connect(&error))?;
        let version = session.version().to_string();
        let dialect = session.dialect();
        let banner = reported(&mut *session, dialect.banner(), &["all"]).remove("all");
        check_age(&version, session.dialect().oldest())?;
        let (name, number) = version.rsplit_once(' ').unwrap_or((&version, ""));
        let fact = |what: &str, value: String| Fact::new(name, what, value);
        let mut facts = vec![
            fact(engine::VERSION.name, number.to_string()),
            fact(
                engine::VERSION_IN_FULL.name,
                banner.map_or(UNKNOWN.to_string(), |text| {
                    text.split_whitespace().collect::<Vec<_>>().join(" ")
                }),
            ),
            fact("Server", if server.is_some() { "Dyno's own".into() } else { "existing".into() }),
        ];
        let shown = settings.iter().map(|(name, value)| {
            if value.is_empty() { name.clone() } else { format!("{name}={value}") }
        });
        facts.push(fact(engine::SETTINGS.name, shown.collect::<Vec<_>>().join(" ")));
        Ok(SqlTarget {
            name: name.to_string(),
            connector,
            portions,
            server: server.map(Mutex::new),
            io_contexts: Mutex::new(Vec::new()),
            opened: Mutex::new(None),
            facts,
            counter_names: session.dialect().counter_names(),
        })
    }

    /// Discloses the settings that the server's version does not support.
    pub fn without(mut self, settings: &[String]) -> SqlTarget {
        if !settings.is_empty() {
            let name = "Settings left out, unknown to this version";
            self.facts.push(Fact::new(self.name.as_str(), name, settings.join(" ")));
        }
        self
    }

    fn connect(&self) -> SqlResult<Box<dyn SqlSession>> {
        self.portions.connect(&*self.connector)
    }

    /// The I/O contexts' statements, and the server's own counters.
    fn counters(&self) -> ServerCounters {
        let mut all = ServerCounters::new();
        for io_context in lock(&self.io_contexts).iter() {
            let counts = [
                ("Queries: read", &io_context.reads),
                ("Queries: write", &io_context.writes),
                ("Queries: other", &io_context.other),
                ("Errors ignored (deadlocks, lock waits)", &io_context.errors),
                ("Transactions given up", &io_context.given_up),
                ("Reconnects", &io_context.reconnects),
            ];
            for (name, counter) in counts {
                *all.entry(name.to_string()).or_default() += counter.get() as f64;
            }
        }
        // A server that has died reports nothing; the cause is a separate fact.
        if let Ok(mut session) = self.connect() {
            all.extend(session.dialect().counters(&mut *session).unwrap_or_default());
        }
        all
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

/// Refuses a server older than those for which the statements were written.
fn check_age(version: &str, oldest: &[(&str, &str)]) -> Result<()> {
    let (name, number) = version.rsplit_once(' ').unwrap_or((version, ""));
    match oldest.iter().find(|(known, _)| *known == name) {
        // A server that does not report its version may be any.
        Some((_, oldest)) if number != UNKNOWN && release(number) < release(oldest) => {
            Err(failed(format!("{version} is too old"), format!("use {name} {oldest} or newer")))
        }
        _ => Ok(()),
    }
}

/// Major and minor: 10.11 is newer than 10.2.
fn release(number: &str) -> (u32, u32) {
    let mut parts = number.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

/// The error of a server that accepts no connection, with what to check.
pub fn cannot_connect(error: &SqlError) -> dyno_core::base::error::Error {
    let try_next = match error.trouble {
        ErrorClass::Lost => {
            "check that the server runs and that the address in the connection string is right"
        }
        ErrorClass::Slow => {
            "check the server's load; reduce concurrent logins with the engine's connect_at_once"
        }
        ErrorClass::Untrusted => {
            "in the connection string, specify its certificate with \
             TrustServerCertificateCA=FILE, or accept any with TrustServerCertificate=true"
        }
        _ => {
            "check user, password and database in the connection string, and that the user may log \
             in from here"
        }
    };
    failed(format!("cannot connect to the database server: {error}"), try_next)
}

impl Target for SqlTarget {
    fn space(&self) -> AddressSpace {
        AddressSpace::default()
    }

    fn io_context(&self, stream: &Stream, _thread: u32) -> Result<Box<dyn AnyIoContext>> {
        Err(anyhow!("the workload '{}' has no transactions", stream.workload.name))
    }

    fn script_io_context(
        &self,
        _stream: &Stream,
        thread: u32,
        script: Box<dyn TransactionScript>,
    ) -> Result<Box<dyn AnyIoContext>> {
        processors::wait_behind_others();
        let session = self.connect().map_err(|error| cannot_connect(&error))?;
        let counts = Arc::new(StatementCounts::default());
        lock(&self.io_contexts).push(Arc::clone(&counts));
        Ok(Box::new(SqlContext::new(session, script, counts, thread)?))
    }

    /// Makes the server update its statistics after loading: otherwise it plans for empty tables
    /// until its own background work runs.
    fn settle(&self, _stop: &AtomicBool) -> Result<()> {
        let mut session = self.connect().map_err(|error| cannot_connect(&error))?;
        session
            .dialect()
            .analyze(&mut *session)
            .map_err(|error| refused("gathering statistics on the tables", &error))
    }

    fn window_opens(&self) {
        *lock(&self.opened) = Some(self.counters());
    }

    fn window_closed(&self) -> Vec<Fact> {
        let Some(before) = lock(&self.opened).take() else { return Vec::new() };
        let now = self.counters();
        let part = |(name, value): (&String, &f64)| {
            let part = value - before.get(name).copied().unwrap_or(0.0);
            Fact::new(self.name.as_str(), name.as_str(), units::grouped(part.max(0.0) as u64))
        };
        let mut facts: Vec<Fact> = now.iter().map(part).collect();
        let lacking = self.counter_names.iter().filter(|name| !now.contains_key(**name));
        facts.extend(lacking.map(|name| Fact::new(self.name.as_str(), *name, "not reported")));
        if let Some(server) = &self.server {
            let mut server = lock(server);
            if !server.is_alive() {
                facts.push(Fact::new(
                    self.name.as_str(),
                    "The server ended; its log",
                    server.log_tail(),
                ));
            }
        }
        facts
    }

    fn written(&self) -> Vec<(&'static str, u64)> {
        let Ok(mut session) = self.connect() else { return Vec::new() };
        session.dialect().written(&mut *session).unwrap_or_default()
    }

    fn facts(&self) -> Vec<Fact> {
        self.facts.clone()
    }

    fn missing_tables(&self, tables: &[String]) -> Result<Vec<String>> {
        if self.server.is_some() || tables.is_empty() {
            return Ok(Vec::new());
        }
        let mut session = self.connect().map_err(|error| cannot_connect(&error))?;
        let mut is_missing =
            |table: &&String| session.rows(&format!("SELECT 1 FROM {table} WHERE 1 = 0")).is_err();
        Ok(tables.iter().filter(|table| is_missing(table)).cloned().collect())
    }

    fn drop_tables(&self, tables: &[String]) -> Result<()> {
        let mut session = self.connect().map_err(|error| cannot_connect(&error))?;
        for table in tables {
            // One that was not made yet is no error.
            let is_there = session.rows(&format!("SELECT 1 FROM {table} WHERE 1 = 0")).is_ok();
            let dropped =
                if is_there { session.run(&format!("DROP TABLE {table}")) } else { Ok(()) };
            dropped.map_err(|error| refused(&format!("dropping the table {table}"), &error))?;
        }
        Ok(())
    }

    /// A server started by Dyno is in the dataset's folder, whose files are checked instead.
    fn server_contents(&self, questions: &[String]) -> Result<Option<ServerContents>> {
        if self.server.is_some() {
            return Ok(None);
        }
        let mut session = self.connect().map_err(|error| cannot_connect(&error))?;
        let server = session.dialect().identity(&mut *session);
        let mut answer = |sql: &String| {
            let said = match session.rows(sql) {
                Ok(answers) => format!("{:?}", answers.of(0).collect::<Vec<_>>()),
                Err(error) => error.to_string(),
            };
            (sql.clone(), said)
        };
        Ok(Some(ServerContents { content: questions.iter().map(&mut answer).collect(), server }))
    }

    fn server(&self) -> Option<ServerShare> {
        // A server that has ended reports nothing.
        lock(self.server.as_ref()?).share().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_that_are_too_old_are_refused() {
        let oldest =
            [("MariaDB", "10.2"), ("MySQL", "5.7"), ("PostgreSQL", "12"), ("SQL Server", "11")];
        for old in ["MySQL 5.5.30", "MariaDB 10.1.48", "PostgreSQL 9.6", "SQL Server 10.50.6000.34"]
        {
            assert!(check_age(old, &oldest).is_err(), "{old}");
        }
        for new in
            ["MySQL 5.7.44", "MySQL 8.0.36", "MariaDB 10.11.6", "MariaDB 11.4.2", "PostgreSQL 15.7"]
        {
            assert!(check_age(new, &oldest).is_ok(), "{new}");
        }
        assert!(check_age("SQL Server 16.0.4085.2", &oldest).is_ok());
    }
}
