//! Was it the drive? Runs that the page cache, a busy neighbour on the processors, and the drive itself limit, each told
//! from the others by what the meters read, and marked in what is shown.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use dyno::analysis::facts::CellFacts;
use dyno::stats::limit::Limit;

use crate::support::quiet::on_a_quiet_machine;
use crate::support::{rocksdb, skip};

const FILE: &str = r#"
[dataset.data]
engine = "psync"
size = "64MiB"
direct = DIRECT
fill = { kind = "sequential", read = 0, block = "128KiB" }
[[step]]
name = "reads"
warmup = "1s"
duration = "4s"
[[step.stream]]
name = "io"
engine = "psync"
workload = { kind = "random", block = "4KiB" }
threads = 4
"#;

const DATABASE: &str = r#"
[dataset.data]
engine = "rocksdb"
keys = 20000
value_size = 400
fill = { kind = "filluniquerandom" }
[[step]]
name = "reads"
warmup = "1s"
duration = "4s"
[[step.stream]]
name = "io"
engine = "rocksdb"
workload = "readrandom"
threads = 2
"#;

/// Measures one point in a folder on this machine's own disk; its cell, and what `dyno show` says.
fn measure(protocol: &str) -> (CellFacts, String) {
    // Not in /tmp, which may have no device under it.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    std::fs::create_dir(folder.path().join("drive")).expect("a folder");
    let text = format!("title = \"Limits\"\nsource = \"test\"\n{protocol}");
    std::fs::write(folder.path().join("p.toml"), text).expect("written");
    let dyno = |args: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_dyno")).current_dir(folder.path()).args(args).output().expect("ran");
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).into_owned()
    };
    dyno(&["run", "p.toml", "--subject", "A=drive", "--bundle", "b.dyno"]);
    let shown = dyno(&["show", "b.dyno"]);
    let mut facts = dyno::cmd::load::facts(&[folder.path().join("b.dyno")], &Default::default()).expect("facts");
    (facts.steps.remove(0).cells.remove(0), shown)
}

/// Whether a block device lies under the folder where this is tested.
fn has_device() -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = std::fs::metadata(env!("CARGO_TARGET_TMPDIR")).expect("a folder").dev();
    let found = Path::new(&format!("/sys/dev/block/{}:{}", device >> 8 & 0xfff, device & 0xff)).exists();
    if !found {
        skip(format!("no block device lies under {}", env!("CARGO_TARGET_TMPDIR")));
    }
    found
}

fn limit(cell: &CellFacts) -> (Limit, &str) {
    let verdict = cell.limit.as_ref().expect("a verdict");
    (verdict.limit, &verdict.evidence)
}

#[test]
fn a_database_or_file_in_the_page_cache_is_marked_with_the_share_of_reads_that_memory_served() {
    if !has_device() {
        return;
    }
    for protocol in [DATABASE.to_string(), FILE.replace("DIRECT", "false")] {
        if protocol == DATABASE && !rocksdb() {
            continue;
        }
        on_a_quiet_machine(|| {
            let (cell, shown) = measure(&protocol);
            let (limit, evidence) = limit(&cell);
            println!("{limit:?}: {evidence}");
            assert_eq!(limit, Limit::Memory, "{evidence}");
            assert!(evidence.contains("% of the reads were served from memory"), "{evidence}");
            assert!(cell.is_not_the_drives() && shown.contains('†') && shown.contains(evidence), "{shown}");
        });
    }
}

/// Processes that take every processor; killed in the end.
struct Hogs(Vec<Child>);

impl Drop for Hogs {
    fn drop(&mut self) {
        for hog in &mut self.0 {
            let _ = hog.kill();
            let _ = hog.wait();
        }
    }
}

#[test]
fn a_run_beside_busy_processes_is_marked_as_limited_by_the_processors() {
    let processors = std::thread::available_parallelism().map_or(2, |n| n.get());
    let hog = |_| Command::new("sh").args(["-c", "while :; do :; done"]).stdin(Stdio::null()).spawn().expect("a hog");
    let _hogs = Hogs((0..3 * processors).map(hog).collect());
    let (cell, shown) = measure(&FILE.replace("DIRECT", "true"));
    let (limit, evidence) = limit(&cell);
    println!("{limit:?}: {evidence}");
    assert_eq!(limit, Limit::Cpu, "{evidence}");
    assert!(evidence.contains("with other processes") && shown.contains('†'), "{evidence}\n{shown}");
}

#[test]
fn direct_reads_of_a_drive_that_waits_for_nothing_else_are_the_drives() {
    if !has_device() {
        return;
    }
    on_a_quiet_machine(|| {
        let (cell, shown) = measure(&FILE.replace("DIRECT", "true"));
        let (limit, evidence) = limit(&cell);
        println!("{limit:?}: {evidence}");
        assert_eq!(limit, Limit::Drive, "{evidence}");
        assert!(!cell.is_not_the_drives() && !shown.contains('†'), "{shown}");
    });
}
