//! The code base in numbers, printed by `make tidy`: lines by room, and import circles.

use std::collections::BTreeMap;

use super::imports::{Graph, module};
use super::{code, sources};

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
    let circles = Graph::of_src().in_circles().len();
    table += &format!("{:<44} {circles:>3}\n", "files and folders in a circle of imports");
    table
}

#[test]
fn the_house_in_numbers() {
    print!("\n{}", table());
}
