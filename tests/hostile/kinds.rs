//! The kinds of hostile bundles: each is a valid one with one change.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::pages;

/// The required behaviour of a command that reads it.
#[derive(Clone, Copy, PartialEq)]
pub enum Must {
    /// Refuse it, with these words.
    Refuse(&'static str),
    /// The same for commands that show a whole bundle; others may not encounter it.
    Shown(&'static str),
    /// Refuse it, or show it as data; nothing in it acts.
    End,
}

pub struct Kind {
    pub name: &'static str,
    pub alter: fn(&Path),
    pub must: Must,
}

pub const fn kind(name: &'static str, must: Must, alter: fn(&Path)) -> Kind {
    Kind { name, alter, must }
}

pub fn sql(path: &Path, script: &str) {
    let conn = Connection::open(path).unwrap();
    conn.pragma_update(None, "foreign_keys", false).unwrap();
    conn.execute_batch(script).unwrap_or_else(|e| panic!("{script}: {e}"));
}

/// Makes a copy hostile, in a separate process, so that the cost is not counted as Dyno's.
pub fn alter(kind: &Kind, path: &Path) {
    // SAFETY: the child does its work and exits; no state of the parent is held.
    match unsafe { libc::fork() } {
        0 => {
            // SAFETY: removes the limit on SQLite's memory that Dyno set when the valid bundle was
            // written.
            unsafe { rusqlite::ffi::sqlite3_hard_heap_limit64(0) };
            let altered = std::panic::catch_unwind(|| (kind.alter)(path));
            // SAFETY: exits this process without the parent's clean-up.
            unsafe { libc::_exit(altered.is_err() as i32) }
        }
        pid => {
            let mut status = 0;
            // SAFETY: waits for the child just created.
            assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
            assert_eq!(status, 0, "{} could not be made", kind.name);
        }
    }
}

/// Modifies the statements of the schema.
fn schema(path: &Path, script: &str) {
    sql(path, &format!("PRAGMA writable_schema = ON; {script}; PRAGMA writable_schema = OFF"));
}

/// Modifies the plan's JSON.
fn plan(path: &Path, change: impl Fn(&mut serde_json::Value)) {
    let conn = Connection::open(path).unwrap();
    let text: String = conn.query_row("SELECT plan FROM run", [], |row| row.get(0)).unwrap();
    let mut plan = serde_json::from_str(&text).unwrap();
    change(&mut plan);
    conn.execute("UPDATE run SET plan = ?", [plan.to_string()]).unwrap();
}

fn blob(path: &Path, column: &str, bytes: &[u8]) {
    let conn = Connection::open(path).unwrap();
    conn.execute(&format!("UPDATE {column}"), [bytes]).unwrap();
}

pub fn beside(path: &Path, end: &str) -> PathBuf {
    PathBuf::from(format!("{}{end}", path.display()))
}

/// A header of the histogram format, with its claims.
fn v2(length: u32, digits: u32, high: u64, counts: &[u8]) -> Vec<u8> {
    let words = [0x1C84_9313, length, 0, digits].map(u32::to_be_bytes).concat();
    let longs = [1u64.to_be_bytes(), high.to_be_bytes(), 1f64.to_be_bytes()].concat();
    [words, longs, counts.to_vec()].concat()
}

const HOUR: u64 = 3_600_000_000_000;
const TABLES: Must = Must::Refuse("not as Dyno creates it");
const PLAN: Must = Must::Refuse("more than a bundle may");
pub const MORE: Must = Must::Shown("more than a bundle may");
const DAMAGED: Must = Must::Shown("damaged");

/// Numbers from a recursive query.
macro_rules! count {
    ($to:literal) => {
        concat!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ",
            $to,
            ") "
        )
    };
}

pub static KINDS: &[Kind] = &[
    // Programs in place of data.
    kind("a view that never ends", TABLES, |p| {
        sql(
            p,
            "ALTER TABLE reported RENAME TO gone; DROP TABLE gone; CREATE VIEW reported AS \
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                SELECT i id, i point, '' stream, \
                'read' class, 'p' name, 1.0 value, 1.0 low, 1.0 high, 1 samples FROM n",
        );
    }),
    kind("a view beside", TABLES, |p| sql(p, "CREATE VIEW v AS SELECT 1")),
    kind("a trigger on insertion", TABLES, |p| {
        sql(p, "CREATE TRIGGER t AFTER INSERT ON point BEGIN DELETE FROM fact; END");
    }),
    kind("a trigger on changes", TABLES, |p| {
        sql(p, "CREATE TRIGGER t AFTER UPDATE ON point BEGIN DELETE FROM run; END");
    }),
    kind("a table beside", TABLES, |p| sql(p, "CREATE TABLE more (a)")),
    kind("a table missing", TABLES, |p| sql(p, "DROP TABLE sample")),
    kind("a generated column", TABLES, |p| {
        sql(p, "ALTER TABLE fact ADD COLUMN more AS (hex(zeroblob(100000000)))");
    }),
    kind("an index over an expression", TABLES, |p| {
        sql(p, "CREATE INDEX i ON fact (length(value))")
    }),
    kind("an index missing", TABLES, |p| sql(p, "DROP INDEX cell_point")),
    kind("a virtual table", TABLES, |p| {
        schema(
            p,
            "INSERT INTO sqlite_schema VALUES ('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING \
             none(a)')",
        );
    }),
    kind("a check that works for ever", TABLES, |p| {
        schema(
            p,
            "UPDATE sqlite_schema SET sql = replace(sql, 'plan TEXT NOT NULL', 'plan TEXT NOT NULL \
                   CHECK (length(hex(zeroblob(400000000))) > id)') WHERE name = 'run'",
        );
    }),
    kind("a default that is a program", TABLES, |p| {
        schema(
            p,
            "UPDATE sqlite_schema SET sql = replace(sql, 'value TEXT NOT NULL', \
                   'value TEXT NOT NULL DEFAULT (randomblob(9))') WHERE name = 'fact'",
        );
    }),
    kind("statistics for the planner", TABLES, |p| sql(p, "ANALYZE")),
    kind("ten thousand tables", Must::Refuse(""), |p| {
        let conn = Connection::open(p).unwrap();
        conn.execute_batch("BEGIN").unwrap();
        (0..10_000).for_each(|i| conn.execute_batch(&format!("CREATE TABLE t{i} (a)")).unwrap());
        conn.execute_batch("COMMIT").unwrap();
    }),
    kind("a statement of 20 MB", Must::Refuse(""), |p| {
        schema(
            p,
            "UPDATE sqlite_schema SET sql = sql || printf('%.*c', 20000000, ' ') WHERE name = \
             'fact'",
        );
    }),
    kind("a statement that creates nothing", Must::Refuse(""), |p| {
        schema(p, "UPDATE sqlite_schema SET sql = 'DROP TABLE fact' WHERE name = 'fact'");
    }),
    kind("two tables in one place", Must::End, |p| {
        schema(
            p,
            "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = \
                   'point') WHERE name IN ('cell', 'tally', 'fact')",
        );
    }),
    kind("a table on a page that is not there", Must::End, |p| {
        schema(p, "UPDATE sqlite_schema SET rootpage = 2147483647 WHERE name = 'fact'");
    }),
    kind("a later version", Must::Refuse("newer Dyno"), |p| sql(p, "PRAGMA user_version = 99")),
    kind("a version below zero", Must::Refuse("damaged"), |p| sql(p, "PRAGMA user_version = -1")),
    kind("no version", Must::Refuse("damaged"), |p| sql(p, "PRAGMA user_version = 0")),
    kind("somebody else's database", Must::Refuse("not a Dyno bundle"), |p| {
        sql(p, "PRAGMA application_id = 1")
    }),
    // Too large.
    kind("a fact of 200 MB", Must::Shown(""), |p| {
        sql(p, "UPDATE fact SET value = printf('%.*c', 200000000, 'x') WHERE id = 1");
    }),
    kind("a point's fact of 5 MB", MORE, |p| {
        sql(
            p,
            "INSERT INTO fact (point, heading, name, value) VALUES (1, 'a', 'b', printf('%.*c', \
             5000000, 'x'))",
        );
    }),
    kind("facts of 70 MB together", MORE, |p| {
        sql(
            p,
            concat!(
                count!(100),
                "INSERT INTO fact (heading, name, value) \
                        SELECT 'a', i, printf('%.*c', 700000, 'x') FROM n"
            ),
        );
    }),
    kind("a cause of 200 MB", Must::Shown(""), |p| {
        sql(p, "UPDATE point SET failure = printf('%.*c', 200000000, 'x')")
    }),
    kind("a name of 5 MB", MORE, |p| {
        sql(p, "UPDATE point SET subject = printf('%.*c', 5000000, 'x') WHERE id = 1");
    }),
    kind("a plan of 200 MB", Must::Refuse(""), |p| {
        sql(p, "UPDATE run SET plan = printf('%.*c', 200000000, '[')")
    }),
    kind("a plan of brackets", Must::Refuse(""), |p| {
        sql(p, "UPDATE run SET plan = printf('%.*c', 8000000, '[')")
    }),
    kind("a plan that is a number", Must::Refuse("damaged"), |p| {
        sql(p, "UPDATE run SET plan = '1e999'")
    }),
    kind("a plan of a million drives", Must::Refuse(""), |p| {
        plan(p, |plan| {
            let drive = plan["subjects"][0]["drives"][0].clone();
            plan["subjects"][0]["drives"] = vec![drive; 50_000].into();
        });
    }),
    kind("a plan of ten thousand subjects", PLAN, |p| {
        plan(p, |plan| {
            let subject = plan["subjects"][0].clone();
            plan["subjects"] = vec![subject; 10_000].into();
        });
    }),
    kind("a plan of a million values", PLAN, |p| {
        plan(p, |plan| {
            plan["protocol"]["steps"][0]["sweep"]["values"] =
                (1..1_000_000).collect::<Vec<_>>().into()
        });
    }),
    kind("a plan repeated four billion times", PLAN, |p| {
        plan(p, |plan| plan["repeats"] = u32::MAX.into())
    }),
    kind("a plan of centuries", PLAN, |p| {
        plan(p, |plan| plan["protocol"]["steps"][0]["duration_ns"] = u64::MAX.into());
    }),
    kind("a plan of four billion workers", PLAN, |p| {
        plan(p, |plan| plan["protocol"]["steps"][0]["streams"][0]["threads"] = u32::MAX.into());
    }),
    kind("a plan without subjects and steps", Must::End, |p| {
        plan(p, |plan| {
            plan["subjects"] = serde_json::json!([]);
            plan["protocol"]["steps"] = serde_json::json!([]);
        });
    }),
    kind("five thousand cells of a point", MORE, |p| {
        sql(
            p,
            concat!(
                count!(5000),
                "INSERT INTO cell (point, stream, drive, instance, headline, threads, depth, late, \
                        backlog_max, backlog_end) SELECT 1, 'io', 0, i, 1, 1, 1, 0, 0, 0 FROM n"
            ),
        );
    }),
    kind("twenty thousand tallies of a cell", MORE, |p| {
        sql(
            p,
            concat!(
                count!(20000),
                "INSERT INTO tally (cell, class, ops, bytes, misses, service, service_sum_ns, \
                        service_max_ns, service_overflow) SELECT t.cell, t.class, 1, 1, 0, \
                        t.service, 1, 1, 0 FROM n, tally t WHERE t.id = 1"
            ),
        );
    }),
    kind("a hundred thousand preparations", MORE, |p| {
        sql(
            p,
            concat!(
                count!(110000),
                "INSERT INTO preparation (subject, drive, action, asked, outcome, \
                        ended_unix_ns) SELECT 'X', 0, 'purge', '', '', 0 FROM n"
            ),
        );
    }),
    // Histograms.
    kind("a histogram that inflates without end", DAMAGED, |p| {
        use std::io::Write;
        let mut deflate = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        deflate.write_all(&v2(400_000_000, 3, HOUR, &[])).unwrap();
        (0..400).for_each(|_| deflate.write_all(&[2; 1_000_000]).unwrap());
        let deflated = deflate.finish().unwrap();
        let head = [0x1C84_9314, deflated.len() as u32].map(u32::to_be_bytes).concat();
        blob(p, "tally SET service = ?", &[head, deflated].concat());
    }),
    kind("a histogram that claims 4 GB", DAMAGED, |p| {
        blob(p, "tally SET service = ?", &v2(u32::MAX, 3, HOUR, &[2; 100]));
    }),
    kind("a histogram of five digits up to centuries", DAMAGED, |p| {
        blob(p, "tally SET service = ?", &v2(3, 5, u64::MAX, &[2; 3]));
    }),
    kind("a histogram of more requests than there can be", MORE, |p| {
        blob(p, "tally SET service = ?", &v2(27, 3, HOUR, &[0xFE; 27]));
    }),
    kind("a histogram of rubbish", DAMAGED, |p| blob(p, "tally SET service = ?", &[7; 5_000])),
    kind("an interval's histogram of 5 MB", Must::End, |p| {
        blob(p, "interval SET service = ?", &[7; 5_000_000])
    }),
    // Invalid values.
    kind("counts whose sum does not fit", Must::Shown(""), |p| {
        sql(p, "UPDATE tally SET ops = 9223372036854775807, bytes = 9223372036854775807");
    }),
    kind("sums of times that do not fit", Must::End, |p| {
        sql(
            p,
            "UPDATE tally SET service_sum_ns = 9223372036854775807, service_max_ns = \
             9223372036854775807",
        );
    }),
    kind("counts below zero", DAMAGED, |p| sql(p, "UPDATE tally SET ops = -1")),
    kind("text for numbers", DAMAGED, |p| sql(p, "UPDATE cell SET threads = 'many'")),
    kind("bytes for text", DAMAGED, |p| sql(p, "UPDATE fact SET value = x'ff00ff'")),
    kind("text that is not UTF-8", DAMAGED, |p| {
        sql(p, "UPDATE fact SET value = CAST(x'ff00ff' AS TEXT)")
    }),
    kind("four billion workers in a cell", Must::Shown(""), |p| {
        sql(p, "UPDATE cell SET threads = 4294967295")
    }),
    kind("rates and values without end", Must::End, |p| {
        sql(
            p,
            "UPDATE cell SET asked_ops_per_s = 9e999; UPDATE point SET axis_value = -9e999 WHERE \
             id = 1",
        );
    }),
    kind("a class of a workload that there is not", Must::End, |p| {
        sql(p, "UPDATE tally SET class = 'erase'")
    }),
    kind("a class that is no name", DAMAGED, |p| sql(p, "UPDATE tally SET class = 'Erase <b>'")),
    kind("an unknown field", DAMAGED, |p| sql(p, "UPDATE point SET axis_field = '{}'")),
    kind("windows of centuries and of nothing", Must::End, |p| {
        sql(
            p,
            "UPDATE point SET window_ns = 9223372036854775807,
                    started_unix_ns = 9223372036854775807 WHERE id = 1;
                UPDATE point SET window_ns = 0, started_unix_ns = 0 WHERE id = 2",
        );
    }),
    kind("intervals that end before they begin", Must::End, |p| {
        sql(p, "UPDATE interval SET start_ns = 9223372036854775807, end_ns = 0");
    }),
    kind("samples from before the beginning", Must::End, |p| {
        sql(
            p,
            "UPDATE sample SET at_ns = -9223372036854775807 + rowid_of.i FROM (SELECT gauge g, \
                min(at_ns) a, 1 i FROM sample GROUP BY gauge) rowid_of WHERE gauge = g AND at_ns = \
                a",
        );
    }),
    kind("a steady state that is not JSON", Must::End, |p| {
        sql(
            p,
            "INSERT INTO preparation (subject, drive, action, asked, outcome, steady, \
                ended_unix_ns) VALUES ('X', 4294967295, 'steady state', '', '', printf('%.*c', \
                900000, '['), 9223372036854775807)",
        );
    }),
    kind("points of nobody", Must::End, |p| {
        sql(
            p,
            "UPDATE point SET subject = subject || ' of nobody', step = 'nowhere'; UPDATE cell SET \
             point = 99",
        );
    }),
    // Text with side effects.
    kind("escapes in every text", Must::End, |p| {
        every_text(p, "\u{1b}]0;pwned\u{7}\u{1b}[2J\u{9b}31m\0")
    }),
    kind("text that turns round", Must::End, |p| every_text(p, "\u{202e}gnp.exe\u{2066}\u{200b}")),
    kind("formulas for a spreadsheet", Must::End, |p| every_text(p, "=cmd|' /C calc'!A0")),
    kind("markup in every text", Must::End, |p| {
        every_text(
            p,
            "</td><script>alert(1)</script>[click](javascript:alert(1))<img src=x \
             onerror=alert(1)>\"'",
        );
    }),
    // The file and its neighbours.
    kind("a write-ahead log", Must::Refuse("write-ahead log"), |p| pages::patch(p, 18, &[2, 2])),
    kind("a write-ahead log beside", Must::Refuse("is next to"), |p| {
        std::fs::write(beside(p, "-wal"), "x").unwrap()
    }),
    kind("a journal that names a file", Must::Refuse("would delete"), |p| {
        let victim = p.with_file_name("victim");
        std::fs::write(&victim, "of great value").unwrap();
        pages::journal_naming(p, &victim);
    }),
    kind("a journal that is a pipe", Must::Refuse("is not a file"), |p| {
        pages::fifo(&beside(p, "-journal"))
    }),
    kind("a journal that is a link", Must::Refuse("is not a file"), |p| {
        std::os::unix::fs::symlink("/etc/passwd", beside(p, "-journal")).unwrap();
    }),
    kind("cut in half", Must::End, |p| {
        let file = std::fs::OpenOptions::new().write(true).open(p).unwrap();
        file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    }),
    kind("one leaf visited for ever", Must::Shown(""), |p| pages::endless(p, "point")),
    kind("one leaf of facts visited for ever", Must::End, |p| pages::endless(p, "fact")),
    kind("a page size of nothing", Must::Refuse(""), |p| pages::patch(p, 16, &[0, 0])),
];

/// Puts a text into everything that is displayed, including the plan.
fn every_text(path: &Path, text: &str) {
    let conn = Connection::open(path).unwrap();
    for column in [
        "fact SET heading = heading || ?1, name = name || ?1, value = ?1 || value",
        "run SET dyno_version = ?1",
        "cell SET stream = ?1",
        "series SET stream = ?1",
        "gauge SET name = ?1 || name",
        "point SET subject = ?1 || subject",
        "point SET failure = ?1 WHERE id = 1",
    ] {
        conn.execute(&format!("UPDATE {column}"), [text]).unwrap();
    }
    plan(path, |plan| {
        for subject in plan["subjects"].as_array_mut().unwrap() {
            subject["name"] = format!("{text}{}", subject["name"].as_str().unwrap()).into();
        }
        for name in ["title", "source"] {
            plan["protocol"][name] = text.into();
        }
        plan["protocol"]["steps"][0]["title"] = text.into();
        plan["protocol"]["steps"][0]["streams"][0]["name"] = text.into();
    });
}
