//! The schema of a protocol: steps, streams, datasets, preparation, and a definition for each
//! engine, workload and meter with its knobs.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::value::{
    self, choice, flag, list, number, object, of_kind, one_of, rate, size, text, time, whole,
};
use super::{Keys, about, defined};
use crate::plan::info::{DefaultValue, Info, Knob};
use crate::plan::model::preparation::{METRICS, PURGES};
use crate::plan::steps::arrival::ARRIVALS;
use crate::plan::steps::headline::FIGURES;
use crate::plan::steps::stream::{MOST_DRIVES, MOST_INSTANCES, MOST_THREADS};
use crate::plan::steps::sweep::{KNOBS, WORDS};
use crate::plan::{BurstArrivals, Catalogue};

/// In addition to `scale`, which is not a key after one has been selected.
pub fn protocol_keys() -> Keys {
    vec![
        ("title", about("For the brief.", text())),
        ("source", about("Where the parameters come from.", text())),
        ("headline", defined("headline")),
        ("dataset", json!({ "type": "object", "additionalProperties": defined("dataset") })),
        ("prepare", defined("prepare")),
        ("step", json!({ "type": "array", "items": defined("step"), "minItems": 1 })),
    ]
}

pub fn definitions(catalogue: &Catalogue) -> BTreeMap<String, Value> {
    let Catalogue { engines, workloads, meters, .. } = catalogue;
    let all = [
        ("engine", parts(engines, false)),
        ("workload", parts(workloads, true)),
        ("meter", parts(meters, true)),
        ("fill", fill(workloads)),
        ("dataset", dataset(engines)),
        ("headline", headline()),
        ("prepare", prepare()),
        ("condition", condition()),
        ("steady", steady()),
        ("filesystem", filesystem()),
        ("step", step()),
        ("stream", object(stream_keys(), &["engine", "workload"])),
        ("sweep", sweep()),
        ("search", search()),
    ];
    all.into_iter().map(|(name, schema)| (name.to_string(), schema)).collect()
}

fn knob(knob: &'static Knob) -> (&'static str, Value) {
    let mut schema = of_kind(knob.kind);
    schema["description"] = json!(knob.doc);
    if let DefaultValue::Is(text) = knob.default {
        let default = format!("value = {text}").parse::<toml::Table>().ok();
        let default = default.and_then(|table| table.get("value").cloned());
        if let Some(default) = default.and_then(|value| serde_json::to_value(value).ok()) {
            schema["default"] = default;
        }
    }
    (knob.name, schema)
}

fn names(infos: &[&'static Info]) -> Value {
    let words: Vec<&str> = infos.iter().map(|info| info.name).collect();
    choice(&words)
}

/// A name, or a table with `kind` and its knobs. `whole`: required knobs must be present; an
/// engine's may come from the dataset.
fn parts(infos: &[&'static Info], whole: bool) -> Value {
    with_knobs(infos, whole, &|| Vec::new())
}

fn with_knobs(infos: &[&'static Info], whole: bool, more: &dyn Fn() -> Keys) -> Value {
    let table = |info: &&'static Info| {
        let mut keys: Keys = vec![("kind", json!({ "const": info.name }))];
        keys.extend(info.knobs.iter().map(knob));
        keys.extend(more());
        let needed = info.knobs.iter().filter(|k| whole && k.default == DefaultValue::Required);
        let required: Vec<&str> = ["kind"].into_iter().chain(needed.map(|k| k.name)).collect();
        about(info.summary, object(keys, &required))
    };
    let forms: Vec<Value> = [names(infos)].into_iter().chain(infos.iter().map(table)).collect();
    json!({ "anyOf": forms })
}

fn fill(workloads: &[&'static Info]) -> Value {
    let writers: Vec<&'static Info> =
        workloads.iter().copied().filter(|w| w.writes.ever()).collect();
    let more = || {
        let count = whole(1, u64::from(MOST_THREADS));
        vec![("threads", count), ("depth", whole(1, u64::from(u32::MAX)))]
    };
    with_knobs(&writers, true, &more)
}

/// The knobs of its engine are next to the dataset's own keys.
fn dataset(engines: &[&'static Info]) -> Value {
    let of = |info: &&'static Info| {
        let kind = object(
            [("kind", json!({ "const": info.name }))]
                .into_iter()
                .chain(info.knobs.iter().map(knob))
                .collect(),
            &["kind"],
        );
        let engine = one_of([json!({ "const": info.name }), kind]);
        let mut keys: Keys = vec![
            ("engine", about(info.summary, engine)),
            ("fill", about("The workload that lays it out.", defined("fill"))),
            ("restore", about("Restore it to its filled state before a point.", flag())),
        ];
        keys.extend(info.knobs.iter().map(knob));
        object(keys, &["engine"])
    };
    json!({ "anyOf": engines.iter().map(of).collect::<Vec<_>>() })
}

fn headline() -> Value {
    let place = one_of([text(), json!({ "type": "number" })]);
    let keys = vec![
        ("step", about("The step that leads.", text())),
        ("metric", about("As --metric has it: ops/s, MB/s, p99 …", text())),
        ("at", about("top, mean, equal-load, equal-latency, limit, or a value.", place)),
    ];
    object(keys, &["step", "metric"])
}

fn prepare() -> Value {
    let purges: Vec<&str> = PURGES.iter().map(|(word, _)| *word).collect();
    let keys = vec![
        ("purge", about("Of bare devices.", choice(&purges))),
        ("write_cache", about("The volatile write cache.", choice(&["on", "off"]))),
        ("filesystem", defined("filesystem")),
        ("namespaces", about("How many equal ones each drive has.", whole(2, 1024))),
        ("condition", about("Loads that are not reported.", list(defined("condition")))),
        ("steady", defined("steady")),
    ];
    object(keys, &[])
}

fn filesystem() -> Value {
    let kinds = ["xfs", "ext4"];
    let keys = vec![("kind", choice(&kinds)), ("mkfs", list(text())), ("mount", text())];
    one_of([choice(&kinds), object(keys, &["kind"])])
}

fn condition() -> Value {
    let mut keys = stream_keys();
    keys.push(("duration", about("So long.", time())));
    keys.push(("passes", about("Passes over the whole range.", number(0.01, 1000.0))));
    object(keys, &["engine", "workload"])
}

fn steady() -> Value {
    let metrics: Vec<&str> = METRICS.iter().map(|(word, _)| *word).collect();
    let mut keys = stream_keys();
    keys.extend([
        ("metric", about("What must be steady.", choice(&metrics))),
        ("round", about("Length of a round.", time())),
        ("rounds", about("The most rounds.", whole(1, 10_000))),
        ("window", about("Rounds that must agree.", whole(2, 1000))),
        ("excursion", about("Of the mean.", number(0.0, 1.0))),
        ("slope", about("Of the mean, over the window.", number(0.0, 1.0))),
    ]);
    object(keys, &["engine", "workload"])
}

fn step() -> Value {
    let keys = vec![
        ("name", about("Without full stops, which separate the parts of paths.", text())),
        ("title", about("For the brief.", text())),
        ("warmup", about("Load before the window, not counted.", time())),
        ("duration", about("The measured window.", time())),
        ("drop_caches", about("Drop the page cache before each point.", flag())),
        ("settle", about("Let compaction end before each point.", flag())),
        ("cooldown", about("Time after the window until counters are read again.", time())),
        ("memory", about("The most that Dyno itself may use, page cache included.", size())),
        ("max_lag", about("End a point when an op of an open loop is this late.", time())),
        ("figures", json!({ "type": "array", "items": choice(FIGURES), "maxItems": 4 })),
        (
            "sweep",
            about(
                "One axis, or a list of several: every combination is measured.",
                one_of([defined("sweep"), list(defined("sweep"))]),
            ),
        ),
        ("stream", json!({ "type": "array", "items": defined("stream"), "minItems": 1 })),
    ];
    object(keys, &["name", "duration", "stream"])
}

fn stream_keys() -> Keys {
    let many = u64::from(MOST_THREADS);
    vec![
        ("name", about("For axes and overrides.", text())),
        ("engine", about("How requests are executed.", defined("engine"))),
        ("workload", about("Which requests are made.", defined("workload"))),
        ("dataset", about("What it works on.", json!({ "type": "string" }))),
        ("threads", about("Workers on each drive and instance.", whole(1, many))),
        ("depth", about("Requests in flight for each worker.", whole(1, u64::from(u32::MAX)))),
        ("rate", about("Open loop at this rate over all workers.", rate())),
        ("arrival", about("When ops of an open loop are due.", arrival())),
        ("instances", about("Times it runs on each drive.", whole(1, u64::from(MOST_INSTANCES)))),
        ("headline", about("Whether it counts in the step's figures.", flag())),
        ("cpus", about("\"local\", \"none\", or a list such as \"0-3,8\".", text())),
        (
            "drives_per_worker",
            about("Drives of a group that one worker drives.", whole(1, u64::from(MOST_DRIVES))),
        ),
        (
            "target",
            json!({ "type": "string", "pattern": "^namespace:\\s*[0-9]+\\s*/\\s*[0-9]+\\s*$" }),
        ),
    ]
}

fn arrival() -> Value {
    let (least, most) = BurstArrivals::FACTORS;
    let keys = vec![
        ("bursts", about("How much faster within a burst.", number(least, most))),
        ("length", about("Mean length of a burst.", time())),
        ("every", about("Mean time from burst to burst.", time())),
    ];
    one_of([choice(ARRIVALS), object(keys, &["bursts", "length", "every"])])
}

fn sweep() -> Value {
    let value = || one_of([json!({ "type": "number" }), text()]);
    let fields = [WORDS, KNOBS].concat().join("|");
    let axis = format!("^(rates|.+\\.({fields}))$");
    let axis = json!({ "type": "string", "pattern": axis });
    let keys = vec![
        ("axis", about("STREAM.FIELD, or \"rates\".", axis)),
        ("values", json!({ "type": "array", "items": one_of([value(), size()]), "minItems": 1 })),
        ("percent", list(json!({ "type": "number" }))),
        ("from", value()),
        ("to", value()),
        ("by", value()),
        ("search", defined("search")),
    ];
    object(keys, &["axis"])
}

fn search() -> Value {
    let metric = json!({ "type": "string", "pattern": "\\.p[0-9.]+$" });
    let keys = vec![
        ("metric", about("STREAM.p99", metric)),
        ("at_most", about("The limit of its latency.", value::time())),
        (
            "fewer",
            about(
                "Percentages of requests that take 1ms, 2ms, 4ms … 64ms or longer.",
                json!({ "type": "object", "additionalProperties": { "type": "number" } }),
            ),
        ),
        ("every", about("The shares are limited in every period of this length.", value::time())),
    ];
    object(keys, &["metric", "at_most"])
}
