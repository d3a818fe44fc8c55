//! `repeats = { until = …, at_least = …, at_most = … }`: points are measured again until their interval is narrow enough.

use std::path::Path;
use std::process::{Command, Output};

/// Two subjects on the null engine; every point is named in the export.
fn plan(repeats: &str) -> String {
    format!(
        "protocol = \"./null.toml\"\nmeters = \"none\"\nrepeats = {repeats}\n\
         [[subject]]\nname = \"X\"\ndrives = [{{ path = \"x\" }}]\n[[subject]]\nname = \"Y\"\ndrives = [{{ path = \"y\" }}]\n"
    )
}

const PROTOCOL: &str = "title = \"Null\"\nsource = \"test\"\n[[step]]\nname = \"a\"\nduration = \"200ms\"\n\
    sweep = { axis = \"io.threads\", values = [1, 2] }\n[[step.stream]]\nname = \"io\"\n\
    engine = { kind = \"null\", latency = \"50us\" }\nworkload = \"random\"\n";

fn dyno(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dyno")).current_dir(folder).args(args).output().unwrap()
}

/// A folder with the protocol, the plan and the two directories under test.
fn bench(repeats: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("null.toml"), PROTOCOL).unwrap();
    std::fs::write(folder.path().join("plan.toml"), plan(repeats)).unwrap();
    ["x", "y"].iter().for_each(|drive| std::fs::create_dir(folder.path().join(drive)).unwrap());
    folder
}

/// Runs the plan; how often each of its four cells was measured.
#[track_caller]
fn measured(repeats: &str) -> Vec<usize> {
    let folder = bench(repeats);
    let run = dyno(folder.path(), &["run", "plan.toml", "--bundle", "b.dyno"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let rows = String::from_utf8(dyno(folder.path(), &["export", "--csv", "b.dyno"]).stdout).unwrap();
    let head: Vec<&str> = rows.lines().next().unwrap().split(',').collect();
    let column = |name: &str| head.iter().position(|h| *h == name).unwrap_or_else(|| panic!("{name} in {head:?}"));
    let (subject, value) = (column("subject"), column("value"));
    let cells: Vec<(String, String)> = rows
        .lines()
        .skip(1)
        .map(|row| row.split(',').collect::<Vec<_>>())
        .map(|row| (row[subject].to_string(), row[value].to_string()))
        .collect();
    let of = |s: &str, v: &str| cells.iter().filter(|(a, b)| a == s && b.trim_end_matches(".0") == v).count();
    ["X", "Y"].iter().flat_map(|s| ["1", "2"].map(|v| of(s, v))).collect()
}

#[test]
fn a_wide_limit_is_met_by_the_fewest_repeats_and_an_impossible_one_takes_the_most() {
    // Six repeats of the null engine narrow it down to ±95 % unless the machine stands still for most of them; a few tries
    // make sure. ±0.0001 % is never met.
    let wide = || measured("{ until = \"95%\", at_least = 6, at_most = 7 }");
    assert!((0..3).any(|_| wide() == [6, 6, 6, 6]));
    assert_eq!(measured("{ until = \"0.0001%\", at_least = 2, at_most = 4 }"), [4, 4, 4, 4]);
}

#[test]
fn the_plan_says_how_many_points_there_may_be() {
    let folder = bench("{ until = \"2%\", at_most = 10 }");
    let told = dyno(folder.path(), &["plan", "check", "plan.toml"]);
    let told = String::from_utf8(told.stdout).unwrap();
    assert!(told.contains("up to 40 points: 2 subjects × 3 to 10 (until ±2 %) repeats"), "{told}");
}

#[test]
fn mistakes_are_told_where_they_stand() {
    for (repeats, says) in [
        ("{ until = \"2\", at_most = 10 }", "'2' is no percentage"),
        ("{ until = \"0%\", at_most = 10 }", "'0%' is no percentage"),
        ("{ until = \"2%\" }", "needs 'at_most'"),
        ("{ until = \"2%\", at_least = 5, at_most = 4 }", "at_most = 4 is below at_least = 5"),
        ("{ until = \"2%\", at_least = 1, at_most = 4 }", "1 is out of range"),
        ("{ til = \"2%\", at_most = 4 }", "no key 'til'"),
    ] {
        let told = dyno(bench(repeats).path(), &["plan", "check", "plan.toml"]);
        let error = String::from_utf8_lossy(&told.stderr).to_string();
        assert!(!told.status.success() && error.contains(says) && error.contains("plan.toml:3"), "{repeats}: {error}");
    }
}
