//! The files of one addition to a dataset: rows by partition, held in memory up to a size, then
//! written as Parquet row groups.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::Int64Type;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::{ColumnPath, Type};

use super::VERSION;
use super::rows::{self, DatasetRow, HISTOGRAMS, HistogramBuckets, Partition};
use crate::export::Column;
use crate::export::parquet::{field, write_column};
use dyno_core::base::error::{Context, Result};

/// The name of a file in its partition.
const NAME: &str = "points.parquet";
/// The two columns of a bucket.
const BUCKET: [&str; 2] = ["to_ns", "count"];

/// Files being written, in a separate folder.
pub struct Files {
    folder: PathBuf,
    columns: Vec<Column>,
    schema: Arc<Type>,
    properties: WriterPropertiesPtr,
    parts: BTreeMap<Partition, PartFile>,
    /// The memory used by unwritten rows.
    held: usize,
}

#[derive(Default)]
struct PartFile {
    rows: Vec<DatasetRow>,
    file: Option<SerializedFileWriter<File>>,
}

impl Files {
    /// No files yet, in an existing folder.
    pub fn below(folder: &Path) -> Result<Files> {
        let columns = rows::columns();
        Ok(Files {
            folder: folder.to_path_buf(),
            schema: schema(&columns)?,
            columns,
            properties: Arc::new(properties()),
            parts: BTreeMap::new(),
            held: 0,
        })
    }

    /// Bytes of rows in memory.
    pub fn held(&self) -> usize {
        self.held
    }

    /// Partitions that have rows.
    pub fn partitions(&self) -> usize {
        self.parts.len()
    }

    /// Adds a row.
    pub fn add(&mut self, partition: Partition, row: DatasetRow) {
        self.held += row.bytes();
        self.parts.entry(partition).or_default().rows.push(row);
    }

    /// Adds unwritten rows of other files.
    pub fn take(&mut self, others: Vec<(Partition, DatasetRow)>) {
        others.into_iter().for_each(|(partition, row)| self.add(partition, row));
    }

    /// Writes the rows in memory; the files stay open.
    pub fn write(&mut self) -> Result<()> {
        for (partition, part) in &mut self.parts {
            let rows = std::mem::take(&mut part.rows);
            if rows.is_empty() {
                continue;
            }
            if part.file.is_none() {
                let folder = self.folder.join(partition.path());
                std::fs::create_dir_all(&folder)
                    .with_context(|| format!("making {}", folder.display()))?;
                let path = folder.join(NAME);
                let file = File::create_new(&path)
                    .with_context(|| format!("writing {}", path.display()))?;
                let (schema, properties) = (self.schema.clone(), self.properties.clone());
                part.file = Some(SerializedFileWriter::new(file, schema, properties)?);
            }
            let Some(file) = &mut part.file else { continue };
            write_group(file.next_row_group()?, &self.columns, &rows)
                .with_context(|| format!("writing below {}", self.folder.display()))?;
        }
        self.held = 0;
        Ok(())
    }

    /// Writes the rest and closes every file, synced to its drive.
    pub fn end(mut self) -> Result<()> {
        self.write()?;
        for mut file in self.parts.into_values().filter_map(|part| part.file) {
            file.finish().context("ending a Parquet file")?;
            file.inner().sync_all().context("ending a Parquet file")?;
        }
        Ok(())
    }
}

fn schema(columns: &[Column]) -> Result<Arc<Type>> {
    let mut fields = columns.iter().map(field).collect::<Result<Vec<_>>>()?;
    for name in HISTOGRAMS {
        fields.push(list(name)?);
    }
    Ok(Arc::new(Type::group_type_builder("dyno").with_fields(fields).build()?))
}

/// A list of pairs in three levels, as in the format's specification.
fn list(name: &str) -> Result<Arc<Type>> {
    let number = |name: &str| {
        let own = Type::primitive_type_builder(name, Physical::INT64);
        Ok(Arc::new(own.with_repetition(Repetition::REQUIRED).build()?))
    };
    let pair = BUCKET.iter().map(|name| number(name)).collect::<Result<Vec<_>>>()?;
    let element = Type::group_type_builder("element").with_repetition(Repetition::REQUIRED);
    let element = Arc::new(element.with_fields(pair).build()?);
    let entries = Type::group_type_builder("list").with_repetition(Repetition::REPEATED);
    let entries = Arc::new(entries.with_fields(vec![element]).build()?);
    let whole = Type::group_type_builder(name).with_repetition(Repetition::OPTIONAL);
    let whole = whole.with_logical_type(Some(LogicalType::List)).with_fields(vec![entries]);
    Ok(Arc::new(whole.build()?))
}

fn properties() -> WriterProperties {
    let version = KeyValue::new("dyno.dataset".to_string(), VERSION.to_string());
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(vec![version]));
    for (list, part) in HISTOGRAMS.iter().flat_map(|list| BUCKET.map(|part| (list, part))) {
        // Ascending limits, and small counts: differences take a byte or two each.
        let path = [*list, "list", "element", part].map(String::from).to_vec();
        let path = ColumnPath::new(path);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    properties.build()
}

fn write_group(
    mut group: SerializedRowGroupWriter<'_, File>,
    columns: &[Column],
    rows: &[DatasetRow],
) -> Result<()> {
    let mut index = 0;
    while let Some(mut column) = group.next_column()? {
        match columns.get(index) {
            Some((_, kind)) => {
                write_column(column, *kind, rows.iter().map(|row| &row.values[index]))?;
            }
            None => {
                let at = index - columns.len();
                let part: fn(&(i64, i64)) -> i64 =
                    if at.is_multiple_of(2) { |b| b.0 } else { |b| b.1 };
                let lists = rows.iter().map(|row| row.histograms[at / 2].as_ref());
                let (values, there, again) = levels(lists, part);
                column.typed::<Int64Type>().write_batch(&values, Some(&there), Some(&again))?;
                column.close()?;
            }
        }
        index += 1;
    }
    group.close()?;
    Ok(())
}

/// A list's values with their definition and repetition levels: 0 for no list, 1 for an empty one,
/// 2 for an entry; every entry after the first repeats at level 1.
fn levels<'a>(
    lists: impl Iterator<Item = Option<&'a HistogramBuckets>>,
    part: fn(&(i64, i64)) -> i64,
) -> (Vec<i64>, Vec<i16>, Vec<i16>) {
    let (mut values, mut there, mut again) = (Vec::new(), Vec::new(), Vec::new());
    for list in lists {
        let entries = list.map_or(&[][..], Vec::as_slice);
        if entries.is_empty() {
            there.push(i16::from(list.is_some()));
            again.push(0);
        }
        for (number, bucket) in entries.iter().enumerate() {
            values.push(part(bucket));
            there.push(2);
            again.push(i16::from(number > 0));
        }
    }
    (values, there, again)
}
