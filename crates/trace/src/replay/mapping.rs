//! Maps requests of a trace to offsets of the target. Mapped requests are always within the range
//! of the stream, whatever the trace contains.

use std::sync::Arc;

use super::selection::{Remap, Selection};
use super::survey::Survey;
use crate::Request;
use dyno_core::base::error::{Error, Result, failed};
use dyno_core::base::units;
use dyno_core::measure::AddressSpace;

/// Devices of a trace are mapped one after the other, each at a multiple of this.
const DEVICE_UNIT: u64 = 1 << 20;

/// Mapping of requests to a target.
pub struct OffsetMapping {
    how: MappingRule,
    space: AddressSpace,
    /// Length of the longest request, bytes.
    longest: u32,
    /// Size of the address space of the trace, bytes.
    pub needed_bytes: u64,
    /// Size of the range that it is mapped to, bytes.
    pub used_bytes: u64,
}

enum MappingRule {
    /// Start offset by device of the trace.
    Plain(Vec<u64>),
    /// Start offset by device, and the size by which offsets are taken modulo.
    Modulo(Vec<u64>, u64),
    Compact(Arc<Survey>),
}

impl OffsetMapping {
    /// Creates the mapping of the selected part of a trace to a target. Returns an error if it does
    /// not fit.
    pub fn new(
        selection: &Selection,
        survey: &Arc<Survey>,
        space: AddressSpace,
    ) -> Result<OffsetMapping> {
        check_alignment(selection, survey, space)?;
        let needed = needed(survey);
        let longest = survey.longest();
        let there = space.bytes / survey.unit_bytes * survey.unit_bytes;
        let how = match selection.remap {
            Remap::None if needed <= u128::from(space.bytes) => {
                MappingRule::Plain(places(survey, u128::MAX))
            }
            Remap::None => return Err(too_small(selection, needed, space.bytes)),
            Remap::Modulo if u64::from(longest) > there => {
                return Err(failed(
                    format!("a request of {longest} bytes does not fit into {there} bytes"),
                    "use a larger drive or dataset (its `size`)",
                ));
            }
            Remap::Modulo => MappingRule::Modulo(places(survey, u128::from(there)), there),
            Remap::Compact => {
                let bytes = survey.touched.as_ref().map_or(0, |touched| touched.bytes());
                if bytes > space.bytes {
                    return Err(failed(
                        format!(
                            "what the trace touches takes {}, and there are {}",
                            units::bytes(bytes),
                            units::bytes(space.bytes)
                        ),
                        "use a larger drive or dataset (its `size`), a window of the trace, or \
                         remap = \"modulo\"",
                    ));
                }
                MappingRule::Compact(Arc::clone(survey))
            }
        };
        let used_bytes = match &how {
            MappingRule::Plain(_) => needed as u64,
            MappingRule::Modulo(_, size) => needed.min(u128::from(*size)) as u64,
            MappingRule::Compact(_) => survey.touched.as_ref().map_or(0, |touched| touched.bytes()),
        };
        let needed_bytes = u64::try_from(needed).unwrap_or(u64::MAX);
        Ok(OffsetMapping { how, space, longest, needed_bytes, used_bytes })
    }

    /// Target offset of a request, bytes. It is an error if the survey of the trace did not contain
    /// the request.
    #[inline]
    pub fn place(&self, request: &Request) -> Result<u64> {
        let device = usize::from(request.device);
        let length = u64::from(request.length);
        if length == 0 {
            return Ok(0);
        }
        let begin = |places: &[u64]| places.get(device).copied();
        let at = match &self.how {
            MappingRule::Plain(places) => {
                begin(places).and_then(|from| from.checked_add(request.offset))
            }
            MappingRule::Modulo(places, size) => begin(places).map(|from| {
                let at = (from + request.offset % size) % size;
                // A request that would extend beyond the end is moved back as a whole.
                at.min(size.saturating_sub(length))
            }),
            MappingRule::Compact(survey) => {
                let touched = survey.touched.as_ref();
                touched.and_then(|touched| touched.place(request.device, request.offset))
            }
        };
        let inside = |at: &u64| at.checked_add(length).is_some_and(|end| end <= self.space.bytes);
        match at.filter(inside).filter(|_| request.length <= self.longest) {
            Some(at) => Ok(self.space.from + at),
            None => Err(changed(request)),
        }
    }
}

#[cold]
fn changed(request: &Request) -> Error {
    failed(
        format!(
            "a request of {} bytes at {} of the trace's device {} would leave the range under test",
            request.length, request.offset, request.device
        ),
        "the compiled trace changed while it was replayed: run it again",
    )
}

fn check_alignment(selection: &Selection, survey: &Survey, space: AddressSpace) -> Result<()> {
    let unit = u64::from(space.align_bytes.max(1));
    if survey.unit_bytes.is_multiple_of(unit) {
        return Ok(());
    }
    Err(failed(
        format!(
            "requests of the trace {} are multiples of {} bytes, and the target takes multiples of \
             {unit}",
            selection.file.display(),
            survey.unit_bytes
        ),
        format!("round them with align = {unit}, or set `direct = false`"),
    ))
}

/// Total size of the selected devices, one after the other.
fn needed(survey: &Survey) -> u128 {
    let mut all = 0u128;
    let mut end = 0u128;
    for touched in survey.ends.iter().copied().filter(|end| *end > 0) {
        end = all + u128::from(touched);
        all = end.next_multiple_of(u128::from(DEVICE_UNIT));
    }
    end
}

/// Start offset of each device, below `size`.
fn places(survey: &Survey, size: u128) -> Vec<u64> {
    let mut all = 0u128;
    let place = |end: &u64| {
        let from = (all % size) as u64;
        all += u128::from(*end).next_multiple_of(u128::from(DEVICE_UNIT));
        from
    };
    survey.ends.iter().map(place).collect()
}

fn too_small(selection: &Selection, needed: u128, there: u64) -> Error {
    let needed = u64::try_from(needed).unwrap_or(u64::MAX);
    failed(
        format!(
            "the trace {} needs {}, and the range under test has {}",
            selection.file.display(),
            units::bytes(needed),
            units::bytes(there)
        ),
        "choose how its offsets are brought onto it: remap = \"compact\" leaves out what the trace \
         does not touch, remap = \"modulo\" wraps around; or replay one `device` of it, or use a \
         larger drive or dataset (its `size`)",
    )
}
