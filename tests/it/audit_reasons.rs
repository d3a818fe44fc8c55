//! `dyno audit`: the reasons why a statement is incomplete or not verified, and signed changes.

use crate::audit::{Small, of_claim, says, verdict};

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
