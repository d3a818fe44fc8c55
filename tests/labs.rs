//! The labs end to end: real NVMe drives in QEMU, whose true speeds and faults are known because the lab sets them.
//! Where QEMU is missing this says so, and counts as not shown.

use std::path::Path;
use std::process::Command;

use dyno::record::Outcome;
use dyno::report::Facts;
use dyno::report::fairness::{self, Grade};
use dyno::stats::limit::Limit;
use dyno::store::Bundle;

const DYNO: &str = env!("CARGO_BIN_EXE_dyno");
const A_OPS_PER_S: f64 = 1500.0;
const B_OPS_PER_S: f64 = 1000.0;
/// Steps of `vdbench-profiles`.
const PROFILES: usize = 19;

/// Runs the lab; nothing where it cannot run.
fn lab(out: &Path) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("labs/nvme");
    let output = Command::new(script).args(["--dyno", DYNO, "--out"]).arg(out).output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            eprintln!("SKIPPED, not shown: labs/nvme cannot be started: {error}");
            return None;
        }
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.code() == Some(77) {
        eprintln!("SKIPPED, not shown: {}", String::from_utf8_lossy(&output.stderr).trim());
        return None;
    }
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    Some(said)
}

fn dyno(args: &[&str]) -> String {
    let output = Command::new(DYNO).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Ops per second of each row of a subject and step, all classes together.
fn ops_per_s(csv: &str, subject: &str, step: &str) -> f64 {
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column =
        |name: &str| header.iter().position(|h| *h == name).unwrap_or_else(|| panic!("no {name} in {header:?}"));
    let (subject_at, step_at, ops_at) = (column("subject"), column("step"), column("ops_per_s"));
    let rows = lines.map(|line| line.split(',').collect::<Vec<_>>());
    let rows = rows.filter(|row| row[subject_at] == subject && row[step_at] == step);
    rows.map(|row| row[ops_at].parse::<f64>().unwrap()).sum()
}

/// Both drives were formatted by NVMe and came to a steady state, A at 1.5 times B.
fn check_preparation(bundle: &Path) {
    let prepared = Bundle::open(bundle).unwrap().prepared().unwrap();
    let of = |subject: &str, action: &str| {
        let found = prepared.iter().find(|p| p.subject == subject && p.action == action);
        found.unwrap_or_else(|| panic!("no {action} of {subject} in {prepared:?}"))
    };
    let steady_ops_per_s = |subject: &str| {
        assert!(of(subject, "purge").outcome.starts_with("NVMe format, user data erased"), "{prepared:?}");
        assert!(of(subject, "condition 1").outcome.contains("ops of random"), "{prepared:?}");
        let state = of(subject, "steady state").steady.as_ref().unwrap();
        assert!(state.reached(), "{state:?}");
        state.window.as_ref().unwrap().mean
    };
    for state in Bundle::open(bundle).unwrap().states().unwrap() {
        assert_eq!(state.counter, "NVMe data units written");
        assert!(state.written_bytes > 128 << 20, "{state:?}");
    }
    let ratio = steady_ops_per_s("A") / steady_ops_per_s("B");
    assert!((ratio / 1.5 - 1.0).abs() < 0.05, "steady at a ratio of {ratio}");
}

/// A database read past the page cache is limited by the throttled drives; the disclosure names them as QEMU was told,
/// and B's other block size, which the lab gave it, disqualifies the comparison.
fn check_database(bundle: &Path) {
    let facts = Facts::load(&[bundle.to_path_buf()]).unwrap();
    for cell in &facts.steps[0].cells {
        let verdict = cell.limit.as_ref().expect("a verdict");
        println!("{}: {:?}, {}", facts.subjects[cell.subject], verdict.limit, verdict.evidence);
        assert_eq!(verdict.limit, Limit::Drive, "{}", verdict.evidence);
        assert!(!cell.is_not_the_drives());
    }
    let found = fairness::differences(&facts);
    let block = found.iter().find(|d| d.what == "Drive: Logical block size").expect("the formats told apart");
    assert_eq!((block.grade, block.values.as_str()), (Grade::Disqualifying, "512 bytes (A), 4096 bytes (B)"));

    let bundle = bundle.to_string_lossy();
    let page = bundle.replace(".dyno", ".html");
    dyno(&["report", &bundle, "--output", &page]);
    let page = std::fs::read_to_string(page).unwrap();
    let firmware = Command::new("qemu-system-x86_64").arg("--version").output().unwrap();
    let firmware = String::from_utf8_lossy(&firmware.stdout).split_whitespace().nth(3).unwrap_or_default().to_string();
    // A drive tells eight characters of it.
    let firmware = &firmware[..firmware.len().min(8)];
    for told in ["Model<td>QEMU NVMe Ctrl", "Serial, A<td>AAAA1111", "Serial, B<td>BBBB2222", firmware] {
        assert!(page.contains(told), "'{told}' is not in the brief");
    }
    let compared = dyno(&["compare", &bundle]);
    let unranked = "B and A are not ranked: Drive: Logical block size differs, 512 bytes (A), 4096 bytes (B)";
    assert!(compared.split_whitespace().collect::<Vec<_>>().join(" ").contains(unranked), "{compared}");
}

#[test]
fn in_qemu_the_known_ratio_is_found_and_a_pulled_drive_and_bad_sectors_end_only_their_own_points() {
    let folder = tempfile::tempdir().unwrap();
    let Some(said) = lab(folder.path()) else { return };

    let bundle = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let csv = dyno(&["export", &bundle("ratio.dyno")]);
    for step in ["read", "mixed"] {
        let (a, b) = (ops_per_s(&csv, "A", step), ops_per_s(&csv, "B", step));
        assert!((a / b / 1.5 - 1.0).abs() < 0.05, "{step}: A {a} is not 1.5 times B {b}");
        assert!((a / A_OPS_PER_S - 1.0).abs() < 0.03, "{step}: A's maximum is {A_OPS_PER_S}, measured {a}");
        assert!((b / B_OPS_PER_S - 1.0).abs() < 0.03, "{step}: B's maximum is {B_OPS_PER_S}, measured {b}");
    }

    check_preparation(&folder.path().join("ratio.dyno"));
    for (name, points) in [("profiles", 2 * PROFILES), ("pressure", 2 * 2), ("neighbours", 3)] {
        let stored = Bundle::open(&folder.path().join(format!("{name}.dyno"))).unwrap().points().unwrap();
        assert_eq!(stored.len(), points, "{name}: {said}");
        let failed = stored.iter().find(|p| p.point.outcome != Outcome::Measured);
        assert!(failed.is_none(), "{name}: {failed:?}");
    }

    check_database(&folder.path().join("database.dyno"));

    // Three namespaces that are only read from: what the drive did is counted over all of them.
    let facts = Facts::load(&[folder.path().join("neighbours.dyno")]).unwrap();
    let alone = facts.steps[0].cells[0].limit.as_ref().expect("a verdict");
    assert_ne!(alone.limit, Limit::Memory, "{}", alone.evidence);

    let neighbours = Bundle::open(&folder.path().join("neighbours.dyno")).unwrap().prepared().unwrap();
    assert_eq!(neighbours[0].outcome, "6 namespaces of 144 MiB, 1 of them attached");

    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let drives = text("drives.txt");
    for part in ["AAAA1111", "BBBB2222", "QEMU NVMe Ctrl", "power state 0", "yes, under a plan that names it"] {
        assert!(drives.contains(part), "'{part}' is not in:\n{drives}");
    }
    let line = |text: &str, what: &str| {
        let found =
            text.lines().find(|l| l.contains(what)).unwrap_or_else(|| panic!("no '{what}' in:\n{text}\n{said}"));
        found.to_string()
    };
    let faults = text("faults.txt");
    assert!(line(&faults, "C, first").contains("FAILED"), "{faults}");
    assert!(!line(&faults, "D, first").contains("FAILED"), "{faults}");
    assert!(line(&faults, "D, whole").contains("FAILED"), "{faults}");
    let resumed = text("resumed.txt");
    assert!(!line(&resumed, "C, first").contains("FAILED"), "{resumed}");
    assert!(!line(&resumed, "C, whole").contains("FAILED"), "{resumed}");
}
