//! The same iolog (version 3, with times) replayed by Dyno and by fio, seen by one recorder
//! (`benches/arrivals.c`): Dyno's requests start at their recorded times, fio's later and later.

use std::path::Path;
use std::process::Command;

use crate::support::quiet::on_a_quiet_machine;
use crate::support::{DYNO, have, size};

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
fn arrivals_are_ten_times_as_exact_as_those_of_fio() {
    if !have(&["fio", "cc", "python3"]) {
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/replay.py");
    on_a_quiet_machine(|| {
        // Both are started alike, one after the other, at the priority of this test.
        let mut command = Command::new("python3");
        command.arg(&script).arg(size(3, 11).to_string());
        let output = command.env("DYNO", DYNO).env("SECONDS_A_RUN", "2").output().expect("ran");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let text = String::from_utf8_lossy(&output.stdout);
        let pairs: Vec<[f64; 4]> = text
            .lines()
            .map(|line| {
                let numbers = line.split_whitespace().map(|word| word.parse().expect("a number"));
                numbers.collect::<Vec<f64>>().try_into().expect("four numbers")
            })
            .collect();
        println!("µs off and length of Dyno, of fio:\n{text}");
        let ratio = median(pairs.iter().map(|[ours, _, theirs, _]| ours / theirs).collect());
        assert!(ratio <= 0.1, "{ratio}: {text}");
        let length = median(pairs.iter().map(|[_, length, ..]| *length).collect());
        assert!((length - 1.0).abs() < 0.01, "as long as it was recorded: {length}");
    });
}
