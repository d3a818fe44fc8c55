//! Results of the lab of NVMe drives (`labs/nvme`) that do not depend on how busy this machine is:
//! the block protocols complete on drives with namespaces, and a removed drive and bad sectors fail
//! only their own points.

use dyno::analysis::keys::StepKey;
use dyno::analysis::limits::bottleneck::Bottleneck;
use dyno::record::Outcome;
use dyno::store::Bundle;

use crate::support::{nvme_lab, size};

/// Steps of `vdbench-profiles`; in everyday runs the lab uses each tenth one, without write
/// pressure.
const PROFILES: usize = 19;
const FEW_PROFILES: usize = 2;

#[test]
fn in_qemu_protocols_run_and_a_pulled_drive_and_bad_sectors_end_only_their_own_points() {
    let folder = tempfile::tempdir().unwrap();
    let profiles = size(FEW_PROFILES, PROFILES);
    let part = if profiles == PROFILES { "functions" } else { "functions-short" };
    let Some(said) = nvme_lab(part, folder.path()) else { return };
    let bundle = |name: &str| folder.path().join(format!("{name}.dyno"));
    let mut protocols = vec![("profiles", 2 * profiles), ("neighbours", 3)];
    if part == "functions" {
        protocols.push(("pressure", 2 * 2));
    }
    for (name, points) in protocols {
        let stored = Bundle::open(&bundle(name)).unwrap().points().unwrap();
        assert_eq!(stored.len(), points, "{name}: {said}");
        let failed = stored.iter().find(|p| p.point.outcome != Outcome::Measured);
        assert!(failed.is_none(), "{name}: {failed:?}");
    }

    // Three namespaces that are only read: the drive's counts cover all of them.
    let facts = dyno::bundles::facts(&[folder.path().join("neighbours.dyno")], &Default::default())
        .unwrap();
    let alone = facts.measured.steps[StepKey(0)].cells[0].limit.as_ref().expect("a verdict");
    assert_ne!(alone.limit, Bottleneck::Memory, "{:?}", alone.evidence);

    let neighbours =
        Bundle::open(&folder.path().join("neighbours.dyno")).unwrap().prepared().unwrap();
    assert_eq!(neighbours[0].outcome, "6 namespaces of 32 MiB, 1 of them attached");

    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let drives = text("drives.txt");
    for part in [
        "AAAA1111",
        "BBBB2222",
        "QEMU NVMe Ctrl",
        "power state 0",
        "yes, with this in a plan: drives = [{ device = \"/dev/",
    ] {
        assert!(drives.contains(part), "'{part}' is not in:\n{drives}");
    }
    let line = |text: &str, what: &str| {
        let found = text
            .lines()
            .find(|l| l.contains(what))
            .unwrap_or_else(|| panic!("no '{what}' in:\n{text}\n{said}"));
        found.to_string()
    };
    let more = text("more.txt");
    for part in ["7 equal ones", "TNVMCAP is 0", "leave `namespaces` out"] {
        assert!(more.contains(part), "'{part}' is not in:\n{more}");
    }
    let faults = text("faults.txt");
    assert!(line(&faults, "C, first").contains("FAILED"), "{faults}");
    assert!(!line(&faults, "D, first").contains("FAILED"), "{faults}");
    assert!(line(&faults, "D, whole").contains("FAILED"), "{faults}");
    let resumed = text("resumed.txt");
    assert!(!line(&resumed, "C, first").contains("FAILED"), "{resumed}");
    assert!(!line(&resumed, "C, whole").contains("FAILED"), "{resumed}");
}
