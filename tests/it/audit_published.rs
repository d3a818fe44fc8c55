//! docs/published.md: every statement of the five published documents with its place, verdict and
//! reason, as `dyno audit` prints them of examples/audit; the documents without figures, judged
//! with figures made for the purpose.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use crate::audit::{audit, folder, of_claim, says, verdict};

/// The documents of examples/audit: claims file, beginning of the names of its tables, chapter.
const DOCUMENTS: [(&str, &str, &str); 5] = [
    ("micron-7450", "-", "Micron 7450, English"),
    ("micron-7450-ja", "-", "Micron 7450, Japanese"),
    ("p5510-pm9a3", "p5510-pm9a3", "Intel P5510 and Samsung PM9A3"),
    ("micron-7600", "micron-7600", "Micron 7600"),
    ("micron-7500", "micron-7500", "Micron 7500"),
];

fn tables(begin: &str) -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut tables: Vec<PathBuf> =
        all.filter(|p| name(p).starts_with(begin) && name(p).ends_with(".csv")).collect();
    tables.sort();
    tables
}

/// A document's statements as the rows of a table.
fn rows(document: &str, begin: &str) -> (String, usize) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
    command.arg("audit").arg(folder().join(format!("{document}.toml"))).arg("--json");
    for table in tables(begin) {
        command.arg("--data").arg(table);
    }
    let output = command.output().unwrap();
    let audited: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    let mut text =
        String::from("| No. | Place | Statement | Verdict | Reason |\n|---|---|---|---|---|\n");
    let statements = audited["statements"].as_array().unwrap();
    for (number, row) in statements.iter().enumerate() {
        let of = |key: &str| row[key].as_str().unwrap().to_string();
        let reasons: Vec<&str> =
            row["calculation"].as_array().unwrap().iter().map(|l| l.as_str().unwrap()).collect();
        assert!(!reasons.is_empty(), "{row}");
        let reason = reasons.join("; ");
        let (place, words, verdict) = (of("place"), of("statement"), of("verdict"));
        let _ = writeln!(text, "| {} | {place} | {words} | {verdict} | {reason} |", number + 1);
    }
    (text, statements.len())
}

#[test]
fn the_page_has_a_line_for_every_statement_of_the_five_documents() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/published.md");
    let current = std::fs::read_to_string(page).unwrap();
    let begin = current.find("\n## Statements: ").unwrap_or(current.len());
    let mut made = current[..begin].trim_end().to_string() + "\n";
    let mut all = 0;
    for (document, tables, title) in DOCUMENTS {
        let (rows, count) = rows(document, tables);
        let _ = write!(made, "\n## Statements: {title}\n\n{rows}");
        all += count;
    }
    assert!(all > 300, "{all} statements");
    if made != current {
        let stale = concat!(env!("CARGO_TARGET_TMPDIR"), "/published.md");
        std::fs::write(stale, made).unwrap();
        panic!("docs/published.md is stale; to update it: cp {stale} {page}");
    }
}

/// Figures of a workload by thread count, for which the statements of the 7450's document hold.
const HEADINGS: &str = "drive,threads,ops_per_s,p99_us,mb_per_s\n";
const TWO: &str = "Samsung PM9A3,8,100,200,400\nSamsung PM9A3,16,200,220,800\n\
                   Samsung PM9A3,32,380,260,1500\nSamsung PM9A3,64,700,330,2800\n\
                   Samsung PM9A3,96,1000,430,4000\nMicron 7450,8,98,201,392\n\
                   Micron 7450,16,197,221,790\nMicron 7450,32,381,260,1510\n\
                   Micron 7450,64,702,329,2810\nMicron 7450,96,1004,428,4016\n";

fn third(p99: [u32; 5]) -> String {
    let ops = [(8, 70), (16, 140), (32, 266), (64, 490), (96, 652)];
    let row = |((threads, ops), p99): ((u32, u32), u32)| {
        format!("Solidigm D5-P5430,{threads},{ops},{p99},{}\n", ops * 4)
    };
    ops.into_iter().zip(p99).map(row).collect()
}

#[test]
fn the_document_without_figures_is_judged_whole_in_english_and_japanese() {
    let workloads = [
        ("read-while-writing", third([450, 480, 560, 720, 920])),
        ("read-random-write-random", third([300, 330, 390, 495, 640])),
        ("read-random", third([300, 340, 400, 520, 774])),
    ];
    let turned = |text: &str| {
        let text = text.replace("Micron 7450", "X").replace("Solidigm D5-P5430", "Micron 7450");
        text.replace('X', "Solidigm D5-P5430")
    };
    let here = tempfile::tempdir().unwrap();
    for (is_true, folder_name) in [(true, "true"), (false, "false")] {
        let place = here.path().join(folder_name);
        std::fs::create_dir(&place).unwrap();
        let write = |(name, third): &(&str, String)| {
            let rows = format!("{TWO}{third}");
            let rows = if is_true { rows } else { turned(&rows) };
            let path = place.join(format!("{name}.csv"));
            std::fs::write(&path, format!("{HEADINGS}{rows}")).unwrap();
            path
        };
        let data: Vec<PathBuf> = workloads.iter().map(write).collect();
        for document in ["micron-7450", "micron-7450-ja"] {
            let (printed, error, code) = audit(&folder().join(format!("{document}.toml")), &data);
            let statements = 1..=34;
            assert!(printed.contains("34 statements"), "{printed}{error}");
            let is_fine = |n: &usize| {
                let verdict = verdict(&printed, *n);
                verdict.starts_with("HOLDS") || verdict == "MAY HOLD"
            };
            let wrong: Vec<String> = statements
                .filter(|n| is_fine(n) != is_true)
                .map(|n| of_claim(&printed, n))
                .collect();
            assert!(wrong.is_empty(), "{document}, {folder_name}:\n{}", wrong.join("\n\n"));
            assert_eq!(code, Some(if is_true { 0 } else { 2 }));
        }
    }
}

#[test]
fn the_findings_in_the_published_documents_are_these() {
    let printed = |document: &str, begin: &str| {
        audit(&folder().join(format!("{document}.toml")), &tables(begin)).0
    };
    let number = |printed: &str, words: &str| -> usize {
        let line = printed
            .lines()
            .find(|l| l.contains(words) && !l.starts_with(' '))
            .unwrap_or_else(|| panic!("{words}"));
        line.split('.').next().unwrap().parse().unwrap()
    };
    let of_7600 = printed("micron-7600", "micron-7600");
    let cases = [
        ("largest difference, a maximum improvement of 21 %", "WRONG POINT", "22.78 %"),
        ("the same calculation: up to 23 %", "WRONG POINT", "20.52 %"),
        (
            "Operations completed faster (99 % latency), random read",
            "CONTRADICTED",
            "417 against 399",
        ),
        ("Less power, random read", "CONTRADICTED", "16 threads against Samsung PM9D3a, watts 7.7"),
        ("More consistent 99 % latency, random read", "INFLATED", "3.79 ×"),
    ];
    for (words, expected, line) in cases {
        says(&of_7600, number(&of_7600, words), &[expected, line]);
    }
    let of_7500 = printed("micron-7500", "micron-7500");
    let cases = [
        ("advantage increases from 8 to 128 threads, random read", "CONTRADICTED", "statement 12"),
        ("a 59 % improvement at 64 threads", "HOLDS", "616,344 ÷ 388,751 − 1 = 58.54 %"),
        ("(0.24 − 0.52) / 0.52 = −54 %", "HOLDS", "(0.24 − 0.52) ÷ 0.52 = −53.84 %"),
        (
            "49 % improvement of response time at maximum",
            "IN CONFLICT",
            "the same figure at another",
        ),
        ("A maximum gain of 2.1 × at 96 and 128", "INCOMPLETE", "616,223 ÷ 300,580 = 2.05 ×"),
    ];
    for (words, expected, line) in cases {
        says(&of_7500, number(&of_7500, words), &[expected, line]);
    }
    let of_eight = printed("p5510-pm9a3", "p5510-pm9a3");
    let cases = [
        ("P5510 starts at 220 IOPS", "UNITS", "times 1,000"),
        ("an advantage of 108 µs at 800 MB/s", "HOLDS", "published as a difference"),
        ("a slightly higher response time at 10 MB/s", "INFLATED", "here 156.95 %"),
        ("the gap grows as the load has more writes, 4K", "INFLATED", "15.79 % at 0, 2.30 % at 30"),
        ("the writes rise to 850 MB/s (p99)", "CONTRADICTED", "388 against 151"),
        (
            "a growing lead from 4K to 8K to 16K",
            "HOLDS",
            "2.30 % at 4, 17.88 % at 8, 27.35 % at 16",
        ),
        ("38,838 TPS at 16 VMs", "HOLDS", "16 VMs"),
    ];
    for (words, expected, line) in cases {
        says(&of_eight, number(&of_eight, words), &[expected, line]);
    }
}
