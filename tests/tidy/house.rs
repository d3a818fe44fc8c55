//! The code base in numbers, printed by `make tidy`: lines by room, type names with several
//! meanings, functions with many parameters, full folders, import circles. The last four must be
//! zero.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::imports::{Graph, module};
use super::{code, none, sources};

/// Files per folder, including `mod.rs`.
const MOST_FILES: usize = 15;
/// Parameters per function, including `self`.
const MOST_PARAMETERS: usize = 5;

/// Lines of a room: code, unit tests, and comments.
#[derive(Default)]
struct Lines {
    files: usize,
    code: usize,
    tests: usize,
    comments: usize,
}

fn lines_by_room() -> BTreeMap<String, Lines> {
    let mut rooms: BTreeMap<String, Lines> = BTreeMap::new();
    for (path, text) in sources() {
        let room = module(&path).first().cloned().unwrap_or_else(|| "(roots)".to_string());
        let lines = rooms.entry(room).or_default();
        lines.files += 1;
        let own = code(&path, &text);
        lines.tests += text.lines().count() - own.len();
        for (_, line) in own.iter().filter(|(_, line)| !line.trim().is_empty()) {
            match line.trim_start().starts_with("//") {
                true => lines.comments += 1,
                false => lines.code += 1,
            }
        }
    }
    rooms
}

/// The name of the type defined in a line.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("pub ").or(line.strip_prefix("pub(super) ")).unwrap_or(line);
    let kinds = ["struct ", "enum ", "trait ", "union "];
    let name = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    Some(name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default())
}

/// Types that several files define under one name.
fn names_used_twice() -> Vec<String> {
    let mut all: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for (path, text) in sources() {
        for (_, line) in code(&path, &text) {
            if let Some(name) = defined(line) {
                all.entry(name.to_string()).or_default().insert(path.clone());
            }
        }
    }
    all.retain(|_, files| files.len() > 1);
    let shown = |files: &BTreeSet<PathBuf>| {
        files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    };
    all.iter().map(|(name, files)| format!("{name}: {}", shown(files))).collect()
}

/// Parameters of the function whose head begins a text.
fn parameters(head: &str) -> usize {
    // Types of parameters have their own brackets; `->` is not one.
    let head = head.replace("->", "");
    let Some(open) = head.find('(') else { return 0 };
    let (mut depth, mut count, mut begun) = (0, 0, false);
    for c in head[open..].chars() {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            ')' | ']' | '>' | '}' => depth -= 1,
            ',' if depth == 1 => (count, begun) = (count + usize::from(begun), false),
            _ => {}
        }
        begun |= depth >= 1 && c != '(' && c != ',' && !c.is_whitespace();
        if depth == 0 {
            break;
        }
    }
    count + usize::from(begun)
}

fn functions_with_many_parameters() -> Vec<String> {
    let mut all = Vec::new();
    for (path, text) in sources() {
        let lines: Vec<&str> = text.lines().collect();
        for (i, line) in code(&path, &text) {
            let head = line.trim_start();
            let is_function = head.split(' ').take(4).any(|word| word == "fn");
            if !is_function || head.starts_with("//") || head.starts_with("type ") {
                continue;
            }
            let count = parameters(&lines[i..(i + 12).min(lines.len())].join("\n"));
            if count > MOST_PARAMETERS {
                all.push(format!("{}:{}: {count} parameters", path.display(), i + 1));
            }
        }
    }
    all
}

fn full_folders() -> Vec<String> {
    let mut files: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for (path, _) in sources() {
        *files.entry(path.parent().unwrap_or(Path::new("")).to_path_buf()).or_default() += 1;
    }
    files.retain(|_, count| *count > MOST_FILES);
    files.iter().map(|(folder, count)| format!("{}: {count} files", folder.display())).collect()
}

fn table() -> String {
    let mut table =
        format!("{:<12} {:>6} {:>8} {:>8} {:>8}\n", "room", "files", "code", "tests", "comments");
    let row = |name: &str, l: &Lines| {
        format!("{name:<12} {:>6} {:>8} {:>8} {:>8}\n", l.files, l.code, l.tests, l.comments)
    };
    let mut all = Lines::default();
    for (room, lines) in lines_by_room() {
        table += &row(&room, &lines);
        all.files += lines.files;
        all.code += lines.code;
        all.tests += lines.tests;
        all.comments += lines.comments;
    }
    table += &row("all", &all);
    let counts = [
        ("type names that several files define", names_used_twice().len()),
        ("functions with more than five parameters", functions_with_many_parameters().len()),
        ("folders with more than fifteen files", full_folders().len()),
        ("files and folders in a circle of imports", Graph::of_src().in_circles().len()),
    ];
    for (what, count) in counts {
        table += &format!("{what:<44} {count:>3}\n");
    }
    table
}

#[test]
fn the_house_in_numbers() {
    print!("\n{}", table());
    none(names_used_twice());
    none(functions_with_many_parameters());
    none(full_folders());
}

#[test]
fn parameters_are_counted_with_self_and_without_those_of_types() {
    for (head, count) in [
        ("fn f() {", 0),
        ("pub fn f(&self, a: u8) -> (u8, u8) {", 2),
        ("fn f(\n    a: Map<A, B>,\n    (b, c): (u8, u8),\n    d: &dyn Fn(u8, u8) -> u8,\n) {", 3),
    ] {
        assert_eq!(parameters(head), count, "{head}");
    }
}
