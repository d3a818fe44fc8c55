//! Briefs of every kind: the first page and the steps, as literal Markdown, from bundles with
//! chosen figures.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use dyno::base::rng::Rng;
use dyno::base::units::Rate;
use dyno::plan::{self, Load, Plan, PointKey, Stream};
use dyno::record::{Cell, Class, Point, Run, Sample, Setup, Sink, Tally};
use dyno::store::BundleWriter;

use crate::made;
use crate::support::{dyno, said};

const SECOND_NS: u64 = 1_000_000_000;

/// A stream's figures at a point: ops/s and p99 of each class.
type Shown = Vec<(Class, f64, f64)>;

fn tally(class: Class, ops: f64, p99_ns: f64, open: bool) -> Tally {
    let ops = ops.round() as u64;
    let service = made::histogram(ops, p99_ns);
    let response = open.then(|| service.clone());
    let (bytes, misses, given_up, censored) = (ops * 4096, 0, 0, None);
    Tally { class, ops, bytes, misses, given_up, service, response, censored }
}

/// Every point of the plan with figures; the named subjects are in memory.
fn write(
    dir: &Path,
    plan: &Plan,
    in_memory: &[&str],
    show: &mut dyn FnMut(&PointKey, &Stream) -> Shown,
) -> PathBuf {
    let path = dir.join("b.dyno");
    let run = Run {
        plan: plan.clone(),
        started_unix_ns: 1_770_127_500 * SECOND_NS,
        dyno_version: "test".into(),
    };
    let mut writer = BundleWriter::create(&path, &run, &Setup::default()).expect("a bundle");
    for planned in plan::points(plan) {
        let cell = |stream: &Stream, instance: u32, shown: &Shown| Cell {
            stream: stream.name.clone(),
            drive: 0,
            instance,
            headline: stream.headline,
            threads: Some(stream.threads),
            depth: Some(stream.depth),
            asked: asked(stream, &planned.key, shown),
            late: 0,
            backlog_max: 0,
            backlog_end: 0,
            in_flight: None,
            tallies: Vec::new(),
        };
        let mut cells = Vec::new();
        for stream in &planned.step.streams {
            let shown = show(&planned.key, stream);
            for instance in 0..stream.instances {
                let made = cell(stream, instance, &shown);
                let open = made.asked.is_some();
                // Each copy a little slower than the previous one.
                let slower = 1.0 + 0.2 * f64::from(instance);
                let tallies = shown
                    .iter()
                    .map(|(class, ops, p99)| tally(*class, *ops, p99 * slower, open))
                    .collect();
                cells.push(Cell { tallies, ..made });
            }
        }
        writer.begin(&planned.key).expect("begun");
        if in_memory.contains(&planned.key.subject.as_str()) {
            // The meter readings on tmpfs, and the processor time, without which there is no
            // verdict.
            let readings =
                [("diskstats", "places_in_memory", 0, 1.0), ("cpu", "host_all_ns", 0, 0.0)];
            for (meter, name, at_ns, value) in
                readings.into_iter().chain([("cpu", "host_all_ns", 1_000_000_000, 4e9)])
            {
                let (meter, name) = (meter.to_string(), name.to_string());
                writer.sample(&Sample { at_ns, meter, name, value }).expect("a reading");
            }
        }
        let key = planned.key.clone();
        let (started_unix_ns, window_ns) = (1_770_127_500 * SECOND_NS, Some(SECOND_NS));
        let facts = Vec::new();
        let point = Point { window_ns, cells, facts, ..Point::begun(key, started_unix_ns) };
        writer.end(&point).expect("ended");
    }
    path
}

/// The target rate: a percentage refers to the figures shown at the maximum.
fn asked(stream: &Stream, key: &PointKey, shown: &Shown) -> Option<Rate> {
    match stream.load {
        Load::Rate(rate) => Some(rate),
        Load::PercentOfMaximum(percent)
            if key.axis.as_ref().is_some_and(|a| !a.value.is_maximum()) =>
        {
            let achieved: f64 = shown.iter().map(|(_, ops, _)| ops).sum();
            Some(Rate::OpsPerSec(achieved * (percent / 100.0).max(1.0)))
        }
        _ => None,
    }
}

fn subjects(dir: &Path, names: &[&str]) -> Vec<(String, PathBuf)> {
    let own = |name: &&str| {
        let path = dir.join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        (name.to_string(), path)
    };
    names.iter().map(own).collect()
}

fn built_in(dir: &Path, protocol: &str, names: &[&str], repeats: u32) -> Plan {
    plan::from_command_line(
        protocol,
        &subjects(dir, names),
        &[],
        Some(repeats),
        &dyno::plan_catalogue(),
    )
    .unwrap_or_else(|mistakes| panic!("{}", mistakes.render(false)))
}

fn number(key: &PointKey) -> f64 {
    key.axis.as_ref().map_or(0.0, |a| a.value.as_f64())
}

fn noise(rng: &mut Rng, scatter: f64) -> f64 {
    (scatter * rng.normal()).exp()
}

/// The brief as Markdown, without its appendix; and its first page.
fn brief(dir: &Path, args: &[&str]) -> (String, String) {
    let all = [&["report", "b.dyno", "-o", "b.md"], args].concat();
    let out = dyno(dir, &all);
    assert!(out.status.success(), "{}", said(&out));
    let text = std::fs::read_to_string(dir.join("b.md")).expect("a brief");
    let body = text.split("\n## Appendix").next().unwrap_or_default().to_string();
    let first = body.split("\n## ").next().unwrap_or_default().to_string();
    let figures: String = first
        .lines()
        .filter_map(|line| line.split_once("](").map(|(_, rest)| rest.trim_end_matches(')')))
        .map(|file| std::fs::read_to_string(dir.join(file)).expect("a figure"))
        .collect();
    let says = first.contains("No drive can be ranked here. ")
        || [" than ", " has the lower ", " has the higher "]
            .iter()
            .any(|words| first.contains(words));
    assert!(says, "the first page does not say who is better: {first}");
    assert!(
        !first.contains('†') && !figures.contains('†'),
        "a mark disowns a number of the first page: {first}"
    );
    assert!(!figures.is_empty(), "the first page has no figure: {first}");
    (body, first)
}

fn demo(dir: &Path) {
    let mut plan = made::plan(dir, made::DEMO, 2, 5);
    for (subject, name) in plan.subjects.iter_mut().zip(["Disk", "Memory"]) {
        subject.name = name.to_string();
    }
    let mut rng = made::rng(71, 0);
    write(dir, &plan, &["Memory"], &mut |key, _| {
        let fast = if key.subject == "Memory" { 5.0 } else { 1.0 };
        let at = number(key);
        match key.step.as_str() {
            "paced-writes" => {
                vec![(Class::WRITE, at / 2048.0, 900_000.0 / fast * noise(&mut rng, 0.03))]
            }
            _ => {
                let ops = 25_000.0 * fast * at.powf(0.7) * noise(&mut rng, 0.02);
                vec![(Class::READ, ops, 1.6e9 * at / ops * noise(&mut rng, 0.02))]
            }
        }
    });
}

#[test]
fn the_demo_says_what_the_disk_and_memory_come_to() {
    let folder = made::folder();
    demo(folder.path());
    let (body, first) = brief(folder.path(), &[]);
    assert!(
        first.contains("Memory delivers at least")
            && first.contains("more ops/s than Disk at 4 threads"),
        "{first}"
    );
    insta::assert_snapshot!(body);
}

/// Curves of two drives, one with higher load and lower latency.
fn profiles(dir: &Path) {
    let plan = built_in(dir, "vdbench-profiles", &["A", "B"], 5);
    let mut rng = made::rng(72, 0);
    let steps: HashMap<String, usize> =
        plan.protocol.steps.iter().map(|s| s.name.clone()).zip(0..).collect();
    write(dir, &plan, &[], &mut |key, _| {
        let better = if key.subject == "A" { 1.15 } else { 1.0 };
        let most = 60_000.0 * better * (1.0 + steps[&key.step] as f64 / 10.0);
        let share = (number(key) / 100.0).min(1.01);
        let wait = 80_000.0 / better * (1.0 + share / (1.06 - share));
        // Beyond the maximum the queue grows throughout the window; the closed loop of the maximum
        // has none.
        let beyond = number(key) > 100.0 && number(key).is_finite();
        let wait = if beyond { wait * 40.0 } else { wait };
        let class = if key.step.contains("write") && !key.step.contains("while") {
            Class::WRITE
        } else {
            Class::READ
        };
        vec![(class, most * share.min(1.0) * noise(&mut rng, 0.004), wait * noise(&mut rng, 0.02))]
    });
}

#[test]
fn block_profiles_are_compared_at_equal_load_and_summed_up_in_one_table() {
    let folder = made::folder();
    profiles(folder.path());
    let (body, first) = brief(folder.path(), &[]);
    assert!(
        first.contains("lower p99 read response time than B on average over 10 equal loads"),
        "{first}"
    );
    // The curves end at the maximum, and overload does not stretch them.
    let curve =
        std::fs::read_to_string(folder.path().join("b.figures/cover-1.svg")).expect("a figure");
    assert!(curve.contains("maximum"), "{curve}");
    insta::assert_snapshot!(body);
}

#[test]
fn noisy_neighbours_are_shown_reader_by_reader() {
    let folder = made::folder();
    let dir = folder.path();
    let plan = built_in(dir, "noisy-neighbour", &["A", "B"], 5);
    let mut rng = made::rng(73, 0);
    write(dir, &plan, &[], &mut |key, stream| {
        let loud = match key.step.as_str() {
            "alone" => 1.0,
            "neighbours" => 2.0,
            _ => 5.0,
        };
        let slower = if key.subject == "B" && key.step != "alone" { 1.4 } else { 1.0 };
        match stream.headline {
            true => {
                let p99 = 150_000.0 * loud * slower * noise(&mut rng, 0.01);
                vec![(Class::READ, 1.2e9 / p99 * 1.5 * 1000.0, p99)]
            }
            false => vec![(Class::WRITE, 24_414.0, 500_000.0)],
        }
    });
    let (body, first) = brief(dir, &[]);
    assert!(first.contains("A has ") && first.contains("than B"), "{first}");
    insta::assert_snapshot!(body);
}

#[test]
fn write_pressure_says_where_the_better_drive_changes() {
    let folder = made::folder();
    let dir = folder.path();
    let plan = built_in(dir, "write-pressure", &["A", "B"], 3);
    let mut rng = made::rng(74, 0);
    write(dir, &plan, &[], &mut |key, stream| match stream.headline {
        true => {
            let rate = number(key) / 1e6;
            let p99 =
                if key.subject == "A" { 150.0 + 0.9 * rate } else { 380.0 + 0.3 * rate } * 1e3;
            let p99 = p99 * noise(&mut rng, 0.01);
            vec![(Class::READ, 1.5e12 / p99, p99)]
        }
        false => vec![(Class::WRITE, number(key) / 4096.0, 900_000.0)],
    });
    let (body, first) = brief(dir, &[]);
    assert!(
        first.contains("A has the lower p99 read latency up to ") && first.contains(", B from "),
        "{first}"
    );
    let rows = body.lines().filter(|l| l.starts_with("| ") && l.contains("/s |")).count();
    assert!(rows <= 12, "{rows} rows of 85 rates stand in the body");
    insta::assert_snapshot!(body);
}

/// Classes of TPC-C, each with its share of all transactions.
const TPCC: [(&str, f64); 6] = [
    ("new-order", 0.45),
    ("payment", 0.43),
    ("order-status", 0.04),
    ("delivery", 0.04),
    ("deferred-delivery", 0.04),
    ("stock-level", 0.04),
];

#[test]
fn tpcc_leads_with_the_response_time_that_ninety_percent_keep() {
    let folder = made::folder();
    let dir = folder.path();
    let plan = built_in(dir, "tpcc", &["A", "B"], 5);
    let mut rng = made::rng(75, 0);
    let class = |name: &str| Class::stored(name).expect("a class");
    write(dir, &plan, &[], &mut |key, _| {
        if key.step != "tpcc" {
            return vec![(Class::CHECK, 1.0, 1e9)];
        }
        let better = if key.subject == "A" { 1.08 } else { 1.0 };
        let all = 30_000.0 * better * noise(&mut rng, 0.005);
        TPCC.iter().map(|(name, share)| (class(name), all * share, 8e6 / better)).collect()
    });
    let (body, first) = brief(dir, &[]);
    assert!(
        first.contains("A has ") && first.contains("lower p90 new-order latency than B"),
        "{first}"
    );
    insta::assert_snapshot!(body);
}

#[test]
fn several_servers_have_a_pooled_p99_and_the_mean_of_their_own() {
    let folder = made::folder();
    let dir = folder.path();
    let plan = built_in(dir, "mysql-oltp", &["A", "B"], 3);
    let mut rng = made::rng(76, 0);
    let transaction = Class::stored("transaction").expect("a class");
    write(dir, &plan, &[], &mut |_, _| vec![(transaction, 30_000.0 * noise(&mut rng, 0.01), 9e6)]);
    brief(dir, &[]);
    let text = std::fs::read_to_string(dir.join("b.md")).expect("a brief");
    // Two instances of 9 and 10.8 ms.
    let heads = "| coefficient of variation | mean of p99s, ms | p99, pooled, ms |";
    assert!(text.contains(heads), "{text}");
    let row = text
        .lines()
        .find(|l| l.contains("| A | 2 |"))
        .unwrap_or_else(|| panic!("no row of both servers: {text}"));
    assert!(row.contains("| 9.90 | 9.00 |"), "{row}");
    assert!(text.contains("mean of their own"), "the figure that the protocol promises");
}

#[test]
fn published_tables_are_arithmetic_and_rank_nobody() {
    let folder = made::folder();
    let dir = folder.path();
    published(dir);
    let (body, first) = brief(dir, &[]);
    assert!(
        first.contains("As published, without repeats, in RocksDB random reads: Micron"),
        "{first}"
    );
    // Every kind of figure and table in the published brief.
    for kind in [
        ": ops/s; as published: ",
        "p99 read latency against throughput",
        "power of the drive](",
        "ops/s per watt of the drive; as published: ",
        "| Micron 7600 +21.24 % |",
        "as published: Micron 7600 +21 % vs Kioxia CD8P-R at 96 threads](",
    ] {
        assert!(body.contains(kind), "no {kind} in {body}");
    }
    let whole = std::fs::read_to_string(dir.join("b.md")).expect("a brief");
    // Tables of every point and difference are written on request.
    assert!(whole.contains("dyno export --table points"), "{whole}");
    std::fs::write(dir.join("brief.toml"), "sections = [\"differences\", \"data\", \"energy\"]\n")
        .expect("written");
    crate::support::dyno_well(
        dir,
        &["report", "b.dyno", "--brief", "brief.toml", "-o", "whole.md"],
    );
    let whole = std::fs::read_to_string(dir.join("whole.md")).expect("a brief");
    for kind in ["892,202 ÷ 735,861 − 1", "Full data", "Power and energy"] {
        assert!(whole.contains(kind), "no {kind}");
    }
    for ranks in ["▲", " best ", "delivers", "Claims for"] {
        assert!(!body.contains(ranks), "“{ranks}” in {body}");
    }
    insta::assert_snapshot!(body);
}

fn published(dir: &Path) {
    let data = |name: &str| format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let (reads, mixed) =
        (data("micron-7600-random-read.csv"), data("micron-7600-read-while-writing.csv"));
    let mapping = data("mapping.toml");
    let args = ["import", "csv", &reads, &mixed, "--mapping", &mapping, "-o", "b.dyno"];
    let out = dyno(dir, &args);
    assert!(out.status.success(), "{}", said(&out));
}

const VERDICT: &str = r#"
[verdict]
markdown = """{claims.best.better} is **{claims.readrandom.gain by ops/s at 4 of Memory}** ahead \
    in {claims.readrandom.metric by ops/s}."""

[drive.Disk]
capacity = "7.68TB"
form_factor = "U.3"
endurance = "1 DWPD"
price = { amount = 800.0, currency = "EUR", date = "2026-11-01", source = "a shop" }
"#;

#[test]
fn a_verdicts_numbers_follow_the_data_and_prices_are_marked_as_not_measured() {
    let folder = made::folder();
    let dir = folder.path();
    demo(dir);
    std::fs::write(dir.join("brief.toml"), VERDICT).expect("written");
    let (body, first) = brief(dir, &["--brief", "brief.toml"]);
    let gain = first
        .split("Memory delivers ")
        .nth(1)
        .and_then(|rest| rest.split(" \\[").next())
        .expect("the gain");
    assert!(body.contains(&format!("Memory is **{gain}** ahead in ops/s.")), "{gain}: {body}");
    assert!(
        body.contains("nothing in this table was measured")
            && body.contains("price of 2026-11-01, source: a shop")
    );
    assert!(body.contains("9.60 GB/EUR") && body.contains("/EUR |"), "{body}");
}

#[test]
fn a_reference_that_no_longer_holds_is_an_error_and_nothing_is_written() {
    let folder = made::folder();
    let dir = folder.path();
    demo(dir);
    for (words, why) in [
        ("{claims.best.gain of Disk}", "the claim is for Memory, not for Disk"),
        ("{claims.readrandom.gain by p99.9}", "it no longer holds"),
        ("{claims.writes.gain}", "there is no step 'writes'"),
        ("{claims.best.factor}", "a claim has no 'factor'"),
        ("{figures.readrandom.ops/s at 4 of Memory}", "the drive did not limit this number"),
        ("{figures.readrandom.ops/s at 5 of Disk}", "no such figure"),
        ("{drives.price of Disk}", "nothing of the kind is stated"),
        ("{winner}", "there is no such thing"),
        ("Memory is 21 % faster", "typed by hand"),
    ] {
        std::fs::write(dir.join("brief.toml"), format!("[verdict]\nmarkdown = \"{words}\"\n"))
            .expect("written");
        let args = ["report", "b.dyno", "--brief", "brief.toml", "-o", "never.md"];
        let out = dyno(dir, &args);
        assert!(!out.status.success() && said(&out).contains(why), "{words}: {}", said(&out));
        assert!(!dir.join("never.md").exists());
    }
}

#[test]
fn a_figure_may_be_referred_to_where_the_drive_is_its_limit() {
    let folder = made::folder();
    let dir = folder.path();
    demo(dir);
    let words =
        "[verdict]\nmarkdown = \"Disk does {figures.readrandom.ops/s at 4 of Disk}. {lead}\"\n";
    std::fs::write(dir.join("brief.toml"), words).expect("written");
    let (body, first) = brief(dir, &["--brief", "brief.toml"]);
    let lead = first
        .lines()
        .find(|l| l.starts_with("RocksDB random reads: Memory"))
        .expect("the sentence");
    assert!(
        body.matches(lead).count() == 2 && body.contains("Disk does ") && body.contains(" ops/s. "),
        "{body}"
    );
}
