//! A subject of several drives: the group's ops are the sum of its drives', its percentiles those
//! of all samples pooled, and each drive is still available.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use dyno::analysis::keys::StepKey;
use dyno::analysis::points::point_summary::{P99, RepeatSummary};
use dyno::base::histogram::Histogram;
use dyno::store::Bundle;

use crate::support::quiet::on_a_quiet_machine;
use crate::support::skip;

const DRIVES: usize = 4;

const PROTOCOL: &str = r#"
title = "Group"
source = "test"
[dataset.file]
engine = "psync"
size = "8MiB"
direct = false
fill = { kind = "sequential", read = 0, block = "128KiB" }
[[step]]
name = "reads"
duration = "2s"
[[step.stream]]
name = "io"
engine = "psync"
workload = { kind = "random", block = "4KiB" }
"#;

/// Runs a command, only for its exit code.
fn runs(program: &str, args: &[&str]) -> bool {
    let ran = Command::new(program).args(args).stdout(Stdio::null()).stderr(Stdio::null()).status();
    ran.is_ok_and(|s| s.success())
}

/// Loop devices with a filesystem each, if permitted; unmounted at the end.
struct Mounts(Vec<PathBuf>);

impl Mounts {
    fn make(folder: &Path) -> Mounts {
        let mut made = Mounts(Vec::new());
        for i in 0..DRIVES {
            let (image, point) =
                (folder.join(format!("{i}.img")), folder.join(format!("drive{i}")));
            std::fs::create_dir(&point).expect("a folder");
            std::fs::File::create(&image).and_then(|f| f.set_len(64 << 20)).expect("an image");
            let (image, at) = (image.display().to_string(), point.display().to_string());
            if runs("mkfs.ext4", &["-q", "-F", &image])
                && runs("mount", &["-o", "loop", &image, &at])
            {
                made.0.push(point);
            }
        }
        if made.0.len() < DRIVES {
            skip("loop devices cannot be mounted here; plain directories stand in for them");
        }
        made
    }
}

impl Drop for Mounts {
    fn drop(&mut self) {
        for point in &self.0 {
            runs("umount", &[&point.display().to_string()]);
        }
    }
}

#[test]
fn the_ops_of_a_group_are_the_sum_and_its_p99_that_of_the_pooled_samples() {
    on_a_quiet_machine(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let _mounts = Mounts::make(folder.path());
        std::fs::write(folder.path().join("group.toml"), PROTOCOL).expect("written");
        let drives: Vec<String> =
            (0..DRIVES).map(|i| format!("{{ path = \"drive{i}\" }}")).collect();
        let plan = format!(
            "protocol = \"group.toml\"\nrepeats = 1\n[[subject]]\nname = \"Four\"\ndrives = [{}]\n",
            drives.join(", ")
        );
        std::fs::write(folder.path().join("plan.toml"), plan).expect("written");
        let dyno = |args: &[&str]| {
            let out = Command::new(env!("CARGO_BIN_EXE_dyno"))
                .current_dir(folder.path())
                .args(args)
                .output()
                .expect("ran");
            assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
            String::from_utf8_lossy(&out.stdout).into_owned()
        };
        dyno(&["run", "plan.toml", "--output", "group.dyno"]);

        let path = folder.path().join("group.dyno");
        let points = Bundle::open(&path).and_then(|b| b.points()).expect("a bundle");
        let point = &points[0].point;
        assert_eq!(point.cells.len(), DRIVES, "a cell for each drive");
        let mut merged = Histogram::new();
        let mut pooled: Vec<u64> = Vec::new();
        let mut ops = 0;
        for cell in &point.cells {
            for tally in &cell.tallies {
                assert!(tally.ops > 0, "drive {} stood still", cell.drive);
                ops += tally.ops;
                merged.merge(&tally.service);
                tally
                    .service
                    .buckets()
                    .for_each(|(ns, n)| pooled.extend(std::iter::repeat_n(ns, n as usize)));
            }
        }
        pooled.sort_unstable();
        let rank = (pooled.len() as f64 * 0.99).ceil() as usize - 1;

        let facts = dyno::bundles::facts(&[path], &Default::default()).expect("facts");
        let cell = &facts.measured.steps[StepKey(0)].cells[0];
        let total = cell.total.as_ref().expect("measured");
        let rate = |summary: &RepeatSummary| summary.ops_per_s.as_ref().expect("a rate").value;
        let each: f64 = cell.drives.iter().map(|(_, s)| rate(s)).sum();
        assert_eq!(cell.drives.len(), DRIVES);
        assert!((rate(total) - each).abs() < 1e-6 * each, "{} is not {each}", rate(total));
        assert_eq!(total.ops, Some(ops));
        let p99 =
            total.classes[0].service.percentiles_ns[P99].as_ref().expect("enough samples").value;
        assert_eq!(p99.round() as u64, pooled[rank], "the p99 of the pooled samples");
        assert_eq!(merged.percentile_ns(0.99), Some(pooled[rank]));

        let shown = dyno(&["show", "group.dyno"]);
        for needed in ["ops/s, sum", "p99, merged", "median", "drive3", "not a mean of percentiles"]
        {
            assert!(shown.contains(needed), "'{needed}' is not shown:\n{shown}");
        }
    });
}
