//! Overload on real clocks: psync and io_uring beside a drive of known service time, at targets
//! below and above its capacity. The drive is a FUSE filesystem that serves one read at a time.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use dyno::record::{Point, Tally};

use crate::support::queued::{Queued, is_ahead_of_others, served_at};
use crate::support::quiet::on_a_quiet_machine;
use crate::support::{DYNO, points, run_well, size};

const S: f64 = 1e9;

/// One stream with a target rate, in nanoseconds and ops.
#[derive(Clone, Copy)]
struct Load {
    service: f64,
    /// Target ÷ capacity.
    target: f64,
    workers: usize,
    depth: usize,
    warmup: f64,
    window: f64,
}

/// The same load on a simulated queue: each worker has a slot for each request in flight, and the
/// server takes requests in the order of their arrival.
struct SimulatedQueue {
    /// Response times of the ops due in the window, ascending.
    responses: Vec<f64>,
    /// Number of ops that completed in the window.
    completed: u64,
}

/// `service`: the service time as it was.
fn simulated(load: Load, service: f64) -> SimulatedQueue {
    let gap = load.service / load.target;
    let until = load.warmup + load.window;
    let mut workers: Vec<(usize, Vec<f64>)> =
        (0..load.workers).map(|first| (first, vec![0.0; load.depth])).collect();
    let (mut last, mut found) =
        (f64::NEG_INFINITY, SimulatedQueue { responses: Vec::new(), completed: 0 });
    let due = |n: usize| n as f64 * gap;
    let free = |slots: &[f64]| slots.iter().copied().fold(f64::INFINITY, f64::min);
    loop {
        let waiting = workers.iter_mut().filter(|(n, _)| due(*n) < until);
        let arrival = |(n, slots): &&mut (usize, Vec<f64>)| due(*n).max(free(slots));
        let Some((n, slots)) = waiting.min_by(|a, b| arrival(a).total_cmp(&arrival(b))) else {
            break;
        };
        let (own, slot) = (due(*n), free(slots));
        last = served_at(own.max(slot), last, last, service);
        if let Some(slot) = slots.iter_mut().find(|s| **s == slot) {
            *slot = last;
        }
        *n += load.workers;
        found.completed += u64::from((load.warmup..until).contains(&last));
        if own >= load.warmup {
            found.responses.push(last - own);
        }
    }
    found.responses.sort_by(f64::total_cmp);
    found
}

const PROTOCOL: &str = r#"
title = "Overload"
source = "test"
[dataset.file]
engine = "ENGINE"
size = "4MiB"
direct = true
fill = { kind = "sequential", read = 0, block = "128KiB" }
[[step]]
name = "s"
warmup = "WARMUP"
duration = "WINDOW"
[[step.stream]]
name = "io"
engine = "ENGINE"
rate = "RATE"
threads = THREADS
depth = DEPTH
workload = { kind = "random", block = "4KiB" }
"#;

const HEAD: &str = "| engine | service time | workers × depth | warm-up | target ÷ capacity | \
                    as it was | completed ÷ expected | p10, queue | p50, queue | p90, queue | \
                    p99, queue |\n\
                    |---|---|---|---|---|---|---|---|---|---|---|";

/// Compares a point with the simulated queue; returns its row of the table, and the differences.
fn compare(engine: &str, load: Load, service: f64, point: &Point) -> (String, Vec<String>) {
    let cell = &point.cells[0];
    let tally: &Tally = &cell.tallies[0];
    let queue = simulated(load, service);
    let what = format!(
        "| {engine} | {} ms | {} × {} | {} s | {} |",
        load.service / 1e6,
        load.workers,
        load.depth,
        load.warmup / S,
        load.target
    );
    let mut differences = Vec::new();
    let mut check = |holds: bool, difference: String| {
        if !holds {
            differences.push(format!("{what} {difference}"));
        }
    };
    check(cell.backlog_max >= cell.backlog_end, "backlog".to_string());
    let expected = load.window * (load.target / load.service).min(1.0 / service);
    // An op at each edge of the window, which for workers and slots are several.
    let tolerance = 0.01 + 1.5 / expected;
    let share = tally.ops as f64 / expected;
    check((share - 1.0).abs() <= tolerance, format!("{share} of the expected rate"));
    let of_queue = queue.completed as f64 / expected;
    check((of_queue - 1.0).abs() <= tolerance, format!("the queue has {of_queue} of it"));
    let response = tally.response.as_ref().expect("an open loop");
    let all = queue.responses.len();
    check(response.count.abs_diff(all as u64) <= 2, format!("{} of {all} ops", response.count));
    let mut percentile = |q: f64| {
        let measured = response.quantile_ns(q).expect("ops");
        let bound = tally.censored.is_some_and(|censored| censored.bounds(measured));
        let (measured, truth) = (measured as f64, queue.responses[(q * all as f64) as usize]);
        // The way to the drive and back, and the phase of arrivals.
        let slack = 0.015 * truth + 0.25 * load.service + 150e3;
        let known = if bound { measured >= S } else { measured >= truth - slack };
        // A machine that stops for a moment adds to the last percentiles.
        let most = measured <= truth + slack || (q > 0.9 && !bound);
        let sign = if bound { "≥ " } else { "" };
        let both = format!("{sign}{:.2}, {:.2} ms", measured / 1e6, truth / 1e6);
        check(known && most, format!("p{}: {both}", q * 100.0));
        both
    };
    let percentiles = [0.1, 0.5, 0.9, 0.99].map(&mut percentile).join(" | ");
    let ms = service / 1e6;
    (format!("{what} {ms:.3} ms | {:.2} % | {percentiles} |", 100.0 * share), differences)
}

/// Measures a load, compares it with the queue, and prints its row of the table.
fn measure(drive: &Queued, place: &Path, engine: &str, load: Load) {
    let folder = tempfile::tempdir().expect("a folder");
    let protocol = PROTOCOL
        .replace("ENGINE", engine)
        .replace("WARMUP", &format!("{}ms", load.warmup / 1e6))
        .replace("WINDOW", &format!("{}ms", load.window / 1e6))
        .replace("RATE", &format!("{}/s", (load.target * S / load.service).round()))
        .replace("THREADS", &load.workers.to_string())
        .replace("DEPTH", &load.depth.to_string());
    std::fs::write(folder.path().join("p.toml"), protocol).expect("written");
    let plan = format!(
        "protocol = \"p.toml\"\nrepeats = 1\nmeters = \"none\"\n[[subject]]\nname = \"A\"\n\
         drives = [{{ path = \"{}\" }}]\n",
        place.display()
    );
    std::fs::write(folder.path().join("plan.toml"), plan).expect("written");
    let mut dyno = Command::new(DYNO);
    dyno.current_dir(folder.path()).args(["run", "plan.toml", "-o", "b.dyno"]);
    let ahead = || {
        is_ahead_of_others(true);
        Ok(())
    };
    // SAFETY: the closure makes a system call only.
    unsafe { dyno.pre_exec(ahead) };
    drive.set_service(load.service);
    run_well(&mut dyno);
    let all = points(&folder.path().join("b.dyno"));
    let service = if load.target > 1.0 { drive.mean_gap_ns() } else { load.service };
    let (row, differences) = compare(engine, load, service, &all[0]);
    println!("{row}");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Rows at one service time: those of `quick`, or all of them (`make soak`; with `DYNO_SOAK=1` and
/// `--nocapture`, the table of docs/measuring.md).
fn rows(service: f64, window: f64, quick: &[(&str, f64, usize)]) {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(drive) = Queued::new(folder.path()) else { return };
    let row = |engine: &str, load: Load| {
        on_a_quiet_machine(|| measure(&drive, folder.path(), engine, load));
    };
    let depth = |engine: &str| if engine == "psync" { 1 } else { 4 };
    let load = |engine: &str, target, workers, warmup, window| Load {
        service,
        target,
        workers,
        depth: depth(engine),
        warmup,
        window,
    };
    println!("{HEAD}");
    if size(0, 1) == 0 {
        for (engine, target, workers) in quick {
            row(engine, load(engine, *target, *workers, 0.5 * S, 1.5 * S));
        }
        return;
    }
    for engine in ["psync", "uring"] {
        for (workers, warmup) in [(1, 0.0), (1, S), (4, 0.0), (4, S)] {
            for target in [0.5, 0.98, 1.1, 2.0, 10.0] {
                row(engine, load(engine, target, workers, warmup, window));
            }
        }
    }
}

#[test]
fn overload_of_a_drive_of_100_us_completes_its_rate_with_the_percentiles_of_a_queue() {
    rows(1e5, 2.0 * S, &[("uring", 2.0, 4)]);
}

#[test]
fn overload_of_a_drive_of_1_ms_completes_its_rate_with_the_percentiles_of_a_queue() {
    rows(1e6, 2.0 * S, &[("psync", 0.5, 1), ("psync", 2.0, 4)]);
}

#[test]
fn overload_of_a_drive_of_10_ms_completes_its_rate_with_the_percentiles_of_a_queue() {
    rows(1e7, 6.0 * S, &[("uring", 10.0, 1)]);
}
