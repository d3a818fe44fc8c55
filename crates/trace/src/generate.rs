//! Synthetic traces: a load with known parameters, generated request by request from a seed.

use std::io::Write;

use super::layout::Summary;
use super::request::{Request, RequestKind};
use super::writer::Writer;
use dyno_core::base::error::{Result, ensure};
use dyno_core::base::rng::{Seed, spread};
use dyno_core::base::zipf::Zipf;

/// Alignment of offsets and unit of the popularity ranks, bytes.
const BLOCK: u64 = 4096;
/// Length of a slot of time, which either is a burst or is not.
const SLOT_NS: u64 = 100_000_000;
/// One slot in this many is a burst.
const ONE_IN: u64 = 10;

/// Parameters of a synthetic trace.
#[derive(Clone, Debug)]
pub struct Synthetic {
    /// Seed of all its random numbers.
    pub seed: u64,
    /// Length of the trace, seconds.
    pub seconds: u64,
    /// Mean arrivals per second. They are Poisson within slots of 100 ms.
    pub rate: f64,
    /// Factor of the arrival rate in one slot in ten, chosen at random; 1 gives Poisson arrivals
    /// throughout.
    pub burst: f64,
    /// The share of reads; other requests write.
    pub read: f64,
    /// Size of the accessed range, which starts at offset 0, bytes.
    pub span: u64,
    /// Exponent of the popularity of 4 KiB blocks; 0 is uniform.
    pub theta: f64,
    /// Request sizes with their weights, multiples of 4 KiB.
    pub sizes: Vec<(u32, f64)>,
}

impl Default for Synthetic {
    /// One minute of a small transactional load with bursts.
    fn default() -> Synthetic {
        Synthetic {
            seed: 1,
            seconds: 60,
            rate: 2000.0,
            burst: 8.0,
            read: 0.7,
            span: 1 << 30,
            theta: 0.9,
            sizes: vec![(4096, 70.0), (16384, 20.0), (65536, 10.0)],
        }
    }
}

impl Synthetic {
    /// Writes the trace.
    pub fn write<W: Write>(&self, out: W) -> Result<(W, Summary)> {
        let largest = self.sizes.iter().map(|(bytes, _)| u64::from(*bytes)).max().unwrap_or(0);
        ensure!(self.seconds >= 1, "a synthetic trace has at least a second");
        ensure!(self.rate > 0.0 && self.rate <= 1e8, "a rate is above 0 and at most 10^8 /s");
        ensure!(self.burst >= 1.0, "bursts are at least as fast as the rest");
        ensure!((0.0..=1.0).contains(&self.read), "a share of reads is between 0 and 1");
        ensure!((0.0..=5.0).contains(&self.theta), "an exponent is between 0 and 5");
        ensure!(largest > 0 && self.span >= largest, "the span is smaller than a request");
        let mut writer = Writer::new(out)?;
        let device = writer.device("synthetic")?;
        let (slots, arrivals) = (Seed::new(self.seed, 0, 0), Seed::new(self.seed, 1, 0));
        let burst_share = 1.0 / ONE_IN as f64;
        let quiet_rate = self.rate / (1.0 + burst_share * (self.burst - 1.0));
        let zipf = Zipf::new(self.theta, self.span / BLOCK);
        let mut number = 0;
        for slot in 0..self.seconds * (1_000_000_000 / SLOT_NS) {
            let is_burst = slots.at(slot).below(ONE_IN) == 0;
            let rate = if is_burst { quiet_rate * self.burst } else { quiet_rate };
            let mut within_ns = 0.0;
            loop {
                let mut rng = arrivals.at(number);
                number += 1;
                // Poisson arrivals are memoryless, so each slot may restart the process.
                within_ns += rng.exponential() * 1e9 / rate;
                if within_ns >= SLOT_NS as f64 {
                    break;
                }
                let kind = match rng.unit() < self.read {
                    true => RequestKind::Read,
                    false => RequestKind::Write,
                };
                let length = self.size(rng.unit());
                // Popular blocks are not adjacent.
                let block = spread(zipf.draw(&mut rng), self.span / BLOCK, self.seed);
                let offset = (block * BLOCK).min(self.span - u64::from(length)) / BLOCK * BLOCK;
                let at_ns = slot * SLOT_NS + within_ns as u64;
                writer.push(&Request { at_ns, device, kind, offset, length })?;
            }
        }
        writer.finish()
    }

    fn size(&self, unit: f64) -> u32 {
        let all: f64 = self.sizes.iter().map(|(_, weight)| weight).sum();
        let mut rest = unit * all;
        for (bytes, weight) in &self.sizes {
            rest -= weight;
            if rest < 0.0 {
                return *bytes;
            }
        }
        self.sizes.last().map_or(BLOCK as u32, |(bytes, _)| *bytes)
    }
}
