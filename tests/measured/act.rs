//! Aerospike's ACT: shares of reads above a time compared with arithmetic, the multiple sustained
//! by a drive of known speed, and Aerospike's own program on the same device if it is on the PATH.

use std::process::Command;

use dyno::base::histogram::Histogram;
use dyno::record::{Class, Point};

use crate::support::quiet::on_a_quiet_machine;
use crate::support::{DYNO, LoopDevice, dyno_well, have, points, said, size};
use crate::throttle::Throttle;

/// ACT's load at a multiple of 1, from its source: reads, and large reads and writes, per second.
const SMALL: f64 = 2_000.0;
const LARGE: f64 = 23.53;

/// A loop device on a file, with a folder for plans; removed when dropped.
struct Disk {
    folder: tempfile::TempDir,
    device: LoopDevice,
}

impl Disk {
    /// In memory, so that only the test's own limit applies.
    fn new() -> Option<Disk> {
        let folder = tempfile::tempdir_in("/dev/shm").expect("a folder");
        std::fs::write(folder.path().join("disk"), vec![1; 256 << 20]).expect("written");
        let device = LoopDevice::over(&folder.path().join("disk"))?;
        Some(Disk { folder, device })
    }

    /// Writes a plan of one step on the device.
    fn plan(&self, step: &str) {
        let dir = self.folder.path();
        let protocol = format!(
            "title = \"T\"\nsource = \"test\"\n[dataset.d]\nengine = \"uring\"\nsize = 0\n\
             direct = true\n[[step]]\nname = \"s\"\n{step}"
        );
        std::fs::write(dir.join("p.toml"), protocol).expect("written");
        let plan = format!(
            "protocol = \"./p.toml\"\nrepeats = 1\n[[subject]]\nname = \"A\"\ndrives = [{{ device \
             = \"{}\", serial = \"{}\", erase = \"unknown data\" }}]\n",
            self.device.display(),
            dir.join("disk").display()
        );
        std::fs::write(dir.join("plan.toml"), plan).expect("written");
        let _ = std::fs::remove_file(dir.join("b.dyno"));
    }
}

fn stream(name: &str, rate: f64, rest: &str) -> String {
    format!("[[step.stream]]\nname = \"{name}\"\nrate = \"{rate}/s\"\n{rest}\n")
}

/// The percentage of a point's ops that were submitted late: standstills of the host.
fn late_percent(point: &Point) -> f64 {
    let ops: u64 = point.cells.iter().flat_map(|c| &c.tallies).map(|t| t.ops).sum();
    100.0 * point.cells.iter().map(|c| c.late).sum::<u64>() as f64 / ops as f64
}

/// All ops of a stream and class: their number, and their service and response times.
fn of_stream(point: &Point, stream: &str, class: Class) -> (u64, Histogram, Histogram) {
    let (mut service, mut response) = (Histogram::new(), Histogram::new());
    for tally in point.cells.iter().filter(|c| c.stream == stream).flat_map(|c| &c.tallies) {
        if tally.class == class {
            service.merge(&tally.service);
            response.merge(tally.response());
        }
    }
    (service.count, service, response)
}

#[test]
fn the_share_of_reads_over_a_time_is_that_of_arithmetic() {
    let dir = tempfile::tempdir().expect("a folder");
    // 4 % of reads take 3 ms and the others 100 µs; each worker has 8 ms for a read.
    let null = "threads = 16\n\
        workload = { kind = \"random\", read = 100, block = 1536, align = 512 }\n\
        engine = { kind = \"null\", latency = \"100us\", slow_share = 4, slow_latency = \"3ms\" }";
    let step = stream("small-reads", SMALL, null);
    let sweep = "sweep = { axis = \"rates\", values = [1], \
        search = { metric = \"small-reads.p95\", at_most = \"1ms\" } }";
    let protocol = format!(
        "title = \"T\"\nsource = \"t\"\n[[step]]\nname = \"s\"\nduration = \"3s\"\n{sweep}\n{step}"
    );
    std::fs::write(dir.path().join("p.toml"), protocol).expect("written");
    let run = ["run", "./p.toml", "-s", "X=drive", "--repeats", "1", "--output", "b.dyno"];
    std::fs::create_dir(dir.path().join("drive")).expect("a folder");
    on_a_quiet_machine(|| {
        let _ = std::fs::remove_file(dir.path().join("b.dyno"));
        dyno_well(dir.path(), &run);
        let point = &points(&dir.path().join("b.dyno"))[0];
        let (ops, _, response) = of_stream(point, "small-reads", Class::READ);
        let share = |ms: u64| response.shares_from([ms * 1_000_000])[0].expect("reads") * 100.0;
        dyno_well(dir.path(), &["report", "b.dyno", "-o", "b.md"]);
        let page = std::fs::read_to_string(dir.path().join("b.md")).expect("a brief");
        let row = page.lines().find(|line| line.contains("| response |")).expect("a row");
        let shown: Vec<f64> = row
            .split('|')
            .filter_map(|cell| cell.trim().strip_suffix(" %")?.parse().ok())
            .collect();
        assert_eq!(shown.len(), 7, "{row}");
        assert!((shown[0] - share(1)).abs() < 0.01, "{row}");
        let due = SMALL * 3.0;
        println!("{ops} of {due} reads; {} % from 1 ms, {} % from 4 ms", share(1), share(4));
        assert!((ops as f64 - due).abs() <= 1.0 + due / 1000.0, "{ops} of {due}");
        // The host's delays are added to the true latency.
        let most = 1.0 + late_percent(point);
        let is_4 = |share: f64| (3.0..4.0 + most).contains(&share);
        assert!(is_4(share(1)) && is_4(share(2)) && share(4) < most, "{most}");
    });
}

#[test]
fn the_multiple_that_a_throttled_drive_keeps_is_found_within_5_percent() {
    let Some(disk) = Disk::new() else { return };
    const READS_PER_S: u32 = 2_000;
    let Some(throttle) = Throttle::of(&disk.device, READS_PER_S) else { return };
    let reads = "engine = \"uring\"\ndepth = 64\nworkload = { kind = \"random\", read = 100, \
        block = \"4KiB\" }";
    // A tenth of ACT's load, which a small machine can generate easily.
    let (small, large) = (SMALL / 10.0, LARGE / 10.0);
    let truth = f64::from(READS_PER_S) / (small + large);
    // A growing queue is seconds long at the end of a window; a stable one, a millisecond.
    let sweep = "sweep = { axis = \"rates\", from = 7, to = 12, by = 0.2, \
        search = { metric = \"small-reads.p95\", at_most = \"25ms\" } }";
    let length = size(3, 10);
    let step = format!(
        "duration = \"{length}s\"\nmax_lag = \"10s\"\n{sweep}\n{}{}",
        stream("small-reads", small, reads),
        stream("large-reads", large, reads),
    );
    on_a_quiet_machine(|| {
        disk.plan(&step);
        let dir = disk.folder.path();
        let ran = throttle.run(dir, DYNO, &["run", "plan.toml", "--output", "b.dyno"]);
        assert!(ran.status.success(), "{}", said(&ran));
        dyno_well(dir, &["report", "b.dyno", "-o", "b.md"]);
        let page = std::fs::read_to_string(dir.join("b.md")).expect("a brief");
        let said = page.lines().find(|line| line.contains("A sustains")).expect("a multiple");
        let number = said.split_whitespace().nth(2).and_then(|n| n.parse::<f64>().ok());
        println!("{said} (truth {truth:.2})");
        assert!(number.is_some_and(|n| (n / truth - 1.0).abs() < 0.05), "{said}: {truth}");
    });
}

/// The last count of a histogram of `act_storage`, with the share in buckets from 1 ms on: bucket 0
/// is below that.
fn of_act(output: &str, name: &str) -> Option<(u64, f64)> {
    let (_, last) = output.rsplit_once(&format!("\n{name} ("))?;
    let (total, rest) = last.split_once(" total)")?;
    let total: u64 = total.parse().ok()?;
    let below =
        rest.trim_start().strip_prefix("(00: ").map_or("0", |b| b.split(')').next().unwrap_or("0"));
    let below: u64 = below.trim().parse().ok()?;
    Some((total, 1.0 - below as f64 / total.max(1) as f64))
}

#[test]
fn the_last_report_of_act_storage_is_read_as_it_prints_it() {
    // Of ACT 6.5.
    let text = "after 1 sec:\nreads (9 total)\n (00: 0000000009)\n\nafter 2 sec:\n\
        reads (4000 total)\n (00: 0000003900) (01: 0000000060) (03: 0000000040)\n\
        /dev/loop0-reads (4000 total)\n (00: 0000003900) (01: 0000000060) (03: 0000000040)\n\
        large-block-reads (47 total)\n (00: 0000000040) (01: 0000000007)\n\
        large-block-writes (3 total)\n (01: 0000000003)\n";
    let of = |name| of_act(text, name).map(|(total, share)| (total, (share * 1e3).round()));
    assert_eq!(of("reads"), Some((4000, 25.0)));
    assert_eq!(of("large-block-reads"), Some((47, 149.0)));
    assert_eq!(of("large-block-writes"), Some((3, 1000.0)));
    assert_eq!(of("writes"), None);
}

#[test]
fn counts_and_shares_are_those_of_aerospikes_own_program_on_the_same_device() {
    if !have(&["act_storage"]) {
        return;
    }
    let Some(disk) = Disk::new() else { return };
    let (dir, seconds) = (disk.folder.path(), size(10, 60));
    let config = format!(
        "device-names: {}\ntest-duration-sec: {seconds}\nread-reqs-per-sec: 2000\n\
         write-reqs-per-sec: 1000\nreport-interval-sec: 1\n",
        disk.device.display()
    );
    std::fs::write(dir.join("act.txt"), config).expect("written");
    let block = |rest: &str| {
        format!("engine = \"uring\"\ndepth = 32\nworkload = {{ kind = \"random\", {rest} }}")
    };
    let step = format!(
        "duration = \"{seconds}s\"\n{}{}{}",
        stream("small-reads", SMALL, &block("read = 100, block = 1536, align = 512")),
        stream("large-reads", LARGE, &block("read = 100, block = \"128KiB\"")),
        stream("large-writes", LARGE, &block("read = 0, block = \"128KiB\", sync = \"fua\"")),
    );
    on_a_quiet_machine(|| {
        let act =
            Command::new("act_storage").current_dir(dir).arg("act.txt").output().expect("ran");
        let act = String::from_utf8_lossy(&act.stdout).into_owned();
        disk.plan(&step);
        dyno_well(dir, &["run", "plan.toml", "--output", "b.dyno"]);
        let point = points(&dir.join("b.dyno")).remove(0);
        let pairs = [
            ("small-reads", Class::READ, "reads"),
            ("large-reads", Class::READ, "large-block-reads"),
            ("large-writes", Class::WRITE_FUA, "large-block-writes"),
        ];
        for (stream, class, name) in pairs {
            let (ops, service, _) = of_stream(&point, stream, class);
            let (theirs, share) = of_act(&act, name).expect("a histogram of act_storage");
            println!("{stream}: {ops} against {theirs}");
            let off = (ops as f64 - theirs as f64).abs();
            assert!(off <= 2.0 + theirs as f64 / 1000.0, "{stream}: {ops} against {theirs}");
            let own = service.shares_from([1_000_000])[0].expect("ops");
            println!("over 1 ms {own} against {share}");
            assert!((own - share).abs() < 0.01, "{stream}: {own} against {share} over 1 ms");
        }
    });
}
