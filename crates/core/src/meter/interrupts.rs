//! Interrupts of the drives' queues, each by its own counter.

use super::{Meter, MeterTarget, Probe, Reading, ReadingTime, blocks, info};
use crate::base::error::{Context, Result};
use crate::plan::Info;

/// The meter `interrupts`.
pub struct Interrupts;

static INFO: Info = info(
    "interrupts",
    "interrupts of each queue of the drives under test",
    &[],
    "Linux, proc(5), /proc/interrupts",
);

impl Meter for Interrupts {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn watches_drives(&self) -> bool {
        true
    }

    fn open(&self, site: &MeterTarget<'_>) -> Result<Box<dyn Probe>> {
        // A drive's queues are named after its controller: nvme0n1 → nvme0q3.
        let controller =
            |disk: &str| disk.rsplit_once('n').map_or(disk.to_string(), |(c, _)| format!("{c}q"));
        Ok(Box::new(Queues(
            blocks::all_under(site.places).iter().map(|b| controller(&b.disk)).collect(),
        )))
    }
}

struct Queues(Vec<String>);

impl Probe for Queues {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        let text =
            std::fs::read_to_string("/proc/interrupts").context("reading /proc/interrupts")?;
        for line in text.lines() {
            let Some(name) = line.split_ascii_whitespace().last() else { continue };
            if self.0.iter().any(|prefix| name.starts_with(prefix.as_str())) {
                let counts =
                    line.split_ascii_whitespace().skip(1).map_while(|n| n.parse::<f64>().ok());
                out.push(now.reading(format!("{name}_interrupts"), counts.sum()));
            }
        }
        Ok(())
    }
}
