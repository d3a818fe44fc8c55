//! The drive's own counters of slow commands: Latency Monitor, log C3h of the OCP Datacenter NVMe
//! SSD Specification 2.0 (section 4.8.9, LMDATA-1 to LMDATA-23; appendix C.2.3).
//!
//! Each of four buckets counts the reads, writes and deallocations with latencies from its
//! threshold up to the next. When the bucket timer expires, the drive moves the active buckets to
//! the static ones and restarts at zero (C.2.3.7), so the sum of both includes every command. The
//! counters saturate (C.2.3).

use super::logs::{NvmeLogs, Values, number};
use crate::base::error::Result;
use crate::record::gauge::slow_commands::{CommandKind, SlowCommandGauge};

const LOG_BYTES: usize = 512;
const LOG_ID: u8 = 0xC3;

/// 0x85D45E58D4E643709C6C84D08CC07A92, little endian (nvme-cli, plugins/ocp).
const GUID: [u8; 16] = [
    0x92, 0x7A, 0xC0, 0x8C, 0xD0, 0x84, 0x6C, 0x9C, 0x70, 0x43, 0xE6, 0xD4, 0x58, 0x5E, 0xD4, 0x85,
];

const BUCKETS: usize = 4;
/// Thresholds are in steps of 5 ms; the value zero is one step.
const STEP_MS: u32 = 5;

/// Reads and writes of each bucket.
type Buckets = [[u32; 2]; BUCKETS];

/// Contents of the log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyMonitorLog {
    /// Lower threshold of each bucket, milliseconds.
    from_ms: [u32; BUCKETS],
    /// Time for which the active buckets have been counting, in steps of 5 minutes.
    timer: u16,
    /// Counts since the timer started.
    active: Buckets,
    /// Counts of the timer's last period.
    fixed: Buckets,
}

impl LatencyMonitorLog {
    /// Reads the log of a drive; None if the log is another vendor's, or the monitor is off.
    pub fn read(logs: &NvmeLogs, disk: &str) -> Result<Option<LatencyMonitorLog>> {
        Ok(LatencyMonitorLog::parse(&logs.log(disk, LOG_ID, LOG_BYTES, None)?))
    }

    /// None if it is not this log, or the drive's monitor is off.
    fn parse(log: &[u8]) -> Option<LatencyMonitorLog> {
        const TIMER: usize = 2;
        const THRESHOLDS: usize = 6;
        const ACTIVE: usize = 32;
        const FIXED: usize = 240;
        const ENABLED: u8 = 1;
        let ours = log.len() >= LOG_BYTES && log[496..512] == GUID && log[0] & ENABLED != 0;
        ours.then(|| {
            let buckets = |from: usize| {
                std::array::from_fn(|bucket| {
                    // From the last dword of a bucket: reads, writes, deallocations.
                    let count = |dword: usize| number(log, from + 16 * bucket + 4 * dword, 4);
                    [count(3) as u32, count(2) as u32]
                })
            };
            LatencyMonitorLog {
                from_ms: std::array::from_fn(|i| STEP_MS * (u32::from(log[THRESHOLDS + i]) + 1)),
                timer: u16::from_le_bytes([log[TIMER], log[TIMER + 1]]),
                active: buckets(ACTIVE),
                fixed: buckets(FIXED),
            }
        })
    }

    /// Counts since an earlier log, by bucket; None if they are unknown because the drive was
    /// reset, a counter is saturated, or the thresholds differ.
    fn since(&self, earlier: &LatencyMonitorLog) -> Option<[[u64; 2]; BUCKETS]> {
        let all = |log: &LatencyMonitorLog| log.active.into_iter().chain(log.fixed).flatten();
        if self.from_ms != earlier.from_ms || all(self).any(|count| count == u32::MAX) {
            return None;
        }
        let pairs = || self.active.iter().flatten().zip(earlier.active.iter().flatten());
        let began_again = self.timer < earlier.timer
            || self.fixed != earlier.fixed
            || pairs().any(|(now, then)| now < then);
        let mut grown = [[0; 2]; BUCKETS];
        for (bucket, kinds) in grown.iter_mut().enumerate() {
            for (kind, own) in kinds.iter_mut().enumerate() {
                let of = |buckets: &Buckets| u64::from(buckets[bucket][kind]);
                let (now, then) = (of(&self.active), of(&earlier.active));
                *own = match began_again {
                    true => of(&self.fixed).checked_sub(then)? + now,
                    false => now - then,
                };
            }
        }
        Some(grown)
    }
}

/// The counts of one drive since the meter was opened.
#[derive(Debug, Default)]
pub struct SlowCommandCount {
    last: Option<LatencyMonitorLog>,
    counted: [[u64; 2]; BUCKETS],
}

impl SlowCommandCount {
    /// Adds the counts of a log. Returns a reading for each threshold: the number of commands that
    /// took at least as long. Values are NaN if counts were lost since the last log; there are no
    /// readings without a log.
    pub fn add(&mut self, disk: &str, log: Option<LatencyMonitorLog>) -> Values {
        let Some(log) = log else {
            *self = SlowCommandCount::default();
            return Vec::new();
        };
        let grown = match &self.last {
            Some(last) => log.since(last),
            None => Some([[0; 2]; BUCKETS]),
        };
        self.last = Some(log);
        for (sum, own) in self.counted.iter_mut().flatten().zip(grown.iter().flatten().flatten()) {
            *sum += own;
        }
        let mut values = Vec::new();
        for (kind, command) in [CommandKind::Read, CommandKind::Write].into_iter().enumerate() {
            let mut above = 0;
            for bucket in (0..BUCKETS).rev() {
                above += self.counted[bucket][kind];
                let gauge = SlowCommandGauge { from_ms: log.from_ms[bucket], command };
                let value = if grown.is_some() { above as f64 } else { f64::NAN };
                values.push((gauge.name(disk), value));
            }
        }
        values
    }
}

#[cfg(test)]
#[path = "tests_latency_monitor.rs"]
mod tests;
