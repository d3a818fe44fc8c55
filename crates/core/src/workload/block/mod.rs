//! Block workloads: reads and writes at offsets of a file or device.

mod mix;
pub mod random;
pub mod sequential;

use crate::base::error::{Result, failed};
use crate::measure::AddressSpace;
use crate::plan::{DefaultValue, Knob, KnobKind, Knobs};

/// The part of the address space that a workload uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffsetRange {
    /// Start of the range, bytes from the start of the dataset.
    pub from: u64,
    /// Its length, bytes.
    pub len: u64,
}

/// The knob `from`.
pub const FROM: Knob = Knob {
    name: "from",
    kind: KnobKind::Float { min: 0.0, max: 100.0 },
    default: DefaultValue::Is("0"),
    doc: "Start of the range used, in percent of the whole.",
};

/// The knob `span`.
pub const SPAN: Knob = Knob {
    name: "span",
    kind: KnobKind::Float { min: 0.0, max: 100.0 },
    default: DefaultValue::Is("100"),
    doc: "Size of the range used, in percent of the whole: 25 for \"the first 25 %\".",
};

/// The range set by the knobs, rounded down to whole blocks of `block` bytes.
pub fn range(knobs: &Knobs, space: AddressSpace, block: u64) -> Result<OffsetRange> {
    let (from, span) = (knobs.float("from")? / 100.0, knobs.float("span")? / 100.0);
    let whole = |share: f64| (space.bytes as f64 * share) as u64 / block * block;
    let range = OffsetRange {
        from: space.from + whole(from),
        len: whole(span).min((space.bytes - whole(from)) / block * block),
    };
    if range.len < block {
        return Err(failed(
            format!("a block of {block} bytes does not fit into {} bytes", space.bytes),
            "increase the dataset's `size` or the workload's `span`, or reduce the block size",
        ));
    }
    Ok(range)
}

/// Refuses blocks that the target cannot address.
pub fn check_alignment(block: u64, space: AddressSpace) -> Result<()> {
    let unit = u64::from(space.align_bytes.max(1));
    if block.is_multiple_of(unit) && block <= u64::from(u32::MAX) {
        return Ok(());
    }
    Err(failed(
        format!("a block of {block} bytes is not a multiple of {unit} bytes"),
        format!("use a multiple of {unit}, or `direct = false`"),
    ))
}

/// A share of all 64-bit numbers: `rng.draw() < below(0.7)` is true for 70 % of them, and always
/// for 1.
fn below(share: f64) -> u128 {
    (share * 2f64.powi(64)) as u128
}
