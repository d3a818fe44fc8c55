//! Several hosts that load one storage at once: their clocks are compared, excessive offsets are
//! refused, and the sum equals the kernel's count. A host is a process here; its clock is shifted
//! by Debian's libfaketime.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use crate::support::{DYNO, LoopDevice, dyno, dyno_well, have, said, size, skip};

/// A host's clock for the others, stopped when dropped.
struct Reference {
    process: Child,
    address: String,
}

impl Reference {
    fn start() -> Reference {
        let mut process = Command::new(DYNO)
            .args(["fleet", "clock", "--serve=127.0.0.1:0"])
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        let said = BufReader::new(process.stderr.take().expect("stderr"));
        let found = said.lines().map_while(Result::ok).find_map(|line| {
            let (_, address) = line.split_once("time at ")?;
            Some(address.trim_end_matches('.').to_string())
        });
        Reference { process, address: found.expect("an address") }
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Debian's library; the test is skipped if it is missing.
fn faketime() -> Option<PathBuf> {
    let found = ["x86_64", "aarch64"]
        .map(|cpu| PathBuf::from(format!("/usr/lib/{cpu}-linux-gnu/faketime/libfaketime.so.1")));
    let found = found.into_iter().find(|path| path.exists());
    if found.is_none() {
        skip("clocks are set apart by libfaketime (Debian's faketime), which is not here");
    }
    found
}

/// Dyno on a host whose clock is this many seconds ahead.
fn on_host(folder: &Path, ahead: Option<(&Path, &str)>, args: &[&str]) -> Child {
    let mut command = Command::new(DYNO);
    command.current_dir(folder).args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some((library, seconds)) = ahead {
        command.env("LD_PRELOAD", library).env("FAKETIME", seconds);
        command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }
    command.spawn().expect("started")
}

/// The same to its end.
fn ended(folder: &Path, ahead: Option<(&Path, &str)>, args: &[&str]) -> Output {
    on_host(folder, ahead, args).wait_with_output().expect("ended")
}

/// A protocol of reads; the null engine stores no data.
fn protocol(folder: &Path, engine: &str, duration: &str) {
    let dataset = match engine {
        "null" => String::new(),
        _ => format!(
            "[dataset.d]\nengine = \"{engine}\"\nsize = \"8MiB\"\ndirect = true\n\
             fill = {{ kind = \"sequential\", read = 0, block = \"128KiB\" }}\n"
        ),
    };
    let text = format!(
        "title = \"T\"\nsource = \"test\"\n{dataset}[[step]]\nname = \"reads\"\n\
         duration = \"{duration}\"\n[[step.stream]]\nname = \"io\"\nengine = \"{engine}\"\n\
         workload = {{ kind = \"random\", read = 100, block = \"128KiB\" }}\n"
    );
    std::fs::write(folder.join("p.toml"), text).expect("written");
}

/// Two hosts with a common start; returns the output of each. If a busy machine misses the start
/// time, more time is allowed; `begins` is called before each attempt.
fn both(
    folder: &Path,
    drives: &Path,
    ahead: [Option<(&Path, &str)>; 2],
    more: &[&str],
    mut begins: impl FnMut(),
) -> [Output; 2] {
    for seconds in [8, 40, 160] {
        begins();
        let start = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(seconds);
        let start = start.to_string();
        let begun = [("one", ahead[0]), ("two", ahead[1])].map(|(name, ahead)| {
            let subject = format!("A={}", drives.join(name).display());
            let bundle = format!("{name}.dyno");
            let _ = std::fs::remove_file(folder.join(&bundle));
            let own = ["run", "./p.toml", "-s", &subject, "-o", &bundle, "--repeats", "1"];
            on_host(folder, ahead, &[&own[..], &["--start-at", &start], more].concat())
        });
        let ended = begun.map(|child| child.wait_with_output().expect("ended"));
        let late = |output: &Output| {
            let text = said(output);
            text.contains("has passed") || text.contains("should have begun")
        };
        if !ended.iter().any(late) {
            return ended;
        }
    }
    panic!("no two hosts came to begin together within 160 s");
}

fn together(folder: &Path) -> (Option<i32>, Value) {
    let output = dyno(folder, &["fleet", "together", "one.dyno", "two.dyno", "--json"]);
    let document = serde_json::from_slice(&output.stdout);
    (output.status.code(), document.unwrap_or_else(|e| panic!("{e}: {}", said(&output))))
}

#[test]
fn clocks_50_ms_apart_are_noticed_stated_and_refused_above_the_limit() {
    let Some(library) = faketime() else { return };
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    ["one", "two"].iter().for_each(|host| std::fs::create_dir(folder.join(host)).expect("made"));
    let reference = Reference::start();
    let (right, ahead) = (None, Some((&*library, "+0.05")));

    let clock = ["fleet", "clock", &reference.address, "--json"];
    let compared = |host, code: i32| -> i64 {
        let output = ended(folder, host, &clock);
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let (offset, bound) = (&found[0]["offset_ns"], found[0]["bound_ns"].as_i64().unwrap());
        // libfaketime uses seconds with a decimal point.
        let truth = if host.is_some() { -50_000_000 } else { 0 };
        let off = offset.as_i64().unwrap() - truth;
        assert!(off.abs() <= bound + 1_000, "{found}");
        bound
    };
    compared(right, 0);
    let bound = compared(ahead, 1);

    protocol(folder, "null", "300ms");
    let of_clock = ["--clock", &reference.address];
    let [one, two] = both(folder, folder, [right, ahead], &of_clock, || ());
    assert!(one.status.success(), "{}", said(&one));
    assert_eq!(two.status.code(), Some(3), "{}", said(&two));
    assert!(said(&two).contains("the limit is 10.0 ms"), "{}", said(&two));
    assert!(!folder.join("two.dyno").exists(), "nothing is begun");

    // Within the limit it is stated, and windows that it shifts are not summed.
    let more = ["--clock", &reference.address, "--clock-limit", "1s"];
    let outputs = both(folder, folder, [right, ahead], &more, || ());
    outputs.iter().for_each(|output| assert!(output.status.success(), "{}", said(output)));
    let (code, found) = together(folder);
    assert_eq!(code, Some(2), "{found:#}");
    for when in ["offset_before_ns", "offset_after_ns"] {
        let offset = found["hosts"][1][when].as_i64().expect("an offset");
        let bound = found["hosts"][1]["bound_ns"].as_i64().expect("a bound").max(bound);
        assert!((offset + 50_000_000).abs() <= bound + 1_000, "{found:#}");
    }
    let point = &found["points"][0];
    assert!(point["ops"].is_null(), "{point:#}");
    let share = point["common_window"].as_f64().expect("a share");
    // 50 ms of 300, plus the uncertainty of the comparison.
    assert!(share < 0.95, "{point:#}");
    let refused = point["refused"].as_str().expect("a reason");
    assert!(refused.contains("the hosts' windows share"), "{refused}");
    let brief = dyno_well(folder, &["report", "one.dyno", "two.dyno", "-o", "b.md"]);
    let brief = brief + &std::fs::read_to_string(folder.join("b.md")).expect("a brief");
    for part in ["Load from several hosts at once", "−50.", "the hosts' windows share"] {
        assert!(brief.contains(part), "'{part}' is not in:\n{brief}");
    }
}

/// A filesystem on a loop device, unmounted when dropped.
struct Shared {
    at: PathBuf,
    device: LoopDevice,
}

impl Shared {
    fn make(folder: &Path) -> Option<Shared> {
        if !have(&["mkfs.ext4", "mount", "umount"]) {
            return None;
        }
        let (image, at) = (folder.join("image"), folder.join("shared"));
        std::fs::File::create(&image).expect("made").set_len(128 << 20).expect("sized");
        let device = LoopDevice::over(&image)?;
        let made = Command::new("mkfs.ext4").arg("-q").arg(&*device).output().expect("ran");
        assert!(made.status.success(), "{}", said(&made));
        std::fs::create_dir(&at).expect("made");
        let mounted = Command::new("mount").arg(&*device).arg(&at).output().expect("ran");
        if !mounted.status.success() {
            skip(format!("filesystems cannot be mounted here: {}", said(&mounted)));
            return None;
        }
        Some(Shared { at, device })
    }

    /// Bytes read from the device (sectors of 512, field 3 of Documentation/block/stat.rst).
    fn read_bytes(&self) -> u64 {
        let name = self.device.file_name().expect("a name").to_string_lossy().into_owned();
        let stat = std::fs::read_to_string(format!("/sys/block/{name}/stat")).expect("a device");
        stat.split_whitespace().nth(2).expect("sectors").parse::<u64>().expect("a number") * 512
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.at).output();
    }
}

#[test]
fn two_hosts_on_one_filesystem_add_up_to_what_the_kernel_counts() {
    let made = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let folder = made.path();
    let Some(shared) = Shared::make(folder) else { return };
    let reference = Reference::start();
    for host in ["one", "two"] {
        let own = shared.at.join(host);
        std::fs::create_dir(&own).expect("made");
        // Created in advance, so that the device receives only reads later.
        protocol(folder, "psync", "50ms");
        let subject = format!("A={}", own.display());
        dyno_well(
            folder,
            &["run", "./p.toml", "-s", &subject, "--repeats", "1", "-o", "fill.dyno"],
        );
        std::fs::remove_file(folder.join("fill.dyno")).expect("removed");
    }
    protocol(folder, "psync", size("1s", "20s"));
    let mut before = 0;
    let more = ["--clock", &reference.address, "--clock-limit", "1s", "--set", "meters=none"];
    // One host may have been on time for an attempt that the other missed.
    let begins = || before = shared.read_bytes();
    let outputs = both(folder, &shared.at, [None, None], &more, begins);
    outputs.iter().for_each(|output| assert!(output.status.success(), "{}", said(output)));
    let kernel = (shared.read_bytes() - before) as f64;
    let (code, found) = together(folder);
    assert_eq!(code, Some(0), "{found:#}");
    let point = &found["points"][0];
    // Blocks large enough that the filesystem's own reads are negligible.
    let bytes = point["ops"].as_f64().expect("ops") * f64::from(128 << 10);
    assert!((bytes / kernel - 1.0).abs() <= 0.005, "{bytes} of {kernel} bytes: {found:#}");
    let parts: Vec<f64> = point["ops_per_s_by_host"]
        .as_array()
        .expect("hosts")
        .iter()
        .map(|ops| ops.as_f64().expect("ops"))
        .collect();
    assert_eq!(point["ops_per_s"].as_f64(), Some(parts.iter().sum()), "{point:#}");
    assert!(point["classes"][0]["p99_ns"].as_u64().is_some_and(|ns| ns > 0), "{point:#}");
}
