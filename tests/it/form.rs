//! The form of a brief: its page in a real browser at the widths of a phone, a tablet and a
//! desktop, in light and dark mode; its PDF with external checkers.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use dyno::record::Fact;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::made::{self, Figures};
use crate::support::{self, DYNO, dyno_well, tool};

/// Pixels: a phone, a tablet, a desktop.
const WIDTHS: [u32; 3] = [390, 768, 1440];

/// A sweep by depth, one by rate with a missed rate, and a step of one point over time: three
/// subjects, five repeats.
fn bundle(dir: &Path) {
    let steps = [
        made::step("reads", "sweep = { axis = \"io.depth\", values = [1, 2, 4, 8, 16, 32] }", ""),
        made::step(
            "paced",
            "sweep = { axis = \"io.rate\", values = [\"10k/s\", \"20k/s\", \"40k/s\"] }",
            "rate = \"10k/s\"",
        ),
        made::step("steady", "", ""),
    ];
    let plan = made::plan(dir, &steps.concat(), 3, 5);
    let mut rng = made::rng(61, 0);
    made::write(&dir.join("b.dyno"), &plan, &mut |key| {
        let better = match key.subject.as_str() {
            "A" => 1.25,
            "B" => 1.0,
            _ => 0.98,
        };
        let at = key.axis.as_ref().map_or(4.0, |axis| axis.value.as_f64());
        let noise = (0.02 * rng.normal()).exp();
        let (ops, asked) = match key.step.as_str() {
            "paced" => (at.min(30_000.0 * better), Some(at)),
            _ => (40_000.0 * better * at.powf(0.6), None),
        };
        let p99_ns = 90_000.0 * at.sqrt() / better / noise;
        let seconds = if key.step == "steady" {
            (0..40).map(|s| ops + f64::from(s % 7) * 900.0).collect()
        } else {
            vec![]
        };
        Some(Figures { ops_per_s: ops * noise, p99_ns, asked, seconds, ..Figures::default() })
    });
}

/// One brief for all tests of this module, in a folder that lasts as long as the program.
fn brief() -> &'static Path {
    static BRIEF: OnceLock<tempfile::TempDir> = OnceLock::new();
    let made = || {
        let folder = made::folder();
        bundle(folder.path());
        dyno_well(folder.path(), &["report", "b.dyno", "-o", "b.html"]);
        dyno_well(folder.path(), &["report", "b.dyno", "-o", "b.pdf"]);
        folder
    };
    BRIEF.get_or_init(made).path()
}

#[test]
fn axe_finds_nothing_in_light_or_dark_on_phone_tablet_and_desk() {
    let Some(mut browser) = Browser::start() else { return };
    let page = brief().join("b.html");
    for (width, dark) in WIDTHS.into_iter().flat_map(|width| [(width, false), (width, true)]) {
        browser.open(&page, width, dark);
        browser.eval("document.querySelectorAll('details').forEach(d => { d.open = true; })");
        let found = browser.axe();
        assert!(found["passes"].as_u64().unwrap() > 20, "axe looked at little: {found}");
        assert_eq!(found["violations"], json!([]), "at {width} px, dark: {dark}");
        let outside: Vec<_> = browser
            .asked
            .iter()
            .filter(|url| !url.starts_with("file:") && !url.starts_with("data:"))
            .collect();
        assert!(outside.is_empty(), "the page asked for {outside:?}");
    }
}

#[test]
fn figures_fit_every_width_and_their_letters_are_nine_pixels_or_more() {
    let Some(mut browser) = Browser::start() else { return };
    let page = brief().join("b.html");
    for width in [320, 390, 600, 768, 1000, 1440, 2560] {
        browser.open(&page, width, false);
        let seen = browser.eval(
            "({ page: document.documentElement.scrollWidth, \
             figures: [...document.querySelectorAll('figure svg')].map(s => { \
             const box = s.getBoundingClientRect(), by = box.width / s.viewBox.baseVal.width; \
             return [box.left, box.right, by * Math.min(...[...s.querySelectorAll('text')] \
             .map(t => parseFloat(getComputedStyle(t).fontSize)))]; }) })",
        );
        assert!(
            seen["page"].as_f64().unwrap() <= f64::from(width),
            "the page is wider than {width}: {}",
            seen["page"]
        );
        let figures = seen["figures"].as_array().unwrap();
        assert!(figures.len() > 6, "{seen}");
        for figure in figures {
            let [left, right, letters] = [0, 1, 2].map(|i| figure[i].as_f64().unwrap());
            assert!(
                left >= 0.0 && right <= f64::from(width),
                "at {width} px a figure reaches from {left} to {right}"
            );
            assert!(letters >= 9.0, "letters of {letters} px at {width} px");
        }
    }
}

#[test]
fn tables_of_results_have_room_at_a_thousand_pixels_and_break_no_cell_over_three_lines() {
    let Some(mut browser) = Browser::start() else { return };
    browser.open(&brief().join("b.html"), 1000, false);
    let seen = browser.eval(
        "[...document.querySelectorAll('#summary table.data, #results table.data')].map(table => { \
         const box = table.parentElement, line = parseFloat(getComputedStyle(table).lineHeight); \
         const lines = cell => { const words = document.createRange(); \
         words.selectNodeContents(cell); return words.getBoundingClientRect().height / line; }; \
         return { columns: table.rows[0].cells.length, over: box.scrollWidth - box.clientWidth, \
         lines: Math.max(...[...table.querySelectorAll('td, th')].map(lines)) }; })",
    );
    let tables = seen.as_array().unwrap();
    assert!(tables.len() >= 4, "{seen}");
    for table in tables {
        let [columns, over, lines] =
            ["columns", "over", "lines"].map(|name| table[name].as_f64().unwrap());
        assert!(columns <= 8.0 && over <= 0.0 && lines < 3.5, "{seen}");
    }
}

#[test]
fn a_pointer_a_finger_and_the_arrow_keys_show_a_marks_value() {
    let Some(mut browser) = Browser::start() else { return };
    let page = brief().join("b.html");
    let tip = "({ text: tip.textContent, shown: getComputedStyle(tip).display, \
               box: [tip.getBoundingClientRect().left, tip.getBoundingClientRect().right] })";
    let middle = "(() => { const mark = document.querySelector('figure .m'); \
                  mark.scrollIntoView({ block: 'center' }); \
                  const box = mark.getBoundingClientRect(); \
                  return [box.left + box.width / 2, box.top + box.height / 2]; })()";
    for width in [1440, 390] {
        browser.open(&page, width, false);
        assert_eq!(browser.eval(tip)["shown"], "none");
        let at = browser.eval(middle);
        let point = json!({ "x": at[0], "y": at[1] });
        if width > 768 {
            let event = json!({ "type": "mouseMoved", "x": at[0], "y": at[1] });
            browser.call("Input.dispatchMouseEvent", event);
        } else {
            browser.call(
                "Input.dispatchTouchEvent",
                json!({ "type": "touchStart", "touchPoints": [point] }),
            );
            browser
                .call("Input.dispatchTouchEvent", json!({ "type": "touchEnd", "touchPoints": [] }));
        }
        // The browser sends a click a moment after the finger is lifted.
        let mut seen = Value::Null;
        support::until("the value to be shown", 20, || {
            seen = browser.eval(tip);
            seen["shown"] == "block"
        });
        assert!(seen["text"].as_str().unwrap().starts_with("A, "), "{seen}");
        let [left, right] = [0, 1].map(|i| seen["box"][i].as_f64().unwrap());
        assert!(left >= 0.0 && right <= f64::from(width), "{seen}");
    }
    browser.open(&page, 1440, false);
    browser.eval("document.querySelector('figure').focus()");
    let press = |browser: &mut Browser, key: &str| {
        let event = json!({ "type": "keyDown", "key": key, "code": key });
        browser.call("Input.dispatchKeyEvent", event);
        browser.eval(tip)
    };
    let first = press(&mut browser, "ArrowRight");
    let second = press(&mut browser, "ArrowRight");
    assert!(first["shown"] == "block" && first["text"] != second["text"], "{first} {second}");
    assert_eq!(press(&mut browser, "Escape")["shown"], "none");
}

#[test]
fn the_page_is_set_in_its_own_fonts_and_its_tables_have_names_and_headers() {
    let Some(mut browser) = Browser::start() else { return };
    browser.open(&brief().join("b.html"), 1440, false);
    let fonts = browser.eval("[...document.fonts].map(f => [f.family, f.weight, f.status])");
    let of = |weight: &str| {
        let all = fonts.as_array().unwrap().iter();
        all.filter(|f| f[0].as_str().unwrap().contains("Brief Sans") && f[1] == weight)
            .any(|f| f[2] == "loaded")
    };
    assert!(of("400") && of("600"), "{fonts}");
    // Not only the tables that an axe rule happens to check.
    let bare = browser.eval(
        "[...document.querySelectorAll('table')].filter(t => !t.caption?.textContent || \
         ![...t.rows].every(row => row.querySelector('th'))).map(t => t.outerHTML.slice(0, 300))",
    );
    assert_eq!(bare, json!([]));
    let titles = browser.eval(
        "[...document.querySelectorAll('figure svg text')].filter(t => t.textContent \
                      == 'reads').length",
    );
    assert_eq!(titles, json!(0), "a step's title stands over its figures, not in each");
}

#[test]
fn the_pdf_is_tagged_and_sound_for_checkers_that_are_not_ours() {
    if !support::have(&["qpdf", "pdfinfo", "pdftotext"]) {
        return;
    }
    let dir = brief();
    let checked = tool("qpdf", dir, &["--check", "b.pdf"]);
    assert!(checked.contains("No syntax or stream encoding errors found"), "{checked}");
    let facts = tool("pdfinfo", dir, &["b.pdf"]);
    let says = |key: &str| {
        facts.lines().find_map(|l| l.strip_prefix(key)).unwrap_or_default().trim().to_string()
    };
    assert_eq!(says("Tagged:"), "yes", "{facts}");
    assert!(
        tool("pdfinfo", dir, &["-meta", "b.pdf"]).contains("<pdfuaid:part>1</pdfuaid:part>"),
        "no PDF/UA-1"
    );
    let structure = tool("pdfinfo", dir, &["-struct", "b.pdf"]);
    for tag in ["H1", "H2", "TOC", "Link", "Table", "TH", "Figure", "Caption", "L", "LBody"] {
        let found = structure
            .lines()
            .any(|l| l.trim_start().split([' ', '"', ':', '(']).next() == Some(tag));
        assert!(found, "no {tag} in\n{structure}");
    }
    let pages: usize = says("Pages:").parse().unwrap();
    let text = tool("pdftotext", dir, &["-layout", "b.pdf", "-"]);
    for page in 1..=pages {
        assert!(text.contains(&format!("{page} of {pages}")), "page {page} has no number");
    }
    // Every entry of the contents is a link, and the outline has every section.
    let whole: Value = serde_json::from_str(&tool("qpdf", dir, &["--json", "b.pdf"])).unwrap();
    let links = whole.to_string().matches("\"/Subtype\":\"/Link\"").count();
    let sections = whole["outlines"].as_array().map_or(0, Vec::len);
    assert!(links > 10 && sections > 5, "{links} links, {sections} sections");
}

#[test]
fn the_largest_claimed_differences_are_called_out_in_the_figures_and_cover_nothing() {
    let Some(mut browser) = Browser::start() else { return };
    browser.open(&brief().join("b.html"), 1440, false);
    browser.eval("document.querySelectorAll('details').forEach(d => { d.open = true; })");
    // Every call-out's frame against all letters of its figure except its own.
    let seen = browser.eval(
        "[...document.querySelectorAll('figure svg')].flatMap(svg => \
         [...svg.querySelectorAll('.callout')].map(c => { \
         const a = c.getBoundingClientRect(), own = c.nextElementSibling; \
         const others = [...svg.querySelectorAll('text')].filter(t => t !== own); \
         const meets = others.filter(t => { const b = t.getBoundingClientRect(); \
         return b.left < a.right && a.left < b.right \
         && b.top < a.bottom - 3 && a.top + 3 < b.bottom; }); \
         return [own.textContent, meets.map(t => t.textContent)]; }))",
    );
    let all = seen.as_array().unwrap();
    assert!(all.len() >= 4, "{seen}");
    for called in all {
        let text = called[0].as_str().unwrap();
        assert!(text.contains(" % vs ") && text.starts_with(['+', '−', '≥']), "{seen}");
        assert_eq!(called[1], json!([]), "{text} stands on others");
    }
}

#[test]
fn a_pdf_is_of_the_size_that_was_asked_for() {
    if !support::have(&["pdfinfo"]) {
        return;
    }
    let dir = brief();
    for (page, size) in [("a4", "595.28 x 841.89 pts (A4)"), ("letter", "612 x 792 pts (letter)")] {
        std::fs::write(dir.join(format!("{page}.toml")), format!("page = \"{page}\"\n")).unwrap();
        let name = format!("{page}.pdf");
        dyno_well(dir, &["report", "b.dyno", "--brief", &format!("{page}.toml"), "-o", &name]);
        let facts = tool("pdfinfo", dir, &[&name]);
        assert!(facts.contains(size), "{facts}");
    }
}

/// veraPDF checks the machine-checkable part of PDF/UA-1; Debian has no package of it.
#[test]
fn verapdf_finds_the_pdf_to_be_pdf_ua_1() {
    let Some(verapdf) = std::env::var_os("VERAPDF").map(PathBuf::from) else {
        return support::skip(
            "VERAPDF does not name veraPDF's program; docs/brief.md says how to get it",
        );
    };
    let out = Command::new(verapdf)
        .args(["--flavour", "ua1", "--format", "text", "b.pdf"])
        .current_dir(brief())
        .output();
    let said = support::said(&out.unwrap());
    assert!(said.contains("PASS"), "{said}");
}

/// The number of pages of a built-in protocol's PDF, with two drives, three repeats and a latency
/// that grows with the load.
fn pages_of(protocol: &str, repeats: u32) -> usize {
    let folder = made::folder();
    let dir = folder.path();
    let plan = made::builtin(dir, protocol, &["Intel P5510", "Samsung PM9A3"], repeats);
    let mut rng = made::rng(62, 0);
    made::write(&dir.join("b.dyno"), &plan, &mut |key| {
        let better = if key.subject.starts_with('S') { 1.1 } else { 1.0 };
        let noise = (0.01 * rng.normal()).exp();
        let at = key.axis.as_ref().map_or(100.0, |axis| axis.value.as_f64());
        // A load in percent of a maximum, and the maximum itself; other axes are threads, depths or
        // rates.
        let share = if at.is_finite() { (at / 100.0).min(1.15) } else { 1.0 };
        let ops = 60_000.0 * better * share.min(1.0);
        let p99_ns = 200_000.0 * (1.0 + 4.0 * share.powi(6)) / better * noise;
        Some(Figures {
            ops_per_s: ops * noise,
            p99_ns,
            asked: at.is_finite().then_some(60_000.0 * share),
            ..Figures::default()
        })
    });
    pages(dir)
}

/// The number of pages of the PDF for a folder's bundle.
fn pages(dir: &Path) -> usize {
    dyno_well(dir, &["report", "b.dyno", "-o", "b.pdf"]);
    let facts = tool("pdfinfo", dir, &["b.pdf"]);
    let pages = facts.lines().find_map(|l| l.strip_prefix("Pages:")).unwrap_or_default();
    println!("{} pages", pages.trim());
    pages.trim().parse().unwrap()
}

#[test]
fn the_pdf_of_the_block_profiles_has_at_most_25_pages() {
    if support::have(&["pdfinfo"]) {
        assert!(pages_of("vdbench-profiles", 3) <= 25);
    }
}

/// Facts as for a host, its drives and their databases, as many as in the demo.
fn disclosed() -> Vec<Fact> {
    let groups = [
        ("Host", 2),
        ("CPU", 9),
        ("Memory", 6),
        ("Kernel", 4),
        ("Drive: Disk", 13),
        ("Drive: Memory", 5),
        ("Physical devices", 2),
        ("Dyno", 5),
        ("Self-test", 17),
        ("RocksDB", 9),
    ];
    let of = |(group, many): (&str, usize)| -> Vec<Fact> {
        let long = "option=value other_option=another_value ".repeat(12);
        let value = |i: usize| if i == 3 { long.clone() } else { format!("{i} of {many} values") };
        (0..many).map(|i| Fact::new(group, format!("Property {i} of it"), value(i))).collect()
    };
    groups.into_iter().flat_map(of).collect()
}

#[test]
fn the_pdf_of_a_brief_like_the_demos_has_at_most_6_pages() {
    if !support::have(&["pdfinfo"]) {
        return;
    }
    let folder = made::folder();
    let dir = folder.path();
    let plan = made::plan(dir, made::DEMO, 2, 5);
    let mut rng = made::rng(63, 0);
    made::write_with(&dir.join("b.dyno"), &plan, &made::disclosed(disclosed()), &mut |key| {
        let better = if key.subject == "A" { 1.4 } else { 1.0 };
        let at = key.axis.as_ref().map_or(1.0, |axis| axis.value.as_f64());
        let ops_per_s = 20_000.0 * better * (0.05 * rng.normal()).exp();
        let asked = (key.step == "paced-writes").then_some(at / 4096.0);
        Some(Figures { ops_per_s, p99_ns: 9e5 / better, asked, ..Figures::default() })
    });
    assert!(pages(dir) <= 6);
}

/// Runs a program; returns its duration and peak memory.
const MEASURE: &str = "import resource, subprocess, sys, time\nbegun = time.monotonic()\n\
                       subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n\
                       print(time.monotonic() - begun, \
                       resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)";

#[test]
fn a_brief_of_very_many_points_is_made_in_seconds_and_stays_small() {
    let folder = made::folder();
    let dir = folder.path();
    let points = support::size(1_000, 10_000);
    let values: Vec<String> = (1..=points / 10).map(|v| v.to_string()).collect();
    let sweep = format!("sweep = {{ axis = \"io.depth\", values = [{}] }}", values.join(", "));
    let plan = made::plan(dir, &made::step("reads", &sweep, ""), 2, 5);
    made::write(&dir.join("b.dyno"), &plan, &mut |key| {
        let at = key.axis.as_ref().map_or(1.0, |axis| axis.value.as_f64());
        let better = if key.subject == "A" { 1.2 } else { 1.0 };
        Some(Figures {
            ops_per_s: 3_000.0 * better * at.sqrt(),
            p99_ns: 90_000.0 * at.sqrt(),
            ..Figures::default()
        })
    });
    for form in ["html", "pdf"] {
        let name = format!("b.{form}");
        let said = tool("python3", dir, &["-c", MEASURE, DYNO, "report", "b.dyno", "-o", &name]);
        let numbers: Vec<f64> = said.split_whitespace().map(|n| n.parse().unwrap()).collect();
        let (seconds, bytes) = (numbers[0], std::fs::metadata(dir.join(&name)).unwrap().len());
        println!(
            "{points} points as {form}: {seconds:.2} s, {} MB of memory, {bytes} bytes",
            numbers[1] as u64 / 1_000_000
        );
        // The goals for an optimised build on a quiet machine are one second for 1,000 points and
        // ten for 10,000.
        let slow = if cfg!(debug_assertions) { 20.0 } else { 5.0 };
        assert!(seconds < slow * f64::from(points) / 1_000.0, "{seconds} s");
        if form == "html" {
            assert!(bytes < 3_000_000 * u64::from(points as u32) / 1_000, "{bytes} bytes");
        }
    }
}
