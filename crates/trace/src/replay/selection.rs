//! Selection of the requests to replay, and their times: the workload's knobs as values.

use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::{Reader, Request, RequestKind, Summary};
use dyno_core::base::error::{Result, failed};
use dyno_core::measure::pacer::ReplayTimes;
use dyno_core::plan::Knobs;

/// Treatment of offsets beyond the end of the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Remap {
    /// Refuses a trace that needs more space than available.
    None,
    /// Takes offsets modulo the size of the range.
    Modulo,
    /// Leaves out space that is not accessed.
    Compact,
}

impl Remap {
    /// Values of the knob, in the order of `ALL`.
    pub const WORDS: &[&str] = &["none", "modulo", "compact"];
    const ALL: [Remap; 3] = [Remap::None, Remap::Modulo, Remap::Compact];

    /// Name in a plan.
    pub fn name(self) -> &'static str {
        Remap::WORDS[self as usize]
    }
}

/// The part of a trace that is replayed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selection {
    /// File of the trace, as written in the plan.
    pub file: PathBuf,
    /// Start of the window, nanoseconds since the first request of the trace.
    pub start_ns: u64,
    /// End of the window, nanoseconds since the first request of the trace.
    pub end_ns: u64,
    /// The only device to replay, as named in the trace; None for all devices.
    pub device: Option<String>,
    /// Whether only reads are replayed.
    pub only_reads: bool,
    /// Offsets are rounded down, and ends rounded up, to multiples of this.
    pub align: Option<u64>,
    /// See `Remap`.
    pub remap: Remap,
}

impl Selection {
    /// Selects the window of a file: all its requests, unless the knobs limit it.
    pub fn window(knobs: &Knobs) -> Result<Selection> {
        let optional = |name: &str| knobs.get(name).and_then(serde_json::Value::as_u64);
        let start_ns = optional("start").unwrap_or(0);
        let end_ns = match (optional("end"), optional("length")) {
            (Some(_), Some(_)) => {
                return Err(failed(
                    "the window of the trace has both `end` and `length`",
                    "leave one of them out: `length` counts from `start`",
                ));
            }
            (end, length) => end.or(length.map(|length| start_ns.saturating_add(length))),
        };
        if end_ns.is_some_and(|end| end <= start_ns) {
            return Err(failed(
                "the window of the trace ends before it begins",
                "let `end` be later than `start`, both counted from the trace's first request, or \
                 `length` be more than 0",
            ));
        }
        Ok(Selection {
            file: PathBuf::from(knobs.text("file")?),
            start_ns,
            end_ns: end_ns.unwrap_or(u64::MAX),
            device: None,
            only_reads: false,
            align: None,
            remap: Remap::None,
        })
    }

    /// Reads the selection from the knobs.
    pub fn of(knobs: &Knobs) -> Result<Selection> {
        let align = knobs.get("align").and_then(serde_json::Value::as_u64);
        if align.is_some_and(|align| !align.is_power_of_two() || align > 1 << 30) {
            return Err(failed("`align` is not a power of two up to 1 GiB", "use 512 or \"4KiB\""));
        }
        Ok(Selection {
            device: knobs.text("device").ok().map(str::to_string),
            only_reads: knobs.text("ops")? == "reads",
            align,
            remap: {
                let word = knobs.text("remap")?;
                Remap::ALL.into_iter().find(|own| own.name() == word).unwrap_or(Remap::None)
            },
            ..Selection::window(knobs)?
        })
    }

    /// The index of the selected device.
    fn device_in(&self, summary: &Summary) -> Result<Option<u16>> {
        let Some(name) = &self.device else { return Ok(None) };
        match summary.devices.iter().position(|device| device.name == *name) {
            Some(index) => Ok(Some(index as u16)),
            None => {
                const SHOWN: usize = 12;
                let names = summary.devices.iter().map(|device| device.name.as_str());
                let some: Vec<&str> = names.take(SHOWN).collect();
                let more = summary.devices.len().saturating_sub(SHOWN);
                let more = if more > 0 { format!(" and {more} others") } else { String::new() };
                Err(failed(
                    format!("the trace {} has no device '{name}'", self.file.display()),
                    format!("its devices are {}{more}", some.join(", ")),
                ))
            }
        }
    }

    /// Reads the trace from the start of the window, and passes each selected request on.
    pub fn each(
        &self,
        reader: &mut Reader,
        mut take: impl FnMut(Request) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let device = self.device_in(reader.summary())?;
        let mut requests = Vec::new();
        reader.seek_to(self.start_ns)?;
        loop {
            reader.next_requests(&mut requests)?;
            for request in &requests {
                if request.at_ns >= self.end_ns {
                    return Ok(());
                }
                if let Some(taken) = self.take(request, device)
                    && take(taken)?.is_break()
                {
                    return Ok(());
                }
            }
            if requests.is_empty() {
                return Ok(());
            }
        }
    }

    /// The request as it is replayed; None if it is not selected.
    #[inline]
    fn take(&self, request: &Request, device: Option<u16>) -> Option<Request> {
        let skipped = device.is_some_and(|device| device != request.device)
            || (self.only_reads && request.kind != RequestKind::Read);
        if skipped {
            return None;
        }
        let mut taken = *request;
        if let (Some(align), true) = (self.align, request.length > 0) {
            let end = request.end().next_multiple_of(align);
            taken.offset = request.offset / align * align;
            taken.length = u32::try_from(end - taken.offset).unwrap_or(u32::MAX);
        }
        Some(taken)
    }
}

/// Conversion of a trace's times to times of the load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayPace {
    /// Recorded times, or as fast as the drive allows.
    pub times: ReplayTimes,
    /// Speed relative to the recording.
    pub scale: f64,
}

impl ReplayPace {
    /// Reads the pace from the knobs.
    pub fn of(knobs: &Knobs) -> Result<ReplayPace> {
        let times = match knobs.text("pace")? {
            "asap" => ReplayTimes::AsFastAsPossible,
            _ => ReplayTimes::Recorded,
        };
        Ok(ReplayPace { times, scale: knobs.float("scale")? })
    }

    /// Time of the load for a time of the window.
    #[inline(always)]
    pub fn after_ns(self, since_window_ns: u64) -> u64 {
        if self.scale == 1.0 {
            return since_window_ns;
        }
        (since_window_ns as f64 / self.scale + 0.5) as u64
    }
}
