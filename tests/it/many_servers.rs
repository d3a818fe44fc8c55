//! Several database servers in one subject: four on four filesystems against four others, each with
//! its processors and memory as specified, as reported by the kernel; their tables in the brief;
//! and existing servers, one connection string per drive.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::replay::tables;
use crate::servers::{self, Bench, MariaDb};
use crate::support::{DYNO, LoopDevice, have, said, served_by, size, skip, until};

const SERVERS: usize = 4;
const MEMORY_BYTES: u64 = 256 << 20;

/// Filesystems on loop devices, unmounted when dropped.
struct Mounts {
    at: Vec<PathBuf>,
    _devices: Vec<LoopDevice>,
}

impl Mounts {
    /// This many below a folder; the test is skipped if they cannot be created.
    fn make(below: &Path, names: &[String]) -> Option<Mounts> {
        let mut mounts = Mounts { at: Vec::new(), _devices: Vec::new() };
        for name in names {
            let (image, at) = (below.join(format!("{name}.img")), below.join(name));
            std::fs::File::create(&image).unwrap().set_len(1 << 30).unwrap();
            let device = LoopDevice::over(&image)?;
            let made = Command::new("mkfs.ext4").arg("-q").arg(&*device).output().unwrap();
            assert!(made.status.success(), "{}", said(&made));
            std::fs::create_dir(&at).unwrap();
            let mounted = Command::new("mount").arg(&*device).arg(&at).output().unwrap();
            if !mounted.status.success() {
                skip(format!("filesystems cannot be mounted here: {}", said(&mounted)));
                return None;
            }
            mounts.at.push(at);
            mounts._devices.push(device);
        }
        Some(mounts)
    }
}

impl Drop for Mounts {
    fn drop(&mut self) {
        for at in &self.at {
            let _ = Command::new("umount").arg(at).output();
        }
    }
}

/// A plan of two subjects with this many servers each, and its protocol.
fn plan(bench: &Bench, engine: &str, drives: &[PathBuf], cpus: &str, seconds: u32) {
    let of = |drives: &[PathBuf]| {
        let drives: Vec<String> =
            drives.iter().map(|path| format!("{{ path = \"{}\" }}", path.display())).collect();
        drives.join(", ")
    };
    let (a, b) = drives.split_at(drives.len() / 2);
    let plan = format!(
        "protocol = \"./p.toml\"\nrepeats = 1\nsame_device = true\n\
         [[subject]]\nname = \"A\"\ndrives = [{}]\n[[subject]]\nname = \"B\"\ndrives = [{}]\n",
        of(a),
        of(b)
    );
    std::fs::write(bench.path("plan.toml"), plan).unwrap();
    let small = match engine {
        "mysql" => "redo_log = \"8MiB\"\nbuffer_pool = \"16MiB\"",
        _ => "shared_buffers = \"16MiB\"",
    };
    let protocol = format!(
        "title = \"t\"\n[dataset.db]\nengine = \"{engine}\"\nmemory = {MEMORY_BYTES}\n{cpus}\n\
         {small}\nfill = {{ kind = \"oltp_load\", tables = 1, table_size = 1000 }}\n\
         [[step]]\nname = \"s\"\nwarmup = \"500ms\"\nduration = \"{seconds}s\"\n\
         [[step.stream]]\nname = \"clients\"\nengine = \"{engine}\"\nthreads = 2\n\
         workload = {{ kind = \"oltp_point_select\", tables = 1, table_size = 1000 }}\n"
    );
    std::fs::write(bench.path("p.toml"), protocol).unwrap();
}

fn run(bench: &Bench) -> Command {
    let command = bench.dyno("");
    let kept: Vec<_> =
        command.get_envs().map(|(k, v)| (k.to_owned(), v.unwrap_or_default().to_owned())).collect();
    let mut own = Command::new(DYNO);
    own.current_dir(bench.dir.path()).envs(kept).stdin(Stdio::null());
    own.args(["run", "plan.toml", "--output", "b.dyno"]);
    own
}

/// Processors and memory limit of a process, from the kernel.
fn of_kernel(pid: u32) -> Option<(String, u64)> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let cpus = status.lines().find_map(|l| l.strip_prefix("Cpus_allowed_list:"))?.trim();
    let groups = std::fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
    let limit = groups.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
        let file = match controllers {
            "" => PathBuf::from("/sys/fs/cgroup").join(path).join("memory.max"),
            "memory" => Path::new("/sys/fs/cgroup/memory").join(path).join("memory.limit_in_bytes"),
            _ => return None,
        };
        std::fs::read_to_string(file).ok()?.trim().parse().ok()
    })?;
    Some((cpus.to_string(), limit))
}

/// The column of this name, whatever its unit.
fn column(head: &[&str], name: &str) -> usize {
    let is_it = |cell: &&str| {
        cell.strip_prefix(name).is_some_and(|unit| matches!(unit, "" | ", µs" | ", ms"))
    };
    head.iter().position(is_it).unwrap_or_else(|| panic!("{name}: {head:?}"))
}

#[test]
fn four_servers_on_four_filesystems_are_one_subject_with_their_sum_and_spread() {
    if !have(&["mkfs.ext4", "mount"]) {
        return;
    }
    for engine in servers::own_in_turn(1) {
        four_servers(engine);
    }
}

fn four_servers(engine: &str) {
    let bench = Bench::new();
    let names: Vec<String> = (0..2 * SERVERS).map(|i| format!("fs{i}")).collect();
    let Some(mounts) = Mounts::make(bench.dir.path(), &names) else { return };
    let cpus = allowed();
    let Some(first) = cpus.first() else { return };

    // Two processors cannot be divided by four, and no host has this much memory.
    if cpus.len() < SERVERS {
        let list = cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        plan(&bench, engine, &mounts.at, &format!("cpus = \"{list}\""), 1);
        refused(&bench, &mounts, "shared_cpus = true");
    }
    plan(&bench, engine, &mounts.at, "", 1);
    let text = std::fs::read_to_string(bench.path("p.toml")).unwrap();
    let text = text.replace(&MEMORY_BYTES.to_string(), "\"900TiB\"");
    std::fs::write(bench.path("p.toml"), text).unwrap();
    refused(&bench, &mounts, "4 servers may use");

    let seconds = size(1, 20);
    let shared = format!("cpus = \"{first}\"\nshared_cpus = true");
    plan(&bench, engine, &mounts.at, &shared, seconds);
    let dyno = run(&bench).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    for subject in mounts.at.chunks(SERVERS) {
        let mut pids = Vec::new();
        until("all servers of a subject at once", 300, || {
            pids = subject.iter().filter_map(|drive| served_by(drive)).collect();
            pids.len() == SERVERS
        });
        assert_eq!(pids.iter().collect::<BTreeSet<_>>().len(), SERVERS, "one process each");
        for pid in pids {
            let found = of_kernel(pid).expect("a server that runs");
            assert_eq!(found, (first.to_string(), MEMORY_BYTES), "{engine}");
        }
    }
    let output = dyno.wait_with_output().unwrap();
    assert!(output.status.success(), "{engine}: {}", said(&output));
    for drive in &mounts.at {
        assert_eq!(served_by(drive), None, "all are stopped");
    }
    brief_of(&bench, *first, seconds);
}

/// The brief's tables against the bundle's own counts.
fn brief_of(bench: &Bench, cpu: u32, seconds: u32) {
    let report = Command::new(DYNO)
        .current_dir(bench.dir.path())
        .args(["report", "b.dyno", "-o", "brief.md"])
        .output()
        .unwrap();
    assert!(report.status.success(), "{}", said(&report));
    let brief = std::fs::read_to_string(bench.path("brief.md")).unwrap();
    let (_, section) = brief.split_once("Database servers, one by one").expect(&brief);
    let tables = tables(section.split("\n## ").next().unwrap());
    let [together, each] = &tables[..] else { panic!("{tables:?}") };
    let csv = bench.csv();
    let exported: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let at = |name: &str| exported[0].iter().position(|head| *head == name).expect(name);
    let (subject_at, drive_at, ops_at) = (at("subject"), at("drive"), at("ops"));

    let head = &each[0];
    let transactions =
        |row: &[&str]| row[column(head, "transactions")].replace(',', "").parse::<u64>().unwrap();
    for subject in ["A", "B"] {
        let of_subject = |row: &&Vec<&str>| row[column(head, "subject")].starts_with(subject);
        let own: Vec<&Vec<&str>> = each[2..].iter().filter(of_subject).collect();
        let (servers, total) = own.split_at(SERVERS);
        assert_eq!((servers.len(), total.len()), (SERVERS, 1), "{own:?}");
        assert_eq!(total[0][column(head, "server")], "all servers");
        let parts: Vec<u64> = servers.iter().map(|row| transactions(row)).collect();
        assert_eq!(parts.iter().sum::<u64>(), transactions(total[0]), "sums equal their parts");
        for (drive, part) in parts.iter().enumerate() {
            let of = |row: &&Vec<&str>| {
                row.get(subject_at) == Some(&subject)
                    && row.get(drive_at) == Some(&drive.to_string().as_str())
            };
            let counted: Vec<&Vec<&str>> = exported.iter().filter(of).collect();
            assert_eq!(counted.len(), 1, "{csv}");
            assert_eq!(counted[0][ops_at].parse::<u64>().unwrap(), *part, "as in the bundle");
        }
        for row in servers {
            assert_eq!(row[column(head, "processors")], format!("{cpu} (shared)"));
            assert_eq!(row[column(head, "memory limit")], "256 MiB");
        }
    }

    let head = &together[0];
    let number = |row: &[&str], name: &str| -> f64 {
        let cell = row[column(head, name)].replace(',', "");
        cell.split_whitespace().next().unwrap().parse().unwrap_or_else(|_| panic!("{name}: {cell}"))
    };
    assert_eq!(together.len(), 4, "a head, a line and two subjects: {together:?}");
    for row in &together[2..] {
        assert_eq!(row[column(head, "servers")], SERVERS.to_string(), "{row:?}");
        let (min, max) = (number(row, "min"), number(row, "max"));
        let sum = number(row, "transactions/s, sum");
        let (least, most) = (min * SERVERS as f64 - 4.0, max * SERVERS as f64 + 4.0);
        assert!((least..=most).contains(&sum), "{row:?}");
        assert!(number(row, "coefficient of variation") >= 0.0, "{row:?}");
        // p99 needs 10,000 transactions of each server.
        if seconds >= 20 {
            assert!(number(row, "mean of p99s") > 0.0 && number(row, "p99, pooled") > 0.0);
        }
    }
}

/// Refused before anything is started on any drive.
#[track_caller]
fn refused(bench: &Bench, mounts: &Mounts, why: &str) {
    let output = run(bench).output().unwrap();
    let text = said(&output);
    assert!(!output.status.success() && text.contains(why), "{why}: {text}");
    assert!(mounts.at.iter().all(|drive| !drive.join("dyno-data").exists()), "nothing is begun");
}

/// The processors that this process may use.
fn allowed() -> Vec<u32> {
    let mask = rustix::thread::sched_getaffinity(None).unwrap();
    (0..rustix::thread::CpuSet::MAX_CPU).filter(|&c| mask.is_set(c)).map(|c| c as u32).collect()
}

#[test]
fn existing_servers_are_a_connection_string_for_each_drive() {
    if !have(&["mariadbd", "mariadb", "mariadb-install-db"]) {
        return;
    }
    let own = [MariaDb::start(&[]), MariaDb::start(&[])];
    let bench = Bench::new();
    std::fs::create_dir(bench.path("second")).unwrap();
    bench.protocol(
        "server = \"existing\"\nfill = { kind = \"oltp_load\", tables = 2, table_size = 2000 }",
        "mysql",
        "oltp_point_select",
        (1, "500ms"),
    );
    let plan = |second: &str| {
        let text = format!(
            "protocol = \"./p.toml\"\nrepeats = 1\n[[subject]]\nname = \"A\"\ndrives = [\n\
             {{ path = \"drive\", connection = \"FIRST_URL\" }},\n\
             {{ path = \"second\", connection = {second} }},\n]\n"
        );
        std::fs::write(bench.path("plan.toml"), text).unwrap();
    };
    let with_urls = || {
        let mut dyno = run(&bench);
        dyno.env("FIRST_URL", own[0].url("ours")).env("SECOND_URL", own[1].url("ours"));
        dyno
    };
    plan("\"mysql://root@localhost/ours\"");
    let output = with_urls().output().unwrap();
    assert!(said(&output).contains("not the name of an environment variable"), "{}", said(&output));
    let before = [own[0].counts(), own[1].counts()];
    plan("[\"SECOND_URL\"]");
    let output = with_urls().output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    for (server, before) in own.iter().zip(before) {
        // Com_select is the second of them.
        assert!(server.counts()[1] - before[1] > 10.0, "each server was asked");
        assert_eq!(server.sql("SELECT COUNT(*) FROM ours.sbtest1").trim(), "2000");
    }
}

/// The machine is emulated, and two servers take minutes there: only under `make soak`.
#[test]
fn in_qemu_control_groups_of_version_two_limit_each_of_two_servers_and_dyno_itself() {
    if size("no machine", "one") == "no machine" {
        return skip("two servers in an emulated machine take minutes: `make soak` boots it");
    }
    let folder = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("labs/servers");
    let output = Command::new(script).args(["--dyno", DYNO, "--out"]).arg(folder.path()).output();
    let output = output.unwrap();
    if output.status.code() == Some(77) {
        return skip(said(&output));
    }
    assert!(output.status.success(), "{}", said(&output));
    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(text("controllers.txt").contains("memory"), "version 2 has it");
    assert_eq!(text("left.txt"), "", "no group is left");
    // A line for each group found, a full stop after each check.
    let groups = text("groups.txt");
    let together = groups.split(".\n").filter(|look| look.lines().count() == 2).count();
    assert!(together > 0, "both ran at once: {groups}");
    for line in groups.lines().filter(|line| *line != ".") {
        let (_, share) = line.split_once(' ').unwrap();
        assert_eq!(share, format!("{} 1", 192 << 20), "memory.max and processors");
    }
    let shown = text("show.txt");
    for server in ["/tmp/drive, server 1", "/tmp/drive, server 2"] {
        let row = shown
            .lines()
            .find(|line| line.contains(server))
            .unwrap_or_else(|| panic!("no {server} in {shown}"));
        assert!(row.contains("1 (shared)") && row.contains("192 MiB"), "{row}");
    }
    limited_in_a_slice(folder.path());
}

/// The lab's output for its step with limited memory: Dyno next to its original group, within its
/// limit, and back at the end.
fn limited_in_a_slice(out: &Path) {
    let text = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    assert_eq!(text("memory-left.txt"), "", "no group is left");
    let looks = text("memory-groups.txt");
    assert!(!looks.is_empty(), "dyno was in its group: {}", text("memory.txt"));
    for look in looks.lines() {
        let [_, max, current] = look.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("{look}")
        };
        assert_eq!(max, (128 << 20).to_string(), "memory.max");
        assert!(current.parse::<u64>().unwrap() <= 128 << 20, "memory.current: {look}");
    }
    let bundle = dyno::store::Bundle::open(&out.join("memory.dyno")).unwrap();
    let points = bundle.points().unwrap();
    let mut facts = points.iter().flat_map(|stored| &stored.point.facts);
    let own = facts.find(|fact| fact.group == "Memory of the load").expect("the fact");
    assert!(own.value.starts_with("limit 134217728 bytes, page cache included"), "{}", own.value);
}
