//! Read-only loads on block devices with foreign data: they need no `erase`, and change no byte.

use std::fs;

use crate::bench::{Loop, REFUSAL, Room, bench, must};

const READS: &str = r#"
title = "Reads"
source = "test"
[dataset.all]
engine = "psync"
size = "8MiB"
[[step]]
name = "reads"
duration = "200ms"
[[step.stream]]
name = "io"
engine = "psync"
workload = { kind = "random", read = 100, block = "4KiB" }
"#;

/// The subject of a plan whose drive may not be erased.
fn subject(disk: &Loop, more: &str) -> String {
    format!(
        "protocol = \"./protocol.toml\"\nrepeats = 1\n{more}\n[[subject]]\nname = \"Theirs\"\n\
         drives = [{{ device = \"{}\", serial = \"{}\" }}]\n",
        disk.path(),
        disk.file.display()
    )
}

#[test]
fn a_load_that_only_reads_needs_no_leave_to_erase_and_changes_nothing() {
    if !bench() {
        return;
    }
    let disk = Loop::new();
    must("mkfs.ext4", &["-q", "-F", disk.path()]);
    disk.refresh();
    let before = disk.checksum();
    let room = Room::with(READS);
    let run = |plan: &str, bundle: &str| {
        fs::write(room.at("plan.toml"), plan).unwrap();
        room.dyno(&["run", "plan.toml", "-o", bundle])
    };
    let (code, said) = run(&subject(&disk.read_only(), ""), "reads.dyno");
    assert_eq!(code, Some(0), "{said}");
    // One write in a thousand, by all subjects or by this one only, needs permission.
    let writes = "\"step.reads.stream.io.workload.read\" = 99.9\n";
    let of_all = subject(&disk, &format!("[override]\n{writes}"));
    let own = format!("{}[subject.override]\n{writes}", subject(&disk, ""));
    for plan in [of_all, own] {
        let (code, said) = run(&plan, "writes.dyno");
        assert!(code != Some(0) && code != REFUSAL, "a mistake of the plan: {code:?} {said}");
        assert!(said.contains("would write to this device"), "{said}");
    }
    assert_eq!(before, disk.checksum());
}
