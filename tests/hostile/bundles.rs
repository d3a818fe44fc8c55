//! Hostile bundles with every command that reads bundles: each ends soon, with little memory and an
//! answer.

use std::path::Path;
use std::sync::Mutex;

use dyno::base::histogram::Histogram;
use dyno::base::text::is_hidden;
use dyno::record::setup::HostSetup;
use dyno::record::{
    Ceiling, Cell, Class, Fact, Interval, Outcome, Point, Run, Sample, Setup, Sink, Tally,
};
use dyno::store::BundleWriter;

use crate::bench::{Bench, Ended, MEGABYTES, SECONDS};
use crate::kinds::{KINDS, Kind, Must, alter};
use crate::support::size;

pub const PLAN: &str = r#"
protocol = "./protocol.toml"
meters = "none"
repeats = 1
[[subject]]
name = "X"
drives = [{ path = "x" }]
[[subject]]
name = "Y"
drives = [{ path = "y" }]
"#;

const PROTOCOL: &str = r#"
title = "Null"
source = "test"
[[step]]
name = "a"
duration = "250ms"
sweep = { axis = "io.threads", values = [1, 2] }
[[step.stream]]
name = "io"
engine = "null"
workload = "random"
"#;

/// A valid bundle: four points, with intervals and samples.
pub fn honest(bench: &Bench, path: &Path) {
    bench.write("protocol.toml", PROTOCOL);
    let plan = dyno::plan::load(&bench.write("plan.toml", PLAN), &dyno::plan_catalogue()).unwrap();
    // A run is resumed by the measuring method that began it only.
    let plan = dyno::plan::Plan { method: dyno::record::METHOD, ..plan };
    let points: Vec<_> = dyno::plan::points(&plan).collect();
    let run =
        Run { plan, started_unix_ns: 1_790_000_000_000_000_000, dyno_version: "0.1.0".into() };
    let host = HostSetup { server: Some("lab".into()), ..HostSetup::default() };
    let setup = Setup { host, ..Setup::default() };
    let mut writer = BundleWriter::create(path, &run, &setup).unwrap();
    for point in points {
        let mut service = Histogram::new();
        (1..2_000).for_each(|i| service.add(80_000 + 10 * i));
        let (stream, class) = ("io".to_string(), Class::READ);
        writer.begin(&point.key).unwrap();
        let interval = Interval {
            stream: stream.clone(),
            drive: 0,
            instance: 0,
            class,
            start_ns: 0,
            end_ns: 1_000_000_000,
            ops: service.count,
            bytes: 4096,
            service: service.clone(),
            response: None,
        };
        writer.interval(&interval).unwrap();
        for at_ns in [0, 500_000_000, 1_000_000_000] {
            let (meter, name) = ("exec".to_string(), "drive_watts".to_string());
            writer.sample(&Sample { at_ns, meter, name, value: 5.0 }).unwrap();
        }
        let ops = service.count;
        let tally = Tally {
            class,
            ops,
            bytes: ops * 4096,
            misses: 0,
            given_up: 0,
            service,
            response: None,
            censored: None,
        };
        let cell = Cell {
            stream,
            drive: 0,
            instance: 0,
            headline: true,
            threads: Some(1),
            depth: Some(1),
            asked: None,
            late: 0,
            backlog_max: 0,
            backlog_end: 0,
            in_flight: None,
            tallies: vec![tally],
        };
        let facts = vec![Fact::new("Null", "Version", "1")];
        let observed = Ceiling { stream: "io".into(), ops_per_s: 1_000 }.into();
        let started_unix_ns = 1_790_000_000_000_000_000;
        let window_ns = Some(1_000_000_000);
        let outcome = Outcome::Measured;
        writer
            .end(&Point {
                key: point.key,
                started_unix_ns,
                window_ns,
                outcome,
                cells: vec![cell],
                facts,
                observed: vec![observed],
            })
            .unwrap();
    }
}

/// Every command that reads a bundle; B is the bundle, and OUT an unused name.
const COMMANDS: &[&[&str]] = &[
    &["show", "B"],
    &["compare", "B"],
    &["claims", "B"],
    &["report", "B", "-o", "OUT.html"],
    &["report", "B", "-o", "OUT.md"],
    &["report", "B", "-o", "OUT.pdf"],
    &["report", "B", "--figures", "OUT"],
    &["export", "B"],
    &["export", "B", "--table", "intervals"],
    &["export", "B", "--table", "histograms", "--format", "json"],
    &["export", "B", "--table", "samples"],
    &["export", "B", "--format", "parquet", "-o", "OUT.parquet"],
    &["audit", "claims.toml", "--data", "B"],
    &["plan", "check", "B"],
    &["run", "B", "--output", "OUT.dyno"],
    &["run", "--resume", "B"],
];

const CLAIMS: &str = "title = \"T\"\nsubject = \"X\"\n[metric.ops_per_s]\nbetter = \"higher\"\n\
                      [[claim]]\nwords = \"more\"\nmetric = \"ops_per_s\"\nsays = \"1 %\"\n\
                      against = \"Y\"\n";

/// The result of one command with one kind; an error states what was wrong.
fn judge(kind: &Kind, args: &[&str], ended: &Ended) -> Result<(), String> {
    let shown: String = format!("{}{}", ended.said, ended.out);
    let fail = |what: &str| {
        Err(format!(
            "{}: {args:?}: {what}: {}",
            kind.name,
            shown.chars().take(600).collect::<String>()
        ))
    };
    if !ended.is_orderly() {
        return fail(&format!("it ended with {}", ended.status));
    }
    if ended.cpu_s > 5.0 * SECONDS {
        return fail(&format!("it took {:.1} s", ended.cpu_s));
    }
    if ended.rss_mb > MEGABYTES {
        return fail(&format!("it took {:.0} MB", ended.rss_mb));
    }
    if let Some(c) = shown.chars().find(|c| is_hidden(*c) && *c != '\n') {
        return fail(&format!("{c:?} reaches the terminal"));
    }
    let shows = ["show", "compare", "claims", "report", "audit"].contains(&args[0]);
    let refused = |words: &str| ended.code() == Some(1) && ended.said.contains(words);
    match kind.must {
        Must::Refuse(words) if !refused(words) => fail("it is not refused"),
        Must::Shown(words) if shows && !refused(words) => fail("it is not refused"),
        _ => Ok(()),
    }
}

/// Commands with some kinds, and the maximum use: all of them, or in everyday runs a twentieth for
/// each kind, in turn.
pub fn all(kinds: &[&Kind]) -> (f64, f64) {
    let each = size(20, 1);
    let work = Mutex::new(kinds.iter().enumerate().collect::<Vec<_>>());
    let (found, most) = (Mutex::new(Vec::new()), Mutex::new((0.0f64, 0.0f64)));
    let making = Mutex::new(());
    let worker = || {
        let next = || work.lock().unwrap().pop();
        while let Some((i, kind)) = next() {
            let bench = Bench::new();
            bench.write("claims.toml", CLAIMS);
            let bundle = bench.at("b.dyno");
            {
                // `alter` forks without exec: no other thread may hold SQLite's locks then.
                let _alone = making.lock().unwrap();
                honest(&bench, &bundle);
                alter(kind, &bundle);
            }
            let mut took = (0.0f64, 0.0f64);
            for (number, args) in COMMANDS.iter().enumerate() {
                if !(number + i).is_multiple_of(each) {
                    continue;
                }
                let out = |arg: &str| arg.replace("OUT", &format!("out{number}"));
                let args: Vec<String> = args
                    .iter()
                    .map(|arg| if *arg == "B" { "b.dyno".into() } else { out(arg) })
                    .collect();
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                let ended = bench.dyno(&args);
                found.lock().unwrap().extend(judge(kind, &args, &ended).err());
                took = (took.0.max(ended.cpu_s), took.1.max(ended.rss_mb));
            }
            if let Ok(text) = std::fs::read_to_string(bench.at("victim")) {
                assert_eq!(text, "of great value", "{}", kind.name);
            } else if kind.name == "a journal that names a file" {
                found.lock().unwrap().push(format!("{}: the file is gone", kind.name));
            }
            println!("{:45} {:6.2} s {:6.0} MB", kind.name, took.0, took.1);
            let mut most = most.lock().unwrap();
            *most = (most.0.max(took.0), most.1.max(took.1));
        }
    };
    std::thread::scope(|scope| (0..2).map(|_| scope.spawn(worker)).for_each(drop));
    let found = found.into_inner().unwrap();
    assert!(found.is_empty(), "{} of them:\n{}", found.len(), found.join("\n"));
    most.into_inner().unwrap()
}

#[test]
fn an_honest_bundle_is_read_by_every_command() {
    let bench = Bench::new();
    bench.write("claims.toml", CLAIMS);
    honest(&bench, &bench.at("b.dyno"));
    for (number, args) in COMMANDS.iter().enumerate() {
        let args: Vec<String> =
            args.iter().map(|a| a.replace("OUT", &format!("o{number}"))).collect();
        let args: Vec<&str> =
            args.iter().map(|arg| if arg == "B" { "b.dyno" } else { arg }).collect();
        let ended = bench.dyno(&args);
        // The claim does not hold, which is not an error.
        assert!(matches!(ended.code(), Some(0 | 2)), "{args:?}: {}", ended.said);
    }
}

#[test]
fn every_hostile_bundle_ends_in_data_or_an_error_soon_and_in_little_memory() {
    assert!(KINDS.len() >= 50);
    let (seconds, megabytes) = all(&KINDS.iter().collect::<Vec<_>>());
    println!(
        "{} kinds, {} commands: at most {seconds:.2} s and {megabytes:.0} MB",
        KINDS.len(),
        COMMANDS.len()
    );
}
