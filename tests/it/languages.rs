//! Briefs in other languages than English, through the program.

use std::path::Path;
use std::process::Command;

use crate::made::{self, Figures};
use crate::support::{self, dyno, dyno_well};

fn bundle(dir: &Path) {
    let step = made::step("reads", "sweep = { axis = \"io.depth\", values = [1, 2, 4, 8] }", "");
    let plan = made::plan(dir, &step, 2, 5);
    let mut rng = made::rng(62, 0);
    made::write(&dir.join("b.dyno"), &plan, &mut |key| {
        let better = if key.subject == "A" { 1.25 } else { 1.0 };
        let at = key.axis.as_ref().map_or(4.0, |axis| axis.value.as_f64());
        let noise = (0.02 * rng.normal()).exp();
        let ops_per_s = 40_000.5 * better * at.powf(0.6) * noise;
        let p99_ns = 90_000.0 * at.sqrt() / better / noise;
        Some(Figures { ops_per_s, p99_ns, ..Figures::default() })
    });
}

#[test]
fn japanese_text_can_be_copied_out_of_a_pdf() {
    if !support::have(&["pdftotext"]) {
        return;
    }
    let folder = made::folder();
    let dir = folder.path();
    bundle(dir);
    dyno_well(dir, &["report", "b.dyno", "--language", "ja", "-o", "b.pdf"]);
    let text = Command::new("pdftotext").args(["b.pdf", "-"]).current_dir(dir).output();
    let text = String::from_utf8(text.expect("pdftotext").stdout).expect("UTF-8");
    // A line may end between any two characters.
    let text = text.replace('\n', "");
    for said in ["測定結果", "付録", "キュー深度", "サービス時間"] {
        assert!(text.contains(said), "'{said}' is not in {text}");
    }
}

#[test]
fn sentences_and_numbers_are_in_the_language_asked_for() {
    let folder = made::folder();
    let dir = folder.path();
    bundle(dir);
    let said = |tag: &str| dyno_well(dir, &["compare", "b.dyno", "--language", tag]);
    let (english, japanese, portuguese) = (said("en"), said("ja"), said("pt-BR"));
    assert!(english.contains("A delivers ") && english.contains(" more ops/s than B"), "{english}");
    assert!(japanese.contains("A は B より ops/s が "), "{japanese}");
    assert!(portuguese.contains("A entrega ") && portuguese.contains(" mais ops/s que B"));
    let claimed = |text: &str| text.split(['[', ']']).nth(1).map(str::to_string);
    let (english, portuguese) = (claimed(&english), claimed(&portuguese));
    let decimal = english.expect("an interval").replace(", ", "; ").replace('.', ",");
    assert_eq!(portuguese.expect("an interval"), decimal);
}

#[test]
fn a_language_that_there_is_not_is_an_error_that_names_those_that_there_are() {
    let folder = made::folder();
    bundle(folder.path());
    let output = dyno(folder.path(), &["claims", "b.dyno", "--language", "tlh"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(error.contains("no language 'tlh'") && error.contains("en, ja, pt-BR"), "{error}");
}

#[test]
fn what_an_import_says_of_its_source_is_in_the_language_asked_for() {
    for (kind, file, missing) in [
        ("db_bench", "db_bench.txt", "スレッド数（db_bench は出力しない）"),
        ("fio", "fio-randrw.json", "区間ごとの値、計測器の計測値、オペレーションの発行予定時刻"),
        ("hammerdb", "hammerdb.log", "レイテンシー（タイムプロファイルが"),
        ("sysbench", "sysbench-fileio.txt", "種別ごとのレイテンシー"),
        ("vdbench", "vdbench-flatfile.html", "すべてのパーセンタイル"),
    ] {
        let folder = made::folder();
        let dir = folder.path();
        let given = format!("A={}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
        dyno_well(dir, &["import", kind, &given, "-o", "i.dyno"]);
        dyno_well(dir, &["report", "i.dyno", "--language", "ja", "-o", "i.md"]);
        let text = std::fs::read_to_string(dir.join("i.md")).expect("a brief");
        let text = text.replace("db\\_bench", "db_bench");
        assert!(text.starts_with(&format!("# {kind} から取り込んだ値\n")), "{text}");
        let row = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        assert!(row("| 測定者 |").contains("Dyno ではなく第三者、出典に記載のない条件は不明"));
        let said = row("| 元データにない項目 |");
        assert!(said.contains(missing), "{kind}: {said}");
        assert!(![" the ", " of ", " latencies"].iter().any(|word| said.contains(word)), "{said}");
    }
}
