//! Very many bundles, cheaply: a few are written point by point, the others are copies with their
//! own name, serial number, time and rates.

use std::path::{Path, PathBuf};

use dyno::record::Setup;
use dyno::record::setup::{DriveSetup, HealthLog, HostSetup};
use rusqlite::{Connection, params};

use crate::made::{self, Figures, rng};

/// Drives of a model, and their differences.
pub struct Model {
    pub name: &'static str,
    pub firmware: &'static str,
    pub ops_per_s: f64,
    pub p99_ns: f64,
}

pub const MODELS: [Model; 3] = [
    Model { name: "Fast 7600/A", firmware: "20240101", ops_per_s: 40_000.0, p99_ns: 2e5 },
    Model { name: "Fast 7600/A", firmware: "E2MU200", ops_per_s: 40_400.0, p99_ns: 1.9e5 },
    Model { name: "Slow P5", firmware: "C3=1", ops_per_s: 30_000.0, p99_ns: 3e5 },
];

/// The scatter of drives and of repeats, as standard deviations of logarithms.
const DRIVES: f64 = 0.02;
const REPEATS: f64 = 0.01;
/// 22 November 2026, and a day.
const STARTED_NS: i64 = 1_795_000_000_000_000_000;
const DAY_NS: i64 = 86_400_000_000_000;
const HOSTS: usize = 4;

/// Writes this many bundles of one drive each, alternating between the models and between four
/// hosts; month by month. They are named `00000.dyno` and so on.
pub fn write(folder: &Path, count: usize) -> Vec<PathBuf> {
    let templates: Vec<PathBuf> = (0..MODELS.len()).map(|m| template(folder, m)).collect();
    let names = (0..count).map(|i| folder.join(format!("{i:05}.dyno")));
    let made: Vec<PathBuf> = names
        .enumerate()
        .map(|(i, path)| {
            std::fs::copy(&templates[i % MODELS.len()], &path).expect("copied");
            make_own(&path, i).expect("a bundle of its own");
            path
        })
        .collect();
    templates.iter().for_each(|path| std::fs::remove_file(path).expect("removed"));
    made
}

fn template(folder: &Path, model: usize) -> PathBuf {
    let Model { name, firmware, ops_per_s, p99_ns } = MODELS[model];
    let step = made::step("reads", "sweep = { axis = \"io.depth\", values = [1, 8] }", "");
    let plan = made::plan(folder, &step, 1, 5);
    let drive = DriveSetup {
        subject: "A".into(),
        model: Some(name.into()),
        firmware: Some(firmware.into()),
        serial: Some("S".into()),
        health: Some(HealthLog { used_percent: 3, spare_percent: 97, ..HealthLog::default() }),
        ..DriveSetup::default()
    };
    let host = HostSetup { name: Some("host".into()), ..HostSetup::default() };
    let setup = Setup { host, drives: vec![drive], ..Setup::default() };
    let path = folder.join(format!("template-{model}.dyno"));
    made::write_with(&path, &plan, &setup, &mut |key| {
        let depth = key.axis.as_ref().map_or(1.0, |a| a.value.as_f64());
        Some(Figures { ops_per_s: ops_per_s * depth, p99_ns, ..Figures::default() })
    });
    path
}

/// Counts and histograms are unchanged: a longer window makes a slower drive.
fn make_own(path: &Path, number: usize) -> rusqlite::Result<()> {
    let mut conn = Connection::open(path)?;
    conn.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")?;
    let write = conn.transaction()?;
    let name = format!("D{number:05}");
    let started = STARTED_NS + DAY_NS * (number as i64 % 200);
    write.execute(
        "UPDATE run SET started_unix_ns = ?, plan = replace(plan, '\"name\":\"A\"', ?)",
        params![started, format!("\"name\":\"{name}\"")],
    )?;
    write.execute(
        "UPDATE drive SET subject = ?, setup = json_set(setup, '$.serial', ?)",
        params![name, format!("S{number:05}")],
    )?;
    let host = format!("host-{}", number / MODELS.len() % HOSTS);
    write.execute("UPDATE host SET setup = json_set(setup, '$.name', ?)", [host])?;
    let own = DRIVES * rng(71, number as u64).normal();
    let points: i64 = write.query_row("SELECT max(id) FROM point", [], |row| row.get(0))?;
    for point in 1..=points {
        let at = number as u64 * 1_000 + point as u64;
        let slower = (own + REPEATS * rng(72, at).normal()).exp();
        write.execute(
            "UPDATE point SET subject = ?, started_unix_ns = ?, \
             window_ns = CAST(window_ns * ? AS INTEGER) WHERE id = ?",
            params![name, started + point, slower, point],
        )?;
    }
    write.commit()
}

/// Makes a bundle's drive slower by a factor.
pub fn slow(path: &Path, factor: f64) {
    let conn = Connection::open(path).expect("a bundle");
    let slower = "UPDATE point SET window_ns = CAST(window_ns * ? AS INTEGER)";
    conn.execute(slower, [factor]).expect("slower");
}
