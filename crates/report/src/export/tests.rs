//! The same rows in every form, and every column filled as declared.

use std::path::PathBuf;

use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Field;

use super::{ColumnKind, ExportTable, FORMS, TABLES, export};
use crate::analysis::Question;
use crate::render::tests_bundle::{bundle, small};

fn the(table: usize) -> &'static dyn ExportTable {
    TABLES.iter().nth(table).expect("a table")
}

fn made(paths: &[PathBuf], table: usize, form: &str) -> Vec<u8> {
    let path = paths[0].with_extension(form);
    let form = FORMS.iter().find(|f| f.name() == form).expect("a form");
    let file = Box::new(std::fs::File::create(&path).expect("a file"));
    let facts = crate::bundles::facts(paths, &Question::default()).expect("facts");
    export((paths, &facts), the(table), form, file).expect("an export");
    std::fs::read(path).expect("what was written")
}

/// Values as text, which distinguishes them in all forms.
fn of_parquet(bytes: Vec<u8>) -> Vec<Vec<String>> {
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("Parquet");
    let text = |field: &Field| match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        Field::Long(n) => n.to_string(),
        Field::Double(n) => n.to_string(),
        Field::Bool(truth) => truth.to_string(),
        other => panic!("{other:?} is of no kind that is written"),
    };
    let rows = reader.get_row_iter(None).expect("rows");
    rows.map(|row| row.expect("a row").get_column_iter().map(|(_, f)| text(f)).collect()).collect()
}

fn of_csv(bytes: &[u8]) -> Vec<Vec<String>> {
    let mut reader = ::csv::ReaderBuilder::new().has_headers(true).from_reader(bytes);
    reader.records().map(|r| r.expect("a row").iter().map(str::to_string).collect()).collect()
}

fn of_json(bytes: &[u8], columns: &[super::Column]) -> Vec<Vec<String>> {
    let rows: Vec<serde_json::Value> = serde_json::from_slice(bytes).expect("JSON");
    let text = |value: &serde_json::Value, kind: ColumnKind| match (value, kind) {
        (serde_json::Value::Null, _) => String::new(),
        (serde_json::Value::String(text), ColumnKind::Text) => text.clone(),
        (value, ColumnKind::Real) => value.as_f64().expect("a number").to_string(),
        (value, _) => value.to_string(),
    };
    rows.iter()
        .map(|row| columns.iter().map(|(name, kind)| text(&row[name], *kind)).collect())
        .collect()
}

#[test]
fn every_form_holds_the_same_rows() {
    let (_folder, paths) = bundle(&small());
    for (index, table) in TABLES.iter().enumerate() {
        let csv = of_csv(&made(&paths, index, "csv"));
        assert_eq!(
            csv,
            of_json(&made(&paths, index, "json"), &table.columns()),
            "{}",
            table.name()
        );
        assert_eq!(csv, of_parquet(made(&paths, index, "parquet")), "{}", table.name());
        let rows = match table.name() {
            // Points × streams; seconds of the only stream with intervals.
            "points" => 2 * 3 * 3 * 2,
            "intervals" => 2 * 3 * 3 * 10,
            "histograms" => csv.len().max(1_000),
            // One pair: ops/s and p99 at three values and their means.
            "comparisons" => csv.len().clamp(6, 8),
            _ => 0,
        };
        assert_eq!(csv.len(), rows, "{}", table.name());
    }
}

#[test]
fn a_point_that_failed_says_why() {
    let (_folder, paths) = bundle(&small());
    let rows = of_csv(&made(&paths, 0, "csv"));
    assert!(
        rows.iter().any(|row| row.contains(&"failed: the disk, it seems, is full".to_string()))
    );
}

#[test]
fn the_histogram_holds_every_op() {
    let (_folder, paths) = bundle(&small());
    let sum = |table: usize, name: &str| {
        let at = the(table).columns().iter().position(|c| c.0 == name).expect("a column");
        let rows = of_csv(&made(&paths, table, "csv"));
        rows.iter().map(|row| row[at].parse::<u64>().expect("a count")).sum::<u64>()
    };
    assert_eq!(sum(0, "ops"), sum(2, "count"));
}
