//! Rows as comma-separated values, and as a JSON array of objects. A missing value is an empty
//! cell, or null.

use std::io::Write;

use super::{Column, ExportForm, ExportValue, RowSink};
use dyno_core::base::error::Result;

pub struct CsvForm;

impl ExportForm for CsvForm {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn writer<'a>(
        &self,
        columns: &[Column],
        out: Box<dyn Write + Send + 'a>,
    ) -> Result<Box<dyn RowSink + 'a>> {
        let mut writer = ::csv::Writer::from_writer(out);
        writer.write_record(columns.iter().map(|(name, _)| name))?;
        Ok(Box::new(CsvRows(writer)))
    }
}

struct CsvRows<'a>(::csv::Writer<Box<dyn Write + Send + 'a>>);

impl RowSink for CsvRows<'_> {
    fn row(&mut self, values: Vec<ExportValue>) -> Result<()> {
        let written = values.into_iter().map(|value| match value {
            ExportValue::Missing => String::new(),
            ExportValue::Text(text) => inert(text),
            ExportValue::Whole(n) => n.to_string(),
            ExportValue::Real(n) => n.to_string(),
            ExportValue::Truth(truth) => truth.to_string(),
        });
        Ok(self.0.write_record(written)?)
    }

    fn end(mut self: Box<Self>) -> Result<()> {
        Ok(self.0.flush()?)
    }
}

/// Spreadsheets execute a cell with this prefix as a formula; an apostrophe makes it text.
fn inert(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '|', '%', '＝', '＋', '－', '＠']) {
        format!("'{text}")
    } else {
        text
    }
}

pub struct JsonForm;

impl ExportForm for JsonForm {
    fn name(&self) -> &'static str {
        "json"
    }

    fn writer<'a>(
        &self,
        columns: &[Column],
        out: Box<dyn Write + Send + 'a>,
    ) -> Result<Box<dyn RowSink + 'a>> {
        Ok(Box::new(JsonRows {
            names: columns.iter().map(|(name, _)| *name).collect(),
            out,
            first: true,
        }))
    }
}

/// One object per line, for readers and `grep`.
struct JsonRows<'a> {
    names: Vec<&'static str>,
    out: Box<dyn Write + Send + 'a>,
    first: bool,
}

impl RowSink for JsonRows<'_> {
    fn row(&mut self, values: Vec<ExportValue>) -> Result<()> {
        let begun = if std::mem::take(&mut self.first) { "[\n" } else { ",\n" };
        let pairs = self.names.iter().zip(values).map(|(name, value)| {
            let value: serde_json::Value = match value {
                ExportValue::Missing => serde_json::Value::Null,
                ExportValue::Text(text) => text.into(),
                ExportValue::Whole(n) => n.into(),
                // JSON has no infinity; serde_json writes null.
                ExportValue::Real(n) => n.into(),
                ExportValue::Truth(truth) => truth.into(),
            };
            format!("\"{name}\":{value}")
        });
        write!(self.out, "{begun}{{{}}}", pairs.collect::<Vec<_>>().join(","))?;
        Ok(())
    }

    fn end(mut self: Box<Self>) -> Result<()> {
        let begun = if self.first { "[" } else { "" };
        writeln!(self.out, "{begun}\n]")?;
        Ok(self.out.flush()?)
    }
}
