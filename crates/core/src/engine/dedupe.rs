//! Data with a stated dedupe ratio: bytes written divided by the bytes that a drive (or array)
//! stores if it keeps identical units once. vdbench defines `dedupratio` and `dedupunit` the same
//! way (Vdbench Users Guide, "Data deduplication"); fio's `dedupe_percentage` is 100 · (1 −
//! 1/ratio).
//!
//! A dataset of N units holds N/ratio different contents at any time, also while it is overwritten.
//! The position of a unit determines whether it is a duplicate, evenly over any range; a unique
//! unit gets new content with each write, and a duplicate one of a few shared contents, drawn again
//! for each write.

use crate::base::block_seal::SECTOR;
use crate::base::error::{Result, failed};
use crate::base::rng::Seed;
use crate::measure::Op;
use crate::plan::{DefaultValue, Knob, KnobKind, Knobs};

/// The knob for bytes written per byte stored.
pub const DEDUPE: Knob = Knob {
    name: "dedupe",
    kind: KnobKind::Float { min: 1.0, max: 1000.0 },
    default: DefaultValue::Absent,
    doc: "Dedupe ratio of the data: bytes written per byte stored if identical units are stored \
        once; default 1. 3 is vdbench's dedupratio=3 and fio's \
          dedupe_percentage=67.",
};

/// The knob for the size of a unit.
pub const DEDUPE_UNIT: Knob = Knob {
    name: "dedupe_unit",
    kind: KnobKind::Bytes,
    default: DefaultValue::Absent,
    doc: "dedupe: size of a unit, default 4 KiB; blocks are multiples of it.",
};

/// Minimum number of units that share one content, so that each content occurs.
const UNITS_OF_A_CONTENT: u64 = 15;

/// The maximum number of contents of duplicates.
const MOST_CONTENTS: u64 = 1024;

/// Separates the contents of duplicates from other random data.
const OF_DUPLICATES: u64 = 0xDE_D0_0B;

/// Which units of a dataset are duplicates, and the number of their contents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dedupe {
    ratio: f64,
    unit: u64,
    units: u64,
    unique: u64,
    contents: u64,
}

impl Dedupe {
    /// From the knobs, for a dataset of this many bytes; none if they request no duplicates.
    pub fn of(knobs: &Knobs, bytes: u64) -> Result<Option<Dedupe>> {
        let ratio = knobs.float("dedupe").unwrap_or(1.0);
        let unit = knobs.int("dedupe_unit").unwrap_or(4096);
        if ratio <= 1.0 {
            return Ok(None);
        }
        if super::verify::is_on(knobs) {
            return Err(failed(
                "verified blocks cannot be duplicates: each carries its own address",
                "leave out `dedupe` or `verify`",
            ));
        }
        let units = bytes / unit.max(1);
        let kept = (units as f64 / ratio).round() as u64;
        if unit == 0 || !unit.is_multiple_of(SECTOR as u64) || unit > u64::from(u32::MAX) {
            let what = format!("a dedupe_unit of {unit} bytes is not a multiple of 512");
            return Err(failed(what, "as in dedupe_unit = \"4KiB\""));
        }
        if kept == 0 || units - kept < UNITS_OF_A_CONTENT {
            return Err(failed(
                format!("{units} units of {unit} bytes are too few for a dedupe ratio of {ratio}"),
                "let the dataset be larger, or the unit smaller",
            ));
        }
        let contents = (units - kept) / UNITS_OF_A_CONTENT;
        let contents = contents.clamp(1, MOST_CONTENTS).min(kept);
        Ok(Some(Dedupe { ratio, unit, units, unique: kept - contents, contents }))
    }

    /// The required alignment of ops' offsets and lengths.
    pub fn unit_bytes(&self) -> u32 {
        self.unit as u32
    }

    /// For the disclosure.
    pub fn words(&self) -> String {
        format!("dedupe ratio {} in units of {}", self.ratio, crate::base::units::bytes(self.unit))
    }

    /// Whether a unit gets unique content: a fixed number out of any `units` consecutive ones.
    fn is_unique(&self, unit: u64) -> bool {
        let upto = |unit: u64| u128::from(unit) * u128::from(self.unique) / u128::from(self.units);
        upto(unit + 1) > upto(unit)
    }

    /// Fills the units of an op that are duplicates.
    pub fn duplicate(&self, data: &mut [u8], op: &Op, zeros: usize) {
        let first = op.at / self.unit;
        for (i, unit) in data.chunks_exact_mut(self.unit as usize).enumerate() {
            if self.is_unique(first + i as u64) {
                continue;
            }
            let drawn = Seed::new(OF_DUPLICATES, 1, op.salt).at(i as u64).below(self.contents);
            let mut rng = Seed::new(OF_DUPLICATES, 0, drawn).at(0);
            for sector in unit.chunks_exact_mut(SECTOR) {
                for word in sector[..SECTOR - zeros].chunks_mut(8) {
                    word.copy_from_slice(&rng.draw().to_le_bytes()[..word.len()]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::OpKind;
    use proptest::prelude::*;
    use serde_json::json;
    use std::collections::HashSet;

    fn knobs(ratio: f64, unit: u64) -> Knobs {
        let pairs = [("dedupe", json!(ratio)), ("dedupe_unit", json!(unit))];
        Knobs(pairs.into_iter().map(|(k, v)| (k.to_string(), v)).collect())
    }

    #[test]
    fn too_few_units_and_odd_ones_are_refused() {
        assert_eq!(Dedupe::of(&knobs(1.0, 4096), 1 << 20).expect("none"), None);
        Dedupe::of(&knobs(3.0, 100), 1 << 20).expect_err("no multiple of a sector");
        Dedupe::of(&knobs(3.0, 4096), 4096).expect_err("one unit");
        Dedupe::of(&knobs(1000.0, 4096), 1 << 20).expect_err("less than one unit is kept");
    }

    proptest! {
        #[test]
        fn so_many_contents_are_kept_at_any_time(
            ratio in 1.05f64..20.0, units in 2000u64..20_000, passes in 1u64..4,
        ) {
            let dedupe = Dedupe::of(&knobs(ratio, 512), units * 512).expect("fits");
            let dedupe = dedupe.expect("duplicates");
            // The contents of each unit after some passes: a unique or a shared number.
            let mut held = vec![[0; 512]; units as usize];
            for pass in 1..=passes {
                for (unit, held) in held.iter_mut().enumerate() {
                    let salt = Seed::new(3, pass, unit as u64).at(0).draw();
                    let (kind, at) = (OpKind::Write, unit as u64 * 512);
                    held[..8].copy_from_slice(&salt.to_le_bytes());
                    dedupe.duplicate(held, &Op { kind, class: 0, len: 512, at, salt }, 0);
                }
            }
            let kept = held.iter().collect::<HashSet<_>>().len() as f64;
            let found = units as f64 / kept;
            prop_assert!((found / ratio - 1.0).abs() < 0.01, "{found} in place of {ratio}");
        }
    }
}
