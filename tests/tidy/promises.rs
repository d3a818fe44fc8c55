//! Pages name the tests that hold their promises: `ground::a_drive_that_shares_bytes_…` is the
//! beginning of a test's name in the module `ground`, `stacks::*` all tests of a module.

use std::path::Path;

use crate::rust_files;

/// Pages whose promises are security, data, or right values of other tools' files.
const PAGES: [&str; 5] = [
    "docs/security.md",
    "docs/drives.md",
    "docs/serve.md",
    "docs/powercut.md",
    "docs/import-cases.md",
];

/// The names of the functions after `#[test]`.
fn tests_of(text: &str) -> impl Iterator<Item = &str> {
    text.split("#[test]").skip(1).filter_map(|rest| {
        let (_, name) = rest.split_once("fn ")?;
        name.split_once('(').map(|(name, _)| name)
    })
}

/// `MODULE::NAME`, `MODULE::BEGINNING_…` and `MODULE::*` between backticks: module and name.
fn references(page: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_word = |part: &str| {
        let own = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == ':';
        part.chars().all(own)
    };
    page.split('`').skip(1).step_by(2).filter_map(move |code| {
        let (module, name) = code.rsplit_once("::")?;
        let bare = name.trim_end_matches('…').trim_end_matches('*');
        (is_word(module) && is_word(bare)).then_some((module.rsplit("::").next()?, name))
    })
}

#[test]
fn every_test_that_a_page_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files: Vec<(String, String)> = ["tests", "src", "crates"]
        .iter()
        .flat_map(|folder| rust_files(folder))
        .map(|(path, text)| (path.display().to_string(), text))
        .collect();
    let mut missing = Vec::new();
    let mut found = 0;
    for page in PAGES {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        for (module, name) in references(&text) {
            let is_in = |path: &str| {
                let mut parts = path.trim_end_matches(".rs").split('/');
                module == "tests" || parts.any(|part| part == module)
            };
            let mut tests =
                files.iter().filter(|(path, _)| is_in(path)).flat_map(|(_, text)| tests_of(text));
            let exists = match name.strip_suffix('…') {
                _ if name == "*" => tests.next().is_some(),
                Some(beginning) => tests.any(|test| test.starts_with(beginning)),
                // A module alone, such as `it::web_attacks`, is a file.
                None => {
                    tests.any(|test| test == name)
                        || files.iter().any(|(path, _)| path.ends_with(&format!("/{name}.rs")))
                }
            };
            found += 1;
            if !exists {
                missing.push(format!("{page}: `{module}::{name}`"));
            }
        }
        for path in text.split('`').skip(1).step_by(2).filter(|code| code.starts_with("tests/")) {
            if !path.contains(['*', ' ']) && !root.join(path).exists() {
                missing.push(format!("{page}: `{path}`"));
            }
        }
    }
    assert!(found > 60, "{found} tests are named");
    assert!(missing.is_empty(), "no such test: {missing:#?}");
}
