//! The evidence for a point's bottleneck, from the meters and the load's own numbers.

use std::collections::BTreeSet;

use crate::analysis::limits::bottleneck::{
    BottleneckInputs, DatasetCaching, DeviceLoad, DynoIo, Late, SeparateProcessors,
};
use crate::analysis::limits::meter_series::MeterSeries;
use crate::analysis::points::point_numbers::{ClassNumbers, Numbers, PointSummary, Times};
use crate::analysis::points::point_summary::P99;
use dyno_core::base::units::Rate;
use dyno_core::plan::{Plan, Step, Stream, read_list};
use dyno_core::record::gauge::diskstats::{self, KernelCounter};
use dyno_core::record::gauge::{cpu, memory, nvme, processes};
use dyno_core::record::{
    Ceiling, Class, IoLimit, IoLimitKind, OwnLateness, Point, STOOD_STILL, ServerShare,
    WorkerProcessors, observed,
};

/// Zero if unknown: only Dyno's measurements have a verdict.
fn count(n: Option<u32>) -> f64 {
    f64::from(n.unwrap_or(0))
}

/// The known data about a point for its verdict.
pub fn inputs(
    gauges: &[MeterSeries],
    (plan, point): (&Plan, &Point),
    reading: &PointSummary,
    window_s: f64,
) -> BottleneckInputs {
    let rate = |name: &str| find(gauges, name).and_then(|g| g.per_second(window_s));
    let streams = || reading.streams.iter().map(|(.., numbers)| numbers);
    let sums = |counts: fn(Class) -> bool| {
        let own = || streams().flat_map(|n| &n.classes).filter(|c| counts(c.class));
        (
            own().filter_map(|c| c.ops_per_s).sum::<f64>(),
            own().filter_map(|c| c.bytes_per_s).sum::<f64>(),
        )
    };
    let (reads_per_s, read_bytes_per_s) = sums(|class| class == Class::READ);
    let (writes_per_s, written_bytes_per_s) = sums(Class::is_write);
    let outstanding: f64 = point.cells.iter().map(|c| count(c.threads) * count(c.depth)).sum();
    let throttled = [nvme::THROTTLE_LIGHT_S, nvme::THROTTLE_HEAVY_S];
    let throttled = gauges.iter().filter(|g| throttled.iter().any(|name| g.name.ends_with(name)));
    let throttled = throttled.filter_map(|g| g.per_second(window_s)).reduce(f64::max);
    let closed = point.cells.iter().all(|c| c.asked.is_none());
    let own = |name: &str| rate(name).unwrap_or(0.0);
    let devices = DeviceCounters::of(gauges, window_s);
    let share_of = |ceiling: &Ceiling| {
        let (.., numbers) = reading.streams.iter().find(|of| of.0 == ceiling.stream)?;
        let ops_per_s: f64 = numbers.classes.iter().filter_map(|class| class.ops_per_s).sum();
        let share = ops_per_s / ceiling.ops_per_s.max(1) as f64;
        Some((share, ceiling.ops_per_s))
    };
    let inputs = BottleneckInputs {
        window_s,
        stood_still_s: gauges
            .iter()
            .find(|g| is_standstill(g))
            .map(|g| g.readings.iter().map(|r| r.1 / 1e9).sum()),
        outstanding,
        workers: point.cells.iter().map(|c| count(c.threads)).sum(),
        achieved: achieved(&reading.total),
        ceiling: observed::all(&point.observed)
            .filter_map(share_of)
            .max_by(|a, b| a.0.total_cmp(&b.0)),
        late: reading
            .streams
            .iter()
            .filter_map(|(name, _, n)| late(name, n, point))
            .max_by(|a, b| a.share.total_cmp(&b.share)),
        in_flight: closed.then(|| streams().map(in_flight).sum()),
        reads_per_s,
        read_bytes_per_s,
        trims_per_s: sums(|class| class == Class::TRIM).0,
        writes_per_s,
        written_bytes_per_s,
        thinks: closed && point.cells.iter().flat_map(|c| &c.tallies).any(|t| t.response.is_some()),
        device: device(&devices)
            .filter(|_| !plan.protocol.step(&point.key.step).is_some_and(past_the_block_layer)),
        own: rate(processes::LOAD_READ_BYTES).map(|read_bytes_per_s| DynoIo {
            read_bytes_per_s,
            written_bytes_per_s: own(processes::LOAD_WRITTEN_BYTES),
            write_calls_per_s: own(processes::LOAD_WRITE_CALLS),
        }),
        drained_bytes_per_s: drained(gauges, window_s),
        io_limit: None,
        on_tmpfs: find(gauges, diskstats::PLACES_IN_MEMORY).is_some(),
        throttled,
        dataset: dataset(plan, point, gauges, window_s),
        ..BottleneckInputs::default()
    };
    let limits = observed::all::<IoLimit>(&point.observed).cloned();
    let reached = |limit: IoLimit| {
        let share = io_per_s(&inputs, &devices, limit.kind)? / limit.per_s.max(1) as f64;
        Some((limit, share))
    };
    let io_limit = limits.filter_map(reached).max_by(|a, b| a.1.total_cmp(&b.1));
    with_processors(BottleneckInputs { apart: apart(point), io_limit, ..inputs }, gauges, window_s)
}

/// The load's own I/O that counts towards a limit of its control group: requests that reached the
/// device, or requests of its streams that bypass the page cache.
fn io_per_s(p: &BottleneckInputs, devices: &DeviceCounters<'_>, kind: IoLimitKind) -> Option<f64> {
    let direct = p.dataset.direct == Some(true);
    let made = match kind {
        IoLimitKind::Reads => p.reads_per_s,
        IoLimitKind::Writes => p.writes_per_s,
        IoLimitKind::ReadBytes => p.read_bytes_per_s,
        IoLimitKind::WrittenBytes => p.written_bytes_per_s,
    };
    let device = p.device.as_ref();
    let arrived = match kind {
        IoLimitKind::Reads => device.map(|device| device.reads_per_s),
        // Write requests of all devices of the subject together.
        IoLimitKind::Writes => devices.each(KernelCounter::Writes).reduce(|a, b| a + b),
        IoLimitKind::ReadBytes => p.own.as_ref().map(|own| own.read_bytes_per_s),
        IoLimitKind::WrittenBytes => device.map(|device| device.written_bytes_per_s),
    };
    if direct { Some(made) } else { arrived }
}

/// Whether it records Dyno's own standstills.
pub fn is_standstill(gauge: &MeterSeries) -> bool {
    (gauge.meter.as_str(), gauge.name.as_str()) == STOOD_STILL
}

/// The processors of the load's workers and of the servers, if they are separate.
fn apart(point: &Point) -> Option<SeparateProcessors> {
    let union = |lists: Vec<&str>| lists.into_iter().filter_map(read_list).flatten().collect();
    let pinned = observed::all::<WorkerProcessors>(&point.observed);
    let load: BTreeSet<u32> = union(pinned.map(|own| own.processors.as_str()).collect());
    let shares = observed::all::<ServerShare>(&point.observed);
    let servers: BTreeSet<u32> = union(shares.map(|s| s.processors.as_str()).collect());
    let some = !load.is_empty() && !servers.is_empty() && load.is_disjoint(&servers);
    some.then_some(SeparateProcessors { load: load.len() as f64, servers: servers.len() as f64 })
}

fn find<'a>(gauges: &'a [MeterSeries], name: &str) -> Option<&'a MeterSeries> {
    gauges.iter().find(|g| g.name == name)
}

/// Shares of the processors, all relative to wall-clock time. The host's busy time is the time that
/// was not idle: the kernel counts idle time by the clock and busy time by ticks, some of which are
/// lost when a machine is stopped, whereas processes' time is taken by the clock. A share of the
/// ticks could exceed 100 %.
fn with_processors(
    inputs: BottleneckInputs,
    gauges: &[MeterSeries],
    window_s: f64,
) -> BottleneckInputs {
    let rate = |name: &str| find(gauges, name).and_then(|g| g.per_second(window_s));
    let Some(all_ns) = rate(cpu::HOST_ALL_NS).filter(|ns| *ns > 0.0) else { return inputs };
    let counted = find(gauges, cpu::HOST_CORES).and_then(|g| g.mean(window_s));
    // Bundles of older versions lack their number.
    let cores = counted.unwrap_or_else(|| (all_ns / 1e9).round()).max(1.0);
    let idle_ns = rate(cpu::HOST_BUSY_NS).map(|busy_ns| all_ns - busy_ns);
    let share = |ns: f64| (ns / 1e9 / cores).clamp(0.0, 1.0);
    let host_busy = idle_ns.map(|ns| 1.0 - share(ns));
    let process_ns = rate(cpu::PROCESS_USER_NS)
        .zip(rate(cpu::PROCESS_SYSTEM_NS))
        .map(|(user, system)| user + system);
    let own_ns = rate(processes::LOAD_CPU_NS).or(process_ns);
    // The counters are not read at the same instant.
    let within_host = |ns: f64| share(ns).min(host_busy.unwrap_or(1.0));
    let group = |name: &str| find(gauges, name);
    let stopped = group(cpu::GROUP_THROTTLED_COUNT).and_then(|g| g.per_second(window_s));
    let periods = group(cpu::GROUP_PERIODS_COUNT).and_then(|g| g.per_second(window_s));
    let share = stopped.zip(periods.filter(|n| *n > 0.0)).map(|(stopped, all)| stopped / all);
    let group_cores = group(cpu::GROUP_LIMIT_CORES).and_then(|g| g.mean(window_s));
    BottleneckInputs {
        cpu_limit: group_cores.zip(share),
        host_busy,
        own_busy: own_ns.map(within_host),
        servers_busy: rate(processes::SERVERS_CPU_NS).map(within_host),
        stolen: rate(cpu::HOST_STEAL_NS).map(within_host),
        cores,
        busiest_core: find(gauges, cpu::BUSIEST_CORE_PERCENT)
            .and_then(|g| Some(g.mean(window_s)? / 100.0)),
        ..inputs
    }
}

/// Dirty memory at the start of the window that was written back by its end.
fn drained(gauges: &[MeterSeries], window_s: f64) -> f64 {
    let names = [memory::DIRTY_BYTES, memory::WRITEBACK_BYTES];
    let change = |name: &&str| find(gauges, name).and_then(|g| g.change_per_second(window_s));
    names.iter().filter_map(change).map(|change| -change).sum::<f64>().max(0.0)
}

/// Whether NVMe passthrough is used, so that the block layer's counters exclude the load.
pub fn past_the_block_layer(step: &Step) -> bool {
    let past = |stream: &Stream| stream.engine.knobs.flag("passthrough").is_ok_and(|past| past);
    step.streams.iter().any(past)
}

/// The sizes of the point's datasets, if their engines give them in bytes, and whether they bypass
/// the page cache.
fn dataset(plan: &Plan, point: &Point, gauges: &[MeterSeries], window_s: f64) -> DatasetCaching {
    let step = plan.protocol.step(&point.key.step);
    let streams = || step.iter().flat_map(|step: &&Step| &step.streams);
    let mut names: Vec<(&str, u32)> =
        streams().map(|s| (s.dataset.as_str(), s.instances)).collect();
    names.sort_unstable();
    names.dedup_by_key(|(name, _)| *name);
    let bytes = |(name, instances): &(&str, u32)| {
        let knobs = &plan.protocol.datasets.iter().find(|d| d.name == *name)?.engine.knobs;
        let int = |name: &str| knobs.int(name).ok();
        let values = || Some(int("keys")? * (int("key_size")? + int("value_size")?));
        let one = int("size").filter(|size| *size > 0).or_else(values)?;
        Some(one as f64 * f64::from(*instances))
    };
    // The load's own limit, if there is one, also limits the page cache.
    let limit = step.and_then(|step| step.memory_bytes).map(|bytes| bytes as f64);
    let of_host = find(gauges, memory::TOTAL_BYTES).and_then(|g| g.mean(window_s));
    DatasetCaching {
        bytes: names.iter().map(bytes).sum(),
        missing: !names.is_empty() && names.iter().all(|(name, _)| name.is_empty()),
        memory_bytes: of_host.into_iter().chain(limit).reduce(f64::min),
        direct: streams().map(|s| s.engine.knobs.flag("direct").ok()).next().flatten(),
        // Only these datasets have an offset on a device.
        is_of_blocks: streams().next().is_some_and(|s| s.engine.knobs.get("offset").is_some()),
    }
}

/// Little's law: arrival rate times residence time.
fn in_flight(numbers: &Numbers) -> f64 {
    let waiting = |c: &ClassNumbers| Some(c.ops_per_s? * c.service.mean_ns? / 1e9);
    numbers.classes.iter().filter_map(waiting).sum()
}

/// The ops of an open loop that Dyno itself submitted late: at least those for which a worker
/// overslept, and those of a trace that had not been read. An op also waits if all slots are taken,
/// and for evenly spaced ops the share that finds them taken is at most the mean occupancy:
/// lateness beyond that is also Dyno's.
fn late(stream: &str, numbers: &Numbers, point: &Point) -> Option<Late> {
    numbers.asked?;
    let ops = numbers.due.max(1) as f64;
    let slots = count(numbers.threads) * count(numbers.depth);
    let own = observed::all::<OwnLateness>(&point.observed).filter(|of| of.stream == stream);
    let own = own.map(|of| of.times).sum::<u64>() as f64 / ops;
    let share = own.max(numbers.late as f64 / ops - in_flight(numbers) / slots.max(1.0));
    let lead = numbers.classes.iter().max_by_key(|c| c.ops)?;
    let ratio = |of: fn(&Times) -> Option<f64>| {
        let (all, own) = lead.response.as_deref().and_then(of).zip(of(&lead.service))?;
        Some(all / own.max(1.0))
    };
    Some(Late {
        share: share.min(1.0),
        mean_ratio: ratio(|times| times.mean_ns),
        p99_ratio: ratio(|times| times.percentiles_ns[P99]),
    })
}

fn achieved(numbers: &Numbers) -> Option<f64> {
    match numbers.asked? {
        Rate::OpsPerSec(asked) => Some(numbers.ops_per_s? / asked),
        Rate::BytesPerSec(asked) => Some(numbers.bytes_per_s? / asked),
    }
}

/// The kernel's counters of the subject's devices, with whole disks for partitions.
struct DeviceCounters<'g> {
    counters: Vec<(KernelCounter, &'g MeterSeries)>,
    window_s: f64,
}

impl<'g> DeviceCounters<'g> {
    fn of(gauges: &'g [MeterSeries], window_s: f64) -> DeviceCounters<'g> {
        let counter = |g: &'g MeterSeries| {
            let (counter, is_whole) = KernelCounter::of_name(&g.name)?;
            Some((counter, is_whole, g))
        };
        let all = gauges.iter().filter(|g| g.kind() == diskstats::METER).filter_map(counter);
        let all: Vec<(KernelCounter, bool, &MeterSeries)> = all.collect();
        let whole = all.iter().any(|(_, is_whole, _)| *is_whole);
        let own = all.into_iter().filter(|(_, is_whole, _)| *is_whole == whole);
        DeviceCounters { counters: own.map(|(counter, _, g)| (counter, g)).collect(), window_s }
    }

    /// A counter's growth per second on each device.
    fn each(&self, what: KernelCounter) -> impl Iterator<Item = f64> {
        let own = self.counters.iter().filter(move |(counter, _)| *counter == what);
        own.filter_map(|(_, g)| g.per_second(self.window_s))
    }
}

/// All devices of the subject together; busy is their mean.
fn device(devices: &DeviceCounters<'_>) -> Option<DeviceLoad> {
    let sum = |what: KernelCounter| devices.each(what).sum::<f64>();
    let busy: Vec<f64> = devices.each(KernelCounter::Busy).collect();
    // A flush is counted once by itself and once in each write that requested it.
    let flushing = sum(KernelCounter::FlushTime) / 1e9;
    (!busy.is_empty()).then(|| DeviceLoad {
        reads_per_s: sum(KernelCounter::Reads),
        read_bytes_per_s: sum(KernelCounter::ReadBytes),
        written_bytes_per_s: sum(KernelCounter::WrittenBytes),
        queue: (sum(KernelCounter::Queue) / 1e9 - flushing).max(0.0),
        read_queue: sum(KernelCounter::ReadTime) / 1e9,
        write_queue: sum(KernelCounter::WriteTime) / 1e9,
        // The paths and namespaces of one drive can be busy at the same time.
        busy: (busy.iter().sum::<f64>() / busy.len() as f64 / 1e9).min(1.0),
        flushes_per_s: sum(KernelCounter::Flushes),
        flushing: flushing.min(1.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::base::histogram::Histogram;
    use dyno_core::record::{Cell, LatenessCause, Observed, PointKey, Tally};

    fn counter(name: &str, per_second: f64) -> MeterSeries {
        let readings = vec![(0.0, 1e12), (10.0, 1e12 + 10.0 * per_second)];
        MeterSeries { meter: "cpu".into(), name: name.into(), readings }
    }

    /// Two cores of a machine that was stopped for a quarter of the time, in which no ticks were
    /// counted.
    #[test]
    fn no_share_of_the_processors_passes_the_whole_where_ticks_were_lost() {
        let gauges = [
            counter(cpu::HOST_ALL_NS, 1.5e9),
            counter(cpu::HOST_BUSY_NS, 1.49e9),
            MeterSeries {
                readings: vec![(0.0, 2.0), (10.0, 2.0)],
                ..counter(cpu::HOST_CORES, 0.0)
            },
            counter(processes::LOAD_CPU_NS, 1.995e9),
            counter(processes::SERVERS_CPU_NS, 1.2e9),
        ];
        let p = with_processors(BottleneckInputs::default(), &gauges, 10.0);
        let rounded = [p.host_busy, p.own_busy, p.servers_busy]
            .map(|share| share.map(|s| (s * 1000.0).round()));
        // Relative to the ticks it would be 133 %.
        assert_eq!((rounded, p.cores), ([Some(995.0), Some(995.0), Some(600.0)], 2.0));
        // An older bundle has neither the number of cores nor its servers' use.
        let old = [
            &gauges[..2],
            &[counter(cpu::PROCESS_USER_NS, 5e8), counter(cpu::PROCESS_SYSTEM_NS, 1e8)],
        ]
        .concat();
        let p = with_processors(BottleneckInputs::default(), &old, 10.0);
        assert_eq!(
            (p.cores, p.own_busy.map(|s| (s * 100.0).round()), p.servers_busy),
            (2.0, Some(30.0), None)
        );
    }

    #[test]
    fn a_device_is_counted_on_the_whole_disk_and_a_flush_once() {
        let of = |name: String, per_second| MeterSeries {
            meter: diskstats::METER.into(),
            ..counter(&name, per_second)
        };
        let of_part = |c: KernelCounter, per_second| of(c.of_device("sda1"), per_second);
        let of_disk = |c: KernelCounter, per_second| of(c.of_whole("sda"), per_second);
        let part = [of_part(KernelCounter::Busy, 5e8), of_part(KernelCounter::Queue, 1e9)];
        let disk = [
            of_disk(KernelCounter::Busy, 9e8),
            of_disk(KernelCounter::Queue, 3e9),
            of_disk(KernelCounter::FlushTime, 4e8),
        ];
        let device = |gauges: &[MeterSeries]| device(&DeviceCounters::of(gauges, 10.0));
        let found = device(&[&part[..], &disk].concat()).expect("a device");
        assert_eq!((found.busy, found.queue, found.flushing), (0.9, 2.6, 0.4));
        assert_eq!(device(&part).expect("a device").queue, 1.0);
        assert_eq!(device(&[]), None);
    }

    #[test]
    fn an_op_is_late_by_dynos_fault_where_a_worker_overslept_or_a_slot_was_free() {
        let axis = None;
        let key = PointKey { subject: "A".into(), step: "s".into(), axis, repeat: 1 };
        let overslept = |times| {
            OwnLateness {
                cause: LatenessCause::Overslept,
                stream: "io".into(),
                times,
                total_ns: 0,
                longest_ns: 0,
            }
            .into()
        };
        // A thousand ops in ten seconds over two slots, each occupied for this long.
        let share = |late_ops: u64, service_ns: u64, observed: Vec<Observed>| {
            let mut service = Histogram::new();
            (0..1000).for_each(|_| service.add(service_ns));
            let tally = Tally {
                class: Class::READ,
                ops: 1000,
                bytes: 0,
                misses: 0,
                given_up: 0,
                service,
                response: None,
                censored: None,
            };
            let cell = Cell {
                stream: "io".into(),
                drive: 0,
                instance: 0,
                headline: true,
                threads: Some(2),
                depth: Some(1),
                asked: Some(Rate::OpsPerSec(100.0)),
                late: late_ops,
                backlog_max: 0,
                backlog_end: 0,
                in_flight: None,
                tallies: vec![tally],
            };
            let mut point =
                Point { observed, window_ns: Some(10_000_000_000), ..Point::begun(key.clone(), 0) };
            point.cells = vec![cell];
            let reading = PointSummary::of(&point);
            late("io", &reading.total, &point).map(|found| (found.share * 100.0).round())
        };
        let (quick, slow) = (100_000, 10_000_000);
        assert_eq!(share(0, quick, vec![]), Some(0.0));
        assert_eq!(share(200, quick, vec![]), Some(20.0));
        // Half of the slots are occupied on average: this many may have waited for one.
        assert_eq!(share(400, slow, vec![]), Some(0.0));
        assert_eq!(share(400, slow, vec![overslept(50)]), Some(5.0));
    }
}
