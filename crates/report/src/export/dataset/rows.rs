//! The contents of a dataset's row, and its partition.

use std::collections::HashMap;

use crate::export::stored::{self, Stored};
use crate::export::{Column, ColumnKind, ExportTable, ExportValue, points};
use dyno_core::base::error::Result;
use dyno_core::base::histogram::Histogram;
use dyno_core::base::units;
use dyno_core::record::setup::DriveSetup;
use dyno_core::record::{Cell, Class, Tally};
use dyno_core::store::Bundle;

/// Columns in addition to those of the table `points`; the histograms follow.
const OWN: [Column; 15] = [
    ("run", ColumnKind::Text),
    ("dyno_version", ColumnKind::Text),
    ("method", ColumnKind::Whole),
    ("host", ColumnKind::Text),
    ("serial", ColumnKind::Text),
    ("counts_as_op", ColumnKind::Truth),
    ("bytes", ColumnKind::Whole),
    ("moves_data", ColumnKind::Truth),
    ("service_sum_ns", ColumnKind::Whole),
    ("service_min_ns", ColumnKind::Whole),
    ("service_overflow", ColumnKind::Whole),
    ("response_sum_ns", ColumnKind::Whole),
    ("response_min_ns", ColumnKind::Whole),
    ("response_overflow", ColumnKind::Whole),
    ("bundle_started_unix_ns", ColumnKind::Whole),
];

/// Lists of (`to_ns`, `count`), one entry per non-empty bucket.
pub const HISTOGRAMS: [&str; 2] = ["service_buckets", "response_buckets"];

/// The value of an unknown partition key.
const UNKNOWN: &str = "unknown";

/// Buckets of a histogram: the largest latency of each, and its count.
pub type HistogramBuckets = Vec<(i64, i64)>;

/// A row.
pub struct DatasetRow {
    /// A value for each of `columns`.
    pub values: Vec<ExportValue>,
    /// One for each of `HISTOGRAMS`.
    pub histograms: [Option<HistogramBuckets>; 2],
}

/// The keys of a Hive partition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Partition {
    protocol: String,
    model: String,
    firmware: String,
    month: String,
}

/// Every column except the histograms, in order; docs/dataset.md describes them.
pub fn columns() -> Vec<Column> {
    [points::Points.columns(), OWN.to_vec()].concat()
}

impl DatasetRow {
    /// Its approximate memory use.
    pub fn bytes(&self) -> usize {
        let text = |v: &ExportValue| if let ExportValue::Text(text) = v { text.len() } else { 0 };
        let values: usize = self.values.iter().map(|v| size_of::<ExportValue>() + text(v)).sum();
        let buckets: usize = self.histograms.iter().flatten().map(|b| 16 * b.len()).sum();
        values + buckets
    }
}

impl Partition {
    /// `protocol=…/model=…/firmware=…/month=2026-11`
    pub fn path(&self) -> String {
        let keys = [
            ("protocol", &self.protocol),
            ("model", &self.model),
            ("firmware", &self.firmware),
            ("month", &self.month),
        ];
        let encoded = keys.map(|(key, value)| format!("{key}={}", encoded(value)));
        encoded.join("/")
    }
}

/// In the form read by Hive, Spark, DuckDB and Polars: percent-encoded, except for ASCII letters,
/// digits, "-", "_" and ".".
fn encoded(value: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    let one = |b: u8| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    value.bytes().map(one).collect()
}

/// Known facts about a subject's drive.
#[derive(Clone, Default)]
struct DriveIdentity {
    model: Option<String>,
    firmware: Option<String>,
    serial: Option<String>,
}

/// Common to all rows of a bundle.
struct Common<'a> {
    bundle: &'a Bundle,
    run: &'a str,
    host: Option<String>,
    month: String,
    drives: HashMap<(String, u32), DriveIdentity>,
}

/// Passes on every row of a bundle with identity `run`, with its partition.
pub fn each(
    bundle: &Bundle,
    (run, file): (&str, &str),
    visit: &mut dyn FnMut(Partition, DatasetRow) -> Result<()>,
) -> Result<()> {
    let started = bundle.run().started_unix_ns;
    let common = Common {
        bundle,
        run,
        host: bundle.host()?.name,
        month: match started {
            0 => UNKNOWN.to_string(),
            // "2026-11-22 20:15 UTC"
            at => units::moment(at).chars().take(7).collect(),
        },
        drives: drives(bundle)?,
    };
    stored::each_of(bundle, file, &mut |stored| {
        points::each(stored, &mut |of, values| {
            // Its histograms are the sums of others, which a query makes.
            if of.is_some_and(|(_, class)| class == Class::ALL) {
                return Ok(());
            }
            let (partition, row) = common.row(stored, of, values);
            visit(partition, row)
        })
    })
}

/// For each subject's drives, by number from 0.
fn drives(bundle: &Bundle) -> Result<HashMap<(String, u32), DriveIdentity>> {
    let of = |own: DriveSetup| {
        let DriveSetup { subject, drive, model, firmware, serial, .. } = own;
        ((subject, drive), DriveIdentity { model, firmware, serial })
    };
    Ok(bundle.drives()?.into_iter().map(of).collect())
}

impl Common<'_> {
    fn row(
        &self,
        stored: &Stored<'_>,
        of: Option<(&Cell, Class)>,
        values: Vec<ExportValue>,
    ) -> (Partition, DatasetRow) {
        let run = self.bundle.run();
        let subject = &stored.point.point.key.subject;
        let drive = of.map_or(0, |(cell, _)| cell.drive);
        let known = self.drives.get(&(subject.clone(), drive)).cloned().unwrap_or_default();
        let or_unknown = |value: Option<String>| value.unwrap_or_else(|| UNKNOWN.to_string());
        let partition = Partition {
            protocol: run.plan.protocol.name.clone(),
            model: or_unknown(known.model),
            firmware: or_unknown(known.firmware),
            month: self.month.clone(),
        };
        let tally = of.and_then(|(cell, class)| cell.tallies.iter().find(|t| t.class == class));
        let (service, response) = (tally.map(|t| &t.service), tally.and_then(response));
        let class = of.map(|(_, class)| class);
        let own = [
            self.run.into(),
            run.dyno_version.as_str().into(),
            run.plan.method.0.into(),
            self.host.as_deref().into(),
            known.serial.as_deref().into(),
            class.map(Class::counts_as_op).into(),
            tally.map(|t| t.bytes).into(),
            class.map(Class::moves_data).into(),
            service.map(|h| h.sum_ns).into(),
            least(service),
            service.map(|h| h.overflow).into(),
            response.map(|h| h.sum_ns).into(),
            least(response),
            response.map(|h| h.overflow).into(),
            Some(run.started_unix_ns).filter(|at| *at > 0).into(),
        ];
        let histograms = [service.map(buckets), response.map(buckets)];
        (partition, DatasetRow { values: [values, own.to_vec()].concat(), histograms })
    }
}

fn response(tally: &Tally) -> Option<&Histogram> {
    tally.response.as_ref()
}

/// None for an empty histogram.
fn least(histogram: Option<&Histogram>) -> ExportValue {
    histogram.filter(|h| h.count > 0).map(|h| h.min_ns).into()
}

fn buckets(histogram: &Histogram) -> HistogramBuckets {
    // Neither a time up to an hour nor a permitted count exceeds 63 bits.
    histogram.buckets().map(|(to_ns, count)| (to_ns as i64, count as i64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_encoded_so_that_no_value_is_a_path_or_a_number_of_another_kind() {
        let partition = Partition {
            protocol: "rocksdb-threads".into(),
            model: "Micron 7450/../MTFD=15%".into(),
            firmware: "E2MU200".into(),
            month: "2026-11".into(),
        };
        assert_eq!(
            partition.path(),
            "protocol=rocksdb-threads/model=Micron%207450%2F..%2FMTFD%3D15%25/firmware=E2MU200/\
             month=2026-11"
        );
        assert_eq!(encoded("é"), "%C3%A9");
    }
}
