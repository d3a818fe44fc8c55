//! The readers: readrandom, readseq and seekrandom.

use super::{DISTRIBUTION, HOT_RANGE, HOT_SHARE, SEEK, SOURCE, THETA, entry_bytes, offsets};
use crate::base::error::Result;
use crate::base::rng::Seed;
use crate::measure::{AddressSpace, Op, OpGenerator, OpKind};
use crate::plan::{DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Writes};
use crate::record::Class;
use crate::workload::offsets::Offsets;
use crate::workload::{GeneratorInputs, Workload};

/// The kind of op distinguishes the readers.
pub struct KvRead {
    info: &'static Info,
    kind: OpKind,
}

static READ_RANDOM_INFO: Info = Info {
    name: "readrandom",
    summary: "looks random keys up; a missing key counts as an op",
    family: RequestFamily::KeyValue,
    writes: Writes::Never,
    max_depth: 1,
    knobs: &[DISTRIBUTION, THETA, HOT_SHARE, HOT_RANGE],
    source: SOURCE,
};

static READ_SEQ_INFO: Info = Info {
    name: "readseq",
    summary: "walks the database in key order, each thread on its own; every entry is an op",
    family: RequestFamily::KeyValue,
    writes: Writes::Never,
    max_depth: 1,
    knobs: &[],
    source: SOURCE,
};

static SEEK_RANDOM_INFO: Info = Info {
    name: "seekrandom",
    summary: "positions a new iterator at a random key for every op and walks on",
    family: RequestFamily::KeyValue,
    writes: Writes::Never,
    max_depth: 1,
    knobs: &[
        Knob {
            name: "seek_nexts",
            kind: KnobKind::Int { min: 0, max: 1_000_000 },
            default: DefaultValue::Is("0"),
            doc: "Entries to walk after each seek.",
        },
        DISTRIBUTION,
        THETA,
        HOT_SHARE,
        HOT_RANGE,
    ],
    source: SOURCE,
};

/// db_bench's `readrandom`.
pub static READ_RANDOM: KvRead = KvRead { info: &READ_RANDOM_INFO, kind: OpKind::Get };
/// db_bench's `readseq`.
pub static READ_SEQ: KvRead = KvRead { info: &READ_SEQ_INFO, kind: OpKind::Next };
/// db_bench's `seekrandom`.
pub static SEEK_RANDOM: KvRead = KvRead { info: &SEEK_RANDOM_INFO, kind: OpKind::Seek };

impl Workload for KvRead {
    fn info(&self) -> &'static Info {
        self.info
    }

    fn classes(&self, _knobs: &Knobs) -> Vec<Class> {
        vec![if self.kind == OpKind::Seek { SEEK } else { Class::READ }]
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, space: AddressSpace) -> Result<f64> {
        Ok(entry_bytes(space))
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        let (kind, seed, keys) = (self.kind, share.seed, share.space.keys);
        let len = match kind {
            OpKind::Seek => share.knobs.int("seek_nexts")? as u32,
            _ => share.space.key_bytes + share.space.value_bytes,
        };
        let offsets = if kind == OpKind::Next { Offsets::Uniform } else { offsets(share)? };
        Ok(Box::new(ReadSource { kind, seed, keys, len, offsets }))
    }
}

struct ReadSource {
    kind: OpKind,
    seed: Seed,
    keys: u64,
    len: u32,
    offsets: Offsets,
}

impl OpGenerator for ReadSource {
    fn op(&mut self, n: u64) -> Op {
        let mut rng = self.seed.at(n);
        let at = self.offsets.draw(&mut rng, self.keys);
        Op { kind: self.kind, class: 0, len: self.len, at, salt: 0 }
    }
}
