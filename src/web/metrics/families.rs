//! The metrics: the meaning of each, and its samples for all runs.

use super::text::{Cumulative, Labels, MetricFamily, MetricKind, MetricsWriter, number};
use crate::lab::folder::feed::{FeedState, STATES};
use crate::record::gauge::{CELSIUS, WATTS};
use crate::record::live::{BOUNDS_NS, Feed, LiveBuckets, Phase, Total};

/// A run by its bundle's path below the folder.
pub type Named = (String, FeedState);

const fn family(
    name: &'static str,
    kind: MetricKind,
    unit: &'static str,
    help: &'static str,
) -> MetricFamily {
    MetricFamily { name, kind, unit, help }
}

const RUN: MetricFamily = family("dyno_run", MetricKind::Info, "", "A run, by its bundle.");
const STATE: MetricFamily = family("dyno_run_state", MetricKind::States, "", "How a run stands.");
const PHASE: MetricFamily =
    family("dyno_run_phase", MetricKind::States, "", "What a run is doing.");
const STARTED: MetricFamily = family(
    "dyno_run_started_timestamp_seconds",
    MetricKind::Gauge,
    "seconds",
    "When this part of the run began, since 1970.",
);
const WRITTEN: MetricFamily = family(
    "dyno_run_updated_timestamp_seconds",
    MetricKind::Gauge,
    "seconds",
    "When the run last reported, since 1970.",
);
const LEFT: MetricFamily = family(
    "dyno_run_left_seconds",
    MetricKind::Gauge,
    "seconds",
    "How long the run will still take, preparation included; absent while it is not known.",
);
const PLANNED: MetricFamily =
    family("dyno_run_points_planned", MetricKind::Gauge, "", "Points of the plan.");
const DONE: MetricFamily =
    family("dyno_run_points", MetricKind::Counter, "", "Points in the bundle, failed ones too.");
const FAILED: MetricFamily =
    family("dyno_run_points_failed", MetricKind::Counter, "", "Points that failed.");
const OPS: MetricFamily =
    family("dyno_ops", MetricKind::Counter, "", "Ops completed in a measured window.");
const BYTES: MetricFamily =
    family("dyno_moved_bytes", MetricKind::Counter, "bytes", "Bytes that those ops moved.");
const MISSES: MetricFamily = family(
    "dyno_misses",
    MetricKind::Counter,
    "",
    "Reads of missing keys; counted when their point is stored.",
);
const GIVEN_UP: MetricFamily = family(
    "dyno_given_up",
    MetricKind::Counter,
    "",
    "Transactions abandoned after rollbacks; counted when their point is stored.",
);
const SERVICE: MetricFamily = family(
    "dyno_service_time_seconds",
    MetricKind::Histogram,
    "seconds",
    "From submission to completion, of ops due in a measured window.",
);
const RESPONSE: MetricFamily = family(
    "dyno_response_time_seconds",
    MetricKind::Histogram,
    "seconds",
    "From when an op was due in a measured window to its completion; in a closed loop the service \
     time.",
);
const POWER: MetricFamily =
    family("dyno_power_watts", MetricKind::Gauge, "watts", "Power, by the meter that reads it.");
const TEMPERATURE: MetricFamily = family(
    "dyno_temperature_celsius",
    MetricKind::Gauge,
    "celsius",
    "Temperature, by the meter that reads it.",
);

/// Writes all families, each with the samples of all runs.
pub fn write(runs: &[Named], out: &mut MetricsWriter) {
    of_runs(runs, out);
    for (family, value) in [
        (OPS, (|t: &Total| t.ops) as fn(&Total) -> u64),
        (BYTES, |t| t.bytes),
        (MISSES, |t| t.misses),
        (GIVEN_UP, |t| t.given_up),
    ] {
        out.family(&family);
        each_total(runs, &mut |labels, total| {
            out.sample(&family, labels, &value(total).to_string())
        });
    }
    for (family, value) in [
        (SERVICE, (|t: &Total| &t.service) as fn(&Total) -> &LiveBuckets),
        (RESPONSE, |t| &t.response),
    ] {
        out.family(&family);
        each_total(runs, &mut |labels, total| {
            let buckets = value(total);
            let (below, count) = (below(buckets), buckets.count);
            let sum = buckets.sum_ns as f64 / 1e9;
            out.histogram(&family, labels, &Cumulative { below: &below, count, sum })
        });
    }
    of_meters(runs, &POWER, WATTS, out);
    of_meters(runs, &TEMPERATURE, CELSIUS, out);
}

fn of_runs(runs: &[Named], out: &mut MetricsWriter) {
    out.family(&RUN);
    for (run, found) in runs {
        let Feed { title, protocol, dyno_version, .. } = &found.feed;
        let labels = [
            ("run", run.as_str()),
            ("title", title),
            ("protocol", protocol),
            ("version", dyno_version),
        ];
        out.sample(&RUN, &labels, "1");
    }
    out.family(&STATE);
    for (run, found) in runs {
        one_of(out, &STATE, run, &STATES, found.state());
    }
    out.family(&PHASE);
    let phases = Phase::ALL.map(Phase::name);
    for (run, found) in runs {
        one_of(out, &PHASE, run, &phases, found.feed.phase.name());
    }
    let seconds = |ns: u64| Some(number(ns as f64 / 1e9));
    let count = |n: u64| Some(n.to_string());
    let mut each = |family: &MetricFamily, value: &dyn Fn(&Feed) -> Option<String>| {
        out.family(family);
        for (run, found) in runs {
            value(&found.feed).iter().for_each(|value| out.sample(family, &[("run", run)], value));
        }
    };
    each(&STARTED, &|feed| seconds(feed.began_unix_ns));
    each(&WRITTEN, &|feed| seconds(feed.written_unix_ns));
    each(&LEFT, &|feed| seconds(feed.left_ns?));
    each(&PLANNED, &|feed| count(feed.points.all));
    each(&DONE, &|feed| count(feed.points.done));
    each(&FAILED, &|feed| count(feed.points.failed));
}

fn one_of(out: &mut MetricsWriter, family: &MetricFamily, run: &str, all: &[&str], now: &str) {
    for state in all {
        let labels = [("run", run), (family.name, *state)];
        out.sample(family, &labels, if *state == now { "1" } else { "0" });
    }
}

fn each_total(runs: &[Named], with: &mut dyn FnMut(&Labels<'_>, &Total)) {
    for (run, found) in runs {
        for total in &found.feed.totals {
            let Total { subject, step, stream, class, .. } = total;
            let labels = [
                ("run", run.as_str()),
                ("subject", subject),
                ("step", step),
                ("stream", stream),
                ("class", class),
            ];
            with(&labels, total);
        }
    }
}

/// The cumulative count for each bound.
fn below(buckets: &LiveBuckets) -> Vec<(f64, u64)> {
    let mut n = 0;
    let of = |(index, bound): (usize, &u64)| {
        n = buckets.counts.get(index).map_or(n, |own| own.saturating_add(n));
        (*bound as f64 / 1e9, n)
    };
    BOUNDS_NS.iter().enumerate().map(of).collect()
}

fn of_meters(runs: &[Named], family: &MetricFamily, unit: &str, out: &mut MetricsWriter) {
    out.family(family);
    for (run, found) in runs.iter().filter(|(_, found)| found.is_running) {
        for gauge in found.feed.gauges.iter().filter(|gauge| gauge.name.ends_with(unit)) {
            let subject = gauge.subject.as_deref().unwrap_or("");
            let labels = [
                ("run", run.as_str()),
                ("subject", subject),
                ("meter", &gauge.meter),
                ("reading", &gauge.name),
            ];
            out.sample(family, &labels, &number(gauge.value));
        }
    }
}
