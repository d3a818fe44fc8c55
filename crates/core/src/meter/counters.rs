//! Host bytes and media bytes of a subject's drives, read on demand by the plan's meters that count
//! them: for rounds of a load until its write amplification is steady.

use std::path::PathBuf;

use super::{MeterTarget, Probe, Reading, ReadingTime, find};
use crate::base::error::{Error, Result, failed};
use crate::plan::{Plan, Subject};
use crate::record::gauge::written::{CLASSES, CounterKind, CounterSource, DriveCounter};

/// Open meters with write counters.
pub struct WriteCounters {
    probes: Vec<Box<dyn Probe>>,
    /// The latest readings with the meter's number, because two instruments may use the same name.
    latest: Vec<(usize, Reading)>,
}

/// Host and media bytes since an arbitrary origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WrittenBytes {
    /// Bytes that the drives received.
    pub host: f64,
    /// Bytes that the drives wrote to their flash.
    pub media: f64,
}

impl WriteCounters {
    /// Opens the meters of a plan that count writes of the subject.
    pub fn open(plan: &Plan, subject: &Subject) -> Result<WriteCounters> {
        let places: Vec<PathBuf> =
            subject.drives.iter().map(|drive| drive.place.path().to_path_buf()).collect();
        let counts = |class: Result<&str>| class.is_ok_and(|class| CLASSES.contains(&class));
        let mut probes = Vec::new();
        for part in plan.meters.iter().chain(&subject.meters) {
            if part.name != "nvme" && !counts(part.knobs.text("class")) {
                continue;
            }
            if let Some(meter) = find(&part.name) {
                let target = MeterTarget { knobs: &part.knobs, places: &places, divided: false };
                probes.push(meter.open(&target)?);
            }
        }
        match probes.is_empty() {
            true => Err(failed(
                format!("no meter counts what the drives of {} write", subject.name),
                "add meters = [\"nvme\"], or two `exec` meters of the classes host_written and \
                 media_written; or take another metric of steady state",
            )),
            false => Ok(WriteCounters { probes, latest: Vec::new() }),
        }
    }

    /// Reads the counters; None if the drives do not count both, or if a meter failed. Failures are
    /// added to `troubles` with the meter's number.
    pub fn read(
        &mut self,
        now: ReadingTime,
        troubles: &mut Vec<(usize, Error)>,
    ) -> Option<WrittenBytes> {
        let mut is_missing = false;
        for (meter, probe) in self.probes.iter_mut().enumerate() {
            let mut read = Vec::new();
            if let Err(error) = probe.read(now, &mut read) {
                is_missing |= read.is_empty();
                troubles.push((meter, error));
            }
            for reading in read {
                self.latest.retain(|old| (old.0, &old.1.name) != (meter, &reading.name));
                self.latest.push((meter, reading));
            }
        }
        of_readings(self.latest.iter().map(|(_, reading)| reading)).filter(|_| !is_missing)
    }
}

/// The sum over the drives, for each from its finest source that counts both.
fn of_readings<'a>(latest: impl Iterator<Item = &'a Reading>) -> Option<WrittenBytes> {
    let counters: Vec<(DriveCounter, f64)> =
        latest.filter_map(|r| Some((DriveCounter::of_name(&r.name)?, r.value))).collect();
    let all = counters.iter().map(|(counter, _)| counter);
    let source = CounterSource::finest(all, &[]).ok()?;
    let sum = |written| {
        let own = counters.iter().filter(|(c, _)| c.source == source && c.written == written);
        own.map(|(c, value)| value * c.scale).sum()
    };
    Some(WrittenBytes { host: sum(CounterKind::Host), media: sum(CounterKind::Media) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_finest_source_that_counts_both_is_taken_and_drives_add_up() {
        let reading = |name: &str, value: f64| Reading { at_ns: 0, name: name.into(), value };
        let health = [reading("nvme0n1_host_written_bytes", 512e3), reading("celsius", 40.0)];
        assert_eq!(of_readings(health.iter()), None, "no drive's media");
        let mut all = health.to_vec();
        all.push(reading("nvme0n1_group_host_written_bytes", 1e9));
        all.push(reading("nvme0n1_group_media_written_bytes", 3e9));
        assert_eq!(of_readings(all.iter()), Some(WrittenBytes { host: 1e9, media: 3e9 }));
        all.push(reading("nvme0n1_media_written_bytes", 800e3));
        assert_eq!(of_readings(all.iter()), Some(WrittenBytes { host: 512e3, media: 800e3 }));
        all.push(reading("nvme1n1_host_written_bytes", 512e3));
        assert_eq!(of_readings(all.iter()), None, "only one of the drives counts its media");
        all.push(reading("nvme1n1_media_written_bytes", 600e3));
        assert_eq!(of_readings(all.iter()), Some(WrittenBytes { host: 1_024e3, media: 1_400e3 }));
    }
}
