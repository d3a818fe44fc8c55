//! Polling and NVMe commands in QEMU: what Dyno counts is what the drive counted, what was written
//! is there, and what a kernel lacks is an error with its remedy.

use std::path::Path;
use std::process::Command;

use dyno::record::{Class, Outcome};
use dyno::store::Bundle;

use crate::support::skip;

const DYNO: &str = env!("CARGO_BIN_EXE_dyno");
/// Of the lab's protocol: 16 MiB in blocks of 64 KiB.
const FILL: u64 = 256;

/// Runs the lab with so many polling queues; false where it cannot run.
fn lab(out: &Path, queues: &str) -> bool {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("labs/polling");
    let args = ["--dyno", DYNO, "--queues", queues, "--out"];
    let output = Command::new(script).args(args).arg(out).output();
    match output {
        Err(error) => skip(format!("labs/polling cannot be started: {error}")),
        Ok(output) if output.status.code() == Some(77) => {
            skip(String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
            return true;
        }
    }
    false
}

/// What the drive counted between its two logs, and what the block layer did: (reads, writes).
fn counted(out: &Path, way: &str) -> [(u64, u64); 2] {
    let smart = |when: &str| {
        let text = std::fs::read_to_string(out.join(format!("{way}.{when}.json"))).unwrap();
        let log: serde_json::Value = serde_json::from_str(&text).unwrap();
        // nvme-cli writes 128-bit counters as text.
        let number = |name: &str| -> u64 {
            let plain = log[name].to_string().replace('"', "");
            plain.parse().unwrap_or_else(|_| panic!("{name} in {text}"))
        };
        (number("host_read_commands"), number("host_write_commands"))
    };
    let block_layer = |when: &str| {
        let text = std::fs::read_to_string(out.join(format!("{way}.{when}.stat"))).unwrap();
        let all: Vec<u64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
        (all[0], all[4])
    };
    let less = |a: (u64, u64), b: (u64, u64)| (b.0 - a.0, b.1 - a.1);
    [less(smart("before"), smart("after")), less(block_layer("before"), block_layer("after"))]
}

/// What Dyno counted: (reads, writes).
fn ours(out: &Path, way: &str) -> (u64, u64) {
    let points = Bundle::open(&out.join(format!("{way}.dyno"))).unwrap().points().unwrap();
    let point = &points[0].point;
    assert_eq!(point.outcome, Outcome::Measured, "{way}");
    let of = |class: Class| {
        let tallies = point.cells.iter().flat_map(|cell| &cell.tallies);
        tallies.filter(|tally| tally.class == class).map(|tally| tally.ops).sum()
    };
    (of(Class::READ), of(Class::WRITE))
}

#[test]
fn in_qemu_polling_and_nvme_commands_are_as_many_as_the_drive_counts_and_write_what_they_should() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    if !lab(out, "1") {
        return;
    }
    let written = std::fs::read_to_string(out.join("written.txt")).unwrap();
    let written: Vec<u64> = written.lines().map(|line| line.trim().parse().unwrap()).collect();
    assert!(written[0] > (16 << 20) / 256 * 254, "{written:?}");
    assert_eq!(written[1], 0, "nothing beside the range in use");
    for way in ["serial", "consent", "generic"] {
        assert_eq!(counted(out, way)[0].1, 0, "{way}: the drive was written to");
    }
    // What the guard reads, through the block layer, which NVMe commands pass by.
    let guards = counted(out, "passthrough")[1].0;
    for way in ["plain", "iopoll", "passthrough", "both", "sqpoll"] {
        let [drive, block_layer] = counted(out, way);
        let (reads, writes) = ours(out, way);
        assert!(reads > 100 && writes > 100, "{way}: {reads} reads, {writes} writes");
        assert_eq!(drive.1, FILL + writes, "{way}: writes");
        assert_eq!(drive.0, guards + reads, "{way}: reads");
        if matches!(way, "passthrough" | "both") {
            // The flush at the end is the block device's.
            assert!(block_layer.0 == guards && block_layer.1 <= 1, "{way}: {block_layer:?}");
        }
    }
    let hybrid = std::fs::read_to_string(out.join("hybrid.txt")).unwrap();
    assert!(hybrid.contains("hybrid polling needs Linux 6.13"), "{hybrid}");
}

#[test]
fn in_qemu_a_kernel_without_polling_queues_gets_the_error_with_its_remedy() {
    let folder = tempfile::tempdir().unwrap();
    if !lab(folder.path(), "0") {
        return;
    }
    for way in ["iopoll", "both"] {
        let said = std::fs::read_to_string(folder.path().join(format!("{way}.txt"))).unwrap();
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("has no polling queues"), "{way}: {said}");
        assert!(said.contains("nvme.poll_queues=N"), "{way}: {said}");
    }
}
