//! `random`: reads and writes at random offsets, in one block size or a weighted mix of them.

use super::mix::{self, BlockMix, FDATASYNC, FLUSH, PLACEMENT, READ, SYNC, TRIM, WRITE_ZEROES};
use super::{FROM, OffsetRange, SPAN, below, check_alignment, range};
use crate::base::error::{Result, failed};
use crate::base::rng::Seed;
use crate::measure::{AddressSpace, Op, OpGenerator, OpKind};
use crate::plan::{DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Writes};
use crate::record::Class;
use crate::workload::offsets::Offsets;
use crate::workload::{GeneratorInputs, Workload};

/// The workload `random`.
pub struct Random;

static INFO: Info = Info {
    name: "random",
    summary: "reads and writes at random offsets",
    family: RequestFamily::Block,
    writes: Writes::By(|knobs| Random.classes(knobs)[..] != [Class::READ]),
    max_depth: 1,
    knobs: &[
        READ,
        TRIM,
        WRITE_ZEROES,
        FLUSH,
        SYNC,
        FDATASYNC,
        PLACEMENT,
        Knob {
            name: "block",
            kind: KnobKind::Sizes,
            default: DefaultValue::Is("\"4KiB\""),
            doc: "Size of an op, or sizes with weights: [[\"8KiB\", 99], [\"64KiB\", 1]].",
        },
        Knob {
            name: "align",
            kind: KnobKind::Bytes,
            default: DefaultValue::Absent,
            doc: "Alignment of offsets; by default the op's own size.",
        },
        Knob {
            name: "offsets",
            kind: KnobKind::Choice(&["uniform", "zipfian", "pareto", "hotspot"]),
            default: DefaultValue::Is("\"uniform\""),
            doc: "How accesses are distributed over the range.",
        },
        Knob {
            name: "theta",
            kind: KnobKind::Float { min: 0.01, max: 5.0 },
            default: DefaultValue::Is("0.99"),
            doc: "zipfian: the block of popularity rank r has a share in proportion to \
                  1 / r^theta.",
        },
        Knob {
            name: "pareto",
            kind: KnobKind::Float { min: 0.01, max: 0.49 },
            default: DefaultValue::Is("0.2"),
            doc: "pareto: this share of the range gets one minus this share of the accesses.",
        },
        Knob {
            name: "hot_share",
            kind: KnobKind::Float { min: 0.0, max: 100.0 },
            default: DefaultValue::Is("80"),
            doc: "hotspot: percent of accesses that go to the hot part.",
        },
        Knob {
            name: "hot_range",
            kind: KnobKind::Float { min: 0.0, max: 100.0 },
            default: DefaultValue::Is("20"),
            doc: "hotspot: percent of the range, from its beginning, that is hot.",
        },
        Knob {
            name: "hot_ops",
            kind: KnobKind::Choice(&["all", "reads"]),
            default: DefaultValue::Is("\"all\""),
            doc: "hotspot: whether writes follow it too, or are uniform.",
        },
        Knob {
            name: "random",
            kind: KnobKind::Float { min: 0.0, max: 100.0 },
            default: DefaultValue::Is("100"),
            doc: "Percent of ops at a random offset; the others follow an op before them.",
        },
        Knob {
            name: "follow",
            kind: KnobKind::Choice(&["size", "any"]),
            default: DefaultValue::Is("\"size\""),
            doc: "What an op that is not at a random offset follows: the last op of its size, or \
                  the last op, whatever the alignment.",
        },
        Knob {
            name: "read_by_size",
            kind: KnobKind::Sizes,
            default: DefaultValue::Absent,
            doc: "Percent of reads for each size, if it differs between sizes: [[\"8KiB\", 80], \
                  [\"64KiB\", 1]].",
        },
        Knob {
            name: "random_by_size",
            kind: KnobKind::Sizes,
            default: DefaultValue::Absent,
            doc: "Percent of ops at a random offset for each size, if it differs between sizes.",
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
        mix::classes(knobs, least_and_most_read(knobs))
    }

    fn mean_op_bytes(&self, knobs: &Knobs, _space: AddressSpace) -> Result<f64> {
        let sizes = knobs.sizes("block")?;
        let weights: f64 = sizes.iter().map(|s| s.1).sum();
        Ok(sizes.iter().map(|(bytes, weight)| *bytes as f64 * weight).sum::<f64>() / weights)
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        let knobs = share.knobs;
        let sizes = knobs.sizes("block")?;
        let weights: f64 = sizes.iter().map(|s| s.1).sum();
        let mut sum = 0.0;
        let mut blocks = Vec::new();
        let (reads, randoms) = (by_size(knobs, "read_by_size")?, by_size(knobs, "random_by_size")?);
        let (read, random) = (knobs.float("read")?, knobs.float("random").unwrap_or(100.0));
        let share_of = |shares: &[(u64, f64)], bytes: u64, otherwise: f64| {
            let own = shares.iter().find(|s| s.0 == bytes).map_or(otherwise, |s| s.1);
            below((own / 100.0).min(1.0))
        };
        for &(bytes, weight) in &sizes {
            check_alignment(bytes, share.space)?;
            let align = knobs.get("align").and_then(|v| v.as_u64()).unwrap_or(bytes);
            check_alignment(align, share.space)?;
            let range = range(knobs, share.space, bytes)?;
            sum += weight / weights;
            // The last offset is the last multiple of `align` from which a whole block still fits.
            let count = (range.len - bytes) / align + 1;
            blocks.push(MixedSize {
                upto: below(sum),
                bytes: bytes as u32,
                align,
                range,
                count,
                reads: share_of(&reads, bytes, read),
                seeks: share_of(&randoms, bytes, random),
                offsets: Offsets::Uniform,
            });
        }
        let Some(last) = blocks.last_mut() else {
            return Err(failed(
                "the mix of block sizes is empty",
                "give at least one size, as in block = \"4KiB\"",
            ));
        };
        last.upto = u128::MAX;
        for block in &mut blocks {
            block.offsets = offsets(knobs, block.count, share.stream_seed)?;
        }
        // Bundles made before these knobs have neither.
        let uniform_writes = knobs.get("hot_ops").and_then(|v| v.as_str()) == Some("reads");
        let follows_any = knobs.text("follow").is_ok_and(|follow| follow == "any");
        let cursors = vec![None; blocks.len()];
        let mix = BlockMix::of(knobs, &self.classes(knobs), least_and_most_read(knobs).1)?;
        let looks_back = mix.every > 0 || blocks.iter().any(|b| b.seeks <= u128::from(u64::MAX));
        let uniform = |block: &MixedSize| matches!(block.offsets, Offsets::Uniform);
        let simple = blocks.len() == 1 && !looks_back && blocks.iter().all(uniform);
        let only_reads = blocks.iter().all(|block| block.reads > u128::from(u64::MAX));
        Ok(Box::new(RandomSource {
            seed: share.seed,
            mix,
            uniform_writes,
            looks_back,
            simple,
            only_reads,
            blocks,
            cursors,
            follows_any,
            end: None,
            writes: 0,
            next: 0,
        }))
    }
}

/// The minimum and maximum percentage of reads, which may depend on the size.
fn least_and_most_read(knobs: &Knobs) -> (f64, f64) {
    let read = knobs.float("read").unwrap_or(100.0);
    let own = by_size(knobs, "read_by_size").unwrap_or_default();
    let of_size =
        |(bytes, _): (u64, f64)| own.iter().find(|s| s.0 == bytes).map_or(read, |s| s.1.min(100.0));
    let shares = || knobs.sizes("block").unwrap_or_default().into_iter().map(of_size);
    (shares().fold(100.0, f64::min), shares().fold(0.0, f64::max))
}

/// Shares in percent by size; empty if the plan has none.
fn by_size(knobs: &Knobs, name: &str) -> Result<Vec<(u64, f64)>> {
    if knobs.get(name).is_some() { knobs.sizes(name) } else { Ok(Vec::new()) }
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
struct MixedSize {
    /// Selected if the draw is below this and not below the previous one.
    upto: u128,
    bytes: u32,
    align: u64,
    range: OffsetRange,
    count: u64,
    /// Selected if a draw is below it: reads, and ops at a random offset.
    reads: u128,
    seeks: u128,
    offsets: Offsets,
}

/// Runs of consecutive ops restart after this many ops, so that any op can be reproduced without
/// all previous ones.
const RUN_OPS: u64 = 1 << 20;

struct RandomSource {
    seed: Seed,
    mix: BlockMix,
    uniform_writes: bool,
    /// Ops depend on previous ones.
    looks_back: bool,
    /// One size, uniform, and independent ops: see `simple`.
    simple: bool,
    /// Every draw is a read.
    only_reads: bool,
    blocks: Vec<MixedSize>,
    /// For each size, the position of its last op, in units of its alignment; valid up to op
    /// `next`.
    cursors: Vec<Option<u64>>,
    /// Ops follow the last op of any size.
    follows_any: bool,
    /// The end of the last op, if any op may follow it; valid up to op `next`.
    end: Option<u64>,
    /// Writes since the last periodic flush; valid up to op `next`.
    writes: u64,
    next: u64,
}

impl RandomSource {
    /// Advances the cursors to op `n`, from the start of its run if ops were skipped.
    fn catch_up(&mut self, n: u64) {
        if n.is_multiple_of(RUN_OPS) || n != self.next {
            self.cursors.fill(None);
            self.end = None;
            self.writes = 0;
            self.next = n - n % RUN_OPS;
        }
        while self.next < n {
            self.step(self.next);
        }
    }

    /// `step` for the usual mix, without state: a few nanoseconds per op matter to a worker that
    /// generates tens of millions per second.
    #[inline(always)]
    fn simple(&self, block: &MixedSize, n: u64) -> Op {
        let mut rng = self.seed.at(n);
        let salt = rng.draw();
        let (kind, class) = self.mix.kind(salt, block.reads);
        if kind == OpKind::Flush {
            return without_place((kind, class), salt);
        }
        let at = block.range.from + rng.below(block.count) * block.align;
        Op { kind, class, len: block.bytes, at, salt }
    }

    /// The same if nothing is written: the kind of op needs no draw, and the op no salt.
    #[inline(always)]
    fn simple_read(&self, block: &MixedSize, n: u64) -> Op {
        let mut rng = self.seed.at(n);
        rng.skip();
        let at = block.range.from + rng.below(block.count) * block.align;
        Op { kind: OpKind::Read, class: 0, len: block.bytes, at, salt: 0 }
    }

    #[inline(always)]
    fn step(&mut self, n: u64) -> Op {
        let mut rng = self.seed.at(n);
        let drawn = rng.draw();
        let salt = if self.only_reads { 0 } else { drawn };
        if self.writes > 0 && self.writes == self.mix.every {
            self.writes = 0;
            self.next = n + 1;
            return without_place(self.mix.flush(), salt);
        }
        let index = if self.blocks.len() == 1 {
            0
        } else {
            let draw = u128::from(rng.draw());
            // The last block's bound is above every draw.
            self.blocks.iter().position(|b| draw < b.upto).unwrap_or(0)
        };
        let block = &self.blocks[index];
        let (kind, class) = self.mix.kind(salt, block.reads);
        if kind == OpKind::Flush {
            self.next = n + 1;
            return without_place((kind, class), salt);
        }
        self.writes += u64::from(self.mix.every > 0 && kind.sends_data());
        let follows = block.seeks <= u128::from(u64::MAX) && u128::from(rng.draw()) >= block.seeks;
        let bytes = u64::from(block.bytes);
        if let (true, true, Some(end)) = (self.follows_any, follows, self.end) {
            let OffsetRange { from, len } = block.range;
            let at = if end + bytes <= from + len { end } else { from };
            (self.end, self.next) = (Some(at + bytes), n + 1);
            return Op { kind, class, len: block.bytes, at, salt };
        }
        let place = match self.cursors[index] {
            Some(last) if follows => {
                let after = last + (u64::from(block.bytes) / block.align).max(1);
                if after < block.count { after } else { 0 }
            }
            _ if self.uniform_writes && kind != OpKind::Read => rng.below(block.count),
            _ => block.offsets.draw(&mut rng, block.count),
        };
        self.cursors[index] = Some(place).filter(|_| !self.follows_any);
        self.next = n + 1;
        let at = block.range.from + place * block.align;
        self.end = Some(at + bytes);
        Op { kind, class, len: block.bytes, at, salt }
    }
}

/// An op without a block.
fn without_place((kind, class): (OpKind, u8), salt: u64) -> Op {
    Op { kind, class, len: 0, at: 0, salt }
}

impl OpGenerator for RandomSource {
    #[inline(always)]
    fn op(&mut self, n: u64) -> Op {
        if n != self.next || n.is_multiple_of(RUN_OPS) {
            if self.looks_back {
                self.catch_up(n);
            } else {
                self.next = n;
            }
        }
        self.step(n)
    }

    fn ops(&mut self, n: u64, ops: &mut [Op]) {
        match (self.simple, self.blocks.first()) {
            (true, Some(block)) if self.only_reads => {
                ops.iter_mut().zip(n..).for_each(|(op, n)| *op = self.simple_read(block, n));
            }
            (true, Some(block)) => {
                ops.iter_mut().zip(n..).for_each(|(op, n)| *op = self.simple(block, n));
            }
            _ => ops.iter_mut().zip(n..).for_each(|(op, n)| *op = self.op(n)),
        }
    }
}

#[cfg(test)]
mod tests;
