//! Vector search: `vector_load` fills a dataset with an index, `vector_search` sends queries to it.
//! docs/vector-search.md describes both.

use dyno_core::base::error::{Result, failed};
use dyno_core::measure::{AddressSpace, BUILD_PARTS, Op, OpGenerator, OpKind};
use dyno_core::plan::{DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Writes};
use dyno_core::record::Class;
use dyno_core::workload::{GeneratorInputs, Workload};

use crate::diskann::size;

const SOURCE: &str = "Subramanya et al., DiskANN, NeurIPS 2019";

/// A query.
const SEARCH: Class = Class::new("search");

/// Bytes per read. A query reads about one for each candidate of its list. Both depend on the
/// index, so a rate in bytes is only an estimate.
const READ_BYTES: f64 = 4096.0;

/// The workload `vector_load`.
pub struct VectorLoad;

static LOAD_INFO: Info = Info {
    name: "vector_load",
    summary: "generates vectors and builds their index, on all processors",
    family: RequestFamily::Vector,
    writes: Writes::Always,
    max_depth: 1,
    knobs: &[],
    source: SOURCE,
};

impl Workload for VectorLoad {
    fn fill_bytes(&self, _knobs: &Knobs, dataset: &Knobs) -> Option<u64> {
        size::dataset_bytes(dataset)
    }

    fn info(&self) -> &'static Info {
        &LOAD_INFO
    }

    fn classes(&self, _knobs: &Knobs) -> Vec<Class> {
        vec![Class::WRITE]
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, _space: AddressSpace) -> Result<f64> {
        Ok(0.0)
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        Ok(Box::new(BuildSource { ops: if share.thread == 0 { BUILD_PARTS } else { 0 } }))
    }
}

struct BuildSource {
    ops: u64,
}

impl OpGenerator for BuildSource {
    fn op(&mut self, n: u64) -> Op {
        Op { kind: OpKind::Build, at: n, ..Op::NONE }
    }

    fn pass(&self) -> Option<u64> {
        Some(self.ops)
    }
}

/// The workload `vector_search`.
pub struct VectorQueries;

static INFO: Info = Info {
    name: "vector_search",
    summary: "asks for the 10 nearest vectors of one query after the other",
    family: RequestFamily::Vector,
    writes: Writes::Never,
    max_depth: 1,
    knobs: &[
        Knob {
            name: "search_list",
            kind: KnobKind::Int { min: 10, max: 10_000 },
            default: DefaultValue::Is("100"),
            doc: "Candidates that a search keeps (DiskANN: L): recall and I/Os grow with it. It \
                  may be swept.",
        },
        Knob {
            name: "beam",
            kind: KnobKind::Int { min: 1, max: 128 },
            default: DefaultValue::Is("4"),
            doc: "Nodes that a search reads at a time (DiskANN: W). It may be swept.",
        },
    ],
    source: SOURCE,
};

impl Workload for VectorQueries {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn classes(&self, _knobs: &Knobs) -> Vec<Class> {
        vec![SEARCH]
    }

    fn mean_op_bytes(&self, knobs: &Knobs, _space: AddressSpace) -> Result<f64> {
        Ok(READ_BYTES * knobs.int("search_list")? as f64)
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        let queries = share.space.keys;
        if queries == 0 {
            return Err(failed(
                "there are no queries to ask",
                "set the dataset's `queries` to at least 1",
            ));
        }
        // Threads start at different queries, so that all queries are sent early.
        let (thread, threads) = (u64::from(share.thread), u64::from(share.threads));
        let first = (u128::from(queries) * u128::from(thread) / u128::from(threads)) as u64;
        Ok(Box::new(SearchSource { first, queries }))
    }
}

struct SearchSource {
    first: u64,
    queries: u64,
}

impl OpGenerator for SearchSource {
    fn op(&mut self, n: u64) -> Op {
        let at = (self.first + n % self.queries) % self.queries;
        Op { kind: OpKind::Search, at, ..Op::NONE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::base::rng::Seed;

    #[test]
    fn each_thread_asks_every_query_in_turn_and_one_of_them_builds() {
        let knobs = Knobs::default();
        let inputs = |thread| GeneratorInputs {
            knobs: &knobs,
            space: AddressSpace { keys: 7, ..AddressSpace::default() },
            thread,
            threads: 3,
            seed: Seed::new(1, 2, 3),
            stream_seed: Seed::new(1, 2, 4),
        };
        for (thread, expected) in [(0, [0, 1, 2, 3, 4, 5, 6, 0]), (2, [4, 5, 6, 0, 1, 2, 3, 4])] {
            let mut source = VectorQueries.source(&inputs(thread)).unwrap();
            assert_eq!((0..8).map(|n| source.op(n).at).collect::<Vec<_>>(), expected);
        }
        let passes = (0..3).map(|thread| VectorLoad.source(&inputs(thread)).unwrap().pass());
        assert_eq!(passes.collect::<Vec<_>>(), [Some(BUILD_PARTS), Some(0), Some(0)]);
    }
}
