//! The fills: fillseq, fillrandom and filluniquerandom.

use super::{SOURCE, entry_bytes};
use crate::base::error::Result;
use crate::base::rng::{Seed, spread};
use crate::measure::{AddressSpace, Op, OpGenerator, OpKind};
use crate::plan::{Info, Knobs, RequestFamily, Writes};
use crate::record::Class;
use crate::workload::{GeneratorInputs, Workload};

/// Selection of the key of op n.
pub struct KvFill {
    info: &'static Info,
    order: KeyOrder,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyOrder {
    Ascending,
    /// Independent draws: with as many writes as keys, 36.8 % of the keys are never written.
    Drawn,
    /// A permutation: every key once. db_bench shuffles a list of all keys, which needs 8 bytes per
    /// key and a single thread.
    Permuted,
}

const fn info(name: &'static str, summary: &'static str) -> Info {
    Info {
        name,
        summary,
        family: RequestFamily::KeyValue,
        writes: Writes::Always,
        max_depth: 1,
        knobs: &[],
        source: SOURCE,
    }
}

static FILL_SEQ_INFO: Info =
    info("fillseq", "writes every key once, in order; the threads share the keys");
static FILL_RANDOM_INFO: Info =
    info("fillrandom", "writes as many random keys as there are keys, some more than once");
static FILL_UNIQUE_INFO: Info =
    info("filluniquerandom", "writes every key once, in random order, on any number of threads");

/// db_bench's `fillseq`.
pub static FILL_SEQ: KvFill = KvFill { info: &FILL_SEQ_INFO, order: KeyOrder::Ascending };
/// db_bench's `fillrandom`.
pub static FILL_RANDOM: KvFill = KvFill { info: &FILL_RANDOM_INFO, order: KeyOrder::Drawn };
/// db_bench's `filluniquerandom`.
pub static FILL_UNIQUE_RANDOM: KvFill =
    KvFill { info: &FILL_UNIQUE_INFO, order: KeyOrder::Permuted };

impl Workload for KvFill {
    fn info(&self) -> &'static Info {
        self.info
    }

    fn classes(&self, _knobs: &Knobs) -> Vec<Class> {
        vec![Class::WRITE]
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, space: AddressSpace) -> Result<f64> {
        Ok(entry_bytes(space))
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        let (keys, threads, thread) =
            (share.space.keys, u64::from(share.threads), u64::from(share.thread));
        let bound = |t: u64| (u128::from(keys) * u128::from(t) / u128::from(threads)) as u64;
        Ok(Box::new(FillSource {
            order: self.order,
            seed: share.seed,
            scatter: share.stream_seed.at(0).draw(),
            first: bound(thread),
            count: bound(thread + 1) - bound(thread),
            keys,
            value_bytes: share.space.value_bytes,
        }))
    }
}

/// The keys of one thread.
struct FillSource {
    order: KeyOrder,
    seed: Seed,
    scatter: u64,
    first: u64,
    count: u64,
    keys: u64,
    value_bytes: u32,
}

impl OpGenerator for FillSource {
    fn op(&mut self, n: u64) -> Op {
        let mut rng = self.seed.at(n);
        let salt = rng.draw();
        let at = match self.order {
            KeyOrder::Ascending => self.first + n,
            KeyOrder::Drawn => rng.below(self.keys),
            // A load that exceeds its keys starts again: the permutation has no further keys.
            KeyOrder::Permuted => {
                spread(self.first + n % self.count.max(1), self.keys, self.scatter)
            }
        };
        Op { kind: OpKind::Put, class: 0, len: self.value_bytes, at, salt }
    }

    fn pass(&self) -> Option<u64> {
        Some(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(fill: &KvFill, keys: u64, threads: u32) -> Vec<u64> {
        let space =
            AddressSpace { keys, key_bytes: 16, value_bytes: 100, ..AddressSpace::default() };
        let stream_seed = Seed::new(1, 0, u64::MAX);
        let mut all = Vec::new();
        for thread in 0..threads {
            let seed = Seed::new(1, 0, u64::from(thread));
            let share = GeneratorInputs {
                knobs: &Knobs::default(),
                space,
                thread,
                threads,
                seed,
                stream_seed,
            };
            let mut source = fill.source(&share).unwrap();
            all.extend((0..source.pass().unwrap()).map(|n| source.op(n).at));
        }
        all
    }

    proptest! {
        #[test]
        fn unique_fills_write_every_key_exactly_once(keys in 1u64..3000, threads in 1u32..9) {
            for fill in [&FILL_SEQ, &FILL_UNIQUE_RANDOM] {
                let mut keys_written = written(fill, keys, threads);
                keys_written.sort_unstable();
                prop_assert_eq!(keys_written, (0..keys).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_permuted_load_that_outlasts_its_keys_writes_them_again() {
        let space = AddressSpace {
            keys: 1_000,
            key_bytes: 16,
            value_bytes: 100,
            ..AddressSpace::default()
        };
        let (seed, stream_seed) = (Seed::new(1, 0, 1), Seed::new(1, 0, u64::MAX));
        let share = GeneratorInputs {
            knobs: &Knobs::default(),
            space,
            thread: 1,
            threads: 3,
            seed,
            stream_seed,
        };
        let mut source = FILL_UNIQUE_RANDOM.source(&share).unwrap();
        let pass = source.pass().unwrap();
        let keys: Vec<u64> = (0..3 * pass).map(|n| source.op(n).at).collect();
        assert!(keys.iter().all(|key| *key < 1_000));
        assert_eq!(keys[..pass as usize], keys[pass as usize..2 * pass as usize]);
    }

    #[test]
    fn fillrandom_leaves_out_the_share_that_db_bench_leaves_out() {
        let mut keys = written(&FILL_RANDOM, 100_000, 3);
        assert_eq!(keys.len(), 100_000);
        keys.sort_unstable();
        keys.dedup();
        assert!((keys.len() as f64 / 100_000.0 - 0.632).abs() < 0.005, "{} of 100,000", keys.len());
    }
}
