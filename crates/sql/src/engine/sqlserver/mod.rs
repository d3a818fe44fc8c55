//! `sqlserver`: an existing Microsoft SQL Server. Dyno does not start one.

mod session;
mod tds;

use std::borrow::Cow;

use tiberius::Config;

use self::session::SqlServerSession;
use super::portions::Portions;
use super::{Connector, SqlTarget, UNKNOWN, cannot_connect, connection_string};
use dyno_core::base::error::{Error, Result, failed};
use dyno_core::engine::{DatasetAccess, Engine, Target};
use dyno_core::measure::sql::{
    Dialect, Identity, ServerCounters, SqlError, SqlResult, SqlSession, SysbenchDriver, reported,
};
use dyno_core::plan::{DefaultValue, Info, Knob, KnobKind, RequestFamily, Writes};

/// In the format of Microsoft's own tools and drivers (ADO.NET).
const EXAMPLE: &str = "'Server=tcp:HOST,1433;Database=NAME;User \
                       Id=USER;Password=PASSWORD;TrustServerCertificate=true'";

/// The counters that only increase, although some names contain "a second": their type is
/// 272696576.
const COUNTERS: &str = "SELECT RTRIM(REPLACE(counter_name, '/sec', '')), cntr_value FROM \
    sys.dm_os_performance_counters WHERE cntr_type = 272696576 AND ((object_name LIKE '%:Buffer \
    Manager%' AND counter_name IN ('Page lookups/sec', 'Page reads/sec', 'Page writes/sec', \
    'Checkpoint pages/sec')) OR (object_name LIKE '%:SQL Statistics%' AND counter_name IN ('Batch \
    Requests/sec', 'SQL Compilations/sec')) OR (object_name LIKE '%:Databases%' AND instance_name \
    = DB_NAME() AND counter_name IN ('Transactions/sec', 'Log Bytes Flushed/sec', 'Log \
    Flushes/sec')) OR (object_name LIKE '%:Locks%' AND instance_name = '_Total' AND counter_name \
    IN ('Number of Deadlocks/sec', 'Lock Waits/sec')))";

/// Their names without "a second".
const COUNTED: [&str; 11] = [
    "Page lookups",
    "Page reads",
    "Page writes",
    "Checkpoint pages",
    "Batch Requests",
    "SQL Compilations",
    "Transactions",
    "Log Bytes Flushed",
    "Log Flushes",
    "Number of Deadlocks",
    "Lock Waits",
];

/// The engine, and the dialect of its servers: T-SQL.
pub struct SqlServer;

impl Connector for Config {
    fn connect(&self) -> SqlResult<Box<dyn SqlSession>> {
        Ok(Box::new(SqlServerSession::connect(self)?))
    }
}

impl Dialect for SqlServer {
    fn name(&self) -> &'static str {
        "SQL Server"
    }

    fn oldest(&self) -> &'static [(&'static str, &'static str)] {
        &[("SQL Server", "11")]
    }

    fn time_type(&self) -> &'static str {
        "DATETIME2(0)"
    }

    /// T-SQL places the row limit and the lock for a row that will be written differently: after
    /// the table's name, as in `FROM district WITH (UPDLOCK, ROWLOCK) WHERE …`.
    fn query<'q>(&self, sql: &'q str, rows: Option<u32>, locked: bool) -> Cow<'q, str> {
        let mut text = Cow::Borrowed(sql);
        if locked {
            text = Cow::Owned(text.replacen(" WHERE ", " WITH (UPDLOCK, ROWLOCK) WHERE ", 1));
        }
        if let Some(rows) = rows {
            text = Cow::Owned(text.replacen("SELECT ", &format!("SELECT TOP ({rows}) "), 1));
        }
        text
    }

    /// Text is sent as NVARCHAR, which cannot be used to search an index on VARCHAR keys.
    fn row_limit(&self) -> Option<&'static str> {
        None
    }

    fn is_table_there(&self, error: &SqlError) -> bool {
        error.code == "2714"
    }

    fn sysbench(&self) -> Option<SysbenchDriver> {
        None
    }

    fn banner(&self) -> &'static str {
        "SELECT @@VERSION"
    }

    fn identity(&self, session: &mut dyn SqlSession) -> Identity {
        let server = "SELECT CAST(SERVERPROPERTY('ServerName') AS NVARCHAR(128))";
        let mut all = reported(session, server, &["server"]);
        for (column, name) in [
            ("name", "database"),
            ("CONVERT(NVARCHAR(30), create_date, 126)", "create_date"),
            ("CAST(service_broker_guid AS NVARCHAR(36))", "service_broker_guid"),
        ] {
            all.extend(reported(session, &of_database(column), &[name]));
        }
        all
    }

    fn counter_names(&self) -> &'static [&'static str] {
        &COUNTED
    }

    fn counters(&self, session: &mut dyn SqlSession) -> SqlResult<ServerCounters> {
        session.rows(COUNTERS)?.pairs()
    }

    fn analyze(&self, session: &mut dyn SqlSession) -> SqlResult<()> {
        session.run("EXEC sp_updatestats")
    }
}

static INFO: Info = Info {
    name: "sqlserver",
    summary: "Microsoft SQL Server that runs already, reached by a connection string",
    family: RequestFamily::Sql,
    writes: Writes::Never,
    max_depth: 1,
    knobs: &[
        Knob {
            name: "server",
            kind: KnobKind::Choice(&["existing"]),
            default: DefaultValue::Is("\"existing\""),
            doc: "existing: the running server of DYNO_SQLSERVER_URL; Dyno does not start one.",
        },
        super::CONNECT_AT_ONCE,
        super::CONNECTION,
    ],
    source: "the ADO.NET connection string as Microsoft documents it and tiberius reads it",
};

impl Engine for SqlServer {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
        let config = config_of(&connection_string(site.knobs, "DYNO_SQLSERVER_URL", EXAMPLE)?)?;
        let settings = settings(&config, &Portions::of(site.knobs))?;
        Ok(Box::new(SqlTarget::new(Box::new(config), None, site.knobs, &settings)?))
    }
}

/// A column of the database's catalogue row.
fn of_database(column: &str) -> String {
    format!("SELECT {column} FROM sys.databases WHERE database_id = DB_ID()")
}

/// Settings by the server's owner that affect results, for the disclosure. Values that a server
/// does not report are shown as unknown: SQL Server 2012 has no delayed durability, and other
/// products lack more.
fn settings(server: &dyn Connector, portions: &Portions) -> Result<Vec<(String, String)>> {
    let mut session = portions.connect(server).map_err(|error| cannot_connect(&error))?;
    let mut settings = Vec::new();
    let mut keep = |sql: &str, name: &str| {
        let value = reported(&mut *session, sql, &[name]).remove(name);
        settings.push((name.to_string(), value.unwrap_or_else(|| UNKNOWN.to_string())));
    };
    keep("SELECT CAST(SERVERPROPERTY('Edition') AS NVARCHAR(128))", "edition");
    for name in ["max server memory (MB)", "max degree of parallelism"] {
        let sql = format!(
            "SELECT CAST(value_in_use AS INT) FROM sys.configurations WHERE name = '{name}'"
        );
        keep(&sql, name);
    }
    for name in [
        "recovery_model_desc",
        "compatibility_level",
        "is_read_committed_snapshot_on",
        "delayed_durability_desc",
    ] {
        keep(&of_database(name), name);
    }
    Ok(settings)
}

/// The library's reasons are not repeated: they may quote the string, which contains a password.
fn config_of(text: &str) -> Result<Config> {
    let mut config = Config::from_ado_string(text).map_err(|_| unreadable())?;
    // A named instance without a port would have to be resolved by the server's browser service, on
    // UDP.
    if text.contains('\\') && config.get_addr().ends_with(":1434") {
        return Err(failed(
            "DYNO_SQLSERVER_URL has an instance but no port",
            "give the instance's own port: Server=tcp:HOST,PORT",
        ));
    }
    config.application_name("dyno");
    // A consistency condition on 1,500 warehouses, or statistics on all tables, may take
    // arbitrarily long.
    config.command_timeout(None);
    Ok(config)
}

fn unreadable() -> Error {
    failed(
        "DYNO_SQLSERVER_URL cannot be read",
        format!(
            "write {EXAMPLE}, ASCII only; quote values that contain ; or quotes: \
             Password=\"a;b\""
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_that_cannot_be_read_is_refused_without_showing_its_password() {
        for wrong in [
            "Server=tcp:db,1433;User Id=sa;Password='hunter2",
            "Server=tcp:db,hunter2;User Id=sa;Password=hunter2",
            "Server=tcp:db,1433;Password=hunter2;Encrypt=hunter2",
            "Server=db\\hunter2;User Id=sa;Password=hunter2",
            "Server=tcp:db,1433;Password=hunter2ü",
        ] {
            let refused = format!("{:?}", config_of(wrong).unwrap_err());
            assert!(
                refused.contains("DYNO_SQLSERVER_URL") && !refused.contains("hunter2"),
                "{refused}"
            );
        }
        let config =
            config_of("Server=tcp:db,1500;Database=x;User Id=sa;Password=\"a;b=c\"").unwrap();
        assert_eq!(config.get_addr(), "db:1500");
        assert_eq!(config.get_command_timeout(), None);
    }
}
