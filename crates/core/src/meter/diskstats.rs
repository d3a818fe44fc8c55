//! The kernel's counters of the devices under test: requests, bytes, busy time and queue time.

use std::path::PathBuf;

use super::blocks::{self, BlockNode};
use super::{Meter, MeterTarget, Probe, Reading, ReadingTime, info};
use crate::base::error::{Context, Result};
use crate::plan::Info;
use crate::record::gauge::diskstats::{FUA, KernelCounter, METER, PLACES_IN_MEMORY, WRITE_BACK};

/// The meter `diskstats`.
pub struct Diskstats;

static INFO: Info = info(
    METER,
    "requests, bytes, busy time and queue of the devices under test, as the kernel counts them",
    &[],
    "Linux, Documentation/block/stat.rst",
);

/// The sector of these statistics, regardless of the device's own sector size.
const SECTOR_BYTES: f64 = 512.0;

impl Meter for Diskstats {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn watches_drives(&self) -> bool {
        true
    }

    fn open(&self, site: &MeterTarget<'_>) -> Result<Box<dyn Probe>> {
        let blocks = blocks::all_under(site.places);
        Ok(Box::new(Devices { blocks, divided: site.divided, in_memory: in_memory(site.places) }))
    }
}

struct Devices {
    blocks: Vec<BlockNode>,
    /// Namespaces may change during preparation, so they are looked up at each reading.
    divided: bool,
    in_memory: usize,
}

impl Probe for Devices {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        if self.in_memory > 0 {
            out.push(now.reading(PLACES_IN_MEMORY, self.in_memory as f64));
        }
        for block in &self.blocks {
            let of_drive =
                if self.divided { blocks::of_whole_drive(&block.disk) } else { Vec::new() };
            let stats = if of_drive.is_empty() { &block.stats } else { &of_drive };
            counters(&texts(stats)?, &|counter| counter.of_device(&block.name), now, out);
            out.extend(durability(block, now));
            if block.name != block.disk && of_drive.is_empty() {
                // Users of another partition are neighbours too.
                let whole = [block.sysfs.join("stat")];
                counters(&texts(&whole)?, &|counter| counter.of_whole(&block.disk), now, out);
            }
        }
        Ok(())
    }
}

/// Commands that the kernel sends to a disk for durable writes.
fn durability(block: &BlockNode, now: ReadingTime) -> Vec<Reading> {
    let queue = |file: &str| {
        let text = std::fs::read_to_string(block.sysfs.join("queue").join(file)).ok()?;
        Some(text.trim().to_string())
    };
    let Some(cache) = queue("write_cache") else { return Vec::new() };
    let is_back = cache != "write through";
    let passes_fua = is_back && queue("fua").as_deref() == Some("1");
    let reading = |name: &str, is: bool| {
        now.reading(format!("{}{name}", block.disk), f64::from(u8::from(is)))
    };
    vec![reading(WRITE_BACK, is_back), reading(FUA, passes_fua)]
}

fn texts(files: &[PathBuf]) -> Result<Vec<String>> {
    let read = |path: &PathBuf| {
        std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
    };
    files.iter().map(read).collect()
}

/// Sums the counters of a device's paths and namespaces; each `stat` is one line. `name` is the
/// reading's.
fn counters(
    stats: &[String],
    name: &dyn Fn(KernelCounter) -> String,
    now: ReadingTime,
    out: &mut Vec<Reading>,
) {
    let count = |stat: &String, i: usize| stat.split_ascii_whitespace().nth(i)?.parse::<f64>().ok();
    for counter in KernelCounter::ALL {
        let (index, unit) = column(counter);
        let sum: Option<f64> = stats.iter().map(|stat| count(stat, index)).sum();
        // Kernels before 5.5 do not count flushes.
        out.extend(sum.map(|n| now.reading(name(counter), n * unit)));
    }
}

/// The kernel's file with a counter, and its unit in bytes or nanoseconds.
fn column(counter: KernelCounter) -> (usize, f64) {
    const MS: f64 = 1e6;
    match counter {
        KernelCounter::Reads => (0, 1.0),
        KernelCounter::ReadBytes => (2, SECTOR_BYTES),
        KernelCounter::ReadTime => (3, MS),
        KernelCounter::Writes => (4, 1.0),
        KernelCounter::WrittenBytes => (6, SECTOR_BYTES),
        KernelCounter::WriteTime => (7, MS),
        KernelCounter::Busy => (9, MS),
        KernelCounter::Queue => (10, MS),
        KernelCounter::Flushes => (15, 1.0),
        KernelCounter::FlushTime => (16, MS),
    }
}

/// The number of paths without a device because they are in memory. A device's node is also on a
/// memory filesystem.
fn in_memory(places: &[PathBuf]) -> usize {
    const TMPFS: u64 = 0x0102_1994;
    const RAMFS: u64 = 0x8584_58f6;
    let kind = |place: &&PathBuf| {
        rustix::fs::statfs(place.as_path()).map(|found| found.f_type as u64 & 0xffff_ffff)
    };
    places
        .iter()
        .filter(|place| {
            place.is_dir() && kind(place).is_ok_and(|kind| [TMPFS, RAMFS].contains(&kind))
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_columns_are_read_in_bytes_and_nanoseconds_and_paths_are_added_up() {
        let paths = [
            "  90 2 700 30 50 1 400 20 3 40 70 0 0 0 0 6 5\n",
            "10 0 100 0 0 0 0 0 0 0 0 0 0 0 0 1 2\n",
        ];
        let mut out = Vec::new();
        counters(
            &paths.map(String::from),
            &|c| c.of_device("nvme0n1"),
            ReadingTime { ns: 5, unix_ns: 0 },
            &mut out,
        );
        let read: Vec<_> = out.iter().map(|r| (r.name.as_str(), r.value)).collect();
        let ms = 1e6;
        assert_eq!(
            read,
            [
                ("nvme0n1_reads", 100.0),
                ("nvme0n1_read_bytes", 409_600.0),
                ("nvme0n1_read_ns", 30.0 * ms),
                ("nvme0n1_writes", 50.0),
                ("nvme0n1_written_bytes", 204_800.0),
                ("nvme0n1_write_ns", 20.0 * ms),
                ("nvme0n1_busy_ns", 40.0 * ms),
                ("nvme0n1_queue_ns", 70.0 * ms),
                ("nvme0n1_flushes", 7.0),
                ("nvme0n1_flush_ns", 7.0 * ms),
            ]
        );
        out.clear();
        counters(
            &["1 0 8 0 0 0 0 0 0 1 2 0 0 0 0".into()],
            &|c| c.of_whole("sda"),
            ReadingTime { ns: 5, unix_ns: 0 },
            &mut out,
        );
        assert_eq!(
            (out.len(), out[0].name.as_str()),
            (8, "sda_whole_reads"),
            "a kernel that counts no flushes"
        );
    }
}
