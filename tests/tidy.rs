//! The house rules that no compiler knows: lengths, the import diagram, calls that have only one home. Each breach is
//! printed as file:line, the rule, and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};

const FILE_LINES: usize = 500;
const FUNCTION_LINES: usize = 70;
const LINE_CHARS: usize = 120;

/// Which modules the files of each folder under src/ may name: the diagram in src/lib.rs, from the leaf up.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("plan", &["base"]),
    ("record", &["plan", "base"]),
    ("load", &["record", "plan", "base"]),
    ("engine", &["load", "record", "plan", "base"]),
    ("workload", &["load", "record", "plan", "base"]),
    ("lab", &["load", "record", "plan", "base"]),
    ("run", &["engine", "workload", "lab", "load", "record", "plan", "base"]),
    ("store", &["record", "plan", "base"]),
    ("stats", &["record", "plan", "base"]),
    ("report", &["stats", "store", "record", "plan", "base"]),
    ("cmd", &["run", "engine", "workload", "lab", "report", "stats", "store", "load", "record", "plan", "base"]),
];

/// Calls that production code makes in few places or none: (text, where it may stand, what to do instead).
const HOMES: &[(&str, &[&str], &str)] = &[
    ("println!(", PRINTERS, "return the text, or take `out: &mut dyn Write`"),
    ("print!(", PRINTERS, "return the text, or take `out: &mut dyn Write`"),
    ("process::exit", &["src/main.rs"], "return an error; only main exits"),
    (".unwrap()", &[], "use `?` with context, or `expect` with the reason why it cannot fail"),
    ("todo!(", &[], "do it, or leave the feature out"),
    ("unimplemented!(", &[], "do it, or leave the feature out"),
    ("dbg!(", &[], "remove it"),
    ("thread::sleep", &["src/base/clock.rs"], "use Clock::sleep_until, which knows the run's clock"),
];
const PRINTERS: &[&str] = &["src/cmd/", "src/main.rs", "src/run/progress.rs"];

// Put together from parts, so that this file keeps its own rules.
const SKIPPED_TEST: &str = concat!("#[", "ignore");
const MACHINE_PATHS: &[&str] = &[concat!("/wo", "rk/"), concat!("/ho", "me/"), concat!("/ro", "ot/")];

#[derive(Debug, PartialEq)]
struct Breach {
    path: String,
    line: usize,
    rule: String,
    remedy: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.rule, self.remedy)
    }
}

/// A file of the repository, by its path from the top, with the lines that are test code marked.
struct File {
    path: String,
    lines: Vec<String>,
    is_test: Vec<bool>,
}

impl File {
    fn new(path: &str, text: &str) -> File {
        let lines: Vec<String> = text.split('\n').map(str::to_string).collect();
        let is_test = mark_tests(path, &lines);
        File { path: path.to_string(), lines, is_test }
    }

    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    fn breach(&self, index: usize, rule: impl Into<String>, remedy: impl Into<String>) -> Breach {
        Breach { path: self.path.clone(), line: index + 1, rule: rule.into(), remedy: remedy.into() }
    }

    /// Lines of code, comments left out: (index, text, is test code).
    fn code(&self) -> impl Iterator<Item = (usize, &str, bool)> {
        let lines = self.lines.iter().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        lines.map(|(i, line)| (i, line.as_str(), self.is_test[i]))
    }
}

/// Test code: all of tests/, modules of their own called tests.rs, and `#[cfg(test)]` items to their closing brace.
fn mark_tests(path: &str, lines: &[String]) -> Vec<bool> {
    let whole = path.starts_with("tests/") || path.ends_with("/tests.rs");
    let mut marks = vec![whole; lines.len()];
    for (start, line) in lines.iter().enumerate().filter(|(_, line)| line.trim() == "#[cfg(test)]") {
        let indent = &line[..line.len() - line.trim_start().len()];
        let item = lines.get(start + 1).map_or("", String::as_str);
        let end = if item.ends_with('{') { closing(lines, start + 1, indent) } else { start + 1 };
        marks[start..=end.min(lines.len() - 1)].fill(true);
    }
    marks
}

/// The line of the closing brace of what opens at `start`. rustfmt puts it at the same indentation.
fn closing(lines: &[String], start: usize, indent: &str) -> usize {
    let brace = format!("{indent}}}");
    (start + 1..lines.len()).find(|&i| lines[i] == brace).unwrap_or(lines.len() - 1)
}

fn opens_with_its_purpose(file: &File) -> Vec<Breach> {
    let first = file.lines.first().is_some_and(|line| line.starts_with("//! "));
    let remedy = "open the file with `//!`, what it is for and why";
    if first { Vec::new() } else { vec![file.breach(0, "no purpose", remedy)] }
}

fn file_length(file: &File) -> Vec<Breach> {
    let lines = file.lines.len() - usize::from(file.lines.last().is_some_and(String::is_empty));
    let rule = format!("{lines} lines, more than {FILE_LINES}");
    if lines <= FILE_LINES { Vec::new() } else { vec![file.breach(0, rule, "split it where its subject changes")] }
}

fn function_length(file: &File) -> Vec<Breach> {
    let starts = file.code().filter(|(_, line, _)| is_function(line.trim_start()));
    starts
        .filter_map(|(start, line, _)| {
            let indent = &line[..line.len() - line.trim_start().len()];
            let open = (start..file.lines.len()).find(|&i| file.lines[i].ends_with(['{', ';', '}']))?;
            if !file.lines[open].ends_with('{') {
                return None;
            }
            let lines = closing(&file.lines, open, indent) - start + 1;
            let rule = format!("a function of {lines} lines, more than {FUNCTION_LINES}");
            (lines > FUNCTION_LINES)
                .then(|| file.breach(start, rule, "give its parts names and functions of their own"))
        })
        .collect()
}

fn is_function(line: &str) -> bool {
    let mut rest = line;
    for word in ["pub ", "pub(crate) ", "pub(super) ", "const ", "async ", "unsafe ", "extern \"C\" "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    rest.starts_with("fn ")
}

fn import_direction(file: &File) -> Vec<Breach> {
    let Some(inner) = file.path.strip_prefix("src/") else { return Vec::new() };
    let Some((folder, _)) = inner.split_once('/') else { return Vec::new() };
    let Some((_, allowed)) = MAY_IMPORT.iter().find(|(name, _)| *name == folder) else {
        let remedy = "place it in the diagram of src/lib.rs and in MAY_IMPORT of tests/tidy.rs";
        return vec![file.breach(0, format!("unknown folder src/{folder}"), remedy)];
    };
    let mut breaches = Vec::new();
    for (index, line, _) in file.code() {
        for (at, _) in line.match_indices("crate::") {
            let rest = &line[at + "crate::".len()..];
            let module: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if module.is_empty() {
                breaches.push(file.breach(index, "several modules in one use", "write one `use crate::…` for each"));
            } else if module != folder && !allowed.contains(&module.as_str()) {
                let rule = format!("{folder} imports {module}, against the diagram in src/lib.rs");
                let remedy = format!("{folder} may import {}; move the code, or pass it in", allowed.join(", "));
                breaches.push(file.breach(index, rule, remedy));
            }
        }
    }
    breaches
}

fn calls_at_home(file: &File) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (index, line, _) in file.code().filter(|(_, _, is_test)| !is_test) {
        for (call, homes, remedy) in HOMES {
            // `println!(` and `print!(` are also how `eprintln!(` and `eprint!(` end.
            if line.contains(call) && !homes.iter().any(|home| file.path.starts_with(home)) {
                breaches.push(file.breach(index, format!("{call} here"), *remedy));
            }
        }
    }
    breaches
}

fn no_skipped_test(file: &File) -> Vec<Breach> {
    let skipped = file.code().filter(|(_, line, _)| line.contains(SKIPPED_TEST));
    skipped.map(|(i, _, _)| file.breach(i, "a test that never runs", "let it run, or remove it")).collect()
}

fn line_length(file: &File) -> Vec<Breach> {
    // rustfmt breaks code but no text; the tables of texts in tests stay in rows.
    let is_row = |line: &str| file.path.starts_with("tests/") && line.contains('"');
    let too_long = |line: &str| line.chars().count() > LINE_CHARS && !is_row(line);
    let long = file.lines.iter().enumerate().filter(|(_, line)| too_long(line));
    long.map(|(i, _)| file.breach(i, format!("more than {LINE_CHARS} characters"), "break the line")).collect()
}

fn trailing_space(file: &File) -> Vec<Breach> {
    let trailing = file.lines.iter().enumerate().filter(|(_, line)| line.ends_with([' ', '\t', '\r']));
    trailing.map(|(i, _)| file.breach(i, "trailing space", "remove it")).collect()
}

fn machine_path(file: &File) -> Vec<Breach> {
    let holds = |line: &String| MACHINE_PATHS.iter().any(|path| line.contains(path));
    let found = file.lines.iter().enumerate().filter(|(_, line)| holds(line));
    found.map(|(i, _)| file.breach(i, "a path of one machine", "use a relative path, a variable or /mnt/…")).collect()
}

type Rule = fn(&File) -> Vec<Breach>;

const RUST_RULES: &[Rule] = &[
    opens_with_its_purpose,
    file_length,
    function_length,
    import_direction,
    calls_at_home,
    no_skipped_test,
    line_length,
];
const RULES_FOR_ALL: &[Rule] = &[trailing_space, machine_path];

fn breaches(file: &File) -> Vec<Breach> {
    let rust = RUST_RULES.iter().filter(|_| file.is_rust());
    rust.chain(RULES_FOR_ALL).flat_map(|rule| rule(file)).collect()
}

/// The text files of the repository that people write.
fn files() -> Vec<File> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in ["src", "tests", "docs", "plans", "scripts", "benches", "templates"] {
        walk(&top.join(folder), &mut paths);
    }
    let root = std::fs::read_dir(top).unwrap().map(|entry| entry.unwrap().path());
    paths.extend(root.filter(|p| p.is_file() && p.extension().is_some_and(|e| e == "md")));
    paths.extend([top.join("Makefile"), top.join(".ci/run")]);
    let relative = |path: &PathBuf| path.strip_prefix(top).unwrap().display().to_string();
    // Pictures and bundles are no text and have no lines.
    paths.iter().filter_map(|p| Some(File::new(&relative(p), &std::fs::read_to_string(p).ok()?))).collect()
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() { walk(&path, paths) } else { paths.push(path) }
    }
}

#[test]
fn the_repository_keeps_its_rules() {
    let files = files();
    assert!(files.iter().any(|f| f.path == "src/lib.rs"), "the sources were not found");
    let found: Vec<String> = files.iter().flat_map(breaches).map(|b| b.to_string()).collect();
    assert!(found.is_empty(), "{} breaches:\n{}", found.len(), found.join("\n"));
}

#[track_caller]
fn assert_caught(path: &str, text: &str, line: usize, rule: &str) {
    let found = breaches(&File::new(path, text));
    assert!(found.len() == 1 && found[0].line == line && found[0].rule.contains(rule), "{found:?}");
}

#[test]
fn each_rule_catches_its_breach() {
    let long_file = format!("//! A.\n{}", "const A: u8 = 1;\n".repeat(FILE_LINES));
    let long_function = format!("//! A.\nfn a() {{\n{}}}\n", "    b();\n".repeat(FUNCTION_LINES));
    let long_line = format!("//! A.\n// {}\n", "x".repeat(LINE_CHARS));
    assert_caught("src/base/a.rs", "use std::fmt;\n", 1, "no purpose");
    assert_caught("src/base/a.rs", &long_file, 1, "501 lines");
    assert_caught("src/base/a.rs", &long_function, 2, "72 lines");
    assert_caught("src/base/a.rs", &long_line, 2, "characters");
    assert_caught("src/stats/a.rs", "//! A.\nuse crate::store::Bundle;\n", 2, "stats imports store");
    assert_caught("src/base/a.rs", "//! A.\nuse crate::{base, plan};\n", 2, "several modules");
    assert_caught("src/new/a.rs", "//! A.\n", 1, "unknown folder");
    assert_caught("src/base/a.rs", "//! A.\nfn a() {\n    b().unwrap();\n}\n", 3, ".unwrap()");
    assert_caught("src/cmd/a.rs", "//! A.\nfn a() {\n    std::process::exit(1);\n}\n", 3, "process::exit");
    assert_caught("tests/a.rs", &format!("//! A.\n{SKIPPED_TEST}]\nfn a() {{}}\n"), 2, "never runs");
    assert_caught("docs/a.md", "a \n", 1, "trailing space");
    assert_caught("docs/a.md", &format!("see {}a\n", MACHINE_PATHS[0]), 1, "one machine");
}

#[test]
fn test_code_and_comments_may_do_what_production_code_may_not() {
    let text = "//! A.\n#[cfg(test)]\nmod tests {\n    fn a() {\n        b().unwrap();\n    }\n}\n// c().unwrap()\n";
    assert_eq!(breaches(&File::new("src/base/a.rs", text)), []);
    assert_eq!(breaches(&File::new("src/base/tests.rs", "//! A.\nfn a() {\n    b().unwrap();\n}\n")), []);
}
