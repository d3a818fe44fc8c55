//! A dataset's marker on existing servers: it is tied to the server, the database and the content,
//! on MariaDB and PostgreSQL.

use crate::servers::{Bench, MariaDb, Postgres};
use crate::support::{have, said, size};

/// What a server is filled with, and a change of it that its loads do not make.
struct Content {
    fill: &'static str,
    load: &'static str,
    change: &'static str,
    table: &'static str,
}

const YCSB: Content = Content {
    fill: "kind = \"ycsb_sql_load\", records = 1000",
    load: "kind = \"ycsb_sql\", records = 1000",
    change: "DELETE FROM usertable",
    table: "FROM usertable",
};

/// Seconds of filling, where YCSB's takes a tenth of one.
const TPCC: Content = Content {
    fill: "kind = \"tpcc_load\", warehouses = 1",
    load: "kind = \"tpcc\", warehouses = 1, timing = \"no-wait\"",
    change: "UPDATE item SET i_price = i_price + 1 WHERE i_id = 31622",
    table: "FROM item",
};

fn filled_there(bench: &Bench, engine: &str, Content { fill, load, .. }: &Content) {
    let text = format!(
        "title = \"t\"\n[dataset.db]\nengine = \"{engine}\"\nserver = \"existing\"\n\
         fill = {{ {fill} }}\n[[step]]\nname = \"run\"\nduration = \"200ms\"\n\
         [[step.stream]]\nname = \"io\"\nengine = \"{engine}\"\nworkload = {{ {load} }}\n"
    );
    std::fs::write(bench.path("p.toml"), text).unwrap();
}

/// The effects of the marker in `bench` if the connection string names either server, or the
/// database was wiped or changed.
fn tied(bench: &Bench, engine: &str, [here, there]: [&str; 2], sql: &dyn Fn(&str), wipe: &str) {
    let content = if size("YCSB", "TPC-C") == "YCSB" { YCSB } else { TPCC };
    let run = |url: &str| {
        let output = bench.dyno(url).output().unwrap();
        (output.status.success(), said(&output))
    };
    let filled = |said: &str| said.contains("filling dataset 'db'");
    filled_there(bench, engine, &content);
    let (well, said) = run(here);
    assert!(well && filled(&said), "{said}");
    let (well, said) = run(here);
    assert!(well && !filled(&said), "what is there is not filled again: {said}");
    let (well, said) = run(there);
    assert!(well && filled(&said) && said.contains("is not in this database"), "{said}");
    let (well, said) = run(here);
    assert!(!well && said.contains("was not touched"), "it is the other's now: {said}");
    sql(wipe);
    let (well, said) = run(here);
    assert!(well && filled(&said), "a wiped database is filled again: {said}");
    sql(content.change);
    let (well, said) = run(here);
    let told = said.contains("is not in this database") && said.contains(content.table);
    assert!(!well && told, "other content is found: {said}");
}

#[test]
fn a_marker_is_tied_to_server_database_and_content_on_mariadb() {
    if !have(&["mariadbd", "mariadb", "mariadb-install-db"]) {
        return;
    }
    let (here, there) = (MariaDb::start(&[]), MariaDb::start(&[]));
    let sql = |text: &str| drop(here.sql(&format!("USE ours; {text}")));
    let wipe = "DROP DATABASE ours; CREATE DATABASE ours";
    tied(&here.bench, "mysql", [&here.url("ours"), &there.url("ours")], &sql, wipe);
}

#[test]
fn a_marker_is_tied_to_server_database_and_content_on_postgresql() {
    if !have(&["initdb", "psql", "setpriv"]) {
        return;
    }
    let (here, there) = (Postgres::start(), Postgres::start());
    let sql = |text: &str| {
        let output = here.in_database("ours", text);
        assert!(output.status.success(), "{text}: {}", said(&output));
    };
    let wipe = "DROP SCHEMA public CASCADE; CREATE SCHEMA public";
    let urls = [here.url("postgres", "ours"), there.url("postgres", "ours")];
    tied(&here.bench, "postgres", [&urls[0], &urls[1]], &sql, wipe);
}
