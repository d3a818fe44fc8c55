//! `repeats = { until = …, at_least = …, at_most = … }`: points are repeated until their interval
//! is narrow enough.

use dyno::stats::estimate::from_repeats;

use crate::support::dyno;

/// Two subjects on the null engine; every point is named in the export.
fn plan(repeats: &str) -> String {
    format!(
        "protocol = \"./null.toml\"\nmeters = \"none\"\nrepeats = {repeats}\n\
         [[subject]]\nname = \"X\"\ndrives = [{{ path = \"x\" }}]\n[[subject]]\nname = \"Y\"\n\
         drives = [{{ path = \"y\" }}]\n"
    )
}

const PROTOCOL: &str = "title = \"Null\"\nsource = \"test\"\n[[step]]\nname = \"a\"\n\
    duration = \"200ms\"\n\
    sweep = { axis = \"io.threads\", values = [1, 2] }\n[[step.stream]]\nname = \"io\"\n\
    engine = { kind = \"null\", latency = \"1ms\" }\nworkload = \"random\"\n";

/// A folder with the protocol, the plan and the two directories under test.
fn bench(repeats: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("null.toml"), PROTOCOL).unwrap();
    std::fs::write(folder.path().join("plan.toml"), plan(repeats)).unwrap();
    ["x", "y"].iter().for_each(|drive| std::fs::create_dir(folder.path().join(drive)).unwrap());
    folder
}

/// Runs the plan; returns for each of its two thread counts the ops of X's and of Y's repeats, in
/// order.
#[track_caller]
fn measured(repeats: &str) -> [[Vec<f64>; 2]; 2] {
    let folder = bench(repeats);
    let run = dyno(folder.path(), &["run", "plan.toml", "--output", "b.dyno"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let rows = String::from_utf8(dyno(folder.path(), &["export", "b.dyno"]).stdout).unwrap();
    let head: Vec<&str> = rows.lines().next().unwrap().split(',').collect();
    let column = |name: &str| {
        head.iter().position(|h| *h == name).unwrap_or_else(|| panic!("{name} in {head:?}"))
    };
    let (subject, value, ops) = (column("subject"), column("value"), column("ops"));
    let rows: Vec<Vec<&str>> = rows.lines().skip(1).map(|row| row.split(',').collect()).collect();
    let of = |s: &str, v: &str| {
        let own = rows.iter().filter(|row| row[subject] == s && row[value] == v);
        own.map(|row| row[ops].parse().unwrap()).collect()
    };
    ["1", "2"].map(|v| ["X", "Y"].map(|s| of(s, v)))
}

/// Half the interval's width over the first `n` repeats, in percent.
fn half_percent(ops: &[f64], n: usize) -> f64 {
    from_repeats(&ops[..n], "").and_then(|e| e.relative_percent()).unwrap()
}

#[test]
fn a_point_is_measured_until_both_subjects_are_narrow_enough_and_no_longer() {
    // Three suffice on a quiet machine, a busy one needs more: the measurements determine the
    // required number.
    for pair in measured("{ until = \"10%\", at_least = 3, at_most = 6 }") {
        let narrow = |n: &usize| pair.iter().all(|ops| half_percent(ops, *n) <= 10.0);
        let stop = (3..pair[0].len().min(6)).find(narrow).unwrap_or(pair[0].len());
        assert_eq!((pair[0].len(), pair[1].len()), (stop, stop), "{pair:?}");
        assert!(stop == 6 || narrow(&stop), "{pair:?}");
    }
}

#[test]
fn a_limit_that_cannot_be_met_takes_the_most() {
    for [x, y] in measured("{ until = \"0.0001%\", at_least = 2, at_most = 4 }") {
        assert_eq!((x.len(), y.len()), (4, 4));
    }
}

#[test]
fn the_plan_says_how_many_points_there_may_be() {
    let folder = bench("{ until = \"2%\", at_most = 10 }");
    let told = dyno(folder.path(), &["plan", "check", "plan.toml"]);
    let told = String::from_utf8(told.stdout).unwrap();
    assert!(told.contains("up to 40 points: 2 subjects × 3 to 10 (until ±2 %) repeats"), "{told}");
}

#[test]
fn the_plan_says_which_difference_its_repeats_can_show_from_an_earlier_bundle() {
    let folder = bench("5");
    let check = |args: &[&str]| {
        let output = dyno(folder.path(), &[&["plan", "check", "plan.toml"], args].concat());
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(output.status.success(), "{said}");
        said
    };
    let unknown = check(&[]);
    let kept = unknown.contains("On this host, ") && unknown.contains("the same subject twice: ");
    assert!(kept || unknown.contains("unknown on this host: run `dyno selftest`"), "{unknown}");
    let run = dyno(folder.path(), &["run", "plan.toml", "--output", "b.dyno"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let from = check(&["--from", "b.dyno"]);
    let line = from
        .lines()
        .find(|l| l.starts_with("5 repeats show differences of ops/s from "))
        .unwrap_or_default();
    assert!(line.contains(" in a step's mean: in b.dyno, a, runs scatter by "), "{from}");
    let percents: Vec<f64> =
        line.split(" %").filter_map(|part| part.rsplit(' ').next()?.parse().ok()).collect();
    let [point, mean, scatter] = percents[..] else { panic!("{line}") };
    // A point shows far less than the scatter of one run, and a mean more than a point. With three
    // repeats of only two points, a mean has too few degrees of freedom for that.
    assert!(point > mean && point > 2.0 * scatter, "{line}");
}

#[test]
fn mistakes_are_told_where_they_stand() {
    for (repeats, says) in [
        ("{ until = \"2\", at_most = 10 }", "'2' is not a percentage"),
        ("{ until = \"0%\", at_most = 10 }", "'0%' is not a percentage"),
        ("{ until = \"2%\" }", "needs 'at_most'"),
        ("{ until = \"2%\", at_least = 5, at_most = 4 }", "at_most = 4 is below at_least = 5"),
        ("{ until = \"2%\", at_least = 1, at_most = 4 }", "1 is out of range"),
        ("{ til = \"2%\", at_most = 4 }", "no key 'til'"),
    ] {
        let told = dyno(bench(repeats).path(), &["plan", "check", "plan.toml"]);
        let error = String::from_utf8_lossy(&told.stderr).to_string();
        assert!(
            !told.status.success() && error.contains(says) && error.contains("plan.toml:3"),
            "{repeats}: {error}"
        );
    }
}
