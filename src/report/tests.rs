//! Reports made from bundles that are written here, with latencies that follow a fixed rule.

use std::path::{Path, PathBuf};

use super::{Facts, html, text, wording};
use crate::analysis::{Question, claims};
use crate::base::error::Result;
use crate::base::histogram::Histogram;
use crate::base::units::Rate;
use crate::plan::{
    Arrival, Axis, Drive, Field, Knobs, Load, Order, Part, Place, Plan, PointKey, Protocol, Step, Stream, Subject,
    Sweep,
};
use crate::record::{Cell, Class, Fact, Interval, Outcome, Point, Run, Sample, Sink, Tally};
use crate::store::Writer;

const SECOND: u64 = 1_000_000_000;
const STARTED: u64 = 1_770_127_500 * SECOND;

/// What the made bundle holds.
pub(crate) struct Made {
    values: Vec<f64>,
    repeats: u32,
    seconds: u64,
    fail: bool,
}

fn stream(name: &str, headline: bool) -> Stream {
    let part = |name: &str| Part { name: name.into(), knobs: Knobs::default() };
    Stream {
        name: name.into(),
        engine: part("null"),
        workload: part("random"),
        dataset: "data".into(),
        threads: 8,
        depth: 1,
        load: Load::Closed,
        arrival: Arrival::Fixed,
        instances: 1,
        headline,
        target: Default::default(),
    }
}

fn plan(made: &Made) -> Plan {
    let subject = |name: &str, path: &str| Subject {
        name: name.into(),
        drives: vec![Drive {
            place: Place::Directory(path.into()),
            erase: false,
            erase_signatures: Vec::new(),
            namespaces: Vec::new(),
        }],
        ..Subject::default()
    };
    let step = Step {
        name: "readrandom".into(),
        title: "RocksDB random reads".into(),
        warmup_ns: 60 * SECOND,
        duration_ns: made.seconds * SECOND,
        drop_caches: true,
        settle: true,
        sweep: Some(Sweep { stream: "read".into(), field: Field::Threads, values: made.values.clone(), search: None }),
        streams: vec![stream("read", true), stream("writer", false)],
    };
    Plan {
        protocol: Protocol {
            name: "rocksdb-threads".into(),
            title: "RocksDB by thread count".into(),
            source: "a published brief".into(),
            datasets: Vec::new(),
            prepare: Vec::new(),
            preparation: Default::default(),
            steps: vec![step],
        },
        subjects: vec![subject("Memory", "/mnt/a"), subject("Disk", "/mnt/b")],
        repeats: made.repeats,
        order: Order::Interleaved,
        seed: 1,
        ..Plan::default()
    }
}

/// Latencies that spread over an octave and a half, with one in two hundred twenty times as long.
fn histogram(ops: u64, typical_ns: u64) -> Histogram {
    let mut h = Histogram::new();
    for k in 0..100 {
        h.add_n(typical_ns * (60 + k) / 100, ops * 199 / 200 / 100);
    }
    h.add_n(typical_ns * 20, ops / 200);
    h
}

fn tally(class: Class, ops: u64, typical_ns: u64) -> Tally {
    let service = histogram(ops, typical_ns);
    Tally { class, ops: service.count, bytes: service.count * 4096, misses: 0, given_up: 0, service, response: None }
}

fn cell(stream: &str, headline: bool, threads: u32, tally: Tally) -> Cell {
    Cell {
        stream: stream.into(),
        drive: 0,
        instance: 0,
        headline,
        threads,
        depth: 1,
        asked: None,
        late: 0,
        backlog_max: 0,
        backlog_end: 0,
        tallies: vec![tally],
    }
}

/// Memory does three times what Disk does; a repeat does 1 % more than the one before.
fn point(made: &Made, subject: &str, value: f64, repeat: u32) -> Point {
    let scale = if subject == "Memory" { 3.0 } else { 1.0 };
    let rate = 9_000.0 * scale * value.powf(0.8) * (1.0 + f64::from(repeat) / 100.0);
    let ops = (rate * made.seconds as f64) as u64;
    let typical_ns = (value * 1e9 / rate) as u64;
    let axis = Axis { name: "read.threads".into(), field: Field::Threads, value: value.into() };
    let failed = made.fail && subject == "Disk" && repeat == 2 && value == made.values[0];
    Point {
        key: PointKey { subject: subject.into(), step: "readrandom".into(), axis: Some(axis), repeat },
        started_unix_ns: STARTED,
        window_ns: made.seconds * SECOND,
        outcome: if failed {
            Outcome::Failed { cause: "the disk, it seems, is full".into() }
        } else {
            Outcome::Measured
        },
        cells: vec![
            cell("read", true, value as u32, tally(Class::READ, ops, typical_ns)),
            cell("writer", false, 1, tally(Class::WRITE, 2_000 * made.seconds, 40_000)),
        ],
        facts: vec![Fact::new("RocksDB", "compactions", repeat)],
    }
}

fn write_bundle(path: &Path, made: &Made) -> Result<()> {
    let run = Run { plan: plan(made), started_unix_ns: STARTED, dyno_version: "0.1.0".into() };
    let facts = [Fact::new("Host", "name", "bench-1"), Fact::new("CPU", "model", "Example 9000 <64 cores>")];
    let mut writer = Writer::create(path, &run, &facts)?;
    for repeat in 1..=made.repeats {
        for &value in &made.values {
            for subject in ["Memory", "Disk"] {
                let point = point(made, subject, value, repeat);
                writer.begin(&point.key)?;
                for second in 0..made.seconds {
                    writer.interval(&interval(&point, second, made.seconds))?;
                }
                writer.end(&point)?;
            }
        }
    }
    Ok(())
}

fn interval(point: &Point, second: u64, seconds: u64) -> Interval {
    let tally = &point.cells[0].tallies[0];
    let mut service = Histogram::new();
    service.add_n(100_000, tally.ops / seconds + second % 5);
    Interval {
        stream: "read".into(),
        drive: 0,
        instance: 0,
        class: Class::READ,
        start_ns: second * SECOND,
        end_ns: (second + 1) * SECOND,
        bytes: service.count * 4096,
        service,
        response: None,
    }
}

/// A bundle in a folder of its own, which goes when the first is dropped.
pub(crate) fn bundle(made: &Made) -> (tempfile::TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("made.dyno");
    write_bundle(&path, made).expect("a bundle");
    (folder, vec![path])
}

const SMALL: Made = Made { values: Vec::new(), repeats: 3, seconds: 10, fail: true };

pub(crate) fn small() -> Made {
    Made { values: vec![8.0, 32.0, 128.0], ..SMALL }
}

/// The page without what is drawn and styled: headings, sentences and tables.
fn outline(page: &str) -> String {
    let mut text = page.to_string();
    for (open, close) in [("<style>", "</style>"), ("<svg", "</svg>"), ("<pre>", "</pre>")] {
        let mut kept = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(open) {
            kept.push_str(&rest[..at]);
            kept.push_str(&format!("[{}]", open.trim_matches(['<', '>'])));
            rest = rest[at..].find(close).map_or("", |end| &rest[at + end + close.len()..]);
        }
        kept.push_str(rest);
        text = kept;
    }
    text
}

#[test]
fn subjects_side_by_side() {
    let (_folder, paths) = bundle(&small());
    let facts = crate::cmd::load::facts(&paths, &Question::default()).expect("facts");
    let shown = text::compare(&facts);
    assert!(shown.lines().all(|l| l.chars().count() <= 120), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn every_point() {
    let (_folder, paths) = bundle(&small());
    let shown = text::show(&crate::cmd::load::facts(&paths, &Question::default()).expect("facts"));
    assert!(shown.lines().all(|l| l.chars().count() <= 120), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn the_page_keeps_its_shape() {
    let (_folder, paths) = bundle(&small());
    let page =
        html::page(&crate::cmd::load::facts(&paths, &Question::default()).expect("facts"), &super::Brief::default())
            .expect("a page");
    for outside in ["http:", "https:", "@import", "url(", "src="] {
        let foreign = page.replace("http://www.w3.org/", "");
        assert!(!foreign.contains(outside), "the page refers to something outside: {outside}");
    }
    insta::assert_snapshot!(outline(&page));
}

#[test]
fn a_thousand_points_make_a_page_below_three_megabytes() {
    let made = Made { values: (1..=500).map(f64::from).collect(), repeats: 1, seconds: 4, fail: false };
    let (_folder, paths) = bundle(&made);
    let begun = std::time::Instant::now();
    let facts = crate::cmd::load::facts(&paths, &Question::default()).expect("facts");
    let loaded = begun.elapsed();
    let page = html::page(&facts, &super::Brief::default()).expect("a page");
    // Seen with `cargo test --release a_thousand -- --nocapture`; the goal is a second, and no test is timed.
    println!("1,000 points: {loaded:?} to load, {:?} in all, {} bytes", begun.elapsed(), page.len());
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
}

#[test]
fn an_asked_rate_compares_response_times_and_owns_up_to_what_it_missed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("open.dyno");
    let made = Made { values: vec![20_000.0], fail: false, ..SMALL };
    let run = Run { plan: plan(&made), started_unix_ns: STARTED, dyno_version: "0.1.0".into() };
    let mut writer = Writer::create(&path, &run, &[]).expect("a bundle");
    for (repeat, subject) in (1..=3).flat_map(|repeat| ["Memory", "Disk"].map(|subject| (repeat, subject))) {
        let (typical_ns, ops) = if subject == "Memory" { (50_000, 200_000) } else { (80_000, 150_000) };
        let mut made = point(&made, subject, 20_000.0, repeat);
        made.key.axis = Some(Axis { name: "read.rate".into(), field: Field::OpsPerSec, value: 20_000.0.into() });
        let mut tally = tally(Class::READ, ops, typical_ns);
        tally.response = Some(histogram(ops, typical_ns * (100 + u64::from(repeat)) / 50));
        let late = if subject == "Disk" { 9_000 } else { 0 };
        let asked = Some(Rate::OpsPerSec(20_000.0));
        made.cells = vec![Cell { asked, late, backlog_max: 1_200, ..cell("read", true, 8, tally) }];
        writer.begin(&made.key).expect("begun");
        writer.end(&made).expect("ended");
    }
    insta::assert_snapshot!(text::compare(&crate::cmd::load::facts(&[path], &Question::default()).expect("facts")));
}

#[test]
fn the_markdown_keeps_its_shape() {
    let (_folder, paths) = bundle(&small());
    let facts = crate::cmd::load::facts(&paths, &Question::default()).expect("facts");
    let document = super::Document::new(&facts, &super::Brief::default()).expect("a document");
    let (text, figures) = super::markdown(&document, "brief.figures");
    assert!(
        figures.iter().all(|(name, svg)| text.contains(&format!("(brief.figures/{name})")) && svg.starts_with("<svg"))
    );
    // The plan, as JSON of some hundred lines, is a matter of its own.
    let plan = text.split_once("```text").map_or("", |(_, rest)| rest);
    insta::assert_snapshot!(text.replace(plan, "[plan]"));
}

/// A bundle whose points are changed, and given readings, as they are written.
fn changed(change: &dyn Fn(&mut Point), watts: &dyn Fn(&str) -> f64) -> Facts {
    let (folder, made) = (tempfile::tempdir().expect("a temporary folder"), Made { fail: false, ..small() });
    let path = folder.path().join("made.dyno");
    let run = Run { plan: plan(&made), started_unix_ns: STARTED, dyno_version: "0.1.0".into() };
    let mut writer = Writer::create(&path, &run, &[]).expect("a bundle");
    for repeat in 1..=made.repeats {
        for (value, subject) in made.values.iter().flat_map(|v| ["Memory", "Disk"].map(|subject| (*v, subject))) {
            let mut point = point(&made, subject, value, repeat);
            change(&mut point);
            writer.begin(&point.key).expect("begun");
            for tenth in -35..=(made.seconds as i64 * 10 + 35) {
                let (meter, name) = ("exec".to_string(), "drive_watts".to_string());
                let value = watts(subject);
                writer.sample(&Sample { at_ns: tenth * 100_000_000, meter, name, value }).expect("a reading");
            }
            writer.end(&point).expect("ended");
        }
    }
    crate::cmd::load::facts(&[path], &Question::default()).expect("facts")
}

/// What may be claimed, as sentences.
fn sentences(facts: &Facts) -> Vec<String> {
    claims::all(facts).iter().map(|c| wording::sentence(facts, c.comparison)).collect()
}

#[test]
fn the_one_that_does_less_may_do_more_per_watt() {
    let facts = changed(&|_| {}, &|subject| if subject == "Memory" { 30.0 } else { 5.0 });
    let said = sentences(&facts);
    let has = |start: &str, end: &str| said.iter().any(|s| s.starts_with(start) && s.ends_with(end));
    assert!(has("Memory delivers 2", "more ops/s than Disk on average over 3 points"), "{said:?}");
    let per_watt = "more ops/s per watt (drive, exec) than Memory on average over 3 points";
    assert!(has("Disk delivers ", per_watt), "{said:?}");
    let compared = text::compare(&facts).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(compared.contains(per_watt), "{compared}");
}

#[test]
fn subjects_under_other_options_are_not_compared_and_the_report_says_why() {
    let options = |point: &mut Point| {
        let own = if point.key.subject == "Disk" { "max_open_files=10 wal=1" } else { "max_open_files=-1 wal=1" };
        point.facts = vec![Fact::new("RocksDB", "Options", own)];
    };
    let facts = changed(&options, &|_| 5.0);
    assert!(facts.comparisons.is_empty() && sentences(&facts).is_empty());
    let said = text::compare(&facts).split_whitespace().collect::<Vec<_>>().join(" ");
    let why = "Disk and Memory are not comparable: RocksDB: Options differs, max_open_files=-1 (Memory), \
               max_open_files=10 (Disk).";
    assert!(said.contains(why), "{said}");
}

/// Words by which a report would rank.
const RANKING: [&str; 10] =
    ["▲", "▼", " more ops/s", " lower p99", "delivers", "faster", "better:", "≥", "up to ", "wins"];

#[test]
fn with_fewer_than_three_repeats_no_sentence_and_no_mark_says_that_one_is_better() {
    for repeats in [1, 2] {
        let (_folder, paths) = bundle(&Made { repeats, fail: false, ..small() });
        let facts = crate::cmd::load::facts(&paths, &Question::default()).expect("facts");
        assert!(facts.comparisons.is_empty());
        let document = super::Document::new(&facts, &super::Brief::default()).expect("a document");
        // How rankings are made is explained in any case; what is left must hold none.
        let markdown = super::markdown(&document, "figures").0;
        let results = markdown.split("## How it was measured").next().unwrap_or_default().to_string();
        let mut claims = Vec::new();
        crate::cmd::claims::write(&facts, false, &mut claims).expect("claims");
        for shown in [text::compare(&facts), text::show(&facts), results, String::from_utf8_lossy(&claims).into()] {
            RANKING.iter().for_each(|word| assert!(!shown.contains(word), "'{word}' in {shown}"));
        }
        assert!(text::compare(&facts).contains("--repeats 5"));
    }
}

#[test]
fn one_pair_has_one_number_and_one_interval_in_every_form() {
    let (_folder, paths) = bundle(&Made { fail: false, ..small() });
    let facts = crate::cmd::load::facts(&paths, &Question::default()).expect("facts");
    let brief = super::Brief::default();
    let document = super::Document::new(&facts, &brief).expect("a document");
    let mut json = Vec::new();
    crate::cmd::claims::write(&facts, true, &mut json).expect("claims");
    let mut csv = Vec::new();
    let table = crate::export::TABLES.iter().find(|t| t.name() == "comparisons").expect("a table");
    crate::export::export((&paths, &facts), *table, crate::export::FORMS[0], Box::new(&mut csv)).expect("an export");
    let forms = [
        ("HTML", html::page(&facts, &brief).expect("a page")),
        // A bracket begins a link there.
        ("Markdown", super::markdown(&document, "figures").0.replace("\\[", "[")),
        ("JSON", String::from_utf8_lossy(&json).into_owned()),
        ("CSV", String::from_utf8_lossy(&csv).into_owned()),
    ];
    assert!(facts.comparisons.len() >= 8, "{} comparisons", facts.comparisons.len());
    let terminal = text::compare(&facts);
    for comparison in &facts.comparisons {
        let number = wording::difference(comparison);
        forms.iter().for_each(|(form, text)| assert!(text.contains(&number), "'{number}' is not in {form}"));
    }
    for claim in claims::all(&facts) {
        let number = wording::difference(claim.comparison);
        assert!(terminal.contains(&number), "'{number}' is not in {terminal}");
    }
}
