//! What the measuring tests stand on: a program that takes the processors from them is noticed, and
//! what they start themselves is not taken for one.

use std::process::Command;
use std::time::Duration;

use crate::support::quiet::{Watch, on_a_quiet_machine};

/// How the machine was disturbed by a shell that keeps a processor busy for two seconds, of which
/// one is watched.
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
    // In a session of its own, and when its parent has ended, it is nobody's child.
    let how = beside("setsid -f");
    assert!(how.contains("other programs took"), "'{how}'");
    on_a_quiet_machine(|| {
        let how = beside("");
        assert!(!how.contains("other programs took"), "{how}");
    });
}
