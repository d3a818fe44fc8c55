//! The figures of a trace: arrivals over its time, and requests by size.

use std::collections::BTreeMap;

use super::bars::{Bar, BarSeries, GroupedBars};
use super::timeline::Timeline;
use crate::chart::{Chart, FigureText, LineSeries};
use crate::language::Language;
use dyno_core::base::units::{bytes, duration};
use dyno_trace::{RequestKind, TraceProfile};

fn text(caption: String) -> FigureText {
    FigureText::of(Language::default(), "", caption)
}

/// Arrivals per second over the time of the trace.
pub fn arrivals(profile: &TraceProfile) -> Chart {
    let series = &profile.series;
    let bin_s = series.bin_ns as f64 / 1e9;
    let line = |name: &str, of: usize| LineSeries {
        name: name.to_string(),
        points: series
            .bins
            .iter()
            .enumerate()
            .map(|(i, bin)| ((i as f64 + 0.5) * bin_s, bin[of] as f64 / bin_s))
            .collect(),
    };
    let lines = [line("reads", 0), line("writes, discards, flushes", 1)];
    let some = |line: &LineSeries| line.points.iter().any(|(_, rate)| *rate > 0.0);
    let figure = Timeline {
        text: text(format!("arrivals per second, in bins of {}", duration(series.bin_ns))),
        y_label: "requests/s".to_string(),
        series: lines.into_iter().filter(some).collect(),
    };
    Chart::new("trace-arrivals".to_string(), figure)
}

/// The share of requests up to each power of two in size, reads and others.
pub fn sizes(profile: &TraceProfile) -> Chart {
    let mut classes = BTreeMap::<u64, [u64; 2]>::new();
    for length in &profile.lengths {
        let class = classes.entry(u64::from(length.length).next_power_of_two()).or_default();
        class[0] += length.kinds[RequestKind::Read as usize];
        class[1] += length.kinds.iter().skip(1).sum::<u64>();
    }
    let all: u64 = classes.values().flatten().sum();
    let bar = |count: u64| {
        let value = count as f64 / all as f64 * 100.0;
        (count > 0).then_some(Bar { digits: Some(3), ..Bar::of(value) })
    };
    let series = |name: &str, of: usize| BarSeries {
        name: name.to_string(),
        values: classes.values().map(|counts| bar(counts[of])).collect(),
    };
    let all_series = [series("reads", 0), series("writes, discards", 1)];
    let some = |series: &BarSeries| series.values.iter().any(Option::is_some);
    let figure = GroupedBars {
        text: text("share of requests by size; each group ends with the size below it".to_string()),
        x_label: "size".to_string(),
        y_label: "% of requests".to_string(),
        groups: classes.keys().map(|upto| bytes(*upto)).collect(),
        series: all_series.into_iter().filter(some).collect(),
        call_outs: Vec::new(),
        lying: false,
        quiet: false,
    };
    Chart::new("trace-sizes".to_string(), figure)
}
