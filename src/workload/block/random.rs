//! `random`: reads and writes at random offsets, in one block size or a weighted mix of them.

use super::{FROM, READ, Range, SPAN, below, check_alignment, mix_classes, range};
use crate::base::error::{Result, failed};
use crate::base::rng::Seed;
use crate::load::{Op, OpKind, Source, Space};
use crate::plan::{Default, Family, Info, Kind, Knob, Knobs};
use crate::record::Class;
use crate::workload::offsets::Offsets;
use crate::workload::{Share, Workload};

pub struct Random;

static INFO: Info = Info {
    name: "random",
    summary: "reads and writes at random offsets",
    family: Family::Block,
    writes: true,
    max_depth: 1,
    knobs: &[
        READ,
        Knob {
            name: "block",
            kind: Kind::Sizes,
            default: Default::Is("\"4KiB\""),
            doc: "The size of an op, or sizes with weights: [[\"8KiB\", 99], [\"64KiB\", 1]].",
        },
        Knob {
            name: "align",
            kind: Kind::Bytes,
            default: Default::Absent,
            doc: "What offsets are multiples of; by default the op's own size.",
        },
        Knob {
            name: "offsets",
            kind: Kind::Choice(&["uniform", "zipfian", "pareto", "hotspot"]),
            default: Default::Is("\"uniform\""),
            doc: "How accesses are distributed over the range.",
        },
        Knob {
            name: "theta",
            kind: Kind::Float { min: 0.01, max: 5.0 },
            default: Default::Is("0.99"),
            doc: "zipfian: how fast popularity falls with rank.",
        },
        Knob {
            name: "pareto",
            kind: Kind::Float { min: 0.01, max: 0.49 },
            default: Default::Is("0.2"),
            doc: "pareto: this share of the range gets one minus this share of the accesses.",
        },
        Knob {
            name: "hot_share",
            kind: Kind::Float { min: 0.0, max: 100.0 },
            default: Default::Is("80"),
            doc: "hotspot: percent of accesses that go to the hot part.",
        },
        Knob {
            name: "hot_range",
            kind: Kind::Float { min: 0.0, max: 100.0 },
            default: Default::Is("20"),
            doc: "hotspot: percent of the range, from its beginning, that is hot.",
        },
        FROM,
        SPAN,
    ],
    source: "",
};

impl Workload for Random {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn classes(&self, knobs: &Knobs) -> Vec<Class> {
        mix_classes(knobs)
    }

    fn mean_op_bytes(&self, knobs: &Knobs, _space: Space) -> Result<f64> {
        let sizes = knobs.sizes("block")?;
        let weights: f64 = sizes.iter().map(|s| s.1).sum();
        Ok(sizes.iter().map(|(bytes, weight)| *bytes as f64 * weight).sum::<f64>() / weights)
    }

    fn source(&self, share: &Share<'_>) -> Result<Box<dyn Source>> {
        let knobs = share.knobs;
        let sizes = knobs.sizes("block")?;
        let weights: f64 = sizes.iter().map(|s| s.1).sum();
        let mut sum = 0.0;
        let mut blocks = Vec::new();
        for &(bytes, weight) in &sizes {
            check_alignment(bytes, share.space)?;
            let align = knobs.get("align").and_then(|v| v.as_u64()).unwrap_or(bytes);
            check_alignment(align, share.space)?;
            let range = range(knobs, share.space, bytes)?;
            sum += weight / weights;
            // The last offset is the last multiple of `align` from which a whole block still fits.
            let count = (range.len - bytes) / align + 1;
            blocks.push(Block {
                upto: below(sum),
                bytes: bytes as u32,
                align,
                range,
                count,
                offsets: Offsets::Uniform,
            });
        }
        let Some(last) = blocks.last_mut() else {
            return Err(failed("the mix of block sizes is empty", "give at least one size, as in block = \"4KiB\""));
        };
        last.upto = u128::MAX;
        for block in &mut blocks {
            block.offsets = offsets(knobs, block.count, share.stream_seed)?;
        }
        Ok(Box::new(RandomSource { seed: share.seed, reads: below(knobs.float("read")? / 100.0), blocks }))
    }
}

fn offsets(knobs: &Knobs, count: u64, seed: Seed) -> Result<Offsets> {
    let scatter = seed.at(0).draw();
    Ok(match knobs.text("offsets")? {
        "zipfian" => Offsets::zipfian(knobs.float("theta")?, count, scatter),
        "pareto" => Offsets::pareto(knobs.float("pareto")?, scatter),
        "hotspot" => Offsets::Hotspot {
            share: below(knobs.float("hot_share")? / 100.0),
            hot: (count as f64 * knobs.float("hot_range")? / 100.0).round() as u64,
        },
        _ => Offsets::Uniform,
    })
}

/// One size of the mix.
struct Block {
    /// Chosen when the draw is below this and not below the one before.
    upto: u128,
    bytes: u32,
    align: u64,
    range: Range,
    count: u64,
    offsets: Offsets,
}

struct RandomSource {
    seed: Seed,
    reads: u128,
    blocks: Vec<Block>,
}

impl Source for RandomSource {
    fn op(&mut self, n: u64) -> Op {
        let mut rng = self.seed.at(n);
        let salt = rng.draw();
        let block = if self.blocks.len() == 1 {
            &self.blocks[0]
        } else {
            let draw = u128::from(rng.draw());
            // The last block's bound is above every draw.
            self.blocks.iter().find(|b| draw < b.upto).unwrap_or(&self.blocks[0])
        };
        let kind = if u128::from(salt) < self.reads { OpKind::Read } else { OpKind::Write };
        let at = block.range.from + block.offsets.draw(&mut rng, block.count) * block.align;
        Op { kind, len: block.bytes, at, salt }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn knobs(read: f64, block: serde_json::Value, from: f64, span: f64) -> Knobs {
        let pairs = [
            ("read", json!(read)),
            ("block", block),
            ("offsets", json!("uniform")),
            ("from", json!(from)),
            ("span", json!(span)),
        ];
        Knobs(pairs.into_iter().map(|(k, v)| (k.to_string(), v)).collect())
    }

    fn source(knobs: &Knobs, bytes: u64) -> Box<dyn Source> {
        let space = Space { bytes, align_bytes: 512, ..Space::default() };
        let seed = Seed::new(1, 0, 0);
        Random.source(&Share { knobs, space, thread: 0, threads: 1, seed, stream_seed: seed }).unwrap()
    }

    #[test]
    fn the_mix_of_reads_and_sizes_is_as_asked() {
        let mut source = source(&knobs(70.0, json!([[8192, 99], [65536, 1]]), 0.0, 100.0), 1 << 30);
        let ops: Vec<Op> = (0..100_000).map(|n| source.op(n)).collect();
        let share = |f: fn(&&Op) -> bool| ops.iter().filter(f).count() as f64 / 1000.0;
        assert!((share(|o| o.kind == OpKind::Read) - 70.0).abs() < 0.5);
        assert!((share(|o| o.len == 65536) - 1.0).abs() < 0.1);
    }

    #[test]
    fn the_first_and_the_last_block_are_reached() {
        let mut source = source(&knobs(100.0, json!([[4096, 1]]), 0.0, 25.0), 64 * 4096);
        let mut seen: Vec<u64> = (0..1000).map(|n| source.op(n).at / 4096).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, (0..16).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn every_op_is_aligned_and_inside(kib in 1u64..9, blocks in 1u64..10_000, n: u64, from in 0.0f64..50.0) {
            let bytes = kib * 1024;
            let size = bytes * (2 * blocks + 2);
            let op = source(&knobs(50.0, json!([[bytes, 1]]), from, 50.0), size).op(n);
            prop_assert!(op.at % bytes == 0 && op.at + bytes <= size, "{op:?} of {size}");
        }
    }
}
