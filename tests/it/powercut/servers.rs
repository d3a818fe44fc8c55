//! MariaDB and PostgreSQL as databases of numbers, with their default settings for durable commits.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use mysql::prelude::Queryable;

use super::databases::{Database, Open};
use crate::servers::as_postgres;
use crate::support::{said, within};

/// Time limit for a server to start and recover on a busy machine.
const PATIENCE_S: u64 = 180;

/// A server's process and its client, once ready.
struct Server<C> {
    child: Child,
    /// None once dropped.
    client: Option<C>,
}

impl<C> Server<C> {
    /// Starts a server and waits until it answers, or ends.
    fn start(
        mut command: Command,
        mut connect: impl FnMut() -> Option<C>,
    ) -> Result<Server<C>, String> {
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = quiet.spawn().expect("the server is started");
        let mut server = Server { child, client: None };
        let mut ended = None;
        within(PATIENCE_S, || {
            server.client = connect();
            ended = server.child.try_wait().expect("asked");
            server.client.is_some() || ended.is_some()
        });
        match ended {
            _ if server.client.is_some() => Ok(server),
            Some(status) => Err(format!("the server ended with {status}")),
            None => Err("the server does not answer".into()),
        }
    }

    fn client(&mut self) -> &mut C {
        self.client.as_mut().expect("connected")
    }
}

impl<C> Drop for Server<C> {
    fn drop(&mut self) {
        self.client = None;
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        // Immediately; PostgreSQL with its other processes.
        let _ = Command::new("kill").args(["-QUIT", &self.child.id().to_string()]).status();
        if within(20, || !matches!(self.child.try_wait(), Ok(None))) {
            return;
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn give_to(account: &str, folder: &Path) {
    let given = Command::new("chown").arg(account).arg(folder).output().expect("chown");
    assert!(given.status.success(), "{}", said(&given));
}

pub struct MariaDb;

impl Database for MariaDb {
    fn make(&self, folder: &Path, sockets: &Path) {
        give_to("mysql", folder);
        let datadir = format!("--datadir={}", folder.join("db").display());
        let made = Command::new("mariadb-install-db")
            .args(["--no-defaults", &datadir, "--user=mysql", "--skip-test-db"])
            .args(["--auth-root-authentication-method=normal", "--innodb-log-file-size=8M"])
            // A starting server removes temporary files of others in a shared folder.
            .env("TMPDIR", folder)
            .output()
            .expect("mariadb-install-db");
        assert!(made.status.success(), "{}", said(&made));
        let mut server = MariaServer::start(folder, sockets).expect("it starts");
        let client = server.0.client();
        client.query_drop("CREATE DATABASE cuts").expect("made");
        client
            .query_drop("CREATE TABLE cuts.t (n BIGINT PRIMARY KEY) ENGINE=InnoDB")
            .expect("made");
        // A clean stop: the preparation is not part of the cuts.
        let _ = client.query_drop("SHUTDOWN");
        server.0.child.wait().expect("ended");
    }

    fn open(&self, folder: &Path, sockets: &Path) -> Result<Box<dyn Open>, String> {
        Ok(Box::new(MariaServer::start(folder, sockets)?))
    }
}

struct MariaServer(Server<mysql::Conn>);

impl MariaServer {
    fn start(folder: &Path, sockets: &Path) -> Result<MariaServer, String> {
        let socket: PathBuf = sockets.join("mysql.sock");
        let _ = std::fs::remove_file(&socket);
        let mut command = Command::new("mariadbd");
        command
            .args(["--no-defaults", "--skip-networking", "--user=mysql"])
            .args(["--innodb-log-file-size=8M", "--innodb-buffer-pool-size=24M"])
            .arg(format!("--datadir={}", folder.join("db").display()))
            .arg(format!("--pid-file={}", sockets.join("mysql.pid").display()))
            .arg(format!("--socket={}", socket.display()))
            .env("TMPDIR", sockets);
        let options =
            mysql::OptsBuilder::new().socket(Some(socket.display().to_string())).user(Some("root"));
        let connect = || mysql::Conn::new(options.clone()).ok();
        Server::start(command, connect).map(MariaServer)
    }
}

impl Open for MariaServer {
    fn commit(&mut self, number: u64) {
        let insert = format!("INSERT INTO cuts.t VALUES ({number})");
        self.0.client().query_drop(insert).expect("committed");
    }

    fn numbers(&mut self) -> Result<Vec<u64>, String> {
        self.0.client().query("SELECT n FROM cuts.t").map_err(|error| error.to_string())
    }
}

pub struct Postgres;

impl Database for Postgres {
    fn make(&self, folder: &Path, sockets: &Path) {
        give_to("postgres", folder);
        let made = as_postgres("initdb")
            .args(["-U", "postgres", "-A", "trust", "--locale=C", "-D"])
            .arg(folder.join("db"))
            .output()
            .expect("initdb");
        assert!(made.status.success(), "{}", said(&made));
        let mut server = PostgresServer::start(folder, sockets).expect("it starts");
        let make = "CREATE TABLE t (n BIGINT PRIMARY KEY); CHECKPOINT";
        server.0.client().batch_execute(make).expect("made");
    }

    fn open(&self, folder: &Path, sockets: &Path) -> Result<Box<dyn Open>, String> {
        Ok(Box::new(PostgresServer::start(folder, sockets)?))
    }
}

struct PostgresServer(Server<postgres::Client>);

impl PostgresServer {
    fn start(folder: &Path, sockets: &Path) -> Result<PostgresServer, String> {
        let mut command = as_postgres("postgres");
        command.args(["-c", "listen_addresses=", "-k"]).arg(sockets);
        command.arg("-D").arg(folder.join("db"));
        let mut options = postgres::Config::new();
        options.host_path(sockets).user("postgres").dbname("postgres");
        let connect = || options.connect(postgres::NoTls).ok();
        Server::start(command, connect).map(PostgresServer)
    }
}

impl Open for PostgresServer {
    fn commit(&mut self, number: u64) {
        let insert = format!("INSERT INTO t VALUES ({number})");
        self.0.client().batch_execute(&insert).expect("committed");
    }

    fn numbers(&mut self) -> Result<Vec<u64>, String> {
        let rows = self.0.client().query("SELECT n FROM t", &[]);
        let rows = rows.map_err(|error| error.to_string())?;
        Ok(rows.iter().map(|row| row.get::<_, i64>(0) as u64).collect())
    }
}
