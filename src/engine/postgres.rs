//! `postgres`: PostgreSQL, which Dyno starts on the drive under test, or one that is already there.

use ::postgres::Config;

use super::sql::{DATABASE, Door, SqlTarget, connection_string, make_database, own_server};
use super::{Access, Engine, Site, Target};
use crate::base::error::{Result, failed};
use crate::lab::server::mariadb::Settings;
use crate::lab::server::postgres;
use crate::plan::{Default, Family, Info, Kind, Knob, Knobs};

pub struct Postgres;

static INFO: Info = Info {
    name: "postgres",
    summary: "PostgreSQL, started on the drive by Dyno or reached by a connection string",
    family: Family::Sql,
    writes: false,
    max_depth: 1,
    knobs: &[
        super::sql::SERVER,
        Knob {
            name: "shared_buffers",
            kind: Kind::Bytes,
            default: Default::Is("\"128MiB\""),
            doc: "PostgreSQL's own cache of pages; the page cache of the system lies behind it.",
        },
        Knob { name: "synchronous_commit", kind: Kind::Bool, default: Default::Is("true"), doc: "Durable at commit." },
        Knob {
            name: "full_page_writes",
            kind: Kind::Bool,
            default: Default::Is("true"),
            doc: "Whole pages in the log after each checkpoint, against torn writes.",
        },
        Knob {
            name: "max_wal_size",
            kind: Kind::Bytes,
            default: Default::Is("\"1GiB\""),
            doc: "How much log is written between checkpoints at most.",
        },
        Knob {
            name: "max_connections",
            kind: Kind::Int { min: 10, max: 100_000 },
            default: Default::Is("500"),
            doc: "Connections that the server takes.",
        },
        super::sql::MEMORY,
        super::sql::CPUS,
        super::sql::OPTIONS,
    ],
    source: "the server's own documentation of these settings",
};

impl Engine for Postgres {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, site: &Site<'_>) -> Result<Box<dyn Target>> {
        let Some((folder, limits)) = own_server(site)? else {
            let url = connection_string("DYNO_POSTGRES_URL", "postgresql://USER:PASSWORD@HOST/DATABASE")?;
            let wrong =
                |_| failed("DYNO_POSTGRES_URL cannot be read", "write postgresql://USER:PASSWORD@HOST/DATABASE");
            let config: Config = url.parse().map_err(wrong)?;
            return Ok(Box::new(SqlTarget::new(Door::Postgres(Box::new(config)), None, site.knobs, &[])?));
        };
        let settings = settings(site.knobs, site.access)?;
        if site.access == Access::Create {
            postgres::lay_out(folder, &limits, site.clock)?;
        }
        let mut config = Config::new();
        config.user(postgres::SUPERUSER).dbname("postgres");
        let mut found = None;
        let server = postgres::start(folder, &settings, &limits, site.clock, &mut |places| {
            let config = found.get_or_insert_with(|| {
                config.host_path(&places.run);
                config.clone()
            });
            Door::Postgres(Box::new(config.clone())).connect().map(drop).map_err(|error| error.to_string())
        })?;
        if site.access == Access::Create {
            make_database(&Door::Postgres(Box::new(config.clone())))?;
        }
        config.dbname(DATABASE);
        Ok(Box::new(SqlTarget::new(Door::Postgres(Box::new(config)), Some(server), site.knobs, &settings)?))
    }
}

/// The server's settings by its own names. While a dataset is laid out nothing is lost by relaxing durability: an
/// unfinished fill is started again, and the server's clean stop makes a finished one durable.
fn settings(knobs: &Knobs, access: Access) -> Result<Settings> {
    let loading = access == Access::Create;
    let word = |on: bool| if on { "on" } else { "off" }.to_string();
    let kib = |bytes: u64| format!("{}kB", bytes / 1024);
    let mut settings: Settings = [
        ("shared_buffers", kib(knobs.int("shared_buffers")?)),
        ("synchronous_commit", word(knobs.flag("synchronous_commit")? && !loading)),
        ("full_page_writes", word(knobs.flag("full_page_writes")?)),
        ("max_wal_size", kib(knobs.int("max_wal_size")?)),
        ("max_connections", knobs.int("max_connections")?.to_string()),
    ]
    .map(|(name, value)| (name.to_string(), value))
    .to_vec();
    settings.extend(knobs.options("options")?);
    Ok(settings)
}
