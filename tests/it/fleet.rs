//! `dyno fleet accept` on bundles with known truth: rejections, exit codes, and the stated power of
//! the reference.

use std::path::{Path, PathBuf};

use dyno::plan::PointKey;
use serde_json::Value;

use crate::made::{self, Figures, rng};
use crate::many;
use crate::support::{dyno, dyno_well, said, size};

/// Drives with 2 % scatter, repeats with 1 %. `of`: how much slower a drive truly is.
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
        let own = (0.02 * rng(seed, drive).normal()).exp();
        let at = 1_000 * drive + 10 * u64::from(key.repeat);
        let level = own * (0.01 * rng(seed + 1, at).normal()).exp() / of(&key.subject);
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
    let delivery = ["first.dyno", "second.dyno", "--json", "--measure", "ops/s"];
    // Every axis value is judged, as one family, or the one that is asked for.
    let (_, text) = accept(folder, &delivery);
    let found: Value = serde_json::from_str(&text).expect("JSON");
    let at = |of: usize| found["measures"][of]["at"].clone();
    assert_eq!([at(0), at(1)], ["1", "8"], "{found:#}");
    let (_, text) = accept(folder, &[&delivery[..], &["--at", "8"]].concat());
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
    // Another queue depth: no figure at the judged point.
    let step = made::step("reads", "sweep = { axis = \"io.depth\", values = [2] }", "");
    let plan = made::plan(folder, &step, 2, 5);
    let even = Figures { ops_per_s: 4e4, p99_ns: 2e5, ..Figures::default() };
    made::write(&folder.join("other.dyno"), &plan, &mut |_| Some(even.clone()));
    let ops = ["--measure", "ops/s"];
    let (code, text) = accept(folder, &[&["other.dyno"], &ops[..]].concat());
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("2 could not be judged"), "{text}");
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

/// Time limit of a campaign's brief at full size: five times the 30 s promised for an idle machine.
const MOST_BRIEF: std::time::Duration = std::time::Duration::from_secs(5 * 30);

#[test]
fn a_brief_of_many_drives_speaks_of_models_and_names_the_drive_that_lies_apart() {
    let made = made::folder();
    let folder = made.path();
    std::fs::create_dir_all(folder.join("results/host")).expect("a folder");
    let count = size(60, 200);
    let all = many::write(&folder.join("results/host"), count);
    many::slow(&all[7], 1.2);
    let begun = std::time::Instant::now();
    dyno_well(folder, &["report", "results", "-o", "fleet.md", "--figures", "figures"]);
    if count == 200 {
        assert!(begun.elapsed() < MOST_BRIEF, "{:?}", begun.elapsed());
    }
    let text = std::fs::read_to_string(folder.join("fleet.md")).expect("a brief");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let lead =
        format!("{count} drives of 2 models, one of which deviates from the others of its model");
    assert!(words.contains(&lead), "{text}");
    assert!(words.contains("D00007 (S00007) deviates from the other"), "{text}");
    let health = "(its health log: 3 % used, 97 % spare, 0 media errors, critical warning 00h, ";
    assert_eq!(words.matches(health).count(), 2, "{text}");
    assert!(words.contains("drive for drive, Fast 7600/A is "), "{text}");
    assert!(words.contains("better than Slow P5"), "{text}");
    assert!(!words.contains("D00003 (S00003)"), "a drive like the others is not named");
    let drawn = std::fs::read_to_string(folder.join("figures/reads-fleet.svg")).expect("drawn");
    let marks = |serial: &str| drawn.matches(&format!("({serial}, ")).count();
    assert!((0..count).all(|i| marks(&format!("S{i:05}")) == 1), "each drive is a mark once");
    for said in ["Fast 7600/A · E2MU200", "Slow P5 · C3=1", "host-0", "host-3"] {
        assert!(drawn.contains(said), "{said} in {drawn}");
    }
    // On the first page, and in the section one for each model.
    assert_eq!(text.matches("](fleet.figures/").count(), 4, "{text}");
    let compared = dyno_well(folder, &["compare", "results"]);
    assert!(compared.contains("Slow P5") && !compared.contains("D00003"), "{compared}");
}

#[test]
fn a_plan_is_told_how_many_drives_a_difference_between_models_needs() {
    let made = made::folder();
    let folder = made.path();
    std::fs::create_dir(folder.join("results")).expect("a folder");
    many::write(&folder.join("results"), 30);
    let step = made::step("reads", "sweep = { axis = \"io.depth\", values = [1, 8] }", "");
    std::fs::write(folder.join("next.toml"), format!("title = \"Next\"\n{step}")).expect("written");
    std::fs::create_dir(folder.join("x")).expect("a folder");
    let check = |difference: &str| -> Value {
        let line = format!(
            "plan check ./next.toml -s X=x --repeats 5 --from results --json --difference \
             {difference}"
        );
        let text = dyno_well(folder, &line.split(' ').collect::<Vec<_>>());
        serde_json::from_str(&text).expect("JSON")
    };
    let needed = |found: &Value| found["specimens"][0]["drives_needed"].as_u64().expect("a number");
    let (five, two) = (check("5%"), check("2%"));
    // Drives with 2 % scatter, repeats with 1 %.
    let scatter = five["specimens"][0]["drives_scatter_percent"].as_f64().expect("a number");
    assert!((1.0..3.5).contains(&scatter), "{five:#}");
    assert!((3..15).contains(&needed(&five)) && needed(&two) > 3 * needed(&five), "{two:#}");
}
