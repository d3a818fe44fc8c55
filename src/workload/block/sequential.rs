//! `sequential`: reads or writes one block after another, the range divided among the threads; one
//! pass covers it once.

use super::{FROM, READ, SPAN, below, check_alignment, mix_classes, range, write_class};
use crate::base::error::{Result, failed};
use crate::base::rng::Seed;
use crate::load::{Op, OpKind, Source, Space};
use crate::plan::{DefaultValue, Family, Info, Kind, Knob, Knobs};
use crate::record::Class;
use crate::workload::{Share, Workload};

/// The workload `sequential`.
pub struct Sequential;

static INFO: Info = Info {
    name: "sequential",
    summary: "one block after another, each thread on its own part of the range",
    family: Family::Block,
    writes: true,
    max_depth: 1,
    knobs: &[
        READ,
        Knob {
            name: "block",
            kind: Kind::Sizes,
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
        mix_classes(knobs)
    }

    fn mean_op_bytes(&self, knobs: &Knobs, _space: Space) -> Result<f64> {
        Ok(one_size(knobs)? as f64)
    }

    fn source(&self, share: &Share<'_>) -> Result<Box<dyn Source>> {
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
        Ok(Box::new(SequentialSource {
            seed: share.seed,
            reads: below(share.knobs.float("read")? / 100.0),
            write: write_class(&self.classes(share.knobs)),
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
    /// The class of a write.
    write: u8,
    from: u64,
    block: u64,
    blocks: u64,
}

impl Source for SequentialSource {
    fn op(&mut self, n: u64) -> Op {
        let salt = self.seed.at(n).draw();
        let (kind, class) = if u128::from(salt) < self.reads {
            (OpKind::Read, 0)
        } else {
            (OpKind::Write, self.write)
        };
        Op {
            kind,
            class,
            len: self.block as u32,
            at: self.from + n % self.blocks * self.block,
            salt,
        }
    }

    fn pass(&self) -> Option<u64> {
        Some(self.blocks)
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
            blocks in 8u64..500, threads in 1u32..8,
        ) {
            let pairs = [
                ("read", json!(0.0)),
                ("block", json!([[4096, 1]])),
                ("from", json!(0.0)),
                ("span", json!(100.0)),
            ];
            let knobs = Knobs(pairs.into_iter().map(|(k, v)| (k.to_string(), v)).collect());
            let space = Space { bytes: blocks * 4096, align_bytes: 512, ..Space::default() };
            let seed = Seed::new(1, 0, 0);
            let mut seen = Vec::new();
            for thread in 0..threads {
                let share =
                    Share { knobs: &knobs, space, thread, threads, seed, stream_seed: seed };
                let mut source = Sequential.source(&share).unwrap();
                seen.extend((0..source.pass().unwrap()).map(|n| source.op(n).at / 4096));
            }
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..blocks).collect::<Vec<_>>());
        }
    }
}
