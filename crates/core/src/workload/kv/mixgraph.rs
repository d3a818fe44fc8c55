//! `mixgraph`: Gets, Puts and Seeks as in production traces (Cao et al., "Characterizing, Modeling,
//! and Benchmarking RocksDB Key-Value Workloads at Facebook", FAST 2020; db_bench's `MixGraph`).
//!
//! Key ranges are weighted by a two-term exponential a·e^(b·x) + c·e^(d·x), keys inside a range by
//! a power law; value sizes and the lengths of scans are generalised Pareto, bounded as by
//! db_bench. Its sinusoidal arrival rate is left to the pacer: set a rate for the stream. db_bench
//! takes kind, key and sizes of an op from one random number, which ties sizes to keys; here they
//! are independent.

use super::{SEEK, SOURCE, entry_bytes, knob_percent, percent};
use crate::base::error::{Result, failed};
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

const fn most(name: &'static str, default: &'static str, doc: &'static str) -> Knob {
    let kind = KnobKind::Int { min: 1, max: 1_000_000 };
    Knob { name, kind, default: DefaultValue::Is(default), doc }
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
        most(
            "max_value_size",
            "1024",
            "Bound of the value sizes (mix_max_value_size): a larger \
                                        one becomes its remainder; one below 10 becomes 10.",
        ),
        term("iter_k", "2.517", "iter_k, the shape of the lengths of scans"),
        term("iter_sigma", "14.236", "iter_sigma, their scale in entries"),
        most(
            "max_scan_length",
            "10000",
            "Bound of the lengths of scans (mix_max_scan_len): a \
                                          longer one becomes its remainder.",
        ),
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
        if get + put > 1.0 + 1e-9 {
            return Err(failed(
                format!("get and put add up to {:.4} %", (get + put) * 100.0),
                "lower one of them: Seeks are the rest of 100 %",
            ));
        }
        Ok(Box::new(MixSource {
            seed: share.seed,
            space: share.space,
            get,
            put_too: get + put,
            ranges: cumulative(knobs)?,
            key: (knobs.float("key_a")?, knobs.float("key_b")?),
            value: Pareto::of(knobs, "value_k", "value_sigma", "max_value_size")?,
            scan: Pareto::of(knobs, "iter_k", "iter_sigma", "max_scan_length")?,
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

/// Generalised Pareto with the location 0, in whole numbers, and its bound.
struct Pareto {
    k: f64,
    sigma: f64,
    most: u64,
}

impl Pareto {
    fn of(knobs: &Knobs, k: &str, sigma: &str, most: &str) -> Result<Pareto> {
        Ok(Pareto { k: knobs.float(k)?, sigma: knobs.float(sigma)?, most: knobs.int(most)? })
    }

    /// The inverse of the distribution function (db_bench, `ParetoCdfInversion`): sigma × (u^−k −
    /// 1) ÷ k, rounded up.
    fn draw(&self, rng: &mut Rng) -> u64 {
        let u = 1.0 - rng.unit();
        let drawn = match self.k {
            0.0 => -self.sigma * u.ln(),
            k => self.sigma * (u.powf(-k) - 1.0) / k,
        };
        drawn.ceil() as u64
    }
}

struct MixSource {
    seed: Seed,
    space: AddressSpace,
    get: f64,
    put_too: f64,
    ranges: Vec<(f64, u64)>,
    key: (f64, f64),
    value: Pareto,
    scan: Pareto,
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

    /// At least 10 bytes; a value above the bound becomes its remainder.
    fn value_bytes(&self, rng: &mut Rng) -> u32 {
        let (drawn, most) = (self.value.draw(rng), self.value.most);
        (if drawn > most { drawn % most } else { drawn.max(10) }) as u32
    }

    fn scan_length(&self, rng: &mut Rng) -> u32 {
        (self.scan.draw(rng) % self.scan.most) as u32
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
            _ => Op { kind: OpKind::Seek, class: 2, len: self.scan_length(&mut rng), at, salt },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::info::DefaultValue::Is;
    use serde_json::{Value, json};

    fn knobs(own: &[(&str, Value)]) -> Knobs {
        let given = INFO.knobs.iter().map(|knob| {
            let Is(text) = knob.default else { panic!("a default") };
            (knob.name.to_string(), serde_json::from_str(text).expect("a number"))
        });
        let own = own.iter().map(|(name, value)| (name.to_string(), value.clone()));
        Knobs(given.chain(own).map(number).collect())
    }

    fn number((name, value): (String, Value)) -> (String, Value) {
        let kind = INFO.knobs.iter().find(|knob| knob.name == name).map(|knob| knob.kind);
        match kind {
            Some(KnobKind::Float { .. }) => (name, json!(value.as_f64())),
            _ => (name, value),
        }
    }

    fn source(own: &[(&str, Value)]) -> Result<Box<dyn OpGenerator>> {
        let (seed, knobs) = (Seed::new(3, 0, 0), knobs(own));
        let space =
            AddressSpace { keys: 50_000, key_bytes: 48, value_bytes: 43, ..Default::default() };
        MixGraph.source(&GeneratorInputs {
            knobs: &knobs,
            space,
            thread: 0,
            threads: 1,
            seed,
            stream_seed: seed,
        })
    }

    /// The share of numbers of at most `x` under the distribution function of the generalised
    /// Pareto distribution: 1 − (1 + k x ÷ sigma)^(−1 ÷ k).
    fn share_upto(x: f64, k: f64, sigma: f64) -> f64 {
        1.0 - (1.0 + k * x / sigma).powf(-1.0 / k)
    }

    /// The largest distance between the shares of a sample and a distribution (Kolmogorov and
    /// Smirnov), in units of its standard error.
    fn distance(sample: &[u32], share_upto: impl Fn(u32) -> f64) -> f64 {
        let n = sample.len() as f64;
        let most = *sample.iter().max().expect("some");
        let mut counts = vec![0u32; most as usize + 1];
        sample.iter().for_each(|x| counts[*x as usize] += 1);
        let (mut below, mut distance) = (0, 0.0f64);
        for (x, count) in counts.iter().enumerate() {
            below += count;
            distance = distance.max((f64::from(below) / n - share_upto(x as u32)).abs());
        }
        distance * n.sqrt()
    }

    #[test]
    fn lengths_of_scans_are_distributed_as_db_benchs() {
        let mut source = source(&[("get", json!(0.0)), ("put", json!(0.0))]).unwrap();
        let scans: Vec<u32> = (0..40_000).map(|n| source.op(n).len).collect();
        // Remainders of 10,000: the sum of the shares of x, 10,000 + x, 20,000 + x and so on.
        let share = |x: u32| -> f64 {
            let (k, sigma) = (2.517f64, 14.236);
            let upto = |x: f64| share_upto(x, k, sigma);
            let exact = (0..2_000).map(|turn| f64::from(turn) * 1e4);
            let wrapped = exact.map(|from| upto(from + f64::from(x)) - upto((from - 1.0).max(0.0)));
            // The rest of the tail is uniform over the remainders.
            let rest = (1.0 + k * 2e7 / sigma).powf(-1.0 / k);
            wrapped.sum::<f64>() + rest * f64::from(x) / 1e4
        };
        let found = distance(&scans, share);
        assert!(found < 1.95, "Kolmogorov–Smirnov {found} (0.1 % limit 1.95)");
        let mean = scans.iter().map(|n| f64::from(*n)).sum::<f64>() / scans.len() as f64;
        assert!((mean / 569.0 - 1.0).abs() < 0.05, "the mean of db_bench is 569, not {mean}");
    }

    #[test]
    fn value_sizes_are_distributed_as_db_benchs_and_bounded_by_their_remainders() {
        let mut puts = source(&[("get", json!(0.0)), ("put", json!(100.0))]).unwrap();
        let sizes: Vec<u32> = (0..40_000).map(|n| puts.op(n).len).collect();
        let upto = |x: f64| share_upto(x, 0.2615, 25.45);
        let share = |x: u32| match x {
            0..10 => 0.0,
            // Sizes above the bound, one in 2,000, become remainders.
            _ => upto(f64::from(x)),
        };
        let found = distance(&sizes, share);
        assert!(found < 1.95, "Kolmogorov–Smirnov {found} (0.1 % limit 1.95)");
        let small = [("put", json!(100.0)), ("get", json!(0.0)), ("max_value_size", json!(20))];
        let mut small = source(&small).unwrap();
        let sizes: Vec<u32> = (0..40_000).map(|n| small.op(n).len).collect();
        let share = |of: &dyn Fn(u32) -> bool| {
            sizes.iter().filter(|size| of(**size)).count() as f64 / 40_000.0
        };
        assert!(sizes.iter().all(|size| *size <= 20));
        let multiples: f64 =
            (2..500).map(|n| upto(f64::from(n) * 20.0) - upto(f64::from(n) * 20.0 - 1.0)).sum();
        assert!((share(&|size| size == 0) - multiples).abs() < 0.005);
    }

    #[test]
    fn a_mix_above_the_whole_is_refused_with_its_sum() {
        let refused = source(&[("get", json!(90.0)), ("put", json!(40.0))]).err().expect("refused");
        assert!(refused.to_string().contains("130"), "{refused}");
        assert!(source(&[("get", json!(83.0)), ("put", json!(17.0))]).is_ok());
    }
}
