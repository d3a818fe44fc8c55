//! A recorded load through the whole program: a trace in a format of others becomes the requests of
//! a point, all of them and nothing else; the bundle and the brief say what was replayed.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use dyno::record::{Class, OwnLateness, Point, RemappedTrace, Replayed, observed};

use crate::support::{dyno, dyno_well, points, said};

const KIB: u64 = 1024;

/// Alibaba's format: device, opcode, offset, length, microseconds. Every third request writes.
fn trace(requests: u64, span: u64) -> String {
    let mut text = String::new();
    for n in 0..requests {
        let (kind, length) = if n % 3 == 0 { ('W', 8 * KIB) } else { ('R', 4 * KIB) };
        let offset = n * 7919 % (span / (8 * KIB)) * 8 * KIB;
        writeln!(text, "{},{kind},{offset},{length},{}", n % 2, 1_000_000 + n * 500).unwrap();
    }
    text
}

fn replay(dir: &Path, engine: &str, workload: &str) -> Result<Point, String> {
    one_point(dir, engine, &format!("kind = \"trace\", {workload}"))
}

/// Runs one stream on 4 MiB: the only point, or what was printed.
pub fn one_point(dir: &Path, engine: &str, workload: &str) -> Result<Point, String> {
    let protocol = format!(
        "title = \"Replay\"\nsource = \"test\"\n[dataset.file]\nengine = \"{engine}\"\nsize = \
         \"4MiB\"\nfill = {{ kind = \"sequential\", read = 0, block = \"64KiB\" }}\n\
         [[step]]\nname = \"s\"\nduration = \"1h\"\n\
         [[step.stream]]\nname = \"io\"\nengine = \"{engine}\"\n\
         workload = {{ {workload} }}\n"
    );
    fs::write(dir.join("p.toml"), protocol).unwrap();
    fs::create_dir_all(dir.join("drive")).unwrap();
    let _ = fs::remove_file(dir.join("b.dyno"));
    let args = ["run", "p.toml", "--subject", "A=drive", "--repeats", "1", "-o", "b.dyno"];
    let output = dyno(dir, &args);
    match output.status.success() {
        true => Ok(points(&dir.join("b.dyno")).remove(0)),
        false => Err(said(&output)),
    }
}

/// Ops and bytes of a class.
pub fn ops(point: &Point, class: Class) -> (u64, u64) {
    let tallies = point.cells.iter().flat_map(|cell| &cell.tallies);
    let own = tallies.filter(|tally| tally.class == class);
    own.fold((0, 0), |(ops, bytes), tally| (ops + tally.ops, bytes + tally.bytes))
}

#[test]
fn every_engine_replays_each_request_once_and_the_point_says_of_what() {
    for engine in ["psync", "uring", "libaio"] {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::write(dir.path().join("log.csv"), trace(900, 2 << 20)).unwrap();
        let point = replay(dir.path(), engine, "file = \"log.csv\", pace = \"asap\"").unwrap();
        assert_eq!(ops(&point, Class::READ), (600, 600 * 4 * KIB), "{engine}");
        assert_eq!(ops(&point, Class::WRITE), (300, 300 * 8 * KIB), "{engine}");
        let replayed = observed::all::<Replayed>(&point.observed).next().unwrap();
        assert_eq!((replayed.requests(), replayed.reads.requests), (900, 600));
        assert_eq!((replayed.file.as_str(), replayed.length_ns), ("log.csv", 899 * 500_000));
        assert_eq!(point.cells[0].asked, None);
        // On a busy machine the last ones may complete after the window, but each has a response
        // time.
        let point = replay(dir.path(), engine, "file = \"log.csv\"").unwrap();
        let tallies = point.cells.iter().flat_map(|cell| &cell.tallies);
        assert_eq!(tallies.map(|tally| tally.response().count).sum::<u64>(), 900, "{engine}");
        assert!(point.cells[0].asked.is_some());
        assert!(
            observed::all::<OwnLateness>(&point.observed)
                .all(|own| own.cause != dyno::record::LatenessCause::Unread)
        );
    }
}

#[test]
fn a_trace_beyond_the_dataset_is_refused_with_the_ways_out_and_remapped_where_one_is_taken() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::write(dir.path().join("log.csv"), trace(300, 1 << 40)).unwrap();
    let refused = replay(dir.path(), "psync", "file = \"log.csv\"").unwrap_err();
    assert!(refused.contains("remap = \"compact\"") && refused.contains("4 MiB"), "{refused}");
    let point =
        replay(dir.path(), "psync", "file = \"log.csv\", remap = \"modulo\", pace = \"asap\"")
            .unwrap();
    assert_eq!(ops(&point, Class::READ).0 + ops(&point, Class::WRITE).0, 300);
    let remapped = observed::all::<RemappedTrace>(&point.observed).next().unwrap();
    assert_eq!((remapped.how.as_str(), remapped.space_bytes), ("modulo", 4 << 20));
    assert!(remapped.needed_bytes > 1 << 30, "{remapped:?}");
}

#[test]
fn nothing_outside_the_dataset_is_written_whatever_the_trace_asks_for() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut text = String::new();
    for (n, offset) in [0, 4096, u64::MAX / 4, (1 << 62) - 4096, 1 << 50].iter().enumerate() {
        writeln!(text, "0,W,{offset},65536,{}", 10 + n).unwrap();
    }
    fs::write(dir.path().join("log.csv"), text).unwrap();
    fs::create_dir_all(dir.path().join("drive")).unwrap();
    fs::write(dir.path().join("drive/other"), [7; 4096]).unwrap();
    for remap in ["modulo", "compact"] {
        let workload =
            format!("file = \"log.csv\", remap = \"{remap}\", align = \"4KiB\", pace = \"asap\"");
        let point = replay(dir.path(), "psync", &workload).unwrap();
        assert_eq!(ops(&point, Class::WRITE).0, 5, "{remap}");
    }
    let data = dir.path().join("drive/dyno-data/file.0/data");
    assert_eq!(fs::metadata(data).unwrap().len(), 4 << 20, "the file has not grown");
    assert_eq!(fs::read(dir.path().join("drive/other")).unwrap(), [7; 4096]);
}

#[test]
fn what_is_no_trace_or_has_a_rate_is_refused_before_anything_is_written() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let nothing_written = || !dir.path().join("drive/dyno-data").exists();
    for (text, said) in [("", "empty"), ("\0\0\0\0", "no format"), ("hello\nworld\n", "no format")]
    {
        fs::write(dir.path().join("log.csv"), text).unwrap();
        let refused = replay(dir.path(), "psync", "file = \"log.csv\"").unwrap_err();
        assert!(refused.contains(said), "{text:?}: {refused}");
        assert!(nothing_written(), "{text:?}");
    }
    let refused = replay(dir.path(), "psync", "file = \"nowhere.csv\"").unwrap_err();
    assert!(refused.contains("nowhere.csv"), "{refused}");
    fs::write(dir.path().join("log.csv"), trace(10, 1 << 20)).unwrap();
    let refused =
        replay(dir.path(), "psync", "file = \"log.csv\" }\nrate = \"10/s\"\ncpus = \"none\" #");
    let refused = refused.unwrap_err();
    assert!(refused.contains("has a rate") && nothing_written(), "{refused}");
}

#[test]
fn a_bundle_that_reads_a_trace_needs_permission_to_be_run_again() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::write(dir.path().join("log.csv"), trace(30, 1 << 20)).unwrap();
    replay(dir.path(), "psync", "file = \"log.csv\", ops = \"reads\"").unwrap();
    let again =
        |more: &[&str]| dyno(dir.path(), &[&["run", "b.dyno", "-o", "c.dyno"], more].concat());
    let refused = again(&[]);
    assert!(said(&refused).contains("read the trace log.csv"), "{}", said(&refused));
    let allowed = again(&["--allow", "log.csv"]);
    assert!(allowed.status.success(), "{}", said(&allowed));
}

#[test]
fn a_brief_shows_arrivals_lateness_backlog_and_the_requests_of_the_trace() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::write(dir.path().join("log.csv"), trace(9_000, 2 << 20)).unwrap();
    replay(dir.path(), "uring", "file = \"log.csv\" }\ndepth = 32 #").unwrap();
    for (language, words) in [
        ("en", ["Replay of recorded loads", "backlog at the end", "reads, replayed"]),
        ("ja", ["記録された負荷の再生", "終了時の滞留数", "読み取り（再生）"]),
        ("pt-BR", ["Reprodução de cargas registradas", "fila no fim", "leituras, reproduzidas"]),
    ] {
        let page = format!("{language}.html");
        let made = dyno(dir.path(), &["report", "b.dyno", "--language", language, "-o", &page]);
        assert!(made.status.success(), "{}", said(&made));
        let page = fs::read_to_string(dir.path().join(&page)).unwrap();
        for word in words {
            assert!(page.contains(word), "{language}: {word}");
        }
        assert!(page.contains("66.7") || page.contains("66,7"), "{language}: the share of reads");
    }
}

/// The cells of each row of the tables of a Markdown text, by table.
pub fn tables(text: &str) -> Vec<Vec<Vec<&str>>> {
    let mut tables: Vec<Vec<Vec<&str>>> = Vec::new();
    let mut is_within = false;
    for line in text.lines() {
        let cells = line.strip_prefix('|').and_then(|line| line.trim_end().strip_suffix('|'));
        let is_row = cells.is_some();
        if is_row && !is_within {
            tables.push(Vec::new());
        }
        is_within = is_row;
        let cells = cells.map(|cells| cells.split('|').map(str::trim).collect());
        if let (Some(cells), Some(table)) = (cells, tables.last_mut()) {
            table.push(cells);
        }
    }
    tables
}

#[test]
fn tables_of_replays_are_named_by_their_step_and_no_share_of_the_arrivals_is_more_than_all() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::write(dir.path().join("log.csv"), trace(300, 2 << 20)).unwrap();
    let step = |name: &str, title: &str, more: &str, knobs: &str| {
        format!(
            "[[step]]\nname = \"{name}\"\ntitle = \"{title}\"\nduration = \"1h\"\n{more}\n\
             [[step.stream]]\nname = \"io\"\nengine = \"psync\"\nworkload = {{ kind = \"trace\", \
             file = \"log.csv\"{knobs} }}\n"
        )
    };
    let paced =
        step("paced", "At its times", "sweep = { axis = \"io.scale\", values = [1, 2] }", "");
    let asap = step("asap", "At once", "", ", pace = \"asap\"");
    let protocol = format!(
        "title = \"Replay\"\nsource = \"test\"\n[dataset.file]\nengine = \"psync\"\nsize = \
         \"4MiB\"\nfill = {{ kind = \"sequential\", read = 0, block = \"64KiB\" }}\n{paced}{asap}"
    );
    fs::write(dir.path().join("p.toml"), protocol).unwrap();
    ["x", "y"].iter().for_each(|name| fs::create_dir(dir.path().join(name)).unwrap());
    let subjects = ["--subject", "A=x", "--subject", "B=y", "--same-device"];
    let run = ["run", "p.toml", "--repeats", "3", "-o", "b.dyno"];
    dyno_well(dir.path(), &[&run[..], &subjects].concat());
    dyno_well(dir.path(), &["report", "b.dyno", "-o", "b.md"]);
    let page = fs::read_to_string(dir.path().join("b.md")).unwrap();
    let (_, section) = page.split_once("## Replay of recorded loads").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let tables = tables(section);
    // Arrivals, then requests, of each step: its head, a line, and two subjects at each scale.
    let rows: Vec<usize> = tables.iter().map(|table| table.len() - 2).collect();
    assert_eq!(rows, [4, 2, 4, 2], "{section}");
    for title in ["At its times", "At once"] {
        let in_rows = tables.iter().flatten().flatten().filter(|cell| **cell == title).count();
        assert_eq!(in_rows, 0, "{title} is above its tables: {section}");
        assert!(section.matches(title).count() >= 2, "{title}: {section}");
    }
    assert!(!tables[0][0].contains(&"stream"), "of one name: {section}");
    let at = tables[0][0].iter().position(|name| *name == "share").expect("a column");
    let shares: Vec<f64> =
        tables[0].iter().filter_map(|row| row[at].strip_suffix('%')?.trim().parse().ok()).collect();
    assert_eq!(shares.len(), 4, "{section}");
    assert!(shares.iter().all(|share| (0.0..=100.0).contains(share)), "{section}");
}
