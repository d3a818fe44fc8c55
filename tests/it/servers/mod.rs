//! Shared by the database tests: a directory for running Dyno, and MariaDB and PostgreSQL servers
//! as a user would have them.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use dyno::plan::{Knob, KnobKind, RequestFamily};

use crate::support::{DYNO, have, said, served_by, size, until};

const TABLES: &str = "tables = 2, table_size = 2000";

/// The engines whose servers Dyno starts itself, if installed here.
pub fn own() -> Vec<&'static str> {
    dyno::register();
    let starts = |knob: &Knob| {
        knob.name == "server" && matches!(knob.kind, KnobKind::Choice(c) if c.contains(&"own"))
    };
    let engines = dyno::engine::ALL.iter().map(|engine| engine.info());
    let own =
        engines.filter(|info| info.family == RequestFamily::Sql && info.knobs.iter().any(starts));
    own.map(|info| info.name).filter(|name| have(programs(name))).collect()
}

/// The engines for a test that takes long and shows the same of each: in everyday runs one of them,
/// by turns, and in the soak all.
pub fn own_in_turn(turn: usize) -> Vec<&'static str> {
    let all = own();
    let number = size(1, all.len()).min(all.len());
    all.iter().cycle().skip(turn).take(number).copied().collect()
}

/// The programs for an engine's server; an unknown one lacks nothing, and its tests run.
fn programs(engine: &str) -> &'static [&'static str] {
    match engine {
        "mysql" => &["mariadbd"],
        "postgres" => &["initdb"],
        _ => &[],
    }
}

pub struct Bench {
    pub dir: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Bench {
        let dir = tempfile::tempdir().unwrap();
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::create_dir(dir.path().join("drive")).unwrap();
        Bench { dir }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A protocol of one dataset and one step of this window.
    pub fn protocol(
        &self,
        dataset: &str,
        engine: &str,
        workload: &str,
        (threads, window): (u32, &str),
    ) {
        let text = format!(
            "title = \"t\"\n[dataset.db]\nengine = \"{engine}\"\n{dataset}\n[[step]]\n\
             name = \"s\"\nduration = \"{window}\"\n\
             [[step.stream]]\nname = \"io\"\nengine = \"{engine}\"\nthreads = {threads}\n\
             workload = {{ kind = \"{workload}\", {TABLES}, rand_type = \"uniform\" }}\n"
        );
        std::fs::write(self.path("p.toml"), text).unwrap();
    }

    pub fn dyno(&self, url: &str) -> Command {
        let _ = std::fs::remove_file(self.path("b.dyno"));
        let _ = std::fs::create_dir(self.path("tmp"));
        std::fs::set_permissions(self.path("tmp"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = Command::new(DYNO);
        command.current_dir(self.dir.path()).env("TMPDIR", self.path("tmp")).stdin(Stdio::null());
        command.env("DYNO_MYSQL_URL", url).env("DYNO_POSTGRES_URL", url);
        command.args([
            "run",
            "./p.toml",
            "--subject",
            "A=drive",
            "--set",
            "repeats=1",
            "--output",
            "b.dyno",
        ]);
        command
    }

    pub fn csv(&self) -> String {
        let output = Command::new(DYNO).arg("export").arg(self.path("b.dyno")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Leftover socket folders created by Dyno.
    pub fn sockets(&self) -> usize {
        std::fs::read_dir(self.path("tmp")).unwrap().count()
    }

    /// The process that serves the dataset, from its record.
    pub fn server_pid(&self) -> Option<u32> {
        served_by(&self.path("drive"))
    }
}

/// A user's MariaDB, with databases `ours` and `theirs`.
pub struct MariaDb {
    pub bench: Bench,
    child: Child,
}

impl MariaDb {
    pub fn start(options: &[&str]) -> MariaDb {
        let bench = Bench::new();
        let run_as: &[&str] =
            if rustix::process::geteuid().is_root() { &["--user=mysql"] } else { &[] };
        let datadir = format!("--datadir={}", bench.path("user-data").display());
        std::fs::set_permissions(bench.dir.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        let made = Command::new("mariadb-install-db")
            .args([
                "--no-defaults",
                &datadir,
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
            ])
            .args(run_as)
            // A starting server removes temporary files of others in a shared folder.
            .env("TMPDIR", bench.dir.path())
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", said(&made));
        let data = bench.path("user-data");
        let server = MariaDb::on(bench, &data, options);
        server.sql("CREATE DATABASE ours; CREATE DATABASE theirs");
        server
    }

    pub fn on(bench: Bench, data: &Path, options: &[&str]) -> MariaDb {
        let run_as: &[&str] =
            if rustix::process::geteuid().is_root() { &["--user=mysql"] } else { &[] };
        std::fs::set_permissions(bench.dir.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        let child = Command::new("mariadbd")
            .args([
                "--no-defaults",
                "--skip-networking",
                "--local-infile=1",
                "--innodb-flush-log-at-trx-commit=0",
            ])
            .arg(format!("--datadir={}", data.display()))
            .arg(format!("--socket={}", bench.path("socket").display()))
            .args(run_as)
            .args(options)
            .env("TMPDIR", bench.dir.path())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = MariaDb { bench, child };
        until("MariaDB", 120, || server.try_sql("SELECT 1").status.success());
        server
    }

    pub fn try_sql(&self, text: &str) -> Output {
        let socket = format!("--socket={}", self.bench.path("socket").display());
        Command::new("mariadb")
            .args(["--no-defaults", "-uroot", "-N", &socket, "-e", text])
            .output()
            .unwrap()
    }

    #[track_caller]
    pub fn sql(&self, text: &str) -> String {
        let output = self.try_sql(text);
        assert!(output.status.success(), "{text}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn url(&self, database: &str) -> String {
        format!("mysql://root@localhost/{database}?socket={}", self.bench.path("socket").display())
    }

    #[track_caller]
    pub fn sysbench(&self, database: &str, script: &str, command: &[&str]) {
        let output = Command::new("sysbench")
            .args([
                script,
                "--db-driver=mysql",
                "--mysql-user=root",
                "--tables=2",
                "--table-size=2000",
                "--threads=2",
            ])
            .arg(format!("--mysql-socket={}", self.bench.path("socket").display()))
            .arg(format!("--mysql-db={database}"))
            .args(command)
            .output()
            .unwrap();
        assert!(output.status.success(), "sysbench {script} {command:?}: {}", said(&output));
    }

    #[track_caller]
    pub fn dyno(&self, database: &str, dataset: &str, workload: &str, window: &str) {
        self.bench.protocol(
            &format!("server = \"existing\"\n{dataset}"),
            "mysql",
            workload,
            (2, window),
        );
        let output = self.bench.dyno(&self.url(database)).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
    }

    /// Executions of each kind of statement per commit, since the counters in `before`.
    pub fn mix_since(&self, before: &[f64]) -> Vec<f64> {
        let counts: Vec<f64> =
            self.counts().iter().zip(before).map(|(now, before)| now - before).collect();
        counts.iter().map(|count| count / counts[0]).collect()
    }

    /// Waits for it to end by itself, and returns its folder.
    pub fn stopped(mut self) -> Bench {
        self.child.wait().unwrap();
        std::mem::replace(&mut self.bench, Bench::new())
    }

    pub fn counts(&self) -> Vec<f64> {
        let one = |name: &str| {
            let row = self.sql(&format!("SHOW GLOBAL STATUS LIKE '{name}'"));
            row.split_whitespace().last().unwrap().parse().unwrap()
        };
        ["Com_commit", "Com_select", "Com_update", "Com_delete", "Com_insert"].map(one).to_vec()
    }
}

impl Drop for MariaDb {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A user's PostgreSQL that counts statements, with databases `ours` and `theirs`.
pub struct Postgres {
    pub bench: Bench,
    child: Child,
}

impl Postgres {
    pub fn start() -> Postgres {
        let bench = Bench::new();
        std::fs::set_permissions(bench.dir.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        let data = bench.path("user-data");
        let made = as_postgres("initdb")
            .args(["-U", "postgres", "-A", "trust", "-D"])
            .arg(&data)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", said(&made));
        let child = as_postgres("postgres")
            .args([
                "-c",
                "listen_addresses=",
                "-c",
                "shared_preload_libraries=pg_stat_statements",
                "-c",
                "fsync=off",
            ])
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(bench.dir.path())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Postgres { bench, child };
        until("PostgreSQL", 120, || server.try_sql("SELECT 1").status.success());
        server.sql("CREATE EXTENSION pg_stat_statements");
        server.sql("CREATE DATABASE ours");
        server.sql("CREATE DATABASE theirs");
        server
    }

    pub fn try_sql(&self, text: &str) -> Output {
        self.in_database("postgres", text)
    }

    pub fn in_database(&self, database: &str, text: &str) -> Output {
        let mut psql = Command::new("psql");
        psql.arg("-h")
            .arg(self.bench.dir.path())
            .args(["-U", "postgres", "-d", database, "-At", "-c", text])
            .output()
            .unwrap()
    }

    #[track_caller]
    pub fn sql(&self, text: &str) -> String {
        let output = self.try_sql(text);
        assert!(output.status.success(), "{text}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn url(&self, user: &str, database: &str) -> String {
        let host = self.bench.dir.path().display().to_string().replace('/', "%2F");
        format!("postgresql://{user}@{host}/{database}")
    }

    #[track_caller]
    pub fn sysbench(&self, database: &str, script: &str, command: &[&str]) {
        let output = Command::new("sysbench")
            .args([script, "--db-driver=pgsql", "--pgsql-user=postgres", "--rand-type=uniform"])
            .arg(format!("--pgsql-db={database}"))
            .args(["--tables=2", "--table-size=2000", "--threads=2"])
            .arg(format!("--pgsql-host={}", self.bench.dir.path().display()))
            .args(command)
            .output()
            .unwrap();
        assert!(output.status.success(), "sysbench {script} {command:?}: {}", said(&output));
    }

    /// Statements by kind per insert, as counted by the server, from here on.
    pub fn mix_of(&self, load: impl FnOnce()) -> Vec<f64> {
        self.sql("SELECT pg_stat_statements_reset()");
        load();
        let one = |kind: &str| {
            let sql = format!(
                "SELECT SUM(calls) FROM pg_stat_statements WHERE query LIKE '{kind} %sbtest%id%'"
            );
            self.sql(&sql).trim().parse::<f64>().unwrap()
        };
        let counts = ["INSERT", "SELECT", "UPDATE", "DELETE"].map(one);
        counts.iter().map(|count| count / counts[0]).collect()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // Immediately, with its other processes.
        let _ = Command::new("kill").args(["-QUIT", &self.child.id().to_string()]).status();
        let _ = self.child.wait();
    }
}

/// One of PostgreSQL's programs, which refuse to run as root.
pub fn as_postgres(program: &str) -> Command {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let debian =
        versions.map(|v| v.path().join("bin").join(program)).filter(|file| file.is_file()).max();
    let program = debian.unwrap_or_else(|| PathBuf::from(program));
    if !rustix::process::geteuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
    command
}
