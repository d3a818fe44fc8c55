//! `verify = true` in plans: the statements of a run, the next run after a kill, refusals; and the
//! data written: with a dedupe ratio, and compressible.

use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};

use dyno::record::{Verified, observed};
use dyno::store::Bundle;
use serde_json::Value;

use super::verify::{BLOCK, journals};
use crate::support::{DYNO, dyno, dyno_well, said, size, until};

/// A plan for a directory on the disk, with its journal in memory.
struct Bench {
    folder: tempfile::TempDir,
    journals: tempfile::TempDir,
}

impl Bench {
    fn new() -> Option<Bench> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        std::fs::create_dir(folder.path().join("drive")).unwrap();
        Some(Bench { folder, journals: journals()? })
    }

    fn dir(&self) -> &Path {
        self.folder.path()
    }

    /// Writes the protocol; `dataset` and `stream` are added to theirs.
    fn write(&self, engine: &str, seconds: u32, dataset: &str, stream: &str) {
        let protocol = format!(
            "title = \"V\"\nsource = \"test\"\n[dataset.file]\nengine = \"{engine}\"\nsize = \
             \"8MiB\"\n{dataset}\n[[step]]\nname = \"s\"\nduration = \"{seconds}s\"\n\
             [[step.stream]]\nname = \"io\"\nengine = \"{engine}\"\n{stream}\n"
        );
        std::fs::write(self.dir().join("p.toml"), protocol).unwrap();
    }

    fn verified(&self) -> String {
        let journals = self.journals.path().display();
        format!(
            "fill = {{ kind = \"sequential\", read = 0, block = \"64KiB\" }}\nverify = true\n\
             journal = \"{journals}\""
        )
    }

    fn args(&self) -> Vec<&'static str> {
        let _ = std::fs::remove_file(self.dir().join("b.dyno"));
        vec!["run", "./p.toml", "--subject", "A=drive", "--repeats", "1", "--output", "b.dyno"]
    }

    fn data(&self) -> std::fs::File {
        let path = self.dir().join("drive/dyno-data/file.0/data");
        std::fs::OpenOptions::new().read(true).write(true).open(path).unwrap()
    }

    /// Starts a run and kills it when blocks have been written a second time.
    fn kill_in_the_middle(&self) {
        // From the journal, which is in memory: the page cache of a file written past it may be
        // old.
        let generation = || {
            let journal = std::fs::read_dir(self.journals.path()).unwrap().flatten().next()?;
            let file = std::fs::File::open(journal.path()).ok()?;
            let mut states = [0; 8 * 32];
            file.read_exact_at(&mut states, BLOCK).ok()?;
            let number = |state: &[u8]| u64::from_le_bytes(state.try_into().unwrap());
            states.chunks_exact(8).map(|state| number(state) & ((1 << 38) - 1)).max()
        };
        let before = generation().unwrap_or(0).max(1);
        let mut child = Command::new(DYNO)
            .current_dir(self.dir())
            .args(self.args())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        until("writes of the load", 120, || generation().is_some_and(|now| now > before));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

const MIXED: &str = "workload = { kind = \"random\", read = 50, block = [[\"4KiB\", 3], \
                     [\"16KiB\", 1]], align = \"4KiB\" }\nthreads = 2";

#[test]
fn a_run_states_how_much_was_checked_and_the_brief_says_so() {
    let Some(bench) = Bench::new() else { return };
    bench.write("psync", 1, &bench.verified(), MIXED);
    let check = ["plan", "check", "./p.toml", "--subject", "A=drive"];
    let checked = dyno_well(bench.dir(), &check);
    assert!(checked.contains("Verified: 20 KiB of journals in"), "{checked}");
    assert!(checked.contains("they outlive a kill, not a crash of the host"), "{checked}");
    dyno_well(bench.dir(), &bench.args());
    let bundle = Bundle::open(&bench.dir().join("b.dyno")).unwrap();
    let mut found = None;
    bundle
        .each_point(&mut |stored| {
            found = observed::all::<Verified>(&stored.point.observed).next().copied();
            Ok(())
        })
        .unwrap();
    let verified = found.expect("a fact of the point");
    assert!(verified.checked > 100 && verified.wrong == 0, "{verified:?}");
    dyno_well(bench.dir(), &["report", "b.dyno", "-o", "b.md"]);
    let brief = std::fs::read_to_string(bench.dir().join("b.md")).unwrap();
    let line = format!("{} blocks checked, 0 wrong", verified.checked);
    assert!(brief.contains(&line), "{line} is not in the brief");
    // Someone else's bundle writes no journal without permission.
    let output = dyno(bench.dir(), &["run", "b.dyno", "--output", "c.dyno"]);
    assert!(said(&output).contains("would write journals into /dev/shm/"), "{}", said(&output));
}

#[test]
fn after_a_kill_in_the_middle_of_writes_all_is_found_right_and_what_was_damaged_since_is_not() {
    for round in 0..size(1u64, 30) {
        // Another engine recreates the dataset, and generations start again.
        let Some(bench) = Bench::new() else { return };
        let engine = ["uring", "psync", "libaio"][round as usize % 3];
        let writes = "workload = { kind = \"random\", read = 30, span = 3, block = \"4KiB\" }";
        let stream =
            if engine == "psync" { writes.to_string() } else { format!("{writes}\ndepth = 8") };
        bench.write(engine, 60, &bench.verified(), &stream);
        bench.kill_in_the_middle();
        bench.write(engine, 1, &bench.verified(), &stream);
        dyno_well(bench.dir(), &bench.args());
        let facts = Bundle::open(&bench.dir().join("b.dyno")).unwrap().facts().unwrap();
        let rechecked =
            facts.iter().find(|fact| fact.name.contains("after a run that did not end"));
        assert_eq!(rechecked.unwrap().value, "2048 blocks checked, 0 wrong", "{engine}");

        bench.write(engine, 60, &bench.verified(), &stream);
        bench.kill_in_the_middle();
        // A block that the load does not read, so that only the complete comparison finds it.
        let mut byte = [0];
        let at = (1500 + round) * BLOCK + 777;
        bench.data().read_exact_at(&mut byte, at).unwrap();
        bench.data().write_all_at(&[byte[0] ^ 16], at).unwrap();
        let output = dyno(bench.dir(), &bench.args());
        let text = said(&output);
        let expected = format!("the block at offset {} is corrupt", (1500 + round) * BLOCK);
        assert!(!output.status.success() && text.contains(&expected), "{engine}: {text}");
        bench.data().write_all_at(&byte, at).unwrap();
        bench.write(engine, 1, &bench.verified(), &stream);
        dyno_well(bench.dir(), &bench.args());
    }
}

#[test]
fn as_much_is_kept_of_what_was_written_as_the_dedupe_ratio_says_also_after_overwrites() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::create_dir(dir.path().join("drive")).unwrap();
    for (ratio, unit) in [(3.0, 4096), (1.5, 8192)] {
        let protocol = format!(
            "title = \"D\"\nsource = \"test\"\n[dataset.file]\nengine = \"psync\"\nsize = \
             \"32MiB\"\ndedupe = {ratio}\ndedupe_unit = {unit}\ncompressible = 50\nfill = {{ kind \
             = \"sequential\", read = 0 }}\n[[step]]\nname = \"s\"\nduration = \"1s\"\n\
             [[step.stream]]\nname = \"io\"\nengine = \"psync\"\nworkload = {{ kind = \"random\", \
             read = 0, block = {unit} }}\n"
        );
        std::fs::write(dir.path().join("p.toml"), protocol).unwrap();
        let _ = std::fs::remove_file(dir.path().join("b.dyno"));
        let args = ["run", "./p.toml", "--subject", "A=drive", "--repeats", "1"];
        dyno_well(dir.path(), &[&args[..], &["--output", "b.dyno"]].concat());
        let data = std::fs::read(dir.path().join("drive/dyno-data/file.0/data")).unwrap();
        let units: Vec<&[u8]> = data.chunks(unit).collect();
        let kept: std::collections::HashSet<&[u8]> = units.iter().copied().collect();
        let found = units.len() as f64 / kept.len() as f64;
        assert!((found / ratio - 1.0).abs() < 0.01, "{found} in place of {ratio}");
        let zeros = data.iter().filter(|byte| **byte == 0).count() as f64 / data.len() as f64;
        assert!((zeros - 0.502).abs() < 0.002, "{zeros} of it is zeros");
    }
    let bundle = Bundle::open(&dir.path().join("b.dyno")).unwrap();
    let facts = bundle.facts().unwrap();
    let data = facts.iter().find(|fact| fact.name == "Data").unwrap();
    assert_eq!(data.value, "50 % compressible, dedupe ratio 1.5 in units of 8 KiB");
}

/// Two directories of one disk that does not compress. Identical subjects may differ by chance in 5
/// of 100 briefs, so the test fails only after two in a row.
#[test]
fn of_a_drive_that_does_not_compress_it_is_said_that_no_difference_was_shown() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for name in ["1", "2"] {
        std::fs::create_dir(dir.path().join(name)).unwrap();
    }
    let mut claims = Vec::new();
    for _ in 0..2 {
        let _ = std::fs::remove_file(dir.path().join("b.dyno"));
        let subjects =
            ["--subject", "Incompressible=1", "--subject", "Compressible=2,compressible=75"];
        let args = ["run", "compression", "--scale", "small", "--same-device", "--repeats", "3"];
        dyno_well(dir.path(), &[&args[..], &subjects, &["--output", "b.dyno"]].concat());
        let found = dyno_well(dir.path(), &["claims", "b.dyno", "--json"]);
        let found: Value = serde_json::from_str(&found).unwrap();
        // A knob of a single subject does not rule out a comparison: they are compared like two
        // drives, unless a busy host rules it out.
        assert_eq!(found["subjects"], serde_json::json!(["Incompressible", "Compressible"]));
        assert_eq!(found["not_comparable"], serde_json::json!([]));
        let some = |list: &str| found[list].as_array().is_some_and(|all| !all.is_empty());
        assert!(some("comparisons") || some("caveats"), "{found}");
        claims = found["claims"].as_array().unwrap().clone();
        if claims.is_empty() {
            break;
        }
    }
    assert!(claims.is_empty(), "{claims:?}");
}

#[test]
fn a_verified_dataset_that_was_changed_while_closed_is_a_finding_and_not_laid_out_anew() {
    let Some(bench) = Bench::new() else { return };
    bench.write("psync", 1, &bench.verified(), MIXED);
    dyno_well(bench.dir(), &bench.args());
    bench.data().write_all_at(&[0; BLOCK as usize], 5 * BLOCK).unwrap();
    let output = dyno(bench.dir(), &bench.args());
    let text = said(&output);
    assert!(!output.status.success() && text.contains("was changed since it was closed"), "{text}");
    assert!(text.contains("are the evidence") && !text.contains("remove"), "{text}");
}

#[test]
fn a_load_with_trims_that_was_killed_is_found_right_and_goes_on() {
    let Some(bench) = Bench::new() else { return };
    let trims = "workload = { kind = \"random\", read = 40, trim = 20, block = \"4KiB\" }";
    bench.write("psync", 5, &bench.verified(), trims);
    bench.kill_in_the_middle();
    let journals = bench.journals.path().display().to_string();
    let output = dyno(bench.dir(), &["run", "--resume", "b.dyno", "--allow", &journals]);
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    assert!(!text.contains("remove"), "{text}");
    let facts = Bundle::open(&bench.dir().join("b.dyno")).unwrap().facts().unwrap();
    let rechecked = facts.iter().find(|fact| fact.name.contains("after a run that did not end"));
    assert_eq!(rechecked.unwrap().value, "2048 blocks checked, 0 wrong");
}

#[test]
fn a_dataset_whose_journal_is_gone_is_laid_out_anew() {
    let Some(bench) = Bench::new() else { return };
    bench.write("psync", 1, &bench.verified(), MIXED);
    dyno_well(bench.dir(), &bench.args());
    for entry in std::fs::read_dir(bench.journals.path()).unwrap().flatten() {
        std::fs::remove_file(entry.path()).unwrap();
    }
    dyno_well(bench.dir(), &bench.args());
    assert_eq!(std::fs::read_dir(bench.journals.path()).unwrap().count(), 1);
}

#[test]
fn what_cannot_be_verified_is_refused_before_anything_is_touched() {
    let Some(bench) = Bench::new() else { return };
    let on_the_drive = bench.dir().join("journals");
    std::fs::create_dir(&on_the_drive).unwrap();
    let good = bench.verified();
    let journal = format!("journal = \"{}\"", bench.journals.path().display());
    let here = format!("journal = \"{}\"", on_the_drive.display());
    let cases = [
        (good.replace(&journal, ""), MIXED, "needs a place for its journal"),
        (good.replace(&journal, "journal = \"here\""), MIXED, "is not an absolute path"),
        (good.replace(&journal, &here), MIXED, "which is under test"),
        (format!("verify = true\n{journal}"), MIXED, "it has no fill"),
        (format!("{good}\nrestore = true"), MIXED, "verified and restored"),
    ];
    for (dataset, stream, why) in &cases {
        bench.write("psync", 1, dataset, stream);
        let output = dyno(bench.dir(), &bench.args());
        assert!(!output.status.success() && said(&output).contains(why), "{}", said(&output));
        assert!(!bench.dir().join("drive/dyno-data").exists(), "{why}: something was written");
        assert!(!bench.dir().join("b.dyno").exists(), "{why}: a bundle was made");
    }
    // Errors known only to the engine occur when the dataset is created, or at its point.
    let odd = MIXED.replace("\"16KiB\", 1]], align = \"4KiB\"", "\"2KiB\", 1]]");
    for (dataset, stream, why) in [
        (format!("{good}\ndedupe = 2"), MIXED, "verified blocks cannot be duplicates"),
        (format!("{good}\ncompressible = 95"), MIXED, "at most 90 % compressible"),
        (good.clone(), odd.as_str(), "is not a multiple of 4096"),
    ] {
        bench.write("psync", 1, &dataset, stream);
        let output = dyno(bench.dir(), &bench.args());
        assert!(!output.status.success() && said(&output).contains(why), "{}", said(&output));
    }
}
