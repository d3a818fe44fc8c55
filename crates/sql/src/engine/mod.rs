//! Engines for SQL servers, one folder each: the session that implements the server's protocol, its
//! dialect, how Dyno starts and stops it, and its settings. Common parts are here: the I/O context
//! that executes transactions, the target that owns the server, and the shared knobs.

mod io_context;
pub mod mysql;
mod own_server;
mod portions;
pub mod postgres;
pub mod sqlserver;
mod stream;
mod target;

pub use self::own_server::{Product, open_own};
pub use self::target::{SqlTarget, cannot_connect, open_existing, own_server};
use dyno_core::base::error::{Result, failed};
use dyno_core::measure::sql::{SqlResult, SqlSession, refused};
use dyno_core::plan::{DefaultValue, Knob, KnobKind, Knobs};

/// Settings by the server's own names, in order; later ones take precedence. An empty value means a
/// switch without a value.
pub type Settings = Vec<(String, String)>;

/// The knob `server`: started by Dyno, or existing.
pub const SERVER: Knob = Knob {
    name: "server",
    kind: KnobKind::Choice(&["own", "existing"]),
    default: DefaultValue::Is("\"own\""),
    doc: "own: Dyno starts one on the drive; existing: the running server of DYNO_MYSQL_URL or \
        DYNO_POSTGRES_URL.",
};

/// The knob `memory`: the server's memory limit (cgroup v2, `memory.max`).
pub const MEMORY: Knob = Knob {
    name: "memory",
    kind: KnobKind::Bytes,
    default: DefaultValue::Absent,
    doc: "Memory limit of each server, including page cache (a control group).",
};

/// The knob `cpus`: the processors that are divided among a subject's servers.
pub const CPUS: Knob = Knob {
    name: "cpus",
    kind: KnobKind::Text,
    default: DefaultValue::Absent,
    doc: "Processors divided evenly among the servers of a subject, as in \"0-15,32\"; or a \
        number per server, \"16 each\".",
};

/// The knob `shared_cpus`: whether their sets of processors may overlap.
pub const SHARED_CPUS: Knob = Knob {
    name: "shared_cpus",
    kind: KnobKind::Bool,
    default: DefaultValue::Is("false"),
    doc: "Servers and load may share processors: each server has all of a list in `cpus`, and \
        sets of a number each overlap if there are not enough.",
};

/// The knob `connection`: the environment variable with an existing server's connection string.
pub const CONNECTION: Knob = Knob {
    name: "connection",
    kind: KnobKind::Text,
    default: DefaultValue::Absent,
    doc: "Environment variable with the connection string of an existing server, instead of the \
        default one; a drive's `connection` takes precedence.",
};

/// The knob `connect_at_once`: servers refuse or drop logins if too many arrive together.
pub const CONNECT_AT_ONCE: Knob = Knob {
    name: "connect_at_once",
    kind: KnobKind::Int { min: 1, max: 65_536 },
    default: DefaultValue::Is("32"),
    doc: "Number of connections opened at the same time; one that is dropped at login is retried \
        once.",
};

/// Shown for values that a server does not report.
pub const UNKNOWN: &str = "unknown";

/// The knob `options`: settings by the server's own names.
pub const OPTIONS: Knob = Knob {
    name: "options",
    kind: KnobKind::Options,
    default: DefaultValue::Absent,
    doc: "Further settings of the server, by its own names.",
};

/// The knobs of an engine whose server Dyno starts or connects to: the settings are the engine's
/// own.
macro_rules! server_knobs {
    ($($own:expr),* $(,)?) => {
        &[
            $crate::engine::SERVER,
            $($own,)*
            $crate::engine::MEMORY,
            $crate::engine::CPUS,
            $crate::engine::CONNECT_AT_ONCE,
            $crate::engine::SHARED_CPUS,
            $crate::engine::CONNECTION,
            $crate::engine::OPTIONS,
        ]
    };
}
use server_knobs;

/// Settings by name.
fn named<const N: usize>(settings: [(&str, String); N]) -> Settings {
    settings.map(|(name, value)| (name.to_string(), value)).to_vec()
}

/// A way to connect to a server any number of times.
pub trait Connector: Send + Sync {
    /// A new connection; the error states whether a retry may help.
    fn connect(&self) -> SqlResult<Box<dyn SqlSession>>;
}

/// The database that Dyno creates on its own server.
pub const DATABASE: &str = "dyno";

/// Creates the database [`DATABASE`]; an error if the server refuses.
pub fn make_database(server: &dyn Connector) -> Result<()> {
    let mut session = server.connect().map_err(|e| refused("connecting", &e))?;
    session
        .run(&format!("CREATE DATABASE {DATABASE}"))
        .map_err(|e| refused("making the database", &e))
}

/// A connection string from the environment, so that no password gets into a plan or a bundle: from
/// the variable set by the knobs, or the usual one.
pub fn connection_string(knobs: &Knobs, usual: &str, example: &str) -> Result<String> {
    let variable = knobs.text(CONNECTION.name).unwrap_or(usual);
    std::env::var(variable).map_err(|_| {
        let what = format!("the plan requires an existing server, and {variable} is not set");
        failed(what, format!("set it in the environment: {variable}={example}"))
    })
}
