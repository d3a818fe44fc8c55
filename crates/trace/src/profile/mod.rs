//! Statistics of a trace, computed in one pass over its requests with bounded memory: arrival times
//! (`arrivals`, `bursts`), offsets (`extents`, `exponent`) and reuse (`reuse`, with `places` as its
//! data structure).

mod arrivals;
mod bursts;
mod exponent;
mod extents;
mod places;
mod reuse;

use std::collections::BTreeMap;

use super::device_ends::DeviceEnds;
use super::layout::{Summary, TraceDevice};
use super::reader::Reader;
use super::request::{Request, RequestKind};
use dyno_core::base::error::Result;

pub use arrivals::{ArrivalSeries, CountDispersion};
pub use bursts::BurstFit;
pub use extents::ExtentUse;
pub use reuse::{ReuseBucket, ReuseDistances};

/// Window widths for arrival counts, in ns.
const WINDOWS_NS: [u64; 3] = [1_000_000, 100_000_000, 1_000_000_000];
/// Extent sizes for which skew is computed, in bytes.
const EXTENTS: [u64; 3] = [4 << 10, 64 << 10, 1 << 20];
/// Maximum number of distinct lengths counted exactly; further ones are rounded up to a power of
/// two.
const MOST_LENGTHS: usize = 4096;

/// Number of requests of one length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LengthCount {
    /// Length, bytes.
    pub length: u32,
    /// Counts by kind, in the order of `RequestKind::ALL`.
    pub kinds: [u64; 4],
}

/// Statistics of a trace.
pub struct TraceProfile {
    /// Counts, bytes and devices.
    pub summary: Summary,
    /// Arrivals over time.
    pub series: ArrivalSeries,
    /// The index of dispersion of counts in windows of 1 ms, 100 ms and 1 s.
    pub dispersion: Vec<CountDispersion>,
    /// The bursts that fit the arrivals; none if they scatter little more than Poisson arrivals.
    pub bursts: Option<BurstFit>,
    /// Maximum number of arrivals in one second that starts at a whole second of the trace.
    pub peak_second: u64,
    /// Requests by length, in ascending order, without flushes.
    pub lengths: Vec<LengthCount>,
    /// Number of requests that start at the end of the previous request to the same device, not
    /// counting flushes.
    pub sequential: u64,
    /// Footprint and skew for several extent sizes.
    pub extents: Vec<ExtentUse>,
    /// Reuse distances of 4 KiB extents.
    pub reuse: ReuseDistances,
}

impl TraceProfile {
    /// Computes the profile of the whole trace, or of one of its devices.
    pub fn of(reader: &mut Reader, device: Option<u16>) -> Result<TraceProfile> {
        reader.seek_to(0)?;
        let mut collector = Collector::new(reader.summary(), device);
        let mut requests = Vec::new();
        loop {
            reader.next_requests(&mut requests)?;
            if requests.is_empty() {
                return Ok(collector.finish());
            }
            let wanted = requests.iter().filter(|r| device.is_none_or(|d| d == r.device));
            wanted.for_each(|request| collector.add(request));
        }
    }

    /// Mean arrivals per second; None if all requests arrive at the same time.
    pub fn rate(&self) -> Option<f64> {
        let span_s = self.summary.span_ns as f64 / 1e9;
        (span_s > 0.0).then(|| self.summary.requests as f64 / span_s)
    }

    /// Share of requests that start at the end of the previous one, among all requests except
    /// flushes; None if there are none.
    pub fn sequential_share(&self) -> Option<f64> {
        let moved = self.summary.requests - self.summary.of(RequestKind::Flush).requests;
        (moved > 0).then(|| self.sequential as f64 / moved as f64)
    }

    /// The share of reads among reads and writes; None if there are none.
    pub fn read_share(&self) -> Option<f64> {
        let of = |kind| self.summary.of(kind).requests as f64;
        let both = of(RequestKind::Read) + of(RequestKind::Write);
        (both > 0.0).then(|| of(RequestKind::Read) / both)
    }
}

struct Collector {
    summary: Summary,
    span_ns: u64,
    origin_ns: u64,
    series: ArrivalSeries,
    counts: Vec<arrivals::WindowCounts>,
    bursts: bursts::BurstCounts,
    lengths: BTreeMap<u32, [u64; 4]>,
    ends: DeviceEnds,
    sequential: u64,
    extents: Vec<extents::ExtentCounts>,
    reuse: ReuseDistances,
}

impl Collector {
    /// Times are relative to the whole trace, also for one device.
    fn new(whole: &Summary, device: Option<u16>) -> Collector {
        let window = |window_ns| arrivals::WindowCounts::new(window_ns, whole.span_ns);
        let mut summary = Summary { devices: whole.devices.clone(), ..Summary::default() };
        summary.missing = whole.missing;
        for (number, of) in summary.devices.iter_mut().enumerate() {
            let seen = device.is_none_or(|device| usize::from(device) == number);
            *of = TraceDevice { requests: 0, end: if seen { of.end } else { 0 }, ..of.clone() };
        }
        Collector {
            span_ns: whole.span_ns,
            origin_ns: whole.origin_ns,
            series: ArrivalSeries::new(whole.span_ns),
            counts: WINDOWS_NS.map(window).into(),
            bursts: bursts::BurstCounts::new(whole.span_ns),
            lengths: BTreeMap::new(),
            ends: DeviceEnds::default(),
            sequential: 0,
            extents: EXTENTS.map(extents::ExtentCounts::new).into(),
            reuse: ReuseDistances::new(EXTENTS[0]),
            summary,
        }
    }

    fn add(&mut self, request: &Request) {
        self.summary.add(request);
        self.series.add(request);
        self.counts.iter_mut().for_each(|counts| counts.add(request.at_ns));
        self.bursts.add(request.at_ns);
        if request.kind == RequestKind::Flush {
            return;
        }
        let known = self.lengths.len() < MOST_LENGTHS || self.lengths.contains_key(&request.length);
        let length = if known { request.length } else { rounded(request.length) };
        self.lengths.entry(length).or_default()[request.kind as usize] += 1;
        let before = self.ends.replace(request.device, request.end());
        self.sequential += u64::from(before == Some(request.offset));
        if request.kind != RequestKind::Discard {
            self.extents.iter_mut().for_each(|extents| extents.add(request));
            self.reuse.add(request);
        }
    }

    fn finish(self) -> TraceProfile {
        let span = |extent: u64| {
            self.summary.devices.iter().map(|device| device.end.div_ceil(extent)).sum()
        };
        let extents = self.extents.iter().zip(EXTENTS);
        let lengths = self.lengths.iter().map(|(&length, &kinds)| LengthCount { length, kinds });
        TraceProfile {
            dispersion: self.counts.iter().map(arrivals::WindowCounts::dispersion).collect(),
            bursts: self.bursts.fit(),
            peak_second: self.counts.last().map_or(0, |counts| counts.most),
            lengths: lengths.collect(),
            extents: extents.map(|(counts, extent)| counts.summarise(span(extent))).collect(),
            sequential: self.sequential,
            series: self.series,
            reuse: self.reuse,
            summary: Summary { span_ns: self.span_ns, origin_ns: self.origin_ns, ..self.summary },
        }
    }
}

/// Rounds up to a power of two.
fn rounded(length: u32) -> u32 {
    length.checked_next_power_of_two().unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::base::rng::Seed;

    fn profile(requests: impl Iterator<Item = Request>) -> TraceProfile {
        let requests: Vec<Request> = requests.collect();
        let mut summary = Summary { devices: vec![Default::default()], ..Default::default() };
        requests.iter().for_each(|request| summary.add(request));
        let mut collector = Collector::new(&summary, None);
        requests.iter().for_each(|request| collector.add(request));
        collector.finish()
    }

    fn read(at_ns: u64, offset: u64) -> Request {
        Request { at_ns, device: 0, kind: RequestKind::Read, offset, length: 4096 }
    }

    #[test]
    fn poisson_arrivals_have_a_dispersion_of_one_and_even_ones_none() {
        let seed = Seed::new(5, 0, 0);
        let mut at_ns = 0;
        let poisson = (0..200_000).map(|n| {
            at_ns += (seed.at(n).exponential() * 100_000.0) as u64;
            read(at_ns, 0)
        });
        let poisson = profile(poisson);
        let of_1_ms = poisson.dispersion[0].index.unwrap();
        // 20,000 windows: the standard error of the index is sqrt(2 / n) = 0.01.
        assert!((of_1_ms - 1.0).abs() < 0.05, "{of_1_ms}");
        assert!((poisson.rate().unwrap() - 10_000.0).abs() < 150.0);
        let even = profile((0..100_000).map(|n| read(n * 100_000, 0)));
        assert!(even.dispersion[1].index.unwrap() < 1e-6);
        assert_eq!(even.peak_second, 10_000);
    }

    #[test]
    fn bursts_have_a_dispersion_above_one() {
        // 100 requests at the start of every tenth of a second.
        let bursts = profile((0..10_000).map(|n| read(n / 100 * 100_000_000, 0)));
        let [of_1_ms, of_100_ms, _] = [0, 1, 2].map(|i| bursts.dispersion[i].index);
        // One window in a hundred has 100, the others 0: (100² / 100 − 1) / 1.
        assert!((of_1_ms.unwrap() - 99.0).abs() < 1.0, "{of_1_ms:?}");
        assert!(of_100_ms.unwrap() < 1e-6, "every window has 100");
    }

    #[test]
    fn sequential_requests_and_lengths_are_counted() {
        let of = |n: u64| Request { length: 512 << (n % 2), ..read(n, n / 2 * 1536 + n % 2 * 512) };
        let profile = profile((0..1000).map(of));
        assert_eq!(profile.sequential, 999);
        let lengths: Vec<_> = profile.lengths.iter().map(|l| (l.length, l.kinds[0])).collect();
        assert_eq!(lengths, [(512, 500), (1024, 500)]);
    }
}
