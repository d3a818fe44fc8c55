//! The mix of a block workload's ops, and the durability of its writes.

use super::below;
use crate::base::error::{Result, failed};
use crate::measure::OpKind;
use crate::plan::{DefaultValue, Knob, KnobKind, Knobs};
use crate::record::Class;

pub const READ: Knob = Knob {
    name: "read",
    kind: KnobKind::Float { min: 0.0, max: 100.0 },
    default: DefaultValue::Is("100"),
    doc: "Percent of ops that read; the rest, apart from `trim`, `write_zeroes` and `flush`, \
        write.",
};

pub const TRIM: Knob = Knob {
    name: "trim",
    kind: KnobKind::Float { min: 0.0, max: 100.0 },
    default: DefaultValue::Is("0"),
    doc: "Percent of ops that trim their block: a discard on a device, a hole in a file.",
};

pub const WRITE_ZEROES: Knob = Knob {
    name: "write_zeroes",
    kind: KnobKind::Float { min: 0.0, max: 100.0 },
    default: DefaultValue::Is("0"),
    doc: "Percent of ops that set their block to zero without transferring data.",
};

pub const FLUSH: Knob = Knob {
    name: "flush",
    kind: KnobKind::Float { min: 0.0, max: 100.0 },
    default: DefaultValue::Is("0"),
    doc: "Percent of ops that make the worker's writes durable (fdatasync).",
};

pub const SYNC: Knob = Knob {
    name: "sync",
    kind: KnobKind::Choice(&["none", "fua", "fdatasync"]),
    default: DefaultValue::Is("\"none\""),
    doc: "How each write becomes durable before it completes: by FUA (RWF_DSYNC), or by a \
        subsequent fdatasync, as one latency.",
};

pub const FDATASYNC: Knob = Knob {
    name: "fdatasync",
    kind: KnobKind::Int { min: 0, max: 1 << 20 },
    default: DefaultValue::Is("0"),
    doc: "Flush (fdatasync) after this many writes of a worker, with its own latency; 0 for none.",
};

pub const PLACEMENT: Knob = Knob {
    name: "placement",
    kind: KnobKind::Int { min: 0, max: 126 },
    default: DefaultValue::Absent,
    doc: "Write by this placement handle of the namespace, counted from 0 (Flexible Data \
        Placement; `dyno drives` lists the handles). Needs the engine uring with passthrough.",
};

/// A knob that older bundles lack.
fn percent(knobs: &Knobs, name: &str) -> f64 {
    knobs.get(name).and_then(serde_json::Value::as_f64).unwrap_or(0.0)
}

fn every(knobs: &Knobs) -> u64 {
    knobs.get(FDATASYNC.name).and_then(serde_json::Value::as_u64).unwrap_or(0)
}

/// The operation of writes, and its class.
fn writes(knobs: &Knobs) -> (OpKind, Class) {
    match knobs.text(SYNC.name) {
        Ok("fua") => (OpKind::WriteFua, Class::WRITE_FUA),
        Ok("fdatasync") => (OpKind::WriteFlush, Class::WRITE_FDATASYNC),
        _ => (OpKind::Write, Class::WRITE),
    }
}

/// The classes of a mix in which reads have at least and at most these percentages.
pub fn classes(knobs: &Knobs, (least_read, most_read): (f64, f64)) -> Vec<Class> {
    let shares = [TRIM.name, WRITE_ZEROES.name, FLUSH.name].map(|name| percent(knobs, name));
    let [trim, zeroes, flush] = shares.map(|share| share > 0.0);
    let writes_some = least_read + shares.iter().sum::<f64>() < 100.0;
    let all = [
        (most_read > 0.0, Class::READ),
        (writes_some, writes(knobs).1),
        (trim, Class::TRIM),
        (zeroes, Class::WRITE_ZEROES),
        (flush || (writes_some && every(knobs) > 0), Class::FLUSH),
    ];
    all.into_iter().filter_map(|(is_there, class)| is_there.then_some(class)).collect()
}

/// Selects the op for a random number.
pub struct BlockMix {
    write: (OpKind, u8),
    flush: (OpKind, u8),
    /// Cumulative shares of the other ops among all random numbers.
    others: [(u128, (OpKind, u8)); 3],
    /// Cumulative share of the last of them; 0 if there is none.
    most: u128,
    /// A flush after this number of writes; 0 for none.
    pub every: u64,
}

impl BlockMix {
    /// Creates the mix from these knobs and their classes. `most_read` is the largest share of
    /// reads.
    pub fn of(knobs: &Knobs, classes: &[Class], most_read: f64) -> Result<BlockMix> {
        let shares = [TRIM.name, WRITE_ZEROES.name, FLUSH.name].map(|name| percent(knobs, name));
        let sum = most_read + shares.iter().sum::<f64>();
        if sum > 100.0 {
            return Err(failed(
                format!("read, trim, write_zeroes and flush add up to {sum} % of the ops"),
                "lower one of them: writes are the rest of 100 %",
            ));
        }
        let (every, (write, write_class)) = (every(knobs), writes(knobs));
        if every > 0 && write == OpKind::WriteFlush {
            return Err(failed(
                "sync = \"fdatasync\" flushes after each write, and fdatasync after some of them",
                "leave one of the two out",
            ));
        }
        let place = |class: Class| classes.iter().position(|c| *c == class).unwrap_or(0) as u8;
        let kinds = [
            (OpKind::Trim, place(Class::TRIM)),
            (OpKind::WriteZeroes, place(Class::WRITE_ZEROES)),
            (OpKind::Flush, place(Class::FLUSH)),
        ];
        let mut upto = 0;
        let others = std::array::from_fn(|i| {
            upto += below(shares[i] / 100.0);
            (upto, kinds[i])
        });
        Ok(BlockMix {
            write: (write, place(write_class)),
            flush: kinds[2],
            others,
            most: upto,
            every,
        })
    }

    /// The kind of op for this random number, and the index of its class; a draw below `reads` is a
    /// read.
    #[inline(always)]
    pub fn kind(&self, draw: u64, reads: u128) -> (OpKind, u8) {
        let draw = u128::from(draw);
        if draw < reads {
            (OpKind::Read, 0)
        } else if draw - reads >= self.most {
            self.write
        } else {
            self.other(draw - reads)
        }
    }

    #[inline(never)]
    fn other(&self, draw: u128) -> (OpKind, u8) {
        self.others.iter().find(|(upto, _)| draw < *upto).map_or(self.write, |(_, kind)| *kind)
    }

    /// The flush that follows every `every` writes.
    pub fn flush(&self) -> (OpKind, u8) {
        self.flush
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Seed;
    use serde_json::json;

    fn knobs(pairs: &[(&str, serde_json::Value)]) -> Knobs {
        Knobs(pairs.iter().map(|(name, value)| (name.to_string(), value.clone())).collect())
    }

    #[test]
    fn each_class_has_its_share() {
        let asked = [("trim", 2.0), ("write_zeroes", 5.0), ("flush", 1.0)];
        let knobs = knobs(&asked.map(|(name, share)| (name, json!(share))));
        let classes = classes(&knobs, (70.0, 70.0));
        let mix = BlockMix::of(&knobs, &classes, 70.0).unwrap();
        let mut counts = vec![0; classes.len()];
        let seed = Seed::new(1, 2, 3);
        for n in 0..200_000 {
            let (kind, class) = mix.kind(seed.at(n).draw(), below(0.7));
            assert_eq!(kind == OpKind::Trim, classes[class as usize] == Class::TRIM);
            counts[class as usize] += 1;
        }
        let truth = [("read", 70), ("write", 22), ("trim", 2), ("write-zeroes", 5), ("flush", 1)];
        assert_eq!(classes.iter().map(|c| c.name()).collect::<Vec<_>>(), truth.map(|t| t.0));
        for (count, (name, percent)) in counts.iter().zip(truth) {
            let share = f64::from(*count) / 2000.0;
            assert!((share - f64::from(percent)).abs() < 0.5, "{name}: {share} %");
        }
    }

    #[test]
    fn only_what_a_mix_makes_is_among_its_classes() {
        let names = |pairs: &[(&str, serde_json::Value)], read: f64| -> Vec<&'static str> {
            classes(&knobs(pairs), (read, read)).iter().map(|c| c.name()).collect()
        };
        assert_eq!(names(&[], 100.0), ["read"]);
        assert_eq!(names(&[], 0.0), ["write"]);
        assert_eq!(names(&[("sync", json!("fua"))], 0.0), ["write-fua"]);
        assert_eq!(names(&[("sync", json!("fdatasync"))], 50.0), ["read", "write-fdatasync"]);
        assert_eq!(names(&[("fdatasync", json!(8))], 0.0), ["write", "flush"]);
        assert_eq!(names(&[("fdatasync", json!(8))], 100.0), ["read"]);
        assert_eq!(names(&[("trim", json!(100.0))], 0.0), ["trim"]);
    }

    #[test]
    fn what_cannot_be_had_together_is_refused() {
        let bad: [&[(&str, serde_json::Value)]; 2] =
            [&[("trim", json!(31.0))], &[("sync", json!("fdatasync")), ("fdatasync", json!(8))]];
        for pairs in bad {
            assert!(BlockMix::of(&knobs(pairs), &[], 70.0).is_err(), "{pairs:?}");
        }
    }
}
