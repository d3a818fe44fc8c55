//! Limits of a control group on I/O to the devices under test (`io.max`, blkio.throttle).

use super::Fact;

/// Heading of the limits of a point's load.
const HEADING: &str = "I/O limit of the control group";

/// The limited quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoLimit {
    /// The limited quantity.
    pub kind: IoLimitKind,
    /// Requests or bytes per second.
    pub per_s: u64,
    /// The control group's folder; for several devices, that of the first.
    pub group: String,
}

impl IoLimit {
    /// The fact of a point.
    pub fn to_fact(&self) -> Fact {
        let value = format!("{} per second, by {}", self.per_s, self.group);
        Fact::new(HEADING, self.kind.of_version_2(), value)
    }

    /// None if the fact is a different one.
    pub fn of_fact(fact: &Fact) -> Option<IoLimit> {
        let named = |kind: &IoLimitKind| kind.of_version_2() == fact.name;
        let kind = IoLimitKind::ALL.into_iter().find(named).filter(|_| fact.group == HEADING)?;
        let (per_s, group) = fact.value.split_once(" per second, by ")?;
        Some(IoLimit { kind, per_s: per_s.parse().ok()?, group: group.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_comes_back_from_its_fact() {
        for kind in IoLimitKind::ALL {
            let limit = IoLimit { kind, per_s: 2000, group: "/sys/fs/cgroup/a b".into() };
            assert_eq!(IoLimit::of_fact(&limit.to_fact()), Some(limit));
        }
        assert_eq!(IoLimit::of_fact(&Fact::new("Load", "riops", "2000")), None);
    }
}
