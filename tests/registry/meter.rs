//! A toy meter: `pendulum` swings once per reading.

use dyno::base::error::Result;
use dyno::meter::{self, Meter, ReadingTime, Probe, Reading, MeterTarget, info};
use dyno::plan::Info;

struct Pendulum;

static INFO: Info = info("pendulum", "swings once each time it is looked at", &[], "");

pub fn add() {
    meter::ALL.add(&Pendulum);
}

impl Meter for Pendulum {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn every_ns(&self) -> u64 {
        100_000_000
    }

    fn open(&self, _site: &MeterTarget<'_>) -> Result<Box<dyn Probe>> {
        Ok(Box::new(Swings(0)))
    }
}

struct Swings(u32);

impl Probe for Swings {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        self.0 += 1;
        out.push(now.reading("pendulum_swings", f64::from(self.0)));
        Ok(())
    }
}
