//! Bundles as tables for other tools: the columns of a table, values, and the destination of rows.
//!
//! A table is a file and a line in `TABLES`, a form one in `FORMS`.

pub mod claims;
mod comparisons;
pub mod dataset;
mod histograms;
mod intervals;
mod key;
mod parquet;
mod points;
mod samples;
mod slow_ops;
mod stored;
mod text;

use std::io::Write;
use std::path::PathBuf;

use crate::analysis::Facts;
use dyno_core::base::error::Result;
use dyno_core::base::registry::Registry;

/// The type of a column; every value may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text, in UTF-8.
    Text,
    /// Signed 64-bit integer.
    Whole,
    /// A double; infinite if unlimited.
    Real,
    /// True or false.
    Truth,
}

pub use stored::Stored;

/// A column's name, which ends in its unit, and its type.
pub type Column = (&'static str, ColumnKind);

/// A value of a row, of its column's type.
#[derive(Clone, Debug, PartialEq)]
pub enum ExportValue {
    /// Not measured, or not reported.
    Missing,
    /// Text, in UTF-8.
    Text(String),
    /// Signed 64-bit integer.
    Whole(i64),
    /// A double.
    Real(f64),
    /// True or false.
    Truth(bool),
}

/// Receives the values of a row.
pub type TakeRow<'a> = dyn FnMut(Vec<ExportValue>) -> Result<()> + 'a;

/// One table of a bundle.
pub trait ExportTable: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// Its columns, in order; docs/export.md describes them.
    fn columns(&self) -> Vec<Column>;
    /// All rows, for a table without points.
    fn whole(&self, facts: &Facts) -> Option<Vec<Vec<ExportValue>>> {
        let _ = facts;
        None
    }
    /// The rows of one point, in the order of the columns; empty for a table without points.
    fn rows(&self, stored: &Stored<'_>, row: &mut TakeRow<'_>) -> Result<()> {
        let _ = (stored, row);
        Ok(())
    }
}

/// Every table, in the order of the help.
pub static TABLES: Registry<&'static dyn ExportTable> = Registry::new(&[
    &points::Points,
    &intervals::Intervals,
    &histograms::Histograms,
    &samples::Samples,
    &slow_ops::SlowOps,
    &comparisons::ComparisonsTable,
]);

/// A file format.
pub trait ExportForm: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// Writes the header, and accepts rows from then on.
    fn writer<'a>(
        &self,
        columns: &[Column],
        out: Box<dyn Write + Send + 'a>,
    ) -> Result<Box<dyn RowSink + 'a>>;
}

/// Every form, in the order of the help.
pub static FORMS: Registry<&'static dyn ExportForm> =
    Registry::new(&[&text::CsvForm, &text::JsonForm, &parquet::Parquet]);

/// Accepts rows one after the other.
pub trait RowSink {
    /// One row, a value for each column.
    fn row(&mut self, values: Vec<ExportValue>) -> Result<()>;
    /// Writes the trailer, and closes it.
    fn end(self: Box<Self>) -> Result<()>;
}

/// Writes one table of the bundles from which these facts are.
pub fn export(
    (paths, facts): (&[PathBuf], &Facts),
    table: &dyn ExportTable,
    form: &dyn ExportForm,
    out: Box<dyn Write + Send + '_>,
) -> Result<()> {
    let mut writer = form.writer(&table.columns(), out)?;
    match table.whole(facts) {
        Some(rows) => rows.into_iter().try_for_each(|row| writer.row(row))?,
        None => stored::each_point((paths, &facts.statements.mask), &mut |stored| {
            table.rows(stored, &mut |values| writer.row(values))
        })?,
    }
    writer.end()
}

impl From<&str> for ExportValue {
    fn from(text: &str) -> ExportValue {
        ExportValue::Text(text.to_string())
    }
}

impl From<u64> for ExportValue {
    /// Values beyond signed numbers (centuries in nanoseconds) do not occur, and a missing value is
    /// better than a wrong one.
    fn from(n: u64) -> ExportValue {
        i64::try_from(n).map_or(ExportValue::Missing, ExportValue::Whole)
    }
}

impl From<u32> for ExportValue {
    fn from(n: u32) -> ExportValue {
        ExportValue::Whole(i64::from(n))
    }
}

impl From<i64> for ExportValue {
    fn from(n: i64) -> ExportValue {
        ExportValue::Whole(n)
    }
}

impl From<f64> for ExportValue {
    fn from(n: f64) -> ExportValue {
        if n.is_nan() { ExportValue::Missing } else { ExportValue::Real(n) }
    }
}

impl From<bool> for ExportValue {
    fn from(truth: bool) -> ExportValue {
        ExportValue::Truth(truth)
    }
}

impl<T: Into<ExportValue>> From<Option<T>> for ExportValue {
    fn from(value: Option<T>) -> ExportValue {
        value.map_or(ExportValue::Missing, Into::into)
    }
}

#[cfg(test)]
mod tests;
