//! The glossary has each verdict that Dyno prints: bottlenecks, and an audit's verdicts.

use std::collections::BTreeSet;
use std::path::Path;

/// Where verdicts get their names: a file, and the function with the match arms.
const VERDICTS: [(&str, &str); 2] = [
    ("crates/report/src/analysis/limits/bottleneck.rs", "pub fn name(self) -> &'static str {"),
    ("crates/audit/src/lib.rs", "pub fn words(self) -> &'static str {"),
];

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The strings of a function's arms, `X => "words",` each.
fn arms(text: &str, function: &str) -> Vec<String> {
    let (_, body) = text.split_once(function).expect("the function");
    let (body, _) = body.split_once("\n    }\n").expect("its end");
    let words = body.lines().filter_map(|line| line.split_once("=> \"")?.1.split_once('"'));
    words.map(|(words, _)| words.to_string()).collect()
}

#[test]
fn every_verdict_that_is_printed_has_its_entry() {
    let glossary = read("GLOSSARY.md");
    let rows = glossary.lines().filter_map(|line| line.strip_prefix("| "));
    let terms: Vec<&str> = rows.filter_map(|row| Some(row.split_once(" |")?.0)).collect();
    let mut missing = Vec::new();
    for (file, function) in VERDICTS {
        let words = arms(&read(file), function);
        assert!(words.len() > 5, "{file}: {words:?}");
        // A row may define several, separated by commas.
        let has = |word: &String| {
            terms.iter().any(|term| term == word || term.split(", ").any(|part| part == word))
        };
        missing.extend(words.into_iter().filter(|word| !has(word)));
    }
    assert!(missing.is_empty(), "not in GLOSSARY.md: {missing:?}");
}

/// Tables of verdicts contain printed names, which may also be terms.
#[test]
fn no_term_has_two_entries() {
    let glossary = read("GLOSSARY.md");
    let (mut terms, mut defines, mut twice) = (BTreeSet::new(), false, Vec::new());
    for line in glossary.lines().filter_map(|line| line.strip_prefix("| ")) {
        let first = line.split(" |").next().expect("a cell");
        if line.contains("| Definition |") {
            defines = first == "Term";
        } else if defines {
            twice.extend(first.split(", ").filter(|term| !terms.insert(term.to_string())));
        }
    }
    assert!(terms.len() > 150, "{} terms", terms.len());
    assert!(twice.is_empty(), "defined twice in GLOSSARY.md: {twice:?}");
}

#[test]
fn each_row_has_a_cell_for_each_column() {
    let glossary = read("GLOSSARY.md");
    let (mut columns, mut wrong) = (0, Vec::new());
    for (number, line) in glossary.lines().enumerate() {
        let cells = line.matches('|').count();
        if cells == 0 {
            columns = 0;
        } else if columns == 0 {
            columns = cells;
        } else if cells != columns {
            wrong.push(format!("line {}: {line}", number + 1));
        }
    }
    assert!(wrong.is_empty(), "rows with other columns than their table's: {wrong:#?}");
}
