//! `dyno catalogue`: folders of bundles in every state, with damaged files and links, and an index
//! that exists, is wrong, or cannot be stored.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use dyno::catalogue::{BundleCatalogue, CatalogueEntry, Contents, RunState};
use dyno::record::PointKey;

use crate::made::{self, Figures};
use crate::support::{DYNO, dyno_well, size, until};

/// A bundle of two subjects at three depths in two repeats, with selected points.
fn bundle(folder: &Path, name: &str, wanted: &dyn Fn(&PointKey) -> bool) {
    let sweep = "sweep = { axis = \"io.depth\", values = [1, 8, 32] }";
    let sources = tempfile::tempdir().expect("a folder");
    let plan = made::plan(sources.path(), &made::step("reads", sweep, ""), 2, 2);
    let even = Figures { ops_per_s: 1e3, p99_ns: 2e5, ..Figures::default() };
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
    made::write(&path, &plan, &mut |key| wanted(key).then(|| even.clone()));
}

fn open(folder: &Path) -> BundleCatalogue {
    BundleCatalogue::open(folder).expect("a catalogue")
}

fn state(entry: &CatalogueEntry) -> Option<RunState> {
    match &entry.contents {
        Contents::Bundle(summary) => Some(summary.state),
        Contents::Broken(_) => None,
    }
}

fn states(catalogue: &BundleCatalogue) -> Vec<(&str, Option<RunState>)> {
    let mut all: Vec<_> = catalogue.entries.iter().map(|e| (&*e.path, state(e))).collect();
    all.sort_by_key(|(path, _)| *path);
    all
}

#[test]
fn every_bundle_of_a_folder_is_listed_with_its_state_and_what_is_broken_as_broken() {
    let (made, outside) = (made::folder(), made::folder());
    let folder = made.path();
    bundle(folder, "whole.dyno", &|_| true);
    bundle(folder, "lab/deep/cut.dyno", &|key| key.repeat == 1);
    bundle(outside.path(), "secret.dyno", &|_| true);
    std::fs::write(folder.join("text.dyno"), "no bundle").expect("written");
    std::fs::write(folder.join("empty.dyno"), "").expect("written");
    std::fs::write(folder.join("notes.txt"), "no bundle").expect("written");
    let whole = std::fs::read(folder.join("whole.dyno")).expect("read");
    std::fs::write(folder.join("half.dyno"), &whole[..whole.len() / 2]).expect("written");
    let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, folder.join(name));
    link(outside.path(), "out").expect("a link");
    link(&outside.path().join("secret.dyno"), "linked.dyno").expect("a link");
    link(folder, "lab/round").expect("a link");
    let found = open(folder);
    let expected = [
        ("empty.dyno", None),
        ("half.dyno", None),
        ("lab/deep/cut.dyno", Some(RunState::Cut)),
        ("text.dyno", None),
        ("whole.dyno", Some(RunState::Whole)),
    ];
    assert_eq!(states(&found), expected);
    let text = dyno_well(folder, &["catalogue", "."]);
    assert!(text.contains("5 of 5 bundles") && text.contains("12 points"), "{text}");
    let text = dyno_well(folder, &["catalogue", ".", "--search", "MADE cut"]);
    assert!(text.contains("1 of 5 bundles") && text.contains("lab/deep/cut.dyno"), "{text}");
    let json = dyno_well(folder, &["catalogue", ".", "--search", "whole.dyno", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let summary = &json["bundles"][0]["contents"]["bundle"];
    assert_eq!(summary["subjects"], serde_json::json!(["A", "B"]), "{json:#}");
    assert_eq!((&summary["state"], &summary["points"]), (&"whole".into(), &12.into()), "{json:#}");
}

#[test]
fn a_run_that_went_to_its_end_with_points_that_failed_is_listed_as_failed() {
    let (made, sources) = (made::folder(), made::folder());
    let plan = made::plan(sources.path(), &made::step("reads", "", ""), 2, 3);
    made::write(&made.path().join("a.dyno"), &plan, &mut |key| {
        let failure = (key.repeat == 2 && key.subject == "B").then_some("the drive went away");
        Some(Figures { ops_per_s: 1e3, p99_ns: 2e5, failure, ..Figures::default() })
    });
    let found = open(made.path());
    assert_eq!(states(&found), [("a.dyno", Some(RunState::Failed))]);
    assert_eq!(found.search("failed").count(), 1);
    let text = dyno_well(made.path(), &["catalogue", "."]);
    assert!(text.contains("· failed · a.dyno") && text.contains("6 points, 1 failed"), "{text}");
}

#[test]
fn a_run_is_listed_as_running_until_it_ends_and_then_as_cut_where_points_are_missing() {
    let made = made::folder();
    let folder = made.path();
    std::fs::create_dir(folder.join("drive")).expect("made");
    let step = "[[step]]\nname = \"s\"\nduration = \"200ms\"\n[[step.stream]]\nname = \"io\"\n\
                engine = { kind = \"null\", latency = \"100us\" }\nworkload = \"random\"\n";
    std::fs::write(folder.join("p.toml"), format!("title = \"t\"\n{step}")).expect("written");
    let args = ["run", "./p.toml", "-s", "A=drive", "--repeats", "1000", "-o", "live.dyno", "-q"];
    let mut run = Command::new(DYNO);
    let run = run.current_dir(folder).args(args).stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = run.spawn().expect("started");
    let listed = || dyno_well(folder, &["catalogue", "."]);
    until("a bundle of a run that goes on", 60, || listed().contains("· running · live.dyno"));
    let pid = rustix::process::Pid::from_child(&run);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("asked to end");
    assert_eq!(run.wait().expect("ended").code(), Some(143));
    let text = listed();
    assert!(text.contains("· cut · live.dyno"), "{text}");
}

#[test]
fn the_index_spares_opening_bundles_and_is_made_again_where_it_is_wrong() {
    let made = made::folder();
    let folder = made.path();
    for name in ["a.dyno", "b.dyno", "c.dyno"] {
        bundle(folder, name, &|_| true);
    }
    assert_eq!((open(folder).opened, open(folder).opened), (3, 0));
    // Changed, removed and new.
    std::fs::remove_file(folder.join("a.dyno")).expect("removed");
    bundle(folder, "a.dyno", &|key| key.repeat == 1);
    std::fs::remove_file(folder.join("b.dyno")).expect("removed");
    bundle(folder, "d.dyno", &|_| true);
    let found = open(folder);
    let expected = [
        ("a.dyno", Some(RunState::Cut)),
        ("c.dyno", Some(RunState::Whole)),
        ("d.dyno", Some(RunState::Whole)),
    ];
    assert_eq!((states(&found), found.opened), (expected.to_vec(), 2));
    // A foreign or partial index is rebuilt or left alone, without errors.
    let index = folder.join(".dyno-catalogue");
    let text = std::fs::read_to_string(&index).expect("an index");
    for damaged in [&text[..text.len() / 2], "dyno catalogue 1\n{\"path\": 7}\n", ""] {
        std::fs::write(&index, damaged).expect("written");
        let found = open(folder);
        assert_eq!((states(&found), found.is_kept), (expected.to_vec(), true), "{damaged:?}");
        assert_eq!(open(folder).opened, 1, "only the cut one, which may go on");
    }
    std::fs::write(&index, "a letter").expect("written");
    let found = open(folder);
    assert_eq!((states(&found), found.is_kept), (expected.to_vec(), false));
    assert_eq!(std::fs::read_to_string(&index).expect("read"), "a letter");
    std::fs::remove_file(&index).expect("removed");
    std::fs::create_dir(&index).expect("a folder in its place");
    let found = open(folder);
    assert_eq!((states(&found), found.is_kept), (expected.to_vec(), false));
    // An open catalogue needs no index to be refreshed: only the cut one is opened.
    let again = found.again(folder).expect("a catalogue");
    assert_eq!((states(&again), again.opened), (expected.to_vec(), 1));
}

/// A hundred bundles and many more: with its index it opens no bundle, within five times the limit
/// of a second for ten thousand.
#[test]
fn a_large_catalogue_opens_from_its_index() {
    let bundles = size(100, 10_000);
    let made = made::folder();
    let folder = made.path();
    bundle(folder, "0/0.dyno", &|_| true);
    for i in 1..bundles {
        let path = folder.join(format!("{}/{i}.dyno", i / 1000));
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        std::fs::copy(folder.join("0/0.dyno"), path).expect("copied");
    }
    let found = open(folder);
    assert_eq!((found.entries.len(), found.opened), (bundles, bundles));
    let begun = Instant::now();
    let found = open(folder);
    let took = begun.elapsed();
    println!("{bundles} bundles opened in {} ms", took.as_millis());
    assert_eq!((found.entries.len(), found.opened), (bundles, 0));
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert!(found.entries.iter().all(|e| state(e) == Some(RunState::Whole)));
}
