//! Sensors of the kernel's hwmon: power, current, voltage, temperature.

use std::path::PathBuf;

use super::{Meter, MeterTarget, Probe, Reading, ReadingTime, info};
use crate::base::error::{Context, Result, failed};
use crate::plan::{DefaultValue, Info, Knob, KnobKind};
use crate::record::POWER_CLASSES;

/// The meter `hwmon`.
pub struct Hwmon;

static INFO: Info = info(
    "hwmon",
    "one sensor of /sys/class/hwmon: power, current, voltage or temperature",
    &[
        Knob {
            name: "sensor",
            kind: KnobKind::Text,
            default: DefaultValue::Required,
            doc: "chip and sensor, as in \"nvme/temp1\" or \"ina226/power1\", or the path of an \
                  _input file",
        },
        Knob {
            name: "class",
            kind: KnobKind::Choice(&POWER_CLASSES),
            default: DefaultValue::Is("\"drive\""),
            doc: "what the sensor measures; power of different classes is never compared",
        },
    ],
    "Linux, Documentation/hwmon/sysfs-interface.rst",
);

impl Meter for Hwmon {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, site: &MeterTarget<'_>) -> Result<Box<dyn Probe>> {
        let (sensor, class) = (site.knobs.text("sensor")?, site.knobs.text("class")?);
        let file = find(sensor, PathBuf::from("/sys/class/hwmon")).ok_or_else(|| {
            failed(format!("there is no sensor {sensor}"), "see `grep . /sys/class/hwmon/*/name`")
        })?;
        let kind = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (unit, scale) = unit(&kind).ok_or_else(|| {
            failed(
                format!("Dyno knows no sensors of the kind {kind}"),
                "use a power, curr, in or temp sensor",
            )
        })?;
        Ok(Box::new(Sensor { file, name: format!("{class}_{unit}"), scale }))
    }
}

/// The file for "chip/sensor", or a path as given.
fn find(sensor: &str, root: PathBuf) -> Option<PathBuf> {
    if sensor.starts_with('/') {
        return Some(PathBuf::from(sensor)).filter(|p| p.exists());
    }
    let (chip, sensor) = sensor.split_once('/')?;
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(root).ok()?.flatten().map(|e| e.path()).collect();
    folders.sort();
    let named = |folder: &PathBuf| {
        std::fs::read_to_string(folder.join("name")).is_ok_and(|n| n.trim() == chip)
    };
    let files = folders
        .into_iter()
        .filter(named)
        .flat_map(|f| [f.join(format!("{sensor}_input")), f.join(format!("{sensor}_average"))]);
    files.into_iter().find(|f| f.exists())
}

/// The unit of a sensor's file, and its value per count.
fn unit(file: &str) -> Option<(&'static str, f64)> {
    match file
        .trim_end_matches(|c: char| c != '_')
        .trim_end_matches('_')
        .trim_end_matches(|c: char| c.is_ascii_digit())
    {
        "power" => Some(("watts", 1e-6)),
        "curr" => Some(("amps", 1e-3)),
        "in" => Some(("volts", 1e-3)),
        "temp" => Some(("celsius", 1e-3)),
        _ => None,
    }
}

struct Sensor {
    file: PathBuf,
    name: String,
    scale: f64,
}

impl Probe for Sensor {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        let text = std::fs::read_to_string(&self.file)
            .with_context(|| format!("reading {}", self.file.display()))?;
        let value: f64 = text
            .trim()
            .parse()
            .with_context(|| format!("{} says '{}'", self.file.display(), text.trim()))?;
        out.push(now.reading(&self.name, value * self.scale));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sensor_is_found_by_its_chip_and_read_in_its_unit() {
        let root = tempfile::tempdir().unwrap();
        let chip = root.path().join("hwmon3");
        std::fs::create_dir(&chip).unwrap();
        std::fs::write(chip.join("name"), "ina226\n").unwrap();
        std::fs::write(chip.join("power1_input"), "12500000\n").unwrap();
        let file = find("ina226/power1", root.path().into()).unwrap();
        assert_eq!(unit("power1_input"), Some(("watts", 1e-6)));
        assert_eq!(unit("temp12_input").map(|u| u.0), Some("celsius"));
        let mut probe = Sensor { file: file.clone(), name: "drive_watts".into(), scale: 1e-6 };
        let mut out = Vec::new();
        probe.read(ReadingTime { ns: 7, unix_ns: 0 }, &mut out).unwrap();
        assert_eq!(out, [Reading { at_ns: 7, name: "drive_watts".into(), value: 12.5 }]);
        std::fs::write(&file, "n/a").unwrap();
        assert!(probe.read(ReadingTime { ns: 8, unix_ns: 0 }, &mut out).is_err() && out.len() == 1);
    }
}
