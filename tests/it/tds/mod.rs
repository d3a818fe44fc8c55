//! A stand-in for SQL Server: it implements Microsoft's protocol (MS-TDS) over a socket, records
//! requests, and answers as the test specifies. It executes no SQL: it only knows the columns of
//! created tables.
//!
//! It is as strict as the real server: a request must carry the descriptor of its connection's
//! transaction, a commit needs a transaction, and a deadlock ends the transaction.

mod connection;
pub mod wire;

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard};

use sqlparser::dialect::MsSqlDialect;
use sqlparser::parser::Parser;
use wire::{Cell, Column, Kind};

/// A request on a connection, numbered from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    pub connection: u32,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What {
    Login {
        user: String,
        password: String,
        database: String,
    },
    Batch(String),
    /// A statement with parameters: its text, their declaration, their values.
    Call {
        text: String,
        declared: String,
        params: Vec<Cell>,
    },
    Begin,
    Commit,
    Rollback,
}

/// The answer.
#[derive(Clone, Debug)]
pub enum Answer {
    Rows(Vec<Column>, Vec<Vec<Cell>>),
    /// This many rows changed.
    Done(u64),
    Error {
        code: u32,
        class: u8,
        message: &'static str,
        rolls_back: bool,
    },
    /// The connection is closed without an answer.
    Cut,
}

/// A created table, and its bulk rows.
#[derive(Default)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: u64,
    /// By column: the number of null values.
    pub nulls: BTreeMap<String, u64>,
    pub first: Vec<Cell>,
    pub last: Vec<Cell>,
}

type Brain = dyn Fn(&Heard) -> Option<Answer> + Send + Sync;

/// Shared by all connections.
struct Shared {
    brain: Box<Brain>,
    heard: Mutex<Vec<Heard>>,
    tables: Mutex<BTreeMap<String, Table>>,
    tls: Option<Arc<rustls::ServerConfig>>,
}

/// Lives until the test's process ends.
pub struct Server {
    port: u16,
    shared: Arc<Shared>,
}

impl Server {
    /// Calls `brain` first; if it has no answer, the stand-in has a few of its own.
    pub fn start(brain: impl Fn(&Heard) -> Option<Answer> + Send + Sync + 'static) -> Server {
        Server::with_tls(None, brain)
    }

    /// With a certificate, it requires encryption of the whole connection.
    pub fn with_tls(
        tls: Option<Arc<rustls::ServerConfig>>,
        brain: impl Fn(&Heard) -> Option<Answer> + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            brain: Box::new(brain),
            heard: Mutex::new(Vec::new()),
            tables: Mutex::new(BTreeMap::new()),
            tls,
        });
        let served = Arc::clone(&shared);
        std::thread::spawn(move || {
            for (number, stream) in (1..).zip(listener.incoming()) {
                let shared = Arc::clone(&served);
                std::thread::spawn(move || connection::serve(stream.unwrap(), number, &shared));
            }
        });
        Server { port, shared }
    }

    /// Its connection string, in Dyno's form.
    pub fn string(&self, password: &str) -> String {
        let encrypt = if self.shared.tls.is_some() { "true" } else { "DANGER_PLAINTEXT" };
        format!(
            "Server=tcp:127.0.0.1,{};Database=bench;User \
             Id=sa;Password={password};Encrypt={encrypt};TrustServerCertificate=true",
            self.port
        )
    }

    pub fn heard(&self) -> Vec<Heard> {
        lock(&self.shared.heard).clone()
    }

    pub fn tables(&self) -> MutexGuard<'_, BTreeMap<String, Table>> {
        lock(&self.shared.tables)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

pub fn column(name: &str, kind: Kind) -> Column {
    Column { name: name.to_string(), kind, nullable: true }
}

/// Rows of unnamed columns.
pub fn rows(kinds: &[Kind], rows: &[&[&str]]) -> Answer {
    let columns = kinds.iter().map(|kind| column("", *kind)).collect();
    let cell = |text: &&str| (*text != "NULL").then(|| text.to_string());
    Answer::Rows(columns, rows.iter().map(|row| row.iter().map(cell).collect()).collect())
}

impl Shared {
    fn answer(&self, heard: &Heard) -> Answer {
        lock(&self.heard).push(heard.clone());
        let unknown = |message| Answer::Error { code: 102, class: 15, message, rolls_back: false };
        if let What::Batch(text) | What::Call { text, .. } = &heard.what
            && !is_t_sql(text)
        {
            return unknown("Incorrect syntax.");
        }
        let answer = (self.brain)(heard).or_else(|| self.own_answer(&heard.what));
        answer.unwrap_or_else(|| unknown("The stand-in does not know this statement."))
    }

    fn own_answer(&self, what: &What) -> Option<Answer> {
        let text = match what {
            What::Batch(text) => text.as_str(),
            What::Call { .. } => return None,
            _ => return Some(Answer::Done(0)),
        };
        if text.contains("SERVERPROPERTY('ProductVersion')") {
            return Some(rows(&[Kind::NVarChar(128)], &[&["16.0.4085.2"]]));
        }
        if text.contains("SERVERPROPERTY('Edition')") {
            return Some(rows(&[Kind::NVarChar(128)], &[&["Developer Edition (64-bit)"]]));
        }
        if text == "SELECT @@VERSION" {
            let said = "A stand-in for SQL Server\n\tof these tests";
            return Some(rows(&[Kind::NVarChar(300)], &[&[said]]));
        }
        if let Some(value) = reported(text) {
            return Some(rows(&[Kind::NVarChar(128)], &[&[value]]));
        }
        if let Some(rest) = text.strip_prefix("CREATE TABLE ") {
            let (name, columns) = rest.split_once(' ').unwrap();
            let table = Table { columns: definition(columns), ..Table::default() };
            lock(&self.tables).insert(name.to_string(), table);
            return Some(Answer::Done(0));
        }
        if let Some(rest) = text.strip_prefix("SELECT TOP 0 ") {
            let (names, table) = rest.split_once(" FROM ").unwrap();
            let tables = lock(&self.tables);
            let columns = &tables.get(table)?.columns;
            let named = |name: &str| columns.iter().find(|c| c.name == name).cloned();
            return Some(Answer::Rows(
                names.split(", ").map(named).collect::<Option<_>>()?,
                Vec::new(),
            ));
        }
        let done =
            ["CREATE INDEX ", "IF @@TRANCOUNT > 0 ROLLBACK", "EXEC sp_updatestats", "INSERT BULK "];
        done.iter().any(|known| text.starts_with(known)).then_some(Answer::Done(0))
    }

    /// Accepts bulk rows.
    fn loaded(&self, table: &str, columns: &[Column], rows: Vec<Vec<Cell>>) -> u64 {
        let mut tables = lock(&self.tables);
        let kept = tables.get_mut(table).unwrap();
        let names = |columns: &[Column]| columns.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(columns), names(&kept.columns), "{table}");
        for row in &rows {
            for (column, cell) in columns.iter().zip(row) {
                assert!(cell.is_some() || column.nullable, "{table}.{}", column.name);
                *kept.nulls.entry(column.name.clone()).or_default() += u64::from(cell.is_none());
            }
        }
        let count = rows.len() as u64;
        kept.rows += count;
        if kept.first.is_empty() {
            kept.first = rows.first().cloned().unwrap_or_default();
        }
        kept.last = rows.into_iter().next_back().unwrap_or_default();
        count
    }
}

/// Its properties and those of its database; without a limit of parallelism or delayed durability.
fn reported(text: &str) -> Option<&'static str> {
    let of = |column: &str| {
        text == format!("SELECT {column} FROM sys.databases WHERE database_id = DB_ID()")
    };
    Some(match text {
        _ if text.ends_with("WHERE name = 'max server memory (MB)'") => "4096",
        _ if text.contains("SERVERPROPERTY('ServerName')") => "STAND-IN",
        _ if of("recovery_model_desc") => "FULL",
        _ if of("compatibility_level") => "160",
        _ if of("is_read_committed_snapshot_on") => "0",
        _ if of("name") => "bench",
        _ if of("CAST(service_broker_guid AS NVARCHAR(36))") => "00000000-1111-2222-3333",
        _ => return None,
    })
}

/// Whether the parser accepts it. It does not know `INSERT BULK`, which only client libraries send.
fn is_t_sql(text: &str) -> bool {
    let parsed = Parser::parse_sql(&MsSqlDialect {}, text);
    if let Err(error) = &parsed {
        eprintln!("no T-SQL: {text}: {error}");
    }
    parsed.is_ok() || text.starts_with("INSERT BULK ")
}

/// The columns of a table's definition, "(a INT NOT NULL, b VARCHAR(10), PRIMARY KEY (a))".
fn definition(text: &str) -> Vec<Column> {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap();
    let mut depth = 0;
    let parts = inner.split(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    let columns = parts.map(str::trim).filter(|part| !part.starts_with("PRIMARY KEY"));
    columns
        .map(|part| {
            let (name, kind) = part.split_once(' ').unwrap();
            let sizes: Vec<u16> = kind
                .split(|c: char| !c.is_ascii_digit())
                .filter_map(|digits| digits.parse().ok())
                .collect();
            let word = kind.split(['(', ' ']).next().unwrap();
            let kind_of = match word {
                "INT" => Kind::Int,
                "CHAR" => Kind::Char(sizes[0]),
                "VARCHAR" => Kind::VarChar(sizes[0]),
                "DECIMAL" => Kind::Decimal(sizes[0] as u8, sizes[1] as u8),
                // The word has a digit of its own.
                "DATETIME2" => Kind::DateTime2(sizes[1] as u8),
                other => panic!("the stand-in does not know the type {other}"),
            };
            Column { name: name.to_string(), kind: kind_of, nullable: !kind.contains("NOT NULL") }
        })
        .collect()
}
