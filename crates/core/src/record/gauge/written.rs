//! Counters of written bytes since some starting point, named `…_written_UNIT` after their source.
//! `host` is the number of bytes that the drive received, `media` the number that it wrote to its
//! flash.

/// The source of a drive's counters, in order of preference: the finest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CounterSource {
    /// FDP Statistics log, both counts in bytes (NVM Express Base Specification 2.3, log 22h).
    Fdp,
    /// Media in bytes (OCP Datacenter NVMe SSD Specification, log C0h, its predecessor for boot
    /// drives, or Micron's log D0h), host in data units (SMART).
    Ocp,
    /// An instrument of the plan (`exec`, `csv`).
    Instrument,
    /// The vendor's log CAh of Intel and Solidigm drives, both counts in 32 MiB.
    Vendor,
    /// Endurance Group Information log (09h), both counts in thousands of millions of bytes.
    Group,
}

impl CounterSource {
    /// All of them, in the order of preference.
    pub const ALL: [CounterSource; 5] = [
        CounterSource::Fdp,
        CounterSource::Ocp,
        CounterSource::Instrument,
        CounterSource::Vendor,
        CounterSource::Group,
    ];

    /// The finest source with both counts among these counters: on every drive with any counter,
    /// and on every one of `devices`, the known devices of the subject.
    pub fn finest<'a>(
        counters: impl Iterator<Item = &'a DriveCounter> + Clone,
        devices: &[String],
    ) -> Result<CounterSource, CounterGap> {
        let own = |c: &&DriveCounter| c.source != CounterSource::Instrument;
        let mut drives: Vec<String> =
            counters.clone().filter(own).map(|c| drive_of(&c.device)).collect();
        drives.extend(devices.iter().map(|device| drive_of(device)));
        drives.sort();
        drives.dedup();
        let has = |source: CounterSource, of: Option<&str>, written| {
            let own = |c: &&DriveCounter| c.source == source && c.written == written;
            let of_drive = |c: &&DriveCounter| of.is_none_or(|drive| drive_of(&c.device) == drive);
            counters.clone().filter(own).filter(of_drive).count()
        };
        let both = |source, of| {
            let host = has(source, of, CounterKind::Host);
            host > 0 && host == has(source, of, CounterKind::Media)
        };
        let on_all = |source: &CounterSource| match source {
            CounterSource::Instrument => both(*source, None),
            _ => !drives.is_empty() && drives.iter().all(|drive| both(*source, Some(drive))),
        };
        let on_some = |source: CounterSource| drives.iter().any(|drive| both(source, Some(drive)));
        CounterSource::ALL.into_iter().find(on_all).ok_or_else(|| {
            match CounterSource::ALL.into_iter().any(on_some) {
                true => CounterGap::NotOnEveryDrive,
                false => CounterGap::NoMediaCount,
            }
        })
    }

    /// Its name in readings and briefs.
    pub const fn name(self) -> &'static str {
        match self {
            CounterSource::Fdp => "fdp",
            CounterSource::Ocp => "ocp",
            CounterSource::Instrument => "instrument",
            CounterSource::Vendor => "vendor",
            CounterSource::Group => "group",
        }
    }
}

/// Why no source has both counts of a subject's drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterGap {
    /// The drives have no log that counts the bytes written to their media.
    NoMediaCount,
    /// Only some drives have one.
    NotOnEveryDrive,
}

/// The drive of a device: the controller of an NVMe namespace or partition, whose logs are for all
/// its namespaces; for other devices, the device itself.
fn drive_of(device: &str) -> String {
    let controller = device.strip_prefix("nvme").and_then(|rest| rest.split_once('n'));
    match controller {
        Some((instance, _)) if instance.bytes().all(|b| b.is_ascii_digit()) => {
            format!("nvme{instance}")
        }
        _ => device.to_string(),
    }
}

/// The quantity of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterKind {
    /// Bytes received by the drive.
    Host,
    /// Bytes written by the drive to its flash.
    Media,
}

/// One counter of a drive.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveCounter {
    /// The kernel's name of the device; empty for an instrument.
    pub device: String,
    /// Source of the count.
    pub source: CounterSource,
    /// The counted quantity.
    pub written: CounterKind,
    /// Size of one count, bytes: the resolution of every change.
    pub unit_bytes: f64,
    /// Bytes per unit of the reading; most meters convert readings to bytes themselves.
    pub scale: f64,
}

/// One data unit of the health log: a thousand blocks of 512 bytes (NVM Express Base Specification
/// 2.3, figure "SMART / Health Information Log Page").
pub const DATA_UNIT_BYTES: f64 = 512_000.0;
/// A unit of the endurance group's log: "one billion bytes".
pub const GROUP_UNIT_BYTES: f64 = 1e9;
/// A unit of Intel's log CAh: 65,536 sectors of 512 bytes.
pub const VENDOR_UNIT_BYTES: f64 = 33_554_432.0;

/// Classes of an instrument's counters, as values of the knob `class`.
pub const CLASSES: [&str; 2] = ["host_written", "media_written"];
/// The units of an instrument's counters, with their sizes in bytes.
pub const UNITS: [(&str, f64); 4] =
    [("bytes", 1.0), ("sectors", 512.0), ("data_units", DATA_UNIT_BYTES), ("mib", 1_048_576.0)];

impl DriveCounter {
    /// The name of the reading of a drive's own counter, in bytes.
    pub fn name(device: &str, source: CounterSource, written: CounterKind) -> String {
        let what = match written {
            CounterKind::Host => "host",
            CounterKind::Media => "media",
        };
        match source {
            // The host's count is the health log's, and neither has a source in its name.
            CounterSource::Ocp => format!("{device}_{what}_written_bytes"),
            source => format!("{device}_{}_{what}_written_bytes", source.name()),
        }
    }

    /// The meaning of a reading's name; None for other readings.
    pub fn of_name(name: &str) -> Option<DriveCounter> {
        let (head, unit) = name.split_once("_written_")?;
        let unit_bytes = UNITS.iter().find(|(own, _)| *own == unit)?.1;
        let (rest, written) = match (head.strip_suffix("host"), head.strip_suffix("media")) {
            (Some(rest), _) => (rest, CounterKind::Host),
            (_, Some(rest)) => (rest, CounterKind::Media),
            _ => return None,
        };
        let rest = rest.strip_suffix('_').unwrap_or(rest);
        let own = |source: CounterSource| {
            let device = rest.strip_suffix(source.name())?.strip_suffix('_')?;
            Some((device.to_string(), source))
        };
        let named = [CounterSource::Fdp, CounterSource::Vendor, CounterSource::Group];
        let (device, source) = named.into_iter().find_map(own).unwrap_or_else(|| match rest {
            "" => (String::new(), CounterSource::Instrument),
            device => (device.to_string(), CounterSource::Ocp),
        });
        let (unit_bytes, scale) = match (source, written) {
            (CounterSource::Instrument, _) => (unit_bytes, unit_bytes),
            (CounterSource::Fdp, _) | (CounterSource::Ocp, CounterKind::Media) => (1.0, 1.0),
            (CounterSource::Ocp, CounterKind::Host) => (DATA_UNIT_BYTES, 1.0),
            (CounterSource::Vendor, _) => (VENDOR_UNIT_BYTES, 1.0),
            (CounterSource::Group, _) => (GROUP_UNIT_BYTES, 1.0),
        };
        Some(DriveCounter { device, source, written, unit_bytes, scale })
    }
}

/// An engine's counters of its own writes, read at the edges of the window and after the cool-down.
pub mod engine {
    /// The meter's name in samples.
    pub const METER: &str = "engine";
    /// Bytes that the application passed to the engine; around a cool-down also of engines without
    /// counters, which write exactly these.
    pub const USER: &str = "user_written_bytes";
    /// Suffix of the bytes written to files in one of the engine's ways; the name of the way
    /// precedes it.
    pub const PART: &str = "_part_written_bytes";
    /// The write-ahead log; flushes and compaction of RocksDB; pages of a database in their place,
    /// and in the doublewrite buffer.
    pub const PARTS: [&str; 5] = ["wal", "flush", "compaction", "pages", "doublewrite"];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_counter_is_known_again_by_its_name_with_its_resolution() {
        for source in [CounterSource::Fdp, CounterSource::Vendor, CounterSource::Group] {
            for written in [CounterKind::Host, CounterKind::Media] {
                let own = DriveCounter::of_name(&DriveCounter::name("nvme0n1", source, written));
                let own = own.expect("a counter");
                assert_eq!((own.device.as_str(), own.source), ("nvme0n1", source));
                assert_eq!((own.written, own.scale), (written, 1.0));
            }
        }
        let of =
            |name: &str| DriveCounter::of_name(name).map(|c| (c.source, c.unit_bytes, c.scale));
        assert_eq!(of("nvme0n1_host_written_bytes"), Some((CounterSource::Ocp, 512_000.0, 1.0)));
        assert_eq!(of("nvme0n1_media_written_bytes"), Some((CounterSource::Ocp, 1.0, 1.0)));
        let instrument = CounterSource::Instrument;
        assert_eq!(of("media_written_data_units"), Some((instrument, 512_000.0, 512_000.0)));
        assert_eq!(of("host_written_bytes"), Some((instrument, 1.0, 1.0)));
        // Readings of the kernel and of processes belong to no drive.
        assert_eq!(of("nvme0n1_written_bytes"), None);
        assert_eq!(of("load_written_bytes"), None);
        assert_eq!(of("drive_watts"), None);
    }
}
