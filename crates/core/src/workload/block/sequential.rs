//! `sequential`: reads or writes one block after another, the range divided among the threads; one
//! pass covers it once.

use super::mix::{self, BlockMix, FDATASYNC, PLACEMENT, READ, SYNC, TRIM, WRITE_ZEROES};
use super::{FROM, SPAN, below, check_alignment, range};
use crate::base::error::{Result, failed};
use crate::base::rng::Seed;
use crate::measure::{AddressSpace, Op, OpGenerator};
use crate::plan::{DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Writes};
use crate::record::Class;
use crate::workload::{GeneratorInputs, Workload};

/// The workload `sequential`.
pub struct Sequential;

static INFO: Info = Info {
    name: "sequential",
    summary: "one block after another, each thread on its own part of the range",
    family: RequestFamily::Block,
    writes: Writes::By(|knobs| Sequential.classes(knobs)[..] != [Class::READ]),
    max_depth: 1,
    knobs: &[
        READ,
        TRIM,
        WRITE_ZEROES,
        SYNC,
        FDATASYNC,
        PLACEMENT,
        Knob {
            name: "block",
            kind: KnobKind::Sizes,
            default: DefaultValue::Is("\"128KiB\""),
            doc: "The size of an op.",
        },
        FROM,
        SPAN,
    ],
    source: "",
};

impl Workload for Sequential {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn classes(&self, knobs: &Knobs) -> Vec<Class> {
        let read = knobs.float("read").unwrap_or(100.0);
        mix::classes(knobs, (read, read))
    }

    fn mean_op_bytes(&self, knobs: &Knobs, _space: AddressSpace) -> Result<f64> {
        Ok(one_size(knobs)? as f64)
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        let block = one_size(share.knobs)?;
        check_alignment(block, share.space)?;
        let range = range(share.knobs, share.space, block)?;
        let (blocks, threads) = (range.len / block, u64::from(share.threads));
        if blocks < threads {
            return Err(failed(
                format!("{blocks} blocks cannot be divided among {threads} threads"),
                "use fewer threads or a larger range",
            ));
        }
        let first = blocks * u64::from(share.thread) / threads;
        let end = blocks * (u64::from(share.thread) + 1) / threads;
        let classes = self.classes(share.knobs);
        let read = share.knobs.float("read")?;
        let mix = BlockMix::of(share.knobs, &classes, read)?;
        if mix.every > 0 && classes.iter().any(|c| !c.is_write() && *c != Class::FLUSH) {
            return Err(failed(
                "sequential counts writes for fdatasync only where every op writes",
                "use read = 0, or the workload random with random = 0",
            ));
        }
        Ok(Box::new(SequentialSource {
            seed: share.seed,
            reads: below(read / 100.0),
            mix,
            from: range.from + first * block,
            block,
            blocks: end - first,
        }))
    }
}

fn one_size(knobs: &Knobs) -> Result<u64> {
    match knobs.sizes("block")?.as_slice() {
        [(bytes, _)] => Ok(*bytes),
        _ => Err(failed("sequential takes one block size", "write it as in block = \"128KiB\"")),
    }
}

struct SequentialSource {
    seed: Seed,
    reads: u128,
    mix: BlockMix,
    from: u64,
    block: u64,
    blocks: u64,
}

impl OpGenerator for SequentialSource {
    fn op(&mut self, n: u64) -> Op {
        let salt = self.seed.at(n).draw();
        let mut block = n;
        if self.mix.every > 0 {
            let flushes = n / (self.mix.every + 1);
            if n % (self.mix.every + 1) == self.mix.every {
                let (kind, class) = self.mix.flush();
                return Op { kind, class, len: 0, at: 0, salt };
            }
            block -= flushes;
        }
        let (kind, class) = self.mix.kind(salt, self.reads);
        let at = self.from + block % self.blocks * self.block;
        Op { kind, class, len: self.block as u32, at, salt }
    }

    fn pass(&self) -> Option<u64> {
        Some(self.blocks + self.blocks.checked_div(self.mix.every).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    proptest! {
        #[test]
        fn the_threads_together_cover_the_range_exactly_once(
            blocks in 8u64..500, threads in 1u32..8, fdatasync in 0u64..5,
        ) {
            let pairs = [
                ("fdatasync", json!(fdatasync)),
                ("read", json!(0.0)),
                ("block", json!([[4096, 1]])),
                ("from", json!(0.0)),
                ("span", json!(100.0)),
            ];
            let knobs = Knobs(pairs.into_iter().map(|(k, v)| (k.to_string(), v)).collect());
            let bytes = blocks * 4096;
            let space = AddressSpace { bytes, align_bytes: 512, ..AddressSpace::default() };
            let seed = Seed::new(1, 0, 0);
            let mut seen = Vec::new();
            for thread in 0..threads {
                let (knobs, stream_seed) = (&knobs, seed);
                let inputs = GeneratorInputs { knobs, space, thread, threads, seed, stream_seed };
                let mut source = Sequential.source(&inputs).unwrap();
                let ops = (0..source.pass().unwrap()).map(|n| source.op(n));
                seen.extend(ops.filter(|o| o.len > 0).map(|o| o.at / 4096));
            }
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..blocks).collect::<Vec<_>>());
        }
    }
}
