//! YCSB's core workloads A to F on a key-value engine (Cooper et al., "Benchmarking cloud serving
//! systems with YCSB", SoCC 2010; brianfrankcooper/YCSB, workloads/): `ycsb_load` fills, `ycsb` is
//! the mix. docs/ycsb.md lists what differs from YCSB itself.

use super::ycsb_records::{Known, Records, key_of};
use super::{UPDATE, entry_bytes, knob_percent, percent};
use crate::base::error::{Result, failed};
use crate::base::rng::Seed;
use crate::measure::{AddressSpace, Op, OpGenerator, OpKind};
use crate::plan::{DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Writes};
use crate::record::Class;
use crate::workload::{GeneratorInputs, Workload};

/// The source of the definitions.
pub const SOURCE: &str = "brianfrankcooper/YCSB, workloads/ and core/.../CoreWorkload.java";

/// An insert.
pub const INSERT: Class = Class::new("insert");
/// A read-modify-write.
pub const MODIFY: Class = Class::new("read-modify-write");
/// A scan.
pub const SCAN: Class = Class::new("scan");

/// The knob `insert`.
pub const INSERTS: Knob =
    percent("insert", "0", "Percent of inserts of new records (insertproportion).");
/// The knob `scan`.
pub const SCANS: Knob = percent("scan", "0", "Percent of scans (scanproportion).");
/// The knob `modify`.
pub const MODIFIES: Knob =
    percent("modify", "0", "Percent of read-modify-writes (readmodifywriteproportion).");
/// The knob `distribution`.
pub const DISTRIBUTION: Knob = Knob {
    name: "distribution",
    kind: KnobKind::Choice(&["uniform", "zipfian", "latest"]),
    default: DefaultValue::Is("\"zipfian\""),
    doc: "How accesses are distributed over the records (requestdistribution).",
};
/// The knob `theta`.
pub const THETA: Knob = Knob {
    name: "theta",
    kind: KnobKind::Float { min: 0.01, max: 0.999 },
    default: DefaultValue::Is("0.99"),
    doc: "zipfian and latest: how fast popularity falls with rank; YCSB's constant.",
};
/// The knob `scan_length`.
pub const SCAN_LENGTH: Knob = Knob {
    name: "scan_length",
    kind: KnobKind::Int { min: 1, max: 1_000_000 },
    default: DefaultValue::Is("100"),
    doc: "The most records of a scan; lengths from 1 are equally likely (maxscanlength).",
};

/// The workload `ycsb`.
pub struct Ycsb;

static INFO: Info = Info {
    name: "ycsb",
    summary: "YCSB's reads, updates, inserts, scans and read-modify-writes",
    family: RequestFamily::KeyValue,
    writes: Writes::Always,
    max_depth: 1,
    knobs: &[
        percent(
            "update",
            "0",
            "Percent of updates (updateproportion): YCSB replaces one field of ten, for which its \
             RocksDB binding reads the record and writes it whole. Reads are the rest of 100 %.",
        ),
        INSERTS,
        SCANS,
        MODIFIES,
        DISTRIBUTION,
        THETA,
        SCAN_LENGTH,
    ],
    source: SOURCE,
};

impl Workload for Ycsb {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn classes(&self, knobs: &Knobs) -> Vec<Class> {
        // A mix above 100 % is refused by `source`.
        let Ok(kinds) = mix(knobs) else { return vec![Class::READ] };
        let mut classes: Vec<Class> = kinds.iter().map(|kind| kind.class).collect();
        if knob_percent(knobs, "insert").is_ok_and(|share| share > 0.0) {
            classes.push(INSERT);
        }
        classes
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, space: AddressSpace) -> Result<f64> {
        Ok(entry_bytes(space))
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        source(share, share.space.keys)
    }
}

/// One thread's ops on `loaded` records.
pub fn source(share: &GeneratorInputs<'_>, loaded: u64) -> Result<Box<dyn OpGenerator>> {
    let knobs = share.knobs;
    let theta = knobs.float("theta")?;
    let records = match knobs.text("distribution")? {
        "uniform" => Records::Uniform,
        "latest" => Records::latest(theta, loaded),
        _ => Records::zipfian(theta),
    };
    Ok(Box::new(YcsbSource {
        seed: share.seed,
        known: Known::of(share, loaded),
        records,
        insert: knob_percent(knobs, "insert")?,
        kinds: mix(knobs)?,
        scan_length: knobs.int("scan_length")?,
        value_bytes: share.space.value_bytes,
    }))
}

/// A kind of op that occurs, apart from inserts, in the order of the classes.
struct MixKind {
    class: Class,
    kind: OpKind,
    /// Upper bound of the draws that select it.
    upto: f64,
}

fn mix(knobs: &Knobs) -> Result<Vec<MixKind>> {
    let share = |name| knob_percent(knobs, name);
    let written = share("update")? + share("modify")? + share("scan")?;
    let read = 1.0 - share("insert")? - written;
    if read < -1e-9 {
        return Err(failed(
            format!("update, insert, scan and modify add up to {:.4} %", (1.0 - read) * 100.0),
            "lower one of them: reads are the rest of 100 %",
        ));
    }
    let all = [
        (Class::READ, OpKind::Get, read),
        (UPDATE, OpKind::Update, share("update")?),
        (MODIFY, OpKind::Update, share("modify")?),
        (SCAN, OpKind::Seek, share("scan")?),
    ];
    let mut upto = 0.0;
    let there = all.into_iter().filter(|(_, _, share)| *share > 1e-9);
    Ok(there
        .map(|(class, kind, share)| {
            upto += share;
            MixKind { class, kind, upto }
        })
        .collect())
}

struct YcsbSource {
    seed: Seed,
    known: Known,
    records: Records,
    /// The share of inserts.
    insert: f64,
    kinds: Vec<MixKind>,
    scan_length: u64,
    value_bytes: u32,
}

impl YcsbSource {
    /// Inserts among the first `n` ops: they are spaced evenly, so that the number of records is a
    /// function of `n`.
    #[inline(always)]
    fn inserts(&self, n: u64) -> u64 {
        (n as f64 * self.insert) as u64
    }
}

impl OpGenerator for YcsbSource {
    fn op(&mut self, n: u64) -> Op {
        let mut rng = self.seed.at(n);
        let (draw, salt) = (rng.unit(), rng.draw());
        let (inserts, len) = (self.inserts(n), self.value_bytes);
        if self.inserts(n + 1) > inserts {
            let at = key_of(self.known.inserted(inserts));
            return Op { kind: OpKind::Put, class: self.kinds.len() as u8, len, at, salt };
        }
        let draw = draw * (1.0 - self.insert);
        let last = self.kinds.len().saturating_sub(1);
        let class = self.kinds.iter().position(|kind| draw < kind.upto).unwrap_or(last);
        let kind = self.kinds.get(class).map_or(OpKind::Get, |kind| kind.kind);
        let at = key_of(self.known.draw(&self.records, inserts, &mut rng));
        // A scan of one record is a seek without further entries.
        let len = if kind == OpKind::Seek { rng.below(self.scan_length) as u32 } else { len };
        Op { kind, class: class as u8, len, at, salt }
    }
}

/// The fill `ycsb_load`.
pub struct YcsbLoad;

static LOAD_INFO: Info = Info {
    name: "ycsb_load",
    summary: "writes every YCSB record once, in the order of their numbers, by hashed keys",
    family: RequestFamily::KeyValue,
    writes: Writes::Always,
    max_depth: 1,
    knobs: &[],
    source: SOURCE,
};

impl Workload for YcsbLoad {
    fn info(&self) -> &'static Info {
        &LOAD_INFO
    }

    fn classes(&self, _knobs: &Knobs) -> Vec<Class> {
        vec![INSERT]
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, space: AddressSpace) -> Result<f64> {
        Ok(entry_bytes(space))
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        Ok(Box::new(LoadSource {
            seed: share.seed,
            known: Known::of(share, 0),
            count: share.dealt(share.space.keys),
            value_bytes: share.space.value_bytes,
        }))
    }
}

struct LoadSource {
    seed: Seed,
    known: Known,
    count: u64,
    value_bytes: u32,
}

impl OpGenerator for LoadSource {
    fn op(&mut self, n: u64) -> Op {
        let record = self.known.inserted(n % self.count.max(1));
        let salt = self.seed.at(n).draw();
        Op { kind: OpKind::Put, class: 0, len: self.value_bytes, at: key_of(record), salt }
    }

    fn pass(&self) -> Option<u64> {
        Some(self.count)
    }
}

#[cfg(test)]
mod tests;
