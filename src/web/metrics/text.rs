//! The two formats: the Prometheus text format 0.0.4 ("Exposition formats" of its documentation)
//! and OpenMetrics 1.0 (its specification of 2020-11-15). They differ in names of families, units,
//! the trailer, and in types that only the second has.
//!
//! Written here, because the counters belong to another process: crates keep their own counters,
//! and none supports both formats.

use std::fmt::Write as _;

/// The format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricsFormat {
    /// Prometheus 0.0.4.
    Text,
    /// 1.0.
    OpenMetrics,
}

impl MetricsFormat {
    /// Its declaration.
    pub fn content_type(self) -> &'static str {
        match self {
            MetricsFormat::Text => "text/plain; version=0.0.4; charset=utf-8",
            MetricsFormat::OpenMetrics => {
                "application/openmetrics-text; version=1.0.0; charset=utf-8"
            }
        }
    }
}

/// The type of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// Only increases.
    Counter,
    /// A current value.
    Gauge,
    /// Latencies in buckets.
    Histogram,
    /// Text, as labels.
    Info,
    /// One of several states.
    States,
}

/// A metric, with its unit at the end of its name if it has one.
#[derive(Clone, Copy)]
pub struct MetricFamily {
    /// Without `_total`, `_info` and the like.
    pub name: &'static str,
    /// Its type.
    pub kind: MetricKind,
    /// The base unit; empty if it has none.
    pub unit: &'static str,
    /// Its description, in a sentence.
    pub help: &'static str,
}

/// Labels with their values.
pub type Labels<'a> = [(&'a str, &'a str)];

/// A histogram in Prometheus's form: the cumulative count for each bound, the total count, and the
/// sum.
pub struct Cumulative<'a> {
    pub below: &'a [(f64, u64)],
    pub count: u64,
    pub sum: f64,
}

/// The text under construction.
pub struct MetricsWriter {
    format: MetricsFormat,
    out: String,
}

impl MetricsWriter {
    /// Empty.
    pub fn of(format: MetricsFormat) -> MetricsWriter {
        MetricsWriter { format, out: String::new() }
    }

    /// Starts a family; its samples follow.
    pub fn family(&mut self, of: &MetricFamily) {
        let open = self.format == MetricsFormat::OpenMetrics;
        let name = if open { of.name.to_string() } else { sample_name(of) };
        let kind = match (of.kind, open) {
            (MetricKind::Counter, _) => "counter",
            (MetricKind::Histogram, _) => "histogram",
            (MetricKind::Info, true) => "info",
            (MetricKind::States, true) => "stateset",
            (MetricKind::Gauge | MetricKind::Info | MetricKind::States, _) => "gauge",
        };
        let _ = writeln!(self.out, "# HELP {name} {}", escaped(of.help, open));
        let _ = writeln!(self.out, "# TYPE {name} {kind}");
        if open && !of.unit.is_empty() {
            let _ = writeln!(self.out, "# UNIT {name} {}", of.unit);
        }
    }

    /// A sample of a family other than a histogram.
    pub fn sample(&mut self, of: &MetricFamily, labels: &Labels<'_>, value: &str) {
        self.line(&sample_name(of), labels, value);
    }

    /// A sample of a histogram.
    pub fn histogram(&mut self, of: &MetricFamily, labels: &Labels<'_>, counted: &Cumulative<'_>) {
        let Cumulative { below, count, sum } = *counted;
        let name = format!("{}_bucket", of.name);
        let bounds = below.iter().map(|(bound, n)| (number(*bound), *n));
        for (bound, n) in bounds.chain([("+Inf".to_string(), count)]) {
            let labels = [labels, &[("le", bound.as_str())]].concat();
            self.line(&name, &labels, &n.to_string());
        }
        self.line(&format!("{}_sum", of.name), labels, &number(sum));
        self.line(&format!("{}_count", of.name), labels, &count.to_string());
    }

    fn line(&mut self, name: &str, labels: &Labels<'_>, value: &str) {
        let labels =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value, true)));
        let labels = labels.collect::<Vec<_>>().join(",");
        let _ = writeln!(self.out, "{name}{{{labels}}} {value}");
    }

    /// The complete text.
    pub fn finish(mut self) -> String {
        if self.format == MetricsFormat::OpenMetrics {
            self.out.push_str("# EOF\n");
        }
        self.out
    }
}

/// The name of samples of a family other than a histogram.
fn sample_name(of: &MetricFamily) -> String {
    match of.kind {
        MetricKind::Counter => format!("{}_total", of.name),
        MetricKind::Info => format!("{}_info", of.name),
        MetricKind::Gauge | MetricKind::Histogram | MetricKind::States => of.name.to_string(),
    }
}

/// Escapes backslash, line feed and, in labels and everywhere in OpenMetrics, the double quote.
fn escaped(text: &str, quotes: bool) -> String {
    let text = text.replace('\\', "\\\\").replace('\n', "\\n");
    if quotes { text.replace('"', "\\\"") } else { text }
}

/// A number in Go's notation, required by OpenMetrics for bounds: "0.005", "1e-06", "1.0".
pub fn number(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-4 {
        let text = format!("{value:e}");
        return match text.split_once("e-") {
            Some((digits, power)) if power.len() == 1 => format!("{digits}e-0{power}"),
            _ => text,
        };
    }
    format!("{value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: MetricFamily =
        MetricFamily { name: "ops", kind: MetricKind::Counter, unit: "", help: "Op\"s\".\\" };
    const TIME: MetricFamily = MetricFamily {
        name: "t_seconds",
        kind: MetricKind::Histogram,
        unit: "seconds",
        help: "Time.",
    };
    const RUN: MetricFamily =
        MetricFamily { name: "run", kind: MetricKind::Info, unit: "", help: "A run." };

    fn written(format: MetricsFormat) -> String {
        let mut out = MetricsWriter::of(format);
        out.family(&OPS);
        out.sample(&OPS, &[("subject", "a \"b\" \\ c\nd")], "12");
        out.family(&TIME);
        let below = &[(1e-6, 1), (0.001, 2), (1.0, 2)];
        out.histogram(&TIME, &[("s", "x")], &Cumulative { below, count: 3, sum: 11.5 });
        out.family(&RUN);
        out.sample(&RUN, &[("title", "é")], "1");
        out.finish()
    }

    #[test]
    fn both_formats_are_as_their_documents_have_them() {
        let text = "# HELP ops_total Op\"s\".\\\\\n# TYPE ops_total counter\n\
             ops_total{subject=\"a \\\"b\\\" \\\\ c\\nd\"} 12\n\
             # HELP t_seconds Time.\n# TYPE t_seconds histogram\n\
             t_seconds_bucket{s=\"x\",le=\"1e-06\"} 1\nt_seconds_bucket{s=\"x\",le=\"0.001\"} 2\n\
             t_seconds_bucket{s=\"x\",le=\"1.0\"} 2\nt_seconds_bucket{s=\"x\",le=\"+Inf\"} 3\n\
             t_seconds_sum{s=\"x\"} 11.5\nt_seconds_count{s=\"x\"} 3\n\
             # HELP run_info A run.\n# TYPE run_info gauge\nrun_info{title=\"é\"} 1\n";
        assert_eq!(written(MetricsFormat::Text), text);
        let open = text
            .replace("HELP ops_total Op\"s\"", "HELP ops Op\\\"s\\\"")
            .replace("TYPE ops_total", "TYPE ops")
            .replace(
                "TYPE t_seconds histogram\n",
                "TYPE t_seconds histogram\n# UNIT t_seconds seconds\n",
            )
            .replace("HELP run_info", "HELP run")
            .replace("TYPE run_info gauge", "TYPE run info");
        assert_eq!(written(MetricsFormat::OpenMetrics), open + "# EOF\n");
    }

    #[test]
    fn bounds_are_printed_as_go_prints_them() {
        let printed = [1e-6, 2e-5, 1e-4, 0.05, 1.0, 10.0].map(number);
        assert_eq!(printed, ["1e-06", "2e-05", "0.0001", "0.05", "1.0", "10.0"]);
    }
}
