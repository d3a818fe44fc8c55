//! The drive as second witness: its logs, as a scripted nvme-cli prints them, up to the brief.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use dyno::meter::nvme::NvmeDrives;
use dyno::meter::nvme::logs::NvmeLogs;
use dyno::meter::{Probe, ReadingTime};
use dyno::record::Sample;

use crate::made;
use crate::support::dyno_well;

/// The GUID of log C3h, as it lies in the log.
const GUID: [u8; 16] = [
    0x92, 0x7A, 0xC0, 0x8C, 0xD0, 0x84, 0x6C, 0x9C, 0x70, 0x43, 0xE6, 0xD4, 0x58, 0x5E, 0xD4, 0x85,
];

/// Answers from files that are named after the logs; other commands fail.
fn script_nvme_cli(folder: &Path) -> NvmeLogs {
    let program = folder.join("nvme");
    let script = format!(
        "#!/bin/sh\nfor o in \"$@\"; do case $o in --log-id=*) log=${{o#*=}} ;; esac; done\n\
         exec cat {}/log-$log\n",
        folder.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    NvmeLogs::through(program)
}

/// What the drive has counted by now.
fn set_logs(folder: &Path, slow_reads: u32, error_entries: u64) {
    let mut health = vec![0u8; 512];
    health[176..184].copy_from_slice(&error_entries.to_le_bytes());
    std::fs::write(folder.join("log-0x2"), health).unwrap();
    let mut monitor = vec![0u8; 512];
    monitor[0] = 1;
    // From 5, 10, 50 and 100 ms on.
    monitor[6..10].copy_from_slice(&[0, 1, 9, 19]);
    monitor[44..48].copy_from_slice(&slow_reads.to_le_bytes());
    monitor[496..].copy_from_slice(&GUID);
    std::fs::write(folder.join("log-0xc3"), monitor).unwrap();
}

/// Two readings around a window of a second.
fn readings(folder: &Path, slow: [u32; 2], errors: [u64; 2]) -> Vec<Sample> {
    set_logs(folder, slow[0], errors[0]);
    let mut drives = NvmeDrives::new(vec!["nvme0n1".into()], script_nvme_cli(folder));
    let mut samples = Vec::new();
    for second in 0..2 {
        set_logs(folder, slow[second], errors[second]);
        let mut out = Vec::new();
        drives
            .read(ReadingTime { ns: second as u64 * 1_000_000_000, unix_ns: 0 }, &mut out)
            .unwrap();
        samples.extend(out.into_iter().map(|reading| Sample {
            at_ns: reading.at_ns,
            meter: "nvme".into(),
            name: reading.name,
            value: reading.value,
        }));
    }
    samples
}

/// The report of a second of reads, of which Dyno saw 15 that took 6 ms, and no slower ones.
fn report(folder: &Path, readings: &[Sample], language: &str) -> String {
    let plan = made::plan(folder, &made::step("reads", "", ""), 1, 1);
    let figures = made::Figures {
        ops_per_s: 7_500.0,
        p99_ns: 2e6,
        readings: readings.to_vec(),
        ..made::Figures::default()
    };
    made::write(&folder.join("b.dyno"), &plan, &mut |_| Some(figures.clone()));
    let file = format!("{language}.md");
    dyno_well(folder, &["report", "b.dyno", "-o", &file, "--language", language]);
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    std::fs::remove_file(folder.join("b.dyno")).unwrap();
    text
}

#[test]
fn the_drives_own_count_of_slow_reads_stands_beside_dynos_and_its_errors_are_noted() {
    let folder = made::folder();
    let counted = readings(folder.path(), [1_000, 1_014], [7, 9]);
    let text = report(folder.path(), &counted, "en");
    let row = |cells: &str| text.lines().any(|line| line.contains(cells));
    assert!(row("| subject | class | from, ms | drive’s count | Dyno’s count |"), "{text}");
    assert!(row("| read | 5 | 14 | 15 |"), "{text}");
    assert!(!row("| read | 10 |") && !row("| write | 5 |"), "there were none: {text}");
    assert!(text.contains("2 entries of the error log"), "{text}");
    for (language, said) in
        [("ja", "エラーログのエントリ 2 件"), ("pt-BR", "2 entradas do log de erros")]
    {
        let text = report(folder.path(), &counted, language);
        assert!(text.contains(said) && text.contains("| 5 | 14 | 15 |"), "{language}: {text}");
    }
}

#[test]
fn a_drive_that_lost_its_count_is_no_witness_and_one_without_errors_has_no_note() {
    let folder = made::folder();
    let reset = readings(folder.path(), [1_000, 3], [7, 7]);
    let text = report(folder.path(), &reset, "en");
    assert!(!text.contains("Dyno’s count"), "{text}");
    assert!(!text.contains("counted errors"), "{text}");
}
