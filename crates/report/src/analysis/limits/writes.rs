//! Bytes written for a load, from the application to the flash: the counters around a point, and
//! those of a cell's repeats together.

use crate::analysis::limits::meter_series::MeterSeries;
use crate::analysis::limits::verdict_inputs::past_the_block_layer;
use dyno_core::plan::Step;
use dyno_core::record::gauge::diskstats::{FUA, KernelCounter, METER as DISKSTATS};
use dyno_core::record::gauge::written::engine::{METER as ENGINE, PART, PARTS, USER};
use dyno_core::record::gauge::written::{CounterGap, CounterKind, CounterSource, DriveCounter};
use dyno_core::record::{Point, Tally};
use dyno_core::stats::amplification::{
    self, Amplification, Counter, CounterReading, Growth, LoadSpan, NotMeasured, growth, of_both,
    together,
};
use dyno_core::stats::{Estimate, IntervalMethod, estimate};

/// Bytes written for one point, from the start of its window to the end of its cool-down.
#[derive(Clone, Debug)]
pub struct PointWrites {
    /// Bytes written by the application: by the engine's count, or by the ops themselves.
    pub user: Option<Growth>,
    /// Bytes written to files by the engine, by its ways of writing.
    pub parts: Vec<(String, Growth)>,
    /// Bytes passed to the devices by the kernel (/proc/diskstats); None for NVMe passthrough
    /// commands, which it does not count.
    pub kernel: Option<Growth>,
    /// Source of the drive's counters, if any.
    pub source: Option<CounterSource>,
    /// Bytes received by the drive.
    pub host: Result<Growth, NotMeasured>,
    /// Bytes written to its flash.
    pub media: Result<Growth, NotMeasured>,
    /// Total bytes written by the load, including its warm-up.
    pub load_bytes: f64,
    /// Requests for durability sent to the devices by the kernel; None if it does not count them.
    pub durability: Option<DurabilityCount>,
    /// (seconds, write amplification of the drive) over the window.
    pub over_time: Vec<(f64, f64)>,
}

/// Requests for durability that the kernel sent during a window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DurabilityCount {
    /// Flushes.
    pub flushes: f64,
    /// Writes completed.
    pub writes: f64,
    /// Whether the kernel passes FUA on to every device.
    pub passes_fua: bool,
}

/// Each point of the amplification over time covers this share of the window.
const STRETCH: f64 = 1.0 / 40.0;

impl PointWrites {
    /// Evaluates a point's gauges; None without counters of the drive or the kernel.
    pub fn of(gauges: &[MeterSeries], step: &Step, point: &Point) -> Option<PointWrites> {
        let window_s = point.window_ns? as f64 / 1e9;
        let span =
            Span { window_s, warmup_s: step.warmup_ns as f64 / 1e9, cooled: step.cooldown_ns > 0 };
        let is_seen = !past_the_block_layer(step);
        let of_kernel = || gauges.iter().filter(|g| is_seen && g.kind() == DISKSTATS);
        let counters = |counter| {
            of_kernel().filter(move |g| KernelCounter::of_name(&g.name) == Some((counter, false)))
        };
        let by_kernel: Vec<&MeterSeries> = counters(KernelCounter::WrittenBytes).collect();
        let bytes = |g: &MeterSeries| span.growth(&g.readings, 1.0);
        let kernel_written = together(by_kernel.iter().map(|g| bytes(g))).ok();
        let count = |counter| Some(together(counters(counter).map(bytes)).ok()?.bytes);
        let fua: Vec<&MeterSeries> = of_kernel().filter(|g| g.name.ends_with(FUA)).collect();
        let passes = |g: &MeterSeries| g.readings.iter().all(|reading| reading.1 > 0.0);
        let durability = count(KernelCounter::Flushes).zip(count(KernelCounter::Writes));
        let durability = durability.map(|(flushes, writes)| DurabilityCount {
            flushes,
            writes,
            passes_fua: !fua.is_empty() && fua.iter().all(|g| passes(g)),
        });
        let devices: Vec<String> =
            by_kernel.iter().filter_map(|g| KernelCounter::device_of(&g.name)).collect();
        let of_engine = || gauges.iter().filter(|g| g.meter == ENGINE);
        let user = of_engine().find(|g| g.name == USER).and_then(|g| bytes(g).ok());
        let user = user.or_else(|| of_ops(point));
        let (found, gap) = match Source::of(gauges, &devices) {
            Ok(source) => (Some(source), NotMeasured::NotRead),
            Err(gap) => (None, gap),
        };
        let both = match &found {
            Some(source) => source.growth(&span, &by_kernel),
            None => Err(gap),
        };
        let (host, media) = (both.map(|both| both.0), both.map(|both| both.1));
        if kernel_written.is_none() && host.is_err() {
            return None;
        }
        let part = |name: &&str| {
            let own = of_engine().find(|g| g.name.strip_suffix(PART) == Some(*name));
            Some((name.to_string(), bytes(own?).ok()?))
        };
        let load_bytes = match &found {
            Some(source) => source.since_before(CounterKind::Host),
            None => 0.0,
        };
        Some(PointWrites {
            user,
            durability,
            parts: PARTS.iter().filter_map(part).collect(),
            kernel: kernel_written,
            source: found.as_ref().map(|f| f.source),
            over_time: found.map(|f| f.over_time(window_s)).unwrap_or_default(),
            host,
            media,
            load_bytes,
        })
    }
}

/// Bytes written by the ops of all streams; None for a load that only reads.
fn of_ops(point: &Point) -> Option<Growth> {
    let writes = |t: &&Tally| t.class.is_write();
    let tallies = point.cells.iter().flat_map(|c| &c.tallies).filter(writes);
    let bytes = tallies.map(|t| t.bytes).sum::<u64>() as f64;
    let seconds = point.window_ns.unwrap_or(0) as f64 / 1e9;
    (bytes > 0.0).then_some(Growth { bytes, resolution: 0.0, seconds })
}

/// The time span over which counters are compared.
struct Span {
    window_s: f64,
    /// Duration of the load before the window.
    warmup_s: f64,
    /// The counters were read again after a cool-down.
    cooled: bool,
}

impl Span {
    fn of(&self, readings: &[CounterReading]) -> LoadSpan {
        let finite = || readings.iter().filter(|r| r.1.is_finite()).map(|r| r.0);
        let last = finite().fold(f64::MIN, f64::max);
        LoadSpan {
            on_s: -self.warmup_s,
            from_s: 0.0,
            off_s: self.window_s,
            until_s: if self.cooled { last.max(self.window_s) } else { self.window_s },
        }
    }

    fn growth(&self, readings: &[CounterReading], unit: f64) -> Result<Growth, NotMeasured> {
        let finite = || readings.iter().filter(|r| r.1.is_finite()).map(|r| r.0);
        // Before a load without a warm-up the counters do not change; otherwise the reading nearest
        // to the start of the window is the one taken at its mark.
        let nearest = finite().min_by(|a, b| a.abs().total_cmp(&b.abs()));
        let from_s = if self.warmup_s > 0.0 { nearest.unwrap_or(0.0) } else { 0.0 };
        growth(readings, &LoadSpan { from_s, ..self.of(readings) }, unit)
    }
}

/// The counters of the finest source that counts both on every drive.
struct Source<'a> {
    source: CounterSource,
    counters: Vec<(DriveCounter, &'a MeterSeries)>,
}

impl<'a> Source<'a> {
    fn of(gauges: &'a [MeterSeries], devices: &[String]) -> Result<Source<'a>, NotMeasured> {
        let all: Vec<(DriveCounter, &MeterSeries)> =
            gauges.iter().filter_map(|g| Some((DriveCounter::of_name(&g.name)?, g))).collect();
        if all.is_empty() {
            return Err(NotMeasured::NotRead);
        }
        let source = CounterSource::finest(all.iter().map(|(counter, _)| counter), devices);
        let source = source.map_err(|gap| match gap {
            CounterGap::NoMediaCount => NotMeasured::NoMediaCount,
            CounterGap::NotOnEveryDrive => NotMeasured::NotOnEveryDrive,
        })?;
        let counters = all.into_iter().filter(|(c, _)| c.source == source).collect();
        Ok(Source { source, counters })
    }

    fn of_kind(
        &self,
        written: CounterKind,
    ) -> impl Iterator<Item = &(DriveCounter, &'a MeterSeries)> {
        self.counters.iter().filter(move |(c, _)| c.written == written)
    }

    /// Bytes received by the drives and bytes written by them, over the same interval for each.
    fn growth(
        &self,
        span: &Span,
        by_kernel: &[&MeterSeries],
    ) -> Result<(Growth, Growth), NotMeasured> {
        // With several devices, each may be idle while the others are not.
        let moving = match by_kernel {
            [one] => Some(&one.readings[..]),
            _ => None,
        };
        let pairs = self.of_kind(CounterKind::Host).enumerate().map(|(number, host)| {
            let media = self.of_kind(CounterKind::Media);
            let mut of_drive = media.filter(|(counter, _)| counter.device == host.0.device);
            // Instruments have no device: the first of one kind is paired with the first of the
            // other.
            let at = if self.source == CounterSource::Instrument { number } else { 0 };
            (host, of_drive.nth(at))
        });
        let each: Vec<Result<(Growth, Growth), NotMeasured>> = pairs
            .map(|(host, media)| {
                let media = media.ok_or(NotMeasured::NotOnEveryDrive)?;
                let (of_host, of_media) = (scaled(&host.0, host.1), scaled(&media.0, media.1));
                let both: Vec<CounterReading> = of_host.iter().chain(&of_media).copied().collect();
                let counter = |own: &DriveCounter, readings| Counter {
                    readings,
                    unit_bytes: own.unit_bytes,
                    of_a_log: own.source != CounterSource::Instrument,
                };
                let (host, media) = (counter(&host.0, &of_host), counter(&media.0, &of_media));
                of_both(host, media, &span.of(&both), moving)
            })
            .collect();
        let sum = |of: fn(&(Growth, Growth)) -> Growth| {
            together(each.iter().map(|own| own.as_ref().map(of).map_err(|why| *why)))
        };
        Ok((sum(|own| own.0)?, sum(|own| own.1)?))
    }

    /// The growth from the first reading, before the load, to the last.
    fn since_before(&self, written: CounterKind) -> f64 {
        let own = |(counter, gauge): &(DriveCounter, &MeterSeries)| {
            let finite = || gauge.readings.iter().map(|r| r.1).filter(|v| v.is_finite());
            Some((finite().next_back()? - finite().next()?) * counter.scale)
        };
        self.of_kind(written).filter_map(own).sum()
    }

    /// For one drive; several are not drawn.
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

/// Bytes written for a cell, over its repeats.
pub struct CellWrites {
    /// The bytes of each repeat, in order.
    pub repeats: Vec<PointWrites>,
    /// Bytes written to media for each byte received by the drive; or why that is unknown.
    pub amplification: Result<(Estimate, Vec<f64>), NotMeasured>,
    /// Relative uncertainty of the amplification from the units of the counters.
    pub resolution: f64,
}

impl CellWrites {
    /// Combines the repeats; None if one of them has no counters.
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

    /// Requests for durability over all repeats; None if one of them was not counted.
    pub fn durability(&self) -> Option<DurabilityCount> {
        let each: Option<Vec<DurabilityCount>> =
            self.repeats.iter().map(|r| r.durability).collect();
        let each = each.filter(|each| !each.is_empty())?;
        Some(DurabilityCount {
            flushes: each.iter().map(|own| own.flushes).sum(),
            writes: each.iter().map(|own| own.writes).sum(),
            passes_fua: each.iter().all(|own| own.passes_fua),
        })
    }

    /// Source of the drives' counters; None if one of the repeats has none.
    pub fn source(&self) -> Option<CounterSource> {
        self.repeats.iter().map(|r| r.source).min().flatten()
    }

    /// Bytes written per second of the load, by the kernel's count or the drives' own.
    pub fn received_per_s(&self) -> Option<f64> {
        let of = |of: fn(&PointWrites) -> Option<Growth>| {
            let each: Option<Vec<Growth>> = self.repeats.iter().map(of).collect();
            let each = each?;
            let seconds: f64 = each.iter().map(|own| own.seconds).sum();
            let bytes: f64 = each.iter().map(|own| own.bytes).sum();
            Some(bytes / seconds).filter(|rate| rate.is_finite())
        };
        of(|r| r.kernel).or_else(|| of(|r| r.host.ok()))
    }

    /// Whether a load wrote, and drives count the bytes that they receive, but not all of them the
    /// bytes written to their media.
    pub fn lacks_a_log(&self) -> bool {
        let why = self.amplification.as_ref().err();
        let lacks = [NotMeasured::NoMediaCount, NotMeasured::NotOnEveryDrive];
        why.is_some_and(|why| lacks.contains(why)) && self.repeats.iter().any(|r| r.user.is_some())
    }

    /// Seconds of the load covered by the drives' own counts, over all repeats.
    pub fn counted_s(&self) -> Option<f64> {
        self.repeats.iter().map(|r| Some(r.host.ok()?.seconds)).sum()
    }

    /// The mean number of times that the loads wrote the capacity.
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

/// Combines repeats into one estimate, whose interval includes the uncertainty of each from the
/// units of the counters.
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

/// Bytes by layer; None if a layer was not counted in every repeat.
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
    /// Bytes that the kernel wrote in addition to the engine's parts (or, without parts, in
    /// addition to the application's bytes): the filesystem's own, and rounding up to blocks.
    /// Negative if data had not left memory. Together with the parts it is exactly the kernel's
    /// count.
    pub fn rest(&self) -> Option<f64> {
        let parts: f64 = self.parts.iter().map(|(_, bytes)| bytes).sum();
        let above = if self.parts.is_empty() { self.user? } else { parts };
        Some(self.kernel? - above)
    }

    /// Bytes received by devices: the kernel's count, or the drive's own.
    pub fn received(&self) -> Option<f64> {
        self.kernel.or(self.host)
    }
}
