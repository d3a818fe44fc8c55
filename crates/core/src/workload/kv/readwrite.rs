//! `readrandomwriterandom`: each thread reads and writes in turns like db_bench, `read` Gets of
//! every 100 ops and then the rest Puts, in bursts.

use super::{
    DISTRIBUTION, HOT_RANGE, HOT_SHARE, SOURCE, THETA, entry_bytes, knob_percent, offsets, percent,
};
use crate::base::error::Result;
use crate::base::rng::Seed;
use crate::measure::{AddressSpace, Op, OpGenerator, OpKind};
use crate::plan::{Info, Knobs, RequestFamily, Writes};
use crate::record::Class;
use crate::workload::offsets::Offsets;
use crate::workload::{GeneratorInputs, Workload};

/// The workload `readrandomwriterandom`.
pub struct ReadRandomWriteRandom;

static INFO: Info = Info {
    name: "readrandomwriterandom",
    summary: "of every 100 ops of a thread, a burst of Gets and then a burst of Puts",
    family: RequestFamily::KeyValue,
    writes: Writes::Always,
    max_depth: 1,
    knobs: &[
        percent("read", "90", "Gets in every 100 ops (db_bench: readwritepercent)."),
        DISTRIBUTION,
        THETA,
        HOT_SHARE,
        HOT_RANGE,
    ],
    source: SOURCE,
};

impl Workload for ReadRandomWriteRandom {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn classes(&self, _knobs: &Knobs) -> Vec<Class> {
        vec![Class::READ, Class::WRITE]
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, space: AddressSpace) -> Result<f64> {
        Ok(entry_bytes(space))
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        let gets = (knob_percent(share.knobs, "read")? * 100.0).round() as u64;
        Ok(Box::new(BurstSource {
            gets,
            seed: share.seed,
            space: share.space,
            offsets: offsets(share)?,
        }))
    }
}

struct BurstSource {
    gets: u64,
    seed: Seed,
    space: AddressSpace,
    offsets: Offsets,
}

impl OpGenerator for BurstSource {
    fn op(&mut self, n: u64) -> Op {
        let mut rng = self.seed.at(n);
        let salt = rng.draw();
        let at = self.offsets.draw(&mut rng, self.space.keys);
        let (kind, class) = if n % 100 < self.gets { (OpKind::Get, 0) } else { (OpKind::Put, 1) };
        Op { kind, class, len: self.space.value_bytes, at, salt }
    }
}
