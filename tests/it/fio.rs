//! Dyno's load compared with fio's for the equivalent job: the kernel's counts for one loop device
//! in /proc/diskstats, and the distribution of offsets. Counts are compared, not times.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use dyno::base::rng::Seed;
use dyno::measure::AddressSpace;
use dyno::plan::Knobs;
use dyno::store::Bundle;
use dyno::workload;
use serde_json::{Value, json};

use crate::support::skip;

/// A profile: its name, Dyno's workload, and fio's equivalent options.
const PROFILES: &[(&str, &str, &str)] = &[
    (
        "4K random read",
        r#"{ kind = "random", read = 100, block = "4KiB" }"#,
        "--rw=randread --bs=4k",
    ),
    (
        "4K random write",
        r#"{ kind = "random", read = 0, block = "4KiB" }"#,
        "--rw=randwrite --bs=4k",
    ),
    (
        "8K random 70/30",
        r#"{ kind = "random", read = 70, block = "8KiB" }"#,
        "--rw=randrw --rwmixread=70 --bs=8k",
    ),
    (
        "4K and 16K, 90/10",
        r#"{ kind = "random", read = 90, block = [["4KiB", 40], ["16KiB", 60]] }"#,
        "--rw=randrw --rwmixread=90 --bssplit=4k/40:16k/60",
    ),
    (
        "64K sequential read",
        r#"{ kind = "sequential", read = 100, block = "64KiB" }"#,
        "--rw=read --bs=64k",
    ),
];

/// Number of attempts per profile: a mix is random, and about one draw in a hundred is off by more
/// than a percent.
const ATTEMPTS: usize = 3;

pub fn runs(program: &str, args: &[&str]) -> bool {
    let ran = Command::new(program).args(args).stdout(Stdio::null()).stderr(Stdio::null()).status();
    ran.is_ok_and(|s| s.success())
}

/// A loop device with a filesystem without a journal, whose writes would be counted with ours.
pub struct Loop {
    pub point: PathBuf,
    device: String,
}

impl Loop {
    pub fn mount(folder: &Path, bytes: u64) -> Option<Loop> {
        let (image, point) = (folder.join("image"), folder.join("drive"));
        std::fs::create_dir(&point).ok()?;
        std::fs::File::create(&image).and_then(|f| f.set_len(bytes)).ok()?;
        let (from, at) = (image.display().to_string(), point.display().to_string());
        let made = runs(
            "mkfs.ext4",
            &["-q", "-F", "-O", "^has_journal", "-E", "lazy_itable_init=0", &from],
        ) && runs("mount", &["-o", "loop,noatime", &from, &at]);
        let source = Command::new("findmnt").args(["-n", "-o", "SOURCE", &at]).output().ok()?;
        let device =
            String::from_utf8(source.stdout).ok()?.trim().trim_start_matches("/dev/").to_string();
        (made && device.starts_with("loop")).then_some(Loop { point, device })
    }

    pub fn counted(&self) -> Counted {
        runs("sync", &["-f", &self.point.display().to_string()]);
        let table = std::fs::read_to_string("/proc/diskstats").expect("diskstats");
        let line = table
            .lines()
            .find(|l| l.split_whitespace().nth(2) == Some(&self.device))
            .expect("the device");
        let n: Vec<f64> =
            line.split_whitespace().skip(3).map(|f| f.parse().unwrap_or(0.0)).collect();
        // A merged request was also one of ours.
        Counted { reads: n[0] + n[1], writes: n[4] + n[5], bytes: (n[2] + n[6]) * 512.0 }
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        runs("umount", &[&self.point.display().to_string()]);
    }
}

/// The kernel's counts.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    pub reads: f64,
    pub writes: f64,
    pub bytes: f64,
}

impl Counted {
    pub fn since(self, earlier: Counted) -> Counted {
        Counted {
            reads: self.reads - earlier.reads,
            writes: self.writes - earlier.writes,
            bytes: self.bytes - earlier.bytes,
        }
    }

    pub fn ops(self) -> f64 {
        self.reads + self.writes
    }
}

/// Within a percent of each other.
pub fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 0.01 * a.abs().max(b.abs())
}

/// Whether both made the same load: within 1 %, plus four standard errors of both random draws,
/// because a window on a busy machine has fewer ops. `sizes` is the standard deviation of the ops'
/// sizes divided by their mean.
pub fn agree(ops: f64, dyno: Counted, fio: Counted, sizes: f64) -> bool {
    let errors = |deviation: f64| 0.01 + 4.0 * deviation * (2.0 / ops).sqrt();
    let (reads, a_op) = (dyno.reads / dyno.ops(), dyno.bytes / dyno.ops());
    close(ops, dyno.ops())
        && close(dyno.ops(), fio.ops())
        && (a_op - fio.bytes / fio.ops()).abs() <= errors(sizes) * a_op
        && (reads - fio.reads / fio.ops()).abs() <= errors((reads * (1.0 - reads)).sqrt())
}

/// Runs Dyno, then fio for as many ops; returns Dyno's counts and the kernel's for both.
fn both(folder: &Path, drive: &Loop, workload: &str, fio: &str) -> (f64, f64, Counted, Counted) {
    let protocol = format!(
        "title = \"fio\"\nsource = \"test\"\n[dataset.file]\nengine = \"uring\"\n\
         size = \"256MiB\"\n\
         fill = {{ kind = \"sequential\", read = 0, block = \"128KiB\", depth = 8 }}\n\
         [[step]]\nname = \"s\"\nduration = \"2s\"\n[[step.stream]]\nname = \"io\"\n\
         engine = \"uring\"\ndepth = 8\n\
         workload = {workload}\n"
    );
    std::fs::write(folder.join("p.toml"), protocol).expect("written");
    let subject = format!("L={}", drive.point.display());
    let bundle = folder.join("b.dyno");
    let dyno = |set: &str| {
        std::fs::remove_file(&bundle).ok();
        let args = [
            "run",
            "p.toml",
            "--subject",
            &subject,
            "--repeats",
            "1",
            "--set",
            set,
            "--output",
            "b.dyno",
        ];
        let out = Command::new(env!("CARGO_BIN_EXE_dyno"))
            .current_dir(folder)
            .args(args)
            .output()
            .expect("ran");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    };
    // The first run creates the file for the second.
    dyno("step.s.duration=100ms");
    let before = drive.counted();
    dyno("step.s.duration=2s");
    let by_dyno = drive.counted().since(before);
    let points = Bundle::open(&bundle).and_then(|b| b.points()).expect("a bundle");
    let tallies = || points[0].point.cells.iter().flat_map(|c| &c.tallies);
    let (ops, bytes) =
        (tallies().map(|t| t.ops).sum::<u64>(), tallies().map(|t| t.bytes).sum::<u64>());
    let before = drive.counted();
    let file = drive.point.join("dyno-data/file.0/data").display().to_string();
    let mut args: Vec<String> = fio.split(' ').map(String::from).collect();
    let fixed = "--name=j --ioengine=io_uring --iodepth=8 --direct=1 --size=256m --randrepeat=0 \
                 --norandommap=1";
    args.extend(fixed.split(' ').map(String::from));
    args.extend([
        format!("--filename={file}"),
        format!("--number_ios={ops}"),
        "--io_size=1t".into(),
    ]);
    assert!(runs("fio", &args.iter().map(String::as_str).collect::<Vec<_>>()), "fio {args:?}");
    (ops as f64, bytes as f64, by_dyno, drive.counted().since(before))
}

#[test]
fn the_kernel_counts_the_same_load_from_dyno_as_from_fio() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let drive = Loop::mount(folder.path(), 512 << 20);
    let (Some(drive), true) = (drive, runs("fio", &["--version"])) else {
        skip("this needs fio, and the right to mount a loop device");
        return;
    };
    for (name, workload, fio) in PROFILES {
        let mut seen = String::new();
        let agreed = (0..ATTEMPTS).any(|_| {
            let (ops, bytes, dyno, fio) = both(folder.path(), &drive, workload, fio);
            seen = format!(
                "{name}: Dyno says {ops} ops, {bytes} bytes; the kernel counted {dyno:?}, of fio \
                 {fio:?}"
            );
            eprintln!("{seen}");
            // For 4K and 16K in shares of 40 and 60 %.
            let sizes = if name.contains("16K") { 0.53 } else { 0.0 };
            close(bytes, dyno.bytes) && agree(ops, dyno, fio, sizes)
        });
        assert!(agreed, "{seen}");
    }
}

/// fio's offsets of 200,000 reads of 4K in a range, from its log.
fn fio_offsets(folder: &Path, bytes: u64, distribution: &str) -> Option<Vec<u64>> {
    let log = folder.join("log");
    std::fs::remove_file(&log).ok();
    let path = log.display().to_string();
    let args = format!(
        "--name=j --ioengine=null --rw=randread --bs=4k --size={bytes} --io_size=800m \
         --norandommap=1 --randrepeat=0 --random_distribution={distribution} --write_iolog={path}"
    );
    if !runs("fio", &args.split_whitespace().collect::<Vec<_>>()) {
        return None;
    }
    let text = std::fs::read_to_string(log).ok()?;
    let words = text.lines().map(|l| l.split_whitespace().collect::<Vec<_>>());
    // Version 3 of the log begins each line with a time.
    let offsets = words.filter_map(|w| {
        w.iter().position(|w| *w == "read").and_then(|i| w.get(i + 1)?.parse().ok())
    });
    Some(offsets.collect())
}

/// Dyno's, with these knobs.
fn offsets(bytes: u64, own: &[(&str, Value)]) -> Vec<u64> {
    let random = workload::find("random").expect("a workload");
    let pairs = [
        ("read", json!(100.0)),
        ("block", json!([[4096, 1.0]])),
        ("from", json!(0.0)),
        ("span", json!(100.0)),
    ];
    let all = pairs.iter().chain(own).map(|(name, value)| (name.to_string(), value.clone()));
    let (knobs, seed) = (Knobs(all.collect()), Seed::new(1, 0, 0));
    let share = workload::GeneratorInputs {
        knobs: &knobs,
        space: AddressSpace { bytes, align_bytes: 512, ..AddressSpace::default() },
        thread: 0,
        threads: 1,
        seed,
        stream_seed: seed,
    };
    let mut source = random.source(&share).expect("a source");
    (0..200_000).map(|n| source.op(n).at).collect()
}

fn tenths(offsets: &[u64]) -> [f64; 10] {
    let mut counts = [0.0; 10];
    offsets.iter().for_each(|at| counts[(at * 10 / (1 << 30)).min(9) as usize] += 1.0);
    counts.map(|n| n / offsets.len() as f64)
}

#[test]
fn offsets_fall_where_fios_fall() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (kind, distribution) in [("uniform", "random"), ("hotspot", "zoned:80/20:20/80")] {
        let Some(theirs) = fio_offsets(folder.path(), 1 << 30, distribution) else {
            skip("this needs fio");
            return;
        };
        let own =
            [("offsets", json!(kind)), ("hot_share", json!(80.0)), ("hot_range", json!(20.0))];
        let (ours, theirs) = (tenths(&offsets(1 << 30, &own)), tenths(&theirs));
        eprintln!("{kind}: {ours:.4?} against fio's {theirs:.4?}");
        for (ours, theirs) in ours.iter().zip(theirs) {
            assert!((ours - theirs).abs() < 0.01, "{kind}: {ours} against {theirs}");
        }
    }
}

/// The shares of accesses that go to the most popular blocks, by the number of these blocks.
fn hottest(offsets: &[u64], blocks: &[usize]) -> Vec<f64> {
    let mut counts = std::collections::HashMap::new();
    offsets.iter().for_each(|at| *counts.entry(at).or_insert(0u32) += 1);
    let mut counts: Vec<u32> = counts.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let upto = |n: &usize| counts.iter().take(*n).sum::<u32>();
    blocks.iter().map(|n| f64::from(upto(n)) / offsets.len() as f64).collect()
}

#[test]
fn the_hot_blocks_of_a_zipfian_load_get_what_the_law_and_fio_give_them() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let upto = [1, 2, 10, 100, 1024];
    for theta in [0.8, 1.2] {
        let ours = offsets(4 << 20, &[("offsets", json!("zipfian")), ("theta", json!(theta))]);
        let ours = hottest(&ours, &upto);
        let sum = |n: usize| (1..=n).map(|rank| (rank as f64).powf(-theta)).sum::<f64>();
        for (n, share) in upto.iter().zip(&ours) {
            let law = sum(*n) / sum(1024);
            assert!((share / law - 1.0).abs() < 0.03, "{n} at {theta}: {share} against {law}");
        }
        let Some(theirs) = fio_offsets(folder.path(), 4 << 20, &format!("zipf:{theta}")) else {
            skip("this needs fio");
            return;
        };
        let theirs = hottest(&theirs, &upto);
        eprintln!("theta {theta}: {ours:.4?} against fio's {theirs:.4?}");
        // fio gives ranks 1 and 2 their shares, and those after them up to 8 % more.
        for (n, (ours, theirs)) in upto.iter().zip(ours.iter().zip(&theirs)) {
            let limit = if *n <= 2 { 0.03 } else { 0.08 };
            assert!((ours / theirs - 1.0).abs() < limit, "{n}: {ours} against {theirs}");
        }
    }
}
