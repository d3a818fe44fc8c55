//! One axis that varies several rates at once, a load that is abandoned when it falls behind, and
//! the protocol that needs both: Aerospike's ACT.

use std::collections::BTreeMap;
use std::path::Path;

use dyno::record::{Fact, Outcome, Point, WorstPeriod, key, observed};

use crate::support::{dyno, dyno_well, points, said};

/// A subject on the null engine; a point takes `latency`.
fn plan(dir: &Path, step: &str) {
    let protocol = format!(
        "title = \"T\"\nsource = \"t\"\n[[step]]\nname = \"rates\"\nduration = \"2s\"\n{step}"
    );
    std::fs::write(dir.join("protocol.toml"), protocol).expect("written");
    let plan = "protocol = \"./protocol.toml\"\nrepeats = 1\n[[subject]]\nname = \"X\"\n\
        drives = [{ path = \"drive\" }]\n";
    std::fs::write(dir.join("plan.toml"), plan).expect("written");
    std::fs::create_dir(dir.join("drive")).expect("a folder");
}

fn stream(name: &str, rate: &str, latency: &str) -> String {
    format!(
        "[[step.stream]]\nname = \"{name}\"\nrate = \"{rate}\"\nworkload = \"random\"\n\
         engine = {{ kind = \"null\", latency = \"{latency}\" }}\n"
    )
}

fn multiple(point: &Point) -> f64 {
    point.key.axis.as_ref().and_then(|axis| axis.value.number()).expect("a multiple")
}

#[test]
fn a_multiple_of_the_rates_asks_for_so_many_ops_of_every_stream() {
    let dir = tempfile::tempdir().expect("a folder");
    let streams = [("small", 2000.0), ("read", 23.53), ("write", 23.53)];
    let text = |(name, rate): (&str, f64)| stream(name, &format!("{rate}/s"), "1us");
    let all: String = streams.map(text).concat();
    plan(dir.path(), &format!("sweep = {{ axis = \"rates\", values = [1, 2.5] }}\n{all}"));
    dyno_well(dir.path(), &["run", "plan.toml", "--output", "b.dyno"]);
    let found = points(&dir.path().join("b.dyno"));
    assert_eq!(found.iter().map(multiple).collect::<Vec<_>>(), [1.0, 2.5]);
    for point in &found {
        assert_eq!(point.outcome, Outcome::Measured);
        let seconds = point.window_ns.unwrap() as f64 / 1e9;
        // Ops that a busy machine could not submit in time count as backlog.
        let asked = |cell: &dyno::record::Cell| {
            cell.tallies.iter().map(|t| t.ops).sum::<u64>() + cell.backlog_end
        };
        let own: BTreeMap<&str, u64> =
            point.cells.iter().map(|cell| (cell.stream.as_str(), asked(cell))).collect();
        for (name, rate) in streams {
            let due = rate * multiple(point) * seconds;
            let ops = own[name] as f64;
            assert!((ops - due).abs() <= 1.0 + 0.001 * due, "{name}: {ops} of {due}");
        }
    }
}

#[test]
fn a_load_that_falls_behind_ends_its_point_and_answers_its_search() {
    let dir = tempfile::tempdir().expect("a folder");
    // One op at a time of 100 µs: at most 10,000/s, so 32 times 1,500/s falls behind at once.
    let step = format!(
        "max_lag = \"1s\"\nsweep = {{ axis = \"rates\", values = [1, 32, 64], \
         search = {{ metric = \"io.p95\", at_most = \"10s\" }} }}\n{}",
        stream("io", "1500/s", "100us")
    );
    plan(dir.path(), &step);
    dyno_well(dir.path(), &["run", "plan.toml", "--output", "b.dyno"]);
    let found = points(&dir.path().join("b.dyno"));
    let behind: Vec<&Point> = found.iter().filter(|p| p.outcome != Outcome::Measured).collect();
    assert_eq!(behind.iter().map(|p| multiple(p)).collect::<Vec<_>>(), [32.0]);
    let noted =
        |point: &&&Point| point.facts.iter().any(|fact| fact.name == key::load::FELL_BEHIND.name);
    assert!(behind.iter().all(|p| noted(&p)), "{behind:?}");
    let ops: u64 = behind[0].cells[0].tallies.iter().map(|t| t.ops).sum();
    assert!(
        ops > 0 && behind[0].window_ns < Some(2_000_000_000),
        "what was measured is kept: {ops}"
    );
    dyno_well(dir.path(), &["report", "b.dyno", "-o", "b.md"]);
    let brief = std::fs::read_to_string(dir.path().join("b.md")).expect("a brief");
    let limit = |line: &&str| line.contains("| 1 ×") && line.contains("| 32 ×");
    assert!(brief.lines().any(|line| limit(&line)), "what holds, and what does not: {brief}");
}

#[test]
fn a_load_that_falls_behind_without_a_search_is_a_failed_point() {
    let dir = tempfile::tempdir().expect("a folder");
    plan(dir.path(), &format!("max_lag = \"300ms\"\n{}", stream("io", "5000/s", "1ms")));
    let output = dyno(dir.path(), &["run", "plan.toml", "--output", "b.dyno"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    for words in ["behind its schedule", "use a lower rate", "max_lag"] {
        assert!(said(&output).contains(words), "'{words}' in {}", said(&output));
    }
}

/// In the whole window and in its worst second, 2.5 % of the requests take 70 ms.
#[test]
fn a_search_with_periods_is_decided_by_the_worst_one_and_the_brief_has_its_shares() {
    let dir = tempfile::tempdir().expect("a folder");
    let slow = "[[step.stream]]\nname = \"io\"\nrate = \"500/s\"\nworkload = \"random\"\n\
                depth = 32\nengine = { kind = \"null\", latency = \"100us\", slow_share = 2.5, \
                slow_latency = \"70ms\" }\n";
    let step = format!(
        "sweep = {{ axis = \"rates\", values = [4], search = {{ metric = \"io.p50\", \
         at_most = \"1s\", fewer = {{ \"64ms\" = 0.1 }}, every = \"1s\" }} }}\n{slow}"
    );
    plan(dir.path(), &step);
    dyno_well(dir.path(), &["run", "plan.toml", "--output", "b.dyno"]);
    let [point] = &points(&dir.path().join("b.dyno"))[..] else { panic!("one point") };
    let worst = observed::all::<WorstPeriod>(&point.observed).next().expect("a worst period");
    let share = worst.over[6].expect("the share over 64 ms");
    assert!(worst.length_ns == 1_000_000_000 && share > 0.015, "{worst:?}");
    let found = |fact: &&Fact| fact.group == "Search" && fact.value.contains("in the worst 1 s");
    assert!(point.facts.iter().any(|fact| found(&fact)), "{:?}", point.facts);
    dyno_well(dir.path(), &["report", "b.dyno", "-o", "b.md"]);
    let brief = std::fs::read_to_string(dir.path().join("b.md")).expect("a brief");
    for words in ["response, worst 1 s", "X sustains 0 ×", "In every period of 1 s, fewer than"] {
        assert!(brief.contains(words), "'{words}' in {brief}");
    }
}

#[test]
fn act_resolves_and_asks_for_what_its_source_says() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(dir.path().join("drive")).expect("a folder");
    let small = ["--scale", "small", "--set", "dataset.surface.size=16MiB"];
    let args = [&["plan", "check", "act", "--subject", "A=drive", "--repeats", "1"], &small[..]];
    let shown = dyno_well(dir.path(), &args.concat());
    // 127 multiples are searched by bisection.
    let words = ["2,000 ops/s", "23.53 ops/s", "47.06 ops/s", "4,000 ops/s", "up to 14 points"];
    for words in words {
        assert!(shown.contains(words), "'{words}' in {shown}");
    }
}
