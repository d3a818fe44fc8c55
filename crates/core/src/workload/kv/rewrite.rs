//! Workloads that write random keys of an existing database: `overwrite`, and `updaterandom`, which
//! looks each key up before it stores it again.

use super::{DISTRIBUTION, HOT_RANGE, HOT_SHARE, SOURCE, THETA, UPDATE, entry_bytes, offsets};
use crate::base::error::Result;
use crate::base::rng::Seed;
use crate::measure::{AddressSpace, Op, OpGenerator, OpKind};
use crate::plan::{Info, Knobs, RequestFamily, Writes};
use crate::record::Class;
use crate::workload::offsets::Offsets;
use crate::workload::{GeneratorInputs, Workload};

/// The two differ in what an op does.
pub struct KvRewrite {
    info: &'static Info,
    class: Class,
    kind: OpKind,
}

const fn info(name: &'static str, summary: &'static str) -> Info {
    Info {
        name,
        summary,
        family: RequestFamily::KeyValue,
        writes: Writes::Always,
        max_depth: 1,
        knobs: &[DISTRIBUTION, THETA, HOT_SHARE, HOT_RANGE],
        source: SOURCE,
    }
}

static OVERWRITE_INFO: Info =
    info("overwrite", "writes random keys of a database that exists, without end");
static UPDATE_INFO: Info =
    info("updaterandom", "looks a random key up and then stores it with a new value, as one op");

/// db_bench's `overwrite`.
pub static OVERWRITE: KvRewrite =
    KvRewrite { info: &OVERWRITE_INFO, class: Class::WRITE, kind: OpKind::Put };
/// db_bench's `updaterandom`.
pub static UPDATE_RANDOM: KvRewrite =
    KvRewrite { info: &UPDATE_INFO, class: UPDATE, kind: OpKind::Update };

impl Workload for KvRewrite {
    fn info(&self) -> &'static Info {
        self.info
    }

    fn classes(&self, _knobs: &Knobs) -> Vec<Class> {
        vec![self.class]
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, space: AddressSpace) -> Result<f64> {
        Ok(entry_bytes(space))
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        let (kind, seed, space) = (self.kind, share.seed, share.space);
        Ok(Box::new(RewriteSource { kind, seed, offsets: offsets(share)?, space }))
    }
}

struct RewriteSource {
    kind: OpKind,
    seed: Seed,
    offsets: Offsets,
    space: AddressSpace,
}

impl OpGenerator for RewriteSource {
    fn op(&mut self, n: u64) -> Op {
        let mut rng = self.seed.at(n);
        let salt = rng.draw();
        let at = self.offsets.draw(&mut rng, self.space.keys);
        Op { kind: self.kind, class: 0, len: self.space.value_bytes, at, salt }
    }
}
