//! Every number on the page of imported figures is a cell of the imported table, or derived from
//! its cells with no more digits than theirs. Exceptions are listed here individually.

use std::path::{Path, PathBuf};

use dyno::analysis::Question;
use dyno::brief::block::{Block, words};
use dyno::brief::{Brief, BriefOptions};
use dyno::bundles;
use dyno::language::Language;

use crate::support::{dyno, said};

const TABLES: [(&str, &str); 2] = [
    ("micron-7600-random-read.csv", "RocksDB random reads"),
    ("micron-7600-read-while-writing.csv", "RocksDB random reads while one thread writes"),
];

const SUBJECTS: [&str; 3] = ["Micron 7600", "Samsung PM9D3a", "Kioxia CD8P-R"];

/// Numbers that are not figures: the text in these is not checked.
const EXCEPTIONS: [(&str, &str); 7] = [
    ("the example of a gain", "1.5 times as many is a gain of 50 %"),
    ("the example of a reduction", "half as long is a reduction of 50 %"),
    ("advice for those who measure", "--repeats 5"),
    ("the source's revision", "Rev. A 07/2025"),
    ("the unit of MB/s", "1,000,000 bytes"),
    ("the bundle", "b.dyno"),
    ("the number of further rows", "4 more measures are in the summary"),
];

/// A row of a table.
#[derive(Clone, Debug)]
struct Row {
    step: &'static str,
    subject: String,
    threads: String,
    /// ops/s, p99 in µs and watts, as written in the file.
    cells: [String; 3],
}

impl Row {
    fn value(&self, figure: usize) -> f64 {
        self.cells[figure].parse().unwrap()
    }

    fn digits(&self, figure: usize) -> usize {
        digits(&self.cells[figure])
    }

    /// A cell, or ops/s per watt, with its digits.
    fn figure(&self, figure: usize) -> (f64, usize) {
        match figure {
            3 => (self.value(0) / self.value(2), self.digits(0).min(self.digits(2))),
            _ => (self.value(figure), self.digits(figure)),
        }
    }
}

fn digits(text: &str) -> usize {
    text.chars().filter(char::is_ascii_digit).skip_while(|c| *c == '0').count().max(1)
}

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn table() -> Vec<Row> {
    let mut all = Vec::new();
    for (file, step) in TABLES {
        let text = std::fs::read_to_string(data(file)).unwrap();
        for line in text.lines().filter(|l| !l.starts_with('#')).skip(1) {
            let [subject, threads, ops, p99, watts] =
                line.split(',').map(str::to_string).collect::<Vec<_>>().try_into().unwrap();
            all.push(Row { step, subject, threads, cells: [ops, p99, watts] });
        }
    }
    assert_eq!(all.len(), 30);
    all
}

/// A number in a text: its value, its significant digits, its last decimal, and the text after it.
#[derive(Debug)]
struct Token {
    text: String,
    value: f64,
    digits: usize,
    unit: f64,
    after: String,
}

/// The numbers in a text. Digits within a word ("p99", "results-4") belong to its name.
fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let (mut all, mut i) = (Vec::new(), 0);
    while i < chars.len() {
        let in_word = i > 0 && (chars[i - 1].is_alphanumeric() || "_-.".contains(chars[i - 1]));
        if !chars[i].is_ascii_digit() {
            i += 1;
            continue;
        }
        let from = i;
        let digit = |i: usize| chars.get(i).is_some_and(char::is_ascii_digit);
        while digit(i) || (i < chars.len() && ",.".contains(chars[i]) && digit(i + 1)) {
            i += 1;
        }
        if in_word && chars[from - 1] != '-'
            || (from > 1 && in_word && chars[from - 2].is_alphanumeric())
        {
            continue;
        }
        let text: String = chars[from..i].iter().filter(|c| **c != ',').collect();
        let decimals = text.split_once('.').map_or(0, |(_, rest)| rest.len());
        let after: String = chars[i..].iter().take(8).collect();
        // The constant of a gain, "÷ 735,861 − 1", and of a reduction, "1 − 169 µs ÷".
        let before: String = chars[from.saturating_sub(2)..from].iter().collect();
        if text == "1" && (before == "− " || after.starts_with(" − ")) {
            continue;
        }
        let thousands = match after.chars().next() {
            Some('K') => 1e3,
            Some('M') if !after.starts_with("MB") => 1e6,
            _ => 1.0,
        };
        all.push(Token {
            value: text.parse::<f64>().unwrap() * thousands,
            digits: digits(&text),
            unit: 0.1f64.powi(decimals as i32) * thousands,
            text,
            after,
        });
    }
    all
}

/// The rows that a text can refer to: with the subjects, the step and the thread counts named in it
/// or its headings.
fn about<'r>(rows: &'r [Row], text: &str, under: &str) -> Vec<&'r Row> {
    // The longer title contains the shorter one.
    let named = |title: &str| {
        let others = TABLES.iter().map(|t| t.1).filter(|t| t.len() > title.len());
        let mut rest = format!("{text}\n{under}");
        others.for_each(|other| rest = rest.replace(other, ""));
        rest.contains(title)
    };
    let steps: Vec<&str> = TABLES.iter().map(|t| t.1).filter(|t| named(t)).collect();
    let subjects: Vec<&str> =
        rows.iter().map(|r| r.subject.as_str()).filter(|s| text.contains(s)).collect();
    // A difference names only the better subject, which may be the row's own.
    let one = text.contains('%') && subjects.iter().all(|s| *s == subjects[0]);
    let bare = without_names(rows, text);
    let threads: Vec<String> = tokens(&bare).into_iter().map(|t| t.text).collect();
    let at = |row: &&Row| {
        (steps.is_empty() || steps.contains(&row.step))
            && (one || subjects.is_empty() || subjects.contains(&row.subject.as_str()))
    };
    let all: Vec<&Row> = rows.iter().filter(at).collect();
    let own: Vec<&Row> = all.iter().copied().filter(|r| threads.contains(&r.threads)).collect();
    if own.is_empty() { all } else { own }
}

fn without_names(rows: &[Row], text: &str) -> String {
    let mut text = text.to_string();
    rows.iter().for_each(|row| text = text.replace(&row.subject, ""));
    TABLES.iter().rev().for_each(|(_, title)| text = text.replace(title, ""));
    EXCEPTIONS.iter().for_each(|(_, exception)| text = text.replace(exception, ""));
    text.replace(env!("CARGO_PKG_VERSION"), "")
}

/// Rounded to this many significant digits.
fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap()
}

fn is(token: &Token, value: f64) -> bool {
    (token.value - value).abs() <= 1e-9 * value.abs()
}

/// The cell, or the arithmetic on cells, that gives a number.
fn source(token: &Token, rows: &[&Row], drawn: bool) -> Option<String> {
    for row in rows {
        let place = format!("{}, {} threads", row.subject, row.threads);
        if token.text == row.threads {
            return Some(format!("axis, {place}"));
        }
        if let Some(cell) = row.cells.iter().find(|cell| **cell == token.text) {
            return Some(format!("cell {cell}, {place}"));
        }
        let (per_watt, exact) = row.figure(3);
        if is(token, rounded(per_watt, exact)) && token.digits >= exact {
            return Some(format!("ops/s ÷ W, {place}"));
        }
        let joules = rounded(1e6 / per_watt, exact);
        if token.after.starts_with(" µJ") && is(token, joules) && token.digits <= exact {
            return Some(format!("W ÷ ops/s, {place}"));
        }
        // A figure's labels are shorter than the cells that they represent.
        let label = |figure| {
            let (value, exact) = row.figure(figure);
            token.digits <= exact && (token.value - value).abs() <= token.unit / 2.0 + 1e-9
        };
        if drawn && ((0..3).any(label) || is(token, rounded(per_watt, exact))) {
            return Some(format!("label, {place}"));
        }
    }
    let percent = token.after.trim_start().starts_with('%');
    for (a, b) in rows.iter().flat_map(|a| rows.iter().map(move |b| (a, b))) {
        let alike = a.step == b.step && (a.subject == b.subject) != (a.threads == b.threads);
        if !alike {
            continue;
        }
        for figure in 0..4 {
            let ((x, exact), (y, other)) = (a.figure(figure), b.figure(figure));
            let gain = (x / y - 1.0).abs() * 100.0;
            let small = token.text == "0.01" && gain < 0.01;
            // Rounded, or truncated.
            let off = (gain - token.value) / token.unit;
            let near = (-0.5..1.0).contains(&off) && token.digits <= exact.min(other);
            if percent && (small || near) {
                return Some(format!("{x} ÷ {y} − 1"));
            }
            let apart = (token.value - (x - y).abs()).abs() <= token.unit / 2.0;
            if !percent && figure < 3 && apart && token.after.trim_start().starts_with('µ') {
                return Some(format!("{x} − {y}"));
            }
            let times = (token.value - x / y).abs() < token.unit;
            if token.after.starts_with(" ×") && times && token.digits <= exact.min(other) {
                return Some(format!("{x} ÷ {y}"));
            }
        }
    }
    // The ticks of a figure's axes are round.
    let round = token.digits <= 2 || (token.digits == 3 && token.text.ends_with(['0', '5']));
    (drawn && round).then(|| "tick".to_string())
}

/// The numbers in a text that come from no cell.
fn invented(rows: &[Row], text: &str, under: &str, drawn: bool) -> Vec<String> {
    let own = about(rows, text, under);
    let found = tokens(&without_names(rows, text));
    let strange = found.into_iter().filter(|token| source(token, &own, drawn).is_none());
    strange.map(|token| format!("{}{}", token.text, token.after)).collect()
}

/// Every text of a block, with its headings; true for drawn text.
fn texts(block: &Block, under: &mut String, document: &Brief) -> Vec<(String, bool)> {
    let plain = |text: String| vec![(text, false)];
    match block {
        Block::Heading(heading) => {
            *under = heading.text.clone();
            plain(heading.text.clone())
        }
        Block::Text(_, line) => plain(words(line)),
        Block::List(lines) => lines.iter().map(|line| (words(line), false)).collect(),
        Block::Terms(terms) => terms.iter().map(|(a, b)| (format!("{a}: {b}"), false)).collect(),
        // The file's own text is unchanged.
        Block::Pairs(title, _) if title == "Imported" => Vec::new(),
        Block::Pairs(_, pairs) => pairs.iter().map(|(a, b)| (format!("{a}: {b}"), false)).collect(),
        Block::Table(table) => {
            let (mut place, mut base) = (String::new(), String::new());
            let mut row = |cells: &[String]| {
                if !cells[0].is_empty() {
                    place = cells[0].clone();
                }
                // A difference is from the first row of its group, which has none.
                if table.head.iter().zip(cells).any(|(h, c)| h == "difference" && c.is_empty()) {
                    base = cells.join(" | ");
                }
                let subject = SUBJECTS.into_iter().find(|subject| base.contains(subject));
                let subject = subject.unwrap_or_default();
                // A column of its own for each subject.
                let (own, shared): (Vec<_>, Vec<_>) = table
                    .head
                    .iter()
                    .zip(cells)
                    .partition(|(head, _)| SUBJECTS.contains(&head.as_str()));
                let joined = |cells: &[(&String, &String)]| {
                    let cells = cells.iter().map(|(head, cell)| in_unit(head, cell));
                    cells.collect::<Vec<_>>().join(" | ")
                };
                let unnamed: Vec<_> = shared
                    .iter()
                    .copied()
                    .filter(|(_, cell)| !SUBJECTS.iter().any(|subject| cell.contains(subject)))
                    .collect();
                let of_subject = |(head, cell): &(&String, &String)| {
                    format!("{place} | {head} | {} | {cell}", joined(&unnamed))
                };
                let mut all = vec![format!("{place} | {subject} | {}", joined(&shared))];
                all.extend(own.iter().map(of_subject));
                all.into_iter().map(|text| (text, false)).collect::<Vec<_>>()
            };
            let head = (table.head.join(" | "), false);
            [head].into_iter().chain(table.rows.iter().flat_map(|(_, cells)| row(cells))).collect()
        }
        Block::Figures(figures) => {
            let drawn = |figure: &dyno::chart::Chart| {
                let svg = figure.svg(&document.palette);
                let svg = match (svg.find("<style"), svg.find("</style>")) {
                    (Some(from), Some(until)) => format!("{}{}", &svg[..from], &svg[until..]),
                    _ => svg,
                };
                let parts = svg.split('>').filter_map(|part| part.split_once('<'));
                let parts = parts.map(|(text, _)| text.trim().to_string());
                [figure.caption(), figure.label()].into_iter().chain(parts).collect::<Vec<_>>()
            };
            figures.iter().flat_map(drawn).map(|text| (text, true)).collect()
        }
        Block::Code(title, text) => plain(format!("{title}\n{text}")),
    }
}

/// A cell with the unit that its column's head names.
fn in_unit(head: &str, cell: &str) -> String {
    match head.strip_suffix(", µJ") {
        Some(_) => format!("{cell} µJ"),
        None => cell.to_string(),
    }
}

fn document(dir: &Path, tables: &[&str]) -> Brief {
    let files: Vec<String> = tables.iter().map(|name| data(name).display().to_string()).collect();
    let mapping = data("mapping.toml").display().to_string();
    let mut args = vec!["import", "csv"];
    args.extend(files.iter().map(String::as_str));
    args.extend(["--mapping", &mapping, "-o", "b.dyno"]);
    let out = dyno(dir, &args);
    assert!(out.status.success(), "{}", said(&out));
    let facts = bundles::facts(&[dir.join("b.dyno")], &Question::default()).unwrap();
    Brief::new(Language::ENGLISH, &facts, &BriefOptions::default()).unwrap()
}

#[test]
fn every_number_on_the_page_of_imported_figures_is_a_cell_or_arithmetic_of_cells() {
    let rows = table();
    let [first, second] = TABLES.map(|(file, _)| file);
    for tables in [&[first][..], &[second], &[first, second]] {
        let folder = tempfile::tempdir().unwrap();
        let document = document(folder.path(), tables);
        let (mut strange, mut traced) = (Vec::new(), 0);
        let parts = document.parts.iter().map(|part| (part.title.as_str(), &part.blocks));
        let cover = [("cover", &document.cover)].into_iter();
        for (title, blocks) in cover.chain(parts) {
            let mut under = String::new();
            for block in blocks {
                for (text, drawn) in texts(block, &mut under, &document) {
                    let found = invented(&rows, &text, &under, drawn);
                    traced += tokens(&without_names(&rows, &text)).len() - found.len();
                    strange.extend(found.iter().map(|n| format!("{title}: {n} of: {text}")));
                }
            }
        }
        let head = [&document.title, &document.byline, &document.kicker];
        strange.extend(head.into_iter().flat_map(|text| invented(&rows, text, "", false)));
        assert!(strange.is_empty(), "from no cell:\n{}", strange.join("\n"));
        assert!(traced > 500, "only {traced} numbers were traced");
    }
}

/// Output of earlier versions for these tables.
#[test]
fn invented_numbers_are_found_out() {
    let rows = table();
    for text in [
        "Micron 7600, 16 threads, energy 7.700 kJ",
        "Micron 7600, 16 threads, 7.70 W",
        "Micron 7600, 16 threads, 33.746 µJ",
        "Micron 7600, 16 threads, 29,633 ops/s per watt",
        "1,000 s stand for the window",
        "measured 3 times",
        "with 100 samples above",
        "Micron 7600 than Kioxia CD8P-R at 96 threads: 23 % more ops/s",
        "Micron 7600 and Samsung PM9D3a, 16 threads: 5.55 % more ops/s per watt",
        "Kioxia CD8P-R at 128 threads has 994,719 ops/s",
        "relative error of at most 0.1 %",
    ] {
        assert!(!invented(&rows, text, TABLES[0].1, false).is_empty(), "{text}");
    }
    for text in [
        "Micron 7600, 16 threads: 228,176 ops/s, 110 µs, 7.7 W, 30,000 ops/s per watt, 34 µJ",
        "Micron 7600 than Kioxia CD8P-R at 96 threads: 21 % more ops/s",
        "Micron 7600 and Samsung PM9D3a, 16 threads: 5.5 % more ops/s per watt",
        "Micron 7600 and Kioxia CD8P-R: 1 − 110 µs ÷ 158 µs = 30.3 % at 16 threads",
    ] {
        assert_eq!(invented(&rows, text, TABLES[0].1, false), [""; 0], "{text}");
    }
}

#[test]
fn the_page_of_imported_figures_states_no_condition_that_its_source_does_not_give() {
    let folder = tempfile::tempdir().unwrap();
    let document = document(folder.path(), &TABLES.map(|(file, _)| file));
    let blocks = || document.cover.iter().chain(document.parts.iter().flat_map(|p| &p.blocks));
    let all: Vec<String> = blocks()
        .flat_map(|b| texts(b, &mut String::new(), &document))
        .map(|(text, _)| text)
        .collect();
    let page = all.join("\n");
    for invented in [
        "one subject after the other",
        "closed loop",
        "open loop",
        "service time",
        "response time",
        "measured once",
        "Measured once",
        "does not follow the load",
        "histogram",
        "monotonic clock",
        "interleaved",
        "blocked",
        "warmup",
        "Nothing that is known of the subjects differs",
    ] {
        let own: Vec<&String> = all
            .iter()
            .filter(|text| text.contains(invented) && !text.contains("ot given in the source"))
            .collect();
        assert!(own.is_empty(), "“{invented}” in {own:?}");
    }
    let says = [
        "Not given in the source, so that differences between the subjects are unknown: order of",
        "closed or open loop, length of the measured window, warm-up, whether latencies are",
        "date not given in the source",
        "The source gives one figure for each point, without repeats: their scatter is unknown",
    ];
    for words in says {
        assert!(page.contains(words) || document.byline.contains(words), "no “{words}”");
    }
}
