//! What was written for a load, from the application to the flash: the counters around a point, and
//! those of a cell's repeats together.

use crate::analysis::limits::meter_series::MeterSeries;
use crate::analysis::limits::verdict_inputs::past_the_block_layer;
use crate::plan::Step;
use crate::record::gauge::diskstats::{KernelCounter, METER as DISKSTATS};
use crate::record::gauge::written::engine::{METER as ENGINE, PART, PARTS, USER};
use crate::record::gauge::written::{CounterKind, CounterSource, DriveCounter};
use crate::record::{Point, Tally};
use crate::stats::amplification::{
    self, Amplification, CounterReading, Growth, NotMeasured, growth, together,
};
use crate::stats::{Estimate, IntervalMethod, estimate};

/// What was written for one point, from its window's beginning to the end of its cool-down.
#[derive(Clone, Debug)]
pub struct PointWrites {
    /// Bytes that the application wrote: by the engine's count, or by the ops themselves.
    pub user: Option<Growth>,
    /// What the engine wrote to files, by its ways of writing.
    pub parts: Vec<(String, Growth)>,
    /// What the kernel handed to the devices (/proc/diskstats); None of NVMe commands, which it
    /// does not count.
    pub kernel: Option<Growth>,
    /// Who counts for the drive; None where nobody does.
    pub source: Option<CounterSource>,
    /// What the drive received.
    pub host: Result<Growth, NotMeasured>,
    /// What it wrote to its flash.
    pub media: Result<Growth, NotMeasured>,
    /// What the load wrote in all, its warm-up included.
    pub load_bytes: f64,
    /// Length of the window, seconds.
    pub window_s: f64,
    /// (seconds, write amplification of the drive) over the window.
    pub over_time: Vec<(f64, f64)>,
}

/// A stretch of this share of the window is a point of the amplification over time.
const STRETCH: f64 = 1.0 / 40.0;

impl PointWrites {
    /// Reads a point's gauges. None where nothing of the drive or the kernel was counted.
    pub fn of(gauges: &[MeterSeries], step: &Step, point: &Point) -> Option<PointWrites> {
        let window_s = point.window_ns? as f64 / 1e9;
        let span = Span { window_s, warm: step.warmup_ns > 0, cooled: step.cooldown_ns > 0 };
        let kernel = |counter| {
            let own = |g: &&MeterSeries| {
                g.kind() == DISKSTATS && KernelCounter::of_name(&g.name) == Some((counter, false))
            };
            together(gauges.iter().filter(own).map(|g| span.growth(&g.readings, 1.0))).ok()
        };
        let seen = !past_the_block_layer(step);
        let kernel_written = kernel(KernelCounter::WrittenBytes).filter(|_| seen);
        let found = Source::of(gauges);
        let count = |written| match &found {
            Some(source) => source.growth(&span, written),
            None => Err(NotMeasured::NotRead),
        };
        let (host, media) = (count(CounterKind::Host), count(CounterKind::Media));
        if kernel_written.is_none() && host.is_err() {
            return None;
        }
        let engine = |g: &&MeterSeries| g.meter == ENGINE;
        let part = |name: &&str| {
            let own = |g: &&MeterSeries| g.name.strip_suffix(PART) == Some(*name);
            let gauge = gauges.iter().filter(engine).find(own)?;
            Some((name.to_string(), span.growth(&gauge.readings, 1.0).ok()?))
        };
        let user = gauges.iter().filter(engine).find(|g| g.name == USER);
        let user = user.and_then(|g| span.growth(&g.readings, 1.0).ok());
        let load_bytes = match &found {
            Some(source) => source.since_before(CounterKind::Host),
            None => 0.0,
        };
        Some(PointWrites {
            user: user.or_else(|| of_ops(point)),
            parts: PARTS.iter().filter_map(part).collect(),
            kernel: kernel_written,
            source: found.as_ref().map(|f| f.source),
            over_time: found.map(|f| f.over_time(window_s)).unwrap_or_default(),
            host,
            media,
            load_bytes,
            window_s,
        })
    }
}

/// What the ops of all streams wrote; None of a load that only reads.
fn of_ops(point: &Point) -> Option<Growth> {
    let writes = |t: &&Tally| t.class.is_write();
    let tallies = point.cells.iter().flat_map(|c| &c.tallies).filter(writes);
    let bytes = tallies.map(|t| t.bytes).sum::<u64>() as f64;
    (bytes > 0.0).then_some(Growth { bytes, resolution: 0.0 })
}

/// From where to where counters are compared.
struct Span {
    window_s: f64,
    /// The load was on before the window.
    warm: bool,
    /// The counters were read again after a cool-down.
    cooled: bool,
}

impl Span {
    fn growth(&self, readings: &[CounterReading], unit: f64) -> Result<Growth, NotMeasured> {
        let finite = || readings.iter().filter(|r| r.1.is_finite()).map(|r| r.0);
        // Before a load without a warm-up the counters stand; otherwise the reading nearest to the
        // window's beginning is the one of its mark.
        let nearest = finite().min_by(|a, b| a.abs().total_cmp(&b.abs()));
        let from_s = if self.warm { nearest.unwrap_or(0.0) } else { 0.0 };
        let last = finite().fold(f64::MIN, f64::max);
        let until_s = if self.cooled { last.max(self.window_s) } else { self.window_s };
        growth(readings, (from_s, until_s), unit)
    }
}

/// The counters of the finest source that counts both on every drive.
struct Source<'a> {
    source: CounterSource,
    counters: Vec<(DriveCounter, &'a MeterSeries)>,
}

impl<'a> Source<'a> {
    fn of(gauges: &'a [MeterSeries]) -> Option<Source<'a>> {
        let all: Vec<(DriveCounter, &MeterSeries)> =
            gauges.iter().filter_map(|g| Some((DriveCounter::of_name(&g.name)?, g))).collect();
        let source = CounterSource::finest(all.iter().map(|(counter, _)| counter))?;
        let counters = all.into_iter().filter(|(c, _)| c.source == source).collect();
        Some(Source { source, counters })
    }

    fn of_kind(
        &self,
        written: CounterKind,
    ) -> impl Iterator<Item = &(DriveCounter, &'a MeterSeries)> {
        self.counters.iter().filter(move |(c, _)| c.written == written)
    }

    fn growth(&self, span: &Span, written: CounterKind) -> Result<Growth, NotMeasured> {
        let own = |(counter, gauge): &(DriveCounter, &MeterSeries)| {
            span.growth(&scaled(counter, gauge), counter.unit_bytes)
        };
        together(self.of_kind(written).map(own))
    }

    /// From the first reading, before the load, to the last.
    fn since_before(&self, written: CounterKind) -> f64 {
        let own = |(counter, gauge): &(DriveCounter, &MeterSeries)| {
            let finite = || gauge.readings.iter().map(|r| r.1).filter(|v| v.is_finite());
            Some((finite().next_back()? - finite().next()?) * counter.scale)
        };
        self.of_kind(written).filter_map(own).sum()
    }

    /// Of one drive; several are not drawn.
    fn over_time(&self, window_s: f64) -> Vec<CounterReading> {
        let mut of = [CounterKind::Host, CounterKind::Media].map(|written| {
            let mut own = self.of_kind(written).map(|(c, g)| (scaled(c, g), c.unit_bytes));
            own.next().filter(|_| own.next().is_none())
        });
        let (Some(host), Some(media)) = (of[0].take(), of[1].take()) else { return Vec::new() };
        let inside = |t: f64| (0.0..=window_s).contains(&t);
        let stretch_s = window_s * STRETCH;
        let all = amplification::over_time((&host.0, host.1), (&media.0, media.1), stretch_s);
        all.into_iter().filter(|(t, _)| inside(*t)).collect()
    }
}

/// Readings in bytes.
fn scaled(counter: &DriveCounter, gauge: &MeterSeries) -> Vec<CounterReading> {
    gauge.readings.iter().map(|(t, value)| (*t, value * counter.scale)).collect()
}

/// What was written for a cell, over its repeats.
pub struct CellWrites {
    /// Of each repeat, in order.
    pub repeats: Vec<PointWrites>,
    /// Bytes that media wrote for each byte that the drive received; or why that is not known.
    pub amplification: Result<(Estimate, Vec<f64>), NotMeasured>,
    /// By which share the counters' units leave the amplification open.
    pub resolution: f64,
}

impl CellWrites {
    /// The repeats together. None where one of them has no counters.
    pub fn of(repeats: &[Option<&PointWrites>], capacity_bytes: Option<f64>) -> Option<CellWrites> {
        let repeats: Vec<PointWrites> =
            repeats.iter().map(|own| own.cloned()).collect::<Option<_>>()?;
        let each: Result<Vec<Amplification>, NotMeasured> =
            repeats.iter().map(|own| of_drive(own, capacity_bytes)).collect();
        let open = |a: &Amplification| (a.high / a.low.max(f64::MIN_POSITIVE)).ln();
        let resolution = each.iter().flatten().map(open).fold(0.0, f64::max);
        let amplification = each.and_then(|each| estimated(&each));
        (!repeats.is_empty()).then_some(CellWrites { repeats, amplification, resolution })
    }

    /// Who counts for the drives; None where nobody does in every repeat.
    pub fn source(&self) -> Option<CounterSource> {
        self.repeats.iter().map(|r| r.source).min().flatten()
    }

    /// What the windows were written in a second, by the kernel's count or the drives' own.
    pub fn received_per_s(&self) -> Option<f64> {
        let seconds: f64 = self.repeats.iter().map(|r| r.window_s).sum();
        Some(self.layers().received()? / seconds).filter(|rate| rate.is_finite())
    }

    /// By which multiple of the capacity the loads wrote, on average.
    pub fn fills(&self, capacity_bytes: f64) -> f64 {
        let all: f64 = self.repeats.iter().map(|r| r.load_bytes).sum();
        all / self.repeats.len() as f64 / capacity_bytes
    }

    /// The bytes of all repeats by each layer, for the waterfall.
    pub fn layers(&self) -> Layers {
        let sum = |of: fn(&PointWrites) -> Option<Growth>| {
            let each: Option<Vec<f64>> = self.repeats.iter().map(|r| Some(of(r)?.bytes)).collect();
            each.map(|all| all.iter().sum::<f64>())
        };
        let mut parts: Vec<(String, f64)> = Vec::new();
        for (name, growth) in self.repeats.iter().flat_map(|r| &r.parts) {
            match parts.iter_mut().find(|(own, _)| own == name) {
                Some(own) => own.1 += growth.bytes,
                None => parts.push((name.clone(), growth.bytes)),
            }
        }
        Layers {
            user: sum(|r| r.user),
            parts,
            kernel: sum(|r| r.kernel),
            host: sum(|r| r.host.ok()),
            media: sum(|r| r.media.ok()),
        }
    }
}

fn of_drive(
    point: &PointWrites,
    capacity_bytes: Option<f64>,
) -> Result<Amplification, NotMeasured> {
    amplification::of_drive((point.host?, point.media?), point.load_bytes, capacity_bytes)
}

/// Repeats as one estimate, whose interval holds what the counters' units leave open of each.
fn estimated(each: &[Amplification]) -> Result<(Estimate, Vec<f64>), NotMeasured> {
    let values: Vec<f64> = each.iter().map(|a| a.value).collect();
    let mut made = estimate::from_repeats(&values, "").ok_or(NotMeasured::NotRead)?;
    let mean = |of: fn(&Amplification) -> f64| each.iter().map(of).sum::<f64>() / each.len() as f64;
    let (low, high) = (mean(|a| a.low), mean(|a| a.high));
    if made.method == IntervalMethod::Single && each.len() == 1 {
        made.method = IntervalMethod::Reported;
    }
    (made.low, made.high) = (made.low.min(low), made.high.max(high));
    Ok((made, values))
}

/// Bytes by layer; None where a layer was not counted in every repeat.
#[derive(Clone, Debug, PartialEq)]
pub struct Layers {
    /// The application's.
    pub user: Option<f64>,
    /// The engine's ways of writing, in its order.
    pub parts: Vec<(String, f64)>,
    /// Handed to devices by the kernel.
    pub kernel: Option<f64>,
    /// Received by the drives.
    pub host: Option<f64>,
    /// Written to flash.
    pub media: Option<f64>,
}

impl Layers {
    /// What the kernel wrote beside the engine's parts (or, without parts, beside what the
    /// application wrote): the filesystem's own, and what is rounded up to blocks. Negative where
    /// data had not left memory. With the parts it is exactly the kernel's count.
    pub fn rest(&self) -> Option<f64> {
        let parts: f64 = self.parts.iter().map(|(_, bytes)| bytes).sum();
        let above = if self.parts.is_empty() { self.user? } else { parts };
        Some(self.kernel? - above)
    }

    /// What devices received: the kernel's count, or the drive's own.
    pub fn received(&self) -> Option<f64> {
        self.kernel.or(self.host)
    }
}
