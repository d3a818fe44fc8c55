//! Sensors of the kernel's hwmon: power, current, voltage, temperature.

use std::path::{Path, PathBuf};

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
                  _input file, which distinguishes chips of one name",
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
        let file = find(sensor, Path::new("/sys/class/hwmon"))?;
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

/// The file for "chip/sensor", or a path as given. Two chips with the same name are refused,
/// because the order of their folders is arbitrary.
fn find(sensor: &str, root: &Path) -> Result<PathBuf> {
    let missing =
        || failed(format!("there is no sensor {sensor}"), "see `grep . /sys/class/hwmon/*/name`");
    if sensor.starts_with('/') {
        return Some(PathBuf::from(sensor)).filter(|path| path.exists()).ok_or_else(missing);
    }
    let (chip, kind) = sensor.split_once('/').ok_or_else(missing)?;
    let named = |folder: &PathBuf| {
        std::fs::read_to_string(folder.join("name")).is_ok_and(|name| name.trim() == chip)
    };
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    let folders = entries.map(|entry| entry.path()).filter(named);
    let file = |folder: PathBuf| {
        let files = ["input", "average"].map(|end| folder.join(format!("{kind}_{end}")));
        files.into_iter().find(|file| file.exists())
    };
    let mut files: Vec<PathBuf> = folders.filter_map(file).collect();
    files.sort_by_key(|file| natural(file));
    match &files[..] {
        [] => Err(missing()),
        [one] => Ok(one.clone()),
        several => {
            let all: Vec<String> = several.iter().map(|file| described(file)).collect();
            Err(failed(
                format!("{} chips have a sensor {sensor}: {}", several.len(), all.join(", ")),
                "write the path of the sensor's file below its device, which is the same after a \
                 reboot",
            ))
        }
    }
}

/// Compares numbers by value: hwmon2 comes before hwmon10.
fn natural(file: &Path) -> (u64, PathBuf) {
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let digits = folder.trim_start_matches(|c: char| !c.is_ascii_digit());
    (digits.parse().unwrap_or(u64::MAX), file.to_path_buf())
}

/// A sensor's file, described by the path of its device if it has one.
fn described(file: &Path) -> String {
    let device = file.parent().and_then(|folder| folder.join("device").canonicalize().ok());
    match device {
        Some(device) => format!("{} (of {})", file.display(), device.display()),
        None => file.display().to_string(),
    }
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
        let file = find("ina226/power1", root.path()).unwrap();
        assert_eq!(unit("power1_input"), Some(("watts", 1e-6)));
        assert_eq!(unit("temp12_input").map(|u| u.0), Some("celsius"));
        let mut probe = Sensor { file: file.clone(), name: "drive_watts".into(), scale: 1e-6 };
        let mut out = Vec::new();
        probe.read(ReadingTime { ns: 7, unix_ns: 0 }, &mut out).unwrap();
        assert_eq!(out, [Reading { at_ns: 7, name: "drive_watts".into(), value: 12.5 }]);
        std::fs::write(&file, "n/a").unwrap();
        assert!(probe.read(ReadingTime { ns: 8, unix_ns: 0 }, &mut out).is_err() && out.len() == 1);
    }
    #[test]
    fn two_chips_of_one_name_are_refused_with_both_in_the_order_of_their_numbers() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["hwmon2", "hwmon10"] {
            let chip = root.path().join(folder);
            std::fs::create_dir(&chip).unwrap();
            std::fs::write(chip.join("name"), "ina226\n").unwrap();
            std::fs::write(chip.join("power1_input"), "12500000\n").unwrap();
        }
        let error = find("ina226/power1", root.path()).unwrap_err().to_string();
        let (two, ten) = (error.find("hwmon2/power1_input"), error.find("hwmon10/power1_input"));
        assert!(two.is_some() && two < ten, "{error}");
        assert!(find("ina226/power2", root.path()).is_err());
        let by_path = root.path().join("hwmon10/power1_input");
        assert_eq!(find(by_path.to_str().unwrap(), root.path()).unwrap(), by_path);
    }
}
