//! Limits of a control group on I/O to the devices under test (`io.max`, blkio.throttle).

use serde::{Deserialize, Serialize};

use super::Fact;

/// Heading of the limits of a point's load.
const HEADING: &str = "I/O limit of the control group";

/// The limited quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IoLimitKind {
    /// Read requests per second.
    Reads,
    /// Write requests per second.
    Writes,
    /// Bytes read per second.
    ReadBytes,
    /// Bytes written per second.
    WrittenBytes,
}

impl IoLimitKind {
    /// All of them.
    pub const ALL: [IoLimitKind; 4] = [
        IoLimitKind::Reads,
        IoLimitKind::Writes,
        IoLimitKind::ReadBytes,
        IoLimitKind::WrittenBytes,
    ];

    /// Its name in `io.max` of version 2 (cgroup-v2.rst, "IO Interface Files").
    pub fn of_version_2(self) -> &'static str {
        match self {
            IoLimitKind::Reads => "riops",
            IoLimitKind::Writes => "wiops",
            IoLimitKind::ReadBytes => "rbps",
            IoLimitKind::WrittenBytes => "wbps",
        }
    }

    /// Its file in version 1 (blkio-controller.rst, "Throttling/Upper limit policy files").
    pub fn of_version_1(self) -> &'static str {
        match self {
            IoLimitKind::Reads => "blkio.throttle.read_iops_device",
            IoLimitKind::Writes => "blkio.throttle.write_iops_device",
            IoLimitKind::ReadBytes => "blkio.throttle.read_bps_device",
            IoLimitKind::WrittenBytes => "blkio.throttle.write_bps_device",
        }
    }
}

/// A limit on all devices of a subject together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoLimit {
    /// The limited quantity.
    pub kind: IoLimitKind,
    /// Requests or bytes per second.
    pub per_s: u64,
    /// The control group's folder; for several devices, that of the first.
    pub group: String,
}

impl IoLimit {
    /// In a disclosure.
    pub fn disclosed(&self) -> Fact {
        let value = format!("{} per second, by {}", self.per_s, self.group);
        Fact::new(HEADING, self.kind.of_version_2(), value)
    }
}
