//! Arrivals over time, and their dispersion.

use crate::request::{Request, RequestKind};

/// Maximum number of bins of a time series.
const MOST_BINS: u64 = 600;
/// Minimum number of windows for an index of dispersion.
const FEWEST_WINDOWS: u64 = 10;

/// Number of arrivals over the time of a trace, in bins of equal width.
pub struct ArrivalSeries {
    /// Width of a bin, in ns.
    pub bin_ns: u64,
    /// Reads, and all other requests, per bin.
    pub bins: Vec<[u64; 2]>,
}

impl ArrivalSeries {
    /// Creates a series of at most 600 bins, whose width is 1, 2 or 5 times a power of ten.
    pub fn new(span_ns: u64) -> ArrivalSeries {
        let fits = |bin_ns: &u64| span_ns / bin_ns < MOST_BINS;
        let steps = (0..19).flat_map(|power| [1, 2, 5].map(|n| n * 10u64.pow(power)));
        let bin_ns = steps.filter(|bin_ns| *bin_ns >= 1000).find(fits).unwrap_or(u64::MAX);
        ArrivalSeries { bin_ns, bins: vec![[0; 2]; (span_ns / bin_ns) as usize + 1] }
    }

    /// Counts a request.
    pub fn add(&mut self, request: &Request) {
        if let Some(bin) = self.bins.get_mut((request.at_ns / self.bin_ns) as usize) {
            bin[usize::from(request.kind != RequestKind::Read)] += 1;
        }
    }
}

/// The index of dispersion of counts: their variance divided by their mean, over windows of one
/// width (Cox and Lewis, The Statistical Analysis of Series of Events, 1966, 4.2). Poisson arrivals
/// have 1, evenly spaced ones 0, bursts more than 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountDispersion {
    /// Width of a window, in ns.
    pub window_ns: u64,
    /// None with fewer than ten complete windows.
    pub index: Option<f64>,
}

/// Counts of arrivals in windows. Only complete windows enter the index.
pub struct WindowCounts {
    window_ns: u64,
    whole: u64,
    window: u64,
    /// End of the current window, in ns.
    until_ns: u64,
    count: u64,
    sum: u128,
    squares: u128,
    /// The largest count.
    pub most: u64,
}

impl WindowCounts {
    pub fn new(window_ns: u64, span_ns: u64) -> WindowCounts {
        let whole = span_ns / window_ns;
        let (window, until_ns, count, sum, squares, most) = (0, window_ns, 0, 0, 0, 0);
        WindowCounts { window_ns, whole, window, until_ns, count, sum, squares, most }
    }

    /// Adds an arrival. Arrivals must be added in order of time.
    pub fn add(&mut self, at_ns: u64) {
        if at_ns >= self.until_ns {
            self.begin_window(at_ns / self.window_ns);
        }
        self.count += 1;
        self.most = self.most.max(self.count);
    }

    fn begin_window(&mut self, window: u64) {
        if window != self.window {
            self.end_window();
            self.window = window;
            self.until_ns = self.window_ns.saturating_mul(window + 1);
        }
    }

    fn end_window(&mut self) {
        if self.window < self.whole {
            self.sum += u128::from(self.count);
            self.squares += u128::from(self.count).pow(2);
        }
        self.count = 0;
    }

    pub fn dispersion(&self) -> CountDispersion {
        let last = if self.window < self.whole { u128::from(self.count) } else { 0 };
        let (sum, squares) = ((self.sum + last) as f64, (self.squares + last * last) as f64);
        let windows = self.whole as f64;
        let mean = sum / windows;
        let variance = (squares / windows - mean * mean).max(0.0);
        let some = self.whole >= FEWEST_WINDOWS && mean > 0.0;
        CountDispersion { window_ns: self.window_ns, index: some.then(|| variance / mean) }
    }
}
