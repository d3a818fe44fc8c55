//! Errors of the PCIe links of the drives under test: the kernel's AER counters of each drive and
//! of the port above it, the other end of its link.

use std::path::{Path, PathBuf};

use super::{Meter, MeterTarget, Probe, Reading, ReadingTime, blocks, info};
use crate::base::error::Result;
use crate::plan::Info;
use crate::record::gauge::errors::ErrorCounter;

/// The meter `pcie`.
pub struct Pcie;

static INFO: Info = info(
    "pcie",
    "errors of the drives' PCIe links, as both ends of each link report them (AER)",
    &[],
    "Linux, Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats",
);

/// The kernel's files, and the line of each with the sum.
const FILES: [(ErrorCounter, &str, &str); 3] = [
    (ErrorCounter::LinkCorrectable, "aer_dev_correctable", "TOTAL_ERR_COR"),
    (ErrorCounter::LinkNonFatal, "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL"),
    (ErrorCounter::LinkFatal, "aer_dev_fatal", "TOTAL_ERR_FATAL"),
];

impl Meter for Pcie {
    fn info(&self) -> &'static Info {
        &INFO
    }

    /// The counters rarely change: they are compared before and after a point.
    fn every_ns(&self) -> u64 {
        10_000_000_000
    }

    fn watches_drives(&self) -> bool {
        true
    }

    /// Drives without a PCIe link have no readings.
    fn open(&self, site: &MeterTarget<'_>) -> Result<Box<dyn Probe>> {
        let links = blocks::all_under(site.places).into_iter().filter_map(|block| {
            let device = block.sysfs.join("device").canonicalize().ok()?;
            Some((block.disk, ends(&device)))
        });
        Ok(Box::new(Links(links.collect())))
    }
}

/// The PCIe devices at the ends of a drive's link, each with the suffix that distinguishes its
/// readings. The drive's end is the first parent folder with the kernel's counters.
fn ends(device: &Path) -> Vec<(&'static str, PathBuf)> {
    let counts = |folder: &&Path| folder.join(FILES[0].1).exists();
    let mut above = device.ancestors().skip_while(|folder| !counts(folder));
    let ends = ["", "port_"].into_iter().zip(above.by_ref().take(2));
    ends.filter(|(_, folder)| counts(folder)).map(|(end, at)| (end, at.to_path_buf())).collect()
}

/// Drives by name, each with the ends of its link.
struct Links(Vec<(String, Vec<(&'static str, PathBuf)>)>);

impl Probe for Links {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        for (disk, ends) in &self.0 {
            for (end, folder) in ends {
                for (counter, file, line) in FILES {
                    let count = std::fs::read_to_string(folder.join(file)).ok();
                    let count = count.and_then(|text| sum(&text, line));
                    let name = format!("{disk}_{end}{}", counter.name());
                    out.extend(count.map(|count| now.reading(name, count)));
                }
            }
        }
        Ok(())
    }
}

/// "TOTAL_ERR_COR 12"
fn sum(text: &str, line: &str) -> Option<f64> {
    let count = |own: &str| own.strip_prefix(line)?.trim().parse::<u32>().ok();
    text.lines().find_map(count).map(f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(folder: &Path, correctable: u32, fatal: u32) {
        std::fs::create_dir_all(folder).unwrap();
        let write = |name: &str, text: String| std::fs::write(folder.join(name), text).unwrap();
        let lines = "Receiver Error 2\nBad TLP 0\nReplay Timer Timeout 1\nHeader Log Overflow 0\n";
        write("aer_dev_correctable", format!("{lines}TOTAL_ERR_COR {correctable}\n"));
        write("aer_dev_nonfatal", "Undefined 0\nTOTAL_ERR_NONFATAL 0\n".to_string());
        write("aer_dev_fatal", format!("Data Link Protocol {fatal}\nTOTAL_ERR_FATAL {fatal}\n"));
    }

    fn read(links: &mut Links) -> Vec<(String, f64)> {
        let mut out = Vec::new();
        links.read(ReadingTime { ns: 0, unix_ns: 0 }, &mut out).unwrap();
        out.into_iter().map(|reading| (reading.name, reading.value)).collect()
    }

    #[test]
    fn both_ends_of_a_drives_link_are_read_and_of_nothing_else() {
        let sysfs = tempfile::tempdir().unwrap();
        let port = sysfs.path().join("pci0000:00/0000:00:01.0");
        let drive = port.join("0000:01:00.0");
        // The root complex above the port is not an end of the link.
        device(&sysfs.path().join("pci0000:00"), 99, 99);
        device(&port, 5, 0);
        device(&drive, 3, 1);
        let controller = drive.join("nvme/nvme0");
        std::fs::create_dir_all(&controller).unwrap();
        let mut links = Links(vec![("nvme0n1".to_string(), ends(&controller))]);
        let all = [
            ("nvme0n1_aer_correctable_errors", 3.0),
            ("nvme0n1_aer_nonfatal_errors", 0.0),
            ("nvme0n1_aer_fatal_errors", 1.0),
            ("nvme0n1_port_aer_correctable_errors", 5.0),
            ("nvme0n1_port_aer_nonfatal_errors", 0.0),
            ("nvme0n1_port_aer_fatal_errors", 0.0),
        ];
        assert_eq!(read(&mut links), all.map(|(name, count)| (name.to_string(), count)));
        device(&drive, 7, 1);
        assert_eq!(read(&mut links)[0].1, 7.0);
        for (name, _) in read(&mut links) {
            assert!(ErrorCounter::of_name(&name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_drive_without_a_link_or_a_kernel_without_aer_has_no_readings() {
        let sysfs = tempfile::tempdir().unwrap();
        let virtual_device = sysfs.path().join("virtual/block");
        std::fs::create_dir_all(&virtual_device).unwrap();
        assert!(ends(&virtual_device).is_empty());
        assert_eq!(sum("TOTAL_ERR_COR many\n", "TOTAL_ERR_COR"), None);
    }
}
