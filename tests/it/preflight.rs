//! `dyno plan check` refuses what `dyno run` refuses before it measures anything: the same error,
//! the same exit code, and nothing is left behind.

use std::fs;
use std::path::Path;

use crate::support::{LoopDevice, dyno, said, two_drives};

const HEAD: &str = "title = \"T\"\nsource = \"test\"\n";

/// A protocol of one dataset, with these keys, and one step of one stream, with these.
fn protocol(dataset: &str, step: &str, stream: &str) -> String {
    format!(
        "{HEAD}[dataset.d]\nengine = {{ kind = \"psync\", direct = true }}\n{dataset}\nfill = {{ \
         kind = \"sequential\", read = 0, block = \"4KiB\" }}\n[[step]]\nname = \"s\"\nduration = \
         \"1s\"\n{step}\n[[step.stream]]\nname = \"io\"\nengine = {{ kind = \"psync\", direct = \
         true }}\ndataset = \"d\"\n{stream}\n"
    )
}

/// The last error of a command, which is printed after all else. Numbers in it may change
/// meanwhile: free space, tasks in use.
fn error(text: &str) -> String {
    let last = text.split("dyno: ").last().unwrap_or_default().trim();
    last.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Both commands refuse the plan in the folder for this reason, alike; returns the reason.
fn refused_alike(folder: &Path, plan: &str, reason: &str) {
    fs::write(folder.join("plan.toml"), plan).expect("written");
    let before = listing(folder);
    let checked = dyno(folder, &["plan", "check", "plan.toml"]);
    let dry = dyno(folder, &["run", "plan.toml", "--dry-run"]);
    assert_eq!(listing(folder), before, "{reason}: a check leaves nothing");
    let run = dyno(folder, &["run", "plan.toml", "--progress", "none", "-o", "run.dyno"]);
    let [checked_says, dry_says, run_says] =
        [&checked, &dry, &run].map(|output| error(&said(output)));
    assert_ne!(run.status.code(), Some(0), "{reason}: {run_says}");
    assert!(run_says.contains(reason), "{reason}: {run_says}");
    assert_eq!(checked.status.code(), run.status.code(), "{reason}: {checked_says}\n{run_says}");
    assert_eq!(dry.status.code(), run.status.code(), "{reason}");
    assert_eq!(checked_says, run_says);
    assert_eq!(dry_says, run_says);
    assert_eq!(listing(folder), before, "{reason}: a refused run leaves nothing");
}

fn listing(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.extend(
        fs::read_dir(folder.join("x"))
            .expect("a folder")
            .flatten()
            .map(|entry| format!("x/{}", entry.file_name().to_string_lossy())),
    );
    names.sort();
    names
}

#[test]
fn a_plan_on_directories_is_refused_alike_before_anything_is_touched() {
    let dir = two_drives();
    let folder = dir.path();
    let plan = "protocol = \"./p.toml\"\nrepeats = 1\n[[subject]]\nname = \"A\"\ndrives = \
                [{ path = \"x\" }]\n";
    let two = format!("{plan}[[subject]]\nname = \"B\"\ndrives = [{{ path = \"y\" }}]\n");
    let size = "size = \"64MiB\"";
    let block = |block: &str| format!("workload = {{ kind = \"random\", block = {block} }}");
    let random = block("\"4KiB\"");
    let many = format!("threads = 60000\n{random}");
    for (protocol, plan, reason) in [
        (protocol(size, "", &random), &two[..], "share"),
        (protocol(size, "", &block("4000")), plan, "is not a multiple of"),
        (protocol(size, "", &block("\"1GiB\"")), plan, "does not fit into"),
        (
            protocol(
                size,
                "sweep = { axis = \"io.block\", values = [\"4KiB\", \"1GiB\"] }",
                &random,
            ),
            plan,
            "does not fit into",
        ),
        (protocol("size = \"900TB\"", "", &random), plan, "has room for"),
        (protocol(size, "memory = \"64KiB\"", &random), plan, "is less than the load needs"),
        (protocol(size, "", &format!("cpus = \"4000\"\n{random}")), plan, "may not use"),
        (protocol(size, "", &many), plan, "workers need about"),
        (protocol(&format!("{size}\nverify = true"), "", &random), plan, "verif"),
    ] {
        fs::write(folder.join("p.toml"), &protocol).expect("written");
        refused_alike(folder, plan, reason);
    }
    // The bundle would be on the directory under test.
    fs::write(folder.join("p.toml"), protocol(size, "", &random)).expect("written");
    fs::write(folder.join("x/plan.toml"), plan.replace("\"x\"", "\".\"").replace("./p", "../p"))
        .expect("written");
    let within = folder.join("x");
    let [checked, run] = [&["plan", "check", "plan.toml"][..], &["run", "plan.toml"]]
        .map(|args| dyno(&within, args));
    assert_eq!(
        (checked.status.code(), run.status.code()),
        (Some(3), Some(3)),
        "{}",
        said(&checked)
    );
}

#[test]
fn a_plan_on_a_device_is_refused_alike_before_anything_is_touched() {
    let dir = two_drives();
    let folder = dir.path();
    let image = folder.join("disk");
    fs::File::create(&image).and_then(|file| file.set_len(64 << 20)).expect("an image");
    let Some(device) = LoopDevice::over(&image) else { return };
    let (path, serial) = (device.display().to_string(), image.display().to_string());
    let plan = |device: &str, keys: &str| {
        format!(
            "protocol = \"./p.toml\"\nrepeats = 1\n[[subject]]\nname = \"A\"\ndrives = [{{ device \
             = \"{device}\"{keys} }}]\n"
        )
    };
    let write = "workload = { kind = \"random\", read = 0, block = \"4KiB\" }";
    fs::write(folder.join("p.toml"), protocol("size = \"32MiB\"", "", write)).expect("written");
    let wrong = plan(&path, ", serial = \"S1\", erase = true");
    refused_alike(folder, &wrong, "is not touched");
    fs::write(folder.join("p.toml"), protocol("size = \"128MiB\"", "", write)).expect("written");
    let right = plan(&path, &format!(", serial = \"{serial}\", erase = true"));
    refused_alike(folder, &right, "has room for");
    // A filesystem that the plan does not name, and then a mounted one.
    let made = std::process::Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&path).status();
    if made.is_ok_and(|made| made.success()) {
        fs::write(folder.join("p.toml"), protocol("size = \"32MiB\"", "", write)).expect("written");
        refused_alike(folder, &right, "has a signature: ext");
    }
    // The bundle would be on it too.
    if let Some(root) = root_device() {
        fs::write(folder.join("plan.toml"), plan(&root, ", serial = \"S1\", erase = true"))
            .expect("written");
        let [checked, run] = [&["plan", "check", "plan.toml"][..], &["run", "plan.toml"]]
            .map(|args| dyno(folder, args));
        for output in [checked, run] {
            assert_eq!(output.status.code(), Some(3), "{}", said(&output));
        }
    }
}

/// The device of the root filesystem, if it has one.
fn root_device() -> Option<String> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let of_root = |line: &str| {
        let mut words = line.split(' ');
        let (device, point) = (words.next()?, words.next()?);
        (point == "/" && device.starts_with("/dev/")).then(|| device.to_string())
    };
    mounts.lines().find_map(of_root)
}

#[test]
fn a_plan_that_is_accepted_prints_what_each_stream_requests() {
    let dir = two_drives();
    let stream = "threads = 2\nrate = \"500/s\"\nworkload = { kind = \"random\", read = 0.7, block \
                  = [[\"4KiB\", 3], [\"16KiB\", 1]], span = 25 }";
    fs::write(dir.path().join("p.toml"), protocol("size = \"64MiB\"", "", stream))
        .expect("written");
    let args = ["plan", "check", "./p.toml", "-s", "A=x"];
    let checked = dyno(dir.path(), &args);
    let text = said(&checked);
    assert_eq!(checked.status.code(), Some(0), "{text}");
    for part in [
        "75.0 % of 4 KiB and 25.0 % of 16 KiB",
        "at 500 ops/s",
        "the first 25 % of 64 MiB",
        "write read = 70 for 70 %",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let checked = dyno(dir.path(), &[&args[..], &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_slice(&checked.stdout).expect("JSON");
    let shape = &json["steps"][0]["streams"][0];
    assert_eq!(shape["blocks"][1]["bytes"], 16384);
    assert_eq!([&shape["rate_ops_per_s"], &shape["span_percent"]], [500.0, 25.0]);
}
