//! A stored self-test is disclosed and quoted by later measurements on its host; and it writes to a
//! bare device only if a run would.

use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use dyno::cmd::selftest_result::{KEPT, line};
use dyno::record::PacingFloor;
use dyno::record::selftest::{Same, Scatter, SelfTest};

use crate::support::{DYNO, LoopDevice, have, said};

const PROTOCOL: &str = "title = \"Null\"\nsource = \"test\"\n[[step]]\nname = \"a\"\n\
    duration = \"50ms\"\n\
    [[step.stream]]\nname = \"io\"\nengine = { kind = \"null\", latency = \"50us\" }\n\
    workload = \"random\"\n";

/// An unprivileged user and group.
const NOBODY: u32 = 65_534;

fn kept() -> SelfTest {
    let scatter = Scatter {
        of: "the null engine".into(),
        ops: Some(0.01),
        p99: None,
        shows_percent: Some(1.8),
    };
    SelfTest {
        started_unix_ns: 1_790_000_000_000_000_000,
        dyno_version: "0.1.0".into(),
        repeats: 5,
        window_ns: 200_000_000,
        same: Same { briefs: 5, comparisons: 40, claimed: 0, false_briefs: 0 },
        known: Vec::new(),
        scatter: vec![scatter],
        floor: PacingFloor { median_ns: 900, p95_ns: 5_000, ops: 2_000, ops_per_s: 10_000 },
        ceilings: Vec::new(),
        failures: Vec::new(),
    }
}

/// Runs Dyno as a user whose state is in the folder: root's belongs to the whole host, not to a
/// test.
fn dyno(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new("setpriv");
    if rustix::process::geteuid().is_root() {
        let id = NOBODY.to_string();
        command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]);
    } else {
        command.arg("--nnp");
    }
    // A target folder may be accessible only to its owner.
    command
        .arg(folder.join("dyno"))
        .args(args)
        .current_dir(folder)
        .env("XDG_STATE_HOME", folder.join("state"));
    command.output().expect("ran")
}

/// That user's folder with Dyno, a protocol, two drives, and the stored state.
fn bench(selftest: Option<String>) -> tempfile::TempDir {
    let folder = tempfile::tempdir_in("/var/tmp").expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::copy(DYNO, path("dyno")).expect("copied");
    ["x", "y", "state", "state/dyno"]
        .iter()
        .for_each(|name| std::fs::create_dir(path(name)).expect("a folder"));
    std::fs::write(path("null.toml"), PROTOCOL).expect("written");
    if let Some(line) = selftest {
        std::fs::write(path("state/dyno").join(KEPT), line + "\n").expect("written");
    }
    if rustix::process::geteuid().is_root() {
        for name in ["", "x", "y", "state", "state/dyno"] {
            chown(path(name), Some(NOBODY), Some(NOBODY)).expect("given away");
        }
        let _ = chown(path("state/dyno").join(KEPT), Some(NOBODY), Some(NOBODY));
    }
    std::fs::set_permissions(path("state/dyno"), std::fs::Permissions::from_mode(0o700))
        .expect("private");
    folder
}

#[track_caller]
fn ok(folder: &Path, args: &[&str]) -> String {
    let out = dyno(folder, args);
    assert!(out.status.success(), "{args:?}: {}", said(&out));
    said(&out)
}

const PLAN: [&str; 6] = ["null.toml", "--subject", "X=x", "--subject", "Y=y", "--repeats=3"];

#[test]
fn a_self_test_that_was_kept_is_quoted_by_briefs_and_by_plan_check() {
    if !have(&["setpriv"]) {
        return;
    }
    let folder = bench(Some(line(&kept()).expect("a line")));
    let folder = folder.path();
    let quoted = "On this host, 5 repeats show differences from 1.8 % (the null engine); the same \
                  subject twice: 0 false claims in 40";
    let checked = ok(folder, &[&["plan", "check"], &PLAN[..]].concat());
    assert!(checked.contains(quoted), "{checked}");
    let shows = "3 repeats show differences of ops/s from ";
    assert!(checked.contains(shows) && checked.contains("runs scatter by 1.0 %"), "{checked}");
    ok(folder, &[&["run"], &PLAN[..], &["--output", "b.dyno"]].concat());
    assert!(ok(folder, &["compare", "b.dyno"]).contains(quoted));
    ok(folder, &["report", "b.dyno", "-o", "b.md"]);
    let brief = std::fs::read_to_string(folder.join("b.md")).expect("a brief");
    assert!(brief.contains(quoted), "{brief}");
    assert!(ok(folder, &["facts"]).contains("Self-test Summary 5 repeats"));
}

#[test]
fn a_self_test_of_another_host_is_not() {
    if !have(&["setpriv"]) {
        return;
    }
    let own = line(&kept()).expect("a line");
    // Another machine's, and an unreadable one.
    let machine = own.replacen("[[\"", "[[\"another ", 1);
    assert_ne!(machine, own);
    let folder = bench(Some(format!("{machine}\nnot JSON")));
    let checked = ok(folder.path(), &[&["plan", "check"], &PLAN[..]].concat());
    assert!(checked.contains("unknown on this host: run `dyno selftest`"), "{checked}");
}

/// A loop device on a sparse file, which is its serial number; removed when dropped.
struct Loop {
    _folder: tempfile::TempDir,
    file: PathBuf,
    device: LoopDevice,
}

impl Loop {
    fn new() -> Option<Loop> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
        let file = folder.path().join("disk");
        std::fs::File::create(&file).expect("made").set_len(64 << 20).expect("a size");
        let device = LoopDevice::over(&file)?;
        Some(Loop { _folder: folder, file, device })
    }

    fn selftest(&self, keys: &str) -> (Option<i32>, String) {
        let mut command = Command::new(DYNO);
        let out = command
            .args(["selftest", "--duration", "10s", &format!("{}{keys}", self.device.display())])
            .output();
        let out = out.expect("ran");
        (out.status.code(), said(&out))
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
    refused(",serial=another,erase=true", "but the plan has 'another'");
    refused(
        &format!(",serial={serial},erase=true,size=1"),
        "is not a device with serial and erase",
    );
    let (code, text) = disk.selftest(&format!(",serial={serial},erase=true"));
    assert!(code == Some(0) && text.contains("Not kept"), "{text}");
    assert!(text.contains(&format!("direct reads of {}", disk.device.display())), "{text}");
    // On a busy host no op may complete in windows this short, which is said and no figure.
    let excused = |failed: &str| failed.contains("uring") || failed.contains("completed no op");
    assert!(text.split("Not measured").skip(1).all(excused), "{text}");
    // The first one's data are unnamed contents for the second.
    assert_ne!(first_byte(&disk.file), 0);
    refused(&format!(",serial={serial},erase=true"), "it contains data of an unknown kind");
    let (code, text) = disk.selftest(&format!(",serial={serial},erase=unknown data"));
    assert_eq!(code, Some(0), "{text}");
}
