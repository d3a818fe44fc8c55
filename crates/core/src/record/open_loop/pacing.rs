//! The accuracy of Dyno's own schedules: the floor below which response times cannot be measured,
//! and the number of times that Dyno alone caused lateness.

use serde::{Deserialize, Serialize};

use crate::record::Fact;
use crate::record::key::FactHeading;

const FLOOR: (&str, &str) = (FactHeading::Dyno.name(), "Pacing floor");

/// Heading of a point's facts, each named after its stream.
const CEILING: &str = "Generator's ceiling";

/// Response times of ops that take no time, in open loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PacingFloor {
    /// Median response time, nanoseconds.
    pub median_ns: u64,
    /// 95th percentile, nanoseconds.
    pub p95_ns: u64,
    /// Ops that were timed.
    pub ops: u64,
    /// The rate at which they were due, ops/s.
    pub ops_per_s: u64,
}

impl PacingFloor {
    /// In a disclosure.
    pub fn disclosed(self) -> Fact {
        let PacingFloor { median_ns, p95_ns, ops, ops_per_s } = self;
        let value =
            format!("{median_ns} ns median, {p95_ns} ns p95, of {ops} ops at {ops_per_s} a second");
        Fact::new(FLOOR.0, FLOOR.1, value)
    }
}

/// The cause of the generator's own lateness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LatenessCause {
    /// A worker with a free slot was waiting for the op and still submitted it late.
    Overslept,
    /// The op of a recorded load had not been read when it was due.
    Unread,
}

impl LatenessCause {
    /// Both.
    pub const ALL: [LatenessCause; 2] = [LatenessCause::Overslept, LatenessCause::Unread];

    /// Heading of a point's facts, each named after its stream.
    const fn heading(self) -> &'static str {
        match self {
            LatenessCause::Overslept => "Overslept",
            LatenessCause::Unread => "Trace not read in time",
        }
    }
}

/// Ops of an open loop that were submitted late because of the generator, not of the drive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnLateness {
    /// The cause.
    pub cause: LatenessCause,
    /// The stream's name.
    pub stream: String,
    /// Ops submitted late.
    pub times: u64,
    /// Total lateness, nanoseconds.
    pub total_ns: u64,
    /// Maximum lateness, nanoseconds.
    pub longest_ns: u64,
}

impl OwnLateness {
    /// In a disclosure.
    pub fn disclosed(&self) -> Fact {
        let OwnLateness { cause, stream, times, total_ns, longest_ns } = self;
        Fact::new(
            cause.heading(),
            stream,
            format!("{times} times, {total_ns} ns in all, {longest_ns} ns at most"),
        )
    }
}

/// From this share of the generator's ceiling on, a result is limited by the generator.
pub const NEAR_CEILING: f64 = 0.8;

/// The rate at which Dyno generates a stream's load if requests take no time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ceiling {
    /// The stream's name.
    pub stream: String,
    /// Ops per second, over all its workers and drives.
    pub ops_per_s: u64,
}

impl Ceiling {
    /// In a disclosure.
    pub fn disclosed(&self) -> Fact {
        let value =
            format!("{} ops/s in this shape, of requests that take no time", self.ops_per_s);
        Fact::new(CEILING, &self.stream, value)
    }
}
