//! What the kernel sees of the devices under test: requests, bytes, time busy and time in the queue, as it counts them.

use std::path::PathBuf;

use super::blocks::{self, Block};
use super::{Meter, Now, Probe, Reading, Site, info};
use crate::base::error::{Context, Result};
use crate::plan::Info;

pub struct Diskstats;

static INFO: Info = info(
    "diskstats",
    "requests, bytes, busy time and queue of the devices under test, as the kernel counts them",
    &[],
    "Linux, Documentation/block/stat.rst",
);

/// A sector of these statistics, whatever the device's own.
const SECTOR_BYTES: f64 = 512.0;

impl Meter for Diskstats {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn watches_drives(&self) -> bool {
        true
    }

    fn open(&self, site: &Site<'_>) -> Result<Box<dyn Probe>> {
        Ok(Box::new(Devices { blocks: blocks::all_under(site.places), divided: site.divided }))
    }
}

struct Devices {
    blocks: Vec<Block>,
    /// Namespaces come and go while a drive is made ready, so they are looked up at each reading.
    divided: bool,
}

impl Probe for Devices {
    fn read(&mut self, now: Now, out: &mut Vec<Reading>) -> Result<()> {
        for block in &self.blocks {
            let of_drive = if self.divided { blocks::of_whole_drive(&block.disk) } else { Vec::new() };
            let stats = if of_drive.is_empty() { &block.stats } else { &of_drive };
            let read =
                |path: &PathBuf| std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()));
            let stats = stats.iter().map(read).collect::<Result<Vec<_>>>()?;
            counters(&stats, &block.name, now, out);
        }
        Ok(())
    }
}

/// Adds up what the paths and namespaces of a device count; each `stat` is one line.
fn counters(stats: &[String], device: &str, now: Now, out: &mut Vec<Reading>) {
    let count = |stat: &String, i: usize| stat.split_ascii_whitespace().nth(i)?.parse::<f64>().ok();
    let known = [
        ("reads", 0, 1.0),
        ("read_bytes", 2, SECTOR_BYTES),
        ("writes", 4, 1.0),
        ("written_bytes", 6, SECTOR_BYTES),
        ("busy_ns", 9, 1e6),
        ("queue_ns", 10, 1e6),
    ];
    for (name, index, unit) in known {
        let sum: Option<f64> = stats.iter().map(|stat| count(stat, index)).sum();
        out.extend(sum.map(|n| now.reading(format!("{device}_{name}"), n * unit)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_columns_are_read_in_bytes_and_nanoseconds_and_paths_are_added_up() {
        let paths = ["  90 2 700 30 50 1 400 20 3 40 70 0 0 0 0\n", "10 0 100 0 0 0 0 0 0 0 0 0 0 0 0\n"];
        let mut out = Vec::new();
        counters(&paths.map(String::from), "nvme0n1", Now { ns: 5, unix_ns: 0 }, &mut out);
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
