//! What the kernel sees of the devices under test: requests, bytes, time busy and time in the queue, as it counts them.

use super::blocks::{self, Block};
use super::{Meter, Now, Probe, Reading, Site, info};
use crate::base::error::{Context, Result};
use crate::plan::Info;

pub struct Diskstats;

static INFO: Info = info(
    "diskstats",
    "requests, bytes, busy time and queue of the devices under test, as the kernel counts them",
    &[],
    "Linux, Documentation/admin-guide/iostats.rst",
);

/// A sector of /proc/diskstats, whatever the device's own.
const SECTOR_BYTES: f64 = 512.0;

impl Meter for Diskstats {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn watches_drives(&self) -> bool {
        true
    }

    fn open(&self, site: &Site<'_>) -> Result<Box<dyn Probe>> {
        Ok(Box::new(Devices(blocks::all_under(site.places))))
    }
}

struct Devices(Vec<Block>);

impl Probe for Devices {
    fn read(&mut self, now: Now, out: &mut Vec<Reading>) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let text = std::fs::read_to_string("/proc/diskstats").context("reading /proc/diskstats")?;
        for block in &self.0 {
            counters(&text, &block.name, now, out);
        }
        Ok(())
    }
}

fn counters(text: &str, device: &str, now: Now, out: &mut Vec<Reading>) {
    let fields = |line: &str| line.split_ascii_whitespace().map(str::to_string).collect::<Vec<_>>();
    let Some(line) = text.lines().map(fields).find(|f| f.get(2).is_some_and(|name| name == device)) else { return };
    let count = |i: usize| line.get(i).and_then(|n| n.parse::<f64>().ok());
    let known = [
        ("reads", 3, 1.0),
        ("read_bytes", 5, SECTOR_BYTES),
        ("writes", 7, 1.0),
        ("written_bytes", 9, SECTOR_BYTES),
        ("busy_ns", 12, 1e6),
        ("queue_ns", 13, 1e6),
    ];
    for (name, index, unit) in known {
        if let Some(n) = count(index) {
            out.push(now.reading(format!("{device}_{name}"), n * unit));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_columns_are_read_in_bytes_and_nanoseconds() {
        let text = " 259 0 nvme0n10 9 9 9 9 9 9 9 9 9 9 9\n 259 1 nvme0n1 100 2 800 30 50 1 400 20 3 40 70 0 0 0 0\n";
        let mut out = Vec::new();
        counters(text, "nvme0n1", Now { ns: 5, unix_ns: 0 }, &mut out);
        let read: Vec<_> = out.iter().map(|r| (r.name.as_str(), r.value)).collect();
        let ms = 1e6;
        assert_eq!(
            read,
            [
                ("nvme0n1_reads", 100.0),
                ("nvme0n1_read_bytes", 409_600.0),
                ("nvme0n1_writes", 50.0),
                ("nvme0n1_written_bytes", 204_800.0),
                ("nvme0n1_busy_ns", 40.0 * ms),
                ("nvme0n1_queue_ns", 70.0 * ms),
            ]
        );
    }
}
