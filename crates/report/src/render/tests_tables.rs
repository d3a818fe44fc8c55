//! Every table of the golden briefs and of imported ones: one unit per column, as many columns as
//! fit, no cell broken over many lines; and no mostly empty page in their PDFs.

use std::collections::BTreeSet;

use unicode_width::UnicodeWidthStr;

use super::tests_figures::golden;
use super::tests_protocols::facts_on;
use crate::analysis::Question;
use crate::analysis::facts::Facts;
use crate::brief::block::{Block, Table};
use crate::brief::{Brief, BriefOptions, screens};
use crate::import::{self, ImportedFrom, Input};
use crate::language::Language;
use crate::render::paper::layout::PageLayout;
use crate::render::paper::pdf::filled;
use crate::render::terminal::terminal;

const MAPPING: &str = include_str!("../../../../tests/data/mapping.toml");
const READS: &str = include_str!("../../../../tests/data/micron-7600-random-read.csv");
const MIXED: &str = include_str!("../../../../tests/data/micron-7600-read-while-writing.csv");
const FIO: &str = include_str!("../../../../tests/data/fio-randread.jsonplus.json");

/// The width of an A4 page in points.
const A4: f32 = 595.28;

/// Maximum number of columns of a results table.
const MOST_COLUMNS: usize = 8;

fn imported(kind: &str, files: &[(&str, &str)]) -> Facts {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("b.dyno");
    let format = import::ALL.iter().find(|f| f.info().name == kind).expect("a format");
    let read = |(file, text): &(&str, &str)| {
        let input = Input::new(file, text, Some(("mapping.toml", MAPPING)));
        let contents = format.read(&input).expect("readable");
        ImportedFrom { file: file.to_string(), subject: "A".to_string(), step: None, contents }
    };
    import::import(format, files.iter().map(read).collect(), &path).expect("imported");
    crate::bundles::facts(&[path], &Question::default()).expect("facts")
}

fn all() -> Vec<(&'static str, Facts)> {
    let reads = ("micron-7600-random-read.csv", READS);
    let mixed = ("micron-7600-read-while-writing.csv", MIXED);
    let mut all = golden();
    all.push(("one published table", imported("csv", &[reads])));
    all.push(("two published tables", imported("csv", &[reads, mixed])));
    all.push(("fio", imported("fio", &[("fio.json", FIO)])));
    all
}

fn document(facts: &Facts) -> Brief {
    Brief::new(Language::ENGLISH, facts, &BriefOptions::default()).expect("a document")
}

/// Every table with its section.
fn tables(document: &Brief) -> Vec<(&str, &Table)> {
    let mut all = Vec::new();
    for part in &document.parts {
        for block in &part.blocks {
            if let Block::Table(table) = block {
                all.push((part.id.as_str(), table));
            }
        }
    }
    all
}

/// The unit after a quantity: "72,735 ns" has one, "A 21 % [19, 24] ▲" is a sentence.
fn unit(cell: &str) -> Option<&str> {
    let (number, unit) = cell.split_once(' ')?;
    let is_number = number.chars().any(|c| c.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_digit() || ".,−+±≥".contains(c));
    (is_number && !unit.contains(' ') && unit.chars().all(char::is_alphabetic)).then_some(unit)
}

#[test]
fn no_column_of_any_table_has_two_units() {
    let mut quantities = 0;
    for (name, facts) in all() {
        let document = document(&facts);
        for (section, table) in tables(&document) {
            for column in table.left..table.head.len() {
                let cells = table.rows.iter().filter_map(|(_, row)| row.get(column));
                let mut units: Vec<&str> = cells.filter_map(|cell| unit(cell)).collect();
                units.sort_unstable();
                units.dedup();
                let head = &table.head[column];
                assert!(units.len() < 2, "{name}, {section}, “{head}”: {units:?}");
                quantities += usize::from(head.ends_with(" µs") || head.ends_with("µs"));
            }
        }
    }
    assert!(quantities > 20, "only {quantities} columns of latencies were looked at");
}

#[test]
fn every_table_of_a_comparison_fits_a_terminal_of_eighty_columns() {
    for (name, facts) in all() {
        for screen in
            [screens::compare(Language::ENGLISH, &facts), screens::show(Language::ENGLISH, &facts)]
        {
            let tables: Vec<Block> =
                screen.into_iter().filter(|block| matches!(block, Block::Table(_))).collect();
            assert!(!tables.is_empty(), "{name} has no table");
            let shown = terminal(&tables, 80);
            let wide = shown.lines().filter(|line| line.width() > 80).collect::<Vec<_>>();
            assert!(wide.is_empty(), "{name}: {wide:#?}");
        }
    }
}

/// The decimals of a plain number, with or without a mark: "1,234.5 †" has one.
fn decimals(cell: &str) -> Option<usize> {
    let number = cell.trim_end_matches(['†', ' ']);
    let is_number = number.chars().all(|c| c.is_ascii_digit() || ",.".contains(c));
    (is_number && !number.is_empty())
        .then(|| number.split_once('.').map_or(0, |(_, fraction)| fraction.len()))
}

#[test]
fn numbers_of_a_column_have_one_number_of_decimals_on_each_drive_and_server() {
    let mut seen = BTreeSet::new();
    for (protocol, drives) in [("noisy-neighbour", 2), ("mysql-oltp", 1), ("sync-writes", 1)] {
        let document = document(&facts_on(protocol, drives));
        // A row of the summary is a metric.
        for (section, table) in tables(&document).into_iter().filter(|(id, _)| *id != "summary") {
            for column in table.left..table.head.len() {
                let cells = table.rows.iter().filter_map(|(_, row)| row.get(column));
                let found: BTreeSet<usize> = cells.filter_map(|cell| decimals(cell)).collect();
                let head = &table.head[column];
                assert!(found.len() < 2, "{protocol}, {section}, “{head}”: {found:?} decimals");
                seen.extend(found.iter().filter(|n| **n > 0).map(|_| section.to_string()));
            }
        }
    }
    let rates = ["drives", "database-servers"];
    assert!(rates.iter().all(|section| seen.contains(*section)), "no decimals but in {seen:?}");
}

#[test]
fn tables_of_results_have_room_on_a_page_and_break_no_cell_over_many_lines() {
    for (name, facts) in all() {
        let document = document(&facts);
        let read = ["summary", "results"];
        for (section, table) in tables(&document).into_iter().filter(|(id, _)| read.contains(id)) {
            let columns = table.head.len();
            assert!(columns <= MOST_COLUMNS, "{name}, {section}: {:?}", table.head);
            let lines = PageLayout::new(A4).most_lines(table);
            assert!(lines <= 3, "{name}, {section}: a cell of {lines} lines: {:?}", table.head);
        }
    }
}

#[test]
fn no_page_of_a_pdf_but_the_last_is_emptier_than_a_fifth() {
    for (name, facts) in all() {
        let filled = filled(&document(&facts));
        let [full @ .., _last] = &filled[..] else { panic!("no pages") };
        assert!(full.iter().all(|share| *share >= 0.8), "{name}: {filled:.2?}");
    }
}
