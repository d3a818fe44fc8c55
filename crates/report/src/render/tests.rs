//! Briefs and terminal output from the bundles of `tests_bundle`.

use super::terminal::terminal;
use super::tests_bundle::{
    Made, SMALL, STARTED, bundle, cell, histogram, plan, point, small, tally,
};
use super::{html, markdown};
use crate::analysis::facts::Facts;
use crate::analysis::{Comparison, Question};
use crate::brief::text::wording;
use crate::brief::{Brief, BriefOptions, screens};
use crate::language::Language;
use dyno_core::base::output::WIDEST;
use dyno_core::base::units::Rate;
use dyno_core::plan::{Axis, Field};
use dyno_core::record::{Cell, Class, Fact, Point, Run, Sample, Setup, Sink};
use dyno_core::store::BundleWriter;

fn document(facts: &Facts) -> Brief {
    Brief::new(Language::ENGLISH, facts, &BriefOptions::default()).expect("a document")
}

fn compared(facts: &Facts) -> String {
    terminal(&screens::compare(Language::ENGLISH, facts), WIDEST)
}

fn shown(facts: &Facts) -> String {
    terminal(&screens::show(Language::ENGLISH, facts), WIDEST)
}

/// The page's headings, sentences and tables, without drawings and styles.
fn outline(page: &str) -> String {
    let mut text = page.to_string();
    for (open, close) in
        [("<style>", "</style>"), ("<svg", "</svg>"), ("<pre", "</pre>"), ("<script>", "</script>")]
    {
        let mut kept = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(open) {
            kept.push_str(&rest[..at]);
            kept.push_str(&format!("[{}]", open.trim_matches(['<', '>'])));
            rest = rest[at..].find(close).map_or("", |end| &rest[at + end + close.len()..]);
        }
        kept.push_str(rest);
        text = kept;
    }
    text
}

#[test]
fn subjects_side_by_side() {
    let (_folder, paths) = bundle(&small());
    let facts = crate::bundles::facts(&paths, &Question::default()).expect("facts");
    let shown = compared(&facts);
    assert!(shown.lines().all(|l| l.chars().count() <= WIDEST), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn every_point() {
    let (_folder, paths) = bundle(&small());
    let shown = shown(&crate::bundles::facts(&paths, &Question::default()).expect("facts"));
    assert!(shown.lines().all(|l| l.chars().count() <= WIDEST), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn the_page_keeps_its_shape() {
    let (_folder, paths) = bundle(&small());
    let facts = crate::bundles::facts(&paths, &Question::default()).expect("facts");
    let page = html(&document(&facts)).expect("a page");
    for outside in ["http:", "https:", "@import", "url(", "src="] {
        let foreign = page.replace("http://www.w3.org/", "").replace("url(data:", "");
        assert!(!foreign.contains(outside), "the page refers to something outside: {outside}");
    }
    insta::assert_snapshot!(outline(&page));
}

#[test]
fn a_thousand_points_make_a_page_below_three_megabytes() {
    let made =
        Made { values: (1..=500).map(f64::from).collect(), repeats: 1, seconds: 4, fail: false };
    let (_folder, paths) = bundle(&made);
    let begun = std::time::Instant::now();
    let facts = crate::bundles::facts(&paths, &Question::default()).expect("facts");
    let loaded = begun.elapsed();
    let page = html(&document(&facts)).expect("a page");
    // Printed by `cargo test --release a_thousand -- --nocapture`; the goal is one second, with
    // five allowed on a busy machine. Not tested without optimisation.
    let optimised = !cfg!(debug_assertions);
    assert!(!optimised || begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    println!(
        "1,000 points: {loaded:?} to load, {:?} in all, {} bytes",
        begun.elapsed(),
        page.len()
    );
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
}

#[test]
fn an_asked_rate_compares_response_times_and_owns_up_to_what_it_missed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("open.dyno");
    let made = Made { values: vec![20_000.0], fail: false, ..SMALL };
    let run = Run { plan: plan(&made), started_unix_ns: STARTED, dyno_version: "0.1.0".into() };
    let mut writer = BundleWriter::create(&path, &run, &Setup::default()).expect("a bundle");
    for (repeat, subject) in
        (1..=3).flat_map(|repeat| ["Memory", "Disk"].map(|subject| (repeat, subject)))
    {
        let (typical_ns, ops) =
            if subject == "Memory" { (50_000, 200_000) } else { (80_000, 150_000) };
        let mut made = point(&made, subject, 20_000.0, repeat);
        made.key.axis = Some(Axis {
            name: "read.rate".into(),
            field: Field::OpsPerSec,
            value: 20_000.0.into(),
        });
        let mut tally = tally(Class::READ, ops, typical_ns);
        tally.response = Some(histogram(ops, typical_ns * (100 + u64::from(repeat)) / 50));
        let late = if subject == "Disk" { 9_000 } else { 0 };
        let asked = Some(Rate::OpsPerSec(20_000.0));
        made.cells = vec![Cell { asked, late, backlog_max: 1_200, ..cell("read", true, 8, tally) }];
        writer.begin(&made.key).expect("begun");
        writer.end(&made).expect("ended");
    }
    insta::assert_snapshot!(compared(
        &crate::bundles::facts(&[path], &Question::default()).expect("facts")
    ));
}

#[test]
fn the_markdown_keeps_its_shape() {
    let (_folder, paths) = bundle(&small());
    let facts = crate::bundles::facts(&paths, &Question::default()).expect("facts");
    let document = document(&facts);
    let (text, figures) = markdown(&document, "brief.figures");
    assert!(
        figures.iter().all(|(name, svg)| text.contains(&format!("(brief.figures/{name})"))
            && svg.starts_with("<svg"))
    );
    // The plan, as JSON of some hundred lines, is excluded.
    let plan = text.split_once("```text").map_or("", |(_, rest)| rest);
    insta::assert_snapshot!(text.replace(plan, "[plan]"));
}

/// A bundle with modified points, and with readings, as it is written.
fn changed(change: &dyn Fn(&mut Point), watts: &dyn Fn(&str) -> f64) -> Facts {
    let (folder, made) =
        (tempfile::tempdir().expect("a temporary folder"), Made { fail: false, ..small() });
    let path = folder.path().join("made.dyno");
    let run = Run { plan: plan(&made), started_unix_ns: STARTED, dyno_version: "0.1.0".into() };
    let mut writer = BundleWriter::create(&path, &run, &Setup::default()).expect("a bundle");
    for repeat in 1..=made.repeats {
        for (value, subject) in
            made.values.iter().flat_map(|v| ["Memory", "Disk"].map(|subject| (*v, subject)))
        {
            let mut point = point(&made, subject, value, repeat);
            change(&mut point);
            writer.begin(&point.key).expect("begun");
            for tenth in -35..=(made.seconds as i64 * 10 + 35) {
                let (meter, name) = ("exec".to_string(), "drive_watts".to_string());
                let value = watts(subject);
                writer
                    .sample(&Sample { at_ns: tenth * 100_000_000, meter, name, value })
                    .expect("a reading");
            }
            writer.end(&point).expect("ended");
        }
    }
    crate::bundles::facts(&[path], &Question::default()).expect("facts")
}

/// The claims, as sentences.
fn sentences(facts: &Facts) -> Vec<String> {
    let Facts { subjects, measured, comparisons, .. } = facts;
    let sentence =
        |c: &Comparison| wording::sentence(Language::ENGLISH, subjects, &measured.steps[c.step], c);
    comparisons.claims.iter().map(|claim| sentence(&claim.comparison)).collect()
}

#[test]
fn the_one_that_does_less_may_do_more_per_watt() {
    let facts = changed(&|_| {}, &|subject| if subject == "Memory" { 30.0 } else { 5.0 });
    let said = sentences(&facts);
    let has =
        |start: &str, end: &str| said.iter().any(|s| s.starts_with(start) && s.ends_with(end));
    assert!(has("Memory delivers 2", "more ops/s than Disk on average over 3 points"), "{said:?}");
    let per_watt = "more ops/s per watt (drive, exec) than Memory on average over 3 points";
    assert!(has("Disk delivers ", per_watt), "{said:?}");
    let compared = compared(&facts).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(compared.contains(per_watt), "{compared}");
}

#[test]
fn subjects_under_other_options_are_not_compared_and_the_report_says_why() {
    let options = |point: &mut Point| {
        let own = if point.key.subject == "Disk" {
            "max_open_files=10 wal=1"
        } else {
            "max_open_files=-1 wal=1"
        };
        point.facts = vec![Fact::new("RocksDB", "Options", own)];
    };
    let facts = changed(&options, &|_| 5.0);
    assert!(facts.comparisons.all.is_empty() && sentences(&facts).is_empty());
    let said = compared(&facts).split_whitespace().collect::<Vec<_>>().join(" ");
    let why = "Disk and Memory are not comparable: RocksDB: Options differs, max_open_files=-1 \
               (Memory), max_open_files=10 (Disk).";
    assert!(said.contains(why), "{said}");
}

/// Words that express a ranking.
const RANKING: [&str; 10] =
    ["▲", "▼", " more ops/s", " lower p99", "delivers", "faster", "better:", "≥", "up to ", "wins"];

#[test]
fn with_fewer_than_three_repeats_no_sentence_and_no_mark_says_that_one_is_better() {
    for repeats in [1, 2] {
        let (_folder, paths) = bundle(&Made { repeats, fail: false, ..small() });
        let facts = crate::bundles::facts(&paths, &Question::default()).expect("facts");
        assert!(facts.comparisons.all.is_empty());
        let document = document(&facts);
        // The method section always explains rankings; the rest must contain none.
        let markdown = markdown(&document, "figures").0;
        let results = markdown.split("How it was measured").next().unwrap_or_default().to_string();
        let claims = terminal(&screens::claims(Language::ENGLISH, &facts), 80);
        for shown in [compared(&facts), shown(&facts), results, claims] {
            RANKING.iter().for_each(|word| assert!(!shown.contains(word), "'{word}' in {shown}"));
        }
        assert!(compared(&facts).contains("--repeats 5"));
    }
}

#[test]
fn one_pair_has_one_number_and_one_interval_in_every_form() {
    let (_folder, paths) = bundle(&Made { fail: false, ..small() });
    let facts = crate::bundles::facts(&paths, &Question::default()).expect("facts");
    let document = document(&facts);
    let claimed = crate::export::claims::ClaimsDocument::of(Language::ENGLISH, &facts);
    let json = serde_json::to_string_pretty(&claimed).expect("JSON");
    let mut csv = Vec::new();
    let table = crate::export::TABLES.iter().find(|t| t.name() == "comparisons").expect("a table");
    let form = crate::export::FORMS.iter().next().expect("a form");
    crate::export::export((&paths, &facts), table, form, Box::new(&mut csv)).expect("an export");
    let forms = [
        // Spaces at which lines do not break.
        ("HTML", html(&document).expect("a page").replace('\u{a0}', " ")),
        // In Markdown a bracket begins a link.
        ("Markdown", markdown(&document, "figures").0.replace("\\[", "[")),
        ("JSON", json),
        ("CSV", String::from_utf8_lossy(&csv).into_owned()),
    ];
    assert!(facts.comparisons.all.len() >= 8, "{} comparisons", facts.comparisons.all.len());
    let terminal = compared(&facts);
    for comparison in &facts.comparisons.all {
        let number = wording::difference(Language::ENGLISH, comparison);
        forms.iter().for_each(|(form, text)| {
            assert!(text.contains(&number), "'{number}' is not in {form}")
        });
    }
    for claim in &facts.comparisons.claims {
        let number = wording::difference(Language::ENGLISH, &claim.comparison);
        assert!(terminal.contains(&number), "'{number}' is not in {terminal}");
    }
}
