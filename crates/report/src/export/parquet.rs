//! Rows as Apache Parquet, column by column in row groups, compressed with Snappy.

use std::io::Write;
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::Type;

use super::{Column, ColumnKind, ExportForm, ExportValue, RowSink};
use dyno_core::base::error::{Context, Result};

pub struct Parquet;

/// Rows kept in memory until their columns are written: some tens of megabytes.
const GROUP: usize = 100_000;

impl ExportForm for Parquet {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn writer<'a>(
        &self,
        columns: &[Column],
        out: Box<dyn Write + Send + 'a>,
    ) -> Result<Box<dyn RowSink + 'a>> {
        let fields = columns.iter().map(field).collect::<Result<Vec<_>>>()?;
        let schema = Type::group_type_builder("dyno").with_fields(fields).build()?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?;
        Ok(Box::new(ParquetRows {
            file,
            kinds: columns.iter().map(|(_, kind)| *kind).collect(),
            held: Vec::new(),
        }))
    }
}

/// A column of a schema.
pub fn field((name, kind): &Column) -> Result<Arc<Type>> {
    let (physical, logical) = match kind {
        ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnKind::Whole => (Physical::INT64, None),
        ColumnKind::Real => (Physical::DOUBLE, None),
        ColumnKind::Truth => (Physical::BOOLEAN, None),
    };
    let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    Ok(Arc::new(field.with_logical_type(logical).build()?))
}

struct ParquetRows<'a> {
    file: SerializedFileWriter<Box<dyn Write + Send + 'a>>,
    kinds: Vec<ColumnKind>,
    held: Vec<Vec<ExportValue>>,
}

impl RowSink for ParquetRows<'_> {
    fn row(&mut self, values: Vec<ExportValue>) -> Result<()> {
        self.held.push(values);
        if self.held.len() == GROUP { self.write() } else { Ok(()) }
    }

    fn end(mut self: Box<Self>) -> Result<()> {
        self.write()?;
        self.file.close().context("ending the Parquet file")?;
        Ok(())
    }
}

impl ParquetRows<'_> {
    fn write(&mut self) -> Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        let mut index = 0;
        while let Some(column) = group.next_column()? {
            write_column(column, self.kinds[index], self.held.iter().map(|row| &row[index]))?;
            index += 1;
        }
        group.close()?;
        self.held.clear();
        Ok(())
    }
}

/// The present values, and for each row whether it has one.
pub fn write_column<'v>(
    mut column: SerializedColumnWriter<'_>,
    kind: ColumnKind,
    values: impl Iterator<Item = &'v ExportValue> + Clone,
) -> Result<()> {
    let there: Vec<i16> = values.clone().map(|v| i16::from(*v != ExportValue::Missing)).collect();
    match kind {
        ColumnKind::Text => {
            let of = |v: &ExportValue| {
                if let ExportValue::Text(text) = v {
                    Some(ByteArray::from(text.as_str()))
                } else {
                    None
                }
            };
            let all: Vec<ByteArray> = values.filter_map(of).collect();
            column.typed::<ByteArrayType>().write_batch(&all, Some(&there), None)?;
        }
        ColumnKind::Whole => {
            let all: Vec<i64> = values
                .filter_map(|v| if let ExportValue::Whole(n) = v { Some(*n) } else { None })
                .collect();
            column.typed::<Int64Type>().write_batch(&all, Some(&there), None)?;
        }
        ColumnKind::Real => {
            let all: Vec<f64> = values
                .filter_map(|v| if let ExportValue::Real(n) = v { Some(*n) } else { None })
                .collect();
            column.typed::<DoubleType>().write_batch(&all, Some(&there), None)?;
        }
        ColumnKind::Truth => {
            let all: Vec<bool> = values
                .filter_map(|v| if let ExportValue::Truth(t) = v { Some(*t) } else { None })
                .collect();
            column.typed::<BoolType>().write_batch(&all, Some(&there), None)?;
        }
    }
    column.close()?;
    Ok(())
}
