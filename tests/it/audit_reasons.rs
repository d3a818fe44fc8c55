//! `dyno audit`: the reasons why a statement is incomplete, in conflict or not verified, statements
//! without a table, and the page of published statements with their reasons.

use crate::audit::{Small, audit, folder, of_claim, published, says, verdict};

/// The table rows below a heading of docs/published.md, as cells.
fn rows_below(page: &str, heading: &str) -> Vec<Vec<String>> {
    let part = page.split(heading).nth(1).expect("the heading").split("\n## ").next().unwrap();
    let rows = part.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    rows.map(|row| row.split(" | ").map(String::from).collect()).skip(1).collect()
}

/// Every number of a calculation in a row is in the audit's output for the statement.
#[track_caller]
fn is_printed(row: &[String], printed: &str, number: usize) {
    let claim = of_claim(printed, number);
    assert_eq!(verdict(printed, number).to_lowercase(), row[2], "{claim}");
    let parts = row[5].split("; ").flat_map(|p| p.split(": ")).flat_map(|p| p.split(", "));
    for part in parts.filter(|part| part.contains(['÷', '\''])) {
        let part = part
            .trim_end_matches(" as a gain")
            .trim_start_matches("read as a lower latency it is ");
        assert!(claim.contains(part), "'{part}' is not in:\n{claim}");
    }
}

#[test]
fn the_page_of_published_sentences_has_the_verdicts_that_are_printed() {
    let page = std::fs::read_to_string(folder().join("../../docs/published.md")).unwrap();
    let (of_7500, ..) = audit(&folder().join("micron-7500.toml"), &[]);
    let rows = rows_below(&page, "## The 7500's statements, audited");
    assert_eq!(rows.len(), 4);
    // The fourth has three figures, the last of which is derived from the others.
    for (row, number) in rows.iter().zip([1, 2, 3, 6]) {
        is_printed(row, &of_7500, number);
    }
    let (of_7600, ..) = audit(&folder().join("micron-7600.toml"), &published());
    let rows = rows_below(&page, "## The 7600's statements, audited");
    assert_eq!(rows.len(), 8);
    for (row, number) in rows.iter().zip(1..) {
        is_printed(row, &of_7600, number);
    }
}

#[test]
fn statements_without_a_table_are_compared_with_one_another() {
    let (printed, error, code) = audit(&folder().join("micron-7500.toml"), &[]);
    let conflict =
        "statement 2 has the same figure at another point: “49 % at maximum performance”";
    says(&printed, 1, &["IN CONFLICT", "there are no data 'micron-7500'", conflict]);
    says(&printed, 2, &["IN CONFLICT", "statement 1 has the same figure at another point"]);
    for number in 3..6 {
        says(&printed, number, &["CAN'T BE VERIFIED", "there are no data 'micron-7500'"]);
    }
    let sum =
        "energy = power × time = 0.730 ÷ 1.150 = 0.635 times the rival's, by statements 4 and 5";
    says(&printed, 6, &["HOLDS", "change = (0.635 − 1) ÷ 1 = −36.52 %", sum]);
    assert_eq!(code, Some(2), "{error}");
}

#[test]
fn what_is_incomplete_or_cannot_be_verified_says_why_in_one_line() {
    let cases = [
        ("ops_per_s", "25 %", "at = 32\nagainst = \"B\"", "table has no ops_per_s of A at 32 at"),
        ("ops_per_s", "9 K", "at = { p99_us = \"7 µs\" }", "table has no such point of A"),
        ("ops_per_s", "25 %", "at = 8\nagainst = [\"C\", \"D\"]", "ops_per_s of C; ops_per_s of D"),
        (
            "ops_per_s",
            "better",
            "at = [8, 16, 32, 64]\nagainst = \"B\"",
            "2 of the 4 points claimed are in the data; it lacks ops_per_s of A and B at 32, 64 at",
        ),
    ];
    for (metric, says, more, line) in cases {
        let (printed, _) = Small::new().judge(&[(metric, says, more)]);
        let claim = of_claim(&printed, 1);
        let reasons = claim.lines().filter(|l| l.contains("has no") || l.contains("lack"));
        let absent = claim.lines().filter(|l| l.contains("not in the data"));
        assert_eq!(reasons.count() + absent.count(), 1, "{claim}");
        assert!(claim.contains(line), "{line}:\n{claim}");
    }
}

#[test]
fn a_change_with_its_sign_is_read_as_new_less_old_over_old() {
    let at_16 = "at = 16\nagainst = \"B\"";
    let cases = [
        (
            "p99_us",
            "(new − old) ÷ old = −42 %",
            "HOLDS, ROUNDED UP",
            "(151 − 259) ÷ 259 = −41.69 %",
        ),
        ("p99_us", "-41 %", "HOLDS", "(151 − 259) ÷ 259 = −41.69 %"),
        ("p99_us", "−72 %", "WRONG FORMULA", "gain = 259 ÷ 151 − 1 = 71.52 %"),
        ("ops_per_s", "+114 %", "HOLDS", "(1,500 − 700) ÷ 700 = 114.28 %"),
        ("p99_us", "+41 %", "INFLATED", "opposite in direction: A is better there"),
        ("p99_us", "at least −41 %", "CAN'T BE READ", "not a signed change in percent"),
    ];
    for (metric, stated, expected, line) in cases {
        let (printed, _) = Small::new().judge(&[(metric, stated, at_16)]);
        assert_eq!(verdict(&printed, 1), expected, "{stated}:\n{printed}");
        says(&printed, 1, &[line]);
    }
}
