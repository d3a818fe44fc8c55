//! Durable writes, flushes and trims on a bare device: as many reach it as Dyno reports, by the
//! kernel's own count. Needs root and loop devices; otherwise skipped.

use std::io::Write;
use std::path::Path;
use std::process::Output;

use dyno::record::Setup;
use dyno::record::setup::{DriveSetup, WriteCacheState};
use dyno::store::Bundle;

use crate::made;
use crate::replay::tables;
use crate::support::{LoopDevice, dyno, dyno_well, points, skip};

/// A drive that reports a cache that is on, while the kernel sends it no flushes.
#[test]
fn durable_writes_to_a_cache_that_the_kernel_does_not_flush_have_a_caveat_and_others_have_none() {
    let folder = made::folder();
    let dir = folder.path();
    let step = |name: &str, sync: &str| {
        format!(
            "[[step]]\nname = \"{name}\"\nduration = \"1s\"\n[[step.stream]]\nname = \"io\"\n\
             engine = \"psync\"\nworkload = {{ kind = \"random\", read = 0, sync = \"{sync}\" }}\n"
        )
    };
    let dataset = "[dataset.file]\nengine = \"psync\"\nsize = \"1MiB\"\ndirect = false\n";
    let steps = step("durable", "fdatasync") + &step("plain", "none");
    std::fs::write(dir.join("p.toml"), format!("title = \"T\"\n{dataset}{steps}")).unwrap();
    let plan = "protocol = \"./p.toml\"\nrepeats = 3\n[[subject]]\nname = \"A\"\n\
                drives = [{ path = \".\" }]\n";
    std::fs::write(dir.join("plan.toml"), plan).unwrap();
    let plan = dyno::plan::load(&dir.join("plan.toml"), &dyno::plan_catalogue());
    let plan = plan.unwrap_or_else(|mistakes| panic!("{}", mistakes.render(false)));
    for (kernel, own, caveats) in [
        ("write through", WriteCacheState::On, 1),
        ("write back", WriteCacheState::On, 0),
        ("write through", WriteCacheState::Absent, 0),
    ] {
        let drive = DriveSetup {
            subject: "A".into(),
            write_cache: Some(kernel.into()),
            volatile_cache: vec![own],
            ..DriveSetup::default()
        };
        let setup = Setup { drives: vec![drive], ..Setup::default() };
        let path = dir.join("b.dyno");
        let _ = std::fs::remove_file(&path);
        made::write_with(&path, &plan, &setup, &mut |_| {
            let (ops_per_s, seconds) = (1e4, vec![1e4; 3]);
            Some(made::Figures { ops_per_s, seconds, p99_ns: 1e5, ..made::Figures::default() })
        });
        dyno_well(dir, &["report", "b.dyno", "-o", "b.md"]);
        let brief = std::fs::read_to_string(dir.join("b.md")).unwrap();
        let found: Vec<&str> = brief
            .lines()
            .filter(|line| line.contains("the kernel treats it as write through"))
            .collect();
        assert_eq!(!found.is_empty(), caveats > 0, "{kernel}, {own}: {brief}");
        assert!(found.iter().all(|line| !line.contains("plain")), "{found:?}");
    }
}

/// A loop device on a file, removed when dropped.
pub struct Disk {
    pub folder: tempfile::TempDir,
    device: LoopDevice,
}

impl Disk {
    pub fn new() -> Option<Disk> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let file = folder.path().join("disk");
        std::fs::write(&file, vec![0; 16 << 20]).unwrap();
        let device = LoopDevice::over(&file)?;
        Some(Disk { folder, device })
    }

    pub fn device(&self) -> &Path {
        &self.device
    }

    fn name(&self) -> &str {
        self.device.file_name().unwrap().to_str().unwrap()
    }

    /// A kernel counter of this device: its position after the name in /proc/diskstats, counted
    /// from 1 (Documentation/admin-guide/iostats.rst).
    pub fn kernel(&self, field: usize) -> u64 {
        let table = std::fs::read_to_string("/proc/diskstats").unwrap();
        let words = table.lines().map(|l| l.split_whitespace().collect::<Vec<_>>());
        let own = words.into_iter().find(|words| words[2] == self.name()).unwrap();
        own[2 + field].parse().unwrap()
    }

    fn queue(&self, name: &str) -> String {
        let path = Path::new("/sys/block").join(self.name()).join("queue").join(name);
        std::fs::read_to_string(path).unwrap_or_default().trim().to_string()
    }

    /// Runs one stream on the device as it is, and returns the ops of `class` that have a latency:
    /// without a warm-up, all of them, also those in flight when the window closed, which the
    /// kernel counts too.
    fn run(&self, engine: &str, stream: &str, class: &str) -> u64 {
        let output = self.prepared_run("", engine, stream);
        assert!(output.status.success(), "{stream}: {}", String::from_utf8_lossy(&output.stderr));
        let point = points(&self.folder.path().join("b.dyno")).remove(0);
        let mut tallies = point.cells.iter().flat_map(|cell| &cell.tallies);
        let own = tallies.find(|tally| tally.class.name() == class);
        own.unwrap_or_else(|| panic!("no {class}: {point:?}")).service.count
    }

    /// Runs one stream on the device after `prepare`.
    pub fn prepared_run(&self, prepare: &str, engine: &str, stream: &str) -> Output {
        let dir = self.folder.path();
        let protocol = format!(
            "title = \"T\"\nsource = \"test\"\n[dataset.d]\nengine = \"{engine}\"\nsize = 0\n\
             direct = true\n{prepare}[[step]]\nname = \"s\"\nduration = \"1s\"\n\
             [[step.stream]]\nname = \"io\"\nengine = \"{engine}\"\n{stream}\n"
        );
        std::fs::write(dir.join("p.toml"), protocol).unwrap();
        let plan = format!(
            "protocol = \"./p.toml\"\nrepeats = 1\n[[subject]]\nname = \"A\"\ndrives = [{{ device \
             = \"{}\", serial = \"{}\", erase = \"unknown data\" }}]\n",
            self.device.display(),
            dir.join("disk").display()
        );
        std::fs::write(dir.join("plan.toml"), plan).unwrap();
        let _ = std::fs::remove_file(dir.join("b.dyno"));
        dyno(dir, &["run", "plan.toml", "--output", "b.dyno"])
    }

    /// The drive's setup as stored by the last run.
    fn setup(&self) -> DriveSetup {
        let bundle = Bundle::open(&self.folder.path().join("b.dyno")).unwrap();
        bundle.drives().unwrap().remove(0)
    }
}

#[test]
fn what_durability_costs_stands_in_one_table_beside_the_same_writes_that_are_not_durable() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let dir = folder.path();
    std::fs::create_dir(dir.join("drive")).unwrap();
    let mut protocol = "title = \"T\"\nsource = \"test\"\n[dataset.d]\nengine = \"psync\"\n\
                        size = \"1MiB\"\nfill = { kind = \"sequential\", read = 0 }\n"
        .to_string();
    for sync in ["none", "fua", "fdatasync"] {
        protocol += &format!(
            "[[step]]\nname = \"{sync}\"\nduration = \"200ms\"\n\
             sweep = {{ axis = \"w.threads\", values = [1, 2] }}\n[[step.stream]]\nname = \"w\"\n\
             engine = \"psync\"\nworkload = {{ kind = \"random\", read = 0, sync = \"{sync}\" }}\n"
        );
    }
    std::fs::write(dir.join("p.toml"), protocol).unwrap();
    let runs = ["run", "./p.toml", "--subject", "A=drive", "--repeats", "1", "--output", "b.dyno"];
    for args in [&runs[..], &["report", "b.dyno", "-o", "brief.md"]] {
        let output = dyno(dir, args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let brief = std::fs::read_to_string(dir.join("brief.md")).unwrap();
    let (_, section) = brief.split_once("## Cost of durability").expect("the section");
    let rows = tables(section).into_iter().find(|rows| rows[0][0] == "threads").expect(section);
    let at =
        |name: &str| rows[0].iter().position(|c| *c == name).unwrap_or_else(|| panic!("{name}"));
    let number =
        |row: &[&str], at: usize| -> f64 { row[at].replace([',', '%', ' '], "").parse().unwrap() };
    assert_eq!(rows.iter().skip(2).map(|row| row[0]).collect::<Vec<_>>(), ["1", "2"]);
    for row in &rows[2..] {
        let plain = number(row, at("not durable, ops/s"));
        for manner in ["FUA, ops/s", "write + fdatasync, ops/s"] {
            let (own, share) = (number(row, at(manner)), number(row, at(manner) + 1));
            assert!((100.0 * own / plain - share).abs() <= 0.51, "{manner}: {row:?}");
        }
    }
}

const DISCARDS: usize = 12;
const DISCARDED_SECTORS: usize = 14;
const FLUSHES: usize = 16;

#[test]
fn as_many_flushes_and_discards_reach_a_device_as_are_reported() {
    let Some(disk) = Disk::new() else { return };
    if disk.queue("write_cache") != "write back" {
        return skip("the loop device has no write cache, so the kernel sends it no flushes");
    }
    // If the device has no FUA, the kernel sends a write and a flush. It ends a synchronous write,
    // such as psync's, with a flush in any case (blkdev_write_iter).
    let fua = if disk.queue("fua") == "1" { 0 } else { 1 };
    let loads = [
        ("psync", "read = 0, sync = \"fdatasync\" }", "write-fdatasync", FLUSHES, 1),
        ("psync", "read = 0, sync = \"fua\" }", "write-fua", FLUSHES, fua + 1),
        ("psync", "read = 30, fdatasync = 8 }", "flush", FLUSHES, 1),
        ("uring", "read = 30, fdatasync = 8 }\ndepth = 4", "flush", FLUSHES, 1),
        ("uring", "read = 0, sync = \"fdatasync\" }", "write-fdatasync", FLUSHES, 1),
        ("uring", "read = 0, sync = \"fua\" }", "write-fua", FLUSHES, fua),
        ("psync", "read = 0, trim = 50 }", "trim", DISCARDS, 1),
        ("uring", "read = 0, trim = 50 }\ndepth = 4", "trim", DISCARDED_SECTORS, 8),
    ];
    for (engine, knobs, class, field, each) in loads {
        let before = disk.kernel(field);
        let stream = format!("workload = {{ kind = \"random\", block = \"4KiB\", {knobs}");
        let ops = disk.run(engine, &stream, class);
        assert!(ops > 0, "{engine} {knobs}");
        assert_eq!(disk.kernel(field) - before, each * ops, "{engine} {knobs}: {ops} of {class}");
    }
}

#[test]
fn what_was_trimmed_or_zeroed_on_a_device_reads_as_zeroes_and_nothing_else_changed() {
    let Some(disk) = Disk::new() else { return };
    for engine in ["psync", "uring"] {
        for (knob, class) in [("trim", "trim"), ("write_zeroes", "write-zeroes")] {
            let file = disk.folder.path().join("disk");
            let mut image = std::fs::OpenOptions::new().write(true).open(&file).unwrap();
            image.write_all(&vec![0xA5; 16 << 20]).unwrap();
            // A file under the device that is open for writing is in use.
            drop(image);
            let stream = format!(
                "workload = {{ kind = \"sequential\", read = 0, {knob} = 100, span = 50 }}"
            );
            let ops = disk.run(engine, &stream, class);
            let blocks = (ops as usize).min((8 << 20) / (128 << 10)) * (128 << 10);
            let data = std::fs::read(&file).unwrap();
            assert!(data[..blocks].iter().all(|b| *b == 0), "{engine}: {class} left data");
            assert!(data[blocks..].iter().all(|b| *b == 0xA5), "{engine}: {class} went too far");
        }
    }
}

#[test]
fn a_write_cache_is_switched_for_the_run_and_put_back_also_after_a_failure() {
    let Some(disk) = Disk::new() else { return };
    if disk.queue("write_cache") != "write back" {
        return skip("the loop device has no write cache to switch");
    }
    const OFF: &str = "[prepare]\nwrite_cache = \"off\"\n";
    let writes = "workload = { kind = \"random\", read = 0, sync = \"fdatasync\" }";
    let before = disk.kernel(FLUSHES);
    let output = disk.prepared_run(OFF, "psync", writes);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(disk.kernel(FLUSHES), before, "a cache that is off needs no flush");
    assert_eq!(disk.setup().volatile_cache, [WriteCacheState::Off]);
    assert_eq!(disk.setup().volatile_cache_after, [WriteCacheState::Off]);
    assert_eq!(disk.queue("write_cache"), "write back");
    // A block that does not fit fails the point.
    let output = disk.prepared_run(
        OFF,
        "psync",
        "workload = { kind = \"random\", read = 0, block = \"1GiB\" }",
    );
    assert!(!output.status.success());
    assert_eq!(disk.queue("write_cache"), "write back");
    // As found.
    disk.run("psync", writes, "write-fdatasync");
    assert_eq!(disk.setup().volatile_cache, [WriteCacheState::On]);
}
