//! A drive's own count of slow commands: cumulative, by the least latency that is counted.

/// The commands that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommandKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

/// A gauge of the meter `nvme`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SlowCommandGauge {
    /// Counts commands that took at least as long, milliseconds.
    pub from_ms: u32,
    /// The kind of the counted commands.
    pub command: CommandKind,
}

impl SlowCommandGauge {
    /// The reading's name for a device.
    pub fn name(self, device: &str) -> String {
        let what = match self.command {
            CommandKind::Read => "reads",
            CommandKind::Write => "writes",
        };
        format!("{device}_from_{}ms_{what}", self.from_ms)
    }

    /// The meaning of a reading's name; None for other readings.
    pub fn of_name(name: &str) -> Option<SlowCommandGauge> {
        let (_, rest) = name.split_once("_from_")?;
        let (from_ms, what) = rest.split_once("ms_")?;
        let command = match what {
            "reads" => CommandKind::Read,
            "writes" => CommandKind::Write,
            _ => return None,
        };
        Some(SlowCommandGauge { from_ms: from_ms.parse().ok()?, command })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_is_known_again_by_its_name() {
        for command in [CommandKind::Read, CommandKind::Write] {
            let gauge = SlowCommandGauge { from_ms: 95, command };
            assert_eq!(SlowCommandGauge::of_name(&gauge.name("nvme0n1")), Some(gauge));
        }
        assert_eq!(SlowCommandGauge::of_name("nvme0n1_reads"), None);
    }
}
