//! Statements about a bundle: every claimable figure can be audited, and nothing that Dyno itself
//! printed is judged false.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::made::{self, Figures};
use crate::support::{DYNO, said};

/// A reads 1.8 M/s at a p99 of 400 µs with 9 W, B 1.5 M/s at 500 µs; both write at the same rate.
fn bundle(dir: &Path) -> PathBuf {
    let plan = made::plan(dir, &made::reader_and_writer(&[1, 2]), 2, 3);
    let bundle = dir.join("b.dyno");
    made::write(&bundle, &plan, &mut |key| {
        let (ops_per_s, p99_ns) = if key.subject == "A" { (1.8e6, 4e5) } else { (1.5e6, 5e5) };
        let reader = Figures { ops_per_s, p99_ns, ..Figures::default() };
        let writer = Figures { ops_per_s: 1e6, p99_ns: 8e5, ..Figures::default() };
        Some(Figures { streams: vec![reader, writer], watts: Some(9.0), ..Figures::default() })
    });
    bundle
}

/// The verdict on each of A's statements: (metric, says, further keys).
fn judge(dir: &Path, bundle: &Path, claims: &[(String, String, String)]) -> Vec<(String, String)> {
    let mut text = "title = \"t\"\nsubject = \"A\"\n".to_string();
    for (metric, says, rest) in claims {
        text += &format!(
            "[[claim]]\nwords = \"w\"\nmetric = \"{metric}\"\nsays = \"{says}\"\n{rest}\n"
        );
    }
    let path = dir.join("claims.toml");
    std::fs::write(&path, text).expect("written");
    let out =
        Command::new(DYNO).arg("audit").arg(&path).arg("--data").arg(bundle).output().expect("ran");
    let printed = String::from_utf8_lossy(&out.stdout).into_owned();
    let each = |n: usize| {
        let from = printed
            .find(&format!("\n{n}. "))
            .unwrap_or_else(|| panic!("no statement {n}: {}", said(&out)));
        let all = printed[from + 1..].split("\n\n").next().unwrap_or_default().to_string();
        (all.lines().nth(1).unwrap_or_default().trim().to_string(), all)
    };
    (1..=claims.len()).map(each).collect()
}

fn claim(metric: &str, says: &str, rest: &str) -> (String, String, String) {
    (metric.into(), says.into(), rest.into())
}

const AT: &str = "at = 1\nagainst = \"B\"";

/// A figure's name, a true difference from B in percent and in its unit, A's own figure; then a
/// false one of each.
const FIGURES: &[(&str, [&str; 3], [&str; 3])] = &[
    ("ops_per_s", ["20 %", "300,000 ops/s", "1.8 M"], ["30 %", "400,000 ops/s", "1.9 M"]),
    ("mb_per_s", ["20 %", "1,228 MB/s", "7.3 GB/s"], ["22 %", "1,300 MB/s", "7.6 GB/s"]),
    ("mean_us", ["20 %", "50 µs", "204 µs"], ["25 %", "70 µs", "150 µs"]),
    ("p50_us", ["20 %", "50 µs", "200 µs"], ["25 %", "60 µs", "170 µs"]),
    ("p95_us", ["20 %", "50 µs", "0.20 ms"], ["25 %", "60 µs", "0.17 ms"]),
    ("p99_us", ["20 %", "100 µs", "400 µs"], ["25 %", "120 µs", "350 µs"]),
    ("p99_9_us", ["20 %", "300 µs", "1.2 ms"], ["25 %", "320 µs", "1.0 ms"]),
    ("p99_99_us", ["20 %", "300 µs", "1.20 ms"], ["25 %", "320 µs", "1.00 ms"]),
    ("reads_per_min", ["20 %", "18 M", "108 M"], ["30 %", "19 M", "118 M"]),
    (
        "ops_per_s_per_watt",
        ["20 %", "33,333", "200,000 ops/s/W"],
        ["30 %", "40,000", "220,000 ops/s/W"],
    ),
    (
        "mb_per_s_per_watt",
        ["20 %", "136 MB/s/W", "819 MB/s/W"],
        ["30 %", "150 MB/s/W", "900 MB/s/W"],
    ),
    ("joules_per_op", ["16 %", "1.0 µJ", "5.0 µJ"], ["25 %", "1.5 µJ", "4.0 µJ"]),
];

#[test]
fn every_figure_that_can_be_claimed_can_be_audited() {
    let folder = made::folder();
    let dir = folder.path();
    let bundle = bundle(dir);
    let (mut statements, mut truths) = (Vec::new(), Vec::new());
    for (name, right, wrong) in FIGURES {
        for (is_true, [percent, difference, value]) in [(true, right), (false, wrong)] {
            let lower = name.ends_with("_us") || *name == "joules_per_op";
            let formula = if lower { "formula = \"reduction\"\n" } else { "" };
            for part in ["", "reader:"] {
                let metric = format!("{part}{name}");
                statements.push(claim(&metric, percent, &format!("{formula}{AT}")));
                statements.push(claim(
                    &metric,
                    difference,
                    &format!("formula = \"difference\"\n{AT}"),
                ));
                statements.push(claim(&metric, value, "at = 1"));
                truths.extend([is_true; 3]);
            }
        }
    }
    for ((verdict, all), (is_true, (metric, says, _))) in
        judge(dir, &bundle, &statements).iter().zip(truths.iter().zip(&statements))
    {
        let fine = ["HOLDS", "HOLDS, ROUNDED UP", "MAY HOLD"].contains(&verdict.as_str());
        let known = ["INFLATED", "WRONG FORMULA", "WRONG POINT", "WRONG RIVAL"]
            .iter()
            .any(|v| verdict.contains(v));
        assert!(if *is_true { fine } else { known }, "{metric}, {says}: {all}");
    }
}

#[test]
fn bounds_and_ties_of_a_bundle_are_judged_by_what_is_printed() {
    let folder = made::folder();
    let dir = folder.path();
    let bundle = bundle(dir);
    let statements = [
        ("ops_per_s", "more than 1.1 ×", AT, "HOLDS"),
        ("ops_per_s", "more than 2 ×", AT, "INFLATED"),
        ("ops_per_s", "at least 20 %", AT, "HOLDS"),
        ("p99_us", "better", "at = \"all\"", "HOLDS"),
        ("writer:p99_us", "better", "at = \"all\"", "A TIE"),
        ("writer:mb_per_s", "better", AT, "A TIE"),
        ("p99_us", "under 0.5 ms", "at = \"all\"", "HOLDS"),
        ("joules_per_op", "better", "subject = \"B\"\nagainst = \"A\"\nat = 1", "INFLATED"),
        ("ops_per_s", "better", "against = \"C\"", "INCOMPLETE"),
        ("p99_us", "400 µs", "at = { ops_per_s = \"1.8 M\" }", "HOLDS, ROUNDED UP"),
        (
            "writer:p95_us",
            "better",
            "at = 4\nagainst = \"B\"",
            "CAN'T BE VERIFIED FROM THE DATA GIVEN",
        ),
        ("drive-1:p99_us", "better", AT, "CAN'T BE READ"),
    ];
    let claims: Vec<_> =
        statements.iter().map(|(metric, says, rest, _)| claim(metric, says, rest)).collect();
    for ((verdict, all), (.., expected)) in judge(dir, &bundle, &claims).iter().zip(statements) {
        assert_eq!(verdict, expected, "{all}");
    }
}

/// Tables print fewer digits than sentences: values computed from either are not called inflated.
#[test]
fn what_follows_from_the_digits_of_a_table_is_not_accused() {
    let folder = made::folder();
    let dir = folder.path();
    let plan = made::plan(dir, &made::step("reads", "", ""), 2, 3);
    let bundle = dir.join("b.dyno");
    made::write(&bundle, &plan, &mut |key| {
        let p99_ns = if key.subject == "A" { 5_226_000.0 } else { 6_144_000.0 };
        Some(Figures { ops_per_s: 5e5, p99_ns, ..Figures::default() })
    });
    let shown = Command::new(DYNO).arg("compare").arg(&bundle).output().expect("ran");
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    // The column of p99: its numbers end where its head ends.
    let head = shown.lines().find(|line| line.contains("p99, ")).expect("a head");
    let from = head.find("p99, ").expect("a column");
    let unit = head[from + 5..].split_whitespace().next().expect("a unit");
    let end = head[..from].chars().count() + 5 + unit.chars().count();
    let digits = |subject: &str| -> f64 {
        let line =
            shown.lines().find(|l| l.split_whitespace().next() == Some(subject)).expect("a row");
        let until: String = line.chars().take(end).collect();
        until.split_whitespace().next_back().expect("a word").parse().expect("a number")
    };
    let percent = (digits("B") / digits("A") - 1.0) * 100.0;
    let statement =
        claim("p99_us", &format!("{percent:.2} %"), "formula = \"gain\"\nagainst = \"B\"");
    let (verdict, all) = &judge(dir, &bundle, &[statement])[0];
    assert!(
        ["HOLDS", "HOLDS, ROUNDED UP", "MAY HOLD"].contains(&verdict.as_str()),
        "{all}\n{shown}"
    );
}

#[test]
fn a_bundles_figure_is_not_described_the_wrong_way_round() {
    let folder = made::folder();
    let dir = folder.path();
    let bundle = bundle(dir);
    let text = "title = \"t\"\nsubject = \"B\"\n[metric.p99_us]\nbetter = \"higher\"\n[[claim]]\n\
                words = \"w\"\n\
                metric = \"p99_us\"\nsays = \"better\"\n";
    std::fs::write(dir.join("c.toml"), text).expect("written");
    let out = Command::new(DYNO)
        .args(["audit", "c.toml", "--data"])
        .arg(&bundle)
        .current_dir(dir)
        .output();
    let out = out.expect("ran");
    assert_eq!(out.status.code(), Some(1));
    assert!(said(&out).contains("[metric.p99_us] has the wrong direction"), "{}", said(&out));
}
