//! `dyno drives`: the block devices of this host, and whether each may be tested.

use std::io::Write;

use crate::base::error::Result;
use crate::base::units::bytes;
use crate::cmd::json::{self, OutputFormat};
use crate::lab::drive::drives::{self, ListedDrive};

/// Prints them as text or as JSON.
pub fn drives(format: OutputFormat, out: &mut dyn Write) -> Result<()> {
    let found = drives::list();
    if format.json {
        return json::print(&found, out);
    }
    if found.is_empty() {
        writeln!(out, "No block devices. You can test a directory instead: --subject A=/mnt/a")?;
    }
    found.iter().try_for_each(|drive| describe(drive, out))
}

fn describe(drive: &ListedDrive, out: &mut dyn Write) -> Result<()> {
    let model = drive.model.as_deref().unwrap_or("no model");
    writeln!(out, "{}  {model}, {}", drive.device, bytes(drive.capacity_bytes))?;
    let lines = [
        ("named by", drive.stable_path.as_ref().map(|p| p.display().to_string())),
        ("identity", (!drive.identities.is_empty()).then(|| drive.identities.join(", "))),
        ("firmware", drive.firmware.clone()),
        ("blocks", drive.lba_bytes.map(|b| format!("{b} bytes"))),
        ("link", link(drive)),
        ("NUMA node", drive.numa_node.clone()),
        ("scheduler", drive.scheduler.clone()),
        ("write cache", drive.write_cache.clone()),
        ("placement", placement(drive)),
        ("state", state(drive)),
    ];
    for (name, value) in lines.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        writeln!(out, "    {name:12} {value}")?;
    }
    match (&drive.obstacle, &drive.remedy) {
        (Some(why), remedy) => {
            writeln!(out, "    {:12} no: {why}", "testable")?;
            remedy.iter().try_for_each(|remedy| writeln!(out, "    {:12} {remedy}", ""))?;
        }
        (None, _) => writeln!(
            out,
            "    {:12} yes, with this in a plan: {}",
            "testable",
            subject_drive(drive)
        )?,
    }
    Ok(())
}

/// The keys by which a plan names a drive and consents to its erasure.
fn subject_drive(drive: &ListedDrive) -> String {
    let named = drive.stable_path.as_ref().map(|path| path.display().to_string());
    let device = named.unwrap_or_else(|| format!("/dev/{}", drive.device));
    let serial = drive.identities.first().map_or("…", String::as_str);
    format!("drives = [{{ device = \"{device}\", serial = \"{serial}\", erase = true }}]")
}

/// The current value, and the maximum if that is higher.
fn link(drive: &ListedDrive) -> Option<String> {
    let now = format!("{} ×{}", drive.link_speed.as_ref()?, drive.link_width.as_ref()?);
    let most = match (&drive.max_link_speed, &drive.max_link_width) {
        (Some(speed), Some(width)) => format!("{speed} ×{width}"),
        _ => now.clone(),
    };
    Some(if most == now { now } else { format!("{now} (could be {most})") })
}

/// "4 handles (FDP), placement = 0 to 3"
fn placement(drive: &ListedDrive) -> Option<String> {
    let count = drive.placement_handles.len();
    (count > 0).then(|| format!("{count} handles (FDP), placement = 0 to {}", count - 1))
}

fn state(drive: &ListedDrive) -> Option<String> {
    let parts = [
        drive.temperature_celsius.map(|t| format!("{t} °C")),
        drive.wear_percent.map(|w| format!("{w} % worn")),
        drive.power_state.map(|p| format!("power state {p}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
