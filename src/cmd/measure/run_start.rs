//! `dyno run --start-at`: points that start at wall-clock times shared by several hosts, and the
//! comparison of this host's clock with the common reference.

use clap::Args;

use crate::base::clock::wall_ns;
use crate::base::error::{Result, failed, refused};
use crate::base::stderr::note;
use crate::base::units;
use crate::lab::machine::clocks;
use crate::plan::{self, Plan};
use crate::record::CommonStart;
use crate::run::Starts;

/// When points start, and by which clock.
#[derive(Args)]
pub struct StartArgs {
    /// Start the load of the first point at this time, as on the other hosts that load the same
    /// storage (2026-11-23T05:00:00Z); preparation of the drives must be finished by then
    #[arg(long, value_name = "TIME", requires = "clock",
          conflicts_with_all = ["resume", "except"])]
    start_at: Option<jiff::Timestamp>,
    /// Time from the start of one point to the start of the next, as in 90s [default: warm-up and
    /// window of the longest point, plus 10 s]
    #[arg(long, value_name = "DURATION", requires = "start_at")]
    start_every: Option<String>,
    /// Reference clock for all hosts, queried before and after the run: an NTP server, or a host
    /// that runs `dyno fleet clock --serve`
    #[arg(long, value_name = "HOST[:PORT]", requires = "start_at")]
    clock: Option<String>,
    /// Largest acceptable offset of this host's clock from the reference [default: 10ms]
    #[arg(long, value_name = "DURATION", requires = "start_at")]
    clock_limit: Option<String>,
}

/// The default limit on an offset: one per cent of a window of one second.
pub const LIMIT_NS: u64 = 10_000_000;

/// The usual time for opening and closing a point, in addition to its load.
const BESIDE_NS: u64 = 10_000_000_000;

/// A duration from the command line.
pub fn duration(text: &str) -> Result<u64> {
    units::parse_duration_ns(text).map_err(|why| failed(why, "write it as in 10ms or 90s"))
}

impl StartArgs {
    /// Compares the clocks; an error if they differ too much, or if the start time has passed. None
    /// if the run starts independently.
    pub fn begin(&self, plans: &[Plan]) -> Result<Option<CommonStart>> {
        let (Some(at), Some(reference)) = (self.start_at, &self.clock) else { return Ok(None) };
        let [plan] = plans else {
            return Err(failed(
                "the points of several tests cannot start together with those of other hosts",
                "run one protocol with --start-at",
            ));
        };
        let longest = plan::points(plan).map(|point| point.step.point_ns()).max().unwrap_or(0);
        let every_ns = match &self.start_every {
            Some(text) => duration(text)?,
            None => longest.saturating_add(BESIDE_NS),
        };
        if every_ns <= longest {
            return Err(failed(
                format!(
                    "a point takes {}, and the next would begin after {}",
                    units::duration(longest),
                    units::duration(every_ns)
                ),
                "leave more time: --start-every",
            ));
        }
        let limit_ns = self.clock_limit.as_deref().map_or(Ok(LIMIT_NS), duration)?;
        let first_unix_ns = u64::try_from(at.as_nanosecond()).unwrap_or(0);
        if first_unix_ns <= wall_ns() {
            return Err(failed(format!("{at} has passed"), "use a later --start-at"));
        }
        let before = clocks::compare(reference)?;
        let start = CommonStart {
            first_unix_ns,
            every_ns,
            reference: reference.clone(),
            limit_ns,
            before: Some(before),
            after: None,
        };
        if before.most_ns() > limit_ns {
            return Err(refused(
                apart(&start, "is"),
                "have both hosts follow one time server (chrony, PTP), or raise --clock-limit",
            ));
        }
        note(&format!("Clock: {} from that of {reference}.", before.text()));
        Ok(Some(start))
    }
}

fn apart(start: &CommonStart, verb: &str) -> String {
    let offset = start.after.or(start.before).map(|offset| offset.text()).unwrap_or_default();
    format!(
        "this host's clock {verb} {offset} from that of {}, and the limit is {}",
        start.reference,
        units::latency(start.limit_ns as f64)
    )
}

/// The start times of a run's points.
pub fn starts(start: &CommonStart) -> Starts {
    Starts { first_unix_ns: start.first_unix_ns, every_ns: start.every_ns }
}

/// Compares the clocks again, after the last point; returns the start with the offset. A clock that
/// drifted, or no longer answers, costs no point, but the sum over hosts is refused.
pub fn ended(start: &CommonStart) -> Option<CommonStart> {
    let after = match clocks::compare(&start.reference) {
        Ok(after) => after,
        Err(error) => {
            note(&format!("The clocks could not be compared after the run: {error:#}"));
            return None;
        }
    };
    let start = CommonStart { after: Some(after), ..start.clone() };
    if after.most_ns() > start.limit_ns {
        note(&format!("After the run {}: hosts will not be summed.", apart(&start, "was")));
    }
    Some(start)
}
