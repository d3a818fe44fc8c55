//! `mysql`: a server of the MySQL family, which Dyno starts on the drive under test, or one that is already there.

use ::mysql::{Opts, OptsBuilder};

use super::sql::{DATABASE, Door, SqlTarget, connection_string, make_database, own_server};
use super::{Access, Engine, Site, Target};
use crate::base::error::{Result, failed};
use crate::lab::server::mariadb::{self, Settings};
use crate::plan::{Default, Family, Info, Kind, Knob, Knobs};

pub struct MySql;

static INFO: Info = Info {
    name: "mysql",
    summary: "MariaDB, MySQL or Percona Server, started on the drive by Dyno or reached by a connection string",
    family: Family::Sql,
    writes: false,
    max_depth: 1,
    knobs: &[
        super::sql::SERVER,
        Knob {
            name: "buffer_pool",
            kind: Kind::Bytes,
            default: Default::Is("\"128MiB\""),
            doc: "InnoDB's cache of pages (innodb_buffer_pool_size).",
        },
        Knob {
            name: "direct",
            kind: Kind::Bool,
            default: Default::Is("true"),
            doc: "Data files past the page cache (innodb_flush_method = O_DIRECT, otherwise fsync).",
        },
        Knob {
            name: "flush_log_at_trx_commit",
            kind: Kind::Int { min: 0, max: 2 },
            default: Default::Is("1"),
            doc: "1: durable at commit; 2: written at commit; 0: once a second.",
        },
        Knob {
            name: "doublewrite",
            kind: Kind::Bool,
            default: Default::Is("true"),
            doc: "Pages are written twice, against torn writes (innodb_doublewrite).",
        },
        Knob {
            name: "binlog",
            kind: Kind::Bool,
            default: Default::Is("false"),
            doc: "Write the binary log, synced at every commit.",
        },
        Knob {
            name: "redo_log",
            kind: Kind::Bytes,
            default: Default::Is("\"512MiB\""),
            doc: "The size of InnoDB's redo log (innodb_log_file_size).",
        },
        Knob {
            name: "max_connections",
            kind: Kind::Int { min: 10, max: 100_000 },
            default: Default::Is("2000"),
            doc: "Connections that the server takes.",
        },
        super::sql::MEMORY,
        super::sql::CPUS,
        super::sql::OPTIONS,
    ],
    source: "the server's own documentation of these settings",
};

impl Engine for MySql {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, site: &Site<'_>) -> Result<Box<dyn Target>> {
        let Some((folder, limits)) = own_server(site)? else {
            let url = connection_string("DYNO_MYSQL_URL", "mysql://USER:PASSWORD@HOST:3306/DATABASE")?;
            let wrong = |_| failed("DYNO_MYSQL_URL cannot be read", "write mysql://USER:PASSWORD@HOST:3306/DATABASE");
            let opts = OptsBuilder::from_opts(Opts::from_url(&url).map_err(wrong)?).prefer_socket(false);
            return Ok(Box::new(SqlTarget::new(Door::MySql(Box::new(opts)), None, site.knobs, &[])?));
        };
        let settings = settings(site.knobs, site.access)?;
        if site.access == Access::Create {
            mariadb::lay_out(folder, &limits, site.clock)?;
        }
        let mut door = OptsBuilder::new().user(Some("root"));
        let server = mariadb::start(folder, &settings, &limits, site.clock, &mut |places| {
            door = std::mem::take(&mut door).socket(Some(mariadb::socket(places).display().to_string()));
            Door::MySql(Box::new(door.clone())).connect().map(drop).map_err(|error| error.to_string())
        })?;
        if site.access == Access::Create {
            make_database(&Door::MySql(Box::new(door.clone())))?;
        }
        let door = Door::MySql(Box::new(door.db_name(Some(DATABASE))));
        Ok(Box::new(SqlTarget::new(door, Some(server), site.knobs, &settings)?))
    }
}

/// The server's settings by its own names. While a dataset is laid out nothing is lost by relaxing durability: an
/// unfinished fill is started again, and the server's clean stop makes a finished one durable.
fn settings(knobs: &Knobs, access: Access) -> Result<Settings> {
    let loading = access == Access::Create;
    let word = |on: bool| if on { "1" } else { "0" };
    let flush = if loading { 0 } else { knobs.int("flush_log_at_trx_commit")? };
    let mut settings: Settings = [
        ("innodb-buffer-pool-size", knobs.int("buffer_pool")?.to_string()),
        ("innodb-flush-method", if knobs.flag("direct")? { "O_DIRECT" } else { "fsync" }.to_string()),
        ("innodb-flush-log-at-trx-commit", flush.to_string()),
        ("innodb-doublewrite", word(knobs.flag("doublewrite")?).to_string()),
        ("innodb-log-file-size", knobs.int("redo_log")?.to_string()),
        ("max-connections", knobs.int("max_connections")?.to_string()),
        // As many as sysbench's scripts prepare: nine for each table and connection.
        ("max-prepared-stmt-count", "1048576".to_string()),
        ("local-infile", "1".to_string()),
    ]
    .map(|(name, value)| (name.to_string(), value))
    .to_vec();
    if knobs.flag("binlog")? && !loading {
        settings.extend(
            [("log-bin", "binlog"), ("server-id", "1"), ("sync-binlog", "1")].map(|(n, v)| (n.into(), v.into())),
        );
    } else {
        settings.push(("skip-log-bin".into(), String::new()));
    }
    settings.extend(knobs.options("options")?);
    Ok(settings)
}
