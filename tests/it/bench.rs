//! `dyno bench` as a user of fio sees it: one line, a fio command line, a job file; on directories
//! and on a loop device; and what is refused.

use std::fs;
use std::path::Path;
use std::process::Command;

use dyno::store::Bundle;
use serde_json::Value;

use crate::support::{DYNO, LoopDevice, dyno, points, said, two_drives};

/// A short load of 16 MiB.
const SHORT: [&str; 4] = ["--size=16m", "--runtime=1", "--progress", "none"];

fn bench(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = dyno(folder, &[&["bench"], args, &SHORT].concat());
    (output.status.code(), said(&output))
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let output = dyno(folder, &[&["bench", "--json"], args].concat());
    assert!(output.status.success(), "{}", said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn one_line_prints_what_a_user_of_fio_looks_for_in_at_most_25_lines() {
    let dir = two_drives();
    for columns in ["80", "120"] {
        let mut command = Command::new(DYNO);
        command.current_dir(dir.path()).env("COLUMNS", columns).args(["bench", "x"]).args(SHORT);
        command.args(["--rw", "randread", "--bs", "4k", "--iodepth", "4", "--numjobs", "2"]);
        let output = command.output().expect("dyno");
        assert!(output.status.success(), "{}", said(&output));
        let text = String::from_utf8_lossy(&output.stdout);
        for part in ["IOPS", "MB/s", "mean", "p50", "p99.99", "CPU", "Bottleneck", "measured once"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.contains("randread, 4 KiB, io_uring, 2 jobs, depth 4"), "{text}");
        assert!(text.lines().count() <= 25, "{text}");
        let most = columns.parse::<usize>().expect("a number");
        assert!(text.lines().all(|line| line.chars().count() <= most), "{text}");
    }
}

#[test]
fn lists_measure_every_combination_and_several_targets_are_compared() {
    let dir = two_drives();
    let args = ["x", "y", "--same-device", "--bs", "4k,16k", "--iodepth", "1,8", "-o", "s.dyno"];
    let (code, text) = bench(dir.path(), &[&args[..], &["--repeats", "3"]].concat());
    assert_eq!(code, Some(0), "{text}");
    let bundle = dir.path().join("s.dyno");
    assert_eq!(Bundle::open(&bundle).expect("a bundle").run().plan.repeats, 3);
    assert_eq!(points(&bundle).len(), 2 * 2 * 2 * 3, "{text}");
    let shown = dyno(dir.path(), &["show", "s.dyno", "--json"]);
    let shown: Value = serde_json::from_slice(&shown.stdout).expect("JSON");
    assert_eq!(shown["steps"].as_array().map(Vec::len), Some(2), "one step for each block size");
    assert_eq!(shown["steps"][0]["points"].as_array().map(Vec::len), Some(4));
}

#[test]
fn a_command_line_and_a_job_file_of_fio_are_measured_as_converted() {
    let dir = two_drives();
    let job = "[global]\nioengine=io_uring\ndirect=1\nbs=8k\nsize=16m\nruntime=1\ndirectory=x\n\
               [mix]\nrw=randrw\nrwmixread=75\niodepth=4\n";
    fs::write(dir.path().join("job.fio"), job).expect("written");
    let shown = json(dir.path(), &["job.fio", "--progress", "none"]);
    let classes = &shown["steps"][0]["points"][0]["total"]["classes"];
    assert_eq!([&classes[0]["class"], &classes[1]["class"]], ["read", "write"]);
    let words = ["--progress", "none", "--", "fio", "--name=a", "--directory=x", "--rw=read"];
    let words = [&words[..], &["--size=16m", "--runtime=1", "--bs=128k"]].concat();
    let shown = json(dir.path(), &words);
    assert_eq!(shown["steps"][0]["name"], "a");
    // What defines the load and cannot be carried over is refused.
    let (code, text) = bench(dir.path(), &["x", "--rw", "randread", "--thinktime", "10ms"]);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("thinktime=10ms") && text.contains("--lossy"), "{text}");
}

#[test]
fn mistakes_name_the_option_and_the_remedy() {
    let dir = two_drives();
    fs::write(dir.path().join("empty"), "").expect("written");
    for (args, code, parts) in [
        (&["x", "--bs", "4KB"][..], 64, &["--bs", "4K is 4,096 bytes"][..]),
        (&["x", "--iodepth", "zero"], 64, &["--iodepth", "whole number"]),
        (&["--rw", "read"], 64, &["no target was named"]),
        (&["nowhere"], 1, &["nowhere", "name a directory"]),
        (&["x", "--ioengine", "rados"], 1, &["ioengine=rados"]),
        (&["x", "--bs", "1g"], 1, &["does not fit"]),
        (&["x", "--erase", "S1"], 3, &["S1", "only devices are erased"]),
    ] {
        let (found, text) = bench(dir.path(), args);
        assert_eq!(found, Some(code), "{args:?}: {text}");
        parts.iter().for_each(|part| assert!(text.contains(part), "{args:?}: {text}"));
    }
    let left = fs::read_dir(dir.path()).expect("a folder").flatten();
    assert!(
        !left.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().ends_with(".dyno"))
    );
}

#[test]
fn a_device_is_read_as_it_is_and_written_to_only_with_its_serial_number() {
    let dir = two_drives();
    let image = dir.path().join("disk");
    fs::File::create(&image).and_then(|file| file.set_len(64 << 20)).expect("an image");
    let Some(device) = LoopDevice::over(&image) else { return };
    let path = device.display().to_string();
    let (code, text) = bench(dir.path(), &[&path, "--rw", "randread"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(fs::read(&image).expect("the image").iter().all(|byte| *byte == 0), "only read");
    let (code, text) = bench(dir.path(), &[&path, "--rw", "randwrite"]);
    assert_eq!(code, Some(3), "{text}");
    let serial = image.display().to_string();
    assert!(text.contains(&format!("--erase '{serial}'")), "{text}");
    let (code, text) = bench(dir.path(), &[&path, "--rw", "randwrite", "--erase", &serial]);
    assert_eq!(code, Some(0), "{text}");
    assert!(fs::read(&image).expect("the image").iter().any(|byte| *byte != 0));
    // What another program wrote has to be named.
    fs::write(&path, vec![7; 1 << 20]).expect("written");
    let (code, text) = bench(dir.path(), &[&path, "--rw", "randwrite", "--erase", &serial]);
    assert_eq!(code, Some(3), "{text}");
    let named = format!("{serial}=unknown data");
    let (code, text) = bench(dir.path(), &[&path, "--rw", "randwrite", "--erase", &named]);
    assert_eq!(code, Some(0), "{text}");
}
