//! Key-value workloads, with db_bench's names and semantics (facebook/rocksdb,
//! tools/db_bench_tool.cc), and YCSB's, which also run on SQL servers.

pub mod fill;
pub mod mixgraph;
pub mod read;
pub mod readwrite;
pub mod rewrite;
pub mod ycsb;
pub mod ycsb_records;

use crate::base::error::Result;
use crate::plan::{DefaultValue, Knob, KnobKind, Knobs};
use crate::record::Class;
use crate::workload::GeneratorInputs;
use crate::workload::offsets::Offsets;

/// The source of the definitions.
const SOURCE: &str = "facebook/rocksdb, tools/db_bench_tool.cc";

/// A seek, and the entries read from there.
const SEEK: Class = Class::new("seek");

/// A lookup followed by a store.
pub const UPDATE: Class = Class::new("update");

/// A knob in percent.
pub const fn percent(name: &'static str, default: &'static str, doc: &'static str) -> Knob {
    let kind = KnobKind::Float { min: 0.0, max: 100.0 };
    Knob { name, kind, default: DefaultValue::Is(default), doc }
}

/// The distribution of keys, shared by all workloads that draw them.
const DISTRIBUTION: Knob = Knob {
    name: "distribution",
    kind: KnobKind::Choice(&["uniform", "zipfian", "hotspot"]),
    default: DefaultValue::Is("\"uniform\""),
    doc: "How accesses are distributed over the keys; db_bench's is uniform.",
};

const THETA: Knob = Knob {
    name: "theta",
    kind: KnobKind::Float { min: 0.01, max: 5.0 },
    default: DefaultValue::Is("0.99"),
    doc: "zipfian: the key of popularity rank r gets a share in proportion to 1 / r^theta.",
};

const HOT_SHARE: Knob = Knob {
    name: "hot_share",
    kind: KnobKind::Float { min: 0.0, max: 100.0 },
    default: DefaultValue::Is("80"),
    doc: "hotspot: percent of accesses that go to the hot keys.",
};

const HOT_RANGE: Knob = Knob {
    name: "hot_range",
    kind: KnobKind::Float { min: 0.0, max: 100.0 },
    default: DefaultValue::Is("20"),
    doc: "hotspot: percent of keys, from the first, that are hot.",
};

fn offsets(share: &GeneratorInputs<'_>) -> Result<Offsets> {
    let (knobs, keys) = (share.knobs, share.space.keys);
    Ok(match share.knobs.text("distribution")? {
        "zipfian" => Offsets::zipfian(knobs.float("theta")?, keys, share.stream_seed.at(0).draw()),
        "hotspot" => Offsets::Hotspot {
            share: (knobs.float("hot_share")? / 100.0 * 2f64.powi(64)) as u128,
            hot: (keys as f64 * knobs.float("hot_range")? / 100.0).round() as u64,
        },
        _ => Offsets::Uniform,
    })
}

/// The bytes of one entry, which count in a byte rate (as in db_bench's write_rate_limit).
fn entry_bytes(space: crate::measure::AddressSpace) -> f64 {
    f64::from(space.key_bytes + space.value_bytes)
}

/// A knob in percent as a share.
pub fn knob_percent(knobs: &Knobs, name: &str) -> Result<f64> {
    Ok(knobs.float(name)? / 100.0)
}
