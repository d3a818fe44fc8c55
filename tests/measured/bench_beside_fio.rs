//! `dyno bench` and fio with the same options, in alternation, on a device of known speed.

use std::process::Output;

use serde_json::Value;

use crate::support::quiet::on_a_quiet_machine;
use crate::support::{DYNO, LoopDevice, have, said, size};
use crate::throttle::Throttle;

/// Requests per second of each direction.
const PER_S: u32 = 2_000;

/// Five shapes of load, with the IOPS that the throttle leaves.
const SHAPES: [(&[&str], f64); 5] = [
    (&["--rw=randread", "--bs=4k", "--iodepth=8"], 2_000.0),
    (&["--rw=read", "--bs=64k", "--iodepth=4"], 2_000.0),
    (&["--rw=randread", "--bs=16k", "--iodepth=2", "--numjobs=2"], 2_000.0),
    (&["--rw=randrw", "--rwmixread=70", "--bs=4k", "--iodepth=16"], 2_000.0 / 0.7),
    (&["--rw=randwrite", "--bs=8k", "--iodepth=8"], 2_000.0),
];

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", said(output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
fn iops_of_five_shapes_are_within_3_percent_of_those_of_fio() {
    if !have(&["fio"]) {
        return;
    }
    let folder = tempfile::tempdir_in("/dev/shm").expect("a folder");
    let (dir, image) = (folder.path(), folder.path().join("disk"));
    std::fs::write(&image, vec![0; 64 << 20]).expect("written");
    let Some(device) = LoopDevice::over(&image) else { return };
    let Some(throttle) = Throttle::of(&device, PER_S) else { return };
    // fio writes between the runs of Dyno.
    let consent = format!("{}=unknown data", image.display());
    let path = device.display().to_string();
    let times = [format!("--runtime={}", size(2, 10)), "--ramp_time=1".to_string()];
    let times: Vec<&str> = times.iter().map(String::as_str).collect();
    on_a_quiet_machine(|| {
        for (shape, truth) in SHAPES {
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for _ in 0..size(3, 5) {
                let bench = ["bench", &path, "--json", "--quiet"];
                let bench = [&bench[..], shape, &times].concat();
                let writes = shape[0].contains("write") || shape[0].contains("rw=randrw");
                let erase = if writes { &["--erase", &consent][..] } else { &[] };
                let shown = json(&throttle.run(dir, DYNO, &[&bench[..], erase].concat()));
                let rate = &shown["steps"][0]["points"][0]["total"]["ops_per_s"]["value"];
                ours.push(rate.as_f64().expect("a rate"));
                let filename = format!("--filename={path}");
                let fio = ["--name=a", &filename, "--ioengine=io_uring", "--direct=1"];
                let report = ["--time_based", "--group_reporting", "--output-format=json"];
                let fio = [&fio[..], &report, shape, &times].concat();
                let shown = json(&throttle.run(dir, "fio", &fio));
                let rate = |of: &str| shown["jobs"][0][of]["iops"].as_f64().expect("a rate");
                theirs.push(rate("read") + rate("write"));
            }
            println!("{shape:?}: dyno {ours:.0?}, fio {theirs:.0?}, truth {truth:.0}");
            let (ours, theirs) = (median(ours), median(theirs));
            assert!((ours / theirs - 1.0).abs() <= 0.03, "{shape:?}: dyno {ours}, fio {theirs}");
            assert!((ours / truth - 1.0).abs() <= 0.05, "{shape:?}: dyno {ours}, truth {truth}");
        }
    });
}
