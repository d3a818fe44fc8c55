//! `dyno selftest`, whole: it says what it found of everything that it promises to look at, and
//! leaves nothing behind.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{DYNO, said, size, skip};

/// The words after a name, as it is printed.
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
    // The short one is not kept, so that a test changes nothing of this host's briefs; nor is the
    // long one's, in soaks, of less than the default.
    let duration = size("10s", "149s");
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
    assert!(leading_number(same) <= 1 && same.contains("of 5 briefs"), "{same}");
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
    if duration != "10s" {
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

/// A loop device over a sparse file, which is its serial number; gone when dropped.
struct Loop {
    _folder: tempfile::TempDir,
    file: PathBuf,
    device: String,
}

impl Loop {
    fn new() -> Option<Loop> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
        let file = folder.path().join("disk");
        std::fs::File::create(&file).expect("made").set_len(64 << 20).expect("a size");
        let made = Command::new("losetup").args(["--find", "--show"]).arg(&file).output();
        let Some(made) = made.ok().filter(|out| out.status.success()) else {
            skip("loop devices cannot be made here (root is needed)");
            return None;
        };
        let device = String::from_utf8_lossy(&made.stdout).trim().to_string();
        Some(Loop { _folder: folder, file, device })
    }

    fn selftest(&self, keys: &str) -> (Option<i32>, String) {
        let mut command = Command::new(DYNO);
        let out = command
            .args(["selftest", "--duration", "10s", &format!("{}{keys}", self.device)])
            .output();
        let out = out.expect("ran");
        (out.status.code(), said(&out))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.device).output();
    }
}

fn first_byte(file: &Path) -> u8 {
    std::fs::read(file).expect("read")[0]
}

#[test]
fn a_self_test_writes_to_a_bare_device_only_where_a_run_would() {
    let Some(disk) = Loop::new() else { return };
    let serial = disk.file.display();
    let refused = |keys: &str, what: &str| {
        let (code, text) = disk.selftest(keys);
        assert!(code.is_some_and(|c| c != 0) && text.contains(what), "{keys}: {code:?} {text}");
        assert!(
            !text.contains("Self-test, 1 of"),
            "it is refused before anything is measured: {text}"
        );
    };
    refused("", "would write to this device, and the plan does not allow that");
    refused(&format!(",serial={serial}"), "would write to this device");
    refused(",serial=another,erase=true", "and the plan names 'another'");
    refused(
        &format!(",serial={serial},erase=true,size=1"),
        "is not a device with serial and erase",
    );
    let (code, text) = disk.selftest(&format!(",serial={serial},erase=true"));
    assert!(code == Some(0) && text.contains("Not kept"), "{text}");
    assert!(text.contains(&format!("direct reads of {}", disk.device)), "{text}");
    let failed = text.split("Not measured").nth(1).unwrap_or_default();
    assert!(failed.is_empty() || failed.contains("uring"), "{text}");
    // What the first has written is data that nobody named to the second.
    assert_ne!(first_byte(&disk.file), 0);
    refused(&format!(",serial={serial},erase=true"), "it holds data of a kind that is not known");
    let (code, text) = disk.selftest(&format!(",serial={serial},erase=unknown data"));
    assert_eq!(code, Some(0), "{text}");
}
