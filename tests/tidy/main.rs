//! House rules that neither the compiler nor clippy checks: headers, imports, words, calls.

mod glossary;
mod house;
mod imports;
mod promises;

use std::path::{Path, PathBuf};

const MOST_COLUMNS: usize = 100;

/// The permitted imports of each room; rooms of the program (cmd and those that only it uses) may
/// import all. `src/lib.rs` has the same diagram.
const IMPORTS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("plan", &["base"]),
    ("record", &["plan", "base"]),
    ("measure", &["record", "plan", "base"]),
    ("engine", &["lab", "measure", "record", "plan", "base"]),
    ("workload", &["measure", "record", "plan", "base"]),
    ("meter", &["lab", "record", "plan", "base"]),
    ("lab", &["measure", "record", "plan", "base"]),
    ("sql", &["engine", "workload", "lab", "measure", "record", "plan", "base"]),
    ("ai", &["trace", "engine", "workload", "lab", "measure", "record", "plan", "base"]),
    ("loads", &["ai", "sql", "trace", "engine", "workload", "plan"]),
    ("stats", &["record", "plan", "base"]),
    ("run", &["engine", "workload", "meter", "lab", "stats", "measure", "record", "plan", "base"]),
    ("store", &["record", "plan", "base"]),
    ("catalogue", &["store", "lab", "record", "plan", "base"]),
    ("language", &["base"]),
    ("trace", &["engine", "workload", "measure", "record", "plan", "base"]),
    ("analysis", &["stats", "record", "plan", "base"]),
    ("terms", &["analysis", "language", "stats", "record", "plan", "base"]),
    ("chart", &["terms", "analysis", "language", "stats", "trace", "record", "plan", "base"]),
    (
        "brief",
        &["chart", "terms", "analysis", "language", "stats", "trace", "record", "plan", "base"],
    ),
    ("render", &["brief", "chart", "language", "base"]),
    ("bundles", &["analysis", "language", "store", "base", "record"]),
    ("export", &["brief", "terms", "analysis", "language", "store", "record", "plan", "base"]),
    ("audit", &["brief", "terms", "analysis", "language", "stats", "plan", "base"]),
    ("fleet", &["store", "record", "plan", "base"]),
    ("powercut", &["run", "lab", "plan", "base"]),
    ("import", &["store", "record", "plan", "base"]),
];

/// Banned calls, where they are permitted anyway, and the alternative.
const BANNED: &[(&str, &[&str], &str)] = &[
    ("println!(", &[], "write to the `out` that cmd hands in"),
    ("process::exit", &["src/main.rs"], "return an error or an exit code"),
    (".unwrap()", &[], "say what failed with `Context` or `failed`"),
    ("todo!(", &[], "do it"),
    ("unimplemented!(", &[], "do it"),
    ("dbg!(", &[], "remove it"),
    (
        "thread::sleep",
        &["crates/core/src/base/clock.rs"],
        "wait for the condition, or `Clock::sleep_until`",
    ),
];

fn rust_files(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((
                    path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().to_path_buf(),
                    text,
                ));
            }
        }
    }
    assert!(!found.is_empty());
    found
}

/// The sources of all crates.
fn sources() -> Vec<(PathBuf, String)> {
    ["src", "crates"].into_iter().flat_map(rust_files).collect()
}

/// The lines outside unit tests, each with its index: everything except items under `#[cfg(test)]`,
/// wherever they are.
fn code<'a>(path: &Path, text: &'a str) -> Vec<(usize, &'a str)> {
    let tests = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("tests"));
    let mut lines = text.lines().enumerate().filter(|_| !tests);
    let mut kept = Vec::new();
    while let Some((i, line)) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            kept.push((i, line));
            continue;
        }
        // A block ends with the brace that is aligned with its attribute, everything else with the
        // first semicolon or comma.
        let brace = format!("{}}}", " ".repeat(line.len() - line.trim_start().len()));
        let first = lines.by_ref().find(|(_, line)| !line.trim_start().starts_with("#["));
        let Some((_, first)) = first else { break };
        if first.ends_with('{') {
            lines.by_ref().find(|(_, line)| line.starts_with(&brace));
        } else if !first.ends_with([';', ',', '}']) {
            lines.by_ref().find(|(_, line)| line.ends_with([';', ',']));
        }
    }
    kept
}

#[test]
fn code_below_unit_tests_is_read() {
    let text = "#[cfg(test)]\nmod tests;\nuse a::b;\n#[cfg(test)]\nmod more {\n    fn f() {}\n}\n\
                fn g() {\n    #[cfg(test)]\n    h();\n    i();\n}";
    let lines: Vec<&str> = code(Path::new("x.rs"), text).into_iter().map(|(_, l)| l).collect();
    assert_eq!(lines, ["use a::b;", "fn g() {", "    i();", "}"]);
    assert!(code(Path::new("tests.rs"), text).is_empty());
}

#[track_caller]
fn none(violations: Vec<String>) {
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}

#[test]
fn every_file_says_what_it_is_for() {
    let mut violations = Vec::new();
    for (path, text) in sources().into_iter().chain(rust_files("tests")) {
        let name = path.display();
        if !text.starts_with("//! ") {
            violations.push(format!("{name}:1: open the file with //! and what it is for"));
        }
        for (i, line) in text.lines().enumerate() {
            if line.ends_with(' ') {
                violations.push(format!("{name}:{}: space at the end of the line", i + 1));
            }
        }
    }
    none(violations);
}

/// Bundles contain this statement literally, and are compared with it.
const LONG: &str = "CREATE UNIQUE INDEX point_key ON point (";

#[test]
fn lines_have_at_most_a_hundred_columns() {
    let mut violations = Vec::new();
    for (path, text) in ["src", "crates", "tests", "fuzz"].into_iter().flat_map(rust_files) {
        for (i, line) in text.lines().enumerate() {
            let columns = line.chars().count();
            if columns > MOST_COLUMNS && !line.starts_with(LONG) {
                violations.push(format!("{}:{}: {columns} columns", path.display(), i + 1));
            }
        }
    }
    for (path, text) in scripts() {
        let long = text.lines().enumerate().filter(|(_, l)| l.chars().count() > MOST_COLUMNS);
        violations.extend(long.map(|(i, _)| format!("{}:{}: too long", path.display(), i + 1)));
    }
    none(violations);
}

/// Executable files other than Rust: scripts, benchmarks, labs with their guests' scripts, the
/// Makefile.
fn scripts() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = vec![root.join("Makefile"), root.join(".ci/run")];
    let mut folders = ["benches", "labs", "scripts"].map(|name| root.join(name)).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true if path.ends_with("__pycache__") => {}
                true => folders.push(path),
                false => found.push(path),
            }
        }
    }
    let read = |path: PathBuf| (path.clone(), std::fs::read_to_string(&path).unwrap());
    found.into_iter().map(read).collect()
}

/// Phrases for which the field has a term; docs/style.md has the pairs.
const PHRASES: [&str; 31] = [
    "held against",
    "tell apart",
    "carried out",
    "carry out",
    "bear out",
    "bears out",
    "speaks for",
    "Was it the drive",
    "What else differs",
    "side by side",
    "set this number",
    "Operations a second",
    "ops a second",
    "s a watt",
    "work a watt",
    "joules an op",
    "Orders a minute",
    "most waiting",
    "power at rest",
    "put down to",
    "whomsoever",
    "is worth on this host",
    "what may be claimed, each",
    "Where to keep",
    "Go on with a run",
    "may be given several times",
    "AtRest",
    "asked rate",
    "reckoned",
    "defect of Dyno",
    "of before there was",
];

/// Words that mean nothing technical, or something else.
const WORDS: [&str; 8] = ["told", "tell", "tells", "felt", "gang", "gangs", "crew", "crews"];

#[test]
fn the_fields_terms_are_used() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts: Vec<(PathBuf, String)> = sources();
    for folder in ["", "docs", "plans", "templates"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap().flatten().map(|e| e.path()) {
            let known = entry.extension().is_some_and(|e| e == "md" || e == "toml" || e == "html");
            if known && !entry.ends_with("style.md") {
                texts.push((entry.clone(), std::fs::read_to_string(&entry).unwrap()));
            }
        }
    }
    let mut violations = Vec::new();
    for (path, text) in texts {
        for (i, line) in text.lines().enumerate() {
            let words = line.split(|c: char| !c.is_alphanumeric());
            let words = words.filter(|word| WORDS.contains(word));
            let found = PHRASES.iter().copied().filter(|phrase| line.contains(phrase)).chain(words);
            violations
                .extend(found.map(|phrase| format!("{}:{}: '{phrase}'", path.display(), i + 1)));
        }
    }
    none(violations);
}

/// A section's contents have no markup, which is the renderers'.
#[test]
fn no_section_writes_markup() {
    let mut violations = Vec::new();
    for (path, text) in rust_files("crates/report/src/brief") {
        for (i, line) in code(&path, &text) {
            let quoted = line.split('"').skip(1).step_by(2);
            if quoted.into_iter().any(|literal| literal.contains('<'))
                && !line.trim().starts_with("//")
            {
                violations.push(format!(
                    "{}:{}: markup in what a brief says",
                    path.display(),
                    i + 1
                ));
            }
        }
    }
    none(violations);
}

#[test]
fn banned_calls_are_not_made() {
    let mut violations = Vec::new();
    for (path, text) in sources() {
        let name = path.to_string_lossy();
        for (i, line) in code(&path, &text) {
            for (call, allowed, instead) in BANNED {
                if line.contains(call)
                    && !allowed.iter().any(|a| name.starts_with(a))
                    && !line.trim().starts_with("//")
                {
                    violations.push(format!("{name}:{}: {call} is banned: {instead}", i + 1));
                }
            }
        }
    }
    none(violations);
}

#[test]
fn no_test_is_left_out() {
    let ignored = concat!("#[", "ignore");
    let files = sources().into_iter().chain(rust_files("tests"));
    let found = files.filter(|(_, text)| text.contains(ignored));
    none(found.map(|(path, _)| format!("{}: an ignored test", path.display())).collect());
}
