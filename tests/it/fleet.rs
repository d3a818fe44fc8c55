//! `dyno fleet accept` on bundles whose truth is known: who is rejected, the exit codes, and what
//! the reference is said to find.

use std::path::{Path, PathBuf};

use dyno::plan::PointKey;
use serde_json::Value;

use crate::made::{self, Figures, normal, rng};
use crate::support::{dyno, said};

/// Drives that differ by 2 %, repeats that differ by 1 %. `of`: how much slower a drive truly is.
fn bundle(
    folder: &Path,
    name: &str,
    seed: u64,
    drives: usize,
    of: &dyn Fn(&str) -> f64,
) -> PathBuf {
    let step = made::step("reads", "sweep = { axis = \"io.depth\", values = [1, 8] }", "");
    let plan = made::plan(folder, &step, drives, 5);
    let path = folder.join(name);
    made::write(&path, &plan, &mut |key: &PointKey| {
        let drive = u64::from(key.subject.as_bytes()[0]);
        let own = (0.02 * normal(&mut rng(seed, drive))).exp();
        let at = 1_000 * drive + 10 * u64::from(key.repeat);
        let level = own * (0.01 * normal(&mut rng(seed + 1, at))).exp() / of(&key.subject);
        let depth = key.axis.as_ref().map_or(1.0, |a| a.value.as_f64());
        Some(Figures { ops_per_s: 4e4 * depth * level, p99_ns: 2e5 / level, ..Figures::default() })
    });
    path
}

fn accept(folder: &Path, args: &[&str]) -> (i32, String) {
    let out = dyno(folder, &[&["fleet", "accept", "--reference", "reference.dyno"], args].concat());
    (out.status.code().expect("an exit code"), said(&out))
}

#[test]
fn of_a_delivery_the_slow_drive_is_rejected_by_name_and_no_other() {
    let made = made::folder();
    let folder = made.path();
    bundle(folder, "reference.dyno", 1, 24, &|_| 1.0);
    bundle(folder, "first.dyno", 2, 8, &|_| 1.0);
    bundle(folder, "second.dyno", 3, 8, &|drive| if drive == "C" { 1.2 } else { 1.0 });
    let both = ["--measure", "ops/s", "--measure", "p99"];
    let (code, text) = accept(folder, &[&["first.dyno"], &both[..]].concat());
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("8 of 8 drives behave like the reference"), "{text}");
    let (code, text) = accept(folder, &[&["first.dyno", "second.dyno"], &both[..]].concat());
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("1 of 16 drives do not behave like the reference"), "{text}");
    let (_, text) = accept(folder, &["first.dyno", "second.dyno", "--json", "--measure", "ops/s"]);
    let found: Value = serde_json::from_str(&text).expect("JSON");
    let drives = found["drives"].as_array().expect("drives");
    for drive in drives {
        let slow = drive["file"] == "second.dyno" && drive["name"] == "C";
        let expected = if slow { "rejected" } else { "accepted" };
        assert_eq!(drive["verdicts"], serde_json::json!([expected]), "{drive:#}");
    }
    let measure = &found["measures"][0];
    assert_eq!((drives.len(), &measure["reference_drives"]), (16, &24.into()), "{found:#}");
    let power = |i: usize| measure["power"][i].as_f64().expect("a share");
    assert!(power(0) < power(1) && power(1) < power(2) && power(2) > 0.9, "{measure:#}");
}

#[test]
fn what_cannot_be_judged_is_said_and_is_no_acceptance() {
    let made = made::folder();
    let folder = made.path();
    bundle(folder, "reference.dyno", 1, 8, &|_| 1.0);
    bundle(folder, "two.dyno", 2, 2, &|_| 1.0);
    // Another depth of queue: nothing at the point that the drives are judged at.
    let step = made::step("reads", "sweep = { axis = \"io.depth\", values = [2] }", "");
    let plan = made::plan(folder, &step, 2, 5);
    let even = Figures { ops_per_s: 4e4, p99_ns: 2e5, ..Figures::default() };
    made::write(&folder.join("other.dyno"), &plan, &mut |_| Some(even.clone()));
    let ops = ["--measure", "ops/s"];
    let (code, text) = accept(folder, &[&["other.dyno"], &ops[..]].concat());
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("Nothing can be said of 2"), "{text}");
    for (args, code, why) in [
        (&["two.dyno", "--measure", "p98"][..], 65, "no metric 'p98'"),
        (&["two.dyno", "--measure", "ops/s", "--step", "writes"][..], 65, "no step 'writes'"),
        (&["missing.dyno", "--measure", "ops/s"][..], 65, "missing.dyno"),
        (&["two.dyno"][..], 64, "--measure"),
    ] {
        let (found, text) = accept(folder, args);
        assert_eq!(found, code, "{text}");
        assert!(text.contains(why), "{text}");
    }
    let few =
        ["fleet", "accept", "--reference", "two.dyno", "reference.dyno", "--measure", "ops/s"];
    let out = dyno(folder, &few);
    assert_eq!(out.status.code(), Some(65), "{}", said(&out));
    assert!(said(&out).contains("fewer than three drives"), "{}", said(&out));
}
