//! `postgres`: PostgreSQL, started by Dyno on the drive under test, or existing.

mod connect;
mod error;
mod numeric;
mod server;
mod session;
mod value;
mod wire;

use tokio_postgres::Config;

use self::session::PostgresSession;
use super::{Connector, Settings, named, open_existing, open_own, own_server, server_knobs};
use dyno_core::base::error::Result;
use dyno_core::engine::{Access, DatasetAccess, Engine, Target};
use dyno_core::measure::sql::{
    Dialect, Identity, ServerCounters, SqlError, SqlResult, SqlSession, SysbenchDriver, reported,
};
use dyno_core::plan::{DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Writes};

const COUNTERS: [&str; 6] =
    ["xact_commit", "xact_rollback", "blks_read", "blks_hit", "deadlocks", "temp_bytes"];

/// The engine, and the dialect of its servers.
pub struct Postgres;

impl Connector for Config {
    fn connect(&self) -> SqlResult<Box<dyn SqlSession>> {
        Ok(Box::new(PostgresSession::connect(self)?))
    }
}

impl Dialect for Postgres {
    fn name(&self) -> &'static str {
        "PostgreSQL"
    }

    fn oldest(&self) -> &'static [(&'static str, &'static str)] {
        &[("PostgreSQL", "12")]
    }

    fn time_type(&self) -> &'static str {
        "TIMESTAMP"
    }

    fn is_table_there(&self, error: &SqlError) -> bool {
        error.code == "42P07"
    }

    /// Ids are omitted: the sequence must end at the last one.
    fn sysbench(&self) -> Option<SysbenchDriver> {
        Some(SysbenchDriver { id_type: "SERIAL", table_end: "", gives_ids: false })
    }

    fn banner(&self) -> &'static str {
        "SELECT version()"
    }

    /// A database that is dropped and recreated has a different number.
    fn identity(&self, session: &mut dyn SqlSession) -> Identity {
        let system = "SELECT system_identifier FROM pg_control_system()";
        let mut all = reported(session, system, &["system_identifier"]);
        let database = "SELECT datname, oid FROM pg_database WHERE datname = current_database()";
        all.extend(reported(session, database, &["database", "database oid"]));
        all
    }

    fn counter_names(&self) -> &'static [&'static str] {
        &COUNTERS
    }

    fn counters(&self, session: &mut dyn SqlSession) -> SqlResult<ServerCounters> {
        let sql = format!(
            "SELECT {} FROM pg_stat_database WHERE datname = current_database()",
            COUNTERS.join(", ")
        );
        let mut counters = ServerCounters::new();
        for row in session.rows(&sql)?.of(0) {
            for (name, value) in COUNTERS.iter().zip(row.values()) {
                counters.insert(name.to_string(), value.float()?);
            }
        }
        Ok(counters)
    }

    /// Bytes written to the log, and pages written by the checkpointer, the background writer and
    /// sessions, from the views of versions 14 to 16. Later versions count pages elsewhere, so
    /// nothing is reported.
    fn written(&self, session: &mut dyn SqlSession) -> SqlResult<Vec<(&'static str, u64)>> {
        let sql = "SELECT wal_bytes, (buffers_checkpoint + buffers_clean + buffers_backend) * \
                   current_setting('block_size')::bigint FROM pg_stat_wal, pg_stat_bgwriter";
        let mut parts = Vec::new();
        for row in session.rows(sql)?.of(0) {
            for (name, value) in ["wal", "pages"].into_iter().zip(row.values()) {
                parts.push((name, value.float()? as u64));
            }
        }
        Ok(parts)
    }

    fn analyze(&self, session: &mut dyn SqlSession) -> SqlResult<()> {
        session.run("ANALYZE")
    }
}

static INFO: Info = Info {
    name: "postgres",
    summary: "PostgreSQL, started on the drive by Dyno or reached by a connection string",
    family: RequestFamily::Sql,
    writes: Writes::Never,
    max_depth: 1,
    knobs: server_knobs!(
        Knob {
            name: "shared_buffers",
            kind: KnobKind::Bytes,
            default: DefaultValue::Is("\"128MiB\""),
            doc: "PostgreSQL's own page cache, in addition to the system's.",
        },
        Knob {
            name: "synchronous_commit",
            kind: KnobKind::Bool,
            default: DefaultValue::Is("true"),
            doc: "Durable at commit.",
        },
        Knob {
            name: "full_page_writes",
            kind: KnobKind::Bool,
            default: DefaultValue::Is("true"),
            doc: "Write full pages to the log after each checkpoint, to protect against torn \
                writes.",
        },
        Knob {
            name: "max_wal_size",
            kind: KnobKind::Bytes,
            default: DefaultValue::Is("\"1GiB\""),
            doc: "Maximum size of the log between checkpoints.",
        },
        Knob {
            name: "max_connections",
            kind: KnobKind::Int { min: 10, max: 100_000 },
            default: DefaultValue::Is("500"),
            doc: "Maximum number of connections of the server.",
        },
    ),
    source: "the server's own documentation of these settings",
};

impl Engine for Postgres {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
        let Some(own) = own_server(site)? else {
            let usual = ("DYNO_POSTGRES_URL", "postgresql://USER:PASSWORD@HOST/DATABASE");
            return open_existing(site, usual, |url| url.parse::<Config>().ok());
        };
        let settings = settings(site.knobs, site.access)?;
        open_own(&server::installed()?, site, own, &settings, &|places, database| {
            let mut config = Config::new();
            config
                .user(server::SUPERUSER)
                .host_path(&places.run)
                .dbname(database.unwrap_or("postgres"));
            config
        })
    }
}

/// The server's settings by its own names. While a dataset is created, relaxed durability loses
/// nothing: an unfinished fill is restarted, and the server's clean stop makes a finished one
/// durable.
fn settings(knobs: &Knobs, access: Access) -> Result<Settings> {
    let loading = access == Access::Create;
    let word = |on: bool| if on { "on" } else { "off" }.to_string();
    let kib = |bytes: u64| format!("{}kB", bytes / 1024);
    let mut settings = named([
        ("shared_buffers", kib(knobs.int("shared_buffers")?)),
        ("synchronous_commit", word(knobs.flag("synchronous_commit")? && !loading)),
        ("full_page_writes", word(knobs.flag("full_page_writes")?)),
        ("max_wal_size", kib(knobs.int("max_wal_size")?)),
        ("max_connections", knobs.int("max_connections")?.to_string()),
    ]);
    settings.extend(knobs.options("options")?);
    Ok(settings)
}
