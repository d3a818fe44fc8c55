//! `drives_per_worker`: one worker on several drives makes the same requests on each as a worker of
//! its own would, and results are per drive.

use std::fs;
use std::path::Path;

use dyno::record::Cell;
use dyno::store::Bundle;

use crate::support::{dyno, said};

const DRIVES: [&str; 3] = ["one", "two", "three"];

/// Random writes to half of each drive's blocks, then measured reads.
fn run(dir: &Path, engine: &str, drives_per_worker: u32) {
    let shared = format!("engine = \"{engine}\"\ndrives_per_worker = {drives_per_worker}");
    let protocol = format!(
        "title = \"Shared\"\nsource = \"test\"\n[dataset.file]\nengine = \"{engine}\"\n\
         size = \"2MiB\"\nfill = {{ kind = \"sequential\", read = 0, block = \"64KiB\" }}\n\
         [[prepare.condition]]\nworkload = {{ kind = \"random\", read = 0 }}\n{shared}\n\
         passes = 0.5\n\
         [[step]]\nname = \"s\"\nduration = \"300ms\"\n\
         [[step.stream]]\nname = \"closed\"\n{shared}\nworkload = \"random\"\ndepth = 8\n\
         [[step.stream]]\nname = \"paced\"\n{shared}\nworkload = \"random\"\nrate = \"200/s\"\n"
    );
    fs::write(dir.join("p.toml"), protocol).unwrap();
    let drive = |name: &str| format!("{{ path = \"{name}\" }}");
    let drives: Vec<String> = DRIVES.iter().map(|name| drive(name)).collect();
    let plan = format!(
        "protocol = \"./p.toml\"\nrepeats = 1\n[[subject]]\nname = \"A\"\ndrives = [{}]\n",
        drives.join(", ")
    );
    fs::write(dir.join("plan.toml"), plan).unwrap();
    DRIVES.iter().for_each(|name| fs::create_dir(dir.join(name)).unwrap());
    let output = dyno(dir, &["run", "plan.toml", "--output", "b.dyno"]);
    assert!(output.status.success(), "{engine}: {}", said(&output));
}

/// The number at the start of each sector, derived from the op that wrote it.
fn numbers(dir: &Path, drive: &str) -> Vec<u64> {
    let data = fs::read(dir.join(drive).join("dyno-data/file.0/data")).unwrap();
    let number = |sector: &[u8]| u64::from_le_bytes(sector[..8].try_into().unwrap());
    data.chunks(512).map(number).collect()
}

#[test]
fn each_drive_gets_the_requests_that_a_worker_of_its_own_makes_and_results_of_its_own() {
    for engine in ["uring", "libaio"] {
        let [own, shared] = [1, 3].map(|drives_per_worker| {
            let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
            run(dir.path(), engine, drives_per_worker);
            dir
        });
        let expected = numbers(own.path(), "one");
        for drive in DRIVES {
            assert_eq!(numbers(own.path(), drive), expected, "{engine}, {drive}");
            assert_eq!(numbers(shared.path(), drive), expected, "{engine}, {drive} shared");
        }
        let bundle = Bundle::open(&shared.path().join("b.dyno")).unwrap();
        let points = bundle.points().unwrap();
        let cells = &points[0].point.cells;
        let ops = |stream: &str| -> Vec<u64> {
            let own = cells.iter().filter(|cell| cell.stream == stream);
            let ops = |cell: &Cell| cell.tallies.iter().map(|tally| tally.ops).sum::<u64>();
            // Ops due in the window but not submitted are counted too.
            own.map(|cell| ops(cell) + cell.backlog_end).collect()
        };
        let closed = ops("closed");
        assert!(closed.len() == 3 && closed.iter().all(|ops| *ops > 0), "{engine}: {closed:?}");
        // 200/s on each drive for 300 ms; the last one may complete after the window.
        let paced = ops("paced");
        assert!(paced.len() == 3 && paced.iter().all(|ops| [59, 60].contains(ops)), "{paced:?}");
    }
}

#[test]
fn an_engine_that_waits_for_each_op_drives_one_drive_for_each_worker() {
    let dir = tempfile::tempdir().unwrap();
    let protocol = "title = \"Shared\"\nsource = \"test\"\n[dataset.file]\nengine = \"psync\"\n\
                    [[step]]\nname = \"s\"\nduration = \"300ms\"\n[[step.stream]]\n\
                    engine = \"psync\"\nworkload = \"random\"\ndrives_per_worker = 2\n";
    fs::write(dir.path().join("p.toml"), protocol).unwrap();
    fs::create_dir(dir.path().join("a")).unwrap();
    let output = dyno(dir.path(), &["plan", "check", "./p.toml", "--subject", "A=a"]);
    let said = said(&output);
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("waits for each op") && said.contains("use uring or libaio"), "{said}");
}
