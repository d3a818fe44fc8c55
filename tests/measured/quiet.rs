//! The basis of the measuring tests: a program that takes processors from them is detected, and
//! their own processes are not mistaken for one.

use std::process::Command;
use std::time::Duration;

use crate::support::quiet::{Watch, on_a_quiet_machine};

/// The detected disturbance by a shell that keeps a processor busy for two seconds, one of which is
/// watched.
fn beside(start: &str) -> String {
    let busy = format!("{start} timeout 2 sh -c 'while :; do :; done'");
    let mut shell = Command::new("sh").args(["-c", &busy]).spawn().expect("a shell");
    let watch = Watch::start();
    std::thread::sleep(Duration::from_secs(1));
    let how = watch.disturbed().unwrap_or_default();
    shell.wait().expect("a shell");
    how
}

#[test]
fn a_busy_stranger_is_noticed_and_a_busy_child_is_not() {
    on_a_quiet_machine(|| {
        let how = beside("");
        assert!(!how.contains("other programs took"), "{how}");
    });
    // In its own session, and orphaned once its parent has ended.
    let how = beside("setsid -f");
    assert!(how.contains("other programs took"), "'{how}'");
}
