//! Converted jobs compared with fio itself: each job of tests/data/fio-jobs is converted and run,
//! then fio runs the job on the same files for as many ops, and the kernel's counts are compared.
//!
//! A run reads more than its load does: dataset markers, and samples of their files, which are the
//! same for any window. So two windows are run, and the differences are compared.

use std::path::Path;

use dyno::base::units::parse_bytes;
use dyno::store::Bundle;

use super::fio::{Counted, Loop, agree, runs};
use crate::support::{dyno_well, size, skip};

/// A stream of the bundle: its name, which is the job's, and its ops.
fn streams(bundle: &Path) -> Vec<(String, u64)> {
    let points = Bundle::open(bundle).and_then(|b| b.points()).expect("a bundle");
    let cells = points.iter().flat_map(|p| &p.point.cells);
    cells.map(|c| (c.stream.clone(), c.tallies.iter().map(|t| t.ops).sum())).collect()
}

/// fio's job with Dyno's files and as many ops; its duration and rate are removed, because ops are
/// compared and not times.
fn bounded(job: &str, protocol: &toml::Table, ops: &[(String, u64)], drive: &Path) -> String {
    let jobs: u64 = job
        .lines()
        .find_map(|l| l.strip_prefix("numjobs="))
        .map_or(1, |n| n.parse().expect("a number"));
    let mut text = String::new();
    let left_out = ["runtime=", "time_based", "filename=", "rate", "size=", "name=", "startdelay"];
    for line in job.lines().filter(|l| !left_out.iter().any(|key| l.starts_with(key))) {
        text += &format!("{line}\n");
        if line == "[global]" {
            text += "norandommap=1\nrandrepeat=0\n";
        }
        let name = line.strip_prefix('[').and_then(|l| l.strip_suffix(']'));
        let Some((name, ops)) = name.and_then(|name| ops.iter().find(|(of, _)| of == name)) else {
            continue;
        };
        let streams = protocol["step"].as_array().expect("steps").iter();
        let mut streams = streams.flat_map(|s| s["stream"].as_array().expect("streams"));
        let stream = streams.find(|s| s["name"].as_str() == Some(name)).expect("the stream");
        let dataset = stream["dataset"].as_str().expect("a dataset");
        let bytes = protocol["dataset"][dataset]["size"].as_str().expect("a size");
        let file = drive.join(format!("dyno-data/{dataset}.0/data"));
        text += &format!(
            "filename={}\nsize={}\nio_size=1t\nnumber_ios={}\nnorandommap=1\nrandrepeat=0\n",
            file.display(),
            parse_bytes(bytes).expect("a size"),
            (ops / jobs).max(1)
        );
    }
    text
}

/// The result of a run of Dyno, or the difference of two.
struct Ran {
    /// Ops by stream, as counted by Dyno.
    ops: Vec<(String, u64)>,
    counted: Counted,
}

fn run(folder: &Path, drive: &Loop, protocol: &toml::Table, window: &str) -> Ran {
    let bundle = folder.join("b.dyno");
    let _ = std::fs::remove_file(&bundle);
    let subject = format!("L={}", drive.point.display());
    let mut args: Vec<String> =
        ["run", "./p.toml", "-q", "-s", &subject, "--repeats", "1"].map(String::from).to_vec();
    for step in protocol["step"].as_array().expect("steps") {
        let name = step["name"].as_str().expect("a name");
        args.extend(["--set".to_string(), format!("step.{name}.duration={window}")]);
    }
    args.extend(["--set", "meters=none", "-o", "b.dyno"].map(String::from));
    let before = drive.counted();
    dyno_well(folder, &args.iter().map(String::as_str).collect::<Vec<_>>());
    let counted = drive.counted().since(before);
    Ran { ops: streams(&bundle), counted }
}

/// The additional ops of a longer window, for Dyno, and the kernel's counts for as many ops of fio.
fn both(folder: &Path, drive: &Loop, job: &Path) -> (Ran, Counted) {
    let _ = std::fs::remove_file(folder.join("p.toml"));
    dyno_well(folder, &["convert", "--lossy", &job.display().to_string(), "-o", "./p.toml"]);
    let protocol = std::fs::read_to_string(folder.join("p.toml")).expect("the protocol");
    let protocol: toml::Table = protocol.parse().expect("TOML");
    // The first run creates the files for the others.
    run(folder, drive, &protocol, "50ms");
    let short = run(folder, drive, &protocol, "100ms");
    let long = run(folder, drive, &protocol, size("1s", "10s"));
    let more = |(name, ops): &(String, u64)| {
        let of = short.ops.iter().find(|(other, _)| other == name).expect("the same streams");
        (name.clone(), ops.saturating_sub(of.1))
    };
    let added = Ran {
        ops: long.ops.iter().map(more).collect(),
        counted: long.counted.since(short.counted),
    };
    let text = std::fs::read_to_string(job).expect("the job");
    let bounded = bounded(&text, &protocol, &added.ops, &drive.point);
    std::fs::write(folder.join("bounded.fio"), &bounded).expect("written");
    let before = drive.counted();
    let path = folder.join("bounded.fio").display().to_string();
    assert!(runs("fio", &[&path]), "fio:\n{bounded}");
    (added, drive.counted().since(before))
}

#[test]
fn converted_jobs_make_the_load_that_fio_makes_of_them() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let drive = Loop::mount(folder.path(), 2 << 30);
    let (Some(drive), true) = (drive, runs("fio", &["--version"])) else {
        skip("this needs fio, and the right to mount a loop device");
        return;
    };
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fio-jobs");
    let mut jobs: Vec<_> =
        std::fs::read_dir(data).expect("jobs").flatten().map(|e| e.path()).collect();
    jobs.sort();
    // Buffered reads are counted only if they miss the page cache, which differs from run to run.
    jobs.retain(|job| !job.ends_with("aio-read.fio"));
    // In everyday runs, those on which markers have most effect.
    let few = ["fixed-rate.fio", "seq-rw.fio"];
    if size(few.len(), jobs.len()) == few.len() {
        jobs.retain(|job| few.iter().any(|name| job.ends_with(name)));
    }
    for job in &jobs {
        let text = std::fs::read_to_string(job).expect("the job");
        // For iometer's file server: 1.7 times their mean.
        let sizes = if text.contains("bssplit") { 1.7 } else { 0.0 };
        let mut seen = String::new();
        let agreed = (0..3).any(|_| {
            let (dyno, fio) = both(folder.path(), &drive, job);
            let counted = dyno.counted;
            seen = format!(
                "{}: {:?}; the kernel counted {counted:?}, of fio {fio:?}",
                job.display(),
                dyno.ops
            );
            eprintln!("{seen}");
            agree(dyno.ops.iter().map(|(_, n)| n).sum::<u64>() as f64, counted, fio, sizes)
        });
        let _ = std::fs::remove_dir_all(drive.point.join("dyno-data"));
        assert!(agreed, "{seen}");
    }
}
