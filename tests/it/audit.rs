//! `dyno audit`: the page's own examples, two published tables, and invalid files.

use std::path::{Path, PathBuf};
use std::process::Command;

use dyno::audit::AuditVerdict;

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/audit")
}

/// An audit's output, its error, and its exit code.
pub fn audit(claims: &Path, tables: &[PathBuf]) -> (String, String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
    command.arg("audit").arg(claims);
    for table in tables {
        command.arg("--data").arg(table);
    }
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code())
}

pub fn published() -> Vec<PathBuf> {
    ["micron-7600-random-read.csv", "micron-7600-read-while-writing.csv"]
        .map(|name| folder().join(name))
        .into()
}

/// The lines of one statement, with wrapped lines joined.
#[track_caller]
pub fn of_claim(printed: &str, number: usize) -> String {
    let start = printed.find(&format!("\n{number}. ")).expect("the claim is judged");
    let rest = &printed[start + 1..];
    rest[..rest.find("\n\n").unwrap_or(rest.len())].replace("\n    ", " ")
}

#[track_caller]
pub fn says(printed: &str, number: usize, parts: &[&str]) {
    let claim = of_claim(printed, number);
    for part in parts {
        assert!(claim.contains(part), "'{part}' is not in:\n{claim}");
    }
}

/// The verdict line of one statement.
#[track_caller]
pub fn verdict(printed: &str, number: usize) -> String {
    of_claim(printed, number).lines().nth(1).unwrap_or("").trim().to_string()
}

/// Blocks of a page fenced with ```KIND NAME, by their name.
fn blocks(page: &str, kind: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for block in page.split("\n```").skip(1).step_by(2) {
        let (info, text) = block.split_once('\n').unwrap();
        if let Some(name) = info.strip_prefix(kind) {
            found.push((name.trim().to_string(), format!("{text}\n")));
        }
    }
    found
}

/// A program's output on a terminal of 80 columns.
const NARROW: &str = r#"
import fcntl, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    os.execv(sys.argv[1], sys.argv[1:])
try:
    while read := os.read(terminal, 65536):
        sys.stdout.buffer.write(read)
except OSError:
    pass
os.waitpid(pid, 0)
"#;

#[test]
fn sentences_are_as_wide_as_the_terminal() {
    let mut python = Command::new("python3");
    python.args(["-c", NARROW, env!("CARGO_BIN_EXE_dyno"), "audit"]);
    python.arg(folder().join("micron-7600.toml"));
    for table in published() {
        python.arg("--data").arg(table);
    }
    let output = python.output().expect("python3");
    let text = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    assert!(text.contains("46 statements"), "{text}");
    let width = |line: &str| line.chars().count();
    let widest = text.lines().max_by_key(|line| width(line)).expect("lines");
    assert!((70..=80).contains(&width(widest)), "{widest}");
    let wide = audit(&folder().join("micron-7600.toml"), &published()).0;
    assert!(wide.lines().count() < text.lines().count(), "a pipe has wider lines: {wide}");
}

#[test]
fn the_page_prints_what_its_own_examples_print() {
    let page = std::fs::read_to_string(folder().join("../../docs/audit.md")).unwrap();
    let here = tempfile::tempdir().unwrap();
    let mut tables = Vec::new();
    for (name, text) in blocks(&page, "csv ") {
        tables.push(here.path().join(name));
        std::fs::write(tables.last().unwrap(), text).unwrap();
    }
    let pieces: Vec<String> = blocks(&page, "toml ").into_iter().map(|(_, text)| text).collect();
    assert!(
        tables.len() == 5 && pieces.len() > 8,
        "{} tables, {} pieces",
        tables.len(),
        pieces.len()
    );
    let claims = here.path().join("claims.toml");
    std::fs::write(&claims, pieces.join("\n")).unwrap();
    let (printed, error, code) = audit(&claims, &tables);
    let expected = &blocks(&page, "text")[0].1;
    assert_eq!(printed.trim(), expected.trim(), "docs/audit.md is stale; {error}");
    assert_eq!(code, Some(1), "one statement can't be read");
    let shown = AuditVerdict::ALL
        .iter()
        .filter(|v| printed.contains(&format!("\n  {}\n", v.words().to_uppercase())));
    assert_eq!(shown.count(), AuditVerdict::ALL.len(), "the page has an example of every verdict");
    let rows = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
        .map(|(name, _)| name);
    let rows: Vec<&str> = rows.collect();
    for verdict in AuditVerdict::ALL {
        assert!(rows.contains(&verdict.words()), "the page explains '{}'", verdict.words());
    }
}

/// A published row: drive, threads, ops/s, p99 and watts.
type Row = (String, String, [f64; 3]);

fn rows(table: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(table).unwrap();
    let row = |line: &str| {
        let f: Vec<&str> = line.split(',').collect();
        (f[0].to_string(), f[1].to_string(), [2, 3, 4].map(|i| f[i].parse().unwrap()))
    };
    text.lines().filter(|l| !l.starts_with('#')).skip(1).map(row).collect()
}

/// Every true statement about two rows of a table, rounded half up or truncated, by every formula
/// of its metric.
fn true_statements(data: &str, rows: &[Row]) -> Vec<String> {
    let mut claims = Vec::new();
    for own in rows {
        for other in rows.iter().filter(|o| o.1 == own.1 && o.0 != own.0) {
            let ops = own.2[0] / other.2[0];
            let p99 = other.2[1] / own.2[1];
            let watt = ops * other.2[2] / own.2[2];
            for (metric, formula, times) in [
                ("ops_per_s", "gain", ops),
                ("ops_per_s", "factor", ops),
                ("p99_us", "gain", p99),
                ("p99_us", "reduction", p99),
                ("ops_per_s_per_watt", "gain", watt),
            ] {
                let (value, unit) = match formula {
                    "gain" => ((times - 1.0) * 100.0, "%"),
                    "reduction" => ((1.0 - 1.0 / times) * 100.0, "%"),
                    _ => (times, "×"),
                };
                if times <= 1.0 {
                    continue;
                }
                for (decimals, half) in [(0, 0.5), (0, 0.0), (1, 0.5), (1, 0.0)] {
                    let scale = 10f64.powi(decimals);
                    let said = (value * scale + half).floor() / scale;
                    claims.push(format!(
                        "[[claim]]\nwords = \"{said} {unit}\"\ndata = \"{data}\"\n\
                         metric = \"{metric}\"\nformula = \"{formula}\"\n\
                         subject = \"{}\"\nat = \"{}\"\nagainst = \"{}\"\n\
                         says = \"{said:.*} {unit}\"\n",
                        own.0, own.1, other.0, decimals as usize
                    ));
                }
            }
        }
    }
    claims
}

#[test]
fn nothing_in_the_published_tables_that_is_ordinary_rounding_is_called_anything_else() {
    let head = "title = \"T\"\ncolumns = { subject = \"drive\", at = \"threads\" }\n\
                [metric.ops_per_s]\nbetter = \"higher\"\n\
                [metric.p99_us]\nbetter = \"lower\"\n[metric.ops_per_s_per_watt]\n\
                better = \"higher\"\nratio = [\"ops_per_s\", \"watts\"]\n";
    let here = tempfile::tempdir().unwrap();
    let claims = here.path().join("claims.toml");
    let mut judged = 0;
    for table in published() {
        let name = table.file_stem().unwrap().to_string_lossy().into_owned();
        for part in true_statements(&name, &rows(&table)).chunks(200) {
            std::fs::write(&claims, format!("{head}{}", part.concat())).unwrap();
            let (printed, error, code) = audit(&claims, std::slice::from_ref(&table));
            let of = |line: &str| line.starts_with("  HOLDS");
            let fine = printed.lines().filter(|l| of(l)).count();
            let last = printed.lines().last().unwrap_or("");
            assert_eq!((fine, code), (part.len(), Some(0)), "{last}{error}");
            judged += fine;
        }
    }
    assert!(judged > 400, "{judged} statements");
}

/// A claims file about one small table.
pub struct Small {
    here: tempfile::TempDir,
}

const SMALL: &str =
    "subject,at,ops_per_s,p99_us\nA,8,1000,110\nA,16,1500,151\nB,8,800,110\nB,16,700,259\n";
const SMALL_HEAD: &str = "title = \"T\"\nsubject = \"A\"\n[metric.ops_per_s]\nbetter = \"higher\"\n\
                          [metric.p99_us]\nbetter = \"lower\"\n";

impl Small {
    pub fn new() -> Small {
        Small { here: tempfile::tempdir().unwrap() }
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.here.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Statements, each with its metric, its value and further keys.
    pub fn judge(&self, claims: &[(&str, &str, &str)]) -> (String, Option<i32>) {
        let of = |(metric, says, more): &(&str, &str, &str)| {
            format!(
                "[[claim]]\nwords = \"{says}\"\nmetric = \"{metric}\"\nsays = \"{says}\"\n{more}\n"
            )
        };
        let text: String = claims.iter().map(of).collect();
        let (printed, error, code) = audit(
            &self.file("claims.toml", format!("{SMALL_HEAD}{text}")),
            &[self.file("table.csv", SMALL)],
        );
        (printed + &error, code)
    }
}

#[test]
fn a_statement_of_each_kind_has_its_verdict() {
    let at_16 = "at = 16\nagainst = \"B\"";
    let cases: &[(&str, &str, &str, &str)] = &[
        ("p99_us", "better", "at = 8", "A TIE"),
        ("p99_us", "better", "at = \"all\"", "A TIE"),
        ("ops_per_s", "better", "at = \"all\"", "HOLDS"),
        ("p99_us", "108 µs", "formula = \"difference\"\nat = 16\nagainst = \"B\"", "HOLDS"),
        ("p99_us", "110 µs", "formula = \"difference\"\nat = 16\nagainst = \"B\"", "INFLATED"),
        ("p99_us", "0.151 ms", "at = { ops_per_s = \"1.5 K\" }", "HOLDS"),
        ("p99_us", "140 µs", "at = { ops_per_s = \"1.5 K\" }", "INFLATED"),
        ("p99_us", "under 0.2 ms", "at = \"all\"", "HOLDS"),
        ("ops_per_s", "1.5 K", "up_to = true", "HOLDS"),
        ("ops_per_s", "more than 2 ×", at_16, "HOLDS"),
        ("ops_per_s", "more than 3 ×", at_16, "INFLATED"),
        ("ops_per_s", "over 100 %", "at = \"all\"\nagainst = \"B\"", "CONTRADICTED"),
        ("ops_per_s", "at least 25 %", "at = \"from 8\"\nagainst = \"B\"", "HOLDS"),
        ("ops_per_s", "better", "against = [\"B\", \"C\"]", "INCOMPLETE"),
        ("ops_per_s", "5 %", "at = 8\nagainst = \"C\"", "INCOMPLETE"),
        ("ops_per_s", "25 %", "at = 32\nagainst = \"B\"", "CAN'T BE VERIFIED FROM THE DATA GIVEN"),
        ("watts", "better", "", "CAN'T BE READ"),
    ];
    for (metric, says, more, expected) in cases {
        let (printed, code) = Small::new().judge(&[(metric, says, more)]);
        assert_eq!(verdict(&printed, 1), *expected, "{metric} {says} {more}:\n{printed}");
        let expected = match *expected {
            "HOLDS" => 0,
            "CAN'T BE READ" => 1,
            _ => 2,
        };
        assert_eq!(code, Some(expected), "{printed}");
    }
}

#[test]
fn one_statement_that_cannot_be_read_leaves_the_others_judged() {
    let good = ("ops_per_s", "25 %", "at = 8\nagainst = \"B\"");
    let unreadable: &[(&str, &str, &str, &str)] = &[
        ("ops_per_s", "blazingly fast", "", "'blazingly' in 'blazingly fast' is not understood"),
        ("ops_per_s", "21 %", "formula = 7", "invalid type"),
        ("ops_per_s", "21 %", "colour = \"red\"", "colour"),
        ("ops_per_s", "21 %", "at =", "must be quoted"),
        ("ops_per_s", "21 %", "at = 8\nat = 16", "duplicate"),
        ("p99_us", "21 %", "", "two things"),
        ("p99_us", "21 MB/s", "", "not in the unit"),
        ("ops_per_s", "21 %", "against = \"A\"", "with itself"),
        ("nothing", "21 %", "", "not described"),
    ];
    for (metric, says, more, what) in unreadable {
        let (printed, code) = Small::new().judge(&[good, (metric, says, more), good]);
        assert_eq!(code, Some(1), "{printed}");
        let verdicts = [1, 2, 3].map(|n| verdict(&printed, n));
        assert_eq!(verdicts, ["HOLDS", "CAN'T BE READ", "HOLDS"], "{printed}");
        let claim = of_claim(&printed, 2);
        assert!(
            claim.contains(what) && claim.contains("line 1") && claim.contains("try: "),
            "{what}:\n{claim}"
        );
    }
}

#[test]
fn two_statements_that_contradict_each_other_are_both_named() {
    let at_8 = "at = 8\nagainst = \"B\"";
    let (printed, code) =
        Small::new().judge(&[("ops_per_s", "25 %", at_8), ("ops_per_s", "20 %", at_8)]);
    assert_eq!(
        (verdict(&printed, 1).as_str(), verdict(&printed, 2).as_str()),
        ("HOLDS", "CONTRADICTED")
    );
    says(&printed, 1, &["statement 2 says otherwise: “20 %”"]);
    says(&printed, 2, &["statement 1 says otherwise: “25 %”"]);
    assert_eq!(code, Some(2));
}

#[test]
fn claims_and_audit_print_the_same_number_for_the_same_division() {
    let here = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let dyno = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_dyno"))
            .current_dir(here.path())
            .args(args)
            .output()
            .unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let of = |name: &str| data.join(name).to_string_lossy().into_owned();
    let (table, mapping) = (of("micron-7600-random-read.csv"), of("mapping.toml"));
    dyno(&["import", "csv", &table, "--mapping", &mapping, "-o", "b.dyno"]);
    let (of_bundle, ..) = audit(&folder().join("micron-7600.toml"), &[here.path().join("b.dyno")]);
    let (of_table, ..) = audit(&folder().join("micron-7600.toml"), &published());
    let claimed = dyno(&["claims", "b.dyno"]);
    assert!(claimed.contains("892,202 ÷ 735,861 − 1 = 21.24 %"), "{claimed}");
    assert!(claimed.contains("1 − 169 µs ÷ 268 µs = 36.9 %"), "{claimed}");
    for printed in [&of_bundle, &of_table] {
        says(printed, 10, &["HOLDS", "892,202 ÷ 735,861 − 1 = 21.24 %"]);
        says(
            printed,
            11,
            &["HOLDS, ROUNDED UP", "1 − 169 ÷ 268 = 36.94 %", "268 ÷ 169 − 1 = 58.57 %"],
        );
    }
}

#[test]
fn a_table_or_a_file_that_is_none_ends_in_a_plain_error() {
    let small = Small::new();
    let claim = "[[claim]]\nwords = \"w\"\nmetric = \"ops_per_s\"\nsays = \"better\"\n";
    let claims = small.file("good.toml", format!("{SMALL_HEAD}{claim}"));
    let utf16: Vec<u8> = SMALL.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide =
        format!("subject,at,x\n{}", (0..5000).map(|n| format!("S{n},{n},1\n")).collect::<String>());
    let tables: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", b"".to_vec(), "no column 'subject'"),
        ("headings only", b"subject,at,x\n".to_vec(), "has no rows"),
        ("NUL", b"subject,at,x\nA,8,1\0\n".to_vec(), "NUL byte in line 2"),
        ("UTF-16", utf16, "NUL byte"),
        ("Latin-1", b"subject,at,x\nCaf\xe9,8,1\n".to_vec(), "not UTF-8: line 2"),
        ("twice", b"subject,at,x\nA,8,1\nA,8,2\n".to_vec(), "line 3: a second row of A at 8"),
        ("two columns", b"subject,at,x,x\nA,8,1,2\n".to_vec(), "two columns 'x'"),
        ("NaN", b"subject,at,x\nA,8,NaN\n".to_vec(), "'NaN' in column x is not a number"),
        ("inf", b"subject,at,x\nA,8,inf\n".to_vec(), "'inf' in column x"),
        (
            "huge",
            format!("subject,at,x\nA,8,{}\n", "9".repeat(400)).into_bytes(),
            "is not a number",
        ),
        ("thousands", b"subject,at,x\nA,8,\"1,000\"\n".to_vec(), "'1,000' in column x"),
        (
            "thousands, bare",
            b"subject,at,x\nA,8,1,000\n".to_vec(),
            "line 2: 4 fields under 3 headings",
        ),
        ("nobody", b"subject,at,x\n,8,1\n".to_vec(), "line 2: no subject"),
        ("log", wide.into_bytes(), "more than 2000 subjects times points"),
        ("large", vec![b'x'; 5 << 20], "is larger than 4 MiB"),
    ];
    for (name, bytes, what) in tables {
        let (printed, error, code) = audit(&claims, &[small.file("table.csv", bytes)]);
        assert!(
            code == Some(1) && error.contains(what) && error.contains("try: "),
            "{name}: {error}{printed}"
        );
    }
    let table = small.file("table.csv", format!("\u{feff}{SMALL}"));
    let (printed, error, code) = audit(&claims, std::slice::from_ref(&table));
    assert_eq!(code, Some(0), "with a byte order mark: {printed}{error}");
    let (_, error, code) = audit(&claims, &[table.clone(), table.clone()]);
    assert!(code == Some(1) && error.contains("a second table"), "{error}");
    let files: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", Vec::new(), "no [[claim]]"),
        ("no title", claim.into(), "title"),
        ("NUL", b"title = \"a\0\"".to_vec(), "NUL byte in line 1"),
        ("broken head", format!("title = T\n{claim}").into(), "line 1"),
        (
            "many",
            format!("{SMALL_HEAD}{}", claim.repeat(201)).into(),
            "201 statements, more than 200",
        ),
        ("large", vec![b'\n'; 5 << 20], "is larger than 4 MiB"),
        (
            "other data",
            format!("{SMALL_HEAD}[data.other]\nat = \"x\"\n{claim}").into(),
            "[data.other]",
        ),
    ];
    for (name, bytes, what) in files {
        let (printed, error, code) =
            audit(&small.file("claims.toml", bytes), std::slice::from_ref(&table));
        assert!(
            code == Some(1) && error.contains(what) && error.contains("try: "),
            "{name}: {error}{printed}"
        );
    }
    let (_, error, code) = audit(&claims, &[PathBuf::from("/dev/zero")]);
    assert!(code == Some(1) && error.contains("it is not a file"), "an endless file: {error}");
    let (_, error, code) = audit(&claims, &[small.here.path().to_path_buf()]);
    assert!(code == Some(1) && error.contains("it is not a file"), "a folder: {error}");
}
