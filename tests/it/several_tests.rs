//! One page over several tests of the same drives: bundles that were made apart keep the drives'
//! names, and the scoreboard and the conclusion hold what was put into the figures.

use std::path::Path;

use dyno::plan::{Plan, PointKey};
use dyno::record::Setup;
use dyno::record::setup::HostSetup;

use crate::made::{self, Figures, rng};
use crate::support::{dyno, dyno_well, said};

const DEPTHS: &str = "sweep = { axis = \"io.depth\", values = [1, 8, 32] }";

/// A plan of one step on subjects with folders of their own.
fn plan(folder: &Path, protocol: &str, step: &str, subjects: &[&str]) -> Plan {
    let mut plan = made::plan(folder, &made::step(step, DEPTHS, ""), subjects.len(), 5);
    plan.protocol.name = protocol.to_string();
    plan.protocol.title = format!("Test of {step}");
    for (own, name) in plan.subjects.iter_mut().zip(subjects) {
        own.name = name.to_string();
        let place = folder.join(name.to_lowercase());
        std::fs::create_dir_all(&place).expect("a folder");
        own.drives[0].place = dyno::plan::DrivePlace::Directory(place);
    }
    plan
}

/// A bundle with a factor of ops/s for each subject and point.
fn bundle(folder: &Path, file: &str, plan: &Plan, factor: &dyn Fn(&PointKey) -> f64) {
    let host = HostSetup { name: Some("lab".into()), ..HostSetup::default() };
    let setup = Setup { host, ..Setup::default() };
    let mut rng = rng(91, file.len() as u64);
    made::write_with(&folder.join(file), plan, &setup, &mut |key| {
        let ops_per_s = 5e4 * factor(key) * (0.01 * rng.normal()).exp();
        let p99_ns = 2e5 * (0.01 * rng.normal()).exp();
        Some(Figures { ops_per_s, p99_ns, ..Figures::default() })
    });
}

/// A is 20 % faster in reads, B is 30 % faster in writes, and they are equal in the mix, whose step
/// has the name of the reads' but another protocol.
fn three(folder: &Path) -> [&'static str; 3] {
    let of = |gains: [f64; 2]| move |key: &PointKey| gains[usize::from(key.subject == "B")];
    let both = ["A", "B"];
    let reads = plan(folder, "reading", "io", &both);
    bundle(folder, "reads.dyno", &reads, &of([1.2, 1.0]));
    let writes = plan(folder, "writing", "writes", &both);
    bundle(folder, "writes.dyno", &writes, &of([1.0, 1.3]));
    let mixed = plan(folder, "mixing", "io", &both);
    bundle(folder, "mixed.dyno", &mixed, &of([1.0, 1.0]));
    ["reads.dyno", "writes.dyno", "mixed.dyno"]
}

fn markdown(folder: &Path, files: &[&str], args: &[&str]) -> String {
    dyno_well(folder, &[&["report"], files, &["-o", "b.md"], args].concat());
    std::fs::read_to_string(folder.join("b.md")).expect("a brief")
}

/// The section of a Markdown page with this heading.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let after = page.split(&format!("\n## {heading}\n")).nth(1).unwrap_or_default();
    after.split("\n## ").next().unwrap_or_default()
}

#[test]
fn bundles_of_several_tests_are_one_page_whose_drives_keep_their_names() {
    let folder = made::folder();
    let files = three(folder.path());
    let page = markdown(folder.path(), &files, &[]);
    let body = page.split("\n## Appendix").next().unwrap_or_default();
    for never in ["A (reads)", "B (writes)", "not comparable", "separate runs", "{\""] {
        assert!(!body.contains(never), "“{never}” in {body}");
    }
    for title in ["Test of io", "Test of writes"] {
        assert!(body.contains(title), "{title} is not in {body}");
    }
    // The known truth, and nothing else.
    let summary = section(&page, "Summary");
    let row = |step: &str| {
        let rows = summary.lines().filter(|line| line.contains(&format!("| {step} |")));
        rows.map(str::to_string).collect::<Vec<_>>()
    };
    let (io, writes) = (row("io"), row("writes"));
    assert!(io.len() == 2 && writes.len() == 1, "{summary}");
    assert!(io[0].contains("A 1") || io[0].contains("A 2"), "{}", io[0]);
    assert!(io[0].contains('▲') && io[1].contains("even"), "{io:?}");
    assert!(writes[0].contains("B ") && writes[0].contains('▲'), "{}", writes[0]);
    let conclusion = section(&page, "Conclusion");
    for truth in [
        "A has the higher ops/s at every depth (1 to 32)",
        "B has the higher ops/s at every depth (1 to 32)",
        "the difference in ops/s is within 5 %",
    ] {
        assert!(conclusion.contains(truth), "“{truth}” is not in {conclusion}");
    }
    assert!(conclusion.split_whitespace().count() <= 160, "{conclusion}");
}

#[test]
fn the_conclusion_is_in_every_language_and_in_every_form() {
    let folder = made::folder();
    let files = three(folder.path());
    let args =
        |language: &'static str| [&["compare"], &files[..], &["--language", language]].concat();
    for (language, words) in [
        ("en", "has the higher ops/s"),
        ("ja", "のops/sが高い"),
        ("pt-BR", "o maior valor de ops/s"),
    ] {
        let text = dyno_well(folder.path(), &args(language));
        let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let bare = joined.replace(' ', "");
        assert!(joined.contains(words) || bare.contains(words), "{language}: {text}");
    }
    for form in ["b.html", "b.pdf"] {
        dyno_well(folder.path(), &[&["report"], &files[..], &["-o", form]].concat());
    }
}

#[test]
fn a_drive_of_another_name_is_one_if_stated_and_one_of_the_same_name_on_another_drive_is_not() {
    let folder = made::folder();
    let dir = folder.path();
    let even = |_: &PointKey| 1.0;
    bundle(dir, "a.dyno", &plan(dir, "reading", "reads", &["A", "B"]), &even);
    let mut other = plan(dir, "writing", "writes", &["Alfa", "B"]);
    let elsewhere = dir.join("elsewhere");
    std::fs::create_dir_all(&elsewhere).expect("a folder");
    other.subjects[1].drives[0].place = dyno::plan::DrivePlace::Directory(elsewhere);
    bundle(dir, "b.dyno", &other, &even);
    let shown = dyno_well(dir, &["compare", "a.dyno", "b.dyno"]);
    assert!(
        shown.contains("B (a)") && shown.contains("B (b)") && shown.contains("Alfa"),
        "{shown}"
    );
    let shown = dyno_well(dir, &["compare", "a.dyno", "b.dyno", "--same", "A=Alfa"]);
    assert!(!shown.contains("Alfa"), "{shown}");
    let shown = dyno(dir, &["compare", "a.dyno", "b.dyno", "--same", "A=Gamma"]);
    assert!(!shown.status.success() && said(&shown).contains("'Gamma'"), "{}", said(&shown));
}
