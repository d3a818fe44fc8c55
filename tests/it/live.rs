//! The live feed of a run: its contents during the run, after it, and for one that was killed.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use dyno::lab::folder::feed::{self, FeedState};
use dyno::record::live::{LiveTotals, Phase, RunEnding};
use dyno::store::Bundle;

use crate::support::{DYNO, dyno_well, until};

/// Four points of 1.6 s, with two streams on an engine with only a given latency.
pub const PROTOCOL: &str = "title = \"Null\"\n[[step]]\nname = \"a\"\nwarmup = \"200ms\"\n\
    duration = \"1600ms\"\nsweep = { axis = \"io.threads\", values = [1, 2] }\n\
    [[step.stream]]\nname = \"io\"\nengine = { kind = \"null\", latency = \"1ms\" }\n\
    workload = { kind = \"random\", read = 70 }\n\
    [[step.stream]]\nname = \"log\"\nheadline = false\n\
    engine = { kind = \"null\", latency = \"1ms\" }\nworkload = \"sequential\"\n";

/// Starts a run of two subjects in a folder, with the bundle `b.dyno`.
pub fn begin(folder: &Path, protocol: &str, more: &[&str]) -> Child {
    for name in ["x", "y"] {
        std::fs::create_dir_all(folder.join(name)).expect("a folder");
    }
    std::fs::write(folder.join("null.toml"), protocol).expect("written");
    let args = "run ./null.toml -s X=x -s Y=y --repeats 1 -o b.dyno";
    let mut run = Command::new(DYNO);
    run.current_dir(folder).args(args.split(' ')).args(more);
    run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started")
}

fn read(folder: &Path) -> Option<FeedState> {
    feed::read(&folder.join("b.dyno"))
}

/// The totals of the bundle's points, summed like a feed.
pub fn of_bundle(folder: &Path) -> LiveTotals {
    let mut totals = LiveTotals::default();
    let bundle = Bundle::open(&folder.join("b.dyno")).expect("a bundle");
    let add = &mut |stored: dyno::store::StoredPoint| {
        totals.add_point(&stored.point);
        Ok(())
    };
    bundle.each_point(add).expect("read");
    totals
        .0
        .sort_by(|a, b| (&a.subject, &a.stream, &a.class).cmp(&(&b.subject, &b.stream, &b.class)));
    totals
}

fn of_feed(found: &FeedState) -> LiveTotals {
    let mut totals = LiveTotals(found.feed.totals.clone());
    totals
        .0
        .sort_by(|a, b| (&a.subject, &a.stream, &a.class).cmp(&(&b.subject, &b.stream, &b.class)));
    totals
}

#[test]
fn a_run_can_be_followed_from_its_feed_whose_totals_are_the_bundles() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path();
    let mut run = begin(folder, PROTOCOL, &[]);
    let mut seen = None;
    until("a second of a window", 60, || {
        seen = read(folder).filter(|found| !found.feed.now.is_empty());
        seen.is_some()
    });
    let found = seen.expect("seen");
    let feed = &found.feed;
    assert!(found.is_running);
    assert_eq!((feed.title.as_str(), feed.points.all, feed.phase), ("Null", 4, Phase::Window));
    assert!(feed.doing.contains("io.threads") && !feed.next.is_empty(), "{feed:?}");
    assert!(feed.left_ns.is_some_and(|ns| ns > 0), "{feed:?}");
    let rates = feed.now.iter().map(|r| (r.stream.as_str(), r.class.as_str()));
    assert_eq!(rates.collect::<Vec<_>>(), [("io", "read"), ("io", "write"), ("log", "read")]);
    assert!(feed.now[0].ops_per_s > 0.0 && !feed.recent.is_empty() && !feed.log.is_empty());
    assert!(run.wait().expect("ended").success());
    let ended = read(folder).expect("the feed stays");
    assert!(!ended.is_running && !ended.is_cut());
    assert_eq!(ended.feed.ended.as_ref().map(|e| e.how), Some(RunEnding::Whole));
    assert_eq!((ended.feed.points.done, ended.feed.points.failed), (4, 0));
    assert_eq!(of_feed(&ended), of_bundle(folder), "counts, bytes and latencies");
}

#[test]
fn a_killed_run_is_cut_and_when_resumed_its_totals_are_those_of_the_whole_bundle() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path();
    let sweep = "sweep = { axis = \"io.threads\", values = [1, 2] }\n";
    let two = PROTOCOL.replace(sweep, "").replace("1600ms", "2200ms");
    let mut run = begin(folder, &two, &[]);
    until("a stored point and a second of the next", 60, || {
        read(folder).is_some_and(|f| f.feed.points.done == 1 && !f.feed.now.is_empty())
    });
    run.kill().expect("killed");
    run.wait().expect("gone");
    assert!(read(folder).is_some_and(|found| found.is_cut()), "it must not look as if it ran");
    dyno_well(folder, &["run", "--resume", "b.dyno"]);
    let ended = read(folder).expect("the feed stays");
    assert_eq!(ended.feed.ended.as_ref().map(|e| e.how), Some(RunEnding::Whole));
    assert_eq!((ended.feed.points.all, ended.feed.points.done), (2, 2));
    assert_eq!(of_feed(&ended), of_bundle(folder));
}
