//! Properties of the replayed part of a trace that streams and engines need before the load.

use serde_json::{Value, json};

use super::compiled::SYNTHETIC;
use super::selection::{ReplayPace, Selection};
use super::survey::Survey;
use crate::{KindTotal, RequestKind};
use dyno_core::base::error::{Error, failed};
use dyno_core::measure::pacer::ReplayTimes;
use dyno_core::plan::Knobs;
use dyno_core::record::{RecordedKind, Replayed};
use dyno_core::workload::RecordedLoad;

/// Maximum time from the due time of the last request to the end of a replay: time to submit that
/// request.
const TAIL_NS: u64 = 100_000_000;

/// Name of the knob that lists the kinds of requests in a trace. The trace itself sets this knob,
/// `block` and the shares of kinds, from which engines prepare themselves.
pub const KINDS: &str = "kinds";

/// The file that a workload's knobs name, if it does not ship with Dyno.
pub fn recording(knobs: &Knobs) -> Option<&str> {
    knobs.text("file").ok().filter(|file| *file != SYNTHETIC)
}

/// The properties of the selected part at a pace.
pub fn recorded_load(selection: &Selection, pace: ReplayPace, found: &Survey) -> RecordedLoad {
    let at_recorded_times = pace.times == ReplayTimes::Recorded;
    RecordedLoad {
        times: pace.times,
        length_ns: at_recorded_times.then(|| pace.after_ns(found.last_ns) + TAIL_NS),
        answers: answers(found),
        replayed: replayed(selection, found),
        cache: None,
        arrivals_every_ns: found.arrivals_every_ns as f64 / pace.scale,
        arrivals: if at_recorded_times { found.arrivals.clone() } else { Vec::new() },
    }
}

fn replayed(selection: &Selection, found: &Survey) -> Replayed {
    let kind = |kind| {
        let KindTotal { requests, bytes, .. } = found.of(kind);
        RecordedKind { requests, bytes }
    };
    Replayed {
        stream: String::new(),
        file: selection.file.display().to_string(),
        checksum: found.checksum,
        length_ns: found.last_ns,
        reads: kind(RequestKind::Read),
        writes: kind(RequestKind::Write),
        discards: kind(RequestKind::Discard),
        flushes: found.of(RequestKind::Flush).requests,
    }
}

/// Knobs whose values follow from the trace.
fn answers(found: &Survey) -> Vec<(&'static str, Value)> {
    let share = |kind| found.of(kind).requests as f64 / found.requests() as f64 * 100.0;
    let there = RequestKind::ALL.into_iter().filter(|kind| found.of(*kind).requests > 0);
    let names: Vec<&str> = there.map(RequestKind::name).collect();
    vec![
        ("block", json!([[found.longest_moved().max(512), 1.0]])),
        ("read", json!(share(RequestKind::Read))),
        ("trim", json!(share(RequestKind::Discard))),
        ("flush", json!(share(RequestKind::Flush))),
        (KINDS, json!(names)),
    ]
}

/// The error for a rate: a recorded load has none.
pub fn no_rate() -> Error {
    failed(
        "a trace has times of its own, and no rate",
        "leave `rate` out; `scale` makes the trace faster or slower",
    )
}
