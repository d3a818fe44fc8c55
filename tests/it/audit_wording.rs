//! `dyno audit`: how statements are worded: ratios, bounds, differences, trends and places, in
//! English, Japanese and Portuguese, each with its verdict.

use std::path::{Path, PathBuf};

use crate::audit::{audit, of_claim, verdict};

const HEAD: &str = r#"
title = "T"
subject = "Micron"
[columns]
subject = "drive"
at = "threads"
[data.differences]
at = "write_rate"
difference_to = "rival"
[data.profiles]
at = "load_percent"
split = "profile"
[data.machines]
at = "vms"
drives = 8
[metric.ops_per_s]
better = "higher"
[metric.iops]
better = "higher"
[metric.tps]
better = "higher"
[metric.p99_us]
better = "lower"
[metric.mean_us]
better = "lower"
[metric.hit_percent]
better = "higher"
"#;

fn data() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/audit");
    ["drives", "differences", "profiles", "machines"]
        .map(|name| folder.join(format!("{name}.csv")))
        .into()
}

/// A statement: table, subject and rival, metric, words and value, point, verdict. If only one text
/// is given, the words are the value; without a point, it is "".
type Row<'a> = (&'a str, &'a str, &'a str, &'a str, &'a str, &'a str);

/// Each statement in a document of its own, so that none contradicts another.
#[track_caller]
fn judged(rows: &[Row<'_>]) {
    let here = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for (data_name, who, metric, says, at, expected) in rows {
        let (words, value) = says.split_once(" @@ ").unwrap_or((says, says));
        let mut text = format!(
            "{HEAD}[[claim]]\nwords = '''{words}'''\nsays = '''{value}'''\nmetric = \
             \"{metric}\"\ndata = \"{data_name}\"\n"
        );
        let (subject, rival) = who.split_once(" : ").unwrap_or((who, ""));
        text += &format!("subject = \"{subject}\"\n");
        if !rival.is_empty() {
            text += &format!("against = \"{rival}\"\n");
        }
        if !at.is_empty() {
            text += &format!("at = \"{at}\"\n");
        }
        let claims = here.path().join("claims.toml");
        std::fs::write(&claims, text).unwrap();
        let (printed, error, _) = audit(&claims, &data());
        assert!(!printed.is_empty(), "{says}: {error}");
        let found = verdict(&printed, 1);
        if found != *expected {
            wrong.push(format!("expected {expected}:\n{}", of_claim(&printed, 1)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn ratios_and_bounds_are_judged_in_the_statements_own_form() {
    let low = "Solidigm : Micron";
    let own = "Micron : Solidigm";
    let both = "a 1.5x latency and 30% lower performance";
    let two = format!("has {both} @@ 30 %");
    let one = "has 1.5x the read latency and 30% lower performance (ops/s) @@ 1.5 ×";
    let only = "reaches a maximum ops/s that is only 65% of the other SSDs @@ 65 %";
    let more = "demonstrates more than double the 99% read latency @@ 2 ×";
    judged(&[
        ("drives", low, "ops_per_s", "only 65 % of", "96", "HOLDS"),
        ("drives", low, "ops_per_s", only, "96", "HOLDS"),
        ("drives", low, "ops_per_s", "65 %", "96", "HOLDS"),
        ("drives", low, "ops_per_s", "75 % of", "96", "HOLDS"),
        ("drives", "Solidigm : all", "ops_per_s", "only 65 % of", "96", "CONTRADICTED"),
        ("drives", low, "ops_per_s", "55 % of", "96", "INFLATED"),
        ("drives", low, "ops_per_s", "30 % lower", "from 8 to 64 threads", "HOLDS"),
        ("drives", low, "ops_per_s", "35 % lower", "all", "CONTRADICTED"),
        ("drives", low, "ops_per_s", &two, "8", "HOLDS"),
        ("drives", low, "ops_per_s", "−30 %", "8", "HOLDS"),
        ("drives", low, "p99_us", one, "from 8 to 64", "HOLDS"),
        ("drives", low, "p99_us", more, "96", "HOLDS"),
        ("drives", low, "p99_us", "more than double", "96", "HOLDS"),
        ("drives", low, "p99_us", "more than double the p99", "all", "CONTRADICTED"),
        ("drives", low, "p99_us", "more than double the p99", "8", "WRONG POINT"),
        ("drives", low, "p99_us", "up to 2.1x the read latency", "", "HOLDS"),
        ("drives", low, "p99_us", "up to 3x the read latency", "", "INFLATED"),
        ("drives", low, "p99_us", "1.5 × the latency", "8", "HOLDS"),
        ("drives", low, "p99_us", "1.5 ×", "8", "HOLDS"),
        ("drives", low, "p99_us", "1.9 × the latency", "8", "INFLATED"),
        ("drives", low, "p99_us", "50 % higher", "8", "HOLDS"),
        ("drives", low, "p99_us", "50 % slower", "8", "HOLDS"),
        ("drives", low, "p99_us", "at most 1.5 × the latency", "8", "HOLDS"),
        ("drives", low, "p99_us", "at most 1.4 × the latency", "8", "INFLATED"),
        ("drives", own, "p99_us", "half the latency", "96", "HOLDS"),
        ("drives", own, "p99_us", "less than half the latency", "96", "HOLDS"),
        ("drives", own, "p99_us", "less than half the latency", "8", "WRONG POINT"),
        ("drives", own, "p99_us", "two thirds of the latency", "8", "HOLDS"),
        ("drives", own, "p99_us", "a third lower", "8", "HOLDS"),
        ("drives", own, "p99_us", "33 % lower", "8", "HOLDS"),
        ("drives", own, "p99_us", "50 % lower", "8", "WRONG FORMULA"),
        ("drives", own, "p99_us", "65 % lower", "8", "INFLATED"),
        ("drives", own, "ops_per_s", "43 % more", "8", "HOLDS, ROUNDED UP"),
        ("drives", own, "ops_per_s", "at least 40 % more", "all", "HOLDS"),
        ("drives", own, "ops_per_s", "no more than 50 % more", "8", "HOLDS"),
        ("drives", own, "ops_per_s", "between 40 and 60 % more", "all", "HOLDS"),
        ("drives", own, "ops_per_s", "between 45 and 60 % more", "all", "CONTRADICTED"),
        ("drives", own, "ops_per_s", "on average 45 % more", "all", "HOLDS"),
        ("drives", own, "ops_per_s", "on average 60 % more", "all", "INFLATED"),
        ("drives", own, "ops_per_s", "about 55 % more", "96", "HOLDS"),
        ("drives", own, "ops_per_s", "about 65 % more", "96", "INFLATED"),
        ("drives", "Micron : Samsung", "hit_percent", "3 pp higher", "all", "HOLDS"),
        ("drives", "Micron : Samsung", "hit_percent", "4 pp higher", "all", "INFLATED"),
        // Of oneself, what is worse must be so.
        ("drives", "Micron : Samsung", "ops_per_s", "98 % of", "8", "HOLDS"),
        ("drives", "Micron : Samsung", "ops_per_s", "90 % of", "8", "INFLATED"),
        ("drives", "Micron : Samsung", "ops_per_s", "99.9 % of", "8", "INFLATED"),
        // Japanese and Portuguese.
        ("drives", low, "ops_per_s", "他のSSDの65%にすぎません", "96スレッド", "HOLDS"),
        ("drives", low, "p99_us", "読み取りレイテンシーの2倍以上", "96スレッド", "HOLDS"),
        ("drives", low, "p99_us", "読み取りレイテンシーが1.5倍", "8スレッド", "HOLDS"),
        ("drives", low, "p99_us", "読み取りレイテンシーが1.9倍", "8スレッド", "INFLATED"),
        ("drives", low, "ops_per_s", "パフォーマンスは30%低下します", "8から64スレッド", "HOLDS"),
        ("drives", low, "ops_per_s", "apenas 65 % do desempenho", "com 96 threads", "HOLDS"),
        ("drives", low, "ops_per_s", "30 % menor", "de 8 a 64 threads", "HOLDS"),
        ("drives", low, "p99_us", "mais que o dobro da latência", "96 threads", "HOLDS"),
        ("drives", low, "p99_us", "1,5 vezes a latência", "8", "HOLDS"),
    ]);
}

#[test]
fn differences_are_taken_from_the_figures_or_as_published() {
    let pair = "Micron : Samsung";
    judged(&[
        ("drives", "Micron : Solidigm", "p99_us", "100 µs lower", "at 8 threads", "HOLDS"),
        ("drives", "Micron : Solidigm", "p99_us", "120 µs lower", "8", "INFLATED"),
        ("drives", "Solidigm : Micron", "p99_us", "100 µs higher", "8", "HOLDS"),
        ("drives", "Micron : Solidigm", "p99_us", "100 µs higher", "8", "INFLATED"),
        ("drives", "Micron : Solidigm", "p99_us", "0.1 ms lower", "8", "HOLDS"),
        ("differences", pair, "mean_us", "108 µs lower", "at 800 MB/s", "HOLDS"),
        ("differences", pair, "mean_us", "a 108 µs advantage", "at 800 MB/s", "HOLDS"),
        (
            "differences",
            pair,
            "mean_us",
            "uma vantagem de 108 microssegundos",
            "a 800 MB/s",
            "HOLDS",
        ),
        ("differences", pair, "mean_us", "108マイクロ秒低い", "800MB/sで", "HOLDS"),
        ("differences", pair, "mean_us", "120 µs lower", "at 800 MB/s", "INFLATED"),
        ("differences", pair, "mean_us", "108 µs higher", "at 800 MB/s", "INFLATED"),
        ("differences", pair, "p99_us", "196 µs better", "at 800 MB/s", "HOLDS"),
        ("differences", pair, "p99_us", "197 µs better", "at 800 MB/s", "HOLDS, ROUNDED UP"),
        ("differences", pair, "p99_us", "1965 µs better", "at 800 MB/s", "UNITS"),
        ("differences", pair, "mean_us", "better", "", "HOLDS"),
        ("differences", "Samsung : Micron", "mean_us", "108 µs higher", "800 MB/s", "HOLDS"),
        (
            "differences",
            pair,
            "mean_us",
            "30 % lower",
            "at 800 MB/s",
            "CAN'T BE VERIFIED FROM THE DATA GIVEN",
        ),
    ]);
}

#[test]
fn a_power_of_ten_is_a_verdict_of_its_own_and_a_worse_point_is_named() {
    judged(&[
        ("drives", "Micron", "ops_per_s", "380 IOPS", "96", "UNITS"),
        ("drives", "Micron", "ops_per_s", "38 K", "96", "UNITS"),
        ("drives", "Micron", "ops_per_s", "3.8 M", "96", "UNITS"),
        ("drives", "Micron", "ops_per_s", "over 380 IOPS", "96", "UNITS"),
        ("drives", "Micron", "ops_per_s", "380 K", "96", "HOLDS"),
        ("drives", "Micron", "ops_per_s", "over 300 K", "96", "HOLDS"),
        ("drives", "Micron", "p99_us", "2000 µs", "8", "UNITS"),
        ("drives", "Micron", "p99_us", "0.2 ms", "8", "HOLDS"),
        ("drives", "Micron : Solidigm", "ops_per_s", "5.4 %", "96", "UNITS"),
        ("drives", "Micron : Solidigm", "ops_per_s", "538 %", "96", "UNITS"),
        ("sql", "Micron", "iops", "220 IOPS", "at 10 % load", "UNITS"),
        ("sql", "Micron", "mean_us", "740 µs", "at 10 % load", "UNITS"),
        ("sql", "Micron", "mean_us", "74 µs", "at 10 % load", "HOLDS"),
        ("drives", "Micron", "ops_per_s", "better", "all", "CONTRADICTED"),
        ("drives", "Micron", "p99_us", "better", "96", "HOLDS"),
        ("drives", "Micron : Samsung", "p99_us", "lower", "all", "CONTRADICTED"),
        ("drives", "Micron : Samsung", "ops_per_s", "5 % more", "all", "CONTRADICTED"),
    ]);
    let here = tempfile::tempdir().unwrap();
    let claims = here.path().join("claims.toml");
    let claim = "[[claim]]\nwords = \"better\"\nsays = \"better\"\ndata = \"drives\"\nmetric = \
                 \"ops_per_s\"\nagainst = \"Samsung\"\n";
    std::fs::write(&claims, format!("{HEAD}{claim}")).unwrap();
    let printed = audit(&claims, &data()).0;
    assert!(
        printed.contains("not reached: 8 threads against Samsung, ops_per_s 60,000"),
        "{printed}"
    );
}

#[test]
fn trends_and_nearness_are_judged_over_the_points_by_a_stated_rule() {
    let far = "Micron : Solidigm";
    let near = "Micron : Samsung";
    judged(&[
        ("drives", far, "ops_per_s", "the advantage grows with threads", "", "HOLDS"),
        ("drives", near, "ops_per_s", "the advantage grows", "", "CONTRADICTED"),
        ("drives", near, "ops_per_s", "the advantage grows", "from 16 threads", "HOLDS"),
        ("drives", far, "ops_per_s", "the gap narrows", "", "INFLATED"),
        ("drives", far, "ops_per_s", "a vantagem cresce", "", "HOLDS"),
        ("drives", near, "ops_per_s", "優位性が広がる", "", "CONTRADICTED"),
        ("drives", "Micron", "ops_per_s", "grows", "", "HOLDS"),
        ("drives", "Micron", "p99_us", "falls", "", "INFLATED"),
        ("drives", "Micron", "p99_us", "more linear", "", "HOLDS"),
        ("drives", "Solidigm", "p99_us", "more linear", "", "INFLATED"),
        ("drives", "Samsung", "p99_us", "mais linear", "", "CONTRADICTED"),
        ("drives", "Micron", "p99_us", "flatter", "", "HOLDS"),
        ("drives", "Micron", "ops_per_s", "scales better", "", "HOLDS"),
        ("drives", "Solidigm", "ops_per_s", "scales better", "", "INFLATED"),
        ("drives", near, "ops_per_s", "similar", "all", "HOLDS"),
        ("drives", near, "ops_per_s", "ほぼ同じ", "", "HOLDS"),
        ("drives", far, "ops_per_s", "comparable", "all", "INFLATED"),
        (
            "drives",
            "Samsung : Micron",
            "ops_per_s",
            "slightly higher",
            "at lower thread counts",
            "HOLDS",
        ),
        (
            "drives",
            "Samsung : Micron",
            "ops_per_s",
            "slightly higher",
            "8, 16, 64 and 96",
            "CONTRADICTED",
        ),
        ("drives", near, "ops_per_s", "a slight advantage", "at higher thread counts", "HOLDS"),
        ("drives", far, "ops_per_s", "slightly higher", "96", "INFLATED"),
        ("drives", "Solidigm", "ops_per_s", "lowest", "all", "HOLDS"),
        (
            "drives",
            "Solidigm",
            "ops_per_s",
            "consistently exhibits the lowest performance",
            "",
            "HOLDS",
        ),
        ("drives", "Samsung", "ops_per_s", "lowest", "all", "CONTRADICTED"),
        ("sql", "Micron : Samsung", "mean_us", "the advantage grows", "10", "INCOMPLETE"),
    ]);
}

#[test]
fn places_are_read_as_people_write_them() {
    judged(&[
        ("read", "Micron", "iops", "669K IOPS", "at 10 % load", "HOLDS"),
        ("read", "Micron", "mean_us", "70 µs", "at 10 % load", "HOLDS"),
        ("read", "Micron", "mean_us", "70 µs", "100%の負荷", "WRONG POINT"),
        ("machines", "Micron", "tps", "30,337 TPS", "at 8 VMs", "HOLDS"),
        ("machines", "Micron", "tps", "30.337 TPS", "8 VMs", "UNITS"),
        ("machines", "Micron", "tps", "30,337 TPS", "1 VM per SSD", "HOLDS"),
        ("machines", "Micron", "tps", "38,838 TPS", "2 VMs por SSD", "HOLDS"),
        (
            "machines",
            "Micron",
            "tps",
            "30,337 TPS",
            "at 8 threads",
            "CAN'T BE VERIFIED FROM THE DATA GIVEN",
        ),
    ]);
}
