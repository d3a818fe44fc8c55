//! `dyno selftest`, complete: it reports a result for everything that it promises, and leaves
//! nothing behind.

use std::process::Command;

use crate::support::{DYNO, said, size, skip};

/// The words after a name, as printed.
fn value<'a>(lines: &'a str, name: &str) -> &'a str {
    let found = lines.lines().find_map(|line| line.strip_prefix(name));
    found.unwrap_or_else(|| panic!("no '{name}' in:\n{lines}")).trim()
}

fn leading_number(text: &str) -> u64 {
    let digits: String = text
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .filter(|c| *c != ',')
        .collect();
    digits.parse().unwrap_or_else(|_| panic!("no number leads '{text}'"))
}

#[test]
fn a_self_test_says_what_it_found_and_leaves_nothing_behind() {
    let temporary = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    // The short one is not stored, so that a test does not affect this host's briefs; nor is the
    // long one in soaks, which is shorter than the default.
    let duration = size("5s", "149s");
    let mut command = Command::new(DYNO);
    command
        .args(["selftest", "--duration", duration])
        .arg(temporary.path())
        .env("TMPDIR", temporary.path());
    let output = command.output().expect("ran");
    assert!(output.status.success(), "{}", said(&output));
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("{lines}");
    assert!(lines.contains("Not kept"), "{lines}");
    let same = value(&lines, "The same subject twice");
    // Each has a false claim with a probability of at most 5 %: three of five do once in 860.
    assert!(leading_number(same) <= 2 && same.contains("of 5 briefs"), "{same}");
    assert!(value(&lines, "Summary").contains("the same subject twice: "), "{lines}");
    for percent in [1, 3, 10] {
        assert!(
            value(&lines, &format!("Known difference of {percent} %"))
                .contains("0 claims of the opposite")
        );
    }
    for shape in ["closed loop, one thread", "closed loop, many in flight", "open loop, one thread"]
    {
        assert!(
            leading_number(value(&lines, &format!("Ceiling, null, {shape}"))) > 10_000,
            "{lines}"
        );
        let psync = value(&lines, &format!("Ceiling, psync, {shape}"));
        assert!(leading_number(psync) > 1_000, "{lines}");
    }
    if lines.contains("uring: ") {
        skip("io_uring cannot be used here");
    }
    if duration != "5s" {
        assert!(
            value(&lines, "Known difference of 10 %").contains("claimed in the step's mean"),
            "{lines}"
        );
        assert!(value(&lines, "Summary").contains("5 repeats show differences from"), "{lines}");
    }
    let left: Vec<_> =
        temporary.path().read_dir().expect("listed").flatten().map(|e| e.path()).collect();
    assert!(left.is_empty(), "{left:?}");
}
