//! The brief in its three forms, from the binary: the published tables are reproduced with their
//! differences, the numbers are the same in all forms, and the PDF is suitable for print.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use crate::made::{self, Figures};
use crate::support::{dyno, dyno_well, said, skip, tool};

const BRIEF: &str = r##"
title = "Three enterprise drives under RocksDB"
logo = "logo.png"
sections = ["findings", "results", "data", "method"]

[colours]
"Kioxia CD8P-R" = "#6b7280"

[[text]]
title = "Why these workloads"
markdown = "A **database** reads <b>more</b> than it writes."
"##;

/// The two published tables as a bundle.
fn published() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let data = |name: &str| {
        PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("tests/data")
            .join(name)
            .display()
            .to_string()
    };
    let (reads, mixed) =
        (data("micron-7600-random-read.csv"), data("micron-7600-read-while-writing.csv"));
    dyno_well(
        dir.path(),
        &["import", "csv", &reads, &mixed, "--mapping", &data("mapping.toml"), "-o", "b.dyno"],
    );
    dir
}

/// poppler's tools read PDF; without them it is not tested.
fn poppler() -> bool {
    let there = Command::new("pdftotext").arg("-v").output().is_ok();
    if !there {
        skip("pdftotext is not installed; scripts/setup.sh installs poppler-utils");
    }
    there
}

/// Words with a digit in them.
fn numbers(text: &str) -> BTreeSet<String> {
    let plain = |w: &str| w.trim_matches(|c: char| !c.is_alphanumeric()).to_string();
    let words = text.split(|c: char| c.is_whitespace() || "|<>\\".contains(c)).map(plain);
    words.filter(|w| w.contains(|c: char| c.is_ascii_digit())).collect()
}

#[test]
fn the_published_tables_come_back_with_their_differences() {
    let dir = published();
    let sections = "sections = [\"results\", \"differences\", \"data\"]\n";
    std::fs::write(dir.path().join("brief.toml"), sections).unwrap();
    dyno_well(dir.path(), &["report", "b.dyno", "--brief", "brief.toml", "-o", "b.md"]);
    let text = std::fs::read_to_string(dir.path().join("b.md")).unwrap();
    // As printed in the published brief or calculated from its tables by hand.
    let rows = [
        "| ops/s | Micron 7600 | Samsung PM9D3a | 96 | 892,202 ÷ 735,914 − 1 | 21.23 % |",
        "| ops/s | Micron 7600 | Kioxia CD8P-R | 96 | 892,202 ÷ 735,861 − 1 | 21.24 % |",
        "| p99 | Micron 7600 | Samsung PM9D3a | 96 | 1 − 169 µs ÷ 268 µs | 36.9 % | gain 58.5 % |",
        "| p99 | Kioxia CD8P-R | Micron 7600 | 128 | 1 − 399 µs ÷ 417 µs | 4.31 % | gain 4.51 % |",
        "| ops/s | Micron 7600 | Samsung PM9D3a | 128 | 885,709 ÷ 721,339 − 1 | 22.78 % |",
    ];
    rows.iter().for_each(|row| assert!(text.contains(row), "{row} is not in\n{text}"));
    // Every number of the tables is in the full data.
    let table = include_str!("../data/micron-7600-read-while-writing.csv");
    let grouped = |n: &str| format!("{},{}", &n[..n.len() - 3], &n[n.len() - 3..]);
    let told = table.lines().filter(|l| !l.starts_with(['#', '"'])).skip(1);
    for row in told {
        let cells: Vec<&str> = row.split(',').collect();
        let wanted = format!("| {} | {} |", grouped(cells[2]), cells[3]);
        assert!(text.contains(&wanted), "{wanted} is not in\n{text}");
    }
    // Values that the tables do not contain are not shown as zero.
    assert!(!text.contains(" 0 ns") && !text.contains("0.00 ") && !text.contains("1970"));
}

#[test]
fn all_forms_hold_the_same_numbers_and_the_briefs_own_words() {
    if !poppler() {
        return;
    }
    let dir = published();
    dyno_well(dir.path(), &["report", "b.dyno", "--figures", "figures"]);
    let logo = std::fs::read_dir(dir.path().join("figures")).unwrap().map(|f| f.unwrap().path());
    let logo = logo.into_iter().find(|p| p.extension().is_some_and(|e| e == "png")).unwrap();
    std::fs::copy(logo, dir.path().join("logo.png")).unwrap();
    std::fs::write(dir.path().join("brief.toml"), BRIEF).unwrap();
    for form in ["html", "pdf", "md"] {
        dyno_well(
            dir.path(),
            &["report", "b.dyno", "--brief", "brief.toml", "-o", &format!("b.{form}")],
        );
    }
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    let (html, text) = (read("b.html"), read("b.md"));
    let pdf = tool("pdftotext", dir.path(), &["-layout", "b.pdf", "-"]);
    // Only Markdown contains the names of figure files.
    let prose: String =
        text.lines().filter(|l| !l.starts_with("![")).map(|l| format!("{l}\n")).collect();
    let (in_html, in_pdf, in_text) = (numbers(&html), numbers(&pdf), numbers(&prose));
    assert!(in_text.len() > 100, "{}", in_text.len());
    for number in &in_text {
        assert!(in_html.contains(number), "{number} is not in the HTML");
        assert!(in_pdf.contains(number), "{number} is not in the PDF");
    }
    for made in [&text, &pdf] {
        assert!(
            made.contains("Three enterprise drives under RocksDB")
                && made.contains("Why these workloads")
        );
        assert!(!made.contains("Full disclosure"), "a section that was not chosen");
    }
    assert!(
        html.contains("<strong>database</strong> reads &lt;b&gt;more"),
        "own HTML stands as text"
    );
    assert!(html.contains("#6b7280") && html.contains("data:image/png;base64,iVBOR"));
    assert!(read("b.figures/results-2.svg").contains("#6b7280"), "the chosen colour in a figure");
}

#[test]
fn the_pdf_has_its_fonts_in_it_and_draws_figures_as_vectors() {
    if !poppler() {
        return;
    }
    let dir = published();
    dyno_well(dir.path(), &["report", "b.dyno", "-o", "b.pdf"]);
    let fonts = tool("pdffonts", dir.path(), &["b.pdf"]);
    let listed: Vec<&str> = fonts.lines().skip(2).collect();
    // The columns from the right: object, uni, sub, emb.
    let embedded = |line: &&str| line.split_whitespace().rev().nth(4) == Some("yes");
    assert!(!listed.is_empty() && listed.iter().all(embedded), "{fonts}");
    let images = tool("pdfimages", dir.path(), &["-list", "b.pdf"]);
    assert_eq!(images.lines().count(), 2, "no picture made of pixels:\n{images}");
    let text = tool("pdftotext", dir.path(), &["b.pdf", "-"]);
    // A caption may be wrapped.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let subtitle = "p99 read latency against throughput, by threads";
    assert_eq!(text.matches(subtitle).count(), 2, "the letters of a figure are letters");
}

#[test]
fn a_mistake_in_the_brief_is_told_with_its_line_and_nothing_is_written() {
    let dir = published();
    std::fs::write(dir.path().join("brief.toml"), "title = \"x\"\nsections = [\"fidings\"]\n")
        .unwrap();
    let args = ["report", "b.dyno", "--brief", "brief.toml", "-o", "b.pdf"];
    let output = dyno(dir.path(), &args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && said.contains("line 2") && said.contains("findings"),
        "{said}"
    );
    assert!(!dir.path().join("b.pdf").exists());
}

/// Text without separators that differ between forms: spaces, line ends, Markdown escapes.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != '\\').collect()
}

#[test]
fn one_comparison_has_one_number_and_one_interval_in_every_form() {
    if !poppler() {
        return;
    }
    let folder = made::folder();
    let dir = folder.path();
    let sweep = "sweep = { axis = \"io.depth\", values = [1, 2, 4] }";
    let plan = made::plan(dir, &made::step("reads", sweep, ""), 2, 5);
    let mut rng = made::rng(51, 0);
    made::write(&dir.join("b.dyno"), &plan, &mut |key| {
        let better = if key.subject == "A" { 1.2 } else { 1.0 };
        let noise = (0.02 * rng.normal()).exp();
        Some(Figures {
            ops_per_s: 50_000.0 * better * noise,
            p99_ns: 400_000.0 / noise,
            ..Figures::default()
        })
    });
    let found = made::claims(&[&dir.join("b.dyno")], &[]);
    for form in ["html", "md", "pdf"] {
        dyno_well(dir, &["report", "b.dyno", "-o", &format!("b.{form}")]);
    }
    let read = |name: &str| bare(&std::fs::read_to_string(dir.join(name)).unwrap());
    let forms = [
        ("HTML", read("b.html")),
        ("Markdown", read("b.md")),
        ("PDF", bare(&tool("pdftotext", dir, &["b.pdf", "-"]))),
        ("CSV", bare(&dyno_well(dir, &["export", "b.dyno", "--table", "comparisons"]))),
    ];
    let printed = |of: &serde_json::Value| bare(of["printed"].as_str().unwrap());
    let comparisons = found["comparisons"].as_array().unwrap();
    // Three points and their mean, for ops/s and p99.
    assert_eq!(comparisons.len(), 8);
    for number in comparisons.iter().map(printed) {
        forms.iter().for_each(|(form, text)| {
            assert!(text.contains(&number), "'{number}' is not in {form}")
        });
    }
    let claims = found["claims"].as_array().unwrap();
    assert!(claims.len() >= 2, "{found:#}");
    let screens = ["compare", "claims"].map(|screen| bare(&dyno_well(dir, &[screen, "b.dyno"])));
    for number in claims.iter().map(printed) {
        screens.iter().for_each(|text| {
            assert!(text.contains(&number), "'{number}' is not in the terminal: {text}")
        });
    }
}

#[test]
fn a_repeat_that_moved_together_and_a_drive_apart_from_its_like_are_named() {
    use dyno::record::Setup;
    use dyno::record::setup::DriveSetup;
    let folder = made::folder();
    let dir = folder.path();
    let mut plan = made::plan(dir, &made::step("reads", "", ""), 2, 5);
    let mut setup = Setup::default();
    for subject in &mut plan.subjects {
        subject.drives = vec![subject.drives[0].clone(); 6];
        setup.drives.extend((0..6).map(|drive| DriveSetup {
            subject: subject.name.clone(),
            drive,
            model: Some(subject.name.clone()),
            ..DriveSetup::default()
        }));
    }
    let mut rng = made::rng(52, 0);
    made::write_with(&dir.join("b.dyno"), &plan, &setup, &mut |key| {
        let block = if key.repeat == 2 { 0.35 } else { 1.0 };
        let level = if key.subject == "A" { 60_000.0 } else { 50_000.0 };
        let mut drive = |i: usize| {
            let own = if key.subject == "B" && i == 4 { 0.7 } else { 1.0 };
            level * block * own * (0.005 * rng.normal()).exp()
        };
        Some(Figures {
            drives: (0..6).map(&mut drive).collect(),
            p99_ns: 400_000.0,
            ..Figures::default()
        })
    });
    let notes = made::claims(&[&dir.join("b.dyno")], &[])["notes"].clone();
    let notes: Vec<&str> = notes.as_array().unwrap().iter().filter_map(|n| n.as_str()).collect();
    let [together, apart, models] = notes[..] else { panic!("{notes:?}") };
    assert!(
        together.starts_with("reads: repeat 2 ran at 0.35 × for both subjects; "),
        "{together}"
    );
    assert!(
        apart.starts_with("reads, B: drive ")
            && apart.contains(" deviates from the other 5 of its model: "),
        "{apart}"
    );
    let found = models.contains("A delivers") || models.contains("A and B are not distinguishable");
    assert!(found && models.contains(", 6 drives each, which scatter by "), "{models}");
    // The same notes as text.
    for screen in ["compare", "claims"] {
        let text = bare(&dyno_well(dir, &[screen, "b.dyno"]));
        notes.iter().for_each(|note| assert!(text.contains(&bare(note)), "{note}"));
    }
    dyno_well(dir, &["report", "b.dyno", "-o", "b.md"]);
    let text = bare(&std::fs::read_to_string(dir.join("b.md")).unwrap());
    notes.iter().for_each(|note| assert!(text.contains(&bare(note)), "{note}\n{text}"));
}

/// Identical or ten times as fast: results measured once or twice rank no subject, in any form.
#[test]
fn with_one_or_two_repeats_nobody_is_said_to_be_better_anywhere() {
    for repeats in [1, 2] {
        let folder = made::folder();
        let dir = folder.path();
        let sweep = "sweep = { axis = \"io.depth\", values = [1, 2, 4] }";
        let plan = made::plan(dir, &made::step("reads", sweep, ""), 2, repeats);
        made::write(&dir.join("b.dyno"), &plan, &mut |key| {
            let level = if key.subject == "A" { 5e5 } else { 5e4 };
            let ops_per_s = level * (1.0 + 0.01 * f64::from(key.repeat));
            Some(Figures {
                ops_per_s,
                p99_ns: 4e10 / level,
                watts: Some(8.0),
                ..Figures::default()
            })
        });
        let found = made::claims(&[&dir.join("b.dyno")], &[]);
        for list in ["claims", "comparisons", "crossovers"] {
            assert_eq!(found[list].as_array().map(Vec::len), Some(0), "{list}: {found:#}");
        }
        dyno_well(dir, &["report", "b.dyno", "-o", "b.md"]);
        dyno_well(dir, &["report", "b.dyno", "-o", "b.html"]);
        let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
        let rows = dyno_well(dir, &["export", "b.dyno", "--table", "comparisons"]);
        assert_eq!(rows.lines().count(), 1, "headings alone: {rows}");
        let forms = [
            ("claims", dyno_well(dir, &["claims", "b.dyno"])),
            ("compare", dyno_well(dir, &["compare", "b.dyno"])),
            ("show", dyno_well(dir, &["show", "b.dyno"])),
            ("Markdown", read("b.md")),
            ("HTML", read("b.html")),
        ];
        for (form, text) in forms {
            // A legend explains marks that do not occur.
            let said: Vec<&str> = text.lines().filter(|l| !l.contains("▲ shown")).collect();
            let said = said.join("\n");
            for word in [
                "▲",
                "▼",
                "A delivers",
                "B delivers",
                "A has",
                "B has",
                "faster",
                "% more",
                "% lower",
                "winner",
            ] {
                assert!(!said.contains(word), "{repeats} repeats, {form} says '{word}':\n{said}");
            }
            let again = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let once =
                form == "show" || again.contains("repeat it") && again.contains("before comparing");
            assert!(once, "{form} does not say to repeat it: {text}");
        }
        if repeats == 2 {
            // The minimum and maximum in place of an interval.
            assert!(read("b.md").contains("505,000 to 510,000"), "{}", read("b.md"));
        }
    }
}

const STATED: &str = r#"
[drive.A]
capacity = "7.68TB"
endurance = "1 DWPD"
price = { amount = 800.0, currency = "EUR", date = "2026-11-01", source = "a shop" }
"#;

#[test]
fn what_is_stated_of_a_subject_is_of_each_bundle_s_own_where_several_have_that_name() {
    let folder = made::folder();
    let dir = folder.path();
    made::plan(dir, &made::step("reads", "", ""), 2, 3);
    for (bundle, price) in [("one", 800), ("two", 400)] {
        let text = format!(
            "protocol = \"made.toml\"\nrepeats = 3\n[[subject]]\nname = \"A\"\n\
             drives = [{{ path = \".\" }}]\n[drive.A]\nprice = {{ amount = {price}, \
             currency = \"EUR\", date = \"2026-11-01\", source = \"a shop\" }}\n"
        );
        std::fs::write(dir.join("plan.toml"), text).unwrap();
        let plan = dyno::plan::load(&dir.join("plan.toml"), &dyno::plan_catalogue());
        let plan = plan.unwrap_or_else(|mistakes| panic!("{}", mistakes.render(false)));
        made::write(&dir.join(format!("{bundle}.dyno")), &plan, &mut |_| {
            Some(made::Figures { ops_per_s: 40_000.0, p99_ns: 1e5, ..made::Figures::default() })
        });
    }
    let report = ["report", "one.dyno", "two.dyno", "-o", "b.md"];
    let brief = |toml: &str| {
        std::fs::write(dir.join("brief.toml"), toml).unwrap();
        dyno_well(dir, &[&report[..], &["--brief", "brief.toml"]].concat());
        std::fs::read_to_string(dir.join("b.md")).unwrap()
    };
    let own = brief("");
    assert!(own.contains("|  | A (one) | A (two) |"), "{own}");
    for said in ["| price | 800 EUR | 400 EUR |", "| 50 /EUR | 100 /EUR |"] {
        assert!(own.contains(said), "no {said} in {own}");
    }
    let both =
        brief("[drive.A]\nendurance = \"3 DWPD\"\n[drive.\"A (two)\"]\nwarranty = \"5 years\"\n");
    for said in ["| endurance | 3 DWPD | 3 DWPD |", "| warranty | – | 5 years |", "| 50 /EUR |"] {
        assert!(both.contains(said), "no {said} in {both}");
    }
    let masked = brief("[drive.A]\nmask = true\n");
    assert!(masked.contains("| Competitor A (one) | Competitor A (two) |"), "{masked}");
    // A mask of one alone would not hide the name.
    std::fs::write(dir.join("brief.toml"), "[drive.\"A (one)\"]\nmask = true\n").unwrap();
    let output = dyno(dir, &[&report[..], &["--brief", "brief.toml"]].concat());
    let error = said(&output);
    assert!(!output.status.success() && error.contains("mask 'A'"), "{error}");
}

#[test]
fn facts_of_drives_may_stand_in_the_plan_and_brief_toml_counts_more() {
    let folder = made::folder();
    let dir = folder.path();
    made::plan(dir, &made::step("reads", "", ""), 2, 3);
    let subject =
        |name: &str| format!("[[subject]]\nname = {name:?}\ndrives = [{{ path = \".\" }}]\n");
    let plan = |stated: &str| {
        let text = format!(
            "protocol = \"made.toml\"\nrepeats = 3\n{}{}{stated}",
            subject("A"),
            subject("B")
        );
        std::fs::write(dir.join("plan.toml"), text).unwrap();
        dyno::plan::load(&dir.join("plan.toml"), &dyno::plan_catalogue())
    };
    for (stated, why) in [
        ("[drive.C]\ncapacity = \"1TB\"", "which is not a subject"),
        ("[drive.A]\ncapacity = \"much\"", "is not a capacity"),
        ("[drive.A]\nprice = { amount = 3, currency = \"EUR\", source = \"x\" }", "needs 'date'"),
        ("[drive.A]\ncolour = \"red\"", "has no key 'colour'"),
    ] {
        let said = plan(stated).err().map(|m| m.render(false)).unwrap_or_default();
        assert!(said.contains(why), "{stated}: {said}");
    }
    let plan = plan(STATED).unwrap_or_else(|mistakes| panic!("{}", mistakes.render(false)));
    made::write(&dir.join("b.dyno"), &plan, &mut |_| {
        Some(made::Figures { ops_per_s: 40_000.0, p99_ns: 1e5, ..made::Figures::default() })
    });
    let brief = |args: &[&str]| {
        dyno_well(dir, &[&["report", "b.dyno", "-o", "b.md"], args].concat());
        std::fs::read_to_string(dir.join("b.md")).unwrap()
    };
    let own = brief(&[]);
    for said in
        ["| endurance | 1 DWPD |", "9.60 GB/EUR", "50 /EUR", "nothing in this table was measured"]
    {
        assert!(own.contains(said), "no {said} in {own}");
    }
    std::fs::write(dir.join("brief.toml"), "[drive.A]\nendurance = \"3 DWPD\"\n").unwrap();
    let other = brief(&["--brief", "brief.toml"]);
    assert!(other.contains("| endurance | 3 DWPD |") && other.contains("9.60 GB/EUR"), "{other}");
}
