//! The plan language from outside: valid plans resolve as written.

mod refused;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dyno::base::units::Rate;
use dyno::plan::{
    self, Arrival, Catalogue, DefaultValue, Field, Info, Knob, KnobKind, Load, Mistakes, Order,
    Plan, RequestFamily, Writes,
};

const fn knob(name: &'static str, kind: KnobKind, default: DefaultValue) -> Knob {
    Knob { name, kind, default, doc: "A knob of the tests." }
}

const fn info(
    name: &'static str,
    family: RequestFamily,
    writes: Writes,
    max_depth: u32,
    knobs: &'static [Knob],
) -> Info {
    Info { name, summary: "for the tests", family, writes, max_depth, knobs, source: "" }
}

const COUNT: KnobKind = KnobKind::Int { min: 1, max: u64::MAX };
const PERCENT: KnobKind = KnobKind::Float { min: 0.0, max: 100.0 };

static ROCKSDB: Info = info(
    "rocksdb",
    RequestFamily::KeyValue,
    Writes::Always,
    1,
    &[
        knob("keys", COUNT, DefaultValue::Required),
        knob("key_size", KnobKind::Bytes, DefaultValue::Is("16")),
        knob("value_size", KnobKind::Bytes, DefaultValue::Is("100")),
        knob("block_cache", KnobKind::Bytes, DefaultValue::Is("\"8MiB\"")),
        knob("direct", KnobKind::Bool, DefaultValue::Is("false")),
        knob("wal", KnobKind::Bool, DefaultValue::Is("true")),
        knob("options", KnobKind::Options, DefaultValue::Absent),
        knob("table", KnobKind::Options, DefaultValue::Absent),
    ],
);
static FILE_KNOBS: &[Knob] = &[
    knob("size", KnobKind::Bytes, DefaultValue::Required),
    knob("direct", KnobKind::Bool, DefaultValue::Is("true")),
];
static URING: Info = info("uring", RequestFamily::Block, Writes::Always, 4096, FILE_KNOBS);
static PSYNC: Info = info("psync", RequestFamily::Block, Writes::Always, 1, FILE_KNOBS);
static NULL: Info = info("null", RequestFamily::Any, Writes::Never, 4096, &[]);
static BLOCK_KNOBS: &[Knob] = &[
    knob("read", PERCENT, DefaultValue::Is("100")),
    knob("block", KnobKind::Sizes, DefaultValue::Is("\"4KiB\"")),
    knob("span", PERCENT, DefaultValue::Is("100")),
    knob("random", PERCENT, DefaultValue::Is("100")),
    knob("read_by_size", KnobKind::Sizes, DefaultValue::Absent),
    knob("random_by_size", KnobKind::Sizes, DefaultValue::Absent),
    knob("offsets", KnobKind::Choice(&["uniform", "hotspot"]), DefaultValue::Is("\"uniform\"")),
    knob("hot_ops", KnobKind::Choice(&["all", "reads"]), DefaultValue::Is("\"all\"")),
    knob("hot_share", PERCENT, DefaultValue::Is("80")),
    knob("hot_range", PERCENT, DefaultValue::Is("20")),
];
static RANDOM: Info = info("random", RequestFamily::Block, Writes::Always, 1, BLOCK_KNOBS);
static SEQUENTIAL: Info = info("sequential", RequestFamily::Block, Writes::Always, 1, BLOCK_KNOBS);
static FILL: Info = info("filluniquerandom", RequestFamily::KeyValue, Writes::Always, 1, &[]);
static OVERWRITE: Info = info("overwrite", RequestFamily::KeyValue, Writes::Always, 1, &[]);
static READRANDOM: Info = info("readrandom", RequestFamily::KeyValue, Writes::Never, 1, &[]);
static MIXED: Info = info(
    "readrandomwriterandom",
    RequestFamily::KeyValue,
    Writes::Always,
    1,
    &[knob("read", PERCENT, DefaultValue::Is("90"))],
);

fn catalogue() -> Catalogue {
    Catalogue {
        engines: vec![&NULL, &PSYNC, &URING, &ROCKSDB],
        workloads: vec![&RANDOM, &SEQUENTIAL, &FILL, &OVERWRITE, &READRANDOM, &MIXED],
        meters: vec![],
        check: |_| Ok(()),
    }
}

/// A folder with two drives, `a` and `b`, a file, and a test's own files.
struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for drive in ["a", "b", "a/inner"] {
            std::fs::create_dir(folder.path().join(drive)).expect("a folder");
        }
        std::fs::write(folder.path().join("file"), "").expect("a file");
        Bench(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn load(&self, plan: &str, protocol: &str) -> Result<Plan, Mistakes> {
        std::fs::write(self.path().join("protocol.toml"), protocol).expect("written");
        let path = self.path().join("plan.toml");
        std::fs::write(&path, plan).expect("written");
        plan::load(&path, &catalogue())
    }

    fn built_in(&self, name: &str, overrides: &[(&str, &str)]) -> Result<Plan, Mistakes> {
        let subjects: Vec<(String, PathBuf)> = [("A", "a"), ("B", "b")]
            .map(|(name, dir)| (name.to_string(), self.path().join(dir)))
            .to_vec();
        let overrides: Vec<_> =
            overrides.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        plan::from_command_line(name, &subjects, &overrides, Some(2), &dyno::plan_catalogue())
    }
}

const PLAN: &str =
    "protocol = \"protocol.toml\"\nsubject = [{ name = \"A\", drives = [{ path = \"a\" }] }]\n";

/// From line 1 on: a protocol with one dataset, one step, one stream called io.
const PROTOCOL: &str = r#"[dataset.file]
engine = "uring"
size = "1GiB"
[[step]]
name = "reads"
duration = "5s"
[[step.stream]]
name = "io"
engine = "uring"
workload = { kind = "random", read = 70 }
"#;

#[test]
fn a_plan_resolves_with_every_default_filled_in() {
    let plan = Bench::new().load(PLAN, PROTOCOL).unwrap_or_else(|m| panic!("{m}"));
    assert_eq!((plan.repeats, plan.order, plan.seed), (5, Order::Interleaved, 1));
    let step = &plan.protocol.steps[0];
    assert_eq!((step.duration_ns, step.warmup_ns, step.drop_caches), (5_000_000_000, 0, false));
    let stream = &step.streams[0];
    assert_eq!((stream.threads, stream.depth, stream.instances, stream.headline), (1, 1, 1, true));
    assert_eq!(
        (stream.load, stream.arrival, stream.dataset.as_str()),
        (Load::Closed, Arrival::Fixed, "file")
    );
    assert_eq!(stream.engine.knobs.int("size").ok(), Some(1 << 30), "taken from the dataset");
    assert_eq!(stream.engine.knobs.flag("direct").ok(), Some(true), "the engine's default");
    assert_eq!(stream.workload.knobs.float("read").ok(), Some(70.0));
    assert_eq!(stream.workload.knobs.sizes("block").ok(), Some(vec![(4096, 1.0)]));
}

#[test]
fn every_built_in_protocol_resolves() {
    let bench = Bench::new();
    for (name, _) in plan::protocols() {
        let plan = bench.built_in(name, &[]).unwrap_or_else(|m| panic!("{name}: {m}"));
        assert_eq!(plan.subjects.len(), 2);
        let json = serde_json::to_string(&plan).expect("a plan has a JSON form");
        assert_eq!(serde_json::from_str::<Plan>(&json).expect("read back"), plan);
    }
    for (name, minutes) in [("demo", 4), ("quick", 10)] {
        let plan = bench.built_in(name, &[]).unwrap_or_else(|m| panic!("{m}"));
        let repeats = plan::sequence::repeats::default(&plan.protocol);
        let measured_ns: u64 = plan::points(&Plan { repeats, ..plan })
            .map(|point| point.step.warmup_ns + point.step.duration_ns)
            .sum();
        let seconds = measured_ns / 1_000_000_000;
        assert!(seconds <= minutes * 60, "{name} measures for {seconds} s");
    }
}

#[test]
fn overrides_reach_steps_streams_and_datasets() {
    let overrides = [
        ("step.readrandom.duration", "7s"),
        ("step.readrandom.stream.readers.threads", "3"),
        ("dataset.db.keys", "42"),
        ("dataset.db.options.max_open_files", "100"),
        ("step.random-read-4k.stream.io.workload.block", "\"8KiB\""),
        ("step.readwhilewriting.stream.writer.engine.wal", "true"),
        ("seed", "9"),
    ];
    let plan = Bench::new().built_in("quick", &overrides).unwrap_or_else(|m| panic!("{m}"));
    assert_eq!(plan.seed, 9);
    let readrandom = &plan.protocol.steps[0];
    assert_eq!((readrandom.duration_ns, readrandom.streams[0].threads), (7_000_000_000, 3));
    let knobs = &readrandom.streams[0].engine.knobs;
    assert_eq!(knobs.int("keys").ok(), Some(42));
    let options = knobs.options("options").expect("options");
    assert_eq!(options["max_open_files"], "100");
    assert_eq!(options["compression"], "kNoCompression");
    assert_eq!(
        plan.protocol.steps[3].streams[0].workload.knobs.sizes("block").ok(),
        Some(vec![(8192, 1.0)])
    );
}

#[test]
fn an_override_adds_what_a_protocol_does_not_prepare() {
    let of = |key: &str, value: &str| Bench::new().built_in("sync-writes", &[(key, value)]);
    let plan = of("prepare.filesystem", "\"ext4\"").unwrap_or_else(|m| panic!("{m}"));
    assert!(plan.protocol.preparation.filesystem.is_some());
    let plan = of("prepare.write_cache", "\"off\"").unwrap_or_else(|m| panic!("{m}"));
    assert_eq!(plan.protocol.preparation.write_cache, Some(false));
    let wrong = of("prepare.filesistem", "\"ext4\"").expect_err("no such key").to_string();
    assert!(wrong.contains("filesistem"), "{wrong}");
}

#[test]
fn points_interleave_subjects_in_balanced_turns_and_older_bundles_keep_their_order() {
    let bench = Bench::new();
    let plan = bench.built_in("quick", &[]).unwrap_or_else(|m| panic!("{m}"));
    let order = |plan: &Plan| -> Vec<String> {
        let first = plan::points(plan).filter(|p| p.key.step == "readrandom");
        first
            .map(|p| format!("{}{}x{}", p.key.subject, p.key.repeat, p.step.streams[0].threads))
            .collect()
    };
    let interleaved = [
        "A1x1", "B1x1", "A1x2", "B1x2", "A1x4", "B1x4", "B2x1", "A2x1", "B2x2", "A2x2", "B2x4",
        "A2x4",
    ];
    assert_eq!(order(&plan), interleaved);
    // Three repeats: every other point begins with B, and the output says so.
    let odd = Plan { repeats: 3, ..plan.clone() };
    let turns = [
        "A1x1", "B1x1", "B1x2", "A1x2", "A1x4", "B1x4", "B2x1", "A2x1", "A2x2", "B2x2", "B2x4",
        "A2x4",
    ];
    assert_eq!(order(&odd)[..12], turns);
    for plan in [&plan, &odd] {
        let mut blocks: BTreeMap<String, u32> = BTreeMap::new();
        for point in plan::points(plan) {
            let key = &point.key;
            let turn =
                blocks.entry(format!("{} {:?} {}", key.step, key.axis, key.repeat)).or_default();
            assert_eq!(plan::PointIndex::of(plan).place(plan, key), Some(*turn), "{key:?}");
            *turn += 1;
        }
    }
    let blocked = [
        "A1x1", "A1x2", "A1x4", "A2x1", "A2x2", "A2x4", "B1x1", "B1x2", "B1x4", "B2x1", "B2x2",
        "B2x4",
    ];
    let plan = Plan { order: Order::Blocked, ..plan };
    assert_eq!(order(&plan), blocked);
    assert_eq!(
        plan::PointIndex::of(&plan).place(&plan, &plan::points(&plan).next().expect("a point").key),
        None,
        "nobody takes turns"
    );
}

#[test]
fn sweeps_set_their_field() {
    let swept = |sweep: &str| -> Vec<(Field, f64, dyno::plan::Stream)> {
        let protocol = PROTOCOL
            .replace("duration = \"5s\"", &format!("duration = \"5s\"\nsweep = {{ {sweep} }}"));
        let plan = Bench::new().load(PLAN, &protocol).unwrap_or_else(|m| panic!("{m}"));
        plan::points(&Plan { repeats: 1, ..plan })
            .map(|p| (p.key.axis.clone().expect("swept"), p))
            .map(|(a, p)| (a.field, a.value.as_f64(), p.step.streams[0].clone()))
            .collect()
    };
    let rates = swept("axis = \"io.rate\", from = \"10MB/s\", to = \"850MB/s\", by = \"10MB/s\"");
    assert_eq!((rates.len(), rates[84].0, rates[84].1), (85, Field::BytesPerSec, 850e6));
    assert_eq!(rates[0].2.load, Load::Rate(Rate::BytesPerSec(1e7)));
    let loads = swept("axis = \"io.load\", percent = [10, 120]");
    assert_eq!(loads.iter().map(|l| l.1).collect::<Vec<_>>(), [f64::INFINITY, 10.0, 120.0]);
    assert_eq!((loads[0].2.load, loads[2].2.load), (Load::Closed, Load::PercentOfMaximum(120.0)));
    let blocks = swept("axis = \"io.block\", values = [\"4KiB\", \"64KiB\"]");
    assert_eq!(blocks[1].2.workload.knobs.sizes("block").ok(), Some(vec![(65536, 1.0)]));
    let depths = swept("axis = \"io.depth\", values = [1, 32]");
    assert_eq!((depths[1].0, depths[1].2.depth), (Field::Depth, 32));
    let protocol = PROTOCOL.replace(
        "duration = \"5s\"",
        "duration = \"5s\"\nsweep = { axis = \"rates\", values = [1, 2.5] }",
    );
    let paced = protocol
        .replace("engine = \"uring\"\nworkload", "engine = \"uring\"\nrate = \"2000/s\"\nworkload");
    let plan = Bench::new().load(PLAN, &paced).unwrap_or_else(|m| panic!("{m}"));
    let last = plan::points(&Plan { repeats: 1, ..plan }).last().expect("points");
    assert_eq!(last.step.streams[0].load, Load::Rate(Rate::OpsPerSec(5000.0)));
    assert_eq!(last.key.axis.map(|a| a.name), Some("rates".to_string()));
    let refused = Bench::new().load(PLAN, &protocol).expect_err("no rate").to_string();
    assert!(refused.contains("no stream of the step has a rate to multiply"), "{refused}");
}

#[test]
fn a_check_tells_points_time_and_bytes() {
    let plan = Bench::new().built_in("quick", &[]).unwrap_or_else(|m| panic!("{m}"));
    let mut out = Vec::new();
    dyno::cmd::plans::plan::describe(&plan, (None, 0.05), &mut out)
        .expect("a vector takes everything");
    let text = String::from_utf8(out).expect("text");
    // 15 points of 6 s; 420 MB of pairs and 512 MiB of file.
    for part in [
        "readers.threads",
        "1, 8, 32",
        "60 points: 2 subjects × 2 repeats",
        "At least 4 m",
        "957 MB",
        "in its own folder",
    ] {
        assert!(text.contains(part), "'{part}' in\n{text}");
    }
}

#[test]
fn a_headline_names_a_step_a_metric_and_a_place_that_there_are() {
    let sweep = PROTOCOL.replace(
        "duration = \"5s\"",
        "duration = \"5s\"\nsweep = { axis = \"io.depth\", values = [1, 8] }",
    );
    let with = |headline: &str| Bench::new().load(PLAN, &format!("headline = {headline}\n{sweep}"));
    let plan = with("{ step = \"reads\", metric = \"io:p99\", at = 8 }").expect("a plan");
    let headline = plan.protocol.headline.expect("a headline");
    assert_eq!(
        (headline.metric.as_str(), headline.at),
        ("io:p99", plan::model::headline::AxisPlace::Value(8.0))
    );
    for (headline, why) in [
        ("{ step = \"writes\", metric = \"ops/s\" }", "there is no step 'writes' for the headline"),
        ("{ step = \"reads\", metric = \"p98\" }", "there is no metric 'p98'"),
        ("{ step = \"reads\", metric = \"other:p99\" }", "the step has no stream 'other'"),
        ("{ step = \"reads\", metric = \"ops/s\", at = \"equal-load\" }", "has no such place"),
        (
            "{ step = \"reads\", metric = \"ops/s\", at = \"last\" }",
            "not a place on the step's axis",
        ),
    ] {
        let said = with(headline).expect_err("a mistake").render(false);
        assert!(said.contains(why), "{headline}: {said}");
    }
    let figures = sweep.replace("duration", "figures = [\"opps\"]\nduration");
    let said = Bench::new().load(PLAN, &figures).expect_err("a mistake").render(false);
    assert!(said.contains("'opps' is not a valid value"), "{said}");
}

#[test]
fn every_built_in_protocol_says_what_its_brief_leads_with() {
    // These two are not briefs: `dyno selftest` reads them.
    for (name, text) in
        plan::protocols().iter().filter(|(name, _)| !["selftest", "ceiling"].contains(name))
    {
        assert!(text.contains("\nheadline = { step = "), "{name}");
    }
}
