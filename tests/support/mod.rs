//! What the tests of the binary on real database servers share: whether a program is here, what Dyno said, waiting for a
//! condition, and which process serves a dataset.

use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

pub const DYNO: &str = env!("CARGO_BIN_EXE_dyno");

/// Whether all of these programs are here; says loudly when not.
pub fn have(programs: &[&str]) -> bool {
    let found = |name: &&str| {
        let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/usr/lib/postgresql/15/bin";
        path.split(':').any(|folder| Path::new(folder).join(name).is_file())
    };
    let missing: Vec<_> = programs.iter().filter(|name| !found(name)).collect();
    if !missing.is_empty() {
        eprintln!(
            "SKIPPED, NOTHING SHOWN: {missing:?} not installed; scripts/setup.sh installs what Debian has, and docs/tpcc.md \
             says how to get go-tpc"
        );
    }
    missing.is_empty()
}

pub fn said(output: &Output) -> String {
    // Messages are wrapped for reading; what is looked for must not depend on where.
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Waits for a condition, for so many seconds at most.
#[track_caller]
pub fn until(what: &str, seconds: u64, mut met: impl FnMut() -> bool) {
    let give_up = Instant::now() + Duration::from_secs(seconds);
    while !met() {
        assert!(Instant::now() < give_up, "waited {seconds} s for {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The process that serves the dataset under a drive, from the note beside it.
pub fn served_by(drive: &Path) -> Option<u32> {
    let note = std::fs::read_to_string(drive.join("dyno-data/db.0.server.json")).ok()?;
    let note: serde_json::Value = serde_json::from_str(&note).ok()?;
    Some(note["server"]["pid"].as_u64()? as u32)
}
