//! A toy workload: `backwards` reads blocks from the last to the first, in a class of its own.

use dyno::base::error::Result;
use dyno::measure::{Op, OpKind, OpGenerator, AddressSpace};
use dyno::plan::{RequestFamily, Info, Knobs, Writes};
use dyno::record::Class;
use dyno::workload::{self, GeneratorInputs, Workload};

struct Backwards;

const BLOCK: u32 = 4096;

static INFO: Info = Info {
    name: "backwards",
    summary: "reads 4 KiB blocks from the last to the first",
    family: RequestFamily::Block,
    writes: Writes::Never,
    max_depth: 1,
    knobs: &[],
    source: "",
};

pub fn add() {
    workload::ALL.add(&Backwards);
}

impl Workload for Backwards {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn classes(&self, _knobs: &Knobs) -> Vec<Class> {
        vec![Class::new("step-back")]
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, _space: AddressSpace) -> Result<f64> {
        Ok(f64::from(BLOCK))
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        Ok(Box::new(Back { blocks: share.space.bytes / u64::from(BLOCK) }))
    }
}

struct Back {
    blocks: u64,
}

impl OpGenerator for Back {
    fn op(&mut self, n: u64) -> Op {
        let at = (self.blocks - 1 - n % self.blocks) * u64::from(BLOCK);
        Op { kind: OpKind::Read, class: 0, len: BLOCK, at, salt: 0 }
    }
}
