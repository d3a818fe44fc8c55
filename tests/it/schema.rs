//! docs/schema.md lists every table and column of a bundle, in order, and nothing else.

use std::collections::BTreeMap;

use dyno::store::limits::LIMITS;
use dyno::store::{SCHEMA, VERSION};
use rusqlite::Connection;

type Tables = BTreeMap<String, Vec<String>>;

fn real() -> rusqlite::Result<Tables> {
    let conn = Connection::open_in_memory()?;
    conn.execute_batch(SCHEMA)?;
    let mut names = conn.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )?;
    let names: Vec<String> = names.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let columns = |table: String| {
        let mut columns = conn.prepare(&format!("PRAGMA table_info({table})"))?;
        let columns = columns.query_map([], |row| row.get(1))?.collect::<Result<_, _>>()?;
        Ok((table, columns))
    };
    names.into_iter().map(columns).collect()
}

fn documented(page: &str) -> Tables {
    let (mut tables, mut table) = (Tables::new(), String::new());
    for line in page.lines() {
        if let Some(name) = line.strip_prefix("## ").filter(|name| *name != "Limits") {
            table = name.to_owned();
            tables.insert(name.to_owned(), Vec::new());
        } else if let Some((column, _)) =
            line.strip_prefix("| `").and_then(|rest| rest.split_once('`'))
        {
            tables.entry(table.clone()).or_default().push(column.to_owned());
        }
    }
    tables
}

#[test]
fn the_page_describes_the_schema() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/schema.md")).unwrap();
    assert_eq!(documented(&page), real().unwrap());
    let version = format!("now {VERSION}.");
    assert!(page.contains(&version), "the page does not say that the version is {version}");
}

#[test]
fn the_page_has_every_limit_and_no_other() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/schema.md")).unwrap();
    let (_, table) =
        page.split_once("| limit | at most |\n|---|---|\n").expect("the table of limits");
    let rows: Vec<&str> = table.lines().take_while(|line| line.starts_with('|')).collect();
    let made: Vec<String> =
        LIMITS.iter().map(|l| format!("| {} | {} {} |", l.what, l.most, l.unit)).collect();
    assert_eq!(rows, made);
}
