//! What the engines for SQL servers share: sessions in each dialect, the lane that carries transactions out, the target
//! that owns the server, and the knobs that are the same for all.

mod lane;
mod mysql;
mod numeric;
mod postgres;
mod rows;
mod sqlserver;
mod target;
mod tds;
mod wire;

use ::mysql::OptsBuilder;
use ::postgres::Config;
use tiberius::Config as SqlServerConfig;

use self::mysql::MySqlSession;
use self::postgres::PostgresSession;
use self::sqlserver::SqlServerSession;
pub use self::target::{SqlTarget, cannot_connect, own_server};
use crate::base::error::{Result, failed};
use crate::load::sql::{Session, SqlResult, refused};
use crate::plan::{Default, Kind, Knob};

pub const SERVER: Knob = Knob {
    name: "server",
    kind: Kind::Choice(&["own", "existing"]),
    default: Default::Is("\"own\""),
    doc: "own: Dyno starts one on the drive; existing: DYNO_MYSQL_URL or DYNO_POSTGRES_URL names one that runs.",
};

pub const MEMORY: Knob = Knob {
    name: "memory",
    kind: Kind::Bytes,
    default: Default::Absent,
    doc: "The most memory that the server may use, page cache included (a control group).",
};

pub const CPUS: Knob = Knob {
    name: "cpus",
    kind: Kind::Text,
    default: Default::Absent,
    doc: "The processors that the server may use, as in \"0-3,8\".",
};

pub const OPTIONS: Knob = Knob {
    name: "options",
    kind: Kind::Options,
    default: Default::Absent,
    doc: "More of the server's settings, by its own names.",
};

/// How to reach a server, as often as one likes.
#[derive(Clone)]
pub enum Door {
    MySql(Box<OptsBuilder>),
    Postgres(Box<Config>),
    SqlServer(Box<SqlServerConfig>),
}

impl Door {
    pub fn connect(&self) -> SqlResult<Box<dyn Session>> {
        Ok(match self {
            Door::MySql(opts) => Box::new(MySqlSession::connect((**opts).clone())?),
            Door::Postgres(config) => Box::new(PostgresSession::connect(config)?),
            Door::SqlServer(config) => Box::new(SqlServerSession::connect(config)?),
        })
    }
}

/// The database that Dyno makes in a server of its own.
pub const DATABASE: &str = "dyno";

pub fn make_database(door: &Door) -> Result<()> {
    let mut session = door.connect().map_err(|e| refused("connecting", &e))?;
    session.run(&format!("CREATE DATABASE {DATABASE}")).map_err(|e| refused("making the database", &e))
}

/// A connection string from the environment, so that no password comes into a plan or a bundle.
pub fn connection_string(variable: &str, example: &str) -> Result<String> {
    std::env::var(variable).map_err(|_| {
        let what = format!("the plan asks for an existing server, and {variable} is not set");
        failed(what, format!("set it in the environment: {variable}={example}"))
    })
}
