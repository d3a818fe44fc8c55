//! Briefs of the built-in protocols contain no English words in other languages.

use super::tests_bundle::{STARTED, cell, interval, tally};
use super::tests_languages::foreign;
use crate::analysis::{Facts, Question};
use dyno_core::plan::{Plan, PointPlan, SteadyMetric, SteadyRule, points, protocols};
use dyno_core::record::{
    Cell, Class, Outcome, Point, PreparationStep, Run, Sample, Setup, Sink, SteadyState,
};
use dyno_core::stats::steady::judge;
use dyno_core::store::BundleWriter;

/// Maximum number of points of a step.
const MOST_VALUES: usize = 2;

fn plan(protocol: &str) -> Plan {
    let folder = tempfile::tempdir().expect("a folder");
    let subjects = ["A", "B"].map(|name| (name.to_string(), folder.path().join(name)));
    for (_, path) in &subjects {
        std::fs::create_dir(path).expect("a folder");
    }
    let catalogue = dyno_loads::plan_catalogue();
    dyno_core::plan::from_command_line(protocol, &subjects, &[], None, &catalogue).expect("a plan")
}

/// A point with plausible results of its streams, on each of its drives and in each instance: the
/// first one's are thousands of times the others'.
fn measured(plan: &PointPlan, drives: u32) -> Point {
    let (seconds, scale) = (10, if plan.key.subject == "A" { 2 } else { 1 });
    let cells = plan.step.streams.iter().flat_map(|stream| {
        let class = match stream.workload.knobs.get("read").and_then(|v| v.as_f64()) {
            _ if stream.workload.name.starts_with("tpcc") => Class::new("new-order"),
            Some(0.0) => Class::WRITE,
            _ => Class::READ,
        };
        let ops = 9_000 * scale * seconds * u64::from(plan.key.repeat + 20);
        let places = (0..drives).flat_map(|drive| (0..stream.instances).map(move |i| (drive, i)));
        places.map(move |(drive, instance)| {
            let tally = tally(class, ops / 200_000u64.pow(drive + instance), 90_000 / scale);
            let own = cell(&stream.name, stream.headline, stream.threads, tally);
            Cell { drive, instance, ..own }
        })
    });
    Point {
        key: plan.key.clone(),
        started_unix_ns: STARTED,
        window_ns: Some(seconds * 1_000_000_000),
        outcome: Outcome::Measured,
        cells: cells.collect(),
        facts: Vec::new(),
        observed: Vec::new(),
    }
}

/// A run's stored texts about preparation.
fn prepared() -> Vec<PreparationStep> {
    let done = [
        ("purge", "NVMe format, user data erased (--ses=1); every block discarded (BLKDISCARD)"),
        ("purge", "NVMe format, key erased (--ses=2)"),
        ("purge", "NVMe sanitize (--sanact=4)"),
        ("namespaces", "2 namespaces of 1.0 GiB, 1 of them attached; created: 1, 2"),
        ("namespaces", "deleted, to be created again without their data: 3"),
        ("write cache", "off (it was on, which the end of the run puts back)"),
        ("filesystem", "xfs made (mkfs.xfs -f), mounted with noatime, UUID 1234-5678"),
        ("purge", "not done: a directory cannot be purged"),
        ("namespaces", "not done: in a directory there are 6 equal slices"),
        ("write cache", "not done: the drive of a directory is not switched"),
        ("filesystem", "not done: a directory has its filesystem"),
        ("fill A", "laid out and filled"),
        ("fill A", "opened as it is found"),
        ("condition 1", "4,096 ops of A in 345 ms"),
    ];
    let row = |(action, outcome): (&str, &str)| PreparationStep {
        subject: "A".into(),
        drive: 0,
        action: action.into(),
        asked: String::new(),
        outcome: outcome.into(),
        filesystem_uuid: None,
        steady: None,
        ended_unix_ns: STARTED,
    };
    let tracked = [
        (SteadyMetric::Iops, 2),
        (SteadyMetric::Iops, 5),
        (SteadyMetric::Throughput, 5),
        (SteadyMetric::Mean, 5),
        (SteadyMetric::P99, 5),
        (SteadyMetric::Waf, 5),
    ];
    let rounds = tracked.map(|(metric, rounds)| {
        let rule = SteadyRule { window: 5, excursion: 0.2, slope: 0.1 };
        let (round_ns, rounds) = (1_000_000_000, vec![9_000.0; rounds]);
        let window = judge(&rounds, &rule);
        let steady = SteadyState { metric, round_ns, rule, rounds, window };
        PreparationStep { steady: Some(steady), ..row(("steady state", "")) }
    });
    done.map(row).into_iter().chain(rounds).collect()
}

pub fn facts(protocol: &str) -> Facts {
    facts_on(protocol, 1)
}

/// The same for subjects with this number of drives each.
pub fn facts_on(protocol: &str, drives: u32) -> Facts {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("made.dyno");
    let plan = Plan { repeats: 3, ..plan(protocol) };
    let run = Run { plan: plan.clone(), started_unix_ns: STARTED, dyno_version: "0.1.0".into() };
    let mut writer = BundleWriter::create(&path, &run, &Setup::default()).expect("a bundle");
    writer.prepared(&prepared()).expect("rows");
    let mut seen: Vec<(String, String)> = Vec::new();
    for of in points(&plan) {
        let value = of.key.axis.as_ref().map_or(String::new(), |axis| format!("{:?}", axis.value));
        let place = (of.key.step.clone(), value);
        let known = seen.contains(&place);
        let enough = seen.iter().filter(|(step, _)| *step == place.0).count() >= MOST_VALUES;
        if !known && enough {
            continue;
        }
        if !known {
            seen.push(place);
        }
        let point = measured(&of, drives);
        writer.begin(&point.key).expect("begun");
        for second in 0..10 {
            let mut interval = interval(&point, second, 10);
            interval.stream.clone_from(&point.cells[0].stream);
            writer.interval(&interval).expect("an interval");
            let (meter, name) = ("exec".to_string(), "drive_watts".to_string());
            let at_ns = second as i64 * 1_000_000_000;
            writer.sample(&Sample { at_ns, meter, name, value: 7.0 }).expect("a reading");
        }
        writer.end(&point).expect("ended");
    }
    crate::bundles::facts(&[path], &Question::default()).expect("facts")
}

#[test]
fn in_a_bracketed_language_no_brief_of_a_built_in_protocol_has_a_word_outside_of_brackets() {
    for (protocol, _) in protocols() {
        let foreign = foreign(facts(protocol));
        assert!(foreign.is_empty(), "{protocol}:\n{}", foreign.join("\n"));
    }
}
