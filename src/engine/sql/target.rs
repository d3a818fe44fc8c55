//! An open database: the server that Dyno started for it, or one that was there, and what both sides count.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard};

use super::Door;
use super::lane::{Counts, SqlLane};
use crate::base::error::{Result, anyhow, failed};
use crate::base::units;
use crate::engine::{Home, Site, Target};
use crate::lab::data::Folder;
use crate::lab::server::{Limits, Server};
use crate::load::answers::Answers;
use crate::load::sql::{Dialect, Script, Session, SqlError, Trouble, refused};
use crate::load::{AnyLane, Space};
use crate::plan::{Knobs, Stream};
use crate::record::Fact;

/// The oldest servers that the statements were written for.
const OLDEST: [(&str, f64); 4] = [("MariaDB", 10.2), ("MySQL", 5.7), ("PostgreSQL", 12.0), ("SQL Server", 11.0)];

/// The counters of SQL Server that only ever rise, whatever "a second" their names say: 272696576 is their type.
const SQL_SERVER_COUNTERS: &str = "SELECT RTRIM(REPLACE(counter_name, '/sec', '')), cntr_value \
    FROM sys.dm_os_performance_counters WHERE cntr_type = 272696576 AND \
    ((object_name LIKE '%:Buffer Manager%' \
    AND counter_name IN ('Page lookups/sec', 'Page reads/sec', 'Page writes/sec', 'Checkpoint pages/sec')) \
    OR (object_name LIKE '%:SQL Statistics%' AND counter_name IN ('Batch Requests/sec', 'SQL Compilations/sec')) \
    OR (object_name LIKE '%:Databases%' AND instance_name = DB_NAME() \
    AND counter_name IN ('Transactions/sec', 'Log Bytes Flushed/sec', 'Log Flushes/sec')) \
    OR (object_name LIKE '%:Locks%' AND instance_name = '_Total' \
    AND counter_name IN ('Number of Deadlocks/sec', 'Lock Waits/sec')))";

/// What was counted so far, by name.
type Counters = BTreeMap<String, f64>;

pub struct SqlTarget {
    /// The facts' heading: "MariaDB".
    name: String,
    door: Door,
    /// None: it was there, and is left running.
    server: Option<Mutex<Server>>,
    lanes: Mutex<Vec<Arc<Counts>>>,
    opened: Mutex<Option<Counters>>,
    facts: Vec<Fact>,
}

/// The folder and limits of a server of Dyno's own; `None` where the plan wants one that is already there.
pub fn own_server<'s>(site: &Site<'s>) -> Result<Option<(&'s Folder, Limits)>> {
    if site.knobs.text("server")? == "existing" {
        return Ok(None);
    }
    let Home::Folder(folder) = site.home else {
        return Err(failed(
            "a database server needs a filesystem",
            "make one on the drive, mount it, and name a directory there as the subject's path",
        ));
    };
    Ok(Some((folder, limits(site.knobs))))
}

fn limits(knobs: &Knobs) -> Limits {
    Limits {
        memory_bytes: knobs.get("memory").and_then(|v| v.as_u64()),
        cpus: knobs.get("cpus").and_then(|v| v.as_str()).map(str::to_string),
    }
}

impl SqlTarget {
    /// `settings` are the plan's, by the server's own names, for the disclosure.
    pub fn new(door: Door, server: Option<Server>, knobs: &Knobs, settings: &[(String, String)]) -> Result<SqlTarget> {
        let session = door.connect().map_err(|error| cannot_connect(&error))?;
        let version = session.version().to_string();
        check_age(&version)?;
        let (name, number) = version.rsplit_once(' ').unwrap_or((&version, ""));
        let fact = |what: &str, value: String| Fact::new(name, what, value);
        let mut facts = vec![
            fact("Version", number.to_string()),
            fact("Server", if server.is_some() { "Dyno's own".into() } else { "existing".into() }),
        ];
        let shown = settings.iter().map(
            |(name, value)| {
                if value.is_empty() { name.clone() } else { format!("{name}={value}") }
            },
        );
        facts.push(fact("Settings", shown.collect::<Vec<_>>().join(" ")));
        let limits = limits(knobs);
        facts.extend(limits.memory_bytes.map(|bytes| fact("Memory limit", units::bytes(bytes))));
        facts.extend(limits.cpus.map(|cpus| fact("Processors", cpus)));
        Ok(SqlTarget {
            name: name.to_string(),
            door,
            server: server.map(Mutex::new),
            lanes: Mutex::new(Vec::new()),
            opened: Mutex::new(None),
            facts,
        })
    }

    /// What the lanes have sent, and what the server says of itself.
    fn counters(&self) -> Counters {
        let mut all = Counters::new();
        for lane in lock(&self.lanes).iter() {
            let counts = [
                ("Queries: read", &lane.reads),
                ("Queries: write", &lane.writes),
                ("Queries: other", &lane.other),
                ("Errors ignored (deadlocks, lock waits)", &lane.errors),
                ("Transactions given up", &lane.given_up),
                ("Reconnects", &lane.reconnects),
            ];
            for (name, counter) in counts {
                *all.entry(name.to_string()).or_default() += counter.get() as f64;
            }
        }
        // A server that is gone says nothing; why it went is a fact of its own.
        if let Ok(mut session) = self.door.connect() {
            all.extend(server_counters(&mut *session).unwrap_or_default());
        }
        all
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

/// The server's own counters that a window's load moves.
fn server_counters(session: &mut dyn Session) -> std::result::Result<Counters, SqlError> {
    let mut counters = Counters::new();
    match session.dialect() {
        Dialect::MySql => {
            let kept = "'Com_begin', 'Com_commit', 'Com_rollback', 'Innodb_buffer_pool_read_requests', \
                        'Innodb_buffer_pool_reads', 'Innodb_data_read', 'Innodb_data_written', \
                        'Innodb_os_log_written', 'Innodb_row_lock_waits'";
            pairs(&session.rows(&format!("SHOW GLOBAL STATUS WHERE Variable_name IN ({kept})"))?, &mut counters)?;
        }
        Dialect::Postgres => {
            let names = ["xact_commit", "xact_rollback", "blks_read", "blks_hit", "deadlocks", "temp_bytes"];
            let sql = format!("SELECT {} FROM pg_stat_database WHERE datname = current_database()", names.join(", "));
            for row in session.rows(&sql)?.of(0) {
                for (name, value) in names.iter().zip(row.values()) {
                    counters.insert(name.to_string(), value.float()?);
                }
            }
        }
        Dialect::SqlServer => pairs(&session.rows(SQL_SERVER_COUNTERS)?, &mut counters)?,
    }
    Ok(counters)
}

/// Rows of a name and a value.
fn pairs(rows: &Answers, counters: &mut Counters) -> std::result::Result<(), SqlError> {
    for row in rows.of(0) {
        counters.insert(row.at(0).text()?.to_string(), row.at(1).float()?);
    }
    Ok(())
}

fn analyze(session: &mut dyn Session) -> std::result::Result<(), SqlError> {
    match session.dialect() {
        Dialect::Postgres => return session.run("ANALYZE"),
        Dialect::SqlServer => return session.run("EXEC sp_updatestats"),
        Dialect::MySql => {}
    }
    let mut tables = Vec::new();
    for row in session.rows("SHOW TABLES")?.of(0) {
        tables.push(format!("`{}`", row.at(0).text()?));
    }
    if tables.is_empty() {
        return Ok(());
    }
    session.rows(&format!("ANALYZE TABLE {}", tables.join(", "))).map(drop)
}

/// Refuses a server that is older than those the statements were written for.
fn check_age(version: &str) -> Result<()> {
    let (name, number) = version.rsplit_once(' ').unwrap_or((version, ""));
    let mut parts = number.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let (major, minor) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    match OLDEST.iter().find(|(known, _)| *known == name) {
        Some((_, oldest)) if f64::from(major) + f64::from(minor.min(99)) / 100.0 < as_version(*oldest) => {
            Err(failed(format!("{version} is too old"), format!("use {name} {oldest} or newer")))
        }
        _ => Ok(()),
    }
}

/// 10.2 as 10 + 2/100, so that 10.11 is newer than it.
fn as_version(text: f64) -> f64 {
    text.trunc() + text.fract() / 10.0
}

pub fn cannot_connect(error: &SqlError) -> crate::base::error::Error {
    let try_next = match error.trouble {
        Trouble::Lost => "check that the server runs and that the address in the connection string is right",
        _ => "check user, password and database in the connection string, and that the user may log in from here",
    };
    failed(format!("cannot connect to the database server: {error}"), try_next)
}

impl Target for SqlTarget {
    fn space(&self) -> Space {
        Space::default()
    }

    fn lane(&self, stream: &Stream, _thread: u32) -> Result<Box<dyn AnyLane>> {
        Err(anyhow!("the workload '{}' makes no transactions", stream.workload.name))
    }

    fn script_lane(&self, _stream: &Stream, thread: u32, script: Box<dyn Script>) -> Result<Box<dyn AnyLane>> {
        let session = self.door.connect().map_err(|error| cannot_connect(&error))?;
        let counts = Arc::new(Counts::default());
        lock(&self.lanes).push(Arc::clone(&counts));
        Ok(Box::new(SqlLane::new(session, script, counts, thread)?))
    }

    /// Has the server look at what was loaded: otherwise it plans for the empty tables it remembers, until its own
    /// background work comes round.
    fn settle(&self, _stop: &AtomicBool) -> Result<()> {
        let mut session = self.door.connect().map_err(|error| cannot_connect(&error))?;
        analyze(&mut *session).map_err(|error| refused("gathering statistics on the tables", &error))
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
        if let Some(server) = &self.server {
            let mut server = lock(server);
            if !server.is_alive() {
                facts.push(Fact::new(self.name.as_str(), "The server ended; its log", server.log_tail()));
            }
        }
        facts
    }

    fn facts(&self) -> Vec<Fact> {
        self.facts.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_that_are_too_old_are_refused() {
        for old in ["MySQL 5.5.30", "MariaDB 10.1.48", "PostgreSQL 9.6", "SQL Server 10.50.6000.34"] {
            assert!(check_age(old).is_err(), "{old}");
        }
        for new in ["MySQL 5.7.44", "MySQL 8.0.36", "MariaDB 10.11.6", "MariaDB 11.4.2", "PostgreSQL 15.7"] {
            assert!(check_age(new).is_ok(), "{new}");
        }
        assert!(check_age("SQL Server 16.0.4085.2").is_ok());
    }
}
