//! Selection of the server: the one set in the plan, of any version, MariaDB or MySQL.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::servers::Bench;
use crate::support::{have, said, skip};

const FILL: &str = "fill = { kind = \"oltp_load\", tables = 2, table_size = 2000, threads = 2 }";

/// Every server of the family on the PATH and in package folders.
fn servers() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.extend(["/usr/sbin", "/usr/libexec", "/usr/local/mysql/bin"].map(PathBuf::from));
    let names = ["mariadbd", "mysqld"];
    let files = names.iter().flat_map(|name| folders.iter().map(move |f| f.join(name)));
    files.filter(|file| file.is_file()).collect()
}

fn version(server: &Path) -> String {
    let output = Command::new(server).args(["--no-defaults", "--version"]).output();
    output.map(|o| said(&o)).unwrap_or_default()
}

/// Loads and measures on a server by its path; returns the bundle's facts.
fn measured(server: &Path) -> String {
    let bench = Bench::new();
    let dataset = format!("program = \"{}\"\n{FILL}", server.display());
    bench.protocol(&dataset, "mysql", "oltp_read_write", (2, "500ms"));
    let output = bench.dyno("").output().unwrap();
    assert!(output.status.success(), "{}: {}", server.display(), said(&output));
    assert!(bench.csv().contains(",measured"), "{}", bench.csv());
    let bundle = rusqlite::Connection::open(bench.path("b.dyno")).unwrap();
    let sql = "SELECT group_concat(DISTINCT heading || ' ' || name || '=' || value) FROM fact";
    bundle.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn the_server_that_the_plan_names_is_started_and_one_that_is_not_there_is_refused() {
    if !have(&["mariadbd"]) {
        return;
    }
    let all = servers();
    let server = all.iter().find(|server| version(server).contains("MariaDB")).unwrap();
    let facts = measured(server);
    assert!(
        facts.contains("MariaDB Version=10.") || facts.contains("MariaDB Version=1"),
        "{facts}"
    );
    assert!(!facts.contains("Settings left out"), "it knows them all: {facts}");

    let bench = Bench::new();
    let dataset = format!("program = \"/nowhere/mysqld\"\n{FILL}");
    bench.protocol(&dataset, "mysql", "oltp_read_write", (2, "500ms"));
    let output = bench.dyno("").output().unwrap();
    let refused = said(&output).contains("there is no server at '/nowhere/mysqld'");
    assert!(!output.status.success() && refused, "{}", said(&output));
}

#[test]
fn a_mysql_of_this_machine_is_loaded_and_measured() {
    let all = servers();
    let ours = all.iter().find(|server| {
        let version = version(server);
        version.contains("Ver") && !version.contains("MariaDB")
    });
    let Some(server) = ours else {
        return skip("no mysqld of MySQL or Percona Server here: only MariaDB has run this");
    };
    let facts = measured(server);
    assert!(
        facts.contains("MySQL Version=") && facts.contains("innodb-buffer-pool-size"),
        "{facts}"
    );
}
