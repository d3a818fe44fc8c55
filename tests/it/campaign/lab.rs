//! The lab of docs/fleet.md: five machines set up from scratch by its ten commands as written there
//! (`labs/fleet`), and their results.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use dyno::record::Outcome;
use dyno::store::Bundle;
use serde_json::Value;

use super::bench::bundles;
use crate::support::{DYNO, said, size, skip};

/// Hosts, and drives of each (`DRIVES_A_HOST`).
const HOSTS: usize = 4;
const DRIVES_A_HOST: usize = 2;
/// Two values (labs/fleeted/mixed.toml) and the page's five repeats.
const POINTS: usize = 2 * 5;

/// Five machines boot, and Slurm is installed on each: only under `make soak`.
#[test]
fn a_lab_of_four_hosts_is_set_up_from_nothing_and_measured_by_the_ten_commands_of_the_page() {
    if size("no machine", "five") == "no machine" {
        return skip("five machines that boot take minutes: `make soak` sets them up");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("labs/fleet");
    let output = Command::new(script).args(["--dyno", DYNO, "--out"]).arg(folder.path()).output();
    let output = output.expect("labs/fleet");
    if output.status.code() == Some(77) {
        return skip(said(&output));
    }
    assert!(output.status.success(), "{}", said(&output));
    let text = |name: &str| {
        std::fs::read_to_string(folder.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    };

    let record: Value = serde_json::from_str(&text("campaign/campaign.json")).expect("JSON");
    let tasks = record["tasks"].as_array().expect("tasks");
    assert_eq!(tasks.len(), HOSTS * DRIVES_A_HOST, "{record:#}");
    for number in 1..=HOSTS {
        let of_host = tasks.iter().filter(|t| t["hosts"][0] == format!("lab{number}").as_str());
        assert_eq!(of_host.count(), DRIVES_A_HOST, "{record:#}");
    }
    let compared = text("10.txt");
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for path in bundles(&folder.path().join("campaign/collected")) {
        let bundle = Bundle::open(&path).expect("a bundle");
        let subject = &bundle.run().plan.subjects[0].name;
        let task = tasks.iter().find(|task| task["subject"] == subject.as_str()).expect("a task");
        let host = bundle.host().expect("a host").name;
        assert_eq!(task["hosts"][0], host.expect("a host's name").as_str());
        assert!(compared.contains(subject), "{subject} in {compared}");
        for stored in bundle.points().expect("points") {
            assert_eq!(stored.point.outcome, Outcome::Measured);
            *found.entry(format!("{:?}", stored.point.key)).or_default() += 1;
        }
    }
    assert_eq!(found.len(), HOSTS * DRIVES_A_HOST * POINTS, "{found:#?}");
    assert!(found.values().all(|times| *times == 1), "{found:#?}");
    nothing_is_left(&said(&output));
}

/// No leftover mounts, loop devices and control groups.
#[track_caller]
fn nothing_is_left(said: &str) {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").expect("read");
    assert!(!mounts.contains("dyno-fleet-lab-"), "{mounts}\n{said}");
    for block in std::fs::read_dir("/sys/block").expect("read").flatten() {
        let file = std::fs::read_to_string(block.path().join("loop/backing_file"));
        assert!(!file.unwrap_or_default().contains("dyno-fleet-lab-"), "{block:?}\n{said}");
    }
    for group in ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"] {
        for group in std::fs::read_dir(group).into_iter().flatten().flatten() {
            assert!(
                !group.path().display().to_string().contains("dyno-fleet-lab-"),
                "{group:?}\n{said}"
            );
        }
    }
}
