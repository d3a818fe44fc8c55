//! Little's law for each closed-loop stream of the built-in protocols that makes block or key
//! requests: its workload, depth and worker loop, on an engine of random latencies and a simulated
//! clock.

use std::collections::BTreeSet;

use serde_json::json;

use crate::base::clock::Clock;
use crate::engine::null::{self, Null};
use crate::engine::{Access, DatasetAccess, DatasetLocation, Engine};
use crate::measure::AddressSpace;
use crate::measure::slowest::Slowest;
use crate::measure::worker::{DriveJob, MeasuredWindow, Slots, WorkerJob};
use crate::plan::{self, Load, RequestFamily, Stream};
use crate::record::Class;
use crate::run::worker_group::WorkerGroup;
use crate::workload;

/// The mean latency.
const LATENCY_NS: u64 = 100_000;

/// One worker's number of ops in flight: by rate and mean latency of all ops, and as measured.
fn in_flight(stream: &Stream) -> (f64, f64) {
    let space = AddressSpace { bytes: 1 << 36, keys: 1_000_000, ..AddressSpace::default() };
    let mut stream = Stream { engine: null::instant(space), threads: 1, ..stream.clone() };
    let knobs = &mut stream.engine.knobs.0;
    knobs.insert("latency".into(), json!(LATENCY_NS));
    knobs.insert("distribution".into(), json!("exponential"));
    let clock = Clock::simulated();
    let (home, access) = (DatasetLocation::Nowhere, Access::ReadOnly);
    let site = DatasetAccess { home: &home, knobs: &stream.engine.knobs, access, clock };
    let target = Null.open(&site).unwrap();
    let group = WorkerGroup::new(&stream, &*target, None, 7).unwrap();
    let drive = DriveJob {
        source: group.source(group.space(), 0).unwrap(),
        schedule: None,
        limit: None,
        recorder: &group.recorders[0],
        slowest: Slowest::new(0),
    };
    let length_ns = LATENCY_NS * (10_000 / u64::from(stream.depth)).max(60);
    let window = MeasuredWindow { from_ns: 10 * LATENCY_NS, until_ns: 10 * LATENCY_NS + length_ns };
    let (slots, stop) = (Slots::new(stream.depth, 1), &false.into());
    let job = WorkerJob { clock, drives: &mut [drive], slots, window, stop };
    target.io_context(&stream, 0).unwrap().work(job).unwrap();
    let (mut tallies, recorder) = (Vec::new(), &group.recorders[0]);
    recorder.add_to(&mut tallies);
    let all = || tallies.iter().filter(|tally| tally.class != Class::PREFIX);
    let ops: u64 = all().map(|tally| tally.ops).sum();
    let timed: u64 = all().map(|tally| tally.service.count).sum();
    let sum_ns: u64 = all().map(|tally| tally.service.sum_ns).sum();
    let mean_ns = sum_ns as f64 / timed as f64;
    let length_ns = length_ns as f64;
    (ops as f64 / length_ns * mean_ns, recorder.in_flight_ns() as f64 / length_ns)
}

#[test]
fn each_closed_loop_of_the_built_in_protocols_obeys_littles_law() {
    let (catalogue, folder) = (crate::plan_catalogue(), tempfile::tempdir().unwrap());
    ["A", "B"].iter().for_each(|name| std::fs::create_dir(folder.path().join(name)).unwrap());
    let (mut protocols, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for (name, _) in plan::protocols() {
        let subjects = ["A", "B"].map(|name| (name.to_string(), folder.path().join(name)));
        // Protocols with loads of other crates are unknown to the core.
        let plan = plan::from_command_line(name, &subjects, &[], Some(1), &catalogue);
        let Ok(plan) = plan else { continue };
        for point in plan::points(&plan) {
            for stream in point.step.streams {
                let workload = workload::find(&stream.workload.name).unwrap();
                let family = workload.info().family;
                let own = matches!(family, RequestFamily::Block | RequestFamily::KeyValue)
                    && stream.load == Load::Closed
                    && !workload.waits(&stream.workload.knobs)
                    && workload::recorded(&stream).is_ok_and(|load| load.is_none());
                let shape = format!("{} {:?}", stream.depth, stream.workload);
                if !own || !seen.insert(shape) {
                    continue;
                }
                let what = format!("{name}, {}, {}", point.step.name, stream.name);
                let (by_law, measured) = in_flight(&stream);
                assert!((by_law / measured - 1.0).abs() < 0.02, "{what}: {by_law} {measured}");
                let depth = f64::from(stream.depth);
                assert!((measured / depth - 1.0).abs() < 0.02, "{what}: {measured} of {depth}");
                protocols.insert(*name);
            }
        }
    }
    // The others have servers, recorded loads or target rates.
    assert!(protocols.len() >= 12, "{protocols:?}");
}
