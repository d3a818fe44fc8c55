//! Identical subjects, measured here in each order while other programs keep the processors busy:
//! the claims made of them are false.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::support::{dyno_well, size};

const PROTOCOL: &str = r#"
title = "Identical subjects"
source = "test"
[dataset.file]
engine = "psync"
size = "32MiB"
fill = { kind = "sequential", read = 0, block = "1MiB" }
[[step]]
name = "reads"
duration = "200ms"
sweep = { axis = "io.threads", values = [1, 2, 4] }
[[step.stream]]
name = "io"
engine = "psync"
workload = "random"
dataset = "file"
"#;

/// A bundle of these subjects, each on a folder of its own of the same device. Without meters, so
/// that no verdict about what the load was limited by bars a comparison.
fn measure(folder: &Path, bundle: &str, subjects: &[&str], order: &str) {
    let subject = |name: &&str| {
        format!("[[subject]]\nname = \"{name}\"\ndrives = [{{ path = \"drive-{name}\" }}]\n")
    };
    let plan = format!(
        "protocol = \"./protocol.toml\"\nrepeats = 5\norder = \"{order}\"\n\
         same_device = true\nmeters = \"none\"\n{}",
        subjects.iter().map(subject).collect::<String>()
    );
    std::fs::write(folder.join("plan.toml"), plan).expect("written");
    dyno_well(folder, &["run", "plan.toml", "--output", bundle]);
}

/// The number of claims of some bundles, and of comparisons with an interval.
fn claims(folder: &Path, bundles: &[&str]) -> (usize, u64) {
    let text = dyno_well(folder, &[&["claims", "--json"], bundles].concat());
    let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let judged = found["comparisons_in_family"].as_u64().expect("a number");
    (found["claims"].as_array().expect("a list").len(), judged)
}

#[test]
fn identical_subjects_have_hardly_a_claim_in_any_order_on_disk_and_in_memory() {
    let briefs = size(1, 10);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Relaxed) {
                std::hint::spin_loop();
            }
        });
        let mut wrong = 0;
        for place in [env!("CARGO_TARGET_TMPDIR"), "/dev/shm"] {
            for design in ["interleaved", "separate", "returned"] {
                let mut own = 0;
                for _ in 0..briefs {
                    let made = tempfile::tempdir_in(place).expect("a folder");
                    let folder = made.path();
                    std::fs::write(folder.join("protocol.toml"), PROTOCOL).expect("written");
                    for name in ["A", "B"] {
                        std::fs::create_dir(folder.join(format!("drive-{name}"))).expect("made");
                    }
                    let (claimed, judged) = match design {
                        "separate" => {
                            measure(folder, "a.dyno", &["A"], "interleaved");
                            measure(folder, "b.dyno", &["B"], "interleaved");
                            claims(folder, &["a.dyno", "b.dyno"])
                        }
                        order => {
                            measure(folder, "ab.dyno", &["A", "B"], order);
                            claims(folder, &["ab.dyno"])
                        }
                    };
                    assert!(design != "separate" || (claimed, judged) == (0, 0), "{judged}");
                    own += usize::from(claimed > 0);
                }
                println!("{place}, {design}: {own} of {briefs} with a false claim");
                wrong += own;
            }
        }
        done.store(true, Relaxed);
        // At 5 %, more than six of 40 are chance once in 200; more than one of four once in 70.
        let most = if briefs == 1 { 1 } else { 6 };
        assert!(wrong <= most, "{wrong} of {} with a false claim", 6 * briefs);
    });
}
