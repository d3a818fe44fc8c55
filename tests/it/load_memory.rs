//! A step with a memory limit: the kernel's report while a file larger than the limit is read
//! through the page cache, refusals, and leftovers of a killed Dyno.

use std::path::{Path, PathBuf};
use std::process::Command;

use dyno::record::Outcome;
use dyno::store::Bundle;

use crate::support::{DYNO, dyno, dyno_well, rocksdb, said, size, skip, until};

const MIB: u64 = 1 << 20;

/// A reader of a file through the page cache, with further keys of the step.
fn reader(file_bytes: u64, step: &str, seconds: &str) -> String {
    format!(
        "title = \"t\"\n[dataset.file]\nengine = \"psync\"\nsize = {file_bytes}\ndirect = false\n\
         fill = {{ kind = \"sequential\", read = 0, block = \"1MiB\" }}\n\
         [[step]]\nname = \"s\"\nduration = \"{seconds}\"\n{step}\n\
         [[step.stream]]\nname = \"reader\"\nengine = \"psync\"\nthreads = 2\n\
         workload = {{ kind = \"sequential\", block = \"1MiB\" }}\n"
    )
}

struct Bench(tempfile::TempDir);

impl Bench {
    fn new(protocol: &str) -> Bench {
        let bench = Bench(tempfile::tempdir().unwrap());
        std::fs::create_dir(bench.0.path().join("a")).unwrap();
        std::fs::write(bench.0.path().join("p.toml"), protocol).unwrap();
        bench
    }

    fn dir(&self) -> &Path {
        self.0.path()
    }

    /// The arguments of a run without repeats.
    fn run(&self) -> [&'static str; 8] {
        ["run", "./p.toml", "--subject", "A=a", "--repeats", "1", "--output", "b.dyno"]
    }
}

/// Requires control groups with memory limits that Dyno may create; otherwise the test is skipped.
fn groups() -> bool {
    let known = group_folders();
    if known.is_empty() {
        skip("no control groups with the memory controller are mounted");
    } else if !rustix::process::geteuid().is_root() {
        skip("only root may make a control group");
    }
    !known.is_empty() && rustix::process::geteuid().is_root()
}

/// The mounted hierarchies with memory limits.
fn group_folders() -> Vec<PathBuf> {
    let one = PathBuf::from("/sys/fs/cgroup/memory");
    let two = PathBuf::from("/sys/fs/cgroup");
    let controllers = std::fs::read_to_string(two.join("cgroup.controllers")).unwrap_or_default();
    let has_memory = controllers.split_whitespace().any(|controller| controller == "memory");
    let all = [(one.join("tasks").exists(), one), (has_memory, two)];
    all.into_iter().filter_map(|(there, folder)| there.then_some(folder)).collect()
}

/// Groups of a process that limit its own memory, anywhere.
fn of_process(pid: u32) -> Vec<PathBuf> {
    fn below(folder: &Path, name: &str, found: &mut Vec<PathBuf>) {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_type().is_ok_and(|t| t.is_dir())) {
            if entry.file_name().to_string_lossy().starts_with(name) {
                found.push(entry.path());
            }
            below(&entry.path(), name, found);
        }
    }
    let mut found = Vec::new();
    let name = format!("dyno-memory-{pid}-");
    group_folders().iter().for_each(|folder| below(folder, &name, &mut found));
    found
}

/// The values of a point's fact: limit, peak use, page cache at the end.
fn memory_of(bundle: &Path) -> Vec<[u64; 3]> {
    let points = Bundle::open(bundle).unwrap().points().unwrap();
    let facts = points.into_iter().flat_map(|p| {
        assert_eq!(p.point.outcome, Outcome::Measured);
        p.point.facts
    });
    let own = facts.filter(|fact| fact.group == "Memory of the load");
    let numbers = |value: String| {
        let all: Vec<u64> = value.split(' ').filter_map(|word| word.parse().ok()).collect();
        <[u64; 3]>::try_from(all).unwrap_or_else(|all| panic!("{all:?} of {value}"))
    };
    own.map(|fact| numbers(fact.value)).collect()
}

#[test]
fn a_file_larger_than_the_steps_memory_is_read_within_it() {
    if !groups() {
        return;
    }
    let limit = size(128, 512) * MIB;
    let bench = Bench::new(&reader(3 * limit, &format!("memory = {limit}"), "2s"));
    dyno_well(bench.dir(), &bench.run());
    let [[said_limit, most, cache]] = memory_of(&bench.dir().join("b.dyno"))[..] else {
        panic!("no fact of the memory")
    };
    assert_eq!(said_limit, limit);
    assert!(most <= limit, "{most} of {limit} bytes");
    // The file would fill it three times: pages cached during the fill do not count, and the cache
    // is the larger part of its use.
    assert!(most > limit / 2 && cache > limit / 4 && cache <= most, "{most}, {cache} of {limit}");
    let brief = dyno_well(bench.dir(), &["report", "b.dyno", "-o", "b.md"]);
    let text = std::fs::read_to_string(bench.dir().join("b.md")).unwrap();
    let row = format!("limited to {} MiB, page cache included", limit / MIB);
    assert!(text.contains(&row), "{brief}{text}");
}

#[test]
fn a_limit_that_cannot_hold_is_refused_before_anything_is_filled() {
    for (memory, why) in [
        ("16MiB", "is less than the load needs"),
        ("900TiB", "is not a limit on this host"),
        ("0B", "is less than the load needs"),
    ] {
        let bench = Bench::new(&reader(16 * MIB, &format!("memory = \"{memory}\""), "1s"));
        let output = dyno(bench.dir(), &bench.run());
        let text = said(&output);
        assert!(!output.status.success() && text.contains(why), "{memory}: {text}");
        assert!(text.contains("step s, memory"), "{memory}: {text}");
        assert!(!bench.dir().join("a/dyno-data").exists(), "{memory}: something was filled");
    }
    // RocksDB's block cache and memtables count, whether it is built in or not.
    let keys = "keys = 1000\nblock_cache = \"2GiB\"\noptions = { write_buffer_size = 1073741824 }";
    let step = "[[step]]\nname = \"s\"\nduration = \"1s\"\nmemory = \"3GiB\"\n[[step.stream]]\n\
                name = \"r\"\nengine = \"rocksdb\"\nworkload = \"readrandom\"\n";
    let bench = Bench::new(&format!(
        "title = \"t\"\n[dataset.db]\nengine = \"rocksdb\"\n{keys}\nfill = \"fillseq\"\n{step}"
    ));
    let text = said(&dyno(bench.dir(), &bench.run()));
    assert!(text.contains("3 GiB is less than the load needs: 4161 MiB"), "{text}");
}

#[test]
fn a_steps_memory_is_no_servers() {
    let server = "title = \"t\"\n[dataset.db]\nengine = \"postgres\"\n\
                  fill = { kind = \"oltp_load\", tables = 1, table_size = 10 }\n\
                  [[step]]\nname = \"s\"\nduration = \"1s\"\nmemory = \"1GiB\"\n\
                  [[step.stream]]\nname = \"c\"\nengine = \"postgres\"\n\
                  workload = { kind = \"oltp_point_select\", tables = 1, table_size = 10 }\n";
    let bench = Bench::new(server);
    let text = said(&dyno(bench.dir(), &bench.run()));
    assert!(text.contains("'memory' limits dyno's own process"), "{text}");
}

#[test]
fn somebody_who_may_make_no_group_is_told_so() {
    if !groups() {
        return;
    }
    let bench = Bench::new(&reader(16 * MIB, "memory = \"128MiB\"", "1s"));
    for folder in [bench.dir(), &bench.dir().join("a")] {
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(folder, open).unwrap();
    }
    let mut command = Command::new(DYNO);
    std::os::unix::process::CommandExt::uid(&mut command, 65_534);
    command.current_dir(bench.dir()).env("HOME", bench.dir()).args(bench.run());
    let output = match command.output() {
        Ok(output) => output,
        // Built below a folder accessible only to root.
        Err(error) => return skip(format!("dyno cannot be started as another user: {error}")),
    };
    let text = said(&output);
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("the memory of dyno cannot be limited"), "{text}");
    assert!(text.contains("run dyno as root"), "{text}");
}

#[test]
fn what_a_killed_dyno_leaves_behind_the_next_limited_run_removes() {
    if !groups() {
        return;
    }
    let bench = Bench::new(&reader(16 * MIB, "memory = \"128MiB\"", "60s"));
    let mut child = Command::new(DYNO)
        .current_dir(bench.dir())
        .args(bench.run())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let own = child.id();
    let inside = || {
        let groups = std::fs::read_to_string(format!("/proc/{own}/cgroup")).unwrap_or_default();
        groups.contains(&format!("dyno-memory-{own}-"))
    };
    until("dyno to be in its group", 30, inside);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(of_process(own).len(), 1, "the group stays behind, empty");

    let next = Bench::new(&reader(16 * MIB, "memory = \"128MiB\"", "100ms"));
    dyno_well(next.dir(), &next.run());
    assert_eq!(of_process(own), Vec::<PathBuf>::new());
}

#[test]
fn rocksdb_reads_a_database_larger_than_its_memory_within_it() {
    if !groups() || !rocksdb() {
        return;
    }
    // Block cache, memtables and Dyno itself need 64 + 16 + 64 MiB, plus 2 for workers.
    let limit = size(192, 512) * MIB;
    let keys = 2 * limit / 1000;
    let bench = Bench::new(&format!(
        "title = \"t\"\n[dataset.db]\nengine = \"rocksdb\"\nkeys = {keys}\nvalue_size = 1000\n\
         block_cache = \"64MiB\"\ndirect = false\nwal = false\n\
         options = {{ compression = \"kNoCompression\", write_buffer_size = 8388608 }}\n\
         fill = {{ kind = \"filluniquerandom\", threads = 1 }}\n\
         [[step]]\nname = \"s\"\nduration = \"{}s\"\nsettle = true\nmemory = {limit}\n\
         [[step.stream]]\nname = \"readers\"\nengine = \"rocksdb\"\nthreads = 2\n\
         workload = \"readrandom\"\n",
        size(5, 20)
    ));
    dyno_well(bench.dir(), &bench.run());
    let [[said_limit, most, cache]] = memory_of(&bench.dir().join("b.dyno"))[..] else {
        panic!("no fact of the memory")
    };
    assert!(said_limit == limit && most <= limit, "{most} of {said_limit} bytes");
    assert!(cache > 0 && cache < most, "{cache} of {most}");
}

/// A host without the controller: in its own mount namespace, no hierarchy has it.
#[test]
fn a_step_with_memory_is_refused_where_no_control_group_limits_memory() {
    if !groups() {
        return;
    }
    let bench = Bench::new(&reader(16 * MIB, "memory = \"128MiB\"", "1s"));
    let hide = "umount -R -l /sys/fs/cgroup && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", hide, "sh", DYNO]).args(bench.run());
    let output = match command.current_dir(bench.dir()).output() {
        Ok(output) if said(&output).contains("unshare: ") || said(&output).contains("umount: ") => {
            return skip(format!("no mount namespace of its own: {}", said(&output)));
        }
        Ok(output) => output,
        Err(error) => return skip(format!("unshare cannot be started: {error}")),
    };
    let text = said(&output);
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("no control groups with the memory controller are mounted"), "{text}");
    assert!(text.contains("leave `memory` out of the step"), "{text}");
    assert!(!bench.dir().join("a/dyno-data").exists(), "something was filled");
}
