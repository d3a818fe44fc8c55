//! `dyno audit` on two published tables: what their own numbers bear out.

use std::path::Path;
use std::process::Command;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/audit")
}

/// Runs the audit on both published tables; what it printed, and its exit code.
fn audit(claims: &Path) -> (String, String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_dyno"))
        .arg("audit")
        .arg(claims)
        .arg("--data")
        .arg(folder().join("micron-7600-random-read.csv"))
        .arg("--data")
        .arg(folder().join("micron-7600-read-while-writing.csv"))
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code())
}

/// The lines of one claim.
#[track_caller]
fn of_claim(printed: &str, number: usize) -> String {
    let start = printed.find(&format!("\n{number}. ")).expect("the claim is judged");
    let rest = &printed[start + 1..];
    rest[..rest.find("\n\n").unwrap_or(rest.len())].to_string()
}

#[track_caller]
fn says(printed: &str, number: usize, parts: &[&str]) {
    let claim = of_claim(printed, number);
    for part in parts {
        assert!(claim.contains(part), "'{part}' is not in:\n{claim}");
    }
}

#[test]
fn the_published_claims_are_judged_with_the_arithmetic() {
    let (printed, _, code) = audit(&folder().join("micron-7600.toml"));
    says(&printed, 1, &["HOLDS", "892,202 ÷ 735,861 − 1 = 21.25 %"]);
    says(&printed, 3, &["ROUNDS UP", "268 ÷ 169 − 1 = 58.58 %", "1 − 169 ÷ 268 = 36.94 %"]);
    says(&printed, 4, &["WRONG FORMULA"]);
    says(&printed, 5, &["ROUNDS UP", "weaker claim it is 36 %"]);
    says(&printed, 6, &["CONTRADICTED", "128 threads against Kioxia CD8P-R, p99_us 417 against 399"]);
    says(
        &printed,
        7,
        &["WRONG POINT", "754,416 ÷ 625,956 − 1 = 20.52 %", "885,709 ÷ 721,339 − 1 = 22.79 %", "128 threads"],
    );
    says(&printed, 8, &["ROUNDS UP", "422 ÷ 240 − 1 = 75.83 %"]);
    says(&printed, 10, &["CAN'T BE VERIFIED"]);
    assert_eq!(code, Some(2), "not all hold");
}

#[test]
fn claims_that_all_hold_end_well() {
    let folder = tempfile::tempdir().unwrap();
    let claims = folder.path().join("claims.toml");
    let text = "title = \"T\"\nsubject = \"Micron 7600\"\ncolumns = { subject = \"drive\", at = \"threads\" }\n\
                [metric.ops_per_s]\nbetter = \"higher\"\n[[claim]]\nwords = \"more\"\nmetric = \"ops_per_s\"\n\
                data = \"micron-7600-random-read\"\nsays = \"better\"\n";
    std::fs::write(&claims, text).unwrap();
    let (printed, error, code) = audit(&claims);
    assert_eq!(code, Some(0), "{printed}{error}");
    std::fs::write(&claims, text.replace("says = \"better\"", "says = \"much\"")).unwrap();
    let (_, error, code) = audit(&claims);
    assert!(code == Some(1) && error.contains("claim 1 ('more')") && error.contains("\"21 %\""), "{error}");
}
