//! `mysql`: a server of the MySQL family, started by Dyno on the drive under test, or existing.

mod error;
mod packet;
mod rows;
mod server;
mod session;
mod wire;

use mysql::{Opts, OptsBuilder};

use self::session::MySqlSession;
use super::{Connector, Settings, named, open_existing, open_own, own_server, server_knobs};
use dyno_core::base::error::Result;
use dyno_core::engine::{Access, DatasetAccess, Engine, Target};
use dyno_core::measure::sql::answers::AnswerRow;
use dyno_core::measure::sql::{
    Dialect, Identity, ServerCounters, SqlError, SqlResult, SqlSession, SysbenchDriver, reported,
};
use dyno_core::plan::{DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Writes};

const COUNTERS: [&str; 9] = [
    "Com_begin",
    "Com_commit",
    "Com_rollback",
    "Innodb_buffer_pool_read_requests",
    "Innodb_buffer_pool_reads",
    "Innodb_data_read",
    "Innodb_data_written",
    "Innodb_os_log_written",
    "Innodb_row_lock_waits",
];

/// The engine, and the dialect of its servers.
pub struct MySql;

impl Connector for OptsBuilder {
    fn connect(&self) -> SqlResult<Box<dyn SqlSession>> {
        Ok(Box::new(MySqlSession::connect(self.clone())?))
    }
}

impl Dialect for MySql {
    fn name(&self) -> &'static str {
        "MySQL"
    }

    fn oldest(&self) -> &'static [(&'static str, &'static str)] {
        &[("MariaDB", "10.2"), ("MySQL", "5.7")]
    }

    fn time_type(&self) -> &'static str {
        "DATETIME NULL"
    }

    fn is_table_there(&self, error: &SqlError) -> bool {
        error.code == "1050"
    }

    /// Ids are explicit: in bulk loads the server would leave gaps in generated ones.
    fn sysbench(&self) -> Option<SysbenchDriver> {
        let (id_type, table_end) = ("INTEGER NOT NULL AUTO_INCREMENT", "/*! ENGINE = innodb */");
        Some(SysbenchDriver { id_type, table_end, gives_ids: true })
    }

    fn banner(&self) -> &'static str {
        "SELECT CONCAT(@@version, ', ', @@version_comment)"
    }

    /// MySQL has its own UUID; MariaDB has none that differs between two servers on one machine,
    /// but two servers have different data directories.
    fn identity(&self, session: &mut dyn SqlSession) -> Identity {
        let sql = "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('server_uuid', 'server_uid', \
                   'hostname', 'port', 'datadir')";
        let answer = session.rows(sql).unwrap_or_default();
        let pair = |row: AnswerRow<'_>| {
            Some((row.at(0).text().ok()?.into(), row.at(1).text().ok()?.into()))
        };
        let mut all: Identity = answer.of(0).filter_map(pair).collect();
        all.extend(reported(session, "SELECT DATABASE()", &["database"]));
        all
    }

    fn counter_names(&self) -> &'static [&'static str] {
        &COUNTERS
    }

    fn counters(&self, session: &mut dyn SqlSession) -> SqlResult<ServerCounters> {
        let names = COUNTERS.map(|name| format!("'{name}'")).join(", ");
        session.rows(&format!("SHOW GLOBAL STATUS WHERE Variable_name IN ({names})"))?.pairs()
    }

    /// Bytes written to the redo log, to pages in place, and to pages in the doublewrite buffer.
    /// The sum of the last two is `Innodb_data_written`.
    fn written(&self, session: &mut dyn SqlSession) -> SqlResult<Vec<(&'static str, u64)>> {
        const PAGE: &str = "Innodb_page_size";
        const PARTS: [(&str, &str); 3] = [
            ("wal", "Innodb_os_log_written"),
            ("pages", "Innodb_pages_written"),
            ("doublewrite", "Innodb_dblwr_pages_written"),
        ];
        let names = PARTS.map(|(_, name)| format!("'{name}'")).join(", ");
        let sql = format!("SHOW GLOBAL STATUS WHERE Variable_name IN ('{PAGE}', {names})");
        let counts = session.rows(&sql)?.pairs()?;
        let page_bytes = counts.get(PAGE).copied().unwrap_or_default();
        let part = |(part, name): (&'static str, &str)| {
            let unit_bytes = if part == "wal" { 1.0 } else { page_bytes };
            Some((part, (counts.get(name)? * unit_bytes) as u64))
        };
        Ok(PARTS.into_iter().filter_map(part).collect())
    }

    fn analyze(&self, session: &mut dyn SqlSession) -> SqlResult<()> {
        let mut tables = Vec::new();
        for row in session.rows("SHOW TABLES")?.of(0) {
            tables.push(format!("`{}`", row.at(0).text()?));
        }
        if tables.is_empty() {
            return Ok(());
        }
        session.rows(&format!("ANALYZE TABLE {}", tables.join(", "))).map(drop)
    }
}

static INFO: Info = Info {
    name: "mysql",
    summary: "MariaDB, MySQL or Percona Server, started on the drive by Dyno or reached by a \
              connection string",
    family: RequestFamily::Sql,
    writes: Writes::Never,
    max_depth: 1,
    knobs: server_knobs!(
        Knob {
            name: "program",
            kind: KnobKind::Text,
            default: DefaultValue::Absent,
            doc: "The server to start, as in \"/opt/mysql/bin/mysqld\"; otherwise the PATH's \
                  mariadbd or mysqld.",
        },
        Knob {
            name: "buffer_pool",
            kind: KnobKind::Bytes,
            default: DefaultValue::Is("\"128MiB\""),
            doc: "InnoDB's cache of pages (innodb_buffer_pool_size).",
        },
        Knob {
            name: "direct",
            kind: KnobKind::Bool,
            default: DefaultValue::Is("true"),
            doc: "Data files bypass the page cache (innodb_flush_method = O_DIRECT, otherwise \
                fsync).",
        },
        Knob {
            name: "flush_log_at_trx_commit",
            kind: KnobKind::Int { min: 0, max: 2 },
            default: DefaultValue::Is("1"),
            doc: "1: durable at commit; 2: written at commit; 0: once a second.",
        },
        Knob {
            name: "doublewrite",
            kind: KnobKind::Bool,
            default: DefaultValue::Is("true"),
            doc: "Write pages twice, to protect against torn writes (innodb_doublewrite).",
        },
        Knob {
            name: "binlog",
            kind: KnobKind::Bool,
            default: DefaultValue::Is("false"),
            doc: "Write the binary log, synced at every commit.",
        },
        Knob {
            name: "redo_log",
            kind: KnobKind::Bytes,
            default: DefaultValue::Is("\"512MiB\""),
            doc: "The size of InnoDB's redo log (innodb_log_file_size).",
        },
        Knob {
            name: "max_connections",
            kind: KnobKind::Int { min: 10, max: 100_000 },
            default: DefaultValue::Is("2000"),
            doc: "Maximum number of connections of the server.",
        },
    ),
    source: "the server's own documentation of these settings",
};

impl Engine for MySql {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
        let Some(own) = own_server(site)? else {
            let usual = ("DYNO_MYSQL_URL", "mysql://USER:PASSWORD@HOST:3306/DATABASE");
            let read = |url: &str| Some(OptsBuilder::from_opts(Opts::from_url(url).ok()?));
            return open_existing(site, usual, |url| Some(read(url)?.prefer_socket(false)));
        };
        let mut product = server::installed(site.knobs.text("program").ok())?;
        let mut settings = product.fit(settings(site.knobs, site.access)?);
        settings.extend(site.knobs.options("options")?);
        open_own(&product, site, own, &settings, &|places, database| {
            let socket = server::socket(places).display().to_string();
            OptsBuilder::new().user(Some("root")).socket(Some(socket)).db_name(database)
        })
    }
}

/// The server's settings by its own names. While a dataset is created, relaxed durability loses
/// nothing: an unfinished fill is restarted, and the server's clean stop makes a finished one
/// durable.
fn settings(knobs: &Knobs, access: Access) -> Result<Settings> {
    let loading = access == Access::Create;
    let word = |on: bool| if on { "1" } else { "0" };
    let flush = if loading { 0 } else { knobs.int("flush_log_at_trx_commit")? };
    let mut settings = named([
        ("innodb-buffer-pool-size", knobs.int("buffer_pool")?.to_string()),
        (
            "innodb-flush-method",
            if knobs.flag("direct")? { "O_DIRECT" } else { "fsync" }.to_string(),
        ),
        ("innodb-flush-log-at-trx-commit", flush.to_string()),
        ("innodb-doublewrite", word(knobs.flag("doublewrite")?).to_string()),
        ("innodb-log-file-size", knobs.int("redo_log")?.to_string()),
        ("max-connections", knobs.int("max_connections")?.to_string()),
        // The number that sysbench's scripts prepare: nine for each table and connection.
        ("max-prepared-stmt-count", "1048576".to_string()),
        ("local-infile", "1".to_string()),
    ]);
    settings.extend(match knobs.flag("binlog")? && !loading {
        true => named([
            ("log-bin", "binlog".to_string()),
            ("server-id", "1".to_string()),
            ("sync-binlog", "1".to_string()),
        ]),
        false => named([("skip-log-bin", String::new())]),
    });
    Ok(settings)
}
