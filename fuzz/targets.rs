//! Fuzz targets: everything that reads external input. Shared by cargo-fuzz's targets and
//! `tests/it/fuzz.rs`, which runs the corpus and its mutations with the stable toolchain. A target
//! returns; only a panic is a finding.

use std::path::{Path, PathBuf};

use dyno::brief::BriefOptions;
use dyno::import::{ALL, Input};
use dyno::store::Bundle;

pub type Run = fn(&[u8]);

/// The names of the targets, each with its function.
pub const TARGETS: &[(&str, Run)] = &[
    ("plan", plan),
    ("protocol", protocol),
    ("brief", brief),
    ("bundle", bundle),
    ("values", values),
    ("journal", journal),
    ("csv", |data| import("csv", data)),
    ("db_bench", |data| import("db_bench", data)),
    ("fio", |data| import("fio", data)),
    ("fio_log", fio_log),
    ("hammerdb", |data| import("hammerdb", data)),
    ("benchbase", |data| import("benchbase", data)),
    ("diskspd", |data| import("diskspd", data)),
    ("elbencho", |data| import("elbencho", data)),
    ("go_tpc", |data| import("go_tpc", data)),
    ("iob", |data| import("iob", data)),
    ("mlperf", |data| import("mlperf", data)),
    ("pgbench", |data| import("pgbench", data)),
    ("ycsb", |data| import("ycsb", data)),
    ("sysbench", |data| import("sysbench", data)),
    ("vdbench", |data| import("vdbench", data)),
    ("trace", trace),
];

const MAPPING: &str = include_str!("../tests/data/mapping.toml");

/// A separate file for each process and thread, in memory if possible.
fn file(name: &str, data: &[u8]) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
    let thread =
        format!("{:?}", std::thread::current().id()).replace(|c: char| !c.is_ascii_digit(), "");
    let folder = folder.join(format!("dyno-fuzz-{}-{thread}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the input");
    let path = folder.join(name);
    std::fs::write(&path, data).expect("the input");
    path
}

fn done(path: &Path) {
    if let Some(folder) = path.parent() {
        let _ = std::fs::remove_dir_all(folder);
    }
}

fn plan(data: &[u8]) {
    let path = file("plan.toml", data);
    let _ = dyno::plan::load(&path, &dyno::plan_catalogue());
    done(&path);
}

fn protocol(data: &[u8]) {
    let protocol = file("protocol.toml", data);
    let plan =
        b"protocol = \"./protocol.toml\"\n[[subject]]\nname = \"A\"\ndrives = [{ path = \"a\" }]\n";
    let plan = file("plan.toml", plan);
    let _ = dyno::plan::load(&plan, &dyno::plan_catalogue());
    done(&protocol);
}

fn trace(data: &[u8]) {
    let path = file("trace", data);
    if let Ok((mut reader, _)) = dyno::trace::read_any(&path, &std::env::temp_dir()) {
        let _ = dyno::trace::TraceProfile::of(&mut reader, None);
    }
    done(&path);
}

fn brief(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(brief) = BriefOptions::parse("brief.toml", text) {
        brief.texts_after("").for_each(|own| drop(own.blocks()));
    }
}

fn bundle(data: &[u8]) {
    let path = file("input.dyno", data);
    read_everything(&path);
    done(&path);
}

/// Like every command that reads bundles, in sequence.
fn read_everything(path: &Path) {
    let _ = read_all(path);
    let _ = dyno::bundles::facts(&[path.to_path_buf()], &Default::default());
}

/// A valid bundle, for targets that modify a part of it.
const HONEST: &[u8] = include_bytes!("corpus/bundle/run.dyno");

/// Every column of a bundle other than numbers.
const COLUMNS: &[&str] = &[
    "run SET plan = ?",
    "run SET dyno_version = ?",
    "point SET axis_field = ?, axis_name = 'a'",
    "point SET axis_value = ?, axis_name = 'a', axis_field = 'threads'",
    "point SET failure = ?",
    "fact SET heading = ?",
    "fact SET value = ?",
    "host SET setup = ?",
    "drive SET setup = ?",
    "observation SET json = ?",
    "cell SET stream = ?",
    "cell SET asked_ops_per_s = ?",
    "tally SET class = ?",
    "tally SET service = ?",
    "tally SET response = ?",
    "tally SET ops = ?",
    "tally SET service_sum_ns = ?",
    "interval SET service = ?",
    "interval SET start_ns = ?",
    "gauge SET name = ?",
    "sample SET value = ?",
    "tally SET given_up = ?",
    "reported SET name = ?",
    "reported SET value = ?",
    "reported SET low = ?",
    "reported SET samples = ?",
    "preparation SET action = ?",
    "preparation SET asked = ?",
    "preparation SET outcome = ?",
    "preparation SET steady = ?",
    "drive_state SET serial = ?",
    "drive_state SET counter = ?",
    "drive_state SET written_bytes = ?",
    "drive_state SET contents = ?",
    "cell SET in_flight = ?",
    "tally SET censored = ?",
    "tally SET censored_from_ns = ?",
    "tally SET service_min_ns = ?",
    "interval SET response = ?",
    "interval SET timed = ?",
    "slow_op SET class = ?",
    "slow_op SET stream = ?",
];

/// Rows for tables that are empty in the valid bundle.
const ROWS: &str = "
    INSERT INTO reported (point, stream, class, name, value, low, high)
        SELECT 1, stream, 'read', 'p99_ns', 1, 1, 1 FROM cell LIMIT 1;
    INSERT INTO preparation (subject, drive, action, asked, outcome, ended_unix_ns)
        SELECT subject, 0, 'steady state', 'a', 'b', 1 FROM point LIMIT 1;
    INSERT INTO drive_state (subject, drive, serial, counter, written_bytes, contents)
        SELECT subject, 0, 's', 'c', 1, 'd' FROM point LIMIT 1;
    INSERT INTO slow_op (point, stream, drive, instance, worker, class, at_ns, late_ns,
        response_ns, address, size, in_flight, direct)
        SELECT point, stream, drive, instance, 0, 'read', 1, 0, 1, 0, 1, 1, 1 FROM cell LIMIT 1;
    INSERT INTO observation (point, stream, kind, json)
        SELECT 1, stream, 'ceiling', '{\"ceiling\":{\"stream\":\"io\",\"ops_per_s\":1}}'
        FROM cell LIMIT 1;";

/// One value of an otherwise valid bundle: the first byte selects it, the second its type, the rest
/// is the value.
fn values(data: &[u8]) {
    let [column, kind, value @ ..] = data else { return };
    let path = file("input.dyno", HONEST);
    let text = String::from_utf8_lossy(value).into_owned();
    let number = value.iter().take(8).fold(0u64, |n, b| n << 8 | u64::from(*b));
    let value: Box<dyn rusqlite::ToSql> = match kind % 4 {
        0 => Box::new(text),
        1 => Box::new(value.to_vec()),
        2 => Box::new(number as i64),
        _ => Box::new(f64::from_bits(number)),
    };
    let column = COLUMNS[usize::from(*column) % COLUMNS.len()];
    // Reading it upgrades it, with all tables.
    read_everything(&path);
    let conn = rusqlite::Connection::open(&path).expect("the honest bundle");
    conn.execute_batch(ROWS).expect("rows of every table");
    let set = conn.execute(&format!("UPDATE {column}"), rusqlite::params_from_iter([value]));
    drop(conn);
    if set.is_ok() {
        read_everything(&path);
    }
    done(&path);
}

/// A journal next to a valid bundle, which SQLite would replay.
fn journal(data: &[u8]) {
    let path = file("input.dyno", HONEST);
    file("input.dyno-journal", data);
    read_everything(&path);
    done(&path);
}

fn read_all(path: &Path) -> dyno::base::error::Result<()> {
    let bundle = Bundle::open(path)?;
    bundle.facts()?;
    bundle.reported()?;
    bundle.prepared()?;
    bundle.states()?;
    dyno::plan::points(&bundle.run().plan).for_each(drop);
    let _ = dyno::plan::recheck(&bundle.run().plan, &dyno::plan_catalogue());
    for point in bundle.points()? {
        bundle.intervals(point.id)?;
        bundle.samples(point.id)?;
    }
    Ok(())
}

/// The first byte selects the kind of log, which only the file's name says.
fn fio_log(data: &[u8]) {
    let [kind, data @ ..] = data else { return };
    let kinds = ["bw", "iops", "clat", "lat", "clat_hist"];
    let kind = kinds[usize::from(*kind) % kinds.len()];
    import_named("fio_log", &format!("dir/job_{kind}.1.log"), data);
}

fn import(format: &str, data: &[u8]) {
    import_named(format, "dir/input.t4.csv", data);
}

/// The mapping of a CSV is the second half of the input, after a line of dashes.
fn import_named(format: &str, file: &str, data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (mapping, text) = text.split_once("\n---\n").unwrap_or((MAPPING, text));
    let format = ALL.iter().find(|f| f.info().name == format).expect("a format");
    let _ = format.read(&Input::new(file, text, Some(("mapping.toml", mapping))));
}
