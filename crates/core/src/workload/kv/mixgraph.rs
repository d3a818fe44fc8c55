//! `mixgraph`: Gets, Puts and Seeks as in production traces (Cao et al., "Characterizing, Modeling,
//! and Benchmarking RocksDB Key-Value Workloads at Facebook", FAST 2020; db_bench's `MixGraph`).
//!
//! Key ranges are weighted by a two-term exponential a·e^(b·x) + c·e^(d·x), keys inside a range by
//! a power law, value sizes are generalised Pareto. db_bench's sinusoidal arrival rate is left to
//! the pacer: set a rate for the stream.

use super::{SEEK, SOURCE, entry_bytes, knob_percent, percent};
use crate::base::error::Result;
use crate::base::rng::{Rng, Seed, mix};
use crate::measure::{AddressSpace, Op, OpGenerator, OpKind};
use crate::plan::{DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Writes};
use crate::record::Class;
use crate::workload::{GeneratorInputs, Workload};

/// The workload `mixgraph`.
pub struct MixGraph;

const fn term(name: &'static str, default: &'static str, doc: &'static str) -> Knob {
    Knob {
        name,
        kind: KnobKind::Float { min: -1e9, max: 1e9 },
        default: DefaultValue::Is(default),
        doc,
    }
}

static INFO: Info = Info {
    name: "mixgraph",
    summary: "Gets, Puts and Seeks with the skew and the value sizes of production traces",
    family: RequestFamily::KeyValue,
    writes: Writes::Always,
    max_depth: 1,
    knobs: &[
        percent("get", "83", "Percent of Gets (mix_get_ratio)."),
        percent("put", "14", "Percent of Puts (mix_put_ratio); the rest are Seeks."),
        Knob {
            name: "ranges",
            kind: KnobKind::Int { min: 1, max: 1_000_000 },
            default: DefaultValue::Is("30"),
            doc: "Key ranges (keyrange_num).",
        },
        term("range_a", "14.18", "keyrange_dist_a"),
        term("range_b", "-2.917", "keyrange_dist_b"),
        term("range_c", "0.0164", "keyrange_dist_c"),
        term("range_d", "-0.08082", "keyrange_dist_d"),
        term("key_a", "0.002312", "key_dist_a"),
        term("key_b", "0.3467", "key_dist_b"),
        term("value_k", "0.2615", "value_k, the shape of the value sizes"),
        term("value_sigma", "25.45", "value_sigma, their scale in bytes"),
        Knob {
            name: "scan_length",
            kind: KnobKind::Int { min: 0, max: 1_000_000 },
            default: DefaultValue::Is("10"),
            doc: "Entries walked by a Seek.",
        },
    ],
    source: SOURCE,
};

impl Workload for MixGraph {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn classes(&self, _knobs: &Knobs) -> Vec<Class> {
        vec![Class::READ, Class::WRITE, SEEK]
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, space: AddressSpace) -> Result<f64> {
        Ok(entry_bytes(space))
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        let knobs = share.knobs;
        let (get, put) = (knob_percent(knobs, "get")?, knob_percent(knobs, "put")?);
        Ok(Box::new(MixSource {
            seed: share.seed,
            space: share.space,
            get,
            put_too: get + put,
            ranges: cumulative(knobs)?,
            key: (knobs.float("key_a")?, knobs.float("key_b")?),
            value: (knobs.float("value_k")?, knobs.float("value_sigma")?),
            scan: knobs.int("scan_length")? as u32,
        }))
    }
}

/// Cumulative shares of accesses up to each range; hot ranges are spread over the key space.
fn cumulative(knobs: &Knobs) -> Result<Vec<(f64, u64)>> {
    let [a, b, c, d] = [
        knobs.float("range_a")?,
        knobs.float("range_b")?,
        knobs.float("range_c")?,
        knobs.float("range_d")?,
    ];
    let ranges = knobs.int("ranges")?;
    let weight = |x: f64| (a * (b * x).exp() + c * (d * x).exp()).max(0.0);
    let total: f64 = (1..=ranges).map(|r| weight(r as f64)).sum();
    let mut places: Vec<u64> = (0..ranges).collect();
    places.sort_by_key(|&r| mix(r));
    let mut sum = 0.0;
    let mut step = |r: u64| {
        sum += weight((r + 1) as f64) / total;
        sum
    };
    Ok((0..ranges).map(|r| (step(r), places[r as usize])).collect())
}

struct MixSource {
    seed: Seed,
    space: AddressSpace,
    get: f64,
    put_too: f64,
    ranges: Vec<(f64, u64)>,
    key: (f64, f64),
    value: (f64, f64),
    scan: u32,
}

impl MixSource {
    fn key(&self, rng: &mut Rng) -> u64 {
        let draw = rng.unit();
        let chosen =
            self.ranges.partition_point(|(upto, _)| *upto < draw).min(self.ranges.len() - 1);
        let size = (self.space.keys / self.ranges.len() as u64).max(1);
        // The inverse of the power law's distribution function, as db_bench's PowerCdfInversion.
        let (a, b) = self.key;
        let seed = (rng.unit() / a).powf(1.0 / b).ceil() as u64;
        (self.ranges[chosen].1 * size + mix(seed) % size).min(self.space.keys - 1)
    }

    /// Generalised Pareto: sigma × ((1 − u)^−k − 1) ÷ k, at least 10 and at most 1,024 bytes, as
    /// db_bench bounds it.
    fn value_bytes(&self, rng: &mut Rng) -> u32 {
        let (k, sigma) = self.value;
        let u = 1.0 - rng.unit();
        let size = if k == 0.0 { -sigma * u.ln() } else { sigma * (u.powf(-k) - 1.0) / k };
        (size.ceil() as u32).clamp(10, 1024)
    }
}

impl OpGenerator for MixSource {
    fn op(&mut self, n: u64) -> Op {
        let mut rng = self.seed.at(n);
        let (draw, salt) = (rng.unit(), rng.draw());
        let at = self.key(&mut rng);
        match draw {
            d if d < self.get => {
                Op { kind: OpKind::Get, class: 0, len: self.space.value_bytes, at, salt }
            }
            d if d < self.put_too => {
                Op { kind: OpKind::Put, class: 1, len: self.value_bytes(&mut rng), at, salt }
            }
            _ => Op { kind: OpKind::Seek, class: 2, len: self.scan, at, salt },
        }
    }
}
